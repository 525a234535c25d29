"""The size of objects: the points of an obstacle, the radius and the length of a vehicle."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Depsgraph, Mesh, Object

from ...simulation.arrays.once import once
from ...simulation.arrays.vectors import across, magnitude, unit
from ..properties import has_roles
from ..refusal import FARTHEST, Refusal, choice_in
from .body_parts import bone_points, is_rigged, on_faces, points_at_rest, rest_offset, seen, vertices_of, worn_parts
from .doubles import column_from, doubles, placed
from .hierarchy import Family, instanced

Front = tuple[str, str]
"""The names of the forward and the up axis of a model."""
SOLID = {"MESH", "CURVE", "SURFACE", "FONT", "META"}
"""Types of objects that have a surface to measure."""
UPRIGHT = 2.0
"""A model at least this many times as tall as it is long stands upright: its size is its height."""
LONG, LONG_IN_SPACE = 1.5, 2.2
"""Least ratio of length to width of a body that is a capsule and not a sphere: on the ground, where its footprint
counts, and in space, where it is compared with its height too."""
SLIM = 0.2
"""The share of their height that people take to either side."""
SOLES = 0.05
"""The share of its height that a model which stands on its origin reaches below it at most."""
STANDING, BASE = 1.25, 0.35
"""Least ratio of the spread of a body's parts in height to that in length, and greatest length of what it stands on, as
a share of its height, for it to stand upright. People with large heads have 1.5 and 0.2, antlered stags 1.1 and 0.5,
and a giraffe is spread in height, but stands on four legs."""
CELLS, LOWEST = 30, 0.08
"""Cells that the height of a body is divided into, so that it counts alike where its mesh is fine and coarse, and the
share of the height in which it stands on the ground."""
LEAST_SHARE = 1e-3
"""The least share of a scale by which a shape is measured: one that is flatter still has two ends."""


def mean_scale(ob: Object) -> float:
    """The size of an object by its own scale channels: the geometric mean of its axes."""
    (x, y, z), (dx, dy, dz) = ob.scale, ob.delta_scale
    return float(np.cbrt(abs(x * dx * y * dy * z * dz)))


def points_of(ob: Object, depsgraph: Depsgraph, family: Family | None) -> np.ndarray:
    """The points (m, 3) of an object and its children, in the object's own space; at least its origin.

    Modifiers are applied. An Empty is as large as it is drawn. Tagged children are left out; without a family, all
    children are. Refused if a point is nowhere.
    """
    bodies = _bodies(ob, depsgraph, np.eye(4), family)
    parts = [placed(_local_points(part, depsgraph), offset) for part, offset in bodies]
    points = np.concatenate(parts) if any(map(len, parts)) else np.zeros((1, 3))
    check_places(points, ob)
    return points


def check_places(points: np.ndarray, ob: Object) -> None:
    """Refuse an object with a point (m, 3) that is nowhere."""
    if not (np.abs(points) < FARTHEST).all():
        text = f"{ob.name} or a part of it has a vertex that is nowhere (NaN, or too far away). Delete that vertex."
        raise Refusal(text, about=[ob])


def box_corners(ob: Object, matrix: np.ndarray) -> np.ndarray:
    """The corners of the box round an object, placed by a matrix (4, 4), (8, 3)."""
    return placed(doubles(ob.bound_box), matrix)


def model_points(ob: Object, depsgraph: Depsgraph, family: Family | None) -> np.ndarray:
    """The points (m, 3) of a vehicle's model in its own space; at least its origin. Rigged parts are at rest.

    What is seen of the object and its children counts: their faces; bones only without any, and Empties, as large as
    they are drawn, only without bones. Of a rigged model its body counts, not what it wears or holds. Tagged children
    are left out.
    """
    parts = list(_bodies(ob, depsgraph, np.eye(4), family, at_rest=True))
    rigs = {part for part, _ in parts if part.type == "ARMATURE"} if family is not None else set()
    worn = {part for rig in rigs for part in worn_parts(rig, family)}
    shown = set(seen([part for part, _ in parts if part not in worn]))
    surfaces, bones, empties = [], [], [np.zeros((1, 3))]
    for part, offset in parts:
        if part in shown:
            points = points_at_rest(part) if is_rigged(part) else _local_points(part, depsgraph)
            kind = {"ARMATURE": bones, "EMPTY": empties}.get(part.type, surfaces)
            kind.append(placed(points, offset))
    kinds = (np.concatenate(kind) for kind in (surfaces, bones, empties) if kind)
    return next(points for points in kinds if len(points))


def _bodies(ob: Object, depsgraph: Depsgraph, matrix: np.ndarray, family: Family | None, *, at_rest: bool = False):
    """An object and its children that are not tagged themselves, each with the matrix that places it.

    With an instance of a collection come the objects that it shows. `at_rest`: whether what is parented to a bone is
    where the bone is at rest, not where it is on this frame.
    """
    yield ob, matrix
    for shown, offset in _instances(ob, depsgraph):
        yield from _bodies(shown, depsgraph, np.einsum("ab,bc->ac", matrix, offset), family, at_rest=at_rest)
    if family is None:
        return
    evaluated = ob.evaluated_get(depsgraph)
    for child in family.children(ob):
        if has_roles(child):
            continue
        offset = rest_offset(child) if at_rest else None
        if offset is None:
            world = child.evaluated_get(depsgraph).matrix_world
            offset = doubles(evaluated.matrix_world.inverted_safe() @ world)
        yield from _bodies(child, depsgraph, np.einsum("ab,bc->ac", matrix, offset), family, at_rest=at_rest)


def _instances(ob: Object, depsgraph: Depsgraph):
    """The topmost objects of the collection that an Empty shows, each with the matrix that places it in the Empty."""
    collection = instanced(ob)
    objects = set(collection.all_objects) if collection is not None else set()
    for member in collection.all_objects if objects else ():
        if member.parent not in objects:
            offset = doubles(member.evaluated_get(depsgraph).matrix_world)
            offset[:3, 3] -= doubles(collection.instance_offset)
            yield member, offset


def _local_points(ob: Object, depsgraph: Depsgraph) -> np.ndarray:
    if ob.type == "EMPTY" and instanced(ob) is not None:
        return np.zeros((0, 3))
    if ob.type == "EMPTY":
        return np.concatenate((np.eye(3), -np.eye(3))) * ob.empty_display_size
    if ob.type == "ARMATURE":
        return bone_points(ob)
    if ob.type not in SOLID:
        return np.zeros((0, 3))
    evaluated = ob.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    if mesh is None:
        return doubles(ob.bound_box)
    points = vertices_of(mesh)
    points = points[on_faces(mesh, len(points))]
    evaluated.to_mesh_clear()
    return points


def off_box(points: np.ndarray) -> np.ndarray:
    """How far the origin is outside of the box round points (m, 3), along each of its axes, (3,)."""
    return np.asarray(np.maximum(np.maximum(points.min(axis=0), -points.max(axis=0)), 0.0))


@dataclass(frozen=True, eq=False)
class Body:
    """The points of a model in its rest pose, to be measured in several ways. `points`: (m, 3) in the object's own
    space; `matrix`: (3, 3) what turns and scales them into the world's."""

    points: np.ndarray
    matrix: np.ndarray

    @classmethod
    def of(cls, ob: Object, depsgraph: Depsgraph, family: Family, matrix: np.ndarray | None = None) -> "Body":
        """The body of an object and its children; `matrix` (4, 4) replaces its world matrix. Refused if a point of it
        is nowhere."""
        if matrix is None:
            matrix = doubles(ob.evaluated_get(depsgraph).matrix_world)
        points = model_points(ob, depsgraph, family)
        check_places(points, ob)
        if not np.isfinite(matrix).all():
            text = f"{ob.name} has a transform that is not a number. Check its location, rotation, scale and parents."
            raise Refusal(text, about=[ob])
        return cls(points, matrix[:3, :3])

    @classmethod
    def of_each(cls, objects: Sequence[Object], depsgraph: Depsgraph, family: Family) -> "dict[str, Body]":
        """The bodies of objects by name; copies of one mesh that are scaled and turned alike share theirs. Refused if a
        point of one is nowhere."""
        shared: dict[tuple[Mesh, bytes], Body] = {}
        bodies = {}
        for ob in objects:
            if _is_bare(ob, family):
                matrix = doubles(ob.evaluated_get(depsgraph).matrix_world)
                key = ob.data, matrix[:3, :3].tobytes()
                if key not in shared:
                    shared[key] = cls.of(ob, depsgraph, family, matrix)
                bodies[ob.name] = shared[key]
            else:
                bodies[ob.name] = cls.of(ob, depsgraph, family)
        return bodies

    def radius(self, _front: Front | None = None) -> float:
        """The radius in metres of the sphere about the origin that holds it; 0 without a size."""
        return float(magnitude(self._in_world).max())

    def footprint(self, front: Front) -> float:
        """The radius in metres of its footprint on the ground; if it stands upright that of its trunk, as arms may be
        spread in the model."""
        width, depth, height = self.extent()
        around = 0.25 * float(width + depth)
        return min(around, SLIM * float(height)) if self.is_upright(front) else around

    def room(self, front: Front) -> float:
        """The radius in metres to keep free on the ground about its origin; spread arms need none."""
        points = self._in_world
        up = unit(self.matrix @ np.eye(3)["XYZ".index(front[1][-1])])
        radius = float(magnitude(across(points, up)).max())
        return min(radius, self.footprint(front)) if self.is_upright(front) else radius

    def is_upright(self, front: Front) -> bool:
        """Whether it stands upright, as people do: rather high than long, on a short base."""
        ahead, above = (self.points[:, "XYZ".index(axis[-1])] * self._scale["XYZ".index(axis[-1])] for axis in front)
        return front[0][-1] != front[1][-1] and stands_upright(ahead, above)

    def extent(self) -> np.ndarray:
        """The sides in metres of the box around it, along the axes of the world, (3,)."""
        return np.asarray(np.ptp(self._in_world, axis=0))

    def sides(self) -> list[float]:
        """The sides in metres of the box around it, along its own axes."""
        return [self._along(axis) for axis in range(3)]

    def length(self, forward_axis: str, up_axis: str) -> float:
        """Its length in metres along its forward axis, or its height if it stands upright; 0 without a size."""
        return self.height(up_axis if self.is_upright((forward_axis, up_axis)) else forward_axis)

    def height(self, up_axis: str) -> float:
        """Its height in metres along its up axis; 0 without a size."""
        return self._along("XYZ".index(up_axis[-1]))

    def unscaled_height(self, up_axis: str) -> float:
        """Its height along its up axis before it is scaled."""
        low, high = self._ends[:, "XYZ".index(up_axis[-1])]
        return float(high - low)

    def middle(self) -> np.ndarray:
        """Where it is in its own space, (3,): at its origin, or where that is further from the box around it than half
        the diagonal of that, as with applied transforms, in the middle of the box."""
        low, high = self._ends
        apart, size = magnitude(np.stack((off_box(self.points), high - low)) * self._scale).tolist()
        return 0.5 * (low + high) if apart > 0.5 * size > 0.0 else np.zeros(3)

    def origin_height(self, up_axis: str) -> float:
        """The height of its origin above its lowest point before it is scaled; 0 for a model that stands on it. Soles
        and hooves may reach a little below the origin. What floats above its origin stays so."""
        low, high = self._ends[:, "XYZ".index(up_axis[-1])]
        below = float(high if up_axis.startswith("NEG") else -low)
        return below if below > SOLES * self.unscaled_height(up_axis) else 0.0

    def capsule(self, forward_axis: str, up_axis: str, *, flat: bool) -> tuple[float, float] | None:
        """The radius and the length in metres of the capsule along its forward axis, if it is clearly long; else None.

        The capsule is about the origin, so that neither end sticks out of it. A body that stands upright is not long.
        `flat`: whether only its width on the ground counts, as for what keeps in a plane, and not its height.
        """
        axes = ["XYZ".index(axis[-1]) for axis in (forward_axis, up_axis)]
        if axes[0] == axes[1]:
            return None
        ahead, above = (self.points[:, axis] * self._scale[axis] for axis in axes)
        aside = self.points[:, 3 - sum(axes)] * self._scale[3 - sum(axes)]
        width, height = float(np.ptp(aside)), float(np.ptp(above))
        breadth, longer = (width, LONG) if flat else (max(width, height), LONG_IN_SPACE)
        if not np.ptp(ahead) > longer * breadth > 0.0 or self.is_upright((forward_axis, up_axis)):
            return None
        return 0.5 * breadth, 2.0 * float(np.abs(ahead).max())

    def _along(self, axis: int) -> float:
        return float(np.ptp(self.points[:, axis]) * self._scale[axis])

    @once
    def proportions(self) -> np.ndarray:
        """The scale of each axis as a share of the largest, (3,); models of other sizes have the same. Shares of 1 for
        a model that is not to be seen as it is scaled, flat or without end."""
        if not (np.isfinite(self._scale).all() and self._scale.min() > 0.0):
            return np.ones(3)
        return np.asarray(np.maximum(np.round(self._scale / self._scale.max(), 3), LEAST_SHARE))

    @once
    def _in_world(self) -> np.ndarray:
        """The points turned and scaled as in the world, (m, 3)."""
        return np.einsum("ab,kb->ka", self.matrix, self.points)

    @once
    def _ends(self) -> np.ndarray:
        """The least and the greatest number along each of its own axes, (2, 3)."""
        return np.stack((self.points.min(axis=0), self.points.max(axis=0)))

    @once
    def _scale(self) -> np.ndarray:
        """The scale of each axis, (3,)."""
        return magnitude(self.matrix.T)


def _is_bare(ob: Object, family: Family) -> bool:
    """Whether the points of an object are those of its mesh, and nothing else shapes them or comes with them."""
    bare = ob.type == "MESH" and ob.parent is None and ob.instance_type == "NONE" and not ob.modifiers
    return bare and ob.data.shape_keys is None and not family.children(ob)


def stands_upright(ahead: np.ndarray, above: np.ndarray) -> bool:
    """Whether a body of points that are so far ahead and so high, (m,) each, stands upright, as people do."""
    height = float(np.ptp(above))
    if height > UPRIGHT * np.ptp(ahead) or not height > 0.0:
        return height > 0.0
    columns, rows = (np.rint((along - along.min()) * (CELLS / height)).astype(np.int64) for along in (ahead, above))
    cells = np.stack(np.divmod(np.unique(columns * (CELLS + 1) + rows), CELLS + 1), axis=1) / CELLS
    spread = cells.std(axis=0)
    base = cells[cells[:, 1] < cells[:, 1].min() + LOWEST, 0]
    return bool(spread[1] > STANDING * spread[0] and np.ptp(np.quantile(base, (0.1, 0.9))) < BASE)


def triangles_of(ob: Object, depsgraph: Depsgraph, family: Family | None) -> tuple[np.ndarray, np.ndarray]:
    """The surface of an object and its children in the object's own space: points (v, 3), triangles (f, 3) of rows. As
    `points_of`, but an Empty and an armature have none."""
    points, triangles = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.int64)]
    count = 0
    for part, matrix in _bodies(ob, depsgraph, np.eye(4), family):
        if part.type not in SOLID:
            continue
        evaluated = part.evaluated_get(depsgraph)
        mesh = evaluated.to_mesh()
        if mesh is None:
            continue
        local = vertices_of(mesh)
        mesh.calc_loop_triangles()
        triangles.append(column_from(mesh.loop_triangles, "vertices", 3, np.int32).astype(np.int64) + count)
        evaluated.to_mesh_clear()
        points.append(placed(local, matrix))
        count += len(local)
    positions = np.concatenate(points)
    check_places(positions, ob)
    return positions, np.concatenate(triangles)


def body_length(ob: Object, depsgraph: Depsgraph, family: Family) -> float:
    """The length in metres of a vehicle with its children, or the height if they stand upright; 0 without a size."""
    axes = (choice_in(ob.steering, name) for name in ("forward_axis", "up_axis"))
    return Body.of(ob, depsgraph, family).length(*axes)
