"""Curves are read as paths in world space on each frame, whatever moves or deforms them."""

import math

import bpy
import numpy as np
import pytest

from tests.blender.animated import curves, insert, make_linear
from tests.blender.building import add_spline, empty, frames, path_curve, put
from tests.blender.read.swept import in_the_animators_scene, snapshots
from tests.blender.steered import road
from tests.sampling import in_every_blender, sampled

pytestmark = in_every_blender(shared=True)


def line(path_row: int = 0, spline_row: int = 0) -> np.ndarray:
    return snapshots()[0].paths[path_row][spline_row].points


SQUARE = ((0.0, 0.0, 0.0), (10.0, 0.0, 0.0), (10.0, 10.0, 0.0), (0.0, 10.0, 0.0))


def distance_to_corners(points: np.ndarray, corners, closed: bool) -> float:
    """The farthest any of the points is from the polygon through the corners."""
    corners = np.array(corners, dtype=float)
    ends = np.roll(corners, -1, axis=0)
    if not closed:
        corners, ends = corners[:-1], ends[:-1]
    along = ends - corners
    share = np.einsum("pca,ca->pc", points[:, None] - corners, along) / np.einsum("ca,ca->c", along, along)
    nearest = corners + np.clip(share, 0.0, 1.0)[..., None] * along
    return float(np.linalg.norm(points[:, None] - nearest, axis=-1).min(axis=1).max())


@pytest.mark.parametrize("kind", ["POLY", "BEZIER"])
@pytest.mark.parametrize("cyclic", [False, True])
@pytest.mark.parametrize("surface", ["none", "bevel", "extrude", "bevel object", "2D filled"])
def test_a_path_is_the_middle_line_of_its_curve(flock, kind, cyclic, surface) -> None:
    curve = road(path_curve("Road", SQUARE, kind=kind, cyclic=cyclic)).data
    if surface == "bevel":
        curve.bevel_depth = 0.7
    elif surface == "extrude":
        curve.extrude = 0.7
    elif surface == "bevel object":
        curve.bevel_object = path_curve("Profile", ((0, 0, 0), (0.5, 0, 0), (0.5, 0.5, 0)), cyclic=True)
        curve.bevel_mode = "OBJECT"
    elif surface == "2D filled":
        curve.dimensions, curve.fill_mode = "2D", "BOTH"
    seen = snapshots()[0].paths[0]
    assert len(seen) == 1
    assert seen[0].closed == cyclic
    assert distance_to_corners(seen[0].points, SQUARE, cyclic) < 1e-4
    for corner in SQUARE:
        assert np.linalg.norm(seen[0].points - corner, axis=1).min() < 0.5


@pytest.mark.parametrize("bevel", [0.0, 0.5])
def test_a_curve_of_several_splines_is_a_path_of_several_lines(flock, bevel) -> None:
    ob = road(path_curve("Road", SQUARE))
    add_spline(ob.data, ((0, 0, 5), (3, 0, 5), (3, 3, 5)), kind="BEZIER", cyclic=True)
    add_spline(ob.data, ((50, 0, 0), (60, 0, 0)))
    ob.data.bevel_depth = bevel
    seen = snapshots()[0].paths[0]
    assert [each.closed for each in seen] == [False, True, False]
    assert [each.points[0, 2] for each in seen] == pytest.approx([0.0, 5.0, 0.0], abs=1e-5)
    assert seen[2].points[:, 0].min() == pytest.approx(50.0)


@pytest.mark.parametrize("bevel", [0.0, 0.3])
def test_a_moved_turned_and_scaled_curve_is_a_path_in_world_space(flock, bevel) -> None:
    ob = road(path_curve("Road", ((0, 0, 0), (1, 0, 0), (2, 0, 0))))
    put(ob, (5.0, 6.0, 7.0), rotation=(0.0, 0.0, math.pi / 2), scale=(2.0, 3.0, 4.0))
    ob.data.bevel_depth = bevel
    points = line()
    np.testing.assert_allclose(points[[0, -1]], ((5.0, 6.0, 7.0), (5.0, 10.0, 7.0)), atol=1e-4)


def path_with_keys(ob) -> None:
    insert(ob, "location", {1: (1.0, 0.0, 0.0), 20: (20.0, 0.0, 0.0)})


def path_on_a_parent(ob) -> None:
    ob.parent = empty("Carrier")
    path_with_keys(ob.parent)


def path_with_shape_keys(ob) -> None:
    ob.shape_key_add(name="Basis")
    shape = ob.shape_key_add(name="Moved")
    for point, basis in zip(shape.data, ob.data.shape_keys.key_blocks["Basis"].data):
        point.co = basis.co[0] + 20.0, basis.co[1], basis.co[2]
    for frame, value in ((20, 1.0), (1, 1 / 20)):
        shape.value = value
        shape.keyframe_insert("value", frame=frame)
    make_linear(curves(ob.data.shape_keys))


def path_with_a_hook(ob) -> None:
    hook = empty("Hook")
    modifier = ob.modifiers.new("Hook", "HOOK")
    modifier.object = hook
    modifier.vertex_indices_set(range(len(ob.data.splines[0].points)))
    path_with_keys(hook)


def path_with_keyed_points(ob) -> None:
    for index in range(len(ob.data.splines[0].points)):
        path = f"splines[0].points[{index}].co"
        for frame in (1, 20):
            start = ob.data.splines[0].points[index].co
            ob.data.splines[0].points[index].co = (frame, *start[1:])
            ob.data.keyframe_insert(path, frame=frame)
    make_linear(curves(ob.data))
    bpy.context.scene.frame_set(1)


PATH_MOTIONS = (path_on_a_parent, path_with_keys, path_with_shape_keys, path_with_a_hook, path_with_keyed_points)


@sampled
@pytest.mark.parametrize("move", PATH_MOTIONS, ids=lambda move: move.__name__)
@pytest.mark.parametrize("bevel", [0.0, 0.3])
@pytest.mark.parametrize("hidden", [False, True])
@pytest.mark.parametrize("animators_scene", [False, True])
def test_a_path_that_moves_or_changes_is_read_on_each_frame(flock, move, bevel, hidden, animators_scene) -> None:
    if animators_scene:
        in_the_animators_scene(flock)
    ob = road(path_curve("Road", ((0, 0, 0), (0, 5, 0), (0, 10, 0))))
    move(ob)
    ob.data.bevel_depth = bevel
    ob.hide_viewport = hidden
    frames(1, 20)
    seen = np.array([s.paths[0][0].points[0] for s in snapshots()])
    np.testing.assert_allclose(seen[:, 0], range(1, 21), atol=1e-3)


def test_a_path_chosen_by_a_behavior_need_not_be_tagged(flock) -> None:
    chosen = path_curve("Chosen", ((0, 0, 3), (0, 5, 3)))
    road(path_curve("Tagged"))
    flock.steering.path_following.path = chosen
    seen = snapshots()[0]
    row = seen.settings[0].behaviors[-1].path[0]
    assert seen.paths[row][0].points[0, 2] == pytest.approx(3.0)
