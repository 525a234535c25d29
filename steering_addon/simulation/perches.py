"""Perches: the places of bodies on which others come down and stand, such as roofs, wires and branches."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays.frozen import Columns
from .arrays.vectors import Rows, Vectors, no_vectors


@dataclass(frozen=True)
class Perches(Columns):
    """p places on bodies.

    Attributes:
        body: (p,) in a snapshot the index of the tracked body on which each is, in a world the row of that body.
        position: (p, 3) metres, in a snapshot in the side, forward and up of the carrier of the body, if it has one.
        along: (p, 3) unit directions of wires, across which one stands, in the same axes; zero on faces.
        velocity: (p, 3) m/s; zero in a snapshot, as the next one tells where they are then.
    """

    body: Rows
    position: Vectors
    along: Vectors
    velocity: Vectors

    @classmethod
    def at(cls, body: Rows, position: Vectors, along: Vectors) -> Perches:
        """The places of a snapshot."""
        return cls(body, position, along, no_vectors(len(body)))


NO_PERCHES = Perches.at(np.zeros(0, dtype=np.int64), no_vectors(0), no_vectors(0))
