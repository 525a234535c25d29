"""Boxes, and the two questions that all shapes of obstacles answer: how far they are, and where a course meets them."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.simulation.geometry.boxes import bend_past_box, box_surface, way_into
from steering_addon.simulation.geometry.obstacles import Obstacles, boxes, obstacles
from steering_addon.simulation.geometry.shapes import INSIDE
from steering_addon.simulation.sensing import _obstacles_at
from tests.sampling import sampled
from tests.scene import Scene, about, all_of
from tests.simulation.odd_input import BOUNDED, vectors
from tests.surfaces import ball, mesh_obstacles

RNG = np.random.default_rng(3)
TURNS = np.stack([about(axis, angle) for axis, angle in zip(RNG.normal(size=(4, 3)), (20.0, 65.0, 140.0, 0.0))])


def several(side: int = 0) -> Obstacles:
    """Three turned boxes and an upright one, a ball and a pylon."""
    rng = np.random.default_rng(4)
    four_boxes = boxes(rng.uniform(-2.0, 2.0, (4, 3)), rng.uniform(0.6, 2.0, (4, 3)) * [1.0, 1.0, 0.6], TURNS)
    capsules = obstacles(rng.uniform(-1.0, 1.0, (2, 3)), 1.5, [[1.0, 1.0, 0.0], [1.0, 1.0, 2.0]])
    capsules = replace(capsules, end=np.stack((capsules.start[0], capsules.end[1])))
    both = all_of(four_boxes, capsules)
    return replace(both, side=np.full(6, side))


def outside_by_search(obstacle: Obstacles, row: int, point: np.ndarray) -> float:
    """The distance of a point from an obstacle, by trying many points of it; 0 inside."""
    steps = np.linspace(-1.0, 1.0, 41)
    if obstacle.half[row].any():
        grid = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3) * obstacle.half[row]
        return float(np.linalg.norm(grid @ obstacle.axes[row] + obstacle.start[row] - point, axis=1).min())
    axis = obstacle.start[row] + (obstacle.end - obstacle.start)[row] * np.linspace(0.0, 1.0, 401)[:, None]
    return float(max(np.linalg.norm(axis - point, axis=1).min() - obstacle.radius[row], 0.0))


@sampled
@pytest.mark.parametrize("row", range(6))
def test_the_distance_is_that_of_the_nearest_point(row: int) -> None:
    obstacle = several()
    points = np.random.default_rng(row).uniform(-5.0, 5.0, (40, 3))
    distance, away = obstacle.surface(points, np.full(40, row))
    result = np.array([outside_by_search(obstacle, row, point) for point in points])
    assert np.allclose(np.maximum(distance, 0.0), result, atol=0.06)
    assert np.allclose(np.linalg.norm(away, axis=1), 1.0)
    # Moving along `away` changes the distance as fast as possible, from inside too.
    foot = points - away * distance[:, None]
    assert np.allclose(obstacle.surface(foot, np.full(40, row))[0], 0.0, atol=1e-9)
    further = obstacle.surface(points + 0.01 * away, np.full(40, row))[0]
    assert (np.abs(further - distance - 0.01) < 1e-6).all()


@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_from_inside_a_box_its_nearest_side_leads_out(axis: int, sign: float) -> None:
    half, out = np.array([[1.0, 1.5, 2.0]]), sign * np.eye(3)[axis]
    distance, away = box_surface(out * (half - 0.1), half)
    assert distance[0] == pytest.approx(-0.1)
    assert (away == out).all()


def touch_by_search(surface: Callable[[np.ndarray], np.ndarray], reach: float) -> float:
    """The first way at which the distance is at most the reach, by trying many."""
    way = np.linspace(0.0, 30.0, 30001)
    distance = surface(way)
    if distance[0] <= reach:
        return 0.0 if distance[1] < distance[0] else np.inf
    near = np.flatnonzero(distance <= reach)
    return float(way[near[0]]) if len(near) else np.inf


@sampled
@pytest.mark.parametrize("side", [0, INSIDE])
@pytest.mark.parametrize("row", range(6))
def test_a_course_touches_where_a_plain_search_finds_contact(row: int, side: int) -> None:
    obstacle = several(side)
    rng = np.random.default_rng((row, 5))
    m = 30
    inside = obstacle.start[row] + rng.uniform(-0.2, 0.2, (m, 3))
    points = inside if side == INSIDE else rng.uniform(-6.0, 6.0, (m, 3))
    course = inside[::-1] - points + rng.normal(size=(m, 3))
    course /= np.linalg.norm(course, axis=1, keepdims=True)
    reach = rng.uniform(0.0, 0.3, m)
    way, away = obstacle.touch(points, course, reach, np.full(m, row))
    hits = 0
    for n in range(m):

        def surface(t: np.ndarray, n: int = n) -> np.ndarray:
            return obstacle.surface(points[n] + t[:, None] * course[n], np.full(len(t), row))[0]

        result = touch_by_search(surface, reach[n])
        grazing = np.abs(surface(np.linspace(0.0, 30.0, 3001)) - reach[n]).min() < 1e-3
        assert way[n] == pytest.approx(result, abs=2e-3) or (np.isinf([way[n], result]).any() and grazing)
        if np.isfinite(way[n]):
            hits += 1
            assert away[n] @ course[n] < 1e-6
            assert np.linalg.norm(away[n]) == pytest.approx(1.0)
    assert hits > 10


def test_the_far_end_of_a_long_box_is_touched_on_the_way_from_its_middle() -> None:
    """A course that begins near a long box leads away from its middle, and meets it all the same."""
    long = boxes([[0.0, 0.0, 0.0]], [[10.0, 0.5, 0.5]])
    course = np.array([[1.0, -0.5, 0.0]]) / np.hypot(1.0, 0.5)
    way, away = long.touch(np.array([[5.0, 2.0, 0.0]]), course, np.zeros(1), np.zeros(1, dtype=np.int64))
    assert way[0] == pytest.approx(3.0 * np.hypot(1.0, 0.5))
    assert away[0] == pytest.approx([0.0, 1.0, 0.0])


@pytest.mark.parametrize("side", [0, INSIDE])
def test_a_limit_on_the_way_only_drops_touches_beyond_it(side: int) -> None:
    obstacle = all_of(several(side), mesh_obstacles([ball(1.0, 8)], [[0.5, -0.5, 0.2]], side=np.full(1, side)))
    rng = np.random.default_rng(9)
    m = 400
    rows = np.arange(m) % len(obstacle)
    around = 0.2 if side == INSIDE else 4.0
    points = obstacle.start[rows] + rng.uniform(-around, around, (m, 3))
    course = obstacle.start[rows] + rng.uniform(-0.6, 0.6, (m, 3)) - points
    course /= np.linalg.norm(course, axis=1, keepdims=True)
    reach, furthest = rng.uniform(0.0, 0.3, m), rng.uniform(0.0, 5.0, m)
    way, _ = obstacle.touch(points, course, reach, rows)
    soon, _ = obstacle.touch(points, course, reach, rows, furthest)
    assert 40 < np.isfinite(soon).sum() < np.isfinite(way).sum()
    assert np.array_equal(soon, np.where(way <= furthest, way, np.inf))


def test_the_way_into_a_box_ends_on_a_side_and_is_zero_from_inside() -> None:
    rng = np.random.default_rng(10)
    local, half = rng.uniform(-3.0, 3.0, (200, 3)), rng.uniform(0.5, 1.5, (200, 3))
    course = rng.uniform(-1.5, 1.5, (200, 3)) - local
    course[::5, 1] = 0.0
    course /= np.linalg.norm(course, axis=1, keepdims=True)
    way = way_into(local, course, half)
    steps = np.linspace(0.0, 9.0, 901)
    within = (np.abs(local[:, None] + steps[:, None] * course[:, None]) < half[:, None]).all(axis=2)
    assert (way[within.any(axis=1)] <= steps[np.argmax(within, axis=1)][within.any(axis=1)]).all()
    entered = np.isfinite(way) & (way > 0.0)
    beyond = np.abs(local[entered] + course[entered] * way[entered, None]) - half[entered]
    assert entered.sum() > 20 and np.allclose(beyond.max(axis=1), 0.0, atol=1e-9)
    assert (way[within[:, 0]] == 0.0).all()
    assert not within[np.isinf(way)].any()


@BOUNDED
@given(st.integers(1, 6).flatmap(lambda n: st.tuples(*(vectors(n, largest=1e3) for _ in range(4)))))
def test_degenerate_boxes_give_finite_numbers(odd: tuple[np.ndarray, ...]) -> None:
    centre, half, points, toward = odd
    n = len(centre)
    obstacle = boxes(centre, np.abs(half), side=np.arange(n) % 2)
    course = toward / np.maximum(np.linalg.norm(toward, axis=1, keepdims=True), 1e-300)
    distance, away = obstacle.surface(points, np.arange(n))
    way, side = obstacle.touch(points, course, np.full(n, 0.1), np.arange(n))
    turn = np.cross(course, [0.6, 0.0, 0.8])[:, None]
    bend, _ = bend_past_box(points - centre, obstacle.half, course, turn, np.full(n, 0.1))
    assert np.isfinite((distance, *away.T, *side.T)).all()
    assert not np.isnan(way).any() and not np.isnan(bend).any()
    assert (way >= 0.0).all() and (bend >= 0.0).all()


def test_a_box_grows_by_the_reach_but_never_reaches_the_start_of_the_course() -> None:
    local, half = np.array([[0.3, -2.1, 0.0]]), np.array([[1.0, 2.0, 0.5]])
    course, turn = np.array([[0.0, 1.0, 0.0]]), np.array([[[1.0, 0.0, 0.0]]])
    wanting = {
        reach: bend_past_box(local, half, course, turn, np.array([reach]))[1][0, 0] for reach in (0.05, 0.5, 9.0)
    }
    assert wanting[0.05] == pytest.approx(1.0 + 0.05 - 0.3)
    assert wanting[0.5] == wanting[9.0] == pytest.approx(1.0 + 0.1 - 0.3, abs=1e-3)


@pytest.mark.parametrize("away", [0.0, 6.0, -9.0, 50.0])
def test_near_returns_every_near_pair_and_few_others(away: float) -> None:
    """Also for points that all are on one side of some obstacles or of all."""
    obstacle = several()
    points = np.random.default_rng(8).uniform(-9.0, 9.0, (50, 3)) + away
    pairs = set(zip(*(rows.tolist() for rows in obstacle.near(points, np.full(50, 2.0))), strict=True))
    within = obstacle.clearance(points) < 2.0
    assert set(zip(*(rows.tolist() for rows in np.nonzero(within)), strict=True)) <= pairs
    assert len(pairs) < 200


def test_a_moving_box_is_interpolated_between_frames() -> None:
    before = boxes([[0.0, 0.0, 0.0]], [[1.0, 2.0, 3.0]])
    after = boxes([[2.0, 0.0, 0.0]], [[1.0, 2.0, 3.0]], about((0.0, 0.0, 1.0), 10.0).T)
    motion = Scene([[0.0, 0.0, 0.0]]).start().motion
    half_way = _obstacles_at(motion, np.zeros(1, dtype=np.bool_), before, after, 0.5, 0.1)
    assert np.allclose(half_way.axes[0], about((0.0, 0.0, 1.0), 5.0).T)
    # Its corner moves with the middle and around it.
    corner = np.array([[3.0, 0.0, 0.0]])
    moving = half_way.velocity_at(corner, np.zeros(1, dtype=int))[0]
    assert moving == pytest.approx([20.0, 2.0 * np.radians(10.0) / 0.1, 0.0], rel=0.02)


def test_a_level_turn_above_a_box_takes_no_bend() -> None:
    """Its plane does not cut the box, whichever of the box's axes the course is along."""
    half, reach = np.array([[2.0, 1.0, 0.5]]), np.array([0.3])
    for height, misses in ((0.9, True), (0.7, False)):
        local, turn = np.array([[-6.0, 0.2, height]]), np.array([[[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]]])
        bend, extent = bend_past_box(local, half, np.array([[1.0, 0.0, 0.0]]), turn, reach)
        assert (bend == 0.0).all() == (extent == 0.0).all() == misses
