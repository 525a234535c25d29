"""Chains of edges: a wire mesh as lines with a direction.

An edge of a mesh has no direction that can be seen or chosen. But vertices are numbered in the order in which they were
made, and keep their numbers: extruding and subdividing add higher ones. So a chain runs from the lowest of its vertices
towards the second lowest, as it was drawn.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ...simulation.arrays.vectors import Mask, Rows


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
    """The chains formed by edges (e, 2), each from an end or fork to the next.

    Args:
        edges: rows of points.
        against: (e,) marked edges, which reverse their chain.
    """
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
