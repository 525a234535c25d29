"""Flying: a point mass on wings, which climbs less steeply and more slowly than it dives, and may not hover."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.angles import sine, tangent_of_setting
from ..simulation.arrays.scalars import EPSILON, Number, clamp
from ..simulation.arrays.vectors import Vectors
from ..simulation.declaration import Unit, number, share
from ..simulation.handling import Handling
from ..simulation.locomotion import Control
from ..simulation.vehicle import Motion, VehicleModel
from .headings import face
from .pitch import kept_up, moved_within
from .simple_vehicle import SimpleVehicle


@dataclass(frozen=True)
class Flying(SimpleVehicle):
    """Fly on wings: bank into turns, climb less steeply and more slowly than dive, and stay above a least speed."""

    name = "flying"
    label = "Flying"
    stored_number = 3
    beats_wings = True
    suits = "Birds, bats, aeroplanes and gliders"

    max_climb: Number = number(np.pi / 6.0, "Steepest climb; 90° to loop", Unit.ANGLE, 0.0, np.pi / 2.0)
    max_dive: Number = number(np.pi / 3.0, "Steepest dive; 90° to loop", Unit.ANGLE, 0.0, np.pi / 2.0)
    climb_speed: Number = number(0.7, "Share of the top speed at which it climbs at its steepest", Unit.SHARE, 0.5, 1.0)
    least_speed: Number = share(
        0.0, "Share of the top speed below which it never flies, as most birds cannot hover; 0 to land and to hover"
    )

    def handling(self) -> Handling:
        return Handling(
            self.max_turn_rate,
            self.bank_smoothing,
            # One that may not hover cannot stop first.
            swings_round=self.least_speed > 0.0,
            stall_share=self.least_speed,
            steepest_climb=tangent_of_setting(self.max_climb),
            steepest_dive=tangent_of_setting(self.max_dive),
            climb_share=self.climb_speed,
        )

    def _flown(
        self, model: VehicleModel, motion: Motion, control: Control, dt: float
    ) -> tuple[Vectors, Vectors, Vectors]:
        steepness = clamp(motion.forward[:, 2] / np.maximum(sine(self.max_climb), EPSILON), 0.0, 1.0)
        fastest = model.max_speed * (1.0 - (1.0 - self.climb_speed) * steepness)
        if control.speed_limit is not None:
            fastest = np.minimum(fastest, control.speed_limit)
        slowed = Control(control.force, fastest)
        goes_on = self.least_speed > 0.0
        _, velocity, forward = moved_within(
            model, motion, slowed, self.max_turn_rate, self.max_climb, self.max_dive, dt, goes_on
        )
        velocity, forward = kept_up(model, motion, velocity, forward, self.least_speed * model.max_speed, dt)
        hovers = np.where(goes_on, 0.0, self.max_turn_rate)
        after = motion.position + velocity * dt, velocity, forward
        return face(model, motion, control, after, hovers, dt, on_the_level=True)
