"""Meshes whose edges draw a flow: which edges these are, and the chains that they form, as lines with a direction.

An edge of a mesh has no direction that can be seen or chosen. But vertices are numbered in the order in which they were
made, and keep their numbers: extruding and subdividing add higher ones. So a chain runs from the lowest of its vertices
towards the second lowest, as it was drawn.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from bpy.types import Attribute, Mesh

from ...simulation.arrays.scalars import Mask, Rows
from ...simulation.geometry.paths import Path, spline
from ..objects.doubles import column_from

MARKS = {"BOOLEAN": np.bool_, "INT": np.int32, "INT8": np.int32, "FLOAT": np.float32}
"""The types of attributes that can mark edges."""
REVERSED = "flow_reversed"
"""The edge attribute that marks reversed chains; stored in files."""
SAMPLES, FINENESS = 48, 4
"""Least samples of a chain, and samples per vertex: a mesh may have hundreds of chains."""
MOST_SAMPLES = 1024


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
    ends = [vertex for vertex, near in neighbors.items() if len(near) != 2]
    seen: set[int] = set()
    open_chains = [_directed(run, against) for run in _runs(sorted(ends), neighbors, seen)]
    # The remaining edges have no end: rings.
    return open_chains + [_directed(run, against) for run in _runs(sorted(neighbors), neighbors, seen)]


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


def _directed(run: tuple[list[int], list[int]], against: Mask) -> EdgeChain:
    vertices, edges = (np.array(rows, dtype=np.int64) for rows in run)
    closed = bool(vertices[0] == vertices[-1])
    if closed:
        # Starting a ring at its lowest vertex makes the result independent of where the search began.
        turn = int(np.argmin(vertices))
        vertices, edges = np.roll(vertices[:-1], -turn), np.roll(edges, -turn)
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


def wired(mesh: Mesh, name: str) -> list[EdgeChain]:
    """The chains of the edges that an attribute marks; without a name, those of the loose edges."""
    edges = column_from(mesh.edges, "vertices", 2, np.int32)
    rows = np.flatnonzero(_marked(mesh, name) if name else column_from(mesh.edges, "is_loose", kind=np.bool_))
    marked = chains(edges[rows], _marked(mesh, REVERSED)[rows])
    return [EdgeChain(chain.vertices, rows[chain.edges], chain.closed) for chain in marked]


def path_of_chains(edge_chains: list[EdgeChain], points: np.ndarray) -> Path:
    """The path whose lines are chains through the points (v, 3), in world space."""
    lines = [(points[chain.vertices], chain.closed) for chain in edge_chains]
    return tuple(spline(line, closed, min(SAMPLES + FINENESS * len(line), MOST_SAMPLES)) for line, closed in lines)


def _marked(mesh: Mesh, name: str) -> Mask:
    attribute = marks(mesh, name)
    if attribute is None:
        return np.zeros(len(mesh.edges), dtype=np.bool_)
    return column_from(attribute.data, "value", kind=MARKS[attribute.data_type]) != 0
