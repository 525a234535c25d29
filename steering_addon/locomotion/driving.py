"""Driving: what is remembered of each car, and a step that is not on the ground yet."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.vectors import Mask, Rows, Scalars, Vectors
from ..simulation.locomotion import Output
from ..simulation.memory import Memory, remembered
from .driver import Foot

CORNERS = ("front left", "front right", "rear left", "rear right")
"""The wheels, in the order of `chassis.WHEELS`."""
TRAVELS = tuple(f"steering_travel_{corner.replace(' ', '_')}" for corner in CORNERS)
ANGLE, SPIN = "steering_wheel_angle", "steering_wheel_spin"
OUTPUTS = (
    Output(ANGLE, "Angle of the front wheels, radians, positive to the left"),
    Output(SPIN, "How far the wheels have turned since the first frame, radians"),
    *(
        Output(travel, f"Metres that the {corner} wheel stands above the plane of the body")
        for travel, corner in zip(TRAVELS, CORNERS)
    ),
    Output("steering_accelerator", "Accelerator, 0 to 1"),
    Output("steering_brake", "Brake, 0 to 1"),
    Output("steering_forward_acceleration", "Forward acceleration, m/s2"),
    Output("steering_sideways_acceleration", "Acceleration to the left, m/s2"),
    Output("steering_pitch", "Lean of the body on its springs, radians, positive with the nose up"),
    Output("steering_roll", "Lean of the body on its springs, radians, positive to the right"),
)


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
        backs: whether it is in reverse.
        stuck: seconds for which it has stood to change between forward and reverse.
        backed: metres that it has backed out.
        side: to which it turns off where it had no room, 1 left, -1 right, 0 for neither.
        leaving: metres for which it still turns off.
        heights: (n, 4) on which the wheels stand, metres, in the order of `chassis.WHEELS`.
        triangles: (n, 4) the rows of those under the wheels, -1 for none.
        ride, ride_rate: of the body on its springs, as of `chassis.ridden`.
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
    backs: Mask = remembered(False)
    stuck: Scalars = remembered(0.0)
    backed: Scalars = remembered(0.0)
    side: Scalars = remembered(0.0)
    leaving: Scalars = remembered(0.0)
    heights: Scalars = remembered((0.0,) * 4)
    triangles: Rows = remembered((-1,) * 4)
    ride: Vectors = remembered((0.0, 0.0, 0.0))
    ride_rate: Vectors = remembered((0.0, 0.0, 0.0))

    @property
    def ground(self) -> Rows:
        """(n,) the row of the triangle under the first of the wheels that has one, -1 for none."""
        first, *others = self.triangles.T
        for triangle in others:
            first = np.where(first >= 0, first, triangle)
        return first

    @property
    def height(self) -> Scalars:
        """(n,) metres, of the middle between the wheels."""
        front_left, front_right, rear_left, rear_right = self.heights.T
        return 0.25 * (front_left + front_right + rear_left + rear_right)

    @property
    def foot(self) -> Foot:
        return Foot(self.braking, self.reacting)

    @property
    def sense(self) -> Scalars:
        """(n,) 1 forward, -1 in reverse."""
        return np.where(self.backs, -1.0, 1.0)

    @property
    def is_shifting(self) -> Mask:
        """(n,) who is in reverse or about to be."""
        mask: Mask = self.backs | (self.stuck > 0.0) | (self.straight > 0.0)
        return mask


@dataclass(frozen=True)
class Way:
    """A step that is not on the ground yet.

    Attributes:
        driving: what is remembered after it.
        covered: (n,) metres over the ground, negative in reverse.
        sideways: (n,) acceleration to the left, m/s2.
        start, facing: (n, 3) where it began, metres, and which way the car faced, where what it stands on has taken it.
    """

    driving: Driving
    covered: Scalars
    sideways: Scalars
    start: Vectors
    facing: Vectors
