"""From Blender to the simulation: what takes part, checked, and a snapshot of it at each frame."""
