"""The obstacles that agents look at: those that they may have to avoid, and no others."""

import numpy as np
import pytest

from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.simulation.avoiding import threats
from steering_addon.simulation.geometry.obstacles import Obstacles, obstacles
from tests.scene import Scene, flat_or_free

AGENTS, THINGS = 40, 300


def crowded(extent: float, *, level: bool) -> Scene:
    """Vehicles among pillars and balls in a cube of this half side in metres, some of which move."""
    rng = np.random.default_rng(3)
    start = rng.uniform(-extent, extent, (THINGS, 3))
    end = start + np.where(np.arange(THINGS)[:, None] % 2, rng.normal(0.0, 3.0, (THINGS, 3)), 0.0)
    velocity = rng.normal(0.0, 2.0, (THINGS, 3)) * (np.arange(THINGS)[:, None] % 3 == 0)
    return Scene(
        position=rng.uniform(-extent, extent, (AGENTS, 3)),
        forward=rng.normal(size=(AGENTS, 3)) * ((1.0, 1.0, 0.0) if level else 1.0),
        speed=rng.uniform(0.0, 8.0, AGENTS),
        behaviors=[(ObstacleAvoidance, {"look_ahead_time": 1.0})],
        obstacles=obstacles(start, rng.uniform(0.2, 1.5, THINGS), end, velocity=velocity),
        locomotions=flat_or_free(level),
    )


@pytest.mark.parametrize("level", [False, True])
@pytest.mark.parametrize("extent", [8.0, 20.0, 40.0])
def test_obstacles_out_of_reach_make_no_difference(monkeypatch, extent: float, level: bool) -> None:
    place = crowded(extent, level=level)
    force = place.steering()[0]
    monkeypatch.setattr(threats, "MANY", THINGS)
    assert np.array_equal(force, place.steering()[0])
    assert (force != 0.0).any()


def test_only_near_obstacles_are_looked_at(monkeypatch) -> None:
    looked_at = []
    pressing = threats.most_pressing

    def watched(*given):
        looked_at.append(given[3].shape[1])
        return pressing(*given)

    monkeypatch.setattr(threats, "most_pressing", watched)
    crowded(100.0, level=False).steering()
    assert max(looked_at) < THINGS / 10


def test_without_obstacles_near_nothing_is_steered() -> None:
    far: Obstacles = obstacles(np.full((50, 3), 1e4), 1.0)
    place = Scene(position=[[0.0, 0.0, 0.0]], speed=4.0, behaviors=[(ObstacleAvoidance, {})], obstacles=far)
    assert not place.steering()[0].any()
