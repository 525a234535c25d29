"""Banking: how a flyer leans into its turns.

In the paper `up` is a weighted sum of the steering acceleration, gravity and the old up. That sum trembles with every
uneven force, depends on the frame rate and turns over in a push-over. Here up is carried along with the heading and
rolled toward the lean of a coordinated turn,

    tan(lean) = bank a / g,

where a is the smoothed acceleration to the right; the roll follows as a critically damped spring.
"""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.angles import angle_of, cosine_and_sine, tangent_of_setting
from ..simulation.arrays.scalars import EPSILON, Scalars, anybody, clamp
from ..simulation.arrays.vectors import Vectors, across, columns, cross, dot, level_side, magnitude, unit
from ..simulation.memory import Memory, remembered

GRAVITY = 9.81
"""g, m/s2."""
STEEP = 0.5
"""The cosine of the climb angle below which the return to level fades out."""
LOST = 1e-6
"""The length of the component of up across the heading below which it is rounding error and no direction."""


@dataclass(frozen=True)
class Rolling(Memory):
    """How they roll. `rate`: (n,) rad/s."""

    rate: Scalars = remembered(0.0)


@dataclass(frozen=True)
class Banking:
    """How vehicles lean into turns, one row each.

    Attributes:
        amount: (n,) of the lean of a coordinated turn.
        pull: (n,) or one for all, m/s2: g, or what takes its place.
        time: (n,) seconds in which they roll into a turn.
        fastest: (n,) rad/s.
    """

    amount: Scalars
    pull: Scalars | float
    steepest: Scalars
    time: Scalars
    fastest: Scalars


def banked(
    banking: Banking,
    forward: Vectors,
    up: Vectors,
    roll_rate: Scalars,
    acceleration: Vectors,
    dt: float,
    asked: Vectors | None = None,
) -> tuple[Vectors, Scalars]:
    """The next up axes, (n, 3), and roll rates, (n,) rad/s, of vehicles that fly by banking.

    Up is level in straight flight, calm in loops and at rest, and the same at any frame rate.

    Args:
        forward: (n, 3) the new headings.
        up: (n, 3) the up axes before the step.
        roll_rate: (n,) rad/s before the step.
        acceleration: (n, 3) the smoothed acceleration, m/s2.
        asked: (n, 3) unit up axes to which they roll with no other limit than their fastest roll, zero for those that
            bank; None if all do.
    """
    up = across(up, forward)
    length = magnitude(up)
    lost = length < LOST
    up = up / np.maximum(length, EPSILON)[:, None]

    right, flatness = level_side(forward)
    if anybody(lost):
        level = np.where((flatness > EPSILON)[:, None], cross(right, forward), _any_across(forward))
        up = np.where(lost[:, None], level, up)
    side = cross(forward, up)

    # The tangent of the desired lean; the cosine and sine of the present one, times the cosine of the desired one.
    steepest = tangent_of_setting(banking.steepest)
    lean = clamp(banking.amount * dot(acceleration, right) / banking.pull, -steepest, steepest)
    secant = np.sqrt(1.0 + lean * lean)
    cosines, sines = dot(side, right) / secant, dot(up, right) / secant
    shortfall = 2.0 * (lean * cosines - sines) / np.maximum(1.0 + cosines + lean * sines, 0.001)
    shortfall *= np.minimum((flatness / STEEP) * (flatness / STEEP), 1.0)
    # At the top of a loop the vehicle is upside down on purpose: it holds its roll.
    looping = (cosines < 0.0) & (dot(acceleration, up) > banking.pull / 2.0)
    shortfall = np.where(looping, 0.0, shortfall)

    # Critically damped and implicit: stable for steps of any length.
    stiffness = 2.0 / banking.time
    damping = 1.0 + stiffness * dt
    roll_rate = (roll_rate + dt * stiffness * stiffness * shortfall) / (damping * damping)
    if asked is not None:
        wanted = unit(across(asked, forward))
        roll_rate = np.where(asked.any(axis=1), angle_of(dot(wanted, side), dot(wanted, up)) / dt, roll_rate)
    roll_rate = clamp(roll_rate, -banking.fastest, banking.fastest)
    cosines, sines = cosine_and_sine(roll_rate * dt)
    up = cosines[:, None] * up + sines[:, None] * side
    return up, roll_rate


def _any_across(forward: Vectors) -> Vectors:
    """A direction perpendicular to each heading, (n, 3), for a step in which neither up nor level gives one."""
    sideways = np.abs(forward[:, 0]) < 0.9
    return unit(across(columns(np.where(sideways, 1.0, 0.0), np.where(sideways, 0.0, 1.0), 0.0), forward))
