"""A story told in a window of Blender: what is done one after the other, by mouse and key too, with pictures of it.

For scripts that run inside Blender, with xdotool and ImageMagick's `import` at hand:

    def story():
        bpy.ops.steering.add_flock()
        yield 1.0                       # seconds for the window to draw
        picture(folder / "flock.png")

    tell(story())
"""

from __future__ import annotations

import subprocess
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy

HAND = 0.4
"""Seconds in which somebody moves the mouse or presses its button, and Blender sees it."""
END = "The story has come to its end."
"""Printed once all of it has been told."""


def tell(story: Iterator[float], *, splash: bool = False) -> None:
    """Go through a story once Blender has its window, then leave Blender; at each `yield` so many seconds pass.

    Args:
        splash: whether Blender greets with its splash screen, as it does a new user.
    """

    def go_on() -> float | None:
        try:
            return next(story)
        except StopIteration:
            print(END, flush=True)
        except Exception:
            traceback.print_exc()
        bpy.ops.wm.quit_blender()
        return None

    bpy.context.preferences.view.show_splash = splash
    bpy.app.timers.register(go_on, first_interval=2.0, persistent=True)


def view() -> Any:
    """The context of the 3D viewport, for operators that look at it: `with view(): bpy.ops.view3d.view_all()`."""
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    region = next(region for region in area.regions if region.type == "WINDOW")
    return bpy.context.temp_override(window=window, area=area, region=region, screen=window.screen)


def show_steering() -> None:
    """Open the sidebar. Its tab can be chosen once it has been drawn."""
    _viewport().spaces.active.show_region_ui = True


def choose_steering() -> None:
    """Choose the Steering tab of the sidebar."""
    next(region for region in _viewport().regions if region.type == "UI").active_panel_category = "Steering"


def picture(path: Path) -> None:
    """A picture of the whole window."""
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["import", "-window", "root", str(path)], check=True)


def click(x: int, y: int) -> Iterator[float]:
    """Press the mouse somewhere, in pixels from the upper left corner of the window: `yield from click(100, 20)`."""
    yield from point(x, y)
    for action in ("mousedown", "mouseup"):
        subprocess.run(["xdotool", action, "1"], check=True)
        yield HAND


def point(x: int, y: int) -> Iterator[float]:
    """Move the mouse somewhere; what lies under it lights up, and menus open."""
    for before in (8, 4, 0):
        subprocess.run(["xdotool", "mousemove", str(x - before), str(y)], check=True)
        yield HAND / 2


def press(key: str) -> None:
    """Press a key."""
    subprocess.run(["xdotool", "key", key], check=True)


def _viewport() -> bpy.types.Area:
    screen = bpy.context.window_manager.windows[0].screen
    return next(area for area in screen.areas if area.type == "VIEW_3D")
