"""Obstacles: bodies to keep clear of, as spheres drawn out along an axis, or as boxes.

The paper idealises an obstacle as its bounding sphere and points to finer hulls (Obstacle Avoidance). A sphere drawn
out along a segment costs little more and fits a pylon as well as a ball: a sphere is one whose ends meet. Whatever its
shape, each obstacle answers two questions: how far a place is from it, and where a course comes to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .boxes import box_surface, way_to_sides
from .declaration import Choice
from .vectors import EPSILON, Mask, Rows, Scalars, Vectors, clamp, columns, cross, dot, magnitude, picked, unit

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
)
ROUND, BOX = (c.number for c in OBSTACLE_SHAPES)
OBSTACLE_SIDES = (
    Choice("OUTSIDE", 0, "Outside", "Vehicles keep out of it"),
    Choice("INSIDE", 1, "Inside", "Vehicles are within it, as in a room, and keep off its walls"),
)
OUTSIDE, INSIDE = (c.number for c in OBSTACLE_SIDES)
TRIES = 16
"""Steps in which a course is followed up to a surface; each doubles the digits, but for courses that graze it."""
CLOSE = 1e-9
"""Share of the way at which a surface counts as reached."""


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

    def touch(self, points: Vectors, course: Vectors, reach: Scalars, rows: Rows) -> tuple[Scalars, Vectors]:
        """Where straight courses first come near obstacles, one each.

        Args:
            points: (m, 3) where the courses start.
            course: (m, 3) unit directions.
            reach: (m,) how near is near, metres.
            rows: (m,) which obstacle.

        Returns:
            way: (m,) metres along the course, 0 for who is as near already and comes nearer, inf for who never will.
            away: (m, 3) the unit directions that lead off the obstacle there.
        """
        way = np.full(len(rows), np.inf)
        away = np.zeros((len(rows), 3))
        side, shape = self.side[rows], self.shape[rows]
        for these, touched in (
            (side == OUTSIDE, self._touch_from_outside),
            ((side == INSIDE) & (shape == ROUND), self._touch_from_within),
            ((side == INSIDE) & (shape == BOX), self._touch_sides),
        ):
            some = np.flatnonzero(these)
            if len(some):
                way[some], away[some] = touched(picked(points, some), picked(course, some), reach[some], rows[some])
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

    def _outer_surface(self, points: Vectors, rows: Rows) -> tuple[Scalars, Vectors]:
        """As `surface`, for obstacles to be kept out of."""
        axis = (self.end - self.start)[rows]
        offset = points - self.start[rows]
        part = clamp(dot(offset, axis) / np.maximum(dot(axis, axis), EPSILON), 0.0, 1.0)
        offset = offset - part[:, None] * axis
        away = unit(offset)
        away = np.where((magnitude(away) < 0.5)[:, None], self.axes[rows, 2], away)
        distance = magnitude(offset) - self.radius[rows]
        boxes = np.flatnonzero(self.shape[rows] == BOX)
        if len(boxes):
            box = rows[boxes]
            distance[boxes], out = box_surface(self.localized(offset[boxes], box), self.half[box])
            away[boxes] = self.globalized(out, box)
        return distance, away

    def _touch_from_outside(
        self, points: Vectors, course: Vectors, reach: Scalars, rows: Rows
    ) -> tuple[Scalars, Vectors]:
        return first_touch(lambda places: self._outer_surface(places, rows), points, course, reach)

    def _touch_from_within(
        self, points: Vectors, course: Vectors, reach: Scalars, rows: Rows
    ) -> tuple[Scalars, Vectors]:
        """Where courses come to a round wall from within: where those come that begin beyond it and go back."""
        middle = 0.5 * (self.start + self.end)[rows]
        beyond = 2.0 * (magnitude(points - middle) + magnitude(self.end - self.start)[rows] + self.radius[rows])
        back, out = first_touch(
            lambda places: self._outer_surface(places, rows), points + course * beyond[:, None], -course, -reach
        )
        too_near = self._outer_surface(points, rows)[0] > -reach
        away = np.where(too_near[:, None], -self._outer_surface(points, rows)[1], -out)
        way = np.where(np.isfinite(back), np.maximum(beyond - back, 0.0), 0.0)
        leaving = too_near & (dot(away, course) >= 0.0)
        return np.where(leaving, np.inf, np.where(too_near, 0.0, way)), away

    def _touch_sides(self, points: Vectors, course: Vectors, reach: Scalars, rows: Rows) -> tuple[Scalars, Vectors]:
        local = self.localized(points - self.start[rows], rows)
        half = np.maximum(self.half[rows] - reach[:, None], 0.0)
        way, away = way_to_sides(local, self.localized(course, rows), half)
        return way, self.globalized(away, rows)


Surface = Callable[[Vectors], tuple[Scalars, Vectors]]
"""From (m, 3) places to how far each is from its surface, (m,), and the unit directions away from there, (m, 3)."""


def first_touch(surface: Surface, points: Vectors, course: Vectors, reach: Scalars) -> tuple[Scalars, Vectors]:
    """Where straight courses first come near the surfaces of bodies without hollows, as `Obstacles.touch` has it.

    Newton's method: along a course the distance from such a body falls ever less, so that it never goes too far.
    """
    way = np.zeros(len(points))
    distance, away = surface(points)
    gap = distance - reach
    missed = dot(away, course) >= 0.0
    for _ in range(TRIES):
        going_on = ~missed & (gap > CLOSE * (1.0 + way))
        if not going_on.any():
            break
        closing = -dot(away, course)
        way = way + np.where(going_on, gap / np.where(closing > EPSILON, closing, 1.0), 0.0)
        distance, away = surface(points + course * way[:, None])
        gap = distance - reach
        missed |= going_on & (dot(away, course) >= 0.0)
    return np.where(missed, np.inf, way), away


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


PLACES = 4
"""Places on an axis looked at between the one nearest to a course and the end that is reached first."""


def nearest_to_course(obstacles: Obstacles, points: Vectors, course: Vectors) -> tuple[Scalars, Vectors]:
    """Where a straight course comes nearest to each obstacle's axis.

    Args:
        points: (n, 3) where each course starts.
        course: (n, k, 3) unit directions, one for each pair, as obstacles may move.

    Returns:
        way: (n, k) metres along the course, negative for what lies behind.
        aside: (n, k, 3) from there to the place on the axis, square to the course.
    """
    return _place(obstacles, points, course, _part_nearest_to_course(obstacles, points, course))


def most_pressing(obstacles: Obstacles, points: Vectors, course: Vectors, reach: Scalars) -> tuple[Scalars, Vectors]:
    """The place on each obstacle's axis that takes the tightest turn to pass; without one, the nearest to the course.

    What is met first of a pylon that leans along the course is not what the course comes nearest to.

    Args:
        points: (n, 3) where each course starts.
        course: (n, k, 3) unit directions.
        reach: (n, k) how near a course may come to the axis.

    Returns:
        way, aside: as of `nearest_to_course`.
    """
    part = _part_nearest_to_course(obstacles, points, course)
    way, aside = _place(obstacles, points, course, part)
    if not (obstacles.start != obstacles.end).any():
        return way, aside
    first = np.where(dot((obstacles.end - obstacles.start)[None], course) >= 0.0, 0.0, 1.0)
    most = _tightness(way, aside, reach)
    for step in range(1, PLACES + 1):
        other_way, other_aside = _place(obstacles, points, course, part + (first - part) * (step / PLACES))
        tightness = _tightness(other_way, other_aside, reach)
        tighter = tightness > most
        way, most = np.where(tighter, other_way, way), np.where(tighter, tightness, most)
        aside = np.where(tighter[..., None], other_aside, aside)
    return way, aside


def _part_nearest_to_course(obstacles: Obstacles, points: Vectors, course: Vectors) -> Scalars:
    """How far along each axis, from 0 to 1, a course comes nearest to it, (n, k)."""
    axis = obstacles.end - obstacles.start
    offset = obstacles.start[None] - points[:, None, :]
    lateral_axis = axis[None] - dot(axis[None], course)[..., None] * course
    lateral = offset - dot(offset, course)[..., None] * course
    steepness = dot(lateral_axis, lateral_axis)
    part = np.where(steepness > EPSILON, -dot(lateral, lateral_axis) / np.maximum(steepness, EPSILON), 0.0)
    part = clamp(part, 0.0, 1.0)
    # An axis along the course: its nearer end counts.
    nearer = np.where(dot(axis[None], course) >= 0.0, 0.0, 1.0)
    return np.where(steepness > EPSILON, part, nearer)


def _place(obstacles: Obstacles, points: Vectors, course: Vectors, part: Scalars) -> tuple[Scalars, Vectors]:
    """The way along each course to the place on an axis, and how far aside that is."""
    axis = obstacles.end - obstacles.start
    offset = obstacles.start[None] - points[:, None, :]
    place = offset + np.multiply(part[..., None], axis[None])
    way = dot(place, course)
    return way, place - way[..., None] * course


def _tightness(way: Scalars, aside: Vectors, reach: Scalars) -> Scalars:
    """What the circle that just passes a place is to be bent, in halves of 1/m; -1 for what is not in the way."""
    wanting = reach - magnitude(aside)
    room = way * way + dot(aside, aside) - reach * reach
    bend = np.where(room > EPSILON, wanting / np.maximum(room, EPSILON), 1.0 / EPSILON)
    return np.where((wanting > 0.0) & (way > 0.0), bend, -1.0)


def directions_to_pass(obstacle_side: Rows, aside: Vectors, course: Vectors, own_side: Vectors) -> Vectors:
    """Which way to turn, square to the course, so as to pass on the side each obstacle asks for.

    Args:
        obstacle_side: (n,) pass_side of the obstacle in question.
        aside: (n, 3) from the course to the obstacle, square to the course.
        course: (n, 3) unit directions.
        own_side: (n, 3) the vehicles' side axes, which settle a dead heat.
    """
    up = np.zeros_like(course)
    up[:, 2] = 1.0
    over = unit(up - dot(up, course)[:, None] * course)
    over = np.where((magnitude(over) < 0.5)[:, None], own_side, over)
    right = np.stack((course[:, 1], -course[:, 0], np.zeros(len(course))), axis=-1)
    right = np.where((magnitude(right) < 1e-6)[:, None], own_side, unit(right))
    away = -unit(aside)
    away = np.where((magnitude(aside) < 1e-9)[:, None], right, away)
    chosen = [obstacle_side == LEFT, obstacle_side == RIGHT, obstacle_side == OVER, obstacle_side == UNDER]
    return np.select([c[:, None] for c in chosen], [-right, right, over, -over], away)
