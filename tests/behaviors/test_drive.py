"""Drive (paper, Introduction: the stray that is fetched): what it alone promises."""

import numpy as np
import pytest

from steering_addon.behaviors.drive import Drive
from steering_addon.locomotion import Planar
from tests.sampling import sampled
from tests.scene import Scene, leaders, locked, positions

HERD, STRAYS = 12, 2


def scene(start: object = (0.0, 0.0, 0.0), **parameters) -> Scene:
    """A driver, its target at (10, 0, 0) and a home at (-20, 0, 0)."""
    given = {"target": 1, "home": 2} | parameters
    tracked = leaders((10.0, 0.0, 0.0), (-20.0, 0.0, 0.0))
    return Scene([start], behaviors=[(Drive, given)], locomotions=[(Planar, {})], tracked=tracked)


@sampled
@pytest.mark.parametrize("start", [(0.0, 0.0, 0.0), (0.0, 5.0, 0.0), (12.0, -6.0, 0.0)])
def test_it_gets_behind_its_target_and_keeps_its_gap(start: tuple[float, float, float]) -> None:
    path = positions(scene(start).run(24 * 15))[:, 0]
    assert np.allclose(path[-1], (14.0, 0.0, 0.0), atol=0.3)


def test_it_swings_wide_past_a_target_on_the_side_of_home() -> None:
    path = positions(scene().run(24 * 15))[:, 0]
    distance = np.linalg.norm(path - (10.0, 0.0, 0.0), axis=1)
    passing = (path[:, 0] > 7.0) & (path[:, 0] < 13.0) & (np.abs(path[:, 1]) > 3.0)
    assert passing.any()
    assert distance[passing].min() > 5.0


@pytest.mark.parametrize("parameters", [{"target": -1}, {"home": -1}, {"home_distance": 40.0}])
def test_it_does_nothing_without_a_target_or_a_home_or_with_the_target_at_home(parameters: dict) -> None:
    place = scene(**parameters)
    world, agents, [drive] = place.seen()
    assert (place.steering()[0] == 0.0).all()
    assert np.isnan(drive.goal(world, agents, None)).all()


@pytest.mark.parametrize("herd", [-1, 0])
def test_without_a_home_it_drives_to_the_middle_of_the_others_of_a_crowd(herd: int) -> None:
    """With the quarry in that crowd, it does not count itself: the middle is that of the two others."""
    tracked = locked((10.0, 0.0, 0.0), (-3.0, 2.0, 0.0), (-3.0, -2.0, 0.0), crowd=0)
    driver = Scene(
        [(14.0, 0.0, 0.0)],
        behaviors=[(Drive, {"target": 1, "herd": herd})],
        locomotions=[(Planar, {})],
        tracked=tracked,
    )
    world, agents, [drive] = driver.seen()
    home, known = drive._home(world, agents)
    assert known.all()
    mates = (world.bodies.crowd == 0) & (np.arange(4) != 1)
    assert np.allclose(home, [world.bodies.position[mates].mean(axis=0)])
