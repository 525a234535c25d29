"""Near lines: those of many lines that are near a point, or across a straight course.

Lines are made of stretches, stretches of blocks, and blocks of segments: where one is too far away, what it is made of
is not looked at.
"""

from collections.abc import Callable

import numpy as np

from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, clamp, firsts, which
from ..arrays.vectors import Vectors, dot, magnitude, picked, unit
from ..ground import cross_from_above, flat, left_of, of_rows
from .lines import BLOCK, CHUNK, STRETCH, Lines, square_of

END = 1e-9
"""Share of a segment by which it extends beyond its ends, so that no course slips through between two."""
ROUNDING = 1.0 + 1e-9
"""Factor on a distance above which another one is larger for certain."""


def nearest_line(lines: Lines, points: Vectors, counts: Mask) -> tuple[Rows, Scalars]:
    """The line nearest to each point, of those that count for it, the first one of several, and the place on it.
    Returns `line`: (n,) rows, -1 where none counts; `along`: (n,) metres.

    Args:
        counts: (n, l) the lines that count.
    """
    line, along = np.full(len(points), -1, dtype=np.int64), np.zeros(len(points))
    extent = lines.extent[lines.line_of_block]

    def may_be_nearest(few: slice) -> Mask:
        distance = magnitude(_gaps(points[few], lines.middles))
        distance = np.where(counts[few][:, lines.line_of_block], distance, np.inf)
        limit: Scalars = (distance + extent).min(axis=1) * ROUNDING
        return np.isfinite(distance) & (distance - extent <= limit[:, None])

    owner, block = _pairs(len(points), len(extent), may_be_nearest)
    row = lines.line_of_block[block]
    begin = firsts(owner * len(lines) + row)
    owner, row = owner[begin], row[begin]
    followed, places = lines.followed(row), picked(points, owner)
    place = followed.nearest(places)
    best = nearest_pairs(owner, row, magnitude(places - followed.position(place)))
    line[owner[best]], along[owner[best]] = row[best], place[best]
    return line, along


def lines_within(
    lines: Lines, points: Vectors, reach: Scalars, upward: Vectors | None = None
) -> tuple[Rows, Rows, Scalars]:
    """The lines within reach of points, and some that are a little further away.

    Args:
        upward: (n, 3) unit directions; if given, distances are those seen from that direction.

    Returns:
        owner, line: (p,) rows of points and lines, by point, then by line.
        along: (p,) the place of a sample, not further along the line from the nearest one than a block is long,
            metres.
    """
    step = BLOCK * lines.spacing
    middle, extent = _middles_of_stretches(lines)

    def may_be_near(few: slice) -> Mask:
        square = square_of(_gaps(points[few], middle), None if upward is None else upward[few])
        return np.sqrt(square) < reach[few][:, None] + (extent + step[lines.stretches[1]])

    owner, block, line = _blocks_of(lines, *_pairs(len(points), len(extent), may_be_near))
    gap = picked(points, owner) - lines.starts(block)
    distance = np.sqrt(square_of(gap, None if upward is None else of_rows(upward, owner)))
    close = which(distance < reach[owner] + step[line])
    owner, line, block, distance = owner[close], line[close], block[close], distance[close]
    best = nearest_pairs(owner * len(lines) + line, block, distance)
    owner, line = owner[best], line[best]
    return owner, line, (block[best] - lines.first_block[line]) * step[line]


def lines_crossed(
    lines: Lines, points: Vectors, course: Vectors, reach: Scalars, upward: Vectors
) -> tuple[Rows, Rows, Scalars, Vectors]:
    """The distances along straight courses at which they first cross lines, as seen from above.

    Args:
        points: (n, 3) where the courses begin, metres.
        course: (n, 3) directions, of any length.
        reach: (n,) how far they are followed, in lengths of the course.
        upward: (n, 3) unit directions from which each course is seen.

    Returns:
        owner, line: (p,) rows of courses and the lines that they cross within reach, by course, then by line.
        way: (p,) in lengths of the course.
        side: (p, 3) the horizontal unit normal of the line at the crossing, on the side the course comes from.
    """
    owner, line, row = _crossable(lines, points, course, reach, upward)
    start = picked(lines.points.T, row)
    edge = picked(lines.points.T, row + 1) - start
    offset, direction, up = start - picked(points, owner), picked(course, owner), of_rows(upward, owner)
    steep = cross_from_above(direction, edge, up)
    safe = np.where(np.abs(steep) < EPSILON, 1.0, steep)
    way, share = cross_from_above(offset, edge, up) / safe, cross_from_above(offset, direction, up) / safe
    hit = (np.abs(steep) >= EPSILON) & (share >= -END) & (share <= 1.0 + END) & (way >= 0.0) & (way <= reach[owner])
    crosses = which(hit)
    first = crosses[nearest_pairs(owner[crosses] * len(lines) + line[crosses], row[crosses], way[crosses])]
    across = left_of(picked(edge, first), of_rows(upward, owner[first]))
    side = unit(across * np.where(steep[first] < 0.0, -1.0, 1.0)[:, None])
    return owner[first], line[first], way[first], side


def _crossable(
    lines: Lines, points: Vectors, course: Vectors, reach: Scalars, upward: Vectors
) -> tuple[Rows, Rows, Rows]:
    """Pairs of a course and a segment that it may cross, in whole blocks: rows of courses, lines and segments."""
    course = flat(course, upward)
    middle, extent = _middles_of_stretches(lines)

    def may_be_crossed(few: slice) -> Mask:
        gap = flat(middle[None] - points[few][:, None], upward[few])
        return _off_course(gap, course[few][:, None], reach[few][:, None]) <= extent

    owner, block, line = _blocks_of(lines, *_pairs(len(points), len(extent), may_be_crossed))
    gap = flat(picked(lines.middles, block) - picked(points, owner), of_rows(upward, owner))
    close = which(_off_course(gap, picked(course, owner), reach[owner]) <= lines.extent[line])
    owner, line, block = owner[close], line[close], block[close]
    row = lines.begins[block][:, None] + np.arange(BLOCK)
    # The segment that follows the last sample of an open line has no length, and is not crossed.
    pair, column = np.nonzero(row <= lines.last[line][:, None])
    return owner[pair], line[pair], row[pair, column]


def _blocks_of(lines: Lines, owner: Rows, stretch: Rows) -> tuple[Rows, Rows, Rows]:
    """The owners, blocks and lines of all blocks of stretches, by stretch; (p,) each to (q,)."""
    first, line = (column[stretch] for column in lines.stretches)
    block = first[:, None] + np.arange(STRETCH)
    pair, index = np.nonzero(block <= lines.last_block[line][:, None])
    return owner[pair], block[pair, index], line[pair]


def nearest_pairs(owner: Rows, other: Rows, distance: Scalars) -> Rows:
    """The pair (p,) with the least distance of each owner, by owner; of several that with the first other."""
    order = np.lexsort((other, distance, owner))
    return order[firsts(owner[order])]


def _pairs(n: int, others: int, near: Callable[[slice], Mask]) -> tuple[Rows, Rows]:
    """Pairs of n rows and others that are near each other, by row; (p,) each. `near`: for a few of the rows, which
    others are near, (m, others)."""
    few = max(CHUNK // others, 1)
    starts = range(0, max(n, 1), few)
    parts = [np.nonzero(near(slice(start, start + few))) for start in starts]
    rows = [owner + start for (owner, _), start in zip(parts, starts)]
    return np.concatenate(rows), np.concatenate([other for _, other in parts])


def _middles_of_stretches(lines: Lines) -> tuple[Vectors, Scalars]:
    """The sample in the middle of each stretch, (t, 3) metres, and the radius about it that contains it, (t,)."""
    first, line = lines.stretches
    middle = lines.starts(np.minimum(first + STRETCH // 2, lines.last_block[line]))
    return middle, (STRETCH // 2 + 1) * BLOCK * lines.spacing[line]


def _off_course(gap: Vectors, course: Vectors, reach: Scalars) -> Scalars:
    """The distances from what is a gap (..., 3) away to courses (..., 3) that are `reach` (...) lengths long."""
    square = np.maximum(dot(course, course), EPSILON)
    fraction = clamp(dot(gap, course) / square, 0.0, reach)
    return magnitude(gap - course * fraction[..., None])


def _gaps(points: Vectors, others: Vectors) -> Vectors:
    """The vectors to points (n, 3) from others (m, 3), each component contiguous in memory; (n, m, 3)."""
    return np.moveaxis(points.T[:, :, None] - others.T[:, None, :], 0, -1)
