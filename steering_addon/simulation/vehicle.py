"""Vehicles: their declared parameters, and their motion.

Source: Reynolds 1999, A Simple Vehicle Model. The folder `locomotion` holds what turns steering into motion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays.vectors import Mask, Number, Scalars, Vectors, anybody, dot, magnitude, unit
from .declaration import Declared, Unit, called, length, number, seconds, share, switch
from .geometry.capsules import half_axis
from .ground import level, upright


@dataclass(frozen=True)
class VehicleModel(Declared):
    """How the vehicles of a crowd move: their mass, strength and speed, and how they lean into turns.

    Every parameter is an (n,) column.
    """

    mass: Number = number(1.0, "Weight: a heavier vehicle needs more force for the same turn", Unit.MASS, 1e-6)
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
    response_time: Number = called(
        "Response",
        seconds(0.3, "Time in which it reaches the desired velocity; a longer one makes it move more lazily", 0.01),
    )
    damping: Number = seconds(
        0.0, "Time over which changes of the steering force are smoothed; 0 applies each immediately"
    )
    speed_time: Number = seconds(1.0, "Time in which it returns to cruise speed", 0.01)
    max_turn_rate: Number = called(
        "Max Turn", number(np.pi, "Fastest turn; limits it at low speed only", Unit.TURN, 0.01)
    )
    keep_in_plane: Mask = called(
        "Keep in Plane", switch(False, "Stay at the height of the start and upright, as walkers and cars do")
    )
    keep_apart: Mask = switch(False, "Move vehicles that overlap apart, and off obstacles")
    bank: Number = number(
        1.0, "How far it leans into turns: 1 as an aircraft in a coordinated turn, 0 not at all", shrinks=True
    )
    max_bank: Number = number(np.pi / 3.0, "Steepest lean", Unit.ANGLE, 0.0, 1.55)
    bank_time: Number = seconds(0.15, "Time in which it rolls into a turn", 0.01)
    bank_smoothing: Number = called(
        "Smoothing", seconds(0.1, "Time over which the acceleration that it leans by is smoothed")
    )
    max_bank_rate: Number = called("Max Roll", number(np.pi, "Fastest roll", Unit.TURN, 0.01))

    @property
    def half_axis(self) -> Scalars | None:
        """(n,) half the length of the axis along the heading about which each body is round, metres.

        None if all bodies are spheres.
        """
        if not anybody(self.length > 2.0 * self.radius):
            return None
        return half_axis(self.radius, self.length)


@dataclass(frozen=True)
class Motion:
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


@dataclass(frozen=True)
class Lean:
    """The banking of vehicles.

    Attributes:
        roll_rate: (n,) rad/s.
        smoothed_acceleration: (n, 3) the acceleration that they lean by, m/s2.
    """

    roll_rate: Scalars
    smoothed_acceleration: Vectors


def flattened(v: Vectors, model: VehicleModel) -> Vectors:
    """The vectors (n, 3), without their vertical components for vehicles that keep in their plane."""
    return level(v, upright(len(v)), model.keep_in_plane)


def heading(v: Vectors, forward: Vectors, model: VehicleModel) -> Vectors:
    """The unit directions of vectors (n, 3), of `forward` for zero vectors; level if a vehicle keeps in its plane."""
    direction = unit(flattened(v, model))
    still = dot(direction, direction) < 0.5
    if not anybody(still):
        return direction
    kept = unit(flattened(forward, model))
    kept[magnitude(kept) < 0.5] = (0.0, 1.0, 0.0)
    return np.where(still[:, None], kept, direction)
