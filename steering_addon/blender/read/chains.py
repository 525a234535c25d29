"""Chains of edges: a wire mesh as lines with a way to go.

An edge of a mesh has no way of its own that anybody can see or choose. What there is, is the order in which vertices
came to be, and that is kept whatever is added later: what is extruded or subdivided gets the higher numbers. So a
chain runs from its first vertex towards its second one, as it was drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ...simulation.arrays.vectors import Mask, Rows


@dataclass(frozen=True)
class Chain:
    """Edges one after the other, in the way they go.

    Attributes:
        vertices: (k,) rows of points in their order; a closed chain does not repeat its first one.
        edges: (k - 1,) rows of the edges between them, (k,) where it is closed.
        closed: whether the end joins the start.
    """

    vertices: Rows
    edges: Rows
    closed: bool


def chains(edges: Rows, against: Mask) -> list[Chain]:
    """The chains that edges (e, 2) make, from end to end and from fork to fork.

    Args:
        edges: rows of points.
        against: (e,) a chain with such an edge goes the other way.
    """
    neighbors: dict[int, list[tuple[int, int]]] = {}
    for row, (a, b) in enumerate(edges.tolist()):
        if a != b:
            neighbors.setdefault(a, []).append((b, row))
            neighbors.setdefault(b, []).append((a, row))
    ends = [vertex for vertex, near in neighbors.items() if len(near) != 2]
    seen: set[int] = set()
    found = [_directed(run, against) for run in _runs(sorted(ends), neighbors, seen)]
    # What is left has no end: rings.
    return found + [_directed(run, against) for run in _runs(sorted(neighbors), neighbors, seen)]


def _runs(
    starts: Iterable[int], neighbors: dict[int, list[tuple[int, int]]], seen: set[int]
) -> Iterator[tuple[list[int], list[int]]]:
    """The vertices and edges met from each start on, along each edge not seen, up to an end or fork or the start."""
    for start in starts:
        for first, edge in neighbors[start]:
            if edge in seen:
                continue
            seen.add(edge)
            vertices, passed, here = [start, first], [edge], first
            while here != start and len(neighbors[here]) == 2:
                (one, by_one), (other, by_other) = neighbors[here]
                here, edge = (other, by_other) if by_one == passed[-1] else (one, by_one)
                seen.add(edge)
                vertices.append(here)
                passed.append(edge)
            yield vertices, passed


def _directed(run: tuple[list[int], list[int]], against: Mask) -> Chain:
    vertices, edges = (np.array(rows, dtype=np.int64) for rows in run)
    closed = bool(vertices[0] == vertices[-1])
    if closed:
        # It begins at its first vertex, which is nothing to see but makes it the same wherever the search began.
        turn = int(np.argmin(vertices))
        vertices, edges = np.roll(vertices[:-1], -turn), np.roll(edges, -turn)
    first, second = np.argsort(vertices, kind="stable")[:2]
    forward = _shorter(vertices, int(second)) if closed else first < second
    if forward == bool(against[edges].any()):
        vertices = np.concatenate((vertices[:1], vertices[:0:-1])) if closed else vertices[::-1]
        edges = edges[::-1]
    return Chain(vertices, edges, closed)


def _shorter(ring: Rows, second: int) -> bool:
    """Whether from the start of a ring it is less far to the place of the second vertex forward than backward."""
    if 2 * second == len(ring):
        return bool(ring[1] < ring[-1])
    return 2 * second < len(ring)
