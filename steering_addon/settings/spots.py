"""Spots for the members of a crowd: in formation, or on a mesh where bodies can stand and move, by their locomotion."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from ..simulation.arrays.angles import cosine_and_sine, cosine_of_setting, sine, tangent_of_setting
from ..simulation.arrays.chance import Keys
from ..simulation.arrays.scalars import Mask, Rows, Scalars, shared, which
from ..simulation.arrays.vectors import Vectors, cross, magnitude, no_vectors, picked, unit
from ..simulation.geometry.meshes import mesh
from ..simulation.geometry.obstacles import Obstacles
from ..simulation.geometry.surfaces import Surfaces
from ..simulation.locomotion import Locomotion
from ..simulation.maneuvers.turning_back import tightest_circle
from ..simulation.terrain import Terrain
from ..simulation.vehicle import Motion, VehicleModel
from ..simulation.ways.over_ground import find_ways
from .placement import TRIES, Measuring, Proposing, Sifting, Spots
from .population import CIRCLE, COLUMN, GRID, LINE, ONE_PLACE, WEDGE, Population

LEVEL = 1e-6
"""Least cosine of the slope of a face that points up."""
STEEPEST = 0.25 * np.pi
"""Steepest ground, radians, for bodies that climb any, such as cars: they too do not start on walls."""
WITHIN = 0.5
"""Metres above and below a spot, besides a slope, within which the ground round it counts."""
ROUND_IT = ((0, 0), (1, 0), (0, 1), (-1, 0), (0, -1))
"""Radii, along x and y, from the middle of a body to where it needs headroom."""


def standable(triangles: NDArray[np.float64], moves: Locomotion) -> Mask:
    """The triangles of a mesh, (t,), on which bodies can stand.

    What clings or flies may be on all of them. All else stands on those that face up and are at most as steep as its
    steepest ground; if none is so gentle, on those that face up. A mesh of which none faces up is inside out.
    `triangles`: (t, 3, 3) metres; `moves`: how the bodies move, in columns of one entry.
    """
    everything = np.ones(len(triangles), dtype=np.bool_)
    if moves.clings or not moves.grounded:
        return everything
    levelness = unit(cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]))[:, 2]
    if not (levelness > LEVEL).any():
        levelness = -levelness
    limit = moves.handling().steepest[:1]
    steepest = np.where(limit < 0.5 * np.pi, limit, STEEPEST)
    for least in (float(cosine_of_setting(steepest)[0]), LEVEL):
        if (levelness >= least).any():
            return levelness >= least
    return everything


def well_placed(
    propose: Proposing, moves: Locomotion, ground: Surfaces, radius: float, forward: Vectors, height: float
) -> Proposing:
    """A function that proposes the same spots without those that the locomotion calls misplaced, as on a border.

    Args:
        moves: how the bodies move, in columns of one entry.
        radius: of a body in metres.
        forward: (3,) unit vector of the heading of the bodies.
        height: metres of the spots above the ground.
    """

    def propose_well(keys: Keys) -> Spots:
        spots = propose(keys)
        rows = which(spots.valid)
        n = len(rows)
        up = picked(spots.up, rows)
        heading = np.broadcast_to(forward, (n, 3)).copy()
        place = picked(spots.position, rows) - height * up
        motion = Motion(place, no_vectors(n), cross(heading, up), heading, up)
        model, terrain = VehicleModel.of(n, radius=radius), Terrain(ground, ground, np.zeros(n))
        wrong = moves.for_agents(rows).misplaced(model, motion, terrain)
        valid = spots.valid.copy()
        for mask in wrong.values():
            valid[rows[mask]] = False
        return replace(spots, valid=valid)

    return propose_well


def with_headroom(ground: Surfaces, moves: Locomotion, radius: float) -> Sifting:
    """A function that leaves out spots where a surface over a body, or beside it, is no ground and lower than its head.
    `moves`: how the bodies move, in columns of one entry; `radius`: of a body in metres."""
    handling = moves.handling()
    rise = radius * tangent_of_setting(np.minimum(handling.steepest[:1], STEEPEST))

    def sift(spots: Spots) -> Spots:
        valid, (x, y, z) = spots.valid.copy(), spots.position.T
        for across, along in ROUND_IT:
            low = z + handling.step[0] + rise * (across != along)
            valid &= ~ground.any_between(x + across * radius, y + along * radius, low, z + handling.headroom[0])
        return replace(spots, valid=valid)

    return sift


def out_of_solids(ground: Surfaces, radius: float) -> Sifting:
    """A function that leaves out spots at which a body would be inside a closed surface, such as a rock that stands on
    the ground. `radius`: of a body in metres."""
    solids = [mesh(layer.points, layer.triangles[layer.owner == k]) for layer in ground.layers for k in layer.surfaces]

    def sift(spots: Spots) -> Spots:
        middle = spots.position + radius * spots.up
        return replace(spots, valid=spots.valid & ~np.any([solid.inside(middle) for solid in solids], axis=0))

    return sift


def with_room_to_turn(ground: Surfaces, moves: Locomotion, radius: float) -> Sifting:
    """A function that leaves out spots at which the ground ends nearer than a body that drives needs to turn off
    from there, whichever way it faces. `moves`: how the bodies move, in columns of one entry; `radius`: of a body in
    metres."""
    handling = moves.handling()
    # Walkers turn on the spot.
    reach = radius + float(tightest_circle(handling)[0]) if np.isfinite(handling.axle[0]) else 0.0
    rise = WITHIN + reach * float(tangent_of_setting(np.minimum(handling.steepest[:1], STEEPEST))[0])

    def sift(spots: Spots) -> Spots:
        valid, (x, y, z) = spots.valid.copy(), spots.position.T
        for across, along in ROUND_IT:
            place, most = (x + across * reach, y + along * reach, z), shared(rise, len(z))
            valid &= ground.under(*place, most, most).triangle >= 0
        return replace(spots, valid=valid)

    return sift


def ways_to(
    place: Vectors, ground: Surfaces, obstacles: Obstacles, moves: Locomotion, radius: float
) -> Measuring | None:
    """A function that measures how long the ways of bodies to a place (3,) are; None where nothing is in their way.
    `moves`: how the bodies move, in columns of one entry; `radius`: of a body in metres."""
    ways = find_ways(ground, obstacles, np.full(1, radius), moves.handling(), np.zeros(1), {})
    if ways is None or all(walked.open_to(place[None], traffic).all() for walked, _, traffic in ways.grounds):
        return None

    def metres(places: Vectors) -> Scalars:
        rows, straight = np.zeros(len(places), dtype=np.int64), magnitude(places - place)
        return np.maximum(ways.lengths(rows, places, place[None])[:, 0], straight)

    return metres


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
