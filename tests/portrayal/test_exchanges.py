"""Exchanges of two partners: one leads, the other answers, from the same frame on."""

from functools import cache

import numpy as np

from steering_addon.portrayal.clips import DO, IN_ANSWER, MOVE, STAND, TO_PARTNER, Clip, ClipSettings
from steering_addon.portrayal.portrait import ModelClips, PortraitSubjects, Portrayer
from steering_addon.portrayal.sketch import Frame
from steering_addon.simulation.arrays.chance import keys_of
from steering_addon.simulation.arrays.frozen import replace
from tests.behaviors.test_fight import armies, fought, partners

MEET, FRAMES, PAIRS = 48, 360, 3
CHEER, STRIKES, ANSWERS = 2, (3, 4), (5, 6)
CLIPS = [
    Clip("Idle", STAND, 2.0),
    Clip("Walk", MOVE, 1.0, 1.0, 1.0),
    Clip("Cheer", DO, 1.0),
    *(Clip(name, DO, 1.0, when=TO_PARTNER) for name in ("Chop", "Stab")),
    *(Clip(name, DO, 0.8, when=IN_ANSWER) for name in ("Block", "Dodge")),
]


@cache
def doing() -> np.ndarray:
    """(frames, n) the clip that each of three pairs and of one without a partner begins, -1 for none.

    The pairs are those of rows 0 and 4, 1 and 5, 2 and 6; the models of both crowds play clips of their own.
    """
    places = [(4.0 * k, 0.9) for k in range(PAIRS)]
    states = fought(armies([*((x, -y) for x, y in places), (4.0, -3.0)], places), MEET)
    n = 2 * PAIRS + 1
    # From then on they stand and fight.
    for time in states[-1].time + np.arange(1, FRAMES - MEET) / 24.0:
        memories = {"fight": replace(partners(states[-1]), asked=np.full(n, time))}
        states.append(replace(states[-1], time=time, memories=memories))
    keys = keys_of(0, np.arange(n))
    models = [
        ModelClips(rows, CLIPS, ClipSettings.of(len(rows)), keys[rows], np.ones(len(rows)))
        for rows in (np.arange(PAIRS + 1), np.arange(PAIRS + 1, n))
    ]
    portrayer, before, played = Portrayer(PortraitSubjects(1 / 24, 1 / 24, np.full(n, 0.3), models)), None, []
    for number, state in enumerate(states):
        assert state.inputs is not None
        portrait = portrayer.portrait(
            portrayer.sketch(before, state, Frame(number, state.inputs, np.zeros((0, 4, 4)), np.full(n, 1.7)))
        )
        played.append(np.concatenate([model.played.doing for model in portrait.models]))
        before = state
    now = np.array(played)
    return np.where(now != np.concatenate((now[:1], now[:-1])), now, -1)


def test_both_begin_on_the_same_frame_and_answer_the_first_with_the_first() -> None:
    begun = doing()
    for first, second in zip(range(PAIRS), range(PAIRS + 1, 2 * PAIRS + 1)):
        frames = np.flatnonzero(begun[:, first] >= 0)
        assert len(frames) >= 4 and (frames == np.flatnonzero(begun[:, second] >= 0)).all()
        pairs = {(int(a), int(b)) for a, b in begun[frames][:, [first, second]]}
        allowed = {*zip(STRIKES, ANSWERS), *zip(ANSWERS, STRIKES)}
        assert pairs <= allowed and len(pairs) > 1


def test_each_leads_now_and_then_and_pairs_do_not_strike_in_step() -> None:
    begun = doing()
    assert np.isin(begun, STRIKES).any(axis=0)[[0, 1, 2, 4, 5, 6]].all()
    starts = [tuple(np.flatnonzero(begun[:, row] >= 0)) for row in range(PAIRS)]
    assert len(set(starts)) == PAIRS


def test_gestures_by_chance_are_for_those_without_a_partner() -> None:
    begun = doing()[MEET:]
    assert (begun[:, PAIRS] == CHEER).any() and set(begun[:, PAIRS]) <= {-1, CHEER}
    assert not (begun[:, [0, 1, 2, 4, 5, 6]] == CHEER).any()
