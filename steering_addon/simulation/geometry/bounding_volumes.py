"""A hierarchy of boxes: finds the triangles of a mesh that a query may concern, and skips most of the others.

Triangles are sorted along a space-filling curve (Morton order), so that neighbors in the list are neighbors in space.
Each FAN consecutive boxes lie in a larger one, level by level, until at most FEW are left at the top. All points of a
query descend together, one level at a time: a level is one array operation over (point, box) pairs.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, firsts
from ..arrays.vectors import Vectors

FAN = 4
"""Boxes in a larger box."""
FEW = 24
"""Boxes on the top level at most: all of them are tested."""
BITS = 10
"""Binary digits per coordinate of the number that sorts the triangles."""


@dataclass(frozen=True)
class Boxes:
    """The boxes of one level, by component.

    Attributes:
        low, high: (3, b) their corners, metres; nan for boxes that only pad the last larger one.
        sample: (3, b) the centroid of a triangle in each box: the mesh is at most as far away as that.
    """

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    sample: NDArray[np.float64]


Keep = Callable[[Boxes, Rows, Rows], Mask]
"""From boxes, rows of points and rows of boxes, of one shape or broadcasting, to the pairs to descend into."""


def descend(levels: tuple[Boxes, ...], n: int, keep: Keep) -> tuple[Rows, Rows]:
    """The pairs of a point and a triangle of which `keep` accepts the box and all larger boxes around it. Returns (p,)
    rows of points, ascending, and (p,) rows of triangles. `levels`: from `nested_boxes`; `n`: the count of points."""
    if not levels or not n:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    owner, box = np.nonzero(keep(levels[0], np.arange(n)[:, None], np.arange(levels[0].low.shape[1])[None]))
    for boxes in levels[1:]:
        owner, box = np.repeat(owner, FAN), (box[:, None] * FAN + np.arange(FAN)).ravel()
        rows = np.flatnonzero(keep(boxes, owner, box))
        owner, box = owner[rows], box[rows]
    return owner, box


def lower(bound: Scalars, owner: Rows, values: NDArray[np.float64]) -> None:
    """Lower the bounds (n,) of points, in place, to the minimum of the values of their pairs. `owner`: rows of points,
    as `Keep` gets them; `values`: (n, b) for the top level, (p,) for the others."""
    if values.ndim == 2:
        np.minimum(bound, values.min(axis=1), out=bound)
    elif len(owner):
        begin = firsts(owner)
        points = owner[begin]
        bound[points] = np.minimum(bound[points], np.minimum.reduceat(values, begin))


def nested_boxes(corners: NDArray[np.float64]) -> tuple[Boxes, ...]:
    """The levels of boxes around triangles with corners (3, f, 3), from the largest boxes to those of the triangles."""
    if not corners.shape[1]:
        return ()
    middle = (corners[0] + corners[1] + corners[2]) / 3.0
    boxes = _pad(Boxes(*(np.ascontiguousarray(x.T) for x in (corners.min(axis=0), corners.max(axis=0), middle))))
    levels = [boxes]
    while boxes.low.shape[1] > FEW:
        # The next level up: each box holds FAN of these, and the sample nearest to its middle.
        low, high = np.fmin.reduce(_fans(boxes.low), axis=2), np.fmax.reduce(_fans(boxes.high), axis=2)
        samples = _fans(boxes.sample)
        offset = samples - (0.5 * (low + high))[:, :, None]
        chosen = np.argmin(offset[0] * offset[0] + offset[1] * offset[1] + offset[2] * offset[2], axis=1)
        boxes = _pad(Boxes(low, high, np.ascontiguousarray(samples[:, np.arange(len(chosen)), chosen])))
        levels.append(boxes)
    return tuple(reversed(levels))


def _pad(boxes: Boxes) -> Boxes:
    """The boxes, padded with empty ones to a multiple of FAN."""
    padding = ((0, 0), (0, -boxes.low.shape[1] % FAN))
    low, high = (np.pad(x, padding, constant_values=np.nan) for x in (boxes.low, boxes.high))
    return Boxes(low, high, np.pad(boxes.sample, padding, mode="edge"))


def _fans(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """(3, b) to (3, b / FAN, FAN)."""
    return numbers.reshape(3, -1, FAN)


def morton_numbers(points: Vectors) -> NDArray[np.uint64]:
    """Numbers to sort points (m, 3) by, (m,): the binary digits of x, y and z interleaved."""
    if not len(points):
        return np.zeros(0, dtype=np.uint64)
    low, high = points.min(axis=0), points.max(axis=0)
    widest = max(float((high - low).max()), EPSILON)
    cells = np.floor((points - low) * (((1 << BITS) - 1) / widest)).astype(np.uint64)
    number = np.zeros(len(points), dtype=np.uint64)
    for bit in range(BITS):
        for axis in range(3):
            digit = (cells[:, axis] >> np.uint64(bit)) & np.uint64(1)
            number |= digit << np.uint64(3 * bit + axis)
    return number
