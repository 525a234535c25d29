"""Arrays of vectors: the few operations that the rest of the code is written in.

They use + - * / sqrt and comparisons only, written out by component: numpy's reductions and matrix products may add in
another order on another processor, and the same input must give the same bytes everywhere.

Vectors are (n, 3) with each component contiguous in memory, as the state of a run is; level ones may be (n, 2), as seen
from above. A mask or setting that is the same for all n agents is stored once, as a column with a stride of 0: `alike`
makes it, `same_for_all` recognises it.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Scalars = NDArray[np.float64]
"""(n,) one number per agent."""
Vectors = NDArray[np.float64]
"""(n, 3) one vector per agent, or (n, 2) as seen from above."""
Rows = NDArray[np.int64]
"""(n,) row numbers, -1 for none."""
Mask = NDArray[np.bool_]
"""(n,) one boolean per agent."""
Number = Scalars
"""The type of a declared parameter: a number in the class, an (n,) column in an instance."""

QUICK_TAKE = bool(np.lib.NumpyVersion(np.__version__) >= "1.25.0")
"""Whether `take` that clips is faster than indexing; in the numpy of Blender 4.2 it takes twice as long."""
EPSILON = 1e-12
"""The smallest divisor for lengths: far below a micrometre, and its square is far above underflow."""
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
    """Vectors from their components, (...) each to (..., 3), each component contiguous in memory.

    Arithmetic on such vectors gives such vectors, and takes half the time.
    """
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
    return taken(v.T, some).T


def taken(components: Vectors, rows: Rows) -> Vectors:
    """Vectors by component, (3, n), of some rows (...); (3, ...), with each component contiguous in memory."""
    # Which is the fastest depends on the number: `take` is slow with many rows unless it clips, from numpy 1.25 on.
    if rows.size < 256:
        return components.take(rows, axis=1)
    if QUICK_TAKE and components.strides[1] == components.itemsize:
        # Negative rows would be clipped to 0: nobody picks them.
        return components.take(rows, axis=1, mode="clip")
    memory = np.empty((len(components), *rows.shape))
    for component, place in zip(components, memory):
        place[...] = component[rows]
    return memory


def put(column: Any, rows: Rows | Mask, values: Any) -> Any:
    """A copy of a column, or of vectors, with these values in some rows."""
    changed = column.copy(order="K")
    changed[rows] = values
    return changed


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

    OpenSteer calls it the perpendicular component.
    """
    return v - dot(v, direction)[..., None] * direction


def squared(axes: Vectors) -> Vectors:
    """Orthonormal right-handed axes, as rows, from axes that nearly are; (k, 3, 3) to (k, 3, 3) (Gram-Schmidt)."""
    x = unit(axes[:, 0])
    y = unit(across(axes[:, 1], x))
    return np.stack((x, y, cross(x, y)), axis=1)


def same_for_all(column: Any) -> bool:
    """Whether a column (n,) holds one value n times; False for an empty one."""
    # A stride of 0 says so without looking at the values.
    return len(column) > 0 and (column.strides[0] == 0 or everybody(column == column[0]))


def alike(value: Any, n: int, dtype: type[Any] = np.float64) -> Any:
    """A read-only column (n,) of one value, stored once (stride 0)."""
    # np.broadcast_to takes three times as long, and many columns are made on every frame.
    single: Any = np.array(value, dtype=dtype)
    column: Any = np.ndarray((n,), dtype, buffer=single, strides=(0,))
    column.flags.writeable = False
    return column


@lru_cache(maxsize=64)
def shared(value: Any, n: int, dtype: type[Any] = np.float64) -> Any:
    """As `alike`, from a cache. Do not use it for 0.0: the cache cannot distinguish it from -0.0."""
    return alike(value, n, dtype)


def nobody(n: int) -> Mask:
    """A read-only mask (n,) of False."""
    mask: Mask = shared(False, n, np.bool_)
    return mask


def anybody(mask: Mask) -> bool:
    """Whether any entry of a mask (n,) is True."""
    # A stride of 0 makes the first entry enough. argmax stops at the first True, in a third of the time of `any`.
    return bool(mask.size and mask.item(0 if mask.strides == (0,) else mask.argmax()))


def everybody(mask: Mask) -> bool:
    """Whether all entries of a mask (n,) are True."""
    return not mask.size or bool(mask.item(0 if mask.strides == (0,) else mask.argmin()))


def which(mask: Mask) -> Rows:
    """The rows (m,) at which a mask (n,) is True, in ascending order."""
    # np.flatnonzero takes three times as long for a short mask.
    return mask.nonzero()[0]


def smallest(column: Scalars) -> float:
    """The smallest number of a column (n,); inf for an empty one."""
    return float(column[0] if len(column) and column.strides[0] == 0 else column.min(initial=np.inf))


def largest(column: Scalars) -> float:
    """The largest number of a column (n,) without negative numbers; 0 for an empty one."""
    return float(column[0]) if same_for_all(column) else float(column.max(initial=0.0))


def clamp(x: Scalars, low: Scalars | float, high: Scalars | float) -> Scalars:
    """The numbers limited to [low, high]; any shapes that broadcast."""
    return np.minimum(np.maximum(x, low), high)


def ratio(over: Scalars, under: Scalars | float) -> Scalars:
    """`over / under`, or 0 where the divisor is below EPSILON; any shapes that broadcast."""
    divisor = np.asarray(under, dtype=np.float64)
    small = np.abs(divisor) < EPSILON
    return np.where(small, 0.0, over / np.where(small, 1.0, divisor))


def firsts(owner: Rows) -> Rows:
    """The first row of each run of equal owners in a column (p,); (g,), ascending."""
    begins = np.ones(len(owner), dtype=np.bool_)
    np.not_equal(owner[1:], owner[:-1], out=begins[1:])
    return which(begins)


def grouped(*keys: Any) -> tuple[Rows, Rows, Rows]:
    """Groups of the rows that are alike in all columns (n,), sorted by the first of these, then by the next.

    Returns:
        group: (n,) the group of each row, from 0 on.
        order: (n,) the rows, group by group.
        starts: (g,) where each group begins in that order.
    """
    order = np.lexsort(keys[::-1])
    begins = np.ones(len(order), dtype=np.bool_)
    begins[1:] = False
    for key in keys:
        begins[1:] |= key[order[1:]] != key[order[:-1]]
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.cumsum(begins) - 1
    return group, order, which(begins)


def distinct_rows(table: Vectors) -> tuple[Vectors, Rows]:
    """The distinct rows of a table (n, c) in rising order, (d, c), and which of them each row is, (n,)."""
    if (table[:1] == table).all():
        return table[:1], np.zeros(len(table), dtype=np.int64)
    which_of, order, starts = grouped(*table.T)
    return table[order[starts]], which_of


def counted(number: Rows) -> tuple[Rows, Rows]:
    """For each of (k,) numbers its row as many times, and the count from 0 within each, (sum,)."""
    owner = np.repeat(np.arange(len(number)), number)
    return owner, np.arange(len(owner)) - (np.cumsum(number) - number)[owner]


def totals(owner: Rows, values: Scalars, n: int) -> Scalars:
    """The sum of the values (p,) that belong to each of n owners; owner (p,) to (n,)."""
    return np.bincount(owner, values, minlength=n).astype(np.float64, copy=False)
