"""Simulated pairs of crowds with shipped presets, of which one hunts the other, with behaviors as Add Behavior fits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from scripts.preset_crowds import FPS, START_SPEED, columns, crowd, locomotions
from steering_addon.behaviors import CATALOGUE
from steering_addon.behaviors.evasion import Evasion
from steering_addon.behaviors.pursuit import Pursuit
from steering_addon.scene import SPHERE, regions
from steering_addon.settings.fitting import BodiesToFit, fitted
from steering_addon.settings.preset import Preset
from steering_addon.simulation.arrays.chance import keys_of
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.candidates import FIRST, NEAREST_ONE, Candidates
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.vehicle import VehicleModel
from tests.scene import Crowd, Scene, in_crowds, positions

KINDS = {kind.name: kind for kind in CATALOGUE}
ROOM_OF_PREDATOR = 4.0
"""Radius of the predator's region as a multiple of that of the prey."""


@dataclass(frozen=True)
class Hunt:
    """The motion of n prey and of one predator.

    Attributes:
        prey: (f, n, 3) positions, metres.
        predator: (f, 3).
        size: metres from the middle of the predator to its surface.
    """

    prey: np.ndarray
    predator: np.ndarray
    size: float

    @property
    def gap(self) -> np.ndarray:
        """(f, n) metres from the middle of the predator to each of the prey."""
        return np.linalg.norm(self.prey - self.predator[:, None], axis=-1)

    @property
    def nearest(self) -> np.ndarray:
        """(f,) metres from the surface of the predator to the nearest prey."""
        return self.gap.min(axis=1) - self.size


def added(behavior: type[Behavior], preset: Preset) -> dict[str, Any]:
    """The values of a behavior that is added to a crowd with a preset."""
    model = {name: preset.vehicle.get(name, VehicleModel.parameters()[name].default) for name in MODEL}
    beside = {KINDS[name]: given for name, given in preset.behaviors.items()}
    bodies = BodiesToFit(radius=preset.body_length / 2.0, **model)
    return columns(behavior, fitted(behavior, bodies, preset.combining, beside))


MODEL = ("max_speed", "max_force", "mass")


def hunt(prey: Preset, predator: Preset, *, n: int, room: float, frames: int, apart: float, flees: bool) -> Hunt:
    """A predator that chases the nearest of n prey, which stay in a spherical region and run from it.

    Args:
        room: radius of the region of the prey, metres.
        apart: metres from the predator to the group at the start.
        flees: whether the prey run.
    """
    group = crowd(prey, n, 1, room)
    is_prey = np.arange(n + 1) < n
    start = np.linalg.norm(group.position, axis=1).max() + apart
    models = [{**columns(VehicleModel, p.vehicle), "radius": p.body_length / 2.0} for p in (prey, predator)]
    vehicle = {name: np.where(is_prey, models[0][name], models[1][name]) for name in models[0]}
    scene = Scene(
        np.vstack((group.position, [[-start, 0.0, 0.0]])),
        forward=np.vstack((group.forward, [[1.0, 0.0, 0.0]])),
        speed=START_SPEED * vehicle["max_speed"],
        vehicle=vehicle,
        locomotions=[*locomotions(prey), *locomotions(predator)],
        locomotion_row=~is_prey * 1,
        regions=regions([[0.0, 0.0, 0.0]] * 2, np.outer([room, ROOM_OF_PREDATOR * room], np.ones(3)), SPHERE),
        candidates=(Candidates(np.arange(n), keys_of(0, np.arange(n)), NEAREST_ONE),),
        fps=FPS,
        seed=1,
    )
    flight = {Evasion: {**added(Evasion, prey), "pursuer": n, "weight": float(flees)}}
    chase = {Pursuit: {**added(Pursuit, predator), "quarry": FIRST}}
    crowds = [
        _crowd(np.flatnonzero(is_prey), prey, 0, flight, 5),
        _crowd(np.flatnonzero(~is_prey), predator, 1, chase, 6),
    ]

    place = positions(scene.run(frames, at=lambda frame, snapshot: in_crowds(snapshot, crowds)))
    return Hunt(place[:, :n], place[:, n], 0.5 * predator.body_length)


def _crowd(
    rows: np.ndarray, preset: Preset, region: int, more: Mapping[type[Behavior], Mapping[str, Any]], key: int
) -> Crowd:
    """The crowd of a preset in a region, with more behaviors."""
    values = {KINDS[name]: columns(KINDS[name], given) for name, given in preset.behaviors.items()}
    for kind, given in values.items():
        if "region" in kind.parameters():
            given["region"] = region
    values |= more
    way = next(choice.number for choice in COMBININGS if choice.name == preset.combining)
    return Crowd(rows, tuple(kind.of(len(rows), **values[kind]) for kind in CATALOGUE if kind in values), way, key)
