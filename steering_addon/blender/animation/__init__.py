"""How Blender keeps animation: actions, slots, tracks, keyframes, ownership and records. Knows no scene and no plan."""
