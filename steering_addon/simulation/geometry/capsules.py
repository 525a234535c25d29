"""Capsules: the shape of bodies, a sphere swept along an axis of a half length h about the middle.

Two capsules are as far from each other as the nearest points of their axes. With unit axes d, e, half lengths h, k and
the offset o from the first middle to the second,

    |o + t e - s d| is least at   s = (o.d + t d.e) limited to [-h, h],   t = (s d.e - o.e) limited to [-k, k]

(Ericson 2005, Real-Time Collision Detection, closest points of two segments). A sphere is a capsule with h = 0.
"""

import numpy as np

from ..arrays.scalars import EPSILON, Scalars, clamp, largest
from ..arrays.vectors import Vectors, dot, magnitude

MOST_PROBES = 32
"""Probes on either side of the middle at most, for very long or thin bodies."""
PARALLEL = 1e-9
"""Squared sine of the angle between two axes below which they count as parallel."""


PROBES_A_RADIUS = 2.0
"""Points tried along the axis of a capsule in each radius: between two of them its surface is missed by 3 % of it."""


def probes(half: Scalars, radius: Scalars) -> list[float]:
    """The shares of the half axes, from -1 to 1 but without 0, at which capsules are tried as spheres. `half`,
    `radius`: (m,) half the lengths of the axes, and the radii, metres."""
    slenderness = largest(half / np.maximum(radius, EPSILON)) if len(half) else 0.0
    number = min(int(np.ceil(PROBES_A_RADIUS * slenderness)), MOST_PROBES)
    return [sign * k / number for k in range(1, number + 1) for sign in (-1.0, 1.0)]


def half_axis(radius: Scalars, length: Scalars) -> Scalars:
    """The half length of the axis of capsules, max(length / 2 - radius, 0); (n,) metres."""
    return np.maximum(0.5 * length - radius, 0.0)


def between_axes(offset: Vectors, first: Vectors, h: Scalars, second: Vectors, k: Scalars) -> Vectors:
    """The offsets from the axes of capsules to those of others at their nearest points, (p, 3) metres. `offset`: (p, 3)
    from the first middle to the second, metres; `first`, `second`: (p, 3) the unit directions of the axes; `h`, `k`:
    (p,) half the lengths of the axes, metres."""
    cosine, along_first, along_second = dot(first, second), dot(offset, first), dot(offset, second)
    square = 1.0 - cosine * cosine
    crosses = square > PARALLEL
    s = np.where(crosses, (along_first - along_second * cosine) / np.where(crosses, square, 1.0), along_first)
    s = clamp(s, -h, h)
    t = clamp(s * cosine - along_second, -k, k)
    s = clamp(along_first + t * cosine, -h, h)
    return offset + t[:, None] * second - s[:, None] * first


def hull(points: Vectors) -> tuple[Vectors, Vectors, float]:
    """The smallest of four capsules around points: a sphere, and one along each axis of their bounding box.

    The volume is pi r^2 (2 h + 4/3 r), with half the length of the axis h.

    Args:
        points: (m, 3), m >= 1.

    Returns:
        start, end: (3,) the ends of the axis.
        radius
    """
    low, high = points.min(axis=0), points.max(axis=0)
    centre = (low + high) / 2.0
    offset = points - centre
    radius = float(magnitude(offset).max())
    best = (centre, centre, radius)
    least = 4.0 / 3.0 * radius * radius * radius
    for axis in np.eye(3):
        along = dot(offset, axis)
        aside = magnitude(offset - along[:, None] * axis)
        radius = float(aside.max())
        cap = np.sqrt(np.maximum(radius * radius - aside * aside, 0.0))
        half = max(float((np.abs(along) - cap).max()), 0.0)
        volume = radius * radius * (2.0 * half + 4.0 / 3.0 * radius)
        if volume < least * (1.0 - 1e-9):
            best, least = (centre - half * axis, centre + half * axis, radius), volume
    return best
