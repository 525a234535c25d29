"""Pictures of the Steering panels, taken in a window of Blender: `blender FILE --python panels.py -- FOLDER`."""

from __future__ import annotations

import subprocess
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import bpy

PAUSE = 2.0
"""Seconds for the window to draw before a picture is taken."""
FOLDER = Path(sys.argv[sys.argv.index("--") + 1])
FRAME = 108


def story() -> Iterator[None]:
    """What is done one after the other; at each stop the window draws."""
    bpy.context.preferences.view.show_splash = False
    yield
    area = next(area for area in bpy.context.window.screen.areas if area.type == "VIEW_3D")
    space = area.spaces.active
    space.show_region_ui = True
    space.show_region_toolbar = False
    space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False
    space.region_3d.view_perspective = "CAMERA"
    bpy.context.scene.frame_set(FRAME)
    yield
    next(region for region in area.regions if region.type == "UI").active_panel_category = "Steering"
    vehicle = next(ob for ob in bpy.context.scene.objects if "VEHICLE" in ob.steering.roles)
    with bpy.context.temp_override(area=area, region=next(r for r in area.regions if r.type == "WINDOW")):
        bpy.ops.object.select_all(action="DESELECT")
        vehicle.select_set(True)
        bpy.context.view_layer.objects.active = vehicle
        bpy.ops.view3d.view_center_camera()
    yield
    take("panel")


def take(name: str) -> None:
    """The picture of the whole window."""
    subprocess.run(["import", "-window", "root", str(FOLDER / f"{name}.png")], check=True)


def step(parts: Iterator[None] = story()) -> float | None:  # noqa: B008 - one story a run
    try:
        next(parts)
    except StopIteration:
        bpy.ops.wm.quit_blender()
    except Exception:
        traceback.print_exc()
        bpy.ops.wm.quit_blender()
    return PAUSE


bpy.app.timers.register(step, first_interval=PAUSE)
