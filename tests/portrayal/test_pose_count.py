"""The number of poses that stand for a clip, on motions whose answer is known."""

import numpy as np
import pytest

from steering_addon.portrayal.clips import Playing
from steering_addon.portrayal.pose_count import edges, fewest, furthest, middles, pose_groups
from tests.sampling import thorough

PHASES = np.linspace(0.0, 1.0, 257)


def mesh(ways) -> np.ndarray:
    """(257, v, 3) of vertices that go these ways along x, each (257,)."""
    shapes = np.zeros((len(PHASES), len(ways), 3))
    shapes[:, :, 0] = np.transpose(ways)
    return shapes


@pytest.mark.parametrize(("tolerance", "count"), [(0.6, 1), (0.05, 10), (0.049, 11), (0.01, 50)])
def test_an_even_way_of_a_metre_needs_a_pose_for_each_two_tolerances(tolerance: float, count: int):
    assert fewest(mesh([PHASES]))(tolerance + 1e-9, 512) == count


@thorough
def test_the_vertex_that_is_furthest_off_counts_also_if_its_way_is_short():
    # Many have a long even way; one stays, but for a jerk.
    jerk = np.where(np.abs(PHASES - 0.5) < 0.02, 0.3, 0.0)
    even = mesh([PHASES] * 20)
    assert fewest(even)(0.05 + 1e-9, 512) == 10
    assert fewest(np.concatenate((even, mesh([jerk])), axis=1))(0.05 + 1e-9, 512) > 20


def test_it_ends_at_the_most():
    assert fewest(mesh([PHASES]))(1e-6, 24) == 24


def test_a_way_back_and_forth_is_measured_where_poses_change_and_between():
    def at(phases):
        points = np.zeros((len(phases), 1, 3))
        points[:, 0, 2] = np.abs(phases - 0.5)
        return points

    for count in (1, 3, 8):
        off = furthest(at(PHASES), at(middles(count)), at(edges(count)))
        assert off == pytest.approx(0.5 / count)


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
