"""Whether baked keys were edited since: each bake notes checksums of what it wrote."""

import zlib
from collections.abc import Iterable, Sequence

import numpy as np
from bpy.types import Object

from .keyframes import FRAME_TOLERANCE, POINTS, Column, read_column
from .ownership import CurrentAnimation

LARGEST = 2**31 - 1
"""The largest number of a custom property."""


def checksum_of(columns: Iterable[Column]) -> int:
    """The checksum of the components of a channel, from what a bake writes."""
    return checksum(
        array
        for column in columns
        for array in ([column] if isinstance(column, np.ndarray) else shape_of(column.points))
    )


def shape_of(points: np.ndarray | Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """The columns of the points (3, k, 2) of keys that shape a curve from the first frame to the last. Blender computes
    the outermost handles where keys of the animator's are beyond."""
    return points[0], points[1][1:], points[2][:-1]


def checksum(columns: Iterable[np.ndarray]) -> int:
    """A number for some columns of numbers; never 0, which stands for no checksum."""
    total = 0
    for column in columns:
        total = zlib.crc32(np.ascontiguousarray(column, dtype=np.float32), total)
    return total & LARGEST or 1


def has_edited_keys(ob: Object) -> bool:
    """Whether the keys of the bake that an object plays have other values or frames than the bake gave them."""
    played = CurrentAnimation(ob)
    record = played.record
    if record is None:
        return False
    frames = np.arange(record.first, record.last + 0.5)
    low, high = record.first - FRAME_TOLERANCE, record.last + FRAME_TOLERANCE
    for path, noted in zip(record.channels, record.keys):
        if not noted:
            continue
        columns = []
        for _, curve in sorted(played.curves(path).items()):
            if path in record.thinned:
                points = [read_column(curve, name) for name in POINTS]
                start, end = curve.range()
                if not low < start <= end < high:
                    within = (points[0][:, 0] > low) & (points[0][:, 0] < high)
                    points = [column[within] for column in points]
                columns += shape_of(points)
                continue
            # In single precision, late frames would count as others.
            key_frames, values = read_column(curve, "co").astype(np.float64).T
            ours = (key_frames > low) & (key_frames < high)
            if ours.sum() != len(frames) or (np.abs(key_frames[ours] - frames) > FRAME_TOLERANCE).any():
                return True
            columns.append(values[ours])
        if checksum(columns) != noted:
            return True
    return False
