"""Meshes: the fast queries equal trying every triangle."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.simulation.geometry.first_contact import MESH_CLOSE, StraightCourses, first_touch, touch_mesh
from steering_addon.simulation.geometry.meshes import Mesh, _least, _left_of, mesh, silhouette
from steering_addon.simulation.geometry.shapes import INSIDE
from tests.sampling import sampled
from tests.scene import about
from tests.simulation.odd_input import BOUNDED, vectors
from tests.surfaces import ball, block, mesh_obstacles, ring, sheet

SURFACES: dict[str, Callable[[], Mesh]] = {
    "ball": lambda: ball(2.0, 8),
    "block": lambda: block((2.0, 1.0, 0.5)),
    "ring": lambda: ring(fineness=6),
    "sheet": lambda: sheet(3.0),
}
each = pytest.mark.parametrize("surface", SURFACES)


def nearest_on_triangle(point: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """The nearest point of a triangle: the foot on its face if that is inside, else the nearest point of a side."""
    normal = np.cross(b - a, c - a)
    if normal @ normal > 0.0:
        foot = point - normal * ((point - a) @ normal) / (normal @ normal)
        if all(np.cross(q - p, foot - p) @ normal >= 0.0 for p, q in ((a, b), (b, c), (c, a))):
            return foot
    best = a
    for p, q in ((a, b), (b, c), (c, a)):
        side = q - p
        part = np.clip((point - p) @ side / (side @ side), 0.0, 1.0) if side @ side > 0.0 else 0.0
        if np.linalg.norm(p + part * side - point) < np.linalg.norm(best - point):
            best = p + part * side
    return best


def distances(surface: Mesh, point: np.ndarray) -> np.ndarray:
    """The distance from a point to each triangle."""
    return np.array(
        [np.linalg.norm(nearest_on_triangle(point, *corners) - point) for corners in surface.corners.swapaxes(0, 1)]
    )


def joined(*parts: np.ndarray) -> Mesh:
    """One mesh of the triangles of several, (3, f, 3) each."""
    points = np.concatenate([part.swapaxes(0, 1).reshape(-1, 3) for part in parts])
    return mesh(points, np.arange(len(points)).reshape(-1, 3))


@pytest.mark.parametrize("faces", [1, -1], ids=["out", "in"])
def test_where_parts_overlap_is_inside_and_what_one_part_encloses_is_hollow(faces: int) -> None:
    """Two blocks run into each other; beside them a block stands in a room whose inner faces look either way."""
    rock, room = block((1.0, 1.0, 1.0)).corners, np.array((20.0, 0.0, 0.0))
    shells = [block((side, side, side)).corners + room for side in (5.0, 4.0, 1.0)]
    shells[1] = shells[1][::faces]
    for order in ([0, 1, 2, 3, 4], [3, 1, 4, 2, 0]):
        parts = [rock, rock + np.array((1.2, 0.3, 0.4)), *shells]
        whole = joined(*(parts[k] for k in order))
        x = np.array((-1.1, -0.5, 0.6, 1.7, 2.3, 14.5, 15.5, 17.0, 19.5, 24.5, 25.5))
        inside = whole.inside(np.stack((x, np.full(len(x), 0.01), np.full(len(x), 0.02)), axis=1))
        assert inside.tolist() == [False, True, True, True, False, False, True, False, True, True, False]


@pytest.mark.parametrize("start", [(0.3, 0.5, 0.99), (0.3, 0.5, 1.01), (0.1, -0.7, 1.2)])
def test_who_is_inside_blocks_that_are_joined_comes_nearer_to_the_outside(start: tuple[float, ...]) -> None:
    """A cabin stands on a hull: the faces between them, which are nearest, lead from one into the other."""
    hull, cabin = block((4.0, 3.0, 1.0)), block((1.5, 1.0, 0.8))
    wreck = joined(hull.corners, cabin.corners + np.array((0.0, 0.0, 1.8)))
    place, deep = np.array([start]), []
    for _ in range(40):
        distance, away = wreck.surface(place)
        deep.append(-distance[0])
        if deep[-1] < 0.0:
            break
        place = place + 0.09 * away
    assert -0.1 < deep[-1] < 0.0
    assert np.diff(deep[:-1]).max() < -0.08


@sampled
@each
def test_the_nearest_point_is_that_of_trying_every_triangle(surface: str) -> None:
    shape = SURFACES[surface]()
    points = np.random.default_rng(1).uniform(-5.0, 5.0, (25, 3))
    reach = np.where(np.arange(25) % 3 == 0, 1.5, np.inf)
    distance, place, triangle = shape.nearest(points, reach)
    for n, point in enumerate(points):
        every = distances(shape, point)
        if every.min() > reach[n]:
            assert distance[n] == np.inf and triangle[n] == -1 and (place[n] == point).all()
        else:
            assert distance[n] == pytest.approx(every.min(), abs=1e-9)
            assert every[triangle[n]] == pytest.approx(every.min(), abs=1e-9)
            assert np.linalg.norm(place[n] - point) == pytest.approx(every.min(), abs=1e-9)


@each
def test_a_course_hits_the_first_triangle_of_trying_every_triangle(surface: str) -> None:
    shape = SURFACES[surface]()
    rng = np.random.default_rng(2)
    points, aim = rng.uniform(-5.0, 5.0, (60, 3)), rng.uniform(-1.5, 1.5, (60, 3))
    course = (aim - points) / np.linalg.norm(aim - points, axis=1, keepdims=True)
    way, triangle = shape.hit(points, course, np.full(60, 9.0))
    hits = 0
    for n in range(60):
        best = np.inf
        for a, b, c in shape.corners.swapaxes(0, 1):
            sides = np.stack((b - a, c - a, -course[n]), axis=1)
            if abs(np.linalg.det(sides)) > 1e-12:
                u, v, t = np.linalg.solve(sides, points[n] - a)
                if u >= 0.0 and v >= 0.0 and u + v <= 1.0 and 0.0 <= t <= 9.0:
                    best = min(best, t)
        assert way[n] == pytest.approx(best, abs=1e-9)
        assert (triangle[n] >= 0) == np.isfinite(best)
        hits += np.isfinite(best)
    assert 10 < hits < 60


@pytest.mark.parametrize("up", [-1.0, 1.0])
def test_a_course_that_begins_on_a_flat_sheet_meets_it_there(up: float) -> None:
    points = np.array([[0.3, 0.1, 0.0], [-2.1, 1.9, 0.0]])
    way, triangle = sheet(3.0).hit(points, np.tile([0.0, 0.0, up], (2, 1)), np.full(2, 9.0))
    assert (way == 0.0).all() and (triangle >= 0).all()


def test_on_a_triangle_its_own_normal_leads_away_and_a_course_straight_at_it_touches_it() -> None:
    shape = block((2.0, 1.0, 0.5))
    aim, reach, rows = shape.corners.mean(axis=0), np.full(12, 0.1), np.zeros(12, dtype=np.int64)
    distance, away = shape.surface(aim)
    assert np.allclose(distance, 0.0) and np.allclose(away, shape.normal)
    way, away = mesh_obstacles([shape], [[0.0, 0.0, 0.0]]).touch(aim + 4.0 * shape.normal, -shape.normal, reach, rows)
    assert np.allclose(way, 3.9) and np.allclose(away, shape.normal)


def test_inside_agrees_with_the_formula_of_the_shape() -> None:
    points = np.random.default_rng(3).uniform(-3.0, 3.0, (2000, 3))
    box = (np.abs(points) < [2.0, 1.0, 0.5]).all(axis=1)
    assert (block((2.0, 1.0, 0.5)).inside(points) == box).all()
    far = np.linalg.norm(points, axis=1)
    certain = np.abs(far - 2.0) > 0.1
    assert (ball(2.0, 24).inside(points) == (far < 2.0))[certain].all()
    tube = np.hypot(np.hypot(points[:, 0], points[:, 1]) - 2.0, points[:, 2])
    certain = np.abs(tube - 0.8) > 0.1
    assert (ring(2.0, 0.8, 20).inside(points) == (tube < 0.8))[certain].all()
    assert not sheet().inside(points).any()


def test_inside_is_right_directly_below_corners_and_edges() -> None:
    """Points of a lattice whose vertical rays would graze corners and edges of the box."""
    grid = np.linspace(-1.5, 1.5, 13)
    points = np.stack(np.meshgrid(grid, grid, grid), axis=-1).reshape(-1, 3)
    within = (np.abs(points) < [1.0, 1.0, 1.0]).all(axis=1)
    on_it = np.isclose(np.abs(points), 1.0).any(axis=1)
    assert (block((1.0, 1.0, 1.0)).inside(points) == within)[~on_it].all()


def test_only_closed_surfaces_have_an_inside_and_their_normals_point_out() -> None:
    assert all(shape.closed for shape in (ball(), block((1.0, 1.0, 1.0)), ring()))
    assert not sheet().closed
    shape = ball()
    open_ball = mesh(shape.corners.reshape(-1, 3), np.arange(3 * len(shape)).reshape(3, -1).T[1:])
    assert not open_ball.closed
    inside_out = mesh(shape.corners.reshape(-1, 3), np.arange(3 * len(shape)).reshape(3, -1).T[:, ::-1])
    for closed, size in ((shape, 1.0), (inside_out, 1.0), (block((0.1, 0.1, 0.1)), 0.1)):
        middle = closed.corners.mean(axis=0)
        assert ((closed.normal * middle).sum(axis=1) > 0.9 * size).all()


def test_the_outline_of_a_ball_is_the_circle_seen_by_the_eye() -> None:
    shape = ball(1.0, 24)
    eye = np.array([[3.0, 1.0, 0.5]])
    seen = silhouette(shape, eye)[0]
    corner, triangle = np.nonzero(seen)
    middle = (shape.corners[corner, triangle] + shape.corners[(corner + 1) % 3, triangle]) / 2.0
    toward = eye[0] / np.linalg.norm(eye)
    assert np.abs(middle @ toward - 1.0 / np.linalg.norm(eye)).max() < 0.15
    length = np.linalg.norm(shape.corners[(corner + 1) % 3, triangle] - shape.corners[corner, triangle], axis=1).sum()
    assert length == pytest.approx(2.0 * np.pi * np.sqrt(1.0 - 1.0 / (eye @ eye.T).item()), rel=0.35)
    assert not silhouette(shape, np.zeros((1, 3)))[0].any(), "from inside there is no outline"


@BOUNDED
@given(
    st.integers(1, 7).flatmap(lambda n: vectors(n, largest=1e3)),
    st.lists(st.tuples(*[st.integers(0, 6)] * 3), max_size=12),
    vectors(4, largest=1e3),
)
def test_degenerate_meshes_give_finite_numbers(points: np.ndarray, rows: list, places: np.ndarray) -> None:
    """Triangles without area, duplicates, more than two triangles at an edge, or no triangles."""
    triangles = np.array([[r % len(points) for r in row] for row in rows], dtype=np.int64).reshape(-1, 3)
    shape = mesh(points, triangles)
    distance, away = shape.surface(places)
    assert not np.isnan(distance).any() and np.isfinite(away).all()
    assert np.isfinite(distance).all() == bool(len(triangles))
    if len(triangles):
        every = np.array([distances(shape, place).min() for place in places])
        assert np.allclose(np.abs(distance), every, rtol=1e-6, atol=1e-5)
    course = np.tile([0.6, 0.0, 0.8], (4, 1))
    obstacle = mesh_obstacles([shape], [[0.0, 0.0, 0.0]])
    way, side = obstacle.touch(places, course, np.full(4, 0.3), np.zeros(4, dtype=np.int64))
    assert not np.isnan(way).any() and np.isfinite(side).all() and (way >= 0.0).all()


@sampled
@pytest.mark.parametrize("side", [0, INSIDE])
def test_a_mesh_obstacle_touches_where_a_plain_search_finds_contact(side: int) -> None:
    turn = about((0.2, 0.5, 1.0), 40.0)
    obstacle = mesh_obstacles([ball(2.0, 12)], [[1.0, 2.0, 0.5]], turn, side=np.full(1, side))
    rng = np.random.default_rng(7)
    around = rng.uniform(-0.8, 0.8, (30, 3)) if side == INSIDE else rng.uniform(-7.0, 7.0, (30, 3))
    points, aim = obstacle.start[0] + around, obstacle.start[0] + rng.uniform(-2.0, 2.0, (30, 3))
    course = (aim - points) / np.linalg.norm(aim - points, axis=1, keepdims=True)
    reach, rows = np.full(30, 0.3), np.zeros(30, dtype=np.int64)
    way, away = obstacle.touch(points, course, reach, rows)
    steps = np.linspace(0.0, 14.0, 561)
    for n in range(30):
        gap = obstacle.surface(points[n] + steps[:, None] * course[n], np.zeros(len(steps), dtype=np.int64))[0] - 0.3
        if gap[0] < 0.0 or abs(gap.min()) < 0.1:
            continue
        result = steps[np.argmax(gap <= 0.0)] if (gap <= 0.0).any() else np.inf
        # Glancing courses touch a little early.
        assert way[n] - 0.05 <= result <= way[n] + 0.6 or way[n] == result
        assert not np.isfinite(result) or away[n] @ course[n] < 0.0
    assert np.isfinite(way).sum() > 10


def test_an_agent_that_has_left_the_mesh_it_is_kept_in_is_told_so_however_short_its_look() -> None:
    thing = mesh_obstacles([ball(2.0, 8)], [[0.0, 0.0, 0.0]], side=np.full(1, INSIDE))
    points, course = np.array([[3.0, 0.0, 0.0]]), np.array([[1.0, 0.0, 0.0]])
    way, away = thing.touch(points, course, np.full(1, 0.3), np.zeros(1, dtype=np.int64), np.full(1, 0.2))
    assert way[0] == 0.0
    assert np.allclose(away, [[-1.0, 0.0, 0.0]])


@pytest.mark.parametrize("width", [1e-3, 1e-6, 1e-9, 0.0])
def test_the_nearest_point_of_a_sliver_is_right(width: float) -> None:
    rng = np.random.default_rng(8)
    start, along, aside = (rng.uniform(-2.0, 2.0, (20, 3)) for _ in range(3))
    third = start + along * rng.uniform(-0.3, 1.3, (20, 1)) + aside * width
    thin = mesh(np.concatenate((start, start + along, third)), np.arange(60).reshape(3, 20).T)
    points = rng.uniform(-4.0, 4.0, (30, 3))
    distance, place, _ = thin.nearest(points, np.full(30, np.inf))
    for n, point in enumerate(points):
        assert distance[n] == pytest.approx(distances(thin, point).min(), abs=1e-7)
        assert np.linalg.norm(place[n] - point) == pytest.approx(distance[n], abs=1e-9)


def test_the_reversed_edge_gives_the_opposite_answer_to_the_last_bit() -> None:
    """A point on an edge is to the left of exactly one of its two triangles, however the edge is rounded."""
    rng = np.random.default_rng(5)
    start, end = rng.normal(size=(2, 4000, 3))
    end[:500, 0] = start[:500, 0]
    point = start + rng.uniform(size=(4000, 1)) * (end - start)
    assert np.array_equal(_left_of(start, end, point), ~_left_of(end, start, point))


def test_of_equally_near_triangles_the_first_counts() -> None:
    values, owner = np.array([3.0, 1.0, 1.0, 2.0, 2.0, np.inf]), np.array([0, 0, 0, 2, 2, 3])
    least, row = _least(values, owner, np.arange(10, 16), 4)
    assert least.tolist() == [1.0, np.inf, 2.0, np.inf]
    assert row.tolist() == [11, -1, 13, -1]


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
