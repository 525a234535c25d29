"""The ground: which way is up, and what is level.

Agents say which way up is for each of them (`Agents.upward`); these functions compute with it. Only they know that up
is the same constant for all agents today, and take the short way then. `v` is (n, 3), or (n, b, 3) for several vectors
an agent, and `upward` (n, 3) unit vectors away from the ground.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .arrays.vectors import EPSILON, Mask, Rows, Scalars, Vectors, anybody, columns, cross, dot, level_side, magnitude

UP = (0.0, 0.0, 1.0)
"""The unit vector away from the ground, the same everywhere."""


@lru_cache(maxsize=64)
def upright(n: int) -> Vectors:
    """(n, 3) `UP` for n agents, which is in memory once; read-only."""
    return np.broadcast_to(np.array(UP), (n, 3))


def of_rows(upward: Vectors, rows: Rows) -> Vectors:
    """The up of some agents, (m, 3)."""
    if upward.strides[0] == 0:
        return np.broadcast_to(upward[:1], (len(rows), 3))
    return upward[rows]


def climb(v: Vectors, upward: Vectors) -> Scalars:
    """The part of the vectors along `upward`, (n,) or (n, b)."""
    return v[..., 2] if _constant(upward) else dot(v, _beside(v, upward))


def flat(v: Vectors, upward: Vectors) -> Vectors:
    """The vectors without their part along `upward`."""
    if _constant(upward):
        return columns(v[..., 0], v[..., 1], 0.0)
    return v - climb(v, upward)[..., None] * _beside(v, upward)


def level(v: Vectors, upward: Vectors, grounded: Mask) -> Vectors:
    """The vectors, without their part along `upward` for the agents that keep to the ground, (n,)."""
    if not anybody(grounded):
        return v
    if _constant(upward):
        kept = grounded[:, None] if v.ndim == 3 else grounded
        return columns(v[..., 0], v[..., 1], np.where(kept, 0.0, v[..., 2]))
    kept = grounded[:, None, None] if v.ndim == 3 else grounded[:, None]
    return np.where(kept, flat(v, upward), v)


def squared_from_above(v: Vectors, upward: Vectors) -> Scalars:
    """The squared lengths of `flat(v, upward)`, (n,) or (n, b)."""
    if _constant(upward):
        x, y = v[..., 0], v[..., 1]
        return np.asarray(x * x + y * y)
    v = flat(v, upward)
    return dot(v, v)


def lifted(v: Vectors, height: Scalars, upward: Vectors) -> Vectors:
    """The vectors (n, 3) with a height added along `upward`, (n,)."""
    if _constant(upward):
        return columns(v[:, 0], v[:, 1], v[:, 2] + height)
    return v + height[:, None] * upward


def left_of(v: Vectors, upward: Vectors) -> Vectors:
    """`cross(upward, v)`: level, square to the vectors and on their left, as long as they are seen from above."""
    if _constant(upward):
        return columns(-v[..., 1], v[..., 0], 0.0)
    return cross(_beside(v, upward), v)


def cross_from_above(a: Vectors, b: Vectors, upward: Vectors) -> Scalars:
    """`dot(cross(a, b), upward)`: the cross product of the vectors as they are seen from above, (n,)."""
    if _constant(upward):
        return np.asarray(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])
    return dot(cross(a, b), upward)


def right_of_heading(forward: Vectors, upward: Vectors) -> tuple[Vectors, Scalars]:
    """The level unit directions to the right of unit headings, and the flatness of these; as `level_side`."""
    if _constant(upward):
        return level_side(forward)
    side = cross(forward, upward)
    flatness = magnitude(side)
    return side / np.where(flatness > EPSILON, flatness, np.inf)[:, None], flatness


def _constant(upward: Vectors) -> bool:
    """Whether they are the z axis, in memory once."""
    return upward.strides[0] == 0 and len(upward) > 0 and bool(upward[0, 2] == 1.0)


def _beside(v: Vectors, upward: Vectors) -> Vectors:
    return upward[:, None] if v.ndim == 3 else upward
