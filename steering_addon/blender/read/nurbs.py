"""NURBS lines: points along a line from its control points, as Blender computes them."""

import numpy as np

from ...simulation.arrays.vectors import EPSILON, Scalars, Vectors


def nurbs_points(
    controls: Vectors, weights: Scalars, order: int, closed: bool, ends: bool, bezier: bool, fineness: int
) -> Vectors:
    """Points along a NURBS line, (k, 3).

    Args:
        controls: (m, 3).
        weights: (m,) weights of the control points.
        order: number of control points that each point depends on; with fewer control points these are the line.
        closed: whether the line is cyclic.
        ends: whether it reaches its first and last control point.
        bezier: whether its knots are those of a Bezier curve.
        fineness: steps from one control point to the next.
    """
    order = max(order, 2)
    # Each Blender treats closed Bezier knots differently; most do not evaluate them. Open ones that do not reach the
    # ends need one control point more.
    if len(controls) < order + (bezier and not ends) or (closed and bezier):
        return np.asarray(controls, dtype=np.float64)
    knots = _knots(len(controls), order, closed, ends, bezier)
    # The first control points are used again at the end.
    row = np.arange(len(controls) + (order - 1 if closed else 0)) % len(controls)
    first, last = knots[order - 1], knots[len(row)]
    steps = fineness * (len(controls) if closed else len(controls) - 1)
    along = first + (last - first) / steps * np.arange(steps if closed else steps + 1)
    shares = _shares(np.minimum(along, last), knots, order)[:, : len(row)] * weights[row]
    total = np.maximum(np.einsum("km->k", shares), EPSILON)
    return np.einsum("km,ma->ka", shares, np.asarray(controls, dtype=np.float64)[row]) / total[:, None]


def _knots(count: int, order: int, closed: bool, ends: bool, bezier: bool) -> Scalars:
    """The knot vector: where along the line control points begin and cease to count; it is periodic if closed."""
    repeat = order - 1 if bezier else 1
    head = order - closed if ends else min(2, repeat)
    tail = 2 * order - 1 if closed else order * ends
    knots = np.zeros(count + order + (order - 1 if closed else 0))
    offset = int(ends and closed)
    current = float(offset)
    for row in range(offset, len(knots) - tail):
        knots[row] = current
        head -= 1
        if head == 0:
            current, head = current + 1.0, repeat
    # On a short line the last knots repeat what was just written.
    for row in range(tail):
        knots[len(knots) - tail + row] = current + knots[row] - knots[0]
    return knots


def _shares(along: Scalars, knots: Scalars, order: int) -> Vectors:
    """The basis functions at parameters along a line, (k, knots - order), by Cox and de Boor."""
    begins, ceases = knots[:-1], knots[1:]
    at = along[:, None]
    # The end belongs to the last knot span that has a length.
    last = (at == at[-1]) & (ceases == at[-1]) & (begins < ceases)
    shares = (((begins <= at) & (at < ceases)) | last).astype(np.float64)
    for degree in range(1, order):
        low, after = knots[: -degree - 1], knots[1:-degree]
        until, beyond = knots[degree:-1], knots[degree + 1 :]
        rise = (at - low) / np.maximum(until - low, EPSILON) * (until > low)
        fall = (beyond - at) / np.maximum(beyond - after, EPSILON) * (beyond > after)
        shares = rise * shares[:, :-1] + fall * shares[:, 1:]
    return shares
