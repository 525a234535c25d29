"""Climbing: feet that swing from step to step go over the edges of these."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.portrayal.feet.footholds import BACK, STAYS, Climb, footholds
from steering_addon.portrayal.feet.holding import Stretches
from steering_addon.portrayal.feet.planes import Planes
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


def test_toes_are_drawn_back_from_a_riser_before_they_go_over_it() -> None:
    body, feet, ground = climber(0.17, 0.2)
    corrections = footholds(body, feet, HEIGHT, FRAME_TIME, ground)
    for foot, correction, tread in zip(feet, corrections, find_treads(body, feet, HEIGHT, FRAME_TIME)):
        toes = -in_world(body, foot, correction)[..., 1].min(axis=1)
        swings = Stretches.of(~tread.stance[None])
        for first, last in zip(swings.first.tolist(), swings.last.tolist()):
            if first > 0 and last < FRAMES - 1:
                part = (np.arange(first, last + 1) - first) / (last - first)
                before = part <= STAYS
                back = toes[first] - np.interp(0.5 * STAYS, part[before], toes[first : last + 1][before])
                assert back == pytest.approx(BACK * HEIGHT, rel=0.15)
                assert (np.diff(toes[first : last + 1][~before]) > 0.0).all()


def test_the_higher_a_step_the_more_a_swing_climbs_it() -> None:
    """It begins little by little; only where a sole finds room on a step changes at once."""
    rises = np.arange(0.025, 0.12, 0.01)
    shifts = []
    for rise in rises.tolist():
        body, feet, ground = climber(rise, 0.2)
        shifts.append([each.shift for each in footholds(body, feet, HEIGHT, FRAME_TIME, ground)])
    assert np.abs(np.diff(shifts, axis=0)).max() < 0.15


def test_only_swings_with_frames_of_their_own_climb_that_touch_no_ground_on_their_way() -> None:
    """Of a foot that stands five times; before the second time there is no frame, and in the last swing it grazes."""
    ends = ((0, 5), (6, 10), (16, 20), (26, 30), (36, 40))
    stances = Stretches(np.zeros(5, int), *np.array(ends).T)
    point = np.stack((np.zeros(5), np.zeros(5), 0.2 * np.arange(5)), axis=1)
    planes = Planes(point, np.tile(UP, (5, 1)), np.zeros((5, 2)))
    frames = np.arange(41)
    other = frames == 33
    climb = Climb.between(stances, planes, np.zeros((41, 3)), np.full(41, HEIGHT), other)
    assert (climb.start.tolist(), climb.end.tolist()) == ([10, 20], [16, 26])
    assert climb.frame.tolist() == [*range(11, 16), *range(21, 26)]
    np.testing.assert_allclose(climb.fraction[:5], np.arange(1, 6) / 6.0)
    assert climb.up.all() and (climb.share == 1.0).all()


@pytest.mark.parametrize("ends_aloft", [False, True])
@pytest.mark.parametrize("rise", [0.3, -0.2])
def test_a_foot_that_touches_the_ground_too_briefly_to_be_held_swings_from_there(rise: float, ends_aloft: bool) -> None:
    """Up a hill a runner makes many steps between two stances that last; they are not one swing that climbs it."""
    frames, stride = np.arange(FRAMES), 1.6
    gone = np.cumsum(np.where((frames > 20) & (frames < 76), 12.0, 1.2)) * FRAME_TIME
    ahead = np.tile((0.0, -1.0, 0.0), (FRAMES, 1))
    body = Carried(gone[:, None] * (0.0, -1.0, rise), ahead, np.tile(UP, (FRAMES, 1)), np.ones(FRAMES), 0.0 * gone)
    body = replace(body, aloft=ends_aloft & (frames > FRAMES - 4))
    points = soles(gone / stride, stride)
    feet = [Stepping(points[:, foot], np.zeros(FRAMES)) for foot in FEET]

    def ground(at: np.ndarray, _: np.ndarray):
        return -rise * at[:, 1], np.tile(UP, (len(at), 1))

    for correction in footholds(body, feet, HEIGHT, FRAME_TIME, ground):
        assert np.abs(correction.shift[:, :2]).max() < 0.7 * stride
