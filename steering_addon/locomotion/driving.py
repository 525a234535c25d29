"""Driving: what is remembered of each car, and a step that is not on the ground yet."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..simulation.arrays.vectors import Mask, Rows, Scalars
from ..simulation.memory import Memory, remembered
from .driver import Foot


@dataclass(frozen=True)
class Driving(Memory):
    """What is remembered of each car.

    Attributes:
        tangent: of the angle of the front wheels, positive to the left.
        acceleration: forward, m/s2: where the pedals are.
        braking, reacting: the driver's foot, as of `Foot`.
        brake: how far the brake is down, 0 to 1.
        spin: radians that the wheels have turned.
        wound: radians that it has turned with fully turned wheels.
        straight: metres for which it still goes straight on.
        pitch, roll, pitch_rate, roll_rate: of the springs, radians and radians a second.
        ground: the row of the triangle on which one of the wheels stands, -1 for none.
        front_left, front_right, rear_left, rear_right: the heights on which the wheels stand, metres.
    """

    tangent: Scalars = remembered(0.0)
    acceleration: Scalars = remembered(0.0)
    braking: Mask = remembered(False)
    reacting: Scalars = remembered(0.0)
    brake: Scalars = remembered(0.0)
    spin: Scalars = remembered(0.0)
    wound: Scalars = remembered(0.0)
    straight: Scalars = remembered(0.0)
    pitch: Scalars = remembered(0.0)
    roll: Scalars = remembered(0.0)
    pitch_rate: Scalars = remembered(0.0)
    roll_rate: Scalars = remembered(0.0)
    ground: Rows = remembered(-1)
    front_left: Scalars = remembered(0.0)
    front_right: Scalars = remembered(0.0)
    rear_left: Scalars = remembered(0.0)
    rear_right: Scalars = remembered(0.0)

    @property
    def heights(self) -> tuple[Scalars, ...]:
        """Those of the wheels in the order of WHEELS, (n,) each."""
        return self.front_left, self.front_right, self.rear_left, self.rear_right

    @property
    def height(self) -> Scalars:
        """(n,) metres, of the middle between the wheels."""
        return 0.25 * (self.front_left + self.front_right + self.rear_left + self.rear_right)

    @property
    def foot(self) -> Foot:
        return Foot(self.braking, self.reacting)

    def standing_on(self, heights: tuple[Scalars, ...]) -> Driving:
        """The same with the wheels at other heights."""
        front_left, front_right, rear_left, rear_right = heights
        return replace(self, front_left=front_left, front_right=front_right, rear_left=rear_left, rear_right=rear_right)


@dataclass(frozen=True)
class Way:
    """A step that is not on the ground yet.

    Attributes:
        driving: what is remembered after it.
        covered: (n,) metres over the ground.
        sideways: (n,) acceleration to the left, m/s2.
    """

    driving: Driving
    covered: Scalars
    sideways: Scalars
