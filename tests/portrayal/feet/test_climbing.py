"""Climbing: feet that swing from step to step go over the edges of these."""

import numpy as np
import pytest

from steering_addon.portrayal.feet.footholds import footholds
from steering_addon.portrayal.feet.holding import Stretches
from steering_addon.portrayal.feet.treads import Carried, Stepping, find_treads
from tests.portrayal.feet.walks import FEET, FRAME_TIME, FRAMES, UP, in_world, steps_of
from tests.portrayal.stepping import HEIGHT, soles

TREAD = 0.3
SPEED = 0.65
PHASE = SPEED * FRAME_TIME * np.arange(FRAMES) / (2.0 * TREAD)


def climber(rise: float, phase: float):
    """A body that makes a step on each tread of stairs, and their ground."""
    gone = SPEED * FRAME_TIME * np.arange(FRAMES)
    ahead = np.tile((0.0, -1.0, 0.0), (FRAMES, 1))
    place = -gone[:, None] * (0.0, 1.0, 0.0) + (rise * gone / TREAD)[:, None] * UP
    body = Carried(place, ahead, np.tile(UP, (FRAMES, 1)), np.ones(FRAMES), np.zeros(FRAMES))
    points = soles(PHASE + phase, 2.0 * TREAD, lift=0.08)
    points[..., 1] *= 0.9

    def ground(at: np.ndarray, _: np.ndarray):
        return rise * np.floor(-at[:, 1] / TREAD + 0.5), np.tile(UP, (len(at), 1))

    return body, [Stepping(points[:, foot], np.zeros(FRAMES)) for foot in FEET], ground


@pytest.mark.parametrize("rise", [0.17, 0.2, -0.17])
@pytest.mark.parametrize("phase", [0.2, 0.3])
def test_feet_swing_from_step_to_step_over_their_edges(rise: float, phase: float) -> None:
    body, feet, ground = climber(rise, phase)
    corrections = footholds(body, feet, HEIGHT, FRAME_TIME, ground)
    for foot, correction, tread in zip(feet, corrections, find_treads(body, feet, HEIGHT, FRAME_TIME)):
        points = in_world(body, foot, correction)
        stands = np.zeros(FRAMES, dtype=bool)
        stands[1:] |= tread.stance
        stands[:-1] |= tread.stance
        whole = Stretches.of(~stands[None])
        whole = whole[(whole.first > 0) & (whole.last < FRAMES)]
        assert len(whole) > 1
        below = ground(points.reshape(-1, 3), np.zeros(0))[0].reshape(points.shape[:2])
        for first, last in zip(whole.first.tolist(), whole.last.tolist()):
            assert (points[first:last, :, 2] - below[first:last]).min() > -0.01, "nothing goes through a step"
            high = points[first - 1 : last + 1, :, 2].max(axis=1)
            assert high.max() < max(high[0], high[-1]) + 0.14, "and no foot is lifted like a hurdler's"
        assert steps_of(points).max() < 0.3


@pytest.mark.parametrize("rise", [0.3, -0.2])
def test_a_foot_that_touches_the_ground_too_briefly_to_be_held_swings_from_there(rise: float) -> None:
    """Up a hill a runner makes many steps between two stances that last; they are not one swing that climbs it."""
    frames, stride = np.arange(FRAMES), 1.6
    gone = np.cumsum(np.where((frames > 20) & (frames < 76), 12.0, 1.2)) * FRAME_TIME
    ahead = np.tile((0.0, -1.0, 0.0), (FRAMES, 1))
    body = Carried(gone[:, None] * (0.0, -1.0, rise), ahead, np.tile(UP, (FRAMES, 1)), np.ones(FRAMES), 0.0 * gone)
    points = soles(gone / stride, stride)
    feet = [Stepping(points[:, foot], np.zeros(FRAMES)) for foot in FEET]

    def ground(at: np.ndarray, _: np.ndarray):
        return -rise * at[:, 1], np.tile(UP, (len(at), 1))

    for correction in footholds(body, feet, HEIGHT, FRAME_TIME, ground):
        assert np.abs(correction.shift[:, :2]).max() < 0.7 * stride
