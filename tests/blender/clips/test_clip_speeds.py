"""Crowds and states that move faster than clips are made for are named, and can be fitted to their clips."""

import bpy
import pytest

from tests.blender.building import part
from tests.blender.seen import told
from tests.blender.steered import press, select
from tests.blender.walkers import CYCLE, SPEED, found_walkers, stash, walk

RUN = 4.0 * SPEED


def runners():
    """A crowd that walks at the speed of its walk and has a run."""
    people, [rig] = found_walkers()
    people.steering.vehicle.max_speed, people.steering.vehicle.cruise_speed = 2.0 * SPEED, 0.5
    select(people)
    walk(rig, "Run")
    assert bpy.ops.steering.clip_add(action="Run") == {"FINISHED"}
    people.steering.portrayal.clips[-1].ground_speed = RUN
    return people


def startled(people):
    press("state_add", people, preset="startle")
    return next(ob for ob in bpy.context.scene.objects if ob.name == "Startle")


def cruise(ob) -> float:
    return ob.steering.vehicle.max_speed * ob.steering.vehicle.cruise_speed


def test_a_ready_state_that_runs_is_as_fast_as_the_run_of_its_crowd() -> None:
    people = runners()
    turn_radius = people.steering.on_foot.turn_radius
    state = startled(people)
    assert cruise(state) == pytest.approx(RUN, rel=1e-4)
    assert state.steering.vehicle.max_force == pytest.approx(
        people.steering.vehicle.max_force * (state.steering.vehicle.max_speed / people.steering.vehicle.max_speed) ** 2
    )
    assert people.steering.on_foot.turn_radius == turn_radius
    regroup = bpy.data.objects["Regroup"]
    assert cruise(regroup) == pytest.approx(1.5 * 0.6 * 2.0 * SPEED, rel=1e-4), "It does not run."
    assert told("TOO_FAST") == []


@pytest.mark.parametrize("times", [1.2, 4.0, 12.0])
def test_a_ready_state_runs_at_the_run_however_much_faster_its_crowd_could_be(times: float) -> None:
    people = runners()
    people.steering.vehicle.max_speed, people.steering.vehicle.cruise_speed = times * RUN, 0.1
    assert cruise(startled(people)) == pytest.approx(RUN, rel=1e-4)
    assert told("TOO_FAST") == []


def test_clips_that_are_found_after_a_ready_state_was_added_fit_it_unless_its_speed_was_set() -> None:
    people, [rig] = found_walkers()
    people.steering.vehicle.max_speed, people.steering.vehicle.cruise_speed = 5.0 * SPEED, 0.2
    stash(rig, walk(rig, "Run", cycle=CYCLE / 4))
    people.steering.portrayal.clips.clear()
    made, _ = startled(people), startled(people)
    own = bpy.data.objects["Startle.001"]
    own.steering.vehicle.max_speed *= 0.9
    kept = own.steering.vehicle.max_speed
    press("clips_find", people)
    assert own.steering.vehicle.max_speed == kept
    assert cruise(made) == pytest.approx(RUN, rel=0.05)


def test_without_a_run_a_ready_state_keeps_its_factor_and_is_named() -> None:
    """Fit Speed cannot help where no run tells how fast it may be."""
    people, _ = found_walkers()
    people.steering.vehicle.max_speed, people.steering.vehicle.cruise_speed = 2.0 * SPEED, 0.5
    state = startled(people)
    assert cruise(state) == pytest.approx(3.0 * 2.0 * SPEED, rel=1e-4)
    press("fit_speed", people)
    remedy = "its fastest clip. Lower its Max Speed, or use Add Clip with a faster one"
    assert told("TOO_FAST") == [
        f"Regroup moves at 1.4 m/s, 1.8 times as fast as Walk, {remedy}",
        f"Startle moves at 4.8 m/s, 6.0 times as fast as Walk, {remedy}",
    ]


def test_fit_speed_lets_states_run_as_fast_as_their_clip() -> None:
    people = runners()
    state = startled(people)
    people.steering.portrayal.clips[-1].ground_speed = RUN / 1.5
    assert [text.partition(",")[0] for text in told("TOO_FAST")] == [f"Startle moves at {RUN:.1f} m/s"]
    press("clips_find", people, fit_speed=True)
    assert cruise(state) == pytest.approx(RUN / 1.5, rel=1e-4)
    assert cruise(people) == pytest.approx(SPEED, rel=0.05)
    assert told("TOO_FAST") == []


def test_what_is_run_for_lets_a_crowd_run_and_what_it_is_sent_to_lets_it_walk() -> None:
    people = runners()
    [member] = part("blender.objects.tagged_objects").vehicles_of(people, bpy.context.scene)
    member.steering.start_speed = 0.5
    press("behavior_add", people, behavior="arrival")
    assert people.steering.arrival.pace == "CURRENT_SPEED"
    assert people.steering.vehicle.max_speed == pytest.approx(2.0 * SPEED), "it does not run for that"
    press("behavior_add", people, behavior="fight")
    assert people.steering.vehicle.max_speed == pytest.approx(RUN)
    assert member.steering.start_speed == pytest.approx(0.25), "nobody starts faster for that"
    assert cruise(people) == pytest.approx(SPEED, rel=0.05)
    people.steering.vehicle.max_speed = SPEED
    press("fit_speed", people)
    assert people.steering.vehicle.max_speed == pytest.approx(RUN, rel=0.01), "Fit Speed knows that it fights"


def test_who_is_to_stand_is_sent_somewhere_at_top_speed() -> None:
    """At its own pace it would stay."""
    people = runners()
    people.steering.vehicle.cruise_speed = 0.0
    press("behavior_add", people, behavior="seek")
    assert people.steering.seek.pace == "MAX_SPEED"
