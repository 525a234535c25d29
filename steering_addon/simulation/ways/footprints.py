"""Footprints: obstacles on the ground as seen from above, with the room round them that bodies need.

Each footprint is convex and has two outlines. Ways must not cross the narrow one, where a body touches the obstacle.
They turn at the corners of the wide one, MARGIN further out.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ..arrays.angles import cosine_and_sine
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, firsts
from ..arrays.vectors import Vectors, unit
from ..geometry.obstacles import Obstacles
from ..geometry.shapes import BOX
from ..geometry.stature import Stature
from .detours import MARGIN

Plane = NDArray[np.float64]
"""(n, 2) points on the ground, metres, or directions."""

SHARE = 0.25
"""Maximum margin relative to the radius: bodies below 0.02 / 0.25 = 8 cm keep less, for their gaps are smaller."""
TOUCH = 1e-6
"""Metres by which a body that touches an obstacle may be too near: far above rounding errors, about 1e-13 m for
coordinates of 1 km, and far below anything visible."""
STEPS = 32
"""Radius classes from each power of two to the next. A radius is rounded up by at most 1 / 32; from 0.5 to 1 m that is
1.6 cm, less than MARGIN. Fewer classes mean fewer nets of corners."""
SIDES = 8
"""Minimum number of sides of a round outline. An octagon sticks out by 1 / cos(pi / 8) - 1 = 8 % of its radius, as do
the cut corners of boxes."""
MOST_SIDES = 24
"""Maximum number of sides; the corners stick out by less than 0.9 %. The time to build a net grows with its square."""
FLATTEST = 0.05
"""Metres by which the corners of a round outline may stick out, up to MOST_SIDES: about the 4 cm by which a box's cut
corner does for a body of 0.5 m."""
FLAT = 1e-9
"""Share of the distance from the origin below which a corner does not stick out: it would be a rounding error."""
CORNERS = 3
"""Minimum number of corners of an outline."""
PASSES = 4
"""Maximum number of times a point is moved from one footprint into the next: two walls of a corner, and two more for
what stands in it."""
FAR = 1e12
"""Metres of offset that stand for a missing side: beyond any scene, and exact in arithmetic with metres to 0.1 mm."""
CLEAR = 1e-4
"""Metres outside an outline where a point ends up that was moved out of it: more than TOUCH, and not visible."""
PAIRS = 2**20
"""Pairs of a line and a footprint that are compared together: 8 MB an array."""


@dataclass(frozen=True)
class Footprints:
    """Convex outlines on the ground.

    Attributes:
        corner: (v, 2) the corners of the wide outlines, metres, counterclockwise.
        before, after: (v, 2) the corners on either side of each on its outline.
        post: (v, 2) the point that is passed at each corner: the corner of a box, or the middle of a disc.
        reach: (v,) the distance from that point at which a body passes, metres.
        room: (v,) from the obstacle to its narrow outline, metres; inf for discs.
        owner: (v,) the row of the footprint.
        normal: (2, s, k) the outward unit normals of the sides of the narrow outlines; zero for missing sides.
        offset: (s, k) of each side along its normal, metres; FAR for missing sides.
        low, high: (k, 2) the bounds of the narrow outlines.
    """

    corner: Plane
    before: Plane
    after: Plane
    post: Plane
    reach: Scalars
    room: Scalars
    owner: Rows
    normal: NDArray[np.float64]
    offset: NDArray[np.float64]
    low: Plane
    high: Plane

    def __len__(self) -> int:
        return len(self.low)

    def crossed(self, start: Plane, end: Plane) -> Mask:
        """The mask, (m,), of straight lines from (m, 2) to (m, 2), or of points, that are within a narrow outline."""
        crossed = np.zeros(len(start), dtype=np.bool_)
        block = max(PAIRS // max(len(self), 1), 1)
        for first in range(0, len(start), block):
            part = slice(first, first + block)
            line, row = self._near(start[part], end[part])
            hit = self._pierced(start[part][line], end[part][line], row)
            crossed[first + line[hit]] = True
        return crossed

    def within(self, points: Plane) -> NDArray[np.bool_]:
        """The mask, (n, k), of points (n, 2) that are within the wide outlines."""
        within = np.zeros((len(points), len(self)), dtype=np.bool_)
        along, begin = self.corner - self.before, firsts(self.owner)
        block = max(PAIRS // max(len(self.corner), 1), 1)
        for first in range(0, len(points) if len(self) else 0, block):
            part = slice(first, first + block)
            x, y = (points[part, None, axis] - self.before[:, axis] for axis in range(2))
            within[part] = np.logical_and.reduceat(along[:, 0] * y - along[:, 1] * x > EPSILON, begin, axis=1)
        return within

    def _near(self, start: Plane, end: Plane) -> tuple[Rows, Rows]:
        """The pairs, (p,) and (p,), of a line and a footprint whose bounds the line meets."""
        low, high = np.minimum(start, end), np.maximum(start, end)
        overlap = (low[:, None, 0] < self.high[None, :, 0]) & (high[:, None, 0] > self.low[None, :, 0])
        overlap &= (low[:, None, 1] < self.high[None, :, 1]) & (high[:, None, 1] > self.low[None, :, 1])
        line, row = np.nonzero(overlap)
        # Drops slanted lines that pass a corner of the bounds.
        start, way = start[line], end[line] - start[line]
        middle, half = 0.5 * (self.low + self.high)[row] - start, 0.5 * (self.high - self.low)[row]
        aside = np.abs(way[:, 0] * middle[:, 1] - way[:, 1] * middle[:, 0])
        met = aside <= np.abs(way[:, 0]) * half[:, 1] + np.abs(way[:, 1]) * half[:, 0]
        return line[met], row[met]

    def _beyond(self, points: Plane, row: Rows) -> NDArray[np.float64]:
        """The distance of points (m, 2) beyond each side of the footprints of rows (m,), (s, m) metres."""
        return self.normal[0][:, row] * points[:, 0] + self.normal[1][:, row] * points[:, 1] - self.offset[:, row]

    def _pierced(self, start: Plane, end: Plane, row: Rows) -> Mask:
        """The mask, (m,), of lines (m, 2) to (m, 2) that have a part within the footprint of a row (m,)."""
        first, last = self._beyond(start, row), self._beyond(end, row)
        starts_out, ends_out = first >= 0.0, last >= 0.0
        crossing = starts_out != ends_out
        part = first / np.where(crossing, first - last, 1.0)
        enter = np.where(starts_out & crossing, part, 0.0).max(axis=0, initial=0.0)
        leave = np.where(ends_out & crossing, part, 1.0).min(axis=0, initial=1.0)
        return (enter < leave) & ~(starts_out & ends_out).any(axis=0)

    def tangents(self, points: Plane, corner: Rows) -> Plane:
        """The unit directions, (m, 2), from points (m, 2) that just pass the obstacles at corners (m,)."""
        at, post = self.corner[corner] - points, self.post[corner] - points
        side = np.where(post[:, 0] * at[:, 1] - post[:, 1] * at[:, 0] >= 0.0, 1.0, -1.0)
        distance = np.maximum(_length(post), EPSILON)
        # A body that was pushed nearer goes along the obstacle.
        near = self.room[corner] + self._beyond(points, self.owner[corner]).max(axis=0, initial=-np.inf)
        reach = np.minimum(np.minimum(self.reach[corner], np.maximum(near, 0.0)), distance)
        along, square = np.sqrt(distance * distance - reach * reach), distance * distance
        x, y = post[:, 0], post[:, 1]
        reach = reach * side
        return np.stack(((x * along - y * reach) / square, (y * along + x * reach) / square), axis=1)

    def outside(self, points: Plane) -> Plane:
        """The points, (n, 2), those within a narrow outline moved to its nearest side, (n, 2)."""
        moved = points.copy()
        for _ in range(PASSES if len(self) else 0):
            point, row = self._near(moved, moved)
            out = self._beyond(moved[point], row)
            side = np.argmax(out, axis=0)
            out = out[side, np.arange(len(row))]
            within = np.flatnonzero(out < 0.0)
            if not len(within):
                break
            # Each point leaves the footprint first in which it is deepest.
            deepest = within[np.lexsort((out[within], point[within]))]
            deepest = deepest[np.concatenate(([True], point[deepest][1:] != point[deepest][:-1]))]
            way = self.normal[:, side[deepest], row[deepest]].T
            moved[point[deepest]] += way * (CLEAR - out[deepest])[:, None]
        return moved


def radius_class(radius: Scalars) -> Scalars:
    """The radii that bodies are taken to have, metres: the next larger of a few, so that many share their ways."""
    share, power = np.frexp(radius)
    return np.ldexp(np.ceil(share * (2.0 * STEPS)) / (2.0 * STEPS), power)


def narrowing(obstacles: Obstacles, height: Scalars, stature: Stature, radius: Scalars) -> NDArray[np.float64]:
    """How much narrower obstacles are at the height of bodies. Returns (n, k) metres: room - sqrt(room^2 - beyond^2)
    for round obstacles, 0 for boxes, inf for those that bodies pass above or below. `height`: (n,) of the origins of
    the bodies, metres; `stature`: (n,) how they stand."""
    boxes = obstacles.shape == BOX
    axis = np.abs(obstacles.axes[:, :, 2]) * obstacles.half
    tall = np.where(boxes, axis[:, 0] + axis[:, 1] + axis[:, 2], 0.0)
    low = np.minimum(obstacles.start[:, 2], obstacles.end[:, 2]) - tall
    high = np.maximum(obstacles.start[:, 2], obstacles.end[:, 2]) + tall
    feet, head = height + stature.feet, height + stature.head
    beyond = np.maximum(np.maximum(low[None] - head[:, None], feet[:, None] - high[None]), 0.0)
    room = radius[:, None] + np.where(boxes, 0.0, obstacles.radius)[None]
    level = np.sqrt(np.maximum(room * room - beyond * beyond, 0.0))
    less = np.floor((room - level) * (2.0 * STEPS)) / (2.0 * STEPS)
    return np.where((beyond < room) & obstacles.meet(height, stature), np.where(boxes[None], 0.0, less), np.inf)


def footprints(obstacles: Obstacles, less: Scalars, radius: float) -> Footprints:
    """The footprints of boxes and round obstacles, for bodies of one radius.

    Obstacles so far away that the computer cannot tell their corners apart have none. `less`: (k,) metres by which
    round obstacles are narrower at the height of the bodies.
    """
    wide = radius + min(MARGIN, SHARE * radius)
    narrow = radius - TOUCH
    outlines: list[tuple[Plane, Plane, Plane, float, float]] = []
    for row in range(len(obstacles)):
        if obstacles.shape[row] == BOX:
            base = box_outline(obstacles, row)
            if len(base) < CORNERS:
                continue
            outlines.append((_grown(base, wide), _grown(base, narrow), np.repeat(base, 2, axis=0), wide, narrow))
        else:
            ends = np.stack((obstacles.start[row, :2], obstacles.end[row, :2]))
            room = float(obstacles.radius[row] - less[row])
            outer, inner = _round(ends, obstacles.axes[row], max(room + wide, 1e-6), max(room + narrow, 1e-6))
            if min(len(outer), len(inner)) < CORNERS:
                continue
            nearer = _length(outer - ends[0]) <= _length(outer - ends[1])
            outlines.append((outer, inner, np.where(nearer[:, None], ends[0], ends[1]), room + wide, np.inf))
    # The order of the footprints does not depend on that of the obstacles.
    outlines.sort(key=lambda outline: tuple(map(tuple, outline[0].tolist())))
    return _joined(outlines)


def _joined(outlines: list[tuple[Plane, Plane, Plane, float, float]]) -> Footprints:
    """The footprints of k tuples: wide outline, narrow outline, posts, reach, room; see `Footprints`."""
    wide, narrow = [outline[0] for outline in outlines], [outline[1] for outline in outlines]
    number = [len(outline) for outline in wide]
    sides = max(map(len, narrow), default=0)
    normal, offset = np.zeros((2, sides, len(narrow))), np.full((sides, len(narrow)), FAR)
    for row, outline in enumerate(narrow):
        along = np.roll(outline, -1, axis=0) - outline
        out = np.stack((along[:, 1], -along[:, 0]), axis=1) / np.maximum(_length(along), EPSILON)[:, None]
        normal[:, : len(outline), row] = out.T
        offset[: len(outline), row] = out[:, 0] * outline[:, 0] + out[:, 1] * outline[:, 1]
    return Footprints(
        corner=np.concatenate([np.zeros((0, 2)), *wide]),
        before=np.concatenate([np.zeros((0, 2)), *(np.roll(outline, 1, axis=0) for outline in wide)]),
        after=np.concatenate([np.zeros((0, 2)), *(np.roll(outline, -1, axis=0) for outline in wide)]),
        post=np.concatenate([np.zeros((0, 2)), *(outline[2] for outline in outlines)]),
        reach=np.repeat([outline[3] for outline in outlines], number).astype(np.float64),
        room=np.repeat([outline[4] for outline in outlines], number).astype(np.float64),
        owner=np.repeat(np.arange(len(number)), number),
        normal=normal,
        offset=offset,
        low=np.array([outline.min(axis=0) for outline in narrow]).reshape(-1, 2),
        high=np.array([outline.max(axis=0) for outline in narrow]).reshape(-1, 2),
    )


def box_outline(obstacles: Obstacles, row: int) -> Plane:
    """The corners of a box as seen from above, counterclockwise; (4, 2) where it stands upright, metres."""
    signs = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    # A sheet without thickness still has two sides, also far away.
    thinnest = max(1e-6, 4.0 * FLAT * float(np.abs(obstacles.start[row]).max()))
    sides = signs * np.maximum(obstacles.half[row], thinnest)
    axes = obstacles.axes[row]
    across = sides[:, 0, None] * axes[0] + sides[:, 1, None] * axes[1] + sides[:, 2, None] * axes[2]
    return _hull(obstacles.start[row, :2] + across[:, :2])


def _hull(points: Plane) -> Plane:
    """The corners of the convex hull of places (m, 2), counterclockwise (Andrew's monotone chain); 0 of a point."""
    ordered = sorted(set(map(tuple, points.tolist())))
    flat = FLAT * max(max(map(abs, place)) for place in ordered) + EPSILON

    def half(places: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
        chain: list[tuple[float, ...]] = []
        for x, y in places:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], (x, y)) <= flat:
                chain.pop()
            chain.append((x, y))
        return chain[:-1]

    return np.array(half(ordered) + half(ordered[::-1])).reshape(-1, 2)


def _turn(a: tuple[float, ...], b: tuple[float, ...], c: tuple[float, ...]) -> float:
    """The distance of c to the left of the line from a to b, metres; 0 if a and b coincide."""
    x, y = b[0] - a[0], b[1] - a[1]
    length = max(sqrt(x * x + y * y), EPSILON)
    return (x * (c[1] - a[1]) - y * (c[0] - a[0])) / length


def _grown(hull: Plane, room: float) -> Plane:
    """A convex outline, (m, 2) counterclockwise, with room round it; each corner is cut and becomes two, (2 m, 2)."""
    along = np.roll(hull, -1, axis=0) - hull
    out = np.stack((along[:, 1], -along[:, 0]), axis=1) / _length(along)[:, None]
    into = np.roll(out, 1, axis=0)
    middle = into + out
    middle /= _length(middle)[:, None]
    # The moved-out side before meets the chamfer at the first corner; the chamfer meets the side after at the second.
    bend = 1.0 + out[:, 0] * middle[:, 0] + out[:, 1] * middle[:, 1]
    first, second = (hull + (side + middle) * (room / bend)[:, None] for side in (into, out))
    return np.stack((first, second), axis=1).reshape(-1, 2)


def _round(ends: Plane, axes: Vectors, wide: float, narrow: float) -> tuple[Plane, Plane]:
    """Two outlines of one or two discs, (v, 2) each: round discs of radius `wide`, and within discs of radius `narrow`.

    The corners of n sides stick out by wide (1 / cos(pi / n) - 1), about wide pi^2 / (2 n^2); n is the smallest even
    number that keeps this below FLATTEST.
    """
    sides = SIDES
    while sides < MOST_SIDES and wide * (4.9 / (sides * sides)) > FLATTEST:
        sides += 2
    turn = (np.arange(sides) + 0.5) * (2.0 * np.pi / sides)
    c, s = cosine_and_sine(turn)
    # The ring turns with the obstacle, so that turning a scene turns its ways.
    flattest = int(np.argmin(np.abs(axes[:, 2])))
    x, y = unit(axes[flattest] * (1.0, 1.0, 0.0))[:2].tolist()
    ring = np.stack((c * x - s * y, c * y + s * x), axis=1)
    nearest = float(cosine_and_sine(np.array([np.pi / sides]))[0][0])
    outer, inner = (_hull(np.concatenate([end + reach * ring for end in ends])) for reach in (wide / nearest, narrow))
    return outer, inner


def _length(v: Vectors) -> Scalars:
    return np.sqrt(v[:, 0] * v[:, 0] + v[:, 1] * v[:, 1])
