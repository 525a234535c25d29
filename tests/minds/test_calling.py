"""Calls: who hears a trigger, the example of others, or an inclination, and from which body."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import Planar
from steering_addon.minds.calling import CAUGHT, INCLINED, Calls, find_calls
from steering_addon.minds.conditions import Always, Inside, Nearby
from steering_addon.minds.declaring import Trigger
from steering_addon.minds.minding import minds_of
from steering_addon.scene import SPHERE, CrowdState, Scene, all_of, leaders, regions, trigger, with_states
from steering_addon.simulation.declaration import CAUSE
from steering_addon.simulation.mindset import BY_CUE, BY_OTHERS, BY_URGE, NOBODY, Mindset
from steering_addon.simulation.snapshot import State
from tests.minds.herds import (
    AT_ONCE,
    FAST,
    FRAME,
    WOLF,
    herd,
    meeting_in,
    modes,
    played,
    run,
    same,
    standing,
    startle,
    wolf_near,
)
from tests.sampling import sampled

LATER = 0.5
"""Seconds."""


def calls_in(
    scene: Scene, states: list[CrowdState], triggers: list[Trigger], left_alone: Any = (), crowd: Any = 0, **minds: Any
) -> Calls:
    """The calls of vehicles of crowd 0 at the start of a scene. `left_alone`: the rows of the bodies that are left
    alone; `crowd`: (n,) the crowd of each vehicle; `minds`: columns of the mindset, where they are not blank."""
    snapshot = replace(scene.snapshot(), crowd=np.broadcast_to(crowd, (len(scene),)))
    snapshot = with_states(snapshot, states, triggers)
    (mind,) = minds_of(snapshot)
    before = replace(Mindset.blank(len(scene), len(states) + 1, 0.0), **minds)
    meeting = meeting_in(snapshot, scene.start(), before)
    meeting.left_alone[list(left_alone)] = True
    k = len(states) + 1
    return find_calls(mind, meeting, before.take(meeting.rows, k), snapshot.keys[meeting.rows])


def column(n: int, blank: Any, of_rows: dict[int, Any]) -> np.ndarray:
    """A column (n,) with the values of some rows, or (n, 2) with those of mode 1."""
    made = np.full(n, blank)
    for row, value in of_rows.items():
        made[row] = value
    return made


def in_mode_1(n: int, blank: Any, of_rows: dict[int, Any]) -> np.ndarray:
    return np.stack((np.full(n, blank), column(n, blank, of_rows)), axis=1)


def reacting(row: int, due: float, by: int, body: int) -> dict[str, np.ndarray]:
    """The mindset of two vehicles, one of which reacts to a call."""
    return {
        "due": in_mode_1(2, np.inf, {row: due}),
        "pending_by": in_mode_1(2, NOBODY, {row: by}),
        "pending_body": in_mode_1(2, NOBODY, {row: body}),
    }


def following(row: int, by: int, body: int) -> dict[str, np.ndarray]:
    """The mindset of two vehicles, one of which is in mode 1."""
    return {"mode": column(2, 0, {row: 1}), "by": column(2, NOBODY, {row: by}), "body": column(2, NOBODY, {row: body})}


@pytest.mark.parametrize(
    ("minds", "who"),
    [
        ({}, 0),
        (reacting(1, LATER, 0, 2), 1),
        (reacting(1, -FRAME, 0, 2), 1),
        (reacting(0, LATER, 1, 3), 1),
        (reacting(0, -2.0 * FRAME, 0, 2), 1),
        (reacting(0, LATER, 1, 0), 0),
        (following(1, 0, 2), 1),
        (following(0, 1, 3), 1),
        (following(0, 1, 0), 0),
        (following(0, BY_OTHERS, 3), 0),
        ({name: np.broadcast_to(x[1], x.shape).copy() for name, x in following(1, 0, 2).items()}, 0),
    ],
    ids=["nearer", "reacts", "acts now", "reacts to another", "has missed it", "by itself", "follows",
         "follows another", "is in it by itself", "by an example", "both follow"],
)  # fmt: skip
def test_a_thing_that_calls_one_calls_who_comes_already_and_else_the_nearest_that_is_free(minds: Any, who: int) -> None:
    scene = standing([0.0, -3.0, 0.0], [0.0, -5.0, 0.0], tracked=leaders([0.0, 0.0, 0.0], [90.0, 0.0, 0.0]))
    wolf, other = (trigger(1, Nearby, bodies=np.array([row]), distance=9.0, one_each=row == 2) for row in (2, 3))
    calls = calls_in(scene, [startle()], [wolf, replace(other, strength=0.0)], **minds)
    assert calls.body[:, 1].tolist() == [2 if row == who else NOBODY for row in range(2)]
    assert calls.gap[who, 1] == (3.0, 5.0)[who]


def test_things_that_call_one_each_are_shared_out_by_distance() -> None:
    scene = standing([0, 0, 0], [4, 0, 0], [5, 0, 0], tracked=leaders([1, 0, 0], [-3.5, 0, 0]))
    both = trigger(1, Nearby, bodies=np.array([3, 4]), distance=50.0, one_each=True)
    assert calls_in(scene, [startle()], [both]).body[:, 1].tolist() == [3, 4, NOBODY]
    near = trigger(1, Nearby, bodies=np.array([3, 4]), distance=3.0, one_each=True)
    assert calls_in(scene, [startle()], [near]).body[:, 1].tolist() == [3, NOBODY, NOBODY]


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


def test_who_is_left_alone_calls_none_but_who_is_about_it_already() -> None:
    scene = standing([0, 0, 0], [0, 1, 0], [0, 2, 0], tracked=leaders([1, 0, 0], [9, 0, 0]))
    minds = {"body": np.array([3, 3, NOBODY]), "mode": np.array([1, 0, 1])}
    both = trigger(1, Nearby, bodies=np.array([3, 4]), distance=50.0)
    assert calls_in(scene, [startle()], [both], [3], **minds).body[:, 1].tolist() == [3, 4, 4]
    of_state = trigger(1, Nearby, of=(0, 1), distance=50.0)
    assert calls_in(scene, [startle()], [of_state], [0, 2], **minds).body[:, 1].tolist() == [2, 0, 0]


@pytest.mark.parametrize(("caught", "followed"), [(0, 2), (8, 1)], ids=["before", "by who follows it already"])
def test_in_a_state_that_leaves_alone_prey_calls_none_but_who_is_about_it(caught: int, followed: int) -> None:
    """A hunter and two prey, of which the nearer one is caught from a frame on."""
    scene = standing([0, 0, 0], [2, 0, 0], [5, 0, 0], regions=regions([[2, 0, 0]], 0.5, SPHERE))
    states = [CrowdState("Caught", numbers={**AT_ONCE, "lasts": 9.0, "left_alone": True}),
              CrowdState("Hunt", numbers={**AT_ONCE, "lasts": 0.0})]  # fmt: skip
    prey = trigger(2, Nearby, bodies=np.array([1, 2]), distance=50.0)
    holds = trigger(1, Inside, regions=np.array([0]))
    after = played(scene, 12, lambda frame: (states, [
        replace(holds, strength=1.5 * (frame >= caught)), replace(prey, strength=1.0 * (frame >= 4)),
    ]))[-1].mindset  # fmt: skip
    assert (after.mode[0], after.body[0], after.mode[1]) == (2, followed, 1)


def test_only_vehicles_in_the_modes_of_a_trigger_hear_it() -> None:
    scene, minds = standing([0, 0, 0], [9, 0, 0], [18, 0, 0]), {"mode": np.array([0, 1, 2])}
    heard = calls_in(scene, [startle(), CrowdState("Z")], [trigger(1, Always, from_modes=(0, 2))], **minds)
    assert (heard.strength[:, 1] > 0.0).tolist() == [True, False, True]


@pytest.mark.parametrize("turned_round", [False, True])
@pytest.mark.parametrize(
    ("first", "second", "body"),
    [((1.0, 3), (0.9, 4), 3), ((0.9, 3), (1.0, 4), 4), ((1.0, 3), (1.0, 4), 4), ((1.0, 5), (1.0, 4), 4)],
    ids=["stronger", "stronger though farther", "nearer", "of equal ones the first body"],
)
def test_the_strongest_call_counts_and_of_equal_ones_the_nearest(
    first: Any, second: Any, body: int, turned_round: bool
) -> None:
    scene = standing([0, 0, 0], [50, 0, 0], [60, 0, 0], tracked=leaders([0, 5, 0], [0, 4, 0], [0, -4, 0]))
    calling = [trigger(1, Nearby, bodies=np.array([row]), distance=6.0, strength=s) for s, row in (first, second)]
    calls = calls_in(scene, [startle()], calling[::-1] if turned_round else calling)
    assert calls.body[0, 1] == body and calls.strength[0, 1] == 1.0
    assert (calls.body[1:] == NOBODY).all() and not calls.strength[1:].any()


def in_a_row(n: int = 4) -> Scene:
    return standing(*([2.0 * k, 0.0, 0.0] for k in range(n)))


def alarmed(
    *rows: int, since: float = 0.0, called: float | None = None, by: int = 0, n: int = 4, **more: Any
) -> dict[str, np.ndarray]:
    """The mindset of vehicles of which some were startled by body 9, and called for last at a time, seconds."""
    called = since if called is None else called
    columns = {
        "mode": (0, 1),
        "since": (-1e6, since),
        "called": (-1e6, called),
        "by": (NOBODY, by),
        "body": (NOBODY, 9),
    }
    made = {name: column(n, blank, dict.fromkeys(rows, value)) for name, (blank, value) in columns.items()}
    return made | {"root": in_mode_1(n, -1e6, dict.fromkeys(rows, -0.25))} | more


@pytest.mark.parametrize(
    ("minds", "spreads", "told"),
    [
        (alarmed(0), 1, {1: 0}),
        (alarmed(1), 1, {0: 1, 2: 1}),
        (alarmed(1, since=-0.9), 1, {0: 1, 2: 1}),
        (alarmed(1, since=-1.0), 1, {}),
        (alarmed(1), 2, {}),
        (alarmed(1, since=-1.0, called=0.0), 2, {0: 1, 2: 1}),
        (alarmed(1, since=-0.9, called=0.0), 2, {}),
        (alarmed(1, since=-3.0, called=-1.0), 2, {}),
        (alarmed(1, since=-3.0, called=0.0, by=BY_URGE), 1, {}),
        (alarmed(1, by=BY_CUE), 1, {}),
        (alarmed(0, 2), 2, {1: 0}),
        (alarmed(1, root=in_mode_1(4, -1e6, {1: -0.25, 0: -0.25, 2: -0.3})), 1, {2: 1}),
        (alarmed(1, due=in_mode_1(4, np.inf, {0: 0.1})), 1, {2: 1}),
    ],
    ids=[
        *("beside", "both sides", "fresh", "no longer", "too few", "called for long", "called for too short"),
        *("calm since", "inclined", "by a cue", "enough, the first", "old news", "about to"),
    ],
)
def test_the_example_of_enough_fresh_neighbors_is_followed_once(minds: Any, spreads: int, told: dict[int, int]) -> None:
    calls = calls_in(in_a_row(), [startle(spreads=spreads, varies=0.0, reach=3.0, fresh=1.0)], [], **minds)
    heard = np.flatnonzero(calls.strength[:, 1]).tolist()
    assert dict(zip(heard, calls.source[heard, 1].tolist())) == told
    assert (calls.strength[heard, 1] == CAUGHT).all() and (calls.by[heard, 1] == BY_OTHERS).all()
    assert (calls.body[heard, 1] == 9).all() and (calls.root[heard, 1] == -0.25).all()


def test_the_example_of_another_crowd_is_none() -> None:
    state = startle(spreads=1, varies=0.0, reach=3.0)
    calls = calls_in(in_a_row(), [state], [], crowd=np.array([0, 1, 0, 0]), **alarmed(1))
    assert not calls.strength.any()


def test_the_nearer_of_two_examples_is_named_and_the_daring_need_more_of_them() -> None:
    scene = standing([0, 0, 0], [3, 0, 0], [5, 0, 0])
    calls = calls_in(scene, [startle(spreads=2, varies=0.0, reach=6.0)], [], **alarmed(0, 2, n=3))
    assert calls.source[1, 1] == 2
    many = standing(*([100.0 * k + d, 0, 0] for k in range(40) for d in (0, 1, 2, 3)))
    rows = [k for k in range(160) if k % 4]
    shares = []
    for spreads in (1, 3, 6):
        calls = calls_in(many, [startle(spreads=spreads, varies=0.5, reach=6.0)], [], **alarmed(*rows, n=160))
        shares.append((calls.strength[::4, 1] > 0.0).mean())
    assert shares[0] == 1.0 and 0.3 < shares[1] < 0.7 and shares[2] < 0.1


@pytest.mark.parametrize(("speed", "calls"), [(6.0, True), (3.0, False), (-6.0, False)])
def test_what_approaches_calls_from_as_far_away_as_it_comes_within_the_warning(speed: float, calls: bool) -> None:
    scene = standing([0.0, 0.0, 0.0], tracked=leaders([0.0, -10.0, 0.0]), drift=(0.0, speed, 0.0))
    near = wolf_near(scene, 8.0, warning_time=0.5)
    assert modes(run(scene, [startle(**AT_ONCE)], [near]))[2, 0] == calls


def test_a_share_of_the_crowd_is_inclined() -> None:
    many = standing(*([9.0 * k, 0, 0] for k in range(400)))
    calls = calls_in(many, [CrowdState("Look", numbers={"urge": 0.3})], [])
    inclined = calls.strength[:, 1] > 0.0
    assert abs(inclined.mean() - 0.3) < 0.06 and (calls.strength[inclined, 1] == INCLINED).all()
    assert (calls.by[inclined, 1] == BY_URGE).all() and (calls.body[inclined, 1] == np.flatnonzero(inclined)).all()


def test_a_state_of_a_crowd_can_be_what_calls() -> None:
    scene = herd(9, wolf=[0.0, -3.0, 0.0])
    triggers = [wolf_near(scene, 3.5), trigger(2, Nearby, of=(0, 1), distance=4.5)]
    seen = modes(run(scene, [startle(react=0.0), CrowdState("Watch", numbers={"react": 0.0})], triggers, 30))
    begins = [int((seen[:, row] == 2).argmax()) for row in range(9) if (seen[:, row] == 2).any()]
    assert min(begins) > int((seen == 1).any(axis=1).argmax())


def test_the_order_of_triggers_and_of_states_plays_no_part() -> None:
    scene = herd(25, tracked=all_of(leaders(WOLF), leaders([4.0, 14.0, 0.0])))
    near, far = wolf_near(scene), trigger(1, Nearby, bodies=np.array([26]), distance=6.0)
    other = CrowdState("Stop", [(Arrival, {"target": CAUSE})])
    a, b = (run(scene, states, triggers, 40) for states, triggers in
            (([startle(), other], [near, far]), ([other, startle()], [far, near])))  # fmt: skip
    assert all(same(x, y) for x, y in zip(a, b))
    assert np.array_equal(modes(a), modes(b)) and (modes(a) > 0).any()


def test_a_vehicle_more_far_away_leaves_the_minds_of_others_alone() -> None:
    scene = herd(25)
    more = replace(herd(26), position=np.concatenate((scene.position, [[500.0, 0.0, 0.0]])))
    alone, joined = (modes(run(each, [startle(spreads=2)], [wolf_near(each)], 40)) for each in (scene, more))
    assert alone.any() and np.array_equal(alone, joined[:, :25])


@pytest.fixture(scope="module")
def panic() -> list[State]:
    """A herd in which a few see the wolf and the others follow their example."""
    scene = herd(144)
    return run(scene, [startle(spreads=2, reach=6.0, lasts=6.0, react=0.2)], [wolf_near(scene, 7.0)], 24 * 8)


def test_an_alarm_goes_through_a_herd_once(panic: list[State]) -> None:
    seen, saw = modes(panic), np.linalg.norm(herd(144).position - WOLF, axis=1) < 7.0
    assert (seen.max(axis=0) == 1).mean() > 0.95 and saw.mean() < 0.2
    assert ((np.diff(seen, axis=0) > 0).sum(axis=0)[~saw] <= 1).all()
    told = panic[24 * 4].mindset.by == BY_OTHERS
    assert told.any() and (panic[24 * 4].mindset.body[told] == 144).all()


def test_of_neighbors_whom_an_alarm_reaches_no_two_begin_in_the_same_step(panic: list[State]) -> None:
    nearest = []
    for state, rows in zip(panic, np.diff(modes(panic), axis=0) > 0):
        place = state.motion.position[rows]
        apart = np.linalg.norm(place[:, None] - place, axis=2) + np.where(np.eye(len(place)), np.inf, 0.0)
        nearest.append(apart.min(initial=np.inf))
    assert 0.3 * 6.0 <= min(nearest) < 3.0


@pytest.mark.parametrize("numbers", [AT_ONCE, {"cue": 1.0}], ids=["immediately", "by a cue"])
def test_agents_that_have_to_begin_immediately_do_not_wait_for_neighbors(numbers: dict[str, float]) -> None:
    scene = herd(36, wolf=[5.0, 5.0, 0.0])
    heard = [] if "cue" in numbers else [wolf_near(scene, 50.0)]
    assert (modes(run(scene, [startle(spreads=2, **numbers)], heard))[1] == 1).all()


@sampled(one_of=3)
@pytest.mark.parametrize("speed", [1.0, 2.5, 6.0])
def test_a_herd_that_is_far_apart_bolts_as_a_whole_within_three_seconds_however_slowly_a_wolf_comes(
    speed: float,
) -> None:
    close = herd(16, wolf=[-1.0, -11.0, 0.0], drift=(0.0, speed, 0.0))
    scene = replace(close, position=2.5 * close.position)
    seen = modes(run(scene, [startle(spreads=2, reach=11.5, react=0.2)], [wolf_near(scene, 7.0)], 24 * 9))
    begins = np.where((seen == 1).any(axis=0), (seen == 1).argmax(axis=0), len(seen))
    assert begins.max() - begins.min() <= 3 * 24


def test_an_alarm_dies_out_and_calls_none_again_that_was_calm_before_others() -> None:
    scene = herd(100, wolf=[-1.0, -11.0, 0.0], drift=(0.0, 6.0, 0.0))
    state = startle(spreads=2, lasts=1.0, react=0.1, reach=6.0)
    seen = modes(played(scene, 24 * 4, lambda frame: ([state], [wolf_near(scene, 7.0, strength=1.0 * (frame < 30))])))
    assert ((np.diff(seen, axis=0) > 0).sum(axis=0) == 1).all() and (seen[-1] == 0).all()
