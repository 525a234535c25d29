"""Takes a picture of the Steering panels in a window of Blender: `blender FILE --python panels.py -- FOLDER`."""

import sys
from collections.abc import Iterator
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.user_steps import select
from scripts.window import choose_steering, picture, show_steering, tell, view

PAUSE = 2.0
"""Seconds for the window to draw before a picture is taken."""
FOLDER = Path(sys.argv[sys.argv.index("--") + 1])
FRAME = 108


def story() -> Iterator[float]:
    show_steering()
    with view():
        space = bpy.context.area.spaces.active
        space.show_region_toolbar = False
        space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False
        space.region_3d.view_perspective = "CAMERA"
    bpy.context.scene.frame_set(FRAME)
    yield PAUSE
    choose_steering()
    vehicle = next(ob for ob in bpy.context.scene.objects if "VEHICLE" in ob.steering.roles)
    with view():
        select([vehicle])
        bpy.ops.view3d.view_center_camera()
    yield PAUSE
    picture(FOLDER / "panel.png")


tell(story())
