"""Groups: the connected components of links between things.

Union by minimum with pointer jumping: every thing points to a row of its group that is not larger than its own; linked
roots are merged, the larger below the smaller, until no link joins two roots. Each round at least halves the number of
roots that still touch.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays.scalars import Rows, Scalars, everybody, same_for_all, which
from ..arrays.vectors import Vectors, columns, dot, picked

SAMPLE = 8
"""Every SAMPLE-th link is followed first: these join nearly everything, and the others need only be checked."""


def find_roots(count: int, links: Sequence[tuple[Rows, Rows]], members: Rows) -> Rows:
    """The root of each thing, (count,): the lowest row of its group.

    Args:
        links: rows (p,) and (p,) of things that are linked directly, in any number of lists.
        members: (m,) rows; as soon as these are all joined the search stops, and other groups may be left in pieces.
    """
    root = np.arange(count)
    sample = [(first[::SAMPLE], second[::SAMPLE]) for first, second in links]
    if sample:
        root = _tied(root, *(np.concatenate(end) for end in zip(*sample)))
    for first, second in links:
        if same_for_all(root[members]):
            break
        root = _tied(root, first, second)
    return root


def _tied(root: Rows, first: Rows, second: Rows) -> Rows:
    """The roots (count,) after links (p,) and (p,) have been added."""
    left, right = root[first], root[second]
    while True:
        apart = which(left != right)
        if not len(apart):
            return root
        left, right = left[apart], right[apart]
        root[np.maximum(left, right)] = np.minimum(left, right)
        root = _flattened(root)
        left, right = root[left], root[right]


def _flattened(root: Rows) -> Rows:
    """The same trees with a depth of 1: every thing points to its root; (count,) to (count,)."""
    while True:
        above = root[root]
        if everybody(above == root):
            return root
        root = above


@dataclass(frozen=True)
class Groups:
    """g groups of n moving things.

    Attributes:
        of: (n,) the group of each thing.
        size: (g,) the count of its members.
        position, velocity: (g, 3) the means over its members.
        extent: (g,) the root mean square distance of its members from their mean, metres.
    """

    of: Rows
    size: Scalars
    position: Vectors
    velocity: Vectors
    extent: Scalars

    def __len__(self) -> int:
        return len(self.size)

    @classmethod
    def by(cls, root: Rows, position: Vectors, velocity: Vectors) -> "Groups":
        """The groups of things at (n, 3) positions with (n, 3) velocities, from their roots (n,)."""
        roots = np.bincount(root)
        of = (np.cumsum(roots > 0) - 1)[root]
        size = roots[roots > 0].astype(np.float64)

        def middle(values: Vectors) -> Vectors:
            return columns(*(np.bincount(of, values[:, axis]) / size for axis in range(3)))

        centre = middle(position)
        offset = position - picked(centre, of)
        return cls(of, size, centre, middle(velocity), np.sqrt(np.bincount(of, dot(offset, offset)) / size))

    def largest(self, most: int) -> Rows:
        """The rows of the `most` largest groups, the largest first; of equal groups the lowest row first."""
        return np.argsort(-self.size, kind="stable")[:most]
