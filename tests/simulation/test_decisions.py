"""Decisions: vehicles decide every few steps, and between these go on towards what they wished for."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from steering_addon.behaviors.pursuit import Pursuit
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import OnFoot
from steering_addon.scene import CrowdState, with_states
from steering_addon.simulation.behavior import Steering
from steering_addon.simulation.presence.attendance import LEAVE, Attendance
from steering_addon.simulation.run import step
from steering_addon.simulation.snapshot import Settings, Snapshot
from steering_addon.simulation.world import Agents, World
from tests.scene import Scene, leaders, positions, speeds, velocities

FAR = 1e9
"""Metres: a target in one direction from everywhere."""


def seeker(decides_every: int) -> Scene:
    """A vehicle that is to turn to its right, with more force than it takes."""
    return Scene(
        [[0.0, 0.0, 0.0]],
        speed=2.0,
        vehicle={"max_force": 100.0, "response_time": 0.5},
        behaviors=[(Seek, {"target": 1})],
        tracked=leaders([FAR, 0.0, 0.0]),
        decides_every=decides_every,
    )


def test_vehicles_decide_every_few_steps_and_move_in_each() -> None:
    states = seeker(3).run(8)
    assert [state.held.steps for state in states[1:] if state.held] == [1, 2, 3, 1, 2, 3, 1]
    assert (np.linalg.norm(np.diff(positions(states), axis=0), axis=-1) > 0.0).all()


def test_the_wish_holds_between_decisions_and_not_the_force() -> None:
    """Where the wish is the same all the time, nobody is led past it, however seldom they decide."""
    each, seldom = (velocities(seeker(every).run(100))[:, 0] for every in (1, 20))
    assert seldom[:, 1].min() > -1e-6
    assert np.abs(each - seldom)[-1].max() < 0.01


@dataclass(frozen=True)
class Pushed(Seek):
    """A force that lasts."""

    name = "pushed"

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        force = np.full((len(agents), 3), (1.0, 0.0, 0.0))
        return Steering(force, sets_speed=np.ones(len(agents), dtype=np.bool_))


class Braked(Seek):
    """A limit that brakes evenly."""

    name = "braked"

    def steer(self, world: World, agents: Agents, memory: None) -> Steering:
        limit = np.maximum(agents.speed - world.dt, 0.0)
        return Steering(agents.none(), speed_limit=limit, sets_speed=np.ones(len(agents), dtype=np.bool_))


@pytest.mark.parametrize("decides_every", [1, 2, 5])
def test_a_speed_limit_that_brakes_evenly_does_so_however_seldom_it_is_decided(decides_every: int) -> None:
    braked = {"behaviors": [(Braked, {"target": 1})], "vehicle": {"max_force": 100.0}}
    speed = speeds(replace(seeker(decides_every), **braked).run(41))[:, 0]
    assert np.diff(speed) == pytest.approx(-1.0 / 24.0)


def test_a_force_that_lasts_is_as_strong_as_one_that_is_decided_in_each_step() -> None:
    pushed = {"forward": [[1.0, 0.0, 0.0]], "behaviors": [(Pushed, {"target": 1})]}
    each, third = (np.diff(speeds(replace(seeker(every), **pushed).run(20))[:, 0]) for every in (1, 3))
    np.testing.assert_allclose(third[8:], each[8:], rtol=0.01)


def test_who_comes_out_of_a_bend_to_stop_brakes_and_does_not_turn_round() -> None:
    def stopping(frame: int, snapshot: Snapshot) -> Snapshot:
        still = replace(snapshot.vehicle, cruise_speed=np.zeros(1))
        return snapshot if frame < 12 else replace(snapshot, vehicle=still, settings=(Settings((), 0),))

    place = replace(
        seeker(2),
        vehicle={"max_force": 7.0, "response_time": 0.8, "speed_time": 0.4},
        locomotions=[(OnFoot, {"turn_on_the_spot": 0.0})],
    )
    moving = speeds(place.run(40, at=stopping))[:, 0]
    assert moving[12] > 1.0
    assert moving.min() < 0.3


def test_who_begins_to_take_part_decides_at_once() -> None:
    """It goes on to another target than before it was away, in the midst of the steps from decision to decision."""

    def away(frame: int, snapshot: Snapshot) -> Snapshot:
        target = Seek.of(1, target=1 if frame < 6 else 2)
        return replace(snapshot, present=np.array([not 6 <= frame < 10]), settings=(Settings((target,), 0),))

    sides = leaders([FAR, 0.0, 0.0], [-FAR, 0.0, 0.0])
    east = velocities(replace(seeker(8), tracked=sides).run(14, at=away))[:, 0, 0]
    assert east[9] == east[6] > 0.0
    assert (np.diff(east[10:]) < 0.0).all()


def test_who_takes_up_another_state_decides_in_each_step_until_it_has() -> None:
    """In the midst of the steps from decision to decision it is called back by a fright, and goes as fast as if all
    decided in each step."""
    back = CrowdState("Back", [(Seek, {"target": 2})], numbers={"cue": 1.0, "blend": 0.5})

    def frightened(frame: int, snapshot: Snapshot) -> Snapshot:
        return with_states(snapshot, [back if frame >= 4 else replace(back, numbers={})])

    sides = leaders([FAR, 0.0, 0.0], [-FAR, 0.0, 0.0])
    each, seldom = (
        velocities(replace(seeker(every), speed=5.0, forward=[[1.0, 0.0, 0.0]], tracked=sides).run(16, at=frightened))
        for every in (1, 20)
    )
    assert each[4, 0, 0] > each[15, 0, 0] + 1.0
    np.testing.assert_allclose(seldom, each, atol=1e-6)


def test_who_begins_a_step_before_all_decide_goes_on_until_then() -> None:
    def entering(frame: int, snapshot: Snapshot) -> Snapshot:
        return replace(snapshot, present=np.array([frame >= 3]))

    east = velocities(seeker(2).run(6, at=entering))[:, 0, 0]
    assert (east[:5] == 0.0).all()
    assert east[5] > 0.0


def test_who_comes_in_elsewhere_no_longer_wishes_for_what_it_did_when_it_left() -> None:
    """It left to the east and comes in to the west, where it is to go by now, as fast as it can."""

    def away(frame: int, snapshot: Snapshot) -> Snapshot:
        target = Seek.of(1, target=1 if frame < 6 else 2)
        return replace(snapshot, present=np.array([not 6 <= frame < 8]), settings=(Settings((target,), 0),))

    place = replace(seeker(2), tracked=leaders([FAR, 0.0, 0.0], [-FAR, 0.0, 0.0]))
    state = place.run(8, at=away)[-1]
    west = (-1.0, 0.0, 0.0) * np.ones((1, 3))
    fastest = state.inputs.vehicle.max_speed[0]
    state = replace(state, motion=replace(state.motion.turned(west), velocity=fastest * west))
    for frame in range(8, 13):
        state = step(state, away(frame, place.snapshot(frame)))
        np.testing.assert_allclose(state.motion.velocity, fastest * west, atol=1e-6)


def test_others_arrive_and_leave_while_somebody_decides_in_each_step() -> None:
    def leaving(frame: int, snapshot: Snapshot) -> Snapshot:
        return replace(snapshot, attendance=Attendance.of(2, on_arrival=LEAVE))

    place = Scene(
        [[0.0, 0.0, 0.0], [50.0, 0.0, 0.0]],
        speed=2.0,
        behaviors=[
            (Seek, {"target": 2, "weight": np.array([1.0, 0.0])}),
            (Pursuit, {"quarry": 3, "weight": np.array([0.0, 1.0])}),
        ],
        tracked=leaders([0.0, 4.0, 0.0], [0.0, FAR, 0.0]),
        decides_every=2,
    )
    assert place.run(72, at=leaving)[-1].away.tolist() == [True, False]
