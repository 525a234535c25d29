"""Last corrections: on the mark exactly, gently before and after it, and none where too much is left."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.wander import Wander
from steering_addon.portrayal.exact_marks import Corrections, left_on_frame
from steering_addon.scene import Scene, leaders
from steering_addon.simulation.marks.declaring import Mark
from steering_addon.simulation.marks.missing import MissedMarks

FPS, FRAMES = 24, 120
SLOW = {"max_force": 0.5, "max_speed": 6.0, "cruise_speed": 0.5}


def corrected(*marks: tuple[int, Any], off: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, Corrections]:
    """The path, how it is moved, (f, 3) each, and the recorders, of one that comes to exact marks at frames.

    Args:
        marks: frames and places; `off` metres beside where it would be without them.
    """
    scene = Scene([[0.0, 0.0, 0.0]], behaviors=[(Wander, {"vertical": 0.0})], vehicle=SLOW, speed=3.0)
    free = np.array([state.motion.position[0] for state in scene.run(FRAMES)])
    places = [free[frame] + off * np.asarray(aside) for frame, aside in marks]
    led = Scene(
        [[0.0, 0.0, 0.0]], behaviors=[(Wander, {"vertical": 0.0})], vehicle=SLOW, speed=3.0, tracked=leaders(*places)
    )
    # The marks are looked at, not met: everything that is left is the correction's.
    told = tuple(
        Mark(f"Mark {k}", frame / FPS, 1 + k, np.arange(1), lead=2.0, exact=True) for k, (frame, _) in enumerate(marks)
    )
    corrections, missed, path = Corrections(), MissedMarks(), []
    for row, state in enumerate(led.run(FRAMES)):
        assert state.inputs is not None
        snapshot = replace(state.inputs, marks=told)
        corrections.add(left_on_frame(row, state, snapshot))
        missed.look(state, snapshot)
        path.append(state.motion.position[0])
    assert missed.metres == {}
    return np.array(path), corrections.shift(0, np.arange(FRAMES)), np.array(places), corrections


def test_it_is_on_its_mark_and_its_speed_hardly_changes() -> None:
    path, moved, places, _ = corrected((80, [1.0, 0.0, 0.0]), off=0.2)
    assert np.abs((path + moved)[80] - places[0]).max() < 1e-12
    assert not moved[:32].any() and moved[33:80].any(axis=1).all()
    speed = np.linalg.norm(np.diff(moved, axis=0), axis=1) * FPS
    # 1.875 d / lead, and no jump of it at either end.
    assert speed.max() == pytest.approx(1.875 * 0.2 / 2.0, rel=0.01)
    assert np.abs(np.diff(speed)).max() * FPS <= 5.8 * 0.2 / 4.0 * 1.01


def test_more_than_a_tenth_of_a_metre_a_second_of_lead_is_left_and_told() -> None:
    _, moved, _, corrections = corrected((80, [0.0, 1.0, 0.0]), off=0.21)
    assert not moved.any()
    assert corrections.too_far == {"Mark 0": (pytest.approx(0.21), pytest.approx(0.2))}


def test_of_two_marks_one_after_the_other_each_is_met() -> None:
    path, moved, places, _ = corrected((60, [1.0, 0.0, 0.0]), (84, [-1.0, 0.0, 0.0]), off=0.08)
    for frame, place in zip((60, 84), places):
        assert np.abs((path + moved)[frame] - place).max() < 1e-12
