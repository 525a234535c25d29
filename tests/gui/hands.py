"""Where the buttons of the Steering tab are in a window of 1600 by 1000, and what hands do there in several stories."""

from collections.abc import Callable, Iterator

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d

from scripts.window import click, key_down, key_up, point, view

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


def vehicles(scene: bpy.types.Scene | None = None) -> list[bpy.types.Object]:
    """The vehicles of a scene, or of the file."""
    objects = bpy.data.objects if scene is None else scene.objects
    return [ob for ob in objects if ob.is_property_set("steering") and "VEHICLE" in ob.steering.roles]


def until(holds: Callable[[], bool], problem: str = "It takes too long.", patience: float = 90.0) -> Iterator[float]:
    """Wait until something holds, and until it is drawn."""
    waited = 0.0
    while not holds():
        assert waited < patience, problem
        waited += MOMENT
        yield MOMENT
    yield DRAWN


def look() -> Iterator[float]:
    """Open what there is to look at, again if it is open: it closes when the mouse goes far from it."""
    yield from point(*VIEW)
    yield DRAWN
    yield from click(*LOOK)
    yield DRAWN


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
