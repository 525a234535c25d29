"""From where vehicles are in the world to the numbers of their own channels, those that are alike together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..read.local_space import to_local
from ..read.object_vehicles import ObjectVehicles
from ..read.rotation_channels import channels_from_matrices, width_of

AT_ONCE = 1 << 14
"""Poses turned into channels at once: so few that all that is worked out on the way stays in the processor's cache."""


def channels(
    source: ObjectVehicles,
    parts: np.ndarray,
    positions: np.ndarray,
    bases: np.ndarray,
    near: np.ndarray,
) -> Iterator[tuple[list[int], np.ndarray, np.ndarray]]:
    """Rows of vehicles with their location (f, k, 3) and rotation (f, k, 3 or 4) channels.

    Vehicles that are alike in mode and axes are worked out together, a few at a time.

    Args:
        parts: (f, p, 4, 4) the parents' parts of the vehicles that have a parent.
        positions: (f, n, 3) metres.
        bases: (f, n, 3, 3) side, forward and up as columns.
        near: (n, 4) the rotation channels of the frame before, which the first frame comes next to.
    """
    part_of = {row: k for k, row in enumerate(source.parented)}
    at_once = max(AT_ONCE // len(positions), 1)
    for (mode, _), alike in source.alike().items():
        free, hanging = [row for row in alike if row not in part_of], [row for row in alike if row in part_of]
        for rows in (*_few(free, at_once), *_few(hanging, at_once)):
            locations, turns = to_local(
                np.asfortranarray(parts[:, [part_of[row] for row in rows]]) if rows[0] in part_of else None,
                np.asfortranarray(positions[:, _piece(rows)]),
                np.asfortranarray(bases[:, _piece(rows)]),
                source.axes[rows[0]],
                source.scales(rows),
            )
            yield rows, locations, channels_from_matrices(turns, mode, near[_piece(rows), : width_of(mode)])


def _few(rows: list[int], at_once: int) -> Iterator[list[int]]:
    """The rows, so many at a time."""
    return (rows[k : k + at_once] for k in range(0, len(rows), at_once))


def _piece(rows: list[int]) -> slice | list[int]:
    """The rows as they are taken out of an array fastest: as one piece where they are one."""
    return slice(rows[0], rows[-1] + 1) if rows[-1] - rows[0] == len(rows) - 1 else rows
