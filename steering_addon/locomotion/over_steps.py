"""Over steps: how high bodies are carried where the ground below their middle goes up or down at once.

A body is as high as the ground is on the average below its whole length, where what is halfway to its ends counts half.
Without a step that is the height below its middle. A step up by h at a distance d ahead of the middle of a body that
reaches r from there makes it higher by

    h (1 - d / r)^2 / 2        for d < r

and one behind it lower: whether h is added to the ground before the step or taken from that after it, both meet there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ..simulation.arrays.angles import cosine_of_setting, tangent_of_setting
from ..simulation.arrays.vectors import (
    EPSILON,
    Mask,
    Rows,
    Scalars,
    Vectors,
    clamp,
    from_above,
    largest,
    magnitude,
    nobody,
    picked,
    totals,
    which,
)
from ..simulation.geometry.floors import Footing
from ..simulation.ground import rise
from .walkable import Walkable
from .walking import Stride

LOOKS = 4
"""How many times a body looks at the ground to either end: no tread is shorter than a fourth of its half."""
HALVINGS = 6
"""How many times the way between two looks is halved to find a step, to less than a hundredth of the body."""
ROUNDING = 1e-3
"""The grade of a rise between two looks that is none."""
STEEPEST = 1.0
"""The grade at which a body rises over steps at most, even if it is short for their height."""
SETTLES = 0.25
"""Seconds in which a body settles on the step on which it stops, or to which it is pushed."""
SETTLED = 1e-4
"""Metres off its height up to which a body has settled."""
Ground: TypeAlias = Callable[[Scalars, Rows], tuple[Scalars, Scalars]]
"""The heights and the grades, (m,) each and nan for no ground, at distances (m,) along ways (m,), rows of all."""


def carried_over_steps(
    stride: Stride, footing: Footing, position: Vectors, forward: Vectors, lift: Scalars, dt: float
) -> tuple[Scalars, Scalars]:
    """By how much bodies are carried higher than the ground below their middle, and by how much that is off, (n,) each.

    One that stands still is as high as that ground. No body rises at once: what is left of a rise, it is off until it
    has settled.

    Args:
        stride: the step that has been made.
        footing: what they stand on now.
        position, forward: (n, 3) metres and level headings.
        lift: (n,) metres by which positions are above the ground.
    """
    before, walkable, n = stride.walking, stride.walkable, len(position)
    carried, off = np.zeros(n), before.off / (1.0 + dt / SETTLES)
    off[np.abs(off) < SETTLED] = 0.0
    rows = which((before.carried != 0.0) | (before.off != 0.0) | _may_step(walkable, footing, position, stride.reach))
    if not len(rows):
        return carried, off
    walkable, footing = walkable.take(rows), footing.take(rows)
    start, position, reach = picked(stride.start, rows), picked(position, rows), np.maximum(stride.reach[rows], EPSILON)
    way = magnitude(from_above(position - start))
    on, was_on = footing.triangle >= 0, before.triangle[rows] >= 0
    moves = which((way > 0.0) & on)
    carried[rows[moves]] = higher_by_steps(
        walkable.take(moves),
        footing.take(moves),
        picked(position, moves),
        picked(forward, rows[moves]),
        reach[moves],
    )
    ground = np.where(on & was_on, footing.height - start[:, 2] + lift[rows], 0.0)
    height = ground + carried[rows] - before.carried[rows]
    levelness = np.minimum(*(walkable.surfaces.levelness(each) for each in (footing.triangle, before.triangle[rows])))
    slope = np.sqrt(1.0 - levelness * levelness) / levelness
    most = np.maximum(slope, STEEPEST) * way
    off[rows] -= height - clamp(height, -most, most)
    return carried, off


def _may_step(walkable: Walkable, footing: Footing, position: Vectors, reach: Scalars) -> Mask:
    """Whether there may be a step below bodies, (n,)."""
    ground = walkable.surfaces
    if ground.is_level:
        return nobody(len(reach))
    gentle = largest(cosine_of_setting(walkable.max_slope))
    return (footing.triangle >= 0) & ~ground.open_to(position[:, 0], position[:, 1], gentle, largest(reach))


def higher_by_steps(
    walkable: Walkable, footing: Footing, position: Vectors, forward: Vectors, reach: Scalars
) -> Scalars:
    """By how much steps make the ground below bodies higher on the average than below their middle, (n,) metres.

    Args:
        footing: what they stand on.
        position, forward: (n, 3) of their middles, metres, and level headings.
        reach: (n,) from their middles to their ends, metres.
    """
    n, heading = len(reach), from_above(forward)
    ways, place = np.concatenate((heading, -heading)), np.tile(position, (2, 1))
    step, steepest = (np.tile(each, 2) for each in (walkable.step_height, tangent_of_setting(walkable.max_slope)))

    def grades(triangle: Rows, rows: Rows) -> Scalars:
        grade = rise(walkable.surfaces.face_normal(triangle), ways[rows])
        # What is too steep to walk is part of a step.
        return np.where(np.abs(grade) <= steepest[rows], grade, 0.0)

    def ground(distance: Scalars, rows: Rows) -> tuple[Scalars, Scalars]:
        way, expected = ways[rows] * distance[:, None], height[rows] + grade[rows] * distance
        within = step[rows] + steepest[rows] * distance
        x, y = place[rows, 0] + way[:, 0], place[rows, 1] + way[:, 1]
        seen = walkable.surfaces.under(x, y, expected, within, within)
        return seen.height, grades(seen.triangle, rows)

    height, grade = np.tile(footing.height, 2), grades(np.tile(footing.triangle, 2), np.arange(2 * n))

    reach = np.tile(reach, 2)
    gap = reach / LOOKS
    row, near, far, jump = _jumps(ground, height, grade, gap, step + steepest * gap)
    if not len(row):
        return np.zeros(n)
    is_step, distance = _placed(ground, row, near, far, steepest[row])
    share = np.maximum(1.0 - distance / reach[row], 0.0)
    return totals(row % n, np.where(is_step, 0.5 * jump * share * share, 0.0), n)


def _jumps(
    ground: Ground, height: Scalars, grade: Scalars, gap: Scalars, step: Scalars
) -> tuple[Rows, Scalars, Scalars, Scalars]:
    """The rises between looks that the slopes of the ground do not explain: the ways, between where, how high; (m,).

    What is higher or lower than a step is beyond the end of the ground, which goes on as it is there.
    """
    every = np.arange(len(gap))
    distance = (np.arange(1, LOOKS + 1)[:, None] * gap).ravel()
    seen, slopes = (each.reshape(LOOKS, -1) for each in ground(distance, np.tile(every, LOOKS)))
    found = []
    for number in range(LOOKS):
        jump = seen[number] - height - 0.5 * (grade + slopes[number]) * gap
        # Where faces meet, the rise is between those that each of both would have.
        bend = (0.5 * np.abs(slopes[number] - grade) + ROUNDING) * gap
        on = np.abs(jump) <= step
        rows = which(on & (np.abs(jump) > bend))
        found.append((rows, number * gap[rows], (number + 1) * gap[rows], jump[rows]))
        height = np.where(on, seen[number], height + grade * gap)
        grade = np.where(on, slopes[number], grade)
    rows, near, far, jumps = (np.concatenate(column) for column in zip(*found))
    return rows, near, far, jumps


def _placed(ground: Ground, row: Rows, near: Scalars, far: Scalars, steepest: Scalars) -> tuple[Scalars, Scalars]:
    """Whether the ground between two distances rises more steeply than bodies walk, and at what distance; (m,) each."""
    low, high = ground(near, row), ground(far, row)
    for _ in range(HALVINGS):
        middle = 0.5 * (near + far)
        seen, slope = ground(middle, row)
        from_near = np.abs(seen - low[0] - low[1] * (middle - near))
        from_far = np.abs(seen - high[0] + high[1] * (far - middle))
        before = from_near < from_far
        near, far = np.where(before, middle, near), np.where(before, far, middle)
        low = np.where(before, seen, low[0]), np.where(before, slope, low[1])
        high = np.where(before, high[0], seen), np.where(before, high[1], slope)
    is_step = np.abs(high[0] - low[0]) > steepest * (far - near)
    return is_step, 0.5 * (near + far)
