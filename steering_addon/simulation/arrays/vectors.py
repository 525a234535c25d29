"""Arrays of vectors: the few operations everything else is written in.

Only + - * / sqrt and comparisons are used, spelled out by component: numpy's own reductions and matrix products may add
in another order on another processor, and the same input must give the same bytes everywhere.
"""

from __future__ import annotations

from functools import lru_cache
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
Number = Scalars
"""A parameter of a declaration: one number in the class, always an (n,) column in an instance."""

EPSILON = 1e-12
"""The smallest length anything is divided by: far below a micrometre, far above what squaring loses."""
TINIEST = 5e-324
"""The smallest number there is above 0."""


def columns(x: Scalars, y: Scalars | float, z: Scalars | float) -> Vectors:
    """Vectors from their components, (...) each to (..., 3), each component in one piece of memory.

    So is the state of a run: whatever is made of such vectors is so too, and takes half the time.
    """
    memory = np.empty((3, *x.shape))
    memory[0], memory[1], memory[2] = x, y, z
    return memory.T if x.ndim == 1 else np.moveaxis(memory, 0, -1)


def in_columns(v: Vectors) -> Vectors:
    """The same vectors (n, 3) with each component in one piece of memory."""
    return columns(v[:, 0], v[:, 1], v[:, 2])


def picked(v: Vectors, rows: Rows | Mask) -> Vectors:
    """The vectors of some rows, with each component in one piece of memory."""
    return columns(v[:, 0][rows], v[:, 1][rows], v[:, 2][rows])


def no_vectors(n: int) -> Vectors:
    """Vectors of zero, (n, 3)."""
    return np.zeros((3, n)).T


def dot(a: Vectors, b: Vectors) -> Scalars:
    """How far the vectors point the same way, (..., 3) and (..., 3) to (...)."""
    products = a * b
    return np.asarray(products[..., 0] + products[..., 1] + products[..., 2], dtype=np.float64)


def cross(a: Vectors, b: Vectors) -> Vectors:
    """The vectors square to both, right-handed: side = cross(forward, up)."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return columns(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)


def magnitude(v: Vectors) -> Scalars:
    """The lengths of the vectors, (..., 3) to (...)."""
    return np.sqrt(dot(v, v))


def unit(v: Vectors) -> Vectors:
    """The directions of the vectors; a vector of no length stays zero."""
    # Blender's matrices are of single precision, in which the tiniest divisor would be none.
    v = np.asarray(v, dtype=np.float64)
    # Dividing by the largest component first keeps squares of very small and very large vectors from vanishing.
    sizes = np.abs(v)
    largest = np.maximum(np.maximum(sizes[..., 0], sizes[..., 1]), sizes[..., 2])
    scaled = v / np.maximum(largest, TINIEST)[..., None]
    scaled /= np.maximum(magnitude(scaled), EPSILON)[..., None]
    return scaled


def level_side(forward: Vectors) -> tuple[Vectors, Scalars]:
    """The directions level and to the right of unit headings, (n, 3), zero for those straight up or down.

    Returns:
        side: cross(forward, up) with an up that is vertical, its length made 1.
        flatness: (n,) the length it had, from 0 for a heading straight up to 1 for a level one.
    """
    x, y = forward[:, 0], forward[:, 1]
    flatness = np.sqrt(x * x + y * y)
    level = np.where(flatness > EPSILON, flatness, np.inf)
    return columns(y / level, -x / level, 0.0), flatness


def truncate(v: Vectors, longest: Scalars | float) -> Vectors:
    """The vectors, none longer than `longest` (paper, A Simple Vehicle Model)."""
    length = magnitude(v)
    too_long = length > longest
    if not anybody(too_long):
        return v
    scale = np.where(too_long, longest / np.maximum(length, EPSILON), 1.0)
    return v * scale[..., None]


def across(v: Vectors, direction: Vectors) -> Vectors:
    """What of the vectors lies square to the unit `direction` (OpenSteer's perpendicular component)."""
    return v - dot(v, direction)[..., None] * direction


def squared(axes: Vectors) -> Vectors:
    """Right-handed unit axes (k, 3, 3) as rows, square to each other, made of ones that nearly are."""
    x = unit(axes[:, 0])
    y = unit(across(axes[:, 1], x))
    return np.stack((x, y, cross(x, y)), axis=1)


def same_for_all(column: Any) -> bool:
    """Whether a column (n,) holds one number n times; False where it is empty."""
    # A number that `broadcast_to` made a column of is in memory once: its rows are no bytes apart.
    return len(column) > 0 and (column.strides[0] == 0 or everybody(column == column[0]))


def alike(value: Any, n: int, dtype: type[Any] = np.float64) -> Any:
    """A column (n,) of one value, which is in memory once; not to be written to."""
    # As np.broadcast_to, in a third of the time: this is done for many columns on every frame.
    one: Any = np.array(value, dtype=dtype)
    column: Any = np.ndarray((n,), dtype, buffer=one, strides=(0,))
    column.flags.writeable = False
    return column


@lru_cache(maxsize=64)
def shared(value: Any, n: int, dtype: type[Any] = np.float64) -> Any:
    """As `alike`, the same column for all who ask, as many do on every step; not for 0.0, which counts as -0.0 too."""
    return alike(value, n, dtype)


def nobody(n: int) -> Mask:
    """A column (n,) of no; not to be written to."""
    none: Mask = shared(False, n, np.bool_)
    return none


def anybody(mask: Mask) -> bool:
    """Whether a column (n,) says yes of any."""
    # Of one number for all a look at it is enough. To look for the first yes takes a third of the time of `any`.
    return bool(mask.size and mask.item(0 if mask.strides == (0,) else mask.argmax()))


def everybody(mask: Mask) -> bool:
    """Whether a column (n,) says yes of all."""
    return not mask.size or bool(mask.item(0 if mask.strides == (0,) else mask.argmin()))


def which(mask: Mask) -> Rows:
    """The rows that a column (n,) says yes of, rising."""
    # As np.flatnonzero, in a third of the time where the column is short.
    return mask.nonzero()[0]


def smallest(column: Scalars) -> float:
    """The smallest number of a column (n,); inf where it is empty."""
    return float(column[0] if len(column) and column.strides[0] == 0 else column.min(initial=np.inf))


def largest(column: Scalars) -> float:
    """The largest number of a column (n,) that holds none below 0; 0 where it is empty."""
    return float(column[0]) if same_for_all(column) else float(column.max(initial=0.0))


def clamp(x: Scalars, low: Scalars | float, high: Scalars | float) -> Scalars:
    """The numbers, none below `low` or above `high`."""
    return np.minimum(np.maximum(x, low), high)


def ratio(over: Scalars, under: Scalars | float) -> Scalars:
    """`over / under`, with 0 for a divisor of nothing."""
    divisor = np.asarray(under, dtype=np.float64)
    small = np.abs(divisor) < EPSILON
    return np.where(small, 0.0, over / np.where(small, 1.0, divisor))


def firsts(owner: Rows) -> Rows:
    """Where in a column (p,) in which owners come one after another each of them begins."""
    begins = np.ones(len(owner), dtype=np.bool_)
    np.not_equal(owner[1:], owner[:-1], out=begins[1:])
    return which(begins)


def totals(owner: Rows, values: Scalars, n: int) -> Scalars:
    """The sums of the values (p,) of each of n owners, (n,)."""
    return np.bincount(owner, values, minlength=n).astype(np.float64, copy=False)
