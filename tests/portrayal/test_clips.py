"""What clips that are played together show."""

import json

import numpy as np
import pytest

from steering_addon.portrayal.clips import (
    ANY,
    BEAT,
    MOVE,
    PHASES,
    STAND,
    Clip,
    Measurement,
    Playing,
    StateClips,
    at_ground_speed,
    leading,
    measurement_of,
    mixed_tables,
    text_of,
)


def test_tables_of_clips_are_mixed_by_phase_and_by_what_is_seen_of_each() -> None:
    phase = np.arange(PHASES + 2.0) / PHASES
    tables = [np.zeros((PHASES + 2, 2)), np.stack((phase, 2.0 * phase), axis=1)]
    played = np.array((0.25, 3.503, 0.99))
    influence = np.array(((1.0, 1.0, 1.0), (0.0, 1.0, 0.5)))
    mixed = mixed_tables(tables, Playing(np.stack((0.0 * played, played)), influence))
    np.testing.assert_allclose(mixed[:, 0], (0.0, 0.503, 0.495), atol=1e-12)
    np.testing.assert_allclose(mixed[:, 1], 2.0 * mixed[:, 0])


def test_a_clip_that_moves_is_played_at_the_speed_of_the_ground_that_is_told() -> None:
    walk = Clip("Walk", MOVE, 0.5, 1.0, 0.5)
    cases = ((MOVE, 2.0, 2.0, 1.0), (MOVE, 0.0, 1.0, 0.5), (STAND, 2.0, 1.0, 0.5))
    for plays, ground_speed, speed, stride in cases:
        clip = at_ground_speed(walk, plays, ground_speed)
        assert (clip.plays, clip.speed, clip.stride) == (plays, speed, stride)


def test_the_frames_of_one_agent_come_after_another_in_a_flat_playing() -> None:
    phase = np.arange(12.0).reshape(2, 3, 2)
    flat = Playing(phase, -phase).flat()
    assert flat.phase.tolist() == [[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0, 11.0]]
    assert (flat.influence == -flat.phase).all()


WALK = Clip("Walk", MOVE, 1.0, 1.5, 1.5, np.linspace(0.0, 1.0, PHASES + 1), drift=(1.0, 2.0, 3.0), rests=(0.1, 0.6))


def test_a_measurement_is_read_as_it_was_written_and_what_is_none_is_not_read() -> None:
    text = text_of(Measurement(WALK, "made of", 2.0))
    read, stored = measurement_of(text), json.loads(text)
    assert read and text_of(read) == text and (read.made_of, read.scale) == ("made of", 2.0)
    assert (read.clip.drift, read.clip.rests, read.clip.plays) == (WALK.drift, WALK.rests, MOVE)
    broken = (
        {"speed": np.nan},
        {"curve": [0.0, 1.0]},
        {"curve": [np.inf] * (PHASES + 1)},
        {"down": 1.0},
        {"rests": "a"},
    )
    others = [{"clip": stored["clip"] | each} for each in broken]
    for changes in (*others, {"clip": {}}, {"scale": 0.0}, {"scale": -1.0}, {"scale": np.inf}, {"scale": None}):
        assert measurement_of(json.dumps(stored | changes)) is None, changes
    assert measurement_of("a walk") is None


def clips_of(*kinds: tuple[int, float, float, float, int]) -> list[Clip]:
    return [
        Clip("Any", plays, 1.0, speed, speed, heading=way, turn=turn, state=of) for plays, speed, way, turn, of in kinds
    ]


FIRST = {
    # clips as kind, speed, heading, turn and state: the row of the first one that moves
    "none": ([(STAND, 0.0, 0.0, 0.0, ANY), (BEAT, 1.0, 0.0, 0.0, ANY), (MOVE, 0.0, 0.0, 1.0, ANY)], -1),
    "the slowest": ([(MOVE, 2.0, 0.0, 0.0, ANY), (MOVE, 1.0, 0.0, 0.0, ANY)], 1),
    "of those ahead": ([(MOVE, 1.0, -3.0, 0.0, ANY), (MOVE, 3.0, 0.5, 0.0, ANY), (MOVE, 2.0, -0.9, 0.0, ANY)], 2),
    "and no farther aside": ([(MOVE, 1.0, 1.0, 0.0, ANY), (MOVE, 3.0, -0.5, 0.0, ANY)], 1),
    "for any state": ([(MOVE, 1.0, 0.0, 0.0, 4), (MOVE, 2.0, 0.0, 0.0, ANY)], 1),
    "or for one": ([(STAND, 0.0, 0.0, 0.0, ANY), (MOVE, 1.0, 0.0, 0.0, 4)], 1),
}


@pytest.mark.parametrize(("kinds", "row"), FIRST.values(), ids=FIRST)
def test_the_first_clip_that_moves_is_the_slowest_of_those_most_nearly_ahead(kinds, row: int) -> None:
    assert leading(clips_of(*kinds)) == row


def test_clips_of_a_state_that_has_none_of_a_kind_are_those_for_any() -> None:
    plain = (
        (STAND, 0.0, 0.0, 0.0, ANY),
        (MOVE, 1.0, 0.0, 0.0, ANY),
        (MOVE, 0.0, 0.0, 1.0, ANY),
        (BEAT, 0.0, 0.0, 0.0, ANY),
    )
    own = (MOVE, 2.0, 0.0, 0.0, 3), (MOVE, 0.0, 0.0, -1.0, 5), (MOVE, 0.0, 0.0, 0.0, 3)
    of_states = StateClips(clips_of(*plain, *own))
    assert of_states.places(np.array([3, 5, 4, 0])).tolist() == [1, 2, 0, 0]
    assert (of_states.moves, of_states.beats) == ([[1], [4], [1]], [[3], [3], [3]])
    assert [np.flatnonzero(row).tolist() for row in of_states.turns] == [[2], [2], [5]]
    assert of_states.stands.all() and not StateClips(clips_of(*own)).stands.any()
