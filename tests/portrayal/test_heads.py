"""Heads turn ahead of their bodies."""

import math

import numpy as np
import pytest

from steering_addon.portrayal.heads import (
    DOWN,
    EASING,
    FURTHEST,
    LETS_GO,
    NOTICES,
    UP,
    Heads,
    LiveTurns,
    aim,
    attends,
    expected_turn,
    follow,
    leads,
    toward,
)

FPS = 24.0


def facing(angles) -> tuple[np.ndarray, np.ndarray]:
    angles = np.asarray(angles, float)
    forward = np.stack((-np.sin(angles), np.cos(angles), 0.0 * angles), axis=1)
    return forward, np.tile((0.0, 0.0, 1.0), (len(angles), 1))


def test_a_head_faces_where_its_body_will_face_a_moment_later() -> None:
    seconds = np.arange(96) / FPS
    # A quarter to the left between the first and the second second.
    heading = 0.5 * math.pi * np.clip(seconds - 1.0, 0.0, 1.0)
    head = heading + leads(*facing(heading), 0.35, 1.0 / FPS)

    def when(angle, wanted):
        return np.interp(wanted, angle[20:60], seconds[20:60])

    ahead = when(heading, 0.25 * math.pi) - when(head, 0.25 * math.pi)
    assert 0.2 < ahead < 0.5
    assert abs(ahead - 0.35) < 0.03
    np.testing.assert_allclose(head[[0, -1]], heading[[0, -1]], atol=1e-6)


def test_the_last_frames_turn_and_full_turns_do_not_twist_a_neck() -> None:
    seconds = np.arange(240) / FPS
    for sign in (1.0, -1.0):
        turned = leads(*facing(sign * 2.0 * seconds), 0.35, 1.0 / FPS)
        np.testing.assert_allclose(turned[10:220], sign * 0.7, atol=1e-6)
        assert np.abs(np.diff(turned)).max() < 0.15
        assert abs(turned[-1]) < 0.2
        quick = leads(*facing(sign * 9.0 * seconds), 0.35, 1.0 / FPS)
        assert np.abs(quick).max() <= FURTHEST + 1e-9


@pytest.mark.parametrize(
    "axes",
    [np.diag((-1.0, 1.0, 1.0)), np.array(((0.0, 0.6, 0.8), (1.0, 0.0, 0.0), (0.0, 0.8, -0.6)))],
    ids=["mirrored", "turned"],
)
def test_heads_turn_alike_in_a_scene_that_is(axes: np.ndarray) -> None:
    """About any axis: mirrored, they turn to the other side."""
    frame, chance = np.arange(60), np.random.default_rng(3)
    forward, up = facing(0.02 * frame * (frame < 30) + 0.3 * np.sin(0.2 * frame))
    eyes = 0.05 * frame[:, None] * forward + (0.0, 0.0, 1.6)
    seen = eyes + np.cumsum(chance.normal(size=(60, 3)), axis=0) + 2.0 * forward
    seen[20:30] = np.nan
    hand, forward_there, up_there = np.linalg.det(axes), forward @ axes.T, up @ axes.T
    left, left_there = leads(forward, up, 0.35, 1.0 / FPS), leads(forward_there, up_there, 0.35, 1.0 / FPS)
    np.testing.assert_allclose(left_there, hand * left, atol=1e-6)
    turned = toward(seen, eyes, forward, up, left, 1.0 / FPS)
    there = toward(5.0 + seen @ axes.T, 5.0 + eyes @ axes.T, forward_there, up_there, left_there, 1.0 / FPS)
    np.testing.assert_allclose(there, turned * np.array((hand, 1.0))[:, None], atol=1e-6)
    live, live_there = LiveTurns(0.35, 1.0 / FPS), LiveTurns(0.35, 1.0 / FPS)
    for k in frame[:, None]:
        seen_then = live.frame(Heads(eyes[k], forward[k], up[k], forward[k], up[k], seen[k]))
        axes_there = forward_there[k], up_there[k], forward_there[k], up_there[k]
        seen_there = live_there.frame(Heads(5.0 + eyes[k] @ axes.T, *axes_there, 5.0 + seen[k] @ axes.T))
        np.testing.assert_allclose(seen_there, seen_then * np.array((hand, 1.0))[:, None], atol=1e-6)


def test_one_frame_and_no_turn_are_straight() -> None:
    assert leads(*facing([0.3]), 0.35, 1.0 / FPS).tolist() == [0.0]
    np.testing.assert_allclose(leads(*facing(np.full(30, 1.0)), 0.35, 1.0 / FPS), 0.0, atol=1e-12)


def looking(bearings) -> np.ndarray:
    """How far a head is turned whose body faces +Y, to a point in these directions, radians to the left of that."""
    bearings = np.asarray(bearings, float)
    forward, up = facing(np.zeros(len(bearings)))
    place = np.tile((3.0, -2.0, 1.0), (len(bearings), 1))
    target = place + 5.0 * np.stack((-np.sin(bearings), np.cos(bearings), 0.0 * bearings), axis=1)
    return toward(target, place, forward, up, 0.0 * bearings, 1.0 / FPS)[0]


def test_a_head_looks_at_a_point_within_the_limits_of_a_neck() -> None:
    for bearing in (0.0, 0.5, -0.9, FURTHEST):
        np.testing.assert_allclose(looking(np.full(20, bearing)), bearing, atol=1e-6)
    between = looking(np.full(20, 0.5 * (FURTHEST + LETS_GO)))
    np.testing.assert_allclose(between, 0.5 * FURTHEST, atol=1e-6)
    for behind in (LETS_GO, math.pi, -math.pi, -2.8):
        np.testing.assert_allclose(looking(np.full(20, behind)), 0.0, atol=1e-6)


def test_a_head_follows_what_goes_round_its_body_without_a_jerk() -> None:
    round_it = np.arange(480) * (2.0 * math.pi / 240.0)
    turned = looking(round_it)
    assert turned.max() > 1.1 and turned.min() < -1.1
    assert np.abs(np.diff(turned)).max() < 0.05
    jumps = looking(np.where(np.arange(96) < 48, 0.0, 1.0))
    assert np.abs(np.diff(jumps)).max() < 0.1
    np.testing.assert_allclose(jumps[[0, -1]], [0.0, 1.0], atol=1e-6)


def test_a_head_is_raised_and_lowered_to_what_it_looks_at_and_is_straight_otherwise() -> None:
    forward, up = facing(np.zeros(48))
    eyes = np.tile((0.0, 0.0, 1.6), (48, 1))
    for climb, raised in ((0.2, np.arctan(0.2)), (-0.2, -np.arctan(0.2)), (3.0, UP), (-3.0, -DOWN)):
        target = eyes + 4.0 * (forward + climb * up)
        np.testing.assert_allclose(toward(target, eyes, forward, up, np.zeros(48), 1.0 / FPS)[1], raised, atol=1e-6)
    target = eyes + np.array((-4.0, 4.0, 0.0))
    target[24:] = np.nan
    left, raised = toward(target, eyes, forward, up, np.full(48, -0.3), 1.0 / FPS)
    np.testing.assert_allclose(left[[0, -1]], (math.pi / 4.0, -0.3), atol=1e-6)
    assert np.abs(np.diff(left)).max() < 0.1
    np.testing.assert_allclose(raised, 0.0, atol=1e-12)


def test_one_that_moves_looks_at_what_called_it_for_a_moment_and_one_that_stands_for_longer() -> None:
    since, speed = np.array((0.0, NOTICES + 0.1, NOTICES + 0.1)), np.array((4.0, 4.0, 0.0))
    np.testing.assert_array_equal(attends(since, speed, np.ones(3)), (True, False, True))


def test_a_body_that_turns_on_as_it_does_is_expected_where_it_will_face() -> None:
    forward, up = facing((0.1, -0.2, 3.0))
    before, _ = facing((0.0, 0.0, 0.0))
    turned = expected_turn(forward, up, before, 0.1, 0.35)
    np.testing.assert_allclose(turned, (0.35, -0.7, FURTHEST), atol=1e-6)


def test_a_head_follows_what_it_looks_at_and_gets_there() -> None:
    forward, up = facing((0.0,))
    seen = np.array(((-2.0, 2.0, 0.0),))
    wanted, raised = aim(seen, np.zeros((1, 3)), forward, up, np.zeros(1))
    np.testing.assert_allclose((wanted[0], raised[0]), (0.25 * math.pi, 0.0), atol=1e-6)
    at = [np.zeros(1)]
    for _ in range(round(8.0 * EASING * FPS)):
        at.append(follow(at[-1], wanted, np.ones(1, bool), 1.0 / FPS))
    steps = np.diff(np.array(at)[:, 0])
    assert (steps >= 0.0).all() and steps.max() < 0.25 * wanted[0]
    assert abs(at[-1][0] - wanted[0]) < 0.01


def test_heads_of_bodies_that_turn_in_jerks_turn_evenly_while_the_timeline_plays() -> None:
    faces, up = facing(0.1 * (np.arange(24) // 3))
    live, nowhere = LiveTurns(0.35, 1.0 / FPS), np.full((1, 3), np.nan)
    turned = [live.frame(Heads(0.0 * up[:1], face, up[:1], face, up[:1], nowhere))[0][0] for face in faces[:, None]]
    np.testing.assert_allclose(turned[18:], 0.1 * 0.35 * FPS / 3.0, atol=0.005)
