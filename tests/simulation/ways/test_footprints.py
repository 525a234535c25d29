"""Footprints: obstacles on the ground, with room round them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.simulation.arrays.scalars import EPSILON
from steering_addon.simulation.geometry.obstacles import Obstacles, boxes, obstacles
from steering_addon.simulation.ways.detours import MARGIN
from steering_addon.simulation.ways.footprints import (
    FLAT,
    FLATTEST,
    MOST_SIDES,
    SIDES,
    TOUCH,
    Footprints,
    _hull,
    box_outline,
    footprints,
    narrowing,
    radius_class,
)
from tests.scene import about, all_of, met_at_origins

RADIUS = 0.5
metres = st.floats(-6.0, 6.0)
halves = st.floats(0.05, 3.0)


def box(x: float, y: float, half_x: float, half_y: float, degrees: float = 0.0) -> Obstacles:
    return boxes([[x, y, 0.0]], [[half_x, half_y, 1.0]], about((0.0, 0.0, 1.0), degrees).T[None])


def of(things: Obstacles, radius: float = RADIUS) -> Footprints:
    return footprints(things, np.zeros(len(things)), radius)


def level(points: np.ndarray) -> np.ndarray:
    return np.concatenate((points, np.zeros((len(points), 1))), axis=1)


def outline(corners: np.ndarray) -> np.ndarray:
    """Points along a closed outline."""
    share = np.linspace(0.0, 1.0, 60, endpoint=False)[:, None, None]
    return (corners + share * (np.roll(corners, -1, axis=0) - corners)).reshape(-1, 2)


@given(metres, metres, halves, halves, st.floats(0.0, 360.0))
def test_the_corners_of_a_box_are_hardly_further_away_than_the_radius(x, y, half_x, half_y, degrees) -> None:
    thing = box(x, y, half_x, half_y, degrees)
    off = thing.clearance(level(outline(of(thing).corner)))
    assert off.min() == pytest.approx(RADIUS + MARGIN, abs=1e-6)
    assert off.max() < 1.09 * (RADIUS + MARGIN)


@pytest.mark.parametrize("size", [0.0, 0.3, 2.0, 8.0])
@pytest.mark.parametrize("length", [0.0, 3.0])
def test_the_corners_of_round_obstacles_are_hardly_further_away_than_the_radius(size: float, length: float) -> None:
    thing = obstacles([[1.0, 2.0, 0.0]], size, [[1.0 + length, 2.0, 0.0]])
    off = thing.clearance(level(outline(of(thing).corner)))
    assert off.min() > RADIUS + MARGIN - 1e-9
    assert off.max() < RADIUS + MARGIN + max(FLATTEST, 0.009 * (size + 1.0)) + 1e-6


sizes = st.floats(0.05, 3.0)
rounds = st.builds(lambda x, y, size: (obstacles([[x, y, 0.0]], size), FLATTEST, 1.0), metres, metres, sizes)
squares = st.builds(lambda *placed: (box(*placed), 0.0, 1.09), metres, metres, halves, halves, st.floats(0.0, 360.0))


@given(st.one_of(squares, rounds), st.lists(metres, min_size=4, max_size=4))
def test_a_line_is_crossed_if_part_of_it_is_too_near(made, ends) -> None:
    thing, within, beyond = made
    start, end = np.array([ends[:2]]), np.array([ends[2:]])
    off = thing.clearance(level(start + np.linspace(0.0, 1.0, 2001)[:, None] * (end - start))).min()
    crossed = bool(of(thing).crossed(start, end)[0])
    assert crossed or off >= RADIUS - within - 1e-3
    assert not crossed or off <= beyond * RADIUS


@given(st.lists(st.tuples(metres, metres), min_size=1, max_size=20))
def test_points_within_are_moved_out_and_others_stay(places) -> None:
    wall = of(all_of(box(0.0, 0.0, 3.0, 0.2), box(2.8, -2.0, 0.2, 2.0)))
    points = np.array(places)
    within = wall.crossed(points, points)
    moved = wall.outside(points)
    assert not wall.crossed(moved, moved).any()
    assert (moved[~within] == points[~within]).all()


def test_a_point_at_a_wall_is_moved_to_the_nearer_side() -> None:
    wall = of(box(0.0, 0.0, 3.0, 0.1))
    assert wall.outside(np.array([[1.0, -0.4]]))[0] == pytest.approx([1.0, -0.6], abs=1e-3)
    assert wall.outside(np.array([[1.0, 0.4]]))[0] == pytest.approx([1.0, 0.6], abs=1e-3)


@given(st.floats(1e-3, 1e3))
def test_radii_are_rounded_up_to_few_classes(radius: float) -> None:
    rounded = radius_class(np.array([radius]))
    assert radius <= rounded[0] <= radius * (1.0 + 1.0 / 32.0)
    assert radius_class(rounded) == rounded


def test_obstacles_above_or_below_are_not_reached() -> None:
    tall = boxes([[0.0, 0.0, 1.0]], [[1.0, 1.0, 1.0]])
    heights = np.array([0.0, 2.4, -0.4, 2.6, -0.6])
    reached = np.isfinite(narrowing(tall, heights, met_at_origins(5), np.full(5, 0.5))[:, 0])
    assert reached.tolist() == [True, True, True, False, False]


def test_a_tilted_box_reaches_as_high_as_its_corners() -> None:
    """A box of half sizes 1, 2 and 3 metres, turned by 45 degrees about each axis in turn."""
    half = np.array([1.0, 2.0, 3.0])
    for axis in np.eye(3):
        axes = about(axis, 45.0).T
        corners = np.stack(np.meshgrid(*np.stack((-half, half), axis=1)), axis=-1).reshape(-1, 3)
        top = float((corners @ axes)[:, 2].max())
        tilted = boxes([[0.0, 0.0, 0.0]], half[None], axes[None])
        heights = np.array([top + 0.49, top + 0.51, -top - 0.49, -top - 0.51])
        result = np.isfinite(narrowing(tilted, heights, met_at_origins(4), np.full(4, 0.5))[:, 0])
        assert result.tolist() == [True, False, True, False]


def test_a_box_without_thickness_has_a_footprint() -> None:
    sheet = boxes([[0.0, 0.0, 0.0]], [[2.0, 0.0, 1.0]])
    assert of(sheet).crossed(np.array([[0.0, -3.0]]), np.array([[0.5, 3.0]]))[0]
    assert not of(sheet).crossed(np.array([[2.7, -3.0]]), np.array([[2.7, 3.0]]))[0]


def test_the_order_of_the_obstacles_does_not_matter() -> None:
    things = all_of(box(0.0, 0.0, 1.0, 2.0, 20.0), box(4.0, 1.0, 1.0, 0.3), obstacles([[1.0, 5.0, 0.0]], 1.0))
    for column, reordered in zip(vars(of(things)).values(), vars(of(things.take([2, 0, 1]))).values()):
        assert column.tobytes() == reordered.tobytes()


@pytest.mark.parametrize("thing", [box(0.0, 0.0, 2.0, 0.5, 20.0), obstacles([[0.0, 0.0, 0.0]], 1.5)])
@pytest.mark.parametrize("away", [0.55, 1.0, 6.0])
def test_tangents_touch_the_obstacle(thing: Obstacles, away: float) -> None:
    prints = of(thing)
    point = prints.outside(np.array([[0.3, -40.0]]))
    point[0, 1] = -3.0
    point = point + (away - thing.clearance(level(point))[0, 0]) * np.array([[0.0, -1.0]])
    seen = np.flatnonzero(~prints.crossed(np.repeat(point, len(prints.corner), axis=0), prints.corner))
    sides = set()
    for corner in seen:
        way = prints.tangents(point, np.array([corner]))
        off = thing.clearance(level(point + np.linspace(0.0, 12.0, 1201)[:, None] * way))[:, 0]
        assert off.min() > RADIUS - 2.0 * TOUCH
        sides.add(float(np.sign(way[0, 0])))
    assert sides == {-1.0, 1.0}


def test_a_body_pushed_to_a_wall_goes_along_it() -> None:
    wall = of(box(0.0, 0.0, 3.0, 0.2))
    for gap in (0.5, 0.45, 0.3):
        point = np.array([[1.0, -0.2 - gap]])
        corner = int(np.argmin(np.linalg.norm(wall.corner - (3.5, -0.7), axis=1)))
        assert wall.tangents(point, np.array([corner]))[0] == pytest.approx([1.0, 0.0], abs=0.02)


@pytest.mark.parametrize("far", [1e4, 1e9, 1e17])
def test_an_obstacle_too_far_away_to_have_corners_bars_no_way(far: float) -> None:
    distant = all_of(boxes([[far, 0.0, 0.0]], [[0.0, 1e-8, 1.0]]), obstacles([[far, 2.0, 0.0]], 1e-8))
    seen = of(all_of(distant, box(0.0, 4.0, 1.0, 1.0)))
    assert np.isfinite(seen.corner).all()
    near = seen.corner[np.abs(seen.corner[:, 0]) < 100.0]
    assert np.array_equal(near, of(box(0.0, 4.0, 1.0, 1.0)).corner)


@pytest.mark.parametrize("long", [0.1, 10.0, 1000.0])
def test_a_corner_counts_if_it_sticks_out_by_more_than_rounding_however_long_the_sides_are(long: float) -> None:
    rounding = FLAT * long
    for out, corners in ((0.2 * rounding, 4), (5.0 * rounding + 5.0 * EPSILON, 5)):
        places = [[0.0, 0.0], [long, 0.0], [long, long], [0.0, long], [0.5 * long, -out]]
        assert len(_hull(np.array(places))) == corners


def test_round_outlines_have_few_corners_but_no_more_than_needed() -> None:
    """An even number from SIDES to MOST_SIDES, the least with which they stick out by no more than FLATTEST."""
    numbers = []
    for size in (0.0, 0.3, 1.0, 2.0, 4.0, 6.0, 100.0):
        numbers.append(len(of(obstacles([[0.0, 0.0, 0.0]], size)).corner))
        wide = size + RADIUS + MARGIN

        def sticks_out(sides: int, wide: float = wide) -> float:
            return wide * (1.0 / np.cos(np.pi / sides) - 1.0)

        fewer = numbers[-1] - 2
        assert numbers[-1] == MOST_SIDES or sticks_out(numbers[-1]) < 1.05 * FLATTEST
        assert numbers[-1] == SIDES or sticks_out(fewer) > 0.95 * FLATTEST
    assert numbers == sorted(numbers) and (numbers[0], numbers[-1]) == (SIDES, MOST_SIDES)


def test_the_outline_of_a_tilted_box_is_the_hull_of_its_eight_corners() -> None:
    rng = np.random.default_rng(7)
    for _ in range(20):
        axes, half, middle = (
            about(rng.normal(size=3), rng.uniform(0.0, 180.0)).T,
            rng.uniform(0.3, 3.0, 3),
            rng.normal(size=3),
        )
        outline = box_outline(boxes(middle[None], half[None], axes[None]), 0)
        grid = np.stack(np.meshgrid(*np.stack((-half, half), axis=1)), axis=-1).reshape(-1, 3)
        corners = (middle + grid @ axes)[:, :2]
        along = np.roll(outline, -1, axis=0) - outline
        off = (
            along[:, None, 0] * (corners - outline[:, None])[..., 1]
            - along[:, None, 1] * (corners - outline[:, None])[..., 0]
        )
        assert off.min() > -1e-9, "all corners are within it"
        assert np.abs(outline[:, None] - corners).sum(axis=2).min(axis=1).max() < 1e-9, "it turns at corners only"


def test_bodies_pass_over_and_under_what_is_further_off_than_their_radius_and_round_things_are_narrower_there() -> None:
    """By no more than the true room, rounded down to a 64th of a metre."""
    ball, heights = obstacles([[0.0, 0.0, 0.0]], 1.0), np.linspace(-1.49, 1.49, 41)
    less = narrowing(ball, heights, met_at_origins(41), np.full(41, 0.5))[:, 0]
    exact = 1.5 - np.sqrt(1.5**2 - heights**2)
    assert ((exact - 1.0 / 64.0 <= less) & (less <= exact)).all()


def test_each_corner_knows_the_corners_before_and_after_it_on_its_outline() -> None:
    prints = of(all_of(box(0.0, 0.0, 1.0, 2.0, 20.0), obstacles([[5.0, 1.0, 0.0]], 1.0), box(0.0, 6.0, 1.0, 0.3)))
    for owner in range(3):
        rows = np.flatnonzero(prints.owner == owner)
        assert (prints.after[rows] == np.roll(prints.corner[rows], -1, axis=0)).all()
        assert (prints.before[rows] == np.roll(prints.corner[rows], 1, axis=0)).all()
    assert len(prints.before) == len(prints.after) == len(prints.corner) == len(prints.reach) == len(prints.room)
