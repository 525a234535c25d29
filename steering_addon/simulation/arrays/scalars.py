"""Arrays of scalars: columns with a number, a truth or a row for each agent, and what is asked of them.

A mask or setting that is the same for all n agents is stored once, as a column with a stride of 0: `alike` makes it,
`same_for_all` recognises it.
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Scalars = NDArray[np.float64]
"""(n,) one number per agent."""
Rows = NDArray[np.int64]
"""(n,) row numbers, -1 for none."""
Mask = NDArray[np.bool_]
"""(n,) one boolean per agent."""
Number = Scalars
"""The type of a declared parameter: a number in the class, an (n,) column in an instance."""

EPSILON = 1e-12
"""The smallest divisor for lengths: far below a micrometre, and its square is far above underflow."""


def put(column: Any, rows: Rows | Mask, values: Any) -> Any:
    """A copy of a column, or of vectors, with these values in some rows."""
    changed = column.copy(order="K")
    changed[rows] = values
    return changed


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
    return shared(False, n, np.bool_)


def all_of(n: int) -> Mask:
    """A read-only mask (n,) of True."""
    return shared(True, n, np.bool_)


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


def rows_of_least(owner: Rows, values: Scalars) -> Rows:
    """The row of the least of the values (p,) of each run of equal owners in a column (p,); (g,)."""
    first = firsts(owner)
    lengths = np.diff(first, append=len(owner))
    rows = which(values == np.repeat(np.minimum.reduceat(values, first), lengths)) if len(first) else first
    return rows[firsts(owner[rows])]


def grouped(*keys: Any) -> tuple[Rows, Rows, Rows]:
    """Groups of the rows that are alike in all columns (n,), sorted by the first of these, then by the next. Returns
    `group`: (n,) the group of each row, from 0 on; `order`: (n,) the rows, group by group; `starts`: (g,) where each
    group begins in that order."""
    order = np.lexsort(keys[::-1])
    begins = np.ones(len(order), dtype=np.bool_)
    begins[1:] = False
    for key in keys:
        begins[1:] |= key[order[1:]] != key[order[:-1]]
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.cumsum(begins) - 1
    return group, order, which(begins)


def distinct_rows(table: NDArray[np.float64]) -> tuple[NDArray[np.float64], Rows]:
    """The distinct rows of a table (n, c) in rising order, (d, c), and which of them each row is, (n,)."""
    if (table[:1] == table).all():
        return table[:1], np.zeros(len(table), dtype=np.int64)
    which_of, order, starts = grouped(*table.T)
    return table[order[starts]], which_of


def counted(number: Rows) -> tuple[Rows, Rows]:
    """For each of (k,) numbers its row as many times, and the count from 0 within each, (sum,)."""
    owner = np.repeat(np.arange(len(number)), number)
    return owner, np.arange(len(owner)) - (np.cumsum(number) - number)[owner]


def total(values: Scalars) -> float:
    """The sum of numbers of any shape, added in their order."""
    return float(np.cumsum(values.ravel())[-1]) if values.size else 0.0


def smooth_step(x: Scalars) -> Scalars:
    """A smooth step from 0 to 1 over x from 0 to 1, x^2 (3 - 2 x); any shape."""
    return x * x * (3.0 - 2.0 * x)


def totals(owner: Rows, values: Scalars, n: int) -> Scalars:
    """The sum of the values (p,) that belong to each of n owners; owner (p,) to (n,)."""
    return np.bincount(owner, values, minlength=n).astype(np.float64, copy=False)


def least_of_each(count: int, owner: Rows, values: Scalars) -> Scalars:
    """The smallest value of each of some owners, (p,) to (count,), inf for one without any; `owner` is (p,)."""
    smallest = np.full(count, np.inf)
    np.minimum.at(smallest, owner, values)
    return smallest
