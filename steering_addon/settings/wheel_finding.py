"""Finding wheels: the parts of a model that are round about a sideways axis and touch the ground."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..simulation.arrays.scalars import Mask, Rows, Scalars
from ..simulation.arrays.vectors import Vectors

ROUND = 1.1
"""The furthest point of a wheel from its axle, in halves of its height: 1.08 with eight sides, 1.41 for a box."""
OVAL = 0.05
"""By how much the length of a wheel may differ from its height, as a share of that."""
ABOVE_GROUND = 0.25
"""How far above the lowest place of the model the lowest of a wheel may be, in its radii."""
IN_PAIRS = 0.5
"""Radii by which the wheels of an axle may differ in their place along the model."""
STRAY = 0.05
"""The share of the points of a wheel that may be elsewhere, such as a vertex that was left behind, or a bolt."""
TOUCHING = 4
"""Points that the ground is at or above at least: what is below is stray."""
CONCENTRIC = 0.1
"""Radii by which a rim or a hub may be off the axle of its wheel."""


def wheels_of(points: Vectors, triangles: NDArray[np.int64]) -> tuple[float, float, float] | None:
    """The distance between the axles, that between left and right wheels, and the radius; None without wheels.

    Of several axles the first and the last count. `points`: (p, 3) ahead, to the left and up, metres; `triangles`: (f,
    3) rows of points.
    """
    if not len(triangles):
        return None
    part = loose_parts(len(points), triangles)
    used = np.zeros(len(points), dtype=np.bool_)
    used[triangles.ravel()] = True
    rows = np.flatnonzero(used)
    order = rows[np.argsort(part[rows], kind="stable")]
    begins = np.flatnonzero(np.concatenate(([True], part[order][1:] != part[order][:-1])))
    low, high = (extreme.reduceat(points[order], begins, axis=0) for extreme in (np.minimum, np.maximum))
    wheel = _are_wheels(points[order], begins, low, high, ground_of(points[rows, 2]))
    middle, radius = 0.5 * (low + high)[wheel], 0.5 * (high - low)[wheel, 2]
    if len(middle) < 4:
        return None
    # Hubs and tyres share an axle; the tyre is the larger.
    tolerance = IN_PAIRS * float(radius.max())
    front = middle[:, 0] > middle[:, 0].max() - tolerance
    rear = middle[:, 0] < middle[:, 0].min() + tolerance
    sides = [middle[axle, 1] for axle in (front, rear)]
    between = _halfway(middle[front, 0]) - _halfway(middle[rear, 0])
    if between <= tolerance or any(side.min() >= 0.0 or side.max() <= 0.0 for side in sides):
        return None
    tracks = [_halfway(side[side > 0.0]) - _halfway(side[side < 0.0]) for side in sides]
    return between, 0.5 * (tracks[0] + tracks[1]), float(radius.max())


def wheels_among(parts: Sequence[Vectors], ground: float) -> Mask:
    """A mask (k,) of the parts of a model that are wheels, or rims and hubs of one.

    Args:
        parts: the points of each, (p, 3) ahead, to the left and up, metres; at least one point.
        ground: the height of the ground below the model, metres.
    """
    trimmed = [without_strays(points) for points in parts]
    begins = np.cumsum([0, *(len(points) for points in trimmed[:-1])])
    points = np.concatenate(trimmed)
    low, high = (extreme.reduceat(points, begins, axis=0) for extreme in (np.minimum, np.maximum))
    mask = _are_wheels(points, begins, low, high, ground)
    middle, radius = 0.5 * (low + high), 0.5 * (high - low)[:, 2]
    hubs = _are_round(points, begins, low, high)
    for wheel in np.flatnonzero(mask):
        off = middle - middle[wheel]
        on_axle = _off_axle(off) <= CONCENTRIC * radius[wheel]
        mask |= hubs & on_axle & (radius <= radius[wheel]) & (np.abs(off[:, 1]) <= radius[wheel])
    return mask


def without_strays(points: Vectors) -> Vectors:
    """The points (p, 3) of a part without the few that stick out of its round shape as seen from the side; all, if it
    has none or many."""
    few = int(STRAY * len(points))
    if not few:
        return points
    # Without as many at either end of each axis, the box is that of the rest.
    inner = np.partition(points, (few, len(points) - 1 - few), axis=0)[[few, -1 - few]]
    middle, half = 0.5 * (inner[0] + inner[1]), 0.5 * (inner[1] - inner[0])
    off = points - middle
    reach = ROUND * max(half[0], half[2])
    inside = (_off_axle(off) <= reach) & (np.abs(off[:, 1]) <= max(half[1], reach))
    return points[inside] if len(points) - few <= np.count_nonzero(inside) else points


def ground_of(heights: Scalars) -> float:
    """The height of the ground below points at heights (p,), of which a few may be stray."""
    return float(np.partition(heights, TOUCHING - 1)[TOUCHING - 1] if len(heights) >= TOUCHING else heights.min())


def _off_axle(offset: Vectors) -> Scalars:
    """The distance of offsets (n, 3) from a sideways axis, (n,)."""
    return np.sqrt(offset[:, 0] * offset[:, 0] + offset[:, 2] * offset[:, 2])


def _halfway(numbers: Scalars) -> float:
    return 0.5 * float(numbers.min() + numbers.max())


def loose_parts(n: int, triangles: NDArray[np.int64]) -> Rows:
    """The number of the part of each of n points, (n,): points that triangles (f, 3) join belong together."""
    part = np.arange(n)
    ends = np.concatenate((triangles[:, [0, 1]], triangles[:, [1, 2]]))
    while True:
        least = np.minimum(part[ends[:, 0]], part[ends[:, 1]])
        before = part.copy()
        for column in (part[ends[:, 0]], part[ends[:, 1]], ends[:, 0], ends[:, 1]):
            np.minimum.at(part, column, least)
        part = part[part]
        if (part == before).all():
            return part


def _are_wheels(points: Vectors, begins: Rows, low: Vectors, high: Vectors, ground: float) -> Mask:
    """Whether parts are wheels, (k,).

    Args:
        points: (m, 3) part by part.
        begins: (k,) where each part begins.
        low, high: (k, 3) the corners of the boxes around them.
        ground: the height of the lowest point, metres.
    """
    size = high - low
    radius = 0.5 * size[:, 2]
    mask: Mask = _are_round(points, begins, low, high) & (low[:, 2] - ground <= ABOVE_GROUND * radius)
    return mask & (size[:, 1] < size[:, 2])


def _are_round(points: Vectors, begins: Rows, low: Vectors, high: Vectors) -> Mask:
    """Whether parts are round as seen from the side, (k,); arguments as for `_are_wheels`."""
    size, middle = high - low, 0.5 * (low + high)
    of_part = np.repeat(np.arange(len(begins)), np.diff(np.append(begins, len(points))))
    off = points - middle[of_part]
    furthest: Scalars = np.maximum.reduceat(_off_axle(off), begins)
    mask: Mask = (furthest <= ROUND * 0.5 * size[:, 2]) & (np.abs(size[:, 0] - size[:, 2]) <= OVAL * size[:, 2])
    return mask & (size[:, 2] > 0.0)
