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
    """Arrays of one row for each of n, and what holds for all of them: fields that are no arrays."""

    def take(self: Self, rows: Rows | Mask) -> Self:
        """The same of some rows."""
        kind: Any = type(self)
        arrays = ((name, vars(self)[name]) for name in _names(kind))
        return replace(self, **{name: _taken(v, rows) for name, v in arrays if isinstance(v, np.ndarray)})


def _taken(column: Any, rows: Rows | Mask) -> Any:
    if column.ndim == 1:
        return column[rows]
    return picked(column, rows) if column.shape[1] <= 3 else column.T[:, rows].T


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    """The names of all fields."""
    return tuple(f.name for f in fields(kind))
