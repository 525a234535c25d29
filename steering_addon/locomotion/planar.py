"""Planar: a point mass that stays at its height, upright."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import Number
from ..simulation.arrays.vectors import Vectors
from ..simulation.declaration import Unit, number
from ..simulation.ground import upright
from ..simulation.handling import Handling
from ..simulation.locomotion import Control, Locomotion, Moved, Stance
from ..simulation.terrain import Terrain
from ..simulation.vehicle import Motion, VehicleModel
from .headings import face
from .point_mass import moved


@dataclass(frozen=True)
class Planar(Locomotion):
    """Stay at the height of the start, upright, as walkers and cars do on level ground."""

    name = "planar"
    label = "Planar"
    stored_number = 1
    grounded = True
    suits = "Walkers, animals and cars on level ground"

    max_turn_rate: Number = number(
        np.pi, "Fastest turn; limits it at low speed only", Unit.TURN, 0.01, label="Max Turn"
    )

    def handling(self) -> Handling:
        return Handling(self.max_turn_rate)

    def moved(
        self, model: VehicleModel, motion: Motion, control: Control, terrain: Terrain, memory: None, dt: float
    ) -> Moved:
        after = moved(model, motion, control, self.max_turn_rate, dt, flat=True)
        return Moved(*face(model, motion, control, after, self.max_turn_rate, dt, on_the_level=True))

    def stance(self, before: Motion, moved: Moved, acceleration: Vectors, terrain: Terrain, dt: float) -> Stance:
        return Stance.of(moved, upright(len(moved.forward)))
