"""Heads turn ahead of their bodies."""

import math

import numpy as np

from steering_addon.portrayal.heads import FURTHEST, leads

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


def test_one_frame_and_no_turn_are_straight() -> None:
    assert leads(*facing([0.3]), 0.35, 1.0 / FPS).tolist() == [0.0]
    np.testing.assert_allclose(leads(*facing(np.full(30, 1.0)), 0.35, 1.0 / FPS), 0.0, atol=1e-12)
