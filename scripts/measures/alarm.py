"""An alarm: 300 grazing sheep, and a dog that comes near on frame 60 and goes away again.

The sheep are on foot as in their preset, the states the ready ones, Startle and Regroup. Sudden is the largest share
that begins on one frame, by distance how well the beginning follows the distance from the dog, calm and off the seconds
until the median calms down and until nearly all run; wider how far the herd is spread at the end, as a share of before.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from scripts.preset_states import ready_state
from steering_addon.behaviors.cohesion import Cohesion
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import OnFoot
from steering_addon.minds.conditions import Nearby
from steering_addon.scene import Scene, leaders, trigger, with_states
from steering_addon.simulation.snapshot import Snapshot, State

IN_BLENDER = False
CASES = ("1", "2", "3")
BANDS = {
    "startled": (0.95, 1.0),
    "within 3 s": (0.85, 1.0),
    "sudden": (0.0, 0.08),
    "by distance": (0.9, 1.0),
    "calm, s": (5.0, 15.0),
    "off, s": (0.0, 2.0),
    "twice": (0, 5),
    "wider": (0.2, 0.8),
}

FPS, COUNT, FIELD, APART = 24, 300, 22.0, 1.3
COMES, GOES = 60, 110
"""Frames on which the dog has arrived, and on which it turns."""
FAR, CLOSE, SIGHT = 60.0, 24.0, 9.0
OFF = 2.0
"""The speed away from the dog at which a sheep is off, m/s."""
SHEEP = {"max_turn_rate": 1.0472, "turn_radius": 1.2, "turn_on_the_spot": 0.0}
"""As in the preset of sheep."""
GRAZING = {"max_speed": 1.6, "cruise_speed": 0.3, "max_force": 2.4, "radius": 0.4}
BESIDE = (Separation, {"distance": 1.5})
STARTLE = 2
"""The number of the state among those of the herd, in the order of their names."""
REACH = 6.0
"""Metres within which sheep carry others along."""


def herd(seed: int) -> Scene:
    """Sheep on a round field, at random and in all directions."""
    chance = np.random.default_rng(seed)
    places: list[np.ndarray] = []
    while len(places) < COUNT:
        place = chance.uniform(-FIELD, FIELD, 2)
        if np.hypot(*place) < FIELD and all(np.hypot(*(place - other)) > APART for other in places):
            places.append(place)
    turns = chance.uniform(0.0, 2.0 * np.pi, COUNT)
    return Scene(
        np.column_stack((places, np.zeros(COUNT))),
        forward=np.column_stack((np.cos(turns), np.sin(turns), np.zeros(COUNT))),
        speed=0.3,
        behaviors=[(Wander, {"strength": 0.3, "vertical": 0.0}), BESIDE],
        vehicle=GRAZING,
        locomotions=[(OnFoot, SHEEP)],
        tracked=leaders([0.0, -FAR, 0.0]),
    )


def alarmed(frame: int, snapshot: Snapshot) -> Snapshot:
    """The input on a frame, with the dog where it is then and the states of the herd."""
    gathers = Cohesion, {"distance": 30.0, "weight": 0.25}
    states = [
        ready_state(name, GRAZING, (OnFoot, SHEEP), behaviors, REACH)
        for name, behaviors in (("startle", [BESIDE]), ("regroup", [BESIDE, gathers]))
    ]
    way = np.interp(frame, [COMES - 12, COMES, GOES, GOES + 12], [FAR, CLOSE, CLOSE, FAR])
    tracked = replace(snapshot.tracked, position=np.array([[0.0, -way, 0.0]]))
    dog = trigger(STARTLE, Nearby, bodies=np.array([COUNT]), distance=SIGHT)
    return with_states(replace(snapshot, tracked=tracked), states, [dog])


def figures(case: str, folder: Path) -> dict[str, float]:
    scene = herd(int(case))
    states = scene.run(30 * FPS, at=alarmed)
    runs = np.array([np.zeros(COUNT, bool) if s.mindset is None else s.mindset.mode == STARTLE for s in states])
    begins, startled = runs.argmax(axis=0), runs.any(axis=0)
    since = begins[startled] - begins[startled].min(initial=len(runs))
    gap = np.linalg.norm(scene.position[:, :2] - [0.0, -CLOSE], axis=1)[startled]
    off = [_seconds_until_off(states, row, begins[row]) for row in np.flatnonzero(startled)]
    return {
        "startled": startled.mean(),
        "within 3 s": (since <= 3 * FPS).mean(),
        "sudden": np.bincount(since).max() / COUNT,
        "by distance": np.corrcoef(gap, begins[startled])[0, 1],
        "calm, s": np.median([np.flatnonzero(column)[-1] / FPS for column in runs.T[startled]]),
        "off, s": np.percentile(off, 95),
        "twice": ((np.diff(runs.astype(int), axis=0) > 0).sum(axis=0) > 1).sum(),
        "wider": _spread(states[-1]) / _spread(states[COMES]),
    }


def _seconds_until_off(states: Sequence[State], row: int, frame: int) -> float:
    """The time from which a sheep is startled until it runs from the dog at 2 m/s; inf if it does not."""
    for later, state in enumerate(states[frame:]):
        out = state.motion.position[row, :2] - [0.0, -CLOSE]
        if state.motion.velocity[row, :2] @ out > OFF * np.linalg.norm(out):
            return later / FPS
    return np.inf


def _spread(state: State) -> float:
    place = state.motion.position
    return float(np.median(np.linalg.norm(place - place.mean(axis=0), axis=1)))
