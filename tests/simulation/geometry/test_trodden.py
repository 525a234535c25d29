"""A mesh that is obstacle and surface in one is ground where it can be walked, and a wall elsewhere."""

from itertools import pairwise

import numpy as np
import pytest

from steering_addon.scene import mesh, mesh_obstacles
from steering_addon.simulation.geometry.obstacles import Obstacles
from steering_addon.simulation.geometry.stature import Stature
from steering_addon.simulation.geometry.surfaces import Surfaces, surfaces
from tests.scene import about, positions, turned
from tests.simulation.ways.grounds import walkers
from tests.surfaces import BOX, Faces, together

REACH = 0.25
INSIDE = 0.9
"""Metres from the middle of the bridge to the inner faces of its rails."""


def bar(first: tuple[float, float], last: tuple[float, float], sides: tuple[float, float], tall: float) -> Faces:
    """A bar between two ends (x, z), which reaches up by a height."""
    points = [(x, y, z + up) for x, z in (first, last) for y in sides for up in (0.0, tall)]
    return np.array(points), BOX


def arch(x: np.ndarray) -> np.ndarray:
    return 0.9 * np.cos(x / 5.0 * np.pi / 2.0)


def bridge() -> Faces:
    """An arch over x from -5 to 5, of slabs with rails."""
    parts = []
    for a, b in pairwise(zip(np.linspace(-5.0, 5.0, 13), arch(np.linspace(-5.0, 5.0, 13)))):
        parts.append(bar((a[0], a[1] - 0.15), (b[0], b[1] - 0.15), (-1.0, 1.0), 0.15))
        for sides in ((-1.0, -INSIDE), (INSIDE, 1.0)):
            parts.append(bar((a[0], a[1] + 0.9), (b[0], b[1] + 0.9), sides, 0.1))
    return together(*parts)


def stage() -> Faces:
    """Four steps of .2 m from x = 0 on, then a stage of .8 m that is 2 m wide, with a wall of 1 m at its end."""
    steps = [bar((0.3 * k, 0.0), (0.3 * k + 0.3, 0.0), (-1.0, 1.0), 0.2 * k + 0.2) for k in range(4)]
    return together(
        *steps, bar((1.2, 0.0), (4.0, 0.0), (-1.0, 1.0), 0.8), bar((3.8, 0.8), (4.0, 0.8), (-1.0, 1.0), 1.0)
    )


def solid(body: Faces, trodden: bool = True, tilt: np.ndarray | None = None) -> Obstacles:
    tilt = np.eye(3) if tilt is None else tilt
    return mesh_obstacles([mesh(turned(body[0], tilt.T), body[1], trodden=trodden)], [[0.0, 0.0, 0.0]], tilt.T)


def people(n: int) -> Stature:
    return Stature(*(np.full(n, value) for value in (0.0, 0.3, 1.8, 0.61)))


def met(thing: Obstacles, places: np.ndarray, course: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """How near people are at places, and how far they may go on a course, up to 3 m."""
    n = len(places)
    rows, body = np.zeros(n, dtype=np.int64), people(n)
    way, _ = thing.touch(places, np.tile(course, (n, 1)), np.full(n, REACH), rows, np.full(n, 3.0), body)
    return thing.surface(places, rows, body)[0], way


@pytest.mark.parametrize("degrees", [0.0, 20.0])
def test_who_is_on_a_bridge_meets_its_rails_and_not_its_deck(degrees: float) -> None:
    x = np.linspace(-4.9, 4.9, 40)
    for y in (-0.5, 0.0, 0.6):
        places = np.column_stack((x, np.full(40, y), arch(x)))
        gap, way = met(solid(bridge(), tilt=about((1.0, 0.3, 0.0), degrees)), places, (1.0, 0.0, 0.0))
        assert gap == pytest.approx(INSIDE - abs(y), abs=0.02)
        assert np.isinf(way).all()
        assert met(solid(bridge()), places, (0.0, 1.0, 0.0))[1] == pytest.approx(INSIDE - REACH - y, abs=0.02)
        assert (met(solid(bridge(), trodden=False), places, (1.0, 0.0, 0.0))[0] < 0.5).all(), "it can fail"


def test_steps_that_are_trodden_are_no_walls_but_what_is_higher_is() -> None:
    thing, up = solid(stage()), np.array([-1.0, -0.3, 0.0, 0.15, 0.45, 0.75, 1.05, 1.4])
    places = np.column_stack((up, np.zeros(8), np.clip(np.floor(up / 0.3) * 0.2 + 0.2, 0.0, 0.8)))
    gap, way = met(thing, places, (1.0, 0.0, 0.0))
    assert (gap > REACH).all()
    assert np.isinf(way[up < 0.5]).all()
    assert way[-1] == pytest.approx(3.8 - 1.4 - REACH, abs=0.02), "the wall at the end"
    beside = np.array([[2.0, -1.5, 0.0]])
    assert met(thing, beside, (0.0, 1.0, 0.0))[0] == pytest.approx(0.5)
    assert met(thing, np.array([[2.0, -0.9, 0.8]]), (1.0, 0.0, 0.0))[0] > REACH, "the edge under the feet"


def test_who_has_no_feet_meets_all_of_it() -> None:
    points, rows = np.random.default_rng(1).uniform((-6.0, -2.0, -1.0), (6.0, 2.0, 2.0), (50, 3)), np.zeros(50, int)
    for trodden, untrodden in zip(solid(bridge()).surface(points, rows), solid(bridge(), False).surface(points, rows)):
        assert np.array_equal(trodden, untrodden)


def test_who_is_sunk_in_ground_without_walls_is_near_to_nothing() -> None:
    hill = solid(bar((-2.0, -1.0), (2.0, -0.6), (-1.0, 1.0), 0.9))
    gap, way = met(hill, np.array([[0.0, 0.0, 0.05]]), (1.0, 0.0, 0.0))
    assert gap[0] > 1e3
    assert np.isinf(way).all()
    before = met(solid(bar((0.0, 0.0), (2.0, 0.0), (-1.0, 1.0), 0.25)), np.array([[-0.5, 0.0, 0.0]]), (1.0, 0.0, 0.0))
    assert before[0][0] > 1e3 and np.isinf(before[1][0]), "a low stage"


def land(*bodies: Faces) -> Surfaces:
    return surfaces([bars[:2] for bars in bodies])


def test_people_cross_a_bridge_of_one_mesh_between_its_rails() -> None:
    banks = [bar((s * 9.0, -1.0), (s * 4.0, -1.0), (-4.0, 4.0), 1.0) for s in (-1.0, 1.0)]
    scene = walkers(land(*banks, bridge()), solid(bridge()), (8.0, 0.0, 0.0), [[-6.0, 1.0, 0.0]])
    track = positions(scene.run_until_each(lambda state: state.motion.position[:, 0] > 4.5, 200))
    assert (track[-1, :, 0] > 4.5).all()
    assert np.abs(track[np.abs(track[..., 0]) < 4.5, 1]).max() < INSIDE - 0.2
