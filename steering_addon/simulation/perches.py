"""Perches: the places of bodies on which others come down and stand, such as roofs, wires and branches."""

from dataclasses import dataclass

import numpy as np

from .arrays.frozen import Columns
from .arrays.scalars import EPSILON, Mask, Rows, Scalars, clamp
from .arrays.vectors import Vectors, dot, no_vectors


@dataclass(frozen=True)
class Perches(Columns):
    """p places on bodies.

    Attributes:
        body: (p,) in a snapshot the index of the tracked body on which each is, in a world the row of that body.
        position: (p, 3) metres, in a snapshot in the side, forward and up of the carrier of the body, if it has one.
        along: (p, 3) unit directions of wires, across which one stands, in the same axes; zero on faces.
        velocity: (p, 3) m/s; zero in a snapshot, as the next one tells where they are then.
        room: (p,) metres to the nearest border of the faces that each is on; inf on wires.
    """

    body: Rows
    position: Vectors
    along: Vectors
    velocity: Vectors
    room: Scalars

    @classmethod
    def at(cls, body: Rows, position: Vectors, along: Vectors, room: Scalars) -> "Perches":
        """The places of a snapshot."""
        return cls(body, position, along, no_vectors(len(body)), room)


NO_PERCHES = Perches.at(np.zeros(0, dtype=np.int64), no_vectors(0), no_vectors(0), np.zeros(0))

ABOVE = 0.01
"""Metres above a place from which on something is above it and no part of it."""
PAIRS = 2**20
"""Pairs of a place and a triangle, or a border, that are compared together at most."""


def covered(places: Vectors, corners: Vectors) -> Mask:
    """Whether something is straight above places, as a roof is above a floor, (p,). `places`: (p, 3) metres; `corners`:
    (t, 3, 3) of triangles, metres."""
    mask = np.zeros(len(places), dtype=np.bool_)
    if not len(places):
        return mask
    corners = corners[corners[..., 2].max(axis=1) > places[:, 2].min() + ABOVE]
    first, second, third = (corners[:, corner] for corner in range(3))
    (ax, ay), (bx, by) = (second - first).T[:2], (third - first).T[:2]
    area = ax * by - ay * bx
    flat = area != 0.0
    area = np.where(flat, area, 1.0)
    block = max(PAIRS // max(len(corners), 1), 1)
    for low in range(0, len(places), block):
        block_rows = slice(low, low + block)
        x, y = (places[block_rows, None, axis] - first[None, :, axis] for axis in range(2))
        along, aside = (x * by - y * bx) / area, (ax * y - ay * x) / area
        height = first[:, 2] + along * (second - first)[:, 2] + aside * (third - first)[:, 2]
        within = flat & (along >= 0.0) & (aside >= 0.0) & (along + aside <= 1.0)
        mask[block_rows] = (within & (height > places[block_rows, None, 2] + ABOVE)).any(axis=1)
    return mask


def room_to_borders(places: Vectors, start: Vectors, end: Vectors) -> Scalars:
    """How far places (p, 3) are from the nearest of straight borders (b, 3), (p,) metres; inf without any."""
    room = np.full(len(places), np.inf)
    if not len(start):
        return room
    border = end - start
    length = np.maximum(dot(border, border), EPSILON)
    block = max(PAIRS // len(start), 1)
    for low in range(0, len(places), block):
        offset = places[low : low + block, None] - start[None]
        share = clamp(dot(offset, border[None]) / length, 0.0, 1.0)
        offset = offset - share[..., None] * border[None]
        room[low : low + block] = np.sqrt(dot(offset, offset).min(axis=1))
    return room
