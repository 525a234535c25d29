"""What a locomotion is: how a body turns control signals into motion (Reynolds 1999, Locomotion).

Steering decides on a force; a locomotion says what becomes of it. The kinds there are stand in the folder `locomotion`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from .arrays.vectors import Scalars, Vectors
from .vehicle import Lean, Motion, VehicleModel


class Locomotion(ABC):
    """The three stages of a step for which the body is responsible."""

    @abstractmethod
    def applied(self, model: VehicleModel, before: Vectors, wanted: Vectors, dt: float) -> Vectors:
        """The force that acts, (n, 3) newtons.

        Args:
            before: (n, 3) the force that acted in the previous step.
            wanted: (n, 3) the force decided on.
            dt: seconds.
        """

    @abstractmethod
    def moved(
        self, model: VehicleModel, motion: Motion, force: Vectors, dt: float, speed_limit: Scalars | None
    ) -> tuple[Vectors, Vectors, Vectors]:
        """The next positions, velocities and headings, (n, 3) each.

        Args:
            force: (n, 3) newtons.
            speed_limit: (n,) m/s down to which they brake, as hard as they can; None for no limit.
        """

    @abstractmethod
    def oriented(
        self, model: VehicleModel, forward: Vectors, up: Vectors, lean: Lean, acceleration: Vectors, dt: float
    ) -> tuple[Vectors, Lean]:
        """The next up axes, (n, 3), and how the vehicles lean then.

        Args:
            forward: (n, 3) the new headings.
            up: (n, 3) the up axes before the step.
            acceleration: (n, 3) what the step applied, m/s2.
        """
