"""The turn past the outline of a mesh."""

import numpy as np
import pytest

from steering_addon.simulation.avoiding.walls import turns_past_outline
from steering_addon.simulation.geometry.meshes import silhouette
from tests.surfaces import block


@pytest.mark.parametrize("reach", [0.1, 0.5, 1.5])
def test_the_arc_passes_the_edge_at_the_distance_to_keep(reach: float) -> None:
    """A block from x -1 to 3 and y 5 to 7, seen from the origin: the nearer edge is at (-1, 5)."""
    thing, eye = block((2.0, 1.0, 4.0)), np.array([[-1.0, -6.0, 0.0]])
    course, up = np.array([[0.0, 1.0, 0.0]]), np.array([[0.0, 0.0, 1.0]])
    # The surface is far off, so that only the edge counts.
    far, keep, plane = np.array([1e9]), np.array([reach]), np.array([True])
    [turn], [bend] = turns_past_outline(thing, eye, course, -course, far, keep, up, plane)
    assert np.allclose(turn, (-1.0, 0.0, 0.0))
    centre, edge = eye[0] + turn / bend, np.array([-2.0, -1.0, 0.0])
    assert np.linalg.norm(edge - centre) == pytest.approx(1.0 / bend + reach)


@pytest.mark.parametrize("plane", [True, False])
def test_the_turn_is_the_easiest_of_those_past_the_edges_of_the_outline(plane: bool) -> None:
    """By trying many points of each: at the agent's height on the ground, else the one nearest to the course.

    The circle that passes the edge may also be bound by the surface, which it must not meet before.
    """
    rng, thing, up = np.random.default_rng(4), block((2.0, 1.0, 1.5)), np.array([0.0, 0.0, 1.0])
    share = np.linspace(0.0, 1.0, 4001)[:, None]
    n = 40
    eye = rng.normal(size=(n, 3))
    eye *= 7.0 / np.linalg.norm(eye, axis=1, keepdims=True)
    if plane:
        eye[:, 2] = rng.uniform(-0.8, 0.8, n)
    aim = rng.uniform(-0.9, 0.9, (n, 3)) * (2.0, 1.0, 1.5)
    course = (aim - eye) * (1.0, 1.0, not plane)
    course /= np.linalg.norm(course, axis=1, keepdims=True)
    side = -course + 0.4 * rng.normal(size=(n, 3))
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    room, reach = rng.uniform(0.5, 9.0, n), rng.uniform(0.1, 0.6, n)
    met = np.isfinite(thing.hit(eye, course, np.full(n, np.inf))[0])
    turn, bend = turns_past_outline(thing, eye, course, side, room, reach, np.tile(up, (n, 1)), np.full(n, plane))
    assert met.sum() > 20
    for row in range(n):
        choices = []
        for corner, triangle in zip(*np.nonzero(silhouette(thing, eye[row : row + 1])[0])):
            first, last = thing.corners[corner, triangle], thing.corners[(corner + 1) % 3, triangle]
            points = first + share * (last - first) - eye[row]
            ahead = points @ course[row]
            off = np.linalg.norm(points - ahead[:, None] * course[row], axis=1)
            best = np.argmin(np.abs(points[:, 2]) if plane and abs(last[2] - first[2]) > 1e-9 else off)
            if plane and abs(points[best, 2]) > reach[row]:
                continue
            point = points[best] * (1.0, 1.0, not plane)
            ahead = point @ course[row]
            aside = point - ahead * course[row]
            gap = np.linalg.norm(aside)
            curve = 2.0 * (gap + reach[row]) / (ahead**2 + gap**2 - reach[row] ** 2)
            toward, along_side = -side[row] @ course[row], side[row] @ aside / gap
            curve = max(curve, (np.hypot(toward, along_side) - along_side) / room[row])
            choices.append((curve * (gap + reach[row]), curve, *aside / gap))
        if not met[row]:
            assert np.isinf(bend[row]) and (turn[row] == 0.0).all()
        elif choices:
            expected = np.array(min(choices))
            assert bend[row] == pytest.approx(expected[1], rel=5e-3)
            assert turn[row] == pytest.approx(expected[2:], abs=5e-3)
