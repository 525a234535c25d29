"""Swimming: a point mass in water, which leans by how fast it turns and pitches within a limit."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.angles import tangent_of_setting
from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import EPSILON, Number, Scalars, clamp
from ..simulation.arrays.vectors import Vectors, magnitude
from ..simulation.declaration import Unit, number, seconds
from ..simulation.handling import Handling
from ..simulation.locomotion import Control, Locomotion, Moved, Stance
from ..simulation.terrain import Terrain
from ..simulation.vehicle import Motion, VehicleModel
from .banking import Banking, Rolling, banked
from .headings import face
from .pitch import moved_within


@dataclass(frozen=True)
class Swimming(Locomotion):
    """Move in water, up and down within a steepest pitch, and lean into turns however small and slow the body.

    Water carries the body, so that gravity has no part in the lean:

        tan(lean) = bank (turn rate).
    """

    name = "swimming"
    label = "Swimming"
    stored_number = 2
    burst = 1.8
    remembers = Rolling
    suits = "Fish, sharks, whales and submarines"

    max_turn_rate: Number = number(
        np.pi, "Fastest turn; limits it at low speed only", Unit.TURN, 0.01, label="Max Turn"
    )
    max_pitch: Number = number(np.pi / 4.0, "Steepest heading up or down", Unit.ANGLE, 0.0, 1.55)
    bank: Number = seconds(0.25, "How far it leans into turns; 1 s leans it by 45° in a turn of 57° a second")
    max_bank: Number = number(np.pi / 6.0, "Steepest lean", Unit.ANGLE, 0.0, 1.55)
    bank_time: Number = seconds(0.3, "Time in which it rolls into a turn", 0.01)
    bank_smoothing: Number = seconds(
        0.2, "Time over which the acceleration that it leans by is smoothed", label="Smoothing"
    )
    max_bank_rate: Number = number(np.pi, "Fastest roll", Unit.TURN, 0.01, label="Max Roll")
    dart: Number = number(
        1.0, "Speed at which it darts from what is near, as a multiple of Max Speed", least=1.0, most=10.0
    )

    def handling(self) -> Handling:
        steepest = tangent_of_setting(self.max_pitch)
        return Handling(
            *(self.max_turn_rate, self.bank_smoothing), steepest_climb=steepest, steepest_dive=steepest, dart=self.dart
        )

    def moved(
        self, model: VehicleModel, motion: Motion, control: Control, terrain: Terrain, memory: Rolling, dt: float
    ) -> Moved:
        model = replace(model, max_speed=self._top_speed(model, motion, control, dt))
        after = moved_within(model, motion, control, self.max_turn_rate, self.max_pitch, self.max_pitch, dt)
        return Moved(
            *face(model, motion, control, after, self.max_turn_rate, dt, on_the_level=True), memory, up=control.up
        )

    def _top_speed(self, model: VehicleModel, motion: Motion, control: Control, dt: float) -> Scalars:
        """The top speeds, (n,) m/s: those of a dart for what hurries, from which it then slows down by its strength."""
        slower: Scalars = magnitude(motion.velocity) - model.max_force / model.mass * dt
        if control.hurries is not None:
            slower = np.where(control.hurries, np.inf, slower)
        return clamp(slower, model.max_speed, self.dart * model.max_speed)

    def stance(self, before: Motion, moved: Moved, acceleration: Vectors, terrain: Terrain, dt: float) -> Stance:
        banking = Banking(
            self.bank, self._pull(moved.velocity, acceleration), self.max_bank, self.bank_time, self.max_bank_rate
        )
        up, rate = banked(banking, moved.forward, before.up, moved.memory.rate, acceleration, dt, moved.up)
        return Stance.of(moved, up, Rolling(rate))

    def _pull(self, velocity: Vectors, acceleration: Vectors) -> Scalars:
        """The stand-in for gravity, (n,) m/s2: the acceleration of a turn of one radian a second. It is larger where a
        vehicle has nearly stopped, and the smoothed acceleration is that of a turn before."""
        speed = np.maximum(magnitude(velocity), EPSILON)
        before = self.bank_smoothing * magnitude(acceleration)
        return speed + before * before / speed
