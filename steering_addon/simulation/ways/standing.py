"""Standing: the room that what stands leaves on a grid, found again only round what has changed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.scalars import Rows, which
from ..arrays.vectors import no_vectors
from ..geometry.obstacles import Obstacles, obstacles
from .clearance import Clearance, are_parted, find_clearance, near_any
from .spans import Build, Spans

BETWEEN = 2.0
"""Cells from a node up to which what stands may part it from the next one."""


@dataclass(frozen=True, eq=False)
class Standing:
    """The obstacles that stand on a grid for bodies of one build, with its N nodes.

    Attributes:
        spans: the grid without it.
        reach: metres from a node within which it counts.
        obstacles: what stands.
        clearance: the room at the nodes.
        links: (4, N + 1) the links of the spans without the ones that it cuts.
    """

    spans: Spans
    build: Build
    reach: float
    obstacles: Obstacles
    clearance: Clearance
    links: Rows

    @classmethod
    def nothing(cls, spans: Spans, build: Build, reach: float) -> "Standing":
        """A grid on which nothing stands."""
        n = len(spans)
        free, narrow = np.ones(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
        clearance = Clearance(np.full(n, reach), free, narrow, spans.x, spans.y)
        return cls(spans, build, reach, obstacles(no_vectors(0), np.zeros(0)), clearance, spans.links)

    def with_obstacles(self, obstacles: Obstacles) -> "Standing":
        """The same grid with other obstacles; to the last bit as if it had been empty."""
        spans, build, n = self.spans, self.build, len(self.spans)
        touched = np.zeros(n + 1, dtype=np.bool_)
        for one, other in ((self.obstacles, obstacles), (obstacles, self.obstacles)):
            changed = one.take(_missing(one, other))
            touched[:n] |= near_any(spans, changed, max(self.reach, BETWEEN * spans.size), build)
        clearance = find_clearance(spans, obstacles, build, self.reach, self.clearance, touched[:n])
        links = self.links.copy()
        for side in range(2):
            start = which((spans.links[side] < n) & (touched | touched[spans.links[side]]))
            end = spans.links[side, start]
            links[side, start], links[side + 2, end] = end, spans.links[side + 2, end]
            cut = are_parted(spans, obstacles, clearance, build, start, end)
            links[side, start[cut]] = links[side + 2, end[cut]] = n
        return Standing(spans, build, self.reach, obstacles, clearance, links)


def imprint(obstacles: Obstacles) -> NDArray[np.uint8]:
    """The bytes in which obstacles that stand differ, (k, b); of a mesh its identity, as long as it is held."""
    o = obstacles
    meshes = np.array(list(map(id, o.mesh)), dtype=np.int64)
    columns = (o.start, o.end, o.radius, o.shape, o.axes, o.half, meshes)
    data = [np.ascontiguousarray(column).reshape(len(o), column.size // max(len(o), 1)) for column in columns]
    return np.concatenate([column.view(np.uint8) for column in data], axis=1)


def _missing(obstacles: Obstacles, others: Obstacles) -> Rows:
    """The rows of the obstacles that are not among others."""
    known = set(map(bytes, imprint(others)))
    return which(np.array([bytes(row) not in known for row in imprint(obstacles)], dtype=np.bool_))
