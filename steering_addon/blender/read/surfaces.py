"""The surfaces that vehicles stand on, read again on a frame only if they may have changed; places to come down on."""

from collections.abc import Collection, Sequence

import numpy as np
from bpy.types import Depsgraph, Object, Scene

from ...portrayal.feet.planes import Ground
from ...simulation.arrays.scalars import Rows, Scalars
from ...simulation.arrays.vectors import Vectors, cross, in_columns, unit
from ...simulation.geometry.surfaces import NO_SURFACES, Surfaces, surfaces
from ...simulation.geometry.triangles import sides_at_border
from ...simulation.marks.sharing import Spread, spread, spread_along
from ...simulation.perches import NO_PERCHES, Perches, covered, room_to_borders
from ...simulation.roles import Role
from ..objects.body_parts import vertices_of
from ..objects.body_sizes import SOLID, triangles_of
from ..objects.doubles import column_from, doubles, placed
from ..objects.focus import vehicle_of
from ..objects.hierarchy import Family
from ..objects.tagged_objects import full_name, in_use, tagged
from .bodies import matrices_of
from .checks import check_numbers
from .curves import ReadsLines, polylines
from .dependencies import may_move
from .plan import Plan
from .solids import changes_shape
from .sources import BodySource

NO_POINTS = np.zeros((0, 3))
NO_TRIANGLES = np.zeros((0, 3), dtype=np.int64)
REACH = 0.6
"""Metres above and below a foot within which the ground is looked for."""
FACES_UP, LEVEL = 0.866, 0.707
"""The least cosine of the slope of a face, 30 degrees, and the largest sine of that of a wire, 45 degrees."""
EACH, LEAST, MOST = 24, 240, 1000
"""Places for each vehicle, and at least and at most on an object."""


class SurfaceReader:
    """Reads the surfaces of a plan, frame after frame."""

    def __init__(self, objects: Sequence[Object]) -> None:
        self._objects = objects
        self._changes = [changes_shape(ob, None) for ob in objects]
        self._shapes: list[tuple[np.ndarray, np.ndarray]] = []
        self._matrices: list[np.ndarray] = []
        self._moves: list[bool] = []
        self._active: list[bool] = []
        self._read = NO_SURFACES

    def read(self, depsgraph: Depsgraph, frame: int) -> Surfaces:
        """The surfaces on the frame the depsgraph is evaluated for. Refused if the transform or a vertex of an object
        is not a number."""
        objects = self._objects
        if not objects:
            return NO_SURFACES
        evaluated = [ob.evaluated_get(depsgraph) for ob in objects]
        matrices = [doubles(ob.matrix_world) for ob in evaluated]
        check_numbers(np.array(matrices), objects, frame)
        active = [ob.steering.active for ob in evaluated]
        if not self._shapes:
            self._moves = [changes_shape(ob, None) or may_move(ob) for ob in objects]
            self._shapes = [triangles_of(ob, depsgraph, None) for ob in objects]
            self._build(matrices, active)
            return self._read
        for row, ob in enumerate(objects):
            before, placed = self._shapes[row], not np.array_equal(matrices[row], self._matrices[row])
            shape = triangles_of(ob, depsgraph, None) if self._changes[row] else before
            has_other_faces = active[row] != self._active[row] or not _is_same(shape[1], before[1])
            if not (placed or has_other_faces or not _is_same(shape[0], before[0])):
                continue
            self._shapes[row], self._matrices[row], self._active[row] = shape, matrices[row], active[row]
            if not self._moves[row]:
                # From now on it is a layer of its own.
                self._moves[row] = True
                self._build(matrices, active)
            elif has_other_faces:
                self._read = self._read.with_faces(row, *self._in_the_world(row))
            elif active[row]:
                self._read = self._read.with_points(row, self._in_the_world(row)[0])
        return self._read

    def _build(self, matrices: list[np.ndarray], active: list[bool]) -> None:
        """Build all surfaces."""
        self._matrices, self._active = list(matrices), list(active)
        self._read = surfaces([self._in_the_world(row) for row in range(len(matrices))], self._moves)

    def _in_the_world(self, row: int) -> tuple[np.ndarray, np.ndarray]:
        """The points and triangles of a surface as it was read last; none of one that is not active."""
        points, triangles = self._shapes[row]
        return (placed(points, self._matrices[row]), triangles) if self._active[row] else (NO_POINTS, NO_TRIANGLES)


def static_ground(scene: Scene, moving: Collection[Object] = ()) -> Ground | None:
    """The static ground under feet: a scene's surfaces but those that move and parts of vehicles, on the current frame;
    None without one. Where there is none near a place, the ground is level and there."""
    # Parts of a vehicle stand only as long as that plays nothing.
    objects = [ob for ob in tagged(in_use(scene), Role.SURFACE) if ob not in moving and vehicle_of(ob) is None]
    if not objects:
        return None
    read = SurfaceReader(objects).read(scene.view_layers[0].depsgraph, scene.frame_current)

    def ground(places: Vectors, _: Rows) -> tuple[Scalars, Vectors]:
        x, y, z = places.T
        reach = np.full(len(places), REACH)
        footing = read.under(x, y, z, reach, reach)
        has = footing.triangle >= 0
        normals = np.tile((0.0, 0.0, 1.0), (len(places), 1))
        normals[has] = read.face_normal(footing.triangle[has])
        return np.where(has, footing.height, z), normals

    return ground


def _is_same(array: np.ndarray, other: np.ndarray) -> bool:
    return array is other or np.array_equal(array, other)


class PerchReader:
    """Reads the places of the bodies of a plan, in the space in which the bodies are read."""

    def __init__(self, plan: Plan, read_lines: ReadsLines | None) -> None:
        """`read_lines` reads the lines of curves; by default `polylines`."""
        self._plan = plan
        wanted, family = {full_name(ob) for ob in plan.stood_on}, Family() if plan.stood_on else None
        count = min(max(EACH * len(plan), LEAST), MOST)
        self._shapes = [
            (row, _PerchShape(source, count, family, read_lines or polylines))
            for row, source in enumerate(plan.bodies)
            if not source.bone and full_name(source.ob) in wanted
        ]

    def read(self, depsgraph: Depsgraph, frame: int) -> Perches:
        """The places on a frame."""
        if not self._shapes:
            return NO_PERCHES
        matrices = matrices_of([shape.source for _, shape in self._shapes], self._plan, depsgraph, frame)
        read = [shape.read(depsgraph, matrix) for (_, shape), matrix in zip(self._shapes, matrices)]
        body = np.concatenate([np.full(len(places), row) for (row, _), (places, _) in zip(self._shapes, read)])
        places, along = (in_columns(np.concatenate([each[part] for each in read])) for part in (0, 1))
        room = np.concatenate([shape.room for _, shape in self._shapes])
        return Perches.at(body.astype(np.int64), places, along, room)


class _PerchShape:
    """The places of one body; its shape with its children is read on the first frame, and again only if it changes.
    `room`: (p,) as of `Perches`, on the first frame."""

    def __init__(self, source: BodySource, count: int, family: Family | None, read_lines: ReadsLines) -> None:
        self.source = source
        self._changes = source.ob.type in SOLID and changes_shape(source.ob, None)
        self._count, self._read_lines = count, read_lines
        # Children are evaluated on the first frame only.
        self._family = None if self._changes else family
        self._points, self._triangles = np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
        self._spread: Spread | None = None
        self._along, self.room = np.zeros((0, 3)), np.zeros(0)

    def read(self, depsgraph: Depsgraph, matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The places and the directions of wires, (p, 3) each, of the object with a matrix (4, 4)."""
        if self._spread is None:
            self._find(depsgraph, matrix[:3, :3])
        elif self._changes:
            points = triangles_of(self.source.ob, depsgraph, self._family)[0]
            if len(points) == len(self._points):
                self._points = points
        assert self._spread is not None
        places = self._spread.on(self._points, self._triangles)
        return placed(places, matrix), unit(np.einsum("ab,kb->ka", matrix[:3, :3], self._along))

    def _find(self, depsgraph: Depsgraph, turn: np.ndarray) -> None:
        """Find the places, on faces that face up in the axes of a turn (3, 3), or else along lines."""
        ob = self.source.ob
        points, triangles = triangles_of(ob, depsgraph, self._family)
        corners = np.einsum("ab,kcb->kca", turn, points[triangles])
        normal = unit(cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]))
        upward = normal[:, 2] * np.sign(np.linalg.det(turn))
        # A mesh may be inside out.
        up = triangles[upward >= FACES_UP] if (upward >= FACES_UP).any() else triangles[upward <= -FACES_UP]
        lines, segments = self._lines(depsgraph)
        if len(up) and ob.type == "MESH":
            # Loose edges, such as an aerial, make no wire of a roof.
            segments = segments[:0]
        if len(up):
            found = spread(points, up, self._count)
            places = np.einsum("ab,kb->ka", turn, found.on(points, up))
            free = ~covered(places, corners)
            self._points, self._triangles = points, up
            start, end = (np.einsum("ab,kb->ka", turn, points[rows]) for rows in sides_at_border(points, up).T)
            self.room = room_to_borders(places[free], start, end)
            self._spread = Spread(found.triangle[free], found.second[free], found.third[free])
        else:
            ends = np.einsum("ab,kb->ka", turn, lines)
            rise = unit(ends[segments[:, 1]] - ends[segments[:, 0]])[:, 2]
            segments = segments[np.abs(rise) <= LEVEL]
            self._points = lines
            self._spread, self._triangles = spread_along(lines, segments, self._count)
        self._along = self._directions(self._spread.on(self._points, self._triangles), lines, segments)
        if len(segments):
            self.room = np.full(len(self._along), np.inf)

    def _directions(self, places: np.ndarray, lines: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """The directions of the lines nearest to places, (p, 3); zero where there are none."""
        if not len(segments) or not len(places):
            return np.zeros((len(places), 3))
        middle = 0.5 * (lines[segments[:, 0]] + lines[segments[:, 1]])
        nearest = np.array([np.argmin(((middle - place) ** 2).sum(axis=1)) for place in places])
        return unit(lines[segments[nearest, 1]] - lines[segments[nearest, 0]])

    def _lines(self, depsgraph: Depsgraph) -> tuple[np.ndarray, np.ndarray]:
        """The lines of a curve, or the edges of a mesh that belong to no face: points (v, 3), segments (s, 2)."""
        ob, none = self.source.ob, (np.zeros((0, 3)), np.zeros((0, 2), dtype=np.int64))
        if ob.type == "CURVE":
            return _joined(self._read_lines(ob, depsgraph), doubles(ob.evaluated_get(depsgraph).matrix_world))
        if ob.type != "MESH":
            return none
        mesh = ob.evaluated_get(depsgraph).to_mesh()
        points, edges = vertices_of(mesh), column_from(mesh.edges, "vertices", 2, np.int32)
        loose = column_from(mesh.edges, "is_loose", kind=np.bool_)
        ob.evaluated_get(depsgraph).to_mesh_clear()
        return points, edges[loose].astype(np.int64)


def _joined(lines: Sequence[tuple[np.ndarray, bool]], matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lines in world space as points and segments in the space of an object."""
    points, segments, count = [np.zeros((0, 3))], [np.zeros((0, 2), dtype=np.int64)], 0
    for line, closed in lines:
        rows = count + np.arange(len(line))
        after = np.roll(rows, -1)
        segments.append(np.stack((rows, after), axis=1)[: len(line) if closed else len(line) - 1])
        points.append(line)
        count += len(line)
    world = np.concatenate(points) - matrix[:3, 3]
    # A pseudoinverse, as an object may be flat.
    return world @ np.linalg.pinv(matrix[:3, :3]).T, np.concatenate(segments)
