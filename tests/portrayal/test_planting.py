"""Legs that hold their feet: the corrections of a walking body, and the bones that meet them."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.portrayal.footholds import Carried, Stepping, footholds
from steering_addon.portrayal.holding import Glide, Hold
from steering_addon.portrayal.planting import (
    Correction,
    Leg,
    Skeleton,
    bent,
    dropped,
    evened,
    planted,
    turned_about_up,
    turned_between,
)
from steering_addon.portrayal.reach import Reach, let_go
from tests.portrayal.stepping import HEIGHT, soles

FRAME_TIME = 1.0 / 24.0
UP = np.array((0.0, 0.0, 1.0))


def walk(frames: int = 60, speed: float = 1.3, played: float = 1.0, radius: float = np.inf) -> tuple[Carried, list]:
    """A body that walks at `speed`, straight or round a bend, while its feet step `played` times as fast as it."""
    time = np.arange(frames) * FRAME_TIME
    heading = time * speed / radius
    steps = speed * FRAME_TIME * np.stack((np.sin(heading), -np.cos(heading), 0.0 * heading), axis=1)
    forward = np.stack((np.sin(heading), -np.cos(heading), 0.0 * heading), axis=1)
    position = np.cumsum(steps, axis=0)
    body = Carried(position, forward, np.tile(UP, (frames, 1)), np.ones(frames), np.zeros(frames))
    points = soles(time, speed * played)
    return body, [Stepping(points[:, foot], np.zeros(frames)) for foot in (slice(0, 12), slice(12, 24))]


def in_world(body: Carried, foot: Stepping, correction: Correction | None = None) -> np.ndarray:
    """(f, m, 3) the points of a sole, corrected."""
    points = foot.points
    if correction is not None:
        off = points - correction.centre[:, None]
        points = np.einsum("fij,fmj->fmi", correction.turn, off) + (correction.centre + correction.shift)[:, None]
    return body.position[:, None] + np.einsum("fij,fmj->fmi", body.axes(), points) * body.size[:, None, None]


def slide(world: np.ndarray, foot: Stepping) -> float:
    """The longest step in metres of any point of a sole that is on the ground."""
    down = foot.points[..., 2].max(axis=1) <= 0.0
    steps = np.linalg.norm(np.diff(world[..., :2], axis=0), axis=2).max(axis=1)
    return float(steps[down[1:] & down[:-1]].max())


@pytest.mark.parametrize("options", [{}, {"played": 0.8}, {"played": 1.25}, {"radius": 2.0}, {"radius": -1.0}])
def test_every_point_of_a_sole_stays_where_it_stands(options: dict) -> None:
    body, feet = walk(**options)
    corrections = footholds(body, feet, HEIGHT, FRAME_TIME)
    for foot, correction in zip(feet, corrections):
        assert slide(in_world(body, foot, correction), foot) < 1e-3
    if options:
        assert max(slide(in_world(body, foot), foot) for foot in feet) > 0.01


def test_size_and_place_do_not_matter() -> None:
    body, feet = walk(played=0.8)
    large = Carried(2.0 * body.position + 5.0, body.forward, body.up, 2.0 * body.size, body.origin)
    for small, big in zip(footholds(body, feet, HEIGHT, FRAME_TIME), footholds(large, feet, HEIGHT, FRAME_TIME)):
        np.testing.assert_allclose(small.shift[:, :2], big.shift[:, :2], atol=1e-9)


def test_feet_stand_below_an_origin_that_is_high_up() -> None:
    body, feet = walk(played=0.8)
    high = np.array((0.0, 0.0, 0.9))
    raised = replace(body, position=body.position + high, origin=body.origin + 0.9)
    below = [replace(foot, points=foot.points - high, rests=foot.rests - 0.9) for foot in feet]
    for low, same in zip(footholds(body, feet, HEIGHT, FRAME_TIME), footholds(raised, below, HEIGHT, FRAME_TIME)):
        np.testing.assert_allclose(low.shift, same.shift, atol=1e-9)


def test_corrections_do_not_jump() -> None:
    body, feet = walk(played=0.8, radius=3.0)
    for correction in footholds(body, feet, HEIGHT, FRAME_TIME):
        assert np.abs(np.diff(correction.shift, axis=0)).max() < 0.06


def test_feet_stand_on_a_slope_and_along_it() -> None:
    body, feet = walk()
    steep = np.tan(np.radians(20.0))
    normal = np.array((0.0, steep, 1.0)) / np.hypot(1.0, steep)

    def slope(places, _):
        return -steep * places[:, 1], np.tile(normal, (len(places), 1))

    body = Carried(
        body.position * (1.0, 1.0, 0.0) + np.stack((0.0 * body.size, 0.0 * body.size, -steep * body.position[:, 1]), 1),
        body.forward,
        body.up,
        body.size,
        body.origin,
    )
    for foot, correction in zip(feet, footholds(body, feet, HEIGHT, FRAME_TIME, slope)):
        world = in_world(body, foot, correction)
        above = world[..., 2] + steep * world[..., 1]
        down = foot.points[..., 2].max(axis=1) <= 0.0
        assert np.abs(above[down]).max() < 0.005
        assert above.min() > -0.03


def test_a_foot_that_rolls_over_its_toes_on_a_slope_does_not_slide() -> None:
    body, feet = walk()
    steep = np.tan(np.radians(25.0))
    normal = np.array((0.0, steep, 1.0)) / np.hypot(1.0, steep)
    position = body.position * (1.0, 1.0, 0.0) - steep * body.position[:, 1:2] * (0.0, 0.0, 1.0)
    body = replace(body, position=position)

    def slope(places, _):
        return -steep * places[:, 1], np.tile(normal, (len(places), 1))

    frames = np.arange(len(position))
    for foot in feet:
        down = foot.points[..., 2].max(axis=1) <= 0.0
        # In the second half of a stance the heel comes up, and the foot turns about the foremost points of its toes,
        # which sink in as in many clips.
        since = frames - np.maximum.accumulate(np.where(down, -1, frames))
        pitch = np.where(down, 0.05 * np.maximum(since - 7, 0), 0.0)
        toes = foot.points[:, foot.points[0, :, 1].argmin()]
        turn = np.stack([np.array(((1, 0, 0), (0, np.cos(a), -np.sin(a)), (0, np.sin(a), np.cos(a)))) for a in pitch])
        rolled = np.einsum("fij,fmj->fmi", turn, foot.points - toes[:, None]) + toes[:, None]
        assert pitch.max() > 0.2
        rolled[..., 2] -= 0.15 * pitch[:, None]
        stepping = Stepping(rolled, foot.rests)
        [correction] = footholds(body, [stepping], HEIGHT, FRAME_TIME, slope)
        place = in_world(body, stepping, correction)[:, foot.points[0, :, 1].argmin()]
        rolls = (pitch[1:] > 0.0) & (pitch[:-1] > 0.0)
        assert np.linalg.norm(np.diff(place, axis=0), axis=1)[rolls].mean() < 0.0015


def setting_off(length: float) -> tuple[Carried, Stepping]:
    """A body that sets off on frame 10 and drags a foot along the ground until frame 16, below a leg of this length."""
    frames = 40
    speed = np.repeat((0.0, 3.0), (10, frames - 11))
    ahead = speed * np.repeat((1.0, 0.8, 2.0, 0.0), (10, 6, 6, 17))
    gone, dragged = (np.concatenate(([0.0], np.cumsum(each * FRAME_TIME))) for each in (speed, ahead))
    forward = np.array((0.0, -1.0, 0.0))
    body = Carried(
        gone[:, None] * forward, np.tile(forward, (frames, 1)), np.tile(UP, (frames, 1)), np.ones(frames), gone * 0.0
    )
    height = np.zeros(frames)
    height[17:22] = 0.1
    off = (dragged - gone)[:, None] * forward + height[:, None] * UP
    points = soles(np.zeros(1), 0.0)[:, :12] * (1.0, 1.0, 0.0) + off[:, None]
    reach = Reach(np.tile((-0.1, 0.0, 0.9), (frames, 1)), points.mean(axis=1) + 0.1 * UP, length)
    return body, Stepping(points, np.zeros(frames), reach=reach)


def test_a_leg_is_not_pulled_straight_by_a_foot_that_drags_as_its_body_sets_off() -> None:
    body, foot = setting_off(1.0)
    [correction] = footholds(body, [foot], HEIGHT, FRAME_TIME)
    line = foot.reach.ankle + correction.shift - foot.reach.hip
    distance = np.linalg.norm(line, axis=1)
    assert 0.9 < distance[:17].max() < 1.0
    way = np.linalg.norm(np.diff(in_world(body, foot, correction)[:, 0], axis=0), axis=1)
    held = distance[1:17] < 0.9
    assert held[10:].any() and way[:16][held].max() < 1e-9


def test_a_leg_that_is_long_enough_holds_a_foot_that_drags_until_it_swings() -> None:
    body, foot = setting_off(2.0)
    [correction] = footholds(body, [foot], HEIGHT, FRAME_TIME)
    way = np.linalg.norm(np.diff(in_world(body, foot, correction)[:17], axis=0), axis=2)
    assert way.max() < 1e-9


def test_a_leg_that_is_straight_in_its_clip_is_not_pulled_straight_by_a_foot_a_little_farther() -> None:
    down, back = np.array((0.0, 0.0, -0.99)), np.array((0.0, 0.15, 0.0))
    straight, slanted = (Reach(np.zeros((1, 3)), end[None], 1.0) for end in (down, 0.85 * down))
    assert not straight.strained(back[None]).any()
    assert not slanted.strained(2.0 * back[None]).any()
    assert slanted.strained(4.0 * back[None]).all()


def test_legs_let_go_at_the_end_of_a_stance_only() -> None:
    stance = np.ones((2, 9), dtype=bool)
    stance[0, 7:] = False
    drags, strained = np.zeros_like(stance), np.zeros((2, 10), dtype=bool)
    drags[0, 1:3] = drags[0, 4:7] = drags[1, 2:4] = drags[1, 6:9] = True
    strained[0, (2, 6)] = strained[1, (3, 8)] = True
    assert np.argwhere(let_go(drags, stance, strained)).tolist() == [[0, 5], [0, 6], [1, 7], [1, 8]]


def test_what_is_held_stays_and_glides_in_between() -> None:
    values = np.linspace(0.0, 1.0, 21)[:, None]
    rest = np.zeros(20, dtype=bool)
    rest[2:8] = rest[12:18] = True
    added = Hold(rest).added(values)
    moved = values + added
    np.testing.assert_allclose(moved[2:9, 0], moved[5, 0])
    np.testing.assert_allclose(moved[12:19, 0], moved[15, 0])
    assert (np.diff(moved[8:13, 0]) > 0.0).all()


def test_glides_join_what_is_known() -> None:
    known = np.array([False, True, False, False, False, True, False])
    smooth = Glide.of(known).over(np.arange(7.0)[:, None])[:, 0]
    np.testing.assert_allclose(smooth, [1.0, 1.0, 1.0 + 4.0 * 0.15625, 3.0, 5.0 - 4.0 * 0.15625, 5.0, 5.0])


def test_a_leg_reaches_its_target_and_keeps_its_length() -> None:
    chance = np.random.default_rng(2)
    hip = np.tile((0.0, 0.0, 1.0), (50, 1))
    knee = hip + np.array((0.0, -0.1, -0.45))
    ankle = knee + np.array((0.0, 0.12, -0.42))
    target = ankle + 0.15 * chance.normal(size=(50, 3))
    new_knee, new_ankle, short = bent(hip, knee, ankle, target)
    upper, lower = np.linalg.norm(knee - hip, axis=1), np.linalg.norm(ankle - knee, axis=1)
    np.testing.assert_allclose(np.linalg.norm(new_knee - hip, axis=1), upper)
    np.testing.assert_allclose(np.linalg.norm(new_ankle - new_knee, axis=1), lower)
    np.testing.assert_allclose(np.linalg.norm(new_ankle - target, axis=1), short, atol=1e-9)
    near = np.linalg.norm(target - hip, axis=1) < 0.99 * (upper + lower)
    assert near.any() and (short[near] < 1e-9).all()
    assert (new_knee[:, 1] < 0.5 * (hip + new_ankle)[:, 1] + 1e-9).all()


def test_a_leg_that_is_too_short_says_by_how_much() -> None:
    hip, knee, ankle = (np.array([[0.0, 0.0, z]]) for z in (1.0, 0.5, 0.0))
    _, new_ankle, short = bent(hip, knee, ankle, np.array([[0.0, 0.0, -0.2]]))
    assert short[0] == pytest.approx(0.2, abs=1e-3)
    assert new_ankle[0, 2] == pytest.approx(0.0, abs=1e-3)


def test_the_channels_of_bones_make_the_leg_that_was_asked_for() -> None:
    chance = np.random.default_rng(3)
    frames = 5
    at_rest = np.array([turned_between(*chance.normal(size=(2, 1, 3)))[0] for _ in range(4)])
    parents = np.array([-1, 0, 1, 2])
    lengths = (0.0, 0.1, 0.45, 0.42)
    turns, places = np.zeros((frames, 4, 3, 3)), np.zeros((frames, 4, 3))
    for bone in range(4):
        above = turns[:, bone - 1] if bone else np.broadcast_to(np.eye(3), (frames, 3, 3))
        swing = turned_about_up(chance.normal(size=frames) * 0.3)
        turns[:, bone] = above @ at_rest[bone] @ swing
        if bone:
            places[:, bone] = places[:, bone - 1] + lengths[bone] * turns[:, bone - 1, :, 1]
    skeleton = Skeleton(parents, at_rest, places, {bone: turns[:, bone] for bone in range(4)}, np.eye(3))
    ankle = places[:, 3]
    move = Correction(ankle, 0.02 * chance.normal(size=(frames, 3)), turned_about_up(chance.normal(size=frames) * 0.2))
    result = planted(skeleton, [Leg(1, 2, 3)], [move], FRAME_TIME, climb=np.zeros(frames))
    channels, short = result.turns, result.short
    assert short.max() < 0.03
    above = turns[:, 0]
    place = places[:, 1] - result.drop[:, None] * UP
    for bone, after in ((1, 2), (2, 3), (3, None)):
        turn = above @ at_rest[bone] @ channels[bone]
        np.testing.assert_allclose(np.linalg.det(turn), 1.0)
        if after is not None:
            length = places[:, after] - places[:, bone]
            place = place + np.einsum("fij,fj->fi", turn, np.einsum("fji,fj->fi", turns[:, bone], length))
        above = turn
    np.testing.assert_allclose(np.linalg.norm(place - ankle - move.shift, axis=1), short[0], atol=1e-9)
    np.testing.assert_allclose(above, move.turn @ turns[:, 3], atol=1e-9)


def test_hips_even_out_steps_and_follow_a_slope() -> None:
    time = np.arange(60) * FRAME_TIME
    steps, slope = 0.17 * np.floor(time / 0.5), 0.3 * time
    np.testing.assert_allclose(evened(slope, 7), slope, atol=1e-12)
    even = evened(steps, 7)
    assert np.abs(np.diff(even)).max() < 0.17 / 6.0
    assert np.abs(even - steps).max() < 0.1


@pytest.mark.parametrize("frames", [1, 6, 40])
def test_hips_do_not_follow_a_step_at_the_end_of_a_run(frames: int) -> None:
    steps = np.where(np.arange(frames) < frames - 1, 0.0, 0.17)
    for even in (evened(steps, 7), evened(steps[::-1], 7)[::-1]):
        assert np.abs(np.diff(even)).max(initial=0.0) < 0.03
    np.testing.assert_allclose(evened(0.3 * np.arange(frames), 7), 0.3 * np.arange(frames), atol=1e-12)


def test_hips_come_down_by_what_legs_need_and_smoothly() -> None:
    frames = 60
    hip, knee, ankle = (np.tile((0.0, y, z), (frames, 1)) for y, z in ((0.0, 0.9), (-0.05, 0.47), (0.0, 0.05)))
    target = ankle - np.where((np.arange(frames) > 20) & (np.arange(frames) < 40), 0.1, 0.0)[:, None] * UP
    length = np.linalg.norm(knee - hip, axis=1) + np.linalg.norm(ankle - knee, axis=1)
    drop = dropped([(hip, length, target)], FRAME_TIME)
    assert drop.min() == 0.0
    assert (drop[21:40] >= 0.09).all()
    assert np.abs(np.diff(drop)).max() < 0.02
    _, _, short = bent(hip - drop[:, None] * UP, knee - drop[:, None] * UP, ankle - drop[:, None] * UP, target)
    assert short.max() < 1e-9
