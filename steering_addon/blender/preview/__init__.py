"""The live preview: while the timeline plays, vehicles move without keyframes.

Nothing of it is ever in the file. Poses are shown only on Blender's evaluated copies of the vehicles; the vehicles
themselves stay at their start, or play their bake, all the time. So a file saved by hand, by autosave or before a crash
needs no repair, and a render, which Blender evaluates separately, shows what is baked.
"""

from .live import end, is_on, register, report, start, unregister

__all__ = ("end", "is_on", "register", "report", "start", "unregister")
