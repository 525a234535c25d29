"""Where a course first comes near a surface, of convex bodies and of meshes."""

import numpy as np
import pytest

from steering_addon.simulation.geometry.first_contact import MESH_CLOSE, StraightCourses, first_touch, touch_mesh
from tests.surfaces import ball

NORTH = np.array([[0.0, 1.0, 0.0]])


def passing(aside: float, reach: float, furthest: float = np.inf, size: float = 1.0) -> StraightCourses:
    """A course north past the origin."""
    start = size * np.array([[aside, -5.0, 0.0]])
    return StraightCourses(start, NORTH, np.array([size * reach]), np.array([size * furthest]))


def near_ball(aside: float, reach: float) -> float:
    """Where such a course comes within reach of the unit ball about the origin."""
    room = (1.0 + reach) ** 2 - aside**2
    return 5.0 - np.sqrt(room) if room > 0.0 else np.inf


@pytest.mark.parametrize("aside", [0.0, 1.05, 1.2, 1.35, 1.7])
def test_a_course_past_a_mesh_touches_it_where_it_first_comes_near(aside: float) -> None:
    """Also if it hits nothing, but comes still nearer afterwards."""
    reach = 0.5
    course = passing(aside, reach)
    way, away = touch_mesh(ball(1.0, 32), 1.0, course)
    expected = near_ball(aside, reach)
    assert way[0] == pytest.approx(expected, abs=0.1)
    if np.isfinite(expected):
        [place] = course.at(way)
        assert -0.015 < np.linalg.norm(place) - (1.0 + reach) < MESH_CLOSE * reach + 1e-6
        assert away[0] @ place / np.linalg.norm(place) > 0.98


def test_a_touch_exactly_at_the_limit_counts() -> None:
    def surface(places: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        distance = np.linalg.norm(places, axis=1)
        return distance - 1.0, places / distance[:, None]

    def to_ball(limit: float) -> float:
        return float(first_touch(surface, passing(0.3, 0.5, limit), np.zeros(1))[0][0])

    def to_mesh(limit: float) -> float:
        return float(touch_mesh(ball(1.0, 12), 1.0, passing(0.3, 0.5, limit))[0][0])

    for touch in (to_ball, to_mesh):
        way = touch(np.inf)
        assert touch(way) == way < touch(way - 1e-6) == np.inf


@pytest.mark.parametrize("size", [1e-3, 1e3])
def test_where_a_course_touches_a_mesh_scales_with_the_scene(size: float) -> None:
    def touch(aside: float, size: float) -> tuple[float, np.ndarray]:
        way, away = touch_mesh(ball(size, 12), 1.0, passing(aside, 0.5, 20.0, size))
        return way[0] / size, away[0]

    for aside in (0.0, 1.05, 1.2, 1.35, 1.45):
        (way, away), (expected, side) = touch(aside, size), touch(aside, 1.0)
        assert way == pytest.approx(expected, rel=1e-6)
        assert away == pytest.approx(side, abs=1e-6)
