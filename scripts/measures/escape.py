"""An escape: a falcon stoops through a flock, a shark swims through a school, a fox walks through a herd.

A case is a preset, startle or evade (the state, or Run From Chaser), the speed of what comes in m/s, how many animals
there are, and a seed. Burst is the top speed as a multiple of cruise speed. Near counts the animals on each frame up to
3 m ahead of what comes, or three bodies for fish. Of the beginnings, told by the motion, first to last is in frames,
wave how fast they run through the group, in m/s, and by distance how well they follow the distance from what comes. Off
is the time in which nearly all run away at 3 m/s. Together is the largest group 10 s later, as a share: those linked by
gaps of up to three times the usual one. Wider is how far a herd is spread then, as a multiple of before it began.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from scripts.motion_metrics import group_sizes, nearest_distances
from scripts.preset_crowds import FPS, columns, crowd, shipped
from scripts.preset_states import ready_state
from steering_addon.behaviors.evasion import Evasion
from steering_addon.behaviors.flee import Flee
from steering_addon.minds.conditions import Nearby
from steering_addon.scene import Scene, leaders, positions, trigger, with_states
from steering_addon.settings.fitting import BodiesToFit, fitted, fitted_length
from steering_addon.simulation.snapshot import Snapshot

IN_BLENDER = False
CASES = (
    *("starling startle 20 300 1", "starling startle 12 300 2", "starling startle 30 150 3"),
    *("starling evade 20 300 1", "fish startle 3 300 1", "fish evade 5 300 2"),
    *("herd startle 3 60 1", "herd startle 3 60 2", "herd startle 6 40 3"),
)
ROUNDING = 1e-4
"""Of a speed that is measured by places, m/s."""
BANDS = {
    "burst": (1.2, 1.8 + ROUNDING),
    "speed": (2.0, 18.0 + ROUNDING),
    "near": (0, 0),
    "startled": (0.95, 1.0),
    "first to last": (12, 72),
    "wave": (8.0, 28.0),
    "by distance": (0.6, 1.0),
    "off": (0.0, 0.6),
    "together": (0.97, 1.0),
    "wider": (0.0, 1.5),
}
ROOM = {"starling": 60.0, "fish": 8.0, "herd": 120.0}
"""Radius of the region, metres: nobody comes to its border."""
AHEAD = {"starling": 3.0, "fish": 0.9, "herd": 0.0}
BEGINS = {"starling": 9.0, "fish": 2.0, "herd": 2.0}
"""The acceleration by which an animal is seen to begin, m/s2."""
HIT, AFTER = 100, 10
"""The frame on which what comes is where the middle of the group would be, and seconds after it."""
OFF = 3.0
"""m/s."""


def figures(case: str, folder: Path) -> dict[str, float]:
    name, way, *numbers = case.split()
    speed, count, seed = float(numbers[0]), int(numbers[1]), int(numbers[2])
    free, place, menace = escape(name, way, speed, count, seed)
    np.savez(folder / f"escape {case}.npz", free=free, place=place, menace=menace)
    return judged(name, way, free, place, menace)


def escape(name: str, way: str, speed: float, count: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The places of the group without and with what comes, (f, n, 3) each, and of what comes, (f, 3); metres."""
    preset = shipped(name)
    group = crowd(preset, count, seed, ROOM[name])
    frames = HIT + AFTER * int(FPS)
    far = replace(group, tracked=leaders([0.0, 0.0, -1e4]))
    free = positions(far.run(frames))
    menace = _course(free, speed, flat=preset.moves.grounded)
    bodies = BodiesToFit(preset.body_length / 2.0, *(preset.vehicle[n] for n in ("max_speed", "max_force", "mass")))
    if way == "evade":
        behaviors = [*group.behaviors, (Evasion, columns(Evasion, fitted(Evasion, bodies, preset.combining, {})))]
        run = replace(far, behaviors=behaviors).run(frames, at=_coming(menace))
    else:
        run = far.run(frames, at=_startling(far, bodies, menace))
    return free, positions(run), menace


def _course(free: np.ndarray, speed: float, *, flat: bool) -> np.ndarray:
    """Where what comes is on each frame: straight through the middle, from the side and from above."""
    middle = np.median(free[HIT], axis=0)
    way = np.median(free[HIT + 12], axis=0) - middle
    course = np.cross(way, (0.0, 0.0, 1.0)) - (0.0, 0.0, 0.0 if flat else 0.5 * np.linalg.norm(way))
    return middle + course / np.linalg.norm(course) * speed * (np.arange(len(free)) - HIT)[:, None] / FPS


def _coming(menace: np.ndarray) -> Callable[[int, Snapshot], Snapshot]:
    def at(frame: int, snapshot: Snapshot) -> Snapshot:
        return replace(snapshot, tracked=replace(snapshot.tracked, position=menace[frame][None]))

    return at


def _startling(scene: Scene, bodies: BodiesToFit, menace: np.ndarray) -> Callable[[int, Snapshot], Snapshot]:
    kinds = {kind.name: values for kind, values in scene.behaviors}
    states = [ready_state(name, scene, kinds["cohesion"]["distance"]) for name in ("startle", "regroup")]
    faster = states[0].vehicle
    in_state = replace(bodies, max_speed=faster["max_speed"], max_force=faster["max_force"])
    distance = fitted_length(Nearby.parameters()["distance"], in_state)
    warning = fitted(Flee, in_state, "ALLOCATION", {})["reaction_time"]
    # States are in the order of their names: Startle is the second.
    near = trigger(2, Nearby, bodies=np.array([len(scene)]), distance=distance, warning_time=warning)
    coming = _coming(menace)
    return lambda frame, snapshot: with_states(coming(frame, snapshot), states, [near])


def judged(name: str, way: str, free: np.ndarray, place: np.ndarray, menace: np.ndarray) -> dict[str, float]:
    cruise = shipped(name).vehicle["max_speed"] * shipped(name).vehicle["cruise_speed"]
    velocity = np.diff(place, axis=0) * FPS
    # Until the first one begins, nothing differs from the run without what comes.
    differs = np.linalg.norm(np.diff(velocity - np.diff(free, axis=0) * FPS, axis=0), axis=-1) * FPS > BEGINS[name]
    startled, begins = differs.any(axis=0), differs.argmax(axis=0)
    begun = begins[startled]
    gap = np.linalg.norm(place[begun.min()] - menace[begun.min()], axis=1)[startled]
    late = np.cov(begun / FPS, gap)
    offset = place - menace[:, None]
    distance = np.linalg.norm(offset, axis=-1)
    ahead = offset @ (menace[1] - menace[0]) > 0.0
    away = (velocity * offset[:-1]).sum(axis=-1) / distance[:-1] > OFF
    off = [np.append(np.flatnonzero(away[start:, row]), np.inf)[0] for row, start in enumerate(begins)]
    found = {
        "burst": np.linalg.norm(velocity, axis=-1).max() / cruise,
        "speed": np.linalg.norm(velocity, axis=-1).max(),
        "near": (ahead & (distance < AHEAD[name])).sum(),
        "startled": startled.mean(),
        "first to last": np.ptp(begun),
        "wave": late[1, 1] / late[0, 1],
        "by distance": late[0, 1] / np.sqrt(late[0, 0] * late[1, 1]),
        "off": np.percentile(off, 95) / FPS,
        "together": group_sizes(place[-1], 3.0 * np.median(nearest_distances(place[-1:]))).max() / len(place[-1]),
        "wider": spread(place[-1]) / spread(place[begun.min()]),
    }
    left_out = {
        "starling": {"off", "wider"},
        "fish": {"off", "burst", "wider"},
        "herd": {"burst", "near", "wave", "together"},
    }[name]
    return {figure: value for figure, value in found.items() if figure not in left_out}


def spread(place: np.ndarray) -> float:
    """The median distance of places (n, 3) from their middle, metres."""
    return float(np.median(np.linalg.norm(place - np.median(place, axis=0), axis=1)))
