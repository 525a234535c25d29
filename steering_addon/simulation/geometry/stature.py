"""Stature: bodies on feet meet obstacles from their feet to their heads, not at their origins alone.

A level section of a mesh whose faces are upright or level is the same from one height at which it has corners to the
next. So the sections that bodies meet are few: one in the middle of each such stretch. Of others they are at even
distances. What is lower than a step is no part of a mesh that is higher, such as the floor of a house.

A mesh that is trodden, such as a bridge with rails, is ground where it can be walked and meets bodies elsewhere only:

    walls of a mesh that is trodden = its faces that are too steep, but for those of steps
    what meets a body of them = those that rise more than a step above its feet
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..arrays.angles import cosine_of_setting
from ..arrays.frozen import Columns
from ..arrays.once import Key, once
from ..arrays.scalars import Rows, Scalars, clamp, counted, which
from ..arrays.vectors import Vectors, columns, dot, magnitude, unit
from .floors import floor
from .meshes import Mesh, mesh

MOST = 9
"""Stretches of a body in which a mesh is met, each in its middle: 17 cm each of a person."""
FINE = 1e-3
"""Metres to which heights are told apart, and the sine by which faces lean that count as upright."""
LIES = 0.7
"""Share of a unit normal upright from which on a triangle rather lies than stands."""
KEPT = 256
"""Meshes of which the heights of corners and the walls are kept."""
BEFORE = 0.05
"""Metres from a face to the places before and behind it at which it is looked for floor, as of a step."""
INWARD = 0.9
"""How far from the middle of a face towards its corners these places are."""
STEEPEST = 1.5
"""Slope, radians, beyond which nobody walks."""
ALIKE = 16.0
"""Parts of its power of two to which a step is rounded, so that bodies that are nearly alike share walls."""


@dataclass(frozen=True)
class Stature(Columns):
    """How n bodies stand; all heights are 0 for those that obstacles meet at their origins. `feet`, `step`, `head`:
    (n,) metres from the origins up to where they stand, to what they step over, and to their tops; `steepest`: (n,)
    slope of the steepest ground that they climb, radians."""

    feet: Scalars
    step: Scalars
    head: Scalars
    steepest: Scalars

    @once
    def is_tall(self) -> bool:
        """Whether any of them is met at more than its origin."""
        return bool((self.head > self.feet).any())

    @property
    def tallest(self) -> "Stature":
        """One that is as tall as all of some."""
        ends = self.feet.min(), self.step.min(), self.head.max(), self.steepest.min()
        return Stature(*(end[None] for end in ends))

    @property
    def stride(self) -> Scalars:
        """(n,) metres from the feet up to what they step over, rounded."""
        share, power = np.frexp(self.step - self.feet)
        return np.ldexp(np.floor(share * ALIKE + 0.5) / ALIKE, power)

    def nearest_to(self, height: Scalars, origin: Scalars) -> Scalars:
        """The heights of bodies with origins at heights (n,) that are nearest to heights (n,), metres."""
        return clamp(height, origin + self.feet, origin + self.head)

    def sections(self, mesh: Mesh, axes: Vectors, base: Scalars, origin: Scalars) -> tuple[Rows, Scalars]:
        """The heights at which bodies meet a mesh: each at one or more. Returns (s,) rows of bodies, ascending, and
        (s,) metres. `axes`: (3, 3) the axes of the mesh, as rows; `base`: (n,) the heights of the origin of the mesh,
        metres; `origin`: (n,) those of the bodies, metres."""
        levels, straight = _levels(Key.of((mesh, axes), id(mesh), axes))
        if not len(levels):
            return np.arange(len(base)), origin
        foot, head = origin + self.feet - base, origin + self.head - base
        bottom, top = float(levels[0]), float(levels[-1])
        over = foot + (self.step - self.feet)
        low = over if mesh.trodden else np.where(top > over, over, foot)
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


@lru_cache(maxsize=KEPT)
def sides_of(key: Key[tuple[Mesh, Vectors]]) -> Mesh:
    """The triangles that rather stand than lie of a mesh with axes (3, 3)."""
    mesh, axes = key.parts
    return mesh.only(np.abs(dot(mesh.normal, axes[:, 2][None])) < LIES)


def walls_of(trodden: Mesh, axes: Vectors, step: float, steepest: float) -> tuple[Mesh, Vectors]:
    """The walls of a mesh for bodies that walk on it, and their axes, of which the third is up. `axes`: (3, 3) the axes
    of the mesh, as rows; `step`: the highest step that the bodies take, metres; `steepest`: slope of the steepest
    ground that they climb, radians."""
    upright = bool(axes[2, 2] > 1.0 - FINE * FINE)
    turn = np.eye(3) if upright else axes
    walls = _walls(Key.of((trodden, turn), id(trodden), turn), step, steepest)
    return walls, axes if upright else np.eye(3)


@lru_cache(maxsize=KEPT)
def _walls(key: Key[tuple[Mesh, Vectors]], step: float, steepest: float) -> Mesh:
    """As `walls_of`, of a mesh with axes (3, 3) in the axes of the result."""
    trodden, turn = key.parts
    if turn[2, 2] < 1.0:
        points = trodden.corners.transpose(1, 0, 2).reshape(-1, 3)
        turned = columns(*(dot(points, turn[:, axis][None]) for axis in range(3)))
        trodden = mesh(turned, np.arange(len(turned)).reshape(-1, 3), trodden=True)
    gentle = np.abs(trodden.normal[:, 2]) >= cosine_of_setting(np.array([min(steepest, STEEPEST)]))
    ground = floor(trodden.corners[:, gentle].reshape(-1, 3), np.arange(3 * np.count_nonzero(gentle)).reshape(3, -1).T)
    steep = which(~gentle & (magnitude(trodden.normal) > 0.5))
    corners = trodden.corners[:, steep]
    middle, top = (corners[0] + corners[1] + corners[2]) / 3.0, corners[:, :, 2].max(axis=0)
    ahead = BEFORE * unit(trodden.normal[steep] * (1.0, 1.0, 0.0))
    near = np.stack([middle + INWARD * (corner - middle) + side * ahead for corner in corners for side in (-1.0, 1.0)])
    height, within = np.tile(top, len(near)), np.full(near[..., 0].size, step)
    trod = ground.under(near[..., 0].ravel(), near[..., 1].ravel(), height, within, within)
    faces = np.zeros(len(trodden), dtype=np.bool_)
    faces[steep] = ~(trod.triangle >= 0).reshape(len(near), -1).all(axis=0)
    return trodden.only(faces)
