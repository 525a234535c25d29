"""What agents do once: by chance, on arrival, and as they take up a state, as soon as they stand."""

import numpy as np
import pytest

from steering_addon.portrayal.clips import DO, MOVE, ON_ARRIVAL, ON_STATE, STAND, Clip, ClipSettings
from steering_addon.portrayal.doings import ALONE, AWAY, EVERY, OFTEN, WAITS, Doings
from steering_addon.portrayal.playing import Player
from steering_addon.simulation.arrays.chance import keys_of
from tests.portrayal.test_playing import FRAME_TIME, ways

FEED = 3
IDLE, WALK = Clip("Idle", STAND, 2.0), Clip("Walk", MOVE, 1.0, 1.0, 1.0)


def asked(clips, *, speeds=None, states=None, at_goal=None, frames: int = 240, entered=()) -> dict[int, int]:
    """What one agent is asked to do: rows of clips by frame."""
    speeds, states, at_goal = (
        np.zeros(frames) if each is None else np.asarray(each) for each in (speeds, states, at_goal)
    )
    keys = keys_of(5, np.arange(1))
    run = ways(speeds[:, None], state=states[:, None].astype(int))
    player, doings = Player(clips, ClipSettings.of(1), keys, FRAME_TIME), Doings(clips, keys, FRAME_TIME)
    now, requests = player.start(run[0]), {}
    doings.begin(np.array([bool(at_goal[0])]))
    for frame, way in enumerate(run[1:], 1):
        arrived = np.array([bool(at_goal[frame])])
        alone = np.full(1, ALONE), np.zeros(1)
        do = doings.asked(frame, now, way.state, arrived, np.array([frame in entered]), *alone)
        if do[0] >= 0:
            requests[frame] = int(do[0])
        way.do[:] = do
        now = player.step(now, way)
    return requests


def test_what_is_for_a_new_state_is_done_once_as_it_is_taken_up() -> None:
    clips = [IDLE, WALK, Clip("Graze", DO, 1.0, state=FEED, when=ON_STATE), Clip("Start", DO, 1.0, when=ON_STATE)]
    states = np.zeros(240)
    states[50:100], states[150:200] = FEED, 7
    requests = asked(clips, states=states)
    assert list(requests.values()) == [2, 3], (
        "its own, and where a state has none, the one for any; none after the state"
    )
    assert [frame - start for frame, start in zip(requests, (50, 150))] == [5, 5]


def test_it_waits_until_the_body_stands_and_has_done_what_it_does_but_not_for_long() -> None:
    clips = [Clip("Graze", DO, 1.5, state=FEED, when=ON_STATE), IDLE, WALK, Clip("Sit", DO, 1.0, when=ON_ARRIVAL)]
    states, speeds = np.where(np.arange(240) < 30, 0, FEED), np.ones(240)
    speeds[90:] = 0.0
    [frame] = asked(clips, states=states, speeds=speeds)
    assert 90 < frame < 110
    first, second = asked(clips, states=states, speeds=speeds, at_goal=np.arange(240) > frame + 2)
    assert first == frame and frame + round(1.5 / FRAME_TIME) <= second < frame + 50
    speeds[: 31 + round(WAITS / FRAME_TIME)] = 1.0
    assert not asked(clips, states=states, speeds=speeds)


def test_who_enters_in_a_state_does_not_take_it_up() -> None:
    clips, states = (
        [IDLE, WALK, Clip("Graze", DO, 1.0, state=FEED, when=ON_STATE)],
        np.where(np.arange(240) < 50, 0, FEED),
    )
    assert asked(clips, states=states) and not asked(clips, states=states, entered=(50,))


def test_what_waits_is_forgotten_with_its_state() -> None:
    clips = [IDLE, WALK, Clip("Graze", DO, 1.0, state=FEED, when=ON_STATE)]
    states, speeds = np.zeros(240), np.ones(240)
    states[30:60], speeds[60:] = FEED, 0.0
    assert not asked(clips, states=states, speeds=speeds)


def test_who_sets_off_as_it_takes_up_a_state_does_nothing() -> None:
    clips = [IDLE, WALK, Clip("Jump", DO, 1.0, state=FEED, when=ON_STATE)]
    states, speeds = np.where(np.arange(240) < 50, 0, FEED), np.where(np.arange(240) < 51, 0.0, 2.0)
    assert not asked(clips, states=states, speeds=speeds)


SIT = [IDLE, WALK, Clip("Sit", DO, 1.0, when=ON_ARRIVAL)]


def test_on_arrival_it_is_done_once_even_if_others_push_and_after_a_short_way() -> None:
    at_goal = np.zeros(400)
    at_goal[100:200] = np.arange(100) % 7 > 1
    at_goal[200 + round(1.5 * AWAY / FRAME_TIME) : 320] = 1
    first, second = asked(SIT, at_goal=at_goal, frames=400)
    assert 100 < first < 110 and 270 < second < 285
    assert asked(SIT, at_goal=np.arange(60) > 24, frames=60)


def test_who_begins_or_enters_at_its_goal_does_not_arrive() -> None:
    assert not asked(SIT, at_goal=np.ones(240))
    at_goal = np.where(np.arange(240) < 120, 0, 1)
    assert asked(SIT, at_goal=at_goal) and not asked(SIT, at_goal=at_goal, entered=(120,))


def test_by_chance_only_what_is_for_chance_is_done_and_in_a_state_what_it_has() -> None:
    clips = [IDLE, WALK, Clip("Look", DO, 1.0), Clip("Chew", DO, 1.0, state=FEED), Clip("Sit", DO, 1.0, when=ON_STATE)]
    anywhere, feeding = asked(clips, frames=400), asked(clips, frames=400, states=np.full(400, FEED))
    assert set(anywhere.values()) == {2} and set(feeding.values()) == {3}, "it was in the state from the first frame"
    assert list(anywhere) == list(feeding)
    assert not asked([IDLE, WALK, clips[3]], frames=400)


def test_of_those_that_stand_a_share_does_something_by_chance_each_time_that_all_have_decided() -> None:
    n, clips = 400, [IDLE, WALK, Clip("Look", DO, 1.0)]
    keys, way = keys_of(5, np.arange(n)), ways(np.zeros((1, n)))[0]
    now, doings = Player(clips, ClipSettings.of(n), keys, FRAME_TIME).start(way), Doings(clips, keys, FRAME_TIME)
    no, alone = np.zeros(n, dtype=bool), (np.full(n, ALONE), np.zeros(n))
    asks = [doings.asked(row, now, way.state, no, no, *alone) >= 0 for row in range(1, 1 + round(EVERY / FRAME_TIME))]
    assert np.sum(asks) == pytest.approx(OFTEN * n, rel=0.15) and np.sum(asks, axis=0).max() == 1
