"""Of several places that stand still, walkers take the one that they reach soonest by their ways."""

from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.seek import Seek
from steering_addon.simulation.candidates import FIRST, NEAREST_ONE, Candidates
from steering_addon.simulation.declaration import NEAREST
from steering_addon.simulation.geometry.obstacles import Obstacles
from steering_addon.simulation.run import step
from tests.scene import Scene, leaders
from tests.simulation.ways.grounds import FPS, NOTHING, PLATE, UPSTAIRS, walkers, walls

EXITS = (11.0, 0.0, 0.0), (-11.0, 0.0, 0.0)
HALL = walls(
    *(((x, *y, 0.0), (x + 0.2, *z, 3.0)) for x in (-8.2, 8.0) for y, z in (((-5.0,), (-0.6,)), ((0.6,), (5.0,))))
)
"""Between two walls with a door each, and an exit behind each."""


def visitors(places: Any, target: int, exits: Any = EXITS, things: Obstacles = HALL, ground: Any = PLATE) -> Scene:
    scene = walkers(ground, things, (0.0, 0.0, 0.0), places)
    n = len(places)
    scene.tracked = leaders(*exits)
    scene.behaviors[0] = (Seek, {"target": np.full(n, target)})
    scene.candidates = (Candidates(n + np.arange(len(exits)), np.arange(len(exits), dtype=np.uint64), NEAREST_ONE),)
    return scene


def taken(scene: Scene) -> np.ndarray:
    """The number of the exit that each takes."""
    _, _, [seek, *_] = scene.seen()
    return seek.target - len(scene.position)


@pytest.mark.parametrize("target", [FIRST, NEAREST], ids=["a collection", "all leaders"])
def test_a_place_behind_a_wall_or_upstairs_is_as_far_as_the_way_there(target: int) -> None:
    closed = walls(((-0.1, -5.0, 0.0), (0.1, 4.0, 3.0)))
    beside_it = visitors([(-1.0, -4.0, 0.0)], target, ((1.0, -4.0, 0.0), (-6.0, -4.0, 0.0)), closed)
    assert taken(beside_it).tolist() == [1]
    below = visitors([(2.0, 5.0, 0.0)], target, ((2.0, 5.0, 3.0), (9.0, 9.0, 0.0)), NOTHING, UPSTAIRS)
    assert taken(below).tolist() == [1]


def test_a_place_that_is_out_of_reach_is_taken_only_if_all_are() -> None:
    wall = ((-0.1, -5.0, 0.0), (0.1, 5.0, 3.0))
    exits = (1.0, 0.0, 0.0), (-9.0, 0.0, 0.0), (6.0, 0.0, 0.0)
    assert taken(visitors([(-1.0, 0.0, 0.0)], FIRST, exits, walls(wall))).tolist() == [1]
    assert taken(visitors([(-1.0, 0.0, 0.0)], FIRST, exits[::2], walls(wall))).tolist() == [0]


def test_two_exits_share_a_throng_that_is_near_one_of_them() -> None:
    rng = np.random.default_rng(0)
    places = np.column_stack((rng.uniform(2.0, 7.5, 50), rng.uniform(-4.5, 4.5, 50), np.zeros(50)))
    scene = visitors(places, FIRST)
    assert (taken(scene) == 0).all()
    state = scene.start()
    for frame in range(8 * FPS):
        state = step(state, scene.snapshot(frame))
        if np.count_nonzero(state.motion.velocity[:, 0] < -0.5) >= 3:
            return
    pytest.fail("All go to the exit that is nearer.")
