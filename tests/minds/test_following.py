"""Following a state: what vehicles want and can in it, and how they come to it from another one."""

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
from steering_addon.locomotion import OnFoot, Planar, SimpleVehicle, Wheeled
from steering_addon.minds.conditions import Nearby
from steering_addon.minds.following import (
    fleet_in_modes,
    not_stopped_short,
    starting_afresh,
    vehicles_as_in_modes,
)
from steering_addon.minds.minding import minds_of
from steering_addon.scene import Crowd, CrowdState, Scene, in_crowds, leaders, speeds, trigger, with_states
from steering_addon.simulation.arrays.vectors import truncate
from steering_addon.simulation.declaration import CAUSE
from steering_addon.simulation.mindset import Mindset
from steering_addon.simulation.run import step
from steering_addon.simulation.snapshot import Snapshot, State
from tests.minds.herds import (
    AT_ONCE,
    FAST,
    FRAME,
    RUNNING,
    SLOW,
    WOLF,
    herd,
    modes,
    played,
    run,
    same,
    startle,
    wolf_near,
)
from tests.scene import errand_of

AFAR = [(Flee, {"distance": 100.0}), (Separation, {"distance": 1.5})]
"""What vehicles want in a state that is not about what called."""


def test_who_is_near_what_calls_takes_up_the_state_and_runs_from_it() -> None:
    scene = herd()
    states = run(scene, [startle()], [wolf_near(scene)], 60)
    gap, startled = np.linalg.norm(scene.position - WOLF, axis=1), modes(states).max(axis=0) == 1
    near = gap < 7.5
    assert near.any() and startled[near].all() and not startled[gap > 10].any()
    assert (np.linalg.norm(states[-1].motion.position - WOLF, axis=1) - gap)[near].min() > 3.0
    assert (states[-1].mindset.body[startled] == len(scene)).all()


QUICK = {"max_turn_rate": 4.0, "turn_radius": 0.3, "turn_on_the_spot": 2.0}


@pytest.mark.parametrize(
    ("own", "state"),
    [
        ({}, CrowdState("Run", AFAR, FAST)),
        ({"locomotions": [(OnFoot, {"max_turn_rate": 0.5})]}, CrowdState("Run", AFAR, FAST, locomotion=QUICK)),
    ],
    ids=["wants and bodies", "turning"],
)
def test_a_crowd_that_is_cued_from_the_first_frame_moves_as_one_with_those_settings(
    own: Any, state: CrowdState
) -> None:
    cued = run(herd(20, **own), [replace(state, numbers={"cue": 1.0, "blend": 0.0})], [], 40)
    if state.locomotion:
        own = {"locomotions": [(OnFoot, state.locomotion)]}
    plain = herd(20, behaviors=AFAR, vehicle=FAST, **own).run(40)
    assert all(same(a, b) for a, b in zip(cued, plain))


def test_a_state_that_is_never_entered_changes_nothing() -> None:
    assert all(same(a, b) for a, b in zip(run(herd(30), [startle()], [], 40), herd(30).run(40)))


def test_a_body_turns_by_the_numbers_of_its_state_and_takes_them_up_by_and_by() -> None:
    scene = herd(9, wolf=[3.0, 2.5, 0.0], locomotions=[(Planar, {"max_turn_rate": 0.5})])
    state = replace(startle(**AT_ONCE, blend=1.0), locomotion={"max_turn_rate": 6.0})
    turns = {}
    for kind, states in {"own": [state], "as the crowd": [replace(state, locomotion=None)]}.items():
        heading = np.array([s.motion.forward for s in run(scene, states, [wolf_near(scene, 50.0)], 60)])
        turns[kind] = np.arccos(np.clip((heading[1:] * heading[:-1]).sum(axis=2), -1.0, 1.0)) / FRAME
    assert turns["as the crowd"].max() <= 0.5 * 1.001 and turns["own"].max() > 1.0
    share = np.minimum((np.arange(1, 60) + 1.0) / 24.0, 1.0)
    most = 0.5 + 5.5 * share * share * (3.0 - 2.0 * share)
    assert (turns["own"] <= most[:, None] * 1.001 + 1e-6).all()


@pytest.mark.parametrize(
    ("kinds", "locomotion", "expected"),
    [
        ([(Planar, {"max_turn_rate": 0.5}), (SimpleVehicle, {"max_turn_rate": 0.4})], {"max_turn_rate": 6.0},
         {"max_turn_rate": [6.0, 0.4]}),
        ([(Wheeled, {})], {"wheelbase": 9.0, "max_wheel_rate": 3.0}, {"wheelbase": [2.7], "max_wheel_rate": [3.0]}),
    ],
    ids=["only bodies of its kind", "not what is measured from the body"],
)  # fmt: skip
def test_what_of_a_locomotion_a_state_changes(kinds: Any, locomotion: Any, expected: dict[str, list[float]]) -> None:
    """Of two vehicles in it, the second moves in another way if there is one."""
    scene = replace(herd(2, locomotions=kinds), locomotion_row=np.arange(2) % len(kinds))
    snapshot = with_states(scene.snapshot(), [replace(startle(cue=1.0, blend=0.0), locomotion=locomotion)])
    begun = step(step(scene.start(), snapshot), snapshot)
    bodies = fleet_in_modes(minds_of(snapshot), snapshot, begun.mindset, np.ones(2)).locomotions
    assert {name: [float(getattr(body, name)[row]) for row, body in enumerate(bodies)] for name in expected} == expected


def test_no_vehicle_is_stopped_short_when_it_calms_down() -> None:
    scene, state = (
        herd(16, wolf=[3.0, 3.0, 0.0], vehicle={**SLOW, "mass": 2.0}),
        startle(**{**AT_ONCE, "lasts": 0.5, "blend": 0.2}),
    )
    states = played(scene, 120, lambda f: ([state], [wolf_near(scene, 50.0, strength=1.0 * (f < 40))]))
    speed = np.linalg.norm([s.motion.velocity for s in states], axis=2)
    assert speed.max() > 4.0 and speed[-1].max() < 1.05
    assert np.abs(np.diff(speed, axis=0)).max() <= 10.0 / 2.0 * FRAME + 1e-9


@given(switches=st.lists(st.integers(2, 40), min_size=1, max_size=6), order=st.permutations([1, 2, 0]))
@settings(max_examples=3, deadline=None)
def test_force_and_top_speed_change_gradually_whenever_states_are_switched(
    switches: list[int], order: list[int]
) -> None:
    """Each state leads a heavy vehicle to another place far away, so that all change comes from the switches."""
    far, blend, heavy = 1e6, 0.5, FAST | {"mass": 1e6}
    scene = Scene(
        [[0.0, 0.0, 0.0]], behaviors=[(Seek, {"target": 1})], vehicle=heavy,
        tracked=leaders([far, 0.0, 0.0], [0.0, far, 0.0], [-far, 0.0, 0.0]),
    )  # fmt: skip
    numbers = {**AT_ONCE, "lasts": 0.0, "blend": blend}
    states = [CrowdState(name, [(Seek, {"target": k})], heavy | {"max_speed": top}, numbers=numbers)
              for name, k, top in (("A", 2, 3.0), ("B", 3, 9.0))]  # fmt: skip

    def cued(frame: int) -> Any:
        told = order[sum(frame >= switch for switch in switches) % 3]
        return [replace(s, numbers={**numbers, "cue": float(told == k)}) for k, s in enumerate(states, 1)], []

    ran = [state for state in played(scene, 60, cued) if state.mindset is not None]
    # What is decided is cut to max_force as it is applied.
    force = np.concatenate([truncate(state.force, np.array([10.0])) for state in ran])
    top = []
    for state in ran:
        part = state.mindset.taken_up(state.time - FRAME, FRAME)
        model = vehicles_as_in_modes(minds_of(state.inputs), state.inputs, state.mindset, part)
        top.append(float(not_stopped_short(model, state.mindset.turns, np.zeros(1), FRAME).max_speed[0]))
        assert np.abs(state.mindset.shares.sum(axis=1) - 1.0).max() < 1e-12
    steepest = 1.5 * FRAME / blend
    assert np.linalg.norm(np.diff(force, axis=0), axis=1).max() <= steepest * 20.0 + 0.05
    assert np.abs(np.diff(top)).max(initial=0.0) <= steepest * 6.0 + 1e-9


def test_a_switch_in_the_middle_of_another_keeps_what_each_state_was_about() -> None:
    """Called by one wolf and then by another, a vehicle still runs from the first for a while."""
    scene = herd(1, behaviors=[], vehicle=FAST, tracked=leaders([0.0, -3.0, 0.0], [3.0, 0, 0]))
    flee, numbers = [(Flee, {"target": CAUSE, "distance": 100.0})], {**AT_ONCE, "blend": 1.0}
    states = [CrowdState("First", flee, numbers=numbers), CrowdState("Next", flee, numbers=numbers)]
    ran = played(scene, 40, lambda frame: (states, [
        trigger(k, Nearby, bodies=np.array([k]), distance=50.0, strength=now)
        for k, now in ((1, 0.8 * (frame < 12)), (2, 1.0 * (frame >= 12)))
    ]))  # fmt: skip
    switched = modes(ran)[:, 0].tolist().index(2)
    mindset = ran[switched].mindset
    assert mindset is not None and (mindset.body[0], mindset.callers[0, 1]) == (2, 1)
    assert 0.2 < mindset.shares[0, 1] < 0.8 and mindset.shares[0, 2] == 0.0
    before, after = ran[switched - 1].force[0], ran[switched].force[0]
    assert before[1] > 1.0 and np.linalg.norm(after - before) < 1.5


def test_what_a_state_has_settings_of_its_own_for_begins_anew_each_time_it_is_entered_or_left() -> None:
    """Of two vehicles one enters: it forgets what the behavior remembers, and wants its goal again."""
    go = CrowdState("Go", [(Arrival, {"target": 2})])
    snapshot = with_states(herd(2).snapshot(), [go])
    (mind,) = minds_of(snapshot)
    # It has settings of its own for Seek too, by which Seek is off.
    mind = replace(mind, modes=(replace(mind.modes[0], replaces=("arrival", "seek")),))
    known, both = errand_of(np.ones(2, dtype=bool), np.ones(2), np.ones(2, dtype=bool)), np.ones(2, dtype=bool)
    names = ("arrival", "arrival.target", "seek", "flee")
    state = replace(
        herd(2).start(), memories=dict.fromkeys(names, known), arrived={name: both for name in names if "." not in name}
    )
    before = replace(Mindset.blank(2, 2, 0.0), mode=np.array([0, 1]))
    after = replace(before, mode=np.array([1, 1]), turns=np.array([1, 0]))
    begun = starting_afresh((mind,), state, snapshot, before, after)
    left = {name: memory.left.tolist() for name, memory in begun.memories.items()}
    assert left == {"arrival": [0, 1], "arrival.target": [0, 1], "seek": [1, 1], "flee": [1, 1]}
    arrived = {name: mask.tolist() for name, mask in begun.arrived.items()}
    assert arrived == {"arrival": [False, True], "seek": [False, True], "flee": [True, True]} and both.all()
    assert starting_afresh((mind,), state, snapshot, before, before) is state
    # One that leaves the state for settings of the crowd starts over as well, but for what the state switched off.
    crowd = replace(snapshot.settings[0], behaviors=tuple(kind.of(2) for kind in (Arrival, Seek, Flee)))
    snapshot = replace(snapshot, settings=(crowd, *snapshot.settings[1:]))
    after = replace(before, mode=np.array([0, 0]), turns=np.array([0, 1]))
    begun = starting_afresh((mind,), state, snapshot, before, after)
    left = {name: memory.left.tolist() for name, memory in begun.memories.items()}
    assert left == {"arrival": [1, 0], "arrival.target": [1, 0], "seek": [1, 1], "flee": [1, 1]}
    arrived = {name: mask.tolist() for name, mask in begun.arrived.items()}
    assert arrived == {"arrival": [True, False], "seek": [True, True], "flee": [True, True]}


def test_crowds_choose_and_follow_their_own_states_only() -> None:
    """Two crowds with one and two states, each as if the other had none."""
    behaviors = tuple(kind.of(3, **values) for kind, values in [(Separation, {"distance": 3.0})])
    crowds = [Crowd(np.arange(3), behaviors), Crowd(np.arange(3, 6), behaviors)]
    seeking = [(Separation, {"distance": 3.0}), (Seek, {"target": CAUSE, "weight": 0.5})]
    of_crowds = (
        [CrowdState("Run", RUNNING, FAST, numbers=AT_ONCE, locomotion={"max_turn_rate": 5.0})],
        [CrowdState("A", seeking, SLOW, numbers={**AT_ONCE, "left_alone": True}), CrowdState("B")],
    )
    scene = Scene([[2.0 * k, 0.3 * k, 0.0] for k in range(6)], forward=[1, 0, 0], speed=0.5, vehicle=FAST,
                  locomotions=[(Planar, {})], tracked=leaders([3.0, -4.0, 0.0]))  # fmt: skip

    def go(having: tuple[int, ...]) -> list[State]:
        def at(frame: int, snapshot: Snapshot) -> Snapshot:
            snapshot = replace(in_crowds(snapshot, crowds), present=np.arange(6) != 5)
            for crowd in having:
                near = trigger(1, Nearby, bodies=np.array([6]), distance=50.0)
                snapshot = with_states(snapshot, of_crowds[crowd], [near], crowd)
            return snapshot

        return scene.run(30, at=at)

    both, first, second = go((0, 1)), go((0,)), go((1,))
    assert both[-1].mindset.mode.tolist() == [1, 1, 1, 1, 1, 0]
    for own, rows in ((first, slice(0, 3)), (second, slice(3, 6))):
        assert own[-1].mindset.mode[rows].any()
        assert np.array_equal(both[1].motion.position[rows], own[1].motion.position[rows])
    assert max(speeds(both)[-1][:3]) > 1.5 > SLOW["max_speed"] >= max(speeds(both)[-1][3:])


@pytest.mark.parametrize("kind", [OnFoot, Planar])
def test_who_is_to_stop_and_has_nothing_else_to_do_comes_to_rest_without_creeping(kind: Any) -> None:
    walking = {"max_speed": 2.0, "max_force": 2.0, "cruise_speed": 0.6}
    scene = Scene([[0.0, 0.0, 0.0]], speed=1.2, behaviors=[], vehicle=walking, locomotions=[(kind, {})])
    rest = CrowdState("Rest", [], {**walking, "cruise_speed": 0.0}, numbers={"cue": 1.0})
    speed = np.array([np.linalg.norm(state.motion.velocity[0]) for state in run(scene, [rest], [], 96)])
    slow = np.flatnonzero(speed < 0.12)[0]
    assert (np.diff(speed) < 0.005).all() and (speed[slow + 24 :] < 1e-9).all()
    assert speed[slow:].sum() * FRAME < 0.04


def test_one_that_stands_by_its_state_stands_as_firmly_as_one_that_stands_by_its_crowd() -> None:
    """Another walks into it."""
    walks = {"max_speed": 2.0, "cruise_speed": 0.6, "max_force": 4.0, "radius": 0.3, "keep_apart": True}
    stands = {**walks, "cruise_speed": [0.6, 0.0]}
    scene = Scene([[0.0, 0.0, 0.0], [0.05, 1.2, 0.0]], speed=[1.2, 0.0], vehicle=stands, locomotions=[(OnFoot, {})],
                  tracked=leaders([0.0, 12.0, 0.0]))  # fmt: skip
    crowds = [Crowd(np.array([0]), (Seek.of(1, target=2),)), Crowd(np.array([1]), ())]
    rest = CrowdState("Rest", [], {**walks, "cruise_speed": 0.0}, numbers={"cue": 1.0, "blend": 0.0})
    by_crowd = scene.run(36, at=lambda _, snapshot: in_crowds(snapshot, crowds))
    by_state = replace(scene, vehicle=walks).run(
        36, at=lambda _, snapshot: with_states(in_crowds(snapshot, crowds), [rest], crowd=1)
    )
    assert same(by_crowd[-1], by_state[-1])
    assert np.abs(by_crowd[-1].motion.position[1] - scene.position[1]).max() < 1e-9
