"""From the simulation to Blender: keyframes, and which of them are ours."""
