"""Stature: bodies on feet meet obstacles from their feet to their heads, not at their origins alone.

A level section of a mesh whose faces are upright or level is the same from one height at which it has corners to the
next. So the sections that bodies meet are few: one in the middle of each such stretch. Of others they are at even
distances. What is lower than a step is no part of a mesh that is higher, such as the floor of a house.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..arrays.frozen import Columns
from ..arrays.once import Key, once
from ..arrays.scalars import Rows, Scalars, clamp, counted
from ..arrays.vectors import Vectors, dot
from .meshes import Mesh

MOST = 9
"""Stretches of a body in which a mesh is met, each in its middle: 17 cm each of a person."""
FINE = 1e-3
"""Metres to which the heights of corners are rounded, and the sine by which faces lean that count as upright."""
KEPT = 256
"""Meshes of which the heights of corners are kept."""


@dataclass(frozen=True)
class Stature(Columns):
    """How n bodies stand; all are 0 for those that obstacles meet at their origins.

    Attributes:
        feet, step, head: (n,) metres from the origins up to where they stand, to what they step over, and to their
            tops.
    """

    feet: Scalars
    step: Scalars
    head: Scalars

    @once
    def is_tall(self) -> bool:
        """Whether any of them is met at more than its origin."""
        return bool((self.head > self.feet).any())

    @property
    def tallest(self) -> "Stature":
        """One that is as tall as all of some."""
        return Stature(*(end[None] for end in (self.feet.min(), self.step.min(), self.head.max())))

    def nearest_to(self, height: Scalars, origin: Scalars) -> Scalars:
        """The heights of bodies with origins at heights (n,) that are nearest to heights (n,), metres."""
        return clamp(height, origin + self.feet, origin + self.head)

    def sections(self, mesh: Mesh, axes: Vectors, base: Scalars, origin: Scalars) -> tuple[Rows, Scalars]:
        """The heights at which bodies meet a mesh: each at one or more.

        Args:
            axes: (3, 3) the axes of the mesh, as rows.
            base: (n,) the heights of the origin of the mesh, metres.
            origin: (n,) those of the bodies, metres.

        Returns:
            (s,) rows of bodies, ascending, and (s,) metres.
        """
        levels, straight = _levels(Key.of((mesh, axes), id(mesh), axes))
        if not len(levels):
            return np.arange(len(base)), origin
        foot, head = origin + self.feet - base, origin + self.head - base
        bottom, top = float(levels[0]), float(levels[-1])
        low = np.where(top > foot + (self.step - self.feet), foot + (self.step - self.feet), foot)
        low = np.maximum(low, np.minimum(bottom, head))
        high = np.maximum(np.minimum(head, top), low)
        first = np.searchsorted(levels, low, side="right")
        between = np.maximum(np.searchsorted(levels, high, side="left") - first, 0)
        even = (between >= MOST) | (not straight) & (high > low)
        owner, place = counted(np.where(even, MOST, between + 1))
        at, last = first[owner] + place, len(levels) - 1
        below = np.where(place == 0, low[owner], levels[np.clip(at - 1, 0, last)])
        above = np.where(place == between[owner], high[owner], levels[np.clip(at, 0, last)])
        evenly = low[owner] + (place + 0.5) / MOST * (high - low)[owner]
        height = np.where(even[owner], evenly, 0.5 * (below + above))
        return owner, height + base[owner]


@lru_cache(maxsize=KEPT)
def _levels(key: Key[tuple[Mesh, Vectors]]) -> tuple[Scalars, bool]:
    """The heights of the corners of a mesh with axes (3, 3), sorted, and whether each face is upright or level."""
    mesh, axes = key.parts
    up = axes[:, 2]
    height = np.floor(dot(mesh.corners, up[None, None]) / FINE + 0.5) * FINE
    lean = np.abs(dot(mesh.normal, up[None]))
    return np.unique(height), bool(((lean < FINE) | (lean > 1.0 - FINE)).all())
