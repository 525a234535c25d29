"""From the poses of vehicles in the world to the numbers of their own channels, frame after frame."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..animation.rotation_channels import RotationTrack, width_of
from ..read.local_space import to_local
from ..read.object_vehicles import ObjectVehicles

AT_ONCE = 1 << 14
"""Poses converted at a time: few enough for all intermediate arrays to stay in the processor's cache."""


class Converted(NamedTuple):
    """The channels of some vehicles on some frames.

    Attributes:
        rows: the k vehicles, to index arrays by.
        location: (f, k, 3).
        rotation: (f, k, 3 or 4), angles in radians.
    """

    rows: slice | list[int]
    location: np.ndarray
    rotation: np.ndarray


class ChannelConverter:
    """Converts the poses of vehicles that are objects, given frame after frame in pieces, to their own channels.

    Vehicles alike in rotation mode and axes are converted together, a few at a time.

    Attributes:
        order: the rows of all vehicles, those that are converted together side by side.
    """

    def __init__(self, source: ObjectVehicles, near: np.ndarray, frames: int = 1) -> None:
        """Start with the rotation channels `near` (n, 4), which the first frame continues; `frames` a piece at most."""
        part_of = {row: k for k, row in enumerate(source.parented)}
        self._batches: list[_Batch] = []
        self.order: list[int] = []
        for (mode, _), alike in source.alike.items():
            free, parented = [row for row in alike if row not in part_of], [row for row in alike if row in part_of]
            self.order += [*free, *parented]
            for rows in (*_pieces(free, max(AT_ONCE // frames, 1)), *_pieces(parented, max(AT_ONCE // frames, 1))):
                parts = [part_of[row] for row in rows] if rows[0] in part_of else None
                self._batches.append(_Batch(source, rows, parts, mode, near))

    def extend(self, parts: np.ndarray, positions: np.ndarray, bases: np.ndarray) -> Iterator[Converted]:
        """The channels on the next frames.

        Args:
            parts: (f, p, 4, 4) the parents' parts of the vehicles that have a parent.
            positions: (f, n, 3) metres.
            bases: (f, n, 3, 3) side, forward and up as columns.
        """
        return (batch.converted(parts, positions, bases) for batch in self._batches)


class _Batch:
    """Vehicles that are converted together."""

    def __init__(
        self, source: ObjectVehicles, rows: list[int], parts: list[int] | None, mode: str, near: np.ndarray
    ) -> None:
        # A slice is taken out of an array faster than single rows.
        self._rows = slice(rows[0], rows[-1] + 1) if rows[-1] - rows[0] == len(rows) - 1 else rows
        self._parts = parts
        self._axes = source.axes[rows[0]]
        self._scales = source.scales(rows)
        self._track = RotationTrack(mode, near[self._rows, : width_of(mode)])

    def converted(self, parts: np.ndarray, positions: np.ndarray, bases: np.ndarray) -> Converted:
        location, turns = to_local(
            None if self._parts is None else np.asfortranarray(parts[:, self._parts]),
            np.asfortranarray(positions[:, self._rows]),
            np.asfortranarray(bases[:, self._rows]),
            self._axes,
            self._scales,
        )
        return Converted(self._rows, location, self._track.extend(turns))


def _pieces(rows: list[int], length: int) -> Iterator[list[int]]:
    """The rows, cut into pieces of this length at most."""
    return (rows[k : k + length] for k in range(0, len(rows), length))
