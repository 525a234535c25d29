"""Perching places: which agent comes down on which place of its target, each on one of its own.

The nearest free place is taken, by the way that it takes to fly there: down a glide, up a climb, and round a turn. One
nearer to the border of a roof than a body is wide is left to those who find no other, and so is one nearer to others
than is wanted.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays.identities import rows_among
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody, put, which
from ..arrays.vectors import Vectors, dot, magnitude, picked, unit
from ..candidates import FIRST
from ..perches import Perches
from ..world import Agents, World

STEEP = 0.5
"""The tangent of the steepest glide down to a place."""
STILL = 1.0
"""Radii a second up to which another body stands."""
ROUNDS = 8
"""In which agents that want the same place look for another one in a step."""
OUTSIDE = 100.0
"""Metres of a way that one metre of a body beyond the border, or too near to another, is worth."""
MOST = 512
"""Agents that look for a place in a step."""
PAIRS = 2**20
"""Pairs of a place and a body whose distances are computed together at most."""
HALF_TURN = 0.5 * np.pi
"""Half of the way of a half turn, in radii of that."""


@dataclass(frozen=True)
class Places(Perches):
    """The places of the targets of some agents. `number`: (p,) by which a place is remembered, rising: the row of a
    perch, or for a body without any, which has one on its top, the row of the body after these."""

    number: Rows

    @classmethod
    def of(cls, world: World, agents: Agents, target: Rows) -> "Places":
        """The places of targets, (n,) as of `take_places`."""
        perches, bodies = world.perches, world.bodies
        candidates = [_open_to(world, code) for code in np.unique(target[target <= FIRST])]
        targets = np.unique(np.concatenate((target[target >= 0], *candidates)))
        perch = which(np.isin(perches.body, targets))
        tops = targets[~np.isin(targets, perches.body)]
        top = picked(bodies.position, tops) + picked(bodies.up, tops) * bodies.radius[tops, None]
        return cls(
            np.concatenate((perches.body[perch], tops)),
            np.concatenate((picked(perches.position, perch), top)),
            np.concatenate((picked(perches.along, perch), np.zeros((len(tops), 3)))),
            np.concatenate((picked(perches.velocity, perch), bodies.velocity[tops])),
            np.concatenate((perches.room[perch], np.full(len(tops), np.inf))),
            np.concatenate((perch, len(perches.body) + tops)),
        )

    def rows_of(self, number: Rows) -> Rows:
        """The rows of the places with these numbers (n,), -1 where there are none."""
        return rows_among(self.number, number)


def _open_to(world: World, code: int) -> Rows:
    """The rows of the candidates present of those that a code, FIRST or less, stands for."""
    rows = world.candidates[FIRST - code].rows
    return rows[world.bodies.present[rows]]


def _belongs(world: World, target: Rows, body: Rows) -> Mask:
    """Whether bodies are targets, or among them, entry by entry."""
    mask: Mask = body == target
    for code in np.unique(target[target <= FIRST]):
        mask = mask | ((target == code) & np.isin(body, _open_to(world, code)))
    return mask


def nearest_targets(world: World, agents: Agents, target: Rows, asked: Mask) -> Rows:
    """The targets, (n,) rows of World.bodies, with the nearest candidate of each that is asked; -1 for none."""
    nearest = target
    for code in np.unique(target[asked & (target <= FIRST)]):
        rows = which(asked & (target == code))
        nearest = put(nearest, rows, world.nearest_of(_open_to(world, code), agents, rows))
    return nearest


def take_places(
    world: World, agents: Agents, target: Rows, places: Places, own: Rows, stands: Mask, apart: Scalars
) -> Rows:
    """The place of each agent, (n,) rows of `places`, -1 for none.

    Args:
        target: (n,) rows of the bodies on which they come down, -1 for none; FIRST - i for any of World.candidates[i].
        own: (n,) the place that each has taken, -1 for none.
        stands: (n,) who stands on it.
        apart: (n,) the distance that two places have where there is room, metres.
    """
    lands = target != -1
    if not len(places.number):
        return np.full(len(target), -1, dtype=np.int64)
    held = lands & (own >= 0) & _belongs(world, target, places.body[np.maximum(own, 0)])
    if not anybody(lands & ~stands):
        return np.where(held, own, -1)
    strangers = _clearance(places, *_strangers(world, agents))
    need = np.maximum(apart - agents.radius, agents.radius)
    lost = held & ~stands & (strangers[np.maximum(own, 0)] < need)
    place = np.where(held & ~lost, own, -1)
    seekers = which(lands & (place < 0))[:MOST]
    for _ in range(ROUNDS):
        if not len(seekers):
            break
        claimed = which(place >= 0)
        claims = _clearance(places, picked(places.position, place[claimed]), agents.radius[claimed])
        clear = np.minimum(strangers, claims)
        free = (clear[None] >= agents.radius[seekers, None]) & _belongs(world, target[seekers, None], places.body[None])
        short = np.maximum(need[seekers, None] - clear[None], 0.0)
        way = np.where(free, _ways(world, agents, places, seekers) + OUTSIDE * short, np.inf)
        best = np.argmin(way, axis=1)
        length = way[np.arange(len(seekers)), best]
        finds = np.isfinite(length)
        seekers, best, length = seekers[finds], best[finds], length[finds]
        gets = _first(picked(places.position, best), agents.radius[seekers], need[seekers], length)
        place[seekers[gets]] = best[gets]
        seekers = seekers[~gets]
    return place


def _strangers(world: World, agents: Agents) -> tuple[Vectors, Scalars]:
    """Where others stand that do not come down with these agents, (b, 3) metres, and their radii, (b,)."""
    bodies, rows = world.bodies, world.perceivable
    rows = rows[~np.isin(rows, agents.rows)]
    rows = rows[magnitude(picked(bodies.velocity, rows)) <= STILL * bodies.radius[rows]]
    lift = np.where(rows < world.vehicles, world.lift_of(rows), 0.0)
    return picked(bodies.position, rows) - picked(bodies.up, rows) * lift[:, None], bodies.radius[rows]


def _clearance(places: Places, position: Vectors, radius: Scalars) -> Scalars:
    """How far each place is from the nearest of bodies at points (b, 3) with radii (b,), (p,) metres; inf for none."""
    clear = np.full(len(places.number), np.inf)
    if not len(position):
        return clear
    block = max(PAIRS // len(position), 1)
    for low in range(0, len(clear), block):
        block_rows = slice(low, low + block)
        offset = places.position[block_rows, None, :] - position[None]
        clear[block_rows] = (np.sqrt(dot(offset, offset)) - radius[None]).min(axis=1)
    return clear


def _ways(world: World, agents: Agents, places: Places, seekers: Rows) -> Scalars:
    """How long the ways of some agents (m,) to all places are, (m, p) metres; longer where they have no room."""
    lift = world.lift_of(agents.rows[seekers])
    upward = picked(agents.upward, seekers)
    offset = places.position[None] - picked(agents.position, seekers)[:, None]
    rise = dot(offset, upward[:, None]) + lift[:, None]
    offset = offset - (rise - lift[:, None])[..., None] * upward[:, None]
    run = magnitude(offset)
    climb = agents.handling.steepest_climb[seekers, None]
    way = np.maximum(run, np.maximum(-rise / STEEP, rise / np.maximum(climb, EPSILON)))
    speed, heading = agents.speed[seekers], unit(agents.flat(agents.velocity))[seekers]
    turn = dot(offset, heading[:, None]) / np.maximum(run, EPSILON)
    beyond = np.maximum(agents.radius[seekers, None] - places.room[None], 0.0)
    return way + way_of_turn(speed[:, None], agents.agility[seekers, None], turn) + OUTSIDE * beyond


def way_of_turn(speed: Scalars, agility: Scalars, cosine: Scalars) -> Scalars:
    """The metres that turns by angles of which the cosines are known take at speeds in m/s, with agilities in m/s2."""
    return (HALF_TURN * speed * speed / np.maximum(agility, EPSILON)) * (1.0 - cosine)


def _first(position: Vectors, radius: Scalars, need: Scalars, way: Scalars) -> Mask:
    """Whether each agent that wants a place (m, 3) has a shorter way than all that want one too near to it, (m,)."""
    offset = position[:, None] - position[None]
    near = np.sqrt(dot(offset, offset)) - radius[None] < need[:, None]
    near |= near.T
    row = np.arange(len(way))
    before = (way[None] < way[:, None]) | ((way[None] == way[:, None]) & (row[None] < row[:, None]))
    return ~(near & before).any(axis=1)
