"""Over steps: how high bodies are carried where the ground below their middle goes up or down at once.

A body is as high as the ground is on the average below its whole length, where what is halfway to its ends counts half.
Without a step that is the height below its middle. A step up by h at a distance d ahead of the middle of a body that
reaches r from there makes it higher by

    h (1 - d / r)^2 / 2        for d < r

and one behind it lower: whether h is added to the ground before the step or taken from that after it, both meet there.

Where two steps or more lead the same way, these are stairs. On them a walker makes a step on each tread, or on each few
if it is in a hurry, and no more steps a second than on the level: it is slower there.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from ..simulation.arrays.angles import cosine_of_setting, tangent_of_setting
from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import EPSILON, Mask, Rows, Scalars, clamp, firsts, largest, nobody, totals, which
from ..simulation.arrays.vectors import Vectors, columns, from_above, magnitude, picked
from ..simulation.geometry.floors import Footing
from .walkable import Walkable
from .walking import WALK, Stride, Walking, brisk_walk

LOOKS, MOST_LOOKS = 4, 16
"""How many times a body looks at the ground to either end: no tread is shorter than a fourth of its half."""
ROUNDS, PARTS = 2, 8
"""How often the way between two looks is parted to find a step, and in how many parts: to a hundredth of the body."""
ROUNDING = 1e-3
"""The grade of a rise between two looks that is none."""
STEEPEST = 1.0
"""The grade at which a body rises over steps at most, even if it is short for their height."""
SETTLES = 0.2
"""Seconds in which a body settles, as a damped spring, on the step on which it stops, or to which it is pushed."""
SETTLED = 1e-4
"""Metres off its height up to which a body has settled."""
FLAT, SHORTEST = 1.5, 0.2
"""Looks that a tread is long at least, and metres that those are which people make: long bodies look more often."""
STEP_RATE = 2.1
"""Steps a second of a person on stairs up to a brisk walk; larger ones make fewer by the root of their size, and who
hurries makes more."""
HURRIES = 1.5
"""Times a brisk walk from which on a walker takes two treads a step."""
SHORT = 0.33
"""Radii that a tread is long at least, for giants not to take several."""
Seen: TypeAlias = tuple[Scalars, Scalars]
"""The heights and the grades of the ground at places, (m,) each; nan and 0 for no ground."""
Ground: TypeAlias = Callable[[Scalars, Rows], Seen]
"""The view at distances (m,) along ways (m,), rows of all."""


def carried_over_steps(
    before: Walking, stride: Stride, footing: Footing, position: Vectors, course: Vectors, lift: Scalars, dt: float
) -> Walking:
    """The memory of walkers after a step: also how steps carry them, as a column of `Walking` says each.

    One that stands still is as high as the ground below its middle. No body rises at once: by what its climb does not
    explain, as where it stops, turns or is pushed, it is off until it has settled.

    Args:
        before: what was remembered before it.
        stride: the step.
        footing: what they stand on now.
        position, course: (n, 3) metres and level directions in which they went.
        lift: (n,) metres by which positions are above the ground.
    """
    walkable, n = stride.walkable, len(position)
    share = dt / SETTLES
    settling = (before.settling - before.off * (share / SETTLES)) / ((1.0 + share) * (1.0 + share))
    carried, climb, tread, off = np.zeros(n), np.zeros(n), np.zeros(n), before.off + settling * dt
    after = replace(before, carried=carried, climb=climb, tread=tread, off=off, settling=settling)
    settled = np.maximum(np.abs(off), SETTLES * np.abs(settling)) < SETTLED
    off[settled] = settling[settled] = 0.0
    rows = which((before.carried != 0.0) | _may_step(walkable, footing, position, stride.reach))
    if not len(rows):
        return after
    walkable, footing = walkable.take(rows), footing.take(rows)
    start, position, reach = picked(stride.start, rows), picked(position, rows), np.maximum(stride.reach[rows], EPSILON)
    distance = magnitude(from_above(position - start))
    has_ground, had_ground = footing.triangle >= 0, before.triangle[rows] >= 0
    moves = which((distance > 0.0) & has_ground)
    tread[rows] = before.tread[rows]
    carried[rows[moves]], climb[rows[moves]], new_tread = higher_by_steps(
        walkable.take(moves), footing.take(moves), picked(position, moves), picked(course, rows[moves]), reach[moves]
    )
    # Between two looks at more of them, the treads are as long as before.
    tread[rows[moves]] = np.where(np.isnan(new_tread), tread[rows[moves]], new_tread)
    ground = np.where(has_ground & had_ground, footing.height - start[:, 2] + lift[rows], 0.0)
    height = ground + carried[rows] - before.carried[rows]
    # A body that turns or steps aside goes on in another direction than it came, also on the face on which it stood.
    grade = walkable.surfaces.grade(before.triangle[rows], from_above(picked(course, rows)))
    grades = before.climb[rows], climb[rows], _walked(grade, tangent_of_setting(walkable.max_slope))
    hop = height - clamp(height, distance * np.minimum.reduce(grades), distance * np.maximum.reduce(grades))
    off[rows] -= np.where(np.abs(hop) > SETTLED, hop, 0.0)
    return after


def _may_step(walkable: Walkable, footing: Footing, position: Vectors, reach: Scalars) -> Mask:
    """Whether there may be a step below bodies, (n,)."""
    ground, feet = walkable.surfaces, columns(position[:, 0], position[:, 1], footing.height)
    if ground.is_level:
        return nobody(len(reach))
    gentle, ahead = largest(cosine_of_setting(walkable.max_slope)), largest(reach)
    shut = which((footing.triangle >= 0) & ~ground.open_to(position[:, 0], position[:, 1], gentle, ahead))
    may_step = nobody(len(reach)).copy()
    if len(shut):
        up = largest(walkable.step_height) + largest(tangent_of_setting(walkable.max_slope)) * ahead
        may_step[shut] = ground.near_rims(feet[shut], gentle, ahead + up)
    return may_step


def higher_by_steps(
    walkable: Walkable, footing: Footing, position: Vectors, forward: Vectors, reach: Scalars
) -> tuple[Scalars, Scalars, Scalars]:
    """How steps carry bodies.

    Args:
        footing: what they stand on.
        position, forward: (n, 3) of their middles, metres, and level headings.
        reach: (n,) from their middles to their ends, metres.

    Returns:
        By how much the ground below a body is higher on the average than below its middle, (n,) metres; how steeply
        it climbs, (n,): the grade of the ground and of the average over steps; and how long the treads of stairs are,
        (n,) metres, 0 without, nan where only one step is seen.
    """
    n, heading, twice = len(reach), from_above(forward), np.tile(np.arange(len(reach)), 2)
    ways, reach = np.concatenate((heading, -heading)), reach[twice]
    start, height, triangle = position[twice], footing.height[twice], footing.triangle[twice]
    step, steepest = walkable.step_height[twice], tangent_of_setting(walkable.max_slope)[twice]
    slope = walkable.surfaces.grade(triangle, ways)
    middle = height, _walked(slope, steepest)

    def ground(distance: Scalars, rows: Rows) -> Seen:
        offset, within = ways[rows] * distance[:, None], step[rows] + steepest[rows] * distance
        x, y = start[rows, 0] + offset[:, 0], start[rows, 1] + offset[:, 1]
        seen = walkable.surfaces.under(x, y, height[rows] + middle[1][rows] * distance, within, within)
        return seen.height, _walked(walkable.surfaces.grade(seen.triangle, ways[rows]), steepest[rows])

    gap = np.maximum(np.minimum(reach / LOOKS, SHORTEST / FLAT), reach / MOST_LOOKS)
    row, number, jump, sides = _jumps(ground, middle, reach, gap, step + steepest * gap)
    if not len(row):
        return np.zeros(n), middle[1][:n], np.zeros(n)
    is_step, distance = _placed(ground, row, number * gap[row], gap[row], sides, steepest[row])
    share = np.where(is_step, np.maximum(1.0 - distance / reach[row], 0.0), 0.0)
    higher = totals(row % n, 0.5 * jump * share * share, n)
    climb = totals(row % n, np.where(row < n, jump, -jump) * share / reach[row], n)
    tread = _tread(row % n, np.where(row < n, distance, -distance), np.where(row < n, jump, -jump), share > 0.0, n)
    # What is too steep for longer than a look is no step.
    tread = np.where(tread < FLAT * gap[:n], 0.0, tread)
    return higher, middle[1][:n] + clamp(climb, -STEEPEST, STEEPEST), tread


def _tread(row: Rows, distance: Scalars, jump: Scalars, is_step: Mask, n: int) -> Scalars:
    """The lengths of treads as of `higher_by_steps`, (n,) metres, by steps (k,) of bodies at places ahead of them."""
    up, down = (np.bincount(row[is_step & mask], minlength=n) for mask in (jump > 0.0, jump < 0.0))
    counts = is_step & np.where(jump > 0.0, up[row] >= down[row], down[row] > up[row])
    row, distance, number = row[counts], distance[counts], np.maximum(up, down)
    order = np.lexsort((distance, row))
    row, distance = row[order], distance[order]
    begin = firsts(row)
    end = np.concatenate((begin[1:], [len(row)])) - 1 if len(row) else begin
    tread = np.where(number == 1, np.nan, 0.0)
    long = number[row[begin]] > 1
    begin, end = begin[long], end[long]
    tread[row[begin]] = (distance[end] - distance[begin]) / (end - begin)
    return tread


def fastest_on_stairs(tread: Scalars, radius: Scalars, pace: Scalars) -> Scalars:
    """How fast walkers are on stairs at most, (n,) m/s; inf on what is none.

    Args:
        tread: (n,) metres; 0 for no stairs.
        radius: (n,) metres, the size of the walkers.
        pace: (n,) m/s, at which they walk.
    """
    walk = brisk_walk(radius)
    rate = STEP_RATE * WALK / walk * np.sqrt(np.maximum(pace / walk, 1.0))
    treads = np.maximum(-np.floor(-SHORT * radius / np.maximum(tread, EPSILON)), 1.0)
    treads = np.where(pace > HURRIES * walk, 2.0, 1.0) * treads
    return np.where(tread > 0.0, rate * treads * tread, np.inf)


def _walked(grade: Scalars, steepest: Scalars) -> Scalars:
    """The grades of ground, (n,), but 0 for what is too steep to walk: that is part of a step."""
    return np.where(np.abs(grade) <= steepest, grade, 0.0)


def _jumps(
    ground: Ground, middle: Seen, reach: Scalars, gap: Scalars, step: Scalars
) -> tuple[Rows, Rows, Scalars, tuple[Seen, Seen]]:
    """The rises between looks that the slopes of the ground do not explain.

    What is higher or lower than a step is beyond the end of the ground, which goes on as it is there. Returns the ways,
    the looks before the rises, how high these are, and what is seen before and after them; (m,) each.
    """
    looks = max(int(largest(np.ceil(reach / gap))), LOOKS)
    distance = np.arange(1, looks + 1)[:, None] * gap
    seen = [values.reshape(looks, -1) for values in ground(distance.ravel(), np.tile(np.arange(len(gap)), looks))]
    (height, grade), rises = middle, []
    for number, (ahead, slope) in enumerate(zip(*seen)):
        jump = ahead - height - 0.5 * (grade + slope) * gap
        # Where faces meet, the rise is between those that each of both would have.
        bend = (0.5 * np.abs(slope - grade) + ROUNDING) * gap
        is_ground = np.abs(jump) <= step
        rows = which(is_ground & (np.abs(jump) > bend))
        rises.append(
            (rows, np.full(len(rows), number), jump[rows], height[rows], grade[rows], ahead[rows], slope[rows])
        )
        height, grade = np.where(is_ground, ahead, height + grade * gap), np.where(is_ground, slope, grade)
    row, looks, jumps, *sides = (np.concatenate(column) for column in zip(*rises))
    return row, looks, jumps, ((sides[0], sides[1]), (sides[2], sides[3]))


def _placed(
    ground: Ground, row: Rows, start: Scalars, gap: Scalars, sides: tuple[Seen, Seen], steepest: Scalars
) -> tuple[Mask, Scalars]:
    """Whether the ground rises more steeply than bodies walk on some ways, and at what distance; (m,) each. `start`,
    `gap`: (m,) where the stretches begin in which that may be, and how long they are, metres; `sides`: what is seen at
    both of their ends."""
    (low, low_grade), (high, high_grade), rows = *sides, np.arange(len(row))
    for _ in range(ROUNDS):
        gap = gap / PARTS
        beyond = np.arange(1, PARTS)[:, None] * gap
        heights, grades = (
            values.reshape(PARTS - 1, -1) for values in ground((start + beyond).ravel(), np.tile(row, PARTS - 1))
        )
        from_low = np.abs(heights - low - low_grade * beyond)
        from_high = np.abs(heights - high + high_grade * (PARTS * gap - beyond))
        after = np.concatenate((~(from_low < from_high), np.ones((1, len(row)), dtype=np.bool_)))
        index = after.argmax(axis=0)
        start = start + index * gap
        heights, grades = (
            np.concatenate((first[None], between, end[None]))
            for first, between, end in ((low, heights, high), (low_grade, grades, high_grade))
        )
        low, high, low_grade, high_grade = (column[index + k, rows] for column in (heights, grades) for k in (0, 1))
    return np.abs(high - low) > steepest * gap, start + 0.5 * gap
