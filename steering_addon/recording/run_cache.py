"""A run as far as it has come, kept for going back to: what a preview scrubs through.

Of each frame there is what came out, and a digest of what came in, so that after a change of the scene everything up to
the first frame it tells on still holds. States are large: while they are few each is kept, then every second, every
fourth and so on; from the nearest one before, a run goes on as if it had never stopped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..simulation.snapshot import State

MOST_BYTES = 256 << 20
"""Memory that the kept states of a run may take, roughly."""


@dataclass(frozen=True)
class _Frame:
    """What is kept of every frame.

    Attributes:
        came_in: the digest of what the frame was made from.
        came_out: whatever whoever keeps the run wants to know of it.
    """

    came_in: bytes
    came_out: Any


class KeptRun:
    """The frames of a run from the first to the last it has come to, without gaps."""

    def __init__(self, first: int, most_bytes: int = MOST_BYTES) -> None:
        self.first = first
        self._most_bytes = most_bytes
        self._frames: list[_Frame] = []
        self._states: dict[int, State] = {}
        self._every = 1

    @property
    def last(self) -> int:
        """The last frame kept; the one before the first where there is none."""
        return self.first + len(self._frames) - 1

    @property
    def states(self) -> tuple[int, ...]:
        """The frames whose states are kept."""
        return tuple(self._states)

    def keep(self, state: State, came_in: bytes, came_out: Any) -> None:
        """Keep one more frame, the one after the last."""
        last = self.last
        if last in self._states and (last - self.first) % self._every:
            del self._states[last]
        self._frames.append(_Frame(came_in, came_out))
        self._states[self.last] = state
        while len(self._states) > 2 and len(self._states) * size(state) > self._most_bytes:
            self._every *= 2
            self._states = {
                frame: kept
                for frame, kept in self._states.items()
                if frame == self.last or not (frame - self.first) % self._every
            }

    def came_out(self, frame: int) -> Any:
        """What was kept with a frame."""
        return self._frames[frame - self.first].came_out

    def holds(self, frame: int, came_in: bytes) -> bool:
        """Whether a frame is kept and was made from the same."""
        return frame <= self.last and self._frames[frame - self.first].came_in == came_in

    def go_back(self, frame: int) -> State | None:
        """Forget all that comes after a frame, or after the nearest one before whose state is kept; returns that.

        None where there is no such state; then the run is empty.
        """
        nearest = max((kept for kept in self._states if kept <= frame), default=self.first - 1)
        del self._frames[nearest - self.first + 1 :]
        self._states = {kept: state for kept, state in self._states.items() if kept <= nearest}
        return self._states.get(nearest)


def digest(thing: Any) -> bytes:
    """A number for the values of a snapshot, a state or the like; the same values have the same one."""
    found = hashlib.blake2b(digest_size=16)
    for leaf in _leaves(thing):
        if isinstance(leaf, np.ndarray):
            found.update(f"{leaf.dtype.str}{leaf.shape}".encode())
            found.update(np.ascontiguousarray(_unrepeated(leaf)).data)
        else:
            found.update(repr(leaf).encode())
    return found.digest()


def size(thing: Any) -> int:
    """Bytes of the arrays in a snapshot, a state or the like."""
    taken = 0
    for leaf in _leaves(thing):
        if isinstance(leaf, np.ndarray):
            taken += _unrepeated(leaf).nbytes
    return taken


def _unrepeated(array: NDArray[Any]) -> NDArray[Any]:
    """A column that is one value over and over as that value alone."""
    return array[:1] if array.strides == (0,) else array


def _leaves(thing: Any) -> Iterator[Any]:
    """All values within, in order, with the names of what holds them."""
    if is_dataclass(thing):
        yield type(thing).__name__
        for field in fields(thing):
            yield from _leaves(getattr(thing, field.name))
    elif isinstance(thing, Mapping):
        for name, value in thing.items():
            yield name
            yield from _leaves(value)
    elif isinstance(thing, tuple | list):
        yield len(thing)
        for value in thing:
            yield from _leaves(value)
    else:
        yield thing
