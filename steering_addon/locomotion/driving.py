"""Driving: what is remembered of each car, a step that is not on the ground yet, and the driver's foot.

Whoever drives lifts the foot off the accelerator as soon as the allowed speed falls below its own, brakes for it a
reaction time later, and sets off a reaction time after it may. The time runs from when the brake lights ahead go on, if
these are the first to be seen. The allowed speed leaves room for that (Gipps 1981): in a reaction time the car is to
reach the speed that is allowed now.
"""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import EPSILON, Mask, Rows, Scalars
from ..simulation.arrays.vectors import Vectors
from ..simulation.declaration import Choice
from ..simulation.locomotion import Output
from ..simulation.maneuvers.braking import COASTS, COMFORT
from ..simulation.memory import Memory, remembered

EASES = 0.3
"""Metres a second above its own speed that have to be allowed before a driver lets go of the brake."""
STILL = 0.1
"""Metres a second below which a driver who may not go on holds the car."""
HELD = 0.3
"""How far the brake of a car that is held is down."""
FULL_LOCK = 0.95
"""The share of the largest curvature from which on the wheels count as fully turned."""

EDGES = (
    Choice("GO_ON", 0, "Go On", "Drive on at its height; it is named after the bake"),
    Choice("STOP", 1, "Stop", "Brake and stand before the edge"),
)
"""The choices of a driver at the edge of a surface, with the numbers stored in files."""
GO_ON, STOP = (c.number for c in EDGES)
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
class PedalFoot:
    """Where the feet of n drivers are. `braking`: (n,) whether each is on the brake for what is ahead; `reacting`: (n,)
    seconds for which something has called for the other pedal, or warned of it."""

    braking: Mask
    reacting: Scalars

    def moved(
        self,
        wanted: Scalars,
        speed: Scalars,
        allowed: Scalars,
        warned: Mask,
        strongest: Scalars,
        pedal_time: Scalars,
        reaction_time: Scalars,
        dt: float,
    ) -> "tuple[Scalars, PedalFoot]":
        """The forward acceleration, (n,) m/s2, and the feet after a step.

        Args:
            wanted: (n,) the acceleration wanted on a free road, m/s2.
            speed, allowed: (n,) m/s; `allowed` is inf on a free road.
            warned: (n,) who sees another brake ahead.
            strongest: (n,) the strongest braking, m/s2.
        """
        pedals = np.maximum(pedal_time, dt)
        excess = speed - allowed
        # As gently as reaches the allowed speed in time: what is left over of a moment's reaction is not an emergency.
        gently = np.minimum(np.maximum(excess, 0.0) / pedals, COMFORT * strongest)
        needed = np.maximum(gently, excess / np.maximum(reaction_time, pedals))
        waits = (speed < STILL) & (allowed < STILL)
        calls = (needed > COASTS * strongest) | waits
        over = allowed > speed + EASES
        reacting = np.where(np.where(self.braking, over, calls | warned), self.reacting + dt, 0.0)
        changes = (reacting > reaction_time) & (self.braking | calls)
        braking = self.braking ^ changes
        reacting = np.where(changes, 0.0, reacting)
        eased = np.minimum(wanted, np.where(excess > 0.0, -np.minimum(gently, COASTS * strongest), -excess / pedals))
        braked = np.minimum(wanted, np.where(excess > 0.0, -needed, 0.0))
        braked = np.where(waits, -speed / dt, braked)
        return np.where(braking, braked, eased), PedalFoot(braking, reacting)

    def pressed(self, acceleration: Scalars, strongest: Scalars, full: Scalars, speed: Scalars) -> Scalars:
        """How far each brake is down, (n,) 0 to 1: what slows the car more than the engine does, and what holds it.
        `acceleration`: (n,) forward, m/s2; `strongest`, `full`: (n,) the strongest braking, and that at which the brake
        counts as fully down, m/s2."""
        braked = np.minimum(-acceleration / np.maximum(full, EPSILON), 1.0)
        slows = np.where(-acceleration > COASTS * strongest * (1.0 + EPSILON), braked, 0.0)
        return np.where(self.braking & (speed < STILL), np.maximum(slows, HELD), slows)


@dataclass(frozen=True)
class Driving(Memory):
    """The memory of each car.

    Attributes:
        tangent: of the angle of the front wheels, positive to the left.
        acceleration: forward, m/s2: where the pedals are.
        braking, reacting: the driver's foot, as of `PedalFoot`.
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
    def foot(self) -> PedalFoot:
        return PedalFoot(self.braking, self.reacting)

    @property
    def sense(self) -> Scalars:
        """(n,) 1 forward, -1 in reverse."""
        return np.where(self.backs, -1.0, 1.0)

    @property
    def is_shifting(self) -> Mask:
        """(n,) who is in reverse or about to be."""
        return self.backs | (self.stuck > 0.0) | (self.straight > 0.0)


@dataclass(frozen=True)
class CarStep:
    """A step that is not on the ground yet.

    Attributes:
        driving: what is remembered after it.
        covered: (n,) metres over the ground, negative in reverse.
        sideways: (n,) acceleration to the left, m/s2.
        start, facing: (n, 3) where it began, metres, and which way the car faced, where what it stands on has taken it.
        held: (n,) who stands and wants to go, but has no way ahead.
    """

    driving: Driving
    covered: Scalars
    sideways: Scalars
    start: Vectors
    facing: Vectors
    held: Mask
