"""Shapes: capsules, boxes and meshes, as points and straight courses meet them.

A capsule, which is a sphere swept along a segment, costs little more than a sphere and fits a pylon as well as a ball;
a sphere is a capsule with an axis of length 0. The distance to a capsule with ends a, b and radius r is

    |p - a - s (b - a)| - r,    s = clamp((p - a) . (b - a) / |b - a|^2, 0, 1)

A shape with the side INSIDE is a room: its distances and directions have the opposite sign. Arguments are pairs of a
point and a shape, one per row.
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..arrays.frozen import replace, take_later
from ..arrays.once import once
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, clamp, which
from ..arrays.vectors import Vectors, cross, dot, in_columns, magnitude, unit_or
from ..declaration import Choice
from .boxes import box_surface, way_into, way_to_sides
from .first_contact import StraightCourses, first_touch, touch_mesh

OBSTACLE_SHAPES = (
    Choice("ROUND", 0, "Round", "A sphere or a pylon with round ends, whichever fits the object more closely"),
    Choice("BOX", 1, "Box", "A box along the object's own axes"),
    Choice("MESH", 2, "Mesh", "The object's own surface, with its modifiers; it may be hollow or open"),
)
ROUND, BOX, MESH = (c.number for c in OBSTACLE_SHAPES)
OBSTACLE_SIDES = (
    Choice("OUTSIDE", 0, "Outside", "Vehicles keep out of it"),
    Choice("INSIDE", 1, "Inside", "Vehicles are inside it, as in a room, and keep off its walls"),
)
OUTSIDE, INSIDE = (c.number for c in OBSTACLE_SIDES)
NOWHERE = 1e6
"""Metres to a shape of which nothing counts."""
ROUNDING = 1e-6
"""Share, and metres, by which bounding spheres are enlarged, so that rounding loses no shape."""


@dataclass(frozen=True)
class SolidShapes:
    """k shapes.

    Attributes:
        start, end: (k, 3) the ends of the axis, metres, the same point for a sphere; in the local space of the carrier
            (side, forward, up) if there is one. For a box or a mesh both are its middle.
        radius: (k,) metres about the axis; for a box or a mesh that of a sphere that contains it.
        shape: (k,) the number of a choice of OBSTACLE_SHAPES.
        side: (k,) the number of a choice of OBSTACLE_SIDES.
        axes: (k, 3, 3) its unit axes as rows, in the same space as start and end.
        half: (k, 3) half sides of a box, or of the box about what is round, metres; 0 where that is unknown.
        spin: (k, 3) angular velocity, rad/s.
        mesh: (k,) the mesh in its own axes about its middle; None for other shapes.
    """

    start: Vectors
    end: Vectors
    velocity: Vectors
    radius: Scalars
    shape: Rows
    side: Rows
    axes: Vectors
    half: Vectors
    spin: Vectors
    mesh: NDArray[np.object_]

    def __len__(self) -> int:
        return len(self.radius)

    def take(self, rows: Any) -> Self:
        """Some of them; `rows` is any index of a (k,) column."""
        return take_later(self, np.arange(len(self))[rows])

    def axis_point_nearest(self, points: Vectors, rows: Any = slice(None)) -> Vectors:
        """The nearest point to each point of the axes of some rows (k,), any index; (n, 3) to (n, k, 3)."""
        (axis, square, _), start = self._axis, self.start[None, rows]
        share = clamp(dot(points[:, None, :] - start, axis[None, rows]) / square[None, rows], 0.0, 1.0)
        return start + share[..., None] * axis[None, rows]

    @once
    def _axis(self) -> tuple[Vectors, Scalars, Scalars]:
        """The vectors from start to end, (k, 3), their squares, and the radii of balls about their middles, (k,)."""
        axis = self.end - self.start
        return axis, np.maximum(dot(axis, axis), EPSILON), self.radius + 0.5 * magnitude(axis)

    @once
    def middle(self) -> Vectors:
        """(k, 3) the middles of the axes, metres."""
        return 0.5 * (self.start + self.end)

    def axis_point(self, points: Vectors, rows: Rows) -> Vectors:
        """The nearest point of an obstacle's axis to a point, row by row; (m, 3) and (m,) to (m, 3)."""
        return self.start[rows] + self._along_axis(points, rows)

    def velocity_at(self, points: Vectors, rows: Rows) -> Vectors:
        """The velocity v + spin x (p - middle) of points on obstacles, row by row; (m, 3) and (m,) to (m, 3) m/s."""
        return self.velocity[rows] + cross(self.spin[rows], points - self.middle[rows])

    def localized(self, vectors: Vectors, rows: Rows) -> Vectors:
        """Directions in world space, in the axes of obstacles, row by row; (m, 3) and (m,) to (m, 3)."""
        return in_columns(dot(vectors[:, None], self.axes[rows]))

    def globalized(self, local: Vectors, rows: Rows) -> Vectors:
        """Directions in the axes of obstacles, in world space, row by row; (m, 3) and (m,) to (m, 3)."""
        axes = self.axes[rows]
        x, y, z = (local[:, axis, None] * axes[:, axis] for axis in range(3))
        return np.asarray(x + y + z)

    def _surface(self, points: Vectors, rows: Rows, lowest: Scalars | None = None) -> tuple[Scalars, Vectors]:
        """The signed distances of points (m, 3) from shapes of rows (m,), and the shortest directions out, (m, 3).
        `lowest`: (m,) the height, in its axes, that what counts of a mesh exceeds, metres; None for all."""
        distance, away = self._outer_surface(points, rows, lowest)
        sign = np.where(self.side[rows] == INSIDE, -1.0, 1.0)
        return distance * sign, away * sign[:, None]

    def _outer_surface(self, points: Vectors, rows: Rows, lowest: Scalars | None) -> tuple[Scalars, Vectors]:
        """As `_surface`, with every obstacle taken as one to keep out of; (m, 3) and (m,) to (m,) and (m, 3)."""
        distance, away = self._round_surface(points, rows)
        offset = points - self.start[rows]
        boxes = which(self.shape[rows] == BOX)
        if len(boxes):
            box = rows[boxes]
            distance[boxes], out = box_surface(self.localized(offset[boxes], box), self.half[box])
            away[boxes] = self.globalized(out, box)
        for row in rows_of(self.shape == MESH, rows):
            pairs = which(rows == row)
            above = None if lowest is None else lowest[pairs]
            distance[pairs], out = self.mesh[row].surface(self.localized(offset[pairs], rows[pairs]), lowest=above)
            away[pairs] = self.globalized(out, rows[pairs])
        return distance if lowest is None else np.minimum(distance, NOWHERE), away

    def _round_surface(self, points: Vectors, rows: Rows) -> tuple[Scalars, Vectors]:
        """As `_outer_surface`, for capsules."""
        offset = points - self.start[rows] - self._along_axis(points, rows)
        return magnitude(offset) - self.radius[rows], unit_or(offset, self.axes[rows, 2])

    def _along_axis(self, points: Vectors, rows: Rows) -> Vectors:
        """The vector from the start of an axis to its nearest point to a point; (m, 3) and (m,) to (m, 3)."""
        axis, square, _ = (column[rows] for column in self._axis)
        share = clamp(dot(points - self.start[rows], axis) / square, 0.0, 1.0)
        return share[:, None] * axis

    def _touched(self, courses: StraightCourses, rows: Rows) -> tuple[Scalars, Vectors]:
        """The distances at which courses first come near shapes of rows (m,): 0 if they begin near and come nearer, inf
        if they do not come near; and the unit directions away from the shapes there, (m, 3)."""
        way, away = np.full(len(rows), np.inf), np.zeros((len(rows), 3))
        touches = self._touch_rounds, self._touch_boxes, self._touch_meshes, self._touch_from_within, self._touch_sides
        kinds, kind = self._kinds
        if len(kinds) == 1:
            return touches[kinds[0]](courses, rows)
        for number in kinds:
            pairs = which(kind[rows] == number)
            if len(pairs):
                way[pairs], away[pairs] = touches[number](courses.take(pairs), rows[pairs])
        return way, away

    @once
    def _kinds(self) -> tuple[list[int], Rows]:
        """The ways to touch that occur among the obstacles, and that of each, (k,): by shape and side."""
        kind = np.where((self.side == INSIDE) & (self.shape != MESH), self.shape + 3, self.shape)
        return np.unique(kind).tolist(), kind

    def _in_axes(self, courses: StraightCourses, rows: Rows) -> StraightCourses:
        """Courses in the axes of shapes of rows (m,)."""
        points = self.localized(courses.points - self.start[rows], rows)
        return replace(courses, points=points, along=self.localized(courses.along, rows))

    def _touch_rounds(self, courses: StraightCourses, rows: Rows) -> tuple[Scalars, Vectors]:
        """As `_touched`, for capsules from outside."""
        way, away = np.full(len(rows), np.inf), np.zeros((len(rows), 3))
        start = self._way_to_balls(courses, rows)
        pairs = which(np.isfinite(start) & (start <= courses.furthest))
        capsules = rows[pairs]
        way[pairs], away[pairs] = first_touch(
            lambda places, index: self._round_surface(places, capsules[index]), courses.take(pairs), start[pairs]
        )
        return way, away

    def _way_to_balls(self, courses: StraightCourses, rows: Rows) -> Scalars:
        """The distance along courses to within reach of the bounding spheres, inf if they miss them; (m,) metres.

        With the centre at c and R = radius + reach, |p + t d - c| = R first at t = (c - p).d - sqrt(((c - p).d)^2 + R^2
        - |c - p|^2).
        """
        offset = self.middle[rows] - courses.points
        room = self._axis[2][rows] + courses.reach
        room = room * (1.0 + ROUNDING) + ROUNDING
        ahead = dot(offset, courses.along)
        beyond = room * room - dot(offset, offset)
        square = beyond + ahead * ahead
        start = np.maximum(ahead - np.sqrt(np.maximum(square, 0.0)), 0.0)
        return np.where((beyond >= 0.0) | ((square >= 0.0) & (ahead > 0.0)), start, np.inf)

    def _touch_boxes(self, courses: StraightCourses, rows: Rows) -> tuple[Scalars, Vectors]:
        """As `_touched`, for boxes from outside."""
        way, away = np.full(len(rows), np.inf), np.zeros((len(rows), 3))
        start = self._way_to_balls(courses, rows)
        pairs = which(np.isfinite(start) & (start <= courses.furthest))
        boxes = rows[pairs]
        local, half = self._in_axes(courses.take(pairs), boxes), self.half[boxes]
        start = way_into(local.points, local.along, half + (local.reach * (1.0 + ROUNDING))[:, None])
        close = which(np.isfinite(start) & (start <= local.furthest))
        if not len(close):
            return way, away
        pairs, boxes, half = pairs[close], boxes[close], half[close]
        way[pairs], out = first_touch(
            lambda places, index: box_surface(places, half[index]), local.take(close), start[close]
        )
        away[pairs] = self.globalized(out, boxes)
        return way, away

    def _touch_from_within(self, courses: StraightCourses, rows: Rows) -> tuple[Scalars, Vectors]:
        """As `_touched`, for capsules from inside. Newton's method needs to approach a convex body from outside, so
        that each course is followed backward from beyond the wall."""
        points, reach = courses.points, courses.reach
        beyond = 2.0 * (magnitude(points - self.middle[rows]) + magnitude(self._axis[0][rows]) + self.radius[rows])
        backward = StraightCourses(courses.at(beyond), -courses.along, -reach, np.full(len(rows), np.inf))
        back, out = first_touch(
            lambda places, index: self._round_surface(places, rows[index]), backward, np.zeros(len(rows))
        )
        distance, outward = self._round_surface(points, rows)
        too_near = distance > -reach
        away = np.where(too_near[:, None], -outward, -out)
        way = np.where(np.isfinite(back), np.maximum(beyond - back, 0.0), 0.0)
        leaving = too_near & (dot(away, courses.along) >= 0.0)
        way = np.where(too_near, 0.0, way)
        return np.where(leaving | (way > courses.furthest), np.inf, way), away

    def _touch_sides(self, courses: StraightCourses, rows: Rows) -> tuple[Scalars, Vectors]:
        """As `_touched`, for boxes from inside."""
        local = self._in_axes(courses, rows)
        half = np.maximum(self.half[rows] - local.reach[:, None], 0.0)
        way, away = way_to_sides(local.points, local.along, half)
        return np.where(way > local.furthest, np.inf, way), self.globalized(away, rows)

    def _touch_meshes(self, courses: StraightCourses, rows: Rows) -> tuple[Scalars, Vectors]:
        """As `_touched`, for meshes from either side."""
        way, away = np.full(len(rows), np.inf), np.zeros((len(rows), 3))
        for row in rows_of(self.shape == MESH, rows):
            pairs = which(rows == row)
            sign = -1.0 if self.side[row] == INSIDE else 1.0
            local = self._in_axes(courses.take(pairs), rows[pairs])
            way[pairs], out = touch_mesh(self.mesh[row], sign, local)
            away[pairs] = self.globalized(out, rows[pairs])
        return way, away


def rows_of(mask: Mask, rows: Rows) -> list[int]:
    """The distinct rows of shapes among `rows` (m,) that are in the mask (k,)."""
    return np.bincount(rows[mask[rows]]).nonzero()[0].tolist() if mask.any() else []
