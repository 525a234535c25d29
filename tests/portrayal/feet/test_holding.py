"""Stretches of frames, and values that are held in them."""

import numpy as np

from steering_addon.portrayal.feet.holding import Glide, Stances, Stretches, medians
from steering_addon.portrayal.feet.soles import TOUCH
from steering_addon.portrayal.feet.treads import on_ground
from tests.portrayal.feet.walks import FRAME_TIME


def test_stretches_end_where_a_body_does() -> None:
    mask = np.array([[False, True, True], [True, False, True], [False, False, False]])
    pieces = Stretches.of(mask)
    assert list(zip(pieces.body.tolist(), pieces.first.tolist(), pieces.last.tolist())) == [
        (0, 1, 3),
        (1, 0, 1),
        (1, 2, 3),
    ]
    rows, stretch = pieces.within(3)
    assert rows.tolist() == [1, 2, 3, 5] and stretch.tolist() == [0, 0, 1, 2]
    np.testing.assert_array_equal(pieces.mask(mask.shape), mask)
    assert pieces.within(4, 1)[0].tolist() == [1, 2, 3, 4, 5, 6, 7]
    np.testing.assert_array_equal(medians(np.array((4.0, 2.0, 7.0, -1.0)), stretch, 3), (3.0, 7.0, -1.0))


def test_a_foot_is_held_at_the_median_of_each_stance_and_glides_in_between() -> None:
    values = np.linspace(0.0, 1.0, 21)[:, None] ** 2
    rest = np.zeros(20, dtype=bool)
    rest[2:8] = rest[12:18] = rest[19] = True
    stances = Stances(rest)
    moved = values + stances.holding_shift(values)
    np.testing.assert_allclose(moved[2:9, 0], values[5, 0])
    np.testing.assert_allclose(moved[12:19, 0], values[15, 0])
    assert (np.diff(moved[8:13, 0]) > 0.0).all()
    assert stances.stretches.length.tolist() == [6, 6], "a single step is not a stance"
    assert np.flatnonzero(stances.known).tolist() == [*range(2, 9), *range(12, 19)]
    assert np.flatnonzero(stances.grazes).tolist() == [19], (
        "in it the foot only grazes the ground, until the next frame"
    )


def test_glides_join_what_is_known_of_a_body_and_know_nothing_of_another() -> None:
    known = np.array([[False, True, False, False, False, True, False], [False] * 7])
    values = np.stack((np.arange(7.0), 100.0 + np.arange(7.0)))
    smooth = Glide.of(known).over(values[..., None])[..., 0]
    np.testing.assert_allclose(smooth[0], [1.0, 1.0, 1.0 + 4.0 * 0.15625, 3.0, 5.0 - 4.0 * 0.15625, 5.0, 5.0])
    np.testing.assert_array_equal(smooth[1], values[1])


def test_a_foot_stands_where_it_touches_and_does_not_swing_and_also_for_a_moment_in_which_it_only_swings() -> None:
    speed, rise = np.ones(40), np.zeros(40)
    ahead, stands = np.full(40, 1.1), np.zeros(40, dtype=bool)
    ahead[[*range(3), *range(8, 10), *range(14, 19), *range(25, 27), *range(30, 33)]] = 1.3
    rise[[9, 26]] = 1.2 * TOUCH, 1.6 * TOUCH
    stands[30:33] = True
    rests = on_ground(ahead, speed, rise, stands, FRAME_TIME)
    # For three steps at the start and for five on end it swings; once it leaves the ground, and once hardly.
    assert np.flatnonzero(~rests).tolist() == [0, 1, 2, *range(14, 19), 25, 26]
