"""Minds: vehicles change their state for a reason, at their own moment, and everything else stays as it was."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.flee import Flee
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import OnFoot, Planar, SimpleVehicle, Wheeled
from steering_addon.minds.conditions import (
    CONDITIONS,
    Alone,
    Always,
    Arrived,
    Crowded,
    Faster,
    Inside,
    Nearby,
    Outside,
    Sees,
    Stuck,
    Touched,
)
from steering_addon.minds.declaring import Trigger, distinct_numbers
from steering_addon.minds.following import locomotions_in_modes, vehicles_as_in_modes
from steering_addon.minds.minding import minds_of
from steering_addon.minds.overfull_cues import OverfullCues
from steering_addon.scene import SPHERE, CrowdState, Scene, all_of, leaders, regions, trigger, with_states
from steering_addon.simulation.arrays.vectors import truncate
from steering_addon.simulation.declaration import CAUSE
from steering_addon.simulation.mindset import BY_CUE, BY_OTHERS, OVER
from steering_addon.simulation.run import simulate, step
from steering_addon.simulation.snapshot import Snapshot, State
from tests.sampling import sampled

WOLF = [0.0, -6.0, 0.0]
GRAZING = [(Wander, {"strength": 0.3, "vertical": 0.0}), (Separation, {"distance": 1.5})]
RUNNING = [(Flee, {"target": CAUSE, "distance": 100.0}), (Separation, {"distance": 1.5})]
RUNNING_FROM_AFAR = [(Flee, {"distance": 100.0}), (Separation, {"distance": 1.5})]
FAST = {"max_speed": 6.0, "max_force": 10.0, "radius": 0.4}
SLOW = {"max_speed": 1.0, "max_force": 10.0, "radius": 0.4, "cruise_speed": 0.3}


def herd(n: int = 36, wolf: Any = WOLF, **changes: Any) -> Scene:
    side = int(np.ceil(np.sqrt(n)))
    x, y = np.meshgrid(np.arange(side) * 2.0, np.arange(side) * 2.0)
    places = np.stack((x.ravel(), y.ravel(), np.zeros(side * side)), axis=1)[:n]
    given = {"behaviors": GRAZING, "vehicle": SLOW, "locomotions": [(Planar, {})], "tracked": leaders(wolf)}
    return Scene(places, **given | changes)


def startle(**numbers: Any) -> CrowdState:
    return CrowdState("Startle", RUNNING, FAST, numbers={"lasts": 3.0, **numbers})


def run(
    scene: Scene, states: Sequence[CrowdState], triggers: Sequence[Trigger], frames: int, **changes: Any
) -> list[State]:
    return scene.run(frames, at=lambda _, snapshot: with_states(replace(snapshot, **changes), states, triggers))


def wolf_near(scene: Scene, distance: float = 8.0, **values: Any) -> Trigger:
    return trigger(1, Nearby, bodies=np.array([len(scene)]), distance=distance, **values)


def modes(states: Sequence[State]) -> np.ndarray:
    """(frames, n); before the first step none is in a state."""
    n = len(states[0])
    return np.array([np.zeros(n, int) if s.mindset is None else s.mindset.mode for s in states])


def same(a: State, b: State) -> bool:
    names = ("position", "velocity", "forward", "up")
    return all(np.array_equal(getattr(a.motion, name), getattr(b.motion, name)) for name in names)


def test_who_is_near_what_calls_takes_up_the_state_and_runs_from_it() -> None:
    scene = herd()
    states = run(scene, [startle()], [wolf_near(scene)], 60)
    gap = np.linalg.norm(scene.position - WOLF, axis=1)
    near = gap < 7.5
    startled = modes(states).max(axis=0) == 1
    assert near.any() and startled[near].all() and not startled[gap > 10].any()
    away = np.linalg.norm(states[-1].motion.position - WOLF, axis=1) - gap
    assert (away[near] > 3.0).all()
    assert (states[-1].mindset.body[startled] == len(scene)).all()


def test_no_vehicle_reacts_before_its_reaction_is_over_nor_long_after() -> None:
    scene = herd(16, wolf=[3.0, 3.0, 0.0])
    states = run(scene, [startle(react=0.8, varies=0.5)], [wolf_near(scene, 50.0)], 60)
    first = (modes(states) == 1).argmax(axis=0) / 24.0
    assert (first >= 0.8 * 0.5).all() and (first <= 0.8 * 1.5 + 2 / 24).all() and np.ptp(first) > 0.3


def test_a_reaction_once_begun_happens_though_the_call_is_over() -> None:
    scene = herd(9, wolf=[3.0, 3.0, 0.0])
    near = wolf_near(scene, 50.0)

    def at(frame: int, snapshot: Snapshot) -> Snapshot:
        return with_states(snapshot, [startle(react=0.5)], [replace(near, strength=1.0 if frame < 2 else 0.0)])

    assert (modes(scene.run(30, at=at)).max(axis=0) == 1).all()


def test_a_state_lasts_for_its_time_after_the_last_call_and_then_follows_what_comes_then() -> None:
    scene = herd(9, wolf=[2.0, 2.0, 0.0])
    calm = CrowdState("Calm", numbers={"lasts": 1.0, "varies": 0.0})
    states = [startle(react=0.0, varies=0.0, lasts=2.0), calm]
    # Calm is the first by name: Startle is number 2.
    states[0] = replace(states[0], then="Calm")

    def at(frame: int, snapshot: Snapshot) -> Snapshot:
        call = trigger(2, Always, strength=1.0 if frame < 24 else 0.0)
        return with_states(snapshot, states, [call])

    seen = modes(scene.run(110, at=at))
    assert (seen[24:70] == 2).all() and (seen[75:94] == 1).all() and (seen[100:] == 0).all()


def test_a_call_breaks_into_what_merely_follows() -> None:
    scene = herd(4)
    states = [
        replace(startle(react=0.0, lasts=1.0, varies=0.0), then="Calm"),
        CrowdState("Calm", numbers={"lasts": 60.0}),
    ]

    def at(frame: int, snapshot: Snapshot) -> Snapshot:
        return with_states(snapshot, states, [trigger(2, Always, strength=1.0 if frame in (0, 60) else 0.0)])

    seen = modes(scene.run(70, at=at))
    assert (seen[40] == 1).all() and (seen[63] == 2).all()


def test_the_example_of_others_carries_the_alarm_through_the_herd_once() -> None:
    scene = herd(144)
    states = run(scene, [startle(spreads=2, reach=6.0, lasts=6.0, react=0.2)], [wolf_near(scene, 7.0)], 24 * 10)
    seen = modes(states)
    assert (seen.max(axis=0) == 1).mean() > 0.95
    saw = np.linalg.norm(scene.position - WOLF, axis=1) < 7.0
    assert saw.mean() < 0.2
    begins = (np.diff(seen, axis=0) > 0).sum(axis=0)
    assert (begins[~saw] <= 1).all()
    told = states[24 * 4].mindset.by == BY_OTHERS
    assert told.any() and (states[24 * 4].mindset.body[told] == len(scene)).all()


def test_of_neighbors_whom_an_alarm_reaches_no_two_begin_in_the_same_step() -> None:
    scene = herd(144)
    states = run(scene, [startle(spreads=2, reach=6.0, react=0.3)], [wolf_near(scene, 7.0)], 24 * 6)
    begins = np.diff(modes(states), axis=0) > 0
    assert begins.any(axis=0).mean() > 0.95
    nearest = []
    for state, rows in zip(states, begins):
        place = state.motion.position[rows]
        apart = np.linalg.norm(place[:, None] - place, axis=2) + np.where(np.eye(len(place)), np.inf, 0.0)
        nearest.append(apart.min(initial=np.inf))
    assert 0.6 * 6.0 <= min(nearest) < 5.0


@pytest.mark.parametrize("numbers", [{"react": 0.0, "varies": 0.0}, {"cue": 1.0}], ids=["immediately", "by a cue"])
def test_agents_that_have_to_begin_immediately_do_not_wait_for_neighbors(numbers: dict[str, float]) -> None:
    scene = herd(36, wolf=[5.0, 5.0, 0.0])
    called = [] if "cue" in numbers else [wolf_near(scene, 50.0)]
    assert (modes(run(scene, [startle(spreads=2, **numbers)], called, 3))[1] == 1).all()


@sampled
@pytest.mark.parametrize("spreads", [1, 3, 8])
def test_an_alarm_dies_out(spreads: int) -> None:
    scene = herd(100)

    def at(frame: int, snapshot: Snapshot) -> Snapshot:
        call = wolf_near(scene, 7.0, strength=1.0 if frame < 5 else 0.0)
        return with_states(snapshot, [startle(spreads=spreads, lasts=1.5, react=0.1)], [call])

    assert (modes(scene.run(24 * 9, at=at))[-1] == 0).all()


def test_a_cue_holds_for_its_share_of_the_crowd_and_more_of_it_for_the_same_and_others() -> None:
    scene = herd(400)
    shares = {}
    for cue in (0.0, 0.2, 0.5, 1.0):
        states = run(scene, [startle(cue=cue)], [], 3)
        shares[cue] = modes(states)[-1] == 1
        if cue:
            assert (states[-1].mindset.by[shares[cue]] == BY_CUE).all()
    assert not shares[0.0].any() and shares[1.0].all()
    assert abs(shares[0.2].mean() - 0.2) < 0.06 and abs(shares[0.5].mean() - 0.5) < 0.06
    assert (shares[0.5] | ~shares[0.2]).all()


def strip(frame: float, first: float, last: float, fade_in: float, fade_out: float) -> float:
    """The share that a strip with fades tells on a frame."""
    return min(max(min((frame - first) / fade_in, 1.0, (last - frame) / fade_out), 0.0), 1.0)


@pytest.mark.parametrize("n", [20, 50, 200, 2000])
def test_the_share_in_a_cued_state_follows_the_strip_with_its_fades(n: int) -> None:
    """A strip from 60 to 150 with fades of 24 and 30 frames, of which every third frame is played."""
    scene = Scene(np.random.default_rng(3).uniform(0.0, 400.0, (n, 3)), behaviors=[], vehicle=SLOW)
    played = range(54, 156, 3)
    cues = [strip(frame, 60, 150, 24, 30) for frame in played]

    def at(frame: int, snapshot: Snapshot) -> Snapshot:
        return with_states(snapshot, [CrowdState("On", numbers={"cue": cues[frame], "blend": 0.0})])

    share = (modes(scene.run(len(cues), at=at)) == 1).mean(axis=1)
    # A frame is followed on the next one.
    assert np.abs(share[1:] - cues[:-1]).max() < 0.5 / n + 1e-9 and share.max() == 1.0 and share[-1] == 0.0


def test_a_vehicle_more_changes_what_a_cue_tells_one_other_at_most() -> None:
    told = {}
    for n in (29, 30):
        scene = herd(n, identity=np.arange(100, 100 + n))
        seen = [modes(run(scene, [startle(cue=cue)], [], 3))[-1] == 1 for cue in (0.1, 0.35, 0.6, 0.85)]
        told[n] = np.array(seen)[:, :29]
    assert ((told[29] != told[30]).sum(axis=1) <= 1).all() and told[29].any()


@pytest.mark.parametrize(("first", "second"), [(0.3, 0.5), (0.6, 0.4), (0.7, 0.7), (1.0, 1.0)])
def test_cues_of_two_states_share_the_crowd_and_the_second_gets_what_is_left(first: float, second: float) -> None:
    scene = Scene(np.random.default_rng(3).uniform(0.0, 400.0, (2000, 3)), behaviors=[], vehicle=SLOW)
    seen = modes(run(scene, [CrowdState("A", numbers={"cue": first}), CrowdState("B", numbers={"cue": second})], [], 3))
    assert abs((seen[-1] == 1).mean() - first) < 0.03
    assert abs((seen[-1] == 2).mean() - min(second, 1.0 - first)) < 0.03
    if first + second >= 1.0:
        assert (seen[-1] > 0).all()


def test_cues_that_tell_more_than_all_are_noted() -> None:
    overfull = OverfullCues()
    for frame, cue in enumerate((0.2, 0.6, 0.9, 0.3)):
        states = [CrowdState("A", numbers={"cue": cue}), CrowdState("B", numbers={"cue": 0.5})]
        overfull.look(frame, with_states(herd(1).snapshot(), states))
    assert overfull.frames == {0: (1, pytest.approx(1.4))}


def test_a_cue_that_ends_ends_the_state() -> None:
    scene = herd(9)

    def at(frame: int, snapshot: Snapshot) -> Snapshot:
        return with_states(snapshot, [startle(cue=1.0 if frame < 10 else 0.0, lasts=60.0)], [])

    states = scene.run(14, at=at)
    assert (modes(states)[5] == 1).all() and (modes(states)[-1] == 0).all()
    assert (states[-1].mindset.by == OVER).all()


def test_a_crowd_that_is_cued_from_the_first_frame_moves_as_one_with_those_settings() -> None:
    state = CrowdState(
        "Run", [(Flee, {"distance": 100.0}), (Separation, {"distance": 1.5})], FAST, numbers={"cue": 1.0}
    )
    cued = run(herd(30), [replace(state, numbers={"cue": 1.0, "blend": 0.0})], [], 50)
    plain = herd(30, behaviors=state.behaviors, vehicle=FAST).run(50)
    assert all(same(a, b) for a, b in zip(cued, plain))


def test_cued_from_the_first_frame_bodies_turn_as_those_of_a_crowd_with_these_numbers() -> None:
    quick = {"max_turn_rate": 4.0, "turn_radius": 0.3, "turn_on_the_spot": 2.0}
    scene = herd(20, locomotions=[(OnFoot, {"max_turn_rate": 0.5})])
    state = CrowdState("Run", RUNNING_FROM_AFAR, FAST, numbers={"cue": 1.0, "blend": 0.0}, locomotion=quick)
    plain = herd(20, behaviors=RUNNING_FROM_AFAR, vehicle=FAST, locomotions=[(OnFoot, quick)]).run(40)
    assert all(same(a, b) for a, b in zip(run(scene, [state], [], 40), plain))


def test_a_body_turns_by_the_numbers_of_its_state_and_takes_them_up_by_and_by() -> None:
    scene = herd(9, wolf=[3.0, 2.5, 0.0], locomotions=[(Planar, {"max_turn_rate": 0.5})])
    state = replace(startle(react=0.0, blend=1.0, varies=0.0), locomotion={"max_turn_rate": 6.0})
    turns = {}
    for kind, states in {"own": [state], "as the crowd": [replace(state, locomotion=None)]}.items():
        heading = np.array([s.motion.forward for s in run(scene, states, [wolf_near(scene, 50.0)], 60)])
        turns[kind] = np.degrees(np.arccos(np.clip((heading[1:] * heading[:-1]).sum(axis=2), -1.0, 1.0))) * 24.0
    assert turns["as the crowd"].max() <= np.degrees(0.5) * 1.001
    assert turns["own"].max() > 60.0
    share = np.minimum((np.arange(1, 60) + 1.0) / 24.0, 1.0)
    most = 0.5 + 5.5 * share * share * (3.0 - 2.0 * share)
    assert (turns["own"] <= np.degrees(most)[:, None] * 1.001 + 1e-6).all()


def test_a_state_changes_the_turning_of_those_bodies_only_that_move_as_its_crowd() -> None:
    """Of two that are in it, one flies."""
    scene = herd(2, locomotions=[(Planar, {"max_turn_rate": 0.5}), (SimpleVehicle, {"max_turn_rate": 0.4})])
    scene = replace(scene, locomotion_row=np.array([0, 1]))
    state = replace(startle(react=0.0, blend=0.0), locomotion={"max_turn_rate": 6.0})
    snapshot = with_states(scene.snapshot(), [state], [wolf_near(scene, 50.0)])
    begun = step(step(step(scene.start(), snapshot), snapshot), snapshot)
    bodies = locomotions_in_modes(minds_of(snapshot), snapshot, begun.mindset, np.ones(2))
    assert (begun.mindset.mode == 1).all()
    assert [float(body.max_turn_rate[row]) for row, body in enumerate(bodies)] == [6.0, 0.4]


def test_no_state_changes_what_is_measured_from_the_body() -> None:
    scene = herd(2, locomotions=[(Wheeled, {})])
    state = replace(startle(cue=1.0), locomotion={"wheelbase": 9.0, "max_wheel_rate": 3.0})
    snapshot = with_states(scene.snapshot(), [state])
    begun = step(step(scene.start(), snapshot), snapshot)
    (body,) = locomotions_in_modes(minds_of(snapshot), snapshot, begun.mindset, np.ones(2))
    assert (body.wheelbase == 2.7).all() and (body.max_wheel_rate == 3.0).all()


def test_a_state_that_is_never_entered_changes_nothing() -> None:
    with_state = run(herd(30), [startle()], [], 40)
    assert all(same(a, b) for a, b in zip(with_state, herd(30).run(40)))


def test_a_run_agrees_with_the_beginning_of_a_longer_one_and_continues_from_any_frame() -> None:
    scene = herd(25)
    short, whole = (run(scene, [startle(spreads=2)], [wolf_near(scene)], frames) for frames in (40, 70))
    assert all(same(a, b) for a, b in zip(short, whole))
    snapshot = with_states(scene.snapshot(), [startle(spreads=2)], [wolf_near(scene)])
    state = whole[30]
    for later in whole[31:]:
        state = step(state, snapshot)
        assert same(state, later)


def test_the_order_of_triggers_and_of_states_plays_no_part() -> None:
    scene = herd(25, tracked=all_of(leaders(WOLF), leaders([4.0, 14.0, 0.0])))
    n = len(scene)
    near, far = wolf_near(scene), trigger(1, Nearby, bodies=np.array([n + 1]), distance=6.0)
    other = CrowdState("Stop", [(Arrival, {"target": CAUSE})])
    a = run(scene, [startle(), other], [near, far], 60)
    b = run(scene, [other, startle()], [far, near], 60)
    assert all(same(x, y) for x, y in zip(a, b))
    assert np.array_equal(modes(a), modes(b)) and (modes(a) > 0).any()


def test_of_equally_strong_calls_the_nearer_is_followed_whatever_the_order_of_triggers() -> None:
    scene = herd(25, tracked=all_of(leaders(WOLF), leaders([4.0, 14.0, 0.0])))
    n = len(scene)
    near = [trigger(1, Nearby, bodies=np.array([n + wolf]), distance=50.0) for wolf in (0, 1)]
    a, b = (run(scene, [startle(react=0.0)], triggers, 30) for triggers in (near, near[::-1]))
    assert all(same(x, y) for x, y in zip(a, b))
    apart = np.linalg.norm(scene.position[:, None] - [WOLF, [4.0, 14.0, 0.0]], axis=2)
    assert np.array_equal(a[1].mindset.body, n + apart.argmin(axis=1)) and np.ptp(a[1].mindset.body) == 1


def test_a_vehicle_more_far_away_leaves_the_minds_of_others_alone() -> None:
    scene = herd(25)
    more = replace(herd(26), position=np.concatenate((scene.position, [[500.0, 0.0, 0.0]])))
    alone = modes(run(scene, [startle(spreads=2)], [wolf_near(scene)], 60))
    joined = modes(run(more, [startle(spreads=2)], [trigger(1, Nearby, bodies=np.array([26]), distance=8.0)], 60))
    assert alone.any() and np.array_equal(alone, joined[:, :25])


def test_no_vehicle_is_stopped_short_when_it_calms_down() -> None:
    scene = herd(16, wolf=[3.0, 3.0, 0.0])

    def at(frame: int, snapshot: Snapshot) -> Snapshot:
        state = startle(lasts=0.5, react=0.0, varies=0.0, blend=0.2)
        return with_states(snapshot, [state], [wolf_near(scene, 50.0, strength=1.0 if frame < 40 else 0.0)])

    states = scene.run(120, at=at)
    velocity = np.array([s.motion.velocity for s in states])
    speed = np.linalg.norm(velocity, axis=2)
    assert speed.max() > 4.0 and speed[-1].max() < 1.05
    assert np.abs(np.diff(speed, axis=0)).max() <= 10.0 / 24.0 + 1e-9


def test_forces_are_mixed_while_a_state_is_taken_up() -> None:
    scene = herd(1, wolf=[0.0, -3.0, 0.0], behaviors=[], vehicle=FAST)
    startled = CrowdState("Startle", RUNNING, numbers={"react": 0.0, "blend": 1.0})
    states = run(scene, [startled], [wolf_near(scene, 50.0)], 40)
    force = np.linalg.norm([s.force[0] for s in states], axis=1)
    # From the first step on: at the start no force acts yet.
    jumps = np.abs(np.diff(force[1:]))
    assert force.max() > 2.0 and jumps.max() <= 10.0 / 24.0 * 1.5


@given(switches=st.lists(st.integers(2, 40), min_size=1, max_size=6), order=st.permutations([1, 2, 0]))
@settings(max_examples=10, deadline=None)
def test_force_and_top_speed_change_gradually_whenever_states_are_switched(
    switches: list[int], order: list[int]
) -> None:
    """Each state leads a heavy vehicle to another place far away, so that all change comes from the switches."""
    far, blend, dt, heavy = 1e6, 0.5, 1.0 / 24.0, FAST | {"mass": 1e6}
    scene = Scene(
        [[0.0, 0.0, 0.0]], behaviors=[(Seek, {"target": 1})], vehicle=heavy,
        tracked=leaders([far, 0.0, 0.0], [0.0, far, 0.0], [-far, 0.0, 0.0]),
    )  # fmt: skip
    numbers = {"react": 0.0, "varies": 0.0, "lasts": 0.0, "blend": blend}
    states = [
        CrowdState("A", [(Seek, {"target": 2})], heavy | {"max_speed": 3.0}, numbers=numbers),
        CrowdState("B", [(Seek, {"target": 3})], heavy | {"max_speed": 9.0}, numbers=numbers),
    ]

    def at(frame: int, snapshot: Snapshot) -> Snapshot:
        told = order[sum(frame >= switch for switch in switches) % 3]
        cued = [replace(s, numbers={**numbers, "cue": float(told == k)}) for k, s in enumerate(states, 1)]
        return with_states(snapshot, cued)

    ran = [state for state in scene.run(60, at=at) if state.mindset is not None]
    # What is decided is cut to max_force as it is applied.
    force = np.concatenate([truncate(state.force, np.array([10.0])) for state in ran])
    top = []
    for state in ran:
        assert state.inputs is not None and state.mindset is not None
        part = state.mindset.taken_up(state.time - dt, dt)
        model = vehicles_as_in_modes(minds_of(state.inputs), state.inputs, state.mindset, part, np.zeros(1), dt)
        top.append(float(model.max_speed[0]))
        assert np.abs(state.mindset.shares.sum(axis=1) - 1.0).max() < 1e-12
    steepest = 1.5 * dt / blend
    assert np.linalg.norm(np.diff(force, axis=0), axis=1).max() <= steepest * 20.0 + 0.05
    assert np.abs(np.diff(top)).max(initial=0.0) <= steepest * 6.0 + 1e-9


def test_a_switch_in_the_middle_of_another_keeps_what_each_state_was_about() -> None:
    """Called by one wolf and then by another, a vehicle still runs from the first for a while."""
    scene = herd(1, wolf=[0.0, -3.0, 0.0], behaviors=[], vehicle=FAST, tracked=leaders([0.0, -3.0, 0.0], [3.0, 0, 0]))
    flee = [(Flee, {"target": CAUSE, "distance": 100.0})]
    numbers = {"react": 0.0, "varies": 0.0, "blend": 1.0}
    states = [CrowdState("First", flee, numbers=numbers), CrowdState("Next", flee, numbers=numbers)]

    def at(frame: int, snapshot: Snapshot) -> Snapshot:
        wolves = [trigger(k, Nearby, bodies=np.array([k]), distance=50.0, strength=now) for k, now in
                  ((1, 0.8 * (frame < 12)), (2, 1.0 * (frame >= 12)))]  # fmt: skip
        return with_states(snapshot, states, wolves)

    ran = scene.run(40, at=at)
    switched = modes(ran)[:, 0].tolist().index(2)
    mindset = ran[switched].mindset
    assert mindset is not None and (mindset.body[0], mindset.callers[0, 1]) == (2, 1)
    assert 0.2 < mindset.shares[0, 1] < 0.8 and mindset.shares[0, 2] == 0.0
    before, after = ran[switched - 1].force[0], ran[switched].force[0]
    assert before[1] > 1.0 and np.linalg.norm(after - before) < 1.5


def test_what_a_state_remembers_is_forgotten_each_time_it_is_entered() -> None:
    place = leaders([3.0, 0.0, 0.0])
    scene = Scene([[0.0, 0.0, 0.0]], behaviors=[], vehicle=FAST, locomotions=[(Planar, {})], tracked=place)
    go = CrowdState("Go", [(Arrival, {"target": 1})], numbers={"lasts": 0.5, "react": 0.0, "varies": 0.0})

    def at(frame: int, snapshot: Snapshot) -> Snapshot:
        return with_states(snapshot, [go], [trigger(1, Always, strength=1.0 if frame < 60 else 0.0)])

    states = scene.run(3, at=at)
    state = replace(states[-1], arrived={"arrival": np.array([True])})
    state = replace(state, mindset=replace(state.mindset, mode=np.array([0]), due=np.full((1, 2), -1.0)))
    after = step(state, at(5, scene.snapshot()))
    assert after.mindset.mode[0] == 1 and not after.arrived["arrival"][0]


def test_each_calls_one_only_and_none_is_idle_while_one_calls() -> None:
    cows = [[0.0, 30.0, 0.0], [20.0, 30.0, 0.0]]
    scene = Scene(
        [[0.0, 0.0, 0.0], [10.0, 0.0, 0.0], [20.0, 0.0, 0.0]], behaviors=[], vehicle=FAST,
        locomotions=[(Planar, {})], tracked=leaders(*cows),
    )  # fmt: skip
    fetch = CrowdState("Fetch", [(Arrival, {"target": CAUSE})], numbers={"react": 0.1, "lasts": 1.0})
    states = run(scene, [fetch], [trigger(1, Nearby, bodies=np.array([3, 4]), distance=100.0, one_each=True)], 120)
    for state in states[20:]:
        sent = state.mindset.mode == 1
        assert sent.sum() == 2 and len(set(state.mindset.body[sent])) == 2
    assert not (modes(states)[:, 1] == 1).any()


@sampled
@pytest.mark.parametrize("seed", range(3))
def test_none_follows_what_another_follows_or_reacts_to_while_all_move_about(seed: int) -> None:
    chance = np.random.default_rng(seed)
    places, heading = np.zeros((6, 3)), chance.normal(size=(6, 3)) * [1.0, 1.0, 0.0]
    places[:, :2] = chance.uniform(0.0, 30.0, (6, 2))
    scene = Scene(
        places, forward=heading, speed=4.0, behaviors=[(Wander, {"vertical": 0.0})], vehicle=FAST, seed=seed,
        locomotions=[(Planar, {})], tracked=leaders([0.0, 35.0, 0.0], [10.0, 35.0, 0.0], [20.0, 35.0, 0.0]),
    )  # fmt: skip
    fetch = CrowdState("Fetch", [(Arrival, {"target": CAUSE})], numbers={"react": 1.0, "varies": 0.9, "lasts": 2.0})
    strays = [trigger(1, Nearby, bodies=np.array(rows), distance=100.0, one_each=True) for rows in ([6, 7], [8])]
    states = run(scene, [fetch], strays, 100)
    for state in states[1:]:
        followed = state.mindset.body[state.mindset.mode == 1].tolist()
        assert len(set(followed)) == len(followed)
    assert set(followed) == {6, 7, 8}


def test_a_state_of_a_crowd_can_be_what_calls() -> None:
    scene = herd(9, wolf=[0.0, -3.0, 0.0])
    watch = CrowdState("Watch", numbers={"react": 0.0})
    triggers = [wolf_near(scene, 3.5), trigger(2, Nearby, of=(0, 1), distance=4.5)]
    seen = modes(run(scene, [startle(react=0.0), watch], triggers, 30))
    assert (seen == 2).any() and (seen == 1).any()
    begins = [int((seen[:, row] == 2).argmax()) for row in range(9) if (seen[:, row] == 2).any()]
    assert min(begins) > int((seen == 1).any(axis=1).argmax())


def test_a_need_that_builds_up_and_is_eased_makes_a_cycle() -> None:
    scene = herd(1, wolf=[0.0, -3.0, 0.0])
    hunt = CrowdState(
        "Hunt", numbers={"builds_up": 0.5, "wears_off": 2.0, "lasts": 1.0, "react": 0.0, "varies": 0.0}, eases="Hunt"
    )
    seen = modes(run(scene, [hunt], [wolf_near(scene, 50.0)], 24 * 12))[:, 0]
    starts = np.flatnonzero(np.diff(seen) > 0)
    assert 2 <= len(starts) <= 12 and starts[0] >= 24 * 1.0 - 1 and 0.1 < seen.mean() < 0.9


@pytest.mark.parametrize(("strength", "taken"), [(1.0, False), (1.5, True)])
def test_a_strong_call_takes_a_vehicle_from_the_state_that_another_call_holds(strength: float, taken: bool) -> None:
    """Caught prey stops, however much the predator startles it."""
    states = [CrowdState(name, numbers={"react": 0.0, "varies": 0.0}) for name in ("Caught", "Startle")]

    def called(frame: int, snapshot: Snapshot) -> Snapshot:
        caught = trigger(1, Always, strength=strength if frame >= 24 else 0.0)
        return with_states(snapshot, states, [trigger(2, Always), caught])

    seen = modes(herd(3).run(60, at=called))
    assert (seen[20] == 2).all()
    assert (seen[50] == 1).all() == taken


def counted(triggers: Sequence[Trigger], scene: Scene, **changes: Any) -> np.ndarray:
    """The vehicles that triggers call within a second."""
    state = CrowdState("On", numbers={"react": 0.0, "varies": 0.0})
    return modes(run(scene, [state], triggers, 24, **changes)).max(axis=0) == 1


def test_it_sees_what_is_in_front_and_not_what_is_behind() -> None:
    scene = Scene(
        [[0.0, 0.0, 0.0], [9.0, 0.0, 0.0]], forward=[[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]], tracked=leaders([4.5, 6, 0])
    )
    assert counted([trigger(1, Sees, bodies=np.array([2]), distance=20.0, angle=2.0)], scene).tolist() == [True, False]


def test_regions_call_who_is_inside_or_outside() -> None:
    scene = Scene([[0.0, 0.0, 0.0], [50.0, 0.0, 0.0]], regions=regions([[0.0, 0.0, 0.0]], 5.0, SPHERE))
    assert counted([trigger(1, Inside, regions=np.array([0]))], scene).tolist() == [True, False]
    assert counted([trigger(1, Outside, regions=np.array([0]), margin=0.0)], scene).tolist() == [False, True]


def test_agents_outside_by_less_than_the_margin_are_not_called() -> None:
    stands = {"speed": 0.0, "vehicle": {"cruise_speed": 0.0}}
    scene = Scene([[6.9, 0.0, 0.0], [7.1, 0.0, 0.0]], regions=regions([[0.0, 0.0, 0.0]], 5.0, SPHERE), **stands)
    assert counted([trigger(1, Outside, regions=np.array([0]), margin=2.0)], scene).tolist() == [False, True]


def left_alone_while_hunted(caught: int, watched: Trigger) -> list[State]:
    """A hunter and two prey; from a frame on, the nearer one is in a state in which it is left alone."""
    scene = Scene(
        [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [5.0, 0.0, 0.0]], behaviors=[],
        regions=regions([[2.0, 0.0, 0.0]], 0.5, SPHERE),
    )  # fmt: skip
    numbers = {"react": 0.0, "varies": 0.0, "lasts": 9.0}
    states = [
        CrowdState("Caught", numbers={**numbers, "left_alone": True}),
        CrowdState("Hunt", numbers={**numbers, "lasts": 0.0}),
    ]

    def at(frame: int, snapshot: Snapshot) -> Snapshot:
        holds = trigger(1, Inside, regions=np.array([0]), strength=1.5 * (frame >= caught))
        hunts = replace(watched, strength=1.0 * (frame >= 4))
        return with_states(snapshot, states, [holds, hunts])

    return scene.run(12, at=at)


@pytest.mark.parametrize(("caught", "followed"), [(0, 2), (8, 1)], ids=["before", "by who follows it already"])
def test_what_is_caught_calls_none_but_who_is_about_it_already(caught: int, followed: int) -> None:
    prey = trigger(2, Nearby, bodies=np.array([1, 2]), distance=50.0)
    after = left_alone_while_hunted(caught, prey)[-1].mindset
    assert (after.mode[0], after.body[0], after.mode[1]) == (2, followed, 1)


def test_what_watches_for_a_state_sees_also_those_who_are_left_alone_in_it() -> None:
    after = left_alone_while_hunted(0, trigger(2, Nearby, of=(0, 1), distance=50.0))[-1].mindset
    assert (after.mode[0], after.body[0]) == (2, 1)


def test_company_calls_the_alone_and_the_crowded() -> None:
    scene = Scene([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [80.0, 0.0, 0.0]])
    assert counted([trigger(1, Alone, distance=5.0, count=1)], scene).tolist() == [False, False, False, True]
    assert counted([trigger(1, Crowded, distance=5.0, count=2)], scene).tolist() == [True, True, True, False]


def test_touch_speed_and_arrival_call() -> None:
    scene = Scene([[0.0, 0.0, 0.0], [30.0, 0.0, 0.0]], tracked=leaders([0.9, 0.0, 0.0]))
    assert counted([trigger(1, Touched, bodies=np.array([2]))], scene).tolist() == [True, False]
    moving = Scene(
        [[0.0, 0.0, 0.0], [30.0, 0.0, 0.0]], speed=[0.0, 4.0], vehicle={"max_speed": 5.0, "cruise_speed": 0.0}
    )
    assert counted([trigger(1, Faster, speed=2.0)], moving).tolist() == [False, True]
    going = Scene(
        [[0.0, 0.0, 0.0], [60.0, 0.0, 0.0]], behaviors=[(Arrival, {"target": 2})], tracked=leaders([0.5, 0.0, 0.0])
    )
    assert counted([trigger(1, Arrived)], going).tolist() == [True, False]


def test_who_does_not_get_on_calls() -> None:
    scene = Scene(
        [[0.0, 0.0, 0.0], [60.0, 0.0, 0.0]], behaviors=[(Arrival, {"target": 2})], tracked=leaders([30.0, 0.0, 0.0]),
        vehicle={"max_speed": 5.0, "max_force": [1e-9, 10.0]},
    )  # fmt: skip
    stuck = CrowdState("On", numbers={"react": 0.0, "varies": 0.0})
    seen = modes(run(scene, [stuck], [trigger(1, Stuck, time=2.0)], 72))
    assert not seen[:, 1].any() and not seen[:48, 0].any() and seen[54:, 0].all()


def test_a_chance_decides_which_vehicles_follow_a_trigger() -> None:
    scene = herd(400)
    assert abs(counted([trigger(1, Always, chance=0.3)], scene).mean() - 0.3) < 0.07


@pytest.mark.parametrize("kind", CONDITIONS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("n", [0, 1, 2])
def test_each_condition_does_with_few_vehicles_and_nothing_to_watch(kind: Any, n: int) -> None:
    scene = Scene(np.zeros((n, 3)), behaviors=GRAZING)
    states = run(scene, [startle()], [trigger(1, kind)], 5)
    assert np.isfinite(states[-1].motion.position).all()


@given(
    seed=st.integers(0, 10_000),
    then=st.sampled_from(["", "Startle", "Other"]),
    other=st.sampled_from(["", "Startle", "Other"]),
    numbers=st.fixed_dictionaries(
        {
            "react": st.floats(0, 2), "lasts": st.floats(0, 2), "varies": st.floats(0, 1), "blend": st.floats(0, 2),
            "spreads": st.integers(0, 5), "urge": st.floats(0, 1), "cue": st.floats(0, 1), "builds_up": st.floats(0, 3),
        }
    ),
)  # fmt: skip
def test_whatever_states_say_all_stays_finite_and_within_limits(
    seed: int, then: str, other: str, numbers: dict[str, Any]
) -> None:
    scene = herd(6, seed=seed)
    states = [replace(startle(**numbers), then=then), CrowdState("Other", then=other, eases="Startle")]
    for state in run(scene, states, [wolf_near(scene, 50.0), trigger(1, Always)], 20):
        assert np.isfinite(state.motion.position).all()
        assert (np.linalg.norm(state.motion.velocity, axis=1) <= 6.0 + 1e-9).all()
        if state.mindset is not None:
            assert ((state.mindset.mode >= 0) & (state.mindset.mode <= 2)).all()


def test_a_crowd_without_states_has_no_mindset() -> None:
    made: Callable[[Scene], list[State]] = lambda scene: list(simulate(scene.start(), [scene.snapshot()] * 3))  # noqa: E731
    assert all(state.mindset is None for state in made(herd(4)))


def test_a_state_draws_its_chances_by_its_number_whatever_it_is_called() -> None:
    scene = herd(25)
    told = {"react": 0.4, "lasts": 1.0, "spreads": 2}
    named = [replace(startle(**told), number=3), CrowdState("Look", numbers={"urge": 0.4}, number=7)]
    renamed = [replace(named[0], name="Alarm"), replace(named[1], name="Zoom in")]
    added = [*renamed, CrowdState("Aside", number=9)]
    runs = [run(scene, states, [wolf_near(scene, chance=0.7)], 60) for states in (named, renamed, added)]
    assert {0, 1, 2} == set(modes(runs[0]).ravel())
    for other in runs[1:]:
        assert np.array_equal(modes(other), modes(runs[0])) and all(same(a, b) for a, b in zip(other, runs[0]))
    changed = run(scene, [replace(named[0], number=4), named[1]], [wolf_near(scene, chance=0.7)], 60)
    assert not np.array_equal(modes(changed), modes(runs[0]))


def test_of_two_cued_states_the_one_with_the_lower_number_is_taken_up() -> None:
    both = [CrowdState(name, numbers={"cue": 1.0}, number=n) for name, n in (("Alarm", 8), ("Zoom in", 3))]
    assert (modes(run(herd(4), both, [], 3))[-1] == 1).all()
    assert minds_of(with_states(herd(4).snapshot(), both))[0].modes[0].number == 3


@pytest.mark.parametrize(
    ("stored", "numbers"),
    [
        ([], []),
        ([0, 0], [1, 2]),
        ([3, 1], [3, 1]),
        ([2, 2, 0, 5, 2], [2, 6, 7, 5, 8]),
    ],
)
def test_the_first_keeps_its_number_and_the_others_get_numbers_above_all(stored: list[int], numbers: list[int]) -> None:
    assert distinct_numbers(stored) == numbers


@pytest.mark.parametrize("kind", [OnFoot, Planar])
def test_who_is_to_stop_and_has_nothing_else_to_do_comes_to_rest_without_creeping(kind: Any) -> None:
    walking = {"max_speed": 2.0, "max_force": 2.0, "cruise_speed": 0.6}
    scene = Scene([[0.0, 0.0, 0.0]], speed=1.2, behaviors=[], vehicle=walking, locomotions=[(kind, {})])
    rest = CrowdState("Rest", [], {**walking, "cruise_speed": 0.0}, numbers={"cue": 1.0})
    states = run(scene, [rest], [], 96)
    speed = np.array([np.linalg.norm(state.motion.velocity[0]) for state in states])
    slow = np.flatnonzero(speed < 0.12)[0]
    assert (np.diff(speed) < 0.005).all() and (speed[slow + 24 :] < 1e-9).all()
    assert np.linalg.norm(states[-1].motion.position[0] - states[slow].motion.position[0]) < 0.04
