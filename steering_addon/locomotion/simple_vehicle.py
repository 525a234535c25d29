"""Simple Vehicle: a point mass that flies where it pushes itself, and banks into its turns.

Source: Reynolds 1999, A Simple Vehicle Model.
"""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import Number
from ..simulation.arrays.vectors import Vectors
from ..simulation.declaration import Unit, called, number, seconds
from ..simulation.handling import Handling
from ..simulation.locomotion import Control, Locomotion, Moved, Stance
from ..simulation.terrain import Terrain
from ..simulation.vehicle import Motion, VehicleModel
from .banking import GRAVITY, Banking, banked
from .headings import face
from .perching import Perching, perched, pitched, shown, taking_off
from .point_mass import moved


@dataclass(frozen=True)
class SimpleVehicle(Locomotion):
    """Move freely in space and lean into turns, as an aircraft does."""

    name = "simple_vehicle"
    label = "Simple Vehicle"
    stored_number = 0
    burst = 1.8
    remembers = Perching
    suits = "Whatever moves freely: spaceships, drones, insects, leaves, magic"

    max_turn_rate: Number = called(
        "Max Turn", number(np.pi, "Fastest turn; limits it at low speed only", Unit.TURN, 0.01)
    )
    bank: Number = number(
        1.0, "How far it leans into turns: 1 as an aircraft in a coordinated turn, 0 not at all", shrinks=True
    )
    max_bank: Number = number(np.pi / 3.0, "Steepest lean", Unit.ANGLE, 0.0, 1.55)
    bank_time: Number = seconds(0.15, "Time in which it rolls into a turn", 0.01)
    bank_smoothing: Number = called(
        "Smoothing", seconds(0.1, "Time over which the acceleration that it leans by is smoothed")
    )
    max_bank_rate: Number = called("Max Roll", number(np.pi, "Fastest roll", Unit.TURN, 0.01))

    def handling(self) -> Handling:
        return Handling(self.max_turn_rate, self.bank_smoothing)

    def moved(
        self, model: VehicleModel, motion: Motion, control: Control, terrain: Terrain, memory: Perching, dt: float
    ) -> Moved:
        control = taking_off(model, control, memory)
        flown = Moved(*self._flown(model, motion, control, dt), memory, up=control.up)
        return perched(model, motion, control, flown, self.max_turn_rate, dt)

    def stance(self, before: Motion, moved: Moved, acceleration: Vectors, terrain: Terrain, dt: float) -> Stance:
        banking = Banking(self.bank, GRAVITY, self.max_bank, self.bank_time, self.max_bank_rate)
        memory, leaned_by = pitched(before, moved, acceleration, dt)
        up, rate = banked(banking, moved.forward, before.up, memory.rate, leaned_by, dt, moved.up)
        return shown(Stance.of(moved, up, replace(memory, rate=rate)))

    def _flown(
        self, model: VehicleModel, motion: Motion, control: Control, dt: float
    ) -> tuple[Vectors, Vectors, Vectors]:
        """Positions, velocities and headings after a step in the air, (n, 3) each."""
        after = moved(model, motion, control, self.max_turn_rate, dt)
        return face(model, motion, control, after, self.max_turn_rate, dt)
