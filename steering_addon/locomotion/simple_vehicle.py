"""The simple vehicle model: a point mass that pushes itself, no harder than max_force, no faster than max_speed.

Source: Reynolds 1999, A Simple Vehicle Model. The paper's step is one frame and unitless; here it is `dt` seconds, in
metres, kilograms and newtons. As it suggests at the end of that section, turning is limited, so that a vehicle at rest
drives round instead of spinning on the spot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.angles import cosine_and_sine, cosine_of_setting
from ..simulation.arrays.vectors import (
    EPSILON,
    Mask,
    Scalars,
    Vectors,
    across,
    anybody,
    clamp,
    dot,
    everybody,
    level_side,
    magnitude,
    truncate,
    unit,
)
from ..simulation.locomotion import Locomotion
from ..simulation.vehicle import Lean, Motion, VehicleModel, flattened, heading
from .banking import leaned

REVERSAL_TIME = 0.1
"""Seconds: a force that would reverse the velocity within this time makes the vehicle turn round."""
STRAIGHT = 0.5
"""Share of max_speed below which a vehicle that brakes to a stop turns less and less: the slower it is, the faster the
same force would turn it."""
TURNING_SPEED = 0.2
"""Share of max_speed at which a vehicle drives round: a small circle, but not a crawl."""
STANDSTILL = 0.005
"""Share of max_speed below which the largest turn goes to 0: a vehicle at rest does not turn."""

ROUNDING = 1e-9
"""Share of a length below which a component is noise: sums of products are off by some 1e-16 of it."""


@dataclass(frozen=True)
class SimpleVehicle(Locomotion):
    """A point mass that pushes itself and banks in turns."""

    def applied(self, model: VehicleModel, before: Vectors, wanted: Vectors, dt: float) -> Vectors:
        return damped(model, before, wanted, dt)

    def moved(
        self, model: VehicleModel, motion: Motion, force: Vectors, dt: float, speed_limit: Scalars | None
    ) -> tuple[Vectors, Vectors, Vectors]:
        return moved(model, motion, force, dt, speed_limit)

    def oriented(
        self, model: VehicleModel, forward: Vectors, up: Vectors, lean: Lean, acceleration: Vectors, dt: float
    ) -> tuple[Vectors, Lean]:
        up, roll_rate, smoothed = leaned(
            model, forward, up, lean.roll_rate, lean.smoothed_acceleration, acceleration, dt
        )
        return up, Lean(roll_rate, smoothed)


def damped(model: VehicleModel, before: Vectors, wanted: Vectors, dt: float) -> Vectors:
    """The forces that act, (n, 3) newtons: a low-pass filter of the decided forces (paper, Combining Behaviors).

    It keeps the motion smooth if a vehicle changes between behaviors, or chooses them at random. The filter is
    implicit, and stable for steps of any length.

    Args:
        before: (n, 3) the forces that acted in the previous step, newtons.
        wanted: (n, 3) the forces decided on, newtons.
        dt: seconds.
    """
    if not anybody(model.damping > 0.0):
        return wanted
    smoothed = before + (truncate(wanted, model.max_force) - before) * (dt / (dt + model.damping))[:, None]
    return np.where((model.damping > 0.0)[:, None], smoothed, wanted)


def moved(
    model: VehicleModel, motion: Motion, force: Vectors, dt: float, fastest: Scalars | None = None
) -> tuple[Vectors, Vectors, Vectors]:
    """The next positions, velocities and headings under the steering forces, by forward Euler.

    The speed stays within max_speed, the change of velocity within max_force / mass dt, and the turn within
    max_turn_rate dt. A force that would reverse a slow vehicle makes it drive round; one that stops it lets it stop.

    Args:
        force: (n, 3) newtons.
        dt: seconds.
        fastest: (n,) the speed down to which they also brake, as hard as they can, m/s; None for no limit.

    Returns:
        position, velocity, forward: (n, 3) each; metres, m/s and unit headings.
    """
    strongest = model.max_force / model.mass * dt
    change = truncate(flattened(force, model) * (dt / model.mass)[:, None], strongest)
    velocity = flattened(motion.velocity, model)
    forward = heading(velocity, motion.forward, model)

    if fastest is not None:
        fastest = np.maximum(fastest, magnitude(velocity) - strongest)
        change = _straightened(model, forward, velocity, change, fastest)
    wanted = velocity + change
    free = _free(model, forward, wanted, dt)
    if not everybody(free):
        turn = truncate(_round(model, forward, velocity, change, dt) - velocity, strongest)
        wanted = np.where(free[:, None], wanted, velocity + turn)
    velocity = truncate(wanted, model.max_speed)
    if fastest is not None:
        before = flattened(motion.velocity, model)
        velocity = before + truncate(truncate(velocity, fastest) - before, strongest)
    return motion.position + velocity * dt, velocity, heading(velocity, forward, model)


def _straightened(
    model: VehicleModel, forward: Vectors, velocity: Vectors, change: Vectors, fastest: Scalars
) -> Vectors:
    """The change of velocity, with less and less of its sideways part for vehicles that brake to a stop; (n, 3) m/s."""
    share = np.minimum(fastest / np.maximum(STRAIGHT * model.max_speed, EPSILON), 1.0)
    kept = np.where(fastest < magnitude(velocity + change), share * share, 1.0)
    along = dot(change, forward)[:, None] * forward
    return along + (change - along) * kept[:, None]


def _turn(model: VehicleModel, speed: Scalars, dt: float) -> Scalars:
    """The largest turn of a step, (n,) radians; it goes to 0 near standstill."""
    opening = np.minimum(speed / np.maximum(STANDSTILL * model.max_speed, EPSILON), 1.0)
    return np.minimum(model.max_turn_rate * dt, np.pi) * opening


def _destination(velocity: Vectors, change: Vectors, dt: float) -> Vectors:
    """The velocity after REVERSAL_TIME under the same force, (n, 3) m/s."""
    return velocity + change * max(REVERSAL_TIME / dt, 1.0)


def _free(model: VehicleModel, forward: Vectors, wanted: Vectors, dt: float) -> Mask:
    """Whether the wanted velocity is within the largest turn of the step, (n,)."""
    speed = magnitude(wanted)
    return dot(wanted, forward) >= speed * cosine_of_setting(_turn(model, speed, dt))


def _round(model: VehicleModel, forward: Vectors, velocity: Vectors, change: Vectors, dt: float) -> Vectors:
    """The velocity after the largest turn of a step toward the wanted velocity, (n, 3) m/s."""
    wanted = velocity + change
    destination = _destination(velocity, change, dt)
    aside = across(destination, forward)
    any_side, _ = level_side(forward)
    any_side[magnitude(any_side) < 0.5] = (1.0, 0.0, 0.0)
    # Straight back, rounding alone would say where to turn, and not even to a side.
    straight = magnitude(aside) <= ROUNDING * magnitude(destination)
    aside = np.where(straight[:, None], any_side, unit(aside))

    turn = _turn(model, np.maximum(magnitude(wanted), magnitude(velocity)), dt)
    cosines, sines = cosine_and_sine(turn)
    direction = cosines[:, None] * forward + sines[:, None] * aside
    speed = np.maximum(dot(wanted, direction), 0.0)
    driving_round = np.minimum(
        np.minimum(magnitude(destination), TURNING_SPEED * model.max_speed),
        magnitude(velocity) + magnitude(change),
    )
    speed = np.where(dot(destination, forward) < 0.0, np.maximum(speed, driving_round), speed)
    return direction * clamp(speed, 0.0, model.max_speed)[:, None]
