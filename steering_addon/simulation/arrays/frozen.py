"""Frozen objects with some of their fields changed: a step makes dozens of them."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any

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


@cache
def _names(kind: type[Any]) -> tuple[str, ...]:
    """The names of all fields."""
    return tuple(f.name for f in fields(kind))
