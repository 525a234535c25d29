"""The velocities that an agent tries: first in all directions about the wished one, then close round the cheapest.

All of them are multiples of the stride, by component in the agent's frame: ahead, to the right and, in space, up.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..arrays.angles import cosine, sine
from ..arrays.vectors import unit

TURNS = (0.0, 8.0, 18.0, 32.0, 50.0, 75.0, 110.0, 180.0)
"""Degrees from the wished velocity, to either side on the ground. The gaps grow from 8 to 70 degrees, since agents turn
a little far more often than a lot."""
CONES = (0.0, 12.0, 30.0, 55.0, 90.0, 180.0)
"""Degrees from the wished velocity in space. Fewer than on the ground, since each stands for a whole cone."""
AROUND = 8
"""Directions on a cone. On that of 30 degrees neighbors are 2 sin(30) sin(22.5) = 0.38 strides apart, between the
distances of that cone from the next ones, 0.31 and 0.43."""
SPEEDS = (1.0, 0.66, 0.33)
"""In strides: thirds; standing still is tried too."""
RINGS = (0.244, 0.122)
"""Lengths, in strides, of the variations of the cheapest: 2 sin(7 degrees), the chord from 18 to 32 degrees, then half
of that. Up to 75 degrees the first search leaves no velocity of 1/3 to 1 stride further than 0.25 strides from one that
is tried; the rings reduce that to 0.05."""

Components = Sequence[NDArray[np.float64]]
"""The components of velocities or offsets in the agents' frames: two on the ground, three in space."""


def _on_ground() -> tuple[NDArray[np.float64], ...]:
    """Unit directions on the ground, two components of shape (14,)."""
    turns = np.radians(np.array([*TURNS, *(-turn for turn in TURNS if 0.0 < turn < 180.0)]))
    return cosine(turns), sine(turns)


def _in_space() -> tuple[NDArray[np.float64], ...]:
    """Unit directions in space, three components of shape (34,)."""
    directions = []
    for cone in CONES:
        for step in range(AROUND if 0.0 < cone < 180.0 else 1):
            c, s = (float(f(np.array([np.radians(cone)]))[0]) for f in (cosine, sine))
            a = np.array([2.0 * np.pi * step / AROUND])
            directions.append((c, s * float(cosine(a)[0]), s * float(sine(a)[0])))
    return tuple(np.array(column) for column in zip(*directions))


def _ring() -> tuple[NDArray[np.float64], ...]:
    """Eight unit directions on the ground, two components of shape (8,)."""
    turns = np.arange(8) * (np.pi / 4.0)
    return cosine(turns), sine(turns)


def _ball() -> tuple[NDArray[np.float64], ...]:
    """Unit directions to the sides and corners of a cube, three components of shape (14,)."""
    points = np.array([[x, y, z] for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0) for z in (-1.0, 0.0, 1.0)])
    points = points[(np.abs(points[:, 0]) + np.abs(points[:, 1]) + np.abs(points[:, 2])) % 2.0 == 1.0]
    return tuple(unit(points).T)


DIRECTIONS = {2: _on_ground(), 3: _in_space()}
"""The directions of the first search, by the number of dimensions."""
VARIATIONS = {2: _ring(), 3: _ball()}
"""The directions in which the second search varies the cheapest velocity, by the number of dimensions."""


def length(v: Components) -> NDArray[np.float64]:
    """The lengths of vectors of two or three components, each of the same shape."""
    square = v[0] * v[0] + v[1] * v[1]
    return np.sqrt(square if len(v) == 2 else square + v[2] * v[2])
