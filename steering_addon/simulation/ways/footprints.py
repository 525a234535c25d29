"""Footprints: what of obstacles stands on the ground, as seen from above, with the room round it that bodies need.

Each is convex. Its narrow outline must not be crossed; the corners of its wide one are where ways round it turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from ..arrays.angles import cosine_and_sine
from ..arrays.vectors import EPSILON, Mask, Rows, Scalars, Vectors, unit
from ..geometry.obstacles import BOX, Obstacles

Plane = NDArray[np.float64]
"""(n, 2) places on the ground, metres, or directions."""

MARGIN = 0.02
"""Metres at which corners are passed beside the radius: gaps may be hardly wider than who goes through."""
SHARE = 0.25
"""Share of its radius that a small body keeps at most beside it."""
TOUCH = 1e-6
"""Metres by which a body may be too near to what it touches."""
STEPS = 32
"""Radii are taken as the next larger one of so many from each power of two to the next."""
SIDES = 8
"""Sides of the outlines of round things, at least."""
MOST_SIDES = 24
FLATTEST = 0.05
"""Metres by which the corners of a round outline may stick out, but for very large ones."""
PASSES = 4
"""How often a place is moved out of one footprint into the next before it is left there."""
FAR = 1e12
"""Metres at which a side is that is none."""
CLEAR = 1e-4
"""Metres beside an outline at which a place is that was moved out of it."""
PAIRS = 2**20
"""Pairs of a line and a footprint that are compared together."""


@dataclass(frozen=True)
class Footprints:
    """Convex outlines on the ground.

    Attributes:
        corner: (v, 2) the corners of the wide outlines, metres, counterclockwise.
        before, after: (v, 2) the corners on either side of each on its outline.
        post: (v, 2) the middle of what is gone round at each: the corner of a box, or of a disc the middle.
        reach: (v,) how far from there a body passes, metres.
        room: (v,) how far from the thing itself its narrow outline is, metres; inf for discs.
        owner: (v,) whose corner it is.
        normal: (2, s, k) the unit normals of the sides of the narrow outlines, outward; zero beyond the last.
        offset: (s, k) how far out each side is along its normal, metres; very far beyond the last.
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
        """Which straight lines, (m, 2) to (m, 2), lead through a narrow outline."""
        found = np.zeros(len(start), dtype=np.bool_)
        block = max(PAIRS // max(len(self), 1), 1)
        for first in range(0, len(start), block):
            some = slice(first, first + block)
            line, row = self._near(start[some], end[some])
            hit = self._pierced(start[some][line], end[some][line], row)
            found[first + line[hit]] = True
        return found

    def _near(self, start: Plane, end: Plane) -> tuple[Rows, Rows]:
        """The pairs of a line and a footprint through whose bounds it leads."""
        low, high = np.minimum(start, end), np.maximum(start, end)
        overlap = (low[:, None, 0] < self.high[None, :, 0]) & (high[:, None, 0] > self.low[None, :, 0])
        overlap &= (low[:, None, 1] < self.high[None, :, 1]) & (high[:, None, 1] > self.low[None, :, 1])
        line, row = np.nonzero(overlap)
        # And lines do not pass them by slantwise.
        start, way = start[line], end[line] - start[line]
        middle, half = 0.5 * (self.low + self.high)[row] - start, 0.5 * (self.high - self.low)[row]
        aside = np.abs(way[:, 0] * middle[:, 1] - way[:, 1] * middle[:, 0])
        met = aside <= np.abs(way[:, 0]) * half[:, 1] + np.abs(way[:, 1]) * half[:, 0]
        return line[met], row[met]

    def _beyond(self, points: Plane, row: Rows) -> NDArray[np.float64]:
        """How far places (m, 2) are beyond each side of the footprint of a row (m,), (s, m) metres."""
        return np.asarray(
            self.normal[0][:, row] * points[:, 0] + self.normal[1][:, row] * points[:, 1] - self.offset[:, row]
        )

    def _pierced(self, start: Plane, end: Plane, row: Rows) -> Mask:
        """Which lines, (m, 2) to (m, 2), have a part within the footprint of a row (m,)."""
        here, there = self._beyond(start, row), self._beyond(end, row)
        beyond, back = here >= 0.0, there >= 0.0
        crossing = beyond != back
        part = here / np.where(crossing, here - there, 1.0)
        enter = np.where(beyond & crossing, part, 0.0).max(axis=0, initial=0.0)
        leave = np.where(back & crossing, part, 1.0).min(axis=0, initial=1.0)
        return np.asarray((enter < leave) & ~(beyond & back).any(axis=0), dtype=np.bool_)

    def tangents(self, points: Plane, corner: Rows) -> Plane:
        """The unit directions, (m, 2), from places (m, 2) that just pass what is gone round at corners (m,)."""
        at, post = self.corner[corner] - points, self.post[corner] - points
        side = np.where(post[:, 0] * at[:, 1] - post[:, 1] * at[:, 0] >= 0.0, 1.0, -1.0)
        distance = np.maximum(_length(post), EPSILON)
        # Who has been pushed nearer goes along what it is at.
        near = self.room[corner] + self._beyond(points, self.owner[corner]).max(axis=0, initial=-np.inf)
        reach = np.minimum(np.minimum(self.reach[corner], np.maximum(near, 0.0)), distance)
        along, square = np.sqrt(distance * distance - reach * reach), distance * distance
        x, y = post[:, 0], post[:, 1]
        reach = reach * side
        return np.stack(((x * along - y * reach) / square, (y * along + x * reach) / square), axis=1)

    def outside(self, points: Plane) -> Plane:
        """The places, (n, 2); those within a narrow outline moved to its nearest side, (n, 2)."""
        moved = points.copy()
        for _ in range(PASSES if len(self) else 0):
            point, row = self._near(moved, moved)
            out = self._beyond(moved[point], row)
            side = np.argmax(out, axis=0)
            out = out[side, np.arange(len(row))]
            within = np.flatnonzero(out < 0.0)
            if not len(within):
                break
            # Each leaves first what it is deepest in.
            deepest = within[np.lexsort((out[within], point[within]))]
            deepest = deepest[np.concatenate(([True], point[deepest][1:] != point[deepest][:-1]))]
            way = self.normal[:, side[deepest], row[deepest]].T
            moved[point[deepest]] += way * (CLEAR - out[deepest])[:, None]
        return moved

    def within(self, points: Plane) -> Mask:
        """Which places, (n, 2), are within a narrow outline."""
        found = np.zeros(len(points), dtype=np.bool_)
        point, row = self._near(points, points)
        found[point[(self._beyond(points[point], row) < 0.0).all(axis=0)]] = True
        return found


def radius_class(radius: Scalars) -> Scalars:
    """The radii that bodies are taken to have, metres: the next larger of a few, so that many share their ways."""
    share, power = np.frexp(radius)
    return np.ldexp(np.ceil(share * (2.0 * STEPS)) / (2.0 * STEPS), power)


def reached(obstacles: Obstacles, height: Scalars, radius: Scalars) -> NDArray[np.float64]:
    """What obstacles reach bodies at a height: metres by which what is round is narrower there, inf for what does not.

    Args:
        height: (n,) where the middles of the bodies are, metres.
        radius: (n,) metres.

    Returns:
        (n, k); 0 for boxes that are reached.
    """
    boxes = obstacles.shape == BOX
    axis = np.abs(obstacles.axes[:, :, 2]) * obstacles.half
    tall = np.where(boxes, axis[:, 0] + axis[:, 1] + axis[:, 2], 0.0)
    low = np.minimum(obstacles.start[:, 2], obstacles.end[:, 2]) - tall
    high = np.maximum(obstacles.start[:, 2], obstacles.end[:, 2]) + tall
    beyond = np.maximum(np.maximum(low[None] - height[:, None], height[:, None] - high[None]), 0.0)
    room = radius[:, None] + np.where(boxes, 0.0, obstacles.radius)[None]
    level = np.sqrt(np.maximum(room * room - beyond * beyond, 0.0))
    less = np.floor((room - level) * (2.0 * STEPS)) / (2.0 * STEPS)
    return np.where(beyond < room, np.where(boxes[None], 0.0, less), np.inf)


def footprints(obstacles: Obstacles, less: Scalars, radius: float) -> Footprints:
    """The footprints of boxes and of what is round, for bodies of a radius.

    Args:
        less: (k,) metres by which what is round is narrower at their height.
        radius: metres.
    """
    wide = radius + min(MARGIN, SHARE * radius)
    narrow = radius - TOUCH
    outlines: list[tuple[Plane, Plane, Plane, float, float]] = []
    for row in range(len(obstacles)):
        if obstacles.shape[row] == BOX:
            base = box_outline(obstacles, row)
            outlines.append((_grown(base, wide), _grown(base, narrow), np.repeat(base, 2, axis=0), wide, narrow))
        else:
            ends = np.stack((obstacles.start[row, :2], obstacles.end[row, :2]))
            room = float(obstacles.radius[row] - less[row])
            outer, inner = _round(ends, obstacles.axes[row], max(room + wide, 1e-6), max(room + narrow, 1e-6))
            nearer = _length(outer - ends[0]) <= _length(outer - ends[1])
            outlines.append((outer, inner, np.where(nearer[:, None], ends[0], ends[1]), room + wide, np.inf))
    # In whatever order the obstacles come, the footprints come in one.
    outlines.sort(key=lambda outline: tuple(map(tuple, outline[0].tolist())))
    return _joined(outlines)


def _joined(outlines: list[tuple[Plane, Plane, Plane, float, float]]) -> Footprints:
    """Footprints of their wide and narrow outlines, their posts, and how far these are passed and what room is left."""
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
    # What has no thickness has two sides all the same.
    sides = signs * np.maximum(obstacles.half[row], 1e-6)
    axes = obstacles.axes[row]
    across = sides[:, 0, None] * axes[0] + sides[:, 1, None] * axes[1] + sides[:, 2, None] * axes[2]
    return _hull(obstacles.start[row, :2] + across[:, :2])


def _hull(points: Plane) -> Plane:
    """The corners of the convex hull of places (m, 2), counterclockwise (Andrew's monotone chain)."""
    ordered = sorted(set(map(tuple, points.tolist())))
    flat = 1e-9 * max(max(map(abs, place)) for place in ordered) + EPSILON

    def half(places: list[tuple[float, ...]]) -> list[tuple[float, ...]]:
        chain: list[tuple[float, ...]] = []
        for x, y in places:
            while len(chain) > 1 and _turn(chain[-2], chain[-1], (x, y)) <= flat:
                chain.pop()
            chain.append((x, y))
        return chain[:-1]

    return np.array(half(ordered) + half(ordered[::-1]))


def _turn(a: tuple[float, ...], b: tuple[float, ...], c: tuple[float, ...]) -> float:
    """How far c lies to the left of the line from a to b, metres; how far from a where these are one place."""
    x, y = b[0] - a[0], b[1] - a[1]
    length = max(sqrt(x * x + y * y), EPSILON)
    return (x * (c[1] - a[1]) - y * (c[0] - a[0])) / length


def _grown(hull: Plane, room: float) -> Plane:
    """A convex outline, (m, 2) counterclockwise, with so much room round it; each corner becomes two."""
    along = np.roll(hull, -1, axis=0) - hull
    out = np.stack((along[:, 1], -along[:, 0]), axis=1) / _length(along)[:, None]
    into = np.roll(out, 1, axis=0)
    middle = into + out
    middle /= _length(middle)[:, None]
    # Where the side before, moved out, meets the chamfer, and where that meets the side after.
    bend = 1.0 + out[:, 0] * middle[:, 0] + out[:, 1] * middle[:, 1]
    first, second = (hull + (side + middle) * (room / bend)[:, None] for side in (into, out))
    return np.stack((first, second), axis=1).reshape(-1, 2)


def _round(ends: Plane, axes: Vectors, wide: float, narrow: float) -> tuple[Plane, Plane]:
    """The outlines about one or two discs: round the wide one and within the narrow one, of as few sides as will do."""
    sides = SIDES
    while sides < MOST_SIDES and wide * (4.9 / (sides * sides)) > FLATTEST:
        sides += 2
    turn = (np.arange(sides) + 0.5) * (2.0 * np.pi / sides)
    c, s = cosine_and_sine(turn)
    # Turned as the thing itself, so that a scene that is turned looks the same.
    flattest = int(np.argmin(np.abs(axes[:, 2])))
    x, y = unit(axes[flattest] * (1.0, 1.0, 0.0))[:2].tolist()
    ring = np.stack((c * x - s * y, c * y + s * x), axis=1)
    nearest = float(cosine_and_sine(np.array([np.pi / sides]))[0][0])
    outer, inner = (_hull(np.concatenate([end + reach * ring for end in ends])) for reach in (wide / nearest, narrow))
    return outer, inner


def _length(v: Vectors) -> Scalars:
    return np.asarray(np.sqrt(v[:, 0] * v[:, 0] + v[:, 1] * v[:, 1]))
