"""Curves as lines, with their surface and without; NURBS from their control points."""

import bpy
import numpy as np
import pytest

from tests.blender.building import link, part
from tests.sampling import in_every_blender

pytestmark = in_every_blender

POINTS = np.random.default_rng(6).uniform(-3.0, 3.0, (6, 3))


def curve(kind: str, *, closed: bool, ends: bool):
    data = bpy.data.curves.new("Road", "CURVE")
    data.dimensions = "3D"
    line = data.splines.new(kind)
    points = line.bezier_points if kind == "BEZIER" else line.points
    points.add(len(POINTS) - 1)
    for point, place in zip(points, POINTS):
        point.co = place if kind == "BEZIER" else (*place, 1.0 + 0.1 * abs(place[0]))
        if kind == "BEZIER":
            point.handle_left_type = point.handle_right_type = "AUTO"
    line.use_cyclic_u = closed
    if kind == "NURBS":
        line.order_u, line.use_endpoint_u = 4, ends
    ob = link(bpy.data.objects.new("Road", data))
    ob.location = (1.0, 2.0, 3.0)
    return ob


def read(ob, name: str) -> tuple[np.ndarray, bool]:
    bpy.context.view_layer.update()
    ((points, closed),) = getattr(part("blender.read.curves"), name)(ob, bpy.context.evaluated_depsgraph_get())
    return points, closed


def gap(points: np.ndarray, others: np.ndarray, closed: bool) -> float:
    """How far a line is from points of another at most; how finely each was drawn plays no part."""
    line = part("simulation.geometry.paths").spline(points, closed)
    return np.linalg.norm(others - line.position(line.nearest(others)), axis=1).max()


@pytest.mark.parametrize(
    ("kind", "ends"), [("POLY", False), ("BEZIER", False), ("NURBS", False), ("NURBS", True)], ids=str
)
@pytest.mark.parametrize("closed", [False, True], ids=["open", "closed"])
def test_the_middle_line_of_a_bevelled_curve_is_sketched_without_adding_datablocks(
    addon, kind: str, ends: bool, closed: bool
) -> None:
    ob = curve(kind, closed=closed, ends=ends and not closed)
    bare = read(ob, "polylines")
    ob.data.bevel_depth = 0.1
    bevelled = read(ob, "polylines")
    before = len(bpy.data.curves), len(bpy.data.objects), len(bpy.data.meshes)
    points, is_closed = read(ob, "sketched")
    assert (len(bpy.data.curves), len(bpy.data.objects), len(bpy.data.meshes)) == before
    for exact, exactly_closed in (bare, bevelled):
        assert is_closed == exactly_closed == closed
        assert gap(points, exact, closed) < 0.02 and gap(exact, points, closed) < 0.02


def test_a_curve_that_stays_is_read_once_and_one_that_moves_or_changes_again(addon) -> None:
    ob, frames = curve("BEZIER", closed=False, ends=False), []
    curves = part("blender.read.curves")

    def path(reader):
        bpy.context.view_layer.update()
        return reader.read(bpy.context.evaluated_depsgraph_get())

    def counted(*arguments):
        frames.append(arguments)
        return curves.polylines(*arguments)

    reader = curves.CurveReader(ob, counted)
    path(reader)
    (before,) = path(reader)
    assert len(frames) == 1
    ob.location.x += 1.0
    (moved,) = path(reader)
    assert len(frames) == 2 and np.allclose(moved.points - before.points, (1.0, 0.0, 0.0))
    ob.data.splines[0].bezier_points[0].keyframe_insert("co")
    reader = curves.CurveReader(ob, counted)
    path(reader)
    path(reader)
    assert len(frames) == 4


CONTROLS = np.random.default_rng(4).uniform(-3.0, 3.0, (7, 3))
EVEN = np.ones(7)


def line(
    controls: np.ndarray = CONTROLS,
    weights: np.ndarray = EVEN,
    order: int = 4,
    *,
    closed: bool = False,
    ends: bool = False,
    bezier: bool = False,
) -> np.ndarray:
    return part("blender.read.curves").nurbs_points(controls, weights[: len(controls)], order, closed, ends, bezier, 12)


@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_it_reaches_its_ends_if_set_to_and_fewer_control_points_than_its_order_are_the_line(order: int) -> None:
    result = line(order=order, ends=True)
    assert np.abs(result[[0, -1]] - CONTROLS[[0, -1]]).max() < 1e-9
    assert len(result) == 12 * 6 + 1
    few = CONTROLS[: order - 1]
    assert (line(few, order=order) == few).all()
    assert order > 2 or np.abs(result[::12] - CONTROLS).max() < 1e-9, "the polyline of its control points"


@pytest.mark.parametrize("order", [3, 4, 5])
@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("ends", [False, True])
def test_it_stays_within_its_control_points_and_is_continuous(order: int, closed: bool, ends: bool) -> None:
    weights = np.random.default_rng(5).uniform(0.5, 2.0, 7)
    result = line(weights=weights, order=order, closed=closed, ends=ends)
    assert (result >= CONTROLS.min(axis=0) - 1e-9).all() and (result <= CONTROLS.max(axis=0) + 1e-9).all()
    steps = np.linalg.norm(np.diff(np.concatenate((result, result[:1])) if closed else result, axis=0), axis=1)
    assert steps.max() < 1.5


def test_a_heavier_control_point_attracts_the_line() -> None:
    heavier = EVEN.copy()
    heavier[3] = 5.0

    def gap(weights: np.ndarray) -> float:
        return float(np.linalg.norm(line(weights=weights) - CONTROLS[3], axis=1).min())

    assert gap(heavier) < 0.5 * gap(EVEN)
