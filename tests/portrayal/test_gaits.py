"""The clips that move, sorted into directions and gaits, and when an agent changes from one to another."""

from typing import Any

import numpy as np
import pytest

from steering_addon.portrayal.clips import MOVE, Clip
from steering_addon.portrayal.gaits import BENDS, BEYOND, CHANGES, MIXES, ONE_SPEED, OVERTAKES, SHORT, Repertoire
from steering_addon.simulation.arrays.chance import keys_of


def clip(speed: float, degrees: float = 0.0, **others: Any) -> Clip:
    return Clip(f"{speed} to {degrees}", MOVE, 1.0, speed, speed, heading=np.radians(degrees), **others)


def repertoire(*clips: Clip, n: int = 1) -> Repertoire:
    return Repertoire(clips, keys_of(1, np.arange(n)), [range(len(clips))])


SORTED = {
    # clips: the rows of the gaits of each direction
    "one": ([clip(1.0)], [[(0,)]]),
    "from slow to fast": ([clip(4.0), clip(1.0)], [[(1,), (0,)]]),
    "of about one speed": ([clip(1.0), clip(0.99 * ONE_SPEED)], [[(0, 1)]]),
    "as the slowest of them": ([clip(1.0), clip(0.99 * ONE_SPEED), clip(1.01 * ONE_SPEED)], [[(0, 1), (2,)]]),
    "of about one heading": ([clip(1.0), clip(2.0, 24.0), clip(2.0, -24.0)], [[(0,), (1, 2)]]),
    "of others": ([clip(1.0), clip(1.0, 26.0), clip(1.0, -26.0)], [[(0,)], [(1,)], [(2,)]]),
    "the most forward first": ([clip(1.0, 180.0), clip(1.0, -90.0), clip(2.0, -3.0)], [[(2,)], [(1,)], [(0,)]]),
    "no bends": ([clip(1.0), clip(2.0, turn=-1.1 * BENDS), clip(4.0, turn=0.9 * BENDS)], [[(0,), (2,)]]),
    "but bends alone": ([clip(1.0, turn=1.1 * BENDS)], [[(0,)]]),
}


@pytest.mark.parametrize(("clips", "rows"), SORTED.values(), ids=SORTED)
def test_clips_of_about_one_heading_are_a_direction_and_of_about_one_speed_a_gait(clips: Any, rows: Any) -> None:
    assert [[gait.rows for gait in direction.gaits] for direction in repertoire(*clips).directions] == rows


def test_agents_that_change_their_gait_do_so_beyond_the_middle_and_change_back_below_it() -> None:
    runs = repertoire(clip(1.0), clip(4.0))
    speed = np.array([2.0 * CHANGES + 0.1, 2.0 * CHANGES - 0.1, 2.0 / CHANGES + 0.1, 2.0 / CHANGES - 0.1])
    past = [runs.beyond(speed, np.full((1, 4), crossed))[0].tolist() for crossed in (False, True)]
    assert past == [[True, False, False, False], [True, True, True, False]]


@pytest.mark.parametrize(("agrees", "fast"), [(MIXES + 0.1, 4.0), (MIXES + 0.1, 1.3), (MIXES, 4.0)])
def test_poses_of_two_gaits_mix_between_their_speeds_if_their_feet_agree(agrees: float, fast: float) -> None:
    ways = repertoire(clip(1.0), clip(fast, agrees=agrees), n=4)
    near = SHORT * fast > BEYOND * 1.1
    start, end = (BEYOND, SHORT * fast) if near else (1.0, fast)
    speed, past = np.array([start, 0.5 * (start + end), end, 9.0]), np.array([[False, False, True, True]])
    assert [gait.mixes for gait in ways.directions[0].gaits] == [agrees > MIXES, False]
    shares = ways.shares(speed, np.zeros(4, dtype=int), past)
    np.testing.assert_allclose(shares[1], (0.0, 0.5 if agrees > MIXES else 0.0, 1.0, 1.0), atol=1e-12)
    np.testing.assert_allclose(shares.sum(axis=0), 1.0)


def test_agents_keep_to_their_direction_until_another_is_clearly_nearer() -> None:
    ways, n = repertoire(clip(1.0), clip(1.0, 90.0)), 4
    # The cosines to both differ by what it takes, less and more, at 45 degrees and a little more.
    more = np.pi / 4.0 + np.arcsin(OVERTAKES / np.sqrt(2.0)) * np.array((0.9, 1.1, -0.9, -1.1))
    current = np.array((0, 0, 1, 1))
    assert ways.direction(np.cos(more), np.sin(more), current, np.zeros(n, dtype=int)).tolist() == [0, 1, 1, 0]
    none = np.full(n, -1)
    assert ways.direction(0.0 * more, 0.0 * more, current, np.zeros(n, dtype=int)).tolist() == current.tolist()
    assert ways.direction_before(none, np.zeros(n, dtype=int)).tolist() == [0] * n
    assert ways.slowest(np.array((0, 1, -1, -1))).tolist() == [1.0, 1.0, 0.0, 0.0]
