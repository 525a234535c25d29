"""Arrays of vectors: the few operations that the rest of the code is written in.

They use + - * / sqrt and comparisons only, written out by component: numpy's reductions and matrix products may add in
another order on another processor, and the same input must give the same bytes everywhere.

Vectors are (n, 3) with each component contiguous in memory, as the state of a run is; level ones may be (n, 2), as seen
from above.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .scalars import EPSILON, Mask, Rows, Scalars, anybody

Vectors = NDArray[np.float64]
"""(n, 3) one vector per agent, or (n, 2) as seen from above."""
QUICK_TAKE = bool(np.lib.NumpyVersion(np.__version__) >= "1.25.0")
"""Whether `take` that clips is faster than indexing; in the numpy of Blender 4.2 it takes twice as long."""
FEW = 256
"""Up to so many rows `take` is the fastest as it is; with many it is slow unless it clips, from numpy 1.25 on."""
TINIEST = 5e-324
"""The smallest positive float64."""


def from_above(v: Vectors) -> Vectors:
    """A view of the vectors (n, 3) as seen from above, (n, 2)."""
    return v[:, :2]


def in_space(v: Vectors) -> Vectors:
    """Vectors as seen from above, (n, 2), as level ones in space, (n, 3)."""
    return columns(v[:, 0], v[:, 1], 0.0)


def paired(x: Scalars, y: Scalars) -> Vectors:
    """Vectors as seen from above from their components, (n,) each to (n, 2), each component contiguous in memory."""
    memory = np.empty((2, len(x)))
    memory[0], memory[1] = x, y
    return memory.T


def columns(x: Scalars, y: Scalars | float, z: Scalars | float) -> Vectors:
    """Vectors from their components, (...) each to (..., 3), each component contiguous in memory. Arithmetic on such
    vectors gives such vectors, and takes half the time."""
    memory = np.empty((3, *x.shape))
    memory[0], memory[1], memory[2] = x, y, z
    # np.moveaxis takes twice as long as all the rest.
    return memory.T if x.ndim == 1 else memory.transpose((*range(1, memory.ndim), 0))


def in_columns(v: Vectors) -> Vectors:
    """A copy of the vectors (n, 3) with each component contiguous in memory."""
    return columns(v[:, 0], v[:, 1], v[:, 2])


def picked(v: Vectors, rows: Rows | Mask) -> Vectors:
    """The vectors of some rows, (n, 3) to (m, 3), with each component contiguous in memory."""
    some: Any = rows.nonzero()[0] if rows.dtype == np.bool_ else rows
    return (v.T.take(some, axis=1) if some.size < FEW else taken(v.T, some)).T


def taken(components: Vectors, rows: Rows) -> Vectors:
    """Vectors by component, (3, n), of some rows (...); (3, ...), with each component contiguous in memory."""
    if rows.size < FEW:
        return components.take(rows, axis=1)
    if QUICK_TAKE and components.strides[1] == components.itemsize:
        # Negative rows would be clipped to 0: nobody picks them.
        return components.take(rows, axis=1, mode="clip")
    memory = np.empty((len(components), *rows.shape))
    for component, place in zip(components, memory):
        place[...] = component[rows]
    return memory


def no_vectors(n: int) -> Vectors:
    """Zero vectors, (n, 3)."""
    return np.zeros((3, n)).T


def dot(a: Vectors, b: Vectors) -> Scalars:
    """The dot products, (..., 3) and (..., 3) to (...)."""
    products = a * b
    total = products[..., 0] + products[..., 1]
    if products.shape[-1] == 3:
        total += products[..., 2]
    return np.asarray(total, dtype=np.float64)


def cross(a: Vectors, b: Vectors) -> Vectors:
    """The cross products, (..., 3) and (..., 3) to (..., 3); right-handed: side = cross(forward, up)."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return columns(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)


def magnitude(v: Vectors) -> Scalars:
    """The lengths of the vectors, (..., 3) to (...)."""
    return np.sqrt(dot(v, v))


def unit(v: Vectors) -> Vectors:
    """The unit directions of the vectors, (..., 3) to (..., 3); a zero vector stays zero."""
    # Blender's matrices are float32, in which TINIEST would be 0.
    v = np.asarray(v, dtype=np.float64)
    # Dividing by the largest component first keeps the squares from underflow and overflow.
    sizes = np.abs(v)
    largest = np.maximum(sizes[..., 0], sizes[..., 1])
    if v.shape[-1] == 3:
        largest = np.maximum(largest, sizes[..., 2])
    scaled = v / np.maximum(largest, TINIEST)[..., None]
    scaled /= np.maximum(magnitude(scaled), EPSILON)[..., None]
    return scaled


def unit_or(v: Vectors, others: Vectors | Sequence[float]) -> Vectors:
    """The unit directions of the vectors, and of zero vectors those of `others`, unit vectors; (..., 3) each."""
    direction = unit(v)
    return np.where((magnitude(direction) < 0.5)[..., None], others, direction)


def level_side(forward: Vectors) -> tuple[Vectors, Scalars]:
    """The horizontal unit directions to the right of unit headings (n, 3).

    Returns:
        side: (n, 3) cross(forward, (0, 0, 1)) scaled to length 1; zero for a vertical heading.
        flatness: (n,) its length before, from 0 for a vertical heading to 1 for a level one.
    """
    x, y = forward[:, 0], forward[:, 1]
    flatness = np.sqrt(x * x + y * y)
    level = np.where(flatness > EPSILON, flatness, np.inf)
    return columns(y / level, -x / level, 0.0), flatness


def truncate(v: Vectors, longest: Scalars | float) -> Vectors:
    """The vectors (..., 3), shortened to at most `longest` (...) (paper, A Simple Vehicle Model)."""
    length = magnitude(v)
    too_long = length > longest
    if not anybody(too_long):
        return v
    return v * np.minimum(longest / np.maximum(length, EPSILON), 1.0)[..., None]


def across(v: Vectors, direction: Vectors) -> Vectors:
    """The components of vectors v perpendicular to unit directions d, v - (v . d) d; (..., 3) each to (..., 3).
    OpenSteer calls it the perpendicular component."""
    return v - dot(v, direction)[..., None] * direction


def squared(axes: Vectors) -> Vectors:
    """Orthonormal right-handed axes, as rows, from axes that nearly are; (k, 3, 3) to (k, 3, 3) (Gram-Schmidt)."""
    x = unit(axes[:, 0])
    y = unit(across(axes[:, 1], x))
    return np.stack((x, y, cross(x, y)), axis=1)
