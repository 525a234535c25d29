"""Bodies that share poses."""

import numpy as np

from steering_addon.portrayal.clips import Playing
from steering_addon.portrayal.pose_count import pose_groups


def played(offsets, rates, frames: int = 100) -> Playing:
    """One clip, by bodies with these phases on the first frame and cycles a frame."""
    phase = np.array(offsets)[:, None] + np.array(rates)[:, None] * np.arange(frames)
    return Playing(phase[None], np.ones((1, *phase.shape)))


def test_where_each_can_have_its_own_each_has() -> None:
    assert pose_groups(played([0.0, 0.0, 0.5], [0.1, 0.1, 0.1]), 3).tolist() == [0, 1, 2]


def test_the_others_show_the_poses_of_who_plays_most_nearly_alike() -> None:
    offsets, rates = [0.0, 0.5, 0.25, 0.05, 0.45, 3.98, 0.7], [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]
    assert pose_groups(played(offsets, rates), 3).tolist() == [0, 1, 2, 0, 1, 0, 1]
    assert pose_groups(played([0.0, 0.0, 0.0], [0.1, 0.13, 0.128]), 2).tolist() == [0, 1, 1]


def test_who_shows_another_clip_is_not_alike() -> None:
    phase = np.zeros((2, 3, 10))
    influence = np.ones((2, 3, 10))
    influence[1, :2] = np.array((0.0, 1.0))[:, None]
    influence[1, 2] = 0.9
    assert pose_groups(Playing(phase, influence), 2).tolist() == [0, 1, 1]
