"""Regions: the vector from a point to the nearest point inside."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.simulation.geometry.regions import BOX, SPHERE, regions
from tests.scene import about
from tests.simulation.odd_input import BOUNDED, vectors
from tests.surfaces import block, mesh_regions

RNG = np.random.default_rng(5)
POINTS = RNG.uniform(-12.0, 12.0, (300, 3))
FIRST = np.zeros(300, dtype=np.int64)
TURN = about((1.0, -0.4, 0.3), 50.0)


def way_in(region, points=POINTS) -> np.ndarray:
    return region.way_in(points, np.zeros(len(points), dtype=np.int64))


def test_the_way_into_a_ball_leads_straight_to_its_centre() -> None:
    centre, radius = np.array([1.0, 2.0, -1.0]), 6.0
    result = way_in(regions([centre], radius, SPHERE))
    for point, way in zip(POINTS, result):
        away = point - centre
        length = np.linalg.norm(away)
        expected = away / length * (radius - length) if length > radius else np.zeros(3)
        assert np.allclose(way, expected, atol=1e-12)


def test_the_way_into_a_box_leads_to_the_nearest_point_of_its_sides() -> None:
    half = np.array([3.0, 5.0, 1.0])
    result = way_in(regions([[1.0, 0.0, 0.0]], half, BOX))
    for point, way in zip(POINTS, result):
        nearest = [min(max(x, c - h), c + h) for x, c, h in zip(point, (1.0, 0.0, 0.0), half)]
        assert np.allclose(way, nearest - point, atol=1e-12)


@pytest.mark.parametrize("shape", [SPHERE, BOX])
def test_the_way_is_zero_inside_and_leads_inside(shape: int) -> None:
    region = regions([[1.0, 0.0, 2.0]], [3.0, 5.0, 2.0], shape, TURN.T[None])
    way = way_in(region)
    inside = (way == 0.0).all(axis=1)
    assert 0 < inside.sum() < 200
    again = way_in(region, POINTS + way * (1.0 + 1e-9))
    assert np.abs(again).max() < 1e-8
    local = (POINTS - (1.0, 0.0, 2.0)) @ TURN
    share = np.abs(local / (3.0, 5.0, 2.0))
    assert np.array_equal(
        inside, (np.linalg.norm(share, axis=1) <= 1.0) if shape == SPHERE else (share <= 1).all(axis=1)
    )


def test_the_size_is_that_of_the_shortest_axis() -> None:
    assert regions(np.zeros((2, 3)), [[3.0, 5.0, 1.0], [4.0, 4.0, 9.0]], BOX).size(np.array([1, 0, 0])).tolist() == [
        4.0,
        1.0,
        1.0,
    ]


def test_the_nearest_region_contains_the_point_or_is_next_to_it() -> None:
    three = regions([[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [30.0, 0.0, 0.0]], [[1.0] * 3, [6.0] * 3, [1.0] * 3], SPHERE)
    points = np.array([[0.5, 0.0, 0.0], [2.0, 0.0, 0.0], [3.5, 0.0, 0.0], [28.0, 0.0, 0.0]])
    assert three.nearest(points).tolist() == [0, 0, 1, 2]
    without_first = replace(three, present=np.array([False, True, True]))
    assert without_first.nearest(points).tolist() == [1, 1, 1, 2]
    assert replace(three, present=np.zeros(3, dtype=bool)).nearest(points).tolist() == [-1] * 4
    assert regions(np.zeros((0, 3)), 1.0, SPHERE).nearest(points).tolist() == [-1] * 4


@BOUNDED
@given(vectors(5, 1e9), vectors(5, 1e9), st.lists(st.floats(0.0, 1e9), min_size=3, max_size=3), st.sampled_from([0, 1]))
def test_a_region_of_any_size_gives_a_way_for_any_point(points, centre, half, shape) -> None:
    result = regions(centre, half, shape).way_in(points, np.arange(5))
    assert np.isfinite(result).all()
    assert (np.linalg.norm(result, axis=1) <= np.linalg.norm(points - centre, axis=1) * (1 + 1e-9) + 1e-6).all()


@pytest.mark.parametrize("shape", [SPHERE, BOX])
def test_a_place_and_its_coordinates_in_a_region_belong_together(shape: int) -> None:
    region = replace(regions([[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]] if shape == BOX else 4.0, shape), axes=TURN[None])
    assert np.allclose(region.places(region.shares(POINTS, 0), 0), POINTS)
    corner = region.places(np.array([[1.0, 0.0, 0.0]]), 0)[0]
    assert np.linalg.norm(corner - (1.0, 2.0, 3.0)) == pytest.approx(4.0)


@pytest.mark.parametrize("part", [0.3, 1.0])
def test_the_way_into_part_of_a_region_is_that_into_a_smaller_region_and_each_point_has_its_own(part: float) -> None:
    rng = np.random.default_rng(6)
    both = regions(
        rng.uniform(-3.0, 3.0, (4, 3)),
        rng.uniform(1.0, 6.0, (4, 3)),
        np.array([SPHERE, BOX, SPHERE, BOX]),
        np.tile(TURN, (4, 1, 1)),
    )
    rows = rng.integers(0, 4, len(POINTS))
    way = both.way_in(POINTS, rows, part)
    smaller = replace(both, half=both.half * part)
    for row in range(4):
        assert np.allclose(way[rows == row], smaller.way_in(POINTS[rows == row], rows[rows == row]))
    assert part < 1.0 or (np.abs(way).max(axis=1) < 1e-9).any()


@pytest.mark.parametrize("part", [0.7, 1.0])
def test_the_way_into_a_mesh_leads_below_its_surface_by_the_remaining_part_of_its_least_half_side(part: float) -> None:
    """Within that it is zero."""
    half = np.array([2.0, 3.0, 5.0])
    room = mesh_regions([block(tuple(half))], [[1.0, -2.0, 0.5]])
    local = POINTS - [1.0, -2.0, 0.5]
    way = way_in(room) if part == 1.0 else room.way_in(POINTS, FIRST, part)
    depth = (1.0 - part) * 2.0
    inside, within = (np.abs(local) < half).all(axis=1), (np.abs(local) < half - depth).all(axis=1)
    nearest = np.clip(local, -half, half)
    away = local - nearest
    away /= np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-12)
    assert (way[within] == 0.0).all() and within.any()
    assert np.allclose((local + way)[~inside], (nearest - depth * away)[~inside])
    beside = inside & ~within
    gap = (half - np.abs(local + way)).min(axis=1)
    assert part == 1.0 or ((np.linalg.norm(way, axis=1) <= depth)[beside].all() and (gap <= depth + 1e-9)[beside].all())


def test_without_a_region_that_is_present_none_is_the_nearest_and_a_single_one_always_is() -> None:
    two = regions([[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]], [[1.0] * 3] * 2, np.array([SPHERE, BOX]))
    for present, nearest in (([False, False], -1), ([True, False], 0), ([False, True], 1)):
        assert replace(two, present=np.array(present)).nearest(POINTS[:3]).tolist() == [nearest] * 3


def test_a_single_point_has_its_way_in() -> None:
    ball = regions([[0.0, 0.0, 0.0]], [[1.0] * 3], np.array([SPHERE]))
    assert ball.way_in(np.array([[3.0, 0.0, 0.0]]), np.zeros(1, dtype=np.int64))[0] == pytest.approx([-2.0, 0.0, 0.0])
