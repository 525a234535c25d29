"""Obstacles as bodies: each object is measured once, placed on every frame, and given a shape that fits it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Depsgraph, Object, PropertyGroup, Scene

from ...simulation.arrays.vectors import cross, dot, magnitude, squared, unit
from ...simulation.geometry.capsules import hull
from ...simulation.geometry.fitting import FULL, Fit, fit
from ...simulation.geometry.meshes import Mesh, mesh
from ...simulation.geometry.obstacles import PASS_SIDES, Obstacles, mesh_radius
from ...simulation.geometry.regions import SHAPES as REGION_SHAPES
from ...simulation.geometry.shapes import OBSTACLE_SHAPES, OBSTACLE_SIDES, OUTSIDE
from ...simulation.roles import Role
from ..objects.body_sizes import points_of, triangles_of
from ..objects.doubles import doubles, placed
from ..objects.hierarchy import Family, shown_in
from ..objects.tagged_objects import height_of, in_use, tagged
from ..properties import has_role
from ..refusal import choice_in
from .checks import check_numbers
from .dependencies import animates, changes_with_modifiers, may_move
from .sources import BodySource

SHAPE_NUMBERS = {choice.name: choice.number for choice in OBSTACLE_SHAPES}
SIDE_NUMBERS = {choice.name: choice.number for choice in OBSTACLE_SIDES}
PASS_SIDE_NUMBERS = {choice.name: choice.number for choice in PASS_SIDES}
SHAPED_BY = ("bevel_object", "taper_object", "follow_curve")
"""The pointers of a curve or text at objects that shape it."""
SAME = 1e-6
"""Metres that a point of a mesh may move before the mesh counts as another."""
SHAPES = {number: name for name, number in SHAPE_NUMBERS.items()}
SHAPE_LABELS = {choice.name: choice.label for choice in (*OBSTACLE_SHAPES, *REGION_SHAPES)}
PERSON = 1.5
"""Metres: what is lower people pass round, while vehicles are not known."""
ON_BALL = 0.1
"""How far the points of a ball, in units of its radius, are from the round surface in its box at most."""
BELOW_RIM = np.array((0.0, 0.0, 0.8))
WALLS = np.array([(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, -1)], dtype=np.float64)
"""A place in a tank, in units of its half sides, and the directions in which it has a wall there."""


class Solids:
    """The obstacles of a plan: measured on the first frame read, placed on every frame."""

    def __init__(self, sources: Sequence[BodySource]) -> None:
        self._sources = sources
        self._shapes = self._sides = np.zeros(0, dtype=np.int64)
        self._measured: list[_Hull | _Box | Surface] | None = None
        self._axes = Axes()
        self._matrices = np.zeros((0, 4, 4))
        self._placed: list[_Placed] = []
        self._settings_stay = not any(animates(source.ob, "steering") for source in sources)
        self._read: Obstacles | None = None

    @property
    def measured(self) -> bool:
        """Whether the first frame was read."""
        return self._measured is not None

    def read(self, matrices: np.ndarray, depsgraph: Depsgraph) -> Obstacles:
        """The obstacles placed by `matrices` (k, 4, 4), in world space or in the local space of their carriers. Refused
        if the shape or side of one is a choice that this version does not know."""
        sources = self._sources
        if self._measured is None:
            stored = [source.ob.steering for source in sources]
            self._shapes = _choice_numbers(SHAPE_NUMBERS, "obstacle_shape", stored)
            self._sides = _choice_numbers(SIDE_NUMBERS, "obstacle_side", stored)
            family = Family()
            self._measured = [
                MEASURES[shape](s.ob, m, depsgraph, family)
                for s, m, shape in zip(sources, matrices, self._shapes.tolist())
            ]
        if len(self._matrices) == len(matrices):
            stays = np.array([solid.stays for solid in self._measured], dtype=np.bool_)
            stands = (matrices == self._matrices).all(axis=(1, 2)) & stays
        else:
            stands = np.zeros(len(matrices), dtype=np.bool_)
        if self._read is not None and self._settings_stay and stands.all():
            return self._read
        self._placed = placed = [
            self._placed[row] if stand else self._measured[row].placed(matrices[row], depsgraph)
            for row, stand in enumerate(stands.tolist())
        ]
        self._matrices = matrices
        self._read = self._obstacles(placed, matrices, depsgraph)
        return self._read

    def _obstacles(self, placed: "Sequence[_Placed]", matrices: np.ndarray, depsgraph: Depsgraph) -> Obstacles:
        """The obstacles placed by `matrices` (k, 4, 4), with their settings on the frame."""
        sources = self._sources
        settings = [source.ob.evaluated_get(depsgraph).steering for source in sources]
        meshes = np.empty(len(sources), dtype=np.object_)
        meshes[:] = [body.mesh for body in placed]
        two_sided = np.array([body.mesh is not None and not body.mesh.closed for body in placed], dtype=np.bool_)
        active = [stored.active and not body.empty for stored, body in zip(settings, placed)]
        return Obstacles(
            start=np.array([body.start for body in placed]).reshape(-1, 3),
            end=np.array([body.end for body in placed]).reshape(-1, 3),
            velocity=np.zeros((len(sources), 3)),
            radius=np.array([body.radius for body in placed]),
            pass_side=_choice_numbers(PASS_SIDE_NUMBERS, "pass_side", settings),
            present=np.array(active, dtype=np.bool_),
            carrier=np.array([source.carrier for source in sources], dtype=np.int64),
            shape=self._shapes,
            side=np.where(two_sided, OUTSIDE, self._sides),
            axes=self._axes.of(matrices),
            half=np.array([body.half for body in placed]).reshape(-1, 3),
            spin=np.zeros((len(sources), 3)),
            mesh=meshes,
        )


def _choice_numbers(known: Mapping[str, int], name: str, settings: Sequence[PropertyGroup]) -> np.ndarray:
    """The numbers of the choices that a property of several groups holds, (k,). Raises Refusal for an unknown one."""
    return np.array([known[choice_in(stored, name)] for stored in settings], dtype=np.int64)


@dataclass(frozen=True)
class _Placed:
    """A body on a frame: the ends of its axis, the radius about it, half its sides, or its mesh."""

    start: np.ndarray
    end: np.ndarray
    radius: float
    half: np.ndarray
    mesh: Mesh | None = None

    @property
    def empty(self) -> bool:
        """Whether it is a mesh without faces."""
        return self.mesh is not None and len(self.mesh) == 0


class _Hull:
    """An obstacle's round hull in its own space, measured at its size on the first frame."""

    stays = True
    """Whether it is the same on all frames, but for its place."""

    def __init__(self, ob: Object, matrix: np.ndarray, depsgraph: Depsgraph, family: Family) -> None:
        self._size = sizes_of(matrix)
        # Measured along the object's own axes at its size in the world, and kept in its own space.
        points = points_of(ob, depsgraph, family)
        start, end, self._radius = hull(points * self._size)
        self._start, self._end, self._half = start / self._size, end / self._size, box_of(points)[1]

    def placed(self, matrix: np.ndarray, _depsgraph: Depsgraph) -> _Placed:
        size = sizes_of(matrix)
        start, end = placed(np.stack((self._start, self._end)), matrix)
        return _Placed(start, end, self._radius * float((size / self._size).max()), self._half * size)


class _Box:
    """An obstacle's box along its own axes, measured at the first frame; it stretches with the object."""

    stays = True

    def __init__(self, ob: Object, _matrix: np.ndarray, depsgraph: Depsgraph, family: Family) -> None:
        self._middle, self._half = box_of(points_of(ob, depsgraph, family))

    def placed(self, matrix: np.ndarray, _depsgraph: Depsgraph) -> _Placed:
        middle = np.einsum("ab,b->a", matrix[:3, :3], self._middle) + matrix[:3, 3]
        half = self._half * sizes_of(matrix)
        return _Placed(middle, middle, float(magnitude(half)), half)


class Surface:
    """An object's surface, read again on each frame if its shape may change."""

    def __init__(self, ob: Object, _matrix: np.ndarray, depsgraph: Depsgraph, family: Family | None) -> None:
        self._ob, self._family = ob, family
        self._points, self._triangles = triangles_of(ob, depsgraph, family)
        self.stays = not changes_shape(ob, family)
        """Whether it is the same on all frames, but for its place."""
        self._built: np.ndarray | None = None
        self._mesh = mesh(np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))
        self._middle = np.zeros(3)

    def placed(self, matrix: np.ndarray, depsgraph: Depsgraph) -> _Placed:
        """The surface on the frame of the depsgraph, placed by its matrix (4, 4)."""
        if not self.stays:
            self._points, self._triangles = triangles_of(self._ob, depsgraph, self._family)
        axes = axes_of(matrix[None])[0]
        # In the object's turned axes, so that only its scale and shear remain in the points.
        points = np.einsum("ab,bc,kc->ka", axes, matrix[:3, :3], self._points)
        if (
            self._built is None
            or points.shape != self._built.shape
            or np.abs(points - self._built).max(initial=0.0) > SAME
        ):
            self._built = points
            corners = points[self._triangles.reshape(-1)]
            self._middle = box_of(corners)[0] if len(corners) else np.zeros(3)
            self._mesh = mesh(points - self._middle, self._triangles, trodden=has_role(self._ob, Role.SURFACE))
        middle = np.einsum("ba,b->a", axes, self._middle) + matrix[:3, 3]
        return _Placed(middle, middle, mesh_radius(self._mesh), np.zeros(3), self._mesh)


MEASURES = {SHAPE_NUMBERS["ROUND"]: _Hull, SHAPE_NUMBERS["BOX"]: _Box, SHAPE_NUMBERS["MESH"]: Surface}


def is_mesh(ob: Object) -> bool:
    """Whether an obstacle counts as the surface of its mesh and its children."""
    return bool(ob.steering.obstacle_shape == "MESH")


def changes_shape(ob: Object, family: Family | None) -> bool:
    """Whether the shape of an object may change over the frames; with a family, including its children. That of an
    instance of a collection may if something in it changes or moves."""
    return any(may_move(shown) or changes_shape(shown, None) for shown in shown_in(ob)) or any(
        changes_with_modifiers(part)
        or part.type == "META"
        or any(getattr(part.data, name, None) for name in SHAPED_BY)
        or getattr(part.data, "shape_keys", None)
        or getattr(part.data, "animation_data", None)
        or part != ob
        for part in (ob, *(family.descendants(ob) if family else ()))
    )


def axes_of(matrices: np.ndarray) -> np.ndarray:
    """The unit axes of objects as rows, (k, 3, 3), square to each other."""
    return squared(unit(np.swapaxes(matrices[:, :3, :3], 1, 2)))


class Axes:
    """The unit axes of the same objects frame by frame; most stand still, and are not computed again."""

    def __init__(self) -> None:
        self._matrices = np.zeros((0, 4, 4))
        self._axes = np.zeros((0, 3, 3))

    def of(self, matrices: np.ndarray) -> np.ndarray:
        if not np.array_equal(matrices, self._matrices):
            self._matrices, self._axes = matrices, axes_of(matrices)
        return self._axes


def box_of(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The middle and the half sides of the box that holds points (m, 3), along their axes."""
    low, high = points.min(axis=0), points.max(axis=0)
    return (low + high) / 2.0, (high - low) / 2.0


def sizes_of(matrix: np.ndarray) -> np.ndarray:
    """The scale of each axis of a matrix, (3,), never 0."""
    return np.maximum(magnitude(matrix[:3, :3].T), 1e-9)


def passers_height(scene: Scene) -> float:
    """The height of the lowest vehicle of a scene, to which a gap may be a way; of a person if there is none."""
    heights = map(height_of, tagged(in_use(scene), Role.VEHICLE))
    return min((height for height in heights if height > 0.0), default=PERSON / scene.unit_settings.scale_length)


def fit_of(ob: Object, depsgraph: Depsgraph, family: Family, height: float) -> Fit:
    """How shapes fit an object with its children, for those of a height. Refused if it or a point of it is nowhere."""
    matrix = doubles(ob.evaluated_get(depsgraph).matrix_world)
    check_numbers(matrix[None], [ob], depsgraph.scene.frame_current)
    size = sizes_of(matrix)
    points, triangles = triangles_of(ob, depsgraph, family)
    up = int(np.argmax(np.abs(matrix[2, :3]) / size))
    return fit(points_of(ob, depsgraph, family) * size, points * size, triangles, up, height)


def fitting_shape(ob: Object, depsgraph: Depsgraph, family: Family, height: float) -> str:
    """The stored name of the shape that an object has. Raises Refusal as `fit_of`."""
    fitted = fit_of(ob, depsgraph, family, height)
    if ob.type == "EMPTY" and ob.empty_display_type == "CUBE" and not fitted.has_faces:
        return "BOX"
    return SHAPES[fitted.shape]


def fitting_region(ob: Object, depsgraph: Depsgraph) -> str:
    """The stored name of the shape that fits a region, a box without an inside. Refused if a point is nowhere."""
    points, triangles = triangles_of(ob, depsgraph, None)
    if not len(triangles):
        return "BOX" if ob.type != "EMPTY" or ob.empty_display_type == "CUBE" else "SPHERE"
    return inside_of(points, triangles) or "BOX"


def inside_of(points: np.ndarray, triangles: np.ndarray) -> str:
    """The stored name of the shape of the inside of a surface, points (m, 3) and triangles (f, 3); "" without one. It
    is a box for a tank with walls of glass too, which may have no lid."""
    middle, half = box_of(points[triangles.reshape(-1)])
    surface = mesh((points - middle) / np.maximum(half, 1e-9), triangles)
    walls, _ = surface.hit(np.tile(BELOW_RIM, (len(WALLS), 1)), WALLS, np.full(len(WALLS), np.inf))
    if np.isfinite(walls).all() and not surface.inside(BELOW_RIM[None]).any():
        return "BOX"
    if not surface.closed:
        return ""
    a, b, c = surface.corners
    volume = abs(float(np.cumsum(dot(a, cross(b, c)))[-1])) / 6.0
    if volume >= FULL * 8.0:
        return "BOX"
    deviation = np.abs(magnitude(surface.corners.reshape(-1, 3)) - 1.0)
    return "SPHERE" if deviation.max() <= ON_BALL and volume > np.pi else "MESH"
