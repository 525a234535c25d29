"""Gets from a fresh Blender to a flying flock in fewer than ten clicks: `blender --python ten_clicks.py -- FOLDER`.

It moves the mouse like a user, in a window of 1600 by 1000 pixels with the extension installed, and fails if a click
has no effect.
"""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import bpy

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from scripts.window import click, picture, point, press, tell, viewport

FOLDER = Path(sys.argv[sys.argv.index("--") + 1])
MOST_CLICKS = 8
PATIENCE = 60.0
"""Maximum seconds until a click takes effect."""
# Positions in the window, read from the pictures; update them when the panels change.
ANYWHERE = (300, 780)
ADD, STEERING, FLOCK = (283, 40), (322, 470), (560, 470)
SIDEBAR, TAB = (1318, 104), (1309, 254)
BAKE = (1100, 163)
VIEW, FRAME_ALL = (191, 40), (245, 197)
SHOWN = 12
"""The frame of the last picture."""


def story() -> Iterator[float]:
    start = time.monotonic()
    yield from does(ANYWHERE, lambda: True)  # Closes the splash screen.
    press("Delete")
    yield 0.5
    assert "Cube" not in bpy.data.objects
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
    distance = space().region_3d.view_distance
    yield from does(VIEW, lambda: True)
    yield from does(FRAME_ALL, lambda: space().region_3d.view_distance != distance)
    yield from point(*ANYWHERE)
    press("space")
    seconds = time.monotonic() - start
    while bpy.context.scene.frame_current < SHOWN:
        yield 0.1
    picture(FOLDER / "ten_clicks_3.png")
    print(f"The flock flies after {clicks} clicks and {seconds:.0f} seconds.", flush=True)
    assert clicks <= MOST_CLICKS


clicks = 0


def does(place: tuple[int, int], done: Callable[[], bool]) -> Iterator[float]:
    """Click at a place, and wait until `done` holds."""
    global clicks
    clicks += 1
    yield from click(*place)
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end, f"Click {clicks} at {place} has no effect."
        yield 0.1


def vehicles() -> list[bpy.types.Object]:
    return [ob for ob in bpy.data.objects if ob.is_property_set("steering") and "VEHICLE" in ob.steering.roles]


def baked() -> bool:
    return all(ob.animation_data and ob.animation_data.action for ob in vehicles())


def space() -> bpy.types.SpaceView3D:
    return viewport().spaces.active


def sidebar() -> bpy.types.Region:
    return next(region for region in viewport().regions if region.type == "UI")


tell(story(), splash=True)
