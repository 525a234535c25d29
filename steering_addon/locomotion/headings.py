"""Headings: how bodies turn, level as they walk or on the spot to where they are asked to face.

A body stands that hardly moves and is not asked to. It turns by its turn rate, and ever more slowly toward the end:

    turn = min(turn rate, 2 sin(a / 2) / EASING) dt

for an angle a.
"""

from __future__ import annotations

import numpy as np

from ..simulation.arrays.angles import cosine_and_sine
from ..simulation.arrays.vectors import (
    Mask,
    Scalars,
    Vectors,
    across,
    anybody,
    clamp,
    dot,
    level_side,
    magnitude,
    truncate,
    unit,
)
from ..simulation.ground import flat, left_of, upright
from ..simulation.locomotion import Control
from ..simulation.vehicle import Motion, VehicleModel
from .point_mass import ROUNDING

EASING = 0.3
"""Seconds over which the last of a turn slows down."""
BEGINS = 0.2
"""Seconds until one on foot that stands turns as fast as it can."""
SWINGS = 0.12
"""Seconds until a body with mass that walks turns as fast as it can, or no longer."""
STANDS, SETS_OFF = 0.02, 0.05
"""Shares of max_speed up to which a body stands, and up to which a wish does not make it set off."""


def cosine_left(heading: Vectors, direction: Vectors, most: Scalars) -> Scalars:
    """The cosines left to level directions after level headings turned toward them by at most (n,) radians."""
    cosine, sine = dot(heading, direction), heading[:, 0] * direction[:, 1] - heading[:, 1] * direction[:, 0]
    cosines, sines = cosine_and_sine(np.minimum(most, np.pi))
    return np.where(cosine >= cosines, 1.0, cosine * cosines + np.abs(sine) * sines)


def turned_level(heading: Vectors, direction: Vectors, most: Scalars) -> Vectors:
    """Level headings turned toward level directions by at most (n,) radians."""
    cosines, sines = cosine_and_sine(np.minimum(most, np.pi))
    left = left_of(heading, upright(len(heading)))
    to_side = np.where(dot(direction, left) < 0.0, -sines, sines)
    turned = cosines[:, None] * heading + to_side[:, None] * left
    near = dot(direction, heading) >= cosines
    return np.where(near[:, None], direction, unit(turned))


def turned_left(heading: Vectors, left: Vectors, angle: Scalars) -> Vectors:
    """Unit headings turned to the left by angles, (n,) radians; (n, 3)."""
    cosines, sines = cosine_and_sine(angle)
    turned: Vectors = unit(cosines[:, None] * heading + sines[:, None] * left)
    return turned


def begun(rate: Scalars, toward: Scalars, dt: float) -> Scalars:
    """A turn on the spot that begins gradually, (n,) rad/s, by how fast it is to be and was toward the same side."""
    return np.minimum(rate, toward + rate * (dt / BEGINS))


def turned_by(heading: Vectors, forward: Vectors, dt: float) -> Scalars:
    """How fast level headings have turned to other ones in a step, (n,) rad/s to the left."""
    turn = magnitude(forward - heading) / dt
    return np.where(dot(forward, left_of(heading, upright(len(heading)))) < 0.0, -turn, turn)


def turn_toward(heading: Vectors, direction: Vectors, turning: Scalars) -> Scalars:
    """How fast level headings already turn toward level directions, (n,) rad/s; 0 for those that turn away.

    Args:
        turning: (n,) rad/s to the left.
    """
    left = left_of(heading, upright(len(heading)))
    return np.maximum(np.where(dot(direction, left) < 0.0, -turning, turning), 0.0)


def swung(
    heading: Vectors,
    forward: Vectors,
    aim: Vectors,
    turning: Scalars,
    rate: Scalars,
    most: Scalars,
    dt: float,
) -> Vectors:
    """Level headings after a step in which turns begin, end and go over to the other side gradually, (n, 3).

    Args:
        forward: (n, 3) the headings after the step if turns changed immediately.
        aim: (n, 3) the level directions in which turns are to end; zero for those that go on.
        turning: (n,) how fast they have turned, rad/s to the left.
        rate, most: (n,) their fastest turn at all and at their speed, rad/s.
    """
    change = rate * (dt / SWINGS)
    # Each step that ends a turn is slower than the one before by `change`.
    ends = np.sqrt(0.25 * change * change + 2.0 * change * magnitude(aim - heading) / dt) - 0.5 * change
    ends = np.where(dot(aim, heading) > 0.0, ends, most)
    wanted = clamp(turned_by(heading, forward, dt), -ends, ends)
    turn = clamp(clamp(wanted, turning - change, turning + change), -most, most)
    return turned_left(heading, left_of(heading, upright(len(heading))), turn * dt)


def turned_on_foot(
    model: VehicleModel,
    motion: Motion,
    control: Control,
    after: tuple[Vectors, Vectors],
    idle: Mask,
    turn_rate: Scalars,
    dt: float,
) -> tuple[Vectors, Vectors]:
    """Velocities and level headings after a step, (n, 3) each, of walkers that turn if they stand and are asked to.

    Args:
        after: velocities and headings of walkers that are not asked to.
        idle: (n,) the walkers that stand and do not set off.
        turn_rate: (n,) the fastest turn while standing, rad/s; 0 for none.
    """
    if control.heading is None:
        return after
    velocity, forward = after
    asked = unit(flat(control.heading, upright(len(turn_rate))))
    rests = (idle & (magnitude(velocity) <= 0.0)) | _stands(model, motion, control, dt)
    turns = rests & (magnitude(asked) > 0.5) & (turn_rate > 0.0)
    facing = turned_to(motion.forward, asked, turn_rate, dt)
    return np.where(turns[:, None], 0.0, velocity), np.where(turns[:, None], facing, forward)


def turned_to(forward: Vectors, heading: Vectors, turn_rate: Scalars, dt: float) -> Vectors:
    """Unit headings, (n, 3), after a step of turning to others, by at most a turn rate (n,) in rad/s."""
    aside = across(heading, forward)
    behind = (magnitude(aside) <= ROUNDING) & (dot(heading, forward) < 0.0)
    if anybody(behind):
        # Straight back, rounding alone would say where to turn.
        right, _ = level_side(forward)
        aside = np.where(behind[:, None], right, aside)
    turn = np.minimum(turn_rate * dt, magnitude(heading - forward) * min(dt / EASING, 1.0))
    cosines, sines = cosine_and_sine(np.minimum(turn, np.pi))
    return unit(cosines[:, None] * forward + sines[:, None] * unit(aside))


def faced(
    model: VehicleModel,
    motion: Motion,
    control: Control,
    after: tuple[Vectors, Vectors, Vectors],
    turn_rate: Scalars,
    dt: float,
    *,
    on_the_level: bool = False,
) -> tuple[Vectors, Vectors, Vectors]:
    """Positions, velocities and headings after a step, (n, 3) each, with bodies turned that stand and are asked to.

    Args:
        after: positions, velocities and headings of bodies that do not turn on the spot.
        turn_rate: (n,) the fastest turn while standing, rad/s; 0 for none.
        on_the_level: whether they turn to the level part only.
    """
    if control.heading is None:
        return after
    asked = unit(flat(control.heading, upright(len(turn_rate)))) if on_the_level else control.heading
    turns = _stands(model, motion, control, dt) & (magnitude(asked) > 0.5) & (turn_rate > 0.0)
    if not anybody(turns):
        return after
    position, velocity, forward = after
    facing = turned_to(motion.forward, asked, turn_rate, dt)
    return (
        np.where(turns[:, None], motion.position, position),
        np.where(turns[:, None], 0.0, velocity),
        np.where(turns[:, None], facing, forward),
    )


def _stands(model: VehicleModel, motion: Motion, control: Control, dt: float) -> Mask:
    """Whether bodies stand, and can come to rest within a step, (n,)."""
    speed = magnitude(motion.velocity)
    wish = motion.velocity + control.force * (model.response_time / model.mass)[:, None]
    if control.speed_limit is not None:
        wish = truncate(wish, control.speed_limit)
    rests = speed <= np.minimum(STANDS * model.max_speed, model.max_force / model.mass * dt)
    mask: Mask = rests & (magnitude(wish) <= SETS_OFF * model.max_speed)
    return mask
