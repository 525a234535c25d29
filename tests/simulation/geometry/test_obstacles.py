"""Obstacles: capsules, and the capsule around given points."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.simulation.avoiding.passing import directions_to_pass, most_pressing
from steering_addon.simulation.geometry.capsules import hull, probes
from steering_addon.simulation.geometry.obstacles import EITHER, LEFT, OVER, RIGHT, UNDER, Obstacles, obstacles
from steering_addon.simulation.geometry.shapes import INSIDE
from tests.simulation.odd_input import BOUNDED, vectors

SPHERES = 4.0 / 3.0 * np.pi


def distance_to_axis(point: np.ndarray, start: np.ndarray, end: np.ndarray) -> float:
    """The distance from a point to a segment."""
    axis = end - start
    part = np.dot(point - start, axis) / np.dot(axis, axis) if axis.any() else 0.0
    return float(np.linalg.norm(point - (start + min(max(part, 0.0), 1.0) * axis)))


def volume(start: np.ndarray, end: np.ndarray, radius: float) -> float:
    return float(np.pi * radius**2 * np.linalg.norm(end - start) + SPHERES * radius**3)


@BOUNDED
@given(st.integers(1, 12).flatmap(lambda n: vectors(n, largest=1e3)))
def test_a_hull_contains_all_points(points: np.ndarray) -> None:
    start, end, radius = hull(points)
    assert np.isfinite((*start, *end, radius)).all()
    size = np.abs(points).max()
    assert max(distance_to_axis(point, start, end) for point in points) <= radius + 1e-9 * (1.0 + size)


def ball(n: int = 400) -> np.ndarray:
    """Points all over a unit sphere."""
    height = np.linspace(-1.0, 1.0, n)
    angle = np.arange(n) * 2.399963
    ring = np.sqrt(1.0 - height**2)
    return np.stack((ring * np.cos(angle), ring * np.sin(angle), height), axis=-1)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("height", [2.0, 5.0, 40.0])
def test_the_hull_of_a_pylon_is_a_little_thicker_than_the_pylon(axis: int, height: float) -> None:
    """Rounded ends: at most as high as the pylon and two of its radii."""
    angle = np.arange(24) * (2.0 * np.pi / 24)
    ring = np.stack((np.cos(angle), np.sin(angle), np.zeros(24)), axis=-1)
    points = np.concatenate((ring, ring)) + np.repeat([[0.0, 0.0, height], [0.0, 0.0, -height]], 24, axis=0)
    start, end, radius = hull(np.roll(points, axis + 1, axis=1))
    length = np.linalg.norm(end - start) + 2.0 * radius
    assert length <= 2.0 * height + 2.0 + 1e-9
    if height > 2.0:
        assert radius == pytest.approx(1.0)
        assert np.abs((end - start)[[a for a in range(3) if a != axis]]).max() < 1e-9


def test_the_hull_of_a_box_is_the_least_of_a_sphere_and_three_pylons() -> None:
    sides = np.array([1.0, 2.0, 6.0])
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * sides
    start, end, radius = hull(corners)
    assert radius == pytest.approx(np.hypot(0.5, 1.0))
    assert np.allclose(end - start, [0.0, 0.0, 6.0])
    assert volume(start, end, radius) < SPHERES * (np.linalg.norm(sides) / 2.0) ** 3


def test_a_single_point_has_a_hull() -> None:
    start, end, radius = hull(np.array([[1.0, 2.0, 3.0]]))
    assert start.tolist() == end.tolist() == [1.0, 2.0, 3.0]
    assert radius == 0.0


def nearest_to_course(things: Obstacles, points: np.ndarray, course: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The most pressing point of each axis at a reach of 0: the one nearest to the course."""
    return most_pressing(things.start[None], things.end[None], points, course, np.zeros(course.shape[:2]))


def test_the_point_nearest_to_a_course_is_that_of_a_plain_search() -> None:
    rng = np.random.default_rng(2)
    start, end = rng.uniform(-3.0, 3.0, (2, 6, 3))
    end[:2] = start[:2]
    points = rng.uniform(-9.0, 9.0, (15, 3))
    course = rng.normal(size=(15, 6, 3))
    course /= np.linalg.norm(course, axis=-1, keepdims=True)
    way, aside = nearest_to_course(obstacles(start, 1.0, end), points, course)
    for n in range(15):
        for k in range(6):
            axis = start[k] + np.linspace(0.0, 1.0, 4001)[:, None] * (end[k] - start[k])
            along = (axis - points[n]) @ course[n, k]
            offset = axis - points[n] - along[:, None] * course[n, k]
            best = int(np.argmin((offset**2).sum(axis=1)))
            assert np.linalg.norm(aside[n, k]) == pytest.approx(np.linalg.norm(offset[best]), abs=2e-3)
            assert abs(np.dot(aside[n, k], course[n, k])) < 1e-9
            place = points[n] + way[n, k] * course[n, k] + aside[n, k]
            assert distance_to_axis(place, start[k], end[k]) < 1e-9


def test_the_nearer_end_of_a_pylon_that_lies_along_the_course_counts() -> None:
    course = np.array([[[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]])
    lying = obstacles([[0.5, 10.0, 0.0], [0.5, 20.0, 0.0]], 1.0, [[0.5, 20.0, 0.0], [0.5, 10.0, 0.0]])
    way, aside = nearest_to_course(lying, np.zeros((1, 3)), course)
    assert way.tolist() == [[10.0, 10.0]]
    assert np.allclose(aside, [0.5, 0.0, 0.0])


def test_the_most_pressing_point_needs_nearly_the_tightest_turn_of_all() -> None:
    """Compared with two thousand points on each axis, unless the obstacle is all but touched.

    Half the curvature of the circle that just passes a point is (reach - aside) / (distance^2 - reach^2).
    """

    def tightness(way: np.ndarray, aside: np.ndarray, reach: float) -> np.ndarray:
        room = way**2 + aside**2 - reach**2
        return np.where((aside < reach) & (way > 0.0), (reach - aside) / np.maximum(room, 1e-9), 0.0)

    rng = np.random.default_rng(0)
    shares = []
    for _ in range(1500):
        start, end = rng.uniform(-8.0, 8.0, (2, 3))
        reach = rng.uniform(0.5, 2.5)
        course = rng.normal(size=3)
        course /= np.linalg.norm(course)
        axis = start + np.linspace(0.0, 1.0, 2001)[:, None] * (end - start)
        if np.linalg.norm(axis, axis=1).min() < 1.2 * reach:
            continue
        along = axis @ course
        most = tightness(along, np.linalg.norm(axis - along[:, None] * course, axis=1), reach).max()
        way, aside = most_pressing(
            start[None, None], end[None, None], np.zeros((1, 3)), course[None, None], np.full((1, 1), reach)
        )
        result = tightness(way[0, 0], np.linalg.norm(aside[0, 0]), reach)
        assert (result > 0.0) == (most > 0.0)
        if most > 0.0:
            shares.append(result / most)
    assert len(shares) > 50
    assert min(shares) > 0.6
    assert np.median(shares) > 0.98


def test_the_near_end_of_a_pylon_that_leans_along_the_course_is_more_pressing_than_its_nearest_point() -> None:
    leaning, course = obstacles([[0.8, 3.0, 0.0]], 1.0, [[0.5, 30.0, 0.0]]), np.array([[[0.0, 1.0, 0.0]]])
    assert nearest_to_course(leaning, np.zeros((1, 3)), course)[0] == 30.0
    way, aside = most_pressing(leaning.start[None], leaning.end[None], np.zeros((1, 3)), course, np.ones((1, 1)))
    assert way[0, 0] < 10.0
    assert 0.7 < aside[0, 0, 0] <= 0.8


UP = np.array([[0.0, 0.0, 1.0]])


@pytest.mark.parametrize(
    ("side", "expected"),
    [
        (LEFT, [-1.0, 0.0, 0.0]),
        (RIGHT, [1.0, 0.0, 0.0]),
        (OVER, [0.0, 0.0, 1.0]),
        (UNDER, [0.0, 0.0, -1.0]),
        (EITHER, [-0.6, 0.0, 0.8]),
    ],
)
def test_sides_are_named_as_seen_by_a_vehicle_heading_north(side: int, expected: list[float]) -> None:
    course, aside, east = np.array([[0.0, 1.0, 0.0]]), np.array([[0.3, 0.0, -0.4]]), np.array([[1.0, 0.0, 0.0]])
    assert np.allclose(directions_to_pass(np.array([side]), aside, course, east, UP), [expected])


@BOUNDED
@given(vectors(4, largest=1.0), vectors(4, largest=1.0), st.integers(0, 4))
def test_a_way_around_is_always_a_direction(course: np.ndarray, aside: np.ndarray, side: int) -> None:
    """Also straight up, where left and right are undefined, and in a dead heat, where neither side is nearer."""
    length = np.linalg.norm(course, axis=1)
    course = np.where((length > 1e-3)[:, None], course / np.maximum(length, 1e-3)[:, None], [[0.0, 0.0, 1.0]])
    aside = aside - (aside * course).sum(axis=1, keepdims=True) * course
    vehicle_side = np.cross(course, np.roll(course, 1, axis=1) + np.array([0.1, 0.2, 0.4]))
    vehicle_side /= np.maximum(np.linalg.norm(vehicle_side, axis=1, keepdims=True), 1e-9)
    direction = directions_to_pass(np.full(4, side), aside, course, vehicle_side, np.tile(UP, (4, 1)))
    assert np.abs(np.linalg.norm(direction, axis=1) - 1.0).max() < 1e-6
    assert np.abs((direction * course).sum(axis=1)).max() < 1e-5


def test_near_are_all_rooms_and_what_is_around_a_point_at_most_that_far_off() -> None:
    """As one by one; those that are absent are not near at all."""
    rng = np.random.default_rng(12)
    k, points = 24, rng.uniform(-4.0, 4.0, (9, 3))
    start, radius, distance = rng.uniform(-5.0, 5.0, (k, 3)), rng.uniform(0.1, 1.5, k), rng.uniform(0.2, 2.0, 9)
    things = obstacles(start, radius, start + rng.uniform(-2.0, 2.0, (k, 3)))
    things = replace(things, side=np.arange(k) % 6 // 5, present=np.arange(k) % 8 != 3)
    things = replace(things, start=things.start + (np.arange(k) % 12 == 11)[:, None] * 500.0)
    expected = [
        (n, row)
        for n in range(9)
        for row in range(k)
        if things.present[row]
        and (
            things.side[row] == INSIDE
            or distance_to_axis(points[n], things.start[row], things.end[row]) - radius[row] < distance[n]
        )
    ]
    assert len({row for _, row in expected}) > 6
    assert list(zip(*(rows.tolist() for rows in things.near(points, distance)))) == expected


def test_the_surface_for_a_capsule_is_that_of_the_deepest_point_tried_on_its_axis() -> None:
    rng = np.random.default_rng(3)
    points, axis, radius = rng.normal(size=(30, 3)), rng.normal(size=(30, 3)), np.full(30, 0.4)
    balls, rows = obstacles(rng.normal(size=(3, 3)), np.array([0.2, 0.5, 1.0])), np.arange(30) % 3
    distance, away = balls.surface_of_capsules(points, axis, radius, rows)
    shares = probes(np.linalg.norm(axis, axis=1), radius)
    tried = [balls.surface(points + share * axis, rows) for share in (0.0, *shares)]
    deepest = np.argmin([each for each, _ in tried], axis=0)
    np.testing.assert_array_equal(distance, [tried[k][0][row] for row, k in enumerate(deepest)])
    np.testing.assert_array_equal(away, [tried[k][1][row] for row, k in enumerate(deepest)])
