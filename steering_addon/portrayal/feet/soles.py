"""The feet of a model, found in how its lowest points move: by nearness and equal motion, without names of bones.

A foot rests at its *dwell height*, where its sole is most often: not at its lowest, as feet that swing through may dip
below the floor. How fast it moves on the ground is the median of the points that touch it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...simulation.arrays.scalars import Mask, Rows, Scalars
from .rotations import from_along, seen_along

TOUCH = 0.01
"""A sole within this share of the model's height above or below where it rests touches the ground."""
THICK = 0.006
"""Points within this share of the height above the lowest one of a foot are its sole."""
FOOT = 0.05
"""A foot that rests higher than this share of the height above the lowest one does not carry."""
SELDOM, APART = 0.5, 0.025
"""A share of the time for which feet usually rest on the ground, and heights of the model from where they usually rest:
a hand that swings past the ground is less than the one there, more than the other apart, and no foot."""
GAP, ALIKE = 0.08, 0.04
"""Points are of one foot if they are nearer and move more alike than these shares of the height."""
FEW = 2
"""A single point does not make a foot."""
SINKS = 0.03
"""The share of the height by which a foot's resting height may be above its lowest, before it is doubted."""
ALONG_X = np.array((1.0, 0.0))
"""A level direction, where none is ahead."""

Points = NDArray[np.float64]
"""(f, m, 3) points on frames or phases, metres, with z up."""


@dataclass(frozen=True)
class Foot:
    """A foot over the steps between f frames.

    Attributes:
        points: (v,) columns of its points.
        rests: the height at which it rests, metres.
        sole: (f,) the height of its lowest point.
        place: (f, 2) where it is, level.
        step: (f - 1, 2) metres that its sole moves over the ground from one frame to the next.
        weight: (f - 1,) 0 to 1, how surely it touches the ground.
        touches: (f - 1,) whether it does.
    """

    points: Rows
    rests: float
    sole: Scalars
    place: Scalars
    step: Scalars
    weight: Scalars
    touches: Mask


def resting_height(points: Points, height: float) -> float:
    """The height at which the foot that points make rests, metres."""
    return dwell_height(np.min(points[:-1, :, 2], axis=1), height)


@dataclass(frozen=True)
class Sole:
    """The lowest points of feet. `lowest`: (..., f) metres high; `low`: (..., f - 1, v) the points that are the sole
    both before and after a step between frames; `count`: (..., f - 1, 1) of these."""

    lowest: Scalars
    low: Mask
    count: Rows

    @classmethod
    def of(cls, heights: Scalars, height: Scalars | float) -> "Sole":
        """Find the soles of points at heights (..., f, v), metres, of bodies of this height, one or (..., 1) metres."""
        sole = np.min(heights, axis=-1)
        low = heights < (sole + THICK * height)[..., None]
        low = low[..., :-1, :] & low[..., 1:, :]
        none = ~np.any(low, axis=-1)
        if none.any():
            lowest = np.argmin(heights[..., :-1, :] + heights[..., 1:, :], axis=-1)
            low |= none[..., None] & (lowest[..., None] == np.arange(low.shape[-1]))
        return cls(sole, low, np.count_nonzero(low, axis=-1)[..., None])

    def step(self, points: Points, ahead: Scalars = ALONG_X) -> Scalars:
        """The level motion of the soles from frame to frame, (..., f - 1, 2): the medians of that of their points along
        `ahead`, unit vectors (..., f - 1, 2), and to the left of it."""
        x, y = (points[..., 1:, :, axis] - points[..., :-1, :, axis] for axis in (0, 1))
        along, left = (self._median(way) for way in seen_along(ahead[..., None, :], x, y))
        return np.stack(from_along(ahead, along, left), axis=-1)

    def _median(self, values: Scalars) -> Scalars:
        ordered = np.sort(np.where(self.low, values, np.inf), axis=-1)
        below, above = (
            np.take_along_axis(ordered, rows, axis=-1)[..., 0] for rows in ((self.count - 1) // 2, self.count // 2)
        )
        return 0.5 * (below + above)


def find_feet(points: Points, height: float) -> list[Foot]:
    """The feet among the lowest points of a model of this height, both in metres."""
    groups = clusters(points, height)
    feet = [measure_foot(points, rows, height) for rows in groups if len(rows) >= FEW]
    ground = min((foot.rests for foot in feet), default=0.0)
    feet = [foot for foot in feet if foot.rests < ground + FOOT * height]
    if not feet:
        return []
    times = np.array([np.count_nonzero(foot.touches) for foot in feet])
    rests = np.array([foot.rests for foot in feet])
    seldom, apart = times < SELDOM * median(times), np.abs(rests - median(rests)) > APART * height
    return [foot for foot, swings in zip(feet, seldom & apart) if not swings]


def measure_foot(
    points: Points, rows: Rows, height: float, rests: float | None = None, ahead: Scalars = ALONG_X
) -> Foot:
    """The foot that some points make; it rests where it dwells unless a height is given. `ahead` is for `Sole.step`."""
    moving = points[:, rows]
    lowest = Sole.of(moving[..., 2], height)
    sole = lowest.lowest
    if rests is None:
        rests = resting_height(moving, height)
    off = (0.5 * (sole[:-1] + sole[1:]) - rests) / (TOUCH * height)
    closeness = np.maximum(1.0 - 0.25 * off * off, 0.0)
    return Foot(
        points=rows,
        rests=rests,
        sole=sole,
        place=np.einsum("fvi->fi", moving[..., :2]) / len(rows),
        step=lowest.step(moving, ahead),
        weight=closeness * closeness * closeness,
        touches=np.abs(off) < 1.0,
    )


def clusters(points: Points, height: float) -> list[Rows]:
    """Points grouped by nearness and equal motion, a row of columns for each group."""
    frames, count = points.shape[:2]
    middle = np.einsum("fmi->mi", points) / max(frames, 1)
    moves = (points - middle).transpose(1, 0, 2).reshape(count, -1) / np.sqrt(frames)
    reach, alike = GAP * height, ALIKE * height
    free = np.ones(count, dtype=np.bool_)
    groups = []
    for first in range(count):
        if not free[first]:
            continue
        free[first] = False
        group, waiting = [first], [first]
        while waiting:
            point = waiting.pop()
            rows = np.flatnonzero(free)
            gap = middle[rows, :2] - middle[point, :2]
            rows = rows[np.einsum("ri,ri->r", gap, gap) < reach * reach]
            other = moves[rows] - moves[point]
            rows = rows[np.einsum("rf,rf->r", other, other) < alike * alike]
            free[rows] = False
            group += rows.tolist()
            waiting += rows.tolist()
        groups.append(np.sort(np.array(group)))
    return groups


def dwell_height(sole: Scalars, height: float) -> float:
    """The height at which a sole, (f,), is most often; of several, a low one."""
    candidates = np.sort(sole)
    window = TOUCH * height
    counts = np.count_nonzero((sole >= candidates[:, None]) & (sole <= candidates[:, None] + window), axis=1)
    above = (candidates - candidates[0]) / (SINKS * height)
    base = candidates[np.argmax(counts / (1.0 + above * above))]
    return median(sole[(sole >= base) & (sole <= base + window)])


def median(values: Scalars) -> float:
    """The middle of some numbers, or the mean of the two in the middle."""
    ordered = np.sort(values)
    return float(0.5 * (ordered[(len(values) - 1) // 2] + ordered[len(values) // 2]))


def weighted_median(values: Scalars, weights: Scalars) -> float:
    """The number that half of the weight lies below; (n,) each."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(below, 0.5 * below[-1])])


def runs(mask: Mask) -> list[tuple[int, int]]:
    """The first row and the row after the last of each stretch where a mask (f,) holds."""
    padded = np.concatenate(([False], mask, [False]))
    edges = np.flatnonzero(padded[1:] != padded[:-1])
    return list(zip(edges[::2].tolist(), edges[1::2].tolist()))


def stances(touches: Mask) -> Sequence[Rows]:
    """The rows of each stretch of a cycle in which a foot touches the ground, over its end where it does."""
    length = len(touches)
    if not touches.any() or touches.all():
        return [np.arange(length)] if touches.all() else []
    start = int(np.flatnonzero(~touches)[0])
    return [(np.arange(first, last) + start) % length for first, last in runs(np.roll(touches, -start))]
