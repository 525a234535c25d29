"""Rotations of many bodies on many frames: matrices (..., 3, 3), each of their elements contiguous in memory.

Arithmetic on such matrices gives such matrices, and takes a fraction of the time.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...simulation.arrays.angles import cosine_and_sine
from ...simulation.arrays.scalars import Scalars
from ...simulation.arrays.vectors import Vectors, across, cross, dot, magnitude

Turns = NDArray[np.float64]
"""(..., 3, 3) rotations."""
LEAST = 1e-9
"""Metres below which a length is none."""


def unset_rotations(shape: Sequence[int]) -> Turns:
    """Unset matrices (..., 3, 3) of a shape (...)."""
    memory = np.empty((3, 3, *shape))
    return memory.transpose((*range(2, memory.ndim), 0, 1))


def from_axes(x: Vectors, y: Vectors, z: Vectors) -> Turns:
    """Matrices (..., 3, 3) with these columns, (..., 3) each."""
    matrices = unset_rotations(x.shape[:-1])
    matrices[..., 0], matrices[..., 1], matrices[..., 2] = x, y, z
    return matrices


def rotation_about_up(angle: Scalars) -> Turns:
    """Rotations about the z axis, (..., 3, 3), by angles in radians to the left, (...)."""
    cosines, sines = cosine_and_sine(angle)
    turn = unset_rotations(angle.shape)
    turn[:] = 0.0
    turn[..., 0, 0] = turn[..., 1, 1] = cosines
    turn[..., 0, 1], turn[..., 1, 0], turn[..., 2, 2] = -sines, sines, 1.0
    return turn


def rotation_between(start: Vectors, end: Vectors) -> Turns:
    """The least rotations that turn vectors into the direction of others, (..., 3) each to (..., 3, 3)."""
    a, b = unit(start), unit(end)
    axis = cross(a, b)
    share = 1.0 / (1.0 + np.maximum(dot(a, b), -0.999999))
    x, y, z = (axis[..., k] for k in range(3))
    xy, xz, yz = x * y * share, x * z * share, y * z * share
    xx, yy, zz = x * x * share, y * y * share, z * z * share
    turn = unset_rotations(x.shape)
    turn[..., 0, 0], turn[..., 1, 1], turn[..., 2, 2] = 1.0 - yy - zz, 1.0 - xx - zz, 1.0 - xx - yy
    turn[..., 0, 1], turn[..., 1, 0] = xy - z, xy + z
    turn[..., 0, 2], turn[..., 2, 0] = xz + y, xz - y
    turn[..., 1, 2], turn[..., 2, 1] = yz - x, yz + x
    return turn


def unit(v: Vectors) -> Vectors:
    """Vectors (..., 3) of length 1, in a fraction of the time that the one for lengths near underflow takes."""
    return v / np.maximum(magnitude(v), LEAST)[..., None]


def multiply(a: Turns, b: Turns) -> Turns:
    """The products of matrices, (..., 3, 3) each."""
    shape = np.broadcast_shapes(a.shape, b.shape)[:-2]
    result, term = unset_rotations(shape), unset_rotations(shape)
    np.multiply(a[..., :, :1], b[..., :1, :], out=result)
    for k in (1, 2):
        np.multiply(a[..., :, k : k + 1], b[..., k : k + 1, :], out=term)
        result += term
    return result


def transpose(turn: Turns) -> Turns:
    """Matrices (..., 3, 3) with rows for columns: of rotations, their inverses."""
    return np.swapaxes(turn, -2, -1)


def rotate(turn: Turns, v: Vectors) -> Vectors:
    """Vectors (..., 3) turned by (..., 3, 3); (..., k) by k of the rows of these, (..., k, 3).

    Written out by component: of many points on a foot, whose turns they share, numpy goes through the whole in an order
    that takes six times as long.
    """
    rows = turn.shape[-2]
    x = turn[..., 0, 0] * v[..., 0]
    order = sorted(range(x.ndim), key=lambda axis: -x.strides[axis])
    memory = np.empty((rows, *(x.shape[axis] for axis in order)))
    result = memory.transpose((*(1 + order.index(axis) for axis in range(x.ndim)), 0))
    for row in range(rows):
        component = result[..., row]
        np.multiply(turn[..., row, 0], v[..., 0], out=component)
        for k in (1, 2):
            component += turn[..., row, k] * v[..., k]
    return result


def seen_along(ahead: Scalars, x: Scalars, y: Scalars) -> tuple[Scalars, Scalars]:
    """The components of level vectors along unit vectors `ahead`, (..., 2), and to the left of these, (...) each."""
    cosines: Scalars = ahead[..., 0]
    sines: Scalars = ahead[..., 1]
    return x * cosines + y * sines, y * cosines - x * sines


def from_along(ahead: Scalars, along: Scalars, left: Scalars) -> tuple[Scalars, Scalars]:
    """The x and y of level vectors with these components, as `seen_along` gives them."""
    cosines: Scalars = ahead[..., 0]
    sines: Scalars = ahead[..., 1]
    return along * cosines - left * sines, along * sines + left * cosines


def orthonormalize(matrices: Turns) -> Turns:
    """The nearest rotations, about, to matrices (..., 3, 3) that are means of rotations."""
    y = unit(matrices[..., 1])
    x = unit(across(matrices[..., 0], y))
    return from_axes(x, y, cross(x, y))


def in_axes(axes: Turns, turn: Turns) -> Turns:
    """Rotations (..., 3, 3) in other axes: what a body with these axes, alike, as columns, is turned by in its own."""
    return multiply(multiply(transpose(axes), turn), axes)
