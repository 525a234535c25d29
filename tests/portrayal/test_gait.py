"""What is measured of clips whose speed is known."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.portrayal.clips import DO, MOVE, PHASES, STAND
from steering_addon.portrayal.feet.soles import clusters, dwell_height
from steering_addon.portrayal.gait import (
    LONG,
    REPEATS,
    STANDS,
    STEADY,
    STILL,
    SUPPORTED,
    TURNS,
    UNSURE,
    Moving,
    Sampled,
    in_place,
    kind_of,
    measured,
    without_turning,
)
from tests.portrayal.stepping import HEIGHT, clips_of, sampled, standing

WAYS = {
    "forwards": ((0.0, -1.0), 0.0),
    "backwards": ((0.0, 1.0), np.pi),
    "to the left": ((1.0, 0.0), 0.5 * np.pi),
    "to the right": ((-1.0, 0.0), -0.5 * np.pi),
    "between": ((0.6, -0.8), np.arctan2(0.6, 0.8)),
}


@pytest.mark.parametrize("name", WAYS)
def test_speed_stride_and_heading_are_those_of_the_feet(name: str) -> None:
    way, heading = WAYS[name]
    clip = measured(sampled(speed=1.3, seconds=0.9, way=way), HEIGHT)
    assert clip.plays == MOVE
    assert clip.speed == pytest.approx(1.3, rel=0.02)
    assert clip.stride == pytest.approx(1.3 * 0.9, rel=0.02)
    assert abs(np.angle(np.exp(1j * (clip.heading - heading)))) < 0.01
    assert clip.sure > 0.5
    assert clip.support == 1.0
    assert clip.own_slide < 0.02
    assert clip.turn == 0.0


@pytest.mark.parametrize("lift", [0.03, 0.015, 0.006, -0.03])
def test_feet_that_swing_through_low_or_into_the_ground_walk_all_the_same(lift: float) -> None:
    clip = measured(sampled(lift=lift), HEIGHT)
    assert clip.plays == MOVE
    assert clip.speed == pytest.approx(1.3, rel=0.02)
    assert clip.own_slide < 0.02


def test_a_foot_that_is_wiped_on_the_ground_is_no_walk() -> None:
    points = np.repeat(standing().points[:1], PHASES + 1, axis=0)
    half = points.shape[1] // 2
    points[:, :half, 1] += 0.3 * np.sin(2.0 * np.pi * np.arange(PHASES + 1) / PHASES)[:, None]
    assert measured(Sampled("Wipe", 1.0, points, 0.4), HEIGHT).plays == DO


def test_the_curve_follows_feet_that_do_not_move_evenly() -> None:
    phase = np.arange(PHASES + 1) / PHASES
    uneven = phase + 0.05 * np.sin(4.0 * np.pi * phase)
    clip = measured(sampled(speed=1.0), HEIGHT)
    steps = sampled(speed=1.0).points
    # The same steps at other times.
    points = np.stack([np.interp(uneven, phase, steps[:, k, axis]) for k in range(steps.shape[1]) for axis in range(3)])
    warped = measured(Sampled("Uneven", 1.0, points.reshape(-1, 3, PHASES + 1).transpose(2, 0, 1), 0.4), HEIGHT)
    assert warped.speed == pytest.approx(1.0, rel=0.03)
    np.testing.assert_allclose(warped.curve, np.interp(uneven, phase, clip.curve), atol=0.02)
    assert np.abs(warped.curve - phase).max() > 0.03


def test_root_motion_is_taken_out_and_counted_once() -> None:
    still = sampled(speed=1.3)
    moved = Sampled("Moved", 1.0, still.points + np.arange(PHASES + 1)[:, None, None] / PHASES * (0.0, -1.3, 0.0), 0.4)
    clip = measured(moved, HEIGHT)
    np.testing.assert_allclose(clip.drift, (0.0, -1.3, 0.0), atol=1e-9)
    np.testing.assert_allclose(in_place(moved.points, HEIGHT)[0], still.points, atol=1e-9)
    assert clip.speed == pytest.approx(1.3, rel=0.02)
    assert clip.heading == pytest.approx(0.0, abs=1e-6)
    assert measured(still, HEIGHT).drift == (0.0, 0.0, 0.0)


def test_what_stands_has_no_speed() -> None:
    clip = measured(standing(), HEIGHT)
    assert (clip.plays, clip.speed, clip.own_slide) == (STAND, 0.0, 0.0)


TURNING = {"speed": 0.0, "turning": 1.1 * TURNS, "explained": 1.0}
LIVELY = {"still": 1.0, "liveliness": 1.0}
KINDS = {
    # situation: changes of a walk of a second, kind
    "a walk": ({}, MOVE),
    "that does not repeat itself": ({"gap": 1.01 * REPEATS * HEIGHT}, DO),
    "hardly on the way": ({"speed": 0.99 * STILL * HEIGHT}, DO),
    "of feet that slide": ({"steady": STEADY}, DO),
    "of feet that may be in the air": ({"sure": UNSURE}, DO),
    "of feet that stand for long": ({"still": 1.0 - STANDS}, DO),
    "a turn": (TURNING, MOVE),
    "to the right": (TURNING | {"turning": -1.1 * TURNS}, MOVE),
    "too little": (TURNING | {"turning": 0.9 * TURNS}, DO),
    "that turning does not explain": (TURNING | {"explained": STEADY}, DO),
    "a stand": ({"still": 1.0}, STAND),
    "that ends elsewhere": ({"still": 1.0, "gap": 1.01 * REPEATS * HEIGHT}, DO),
    "on one leg": ({"still": 1.0, "support": SUPPORTED}, DO),
    "a gesture": (LIVELY, DO),
    "for long": (LIVELY | {"seconds": LONG + 0.1}, STAND),
}


@pytest.mark.parametrize(("changes", "kind"), KINDS.values(), ids=KINDS)
def test_each_of_several_signs_alone_says_what_a_clip_does(changes: dict[str, float], kind: int) -> None:
    usual = {"turning": 0.0, "sure": 1.0, "support": 1.0, "still": 0.0, "explained": 0.0, "steady": 1.0}
    moving = Moving(
        (), (0.0, -1.0), np.ones(PHASES), down=np.ones(PHASES), **{k: changes.get(k, usual[k]) for k in usual}
    )
    seconds, gap, liveliness = (
        changes.get(name, usual) for name, usual in (("seconds", 1.0), ("gap", 0.0), ("liveliness", 0.0))
    )
    clip = Sampled("Any", seconds, np.zeros((PHASES + 1, 1, 3)), liveliness, gap)
    assert kind_of(moving, clip, HEIGHT, changes.get("speed", 1.3)) == kind
    assert kind_of(None, clip, HEIGHT, 0.0) == (DO if gap else STAND)


def test_what_does_not_repeat_itself_is_done_once() -> None:
    walk = sampled()
    assert measured(Sampled("Fall", 1.0, walk.points, 0.4, gap=HEIGHT), HEIGHT).plays == DO


def steps_round(speed: float = 0.0, turn: float = 1.0) -> Sampled:
    """Steps of a body that goes forwards and turns by radians a second."""
    phase = np.arange(PHASES + 1) / PHASES
    points = []
    for side, offset in ((-0.15, 0.0), (0.15, 0.5)):
        part = (phase + offset) % 1.0
        swing = np.clip((part - 0.6) / 0.4, 0.0, 1.0)
        # A foot on the ground stays: in the space of a body that turns to the left it goes to the right.
        share = np.where(part < 0.6, 0.3 - part, 0.6 * (swing - 0.5))
        cosine, sine = np.cos(turn * share), np.sin(turn * share)
        lifted = np.where(part < 0.6, 0.0, 0.1 * np.sin(np.pi * swing))
        for x in (-0.04, 0.04):
            for y in (-0.1, 0.1):
                ahead = sine * (side + x) + cosine * y - speed * share
                points.append(np.stack((cosine * (side + x) - sine * y, ahead, lifted), 1))
    return Sampled("Turn", 1.0, np.stack(points, 1), 0.3)


def test_steps_on_the_spot_turn() -> None:
    clip = measured(steps_round(), HEIGHT)
    assert clip.plays == MOVE
    assert clip.turn == pytest.approx(1.0, rel=0.1)
    assert clip.speed == 0.0
    hardly, round_a_place = (measured(steps_round(speed), HEIGHT) for speed in (0.1, 0.25))
    assert hardly.speed == 0.0, "also with its feet round a place that is not quite below it"
    assert round_a_place.speed == pytest.approx(0.25, rel=0.1)


def moved(sampled: Sampled, speed: float) -> Sampled:
    """The clip with root motion forwards."""
    gone = np.arange(PHASES + 1)[:, None, None] / PHASES * (0.0, -speed * sampled.seconds, 0.0)
    return replace(sampled, points=sampled.points + gone)


SEEN = {
    "walk": sampled(speed=1.3, way=(0.6, -0.8)),
    "root motion": moved(sampled(), 1.3),
    "backwards": moved(sampled(way=(0.0, 1.0)), -1.3),
    "turn": steps_round(),
    "walk round": steps_round(1.2, 0.9),
    "slow walk": sampled(speed=0.2),
    "slides": moved(sampled(speed=0.8), 1.3),
}
MIRROR = np.diag((-1.0, 1.0, 1.0))
TURNED = np.array(((0.8, -0.6, 0.0), (0.6, 0.8, 0.0), (0.0, 0.0, 1.0)))


@pytest.mark.parametrize("name", SEEN)
@pytest.mark.parametrize(
    ("axes", "longer", "slower", "order"),
    [(TURNED, 1.0, 1.0, 1), (MIRROR, 1.0, 1.0, 1), (np.eye(3), 2.5, 1.4, 1), (np.eye(3), 1.0, 1.0, -1)],
    ids=["turned", "mirrored", "longer and slower", "played backwards"],
)
def test_a_clip_is_measured_alike_however_it_is_seen(
    name: str, axes: np.ndarray, longer: float, slower: float, order: int
) -> None:
    seen = SEEN[name]
    clip = measured(seen, HEIGHT)
    points, front = longer * seen.points[::order] @ axes.T, axes @ (0.0, -1.0, 0.0)
    there = measured(replace(seen, points=points, seconds=slower * seen.seconds), longer * HEIGHT, tuple(front[:2]))
    hand = np.linalg.det(axes)
    assert there.plays == clip.plays
    assert there.speed == pytest.approx(longer / slower * clip.speed)
    for each in ("stride", "sole", "own_slide"):
        assert getattr(there, each) == pytest.approx(longer * getattr(clip, each), abs=1e-9)
    for each in ("sure", "support", "closes"):
        assert getattr(there, each) == pytest.approx(getattr(clip, each), abs=1e-9)
    assert there.turn == pytest.approx(hand * order * clip.turn, abs=1e-9)
    if clip.speed:
        backwards = 0.0 if order > 0 else np.pi
        np.testing.assert_allclose(
            np.exp(1j * there.heading), np.exp(1j * (hand * clip.heading + backwards)), atol=1e-6
        )
    np.testing.assert_allclose(np.diff(there.curve), np.diff(clip.curve)[::order], atol=1e-9)
    np.testing.assert_allclose(there.down, clip.down[::order])
    np.testing.assert_allclose(there.drift, longer * order * axes @ clip.drift, atol=1e-9)
    if order > 0:
        np.testing.assert_allclose(there.rests, clip.rests)


def test_a_turn_is_measured_of_feet_that_go_round_and_taken_out() -> None:
    place = np.random.default_rng(1).uniform(-0.3, 0.3, (2, PHASES, 2))
    round_it = 0.8 * place[..., ::-1] * (1.0, -1.0)
    for way in ((0.0, 0.0), (0.02, -0.03)):
        turning, explained, velocity = without_turning(place, round_it + way, np.ones((2, PHASES)))
        assert (turning, explained) == pytest.approx((0.8, 1.0))
        np.testing.assert_allclose(velocity, np.broadcast_to(way, velocity.shape), atol=1e-9)
    sideways = without_turning(place, 0.8 * place, np.ones((2, PHASES)))
    assert sideways[:2] == (0.0, 0.0) and (sideways[2] == 0.8 * place).all()


def test_phases_are_matched_to_the_first_clip_that_moves() -> None:
    walk, run = sampled(), sampled("Run", 3.0, 0.7, on_ground=0.4)
    late = Sampled("Late", 0.7, np.roll(run.points[:-1], 16, axis=0)[np.arange(PHASES + 1) % PHASES], 0.8)
    clips = clips_of(standing(), walk, late)
    plain = clips_of(standing(), walk, run)
    assert (clips[1].offset, clips[1].agrees) == (0.0, pytest.approx(1.0))
    assert clips[2].agrees > 0.9
    assert (clips[2].offset - plain[2].offset) % 1.0 == pytest.approx(0.25)


def test_feet_are_best_left_as_one_passes_the_other() -> None:
    rests = clips_of(standing(), sampled())[1].rests
    assert len(rests) == 2
    # A foot is below the body in the middle of its time on the ground, at .3, the other half a cycle later.
    assert min(abs(rest - 0.3) for rest in rests) < 0.06
    assert rests[1] - rests[0] == pytest.approx(0.5, abs=0.1)


def test_without_a_clip_that_stands_feet_are_left_where_both_are_down() -> None:
    (clip,) = clips_of(sampled())
    for rest in clip.rests:
        assert clip.down[int(rest * PHASES)] == 1.0


def test_points_are_of_one_foot_if_they_are_near_and_move_alike() -> None:
    groups = clusters(sampled().points, HEIGHT)
    assert [rows.tolist() for rows in groups] == [list(range(12)), list(range(12, 24))]


def test_a_foot_rests_where_it_dwells_not_where_it_dips() -> None:
    heights = np.concatenate((np.full(30, 0.02), np.linspace(0.02, 0.2, 20), np.linspace(0.2, -0.01, 14)))
    assert dwell_height(heights, HEIGHT) == pytest.approx(0.02, abs=1e-3)
