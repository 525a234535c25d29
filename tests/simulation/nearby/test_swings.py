"""Swings: long bodies turn no further than to where their ends meet others."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import OnFoot
from steering_addon.simulation.geometry.capsules import between_axes
from steering_addon.simulation.nearby.swings import SLACK, room_to_swing
from steering_addon.simulation.sensing import world_at
from tests.scene import Scene, about, positions
from tests.simulation.ways.grounds import walls

RADIUS, HALF, FPS = 0.35, 0.55, 24
DEER = {"max_speed": 5.0, "cruise_speed": 0.25, "mass": 2.0, "max_force": 8.0, "radius": RADIUS, "keep_apart": True}


def herd(n: int, apart: float, seed: int = 0, **changes) -> Scene:
    """Deer in rows, which face any way."""
    row, turn = np.arange(n), np.random.default_rng(seed).uniform(0.0, 2.0 * np.pi, n)
    side = int(np.ceil(np.sqrt(n)))
    return Scene(
        np.stack((apart * (row % side), apart * (row // side), 0.0 * row), axis=1),
        forward=np.stack((np.cos(turn), np.sin(turn), 0.0 * turn), axis=1),
        vehicle=DEER | {"length": 2.0 * (RADIUS + HALF)},
        locomotions=[(OnFoot, {"turn_radius": 1.2, "turn_on_the_spot": 0.0})],
        fps=FPS,
        **changes,
    )


def depths(position: np.ndarray, forward: np.ndarray) -> np.ndarray:
    """How deep each pair overlaps, metres, (pairs,)."""
    i, j = np.triu_indices(len(position), 1)
    half = np.full(len(i), HALF)
    off = between_axes(position[j] - position[i], forward[i], half, forward[j], half)
    return 2.0 * RADIUS - np.linalg.norm(off, axis=1)


@pytest.mark.parametrize("seed", range(4))
def test_who_turns_by_all_its_room_meets_others_and_by_a_little_more_runs_into_them(seed: int) -> None:
    scene = herd(9, 1.1, seed)
    state, snapshot = scene.start(), scene.snapshot()
    world = world_at(state, snapshot, snapshot, 0.0)
    [*sides] = room_to_swing(snapshot.vehicle, world, np.arange(9))
    place, ahead = state.motion.position, state.motion.forward
    before = np.maximum(depths(place, ahead).max(), 0.0)
    small = [(row, sign, room[row]) for sign, room in zip((1.0, -1.0), sides) for row in range(9) if room[row] < 0.2]
    assert len(small) > 3
    for row, sign, room in small:
        turned = ahead.copy()
        turned[row] = about((0.0, 0.0, 1.0), np.degrees(sign * room)) @ ahead[row]
        assert depths(place, turned).max() < max(before, SLACK * RADIUS) + 0.01


def test_spheres_and_those_that_nothing_keeps_apart_turn_freely() -> None:
    for changes in ({"length": 0.0}, {"keep_apart": False}):
        scene = herd(4, 0.5)
        scene.vehicle.update(changes)
        snapshot = scene.snapshot()
        world = world_at(scene.start(), snapshot, snapshot, 0.0)
        assert room_to_swing(snapshot.vehicle, world, np.arange(4)) is None


def test_a_herd_in_a_narrow_pen_turns_and_walks_without_running_into_each_other() -> None:
    half, thick = 3.0, 0.2
    rails = [((-half - thick, -9.0, 0.0), (-half, 9.0, 2.0)), ((half, -9.0, 0.0), (half + thick, 9.0, 2.0))]
    rails += [((-9.0, -half - thick, 0.0), (9.0, -half, 2.0)), ((-9.0, half, 0.0), (9.0, half + thick, 2.0))]
    behaviors = [(Separation, {"distance": 2.0}), (Wander, {"strength": 1.5}), (ObstacleAvoidance, {})]
    scene = herd(16, 1.4, behaviors=behaviors, speed=0.5, obstacles=walls(*rails))
    states = replace(scene, position=scene.position - (2.1, 2.1, 0.0)).run(6 * FPS)
    deep = [depths(state.motion.position, state.motion.forward).max() for state in states[FPS:]]
    assert max(deep) < 0.1
    assert np.linalg.norm(positions(states)[-1] - positions(states)[0], axis=1).mean() > 0.4
