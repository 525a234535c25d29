"""What clips that are played together show."""

import numpy as np

from steering_addon.portrayal.clips import MOVE, PHASES, STAND, Clip, Playing, at_ground_speed, mixed_tables


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
