"""Laws of feet that are held, for bodies that walk, turn and stop on several grounds."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.portrayal.feet.footholds import footholds
from steering_addon.portrayal.feet.small_steps import LIFT
from steering_addon.portrayal.feet.soles import TOUCH
from steering_addon.portrayal.feet.treads import Carried, LegReach, Stepping, find_treads, let_go
from tests.portrayal.feet.walks import (
    BODIES,
    FEET,
    FRAME_TIME,
    FRAMES,
    GROUNDS,
    UP,
    fly,
    in_world,
    leaning,
    on,
    rising,
    stairs,
    steps_of,
    walk,
)
from tests.portrayal.stepping import HEIGHT, soles
from tests.sampling import sampled

STILL = 1e-6
"""Metres that are none."""
UNEVEN = "stairs", "ridge", "kerb"
STRAIGHT = "walks", "hurries its feet", "drags its feet", "draws its feet in"
"""The bodies that do not turn."""
EVEN = [name for name in GROUNDS if name not in UNEVEN]


def held(body: Carried, feet: list[Stepping], ground=None) -> list[np.ndarray]:
    """(f, m, 3) the points of each sole in the world, once it is held."""
    corrections = footholds(body, feet, HEIGHT, FRAME_TIME, ground)
    return [in_world(body, foot, correction) for foot, correction in zip(feet, corrections)]


def above(places: np.ndarray, ground) -> np.ndarray:
    """(f, m) the heights of points above a ground."""
    return places[..., 2] - ground(places.reshape(-1, 3))[0].reshape(places.shape[:2])


@sampled
@pytest.mark.parametrize(
    ("name", "ground", "leans"),
    [(name, ground, leans) for name in BODIES for ground in EVEN for leans in (False, *(True,) * (name in STRAIGHT))],
)
def test_on_even_ground_a_sole_that_touches_it_stays_and_lies_flat_and_none_sinks_in(
    name: str, ground: str, leans: bool
) -> None:
    body, feet = BODIES[name]()
    plane = GROUNDS[ground]
    body = leaning(on(body, plane), plane) if leans else on(body, plane)
    touching = []
    for places, foot in zip(held(body, feet, plane), feet):
        height = above(places, plane)
        touches = height.min(axis=1) < 0.001
        assert height.min() > -STILL
        assert height[touches].max() < STILL
        assert steps_of(places)[touches[1:] & touches[:-1]].max() < STILL
        assert steps_of(places).max() < 2.0 * steps_of(in_world(body, foot)).max() + 0.06
        touching.append(touches)
    assert np.mean(touching, axis=1).min() > 0.6
    assert np.any(touching, axis=0).all(), "both feet are in the air"


@pytest.mark.parametrize("ground", UNEVEN)
@pytest.mark.parametrize("name", BODIES)
def test_on_uneven_ground_a_foot_that_stands_has_nothing_below_the_ground(name: str, ground: str) -> None:
    body, feet = BODIES[name]()
    body = on(body, GROUNDS[ground])
    for places in held(body, feet, GROUNDS[ground]):
        stands = steps_of(places) < STILL
        height = above(places, GROUNDS[ground])[1:][stands]
        assert stands.mean() > 0.5
        assert height.min() > -STILL and height.min(axis=1).max() < STILL


@pytest.mark.parametrize("name", BODIES)
def test_level_ground_is_held_to_as_no_ground_is(name: str) -> None:
    body, feet = BODIES[name]()
    for places, on_plane in zip(held(body, feet), held(body, feet, rising())):
        np.testing.assert_allclose(places, on_plane, atol=1e-9)


@pytest.mark.parametrize("name", BODIES)
def test_the_room_by_which_a_foot_that_swings_may_come_down_leaves_it_clear_of_the_ground(name: str) -> None:
    body, feet = BODIES[name]()
    for foot, correction in zip(feet, footholds(body, feet, HEIGHT, FRAME_TIME)):
        places = in_world(body, foot, correction)
        fast, still = steps_of(places) > 0.03, np.flatnonzero(steps_of(places) < STILL)
        swings = np.flatnonzero(fast[1:] & fast[:-1]) + 1
        # Of those that have begun before or go on after the run, nobody knows how far they go.
        swings = swings[(swings > still[0]) & (swings < still[-1])]
        lowest = places[..., 2].min(axis=1) - correction.room
        assert (lowest[swings] > 0.5 * LIFT * HEIGHT).all() and (lowest > -STILL).all()


def test_feet_that_already_hold_are_left_alone() -> None:
    body, feet = walk()
    for foot, correction in zip(feet, footholds(body, feet, HEIGHT, FRAME_TIME)):
        down = foot.points[..., 2].max(axis=1) <= 0.0
        assert np.abs(correction.shift[down]).max() < STILL


@pytest.mark.parametrize("ground", [None, stairs], ids=["level", "stairs"])
def test_each_of_many_bodies_is_held_as_if_it_were_alone(ground) -> None:
    bodies = [make() for make in (*BODIES.values(), fly)]
    together = Carried(*(np.stack([vars(body)[name] for body, _ in bodies]) for name in Carried.__annotations__))
    feet = [
        Stepping(*(np.stack([getattr(of_body[foot], name) for _, of_body in bodies]) for name in ("points", "rests")))
        for foot in range(len(FEET))
    ]
    corrections = footholds(together, feet, HEIGHT, FRAME_TIME, ground)
    for row, (body, of_body) in enumerate(bodies):
        for correction, alone in zip(corrections, footholds(body, of_body, HEIGHT, FRAME_TIME, ground)):
            for name, column in vars(alone).items():
                np.testing.assert_array_equal(getattr(correction, name)[row], column)


@pytest.mark.parametrize(("rise", "touches"), [(0.9, True), (1.1, False), (-9.0, True)])
def test_a_foot_stands_that_is_nearly_as_low_as_it_rests_or_lower(rise: float, touches: bool) -> None:
    body, feet = walk()
    raised = [replace(foot, points=foot.points + rise * TOUCH * HEIGHT * UP) for foot in feet]
    for tread, other in zip(*(find_treads(body, each, HEIGHT, FRAME_TIME) for each in (feet, raised))):
        assert other.stance[tread.stance].mean() > 0.9 if touches else not other.stance.any()


def test_a_foot_that_rolls_over_its_toes_on_a_slope_does_not_slide() -> None:
    slope = rising(along=0.47)
    body, feet = walk()
    body = on(body, slope)
    frames = np.arange(FRAMES)
    for foot in feet:
        down = foot.points[..., 2].max(axis=1) <= 0.0
        # In the second half of a stance the heel comes up, and the foot turns about the foremost points of its toes,
        # which sink in as in many clips.
        since = frames - np.maximum.accumulate(np.where(down, -1, frames))
        pitch = np.where(down, 0.05 * np.maximum(since - 7, 0), 0.0)
        first = foot.points[0, :, 1].argmin()
        toes = foot.points[:, first]
        turn = np.stack([np.array(((1, 0, 0), (0, np.cos(a), -np.sin(a)), (0, np.sin(a), np.cos(a)))) for a in pitch])
        rolled = np.einsum("fij,fmj->fmi", turn, foot.points - toes[:, None]) + toes[:, None]
        rolled[..., 2] -= 0.15 * pitch[:, None]
        [places] = held(body, [Stepping(rolled, foot.rests)], slope)
        rolls = (pitch[1:] > 0.0) & (pitch[:-1] > 0.0)
        assert rolls.any() and np.linalg.norm(np.diff(places[:, first], axis=0), axis=1)[rolls].mean() < 0.0015


def setting_off(length: float) -> tuple[Carried, Stepping]:
    """A body that sets off on frame 10 and drags a foot along the ground until frame 16, below a leg of this length."""
    speed = np.repeat((0.0, 3.0), (10, FRAMES - 11))
    ahead = speed * np.repeat((1.0, 0.8, 2.0, 0.0), (10, 6, 6, FRAMES - 23))
    gone, dragged = (np.concatenate(([0.0], np.cumsum(each * FRAME_TIME))) for each in (speed, ahead))
    forward = np.tile((0.0, -1.0, 0.0), (FRAMES, 1))
    body = Carried(gone[:, None] * forward, forward, np.tile(UP, (FRAMES, 1)), np.ones(FRAMES), gone * 0.0)
    height = np.zeros(FRAMES)
    height[17:22] = 0.1
    off = (dragged - gone)[:, None] * forward + height[:, None] * UP
    points = soles(np.zeros(1), 0.0)[:, :12] * (1.0, 1.0, 0.0) + off[:, None]
    reach = LegReach(np.tile((-0.1, 0.0, 0.9), (FRAMES, 1)), points.mean(axis=1) + 0.1 * UP, length)
    return body, Stepping(points, np.zeros(FRAMES), reach=reach)


@pytest.mark.parametrize("length", [1.0, 2.0], ids=["too short", "long enough"])
def test_a_foot_that_drags_is_held_until_its_leg_would_be_pulled_straight(length: float) -> None:
    body, foot = setting_off(length)
    [correction] = footholds(body, [foot], HEIGHT, FRAME_TIME)
    distance = np.linalg.norm(foot.reach.ankle + correction.shift - foot.reach.hip, axis=1)[:17]
    way = steps_of(in_world(body, foot, correction))[:16]
    assert distance.max() < length
    holds = way < STILL
    assert holds[:10].all() and holds[10:].any()
    assert holds.all() == (length > 1.0)


def test_a_leg_that_is_straight_in_its_clip_is_not_pulled_straight_by_a_foot_a_little_farther() -> None:
    down, back = np.array((0.0, 0.0, -0.99)), np.array((0.0, 0.15, 0.0))
    straight, slanted = (LegReach(np.zeros((1, 3)), end[None], 1.0) for end in (down, 0.85 * down))
    assert not straight.is_strained(back[None]).any()
    assert not slanted.is_strained(2.0 * back[None]).any()
    assert slanted.is_strained(4.0 * back[None]).all()


def test_legs_let_go_at_the_end_of_a_stance_only() -> None:
    stance = np.ones((2, 9), dtype=bool)
    stance[0, 7:] = False
    drags, strained = np.zeros_like(stance), np.zeros((2, 10), dtype=bool)
    drags[0, 1:3] = drags[0, 4:7] = drags[1, 2:4] = drags[1, 6:9] = True
    strained[0, (2, 6)] = strained[1, (3, 8)] = True
    assert np.argwhere(let_go(drags, stance, strained)).tolist() == [[0, 5], [0, 6], [1, 7], [1, 8]]


def test_on_a_link_feet_are_not_held_and_before_and_after_it_they_are() -> None:
    body, feet = walk()
    aloft = (np.arange(FRAMES) >= 30) & (np.arange(FRAMES) < 66)
    climbs = np.cumsum(np.where(aloft, 0.05, 0.0))[:, None] * UP
    free = replace(body, position=body.position + climbs, aloft=aloft)

    def floors(places, frames):
        # Its edge is already found beside the ladder.
        return np.where(frames < 55, 0.0, climbs[-1, 2]), np.tile(UP, (len(places), 1))

    for held, before in zip(
        footholds(free, feet, HEIGHT, FRAME_TIME, floors), footholds(body, feet, HEIGHT, FRAME_TIME)
    ):
        # Held on the floors, they would be moved by most of a metre.
        assert np.abs(held.shift[34:62]).max() < 0.06
        np.testing.assert_allclose(held.shift[:20], before.shift[:20], atol=0.02)
