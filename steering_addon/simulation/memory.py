"""Memory: what a behavior remembers of each of its agents from one step to the next.

A memory is a frozen dataclass of columns, one row an agent. Its fields are declared by `remembered` with the value that
an agent has before anything happened:

    @dataclass(frozen=True)
    class Patrolling(Memory):
        leg: Rows = remembered(0)
        way: Vectors = remembered((0.0, 0.0, 0.0))
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from .arrays.frozen import Columns, replace, rows_of
from .arrays.scalars import Mask, Rows, Scalars

Self = TypeVar("Self", bound="Memory")

RECENT = 1.5
"""Times as long as from one decision to the next for which it counts what one asked."""


def remembered(initial: bool | int | float | tuple[float, ...]) -> Any:
    """A column of a memory: (n,) of the type of its initial value, or (n, k) where that has k components."""
    return field(metadata={"initial": initial})


@dataclass(frozen=True)
class Memory(Columns):
    """Columns of one row an agent; a new step makes a new memory."""

    @classmethod
    def blank(cls: type[Self], n: int) -> Self:
        """The memory of n agents to which nothing has happened yet."""
        kind: Any = cls
        return cls(**{name: _filled(initial, n) for name, initial in _initials(kind).items()})

    def take(self: Self, rows: Rows | Mask) -> Self:
        """The memory of some agents, all of it now: it must not keep that of the others."""
        return replace(self, **{name: rows_of(column, rows) for name, column in vars(self).items()})


def recently(asked: Scalars, time: float, interval: float) -> Mask:
    """Whether agents asked when they were to decide last, (n,). `asked`: (n,) the time at which each last did, seconds;
    `time`: now; `interval`: seconds from one decision to the next."""
    return asked > time - RECENT * interval


def memory_among(kind: type[Self], memories: Iterable[Memory]) -> Self | None:
    """The memory of a kind that all vehicles see; None where no vehicle has any."""
    return next(memories_among(kind, memories), None)


def memories_among(kind: type[Self], memories: Iterable[Memory]) -> Iterator[Self]:
    """The memories of a kind."""
    return (memory for memory in memories if isinstance(memory, kind))


@cache
def _initials(memory: type[Any]) -> Mapping[str, Any]:
    return MappingProxyType({f.name: f.metadata["initial"] for f in fields(memory)})


def _filled(initial: Any, n: int) -> Any:
    if isinstance(initial, tuple):
        return np.array([np.full(n, component) for component in initial]).T
    # In a fraction of the time of a full array.
    return np.full(n, initial) if initial else np.zeros(n, type(initial))
