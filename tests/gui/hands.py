"""Where the buttons of the Steering tab are in a window of 1600 by 1000, and what hands do there in several stories."""

from collections.abc import Callable, Iterator

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d

from scripts.window import HAND, click, find, key_down, key_up, point, press, view, write

# Read from the pictures; update them when the panel changes. In every state of the panel they are the same.
PREVIEW, BAKE, DELETE = (1165, 132), (1100, 163), (1225, 163)
LOOK = (1165, 250)
"""The line that opens what there is to look at."""
LISTED, FIRST_LISTED = 1332, 290
"""Where the buttons of that list are from the left, and the height from which they are, inside the list."""
COLUMN = 1175
"""Where the buttons of the panels are from the left."""
VIEW = (500, 700)
"""A point of the viewport."""
DRAWN = 1.0
"""Seconds after which the window has been redrawn and the vehicles have been counted."""
MOMENT = 0.2
TRIES = 5
OPEN = 60
"""Least height of a panel that is not closed, in pixels."""
FIELDS = 190
"""Where the fields of the panel of the last operator are, from its left side."""


def until(holds: Callable[[], bool], problem: str, patience: float = 90.0) -> Iterator[float]:
    """Wait until something holds, and until it is drawn."""
    waited = 0.0
    while not holds():
        assert waited < patience, problem
        waited += MOMENT
        yield MOMENT
    yield DRAWN


def make_vehicles(likeness: str) -> Iterator[float]:
    """Press Vehicle, and choose what the selected objects move like from its menu."""
    y = yield from find("bpy.ops.steering.tag(role='VEHICLE'", COLUMN)
    yield from click(COLUMN, y)
    # Space searches the menu that is open.
    press("space")
    yield HAND
    write(likeness)
    yield DRAWN
    press("Return")
    yield DRAWN


def look() -> Iterator[float]:
    """Open what there is to look at, again if it is open: it closes when the mouse goes far from it."""
    yield from point(*VIEW)
    yield DRAWN
    yield from click(*LOOK)
    yield DRAWN


def to_frame(key: str) -> Iterator[float]:
    """Go to the first or the last frame by Shift Left or Shift Right."""
    scene = bpy.context.scene
    wanted = scene.frame_start if key == "Left" else scene.frame_end
    yield from point(*VIEW)
    # A window that is busy drawing may miss a key.
    for _ in range(TRIES):
        press(f"shift+{key}")
        yield DRAWN
        if scene.frame_current == wanted:
            # A story continues between a key and what it does to the scene.
            yield MOMENT
            return
    raise AssertionError(f"Shift {key} does not lead to frame {wanted}.")


def click_in_view(place: tuple[float, float, float], *, extend: bool = False) -> Iterator[float]:
    """Click where a point of the scene is in the viewport, with Shift if what is there is selected besides."""
    with view():
        region, space = bpy.context.region, bpy.context.space_data
        at = location_3d_to_region_2d(region, space.region_3d, place)
        x, y = int(region.x + at.x), int(bpy.context.window.height - region.y - at.y)
    if extend:
        key_down("shift")
    yield from click(x, y)
    if extend:
        key_up("shift")
    yield DRAWN


def redo(value: str, other: str) -> Iterator[float]:
    """Open the panel of the last operator, and replace the first value in it that is shown so."""
    left, top, bottom = _last_operator()
    if bottom - top < OPEN:
        yield from click(left + 20, (top + bottom) // 2)
        yield DRAWN
        left, top, bottom = _last_operator()
    x = left + FIELDS
    y = yield from find(value, x, top + OPEN // 2, bottom)
    yield from point(x, y)
    press("Return")
    yield HAND
    press("ctrl+a")
    write(other)
    press("Return")
    yield DRAWN


def _last_operator() -> tuple[int, int, int]:
    """The left side, the top and the bottom of the panel of the last operator, in pixels of the window."""
    with view():
        panel = next(region for region in bpy.context.area.regions if region.type == "HUD")
        top = bpy.context.window.height - panel.y - panel.height
        return panel.x, top, top + panel.height
