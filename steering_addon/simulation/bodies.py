"""The bodies of the world: vehicles, and what else may be a target."""

from dataclasses import dataclass

import numpy as np

from .arrays.scalars import EPSILON, Mask, Rows, Scalars
from .arrays.vectors import Vectors, cross, dot, picked, truncate
from .geometry.capsules import between_axes
from .roles import Role

PAIRS = 2**20
"""Pairs of a point and a body whose distances are computed together at most."""


@dataclass(frozen=True)
class Bodies:
    """Everything that may be a target: the vehicles first, in the order of their rows, then the tracked bodies.

    Attributes:
        position, velocity: (b, 3) metres, metres a second.
        acceleration: (b, 3) m/s2, of vehicles the smoothed acceleration that they lean by; zero for tracked bodies.
        forward, up: (b, 3) unit axes.
        spin: (b, 3) by how much tracked bodies turn: the axis times the sine of the turn in a second; zero for
            vehicles.
        radius: (b,) metres.
        roles: (b,) bits of Role.
        present: (b,) whether it takes part at this time.
        crowd: (b,) the row of the crowd that a vehicle belongs to, -1 for none.
        left: (b,) the amount of a resource that is left, inf if it does not run out.
        half_axis: (b,) half the length of the axis along the heading about which it is round, metres; None if all
            bodies are spheres.
        stands: (b,) whether it is a vehicle that is to stand, and may be pushed; None if none is.
    """

    position: Vectors
    velocity: Vectors
    acceleration: Vectors
    forward: Vectors
    up: Vectors
    spin: Vectors
    radius: Scalars
    roles: Rows
    present: Mask
    crowd: Rows
    left: Scalars
    half_axis: Scalars | None = None
    stands: Mask | None = None

    @property
    def extent(self) -> Scalars:
        """(b,) metres from the middle of each body to its furthest end."""
        return self.radius if self.half_axis is None else self.radius + self.half_axis

    def between(self, offset: Vectors, first: Rows, second: Rows) -> Vectors:
        """The offsets between the nearest points of the axes of bodies, (p, 3) metres; `offset` itself for spheres.
        `offset`: (p, 3) from the middles of the first to those of the second, metres; `first`, `second`: (p,) rows of
        the bodies."""
        half = self.half_axis
        if half is None or not len(first):
            return offset
        along, along_second = picked(self.forward, first), picked(self.forward, second)
        return between_axes(offset, along, half[first], along_second, half[second])

    def moves(self, rows: Rows) -> Mask:
        """Whether bodies of rows (n,), -1 for none, move, (n,)."""
        return (picked(self.velocity, np.maximum(rows, 0)) != 0.0).any(axis=1) & (rows >= 0)

    def turned(self, rows: Rows, dt: float) -> tuple[Vectors, Vectors]:
        """The forward and up axes of bodies of rows (n,) after `dt` seconds, (n, 3) each; of vehicles as they steer."""
        velocity = picked(self.velocity, rows)
        steered = (
            cross(velocity, picked(self.acceleration, rows)) / np.maximum(dot(velocity, velocity), EPSILON)[:, None]
        )
        turn = truncate((picked(self.spin, rows) + steered) * dt, 1.0)
        # Rodrigues' formula, of the sine alone.
        cosines = np.sqrt(np.maximum(1.0 - dot(turn, turn), 0.0))
        forward, up = (
            axis * cosines[:, None] + cross(turn, axis) + turn * (dot(turn, axis) / (1.0 + cosines))[:, None]
            for axis in (picked(self.forward, rows), picked(self.up, rows))
        )
        return forward, up

    def with_role(self, role: Role) -> Rows:
        """The rows of those that are present and have a role."""
        return np.flatnonzero(((self.roles & int(role)) != 0) & self.present)

    def nearest_of(self, rows: Rows, points: Vectors, excluded: Rows) -> Rows:
        """The row of the body, of bodies of some rows, that is nearest to each point, (n,); -1 if there is no other.
        `points`: (n, 3) metres; `excluded`: (n,) the row that is not considered for each point: the body that asks."""
        if not len(rows):
            return np.full(len(points), -1, dtype=np.int64)
        nearest = np.zeros(len(points), dtype=np.int64)
        block = max(PAIRS // len(rows), 1)
        for low in range(0, len(points), block):
            block_rows = slice(low, low + block)
            gap = self.position[rows][None] - points[block_rows, None, :]
            distance = dot(gap, gap)
            distance[excluded[block_rows, None] == rows[None]] = np.inf
            best = np.argmin(distance, axis=1)
            alone = ~np.isfinite(distance[np.arange(len(best)), best])
            nearest[block_rows] = np.where(alone, -1, rows[best])
        return nearest
