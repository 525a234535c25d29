"""Groups: who hangs together with whom, through others in between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays.vectors import Rows, Scalars, Vectors, columns, dot, picked, same_for_all

SAMPLE = 8
"""One link in so many is followed first: it joins nearly all, and the others only have to be looked at."""


def joined(count: int, links: Sequence[tuple[Rows, Rows]], members: Rows) -> Rows:
    """The lowest row of the group that each of some things belongs to, (count,), as far as the members are concerned.

    Args:
        count: how many things there are.
        links: (p,) and (p,) rows of things that hang together directly, in any number of lists.
        members: (m,) rows; when these are all joined, nothing more is asked.
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
    """The roots after some links more have been tied."""
    one, other = root[first], root[second]
    while True:
        apart = np.flatnonzero(one != other)
        if not len(apart):
            return root
        one, other = one[apart], other[apart]
        # Of roots that touch, each but the lowest hangs itself below a lower one: half of them are left at most.
        root[np.maximum(one, other)] = np.minimum(one, other)
        root = _flattened(root)
        one, other = root[one], root[other]


def _flattened(root: Rows) -> Rows:
    """The same trees, with all directly below their roots."""
    while True:
        above = root[root]
        if np.array_equal(above, root):
            return root
        root = above


@dataclass(frozen=True)
class Groups:
    """Groups of moving things, each as a whole.

    Attributes:
        of: (n,) which group each thing belongs to.
        size: (g,) how many things belong to it.
        position, velocity: (g, 3) of its middle.
        extent: (g,) root of the mean square distance from its middle, metres.
    """

    of: Rows
    size: Scalars
    position: Vectors
    velocity: Vectors
    extent: Scalars

    def __len__(self) -> int:
        return len(self.size)

    @classmethod
    def by(cls, root: Rows, position: Vectors, velocity: Vectors) -> Groups:
        """The groups of things (n, 3); those of one group have the same root (n,)."""
        roots = np.bincount(root)
        of = (np.cumsum(roots > 0) - 1)[root]
        size = roots[roots > 0].astype(np.float64)

        def middle(values: Vectors) -> Vectors:
            return columns(*(np.bincount(of, values[:, axis]) / size for axis in range(3)))

        centre = middle(position)
        offset = position - picked(centre, of)
        return cls(of, size, centre, middle(velocity), np.sqrt(np.bincount(of, dot(offset, offset)) / size))

    def largest(self, most: int) -> Rows:
        """The largest groups, the largest first; of equal ones the one with the lowest row."""
        return np.argsort(-self.size, kind="stable")[:most]
