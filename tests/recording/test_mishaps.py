"""Mishaps: the same as checking all pairs on every frame."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steering_addon.recording.mishaps import OBSTACLE, OVERLAP, STUCK, TOLERANCE, Mishaps
from steering_addon.simulation.geometry.obstacles import obstacles
from steering_addon.simulation.snapshot import State
from tests.scene import Scene, locked


def looked_at(*states: State) -> Mishaps:
    """The mishaps of some states as successive frames."""
    mishaps = Mishaps(len(states[0]))
    for frame, state in enumerate(states):
        mishaps.look(frame, state)
    return mishaps


def at(points, radius=0.5, *, velocity=None, present=None, **options) -> State:
    """A state of vehicles at points."""
    radii = np.broadcast_to(np.asarray(radius, dtype=float), (len(points),))
    scene = Scene(points, vehicle={"radius": radii}, **options)
    snapshot = scene.snapshot()
    if present is not None:
        snapshot = replace(snapshot, present=np.array(present))
    state = replace(scene.start(), inputs=snapshot)
    if velocity is not None:
        state = replace(state, motion=replace(state.motion, velocity=np.array(velocity, dtype=float)))
    return state


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 40), st.floats(0.5, 20.0))
def test_overlaps_are_those_of_all_pairs_one_by_one(seed: int, n: int, room: float) -> None:
    rng = np.random.default_rng(seed)
    points = rng.uniform(0.0, room, (n, 3))
    radius = rng.uniform(0.2, 0.6, n) * np.where(rng.random(n) < 0.1, 8.0, 1.0)
    expected = [False] * n
    for i in range(n):
        for j in range(n):
            depth = radius[i] + radius[j] - np.linalg.norm(points[i] - points[j])
            expected[i] |= i != j and depth > TOLERANCE * min(radius[i], radius[j])
    assert (looked_at(at(points, radius)).frames[OVERLAP] >= 0).tolist() == expected


def test_the_frame_of_the_deepest_overlap_counts() -> None:
    gaps = (3.0, 0.8, 0.3, 0.6, 3.0)
    result = looked_at(*(at([[0.0, 0.0, 0.0], [gap, 0.0, 0.0], [9.0, 0.0, 0.0]]) for gap in gaps))
    assert result.frames[OVERLAP].tolist() == [2, 2, -1]
    assert result.number(OVERLAP) == 2


def test_a_touch_is_not_a_mishap() -> None:
    assert looked_at(at([[0.0, 0.0, 0.0], [0.97, 0.0, 0.0]])).number(OVERLAP) == 0


def test_an_absent_vehicle_overlaps_no_other() -> None:
    result = looked_at(at([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0]], present=[True, False]))
    assert result.number(OVERLAP) == 0


def test_locked_vehicles_are_counted() -> None:
    result = looked_at(at([[0.0, 0.0, 0.0], [5.0, 0.0, 0.0]], tracked=locked([0.2, 0.0, 0.0])))
    assert result.frames[OVERLAP].tolist() == [0, -1]


@pytest.mark.parametrize(("distance", "deep"), [(3.0, False), (1.47, False), (1.2, True), (0.0, True)])
def test_a_vehicle_inside_an_obstacle_is_a_mishap(distance: float, deep: bool) -> None:
    ball = obstacles([[0.0, 0.0, 0.0]], [1.0])
    result = looked_at(at([[distance, 0.0, 0.0]], obstacles=ball))
    assert bool(result.number(OBSTACLE)) == deep
    assert result.clearance[0] == pytest.approx(distance - 1.5)


def test_without_obstacles_the_clearance_is_infinite() -> None:
    assert np.isinf(looked_at(at([[0.0, 0.0, 0.0]])).clearance).all()


def test_a_vehicle_that_stands_at_an_obstacle_for_long_is_stuck() -> None:
    ball = obstacles([[0.0, 0.0, 0.0]], [1.0])
    points = [[1.55, 0.0, 0.0], [-1.55, 0.0, 0.0], [9.0, 0.0, 0.0]]
    velocity = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]]
    state = at(points, velocity=velocity, obstacles=ball)
    assert looked_at(*[state] * 47).number(STUCK) == 0
    result = looked_at(*[state] * 60).frames[STUCK]
    assert 46 < result[0] < 50
    assert result[1:].tolist() == [-1, -1]


def test_a_vehicle_that_moves_again_in_time_is_not_stuck() -> None:
    ball = obstacles([[0.0, 0.0, 0.0]], [1.0])
    stands = at([[1.55, 0.0, 0.0]], velocity=[[0.0, 0.0, 0.0]], obstacles=ball)
    goes = at([[1.55, 0.0, 0.0]], velocity=[[0.0, 1.0, 0.0]], obstacles=ball)
    assert looked_at(*[*[stands] * 40, goes, *[stands] * 40]).number(STUCK) == 0
