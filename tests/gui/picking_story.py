"""Picks agents of a crowd cache by clicks: `blender --python picking_story.py -- FOLDER`. Ends at the first failure."""

import sys
from collections.abc import Iterator
from pathlib import Path

import bpy
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Vector

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from scripts.window import choose_steering, click, find, picture, point, press, show_steering, tell, view  # noqa: E402
from tests.gui.hands import COLUMN, DRAWN, VIEW, click_in_view, until  # noqa: E402

FOLDER = Path(sys.argv[sys.argv.index("--") + 1])
COUNT = 1001
"""Birds that are made as points."""
LEFT = 1120
"""Where the left one of two buttons in a row is."""


def story() -> Iterator[float]:
    scene = bpy.context.scene
    bpy.data.batch_remove(bpy.data.objects[:])
    scene.frame_end = 40
    show_steering()
    yield DRAWN
    choose_steering()
    with view():
        assert bpy.ops.steering.add_flock("EXEC_DEFAULT", True, count=COUNT) == {"FINISHED"}
        assert bpy.ops.steering.bake("EXEC_DEFAULT", True) == {"FINISHED"}
    scene.frame_set(20)
    shown = next(ob for ob in bpy.data.objects if ob.name.endswith("Player"))
    with view():
        bpy.ops.object.select_all(action="DESELECT")
        shown.select_set(True)
        bpy.context.view_layer.objects.active = shown
        bpy.ops.view3d.view_selected()
        bpy.ops.ed.undo_push(message="Select")
    yield DRAWN
    y = yield from find("bpy.ops.steering.pick_agents", LEFT)
    yield from click(LEFT, y)
    yield DRAWN
    picture(FOLDER / "1 picking.png")
    first, second = in_front()
    yield from click_in_view(places()[first])
    yield from click_in_view(places()[second], extend=True)
    picture(FOLDER / "2 chosen.png")
    # Esc leaves all as it is.
    press("Escape")
    yield DRAWN
    assert bpy.context.view_layer.objects.active.name.endswith("Player") and len(places()) == COUNT
    picture(FOLDER / "3 left.png")
    yield from click(LEFT, y)
    yield from click_in_view(places()[first])
    yield from click_in_view(places()[second], extend=True)
    yield from click_in_view(places()[second], extend=True)
    yield from click_in_view(places()[second], extend=True)
    press("Return")
    yield from until(lambda: len(places()) == COUNT - 2, "No objects were made.")
    made = bpy.context.view_layer.objects.selected[:]
    assert {ob.steering.identity for ob in made} == {first, second}
    picture(FOLDER / "4 made.png")
    # One undo takes both back.
    with view():
        bpy.ops.ed.undo()
    yield from until(lambda: len(places()) == COUNT, "They are not back.")
    yield from click(LEFT, y)
    yield from click_in_view(places()[first])
    # The button makes them, too.
    yield from click(LEFT, y)
    yield from until(lambda: len(places()) == COUNT - 1, "The button made no object.")
    yield from point(*VIEW)
    bpy.context.scene.frame_set(35)
    yield DRAWN
    picture(FOLDER / "5 by the button.png")
    y = yield from find("bpy.ops.steering.give_back", COLUMN + 60)
    yield from click(COLUMN + 60, y)
    yield from until(lambda: len(places()) == COUNT, "It was not given back.")
    picture(FOLDER / "6 given back.png")


def places() -> dict[int, tuple[float, float, float]]:
    """Where instances are, by the ids of agents."""
    graph = bpy.context.evaluated_depsgraph_get()
    return {k.persistent_id[1]: tuple(k.matrix_world.translation) for k in graph.object_instances if k.is_instance}


def in_front() -> list[int]:
    """Two agents near the viewer, with none in front of them."""
    with view():
        region, space = bpy.context.region, bpy.context.region_data
        matrix = space.view_matrix
        seen = {
            identity: (location_3d_to_region_2d(region, space, place), -(matrix @ Vector(place)).z)
            for identity, place in places().items()
        }
    inside = {k: at for k, (at, _) in seen.items() if at and 300 < at.x < region.width - 500 and 250 < at.y < 650}
    found: list[int] = []
    for identity in sorted(inside, key=lambda k: seen[k][1]):
        if all((inside[identity] - inside[other]).length > 60.0 for other in found):
            found.append(identity)
    return found[:2]


tell(story())
