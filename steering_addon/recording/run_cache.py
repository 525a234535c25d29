"""The computed frames of a run, kept so that a preview can scrub through them.

For each frame the cache has its output and a digest of its input. After a change of the scene, every frame before the
first one with another input is still valid. States are large: all are kept while they fit into memory, then every
second, every fourth and so on. A run resumes from the nearest earlier state as if it had never stopped.
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
"""The approximate memory for the kept states of a run."""


@dataclass(frozen=True)
class _Frame:
    """The record of a frame.

    Attributes:
        input_digest: the digest of everything that the frame was computed from.
        output: any value that the caller wants back.
    """

    input_digest: bytes
    output: Any


class KeptRun:
    """The frames of a run, from the first to the last one computed, without gaps."""

    def __init__(self, first: int, most_bytes: int = MOST_BYTES) -> None:
        self.first = first
        self._most_bytes = most_bytes
        self._frames: list[_Frame] = []
        self._states: dict[int, State] = {}
        self._every = 1

    @property
    def last(self) -> int:
        """The last frame; `first - 1` if the run is empty."""
        return self.first + len(self._frames) - 1

    @property
    def states(self) -> tuple[int, ...]:
        """The frames whose states are kept."""
        return tuple(self._states)

    def keep(self, state: State, input_digest: bytes, output: Any) -> None:
        """Add the frame after the last one."""
        last = self.last
        if last in self._states and (last - self.first) % self._every:
            del self._states[last]
        self._frames.append(_Frame(input_digest, output))
        self._states[self.last] = state
        while len(self._states) > 2 and len(self._states) * size(state) > self._most_bytes:
            self._every *= 2
            self._states = {
                frame: kept
                for frame, kept in self._states.items()
                if frame == self.last or not (frame - self.first) % self._every
            }

    def output(self, frame: int) -> Any:
        """The output of a frame."""
        return self._frames[frame - self.first].output

    def holds(self, frame: int, input_digest: bytes) -> bool:
        """Whether the run has a frame that was computed from the same input."""
        return frame <= self.last and self._frames[frame - self.first].input_digest == input_digest

    def go_back(self, frame: int) -> State | None:
        """Drop the frames after the last kept state at or before a frame, and return that state.

        Without such a state the run becomes empty, and the result is None.
        """
        nearest = max((kept for kept in self._states if kept <= frame), default=self.first - 1)
        del self._frames[nearest - self.first + 1 :]
        self._states = {kept: state for kept, state in self._states.items() if kept <= nearest}
        return self._states.get(nearest)


def digest(value: Any) -> bytes:
    """A hash of the values in nested dataclasses, mappings, tuples and arrays, such as a snapshot or a state."""
    hasher = hashlib.blake2b(digest_size=16)
    for leaf in _leaves(value):
        if isinstance(leaf, np.ndarray):
            hasher.update(f"{leaf.dtype.str}{leaf.shape}".encode())
            hasher.update(np.ascontiguousarray(_unrepeated(leaf)).data)
        else:
            hasher.update(repr(leaf).encode())
    return hasher.digest()


def size(value: Any) -> int:
    """The bytes of the arrays in a snapshot or a state."""
    total = 0
    for leaf in _leaves(value):
        if isinstance(leaf, np.ndarray):
            total += _unrepeated(leaf).nbytes
    return total


def _unrepeated(array: NDArray[Any]) -> NDArray[Any]:
    """The array, or its first entry alone if it is a column of one value with a stride of 0."""
    return array[:1] if array.strides == (0,) else array


def _leaves(value: Any) -> Iterator[Any]:
    """All values within, in order, with the names of the classes and keys that hold them."""
    if is_dataclass(value):
        yield type(value).__name__
        for field in fields(value):
            yield from _leaves(getattr(value, field.name))
    elif isinstance(value, Mapping):
        for name, entry in value.items():
            yield name
            yield from _leaves(entry)
    elif isinstance(value, tuple | list):
        yield len(value)
        for entry in value:
            yield from _leaves(entry)
    else:
        yield value
