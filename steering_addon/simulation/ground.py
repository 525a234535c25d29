"""The ground: which way is up, and what is level.

`Agents` says which way is up for each agent; the functions here compute with it. Where up is
the z axis for all agents it is stored once: only this module recognises that, and takes a shorter way to the same
result.

Everywhere v are vectors, (n, 3) or (n, b, 3) for several of each agent, and `upward` (n, 3) unit vectors u away from
the ground:

    climb(v) = v . u        flat(v) = v - (v . u) u        level(v) = flat(v) if grounded, else v
"""

from functools import lru_cache

import numpy as np

from .arrays.scalars import EPSILON, Mask, Rows, Scalars, all_of, anybody, which
from .arrays.vectors import Vectors, across, columns, cross, dot, level_side, magnitude, picked, unit, unit_or

UP = (0.0, 0.0, 1.0)
"""The unit vector away from the ground: the z axis."""
LEVEL = 0.1
"""The sine of the angle above a plane up to which a body counts as in it."""
ROUNDING = 1e-9
"""Of the cosine of an angle that is none."""
UPHILL = (3.5, 6.1)
"""The speed on a grade x is 1 / (1 + 3.5 x + 6.1 x x) of that on level ground: Tobler's hiking function (1993) up to a
grade of 1, without an exponential."""
STEEPEST = 20.0
"""The grade of ground that counts as upright."""


@lru_cache(maxsize=64)
def upright(n: int) -> Vectors:
    """`UP` for n agents, (n, 3), stored once (stride 0) and read-only."""
    return np.broadcast_to(np.array(UP), (n, 3))


def is_upright(upward: Vectors) -> Mask:
    """Whether up is the z axis, (n,), but for rounding."""
    if keeps_upright(upward):
        return all_of(len(upward))
    return upward[:, 2] > 1.0 - ROUNDING


def rise(normal: Vectors, offset: Vectors) -> Scalars:
    """How far ways as seen from above rise on ground with these normals, (n,); the grade for level unit vectors."""
    flatness = np.maximum(normal[:, 2], 1.0 / STEEPEST)
    return -(normal[:, 0] * offset[:, 0] + normal[:, 1] * offset[:, 1]) / flatness


def share_uphill(grade: Scalars, slowed: Scalars) -> Scalars:
    """The share of the level speed that is left on a grade, (n,); `slowed`: (n,) how far a grade slows each body."""
    x = np.maximum(grade, 0.0)
    slow, slower = UPHILL
    return 1.0 - slowed * (1.0 - 1.0 / (1.0 + slow * x + slower * x * x))


def of_rows(upward: Vectors, rows: Rows) -> Vectors:
    """The up of the agents of some rows, (n, 3) to (m, 3); a constant stays stored once."""
    if upward.strides[0] == 0:
        # A slice costs less than np.broadcast_to.
        return upward[: len(rows)] if len(rows) <= len(upward) else np.broadcast_to(upward[:1], (len(rows), 3))
    return picked(upward, rows)


def climb(v: Vectors, upward: Vectors) -> Scalars:
    """The components of the vectors along `upward`, (n,) or (n, b)."""
    return v[..., 2] if keeps_upright(upward) else dot(v, _aligned(upward, v))


def flat(v: Vectors, upward: Vectors) -> Vectors:
    """The vectors without their components along `upward`."""
    if keeps_upright(upward):
        return columns(v[..., 0], v[..., 1], 0.0)
    return v - climb(v, upward)[..., None] * _aligned(upward, v)


def level(v: Vectors, upward: Vectors, grounded: Mask) -> Vectors:
    """The vectors, without their components along `upward` for the agents that keep to the ground; `grounded` (n,)."""
    if not anybody(grounded):
        return v
    if keeps_upright(upward):
        mask = grounded[:, None] if v.ndim == 3 else grounded
        return columns(v[..., 0], v[..., 1], np.where(mask, 0.0, v[..., 2]))
    mask = grounded[:, None, None] if v.ndim == 3 else grounded[:, None]
    return np.where(mask, flat(v, upward), v)


def squared_from_above(v: Vectors, upward: Vectors) -> Scalars:
    """The squared lengths of `flat(v, upward)`, (n,) or (n, b)."""
    if keeps_upright(upward):
        x, y = v[..., 0], v[..., 1]
        return np.asarray(x * x + y * y)
    v = flat(v, upward)
    return dot(v, v)


def lifted(v: Vectors, height: Scalars, upward: Vectors) -> Vectors:
    """v + height u; v is (n, 3), `height` (n,)."""
    if keeps_upright(upward):
        return columns(v[:, 0], v[:, 1], v[:, 2] + height)
    return v + height[:, None] * upward


def level_heading(forward: Vectors) -> Vectors:
    """The headings made level, (n, 3) unit vectors; north for those straight up or down."""
    return unit_or(flat(forward, upright(len(forward))), (0.0, 1.0, 0.0))


def aside_to(course: Vectors, heading: Vectors) -> Vectors:
    """The unit directions across headings, to the side of courses, (n, 3) each. Straight back, where rounding alone
    would say which, it is the left."""
    return unit_or(across(course, heading), unit(across(left_of(heading, upright(len(heading))), heading)))


def left_of(v: Vectors, upward: Vectors) -> Vectors:
    """u x v: level and perpendicular to the vectors, on their left."""
    if keeps_upright(upward):
        return columns(-v[..., 1], v[..., 0], 0.0)
    return cross(_aligned(upward, v), v)


def cross_from_above(a: Vectors, b: Vectors, upward: Vectors) -> Scalars:
    """(a x b) . u, the plane cross product of the vectors (n, 3) as seen from above; (n,)."""
    if keeps_upright(upward):
        return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return dot(cross(a, b), upward)


def right_of_heading(forward: Vectors, upward: Vectors) -> tuple[Vectors, Scalars]:
    """The level unit directions to the right of unit headings (n, 3).

    Returns:
        side: (n, 3) forward x u scaled to length 1; zero for a heading straight up or down.
        flatness: (n,) its length before, from 0 for a heading straight up or down to 1 for a level one.
    """
    if keeps_upright(upward):
        return level_side(forward)
    side = cross(forward, upward)
    flatness = magnitude(side)
    return side / np.where(flatness > EPSILON, flatness, np.inf)[:, None], flatness


def parted(position: Vectors, upward: Vectors, first: Rows, second: Rows) -> Mask:
    """Whether the ground is between pairs of bodies, as a thin plate is between those on its two sides; (p,).

    It is if their ups point away from each other, and each is below the plane of the other.

    Args:
        position: (b, 3) of the bodies, metres.
        upward: (n, 3) of the first n of them, the vehicles; no ground is between others.
        first, second: (p,) the rows of the bodies.
    """
    parts = np.zeros(len(first), dtype=np.bool_)
    if keeps_upright(upward):
        return parts
    rows = which((first < len(upward)) & (second < len(upward)))
    first, second = first[rows], second[rows]
    offset, up, other_up = picked(position, second) - picked(position, first), upward[first], upward[second]
    slack = LEVEL * magnitude(offset)
    below = (dot(offset, up) <= slack) & (dot(offset, other_up) >= -slack)
    parts[rows] = below & (dot(up, other_up) < 0.0)
    return parts


def keeps_upright(upward: Vectors) -> bool:
    """Whether up is the z axis for all agents, stored once."""
    return upward.strides[0] == 0 and len(upward) > 0 and bool(upward[0, 2] == 1.0)


def _aligned(upward: Vectors, v: Vectors) -> Vectors:
    """`upward` in the shape that broadcasts with v."""
    return upward[:, None] if v.ndim == 3 else upward
