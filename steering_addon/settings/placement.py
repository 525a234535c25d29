"""Places for the members of a crowd: formations, and scattering that leaves every body its room.

Members have numbers. What chance gives a member hangs on its number and the seed alone, and who comes later makes room
for those who are there, so that a larger crowd is the smaller one with some more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..simulation.arrays.angles import cosine_and_sine, sine
from ..simulation.arrays.chance import Keys, keys_of, mix, uniform
from ..simulation.arrays.vectors import EPSILON, Mask, Rows, Scalars, Vectors, across, cross, magnitude, unit
from ..simulation.geometry.paths import Path
from .population import CIRCLE, COLUMN, GRID, LINE, ONE_PLACE, WEDGE, Population

TURN, SCALE, MODEL, SPOT = 0x7012, 0x5CA1E, 0x30DE1, 0x5907
"""Salts: what each chance of a member is for."""
TRIES, LEAST_TRIES = 40, 2000
"""Spots tried for each member, and for all at least, before there is no room left."""
BATCH = 4096
"""Spots looked at in one go."""
STAGGER = 0.5
"""How far behind its neighbor each of a wedge flies, as a multiple of how far beside it."""


@dataclass(frozen=True)
class Spots:
    """Where somebody might stand.

    Attributes:
        position: (n, 3) metres.
        forward, up: (n, 3) which way the place itself faces, unit vectors; zero where it does not say.
        valid: (n,) whether it is a place at all.
    """

    position: Vectors
    forward: Vectors
    up: Vectors
    valid: Mask

    def take(self, rows: Rows) -> Spots:
        """Some of the spots."""
        return Spots(self.position[rows], self.forward[rows], self.up[rows], self.valid[rows])


Proposing = Callable[[Keys], Spots]
"""Makes a spot of each key."""


def luck(seed: int, numbers: Rows, salt: int) -> Scalars:
    """What chance gives the members of these numbers, (n,) in [0, 1)."""
    return uniform(mix(keys_of(seed, numbers), salt))


def sizes(population: Population, numbers: Rows) -> Scalars:
    """What each member's size is multiplied by, (n,)."""
    return 1.0 + population.random_scale * (2.0 * luck(population.seed, numbers, SCALE) - 1.0)


def turns(population: Population, numbers: Rows) -> Scalars:
    """By how much each member is turned about its up axis, (n,) radians."""
    return population.random_turn * (2.0 * luck(population.seed, numbers, TURN) - 1.0)


def models(population: Population, numbers: Rows, weights: Scalars) -> Rows:
    """Which of the models each member is made of, (n,) rows of the weights."""
    if not len(weights):
        return np.zeros(len(numbers), dtype=np.int64)
    heaped = np.cumsum(weights)
    wanted = luck(population.seed, numbers, MODEL) * heaped[-1]
    return np.minimum(np.searchsorted(heaped, wanted, side="right"), len(weights) - 1)


# ---- formations


def formation(population: Population, numbers: Rows, apart: float) -> Vectors:
    """Where the members of these numbers stand in the crowd's own space, (n, 3), x to the right, y ahead, z up.

    Args:
        numbers: (n,) from 0.
        apart: metres between neighbors.
    """
    places: dict[int, Callable[[Population, Rows], Vectors]] = {
        GRID: _grid,
        WEDGE: _wedge,
        LINE: lambda _, k: _stacked(_either_side(k), 0.0),
        COLUMN: lambda _, k: _stacked(0.0, -1.0 * k),
        CIRCLE: _circle,
        ONE_PLACE: lambda _, k: np.zeros((len(k), 3)),
    }
    return apart * places[population.arrangement](population, numbers)


def _grid(population: Population, k: Rows) -> Vectors:
    cell, layer = k // population.layers, k % population.layers
    if population.columns:
        x = cell % population.columns - 0.5 * (population.columns - 1)
        y = -1.0 * (cell // population.columns)
    else:
        x, y = _spiral(cell)
    return _stacked(x, y, layer)


def _spiral(k: Rows) -> tuple[Scalars, Scalars]:
    """The cells of a square grid from the middle outward, ring by ring, so that none moves when more come."""
    ring = np.ceil((np.sqrt(k + 1.0) - 1.0) / 2.0)
    place = k - (2.0 * ring - 1.0) * (2.0 * ring - 1.0)
    side = np.floor(place / np.maximum(2.0 * ring, 1.0))
    along = place - 2.0 * ring * side
    x = np.select([side == 0, side == 1, side == 2], [ring, ring - 1.0 - along, -ring], -ring + 1.0 + along)
    y = np.select([side == 0, side == 1, side == 2], [-ring + 1.0 + along, ring, ring - 1.0 - along], -ring)
    return np.where(k == 0, 0.0, x), np.where(k == 0, 0.0, y)


def _wedge(_population: Population, k: Rows) -> Vectors:
    x = _either_side(k)
    return _stacked(x, -STAGGER * np.abs(x))


def _either_side(k: Rows) -> Scalars:
    """0, 1, -1, 2, -2 and so on."""
    return np.where(k % 2 == 1, 1.0, -1.0) * ((k + 1) // 2)


def _circle(population: Population, k: Rows) -> Vectors:
    n = max(population.count, 1)
    radius = 0.0 if n == 1 else 0.5 / float(sine(np.array([np.pi / n]))[0])
    x, y = cosine_and_sine(k * (2.0 * np.pi / n))
    return _stacked(radius * y, radius * x)


def _stacked(x: Scalars | float, y: Scalars | float, z: Scalars | Rows | float = 0.0) -> Vectors:
    return np.stack(np.broadcast_arrays(x, y, z), axis=1).astype(np.float64)


# ---- spots on and in things


def on_surface(triangles: NDArray[np.float64], height: float, align: float) -> Proposing:
    """Spots scattered evenly over triangles (t, 3, 3) in metres, so high above them."""
    first = triangles[:, 0]
    one, other = triangles[:, 1] - first, triangles[:, 2] - first
    normal = cross(one, other)
    heaped = np.cumsum(magnitude(normal))
    normal = unit(normal)
    lean = unit(np.array([0.0, 0.0, 1.0 - align]) + align * normal)

    def propose(keys: Keys) -> Spots:
        face = np.searchsorted(heaped, uniform(mix(keys, 1)) * heaped[-1], side="right")
        face = np.minimum(face, len(heaped) - 1)
        u, v = uniform(mix(keys, 2)), uniform(mix(keys, 3))
        over = u + v > 1.0
        u, v = np.where(over, 1.0 - u, u)[:, None], np.where(over, 1.0 - v, v)[:, None]
        up = lean[face]
        position = first[face] + u * one[face] + v * other[face] + height * up
        return Spots(position, np.zeros_like(up), up, np.ones(len(keys), dtype=np.bool_))

    return propose


def within(low: Vectors, high: Vectors, inside: Callable[[Vectors], Mask]) -> Proposing:
    """Spots scattered evenly in the part of a box, between two corners (3,) in metres, that is inside."""

    def propose(keys: Keys) -> Spots:
        part = np.stack([uniform(mix(keys, axis)) for axis in (1, 2, 3)], axis=1)
        position = low + part * (high - low)
        nowhere = np.zeros_like(position)
        return Spots(position, nowhere, nowhere, inside(position))

    return propose


def along(path: Path) -> Proposing:
    """Spots scattered evenly along the splines of a curve."""
    total = _length(path)
    return lambda keys: _on_path(path, uniform(mix(keys, 1)) * total)


def evenly_along(path: Path, count: int, apart: float) -> Spots:
    """As many spots as asked for, or as there is room for, spread evenly over a curve.

    Args:
        apart: metres that each needs.
    """
    total = _length(path)
    room = int(total / apart) if apart > 0.0 else count
    count = min(count, max(room, 1))
    return _on_path(path, (np.arange(count) + 0.5) * (total / max(count, 1)))


def _length(path: Path) -> float:
    return float(np.cumsum([line.length for line in path])[-1])


def _on_path(path: Path, metres: Scalars) -> Spots:
    position, forward = np.zeros((len(metres), 3)), np.zeros((len(metres), 3))
    behind = 0.0
    for line in path:
        here = metres - behind
        mine = (here >= 0.0) & (here <= line.length)
        position[mine], forward[mine] = line.position(here[mine]), line.tangent(here[mine])
        behind += line.length
    return Spots(position, forward, np.zeros_like(position), np.ones(len(metres), dtype=np.bool_))


# ---- scattering


def scattered(
    propose: Proposing,
    seed: int,
    radii: Scalars,
    distance: float,
    standing: tuple[Vectors, Scalars],
) -> Spots:
    """Spots for bodies that overlap neither each other nor those who stand there already.

    The spots come one after another from the seed, each body takes the first that has room for it; whoever comes
    later changes nothing for those before.

    Args:
        radii: (n,) of the bodies, in their order.
        distance: metres between any two at least.
        standing: where others stand, (m, 3), and their radii, (m,).

    Returns:
        For the first of the bodies, as many as there is room for.
    """
    there, their_radii = standing
    widest = float(max(radii.max(initial=0.0), their_radii.max(initial=0.0)))
    room = _Room(max(distance, 2.0 * widest, 1e-6))
    for place, radius in zip(there.tolist(), their_radii.tolist()):
        room.take(place, radius)
    wanted = radii.tolist()
    found: list[Spots] = []
    count = 0
    for spots in _stream(propose, seed, max(TRIES * (len(wanted) + len(there)), LEAST_TRIES)):
        chosen = []
        for row, place in enumerate(spots.position.tolist()):
            if count == len(wanted):
                break
            if spots.valid[row] and room.is_free(place, wanted[count], distance):
                room.take(place, wanted[count])
                chosen.append(row)
                count += 1
        found.append(spots.take(np.array(chosen, dtype=np.int64)))
        if count == len(wanted):
            break
    return joined(found)


def joined(parts: list[Spots]) -> Spots:
    """All these spots, one after another."""
    return Spots(
        np.concatenate([part.position for part in parts]),
        np.concatenate([part.forward for part in parts]),
        np.concatenate([part.up for part in parts]),
        np.concatenate([part.valid for part in parts]),
    )


def _stream(propose: Proposing, seed: int, most: int) -> Iterator[Spots]:
    for start in range(0, most, BATCH):
        keys = mix(keys_of(seed, np.arange(start, min(start + BATCH, most), dtype=np.int64)), SPOT)
        yield propose(keys)


class _Room:
    """Who stands where, in cells as wide as the farthest that two may have to keep apart."""

    AROUND = tuple(product((-1, 0, 1), repeat=3))

    def __init__(self, cell: float) -> None:
        self._per_metre = 1.0 / cell
        self._cells: dict[tuple[int, int, int], list[tuple[float, float, float, float]]] = {}

    def _cell(self, place: list[float]) -> tuple[int, int, int]:
        x, y, z = (int(at * self._per_metre // 1.0) for at in place)
        return x, y, z

    def take(self, place: list[float], radius: float) -> None:
        """Somebody stands there from now on."""
        self._cells.setdefault(self._cell(place), []).append((place[0], place[1], place[2], radius))

    def is_free(self, place: list[float], radius: float, distance: float) -> bool:
        """Whether a body has room there."""
        x, y, z = place
        i, j, k = self._cell(place)
        for a, b, c in self.AROUND:
            for ox, oy, oz, other in self._cells.get((i + a, j + b, k + c), ()):
                least = max(distance, radius + other)
                if (x - ox) * (x - ox) + (y - oy) * (y - oy) + (z - oz) * (z - oz) < least * least:
                    return False
        return True


# ---- facing


def facing(spots: Spots, heading: Vectors, above: Vectors, turn: Scalars) -> tuple[Vectors, Vectors]:
    """Which way members face and which way is up for them, unit vectors (n, 3) each.

    A place that says nothing of it takes what the crowd says; then each is turned about its up axis.

    Args:
        heading, above: (3,) the crowd's.
        turn: (n,) radians, to the left.
    """
    up = np.where(magnitude(spots.up)[:, None] > 0.5, spots.up, above)
    ahead = np.where(magnitude(spots.forward)[:, None] > 0.5, spots.forward, heading)
    own = magnitude(spots.forward) > 0.5
    # Along a steep curve they face up it; everywhere else up comes first.
    up = np.where(own[:, None], _square_to(up, unit(ahead)), unit(up))
    forward = np.where(own[:, None], unit(ahead), _square_to(ahead, up))
    c, s = (part[:, None] for part in cosine_and_sine(turn))
    return unit(c * forward + s * cross(up, forward)), up


def _square_to(v: Vectors, axis: Vectors) -> Vectors:
    """The directions of what of the vectors lies square to unit axes; some such direction where nothing does."""
    rest = across(v, axis)
    lost = magnitude(rest)[:, None] <= 1e3 * EPSILON
    spare = np.where(np.abs(axis[:, 1:2]) < 0.9, np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]))
    return unit(np.where(lost, across(spare, axis), rest))
