"""Obstacles: bodies to keep clear of, as spheres drawn out along an axis, as boxes or as meshes.

The paper idealises an obstacle as its bounding sphere and points to finer hulls (Obstacle Avoidance). A sphere drawn
out along a segment costs little more and fits a pylon as well as a ball: a sphere is one whose ends meet. Whatever its
shape, each obstacle answers two questions: how far a place is from it, and where a course comes to it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.vectors import EPSILON, Mask, Rows, Scalars, Vectors, clamp, columns, cross, dot, magnitude, picked, unit
from ..declaration import Choice
from .boxes import box_surface, way_into, way_to_sides
from .first_contact import first_touch, touch_mesh
from .meshes import Mesh

PASS_SIDES = (
    Choice("EITHER", 0, "Either", "Vehicles go round on whichever side is nearer"),
    Choice("LEFT", 1, "Left", "Vehicles go round on its left, as they see it"),
    Choice("RIGHT", 2, "Right", "Vehicles go round on its right, as they see it"),
    Choice("OVER", 3, "Over", "Vehicles go over it"),
    Choice("UNDER", 4, "Under", "Vehicles go under it"),
)
EITHER, LEFT, RIGHT, OVER, UNDER = (c.number for c in PASS_SIDES)
OBSTACLE_SHAPES = (
    Choice("ROUND", 0, "Round", "A sphere or a pylon with round ends, whichever fits the object more closely"),
    Choice("BOX", 1, "Box", "A box along the object's own axes"),
    Choice("MESH", 2, "Mesh", "The object's own surface, with its modifiers; it may be hollow or open"),
)
ROUND, BOX, MESH = (c.number for c in OBSTACLE_SHAPES)
OBSTACLE_SIDES = (
    Choice("OUTSIDE", 0, "Outside", "Vehicles keep out of it"),
    Choice("INSIDE", 1, "Inside", "Vehicles are within it, as in a room, and keep off its walls"),
)
OUTSIDE, INSIDE = (c.number for c in OBSTACLE_SIDES)
ROUNDING = 1e-6
"""Share, and metres, by which balls round obstacles are taken too large, to lose none to rounding."""


@dataclass(frozen=True)
class Obstacles:
    """What is in the way.

    Attributes:
        start, end: (k, 3) the ends of each one's axis, metres, the same point for a sphere; in the side, forward and
            up of the vehicle that carries it, if one does.
        velocity: (k, 3) metres a second.
        radius: (k,) metres about the axis.
        pass_side: (k,) the number of a choice of PASS_SIDES.
        present: (k,) whether it is there at the moment.
        carrier: (k,) the row of the vehicle it is fixed to, -1 for none.
        shape: (k,) the number of a choice of OBSTACLE_SHAPES. Whatever is not round has its middle at both ends of the
            axis, and is within the radius of that.
        side: (k,) the number of a choice of OBSTACLE_SIDES.
        axes: (k, 3, 3) the unit axes of each one as rows, as start and end in the space of the carrier.
        half: (k, 3) metres from the middle of a box to its sides.
        spin: (k, 3) the axis it turns about, as long as it is quick, rad/s.
        mesh: (k,) the meshes, in their axes about their middles; None for what is none.
    """

    start: Vectors
    end: Vectors
    velocity: Vectors
    radius: Scalars
    pass_side: Rows
    present: Mask
    carrier: Rows
    shape: Rows
    side: Rows
    axes: Vectors
    half: Vectors
    spin: Vectors
    mesh: NDArray[np.object_]

    def __len__(self) -> int:
        return len(self.radius)

    def take(self, rows: Any) -> Obstacles:
        """Some of the obstacles."""
        return replace(self, **{name: getattr(self, name)[rows] for name in self.__dataclass_fields__})

    def axis_point_nearest(self, points: Vectors) -> Vectors:
        """The place on each one's axis that is nearest to each point; (n, 3) to (n, k, 3)."""
        axis = self.end - self.start
        reach = np.maximum(dot(axis, axis), EPSILON)
        part = clamp(dot(points[:, None, :] - self.start[None], axis[None]) / reach[None], 0.0, 1.0)
        return self.start[None] + part[..., None] * axis[None]

    def axis_point(self, points: Vectors, rows: Rows) -> Vectors:
        """The place on the axis of an obstacle that is nearest to a point, one each; (m, 3) and (m,) to (m, 3)."""
        return self.start[rows] + self._along_axis(points, rows)

    @property
    def plain(self) -> Mask:
        """(k,) which are round and to be kept out of."""
        return np.asarray((self.shape == ROUND) & (self.side == OUTSIDE), dtype=np.bool_)

    def clearance(self, points: Vectors) -> Scalars:
        """How far each point is from each one's surface, negative where nobody shall be; (n, 3) to (n, k)."""
        distance = magnitude(points[:, None, :] - self.axis_point_nearest(points)) - self.radius[None]
        for row in np.flatnonzero(~self.plain).tolist():
            distance[:, row] = self.surface(points, np.full(len(points), row))[0]
        return distance

    def near(self, points: Vectors, distance: Scalars) -> tuple[Rows, Rows]:
        """Pairs of a point and an obstacle whose surface may be within a distance of it, in the order of the points.

        Args:
            points: (n, 3) metres.
            distance: (n,) metres.
        """
        gap = magnitude(points[:, None, :] - self.axis_point_nearest(points)) - self.radius[None]
        seen = (gap < distance[:, None]) | (self.side == INSIDE)[None]
        owner, row = np.nonzero(seen & self.present[None])
        return owner, row

    def surface(self, points: Vectors, rows: Rows) -> tuple[Scalars, Vectors]:
        """How far places are from the surfaces of obstacles, one each, and the way that leads off soonest.

        Args:
            points: (m, 3) metres.
            rows: (m,) which obstacle.

        Returns:
            distance: (m,) metres, negative where nobody shall be.
            away: (m, 3) unit directions.
        """
        distance, away = self._outer_surface(points, rows)
        sign = np.where(self.side[rows] == INSIDE, -1.0, 1.0)
        return distance * sign, away * sign[:, None]

    def touch(
        self, points: Vectors, course: Vectors, reach: Scalars, rows: Rows, furthest: Scalars | None = None
    ) -> tuple[Scalars, Vectors]:
        """Where straight courses first come near obstacles, one each.

        Args:
            points: (m, 3) where the courses start.
            course: (m, 3) unit directions.
            reach: (m,) how near is near, metres.
            rows: (m,) which obstacle.
            furthest: (m,) how far courses are followed, metres; however far where it is not given.

        Returns:
            way: (m,) metres along the course, 0 for who is as near already and comes nearer, inf for who never will, or
                only further on.
            away: (m, 3) the unit directions that lead off the obstacle there.
        """
        way = np.full(len(rows), np.inf)
        away = np.zeros((len(rows), 3))
        limit = way.copy() if furthest is None else furthest
        side, shape = self.side[rows], self.shape[rows]
        for these, touched in (
            ((side == OUTSIDE) & (shape == ROUND), self._touch_rounds),
            ((side == OUTSIDE) & (shape == BOX), self._touch_boxes),
            (shape == MESH, self._touch_meshes),
            ((side == INSIDE) & (shape == ROUND), self._touch_from_within),
            ((side == INSIDE) & (shape == BOX), self._touch_sides),
        ):
            some = np.flatnonzero(these)
            if len(some):
                way[some], away[some] = touched(
                    picked(points, some), picked(course, some), reach[some], rows[some], limit[some]
                )
        return way, away

    def velocity_at(self, points: Vectors, rows: Rows) -> Vectors:
        """How places on obstacles move, (m, 3) metres a second; rows (m,) say which obstacle."""
        middle = 0.5 * (self.start + self.end)
        return self.velocity[rows] + cross(self.spin[rows], points - middle[rows])

    def localized(self, vectors: Vectors, rows: Rows) -> Vectors:
        """Directions in the axes of obstacles, one each; (m, 3) to (m, 3)."""
        axes = self.axes[rows]
        return columns(*(dot(vectors, axes[:, axis]) for axis in range(3)))

    def globalized(self, local: Vectors, rows: Rows) -> Vectors:
        """Directions given in the axes of obstacles, one each, in world space; (m, 3) to (m, 3)."""
        axes = self.axes[rows]
        x, y, z = (local[:, axis, None] * axes[:, axis] for axis in range(3))
        return np.asarray(x + y + z)

    def _along_axis(self, points: Vectors, rows: Rows) -> Vectors:
        """The way from the start of the axis of an obstacle to the place on it that is nearest to a point, (m, 3)."""
        axis = (self.end - self.start)[rows]
        part = clamp(dot(points - self.start[rows], axis) / np.maximum(dot(axis, axis), EPSILON), 0.0, 1.0)
        return part[:, None] * axis

    def _outer_surface(self, points: Vectors, rows: Rows) -> tuple[Scalars, Vectors]:
        """As `surface`, for obstacles to be kept out of."""
        distance, away = self._round_surface(points, rows)
        offset = points - self.start[rows]
        boxes = np.flatnonzero(self.shape[rows] == BOX)
        if len(boxes):
            box = rows[boxes]
            distance[boxes], out = box_surface(self.localized(offset[boxes], box), self.half[box])
            away[boxes] = self.globalized(out, box)
        for row in _rows_of(self.shape == MESH, rows):
            some = np.flatnonzero(rows == row)
            distance[some], out = self.mesh[row].surface(self.localized(offset[some], rows[some]))
            away[some] = self.globalized(out, rows[some])
        return distance, away

    def _round_surface(self, points: Vectors, rows: Rows) -> tuple[Scalars, Vectors]:
        """As `surface`, for round obstacles to be kept out of."""
        offset = points - self.start[rows] - self._along_axis(points, rows)
        away = unit(offset)
        away = np.where((magnitude(away) < 0.5)[:, None], self.axes[rows, 2], away)
        return magnitude(offset) - self.radius[rows], away

    def _touch_rounds(
        self, points: Vectors, course: Vectors, reach: Scalars, rows: Rows, furthest: Scalars
    ) -> tuple[Scalars, Vectors]:
        way, away = np.full(len(rows), np.inf), np.zeros((len(rows), 3))
        start = self._way_to_balls(points, course, reach, rows)
        some = np.flatnonzero(np.isfinite(start) & (start <= furthest))
        own = rows[some]
        way[some], away[some] = first_touch(
            lambda places, which: self._round_surface(places, own[which]),
            picked(points, some),
            picked(course, some),
            reach[some],
            start[some],
            furthest[some],
        )
        return way, away

    def _way_to_balls(self, points: Vectors, course: Vectors, reach: Scalars, rows: Rows) -> Scalars:
        """How far along its course each comes as near as its reach to the ball round an obstacle, inf for never."""
        offset = 0.5 * (self.start + self.end)[rows] - points
        room = (self.radius + 0.5 * magnitude(self.end - self.start))[rows] + reach
        room = room * (1.0 + ROUNDING) + ROUNDING
        ahead = dot(offset, course)
        beyond = room * room - dot(offset, offset)
        square = beyond + ahead * ahead
        start = np.maximum(ahead - np.sqrt(np.maximum(square, 0.0)), 0.0)
        return np.where((beyond >= 0.0) | ((square >= 0.0) & (ahead > 0.0)), start, np.inf)

    def _touch_boxes(
        self, points: Vectors, course: Vectors, reach: Scalars, rows: Rows, furthest: Scalars
    ) -> tuple[Scalars, Vectors]:
        way, away = np.full(len(rows), np.inf), np.zeros((len(rows), 3))
        start = self._way_to_balls(points, course, reach, rows)
        some = np.flatnonzero(np.isfinite(start) & (start <= furthest))
        own, reach, furthest = rows[some], reach[some], furthest[some]
        local = self.localized(picked(points, some) - self.start[own], own)
        along, half = self.localized(picked(course, some), own), self.half[own]
        start = way_into(local, along, half + (reach * (1.0 + ROUNDING))[:, None])
        near = np.flatnonzero(np.isfinite(start) & (start <= furthest))
        some, own, half = some[near], own[near], half[near]
        way[some], out = first_touch(
            lambda places, which: box_surface(places, half[which]),
            picked(local, near),
            picked(along, near),
            reach[near],
            start[near],
            furthest[near],
        )
        away[some] = self.globalized(out, own)
        return way, away

    def _touch_from_within(
        self, points: Vectors, course: Vectors, reach: Scalars, rows: Rows, furthest: Scalars
    ) -> tuple[Scalars, Vectors]:
        """Where courses come to a round wall from within: where those come that begin beyond it and go back."""
        middle = 0.5 * (self.start + self.end)[rows]
        beyond = 2.0 * (magnitude(points - middle) + magnitude(self.end - self.start)[rows] + self.radius[rows])
        back, out = first_touch(
            lambda places, which: self._round_surface(places, rows[which]),
            points + course * beyond[:, None],
            -course,
            -reach,
            np.zeros(len(rows)),
            np.full(len(rows), np.inf),
        )
        distance, outward = self._round_surface(points, rows)
        too_near = distance > -reach
        away = np.where(too_near[:, None], -outward, -out)
        way = np.where(np.isfinite(back), np.maximum(beyond - back, 0.0), 0.0)
        leaving = too_near & (dot(away, course) >= 0.0)
        way = np.where(too_near, 0.0, way)
        return np.where(leaving | (way > furthest), np.inf, way), away

    def _touch_sides(
        self, points: Vectors, course: Vectors, reach: Scalars, rows: Rows, furthest: Scalars
    ) -> tuple[Scalars, Vectors]:
        local = self.localized(points - self.start[rows], rows)
        half = np.maximum(self.half[rows] - reach[:, None], 0.0)
        way, away = way_to_sides(local, self.localized(course, rows), half)
        return np.where(way > furthest, np.inf, way), self.globalized(away, rows)

    def _touch_meshes(
        self, points: Vectors, course: Vectors, reach: Scalars, rows: Rows, furthest: Scalars
    ) -> tuple[Scalars, Vectors]:
        way = np.full(len(rows), np.inf)
        away = np.zeros((len(rows), 3))
        for row in _rows_of(self.shape == MESH, rows):
            some = np.flatnonzero(rows == row)
            local = self.localized(points[some] - self.start[rows[some]], rows[some])
            along = self.localized(course[some], rows[some])
            sign = -1.0 if self.side[row] == INSIDE else 1.0
            way[some], out = touch_mesh(self.mesh[row], sign, local, along, reach[some], furthest[some])
            away[some] = self.globalized(out, rows[some])
        return way, away


def _rows_of(these: Mask, rows: Rows) -> list[int]:
    """The rows among `rows` of which `these` (k,) says so."""
    return np.unique(rows[these[rows]]).tolist() if these.any() else []


def obstacles(
    start: Vectors,
    radius: Scalars,
    end: Vectors | None = None,
    velocity: Vectors | None = None,
    pass_side: Rows | None = None,
    present: Mask | None = None,
    carrier: Rows | None = None,
    side: Rows | None = None,
) -> Obstacles:
    """Obstacles from what differs: spheres that stand still, may be passed on either side and belong to nobody."""
    start = np.asarray(start, dtype=np.float64).reshape(-1, 3)
    k = len(start)
    return Obstacles(
        start=start,
        end=start if end is None else np.asarray(end, dtype=np.float64).reshape(-1, 3),
        velocity=np.zeros((k, 3)) if velocity is None else np.asarray(velocity, dtype=np.float64).reshape(-1, 3),
        radius=np.broadcast_to(np.asarray(radius, dtype=np.float64), (k,)),
        pass_side=np.full(k, EITHER) if pass_side is None else pass_side,
        present=np.ones(k, dtype=np.bool_) if present is None else present,
        carrier=np.full(k, -1) if carrier is None else carrier,
        shape=np.full(k, ROUND),
        side=np.full(k, OUTSIDE) if side is None else side,
        axes=np.broadcast_to(np.eye(3), (k, 3, 3)),
        half=np.zeros((k, 3)),
        spin=np.zeros((k, 3)),
        mesh=np.full(k, None, dtype=np.object_),
    )


def boxes(centre: Vectors, half: Vectors, axes: Vectors | None = None, **others: Any) -> Obstacles:
    """Boxes from their middles (k, 3), half sides (k, 3) and unit axes as rows (k, 3, 3); others as of `obstacles`."""
    half = np.asarray(half, dtype=np.float64).reshape(-1, 3)
    made = obstacles(centre, magnitude(half), **others)
    k = len(made)
    return replace(
        made,
        shape=np.full(k, BOX),
        half=half,
        axes=made.axes if axes is None else np.broadcast_to(np.asarray(axes, dtype=np.float64), (k, 3, 3)),
    )


def mesh_radius(mesh: Mesh) -> float:
    """The radius about the origin of a mesh within which all of it lies, metres."""
    return float(magnitude(mesh.corners).max(initial=0.0))


def hull(points: Vectors) -> tuple[Vectors, Vectors, float]:
    """The tightest of a few spheres drawn out along an axis that holds all points: start, end and radius.

    Tried are a sphere and a drawn-out sphere along each axis of the points' box; the least volume wins.

    Args:
        points: (m, 3) at least one, in the space the hull is wanted in.
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
