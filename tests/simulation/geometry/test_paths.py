"""Paths: curves as evenly spaced samples, and the nearest point on them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.simulation.geometry.paths import spline
from tests.simulation.odd_input import BOUNDED, vectors


def circle(radius: float, corners: int = 400) -> np.ndarray:
    angle = np.arange(corners) * (2.0 * np.pi / corners)
    return radius * np.stack((np.cos(angle), np.sin(angle), np.zeros(corners)), axis=-1)


def winding(seed: int = 0, corners: int = 400) -> np.ndarray:
    """A smooth line in space."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)[:, None]
    phase, size = rng.uniform(0.0, 2.0 * np.pi, (3, 3)), rng.uniform(3.0, 6.0, (3, 3)) / [[1.0], [2.0], [3.0]]
    return sum(size[k] * np.sin((k + 1) * t + phase[k]) for k in range(3))


def plain_nearest(corners: np.ndarray, closed: bool, point: np.ndarray) -> tuple[float, float]:
    """The distance along a polyline to the point nearest to a given point, and how near it is: tries all segments."""
    ends = np.concatenate((corners, corners[:1])) if closed else corners
    start, way = ends[:-1], np.diff(ends, axis=0)
    length = np.linalg.norm(way, axis=1)
    part = np.clip(((point - start) * way).sum(axis=1) / length**2, 0.0, 1.0)
    distance = np.linalg.norm(point - (start + part[:, None] * way), axis=1)
    best = int(np.argmin(distance))
    return length[:best].sum() + part[best] * length[best], distance[best]


LINES = {
    "straight": (np.array([[0.0, 0.0, 0.0], [30.0, 40.0, 0.0]]), False),
    "corners": (np.array([[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [10.0, 10.0, 2.0], [0.0, 10.0, 0.0]]), False),
    "square": (np.array([[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [10.0, 10.0, 0.0], [0.0, 10.0, 0.0]]), True),
    "uneven": (np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.2, 0.0, 0.0], [20.0, 3.0, 1.0]]), False),
    "circle": (circle(5.0), True),
    "winding": (winding(), True),
    "winding, open": (winding(3), False),
}
each_line = pytest.mark.parametrize("name", LINES)


@each_line
def test_samples_are_evenly_spaced_on_the_line_and_the_ends_are_kept(name: str) -> None:
    corners, closed = LINES[name]
    line = spline(corners, closed)
    few = slice(None, None, max(len(corners), 7))
    places, apart = np.transpose([plain_nearest(corners, closed, point) for point in line.points[few]])
    assert np.abs(places - (np.arange(len(line.points)) * line.spacing)[few]).max() < 1e-6 * line.length
    assert apart.max() < 1e-9
    ends = np.concatenate((corners, corners[:1])) if closed else corners
    assert line.length == pytest.approx(np.linalg.norm(np.diff(ends, axis=0), axis=1).sum(), rel=1e-12)
    assert np.allclose(line.position(np.array([0.0, line.length])), ends[[0, -1]])


@pytest.mark.parametrize("samples", [2, 3, 50])
def test_an_open_line_is_as_long_as_the_gaps_between_its_samples_together(samples: int) -> None:
    line = spline(LINES["straight"][0], False, samples)
    assert len(line.points) == samples
    assert line.spacing * (samples - 1) == pytest.approx(line.length)
    assert np.linalg.norm(line.points[1] - line.points[0]) == pytest.approx(line.spacing)


@each_line
def test_the_position_at_a_distance_along_is_that_far_along(name: str) -> None:
    corners, closed = LINES[name]
    line = spline(corners, closed)
    for along in np.linspace(0.01, 0.99, 23) * line.length:
        result, gap = plain_nearest(corners, closed, line.position(np.array([along]))[0])
        assert gap < line.spacing, "between samples a corner may be cut"
        assert result == pytest.approx(along, abs=1.5 * line.spacing)


@each_line
def test_tangents_are_directions_along_the_line(name: str) -> None:
    corners, closed = LINES[name]
    line = spline(corners, closed)
    along = np.linspace(0.0, line.length, 97)[1:-1]
    tangent = line.tangent(along)
    step = 0.25 * line.spacing
    moved = line.position(along + step) - line.position(along - step)
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    assert np.abs(np.linalg.norm(tangent, axis=1) - 1.0).max() < 1e-9
    cosine = (tangent * moved).sum(axis=1)
    assert cosine.min() > 0.5, "at a right-angled corner it may be half the corner off"
    if name in ("straight", "circle", "winding", "winding, open"):
        assert cosine.min() > 0.999


def test_the_tangents_of_a_coarse_line_turn_smoothly() -> None:
    """A circle of 24 corners turns 15 degrees at each; the tangent spreads that over the whole line."""
    line = spline(circle(10.0, 24), True)
    along = np.linspace(0.0, line.length, 720, endpoint=False)
    tangent = line.tangent(along)
    turn = np.degrees(np.arccos(np.clip((tangent * np.roll(tangent, -1, axis=0)).sum(axis=1), -1.0, 1.0)))
    assert turn.max() < 2.5
    assert turn.sum() == pytest.approx(360.0, abs=1.0)


@each_line
def test_the_nearest_point_is_that_of_a_plain_search(name: str) -> None:
    corners, closed = LINES[name]
    line = spline(corners, closed)
    rng = np.random.default_rng(9)
    points = rng.uniform(corners.min(axis=0) - 4.0, corners.max(axis=0) + 4.0, (60, 3))
    along = line.nearest(points)
    distance = np.linalg.norm(points - line.position(along), axis=1)
    expected = np.array([plain_nearest(line.points, closed, point)[1] for point in points])
    assert (distance >= expected - 1e-9).all()
    assert (distance <= expected + 0.01 * line.spacing + 1e-9).all()


@each_line
def test_a_local_search_finds_the_nearest_point_within_reach(name: str) -> None:
    corners, closed = LINES[name]
    line = spline(corners, closed)
    rng = np.random.default_rng(2)
    along = rng.uniform(0.0, line.length, 60)
    reach = rng.uniform(0.05, 2.0, 60)
    points = line.position(along + rng.uniform(-1.0, 1.0, 60) * reach) + rng.normal(size=(60, 3)) * 0.3
    result = line.nearest_within(points, along, reach)
    for row in range(60):
        tried = line.wrapped(along[row] + np.linspace(-1.0, 1.0, 2001) * reach[row])
        expected = np.linalg.norm(points[row] - line.position(tried), axis=1).min()
        distance = np.linalg.norm(points[row] - line.position(result[row : row + 1])[0])
        assert distance <= expected + 0.02 * max(reach[row], line.spacing)
        gap = abs(result[row] - along[row])
        gap = min(gap, line.length - gap) if closed else gap
        assert gap <= reach[row] + 1e-9, "the search went beyond its reach"


@each_line
@pytest.mark.parametrize("size", [1e-3, 1e3])
def test_the_nearest_place_scales_with_the_line(name: str, size: float) -> None:
    corners, closed = LINES[name]
    line, scaled = spline(corners, closed), spline(size * corners, closed)
    rng = np.random.default_rng(5)
    along, reach = rng.uniform(0.0, line.length, 20), rng.uniform(0.1, 2.0, 20)
    points = line.position(along) + rng.normal(size=(20, 3))
    result = line.nearest_within(points, along, reach)
    assert np.allclose(scaled.nearest_within(size * points, size * along, size * reach), size * result, rtol=1e-6)


def test_a_local_search_stays_on_its_branch_where_a_line_crosses_itself() -> None:
    t = np.linspace(0.0, 2.0 * np.pi, 300, endpoint=False)
    line = spline(np.stack((10.0 * np.sin(t), 5.0 * np.sin(2.0 * t), np.zeros(300)), axis=-1), True)
    crossing = np.tile([0.01, 0.0, 0.0], (2, 1))
    first, second = 0.0, line.length / 2.0
    result = line.nearest_within(crossing, np.array([first, second]), np.array([1.0, 1.0]))
    assert np.abs(line.wrapped(result + 1.0) - line.wrapped(np.array([first, second]) + 1.0)).max() < 0.1


@pytest.mark.parametrize("closed", [True, False])
def test_distances_beyond_the_line_wrap_around_or_stop_at_its_ends(closed: bool) -> None:
    line = spline(circle(5.0), closed)
    beyond = np.array([-1.0, -line.length - 1.0, line.length + 1.0, 3.0 * line.length + 1.0, 1.0, -1e-20])
    expected = np.array([line.length - 1.0, line.length - 1.0, 1.0, 1.0, 1.0, 0.0])
    if not closed:
        expected = np.array([0.0, 0.0, line.length, line.length, 1.0, 0.0])
    error = line.wrapped(beyond) - expected
    assert np.abs(error[:5]).max() < 1e-9
    assert np.linalg.norm(line.position(beyond) - line.position(expected), axis=1).max() < 1e-6


@pytest.mark.parametrize("corners", [[[1.0, 2.0, 3.0]], [[1.0, 2.0, 3.0]] * 4])
@pytest.mark.parametrize("closed", [True, False])
def test_a_line_of_one_point_is_that_point(corners: list, closed: bool) -> None:
    line = spline(np.array(corners), closed)
    along = np.array([-1.0, 0.0, 5.0])
    assert line.length == 0.0
    assert (line.position(along) == [1.0, 2.0, 3.0]).all()
    assert np.abs(np.linalg.norm(line.tangent(along), axis=1) - 1.0).max() < 1e-12
    assert (line.nearest(np.zeros((3, 3))) == 0.0).all()
    assert (line.nearest_within(np.zeros((3, 3)), along, np.ones(3)) == 0.0).all()


def test_repeated_points_count_once() -> None:
    corners, _ = LINES["corners"]
    twice = np.repeat(corners, [3, 1, 2, 4], axis=0)
    for closed in (True, False):
        plain = spline(corners, closed)
        repeated = spline(np.concatenate((twice, corners[:1])) if closed else twice, closed)
        assert np.allclose(plain.points, repeated.points, atol=1e-9)
        assert plain.length == pytest.approx(repeated.length)


@BOUNDED
@given(vectors(5, largest=1e6), st.booleans(), vectors(3, largest=1e6))
def test_any_points_make_a_line_with_finite_positions(corners: np.ndarray, closed: bool, points: np.ndarray) -> None:
    line = spline(corners, closed)
    along = line.nearest(points)
    assert np.isfinite(line.points).all()
    assert np.isfinite(line.tangents).all()
    assert np.isfinite(line.position(along)).all()
    assert np.isfinite(line.tangent(along)).all()
    assert (along >= 0.0).all()
    assert (along <= line.length).all()


def test_on_a_closed_line_no_reach_leads_further_than_half_round() -> None:
    t = np.linspace(0.0, 2.0 * np.pi, 80, endpoint=False)
    line = spline(np.stack((9.0 * np.cos(t), 4.0 * np.sin(t), np.sin(3.0 * t)), axis=-1), True)
    rng = np.random.default_rng(8)
    points, along = rng.uniform(-10.0, 10.0, (40, 3)), rng.uniform(0.0, line.length, 40)
    half = line.nearest_within(points, along, np.full(40, 0.5 * line.length))
    assert (line.nearest_within(points, along, np.full(40, 50.0 * line.length)) == half).all()
