"""Settling: where many go to one place, they come to stand round it."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import Planar
from steering_addon.simulation.run import simulate
from steering_addon.simulation.settling import Settling
from steering_addon.simulation.snapshot import State
from tests.scene import Crowd, Scene, in_crowds, leaders, positions, speeds

FPS = 12
MANY = 12


def throng(n: int = MANY, **changes) -> Scene:
    """Vehicles that keep apart and go to one leader."""
    k = np.arange(n)
    return replace(
        Scene(
            np.stack((-20.0 - 2.0 * (k // 4), 2.0 * (k % 4), 0.0 * k), axis=1),
            forward=[1.0, 0.0, 0.0],
            speed=1.0,
            behaviors=[(Arrival, {"target": n}), (Wander, {"weight": 0.1}), (Separation, {"distance": 2.0})],
            tracked=leaders([0.0, 0.0, 0.0]),
            vehicle={"radius": 0.4, "max_speed": 2.0},
            locomotions=[(Planar, {})],
            fps=FPS,
        ),
        **changes,
    )


@cache
def settled() -> list[State]:
    """Forty seconds of the throng."""
    return throng().run(FPS * 40)


def test_all_stand_near_their_target_after_a_while() -> None:
    states = settled()
    still = speeds(states)[-FPS * 5 :] < 1e-6
    assert still.all(axis=0).sum() >= MANY - 1, "whatever else moves them, but for the one at the target"
    away = np.linalg.norm(positions(states)[-1], axis=1)
    assert away.min() < 0.8, "one of them touches the target"
    assert away.max() < 2.0 * np.sqrt(MANY), "metres, of a throng with 2 m from each to the next"


def test_a_lone_vehicle_never_settles_before_its_target() -> None:
    states = throng(1).run(FPS * 18)
    assert np.linalg.norm(positions(states)[-1, 0]) < 0.1
    assert not states[-1].memories["arrival"].settled.any()


def test_those_of_another_crowd_take_a_place_too() -> None:
    """One stands at the place; the other has not come nearer for long."""
    scene = replace(throng(2), position=np.array([[0.0, 0.0, 0.0], [1.5, 0.0, 0.0]]), speed=0.0)
    crowds = [Crowd(np.array([row]), (Arrival.of(1, target=2),)) for row in range(2)]
    tried = {"arrival": replace(Settling.blank(2), nearest=np.zeros(2), time=np.full(2, 99.0))}
    start = replace(scene.start(), memories=tried)
    states = list(simulate(start, [in_crowds(scene.snapshot(), crowds)] * 4))
    assert states[-1].memories["arrival"].settled.tolist() == [False, True]


def test_those_with_different_targets_do_not_wait_for_each_other() -> None:
    scene = throng(2, tracked=leaders([0.0, 0.0, 0.0], [0.0, 6.0, 0.0]))
    scene = replace(scene, behaviors=[(Arrival, {"target": [2, 3]})])
    at = positions(scene.run(FPS * 30))[-1]
    assert np.linalg.norm(at - [[0.0, 0.0, 0.0], [0.0, 6.0, 0.0]], axis=1) == pytest.approx([0.0, 0.0], abs=0.1)
