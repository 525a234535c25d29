"""The viewport overlay: fronts, targets, trails, paths, obstacles and regions as the simulation sees them.

Lines are computed when something changes or a frame is shown; a draw handler only passes them to the graphics card. In
background mode the overlay does nothing.
"""

import bpy

from . import gpu_lines, watching


def register() -> None:
    if not bpy.app.background:
        watching.begin()
        gpu_lines.begin()


def unregister() -> None:
    gpu_lines.end()
    watching.end()
