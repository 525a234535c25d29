"""Approaches: from which side agents in the air come in to their places, past obstacles.

Each comes in straight: up, as steeply as it climbs, or down to the line of its glide, and along that. If an obstacle
is in the way, it flies to a gate first, from which the glide is free: of those round its place, the one with the
shortest way. Gates count from the side on which an agent is, so that it goes round the obstacle, or up and over it,
until the straight way is free.
"""

from itertools import product

import numpy as np

from ..arrays.angles import cosine_and_sine
from ..arrays.scalars import EPSILON, Mask, Scalars, clamp, put, which
from ..arrays.vectors import Vectors, dot, magnitude, picked, unit
from ..world import Agents, World
from .gliding import GLIDE, HIGH, Speeds, height_of_glide
from .perching import STEEP, way_of_turn

AROUND = np.array([0.0, 0.25, -0.25, 0.5, -0.5, 0.75, -0.75, 1.0]) * np.pi
"""Radians by which gates are turned from the side on which an agent is."""
MORE = np.array([0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6]) * np.pi / 6.0
"""Radians by which gates are turned for those who see none of these."""
TRIED = [*product(AROUND, (GLIDE, 0.8 * STEEP), (0.0, 0.5, 0.9))], [*product(MORE, (GLIDE,), (0.8, 1.2, 1.7))]
"""Gates: their angles, the tangents of the glides from there, and their distances, in those of agents, where they are
not nearer than the flare and a turn before it take: none right above an agent, to which no way leads. Of a long wall
only those farther away are seen from before it."""
BEGINS = 3.2
"""Radii from its place at which a glide is above what that is on."""
COUNTED = 0.8
"""The share of its steepest climb on which one that is below its glide counts."""
BARRED = 1e6
"""Metres by which a gate seems farther away that is itself behind an obstacle."""
KEEPS = 0.5
"""Metres by which a gate seems farther away for each metre from the one to which an agent flies already: of two that
are as good it would come near neither."""
LATER = 1e-6
"""The share by which a gate seems farther away than the one tried before it, so that rounding chooses no side."""


def way_in(world: World, agents: Agents, origin: Vectors, asks: Mask, before: Vectors) -> tuple[Vectors, Scalars]:
    """The gates to which agents fly first, (n, 3) metres, nan for none, and the tangents of their glides, (n,).

    Args:
        origin: (n, 3) where the origins of agents are at their places, metres.
        asks: (n,) who comes in.
        before: (n, 3) the gates to which they fly already, metres, nan for none.
    """
    gates, slope = np.full((len(asks), 3), np.nan), np.full(len(asks), GLIDE)
    rows = which(asks)
    if not len(rows) or not world.obstacles.present.any():
        return gates, slope
    flyers = agents.take(rows)
    place, offset = picked(origin, rows), flyers.position - picked(origin, rows)
    speeds = Speeds.of(flyers, np.zeros(len(rows)))
    nearest = 2.0 * (speeds.flare + flyers.tightest(speeds.slowest))
    level = flyers.flat(offset)
    run, height = magnitude(level), flyers.climb(offset)
    side = unit(np.where((run > EPSILON)[:, None], level, -flyers.flat(flyers.forward)))
    glide = clamp((height - HIGH * flyers.radius) / np.maximum(run, EPSILON), GLIDE, 0.8 * STEEP)
    slope = put(slope, rows, glide)
    climb, high = COUNTED * np.minimum(flyers.handling.steepest_climb, 1.0), HIGH * flyers.radius
    # One that is below its glide climbs to it, or from below right over its place.
    meets = (height + climb * run - high) / (glide + climb)
    enters = clamp(meets, 0.0, np.maximum(np.minimum(run, nearest), BEGINS * flyers.radius))
    risen = np.minimum(glide * enters + high, height + climb * np.maximum(run - enters, 0.0))
    entry = flyers.lifted(place + side * enters[:, None], risen)
    starts = np.concatenate((flyers.position, _begin(flyers, place, side, glide)))
    twice = flyers.take(np.tile(np.arange(len(rows)), 2))
    barred = which(_barred(world, twice, starts, np.tile(entry, (2, 1))).reshape(2, -1).any(axis=0))
    for tried in TRIED:
        if len(barred):
            places = place[barred], side[barred], run[barred], nearest[barred], picked(before, rows[barred])
            gate, hidden = _gates(world, flyers.take(barred), *places, tried)
            better = ~hidden | np.isnan(gates[rows[barred], 0])
            gates = put(gates, rows[barred[better]], gate[better])
            barred = barred[hidden]
    return gates, slope


def _gates(
    world: World,
    agents: Agents,
    place: Vectors,
    side: Vectors,
    run: Scalars,
    nearest: Scalars,
    before: Vectors,
    gates: list[tuple[float, float, float]],
) -> tuple[Vectors, Mask]:
    """The gates with the shortest ways, (m, 3) metres, nan where none is free, and who sees none, (m,).

    Args:
        place, side: (m, 3) metres, and the level unit directions from there to the agents.
        run, nearest: (m,) how far they are as seen from above, and how far gates are at least, metres.
        before: (m, 3) the gates to which they fly already, metres, nan for none.
        gates: those that are tried, as of TRIED.
    """
    # All gates at once, as each call takes long for a few.
    tried = np.repeat(np.arange(len(run)), len(gates))
    angles, tangent, share = (np.tile(column, len(run)) for column in np.array(gates).T)
    flyers, place, side, nearest = agents.take(tried), place[tried], side[tried], nearest[tried]
    away = np.maximum(share * run[tried], nearest)
    cosines, sines = cosine_and_sine(angles)
    turned = np.asarray(side * cosines[:, None] + flyers.left_of(side) * sines[:, None], dtype=np.float64)
    gate = _on_glide(flyers, place, turned, away, tangent)
    length = np.where((share == 0.0) | (away > nearest), _way(flyers, gate) + away, np.inf)
    for start, penalty in ((_begin(flyers, place, turned, tangent), np.inf), (flyers.position, BARRED)):
        open_rows = which(np.isfinite(length))
        behind = _barred(world, flyers.take(open_rows), picked(start, open_rows), picked(gate, open_rows))
        length[open_rows] += np.where(behind, penalty, 0.0)
    length += np.nan_to_num(KEEPS * magnitude(gate - before[tried]), nan=0.0)
    length *= 1.0 + LATER * np.tile(np.arange(len(gates)), len(run))
    best = length.reshape(-1, len(gates)).argmin(axis=1) + np.arange(0, len(length), len(gates))
    return np.where(np.isfinite(length[best])[:, None], gate[best], np.nan), length[best] >= BARRED


def _on_glide(agents: Agents, place: Vectors, side: Vectors, run: Scalars, slope: Scalars | float) -> Vectors:
    """The points of glides at distances (n,) from places, as seen from above, (n, 3) metres."""
    return agents.lifted(place + side * run[:, None], height_of_glide(agents, run, slope))


def _begin(agents: Agents, place: Vectors, side: Vectors, slope: Scalars | float) -> Vectors:
    return _on_glide(agents, place, side, BEGINS * agents.radius, slope)


def _way(agents: Agents, gate: Vectors) -> Scalars:
    """How long the ways of agents to points (n, 3) are, (n,) metres."""
    offset = gate - agents.position
    rise, level = agents.climb(offset), agents.flat(offset)
    run, climb = magnitude(level), np.maximum(agents.handling.steepest_climb, EPSILON)
    length = np.maximum(run, np.maximum(-rise / STEEP, rise / climb))
    return length + way_of_turn(agents.speed, agents.agility, dot(unit(level), unit(agents.flat(agents.velocity))))


def _barred(world: World, agents: Agents, start: Vectors, end: Vectors) -> Mask:
    """Whether obstacles are on the straight ways of agents between points (n, 3), (n,)."""
    offset = end - start
    length = magnitude(offset)
    owner, row = world.obstacles.near(start + 0.5 * offset, 0.5 * length + agents.radius)
    foreign = world.obstacles.carrier[row] != agents.rows[owner]
    owner, row = owner[foreign], row[foreign]
    course = unit(offset)
    touch, _ = world.obstacles.touch(
        picked(start, owner), picked(course, owner), agents.radius[owner], row, length[owner]
    )
    mask = np.zeros(len(length), dtype=np.bool_)
    mask[owner[np.isfinite(touch)]] = True
    return mask
