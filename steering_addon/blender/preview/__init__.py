"""The live preview: while the timeline plays, vehicles move without keyframes.

Nothing of it is ever in the file. Poses are shown on Blender's evaluated copies of the vehicles only; the vehicles
themselves stand at their start, or play their bake, all the time, so that a file saved by hand, by autosave or before a
crash has nothing to give back, and a render, which Blender evaluates for itself, shows what is baked.
"""

from .live import end, is_on, register, report, start, unregister

__all__ = ("end", "is_on", "register", "report", "start", "unregister")
