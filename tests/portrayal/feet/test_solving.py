"""Laws of legs that meet the corrections of their feet, by bones and by controls, and of the hips above them."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.portrayal.feet.rotations import rotate, rotation_about_up, rotation_between, transpose
from steering_addon.portrayal.feet.solving import (
    BentLeg,
    Leg,
    Skeleton,
    SoftPoints,
    bend,
    bend_knee,
    carry,
    even_out,
    hold,
    lower_hips,
    mean_around,
    rotation_channels,
    smooth_maximum,
)
from steering_addon.portrayal.feet.treads import FootCorrection, LegReach
from tests.portrayal.feet.walks import FRAME_TIME, FRAMES, UP, on, rising, stairs, walk
from tests.portrayal.stepping import HEIGHT

CHANCE = np.random.default_rng(3)
STILL = np.tile(np.eye(3), (FRAMES, 1, 1))
LENGTHS = 0.45, 0.42


def row(*place: float) -> np.ndarray:
    return np.tile(place, (FRAMES, 1))


def length(v: np.ndarray) -> np.ndarray:
    return np.linalg.norm(v, axis=-1)


def turns(*shape: int, most: float = 1.0) -> np.ndarray:
    """Random rotations by up to about that number of radians, (*shape, 3, 3)."""
    start = CHANCE.normal(size=(*shape, 3))
    return rotation_between(start, start + most * CHANCE.normal(size=(*shape, 3)))


def leg_at(sideways: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The hip, the knee and the ankle of a leg whose knee is this much to the side of the front, radians."""
    front = np.array((np.sin(sideways), -np.cos(sideways), 0.0))
    return row(0.0, 0.0, 1.0), row(0.0, 0.0, 0.56) + 0.09 * front, row(0.0, 0.02, 0.15)


@pytest.mark.parametrize("sideways", [0.0, 0.9, -1.3])
def test_legs_keep_their_lengths_and_reach_what_they_can(sideways: float) -> None:
    hip, knee, ankle = leg_at(sideways)
    target = ankle + 0.4 * CHANCE.normal(size=(FRAMES, 3))
    new_knee, new_ankle = bend_knee(hip, knee, ankle, target)
    upper, lower = length(knee - hip), length(ankle - knee)
    np.testing.assert_allclose(length(new_knee - hip), upper)
    np.testing.assert_allclose(length(new_ankle - new_knee), lower)
    far = length(target - hip)
    near = (far < 0.999 * (upper + lower)) & (far > 1.002 * np.abs(upper - lower))
    assert 0.2 < near.mean() < 0.9
    np.testing.assert_allclose(new_ankle[near], target[near], atol=1e-9)
    short = length(new_ankle - target) - np.maximum(far - upper - lower, 0.0)
    assert np.abs(short[far > upper + lower]).max() < 0.001
    # What is too far is in the direction of the target.
    np.testing.assert_allclose(np.cross(new_ankle - hip, target - hip)[~near], 0.0, atol=1e-9)


@pytest.mark.parametrize("sideways", [0.0, 0.9, -1.3])
def test_knees_stay_on_their_side_and_change_continuously(sideways: float) -> None:
    hip, knee, ankle = leg_at(sideways)
    time = np.linspace(0.0, 1.0, FRAMES)[:, None]
    # From before the body to behind it, and farther than the leg reaches in between.
    way = (
        np.array((0.1, -0.7, 0.4)) * (1.0 - time) + np.array((0.05, 0.6, 0.2)) * time - 0.35 * UP * time * (1.0 - time)
    )
    new_knee, new_ankle = bend_knee(hip, knee, ankle, way)
    assert (length(way - hip) > sum(LENGTHS)).any()
    step = length(np.diff(way, axis=0)).max()
    assert length(np.diff(new_knee, axis=0)).max() < 5.0 * step
    side = np.cross(np.cross(new_ankle - hip, new_knee - hip), new_ankle - hip)
    front = np.array((np.sin(sideways), -np.cos(sideways), 0.0))
    assert (np.einsum("fi,i->f", side, front) > 0.0).all()


def test_straight_legs_bend_to_the_front() -> None:
    hip, knee, ankle = row(0.0, 0.0, 1.0), row(0.0, 0.0, 0.5), row(0.0, 0.0, 0.0)
    new_knee, new_ankle = bend_knee(hip, knee, ankle, row(0.0, 0.1, 0.1))
    assert (new_knee[:, 1] < 0.5 * (hip + new_ankle)[:, 1] - 0.05).all()
    np.testing.assert_allclose(new_knee[:, 0], 0.0, atol=1e-12)


def skeleton_of(leg: Leg) -> Skeleton:
    """Random bones on some frames: a body, a thigh, a shin and a foot; a foot of its own has no parent."""
    parents = np.array([-1, 0, 1, 2 if leg.end is None else -1])
    at_rest, turn, place = turns(4), np.zeros((FRAMES, 4, 3, 3)), np.zeros((FRAMES, 4, 3))
    for bone, parent in enumerate(parents):
        above = turn[:, parent] if parent >= 0 else np.broadcast_to(np.eye(3), (FRAMES, 3, 3))
        turn[:, bone] = above @ at_rest[bone] @ turns(FRAMES, most=0.3)
    for bone, size in ((1, 0.1), (2, LENGTHS[0]), (3, LENGTHS[1])):
        place[:, bone] = place[:, bone - 1] + size * turn[:, bone - 1, :, 1]
    return Skeleton(parents, at_rest, place, {bone: turn[:, bone] for bone in range(4)}, np.eye(3))


@pytest.mark.parametrize("end", [None, (0.0, LENGTHS[1], 0.0)], ids=["a foot of the shin", "a foot of its own"])
def test_channels_of_bones_make_the_leg_that_was_asked_for(end: tuple[float, float, float] | None) -> None:
    leg = Leg(1, 2, 3, end)
    skeleton = skeleton_of(leg)
    reach = skeleton.reach(leg)
    np.testing.assert_allclose(reach.length, sum(LENGTHS))
    assert (reach.foot is None) == (end is None)
    foot = skeleton.places[:, 3]
    np.testing.assert_allclose(reach.ankle, foot, atol=1e-12)
    correction = FootCorrection(foot + 0.05, 0.02 * CHANCE.normal(size=(FRAMES, 3)), turns(FRAMES, most=0.2))
    drop = np.linspace(-0.02, 0.05, FRAMES)
    bent_leg = bend(skeleton, leg, reach, correction, drop)
    channels = rotation_channels(skeleton, leg, bent_leg, correction)
    turn, place = skeleton.turns[0], skeleton.places[:, 1] - drop[:, None] * UP
    np.testing.assert_allclose(bent_leg.hip, place)
    for bone, joint in ((1, bent_leg.knee), (2, bent_leg.ankle)):
        turn = turn @ skeleton.at_rest[bone] @ channels[bone]
        place = place + rotate(turn, LENGTHS[bone - 1] * row(0.0, 1.0, 0.0))
        np.testing.assert_allclose(place, joint, atol=1e-9)
    above = turn if end is None else np.eye(3)
    np.testing.assert_allclose(
        above @ skeleton.at_rest[3] @ channels[3], correction.turn @ skeleton.turns[3], atol=1e-9
    )
    wanted = correction.move(foot)
    reached = length(wanted - bent_leg.hip) < 0.999 * sum(LENGTHS)
    assert reached.mean() > 0.5
    np.testing.assert_allclose(bent_leg.ankle[reached], wanted[reached], atol=1e-9)


@pytest.mark.parametrize("leans", [True, False])
def test_points_as_a_foot_takes_them_along_come_to_where_all_bones_move_them(leans: bool) -> None:
    leg = Leg(1, 2, 3)
    skeleton = skeleton_of(leg)
    points, parts = CHANCE.normal(size=(FRAMES, 3, 3)), CHANCE.normal(size=(3, FRAMES, 1, 3))
    shares = [np.array((share,)) for share in (0.05, 0.3, 0.15)]
    turn = turns(FRAMES) if leans else rotation_about_up(np.linspace(0.0, 1.0, FRAMES))
    correction = FootCorrection(*CHANCE.normal(size=(2, FRAMES, 3)), turn)
    bent_leg = BentLeg(turns(FRAMES), turns(FRAMES), *CHANCE.normal(size=(3, FRAMES, 3)))
    soft = SoftPoints(np.array((1,)), shares, [share * part for share, part in zip(shares, parts)])
    softened = soft.moved_back(points, skeleton, leg, bent_leg, correction)
    np.testing.assert_array_equal(softened[:, ::2], points[:, ::2])
    if not leans:
        np.testing.assert_array_equal(softened, points)
        return
    moves = (
        (bent_leg.thigh, skeleton.places[:, 1], bent_leg.hip),
        (bent_leg.shin, skeleton.places[:, 2], bent_leg.knee),
        (np.eye(3), skeleton.places[:, 1], bent_leg.hip),
    )
    of_foot = (points[:, 1] - sum(share * part[:, 0] for share, part in zip(shares, parts))) / 0.5
    expected = 0.5 * correction.move(of_foot)
    for share, part, (turn, start, end) in zip(shares, parts, moves):
        expected = expected + share * (rotate(turn, part[:, 0] - start) + end)
    np.testing.assert_allclose(correction.move(softened[:, 1]), expected, atol=1e-9)


def reach_of(stretched: float = 0.9) -> LegReach:
    return LegReach(row(0.1, 0.0, 0.9), row(0.1, 0.0, 0.1), stretched)


def test_a_control_moves_with_its_foot_as_a_stiff_body() -> None:
    turn = rotation_about_up(np.linspace(0.0, 0.8, FRAMES))
    correction = FootCorrection(centre=row(0.1, -0.05, 0.0), shift=row(0.03, 0.0, 0.02), turn=turn)
    place = row(0.1, 0.15, 0.1)
    after = place + carry(place, None, correction, np.zeros(FRAMES))
    back = rotate(transpose(turn), after - correction.centre - correction.shift)
    np.testing.assert_allclose(back, place - correction.centre, atol=1e-12)


@pytest.mark.parametrize("drop", [0.0, 0.3])
def test_a_control_goes_no_further_than_its_leg_reaches_unless_the_clip_does(drop: float) -> None:
    far = FootCorrection(centre=row(0.1, 0.0, 0.0), shift=row(0.0, -0.8, 0.0), turn=STILL)
    lower = np.full(FRAMES, drop)
    ankle = reach_of().ankle + carry(reach_of().ankle, reach_of(), far, lower)
    hip = reach_of().hip - lower[:, None] * UP
    np.testing.assert_allclose(length(ankle - hip), min(0.9, np.hypot(0.8, 0.8 - drop)), rtol=1e-3)
    np.testing.assert_allclose(np.cross(ankle - hip, far.move(reach_of().ankle) - hip), 0.0, atol=1e-12)
    near = FootCorrection(centre=row(0.1, 0.0, 0.0), shift=row(0.0, 0.0, 0.02), turn=STILL)
    np.testing.assert_allclose(carry(row(0.1, 0.0, 0.1), reach_of(0.5), near, np.zeros(FRAMES)), near.shift)


def test_hips_come_down_by_what_legs_need_and_smoothly() -> None:
    deep = np.where((np.arange(FRAMES) > 20) & (np.arange(FRAMES) < 40), -0.15, 0.0)
    lower = FootCorrection(row(0.0, 0.0, 0.0), deep[:, None] * UP, STILL)
    drop = lower_hips([None, reach_of(), reach_of(2.0)], [lower] * 3, np.zeros(FRAMES), FRAME_TIME)
    assert drop.min() == 0.0
    # The leg reaches 0.9 m, and is 0.8 m long: it is stretched to 98.5 % of that.
    assert (drop[21:40] >= 0.95 - 0.985 * 0.9 - 1e-9).all() and drop.max() < 0.07
    assert np.abs(np.diff(drop)).max() < 0.02
    aside = replace(lower, shift=lower.shift + 2.0 * deep[:, None] * (0.0, 1.0, 0.0))
    drop = lower_hips([reach_of()], [aside], np.zeros(FRAMES), FRAME_TIME)
    assert length(reach_of().line(aside, drop))[21:40].max() == pytest.approx(0.985 * 0.9)
    deepest = FootCorrection(row(0.0, 0.0, 0.0), row(0.0, 0.0, -2.0), STILL)
    assert lower_hips([reach_of()], [deepest], np.zeros(FRAMES), FRAME_TIME).max() == pytest.approx(0.4 * 0.9)


def test_hips_follow_a_slope_and_even_out_stairs() -> None:
    time = np.arange(60) * FRAME_TIME
    steps, slope = 0.17 * np.floor(time / 0.5), 0.3 * time
    np.testing.assert_allclose(even_out(slope, 7), slope, atol=1e-12)
    even = even_out(steps, 7)
    assert np.abs(np.diff(even)).max() < 0.17 / 6.0
    assert np.abs(even - steps).max() < 0.1
    np.testing.assert_allclose(lower_hips([], [], steps, FRAME_TIME), steps - even_out(steps, 7))


@pytest.mark.parametrize("frames", [1, 6, 40])
def test_hips_do_not_follow_a_step_at_the_end_of_a_run(frames: int) -> None:
    steps = np.where(np.arange(frames) < frames - 1, 0.0, 0.17)
    for even in (even_out(steps, 7), even_out(steps[::-1], 7)[::-1]):
        assert np.abs(np.diff(even)).max(initial=0.0) < 0.03
    np.testing.assert_allclose(even_out(0.3 * np.arange(frames), 7), 0.3 * np.arange(frames), atol=1e-12)
    ends = even_out(CHANCE.normal(size=frames), 7)
    np.testing.assert_allclose(np.diff(ends[:8], n=2), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.diff(ends[-8:], n=2), 0.0, atol=1e-12)


def test_means_have_equal_sides_and_smoothed_values_are_nowhere_below() -> None:
    values = np.array([[0.0, 4.0, 0.0, 8.0, 6.0], [100.0, 300.0, 100.0, 100.0, 50.0]])
    np.testing.assert_allclose(mean_around(values, 1)[:, (0, 4)], values[:, (0, 4)])
    np.testing.assert_allclose(mean_around(values, 2)[0], [0.0, 4.0 / 3.0, 3.6, 14.0 / 3.0, 6.0])
    spike = np.where(np.arange(21) == 10, 1.0, 0.0)
    over = smooth_maximum(spike, 3)
    assert (over >= spike).all() and over[10] == 1.0
    np.testing.assert_allclose(over[4:17], over[4:17][::-1])
    assert not over[:4].any() and np.abs(np.diff(over)).max() < 0.2


@pytest.mark.parametrize("lowers", [False, True])
def test_hips_of_a_body_on_stairs_are_level_where_they_may_come_down(lowers: bool) -> None:
    body, feet = walk()
    body = on(body, stairs)
    drop = hold(body, feet, HEIGHT, FRAME_TIME, stairs, lowers_hips=lowers).drop
    height = body.position[:, 2] - drop
    assert np.abs(np.diff(height)).max() < (0.03 if lowers else 0.2)
    assert drop.any() == lowers
    level = rising()
    assert not hold(on(body, level), feet, HEIGHT, FRAME_TIME, level, lowers_hips=True).drop.any()
