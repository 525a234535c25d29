"""Simulated pairs of crowds with shipped presets, of which one hunts the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from steering_addon.behaviors import CATALOGUE
from steering_addon.settings.preset import Preset
from steering_addon.simulation.arrays.chance import keys_of
from steering_addon.simulation.candidates import FIRST, NEAREST_ONE, Candidates
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.geometry.regions import SPHERE, regions
from steering_addon.simulation.vehicle import VehicleModel
from tests.presets.preset_crowds import FPS, START_SPEED, columns, crowd
from tests.scene import Crowd, Scene, in_crowds, positions, speeds

KINDS = {kind.name: kind for kind in CATALOGUE}


@dataclass(frozen=True)
class Hunt:
    """The motion of prey and of one predator.

    Attributes:
        prey: (f, n, 3) positions, metres.
        predator: (f, 3).
        speed: (f, n) of the prey, m/s.
        chasing: (f,) the speed of the predator, m/s.
        touching: metres between the middles of bodies that touch.
    """

    prey: np.ndarray
    predator: np.ndarray
    speed: np.ndarray
    chasing: np.ndarray
    touching: float

    @property
    def gap(self) -> np.ndarray:
        """(f, n) metres from the predator to each of the prey."""
        return np.linalg.norm(self.prey - self.predator[:, None], axis=-1)

    @property
    def spread(self) -> np.ndarray:
        """(f,) root mean square distance of the prey from their middle, metres."""
        offset = self.prey - self.prey.mean(axis=1, keepdims=True)
        return np.sqrt((offset**2).sum(axis=-1).mean(axis=1))


def _instances(preset: Preset, added: Mapping[str, Mapping[str, Any]], m: int) -> tuple:
    values = {**{name: columns(KINDS[name], given) for name, given in preset.behaviors.items()}, **added}
    return tuple(kind.of(m, **values[kind.name]) for kind in CATALOGUE if kind.name in values)


def hunt(
    prey: Preset,
    predator: Preset,
    flees: Mapping[str, Any],
    chases: Mapping[str, Any],
    n: int,
    within: float,
    frames: int,
    seed: int = 1,
    start: float = 1.0,
    calm: int = 0,
) -> Hunt:
    """A predator that chases the nearest of n prey that stay in a spherical region and run from it.

    Args:
        flees, chases: the values of Evasion and of Pursuit.
        within: radius of the region of the prey, metres.
        start: distance of the predator from the middle at the start, in radii of the region.
        calm: frame at which the predator becomes absent.
    """
    herd = crowd(prey, n, seed, within)
    both = np.append(np.arange(n), n)
    at = np.vstack((herd.position, [[-start * within, 0.0, 0.0]]))
    models = [{**columns(VehicleModel, p.vehicle), "radius": p.body_length / 2.0} for p in (prey, predator)]
    vehicle = {name: np.where(both < n, models[0][name], models[1][name]) for name in models[0]}
    scene = Scene(
        at,
        forward=np.vstack((herd.forward, [[0.0, 1.0, 0.0]])),
        speed=START_SPEED * vehicle["max_speed"],
        vehicle=vehicle,
        regions=regions([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]], [[within] * 3, [4.0 * within] * 3], SPHERE),
        fps=FPS,
        seed=seed,
    )
    scene.candidates = (Candidates(np.arange(n), keys_of(0, np.arange(n)), NEAREST_ONE),)
    row = {"containment": {**columns(KINDS["containment"], predator.behaviors["containment"]), "region": 1}}
    home = {"containment": {**columns(KINDS["containment"], prey.behaviors["containment"]), "region": 0}}
    ways = [next(c.number for c in COMBININGS if c.name == p.combining) for p in (prey, predator)]
    crowds = [
        Crowd(np.arange(n), _instances(prey, {**home, "evasion": {**flees, "pursuer": n}}, n), ways[0], 5),
        Crowd(np.array([n]), _instances(predator, {**row, "pursuit": {**chases, "quarry": FIRST}}, 1), ways[1], 6),
    ]

    def at_frame(frame: int, snapshot: Any) -> Any:
        snapshot = in_crowds(snapshot, crowds)
        if calm and frame >= calm:
            return replace(snapshot, present=both < n)
        return snapshot

    states = scene.run(frames, at=at_frame)
    place, speed = positions(states), speeds(states)
    return Hunt(place[:, :n], place[:, n], speed[:, :n], speed[:, n], 0.5 * (prey.body_length + predator.body_length))
