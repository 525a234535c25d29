"""Arrays of vectors: the few operations everything else is written in.

Only + - * / sqrt and comparisons are used, spelled out by component: numpy's own reductions and matrix products may add
in another order on another processor, and the same input must give the same bytes everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Scalars = NDArray[np.float64]
"""(n,) one number an agent."""
Vectors = NDArray[np.float64]
"""(n, 3) one vector an agent."""
Rows = NDArray[np.int64]
"""(n,) row numbers, -1 for none."""
Mask = NDArray[np.bool_]
"""(n,) one yes or no an agent."""
Number = Any
"""A parameter of a declaration: one number in the class, always an (n,) column in an instance."""

EPSILON = 1e-12
"""The smallest length anything is divided by: far below a micrometre, far above what squaring loses."""


def dot(a: Vectors, b: Vectors) -> Scalars:
    """How far the vectors point the same way, (..., 3) and (..., 3) to (...)."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return np.asarray(ax * bx + ay * by + az * bz, dtype=np.float64)


def cross(a: Vectors, b: Vectors) -> Vectors:
    """The vectors square to both, right-handed: side = cross(forward, up)."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return np.stack((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx), axis=-1)


def magnitude(v: Vectors) -> Scalars:
    """The lengths of the vectors, (..., 3) to (...)."""
    return np.sqrt(dot(v, v))


def unit(v: Vectors) -> Vectors:
    """The directions of the vectors; a vector of no length stays zero."""
    # Dividing by the largest component first keeps squares of very small and very large vectors from vanishing.
    largest = np.maximum(np.maximum(np.abs(v[..., 0]), np.abs(v[..., 1])), np.abs(v[..., 2]))
    scaled = v / np.where(largest > 0.0, largest, 1.0)[..., None]
    return scaled / np.maximum(magnitude(scaled), EPSILON)[..., None]


def truncate(v: Vectors, longest: Scalars) -> Vectors:
    """The vectors, none longer than `longest` (paper, A Simple Vehicle Model)."""
    length = magnitude(v)
    scale = np.where(length > longest, longest / np.maximum(length, EPSILON), 1.0)
    return v * scale[..., None]


def across(v: Vectors, direction: Vectors) -> Vectors:
    """What of the vectors lies square to the unit `direction` (OpenSteer's perpendicular component)."""
    return v - dot(v, direction)[..., None] * direction


def clamp(x: Scalars, low: Scalars | float, high: Scalars | float) -> Scalars:
    """The numbers, none below `low` or above `high`."""
    return np.minimum(np.maximum(x, low), high)


def ratio(over: Scalars, under: Scalars | float) -> Scalars:
    """`over / under`, with 0 for a divisor of nothing."""
    divisor = np.asarray(under, dtype=np.float64)
    small = np.abs(divisor) < EPSILON
    return np.where(small, 0.0, over / np.where(small, 1.0, divisor))
