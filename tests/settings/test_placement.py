"""Positions of members: ordered or random, never overlapping; a larger count keeps the positions of a smaller one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.settings.placement import (
    Spots,
    along,
    evenly_along,
    facing,
    ground_of_group,
    keeping_off,
    keeping_out,
    models,
    on_surface,
    scattered,
    sifted,
    sizes,
    turns,
    within,
)
from steering_addon.settings.population import ARRANGEMENTS, CIRCLE, COLUMN, CURVE, GRID, LINE, WEDGE, Population
from steering_addon.simulation.arrays.chance import keys_of
from steering_addon.simulation.geometry.obstacles import boxes, obstacles
from steering_addon.simulation.geometry.paths import spline
from steering_addon.simulation.geometry.shapes import INSIDE
from steering_addon.simulation.geometry.stature import Stature
from tests.scene import met_at_origins

FORMATIONS = (GRID, WEDGE, LINE, COLUMN, CIRCLE)
NO_BODIES = (np.zeros((0, 3)), np.zeros(0))
SQUARE = np.array([[[0.0, 0, 0], [10, 0, 0], [10, 10, 0]], [[0, 0, 0], [10, 10, 0], [0, 10, 0]]])


def gaps(points: np.ndarray) -> np.ndarray:
    """The distances between all pairs of points, by a plain loop."""
    distances = [np.sqrt(((a - b) ** 2).sum()) for k, a in enumerate(points) for b in points[:k]]
    return np.array(distances)


def numbers(n: int) -> np.ndarray:
    return np.arange(n, dtype=np.int64)


def test_arrangements_have_different_numbers() -> None:
    assert sorted(choice.number for choice in ARRANGEMENTS) == list(range(9))


@given(st.integers(0, 80), st.integers(0, 5), st.floats(0.0, 1.0))
def test_scattered_bodies_keep_their_distance_without_overlap(n: int, seed: int, distance: float) -> None:
    radii = 0.2 + 0.4 * np.arange(n) / max(n, 1)
    spots = scattered(on_surface(SQUARE, 0.0, 0.0), seed, radii, distance, NO_BODIES)
    count = len(spots.position)
    for k in range(count):
        for other in range(k):
            distance_apart = np.sqrt(((spots.position[k] - spots.position[other]) ** 2).sum())
            assert distance_apart >= max(distance, radii[k] + radii[other])


def test_spots_are_as_dense_as_the_corners_of_their_triangle_say() -> None:
    """Of a square that is empty on the left and full on the right, a share of x^2 is left of x."""
    density = np.where(SQUARE[:, :, 0] > SQUARE[:, :, 0].min(), 2.0, 0.0)
    spots = on_surface(SQUARE, 0.0, 0.0, density)(keys_of(1, numbers(40000)))
    x = spots.position[spots.valid, 0]
    low, high = SQUARE[:, :, 0].min(), SQUARE[:, :, 0].max()
    for share in (0.25, 0.5, 0.75):
        assert np.mean(x < low + share * (high - low)) == pytest.approx(share * share, abs=0.02)


def test_all_of_thousands_of_bodies_are_placed_if_they_have_room() -> None:
    assert len(scattered(on_surface(SQUARE, 0.0, 0.0), 1, np.full(5000, 1e-4), 0.0, NO_BODIES).position) == 5000


def test_a_full_area_takes_only_the_first_bodies() -> None:
    spots = scattered(on_surface(SQUARE, 0.0, 0.0), 1, np.full(500, 1.0), 0.0, NO_BODIES)
    assert 10 < len(spots.position) < 60


def test_bodies_placed_later_get_the_same_spots_as_if_placed_together() -> None:
    propose = on_surface(SQUARE, 0.0, 0.0)
    together = scattered(propose, 3, np.full(60, 0.4), 0.0, NO_BODIES)
    later = scattered(propose, 3, np.full(40, 0.4), 0.0, (together.position[:20], np.full(20, 0.4)))
    assert (later.position == together.position[20:]).all()


def test_existing_bodies_are_avoided() -> None:
    standing = np.array([[5.0, 5.0, 0.0]])
    spots = scattered(on_surface(SQUARE, 0.0, 0.0), 3, np.full(30, 0.2), 0.0, (standing, np.array([3.0])))
    assert np.sqrt(((spots.position - standing) ** 2).sum(axis=1)).min() >= 3.2


AT_ORIGIN = met_at_origins(1)


def clear_of(propose, obstacles, room: float, body: Stature = AT_ORIGIN):
    return sifted(propose, keeping_out(propose, obstacles, room, body))


def test_bodies_keep_out_of_balls_and_boxes() -> None:
    ball = clear_of(on_surface(SQUARE, 0.0, 0.0), obstacles([[3.0, 3.0, 0.5]], 2.0), 0.4)
    for x, y, _ in scattered(ball, 1, np.full(40, 0.4), 0.0, NO_BODIES).position.tolist():
        assert np.sqrt((x - 3.0) * (x - 3.0) + (y - 3.0) * (y - 3.0) + 0.25) >= 2.4
    box = clear_of(on_surface(SQUARE, 0.0, 0.0), boxes([[5.0, 5.0, 0.0]], [[3.0, 1.0, 1.0]]), 0.4)
    for x, y, _ in scattered(box, 1, np.full(40, 0.4), 0.0, NO_BODIES).position.tolist():
        beside = np.maximum(np.abs([x - 5.0, y - 5.0]) - [3.0, 1.0], 0.0)
        assert np.sqrt((beside * beside).sum()) >= 0.4


@pytest.mark.parametrize("head", [0.0, 0.6, 1.8])
def test_only_those_who_fit_start_below_a_table(head: float) -> None:
    table = boxes([[5.0, 5.0, 1.05]], [[3.0, 3.0, 0.05]])
    body = Stature(np.zeros(1), np.zeros(1), np.array([head]), np.zeros(1))
    spots = scattered(clear_of(on_surface(SQUARE, 0.0, 0.0), table, 0.3, body), 1, np.full(60, 0.3), 0.0, NO_BODIES)
    below = (np.abs(spots.position[:, :2] - 5.0) < 3.3).all(axis=1)
    assert below.any() == (head < 1.0)


def test_bodies_evenly_along_a_curve_keep_out_too_and_are_as_many_as_there_is_room_for() -> None:
    line = (spline(np.array([[0.0, 0.0, 0.0], [40.0, 0.0, 0.0]]), False),)
    sift = keeping_out(along(line), obstacles([[10.0, 0.0, 0.0], [25.0, 0.5, 0.0]], 2.0), 0.4, met_at_origins(1))
    for count in (1, 12, 30):
        x = evenly_along(line, count, 0.8, sift).position[:, 0]
        assert len(x) == count
        assert (np.abs(x - 10.0) >= 2.4).all() and (np.diff(x) >= 0.8).all()
    assert 25 < len(evenly_along(line, 50, 0.8, sift).valid) < 50
    assert len(evenly_along(line, 50, 0.8).valid) == 50


def test_bodies_keep_out_of_others_also_evenly_along_a_curve() -> None:
    place, radius = np.array([[3.0, 3.0, 0.0], [7.0, 0.0, 0.0]]), np.array([1.5, 0.8])
    sift = keeping_off(place, radius, 0.4)
    line = (spline(np.array([[0.0, 0.0, 0.0], [10.0, 0.0, 0.0]]), False),)
    for spots in (
        scattered(sifted(on_surface(SQUARE, 0.0, 0.0), sift), 1, np.full(40, 0.4), 0.0, NO_BODIES),
        evenly_along(line, 8, 0.8, sift),
    ):
        assert len(spots.position) in (40, 8)
        gap = np.linalg.norm(spots.position[:, None] - place, axis=2) - radius
        assert gap.min() >= 0.4


def test_bodies_keep_out_of_the_wall_round_a_room() -> None:
    room = obstacles([[5.0, 5.0, 0.0]], 4.5, side=np.array([INSIDE]))
    spots = scattered(clear_of(on_surface(SQUARE, 0.0, 0.0), room, 0.5), 1, np.full(30, 0.5), 0.0, NO_BODIES)
    assert len(spots.position) == 30
    assert (np.sqrt(((spots.position - [5.0, 5.0, 0.0]) ** 2).sum(axis=1)) <= 4.0).all()


def test_bodies_may_be_on_an_obstacle_that_is_their_ground() -> None:
    floor = boxes([[5.0, 5.0, -0.5]], [[20.0, 20.0, 0.5]])
    free = on_surface(SQUARE, 0.0, 0.0)
    on_floor = scattered(clear_of(free, floor, 0.4), 1, np.full(20, 0.4), 0.0, NO_BODIES)
    assert (on_floor.position == scattered(free, 1, np.full(20, 0.4), 0.0, NO_BODIES).position).all()


def test_obstacles_that_are_not_present_keep_nothing_out() -> None:
    absent = obstacles([[5.0, 5.0, 0.0]], 3.0, present=np.array([False]))
    spots = scattered(clear_of(on_surface(SQUARE, 0.0, 0.0), absent, 0.2), 1, np.full(60, 0.2), 0.0, NO_BODIES)
    assert (np.sqrt(((spots.position - [5.0, 5.0, 0.0]) ** 2).sum(axis=1)) < 3.0).any()


def test_another_seed_gives_other_spots() -> None:
    first, second = (
        scattered(on_surface(SQUARE, 0.0, 0.0), s, np.full(9, 0.1), 0.0, NO_BODIES).position for s in (1, 2)
    )
    assert not (first == second)[:, :2].any()


def test_large_and_small_faces_are_filled_evenly() -> None:
    small = SQUARE[:1] * 0.1 + np.array([100.0, 0.0, 0.0])
    spots = scattered(on_surface(np.concatenate((SQUARE, small)), 0.0, 0.0), 1, np.zeros(4000), 0.0, NO_BODIES)
    left = spots.position[:, 0] < 5.0
    assert 0.45 < left.mean() < 0.55
    assert (spots.position[:, 0] > 50.0).mean() < 0.02


def test_spots_are_on_the_faces_at_the_given_height_and_lean() -> None:
    slope = np.array([[[0.0, 0, 0], [10, 0, 10], [0, 10, 0]]])
    normal = np.array([-1.0, 0.0, 1.0]) / np.sqrt(2.0)
    for align, up in ((0.0, np.array([0.0, 0.0, 1.0])), (1.0, normal)):
        spots = scattered(on_surface(slope, 2.0, align), 1, np.zeros(50), 0.0, NO_BODIES)
        assert np.allclose(spots.up, up)
        below = spots.position - 2.0 * up
        assert np.allclose(below @ normal, 0.0, atol=1e-9)
        assert (below[:, [0, 1]] > -1e-9).all()
        assert (below[:, 0] + below[:, 1] < 10.0 + 1e-9).all()


def test_spots_in_a_box_are_only_where_the_shape_is_inside() -> None:
    def upper(places: np.ndarray) -> np.ndarray:
        return places[:, 2] > 0.5

    spots = scattered(within(np.zeros(3), np.array([2.0, 1.0, 1.0]), upper), 1, np.zeros(500), 0.0, NO_BODIES)
    assert (spots.position >= [0.0, 0.0, 0.5]).all()
    assert (spots.position <= [2.0, 1.0, 1.0]).all()
    assert 0.4 < (spots.position[:, 0] > 1.0).mean() < 0.6


ROAD = (spline(np.array([[0.0, 0, 0], [10, 0, 0]]), False), spline(np.array([[0.0, 5, 0], [0, 35, 0]]), False))


def test_a_curve_takes_only_the_members_that_have_room_on_it() -> None:
    assert len(evenly_along(ROAD, 1000, 2.0).position) == 20


def test_members_scattered_along_a_curve_are_on_it_and_do_not_overlap() -> None:
    spots = scattered(along(ROAD), 2, np.full(20, 0.3), 0.0, NO_BODIES)
    assert len(spots.position) == 20
    on_first = spots.position[:, 1] == 0.0
    assert (spots.position[~on_first, 0] == 0.0).all()
    assert 0 < on_first.sum() < 15
    assert gaps(spots.position).min() >= 0.6


def test_random_values_depend_only_on_number_and_seed() -> None:
    population = Population(random_scale=0.3, random_turn=1.0, seed=4, arrangement=CURVE)
    weights = np.array([1.0, 2.0])
    for chance in (sizes, turns, lambda p, k: models(p, k, weights)):
        assert (chance(population, numbers(50))[[7, 30]] == chance(population, np.array([7, 30]))).all()


def test_sizes_and_turns_stay_within_their_limits() -> None:
    population = Population(random_scale=0.3, random_turn=1.0)
    size, turn = sizes(population, numbers(1000)), turns(population, numbers(1000))
    assert 0.7 <= size.min() < 0.75 < 1.25 < size.max() <= 1.3
    assert -1.0 <= turn.min() < -0.9 < 0.9 < turn.max() <= 1.0
    assert (sizes(Population(), numbers(9)) == 1.0).all()


def test_models_are_chosen_in_proportion_to_their_weights() -> None:
    chosen = models(Population(), numbers(4000), np.array([1.0, 0.0, 3.0]))
    assert set(chosen.tolist()) == {0, 2}
    assert 0.2 < (chosen == 0).mean() < 0.3


def without_direction(n: int) -> Spots:
    nothing = np.zeros((n, 3))
    return Spots(nothing, nothing, nothing, np.ones(n, dtype=np.bool_))


@given(st.floats(-3.0, 3.0), st.integers(0, 2), st.integers(0, 2))
def test_forward_and_up_are_always_perpendicular_unit_vectors(turn: float, ahead: int, above: int) -> None:
    forward, up = facing(without_direction(1), np.eye(3)[ahead], np.eye(3)[above], np.array([turn]))
    assert np.isfinite(forward).all()
    assert np.allclose([(forward * forward).sum(), (up * up).sum(), (forward * up).sum()], [1.0, 1.0, 0.0])


def test_without_a_direction_of_the_spot_members_face_as_the_crowd_and_turn_left() -> None:
    forward, up = facing(without_direction(2), np.eye(3)[1], np.eye(3)[2], np.array([0.0, np.pi / 2.0]))
    assert np.allclose(up, [0.0, 0.0, 1.0])
    assert np.allclose(forward, [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])


@pytest.mark.parametrize(("along", "upright", "crowd"), [(1.0, 0.0, 0), (0.0, 1.0, 1)], ids=["curve", "surface"])
def test_members_face_along_a_climbing_curve_and_stand_upright_on_a_slope(along, upright, crowd) -> None:
    climbing, slope = np.array([[[0.0, 1.0, 1.0]], [[0.0, -1.0, 1.0]]]) / np.sqrt(2.0)
    spots = Spots(np.zeros((1, 3)), along * climbing, upright * slope, np.ones(1, dtype=np.bool_))
    forward, up = facing(spots, np.eye(3)[crowd], np.eye(3)[2], np.zeros(1))
    assert np.allclose(forward, climbing)
    assert np.allclose(up, slope)


def test_spots_on_a_surface_are_on_its_triangles_at_the_height_and_face_no_way() -> None:
    """All over each triangle: up to every corner, and nowhere else."""
    triangle = np.array([[[1.0, 2.0, 0.0], [5.0, 2.0, 0.0], [1.0, 8.0, 3.0]]])
    spots = on_surface(triangle, 0.5, 1.0)(keys_of(1, np.arange(3000)))
    normal = np.cross(triangle[0, 1] - triangle[0, 0], triangle[0, 2] - triangle[0, 0])
    normal /= np.linalg.norm(normal)
    assert np.allclose(spots.up, normal) and (spots.forward == 0.0).all() and spots.valid.all()
    foot = spots.position - 0.5 * normal - triangle[0, 0]
    u, v = foot[:, 0] / 4.0, foot[:, 1] / 6.0
    assert np.allclose(foot[:, 2], 3.0 * v)
    assert u.min() >= -1e-9 and v.min() >= -1e-9 and (u + v).max() <= 1.0 + 1e-9
    for corner in ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0)):
        assert np.hypot(u - corner[0], v - corner[1]).min() < 0.1
    assert np.mean(u) == pytest.approx(1.0 / 3.0, abs=0.02) and np.mean(v) == pytest.approx(1.0 / 3.0, abs=0.02)


@pytest.mark.parametrize(("apart", "number"), [(0.0, 7), (1.0, 7), (10.0, 6), (12.0, 5), (59.0, 1), (99.0, 1)])
def test_spots_along_a_curve_are_evenly_spaced_with_half_a_gap_at_its_ends(apart: float, number: int) -> None:
    """The number asked for, or the number for which the curve has room."""
    road = spline(np.array([[0.0, 0.0, 0.0], [0.0, 60.0, 0.0]]), False)
    along = evenly_along((road,), 7, apart).position[:, 1]
    assert along == pytest.approx((np.arange(number) + 0.5) * 60.0 / number)


@pytest.mark.parametrize("side", [12.0, 80.0, 5000.0])
@pytest.mark.parametrize("at", [(0.5, 0.5), (0.02, 0.9), (0.0, 0.0)])
def test_a_group_gets_ground_around_its_middle_with_room_for_it(side: float, at: tuple[float, ...]) -> None:
    """Also at a border and in a corner, and all of a ground that is too small."""
    ground, middle = SQUARE * side / 10.0, np.array((*at, 0.0)) * side
    pieces = ground_of_group(ground, middle, 14, 1.0)
    needed = np.pi * 14 * 2.0**2
    area = 0.5 * np.linalg.norm(np.cross(pieces[:, 1] - pieces[:, 0], pieces[:, 2] - pieces[:, 0]), axis=1)
    assert area.sum() == pytest.approx(side * side) if side * side < needed else needed <= area.sum() < 2.0 * needed
    assert pieces[..., :2].min() >= 0.0 and pieces[..., :2].max() <= side and (pieces[..., 2] == 0.0).all()
    assert len(pieces) < 5000
    spots = on_surface(pieces, 0.0, 0.0)(keys_of(1, np.arange(200)))
    assert np.linalg.norm(spots.position - middle, axis=1).max() <= 3.0 * np.sqrt(needed / np.pi)
