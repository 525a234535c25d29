"""Feet that stand while their body stops or turns go after it by small steps."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.portrayal.footholds import Carried, Stepping, footholds
from steering_addon.portrayal.small_steps import FAR, LIFT, swung, with_steps
from steering_addon.portrayal.soles import runs
from tests.portrayal.stepping import HEIGHT, soles
from tests.portrayal.test_planting import FRAME_TIME, UP, in_world

FRAMES = 96


def standing(heading: np.ndarray, drawn_in: np.ndarray) -> tuple[Carried, list[Stepping]]:
    """A body that stands and turns, while its clips draw its feet back on the ground by some metres (f,)."""
    forward = np.stack((np.sin(heading), -np.cos(heading), 0.0 * heading), axis=1)
    body = Carried(np.zeros((FRAMES, 3)), forward, np.tile(UP, (FRAMES, 1)), np.ones(FRAMES), np.zeros(FRAMES))
    points = np.repeat(soles(np.zeros(1), 0.0), FRAMES, axis=0)
    points[..., 2] = 0.0
    points[..., 1] += drawn_in[:, None]
    return body, [Stepping(points[:, foot], np.zeros(FRAMES)) for foot in (slice(0, 12), slice(12, 24))]


@pytest.mark.parametrize("turn, draw", [(0.0, 0.3), (1.5, 0.0), (-3.0, 0.1)])
def test_feet_go_after_a_body_one_after_the_other_and_never_slide(turn: float, draw: float) -> None:
    part = np.clip((np.arange(FRAMES) - 20) / 48.0, 0.0, 1.0)
    body, feet = standing(turn * part, draw * part)
    world = [in_world(body, foot, each) for foot, each in zip(feet, footholds(body, feet, HEIGHT, FRAME_TIME))]
    up = np.array([places[..., 2].min(axis=1) > 1e-6 for places in world])
    assert not up.all(axis=0).any(), "both feet are in the air"
    for places, foot, lifted in zip(world, feet, up):
        moves = np.linalg.norm(np.diff(places, axis=0), axis=2).max(axis=1)
        assert moves[~lifted[1:] & ~lifted[:-1]].max() < 0.003
        assert 0.9 * LIFT * HEIGHT < places[..., 2].max() < 1.1 * LIFT * HEIGHT
        assert lifted.sum() < 0.5 * FRAMES
        wanted = in_world(body, foot)[-1]
        # Once the body is still, it is nearly where the clip has it.
        assert np.linalg.norm(places[-1] - wanted, axis=1).max() < 0.15


@pytest.mark.parametrize(("feet", "strays"), [(2, 0.07), (4, 0.17)])
def test_feet_of_a_body_that_turns_take_turns_and_stay_within_reach(feet: int, strays: float) -> None:
    frames = 144
    heading = np.clip(1.5 * (np.arange(frames) * FRAME_TIME - 1.0), 0.0, np.pi)
    cosines, sines = np.cos(heading), np.sin(heading)
    corners = [(0.12, 0.03), (-0.12, 0.03)] if feet == 2 else [(x, y) for x in (0.25, -0.25) for y in (0.7, -0.7)]
    drifts = [np.stack((cosines * x - sines * y, sines * x + cosines * y), axis=1) for x, y in corners]
    rests = with_steps([np.ones(frames - 1, bool)] * feet, drifts, heading, np.full(frames, FAR * 1.6), FRAME_TIME)
    for rest, drift in zip(rests, drifts):
        stances = [drift[first : last + 1] for first, last in runs(rest)]
        assert len(stances) > 3
        assert max(np.linalg.norm(each - np.median(each, axis=0), axis=1).max() for each in stances) < strays
    lifted_feet = np.count_nonzero(~np.array(rests), axis=0)[np.diff(heading) > 0.0]
    assert np.mean(lifted_feet > feet // 2) < 0.02


def test_a_body_that_walks_takes_no_small_steps() -> None:
    stance = np.zeros(FRAMES - 1, dtype=bool)
    stance[10:24] = stance[34:48] = True
    drift = np.outer(np.arange(FRAMES), (0.0, 0.02))
    [rest] = with_steps([stance], [drift], np.zeros(FRAMES), np.full(FRAMES, 0.07), FRAME_TIME)
    np.testing.assert_array_equal(rest, stance)


def test_a_small_step_goes_over_what_lies_between() -> None:
    part = np.clip((np.arange(FRAMES) - 20) / 24.0, 0.0, 1.0)
    body, feet = standing(0.0 * part, 0.4 * part)

    def ridge(places, _=None):
        return np.where(np.abs(places[:, 1] - 0.2) < 0.05, 0.04, 0.0), np.tile(UP, (len(places), 1))

    [correction, _] = footholds(replace(body), feet, HEIGHT, FRAME_TIME, ridge)
    places = in_world(body, feet[0], correction)
    middle = places.mean(axis=1)
    over = ridge(middle)[0]
    assert over.max() > 0.0
    assert (places[..., 2].min(axis=1) - over).min() > -0.005


def test_a_foot_that_would_graze_the_ground_is_lifted_as_it_swings() -> None:
    rest = np.ones(FRAMES - 1, dtype=bool)
    rest[20:30] = rest[50:60] = rest[85:] = False
    gone, off, scale = np.zeros((FRAMES, 2)), np.zeros(FRAMES), np.full(FRAMES, HEIGHT)
    gone[25:, 0] = 0.3
    off[50:61] = 0.05
    lift = swung(rest, gone, off, scale)
    assert lift[24:27].min() > 0.95 * LIFT * HEIGHT
    assert lift[20] == 0.0 and lift[30] == 0.0
    # What is high enough, stays where it is or has not come down, is left to its clips.
    np.testing.assert_array_equal(lift[31:], 0.0)
    assert swung(rest, 0.0 * gone, off, scale).max() == 0.0
