"""Whether baked keys were edited since: each bake notes checksums of the values that it wrote."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from .keyframes import FRAME_TOLERANCE, read_column
from .ownership import CurrentAnimation

if TYPE_CHECKING:
    from bpy.types import Object

LARGEST = 2**31 - 1
"""The largest number of a custom property."""


def checksum(columns: Iterable[np.ndarray]) -> int:
    """A number for the values (f,) of the components of a channel; never 0, which stands for no checksum."""
    total = 0
    for column in columns:
        total = zlib.crc32(np.ascontiguousarray(column, dtype=np.float32).tobytes(), total)
    return total & LARGEST or 1


def has_edited_keys(ob: Object) -> bool:
    """Whether the keys of the bake that an object plays have other values or frames than the bake gave them."""
    played = CurrentAnimation(ob)
    record = played.record
    if record is None:
        return False
    frames = np.arange(record.first, record.last + 0.5)
    for path, noted in zip(record.channels, record.keys):
        if not noted:
            continue
        columns = []
        for _, curve in sorted(played.curves(path).items()):
            # In single precision, late frames would count as others.
            at, values = read_column(curve, "co").astype(np.float64).T
            ours = (at > record.first - FRAME_TOLERANCE) & (at < record.last + FRAME_TOLERANCE)
            if ours.sum() != len(frames) or (np.abs(at[ours] - frames) > FRAME_TOLERANCE).any():
                return True
            columns.append(values[ours])
        if checksum(columns) != noted:
            return True
    return False
