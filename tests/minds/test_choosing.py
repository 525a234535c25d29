"""Choosing: the race of values, when a state is taken up and how long it lasts, cues and needs."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.behaviors.seek import Seek
from steering_addon.minds.choosing import choose_modes
from steering_addon.minds.conditions import CONDITIONS, Always, Arrived, Stuck
from steering_addon.minds.declaring import distinct_numbers
from steering_addon.minds.minding import OverfullCues, minds_of
from steering_addon.scene import CrowdState, Scene, leaders, trigger, with_states
from steering_addon.simulation.mindset import BY_CUE, NOBODY, OVER, Mindset
from steering_addon.simulation.run import simulate
from steering_addon.simulation.sensing import world_at
from steering_addon.simulation.steering import ERRAND
from tests.minds.herds import (
    AT_ONCE,
    FRAME,
    GRAZING,
    SLOW,
    WOLF,
    herd,
    meeting_in,
    modes,
    played,
    run,
    standing,
    startle,
    wolf_near,
)
from tests.scene import errand_of

STEADY = {**AT_ONCE, "lasts": 6.0, "persistence": 0.1}
STATES = [
    CrowdState("A", numbers=STEADY),
    CrowdState("B", numbers={**STEADY, "lasts": 0.0}),
    CrowdState("C", numbers={**STEADY, "builds_up": 1e-9}),
    CrowdState("D", numbers=STEADY, then="A"),
]
"""Modes 1 to 4. B lasts for good, C is needed, A follows D."""
SOON, NOW, NEVER = 1e-3, 0.0, np.inf


def moment(mode: int = 0, held: float = 0.0, called: float = 0.0, need: float = 0.0, **calls: Any) -> dict[str, Any]:
    """The mind of one vehicle at time 0, by the columns of its mindset. `called`: when it was called into its mode
    for last; `need`: of mode C; `calls`: when the pending call into each mode is due, and its strength, by the name of
    the mode."""
    due, strength = zip(*[(NEVER, 0.0), *(calls.get(name, (NEVER, 0.0)) for name in "ABCD")])
    causes = {name: np.arange(5) + k for name, k in (("pending_body", 20), ("pending_by", 30), ("pending_source", 40))}
    pending = {"due": np.array(due), "strength": np.array(strength), "need": np.array([0, 0, 0, need, 0])}
    return {"mode": mode, "held": held, "called": called, "body": 7, **pending, **causes}


RACE = {
    "too weak": (moment(A=(NOW, 0.5)), 0),
    "strong enough": (moment(A=(NOW, 0.51)), 1),
    "reacting": (moment(A=(SOON, 1.0)), 0),
    "of equal ones the first": (moment(A=(NOW, 1.0), B=(NOW, 1.0)), 1),
    "the stronger": (moment(A=(NOW, 1.0), B=(NOW, 1.01)), 2),
    "persists": (moment(1, held=1.0, B=(NOW, 1.09)), 1),
    "gives way": (moment(1, held=1.0, B=(NOW, 1.11)), 2),
    "called again": (moment(1, held=0.6, A=(NOW, 1.3), B=(NOW, 1.39)), 1),
    "lasts": (moment(1, held=1.0, called=-5.99), 1),
    "is over": (moment(1, held=1.0, called=-6.01), 0),
    "gives way when over": (moment(1, held=1.0, called=-6.01, B=(NOW, 0.8)), 2),
    "lasts for good": (moment(2, held=1.0, called=-1e5), 2),
    "little needed": (moment(C=(NOW, 1.5), need=0.3), 0),
    "needed": (moment(C=(NOW, 1.5), need=0.4), 3),
    "then": (moment(4, held=1.0, called=-6.01), 1),
    "then is weaker than a call": (moment(4, held=1.0, called=-6.01, B=(NOW, 0.6)), 2),
}  # fmt: skip


def test_the_highest_value_wins_as_the_table_says() -> None:
    """Each vehicle is a row of the table."""
    scene = standing(*([50.0 * k, 0.0, 0.0] for k in range(len(RACE))))
    snapshot = with_states(scene.snapshot(), STATES)
    columns = {name: np.array([known[name] for known, _ in RACE.values()]) for name in moment()}
    before = replace(Mindset.blank(len(RACE), 5, 0.0), **columns)
    after = choose_modes(minds_of(snapshot)[0], meeting_in(snapshot, scene.start(), before), snapshot.keys)
    assert dict(zip(RACE, after.mode.tolist())) == {name: expected for name, (_, expected) in RACE.items()}
    for k, (name, (known, mode)) in enumerate(RACE.items()):
        took_up, over = mode != known["mode"], known["mode"] > 0 and not np.isfinite(known["due"]).any()
        assert (after.turns[k], after.since[k] == 0.0) == (took_up, took_up), name
        if took_up and over:
            assert (after.by[k], after.body[k], after.source[k], after.held[k]) == (OVER, 7, NOBODY, 0.5), name
        elif took_up:
            told = after.by[k], after.body[k], after.source[k], after.held[k]
            strength = known["strength"][mode] * (known["need"][3] if mode == 3 else 1.0)
            assert told == (30 + mode, 20 + mode, 40 + mode, pytest.approx(min(strength, 1.0))), name
            assert after.weighed[k, mode] == pytest.approx(strength), name
        # What is acted on is no longer pending; what is not due yet stays.
        assert np.array_equal(after.due[k], np.where(known["due"] <= 0.0, np.inf, known["due"])), name


def test_no_vehicle_reacts_before_its_reaction_is_over_nor_long_after() -> None:
    scene = herd(16, wolf=[3.0, 3.0, 0.0])
    states = run(scene, [startle(react=0.8, varies=0.5)], [wolf_near(scene, 50.0)], 60)
    first = (modes(states) == 1).argmax(axis=0) * FRAME
    assert (first >= 0.8 * 0.5).all() and (first <= 0.8 * 1.5 + 2.0 * FRAME).all() and np.ptp(first) > 0.3


def test_only_who_is_called_reacts_and_a_call_that_goes_on_does_not_put_it_off() -> None:
    scene = standing([0, 0, 0], [50, 0, 0], tracked=leaders([1, 0, 0]))
    states = run(scene, [startle(react=0.5, varies=0.0)], [wolf_near(scene)], 4)
    due = [state.mindset.due[:, 1].tolist() for state in states[1:]]
    assert due == [[0.5, np.inf]] * 3


def test_a_reaction_once_begun_happens_though_the_call_is_over() -> None:
    scene = herd(9, wolf=[3.0, 3.0, 0.0])
    seen = modes(played(scene, 30, lambda f: ([startle(react=0.5)], [wolf_near(scene, 50.0, strength=1.0 * (f < 2))])))
    assert (seen.max(axis=0) == 1).all()


def test_a_state_lasts_for_its_time_after_the_last_call_and_then_follows_what_comes_then() -> None:
    calm = CrowdState("Calm", numbers={**AT_ONCE, "lasts": 1.0})
    states = [replace(startle(**{**AT_ONCE, "lasts": 2.0}), then="Calm"), calm]
    seen = modes(played(herd(9), 110, lambda frame: (states, [trigger(2, Always, strength=1.0 * (frame < 24))])))
    assert (seen[24:70] == 2).all() and (seen[75:94] == 1).all() and (seen[100:] == 0).all()


def test_a_need_that_builds_up_and_is_eased_makes_a_cycle() -> None:
    """It takes 1.2 s from 0 to what is followed, and with the call gone the state lasts for a second."""
    scene = herd(1, wolf=[0.0, -3.0, 0.0])
    hunt = CrowdState("Hunt", numbers={**AT_ONCE, "builds_up": 0.5, "wears_off": 2.0, "lasts": 1.0}, eases="Hunt")
    states = run(scene, [hunt], [wolf_near(scene, 50.0)], 24 * 12)
    seen, need = modes(states)[:, 0], np.array([s.mindset.need[0, 1] for s in states[1:]])
    starts = np.flatnonzero(np.diff(seen) > 0)
    assert 2 <= len(starts) <= 12 and starts[0] >= 24 and 0.1 < seen.mean() < 0.9
    assert ((need >= 0.0) & (need <= 1.0)).all()
    change = np.diff(need)[(need[:-1] > 0.0) & (need[1:] > 0.0)]
    assert {round(step, 9) for step in change.tolist()} == {round(0.5 * FRAME, 9), round(-2.0 * FRAME, 9)}


def test_who_is_hungry_at_first_hunts_at_once() -> None:
    scene = herd(1, wolf=[0.0, -3.0, 0.0])
    hunt = CrowdState("Hunt", numbers={**AT_ONCE, "builds_up": 0.07, "at_first": 1.0})
    assert modes(run(scene, [hunt], [wolf_near(scene, 50.0)], 12))[-1, 0] == 1


@pytest.mark.parametrize(("share", "n"), [(0.0, 7), (0.2, 20), (0.5, 9), (1.0, 20), (0.55, 2000)])
def test_a_cue_holds_for_its_share_of_the_crowd_and_more_of_it_for_the_same_and_others(share: float, n: int) -> None:
    less, told = (run(herd(n), [CrowdState("On", numbers={"cue": cue})])[-1].mindset for cue in (0.4 * share, share))
    assert (told.mode == 1).sum() == int(share * n + 0.5) and (told.by[told.mode == 1] == BY_CUE).all()
    assert (told.mode >= less.mode).all()


def strip(frame: float, first: float, last: float, fade_in: float, fade_out: float) -> float:
    """The share that a strip with fades tells on a frame."""
    return min(max(min((frame - first) / fade_in, 1.0, (last - frame) / fade_out), 0.0), 1.0)


@pytest.mark.parametrize("n", [20, 200])
def test_the_share_in_a_cued_state_follows_the_strip_with_its_fades(n: int) -> None:
    """A strip from 60 to 150 with fades of 24 and 30 frames, of which every third frame is played."""
    scene = Scene(np.random.default_rng(3).uniform(0.0, 400.0, (n, 3)), behaviors=[], vehicle=SLOW)
    cues = [strip(frame, 60, 150, 24, 30) for frame in range(54, 156, 3)]
    states = played(scene, len(cues), lambda frame: ([CrowdState("On", numbers={"cue": cues[frame]})], []))
    share = (modes(states) == 1).mean(axis=1)
    # A frame is followed on the next one.
    assert np.abs(share[1:] - cues[:-1]).max() < 0.5 / n + 1e-9 and share.max() == 1.0 and share[-1] == 0.0
    assert (states[-1].mindset.by == OVER).all()


def test_a_vehicle_more_changes_what_a_cue_tells_one_other_at_most() -> None:
    told = {}
    for n in (29, 30):
        scene = herd(n, identity=np.arange(100, 100 + n))
        seen = [modes(run(scene, [startle(cue=cue)]))[-1] == 1 for cue in (0.1, 0.35, 0.6, 0.85)]
        told[n] = np.array(seen)[:, :29]
    assert ((told[29] != told[30]).sum(axis=1) <= 1).all() and told[29].any()


def test_who_is_cued_and_called_at_once_is_there_by_the_cue_and_then_by_the_call() -> None:
    scene = standing([0.0, 0.0, 0.0], [3.0, 0.0, 0.0], tracked=leaders(WOLF))
    _, cued, called = run(scene, [startle(cue=1.0, **AT_ONCE)], [wolf_near(scene, 20.0)])
    assert [state.mindset and state.mindset.by.tolist() for state in (cued, called)] == [[BY_CUE, BY_CUE], [0, 0]]


@pytest.mark.parametrize("n", [4, 400])
@pytest.mark.parametrize(("first", "second"), [(0.3, 0.4), (0.6, 0.4), (0.7, 0.7), (1.0, 1.0)])
def test_cues_of_two_states_share_the_crowd_and_the_second_gets_what_is_left(
    first: float, second: float, n: int
) -> None:
    scene = standing(*([9.0 * k, 0, 0] for k in range(n)))
    seen = modes(run(scene, [CrowdState("A", numbers={"cue": first}), CrowdState("B", numbers={"cue": second})]))[-1]
    told, both = int(first * n + 0.5), int(min(first + second, 1.0) * n + 0.5)
    assert np.bincount(seen, minlength=3).tolist() == [n - both, told, both - told]


def test_cues_that_tell_more_than_all_are_noted() -> None:
    overfull = OverfullCues()
    for frame, cue in enumerate((0.2, 0.6, 0.9, 0.3)):
        states = [CrowdState("A", numbers={"cue": cue}), CrowdState("B", numbers={"cue": 0.5})]
        overfull.look(frame, with_states(herd(1).snapshot(), states))
    assert overfull.frames == {0: (1, pytest.approx(1.4))}


@pytest.mark.parametrize(
    ("bound", "speed", "idle"),
    [(True, 0.0, 1.5 + FRAME), (True, 0.049, 1.5 + FRAME), (True, 0.051, 0.0), (False, 0.0, 0.0), (False, 1.0, 0.0)],
)
def test_a_vehicle_is_idle_for_as_long_as_it_has_somewhere_to_go_and_stands(
    bound: bool, speed: float, idle: float
) -> None:
    """It cruises at half a metre a second; a tenth of that is standing."""
    scene = Scene([[0, 0, 0]], speed=speed, vehicle={"max_speed": 1.0, "cruise_speed": 0.5})
    snapshot = with_states(scene.snapshot(), [CrowdState("On")], [trigger(1, Stuck, time=1.0)])
    known = replace(Mindset.blank(1, 2, 0.0), idle=np.array([1.5]))
    errand = errand_of(np.array([bound]), np.ones(1), np.zeros(1, dtype=bool))
    state = replace(scene.start(), inputs=snapshot, mindset=known, memories={ERRAND: errand})
    after, _ = snapshot.minds.choose(state, snapshot, world_at(state, snapshot, snapshot, 0.0))
    assert after.mindset.idle[0] == pytest.approx(idle)
    assert np.isfinite(after.mindset.due[0, 1]) == (idle > 0.0)
    # In a state in which it crawls, so slow a vehicle gets on.
    crawling = with_states(scene.snapshot(), [CrowdState("Crawl", vehicle={"max_speed": 0.05})])
    crawls = replace(state, mindset=replace(known, mode=np.array([1])), inputs=crawling)
    after, _ = crawling.minds.choose(crawls, crawling, world_at(crawls, crawling, crawling, 0.0))
    assert (after.mindset.idle[0] > 0.0) == (bound and speed == 0.0)


@pytest.mark.parametrize("source", ["errand", "goal reached", ""])
def test_who_is_where_a_behavior_leads_has_arrived(source: str) -> None:
    scene = Scene([[0, 0, 0]], behaviors=[(Seek, {"target": 1})], tracked=leaders([5, 0, 0]))
    snapshot = with_states(scene.snapshot(), [CrowdState("On", numbers=AT_ONCE)], [trigger(1, Arrived)])
    errand = errand_of(np.zeros(1, dtype=bool), np.zeros(1), np.array([source == "errand"]))
    arrived = {"seek": np.array([source == "goal reached"])}
    state = replace(scene.start(), inputs=snapshot, arrived=arrived, memories={ERRAND: errand})
    after, _ = snapshot.minds.choose(state, snapshot, world_at(state, snapshot, snapshot, 0.0))
    assert after.mindset.mode[0] == (source != "")


@pytest.mark.parametrize("n", [0, 1, 2])
def test_all_conditions_do_with_few_vehicles_and_nothing_to_watch(n: int) -> None:
    scene = Scene(np.zeros((n, 3)), behaviors=GRAZING)
    states = run(scene, [startle()], [trigger(1, kind) for kind in CONDITIONS], 5)
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
    scene = herd(4)
    assert all(state.mindset is None for state in simulate(scene.start(), [scene.snapshot()] * 3))


def test_a_state_draws_its_chances_by_its_number_whatever_it_is_called() -> None:
    scene = herd(25)
    told = {"react": 0.4, "lasts": 1.0, "spreads": 2}
    named = [replace(startle(**told), number=3), CrowdState("Look", numbers={"urge": 0.4}, number=7)]
    renamed = [replace(named[0], name="Alarm"), replace(named[1], name="Zoom in")]
    more, renumbered = [*renamed, CrowdState("Aside", number=9)], [replace(named[0], number=4), named[1]]
    triggers = [wolf_near(scene, chance=0.7)]
    seen = [modes(run(scene, states, triggers, 30)) for states in (named, renamed, more, renumbered)]
    assert {0, 1, 2} == set(seen[0].ravel())
    assert [np.array_equal(each, seen[0]) for each in seen] == [True, True, True, False]


@pytest.mark.parametrize(
    ("stored", "numbers"), [([], []), ([0, 0], [1, 2]), ([3, 1], [3, 1]), ([2, 2, 0, 5, 2], [2, 6, 7, 5, 8])]
)
def test_the_first_keeps_its_number_and_the_others_get_numbers_above_all(stored: list[int], numbers: list[int]) -> None:
    assert distinct_numbers(stored) == numbers
    states = [CrowdState(str(k), number=number) for k, number in enumerate(stored)]
    modes_made = minds_of(with_states(herd(4).snapshot(), states))[0].modes
    assert [mode.number for mode in modes_made] == sorted(numbers)
