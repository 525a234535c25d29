"""Bodies on ground that moves, such as the bed of a lorry: what they do on it, and where feet hold.

Clips play by the way of a body over its ground, and feet stay where they are put down on it. Both are reckoned in the
space of the ground: where bodies would be if it had not moved since their first frame. A body is moved by what it
stands on, and turned about the vertical; how ground tilts is seen in its plane on each frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from ..simulation.arrays.angles import angle_of
from ..simulation.arrays.scalars import Mask, Rows, Scalars, anybody
from ..simulation.arrays.vectors import Vectors, dot
from ..simulation.geometry.surfaces import Surfaces
from ..simulation.ground import left_of, upright
from ..simulation.terrain import Terrain, carried
from .feet.planes import Ground, standable
from .feet.rotations import rotate, rotation_about_up

T = TypeVar("T")

CLOSE = 0.1
"""Metres below and above where a body stands within which it stands on a surface."""


@dataclass(frozen=True)
class Carriage:
    """The motion of the ground of n bodies since the frame before.

    Attributes:
        offset: (n, 3) metres that it took them along.
        turn: (n,) radians to the left that it turned them.
        surface: (n,) the row of the surface under them, if that is one that may move; else -1.
        normal: (n, 3) of that surface.
    """

    offset: Vectors
    turn: Scalars
    surface: Rows
    normal: Vectors

    def __getitem__(self, rows: Rows) -> "Carriage":
        return Carriage(self.offset[rows], self.turn[rows], self.surface[rows], self.normal[rows])


def unmoved(n: int) -> Carriage:
    """The carriage of n bodies on static ground: zero."""
    return Carriage(np.zeros((n, 3)), np.zeros(n), np.full(n, -1), upright(n).copy())


def carriage(
    before: Surfaces, after: Surfaces, was: tuple[Vectors, Vectors] | None, position: Vectors, lift: Scalars
) -> Carriage:
    """The motion of the ground of n bodies between two frames.

    Args:
        before, after: the surfaces on both frames.
        was: the positions of the bodies on the frame before and their level headings, (n, 3) each; None on the first.
        position: (n, 3) where they are now.
        lift: (n,) metres by which their positions are above where they stand.
    """
    n = len(position)
    result = unmoved(n)
    if not any(layer.moves for layer in after.layers):
        return result
    if was is not None and after.moves(before):
        moved, heading = carried(Terrain(before, after, lift), *was, _under(before, was[0], lift))
        result.offset[:] = moved - was[0]
        result.turn[:] = angle_of(dot(heading, left_of(was[1], upright(n))), dot(heading, was[1]))
    triangle = _under(after, position, lift)
    for rows, faces, layer in after.by_layer(triangle):
        if layer.moves:
            result.surface[rows] = layer.owner[faces]
    result.normal[:] = after.face_normal(triangle)
    return result


def _under(surfaces: Surfaces, position: Vectors, lift: Scalars) -> Rows:
    close = np.full(len(position), CLOSE)
    x, y, z = position.T
    return surfaces.under(x, y, z - lift, close, close).triangle


@dataclass(frozen=True)
class Ridden:
    """Bodies in the space of their ground on a frame; where that never moved, this is the world. `position`, `forward`,
    `up`: (n, 3) metres and unit axes; `turned`: (n,) radians to the left that the ground has turned since their first
    frame; `surface`, `normal`: (n,) and (n, 3) of `Carriage`, the normal in this space."""

    position: Vectors
    forward: Vectors
    up: Vectors
    turned: Scalars
    surface: Rows
    normal: Vectors

    def of(self, rows: Rows | slice) -> "Ridden":
        """Some of these bodies."""
        return Ridden(**{name: column[rows] for name, column in vars(self).items()})


def on_all_frames(run: Sequence[T]) -> T:
    """The columns (n, ...) of bodies, or of their heads, on f frames as columns (n, f, ...)."""
    return type(run[0])(**{name: np.stack([getattr(bodies, name) for bodies in run], axis=1) for name in vars(run[0])})


def ridden(
    before: tuple[Ridden, Vectors] | None, position: Vectors, forward: Vectors, up: Vectors, by: Carriage
) -> Ridden:
    """Bodies in the space of their ground.

    Args:
        before: as they were on the frame before, and where that was in the world, (n, 3); None on the first frame.
        position, forward, up: (n, 3) of them in the world.
        by: what their ground did since.
    """
    if before is None:
        return Ridden(position, forward, up, np.zeros(len(position)), by.surface, by.normal)
    then, was = before
    turned = then.turned + by.turn
    away = (by.offset != 0.0).any(axis=1) | (turned != 0.0) | (then.position != was).any(axis=1)
    position_on_it = then.position + _about_up(position - was - by.offset, -turned)
    return Ridden(
        np.where(away[:, None], position_on_it, position),
        _about_up(forward, -turned),
        _about_up(up, -turned),
        turned,
        by.surface,
        _about_up(by.normal, -turned),
    )


def _about_up(v: Vectors, angle: Scalars) -> Vectors:
    """Vectors (n, 3) turned about the vertical by angles to the left, (n,) radians."""
    if not anybody(angle != 0.0):
        return v
    return np.where((angle == 0.0)[:, None], v, rotate(rotation_about_up(angle), v))


class RiddenGround:
    """The ground of bodies on f frames, in the space in which it stays."""

    def __init__(self, place: Vectors, body: Ridden, rides: Mask, origin: Scalars, still: Ground | None) -> None:
        """Hold on to the ground.

        Args:
            place: (..., f, 3) of the bodies in the world, metres.
            body: they in the space of their ground, on f frames.
            rides: (..., f) whether they stand on what moves.
            origin: (..., f) metres by which their positions are above where they stand.
            still: what does not move, in the world; None for the level of the bodies.
        """
        self._place, self._position, self._normal = (v.reshape(-1, 3) for v in (place, body.position, body.normal))
        self._turned, self._origin = body.turned.reshape(-1), origin.reshape(-1)
        self._rides, self._still = rides.reshape(-1), still

    def __call__(self, places: Vectors, frames: Rows) -> tuple[Scalars, Vectors]:
        """The heights (k,) and normals (k, 3) below places (k, 3) on frames (k,) of the bodies one after the other.
        They are those of the plane of what a body stands on while that moves, and else of what does not."""
        position, turned = self._position[frames], self._turned[frames]
        offset, rides = places - position, self._rides[frames]
        normal = standable(np.where(rides[:, None], self._normal[frames], upright(len(frames))))
        slope = normal[:, :2] / normal[:, 2:]
        heights = position[:, 2] - self._origin[frames] - slope[:, 0] * offset[:, 0] - slope[:, 1] * offset[:, 1]
        stays = np.flatnonzero(~rides)
        if self._still is not None and len(stays):
            at = self._place[frames[stays]]
            below, normals = self._still(at + _about_up(offset[stays], turned[stays]), frames[stays])
            heights[stays] = position[stays, 2] + below - at[:, 2]
            normal[stays] = _about_up(normals, -turned[stays])
        return heights, normal
