"""Frozen objects with some of their fields changed: a step makes dozens of them."""

from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from .scalars import Mask, Rows, put
from .vectors import picked

Self = TypeVar("Self", bound="Columns")
T = TypeVar("T")
WHOLE = "_whole"
"""Under what columns that are taken later keep those from which they are taken, and the rows."""

if TYPE_CHECKING:
    # Type checkers know this function, and compare the changes with the fields.
    from dataclasses import replace as replace
else:

    def replace(instance: Any, **changes: Any) -> Any:
        """As `dataclasses.replace`, in a tenth of the time, for dataclasses without `__post_init__`.

        What is computed once (`once`) is computed again. Raises TypeError if a change names no field.
        """
        kind, known = type(instance), instance.__dict__
        names = _names(kind)
        if not changes.keys() <= names.keys():
            raise TypeError(f"{kind.__name__} has no field {', '.join(changes.keys() - names.keys())}")
        if WHOLE in known or len(known) > len(names):
            whole, known = known.get(WHOLE), {name: known[name] for name in names if name in known}
            if len(known.keys() | changes.keys()) < len(names):
                known[WHOLE] = whole
        changed = object.__new__(kind)
        # In `__dict__`, as the instance is frozen.
        changed.__dict__.update(known)
        changed.__dict__.update(changes)
        return changed


@dataclass(frozen=True)
class Columns:
    """Arrays of one row for each of n, other such columns, and what holds for all of them."""

    def take(self: Self, rows: Rows | Mask) -> Self:
        """The same of some rows; each column is taken when it is first asked for."""
        return take_later(self, rows)

    def put(self: Self, rows: Rows | Mask, few: Self) -> Self:
        """The same with other columns in some rows."""
        kind: Any = type(self)
        names = _names(kind)
        return replace(self, **{name: put(getattr(self, name), rows, getattr(few, name)) for name in names})


def take_later(whole: T, rows: Rows | Mask) -> T:
    """As `Columns.take`, of any frozen dataclass of columns."""
    kind: Any = type(whole)
    _make_later(kind)
    few: Any = object.__new__(kind)
    few.__dict__[WHOLE] = whole, rows
    return few


class _Later:
    """Stands for a field in the class: takes the column of an instance that does not have it yet."""

    def __init__(self, kind: type[Any], name: str) -> None:
        self._name, self._default = name, getattr(kind, name, None)

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self._default
        if WHOLE not in instance.__dict__:
            raise AttributeError(f"{owner.__name__} has no {self._name}")
        whole, rows = instance.__dict__[WHOLE]
        column = getattr(whole, self._name)
        if isinstance(column, (np.ndarray, Columns)):
            column = rows_of(column, rows)
        instance.__dict__[self._name] = column
        return column


@cache
def _make_later(kind: Any) -> None:
    """Prepare a class for `take`. A frozen dataclass keeps its fields in `__dict__`, which hides what stands here."""
    for name in _names(kind):
        setattr(kind, name, _Later(kind, name))


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
def _names(kind: type[Any]) -> dict[str, None]:
    """The names of all fields, in their order."""
    return dict.fromkeys(f.name for f in fields(kind))
