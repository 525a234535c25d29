"""Frozen objects with some of their fields changed: a step makes dozens of them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .vectors import Mask, Rows, picked

Self = TypeVar("Self", bound="Columns")

if TYPE_CHECKING:
    # Type checkers know this function, and compare the changes with the fields.
    from dataclasses import replace as replace
else:

    def replace(instance: Any, **changes: Any) -> Any:
        """As `dataclasses.replace`, in a tenth of the time, for dataclasses without `__post_init__`.

        What is computed once (`once`) is computed again.

        Raises:
            TypeError: a change names no field.
        """
        kind = type(instance)
        changed = object.__new__(kind)
        # In `__dict__`, as the instance is frozen.
        known, values = instance.__dict__, changed.__dict__
        for name in _names(kind):
            values[name] = changes.pop(name) if name in changes else known[name]
        if changes:
            raise TypeError(f"{kind.__name__} has no field {', '.join(changes)}")
        return changed


@dataclass(frozen=True)
class Columns:
    """Arrays of one row for each of n, other such columns, and what holds for all of them."""

    def take(self: Self, rows: Rows | Mask) -> Self:
        """The same of some rows."""
        kind: Any = type(self)
        columns = ((name, vars(self)[name]) for name in _names(kind))
        kinds = np.ndarray, Columns
        return replace(self, **{name: rows_of(column, rows) for name, column in columns if isinstance(column, kinds)})


def rows_of(column: Any, rows: Rows | Mask) -> Any:
    """Some rows of a column; what is stored once for all rows stays so."""
    if isinstance(column, Columns):
        return column.take(rows)
    if not column.strides[0] and rows.dtype != np.bool_ and len(rows) <= len(column):
        # A slice costs less than np.broadcast_to.
        return column[: len(rows)]
    if column.ndim != 2 or column.dtype != np.float64:
        return column[rows]
    return picked(column, rows) if column.shape[1] <= 3 else column.T[:, rows].T


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    """The names of all fields."""
    return tuple(f.name for f in fields(kind))
