"""Positions for the members of a crowd, scattered without overlap.

Members are numbered. The random values of a member depend only on its number and the seed, and later members avoid
earlier ones. Increasing the count therefore adds members and leaves the others as they are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product

import numpy as np
from numpy.typing import NDArray

from ..simulation.arrays.angles import cosine_and_sine
from ..simulation.arrays.chance import Keys, keys_of, mix, uniform
from ..simulation.arrays.scalars import EPSILON, Mask, Rows, Scalars, total
from ..simulation.arrays.vectors import Vectors, across, cross, magnitude, unit
from ..simulation.geometry.obstacles import Obstacles
from ..simulation.geometry.paths import Path
from ..simulation.geometry.stature import Stature
from .population import Population

TURN, SCALE, MODEL, SPOT, ROUND = 0x7012, 0x5CA1E, 0x30DE1, 0x5907, 0x20DD
"""Salts that make the random values of a member independent."""
TRIES, LEAST_TRIES = 40, 2000
"""Spots tried per member, and at least in total, before the area counts as full."""
BATCH = 4096
"""Spots proposed together."""
SAMPLE = 256
"""Spots that tell which obstacles are in the way and which are the ground or the walls of the place."""
LOOSE = 2.0
"""Radius of a group of n bodies, in units of their radius times sqrt(n): bodies cover a quarter of its ground."""
GROWS = 1.2
"""Factor by which it grows where there is not enough ground, as at a border."""
FINE = 0.25
"""Longest edge of the pieces of ground that a group gets, in units of its radius, so that it is about round."""
LOST = 4.0
"""Radii from its middle within which a way leads there, or none does."""


@dataclass(frozen=True)
class Spots:
    """Candidate positions for members.

    Attributes:
        forward, up: (n, 3) unit vectors of the surface or curve, such as its tangent; zero if it defines none.
        valid: (n,) whether the spot may be used.
    """

    position: Vectors
    forward: Vectors
    up: Vectors
    valid: Mask

    def take(self, rows: Rows) -> "Spots":
        """The spots of these rows."""
        return Spots(self.position[rows], self.forward[rows], self.up[rows], self.valid[rows])


Proposing = Callable[[Keys], Spots]
"""A function that turns each random key into a spot."""
Sifting = Callable[[Spots], Spots]
"""A function that returns spots with some of them no longer valid."""
Measuring = Callable[[Vectors], Scalars]
"""A function that measures something of each place (n, 3), in metres (n,)."""


def random_values(seed: int, numbers: Rows, salt: int) -> Scalars:
    """A random value in [0, 1) for each member, (n,)."""
    return uniform(mix(keys_of(seed, numbers), salt))


def sizes(population: Population, numbers: Rows) -> Scalars:
    """The random factor of each member's size, (n,)."""
    return 1.0 + population.random_scale * (2.0 * random_values(population.seed, numbers, SCALE) - 1.0)


def turns(population: Population, numbers: Rows, *, both_ways: bool = False) -> Scalars:
    """The random turn of each member about its up axis, (n,) radians; with `both_ways`, half of them turn round."""
    turn = population.random_turn * (2.0 * random_values(population.seed, numbers, TURN) - 1.0)
    return turn + np.where(both_ways & (random_values(population.seed, numbers, ROUND) < 0.5), np.pi, 0.0)


def models(population: Population, numbers: Rows, weights: Scalars) -> Rows:
    """The model of each member, (n,) rows of `weights`, chosen in proportion to the weights."""
    if not len(weights):
        return np.zeros(len(numbers), dtype=np.int64)
    cumulative = np.cumsum(weights)
    drawn = random_values(population.seed, numbers, MODEL) * cumulative[-1]
    return np.minimum(np.searchsorted(cumulative, drawn, side="right"), len(weights) - 1)


# ---- spots on surfaces, in volumes and along curves


def on_surface(
    triangles: NDArray[np.float64], height: float, align: float, density: NDArray[np.float64] | None = None
) -> Proposing:
    """Spots scattered over triangles.

    Args:
        triangles: (t, 3, 3) metres.
        height: metres above the triangles.
        align: from 0 for upright members to 1 for members that lean with the surface.
        density: (t, 3) of spots at each corner, relative to the others, at least 0 and somewhere more; None for evenly.
    """
    corner = triangles[:, 0]
    first_edge, second_edge = triangles[:, 1] - corner, triangles[:, 2] - corner
    normal = cross(first_edge, second_edge)
    densest = np.ones(len(triangles)) if density is None else density.max(axis=1)
    cumulative = np.cumsum(magnitude(normal) * densest)
    normal = unit(normal)
    lean = unit(np.array([0.0, 0.0, 1.0 - align]) + align * normal)

    def propose(keys: Keys) -> Spots:
        face = np.searchsorted(cumulative, uniform(mix(keys, 1)) * cumulative[-1], side="right")
        face = np.minimum(face, len(cumulative) - 1)
        u, v = uniform(mix(keys, 2)), uniform(mix(keys, 3))
        over = u + v > 1.0
        u, v = np.where(over, 1.0 - u, u)[:, None], np.where(over, 1.0 - v, v)[:, None]
        up = lean[face]
        position = corner[face] + u * first_edge[face] + v * second_edge[face] + height * up
        valid = np.ones(len(keys), dtype=np.bool_)
        if density is not None:
            ends, u, v = density[face], u[:, 0], v[:, 0]
            dense = ends[:, 0] * (1.0 - u - v) + ends[:, 1] * u + ends[:, 2] * v
            valid = uniform(mix(keys, 4)) * densest[face] < dense
        return Spots(position, np.zeros_like(up), up, valid)

    return propose


def ground_of_group(
    triangles: NDArray[np.float64], middle: Vectors, count: int, radius: float, metres: Measuring | None = None
) -> NDArray[np.float64]:
    """The part of triangles (t, 3, 3) around a point (3,) that has room for a group, in small pieces (k, 3, 3).

    Args:
        radius: of the bodies in metres.
        metres: tells how long the ways from places (n, 3) to that point are, (n,), inf for none; straight if omitted.
            Then it is less, or nothing, where no more can be reached.
    """
    needed, total = np.pi * count * LOOSE * LOOSE * radius * radius, _area(triangles)
    first = reach = max(np.sqrt(needed / np.pi), EPSILON)
    before = 0.0
    while True:
        pieces = _pieces_near(triangles, middle, reach, FINE * (reach if metres is None else first))
        if metres is not None:
            pieces = pieces[metres(_middles(pieces)) <= reach]
        area = _area(pieces)
        no_more = metres is not None and area <= before * (1.0 + 1e-6) and (area > 0.0 or reach > LOST * first)
        if area >= min(needed, (1.0 - 1e-6) * total) or no_more:
            return pieces
        reach, before = reach * GROWS, area


def _pieces_near(triangles: NDArray[np.float64], middle: Vectors, reach: float, fine: float) -> NDArray[np.float64]:
    """The pieces of triangles, with edges up to `fine` metres, whose middles are within a distance of a point."""
    while True:
        centre = _middles(triangles)
        gap = magnitude(centre - middle) - magnitude(triangles - centre[:, None]).max(axis=1)
        triangles = triangles[gap <= reach]
        a, b, c = (triangles[:, k] for k in range(3))
        longest = np.maximum(np.maximum(magnitude(a - b), magnitude(b - c)), magnitude(c - a))
        large = longest > fine
        if not large.any():
            return triangles[magnitude(_middles(triangles) - middle) <= reach]
        a, b, c = a[large], b[large], c[large]
        ab, bc, ca = 0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a)
        quarters = [np.stack(corners, axis=1) for corners in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))]
        triangles = np.concatenate([triangles[~large], *quarters])


def _middles(triangles: NDArray[np.float64]) -> Vectors:
    """The middles of triangles (t, 3, 3), (t, 3)."""
    return (triangles[:, 0] + triangles[:, 1] + triangles[:, 2]) / 3.0


def _area(triangles: NDArray[np.float64]) -> float:
    """The area of all triangles (t, 3, 3)."""
    areas = 0.5 * magnitude(cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]))
    return total(areas)


def within(low: Vectors, high: Vectors, inside: Callable[[Vectors], Mask]) -> Proposing:
    """Spots scattered evenly inside a shape. `low`, `high`: (3,) corners of a box around the shape, metres; `inside`:
    which of positions (n, 3) are inside the shape, (n,)."""

    def propose(keys: Keys) -> Spots:
        share = np.stack([uniform(mix(keys, axis)) for axis in (1, 2, 3)], axis=1)
        position = low + share * (high - low)
        undefined = np.zeros_like(position)
        return Spots(position, undefined, undefined, inside(position))

    return propose


def along(path: Path) -> Proposing:
    """Spots scattered evenly along the splines of a curve."""
    total = _length(path)
    return lambda keys: _on_path(path, uniform(mix(keys, 1)) * total)


def evenly_along(path: Path, count: int, apart: float, *sifts: Sifting) -> Spots:
    """Equally spaced spots over a whole curve, but for what is in the way; fewer than `count` if it is too short.
    `apart`: least metres between spots; `sifts`: tell which spots are valid."""
    total = _length(path)
    room = max(int(total / apart), 1) if apart > 0.0 else TRIES * count
    tried = min(count, room)
    while True:
        spots = _on_path(path, (np.arange(tried) + 0.5) * (total / max(tried, 1)))
        free = np.flatnonzero(reduce(lambda remaining, sift: sift(remaining), sifts, spots).valid)
        if len(free) >= count or tried >= room:
            number = min(count, len(free))
            return spots.take(free[np.arange(number) * len(free) // max(number, 1)])
        tried = min(tried + count - len(free), room)


def _length(path: Path) -> float:
    return float(np.cumsum([line.length for line in path])[-1])


def _on_path(path: Path, metres: Scalars) -> Spots:
    """The spots at these distances (n,) from the start of the first spline, through all splines in turn."""
    position, forward = np.zeros((len(metres), 3)), np.zeros((len(metres), 3))
    passed = 0.0
    for line in path:
        remaining = metres - passed
        on_line = (remaining >= 0.0) & (remaining <= line.length)
        position[on_line], forward[on_line] = line.position(remaining[on_line]), line.tangent(remaining[on_line])
        passed += line.length
    return Spots(position, forward, np.zeros_like(position), np.ones(len(metres), dtype=np.bool_))


def sifted(propose: Proposing, sift: Sifting) -> Proposing:
    """A function that proposes the same spots, sifted."""
    return lambda keys: sift(propose(keys))


def keeping_out(propose: Proposing, obstacles: Obstacles, room: float, body: Stature) -> Sifting:
    """A function that leaves out spots where a body would reach into an obstacle.

    An obstacle within reach of most of the spots is the ground or the walls: bodies may touch it. `propose`: proposes
    such spots; `room`: radius of a body in metres; `body`: how it stands, of one: who is tall does not start below a
    table.
    """

    def standing(n: int) -> Stature:
        return body.take(np.zeros(n, dtype=np.int64))

    sample = propose(keys_of(0, np.arange(SAMPLE, dtype=np.int64)))
    places = sample.position[sample.valid]
    apart = obstacles.clearance(places, standing(len(places)))
    in_the_way = obstacles.present & (np.count_nonzero(apart < room, axis=0) <= len(apart) / 2)
    kept_out = obstacles.take(in_the_way)

    def sift(spots: Spots) -> Spots:
        n = len(spots.position)
        places, rows = kept_out.near(spots.position, np.full(n, room), standing(n))
        distance, _ = kept_out.surface(spots.position[places], rows, standing(len(places)))
        valid = spots.valid.copy()
        valid[places[distance < room]] = False
        return replace(spots, valid=valid)

    return sift


def keeping_off(position: Vectors, radius: Scalars, room: float) -> Sifting:
    """A function that leaves out spots where a body would overlap others. `position`, `radius`: (m, 3) and (m,) of the
    others, metres; `room`: radius of a body in metres."""
    others = _Room(max(room + float(radius.max(initial=0.0)), 1e-6))
    for place, other in zip(position.tolist(), radius.tolist()):
        others.take(place, other)

    def sift(spots: Spots) -> Spots:
        free = [others.is_free(place, room, 0.0) for place in spots.position.tolist()]
        return replace(spots, valid=spots.valid & np.array(free, dtype=np.bool_))

    return sift


def walked_to(
    ways: Measuring,
    sifts: Sequence[Sifting],
    triangles: NDArray[np.float64],
    middle: Vectors,
    count: int,
    radius: float,
) -> tuple[NDArray[np.float64], Sifting]:
    """The part of triangles (t, 3, 3) from which a group can walk to its middle, where a body fits, as of
    `ground_of_group`; and a function that leaves out spots from which it cannot. `ways`: measures how long the ways
    are; `sifts`: tell where a body fits."""

    def metres(places: Vectors) -> Scalars:
        spots = Spots(places, places, places, np.ones(len(places), dtype=np.bool_))
        return np.where(reduce(lambda remaining, sift: sift(remaining), sifts, spots).valid, ways(places), np.inf)

    pieces = ground_of_group(triangles, middle, count, radius, metres)
    if not len(pieces):
        return ground_of_group(triangles, middle, count, radius), lambda spots: spots
    longest = (1.0 + FINE) * float(ways(_middles(pieces)).max())
    return pieces, lambda spots: replace(spots, valid=spots.valid & (ways(spots.position) <= longest))


# ---- scattering


def scattered(
    propose: Proposing,
    seed: int,
    radii: Scalars,
    distance: float,
    standing: tuple[Vectors, Scalars],
    better: Sequence[Proposing] = (),
) -> Spots:
    """Spots for bodies that overlap neither each other nor existing bodies.

    The seed gives a sequence of spots. Each body in turn takes the next spot with enough room, so a later body never
    changes the spot of an earlier one. Returns spots for the first bodies; fewer than n if the room runs out.

    Args:
        radii: (n,) of the bodies, in the order in which they are placed.
        distance: least metres between any two.
        standing: positions (m, 3) and radii (m,) of existing bodies.
        better: propose the spots that are taken first, in turn; the others are for bodies that find no room there.
    """
    positions, standing_radii = standing
    widest = float(max(radii.max(initial=0.0), standing_radii.max(initial=0.0)))
    room = _Room(max(distance, 2.0 * widest, 1e-6))
    for position, radius in zip(positions.tolist(), standing_radii.tolist()):
        room.take(position, radius)
    unplaced = radii.tolist()
    parts: list[Spots] = []
    count = 0
    tries = max(TRIES * (len(unplaced) + len(positions)), LEAST_TRIES)
    for proposing, start in product((*better, propose), range(0, tries, BATCH)):
        spots = proposing(mix(keys_of(seed, np.arange(start, min(start + BATCH, tries), dtype=np.int64)), SPOT))
        chosen = []
        for row, position in enumerate(spots.position.tolist()):
            if count == len(unplaced):
                break
            if spots.valid[row] and room.is_free(position, unplaced[count], distance):
                room.take(position, unplaced[count])
                chosen.append(row)
                count += 1
        parts.append(spots.take(np.array(chosen, dtype=np.int64)))
        if count == len(unplaced):
            break
    return joined(parts)


def joined(parts: list[Spots]) -> Spots:
    """The spots of all parts, concatenated."""
    return Spots(**{name: np.concatenate([getattr(spots, name) for spots in parts]) for name in vars(parts[0])})


class _Room:
    """The placed bodies, in cells as wide as the largest distance that two of them may have to keep."""

    AROUND = tuple(product((-1, 0, 1), repeat=3))

    def __init__(self, cell: float) -> None:
        self._per_metre = 1.0 / cell
        self._cells: dict[tuple[int, int, int], list[tuple[float, float, float, float]]] = {}

    def _cell(self, position: list[float]) -> tuple[int, int, int]:
        x, y, z = (int(coordinate * self._per_metre // 1.0) for coordinate in position)
        return x, y, z

    def take(self, position: list[float], radius: float) -> None:
        """Add a body."""
        self._cells.setdefault(self._cell(position), []).append((position[0], position[1], position[2], radius))

    def is_free(self, position: list[float], radius: float, distance: float) -> bool:
        """Whether a body would overlap no placed body and keep the distance from all of them."""
        x, y, z = position
        i, j, k = self._cell(position)
        for a, b, c in self.AROUND:
            for ox, oy, oz, other in self._cells.get((i + a, j + b, k + c), ()):
                least = max(distance, radius + other)
                if (x - ox) * (x - ox) + (y - oy) * (y - oy) + (z - oz) * (z - oz) < least * least:
                    return False
        return True


# ---- facing


def facing(spots: Spots, heading: Vectors, above: Vectors, turn: Scalars) -> tuple[Vectors, Vectors]:
    """The forward and up direction of members, unit vectors (n, 3) each.

    A spot without a direction of its own takes that of the crowd. Then each member is turned about its up axis.
    `heading`, `above`: (3,) forward and up direction of the crowd; `turn`: (n,) radians, positive to the left.
    """
    up = np.where(magnitude(spots.up)[:, None] > 0.5, spots.up, above)
    ahead = np.where(magnitude(spots.forward)[:, None] > 0.5, spots.forward, heading)
    on_curve = magnitude(spots.forward) > 0.5
    # On a steep curve members face up the slope; elsewhere the up direction takes precedence.
    up = np.where(on_curve[:, None], _square_to(up, unit(ahead)), unit(up))
    forward = np.where(on_curve[:, None], unit(ahead), _square_to(ahead, up))
    c, s = (column[:, None] for column in cosine_and_sine(turn))
    return unit(c * forward + s * cross(up, forward)), up


def _square_to(v: Vectors, axis: Vectors) -> Vectors:
    """Unit vectors of the parts of `v` perpendicular to unit axes; any perpendicular direction if `v` has none."""
    perpendicular = across(v, axis)
    parallel = magnitude(perpendicular)[:, None] <= 1e3 * EPSILON
    spare = np.where(np.abs(axis[:, 1:2]) < 0.9, np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 1.0]))
    return unit(np.where(parallel, across(spare, axis), perpendicular))
