"""Curve objects as paths: their splines as polylines in world space."""

from collections.abc import Callable

import bpy
import numpy as np
from bpy.types import Depsgraph, Mesh, Object, Spline
from mathutils.geometry import interpolate_bezier

from ...simulation.arrays.scalars import EPSILON, Scalars
from ...simulation.arrays.vectors import Vectors
from ...simulation.geometry.paths import Path, spline
from ..objects.body_parts import vertices_of
from ..objects.doubles import column_from, doubles, placed
from .checks import check_numbers
from .dependencies import has_foreign_handlers
from .solids import changes_shape

ReadsLines = Callable[[Object, Depsgraph], list[tuple[np.ndarray, bool]]]


class CurveReader:
    """Reads a curve object frame after frame; once for each place if its shape stays."""

    def __init__(self, ob: Object, read: ReadsLines | None = None) -> None:
        """`read` reads its lines; by default `polylines`."""
        self.ob = ob
        self._read = read or polylines
        self._stays = not (changes_shape(ob, None) or has_foreign_handlers())
        self._at: np.ndarray | None = None
        self._seen: list[tuple[np.ndarray, bool]] = []
        self._path: Path = ()

    def read(self, depsgraph: Depsgraph) -> Path:
        """The path on the frame of the depsgraph, maybe without splines. Refused if a position is invalid."""
        matrix = doubles(self.ob.evaluated_get(depsgraph).matrix_world)
        if self._stays and np.array_equal(matrix, self._at):
            return self._path
        lines, self._at = self._read(self.ob, depsgraph), matrix
        for points, _ in lines:
            check_numbers(points[None], [self.ob], depsgraph.scene.frame_current)
        if not _same(lines, self._seen):
            self._seen = lines
            self._path = tuple(spline(points, closed) for points, closed in lines)
        return self._path


def polylines(ob: Object, depsgraph: Depsgraph) -> list[tuple[np.ndarray, bool]]:
    """The splines of a curve object in world space: points (k, 3) and whether closed. Bezier, poly and NURBS, with
    modifiers; of a bevelled curve the middle line is read."""
    evaluated = ob.evaluated_get(depsgraph)
    if _is_computed(ob):
        return _in_world(_computed_lines(evaluated, depsgraph), evaluated)
    mesh, lines = evaluated.to_mesh(), None
    if mesh is not None:
        lines = None if len(mesh.polygons) or _has_surface(ob) else _lines(mesh)
        evaluated.to_mesh_clear()
    return _in_world(_middle_lines(evaluated, depsgraph) if lines is None else lines, evaluated)


def sketched(ob: Object, depsgraph: Depsgraph) -> list[tuple[np.ndarray, bool]]:
    """As `polylines`, but never adds a datablock, not even for a moment. The middle lines of a bevelled, extruded or
    filled curve are computed from its control points."""
    evaluated = ob.evaluated_get(depsgraph)
    mesh = None if _has_surface(ob) or _is_computed(ob) else evaluated.to_mesh()
    if mesh is not None:
        lines = [] if len(mesh.polygons) else _lines(mesh)
        evaluated.to_mesh_clear()
        if lines:
            return _in_world(lines, evaluated)
    return _in_world(_computed_lines(evaluated, depsgraph), evaluated)


def _is_computed(ob: Object) -> bool:
    """Whether the lines of a curve are computed here from its control points, and not read from Blender.

    Blender divides NURBS lines differently from 5.0 on. Modifiers need Blender's lines, and so do closed lines with
    Bezier knots.
    """
    lines = [line for line in ob.data.splines if line.type == "NURBS"]
    return bool(lines) and not ob.modifiers and not any(line.use_cyclic_u and line.use_bezier_u for line in lines)


def _computed_lines(evaluated: Object, depsgraph: Depsgraph) -> list[tuple[np.ndarray, bool]]:
    """The lines computed from the control points that shape keys and deforming modifiers leave."""
    splines = evaluated.to_curve(depsgraph, apply_modifiers=True).splines
    lines = [(_points_along(line), line.use_cyclic_u) for line in splines]
    evaluated.to_curve_clear()
    return [(points, closed) for points, closed in lines if len(points)]


def _points_along(line: Spline) -> np.ndarray:
    """Points along a spline, (k, 3), in its object's own space."""
    if line.type == "BEZIER":
        knots = list(line.bezier_points)
        tails = knots[1:] + knots[:1] * line.use_cyclic_u
        fineness = line.resolution_u + 1
        pieces = [
            interpolate_bezier(a.co, a.handle_right, b.handle_left, b.co, fineness)[:-1] for a, b in zip(knots, tails)
        ]
        ends = knots[-1:] if not line.use_cyclic_u else []
        return np.array([*(tuple(point) for piece in pieces for point in piece), *(tuple(knot.co) for knot in ends)])
    controls = np.array([tuple(point.co) for point in line.points]).reshape(-1, 4)
    if line.type == "POLY":
        return controls[:, :3]
    knots = line.order_u, line.use_cyclic_u, line.use_endpoint_u, line.use_bezier_u
    return nurbs_points(controls[:, :3], controls[:, 3], *knots, line.resolution_u)


def _in_world(lines: list[tuple[np.ndarray, bool]], evaluated: Object) -> list[tuple[np.ndarray, bool]]:
    matrix = doubles(evaluated.matrix_world)
    return [(placed(points, matrix), closed) for points, closed in lines]


def _has_surface(ob: Object) -> bool:
    curve = ob.data
    return bool(curve.bevel_depth or curve.extrude or curve.bevel_object)


def _middle_lines(evaluated: Object, depsgraph: Depsgraph) -> list[tuple[np.ndarray, bool]]:
    """The middle lines of a bevelled, extruded or filled curve, read from a copy without the surface."""
    bare = evaluated.to_curve(depsgraph, apply_modifiers=True).copy()
    evaluated.to_curve_clear()
    carrier = None
    try:
        bare.bevel_depth = bare.extrude = bare.offset = 0.0
        bare.bevel_object = bare.taper_object = None
        if bare.dimensions == "2D":
            bare.dimensions = "3D"
        carrier = bpy.data.objects.new("Path Being Read", bare)
        mesh = carrier.to_mesh()
        lines = [] if mesh is None else _lines(mesh)
        carrier.to_mesh_clear()
        return lines
    finally:
        if carrier is not None:
            bpy.data.objects.remove(carrier)
        bpy.data.curves.remove(bare)


def _lines(mesh: Mesh) -> list[tuple[np.ndarray, bool]]:
    """The runs of joined edges of a mesh made from a curve; a single point is a run of one."""
    points, edges = vertices_of(mesh), column_from(mesh.edges, "vertices", 2, np.int32)
    # Blender lists the edges of a spline in order; the closing edge, from its last point to its first, comes last.
    follows = edges[:, 1] == edges[:, 0] + 1
    is_joined = np.zeros(len(points), dtype=bool)
    is_joined[edges[follows, 1]] = True
    closing = {(min(edge), max(edge)) for edge in edges[~follows].tolist()}
    starts = np.flatnonzero(~is_joined)
    ends = np.append(starts[1:], len(points))
    return [(points[a:b], (a, b - 1) in closing) for a, b in zip(starts.tolist(), ends.tolist())]


def _same(lines: list[tuple[np.ndarray, bool]], other: list[tuple[np.ndarray, bool]]) -> bool:
    return len(lines) == len(other) and all(a[1] == b[1] and np.array_equal(a[0], b[0]) for a, b in zip(lines, other))


def nurbs_points(
    controls: Vectors, weights: Scalars, order: int, closed: bool, ends: bool, bezier: bool, fineness: int
) -> Vectors:
    """Points along a NURBS line, (k, 3).

    Args:
        controls: (m, 3).
        weights: (m,) weights of the control points.
        order: number of control points that each point depends on; with fewer control points these are the line.
        closed: whether the line is cyclic.
        ends: whether it reaches its first and last control point.
        bezier: whether its knots are those of a Bezier curve.
        fineness: steps from one control point to the next.
    """
    order = max(order, 2)
    # Each Blender treats closed Bezier knots differently; most do not evaluate them. Open ones that do not reach the
    # ends need one control point more.
    if len(controls) < order + (bezier and not ends) or (closed and bezier):
        return np.asarray(controls, dtype=np.float64)
    knots = _knots(len(controls), order, closed, ends, bezier)
    # The first control points are used again at the end.
    row = np.arange(len(controls) + (order - 1 if closed else 0)) % len(controls)
    first, last = knots[order - 1], knots[len(row)]
    steps = fineness * (len(controls) if closed else len(controls) - 1)
    parameters = first + (last - first) / steps * np.arange(steps if closed else steps + 1)
    shares = _shares(np.minimum(parameters, last), knots, order)[:, : len(row)] * weights[row]
    total = np.maximum(np.einsum("km->k", shares), EPSILON)
    return np.einsum("km,ma->ka", shares, np.asarray(controls, dtype=np.float64)[row]) / total[:, None]


def _knots(count: int, order: int, closed: bool, ends: bool, bezier: bool) -> Scalars:
    """The knot vector: where along the line control points begin and cease to count; it is periodic if closed."""
    repeat = order - 1 if bezier else 1
    head = order - closed if ends else min(2, repeat)
    tail = 2 * order - 1 if closed else order * ends
    knots = np.zeros(count + order + (order - 1 if closed else 0))
    offset = int(ends and closed)
    current = float(offset)
    for row in range(offset, len(knots) - tail):
        knots[row] = current
        head -= 1
        if head == 0:
            current, head = current + 1.0, repeat
    # On a short line the last knots repeat what was just written.
    for row in range(tail):
        knots[len(knots) - tail + row] = current + knots[row] - knots[0]
    return knots


def _shares(parameters: Scalars, knots: Scalars, order: int) -> Vectors:
    """The basis functions at parameters along a line, (k, knots - order), by Cox and de Boor."""
    begins, ceases = knots[:-1], knots[1:]
    at = parameters[:, None]
    # The end belongs to the last knot span that has a length.
    is_last = (at == at[-1]) & (ceases == at[-1]) & (begins < ceases)
    shares = (((begins <= at) & (at < ceases)) | is_last).astype(np.float64)
    for degree in range(1, order):
        low, low_next = knots[: -degree - 1], knots[1:-degree]
        high, high_next = knots[degree:-1], knots[degree + 1 :]
        rise = (at - low) / np.maximum(high - low, EPSILON) * (high > low)
        fall = (high_next - at) / np.maximum(high_next - low_next, EPSILON) * (high_next > low_next)
        shares = rise * shares[:, :-1] + fall * shares[:, 1:]
    return shares
