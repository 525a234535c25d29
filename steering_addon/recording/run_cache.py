"""A cache of the frames of a run, through which a preview scrubs.

For each frame the output is kept, and a digest of the input, so that after a change of the scene all frames before the
first affected one stay valid. States are large: at first each is kept, later every second, every fourth and so on; from
the nearest earlier state a run continues as if it had never stopped.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..simulation.snapshot import State

MOST_BYTES = 256 << 20
"""Approximate limit of the memory for the kept states of a run."""
MEASURED = 16
"""Of how many states one is measured, which takes as long as a small simulation step."""


@dataclass(frozen=True)
class _Frame:
    """The part of a frame that is always kept. `came_in`: the digest of the frame's input; `came_out`: the output, as
    given to `keep`."""

    came_in: bytes
    came_out: Any


class KeptRun:
    """The frames of a run from the first to the last computed, without gaps."""

    def __init__(self, first: int, most_bytes: int = MOST_BYTES) -> None:
        self.first = first
        self._most_bytes = most_bytes
        self._frames: list[_Frame] = []
        self._states: dict[int, State] = {}
        self._every = 1
        self._bytes = 0

    @property
    def last(self) -> int:
        """The last frame kept; the one before the first if none is."""
        return self.first + len(self._frames) - 1

    @property
    def states(self) -> tuple[int, ...]:
        """The frames whose states are kept."""
        return tuple(self._states)

    def keep(self, state: State, came_in: bytes, came_out: Any) -> None:
        """Keep the frame after the last."""
        last = self.last
        if last in self._states and (last - self.first) % self._every:
            del self._states[last]
        self._frames.append(_Frame(came_in, came_out))
        self._states[self.last] = state
        if len(self._frames) % MEASURED == 1:
            self._bytes = size(state)
        while len(self._states) > 2 and len(self._states) * self._bytes > self._most_bytes:
            self._every *= 2
            self._states = {
                frame: stored
                for frame, stored in self._states.items()
                if frame == self.last or not (frame - self.first) % self._every
            }

    def came_out(self, frame: int) -> Any:
        """The output of a frame."""
        return self._frames[frame - self.first].came_out

    def holds(self, frame: int, came_in: bytes) -> bool:
        """Whether a frame is kept and had this input."""
        return frame <= self.last and self._frames[frame - self.first].came_in == came_in

    def go_back(self, frame: int) -> State | None:
        """Forget all frames after this one, or after the nearest earlier one with a kept state; returns that state.
        None if there is no such state; then the run is empty."""
        nearest = max((stored for stored in self._states if stored <= frame), default=self.first - 1)
        del self._frames[nearest - self.first + 1 :]
        self._states = {stored: state for stored, state in self._states.items() if stored <= nearest}
        return self._states.get(nearest)


def digest(thing: Any) -> bytes:
    """A digest of the values of a snapshot, a state or another nested structure; equal values have equal digests."""
    digested = hashlib.blake2b(digest_size=16)
    for leaf in _leaves(thing):
        if isinstance(leaf, np.ndarray):
            digested.update(f"{leaf.dtype.str}{leaf.shape}".encode())
            digested.update(np.ascontiguousarray(_without_repeats(leaf)).data)
        else:
            digested.update(repr(leaf).encode())
    return digested.digest()


def size(thing: Any, besides: Any = None) -> int:
    """Bytes of the arrays in a snapshot, a state or another nested structure, without those that `besides` holds."""
    held = {id(leaf) for leaf in _leaves(besides)}
    total = 0
    for leaf in _leaves(thing):
        if isinstance(leaf, np.ndarray) and id(leaf) not in held:
            total += _without_repeats(leaf).nbytes
    return total


def _without_repeats(array: NDArray[Any]) -> NDArray[Any]:
    """The array; of a column that repeats one value in memory, that value alone."""
    return array[:1] if array.strides == (0,) else array


def _leaves(thing: Any) -> Iterator[Any]:
    """All values within, in order, with the names of their containers."""
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
