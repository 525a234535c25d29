"""Vehicles: their declared parameters, and their motion.

Source: Reynolds 1999, A Simple Vehicle Model. The folder `locomotion` holds what turns steering into motion.
"""

from dataclasses import dataclass

import numpy as np

from .arrays.frozen import Columns
from .arrays.once import once
from .arrays.scalars import Mask, Number, Scalars, anybody, everybody
from .arrays.vectors import Vectors, cross, dot, magnitude, unit
from .declaration import Declared, Unit, length, number, seconds, share, switch
from .geometry.capsules import half_axis

ASTRIDE = 0.5
"""Least length of the part of the up axis across the new heading for which that axis is kept."""
STROLLS = 3.0
"""Radii a second at which one walks that is to stand: a person at 1 m/s."""


@dataclass(frozen=True)
class VehicleModel(Declared):
    """The bodies of the vehicles of a crowd: their mass, size, strength and speed.

    Every parameter is an (n,) column.
    """

    mass: Number = number(
        1.0, "Weight: a heavier vehicle needs more force for the same turn, and is pushed apart less", Unit.MASS, 1e-6
    )
    radius: Number = length(
        0.5,
        "Size of the body as a sphere, or half its width, with which it keeps clear of obstacles and other vehicles",
    )
    length: Number = number(
        0.0,
        "Length of the body from front to back, rounded at both ends; up to twice the radius it is a sphere",
        Unit.LENGTH,
    )
    max_force: Number = number(10.0, "Strongest force it can apply to itself, to speed up, brake or turn", Unit.FORCE)
    max_speed: Number = number(5.0, "Top speed", Unit.SPEED)
    cruise_speed: Number = share(
        0.8, "Share of the top speed that it holds softly while no behavior sets another speed"
    )
    response_time: Number = seconds(
        0.3,
        "Time in which it reaches the desired velocity; a longer one makes it move more lazily",
        0.01,
        label="Response",
    )
    damping: Number = seconds(
        0.0, "Time over which changes of the steering force are smoothed; 0 applies each immediately"
    )
    speed_time: Number = seconds(1.0, "Time in which it returns to cruise speed", 0.01)
    pace_drift: Number = share(
        0.0, "How much the cruise speed of each vehicle drifts, as no one keeps one pace; 0.15 suits people"
    )
    pace_time: Number = seconds(6.0, "Time in which the pace of a vehicle drifts to another one", 0.1)
    keep_apart: Mask = switch(
        False, "Push vehicles that overlap apart and out of obstacles, whatever their behaviors do", label="Push Apart"
    )

    @once
    def pace(self) -> Scalars:
        """(n,) the speed at which it walks, m/s: at which it cruises, or by its size if it is to stand. Without a pace,
        one that is to stand would creep as its speed fades."""
        pace = self.cruise_speed * self.max_speed
        if everybody(pace > 0.0):
            return pace
        return np.where(pace > 0.0, pace, np.minimum(STROLLS * self.radius, self.max_speed))

    @once
    def half_axis(self) -> Scalars | None:
        """(n,) half the length of the axis along the heading about which each body is round, metres. None if all bodies
        are spheres."""
        if not anybody(self.length > 2.0 * self.radius):
            return None
        return half_axis(self.radius, self.length)

    @once
    def is_damped(self) -> bool:
        """Whether the steering force of any vehicle is smoothed."""
        return anybody(self.damping > 0.0)

    @once
    def drifts(self) -> bool:
        """Whether the cruise speed of any vehicle drifts."""
        return anybody(self.pace_drift > 0.0)


@dataclass(frozen=True)
class Motion(Columns):
    """The positions, velocities and orientations of vehicles.

    Attributes:
        position, velocity: (n, 3) metres, metres a second.
        side, forward, up: (n, 3) the axes of the orientation, orthonormal; side = cross(forward, up).
    """

    position: Vectors
    velocity: Vectors
    side: Vectors
    forward: Vectors
    up: Vectors

    def turned(self, velocity: Vectors) -> "Motion":
        """The motion at another velocity, turned with it; where that is zero it is turned no other way."""
        forward = np.where((magnitude(velocity) > 0.0)[:, None], unit(velocity), self.forward)
        across = self.up - dot(self.up, forward)[:, None] * forward
        # If the new heading is that of the up axis before, it is nearly at right angles to the side axis.
        other = cross(self.side, forward)
        up = unit(np.where((magnitude(across) >= ASTRIDE)[:, None], across, other))
        return Motion(self.position, velocity, cross(forward, up), forward, up)


@dataclass(frozen=True)
class Pose:
    """The axes in which bodies are shown. `side`, `forward`, `up`: (n, 3) orthonormal; side = cross(forward, up)."""

    side: Vectors
    forward: Vectors
    up: Vectors
