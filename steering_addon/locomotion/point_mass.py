"""The point mass: what pushes itself, no harder than max_force, no faster than max_speed.

Source: Reynolds 1999, A Simple Vehicle Model. The paper's step is one frame and unitless; here it is `dt` seconds, in
metres, kilograms and newtons. As it suggests at the end of that section, turning is limited, so that a vehicle at rest
drives round instead of spinning on the spot.
"""

import numpy as np

from ..simulation.arrays.angles import cosine, cosine_and_sine, cosine_of_setting
from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import EPSILON, Scalars, anybody, clamp, which
from ..simulation.arrays.vectors import Vectors, across, columns, dot, level_side, magnitude, picked, truncate, unit
from ..simulation.locomotion import Control
from ..simulation.vehicle import Motion, VehicleModel

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


def moved(
    model: VehicleModel, motion: Motion, control: Control, turn_rate: Scalars, dt: float, *, flat: bool = False
) -> tuple[Vectors, Vectors, Vectors]:
    """The next positions, velocities and headings under the steering forces, by forward Euler.

    The speed stays within max_speed, the change of velocity within max_force / mass dt, and the turn within
    turn_rate dt. A force that would reverse a slow vehicle makes it drive round; one that stops it lets it stop.

    Args:
        turn_rate: (n,) the fastest turn, rad/s.
        flat: whether they keep in their plane.

    Returns:
        position, velocity, forward: (n, 3) each; metres, m/s and unit headings.
    """
    if flat:
        motion = replace(motion, velocity=_flattened(motion.velocity), forward=_flattened(motion.forward))
        control = replace(control, force=_flattened(control.force))
    velocity, before = pushed(model, motion, control, turn_rate, dt)
    forward = turned_along(_heading(motion.forward, before), _heading(velocity, before), turn_rate, dt)
    return motion.position + velocity * dt, velocity, forward


def turned_along(forward: Vectors, course: Vectors, turn_rate: Scalars, dt: float) -> Vectors:
    """Unit headings after a step on courses, (n, 3) each. A contact turns the velocity of a body at once, but not the
    body, and what was keyed before may lead it sideways into the run: it turns to its course as fast as it can."""
    cosines, sines = cosine_and_sine(np.minimum(turn_rate * dt, np.pi))
    rows = which(dot(forward, course) < cosines - ROUNDING)
    if not len(rows):
        return course
    before, heading = picked(forward, rows), course.copy(order="K")
    aside = across(picked(course, rows), before)
    aside = np.where((magnitude(aside) > ROUNDING)[:, None], unit(aside), _any_side(before))
    heading[rows] = unit(cosines[rows, None] * before + sines[rows, None] * aside)
    return heading


def pushed(
    model: VehicleModel, motion: Motion, control: Control, turn_rate: Scalars, dt: float
) -> tuple[Vectors, Vectors]:
    """The next velocities under the steering forces, as of `moved`, and the headings before; all (n, 3), or (n, 2)."""
    strongest = model.max_force / model.mass * dt
    change = truncate(control.force * (dt / model.mass)[:, None], strongest)
    before = velocity = motion.velocity
    forward = _heading(velocity, motion.forward)

    fastest = control.speed_limit
    if fastest is not None:
        fastest = np.maximum(fastest, magnitude(velocity) - strongest)
        change = _straightened(model, forward, velocity, change, fastest)
    wanted = velocity + change
    speed = magnitude(wanted)
    rows = which(~(dot(wanted, forward) >= speed * _cosine_of_turn(model.max_speed, turn_rate, speed, dt)))
    if len(rows):
        start, max_speed = picked(velocity, rows), model.max_speed[rows]
        driven = _round(max_speed, turn_rate[rows], picked(forward, rows), start, picked(change, rows), dt)
        wanted[rows] = start + truncate(driven - start, strongest[rows])
    velocity = truncate(wanted, model.max_speed)
    if fastest is not None:
        velocity = before + truncate(truncate(velocity, fastest) - before, strongest)
    return velocity, forward


def _flattened(v: Vectors) -> Vectors:
    """The vectors (n, 3), without their vertical components."""
    return columns(v[:, 0], v[:, 1], 0.0)


def _heading(v: Vectors, forward: Vectors) -> Vectors:
    """The unit directions of vectors (n, 3) or (n, 2), of `forward` for zero vectors."""
    direction = unit(v)
    still = dot(direction, direction) < 0.5
    if not anybody(still):
        return direction
    fallback = unit(forward)
    fallback[magnitude(fallback) < 0.5] = (0.0, 1.0, 0.0)[: v.shape[1]]
    return np.where(still[:, None], fallback, direction)


def _any_side(forward: Vectors) -> Vectors:
    """The unit directions beside headings (n, 3) or (n, 2) to which what is to go straight back turns."""
    side = level_side(forward)[0][:, : forward.shape[1]]
    side[magnitude(side) < 0.5] = (1.0, 0.0, 0.0)[: forward.shape[1]]
    return side


def _straightened(
    model: VehicleModel, forward: Vectors, velocity: Vectors, change: Vectors, fastest: Scalars
) -> Vectors:
    """The change of velocity, with less and less of its sideways part for vehicles that brake to a stop; (n, 3) m/s."""
    share = np.minimum(fastest / np.maximum(STRAIGHT * model.max_speed, EPSILON), 1.0)
    share_aside = np.where(fastest < magnitude(velocity + change), share * share, 1.0)
    along = dot(change, forward)[:, None] * forward
    return along + (change - along) * share_aside[:, None]


def _turn(max_speed: Scalars, turn_rate: Scalars, speed: Scalars, dt: float) -> Scalars:
    """The largest turn of a step, (n,) radians; it goes to 0 near standstill."""
    return np.minimum(turn_rate * dt, np.pi) * np.minimum(speed / _opens(max_speed), 1.0)


def _opens(max_speed: Scalars) -> Scalars:
    """The speeds, (n,) m/s, from which on the largest turn is that of the turn rate."""
    return np.maximum(STANDSTILL * max_speed, EPSILON)


def _cosine_of_turn(max_speed: Scalars, turn_rate: Scalars, speed: Scalars, dt: float) -> Scalars:
    """The cosines of `_turn`, (n,)."""
    cosines = cosine_of_setting(np.minimum(turn_rate * dt, np.pi))
    rows = which(speed < _opens(max_speed))
    if not len(rows):
        return cosines
    cosines = cosines.copy()
    cosines[rows] = cosine(_turn(max_speed[rows], turn_rate[rows], speed[rows], dt))
    return cosines


def _round(
    max_speed: Scalars, turn_rate: Scalars, forward: Vectors, velocity: Vectors, change: Vectors, dt: float
) -> Vectors:
    """The velocity after the largest turn of a step toward the wanted velocity, (n, 3) or (n, 2) m/s."""
    wanted = velocity + change
    destination = velocity + change * max(REVERSAL_TIME / dt, 1.0)
    aside = across(destination, forward)
    # Straight back, rounding alone would say where to turn, and not even to a side.
    straight = magnitude(aside) <= ROUNDING * magnitude(destination)
    aside = unit(aside)
    if anybody(straight):
        aside = np.where(straight[:, None], _any_side(forward), aside)

    before = magnitude(velocity)
    turn = _turn(max_speed, turn_rate, np.maximum(magnitude(wanted), before), dt)
    cosines, sines = cosine_and_sine(turn)
    direction = cosines[:, None] * forward + sines[:, None] * aside
    speed = np.maximum(dot(wanted, direction), 0.0)
    reversing = 0.5 * magnitude(destination - velocity)
    driving_round = np.minimum(np.minimum(reversing, TURNING_SPEED * max_speed), before + magnitude(change))
    speed = np.where(dot(destination, forward) < 0.0, np.maximum(speed, driving_round), speed)
    return direction * clamp(speed, 0.0, max_speed)[:, None]
