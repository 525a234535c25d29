"""What each agent plays of its clips on each frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.angles import arctangent, cosine_and_sine
from ..simulation.arrays.vectors import Rows, Scalars, Vectors, cross, dot


@dataclass(frozen=True)
class Way:
    """What bodies did since the frame before, in the axes that they had on the way.

    Attributes:
        ahead, aside, climb: (n,) metres along the front, to the left and up.
        turn: (n,) radians to the left about the up axis.
        size: (n,) how many times as large as the measured model they are.
        do: (n,) the row of a clip that is asked for, to be played once, or -1.
    """

    ahead: Scalars
    aside: Scalars
    climb: Scalars
    turn: Scalars
    size: Scalars
    do: Rows

    @classmethod
    def between(
        cls,
        position: Vectors,
        forward: Vectors,
        up: Vectors,
        was: Vectors,
        was_forward: Vectors,
        size: Scalars | None = None,
        do: Rows | None = None,
    ) -> Way:
        """The way from the frame before to this one.

        Args:
            position, forward, up: (n, 3) metres and unit axes on this frame.
            was, was_forward: (n, 3) position and forward on the frame before.
            size: as the attribute; 1 if left out.
            do: as the attribute; -1 if left out.
        """
        n = len(position)
        left = cross(up, forward)
        gone = position - was
        ahead, aside = dot(gone, forward), dot(gone, left)
        # The way bends with the body: half of the turn is taken back.
        turn = -_angle(dot(was_forward, left), dot(was_forward, forward))
        cosines, sines = cosine_and_sine(-0.5 * turn)
        return cls(
            ahead=ahead * cosines + aside * sines,
            aside=aside * cosines - ahead * sines,
            climb=dot(gone, up),
            turn=turn,
            size=np.ones(n) if size is None else size,
            do=np.full(n, -1, dtype=np.int64) if do is None else do,
        )


def _angle(y: Scalars, x: Scalars) -> Scalars:
    """The angles of points (x, y) from the x axis in radians, -pi to pi; 0 at the origin."""
    length = np.sqrt(x * x + y * y)
    # Half the angle has the tangent y / (length + x), which is lost near the negative axis: there x / y helps.
    behind = x < 0.0
    half = np.where(behind, length - x, y)
    base = np.where(behind, np.where(y < 0.0, -1.0, 1.0) * np.abs(y), length + x)
    flat = np.abs(base) < 1e-300
    angle = 2.0 * arctangent(half / np.where(flat, 1.0, base))
    return np.where(flat, np.where(behind, np.pi, 0.0), angle)
