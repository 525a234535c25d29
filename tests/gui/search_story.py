"""Types words into Blender's search: `blender --python search_story.py -- FOLDER`. Stops at the first failure."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import bpy

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from scripts.window import HAND, picture, point, press, tell, view  # noqa: E402
from tests.gui.hands import until, vehicles  # noqa: E402

FOLDER = Path(sys.argv[sys.argv.index("--") + 1])
DRAWN = 0.4
"""Seconds after which the window has been redrawn."""
FOUND = 1.5
"""Seconds after which the search has listed what it found."""
VIEW = (600, 600)
"""A point in the viewport, in pixels."""


def story() -> Iterator[float]:
    yield from search("boids", lambda: len(vehicles()) > 10)
    yield from emptied()
    yield from search("swarm", lambda: len(vehicles()) > 10)
    yield from emptied()
    with view():
        bpy.ops.mesh.primitive_cone_add(radius1=0.2, depth=0.6)
        assert bpy.ops.steering.tag("EXEC_DEFAULT", True, role="VEHICLE", moves_like="UNCHANGED") == {"FINISHED"}
    yield DRAWN
    for name in ("seek", "flee", "arrival", "containment", "cohesion"):
        yield from search(name, lambda name=name: crowd().is_property_set(name))
    # A bake would warn of behaviors that have nothing to do.
    for name in ("seek", "flee", "arrival", "containment"):
        getattr(crowd(), name).use = False
    yield from search("traffic", lambda: crowd().is_property_set("keep_distance"))
    bpy.context.scene.frame_end = 5
    yield from search("bake crowd", lambda: vehicles()[0].animation_data is not None)
    yield from search("crowd", lambda: True)


def search(word: str, happened: Callable[[], bool]) -> Iterator[float]:
    """Open the search, type a word, look at what it finds, and take the first entry."""
    yield from point(*VIEW)
    press("F3")
    yield HAND
    subprocess.run(["xdotool", "type", "--delay", "40", word], check=True)
    yield FOUND
    picture(FOLDER / f"{word}.png")
    press("Return")
    yield DRAWN
    yield from until(happened, f"The first entry found for {word} does something else.", 30.0)


def emptied() -> Iterator[float]:
    bpy.data.batch_remove(bpy.data.objects[:])
    yield DRAWN


def crowd():
    return vehicles()[0].steering.crowd.steering


tell(story())
