"""Braking: the distances and speeds that behaviors plan with."""

import numpy as np
import pytest

from steering_addon.simulation.arrays.scalars import least_of_each
from steering_addon.simulation.maneuvers.braking import (
    COMFORT,
    CREEP,
    NEAR,
    brake,
    limit_approach,
    room_between,
    speed_to_fall_back,
    speed_to_stop,
    stopping_distance,
)
from tests.scene import Scene, about

N = 30


def drivers(**changes) -> Scene:
    """Vehicles of all kinds at different speeds, the half of them on the ground."""
    rng = np.random.default_rng(1)
    vehicle = {
        "mass": rng.uniform(0.5, 3.0, N),
        "max_force": rng.uniform(2.0, 20.0, N),
        "max_speed": rng.uniform(3.0, 8.0, N),
        "cruise_speed": rng.uniform(0.2, 1.0, N),
        "response_time": rng.uniform(0.1, 2.0, N),
    }
    speed = rng.uniform(0.0, 3.0, N)
    return Scene(rng.uniform(-9.0, 9.0, (N, 3)), **({"speed": speed, "vehicle": vehicle} | changes))


def test_braking_reaches_a_lower_speed_in_the_response_time_and_never_speeds_up() -> None:
    _, agents, _ = drivers().seen()
    allowed = np.random.default_rng(2).uniform(0.0, 3.0, N)
    after = agents.velocity + brake(agents, allowed) / agents.mass[:, None] * agents.vehicle.response_time[:, None]
    assert np.allclose(after, agents.forward * np.minimum(agents.speed, allowed)[:, None])


def test_an_agent_that_brakes_with_a_share_of_its_force_stands_after_the_stopping_distance() -> None:
    """Half the product of speed and time, at a constant force."""
    _, agents, _ = drivers().seen()
    time = agents.speed * agents.mass / (COMFORT * agents.max_force)
    assert stopping_distance(agents) == pytest.approx(0.5 * agents.speed * time)
    assert stopping_distance(agents, 2.0 * agents.speed) == pytest.approx(4.0 * stopping_distance(agents))


def test_in_a_row_in_which_each_makes_room_for_the_next_nobody_stops() -> None:
    speed = [np.array([8.0])]
    for _ in range(5):
        speed.append(speed_to_fall_back(speed[-1], np.array([-4.0]), np.zeros(1)))
    assert speed[1] == 6.0, "it has room behind the other in two seconds"
    assert speed[-1] > 1.0


def test_no_agent_speeds_up_toward_what_it_brakes_for_beyond_what_moves_ahead_or_a_slow_approach() -> None:
    _, agents, _ = drivers().seen()
    rng = np.random.default_rng(3)
    agent, allowed, ahead = rng.integers(0, N, 200), rng.uniform(0.0, 12.0, 200), rng.uniform(-2.0, 4.0, 200)
    result = limit_approach(agents, agent, allowed, ahead)
    near = speed_to_stop(agents, agent, NEAR * agents.extent[agent])
    for n, row in enumerate(agent):
        # Near to where it has to stop it waits instead of closing up.
        approach = CREEP * agents.cruise_speed[row] if allowed[n] > near[n] else 0.0
        fastest = max(agents.speed[row], approach, ahead[n])
        expected = allowed[n] if allowed[n] >= agents.max_speed[row] else min(allowed[n], fastest)
        assert result[n] == expected
    at_top_speed = limit_approach(agents, np.arange(N), agents.max_speed, np.zeros(N))
    assert (at_top_speed == agents.max_speed).all()


@pytest.mark.parametrize("degrees", [0.0, 30.0, 90.0, 150.0, 180.0])
def test_two_bodies_have_the_room_between_of_their_radii_and_of_how_far_their_axes_reach(degrees: float) -> None:
    """Along the way of the first, its whole axis lies; across it, only part of the axis of the second."""
    ways = np.array([[0.0, 1.0, 0.0], about((0.0, 0.0, 1.0), degrees) @ (0.0, 1.0, 0.0)])
    vehicle = {"radius": np.array([0.5, 0.8]), "length": np.array([3.0, 6.0])}
    world, agents, _ = Scene([[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]], forward=ways, vehicle=vehicle).seen()
    along, across = room_between(world, agents, np.array([0]), np.array([1]), np.array([ways[0] @ ways[1]]))
    end = np.abs((3.0 - 0.8) * ways[1])
    assert along[0] == pytest.approx(1.3 + (1.5 - 0.5) + end[1])
    assert across[0] == pytest.approx(1.3 + end[0])
    world, agents, _ = Scene([[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]], vehicle={"radius": vehicle["radius"]}).seen()
    assert [x.tolist() for x in room_between(world, agents, np.array([0]), np.array([1]), np.ones(1))] == [[1.3]] * 2


def test_the_least_value_of_each_agent_counts() -> None:
    assert least_of_each(4, np.array([2, 0, 2, 2]), np.array([3.0, 5.0, 1.0, 2.0])).tolist() == [
        5.0,
        np.inf,
        1.0,
        np.inf,
    ]


def test_axes_that_are_parallel_but_for_rounding_have_room_between_them() -> None:
    world, agents, _ = Scene([[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]], vehicle={"length": 4.0}).seen()
    along, across = room_between(world, agents, np.array([0]), np.array([1]), np.array([1.0 + 1e-15]))
    assert (along[0], across[0]) == pytest.approx((4.0, 1.0))
