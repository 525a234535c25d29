"""The size of objects: the points of an obstacle, the radius and the length of a vehicle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...simulation.arrays.vectors import magnitude
from ..refusal import Refusal
from ..stored_values import FARTHEST, choice_in
from .doubles import doubles
from .hierarchy import instanced
from .rest_pose import bone_points, is_rigged, rest_offset, rest_points

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object

    from .hierarchy import Family

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
MOST_OF_IT = 0.5
"""Least extent of the parts that armatures deform, as a share of the whole model's, for them to be its body."""


def points_of(ob: Object, depsgraph: Depsgraph, family: Family | None) -> np.ndarray:
    """The points (m, 3) of an object and its children, in the object's own space; at least its origin.

    Modifiers are applied. An Empty is as large as it is drawn. Tagged children are left out; without a family, all
    children are.

    Raises:
        Refusal: a point is nowhere.
    """
    points = np.concatenate(list(_parts(ob, depsgraph, np.eye(4), family)) or [np.zeros((1, 3))])
    check_places(points, ob)
    return points


def check_places(points: np.ndarray, ob: Object) -> None:
    """Refuse an object with a point (m, 3) that is nowhere."""
    if not (np.abs(points) < FARTHEST).all():
        text = f"{ob.name} or a part of it has a vertex that is nowhere (NaN, or too far away). Delete that vertex."
        raise Refusal(text, about=[ob])


def _parts(ob: Object, depsgraph: Depsgraph, matrix: np.ndarray, family: Family | None):
    for part, offset in _bodies(ob, depsgraph, matrix, family):
        points = _local_points(part, depsgraph)
        if len(points):
            yield _placed(points, offset)


def _placed(points: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    return np.einsum("ab,kb->ka", matrix[:3, :3], points) + matrix[:3, 3]


def model_points(ob: Object, depsgraph: Depsgraph, family: Family | None) -> np.ndarray:
    """The points (m, 3) of a vehicle's model in its own space; at least its origin. Rigged parts are at rest.

    The surfaces of the object and its children count; bones only without surfaces, and Empties, as large as they are
    drawn, only without bones. If armatures deform most of the model, what they deform is the body: a hat or a suitcase
    held out in the rest pose is not. Tagged children are left out.
    """
    surfaces, rigged, bones, empties = [], [], [], [np.zeros((1, 3))]
    for part, offset in _bodies(ob, depsgraph, np.eye(4), family, at_rest=True):
        deformed = is_rigged(part)
        points = _placed(rest_points(part) if deformed else _local_points(part, depsgraph), offset)
        {"ARMATURE": bones, "EMPTY": empties}.get(part.type, surfaces).append(points)
        if deformed:
            rigged.append(points)
    kinds = (np.concatenate(kind) for kind in (surfaces, bones, empties) if kind)
    points = next(points for points in kinds if len(points))
    body = np.concatenate(rigged) if rigged else points
    return body if _extent(body) > MOST_OF_IT * _extent(points) else points


def _extent(points: np.ndarray) -> float:
    """The longest side of the box around points."""
    return float(np.ptp(points, axis=0).max()) if len(points) else 0.0


def _bodies(ob: Object, depsgraph: Depsgraph, matrix: np.ndarray, family: Family | None, *, at_rest: bool = False):
    """An object and its children that are not tagged themselves, each with the matrix that places it.

    With an instance of a collection come the objects that it shows.

    Args:
        at_rest: whether what is parented to a bone is where the bone is at rest, not where it is on this frame.
    """
    yield ob, matrix
    for shown, placed in _instances(ob, depsgraph):
        yield from _bodies(shown, depsgraph, np.einsum("ab,bc->ac", matrix, placed), family, at_rest=at_rest)
    if family is None:
        return
    evaluated = ob.evaluated_get(depsgraph)
    for child in family.children(ob):
        if child.is_property_set("steering") and child.steering.roles:
            continue
        offset = rest_offset(child) if at_rest else None
        if offset is None:
            placed = child.evaluated_get(depsgraph).matrix_world
            offset = doubles(evaluated.matrix_world.inverted_safe() @ placed)
        yield from _bodies(child, depsgraph, np.einsum("ab,bc->ac", matrix, offset), family, at_rest=at_rest)


def _instances(ob: Object, depsgraph: Depsgraph):
    """The topmost objects of the collection that an Empty shows, each with the matrix that places it in the Empty."""
    collection = instanced(ob)
    objects = set(collection.all_objects) if collection is not None else set()
    for each in collection.all_objects if objects else ():
        if each.parent not in objects:
            placed = doubles(each.evaluated_get(depsgraph).matrix_world)
            placed[:3, 3] -= doubles(collection.instance_offset)
            yield each, placed


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
    points = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.vertices.foreach_get("co", points)
    evaluated.to_mesh_clear()
    return points.reshape(-1, 3).astype(np.float64)


@dataclass(frozen=True)
class Body:
    """The points of a model in its rest pose, to be measured in several ways.

    Attributes:
        points: (m, 3) in the object's own space.
        matrix: (3, 3) what turns and scales them into the world's.
    """

    points: np.ndarray
    matrix: np.ndarray

    @classmethod
    def of(cls, ob: Object, depsgraph: Depsgraph, family: Family, matrix: np.ndarray | None = None) -> Body:
        """The body of an object and its children; `matrix` (4, 4) replaces its world matrix.

        Raises:
            Refusal: a point of it is nowhere.
        """
        if matrix is None:
            matrix = doubles(ob.evaluated_get(depsgraph).matrix_world)
        points = model_points(ob, depsgraph, family)
        check_places(points, ob)
        if not np.isfinite(matrix).all():
            text = f"{ob.name} has a transform that is not a number. Check its location, rotation, scale and parents."
            raise Refusal(text, about=[ob])
        return cls(points, matrix[:3, :3])

    def radius(self) -> float:
        """The radius in metres of the sphere about the origin that holds it; 0 without a size."""
        return float(magnitude(np.einsum("ab,kb->ka", self.matrix, self.points)).max())

    def footprint(self) -> float:
        """The radius in metres of its footprint on the ground; for a person with arms spread, that of the body."""
        width, depth, height = np.ptp(np.einsum("ab,kb->ka", self.matrix, self.points), axis=0)
        return float(min(0.25 * (width + depth), SLIM * height) if height > UPRIGHT * depth else 0.25 * (width + depth))

    def sides(self) -> list[float]:
        """The sides in metres of the box around it, along its own axes."""
        return [self._along(axis) for axis in range(3)]

    def length(self, forward_axis: str, up_axis: str) -> float:
        """Its length in metres along its forward axis, or its height if it stands upright; 0 without a size."""
        long, tall = self._along("XYZ".index(forward_axis[-1])), self.height(up_axis)
        return tall if tall > UPRIGHT * long else long

    def height(self, up_axis: str) -> float:
        """Its height in metres along its up axis; 0 without a size."""
        return self._along("XYZ".index(up_axis[-1]))

    def unscaled_height(self, up_axis: str) -> float:
        """Its height along its up axis before it is scaled."""
        return float(np.ptp(self.points[:, "XYZ".index(up_axis[-1])]))

    def origin_height(self, up_axis: str) -> float:
        """The height of its origin above its lowest point before it is scaled; 0 for a model that stands on it.

        Soles and hooves may reach a little below the origin. What floats above its origin stays so.
        """
        along = self.points[:, "XYZ".index(up_axis[-1])]
        below = float(along.max() if up_axis.startswith("NEG") else -along.min())
        return below if below > SOLES * self.unscaled_height(up_axis) else 0.0

    def capsule(self, forward_axis: str, up_axis: str, *, flat: bool) -> tuple[float, float] | None:
        """The radius and the length in metres of the capsule along its forward axis, if it is clearly long; else None.

        The capsule is about the origin, so that neither end sticks out of it. A body that stands upright is not long.

        Args:
            flat: whether only its width on the ground counts, as for what keeps in a plane, and not its height.
        """
        axes = ["XYZ".index(axis[-1]) for axis in (forward_axis, up_axis)]
        if axes[0] == axes[1]:
            return None
        scale = magnitude(self.matrix.T)
        ahead, above = (self.points[:, axis] * scale[axis] for axis in axes)
        aside = self.points[:, 3 - sum(axes)] * scale[3 - sum(axes)]
        width, height = float(np.ptp(aside)), float(np.ptp(above))
        across, longer = (width, LONG) if flat else (max(width, height), LONG_IN_SPACE)
        if not np.ptp(ahead) > longer * across > 0.0 or height > UPRIGHT * np.ptp(ahead):
            return None
        return 0.5 * across, 2.0 * float(np.abs(ahead).max())

    def _along(self, axis: int) -> float:
        return float(np.ptp(self.points[:, axis]) * magnitude(self.matrix[None, :, axis])[0])


def triangles_of(ob: Object, depsgraph: Depsgraph, family: Family | None) -> tuple[np.ndarray, np.ndarray]:
    """The surface of an object and its children in the object's own space: points (v, 3), triangles (f, 3) of rows.

    As `points_of`, but an Empty and an armature have none.
    """
    points, triangles = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=np.int64)]
    count = 0
    for part, matrix in _bodies(ob, depsgraph, np.eye(4), family):
        if part.type not in SOLID:
            continue
        evaluated = part.evaluated_get(depsgraph)
        mesh = evaluated.to_mesh()
        if mesh is None:
            continue
        local = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
        mesh.vertices.foreach_get("co", local)
        mesh.calc_loop_triangles()
        rows = np.empty(len(mesh.loop_triangles) * 3, dtype=np.int32)
        mesh.loop_triangles.foreach_get("vertices", rows)
        evaluated.to_mesh_clear()
        local = local.reshape(-1, 3).astype(np.float64)
        points.append(np.einsum("ab,kb->ka", matrix[:3, :3], local) + matrix[:3, 3])
        triangles.append(rows.reshape(-1, 3).astype(np.int64) + count)
        count += len(local)
    places = np.concatenate(points)
    check_places(places, ob)
    return places, np.concatenate(triangles)


def body_radius(ob: Object, depsgraph: Depsgraph, family: Family) -> float:
    """The radius in metres of the sphere about an object's origin that holds it and its children; 0 without a size."""
    return Body.of(ob, depsgraph, family).radius()


def body_length(ob: Object, depsgraph: Depsgraph, family: Family) -> float:
    """The length in metres of a vehicle with its children, or the height if they stand upright; 0 without a size."""
    axes = (choice_in(ob.steering, name) for name in ("forward_axis", "up_axis"))
    return Body.of(ob, depsgraph, family).length(*axes)
