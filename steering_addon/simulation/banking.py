"""Banking: how a flyer leans into its turns.

The paper makes `up` a weighted sum of steering acceleration, gravity and the old up. That sum shivers with every uneven
force, hangs on the frame rate and turns over in a push-over. Here up is carried along with the heading and rolled, like
a damped spring, toward the lean of the coordinated turn that the applied force makes.
"""

from __future__ import annotations

import numpy as np

from .angles import cosine, sine
from .vectors import Scalars, Vectors, across, clamp, cross, dot, magnitude, unit
from .vehicle import VehicleModel

GRAVITY = 9.81
"""m/s2, what the lean is measured against."""
STEEP = 0.5
"""The cosine of climb below which there is less and less of a level to come back to."""


def leaned(
    model: VehicleModel,
    forward: Vectors,
    up: Vectors,
    roll_rate: Scalars,
    smoothed: Vectors,
    acceleration: Vectors,
    dt: float,
) -> tuple[Vectors, Scalars, Vectors]:
    """The next up axes, roll rates and smoothed accelerations of vehicles that fly by banking.

    Level in straight flight, calm in loops and at rest, the same at any frame rate. Vehicles that keep in their plane
    stay upright.

    Args:
        forward: (n, 3) the new headings.
        up: (n, 3) the up axes before the step.
        roll_rate: (n,) rad/s before the step.
        smoothed: (n, 3) the smoothed acceleration before the step.
        acceleration: (n, 3) what the step applied, m/s2.
    """
    smoothed = smoothed + (acceleration - smoothed) * (dt / (model.bank_smoothing + dt))[:, None]
    up = unit(across(up, forward))

    level_side = cross(forward, np.broadcast_to((0.0, 0.0, 1.0), forward.shape))
    flatness = magnitude(level_side)
    level_side = unit(level_side)
    level = cross(level_side, forward)
    lost = magnitude(up) < 0.5
    up = np.where(lost[:, None], np.where((flatness > 0.0)[:, None], level, _any_across(forward)), up)

    steepest = sine(model.max_bank) / cosine(model.max_bank)
    lean = clamp(model.bank * dot(smoothed, level_side) / GRAVITY, -steepest, steepest)
    target = unit(level + lean[:, None] * level_side)
    short = 2.0 * dot(cross(up, target), forward) / np.maximum(1.0 + dot(up, target), 0.001)
    short *= np.minimum((flatness / STEEP) * (flatness / STEEP), 1.0)
    # Pulling through the top of a loop the vehicle is upside down and means to be: it holds its roll.
    looping = (dot(up, level) < 0.0) & (dot(smoothed, up) > GRAVITY / 2.0)
    short = np.where(looping, 0.0, short)

    # Critically damped and implicit: stable however long the step.
    stiffness = 2.0 / model.bank_time
    damping = 1.0 + stiffness * dt
    roll_rate = (roll_rate + dt * stiffness * stiffness * short) / (damping * damping)
    roll_rate = clamp(roll_rate, -model.max_bank_rate, model.max_bank_rate)
    rolled = cosine(roll_rate * dt)[:, None] * up + sine(roll_rate * dt)[:, None] * cross(forward, up)
    up = unit(across(rolled, forward))

    upright = np.broadcast_to((0.0, 0.0, 1.0), up.shape)
    up = np.where(model.keep_in_plane[:, None], upright, up)
    return up, np.where(model.keep_in_plane, 0.0, roll_rate), smoothed


def _any_across(forward: Vectors) -> Vectors:
    """Some direction square to each heading, for the one step where nothing else tells up from down."""
    axis = np.where((np.abs(forward[:, :1]) < 0.9), np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 1.0, 0.0]]))
    return unit(across(axis, forward))
