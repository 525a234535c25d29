"""Headings: how bodies turn, level as they walk or on the spot to where they are asked to face.

A body stands that hardly moves and is not asked to. It turns by its turn rate, and ever more slowly toward the end:

    turn = min(turn rate, 2 sin(a / 2) / EASING) dt

for an angle a.
"""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.angles import cosine_and_sine
from ..simulation.arrays.scalars import Mask, Scalars, anybody, clamp
from ..simulation.arrays.vectors import (
    Vectors,
    across,
    dot,
    level_side,
    magnitude,
    paired,
    truncate,
    unit,
)
from ..simulation.ground import flat, upright
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


@dataclass(frozen=True)
class Turn:
    """Turns from level headings to level directions, as seen from above. `heading`, `direction`: (n, 2) unit vectors;
    `cosine`, `sine`: (n,) of the angles between them, to the left."""

    heading: Vectors
    direction: Vectors
    cosine: Scalars
    sine: Scalars

    @classmethod
    def between(cls, heading: Vectors, direction: Vectors) -> "Turn":
        """The turns from headings to directions, (n, 2) each."""
        return cls(heading, direction, dot(heading, direction), sine_between(heading, direction))

    def cosine_left(self, angle: Scalars) -> Scalars:
        """The cosines of what is left of the turns after at most (n,) radians."""
        cosines, sines = cosine_and_sine(np.minimum(angle, np.pi))
        return np.where(self.cosine >= cosines, 1.0, self.cosine * cosines + np.abs(self.sine) * sines)

    def by(self, angle: Scalars) -> Vectors:
        """The headings, (n, 2), after turning by at most (n,) radians."""
        cosines, sines = cosine_and_sine(np.minimum(angle, np.pi))
        heading = unit(turn_by(self.heading, cosines, np.where(self.sine < 0.0, -sines, sines)))
        return np.where((self.cosine >= cosines)[:, None], self.direction, heading)


def turn_left(heading: Vectors, left: Vectors, angle: Scalars) -> Vectors:
    """Unit headings turned to the left by angles, (n,) radians; (n, 3)."""
    cosines, sines = cosine_and_sine(angle)
    return unit(cosines[:, None] * heading + sines[:, None] * left)


def begin_turn(rate: Scalars, toward: Scalars, dt: float) -> Scalars:
    """A turn on the spot that begins gradually, (n,) rad/s, by how fast it is to be and was toward the same side."""
    return np.minimum(rate, toward + rate * (dt / BEGINS))


def sine_between(heading: Vectors, other: Vectors) -> Scalars:
    """The sines of the angles from headings to other ones, to the left as seen from above; (n, 2) each to (n,)."""
    return heading[:, 0] * other[:, 1] - heading[:, 1] * other[:, 0]


def turn_by(heading: Vectors, cosine: Scalars, sine: Scalars) -> Vectors:
    """Headings turned to the left by angles of cosines and sines (..., n), as seen from above; (n, 2) to (... n, 2)."""
    x: Scalars = heading[:, 0]
    y: Scalars = heading[:, 1]
    turned_x: Scalars = cosine * x - sine * y
    turned_y: Scalars = sine * x + cosine * y
    return paired(turned_x.ravel(), turned_y.ravel())


def turn_toward(sine: Scalars, turning: Scalars) -> Scalars:
    """How fast headings already turn to a side, (n,) rad/s; 0 for those that turn away. `sine`: (n,) of the angle to
    that side, to the left; `turning`: (n,) rad/s to the left."""
    return np.maximum(np.where(sine < 0.0, -turning, turning), 0.0)


def turn_rate_between(heading: Vectors, forward: Vectors, dt: float) -> Scalars:
    """How fast headings have turned to other ones in a step, (n, 2) each to (n,) rad/s to the left."""
    turn = magnitude(forward - heading) / dt
    return np.where(sine_between(heading, forward) < 0.0, -turn, turn)


def swing_over(
    turn: Turn, forward: Vectors, ends: Mask, turning: Scalars, rate: Scalars, limit: Scalars, dt: float
) -> Vectors:
    """Headings, (n, 2), after a step in which turns begin, end and go over to the other side gradually.

    Args:
        turn: what leads them.
        forward: (n, 2) the headings after the step if turns changed immediately.
        ends: (n,) the turns that are to end there; the others go on.
        turning: (n,) how fast they have turned, rad/s to the left.
        rate, limit: (n,) their fastest turn at all and at their speed, rad/s.
    """
    change, fastest = rate * (dt / SWINGS), limit
    if anybody(ends):
        # Each step that ends a turn is slower than the one before by the change.
        remaining = magnitude(turn.direction - turn.heading)
        slowing = np.sqrt(0.25 * change * change + 2.0 * change * remaining / dt) - 0.5 * change
        fastest = np.where(ends & (turn.cosine > 0.0), slowing, limit)
    wanted = clamp(turn_rate_between(turn.heading, forward, dt), -fastest, fastest)
    swing = clamp(clamp(wanted, turning - change, turning + change), -limit, limit)
    return unit(turn_by(turn.heading, *cosine_and_sine(swing * dt)))


def turn_to(forward: Vectors, heading: Vectors, turn_rate: Scalars, dt: float) -> Vectors:
    """Unit headings after a step of turning to others, (n, 3) or (n, 2), by at most a turn rate (n,) in rad/s."""
    aside = across(heading, forward)
    behind = (magnitude(aside) <= ROUNDING) & (dot(heading, forward) < 0.0)
    if anybody(behind):
        # Straight back, rounding alone would say where to turn.
        right, _ = level_side(forward)
        aside = np.where(behind[:, None], right[:, : aside.shape[1]], aside)
    turn = np.minimum(turn_rate * dt, magnitude(heading - forward) * min(dt / EASING, 1.0))
    cosines, sines = cosine_and_sine(np.minimum(turn, np.pi))
    return unit(cosines[:, None] * forward + sines[:, None] * unit(aside))


def face(
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
    turns = rests(model, motion, control, dt) & (magnitude(asked) > 0.5) & (turn_rate > 0.0)
    if not anybody(turns):
        return after
    position, velocity, forward = after
    facing = turn_to(motion.forward, asked, turn_rate, dt)
    return (
        np.where(turns[:, None], motion.position, position),
        np.where(turns[:, None], 0.0, velocity),
        np.where(turns[:, None], facing, forward),
    )


def rests(model: VehicleModel, motion: Motion, control: Control, dt: float) -> Mask:
    """Whether bodies stand, and can come to rest within a step, (n,)."""
    speed = magnitude(motion.velocity)
    wish = motion.velocity + control.force * (model.response_time / model.mass)[:, None]
    if control.speed_limit is not None:
        wish = truncate(wish, control.speed_limit)
    stops = speed <= np.minimum(STANDS * model.max_speed, model.max_force / model.mass * dt)
    return stops & (magnitude(wish) <= SETS_OFF * model.max_speed)
