"""Meshes as flows: colors or vectors painted on a surface, read as directions, or edges, read as lines.

An edge of a mesh has no direction that can be seen or chosen. But vertices are numbered in the order in which they were
made, and keep their numbers: extruding and subdividing add higher ones. So a chain runs from the lowest of its vertices
towards the second lowest, as it was drawn.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from bpy.types import Attribute, Depsgraph, Mesh, Object

from ...simulation.arrays.scalars import Mask, Rows
from ...simulation.geometry.flows import Current, Flow, current
from ...simulation.geometry.paths import spline
from ..objects.body_parts import vertices_of
from ..objects.doubles import column_from, doubles, placed
from ..refusal import Refusal
from .checks import check_numbers
from .solids import changes_shape

MARKS = {"BOOLEAN": np.bool_, "INT": np.int32, "INT8": np.int32, "FLOAT": np.float32}
"""The types of attributes that can mark edges."""
REVERSED = "flow_reversed"
"""The edge attribute that marks reversed chains; stored in files."""
SAMPLES, FINENESS = 48, 4
"""Least samples of a chain, and samples per vertex: a mesh may have hundreds of chains."""
MOST_SAMPLES = 1024
VALUES = {"FLOAT_VECTOR": ("vector", 3), "FLOAT_COLOR": ("color", 4), "BYTE_COLOR": ("color", 4)}
"""The types of attributes that are read: the property that holds a value, and its number of components."""


@dataclass(frozen=True)
class EdgeChain:
    """Joined edges, in order.

    Attributes:
        vertices: (k,) rows of the points; a closed chain does not repeat the first.
        edges: (k - 1,) rows of the edges between them, (k,) if closed.
        closed: whether the end joins the start.
    """

    vertices: Rows
    edges: Rows
    closed: bool


def chains(edges: Rows, against: Mask) -> list[EdgeChain]:
    """The chains formed by edges (e, 2), each from an end or fork to the next. `edges`: rows of points; `against`: (e,)
    marked edges, which reverse their chain."""
    neighbors: dict[int, list[tuple[int, int]]] = {}
    for row, (a, b) in enumerate(edges.tolist()):
        if a != b:
            neighbors.setdefault(a, []).append((b, row))
            neighbors.setdefault(b, []).append((a, row))
    ends = [vertex for vertex, edges_there in neighbors.items() if len(edges_there) != 2]
    seen: set[int] = set()
    open_chains = [_chain_of(run, against) for run in _runs(sorted(ends), neighbors, seen)]
    # The remaining edges have no end: rings.
    return open_chains + [_chain_of(run, against) for run in _runs(sorted(neighbors), neighbors, seen)]


def _runs(
    starts: Iterable[int], neighbors: dict[int, list[tuple[int, int]]], seen: set[int]
) -> Iterator[tuple[list[int], list[int]]]:
    """The vertices and edges along each unseen edge from each start, up to an end, a fork or the start."""
    for start in starts:
        for first, edge in neighbors[start]:
            if edge in seen:
                continue
            seen.add(edge)
            vertices, passed, vertex = [start, first], [edge], first
            while vertex != start and len(neighbors[vertex]) == 2:
                back, onward = neighbors[vertex]
                vertex, edge = onward if back[1] == passed[-1] else back
                seen.add(edge)
                vertices.append(vertex)
                passed.append(edge)
            yield vertices, passed


def _chain_of(run: tuple[list[int], list[int]], against: Mask) -> EdgeChain:
    vertices, edges = (np.array(rows, dtype=np.int64) for rows in run)
    closed = bool(vertices[0] == vertices[-1])
    if closed:
        # Starting a ring at its lowest vertex makes the result independent of where the search began.
        start = int(np.argmin(vertices))
        vertices, edges = np.roll(vertices[:-1], -start), np.roll(edges, -start)
    first, second = np.argsort(vertices, kind="stable")[:2]
    forward = _shorter(vertices, int(second)) if closed else first < second
    if forward == bool(against[edges].any()):
        vertices = np.concatenate((vertices[:1], vertices[:0:-1])) if closed else vertices[::-1]
        edges = edges[::-1]
    return EdgeChain(vertices, edges, closed)


def _shorter(ring: Rows, second: int) -> bool:
    """Whether the second vertex is nearer to the start of a ring forward than backward."""
    if 2 * second == len(ring):
        return bool(ring[1] < ring[-1])
    return 2 * second < len(ring)


def marks(mesh: Mesh, name: str) -> Attribute | None:
    """The attribute of this name that marks edges of a mesh, None if it has none."""
    attribute = mesh.attributes.get(name) if name else None
    known = attribute is not None and attribute.domain == "EDGE" and attribute.data_type in MARKS
    return attribute if known else None


def marked_chains(mesh: Mesh, name: str) -> list[EdgeChain]:
    """The chains of the edges that an attribute marks; without a name, those of the loose edges."""
    edges = column_from(mesh.edges, "vertices", 2, np.int32)
    rows = np.flatnonzero(_edge_marks(mesh, name) if name else column_from(mesh.edges, "is_loose", kind=np.bool_))
    marked = chains(edges[rows], _edge_marks(mesh, REVERSED)[rows])
    return [EdgeChain(chain.vertices, rows[chain.edges], chain.closed) for chain in marked]


def _edge_marks(mesh: Mesh, name: str) -> Mask:
    attribute = marks(mesh, name)
    if attribute is None:
        return np.zeros(len(mesh.edges), dtype=np.bool_)
    return column_from(attribute.data, "value", kind=MARKS[attribute.data_type]) != 0


class CurrentReader:
    """Reads one flow mesh frame after frame; a mesh that neither moves nor changes is computed only once."""

    def __init__(self, ob: Object) -> None:
        self.ob = ob
        self._stays = not changes_shape(ob, None)
        self._matrix: np.ndarray | None = None
        self._current: Flow | None = None

    def read(self, depsgraph: Depsgraph) -> Flow:
        """The flow on the frame of the depsgraph. Refused without paint or edges, or with an invalid transform."""
        evaluated = self.ob.evaluated_get(depsgraph)
        matrix = doubles(evaluated.matrix_world)
        check_numbers(matrix[None], [self.ob], depsgraph.scene.frame_current)
        if self._current is None or not self._stays or not np.array_equal(matrix, self._matrix):
            mesh = evaluated.to_mesh()
            if mesh is None:
                raise Refusal(f"{self.ob.name} has no mesh to read. Choose another flow.", about=[self.ob])
            try:
                self._current = _flow(self.ob, mesh, matrix)
            finally:
                evaluated.to_mesh_clear()
            self._matrix = matrix
        return self._current


def paint_of(mesh: Mesh, name: str) -> Attribute | None:
    """The attribute that holds the directions of a flow mesh; None if it has none. `name`: of the attribute; empty for
    the active color attribute."""
    attribute = mesh.attributes.get(name) if name else mesh.color_attributes.active_color
    known = attribute is not None and attribute.data_type in VALUES
    return attribute if known and attribute.domain in ("POINT", "CORNER", "FACE") else None


def _flow(ob: Object, mesh: Mesh, matrix: np.ndarray) -> Flow:
    """The flow painted on a mesh, or else along its edges."""
    name = ob.steering.flow_attribute
    points = placed(vertices_of(mesh), matrix)
    attribute = paint_of(mesh, name)
    if attribute is not None and len(mesh.polygons):
        return _current(mesh, attribute, points, matrix)
    if name and marks(mesh, name) is None:
        raise Refusal(f"The flow {ob.name} has {_missing(mesh, name)}, or choose another Flow Attribute.")
    chains = marked_chains(mesh, name)
    # Modifiers may give it edges on another frame.
    if not chains and (not ob.modifiers or (len(mesh.polygons) and not name)):
        raise Refusal(f"The flow {ob.name} has {_missing(mesh, name)}, or choose a Flow Attribute.")
    lines = [(points[chain.vertices], chain.closed) for chain in chains]
    return tuple(spline(line, closed, min(SAMPLES + FINENESS * len(line), MOST_SAMPLES)) for line, closed in lines)


def _missing(mesh: Mesh, name: str) -> str:
    """The missing part of a mesh that should be a flow, and the remedy, as the end of a sentence."""
    if not name:
        return "no active color attribute and no edges without faces. Paint one, draw edges"
    if paint_of(mesh, name) is not None:
        return f"no faces that {name} could be painted on. Add faces"
    if marks(mesh, name) is not None:
        return f"no edge that {name} marks. Mark the edges to flow along"
    return f"no vector, color or edge attribute {name}. Add one"


def _current(mesh: Mesh, attribute: Attribute, points: np.ndarray, matrix: np.ndarray) -> Current:
    values, width = VALUES[attribute.data_type]
    flow = column_from(attribute.data, values, width)[:, :3].astype(np.float64)
    if values == "color":
        # Gray means no flow; red, green and blue go along X, Y and Z, and the lack of them the opposite way.
        flow = 2.0 * flow - 1.0

    mesh.calc_loop_triangles()
    vertices, loops = (column_from(mesh.loop_triangles, name, 3, np.int32) for name in ("vertices", "loops"))
    faces = column_from(mesh.loop_triangles, "polygon_index", kind=np.int32)
    rows = {"POINT": vertices.ravel(), "CORNER": loops.ravel(), "FACE": np.repeat(faces, 3)}[attribute.domain]

    turn = matrix[:3, :3] / np.maximum(np.sqrt(np.einsum("ab,ab->b", matrix[:3, :3], matrix[:3, :3])), 1e-9)
    return current(points, vertices, np.einsum("ab,kb->ka", turn, flow[rows]).reshape(-1, 3, 3))
