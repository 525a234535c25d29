"""Obstacles: shapes to keep clear of, as points, or bodies that stand there, meet them.

The paper idealises an obstacle as its bounding sphere and mentions finer hulls (Obstacle Avoidance). Every shape
answers two questions:

    surface    the signed distance of a point, and the shortest direction out
    touch      the first t at which a course p + t d is within `reach` of the surface

Arguments are pairs of a point and an obstacle, one per row.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.frozen import replace
from ..arrays.once import Key, once
from ..arrays.scalars import Mask, Rows, Scalars, clamp, distinct_rows, rows_of_least, which
from ..arrays.vectors import Vectors, columns, magnitude, picked, squared
from ..declaration import Choice
from .boxes import box_surface
from .capsules import probes
from .first_contact import StraightCourses
from .meshes import Mesh
from .shapes import BOX, INSIDE, MESH, NOWHERE, OUTSIDE, ROUND, ROUNDING, SolidShapes, rows_of
from .stature import FINE, Stature, sides_of, walls_of

PASS_SIDES = (
    Choice("EITHER", 0, "Either", "Vehicles go around it on the nearer side"),
    Choice("LEFT", 1, "Left", "Vehicles go around it on its left, as they see it"),
    Choice("RIGHT", 2, "Right", "Vehicles go around it on its right, as they see it"),
    Choice("OVER", 3, "Over", "Vehicles go over it"),
    Choice("UNDER", 4, "Under", "Vehicles go under it"),
)
EITHER, LEFT, RIGHT, OVER, UNDER = (c.number for c in PASS_SIDES)
MOST_FACES = 20_000
"""Faces beyond which a mesh is not cut: it is a model or a landscape, whose cuts are too many to plan past."""
PAIRS = 2**14
"""Distances of points from obstacles that are computed together."""


@dataclass(frozen=True)
class Obstacles(SolidShapes):
    """k obstacles. `pass_side`: (k,) the number of a choice of PASS_SIDES; `present`: (k,) whether it exists at this
    moment; `carrier`: (k,) the row of the vehicle it is fixed to, -1 for none."""

    pass_side: Rows
    present: Mask
    carrier: Rows

    @property
    def plain(self) -> Mask:
        """(k,) whether it is round and to be kept out of."""
        return (self.shape == ROUND) & (self.side == OUTSIDE)

    @once
    def at_rest(self) -> "Obstacles":
        """The same obstacles until a frame on which they are the same: what is found out about them then stays."""
        still = np.zeros(self.start.shape)
        stays = replace(self, velocity=still)
        return stays if self.plain.all() else replace(stays, axes=squared(self.axes), spin=still)

    @once
    def stand(self) -> Mask:
        """(k,) whether they stand still."""
        return ((self.velocity == 0.0) & (self.spin == 0.0)).all(axis=1) & (self.carrier < 0)

    @once
    def are_mapped(self) -> Mask:
        """(k,) whether they are part of maps of the ground: what stands, except models and landscapes."""
        few = [shape != MESH or len(mesh) <= MOST_FACES for shape, mesh in zip(self.shape.tolist(), self.mesh)]
        return self.stand & np.array(few, dtype=np.bool_)

    @once
    def mapped(self) -> "Obstacles":
        """The obstacles on maps of the ground at this moment."""
        return self.take(self.are_mapped & self.present & (self.side == OUTSIDE))

    @once
    def imprint(self) -> NDArray[np.uint8]:
        """(k, b) the bytes in which obstacles that stand differ."""
        meshes = np.array([0 if mesh is None else mesh.imprint for mesh in self.mesh], dtype=np.int64)
        columns = (self.start, self.end, self.radius, self.shape, self.axes, self.half, meshes)
        data = [np.ascontiguousarray(column).reshape(len(self), column.size // max(len(self), 1)) for column in columns]
        return np.concatenate([column.view(np.uint8) for column in data], axis=1)

    def clearance(self, points: Vectors, stature: Stature | None = None) -> Scalars:
        """The signed distance of each point, or of who stands there, from each obstacle, as in `surface`; inf where
        nothing of one meets a body; (n, 3) to (n, k)."""
        distance = _gaps(self, points, stature)
        others, every = which(~self.plain), np.arange(len(points))
        at_once = max(PAIRS // max(len(points), 1), 1)
        for start in range(0, len(others), at_once):
            rows = others[start : start + at_once]
            around = np.tile(every, len(rows))
            tall = None if stature is None else stature.take(around)
            gap, _ = self.surface(picked(points, around), np.repeat(rows, len(every)), tall)
            distance[:, rows] = np.where(gap < NOWHERE, gap, np.inf).reshape(len(rows), -1).T
        return distance if stature is None else np.where(self.meet(points[:, 2], stature), distance, np.inf)

    def meet(self, height: Scalars, stature: Stature) -> Mask:
        """Whether each meets bodies with origins at heights (n,), metres; (n, k). What ends below the feet of a body or
        begins above its head does not, such as the pillars below its floor."""
        low, high = self.bounds
        feet, head = height + stature.feet + FINE, height + stature.head - FINE
        meets = (low[None, :, 2] < head[:, None]) & (high[None, :, 2] > feet[:, None])
        return meets | (stature.head <= stature.feet)[:, None] | (self.side == INSIDE)[None]

    def near(self, points: Vectors, distance: Scalars, stature: Stature | None = None) -> tuple[Rows, Rows]:
        """Pairs of a point and a present obstacle whose surface may be within a distance of it. Returns (p,) rows of
        points, ascending, and (p,) rows of obstacles.

        Args:
            stature: (n,) how the bodies stand whose origins the points are; None for points.
        """
        rows = which(self.present & ((self.side == INSIDE) | self._may_be_near(points, distance, stature)))
        gap = _gaps(self, points, stature, rows)
        near = (gap < distance[:, None]) | (self.side[rows] == INSIDE)[None]
        if stature is not None and stature.is_tall:
            near &= self.meet(points[:, 2], stature)[:, rows]
        owner, column = np.nonzero(near)
        row = rows[column]
        pairs = which(self._has_box[row])
        if not len(pairs):
            return owner, row
        body, tall = owner[pairs], None if stature is None else stature.take(owner[pairs])
        outside = self._gap_to_boxes(picked(points, body), row[pairs], tall) > distance[body]
        kept = np.ones(len(owner), dtype=np.bool_)
        kept[pairs[outside]] = False
        return owner[kept], row[kept]

    @once
    def _has_box(self) -> Mask:
        """(k,) the boxes and meshes that vehicles keep out of: the spheres about them are wide."""
        return (self.shape != ROUND) & (self.side == OUTSIDE)

    @once
    def _boxes(self) -> tuple[Vectors, Vectors]:
        """The middles, from their own in their axes, and the half sides of the boxes about boxes and meshes, (k, 3)."""
        middle, half = np.zeros(self.half.shape), self.half.copy()
        for row in which(self.shape == MESH).tolist():
            if len(self.mesh[row]):
                low, high = self.mesh[row].bounds
                middle[row], half[row] = 0.5 * (low + high), 0.5 * (high - low)
        return middle, half

    @once
    def bounds(self) -> tuple[Vectors, Vectors]:
        """The lowest and highest corners of the boxes about them along the axes of the world, (k, 3) each, metres."""
        middle, half = self._boxes
        middle = self.middle + self.globalized(middle, np.arange(len(self)))
        x, y, z = (half[:, axis, None] * np.abs(self.axes[:, axis]) for axis in range(3))
        reach, unknown = x + y + z, ((self.shape == ROUND) & ~half.any(axis=1))[:, None]
        low = np.where(unknown, np.minimum(self.start, self.end) - self.radius[:, None], middle - reach)
        return low, np.where(unknown, np.maximum(self.start, self.end) + self.radius[:, None], middle + reach)

    def _gap_to_boxes(self, points: Vectors, rows: Rows, stature: Stature | None) -> Scalars:
        """The distances of points, or of who stands there, from the boxes about obstacles of rows (m,), (m,) metres; no
        more than that, and 0 for who stands at one that is tilted."""
        middle, half = (picked(column, rows) for column in self._boxes)
        local = self.localized(points - picked(self.start, rows), rows) - middle
        beyond = np.maximum(np.abs(local) - half, 0.0)
        if stature is None or not stature.is_tall:
            return magnitude(beyond)
        above, below = local[:, 2] + stature.feet - half[:, 2], -half[:, 2] - local[:, 2] - stature.head
        beyond[:, 2] = np.maximum(np.maximum(above, below), 0.0)
        return np.where(self.axes[rows, 2, 2] > 1.0 - ROUNDING, magnitude(beyond), 0.0) * (1.0 - ROUNDING)

    def _may_be_near(self, points: Vectors, distance: Scalars, stature: Stature | None) -> Mask:
        """Whether each obstacle's surface may be within a distance of any point, (k,): by the boxes round all. A number
        that cannot be compared makes nothing far."""
        if not len(points):
            return np.zeros(len(self), dtype=np.bool_)
        low, high = np.minimum(self.start, self.end), np.maximum(self.start, self.end)
        highest, lowest = points.max(axis=0), points.min(axis=0)
        if stature is not None:
            highest[2] += stature.head.max()
            lowest[2] += stature.feet.min()
        beside = np.maximum(low - highest, lowest - high)
        is_far = np.max(beside, axis=1, initial=0.0) - self.radius > distance.max() * (1.0 + ROUNDING) + ROUNDING
        return ~is_far

    def surface(self, points: Vectors, rows: Rows, stature: Stature | None = None) -> tuple[Scalars, Vectors]:
        """The signed distance of points from obstacles, row by row, and the shortest direction out.

        Args:
            rows: (m,) rows of obstacles.
            stature: (m,) how the bodies stand whose origins the points are; None for points.

        Returns:
            distance: (m,) metres, negative where vehicles must not be; of a body that of the nearest of its axis.
            away: (m, 3) unit directions.
        """
        if stature is None or not stature.is_tall:
            return self._surface(points, rows)
        hits = self._contact(points, rows, stature)
        distance, away = hits.obstacles._surface(hits.places, hits.rows, hits.lowest)
        if len(hits.owner) == len(rows):
            return distance, away
        nearest = rows_of_least(hits.owner, distance)
        return distance[nearest], picked(away, nearest)

    def surface_of_capsules(
        self, points: Vectors, axis: Vectors, radius: Scalars, rows: Rows, stature: Stature | None = None
    ) -> tuple[Scalars, Vectors]:
        """As `surface`, from the point of each capsule's axis that is deepest in the obstacle or nearest to it.

        Args:
            points: (m, 3) the middles of the capsules, metres.
            axis: (m, 3) from the middles to the ends of the axes, metres.
            radius: (m,) of the capsules, metres; the axes are probed twice in each radius.
            rows: (m,) rows of obstacles.
            stature: (m,) as of `surface`.
        """
        shares, every = np.array([0.0, *probes(magnitude(axis), radius)]), np.arange(len(points))
        # One call for all, as one for each takes as long for a few capsules.
        places = columns(*((point + shares[:, None] * along).ravel() for point, along in zip(points.T, axis.T)))
        tall = None if stature is None else stature.take(np.tile(every, len(shares)))
        distance, away = self.surface(places, np.tile(rows, len(shares)), tall)
        nearest = distance.reshape(len(shares), -1).argmin(axis=0) * len(points) + every
        return distance[nearest], picked(away, nearest)

    def way_aside(self, points: Vectors, rows: Rows, radius: Scalars, stature: Stature) -> tuple[Scalars, Vectors]:
        """How far bodies that boxes and meshes pierce, such as table tops, have to go aside, and the shortest way.

        Args:
            points, rows, stature: (m, 3), (m,) and (m,) as of `surface`.
            radius: (m,) of the bodies, metres.

        Returns:
            (m,) metres, inf for those that nothing pierces and those that something keeps from going there; and (m, 3)
            level unit directions.
        """
        distance, aside = np.full(len(rows), np.inf), np.zeros((len(rows), 3))
        hits = self._contact(points, rows, stature)
        deepest = rows_of_least(hits.owner, hits.obstacles._surface(hits.places, hits.rows, hits.lowest)[0])
        local = self.localized(picked(hits.places, deepest) - picked(self.start, rows), rows)
        kept_out, upright = self.side[rows] == OUTSIDE, np.abs(self.axes[rows, 2, 2]) > 1.0 - ROUNDING
        within = (np.abs(local) < self.half[rows]).all(axis=1)
        boxes = which(kept_out & upright & within & (self.shape[rows] == BOX))
        depth, out = box_surface(picked(local, boxes), self.half[rows[boxes]] * (1.0, 1.0, np.inf))
        distance[boxes], aside[boxes] = -depth, self.globalized(out, rows[boxes])
        sole = columns(points[:, 0], points[:, 1], points[:, 2] + stature.step)
        for row in rows_of(self.shape == MESH, rows):
            pairs = which(kept_out & (rows == row) & ~self._trodden[row])
            feet = self.localized(picked(sole, pairs) - self.start[row], rows[pairs])
            mesh, axes, tall = self.mesh[row], self.axes[row], (stature.head - stature.step)[pairs]
            sides = sides_of(Key.of((mesh, axes), id(mesh), axes))
            distance[pairs], out = mesh.way_aside(sides, axes[:, 2], picked(local, pairs), feet, tall, radius[pairs])
            aside[pairs] = self.globalized(out, rows[pairs])
        return distance, aside

    def touch(
        self,
        points: Vectors,
        course: Vectors,
        reach: Scalars,
        rows: Rows,
        furthest: Scalars | None = None,
        stature: Stature | None = None,
    ) -> tuple[Scalars, Vectors]:
        """The distances along straight courses at which they first come near obstacles, row by row.

        Args:
            points: (m, 3) where the courses begin, metres.
            course: (m, 3) unit directions.
            reach: (m,) the distance that counts as near, metres.
            rows: (m,) rows of obstacles.
            furthest: (m,) how far the courses are followed, metres; without limit if omitted.
            stature: (m,) as of `surface`; a body goes on at the height at which the obstacle is nearest to it.

        Returns:
            way: (m,) metres along the course, 0 if it begins near and comes nearer, inf if it does not come near.
            away: (m, 3) the unit directions away from the obstacle there.
        """
        limit = np.full(len(rows), np.inf) if furthest is None else furthest
        courses = StraightCourses(points, course, reach, limit)
        if stature is None or not stature.is_tall:
            return self._touched(courses, rows)
        hits = self._contact(points, rows, stature)
        points, rows, lowest = hits.places, hits.rows, hits.lowest
        if len(hits.owner) > len(course):
            nearest = rows_of_least(hits.owner, hits.obstacles._surface(points, rows, lowest)[0])
            points, rows = picked(points, nearest), rows[nearest]
            lowest = None if lowest is None else lowest[nearest]
        return hits.obstacles._touched(replace(courses, points=points, lowest=lowest), rows)

    def on_feet(self, rows: Rows, stature: Stature) -> "tuple[Obstacles, Rows]":
        """The obstacles with what bodies meet of those that they walk on, and the rows of those of rows (m,) there.
        `stature`: (m,) how the bodies stand."""
        pairs = which(self._trodden[rows] & (stature.head > stature.feet)) if self._trodden.any() else rows[:0]
        if not len(pairs):
            return self, rows
        kinds, kind = distinct_rows(np.stack((rows[pairs], stature.stride[pairs], stature.steepest[pairs]), axis=1))
        base, k, key = kinds[:, 0].astype(np.int64), len(self), kinds.tobytes()
        if key not in self._on_feet_cache:
            gaits = zip(base, kinds[:, 1:].tolist())
            walls = [walls_of(self.mesh[row], self.axes[row], *gait) for row, gait in gaits]
            extended = self.take(np.concatenate((np.arange(k), base)))
            extended.mesh[k:], extended.axes[k:] = [mesh for mesh, _ in walls], [axes for _, axes in walls]
            self._on_feet_cache[key] = extended
        rows = rows.copy()
        rows[pairs] = k + kind
        return self._on_feet_cache[key], rows

    @once
    def _trodden(self) -> Mask:
        """(k,) the meshes on which bodies walk, too."""
        trodden = [shape == MESH and mesh.trodden for shape, mesh in zip(self.shape.tolist(), self.mesh)]
        return np.array(trodden, dtype=np.bool_) & (self.side == OUTSIDE)

    @once
    def walled(self) -> "dict[bytes, Obstacles]":
        """The findings of `with_walls`."""
        return {}

    @once
    def _on_feet_cache(self) -> "dict[bytes, Obstacles]":
        """The findings of `on_feet`."""
        return {}

    def _contact(self, points: Vectors, rows: Rows, stature: Stature) -> "_Contact":
        """Where bodies with origins at points (m, 3) are met by obstacles of rows (m,)."""
        trodden, rows = self.on_feet(rows, stature)
        return trodden._contact_as_is(points, rows, stature)

    def _contact_as_is(self, points: Vectors, rows: Rows, stature: Stature) -> "_Contact":
        """As `_contact`: round obstacles and boxes meet bodies at one height, meshes at several."""
        middle, meshes = self.middle[rows, 2], self.shape == MESH
        if not meshes.any():
            height = stature.nearest_to(middle, points[:, 2])
            return _Contact(self, np.arange(len(rows)), columns(points[:, 0], points[:, 1], height), rows, None)
        several = meshes[rows] & (stature.head > stature.feet)
        owners, heights = [which(~several)], [stature.nearest_to(middle, points[:, 2])[~several]]
        for row in rows_of(meshes, rows):
            pairs = which(several & (rows == row))
            of, height = stature.take(pairs).sections(self.mesh[row], self.axes[row], middle[pairs], points[pairs, 2])
            owners.append(pairs[of])
            heights.append(height)
        owner, height = np.concatenate(owners), np.concatenate(heights)
        order = np.argsort(owner, kind="stable")
        owner, height = owner[order], height[order]
        trodden, lowest = several & self._trodden[rows], None
        if trodden.any():
            lowest = np.where(trodden, points[:, 2] + stature.step - middle, -np.inf)[owner]
        return _Contact(self, owner, columns(points[owner, 0], points[owner, 1], height), rows[owner], lowest)


@dataclass(frozen=True)
class _Contact:
    """The places where obstacles meet bodies on feet.

    Attributes:
        obstacles: the obstacles as they meet them.
        owner: (s,) rows of pairs of a body and an obstacle, ascending.
        places: (s, 3) metres.
        rows: (s,) rows of these obstacles.
        lowest: (s,) the height, in its axes, that what counts of a mesh exceeds, metres; None without limits.
    """

    obstacles: Obstacles
    owner: Rows
    places: Vectors
    rows: Rows
    lowest: Scalars | None


def _gaps(obstacles: Obstacles, points: Vectors, stature: Stature | None, rows: Any = slice(None)) -> Scalars:
    """The distances of points, or of who stands there, from the round hulls of obstacles of rows (k,), (n, k) m."""
    offset = points[:, None, :] - obstacles.axis_point_nearest(points, rows)
    if stature is not None and stature.is_tall:
        up = offset[..., 2]
        offset[..., 2] = clamp(np.zeros(1), up + stature.feet[:, None], up + stature.head[:, None])
    return magnitude(offset) - obstacles.radius[rows]


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
    """Obstacles at points (k, 3) with radii (k,), or one radius for all; by default still spheres without a carrier.
    Further arguments are columns of `Obstacles`."""
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
    """Boxes from middles (k, 3), half sides (k, 3) and unit axes as rows (k, 3, 3); the others as of `obstacles`."""
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
    """The radius of the sphere about its origin that contains a mesh, metres."""
    return float(magnitude(mesh.corners).max(initial=0.0))
