"""Reaching: whether an agent came near its target during the last step."""

import numpy as np
import pytest

from steering_addon.simulation.maneuvers.reaching import reached
from tests.scene import Scene, flat_or_free, leaders


def test_a_target_is_reached_if_it_was_near_enough_at_any_time_of_the_last_step() -> None:
    """As by trying many times between then and now; also if it moves."""
    rng = np.random.default_rng(1)
    both = set()
    for plane in (False, True):
        start, drift = rng.uniform(-3.0, 3.0, (60, 3)), rng.normal(0.0, 3.0, 3)
        scene = Scene(
            start,
            forward=rng.normal(size=(60, 3)) * (1.0, 1.0, not plane),
            speed=rng.uniform(0.0, 99.0, 60),
            tracked=leaders([0.0, 0.0, 0.0]),
            drift=drift,
            vehicle={"max_speed": 99.0},
            locomotions=flat_or_free(plane),
        )
        world, agents, _ = scene.seen()
        within = np.where(np.arange(60) % 3, rng.uniform(0.2, 2.0, 60), 0.0)
        result = reached(world, agents, np.full(60, 60), within)
        back = np.linspace(0.0, world.dt, 2000)[:, None]
        for n in range(60):
            offset = world.bodies.position[60] - back * world.bodies.velocity[60]
            offset = (offset - agents.position[n] + back * agents.velocity[n]) * (1.0, 1.0, not plane)
            nearest, near = np.linalg.norm(offset, axis=1).min(), within[n] or 1.0
            if abs(nearest - near) > 1e-3:
                assert result[n] == (nearest < near)
                both.add(bool(result[n]))
    assert both == {True, False}


@pytest.mark.parametrize("radius", [0.2, 0.7])
def test_without_a_distance_the_bodies_have_to_touch(radius: float) -> None:
    scene = Scene([[0.0, 0.0, 0.0]] * 2, tracked=leaders([radius + 0.49, 0.0, 0.0], [0.0, radius + 0.51, 0.0]))
    scene.vehicle = {"radius": radius}
    world, agents, _ = scene.seen()
    assert reached(world, agents, np.array([2, 3]), np.zeros(2)).tolist() == [True, False]
    assert reached(world, agents, np.array([-1, -1]), np.full(2, 9.0)).tolist() == [False, False]


def test_bodies_that_just_touch_have_reached_each_other_whichever_row_they_have() -> None:
    world, agents, _ = Scene([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]).seen()
    assert reached(world, agents, np.array([1, 0]), np.zeros(2)).tolist() == [True, True]


def test_what_was_near_before_the_last_step_only_is_not_reached() -> None:
    scene = Scene([[0.0, 0.0, 0.0]], speed=24.0, tracked=leaders([0.0, -1.9, 0.0]), vehicle={"max_speed": 30.0})
    world, agents, _ = scene.seen()
    assert [bool(reached(world, agents, np.array([1]), np.array([x]))[0]) for x in (0.89, 0.91)] == [False, True]
