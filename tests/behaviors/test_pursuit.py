"""Pursuit (paper, Pursuit): heads for the predicted position of the quarry."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from steering_addon.behaviors.pursuit import CONSTANT_HEADING, SLOWEST, Chasing, Pursuit
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import OnFoot
from tests.sampling import sampled
from tests.scene import Scene, leaders, positions
from tests.simulation.odd_input import BOUNDED

FPS = 12
FRESH = Chasing.blank(1)


def chase(start: object = (0.0, 0.0, 0.0), drift: object = (0.0, 0.0, 0.0), **changes) -> Scene:
    given = {
        "position": [start],
        "behaviors": [(Pursuit, {})],
        "tracked": leaders([0.0, 12.0, 0.0]),
        "drift": drift,
        "speed": 5.0,
        "fps": FPS,
    }
    return Scene(**(given | changes))


def caught(place: Scene, seconds: float = 12.0) -> float:
    """The time until a chaser is within a metre of its quarry, seconds; inf if it never is."""
    states = place.run(int(seconds * FPS))
    quarry = place.tracked.position[0] + np.asarray(place.drift) * (np.arange(len(states)) / FPS)[:, None]
    near = np.linalg.norm(positions(states)[:, 0] - quarry, axis=1) < 1.0
    return float(np.argmax(near)) / FPS if near.any() else np.inf


@pytest.mark.parametrize("pause", [0.0, 2.0])
def test_what_it_has_let_go_it_does_not_near(pause: float) -> None:
    """Else it would take the quarry for missed as soon as it begins again."""
    world, agents, [pursuit] = chase().seen()
    after = pursuit.steer(world, agents, replace(FRESH, pause=np.array([pause]))).memory
    assert after.nearing[0] == (pause == 0.0)


def test_a_quarry_at_rest_is_sought() -> None:
    place = chase(start=(3.0, 1.0, 2.0))
    assert np.array_equal(place.steering()[0], replace(place, behaviors=[(Seek, {})]).steering()[0])


@sampled
@pytest.mark.parametrize("drift", [(3.0, 0.0, 0.0), (-2.5, 0.0, 2.0), (2.5, 1.5, 0.0)])
def test_a_crossing_quarry_is_caught_sooner_than_by_seeking(drift: tuple) -> None:
    place = chase(drift=drift)
    assert caught(place) < caught(replace(place, behaviors=[(Seek, {})]))


def test_it_steers_ahead_of_a_crossing_quarry() -> None:
    [force] = chase(drift=(3.0, 0.0, 0.0)).steering()
    assert force[0, 0] > 0.0


def test_the_interval_is_limited() -> None:
    place = chase(drift=(3.0, 0.0, 0.0), behaviors=[(Pursuit, {"prediction_time": 0.0})])
    assert np.array_equal(place.steering()[0], replace(place, behaviors=[(Seek, {})]).steering()[0])
    world, agents, [pursuit] = replace(place, behaviors=[(Pursuit, {"prediction_time": 1.5})]).seen()
    assert np.allclose(pursuit.goal(world, agents, FRESH), [[4.5, 12.0, 0.0]])


def steady(**changes) -> Scene:
    return chase(behaviors=[(Pursuit, {"method": CONSTANT_HEADING})], **changes)


def test_at_a_constant_heading_a_quarry_at_rest_is_sought() -> None:
    place = steady(start=(3.0, 1.0, 2.0))
    assert np.allclose(place.steering()[0], replace(place, behaviors=[(Seek, {})]).steering()[0])


@settings(BOUNDED, max_examples=20)
@given(
    quarry=st.tuples(*[st.floats(-30.0, 30.0)] * 3),
    drift=st.tuples(*[st.floats(-2.5, 2.5)] * 3),
)
def test_the_bearing_is_constant_and_the_quarry_is_met_at_the_goal(quarry: tuple, drift: tuple) -> None:
    """At the desired velocity the line to a slower quarry does not turn, and the two meet at the goal."""
    assume(np.linalg.norm(quarry) > 1.0)
    world, agents, [pursuit] = steady(tracked=leaders(quarry), drift=drift).seen()
    force = pursuit.steer(world, agents, FRESH).force
    desired = agents.velocity + force * (agents.vehicle.response_time / agents.mass)[:, None]
    assert np.isclose(np.linalg.norm(desired), agents.max_speed)
    turning = np.cross(quarry, np.asarray(drift) - desired)
    assert np.abs(turning).max() < 1e-9 * np.linalg.norm(quarry) * 10.0
    goal = pursuit.goal(world, agents, FRESH)
    time = np.linalg.norm(goal) / agents.max_speed
    closing = (desired - drift) @ np.asarray(quarry) / np.linalg.norm(quarry)
    if closing > SLOWEST * agents.max_speed:
        assert np.allclose(goal, desired * time[:, None])


@sampled
@pytest.mark.parametrize("drift", [(3.0, 0.0, 0.0), (-2.5, 0.0, 2.0), (2.5, 1.5, 0.0)])
def test_at_a_constant_heading_a_quarry_is_caught_at_least_as_soon_as_by_prediction(drift: tuple) -> None:
    assert caught(steady(drift=drift)) <= caught(chase(drift=drift)) + 1.0 / FPS


def test_it_keeps_abreast_of_a_quarry_too_fast_to_be_met() -> None:
    world, agents, [pursuit] = steady(drift=(9.0, 0.0, 0.0)).seen()
    desired = (
        agents.velocity
        + pursuit.steer(world, agents, FRESH).force * (agents.vehicle.response_time / agents.mass)[:, None]
    )
    assert np.allclose(desired, [[5.0, 0.0, 0.0]])
    assert np.isfinite(pursuit.goal(world, agents, FRESH)).all()


def longest(mask: np.ndarray) -> int:
    """The largest number of frames in a row."""
    return max((len(run) for run in "".join("x" if frame else " " for frame in mask).split()), default=0)


def pauses(states: list) -> np.ndarray:
    """The remaining pauses of the first agent after each step, (frames,) seconds."""
    return np.array([state.memories["pursuit"].pause[0] for state in states[1:]])


def gaps(place: Scene, seconds: float) -> np.ndarray:
    """The distances between the chaser and its quarry, (frames,) metres."""
    path = positions(place.run(int(seconds * FPS)))[:, 0]
    quarry = place.tracked.position[0] + np.asarray(place.drift) * (np.arange(len(path)) / FPS)[:, None]
    return np.linalg.norm(path - quarry, axis=1)


@sampled(one_of=9)
@pytest.mark.parametrize("drift", [(0.0, 0.0, 0.0), (1.5, 0.0, 0.0), (0.0, -2.0, 1.0)])
@pytest.mark.parametrize("method", [0, CONSTANT_HEADING])
def test_it_lets_go_of_a_quarry_that_it_has_reached_and_chases_again(drift: tuple, method: int) -> None:
    gap = gaps(chase(drift=drift, behaviors=[(Pursuit, {"method": method, "pause_time": 2.0})]), 16.0)
    touch = gap < 1.0
    assert touch.any()
    first = int(np.argmax(touch))
    away = first + int(np.argmax(~touch[first:]))
    assert gap[away : away + 2 * FPS].max() > 2.0
    assert touch[away + FPS :].any(), "it comes again"


def test_it_lets_go_at_the_first_touch_although_it_still_comes_nearer() -> None:
    place = chase(drift=(0.0, 4.5, 0.0), speed=5.0, tracked=leaders([0.0, 2.0, 0.0]))
    touch, lets_go = gaps(place, 6.0) <= 1.0, pauses(place.run(4 * FPS)) > 0.0
    assert touch.any()
    assert int(np.argmax(lets_go)) <= int(np.argmax(touch)) <= int(np.argmax(lets_go)) + 1


def test_while_it_lets_go_it_asks_for_nothing_and_leads_nowhere() -> None:
    world, agents, [pursuit] = chase().seen()
    pausing = replace(FRESH, pause=np.array([0.5]))
    steering = pursuit.steer(world, agents, pausing)
    assert (steering.force == 0.0).all() and not steering.sets_speed.any()
    assert np.isnan(pursuit.goal(world, agents, pausing)).all()
    assert np.allclose(steering.memory.pause, 0.5 - 1.0 / FPS)


@sampled
@pytest.mark.parametrize("pause", [1.0, 3.0])
def test_it_lets_go_for_the_pause(pause: float) -> None:
    place = chase(behaviors=[(Pursuit, {"pause_time": pause})])
    assert longest(pauses(place.run(8 * FPS)) > 0.0) == pytest.approx(pause * FPS, abs=2)


def test_without_a_pause_it_never_lets_go() -> None:
    place = chase(behaviors=[(Pursuit, {"pause_time": 0.0})])
    assert (pauses(place.run(8 * FPS)) == 0.0).all()


def test_a_chaser_that_lets_go_leaves_the_other_chasers_alone() -> None:
    both = chase(position=[[0.0, 9.0, 0.0], [30.0, -30.0, 0.0]], behaviors=[(Pursuit, {"quarry": 2})])
    alone = chase(position=[[30.0, -30.0, 0.0]], identity=[7930], behaviors=[(Pursuit, {"quarry": 1})])
    paths = positions(both.run(3 * FPS))
    assert np.array_equal(paths[:, 1:], positions(alone.run(3 * FPS)))


@sampled(one_of=12)
@pytest.mark.parametrize("size", [0.2, 1.0, 20.0])
@pytest.mark.parametrize("beside", [60.0, 90.0, 135.0, 180.0])
def test_an_animal_on_its_circle_keeps_its_pace_to_come_round_to_its_quarry(size: float, beside: float) -> None:
    """One that braked for what is beside or behind it would take ten seconds to turn round."""
    angle = np.radians(beside)
    scene = Scene(
        [[0.0, 0.0, 0.0]],
        forward=(0.0, -1.0, 0.0),
        speed=0.57 * size,
        vehicle={"radius": 0.11 * size, "max_speed": 2.4 * size, "max_force": 1.2 * size, "cruise_speed": 0.24},
        locomotions=[(OnFoot, {"turn_radius": 2.4 * size, "turn_on_the_spot": 0.0, "max_turn_rate": 1.05})],
        behaviors=[(Pursuit, {})],
        tracked=leaders([15.0 * size * np.sin(angle), -15.0 * size * np.cos(angle), 0.0]),
        fps=24.0,
    )
    gap = np.linalg.norm(positions(scene.run(250))[:, 0] - scene.tracked.position[0], axis=1)
    assert gap.min() < 5.0 * size


def test_it_lets_go_of_a_long_quarry_that_it_touches_from_behind() -> None:
    """Their middles are then far from each other, and nearer than that they do not come."""
    behind = leaders([0.0, 2.9, 0.0])
    for half, touches in ((0.0, False), (2.0, True)):
        world, agents, [pursuit] = chase(tracked=replace(behind, half_axis=np.array([half]))).seen()
        assert (pursuit.steer(world, agents, FRESH).memory.pause > 0.0).all() == touches
