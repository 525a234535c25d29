"""Nested boxes: which of many triangles may matter to a point, most of them passed over.

Triangles that lie near each other are put into boxes, a few at a time, a few of these into a larger one and so on. All
points are looked up together, a level of boxes after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.vectors import EPSILON, Mask, Rows, Scalars, Vectors, firsts

FAN = 4
"""Boxes in a larger one."""
FEW = 24
"""Boxes that are all looked at, without asking larger ones first."""
BITS = 10
"""Binary digits of a coordinate in the order that triangles are sorted in."""


@dataclass(frozen=True)
class Boxes:
    """The boxes of one level, by component.

    Attributes:
        low, high: (3, b) their corners, metres; no number for boxes that only fill up the last larger one.
        place: (3, b) a place on what is in each.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    place: NDArray[np.float64]


Keep = Callable[[Boxes, Rows, Rows], Mask]
"""From rows of points and rows of boxes to which of these pairs are to be seen into; all of one shape, or broadcast."""


def seen_into(levels: tuple[Boxes, ...], n: int, keep: Keep) -> tuple[Rows, Rows]:
    """Pairs of one of n points and a triangle, in the order of the points, in boxes of which all are to be seen into.

    Args:
        levels: of `nested_boxes`.
    """
    if not levels or not n:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    owner, box = np.nonzero(keep(levels[0], np.arange(n)[:, None], np.arange(levels[0].low.shape[1])[None]))
    for boxes in levels[1:]:
        owner, box = np.repeat(owner, FAN), (box[:, None] * FAN + np.arange(FAN)).ravel()
        kept = np.flatnonzero(keep(boxes, owner, box))
        owner, box = owner[kept], box[kept]
    return owner, box


def lower(bound: Scalars, owner: Rows, values: NDArray[np.float64]) -> None:
    """Lowers the bounds (n,) of points to the least of the values of their pairs, as `Keep` is given these."""
    if values.ndim == 2:
        np.minimum(bound, values.min(axis=1), out=bound)
    elif len(owner):
        begin = firsts(owner)
        whose = owner[begin]
        bound[whose] = np.minimum(bound[whose], np.minimum.reduceat(values, begin))


def nested_boxes(corners: NDArray[np.float64]) -> tuple[Boxes, ...]:
    """The boxes round triangles with corners (3, f, 3), the largest first; the last are those of the triangles."""
    if not corners.shape[1]:
        return ()
    middle = (corners[0] + corners[1] + corners[2]) / 3.0
    boxes = _filled(Boxes(*(np.ascontiguousarray(x.T) for x in (corners.min(axis=0), corners.max(axis=0), middle))))
    levels = [boxes]
    while boxes.low.shape[1] > FEW:
        boxes = _filled(_larger(boxes))
        levels.append(boxes)
    return tuple(reversed(levels))


def _filled(boxes: Boxes) -> Boxes:
    """The boxes and as many more, which nothing is in, as make the last larger one full."""
    more = ((0, 0), (0, -boxes.low.shape[1] % FAN))
    low, high = (np.pad(x, more, constant_values=np.nan) for x in (boxes.low, boxes.high))
    return Boxes(low, high, np.pad(boxes.place, more, mode="edge"))


def _larger(boxes: Boxes) -> Boxes:
    """The boxes that each hold a few of these."""
    low, high = np.fmin.reduce(_fans(boxes.low), axis=2), np.fmax.reduce(_fans(boxes.high), axis=2)
    places = _fans(boxes.place)
    off = places - (0.5 * (low + high))[:, :, None]
    chosen = np.argmin(off[0] * off[0] + off[1] * off[1] + off[2] * off[2], axis=1)
    return Boxes(low, high, np.ascontiguousarray(places[:, np.arange(len(chosen)), chosen]))


def _fans(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    return numbers.reshape(3, -1, FAN)


def along_a_winding_line(places: Vectors) -> NDArray[np.uint64]:
    """Numbers by which places (m, 3) in a row lie near each other: the digits of their coordinates taken in turns."""
    if not len(places):
        return np.zeros(0, dtype=np.uint64)
    low, high = places.min(axis=0), places.max(axis=0)
    widest = max(float((high - low).max()), EPSILON)
    cells = np.floor((places - low) * (((1 << BITS) - 1) / widest)).astype(np.uint64)
    number = np.zeros(len(places), dtype=np.uint64)
    for bit in range(BITS):
        for axis in range(3):
            digit = (cells[:, axis] >> np.uint64(bit)) & np.uint64(1)
            number |= digit << np.uint64(3 * bit + axis)
    return number
