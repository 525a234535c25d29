"""Near lines: which of many lines are near a point, or across a straight course."""

import numpy as np
import pytest

from steering_addon.simulation.geometry import near_lines
from steering_addon.simulation.geometry.near_lines import lines_crossed, lines_within, nearest_line
from steering_addon.simulation.geometry.paths import Spline, lay_end_to_end, spline
from tests.simulation.geometry.test_lines import POINTS, RNG, SPLINES, UP, N
from tests.simulation.geometry.test_paths import LINES, each_line, winding


def test_the_nearest_line_that_counts_is_the_first_of_the_nearest() -> None:
    twice = (*SPLINES, *SPLINES)
    lines = lay_end_to_end(twice)
    counts = np.random.default_rng(9).uniform(size=(N, len(lines))) < 0.4
    counts[0] = False
    line, along = nearest_line(lines, POINTS, counts)
    for k, point in enumerate(POINTS):
        places = [each.nearest(point[None]) for each in twice]
        apart = [np.linalg.norm(point - each.position(at)[0]) for each, at in zip(twice, places, strict=True)]
        apart = np.where(counts[k], apart, np.inf)
        if not counts[k].any():
            assert (line[k], along[k]) == (-1, 0.0)
            continue
        assert line[k] == np.flatnonzero(apart <= apart.min() * (1.0 + 1e-12))[0]
        assert along[k] == places[line[k]][0]


@pytest.mark.parametrize("seen", ["from nowhere", "from somewhere"])
def test_all_lines_within_reach_are_found_and_where_they_are_near(seen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_lines, "CHUNK", 300)
    upward, reach = UP if seen == "from somewhere" else None, RNG.uniform(0.0, 6.0, N)
    owner, line, along = lines_within(lay_end_to_end(SPLINES), POINTS, reach, upward)
    assert (np.lexsort((line, owner)) == np.arange(len(owner))).all()
    assert len(set(zip(owner.tolist(), line.tolist(), strict=True))) == len(owner)
    for k, point in enumerate(POINTS):
        for row, each in enumerate(SPLINES):
            gap = point - each.points
            gap = gap - (gap @ UP[k])[:, None] * UP[k] if upward is not None else gap
            distance = np.linalg.norm(gap, axis=1)
            pair = np.flatnonzero((owner == k) & (line == row))
            assert len(pair) or distance.min() >= reach[k]
            if len(pair):
                sample = round(along[pair[0]] / each.spacing) if each.length else 0
                assert sample % 16 == 0
                assert distance[sample] == pytest.approx(distance[::16].min())


def crossed(
    line: Spline, points: np.ndarray, course: np.ndarray, reach: np.ndarray, up: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where courses cross the line first, inf for those that do not, and its side there."""
    way, side = np.full(len(points), np.inf), np.zeros((len(points), 3))
    owner, _, way_it, side_it = lines_crossed(line.alone, points, course, reach, up)
    way[owner], side[owner] = way_it, side_it
    return way, side


def test_each_line_is_crossed_as_if_it_were_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_lines, "CHUNK", 300)
    course, reach = RNG.normal(size=(N, 3)), RNG.uniform(0.0, 12.0, N)
    owner, line, way, side = lines_crossed(lay_end_to_end(SPLINES), POINTS, course, reach, UP)
    for row, each in enumerate(SPLINES):
        pairs, (way_alone, side_alone) = line == row, crossed(each, POINTS, course, reach, UP)
        assert (owner[pairs] == np.flatnonzero(np.isfinite(way_alone))).all()
        assert (way[pairs] == way_alone[owner[pairs]]).all()
        assert (side[pairs] == side_alone[owner[pairs]]).all()
    assert len(owner) > N


@each_line
def test_a_course_through_the_middle_of_any_stretch_crosses_the_line_there(name: str) -> None:
    corners, closed = LINES[name]
    line = spline(corners, closed, samples=50)
    stretches = len(line.points) - (not closed)
    middle = line.position((np.arange(stretches) + 0.5) * line.spacing)
    tangent = line.tangent((np.arange(stretches) + 0.5) * line.spacing)
    aside = 0.1 * line.spacing * np.stack((tangent[:, 1], -tangent[:, 0], np.zeros(stretches)), axis=1)
    up = np.tile([0.0, 0.0, 1.0], (stretches, 1))
    way, side = crossed(line, middle + aside, -2.0 * aside, np.ones(stretches), up)
    assert np.allclose(way, 0.5, atol=0.01)
    assert ((side * aside).sum(axis=1) > 0.0).all()
    assert np.allclose(np.linalg.norm(side, axis=1), 1.0)
    if not name.startswith("winding"):
        assert np.isinf(crossed(line, middle + aside, 2.0 * aside, np.ones(stretches), up)[0]).all(), (
            "behind the course"
        )


def test_a_course_through_an_end_of_an_open_line_crosses_it_and_one_just_beyond_does_not() -> None:
    line, up = spline(np.array([[0.0, 0.0, 0.0], [0.0, 60.0, 0.0]]), False), np.array([[0.0, 0.0, 1.0]])
    for y, crosses in ((0.0, True), (60.0, True), (-1e-3, False), (60.001, False)):
        way, side = crossed(line, np.array([[-2.0, y, 0.0]]), np.array([[1.0, 0.0, 0.0]]), np.array([9.0]), up)
        assert np.isfinite(way[0]) == crosses
        if crosses:
            assert way[0] == pytest.approx(2.0) and side[0] == pytest.approx([-1.0, 0.0, 0.0])


@pytest.mark.parametrize("size", [1e-2, 1e2])
def test_where_a_course_crosses_a_line_scales_with_the_scene(size: float) -> None:
    rng = np.random.default_rng(2)
    points, course = rng.uniform(-8.0, 8.0, (2, 40, 3))
    up, reach = np.tile([0.0, 0.0, 1.0], (40, 1)), np.full(40, 2.0)
    way, side = crossed(spline(winding(), True), points, course, reach, up)
    scaled, same = crossed(spline(size * winding(), True), size * points, size * course, reach, up)
    assert 10 < np.isfinite(way).sum() < 40
    assert scaled == pytest.approx(way, rel=1e-6)
    assert same == pytest.approx(side, abs=1e-6)
