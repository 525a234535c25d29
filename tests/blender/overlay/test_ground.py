"""The overlay draws the borders of surfaces, and what is too steep for the selected vehicles."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import insert
from tests.blender.building import at_frames, link, part
from tests.blender.overlay.test_overlay import colored, drawn
from tests.blender.read.test_surfaces import hill
from tests.blender.steered import crowd, select, tag, vehicle
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)


def lines(name: str) -> np.ndarray:
    """The points of the borders or of the marks, (m, 3)."""
    return colored(drawn("SURFACES"), name)


def herd(kind: str = "ON_FOOT", **settings):
    group = crowd("Herd", wander={})
    group.steering.locomotion = kind
    for name, value in settings.items():
        setattr(group.steering.on_foot, name, value)
    return vehicle(name="Sheep", crowd=group, location=(15.0, 15.0, 0.0))


def test_the_border_of_a_surface_is_drawn_where_it_lies() -> None:
    tag(hill("Hill", location=(3.0, 0.0, 2.0)), role="SURFACE")
    border = lines("BORDER")
    assert len(border) == 2 * 4 * 40
    aside = np.abs(border[:, :2] - (3.0, 0.0)).max(axis=1)
    np.testing.assert_allclose(aside, 20.0, atol=1e-5)


def test_what_is_too_steep_for_the_selected_vehicles_is_marked() -> None:
    tag(hill("Hill", height=8.0), role="SURFACE")
    ob = herd(max_slope=0.6)
    select()
    assert not len(lines("STEEP"))
    select(ob)
    marks = lines("STEEP").reshape(-1, 2, 3)
    away = np.linalg.norm(marks.mean(axis=1)[:, :2], axis=1)
    assert len(marks) > 50 and away.min() > 2.0 and away.max() < 15.0
    way = marks[:, 1] - marks[:, 0]
    slope = np.degrees(np.arctan2(-way[:, 2], np.linalg.norm(way[:, :2], axis=1)))
    assert slope.min() > np.degrees(0.6) - 1e-3, "they point down what is steeper"
    ob.steering.own_locomotion, ob.steering.on_foot.max_slope = "ON_FOOT", 0.3
    assert len(lines("STEEP")) > 2 * len(marks)
    ob.steering.own_locomotion, ob.steering.wheeled.max_slope = "WHEELED", 0.6
    np.testing.assert_allclose(lines("STEEP").reshape(-1, 2, 3), marks)
    ob.steering.own_locomotion = "PLANAR"
    assert not len(lines("STEEP")), "what does not stand on surfaces has no limit"


def test_a_surface_is_read_once_and_its_lines_move_with_it(monkeypatch) -> None:
    pictures, scene, layer = part("blender.overlay.picture"), bpy.context.scene, bpy.context.view_layer
    deck = tag(hill("Hill", height=8.0), role="SURFACE")
    insert(deck, "location", {1: (0.0, 0.0, 0.0), 11: (10.0, 0.0, 0.0)})
    select(herd())
    cast = pictures.find_cast(scene, layer)
    ground, shown = cast.ground, []
    for _ in at_frames((1, 11)):
        depsgraph = bpy.context.evaluated_depsgraph_get()
        shown.append((ground.borders(depsgraph), ground.steep(depsgraph, cast.steepest)))
        monkeypatch.setattr(part("blender.overlay.ground"), "triangles_of", None)
    for before, after in zip(*shown):
        assert len(before)
        np.testing.assert_allclose(after - before, np.broadcast_to((10.0, 0.0, 0.0), before.shape), atol=1e-5)


@pytest.mark.parametrize("cells", [4, 150])
def test_the_number_of_lines_is_limited(cells: int) -> None:
    ground = part("blender.overlay.ground")
    tag(hill("Hill", cells=cells, height=30.0), role="SURFACE")
    select(herd(max_slope=0.05))
    assert len(lines("BORDER")) <= 2 * ground.MOST_BORDERS and len(lines("STEEP")) <= 2 * ground.MOST_STEEP


def test_a_surface_without_faces_has_no_lines() -> None:
    bare = link(bpy.data.objects.new("Bare", bpy.data.meshes.new("Bare")))
    tag(bare, role="SURFACE")
    select(herd())
    assert not len(lines("BORDER")) and not len(lines("STEEP"))
