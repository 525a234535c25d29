"""Headings: how far a level heading turns in a step."""

from __future__ import annotations

import numpy as np

from ..simulation.arrays.angles import cosine_and_sine
from ..simulation.arrays.vectors import Scalars, Vectors, dot, unit
from ..simulation.ground import left_of, upright


def cosine_left(heading: Vectors, direction: Vectors, most: Scalars) -> Scalars:
    """The cosines left to level directions after level headings turned toward them by at most (n,) radians."""
    cosine, sine = dot(heading, direction), heading[:, 0] * direction[:, 1] - heading[:, 1] * direction[:, 0]
    cosines, sines = cosine_and_sine(np.minimum(most, np.pi))
    return np.where(cosine >= cosines, 1.0, cosine * cosines + np.abs(sine) * sines)


def turned_toward(heading: Vectors, direction: Vectors, most: Scalars) -> Vectors:
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
