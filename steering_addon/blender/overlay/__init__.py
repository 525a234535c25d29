"""Drawn over the viewport: fronts, targets, trails, paths, obstacles and regions as the simulation has them.

What is drawn is worked out when something changes or a frame is shown; drawing hands it to the graphics card. In the
background there is nobody to look, and nothing is done.
"""

from __future__ import annotations

import bpy

from . import gpu_lines as drawing
from . import watching
from .popover import show_switch


def register() -> None:
    bpy.types.VIEW3D_PT_overlay.append(show_switch)
    if not bpy.app.background:
        watching.begin()
        drawing.begin()


def unregister() -> None:
    drawing.end()
    watching.end()
    bpy.types.VIEW3D_PT_overlay.remove(show_switch)
