"""Formations, in which the members of a crowd stand in order."""

from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from ..simulation.arrays.angles import cosine_and_sine, sine
from ..simulation.arrays.scalars import Rows, Scalars
from ..simulation.arrays.vectors import Vectors
from .placement import TRIES, Sifting, Spots
from .population import CIRCLE, COLUMN, GRID, LINE, ONE_PLACE, WEDGE, Population

STAGGER = 0.5
"""Distance by which a member of a wedge is behind its neighbor, as a multiple of the distance beside it."""


def formation(population: Population, numbers: Rows, apart: float) -> Vectors:
    """Positions of members in the local space of the crowd, (n, 3) metres: x right, y forward, z up. `numbers`: (n,) of
    the members, from 0; `apart`: metres between neighbors."""
    layouts: dict[int, Callable[[Population, Rows], Vectors]] = {
        GRID: _grid,
        WEDGE: _wedge,
        LINE: lambda _, k: _stack(_either_side(k), 0.0),
        COLUMN: lambda _, k: _stack(0.0, -1.0 * k),
        CIRCLE: _circle,
        ONE_PLACE: lambda _, k: np.zeros((len(k), 3)),
    }
    return apart * layouts[population.arrangement](population, numbers)


def formed(population: Population, apart: float, frame: NDArray[np.float64], origin: Vectors) -> Callable[[int], Spots]:
    """The first spots of a formation, by their number; `frame`, `origin`: (3, 3) axes as columns and (3,) metres."""

    def first(count: int) -> Spots:
        local = formation(population, np.arange(count), apart)
        position = np.einsum("ab,kb->ka", frame, local) + origin
        return Spots(position, np.zeros_like(position), np.zeros_like(position), np.ones(count, dtype=np.bool_))

    return first


def first_free(first: Callable[[int], Spots], count: int, sifts: Sequence[Sifting], *, grows: bool) -> Spots:
    """The first `count` spots with nothing in the way; fewer if these run out. `first`: the first spots, by their
    number; `sifts`: tell which spots are valid; `grows`: whether there are more than `count`."""
    tried, most = count, TRIES * count if grows else count
    while True:
        spots = reduce(lambda remaining, sift: sift(remaining), sifts, first(tried))
        free = np.flatnonzero(spots.valid)[:count]
        if len(free) >= count or tried >= most:
            return spots.take(free)
        tried = min(2 * tried, most)


def _grid(population: Population, k: Rows) -> Vectors:
    cell, layer = k // population.layers, k % population.layers
    if population.columns:
        x = cell % population.columns - 0.5 * (population.columns - 1)
        y = -1.0 * (cell // population.columns)
    else:
        x, y = _spiral(cell)
    return _stack(x, y, layer)


def _spiral(k: Rows) -> tuple[Scalars, Scalars]:
    """The cells of a square grid ring by ring from the middle; adding cells moves none."""
    ring = np.ceil((np.sqrt(k + 1.0) - 1.0) / 2.0)
    index = k - (2.0 * ring - 1.0) * (2.0 * ring - 1.0)
    side = np.floor(index / np.maximum(2.0 * ring, 1.0))
    along = index - 2.0 * ring * side
    x = np.select([side == 0, side == 1, side == 2], [ring, ring - 1.0 - along, -ring], -ring + 1.0 + along)
    y = np.select([side == 0, side == 1, side == 2], [-ring + 1.0 + along, ring, ring - 1.0 - along], -ring)
    return np.where(k == 0, 0.0, x), np.where(k == 0, 0.0, y)


def _wedge(_population: Population, k: Rows) -> Vectors:
    x = _either_side(k)
    return _stack(x, -STAGGER * np.abs(x))


def _either_side(k: Rows) -> Scalars:
    """0, 1, -1, 2, -2, ..."""
    return np.where(k % 2 == 1, 1.0, -1.0) * ((k + 1) // 2)


def _circle(population: Population, k: Rows) -> Vectors:
    n = max(population.count, 1)
    radius = 0.0 if n == 1 else 0.5 / float(sine(np.array([np.pi / n]))[0])
    x, y = cosine_and_sine(k * (2.0 * np.pi / n))
    return _stack(radius * y, radius * x)


def _stack(x: Scalars | float, y: Scalars | float, z: Scalars | Rows | float = 0.0) -> Vectors:
    return np.stack(np.broadcast_arrays(x, y, z), axis=1).astype(np.float64)
