"""Herds with states for the tests of minds: runs of them, and single moments."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from steering_addon.behaviors.flee import Flee
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import Planar
from steering_addon.minds.conditions import Meeting, Nearby
from steering_addon.minds.declaring import Trigger
from steering_addon.scene import CrowdState, Scene, leaders, trigger, with_states
from steering_addon.simulation.declaration import CAUSE
from steering_addon.simulation.mindset import Mindset
from steering_addon.simulation.sensing import world_at
from steering_addon.simulation.snapshot import Snapshot, State

FRAME = 1.0 / 24.0
WOLF = [0.0, -6.0, 0.0]
GRAZING = [(Wander, {"strength": 0.3, "vertical": 0.0}), (Separation, {"distance": 1.5})]
RUNNING = [(Flee, {"target": CAUSE, "distance": 100.0}), (Separation, {"distance": 1.5})]
FAST = {"max_speed": 6.0, "max_force": 10.0, "radius": 0.4}
SLOW = {"max_speed": 1.0, "max_force": 10.0, "radius": 0.4, "cruise_speed": 0.3}
AT_ONCE = {"react": 0.0, "varies": 0.0}


def herd(n: int = 36, wolf: Any = WOLF, **changes: Any) -> Scene:
    """Slow vehicles on a grid of two metres, and a wolf."""
    side = int(np.ceil(np.sqrt(n)))
    x, y = np.meshgrid(np.arange(side) * 2.0, np.arange(side) * 2.0)
    places = np.stack((x.ravel(), y.ravel(), np.zeros(side * side)), axis=1)[:n]
    given = {"behaviors": GRAZING, "vehicle": SLOW, "locomotions": [(Planar, {})], "tracked": leaders(wolf)}
    return Scene(places, **given | changes)


def standing(*places: Any, **changes: Any) -> Scene:
    """Vehicles at points (3,) that want nothing and stand."""
    return Scene(places, **{"behaviors": [], "vehicle": {**FAST, "cruise_speed": 0.0}, **changes})


def startle(**numbers: Any) -> CrowdState:
    return CrowdState("Startle", RUNNING, FAST, numbers={"lasts": 3.0, **numbers})


def wolf_near(scene: Scene, distance: float = 8.0, **values: Any) -> Trigger:
    return trigger(1, Nearby, bodies=np.array([len(scene)]), distance=distance, **values)


def run(scene: Scene, states: Sequence[CrowdState], triggers: Sequence[Trigger] = (), frames: int = 3) -> list[State]:
    return scene.run(frames, at=lambda _, snapshot: with_states(snapshot, states, triggers))


def played(
    scene: Scene, frames: int, at: Callable[[int], tuple[Sequence[CrowdState], Sequence[Trigger]]]
) -> list[State]:
    """A run in which states and triggers are others on each frame."""
    return scene.run(frames, at=lambda frame, snapshot: with_states(snapshot, *at(frame)))


def modes(states: Sequence[State]) -> np.ndarray:
    """(frames, n); before the first step none is in a state."""
    n = len(states[0])
    return np.array([np.zeros(n, int) if s.mindset is None else s.mindset.mode for s in states])


def same(a: State, b: State) -> bool:
    names = ("position", "velocity", "forward", "up")
    return all(np.array_equal(getattr(a.motion, name), getattr(b.motion, name)) for name in names)


def meeting_in(snapshot: Snapshot, start: State, before: Mindset, arrived: Any = None) -> Meeting:
    """The vehicles of crowd 0 at the start of a scene, with what they have in mind."""
    start = replace(start, inputs=snapshot)
    world = world_at(start, snapshot, snapshot, 0.0)
    nobody, bodies = np.zeros(len(start), dtype=bool), np.zeros(len(world.bodies.crowd), dtype=bool)
    rows = np.flatnonzero(snapshot.crowd == 0)
    arrived = nobody if arrived is None else arrived
    return Meeting(world, before, snapshot.crowd, rows, arrived, start.motion.velocity, bodies)
