"""Clips of states: agents play those of their state, and where it has none, those that are for any state."""

import numpy as np
import pytest

from steering_addon.portrayal.clips import DO, MOVE, NO_STATE, STAND, Clip
from tests.portrayal.test_playing import FRAME_TIME, play, ways

FEED, STARTLE, SLEEP = 4, 2, 9
IDLE, WALK = Clip("Idle", STAND, 2.0), Clip("Walk", MOVE, 1.0, 1.0, 1.0)
EAT = Clip("Eat", STAND, 3.0, state=FEED)
GALLOP = Clip("Gallop", MOVE, 0.6, 4.0, 2.4, state=STARTLE, agrees=0.3)
CLIPS = [IDLE, EAT, WALK, GALLOP]


def last(clips, speed: float, states, frames: int = 48, **settings) -> np.ndarray:
    """The shares (clips, n) of clips after some time at a speed in states (n,)."""
    run = ways(np.full((frames, len(states)), speed), state=np.tile(states, (frames, 1)))
    return play(clips, run, variation=0.0, **settings).weights()[:, -1]


def test_who_stands_in_a_state_plays_what_it_has_for_standing_and_else_what_is_for_any() -> None:
    shares = last(CLIPS, 0.0, [0, FEED, STARTLE])
    np.testing.assert_allclose(shares, [[1, 0, 1], [0, 1, 0], [0, 0, 0], [0, 0, 0]], atol=1e-9)


def test_who_moves_in_a_state_plays_what_it_has_for_moving_however_slow_and_else_what_is_for_any() -> None:
    shares = last(CLIPS, 1.0, [0, FEED, STARTLE])
    assert shares[2, :2] == pytest.approx(1.0) and shares[3, :2].max() == 0.0
    assert shares[2, 2] == 0.0 and shares[3, 2] > 0.3
    assert last(CLIPS, 4.0, [0])[2, 0] == pytest.approx(1.0), "the gallop is for the state alone"
    assert last([IDLE, GALLOP], 4.0, [0])[1, 0] == 0.0, "also where none has another"


def test_no_agent_lies_down_between_the_shorter_steps_of_a_slow_walk() -> None:
    shares = last(CLIPS, 0.4, [0, FEED])
    np.testing.assert_array_equal(shares[:, 0], shares[:, 1])
    assert shares[0, 0] > 0.2


def test_a_clip_for_a_state_that_the_crowd_does_not_have_is_never_played() -> None:
    shares = last([IDLE, Clip("Gone", STAND, 2.0, state=NO_STATE), WALK], 0.0, [0, FEED, SLEEP, 1])
    assert shares[1].max() == 0.0
    only = last([Clip("Eat", STAND, 3.0, state=FEED), Clip("Wave", DO, 1.0)], 0.0, [0, FEED])
    np.testing.assert_allclose(only.sum(axis=0), 1.0)


def test_a_new_state_fades_in_and_its_directions_are_its_own() -> None:
    back = Clip("Back", MOVE, 1.0, 1.0, 1.0, heading=np.pi)
    states = np.where(np.arange(96)[:, None] < 48, 0, [STARTLE, SLEEP, FEED])
    ahead = np.tile([-1.0, -1.0, 0.0], (96, 1))
    weights = play([*CLIPS, back], ways(ahead, state=states), variation=0.0).weights()
    assert (weights[4, 40, :2] > 0.99).all()
    assert weights[4, -1, 0] == 0.0 and weights[3, -1, 0] > 0.3, "it has no other clip than the gallop"
    assert weights[4, -1, 1] > 0.99
    assert weights[1, 40, 2] == 0.0 and weights[1, -1, 2] == pytest.approx(1.0)
    assert np.abs(np.diff(weights, axis=1)).max() <= FRAME_TIME / 0.25 + 1e-9


def test_states_that_have_no_clips_change_nothing() -> None:
    clips = [IDLE, WALK, Clip("Run", MOVE, 0.7, 3.0, 2.1, agrees=0.95)]
    speeds = np.abs(np.sin(np.arange(120)))[:, None] * np.array([0.0, 1.0, 3.0])
    states = np.arange(120)[:, None] // 7 % 3 * np.array([1, 5, 2])
    assert play(clips, ways(speeds)).influence.tobytes() == play(clips, ways(speeds, state=states)).influence.tobytes()


def test_what_is_done_once_ends_where_its_body_sets_off_or_turns_or_takes_up_another_state() -> None:
    clips = [IDLE, WALK, Clip("Wave", DO, 3.0, state=FEED), Clip("Nod", DO, 3.0)]
    do = np.full((60, 4), -1)
    do[5] = 2, 2, 3, 2
    speeds, turns, states = np.zeros((60, 4)), np.zeros((60, 4)), np.full((60, 4), FEED)
    speeds[20:, 0], turns[20:, 3] = 1.0, 1.0
    states[20:, 1:3] = 0
    weights = play(clips, ways(speeds, turn=turns, do=do, state=states), variation=0.0).weights()
    assert (weights[2, 19, [0, 1, 3]] > 0.9).all() and (weights[2, 36, [0, 1, 3]] == 0.0).all()
    assert weights[3, -1, 2] > 0.9, "what is for any state continues"
