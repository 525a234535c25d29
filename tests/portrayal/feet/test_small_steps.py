"""Feet that stand while their body stops or turns go after it by small steps."""

import numpy as np
import pytest

from steering_addon.portrayal.feet.footholds import footholds
from steering_addon.portrayal.feet.small_steps import (
    FAR,
    LIFT,
    MOST_TURN,
    add_small_steps,
    carry_over,
    small_steps,
    step_lift,
    swing_clearance,
)
from steering_addon.portrayal.feet.soles import runs
from tests.portrayal.feet.walks import FRAME_TIME, FRAMES, in_world, stand, steps_of
from tests.portrayal.stepping import HEIGHT


@pytest.mark.parametrize("turn, draw", [(0.0, 0.3), (1.5, 0.0), (-3.0, 0.1)])
def test_feet_go_after_a_body_one_after_the_other(turn: float, draw: float) -> None:
    body, feet = stand(turn, draw)
    corrections = footholds(body, feet, HEIGHT, FRAME_TIME)
    world = [in_world(body, foot, each) for foot, each in zip(feet, corrections)]
    up = np.array([places[..., 2].min(axis=1) > 1e-6 for places in world])
    assert not up.all(axis=0).any(), "both feet are in the air"
    assert up.any(axis=1).all() and up.mean(axis=1).max() < 0.5
    for places, foot, lifts in zip(world, feet, up):
        assert 0.9 * LIFT * HEIGHT < places[..., 2].max() < 1.1 * LIFT * HEIGHT
        # Once the body is still, they are nearly where the clip has them.
        assert np.linalg.norm(places[-1] - in_world(body, foot)[-1], axis=1).max() < 0.15
        assert (steps_of(places)[lifts[1:] | lifts[:-1]] > 0.0).any()


@pytest.mark.parametrize(("feet", "strays"), [(2, 0.07), (4, 0.17)])
def test_feet_of_a_body_that_turns_take_turns_and_stay_within_reach(feet: int, strays: float) -> None:
    frames = 144
    heading = np.clip(1.5 * (np.arange(frames) * FRAME_TIME - 1.0), 0.0, np.pi)
    cosines, sines = np.cos(heading), np.sin(heading)
    corners = [(0.12, 0.03), (-0.12, 0.03)] if feet == 2 else [(x, y) for x in (0.25, -0.25) for y in (0.7, -0.7)]
    drifts = [np.stack((cosines * x - sines * y, sines * x + cosines * y), axis=1) for x, y in corners]
    rests = add_small_steps([np.ones(frames - 1, bool)] * feet, drifts, heading, np.full(frames, FAR * 1.6), FRAME_TIME)
    for rest, drift in zip(rests, drifts):
        stances = [drift[first : last + 1] for first, last in runs(rest)]
        assert len(stances) > 3
        assert max(np.linalg.norm(each - np.median(each, axis=0), axis=1).max() for each in stances) < strays
        # A step lasts for 0.3 s, and a foot stands for as long at least before the next.
        assert {last - first for first, last in runs(~rest)} == {7}
        assert min(last - first for first, last in runs(rest)) >= 7
    lifted_feet = np.count_nonzero(~np.array(rests), axis=0)[np.diff(heading) > 0.0]
    assert np.mean(lifted_feet > feet // 2) < 0.02


def stances_of(*frames: tuple[int, int]) -> np.ndarray:
    stance = np.zeros(FRAMES - 1, dtype=bool)
    for first, last in frames:
        stance[first:last] = True
    return stance


@pytest.mark.parametrize("stance", [stances_of((10, 24), (34, 48)), stances_of((30, 53))], ids=["walk", "short"])
def test_a_foot_that_does_not_stand_for_long_takes_no_small_steps(stance: np.ndarray) -> None:
    drift = np.outer(np.arange(FRAMES), (0.0, 0.02))
    [rest] = add_small_steps([stance], [drift], np.zeros(FRAMES), np.full(FRAMES, 0.07), FRAME_TIME)
    np.testing.assert_array_equal(rest, stance)


@pytest.mark.parametrize(("turn", "steps"), [(1.2, 0), (np.pi, 1), (-np.pi, 1)])
def test_a_foot_steps_in_a_brief_stance_in_which_its_body_whirls_round(turn: float, steps: int) -> None:
    heading = turn * np.clip((np.arange(FRAMES) - 34) / 16.0, 0.0, 1.0)
    stance = stances_of((30, 53))
    [rest] = add_small_steps([stance], [np.zeros((FRAMES, 2))], heading, np.full(FRAMES, 0.07), FRAME_TIME)
    lifted_there = runs(stance & ~rest)
    assert len(lifted_there) == steps
    for first, last in runs(rest) if steps else ():
        assert last - first >= 3
        turned = heading[first : last + 1]
        assert np.abs(turned - np.median(turned)).max() < 1.15 * MOST_TURN


@pytest.mark.parametrize(("turn", "steps"), [(1.25, 0), (1.35, 1), (-1.35, 1)])
def test_a_body_whirls_round_that_turns_far_in_a_stance_to_its_last_frame(turn: float, steps: int) -> None:
    """And its foot stands for a moment only before a step and after it."""
    stance = stances_of((30, 48))
    heading = turn * np.clip((np.arange(FRAMES) - 30) / 18.0, 0.0, 1.0)
    [rest] = add_small_steps([stance], [np.zeros((FRAMES, 2))], heading, np.full(FRAMES, 0.07), FRAME_TIME)
    assert len(runs(stance & ~rest)) == steps


@pytest.mark.parametrize(("way", "turn", "steps"), [(0.13, 0.59, 0), (0.15, 0.0, 1), (0.0, 0.61, 1), (0.27, 0.0, 1)])
def test_a_foot_steps_where_it_would_stray_by_more_than_far_or_turn(way: float, turn: float, steps: int) -> None:
    share = np.clip((np.arange(FRAMES) - 40) / 20.0, 0.0, 1.0)
    stance = np.ones(FRAMES - 1, dtype=bool)
    # Along a diagonal: how far is counted in both directions together.
    drift = np.outer(way * (share - 0.5), (np.sqrt(0.5), -np.sqrt(0.5)))
    [rest] = add_small_steps([stance], [drift], turn * share, np.full(FRAMES, 0.07), FRAME_TIME)
    assert len(runs(~rest)) == steps


@pytest.mark.parametrize("lifted_at", [0, 44, 50, 60])
def test_a_step_is_earlier_or_later_so_that_the_other_foot_stands_meanwhile(lifted_at: int) -> None:
    share = np.clip((np.arange(FRAMES) - 40) / 20.0, 0.0, 1.0)
    drift = np.outer(0.25 * share, (1.0, 0.0))
    other = ~stances_of((lifted_at, lifted_at + 5))
    rest, _ = add_small_steps(
        [np.ones(FRAMES - 1, dtype=bool), other], [drift, 0.0 * drift], 0.0 * share, np.full(FRAMES, 0.07), FRAME_TIME
    )
    [(first, last)] = runs(~rest)
    assert other[first:last].all()
    # It strays too far from frame 52 on: a step before and after that, if the other foot stands.
    assert abs(first - (52 - 3)) <= (0 if lifted_at in (0, 60) else 8)


def test_values_go_over_from_before_a_small_step_to_after_it_while_the_foot_is_high() -> None:
    stance = np.ones(20, dtype=bool)
    rest = stance.copy()
    rest[6:14] = False
    steps = small_steps(stance, rest)
    np.testing.assert_array_equal(steps.frame, np.arange(6, 15))
    assert (steps.start.tolist(), steps.end.tolist()) == ([6], [14])
    values = np.where(np.arange(21) < 10, 1.0, 5.0)[:, None]
    over = carry_over(values, steps)[:, 0]
    np.testing.assert_array_equal(over[:8], 1.0)
    np.testing.assert_array_equal(over[13:], 5.0)
    assert (np.diff(over[7:14]) > 0.0).all() and over[10] == pytest.approx(3.0)
    lift = step_lift(steps, np.where(np.arange(21) == 10, 0.01, 0.0), np.full(21, HEIGHT))
    assert lift[6] == lift[14] == 0.0 and lift[9] == pytest.approx(LIFT * HEIGHT)
    assert lift[7] == pytest.approx(0.75 * LIFT * HEIGHT), "it goes up at once and slows down"
    assert lift[10] == pytest.approx(LIFT * HEIGHT - 0.01) and not lift[:6].any() and not lift[15:].any()
    np.testing.assert_allclose(lift[6:10], lift[14:10:-1])


def test_a_foot_that_would_graze_the_ground_is_lifted_as_it_swings() -> None:
    rest = ~stances_of((20, 30), (50, 60), (85, FRAMES), (0, 4))
    gone, scale = np.zeros((FRAMES, 2)), np.full(FRAMES, HEIGHT)
    gone[2:], gone[25:], gone[90:] = (1.0, 1.0), (1.3, 1.4), (2.0, 2.0)
    least = swing_clearance(rest, gone, scale)
    assert least[24:27].min() > 0.95 * LIFT * HEIGHT
    assert least[20] == 0.0 and least[30] == 0.0
    # A foot that stays where it is or has not come down is left to its clips.
    np.testing.assert_array_equal(least[31:], 0.0)
    np.testing.assert_array_equal(least[:20], 0.0)
    assert swing_clearance(rest, 0.0 * gone, scale).max() == 0.0
    # A short way is lifted by its share.
    part = FAR * HEIGHT / 0.5 / 4.0
    np.testing.assert_allclose(swing_clearance(rest, part * gone, scale), 0.25 * least)


@pytest.mark.parametrize("bodies", [(), (0,), (3,)])
def test_between_less_than_two_frames_there_are_no_steps(bodies: tuple[int, ...]) -> None:
    stances, drifts = [np.ones((*bodies, 0), bool)] * 2, [np.zeros((*bodies, 1, 2))] * 2
    rests = add_small_steps(stances, drifts, np.zeros((*bodies, 1)), np.full((*bodies, 1), 0.1), FRAME_TIME)
    assert [rest.shape for rest in rests] == [(*bodies, 0)] * 2
