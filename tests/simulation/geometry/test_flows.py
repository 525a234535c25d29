"""Flow fields along curves: the flow at a point."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.simulation.geometry.flows import SHARPNESS, Current, current, flow_at
from steering_addon.simulation.geometry.paths import Path, Spline, spline
from tests.simulation.odd_input import BOUNDED
from tests.surfaces import patch

NORTH = spline(np.array([[0.0, -50.0, 0.0], [0.0, 50.0, 0.0]]), False)


def winding(seed: int, closed: bool, size: float = 10.0) -> Spline:
    """A line through seven random points."""
    return spline(size * np.random.default_rng(seed).normal(size=(7, 3)), closed)


def flow(lines: Spline | tuple[Path, ...], points: object, reach: object = 5.0) -> np.ndarray:
    points = np.array(points, dtype=float).reshape(-1, 3)
    flows = ((lines,),) if isinstance(lines, Spline) else lines
    return flow_at(flows, points, np.broadcast_to(np.asarray(reach, dtype=float), (len(points),)))


def strength(*args: object) -> np.ndarray:
    return np.linalg.norm(flow(*args), axis=-1)


def by_hand(flows: tuple[Path, ...], point: np.ndarray, reach: float) -> np.ndarray:
    """The flow at a point, segment by segment, skipping none."""
    total, along = 0.0, np.zeros(3)
    for line in (line for curve in flows for line in curve if line.length > 0.0):
        rows = list(range(len(line.points)))
        for first, second in zip(rows, rows[1:] + rows[:1] * line.closed, strict=False):
            start, vector = line.points[first], line.points[second] - line.points[first]
            part = min(max(np.dot(point - start, vector) / max(np.dot(vector, vector), 1e-12), 0.0), 1.0)
            far = (np.linalg.norm(point - start - part * vector) / reach) ** 2
            if far < 1.0:
                weight = (1.0 - far**2) ** 2 / (far + SHARPNESS**2) ** 2 * line.spacing
                total += weight
                along += weight * (1.0 - far**2) ** 2 * (line.tangents[first] + line.tangents[second]) / 2.0
    return along / total if total > 0.0 else along


def test_the_flow_is_the_weighted_sum_over_all_segments() -> None:
    flows = ((winding(0, False), winding(1, True)), (), (winding(2, True, 2.0), spline(np.ones((1, 3)), False)))
    rng = np.random.default_rng(3)
    points, reach = rng.normal(size=(20, 3)) * 10.0, rng.uniform(0.5, 12.0, 20)
    expected = np.array([by_hand(flows, point, far) for point, far in zip(points, reach, strict=True)])
    assert 5 < (expected != 0.0).any(axis=1).sum() < 20
    assert np.abs(flow(flows, points, reach) - expected).max() < 1e-9


def test_the_flow_runs_along_a_line_and_fades_smoothly_with_distance() -> None:
    aside = np.linspace(0.0, 6.0, 121)
    for direction in ([1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.6, 0.0, 0.8]):
        result = flow(NORTH, aside[:, None] * np.array(direction))
        assert np.abs(result[:, [0, 2]]).max() < 1e-12
        assert result[0, 1] > 0.95
        assert (np.diff(result[:, 1]) <= 1e-12).all()
        assert (-np.diff(result[:, 1])).max() < 0.03, "for five centimetres"
        assert (result[aside >= 5.0] == 0.0).all()
        assert (result[aside < 4.9, 1] > 0.0).all()


def test_the_flow_does_not_depend_on_how_finely_a_line_is_drawn_or_split() -> None:
    halves = (
        spline(np.array([[0.0, -50.0, 0.0], [0.0, 3.0, 0.0]]), False),
        spline(np.array([[0.0, 3.0, 0.0], [0.0, 50.0, 0.0]]), False),
    )
    points = np.random.default_rng(5).uniform(-6.0, 6.0, (100, 3))
    assert np.abs(flow((halves,), points) - flow(NORTH, points)).max() < 0.003


def test_a_very_long_line_has_no_gaps() -> None:
    """Its samples are further apart than the falloff distance."""
    long = spline(np.array([[0.0, 0.0, 0.0], [0.0, 20000.0, 0.0]]), False)
    assert long.spacing > 15.0
    assert strength(long, [[1.0, y, 0.0] for y in np.linspace(100.0, 140.0, 41)]).min() > 0.8


def test_no_points_and_no_lines_give_no_flow() -> None:
    assert flow(NORTH, []).shape == (0, 3)
    assert (flow((), np.ones((3, 3))) == 0.0).all()
    assert (flow(((), (spline(np.ones((1, 3)), True),)), np.ones((3, 3))) == 0.0).all()


@pytest.mark.parametrize("scale", [1e-6, 1e-3, 1.0, 1e3, 1e6])
@BOUNDED
@given(data=st.data())
def test_the_flow_is_finite_and_of_length_one_at_most(scale: float, data: st.DataObject) -> None:
    coordinates = st.lists(st.integers(-2, 2), min_size=12, max_size=12)
    lines = tuple(
        spline(scale * np.array(data.draw(coordinates), dtype=float).reshape(4, 3), data.draw(st.booleans()))
        for _ in range(2)
    )
    points = scale * np.array(data.draw(coordinates), dtype=float).reshape(4, 3)
    result = flow((lines,), points, data.draw(st.sampled_from([0.01, 1.0, 1e6])))
    assert np.isfinite(result).all()
    assert np.linalg.norm(result, axis=1).max() <= 1.0 + 1e-9


def whirl(fineness: int = 20, half: float = 10.0) -> Current:
    """A floor with a counter-clockwise current around its middle."""
    x, y = np.meshgrid(*[np.linspace(-half, half, fineness)] * 2, indexing="ij")
    points, rows = patch(np.stack((x, y, np.zeros_like(x)), axis=-1))
    tangent = np.stack((-points[:, 1], points[:, 0], np.zeros(len(points))), axis=-1)
    tangent /= np.maximum(np.linalg.norm(tangent, axis=1, keepdims=True), 1e-9)
    return current(points, rows, tangent[rows])


def test_the_flow_is_that_of_the_nearest_point() -> None:
    rng = np.random.default_rng(1)
    points = np.stack((rng.uniform(-8.0, 8.0, 60), rng.uniform(-8.0, 8.0, 60), rng.uniform(-2.0, 2.0, 60)), axis=-1)
    points = points[np.hypot(points[:, 0], points[:, 1]) > 3.0]
    distance, flow = whirl().sample(points, np.full(len(points), 5.0))
    assert np.allclose(distance, np.abs(points[:, 2]))
    out = np.hypot(points[:, 0], points[:, 1])
    assert np.allclose(flow[:, 0], -points[:, 1] / out, atol=0.06)
    assert np.allclose(flow[:, 1], points[:, 0] / out, atol=0.06)


def test_the_flow_is_interpolated_linearly_between_the_corners_of_a_triangle() -> None:
    corners = np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]])
    made = current(corners, np.array([[0, 1, 2]]), np.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]]))
    _, flow = made.sample(np.array([[1.0, 2.0, 0.5], [9.0, 0.0, 0.0]]), np.full(2, 3.0))
    assert np.allclose(flow, [[0.25, 0.25, 0.5], [0.0, 0.0, 0.0]])


def test_the_flow_fades_with_distance_and_has_length_one_at_most() -> None:
    made = whirl()
    heights = np.array([0.0, 1.0, 2.0, 4.0, 4.9, 5.1])
    points = np.stack((np.full(6, 6.0), np.zeros(6), heights), axis=-1)
    strength = np.linalg.norm(flow_at((made,), points, np.full(6, 5.0)), axis=1)
    assert (np.diff(strength) < 0.0).all() and strength[0] == pytest.approx(1.0, abs=0.02)
    assert strength[-1] == 0.0
    loud = current(made.surface.corners.reshape(-1, 3), np.arange(6).reshape(2, 3), np.full((2, 3, 3), 50.0))
    assert np.abs(np.linalg.norm(loud.flow, axis=-1) - 1.0).max() < 1e-12


def test_a_curve_and_a_mesh_that_disagree_weaken_each_other() -> None:
    line = (spline(np.array([[6.0, 9.0, 0.5], [6.0, -9.0, 0.5]]), False),)
    point = np.array([[6.0, 0.0, 0.25]])
    both = np.linalg.norm(flow_at((whirl(), line), point, np.full(1, 5.0)))
    alone = np.linalg.norm(flow_at((whirl(),), point, np.full(1, 5.0)))
    assert both < 0.7 * alone


def test_a_mesh_without_triangles_has_no_current() -> None:
    empty = current(np.zeros((3, 3)), np.zeros((0, 3), dtype=np.int64), np.zeros((0, 3, 3)))
    assert (flow_at((empty,), np.ones((2, 3)), np.full(2, 5.0)) == 0.0).all()
