"""Gripping: how what crawls holds on to a surface, and the plane in which it moves there."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ..simulation.arrays.angles import angle_of, cosine_and_sine
from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import Mask, Rows, Scalars, anybody, clamp, everybody, put, shared, which
from ..simulation.arrays.vectors import Vectors, across, columns, cross, dot, magnitude, paired, picked, unit, unit_or
from ..simulation.geometry.clinging import Clinging, Hold
from ..simulation.geometry.skins import NO_TRIANGLE, SkinWay, turned_over
from ..simulation.ground import level_heading, upright
from ..simulation.memory import remembered
from ..simulation.terrain import FINDS_GROUND, Terrain
from ..simulation.vehicle import Motion
from .walkable import FURTHER, TURNS
from .walking import Walking

LINE = 0.25
"""The height of the line over a way that finds other surfaces, as a share of how far off these may be."""
LOST = 1e-6
"""The length of a direction across a normal below which it is rounding error."""
COSINES, SINES = TURNS[0][0], np.abs(TURNS[0][1])
"""Of the angles off its direction that are tried, each to both sides."""


@dataclass(frozen=True)
class Gripping(Walking):
    """The memory of each that crawls: as of a walker, whose ground may lean any way.

    Attributes:
        facing: 1 on the side of its triangle to which the normal points, -1 on the other.
        lean: (n, 3) the up axis in which it is shown, which takes its time over folds.
        twist: (n,) radians to the left by which it is shown to face off its heading, which take their time to go.
        push: (n, 3) the force that acts on it along its surface, newtons, as of a walker.
    """

    facing: Scalars = remembered(1.0)
    lean: Vectors = remembered((0.0, 0.0, 1.0))
    twist: Scalars = remembered(0.0)
    push: Vectors = remembered((0.0, 0.0, 0.0))


@dataclass(frozen=True)
class Plane:
    """The planes in which n vehicles move: their unit axes to the right, ahead and up, (n, 3)."""

    right: Vectors
    ahead: Vectors
    up: Vectors

    def local(self, v: Vectors) -> Vectors:
        """Vectors (n, 3) by their parts to the right, ahead and up."""
        return columns(dot(v, self.right), dot(v, self.ahead), dot(v, self.up))

    def on_plane(self, v: Vectors) -> Vectors:
        """Vectors (n, 3) by their parts to the right and ahead, (n, 2)."""
        return paired(dot(v, self.right), dot(v, self.ahead))

    def world(self, v: Vectors) -> Vectors:
        """The vectors, (n, 3), with these parts to the right and ahead, (n, 2)."""
        vectors = self.right * v[:, :1] + self.ahead * v[:, 1:]
        return np.asarray(vectors, dtype=np.float64)


@dataclass(frozen=True)
class Grip(Gripping):
    """Where n vehicles hold on, with what is remembered of them there. `place`: (n, 3) metres, without the lift of
    their origins; `forward`: (n, 3) unit headings across the normals."""

    place: Vectors = remembered((0.0, 0.0, 0.0))
    forward: Vectors = remembered((0.0, 1.0, 0.0))

    @classmethod
    def at(cls, place: Vectors, forward: Vectors, memory: Gripping) -> Grip:
        """The grips at places, with what is remembered."""
        return cls(**vars(memory), place=place, forward=forward)

    @property
    def memory(self) -> Gripping:
        """The memory of them."""
        return Gripping(**{f.name: getattr(self, f.name) for f in fields(Gripping)})

    @property
    def clings(self) -> Mask:
        """(n,) who holds on to a surface."""
        return self.triangle >= 0

    @property
    def plane(self) -> Plane:
        """The planes in which they move."""
        return Plane(cross(self.forward, self.normal), self.forward, self.normal)

    def origin(self, lift: Scalars) -> Vectors:
        """Where the origins of their models are, (n, 3) metres."""
        return self.place + self.lean * lift[:, None]

    def moved(self, skins: Clinging, direction: Vectors, length: Scalars, gap: Scalars) -> tuple[Grip, Scalars, Mask]:
        """The grips after ways along the surface, headed as they end.

        Those that hold on to nothing go straight on. Returns the grips; the length that is left at a border, (n,)
        metres; and who met one, (n,).

        Args:
            direction: (n, 3) unit directions across the normals.
            gap: (n,) how far off another surface may be that they cross to, metres.
        """
        clings = self.clings
        if everybody(clings):
            return self._along(skins, direction, length, gap)
        grip = replace(self, place=self.place + direction * length[:, None], forward=direction)
        remaining, met, rows = np.zeros(len(length)), np.zeros(len(length), dtype=np.bool_), which(clings)
        if len(rows):
            held, remaining[rows], met[rows] = self.take(rows)._along(
                skins, picked(direction, rows), length[rows], gap[rows]
            )
            grip = grip.put(rows, held)
        return grip, remaining, met

    def _along(self, skins: Clinging, direction: Vectors, length: Scalars, gap: Scalars) -> tuple[Grip, Scalars, Mask]:
        """As `moved`, of those that all hold on to a surface."""
        walk = skins.walked(self.triangle, self.place, direction, self.facing, length, self.normal)
        normal = _with_area(walk.normal(), self.normal)
        forward = heading_across(turned_over(walk.direction, walk.face(), normal), normal, direction)
        held = replace(
            self, place=walk.place, forward=forward, triangle=walk.triangle, facing=walk.facing, normal=normal
        )
        return cross_over(skins, self, held, walk, np.minimum(length, gap))

    def pushed(self, skins: Clinging, shift: Vectors, gap: Scalars) -> Grip:
        """The grips after shifts (n, 3), metres, of which the parts along the surface count. `gap`: (n,) as of
        `moved`."""
        moves = (shift != 0.0).any(axis=1)
        rows, free = which(self.clings & moves), which(~self.clings & moves)
        grip = replace(self, place=put(self.place, free, self.place[free] + shift[free])) if len(free) else self
        if not len(rows):
            return grip
        before = self.take(rows)
        along = across(picked(shift, rows), skins.face_normal(before.triangle))
        walk = skins.walked(before.triangle, before.place, along, before.facing, magnitude(along))
        normal = _with_area(walk.normal(), before.normal)
        heading = heading_across(turned_over(before.forward, before.normal, normal), normal, before.forward)
        held = replace(
            before, place=walk.place, forward=heading, triangle=walk.triangle, facing=walk.facing, normal=normal
        )
        end, _, _ = cross_over(skins, before, held, walk, np.minimum(magnitude(along), gap[rows]))
        return grip.put(rows, end)

    def taking(self, skins: Clinging, rows: Rows, triangle: Rows, place: Vectors, up: Vectors) -> Grip:
        """The grips with some rows moved to places on triangles, on the side of `up`; (m, 3) each."""
        facing = np.where(dot(skins.face_normal(triangle), up) < 0.0, -1.0, 1.0)
        normal, held = normal_at(skins, triangle, place, facing, up), self.take(rows)
        forward = heading_across(turned_over(held.forward, held.normal, normal), normal, held.forward)
        return self.put(
            rows, replace(held, place=place, forward=forward, triangle=triangle, facing=facing, normal=normal)
        )

    def let_go(self, rows: Rows) -> Grip:
        """The grips with some rows off the surface, heading level."""
        if not len(rows):
            return self
        held, n = self.take(rows), len(rows)
        # Off the lower edge of a wall it heads away from the wall.
        steep = np.abs(held.forward[:, 2]) > 0.9
        level = level_heading(np.where(steep[:, None], held.normal, held.forward))
        return self.put(rows, replace(held, forward=level, triangle=np.full(n, NO_TRIANGLE), normal=upright(n)))

    def leaning(self, max_angle: Scalars, before: Vectors, heading: Vectors) -> Grip:
        """The grips in which bodies lean over with their normals, and turn to their headings, by at most (n,) radians
        each in a step.

        Where folds meet, a heading that goes along the surface ends up elsewhere than one that is turned over with the
        body, by the angle at which the corner is cut out of the level.

        Args:
            before: (n, 3) the normals before the step.
            heading: (n, 3) the headings there with which it began.
        """
        grip = self._leaned(max_angle)
        rows = which((self.lean != before).any(axis=1) | (grip.lean != self.normal).any(axis=1) | (self.twist != 0.0))
        if not len(rows):
            return grip
        lean, normal = picked(grip.lean, rows), picked(self.normal, rows)
        along = turned_over(picked(self.forward, rows), normal, lean)
        shown = turned_over(picked(heading, rows), picked(before, rows), picked(self.lean, rows))
        shown = turned_over(shown, picked(self.lean, rows), lean)
        twist = self.twist[rows] + angle_of(dot(cross(along, shown), lean), dot(along, shown))
        twist = twist - 2.0 * np.pi * np.floor(twist / (2.0 * np.pi) + 0.5)
        return replace(grip, twist=put(self.twist, rows, twist - clamp(twist, -max_angle[rows], max_angle[rows])))

    def shown(self) -> tuple[Vectors, Vectors]:
        """The unit axes ahead and up in which bodies are shown, (n, 3) each."""
        ahead = self.forward
        # Most of the time all lean fully, and `leaning` gives their normals.
        if self.lean is not self.normal:
            ahead = heading_across(turned_over(ahead, self.normal, self.lean), self.lean, ahead)
        if anybody(self.twist != 0.0):
            cosine, sine = cosine_and_sine(self.twist)
            onward, aside = ahead * cosine[:, None], cross(self.lean, ahead) * sine[:, None]
            ahead = unit(np.add(onward, aside))
        return ahead, self.lean

    def _leaned(self, max_angle: Scalars) -> Grip:
        """As `leaning`, without their headings."""
        normal, lean = self.normal, self.lean
        square = np.minimum(max_angle * max_angle, 1.0)
        # No cosine is larger than this part of its series.
        rows = which(dot(lean, normal) < 1.0 - 0.5 * square + square * square / 24.0)
        if not len(rows):
            return replace(self, lean=normal)
        leans, normals = picked(lean, rows), picked(normal, rows)
        cosine, sine = cosine_and_sine(np.minimum(max_angle[rows], np.pi))
        toward = unit_or(across(normals, leans), picked(self.forward, rows))
        turned = np.asarray(leans * cosine[:, None] + toward * sine[:, None], dtype=np.float64)
        leaned = np.where((dot(leans, normals) < cosine)[:, None], unit(turned), normals)
        return replace(self, lean=put(normal, rows, leaned))


def carry_grips(terrain: Terrain, motion: Motion, memory: Gripping) -> Grip:
    """Where vehicles hold on at the end of a step, were they to stay: surfaces that move take them along."""
    grip = Grip.at(motion.position - memory.lean * terrain.lift[:, None], motion.forward, memory)
    before, after = Clinging(terrain.before), Clinging(terrain.after)
    if not grip.clings.any():
        return grip
    if not terrain.after.has_triangles_of(terrain.before):
        return find_grips(after, grip, memory.normal)
    if terrain.after is terrain.before:
        return grip
    rows = which(before.moved(after, memory.triangle))
    if not len(rows):
        return grip
    held = grip.take(rows)
    face = before.face_normal(held.triangle) * held.facing[:, None]
    heading = turned_over(held.forward, held.normal, face)
    place, carried = before.carried(after, held.triangle, held.place, heading)
    face = after.face_normal(held.triangle) * held.facing[:, None]
    normal = normal_at(after, held.triangle, place, held.facing, held.normal)
    forward = heading_across(turned_over(unit(across(carried, face)), face, normal), normal, heading)
    lean = unit(turned_over(held.lean, held.normal, normal))
    return grip.put(rows, replace(held, place=place, forward=forward, normal=normal, lean=lean))


def find_grips(skins: Clinging, grip: Grip, up: Vectors) -> Grip:
    """The grips on the nearest places of the surfaces, on the side of `up` (n, 3); on nothing where none is near."""
    grip = grip.let_go(which(grip.clings))
    hold = skins.nearest(grip.place, shared(FINDS_GROUND[-1], len(up)))
    rows = which(hold.triangle >= 0)
    return grip.taking(skins, rows, hold.triangle[rows], picked(hold.place, rows), picked(up, rows))


def cross_over(skins: Clinging, before: Grip, after: Grip, walk: SkinWay, gap: Scalars) -> tuple[Grip, Scalars, Mask]:
    """The grips after ways; bodies that come to another surface hold on to that one.

    A line at a small height over the way says where another surface cuts it off: what goes into a wedge so turns over
    on to its other side. At a border the other surface is the nearest one beyond it. Either is nearer than the way is
    long, so that no body is seen to jump. Returns the grips; the length that is left at a border, (n,) metres; and who
    met one, (n,).

    Args:
        before, after: at the start and at the end of the ways, on one surface each.
        walk: as walked.
        gap: (n,) how far off the other surface may be, metres; no more than the ways are long.
    """
    if len(skins) < 2:
        return after, walk.left, walk.met
    rows = which(gap > 0.0)
    surface, gap = skins.surfaces.surface_of(before.triangle[rows]), gap[rows]
    height = LINE * gap
    start = picked(before.place, rows) + picked(before.normal, rows) * height[:, None]
    course = picked(after.place, rows) + picked(after.normal, rows) * height[:, None] - start
    length = magnitude(course)
    distance, triangle = skins.hit(start, unit(course), length, surface)
    hits = which(triangle >= 0)
    place = start[hits] + picked(unit(course), hits) * distance[hits, None]
    grip = after.taking(skins, rows[hits], triangle[hits], place, -picked(course, hits))
    met, remaining = walk.met.copy(), walk.left.copy()
    met[rows[hits]], remaining[rows[hits]] = False, 0.0
    border = which(met[rows])
    if len(border):
        ends = after.take(rows[border])
        hold, reached = _beyond(skins, ends, picked(walk.direction, rows[border]), gap[border])
        outside = ends.place + (ends.normal - picked(walk.direction, rows[border])) * gap[border, None]
        crosses, up = rows[border][reached], (outside - hold.place)[reached]
        grip = grip.taking(skins, crosses, hold.triangle[reached], hold.place[reached], up)
        met[crosses], remaining[crosses] = False, 0.0
    return grip, remaining, met


def _beyond(skins: Clinging, ends: Grip, direction: Vectors, gap: Scalars) -> tuple[Hold, Rows]:
    """The nearest places of other surfaces just beyond the borders where ways end, and the rows that have any.
    `direction`: (n, 3) unit directions in which the ways end; `gap`: (n,) metres."""
    # What continues level there is nearer than what goes down, and what comes up from below is near enough.
    place = ends.place + (direction + 0.5 * ends.normal) * gap[:, None]
    hold = skins.nearest(place, 1.1 * gap, skins.surfaces.surface_of(ends.triangle))
    return hold, which(hold.triangle >= 0)


def find_free_direction(
    skins: Clinging, grip: Grip, direction: Vectors, reach: Scalars, step: Scalars, side: Rows, gap: Scalars
) -> tuple[Vectors, Rows]:
    """The nearest directions to those wanted in which the surface continues to the end of their reach.

    As of walkers (`Walkable.free_direction`): who has begun to go round a border one way keeps to that side. Returns
    direction (n, 3), side (n,).

    Args:
        direction: (n, 3) unit directions across the normals.
        reach, step: (n,) how far they look, and go in a step, metres.
        side: (n,) on which each goes round: 1 left, -1 right, 0 neither.
        gap: (n,) how far off another surface may be that they cross to, metres.
    """
    reach = np.where(side == 0, reach, FURTHER * reach)
    rows, new_side = which(~_continues(skins, grip, direction, reach, gap)), np.zeros_like(side)
    if not len(rows):
        return direction, new_side
    chosen = direction.copy(order="K")
    new_side[rows] = side[rows]
    for distance in (reach, step):
        # All directions are tried together: the time goes by the sides of triangles that one after the other crosses.
        prefers = np.where(side[rows] == 0, 1, side[rows])[None] * np.tile((1, -1), len(COSINES) // 2)[:, None]
        along, left = picked(direction, rows), cross(picked(grip.normal, rows), picked(direction, rows))
        tried = along[None] * COSINES[:, None, None] + left[None] * (SINES[:, None] * prefers)[..., None]
        repeated = np.tile(rows, len(COSINES))
        free = _continues(skins, grip.take(repeated), tried.reshape(-1, 3), distance[repeated], gap[repeated])
        free = free.reshape(len(COSINES), -1)
        first, column = free.argmax(axis=0), np.arange(len(rows))
        is_free = free[first, column]
        finders = rows[is_free]
        chosen[finders] = tried[first, column][is_free]
        new_side[finders] = prefers[first, column][is_free]
        rows = rows[~is_free]
        if not len(rows):
            return chosen, new_side
    chosen[rows] = -picked(grip.forward, rows)
    return chosen, new_side


def _continues(skins: Clinging, grip: Grip, direction: Vectors, length: Scalars, gap: Scalars) -> Mask:
    """Whether the surface or another one within reach continues, (n,), along ways of (n,) metres. `direction`: (n, 3)
    unit directions across the normals; `length`, `gap`: (n,) metres."""
    walk = skins.walked(grip.triangle, grip.place, direction, grip.facing, length, grip.normal)
    met = which(walk.met)
    if len(skins) < 2 or not len(met):
        return ~walk.met
    triangle, place, facing = walk.triangle[met], picked(walk.place, met), walk.facing[met]
    ends = grip.take(met)
    normal = normal_at(skins, triangle, place, facing, ends.normal)
    ends = replace(ends, place=place, triangle=triangle, facing=facing, normal=normal)
    _, beyond = _beyond(skins, ends, picked(walk.direction, met), np.minimum(length[met], gap[met]))
    continues = ~walk.met
    continues[met[beyond]] = True
    return continues


def heading_across(course: Vectors, normal: Vectors, fallback: Vectors) -> Vectors:
    """The unit headings across normals of ways, or of other ways where these say nothing; (n, 3) each. On faces that
    lose their area, as on what shrinks to nothing, no way is left."""
    forward = across(course, normal)
    lost = magnitude(forward) < LOST
    if anybody(lost):
        forward = np.where(lost[:, None], across(fallback, normal), forward)
        lost = magnitude(forward) < LOST
        aside = cross(normal, np.where((np.abs(normal[:, 2]) < 0.9)[:, None], (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)))
        forward = np.where(lost[:, None], aside, forward)
    return unit(forward)


def normal_at(skins: Clinging, triangle: Rows, place: Vectors, facing: Scalars, fallback: Vectors) -> Vectors:
    """The smoothed normals at places, (n, 3); `fallback` on triangles without area."""
    return _with_area(skins.normal_at(triangle, place, facing), fallback)


def _with_area(normal: Vectors, fallback: Vectors) -> Vectors:
    """Smoothed normals, (n, 3); others where they are zero, on triangles without area."""
    lost = magnitude(normal) < 0.5
    return np.where(lost[:, None], fallback, normal) if anybody(lost) else normal
