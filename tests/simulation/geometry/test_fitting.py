"""The shape that an obstacle takes, for bodies whose volume is known by a formula."""

from collections.abc import Callable, Sequence
from math import cos, pi, sin

import numpy as np
import pytest

from steering_addon.simulation.geometry.fitting import Fit, fit
from steering_addon.simulation.geometry.shapes import BOX, MESH, ROUND
from tests.sampling import sampled
from tests.surfaces import Faces, cuboid, together

PERSON = 1.7


def block(x: tuple[float, float], y: tuple[float, float], z: tuple[float, float]) -> Faces:
    """A box whose floor and ceiling come first."""
    points, triangles = cuboid(*zip(z, y, x))
    return points[:, ::-1], triangles[:, ::-1]


def prism(outline: Sequence[tuple[float, float]], caps: Sequence[tuple[int, int, int]], height: float) -> Faces:
    """An outline, counterclockwise, from the ground up, with triangles of its corners as floor and ceiling."""
    n = len(outline)
    points = np.array([(x, y, z) for z in (0.0, height) for x, y in outline])
    sides = [each for k in range(n) for m in [(k + 1) % n] for each in ((k, m, n + m), (k, n + m, n + k))]
    ends = [each for a, b, c in caps for each in ((a, c, b), (n + a, n + b, n + c))]
    return points, np.array([*sides, *ends])


def pillar(radius: float, height: float) -> Faces:
    outline = [(radius * cos(2.0 * pi * k / 24), radius * sin(2.0 * pi * k / 24)) for k in range(24)]
    return prism(outline, [(0, k, k + 1) for k in range(1, 23)], height)


def table_of_points(
    across: int, along: int, place: Callable[[float, float], tuple[float, ...]], *, closed: bool
) -> Faces:
    """A net of places of (0 to 1, 0 to 1); if it is closed, it comes back to where the first begins."""
    rows, columns = (across, along) if closed else (across + 1, along)
    points = np.array([place(i / across, j / along) for j in range(columns + 1) for i in range(rows)])
    corner = [(i, (i + 1) % rows, j) for j in range(along) for i in range(across)]
    triangles = [
        each
        for i, k, j in corner
        for a in [j * rows]
        for b in [a + rows]
        for each in ((a + i, a + k, b + k), (a + i, b + k, b + i))
    ]
    return np.round(points, 9), np.array(triangles)


def boulder(bumps: float) -> Faces:
    def place(turn: float, rise: float) -> tuple[float, ...]:
        a, b = 2.0 * pi * turn, pi * (1.0 - rise)
        r = 1.0 + bumps * sin(b) * cos(4.0 * a) * sin(3.0 * b)
        return r * sin(b) * cos(a), r * sin(b) * sin(a), r * cos(b)

    return table_of_points(24, 16, place, closed=True)


def ring() -> Faces:
    """A ring of 4 m that stands."""

    def place(turn: float, round_: float) -> tuple[float, ...]:
        a, b = 2.0 * pi * turn, 2.0 * pi * round_
        return (2.0 + 0.25 * cos(b)) * cos(a), -0.25 * sin(b), (2.0 + 0.25 * cos(b)) * sin(a)

    return table_of_points(32, 12, place, closed=True)


def hills(height: float) -> Faces:
    def place(x: float, y: float) -> tuple[float, ...]:
        return 40.0 * x, 40.0 * y, height * sin(7.0 * x) * cos(6.0 * y)

    return table_of_points(30, 30, place, closed=False)


def wall_with_door(length: float, left: float, right: float, tall: float = 2.1) -> Faces:
    """A wall along x, 3 m high and .2 m thick, of one mesh."""
    outline = [(0, 0), (left, 0), (left, tall), (right, tall), (right, 0), (length, 0), (length, 3), (0, 3)]
    points, triangles = prism(outline, [(0, 1, 2), (0, 2, 7), (2, 3, 6), (2, 6, 7), (3, 4, 5), (3, 5, 6)], 0.2)
    return points[:, [0, 2, 1]], triangles[:, ::-1]


def window() -> Faces:
    """A wall with a hole that is 1.2 m high."""
    low, high = block((0, 4), (0, 0.2), (0, 1)), block((0, 4), (0, 0.2), (2.2, 3))
    return together(low, high, block((0, 1.5), (0, 0.2), (1, 2.2)), block((2.5, 4), (0, 0.2), (1, 2.2)))


def room() -> Faces:
    """Four walls with a door in one."""
    sides = block((0, 0.2), (0, 6), (0, 3)), block((7.8, 8), (0, 6), (0, 3)), block((0.2, 7.8), (5.8, 6), (0, 3))
    return together(*sides, block((0.2, 3), (0, 0.2), (0, 3)), block((4, 7.8), (0, 0.2), (0, 3)))


def seen_from_within() -> Faces:
    """A room of walls without thickness, neither floor nor ceiling."""
    points, triangles = block((0, 8), (0, 6), (0, 3))
    return points, triangles[4:, ::-1]


def without_floor() -> Faces:
    points, triangles = block((0, 4), (0, 0.2), (0, 3))
    return points, triangles[2:]


def with_corner() -> Faces:
    """Three quarters of a square house."""
    outline = [(0, 0), (4, 0), (4, 2), (2, 2), (2, 4), (0, 4)]
    return prism(outline, [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)], 3.0)


def table() -> Faces:
    legs = [block((x, x + 0.06), (y, y + 0.06), (0, 0.7)) for x in (0, 1.54) for y in (0, 0.74)]
    return together(block((0, 1.6), (0, 0.8), (0.7, 0.75)), *legs)


def sheet(left: float = 0.0, right: float = 0.0) -> Faces:
    """An upright plane, 5 m long and 3 m high, with a gap."""
    points = np.array([(x, 0.0, z) for x in (0.0, left, right, 5.0) for z in (0.0, 3.0)])
    if left == right:
        return points, np.array([(0, 6, 7), (0, 7, 1)])
    return points, np.array([(0, 2, 3), (0, 3, 1), (4, 6, 7), (4, 7, 5)])


SHAPES: dict[str, tuple[Faces, int]] = {
    "wall": (block((0, 4), (0, 0.2), (0, 3)), BOX),
    "thick wall": (block((0, 4), (0, 0.5), (0, 3)), BOX),
    "wall without floor": (without_floor(), BOX),
    "wall with door": (wall_with_door(4.0, 1.5, 2.4), MESH),
    "long wall with door": (wall_with_door(40.0, 15.0, 15.9), MESH),
    "wall with window": (window(), BOX),
    "plane": (sheet(), BOX),
    "plane with door": (sheet(2.0, 3.0), MESH),
    "room": (room(), MESH),
    "room seen from within": (seen_from_within(), MESH),
    "L": (with_corner(), MESH),
    "two posts": (together(block((0, 0.2), (0, 0.2), (0, 3)), block((3, 3.2), (0, 0.2), (0, 3))), MESH),
    "table": (table(), BOX),
    "ball": (boulder(0.0), ROUND),
    "boulder": (boulder(0.15), ROUND),
    "pillar": (pillar(0.3, 3.0), ROUND),
    "column": (pillar(0.5, 2.0), ROUND),
    "drum": (pillar(1.0, 0.5), BOX),
    "ring": (ring(), MESH),
    "hills": (hills(4.0), MESH),
    "low hills": (hills(0.5), MESH),
    "flat ground": (hills(0.0), BOX),
}


def fitted(body: Faces, height: float = PERSON, up: int = 2) -> Fit:
    points, triangles = body
    return fit(points, points, triangles, up, height)


@pytest.mark.parametrize("name", SHAPES)
def test_an_obstacle_takes_the_shape_that_fits(name: str) -> None:
    body, shape = SHAPES[name]
    assert fitted(body).shape == shape


@sampled
@pytest.mark.parametrize("name", SHAPES)
def test_it_takes_the_same_at_any_scale_place_and_axis(name: str) -> None:
    """The axes change places in turn, which mirrors nothing."""
    (points, triangles), shape = SHAPES[name]
    for scale in (0.01, 100.0):
        assert fitted((scale * points + 300.0 * scale, triangles), scale * PERSON).shape == shape
    assert fitted((np.roll(points, 1, axis=1), triangles), up=0).shape == shape


def test_volumes_are_those_of_formulas() -> None:
    covers = fitted(pillar(1.0, 4.0)).covers
    area = 12.0 * sin(2.0 * pi / 24)
    assert covers[BOX] == pytest.approx(4.0 / area, rel=1e-6)
    assert covers[ROUND] == pytest.approx(pi / area, rel=1e-6)


def test_who_is_lower_finds_a_way_where_a_person_does_not() -> None:
    """A hole of 1.2 m is a window for people, and a door for dogs."""
    body = together(
        block((0, 1.5), (0, 0.2), (0, 3)), block((2.5, 4), (0, 0.2), (0, 3)), block((1.5, 2.5), (0, 0.2), (1.2, 3))
    )
    assert not fitted(body).closes
    assert fitted(body, height=0.8).closes
    assert fitted(body, height=0.8).shape == MESH


def test_points_without_faces_are_round_or_a_box() -> None:
    points, triangles = boulder(0.0)
    assert fitted((points, np.zeros((0, 3), dtype=np.int64))).shape == ROUND
    assert fitted((points, triangles[:1])).shape == ROUND
    assert fitted((np.array([(0.0, 0.0, 0.0), (4.0, 0.2, 3.0)]), np.zeros((0, 3), dtype=np.int64))).shape == BOX
    assert not fitted((np.zeros((1, 3)), np.zeros((0, 3), dtype=np.int64))).has_faces
