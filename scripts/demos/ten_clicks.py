"""From a fresh Blender to a flock that flies, in fewer than ten clicks: `blender --python ten_clicks.py -- FOLDER`.

The mouse goes where it would go by hand, in a window of 1600 by 1000 with the extension installed. It ends with an
error where a click does not do what it should.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.window import click, picture, point, press, tell

FOLDER = Path(sys.argv[sys.argv.index("--") + 1])
MOST = 9
"""Fewer than ten."""
PATIENCE = 60.0
"""Seconds that a click may take to do what it should."""
# Where things are in the pictures; when the panels change, look there anew.
ANYWHERE = (300, 780)
ADD, STEERING, FLOCK = (283, 40), (322, 470), (560, 470)
SIDEBAR, TAB = (1318, 104), (1309, 254)
BAKE, SELECT_VEHICLES = (1174, 842), (1251, 256)
VIEW, FRAME_SELECTED = (191, 40), (245, 177)
SHOWN = 12
"""The frame that is pictured."""


def story() -> Iterator[float]:
    start = time.monotonic()
    yield from does(ANYWHERE, lambda: True)  # The splash screen goes.
    yield from does(ADD, lambda: True)
    yield from point(*STEERING)
    yield 1.0
    picture(FOLDER / "ten_clicks_1.png")
    yield from point(*FLOCK)
    yield from does(FLOCK, lambda: bool(vehicles()))
    yield from does(SIDEBAR, lambda: sidebar().width > 100)
    yield from does(TAB, lambda: sidebar().active_panel_category == "Steering")
    yield 1.0
    picture(FOLDER / "ten_clicks_2.png")
    yield from does(BAKE, baked)
    yield from does(SELECT_VEHICLES, lambda: len(bpy.context.view_layer.objects.selected) == len(vehicles()))
    middle = tuple(space().region_3d.view_location)
    yield from does(VIEW, lambda: True)
    yield from does(FRAME_SELECTED, lambda: tuple(space().region_3d.view_location) != middle)
    yield from point(*ANYWHERE)
    press("space")
    seconds = time.monotonic() - start
    while bpy.context.scene.frame_current < SHOWN:
        yield 0.1
    picture(FOLDER / "ten_clicks_3.png")
    print(f"A flock flies after {clicks} clicks and {seconds:.0f} seconds.", flush=True)
    assert clicks <= MOST


clicks = 0


def does(place: tuple[int, int], done: Callable[[], bool]) -> Iterator[float]:
    """Click there, and wait until that has done what it should."""
    global clicks
    clicks += 1
    yield from click(*place)
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end, f"Click {clicks} at {place} does nothing."
        yield 0.1


def vehicles() -> list[bpy.types.Object]:
    return [ob for ob in bpy.data.objects if ob.is_property_set("steering") and "VEHICLE" in ob.steering.roles]


def baked() -> bool:
    return all(ob.animation_data and ob.animation_data.action for ob in vehicles())


def area() -> bpy.types.Area:
    screen = bpy.context.window_manager.windows[0].screen
    return next(area for area in screen.areas if area.type == "VIEW_3D")


def space() -> bpy.types.SpaceView3D:
    return area().spaces.active


def sidebar() -> bpy.types.Region:
    return next(region for region in area().regions if region.type == "UI")


tell(story(), splash=True)
