"""Coming down: how agents in the air fly to places of their own, and stand there.

Each takes a place and keeps it. Near its place it flares, until it can stand there within one step. Where no place is
left, it flies on over its target.

Each comes in straight: up, as steeply as it climbs, or down to the line of its glide, and along that. If an obstacle
is in the way, it flies to a gate first, from which the glide is free: of those round its place, the one with the
shortest way. Gates count from the side on which an agent is, so that it goes round the obstacle, or up and over it,
until the straight way is free.
"""

from dataclasses import dataclass
from itertools import product
from typing import Generic, TypeVar

import numpy as np

from ..arrays.angles import cosine_and_sine
from ..arrays.frozen import replace
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody, clamp, nobody, put, which
from ..arrays.vectors import Vectors, dot, magnitude, no_vectors, picked, unit
from ..memory import Memory, remembered
from ..world import Agents, World
from .gliding import GLIDE, HIGH, Flight, Speeds, height_of_glide
from .perching import STEEP, Places, nearest_targets, take_places, way_of_turn

LEAVES = 1.5
"""Multiples of the way of the flare at which one that was in it begins again."""
STOPS = 0.9
"""The share of what it can brake in a step within which it is slow enough to stand."""


@dataclass(frozen=True)
class Coming(Memory):
    """How far agents have come.

    Attributes:
        place: (n,) the number of the place that each has taken, -1 for none.
        down: (n,) whether it is in the flare, or has come down.
        stands: (n,) whether it stands there.
        ahead, aside: (n,) how it faced as it came down, along the heading of what it stands on and to the left of that.
        gate: (n, 3) metres from its place to where it flies first, as an obstacle is in its way; nan for none.
        waited: (n,) seconds for which it has flown on over its target, as there was no place for it.
    """

    place: Rows = remembered(-1)
    down: Mask = remembered(False)
    stands: Mask = remembered(False)
    ahead: Scalars = remembered(0.0)
    aside: Scalars = remembered(0.0)
    gate: Vectors = remembered((np.nan, np.nan, np.nan))
    waited: Scalars = remembered(0.0)

    @property
    def barred(self) -> Mask:
        """(n,) whether an obstacle is in its way to its place."""
        return np.isfinite(self.gate[:, 0])


Came = TypeVar("Came", bound=Coming)


@dataclass(frozen=True)
class Descent(Generic[Came]):
    """How n agents come down in a step.

    Attributes:
        goes: (n,) whether it has a target.
        force: (n, 3) newtons; zero for those without one.
        memory: what they remember next.
        place: (n, 3) where the origin of one is that stands on its place, metres; nan for none.
        comes_down, perch, heading: (n, 3) as of `Intention`.
    """

    goes: Mask
    force: Vectors
    memory: Came
    place: Vectors
    comes_down: Vectors
    perch: Vectors
    heading: Vectors


def come_down(
    world: World,
    agents: Agents,
    target: Rows,
    memory: Came,
    apart: Scalars,
    slowing: Scalars,
    time_left: Scalars | None = None,
) -> Descent[Came]:
    """How agents come down on their targets; those for whom there is no place fly on over it.

    Args:
        target: (n,) as of `take_places`.
        apart: (n,) as of `take_places`.
        slowing: (n,) the distance from its place at which each begins to slow down, metres.
        time_left: (n,) seconds after which each is to stand there, less than 0 once they are over; None without a time.
    """
    places = Places.of(world, agents, target)
    if not len(places.number):
        n = len(agents)
        nowhere = np.full((n, 3), np.nan)
        return Descent(nobody(n), no_vectors(n), type(memory).blank(n), nowhere, nowhere, nowhere, no_vectors(n))
    own = places.rows_of(memory.place)
    place = take_places(world, agents, target, places, own, memory.stands & (own >= 0), apart)
    keeps = (place >= 0) & (place == own)
    lands, row = place >= 0, np.maximum(place, 0)
    origin, motion = origins_on(world, agents, places, row), picked(places.velocity, row)
    before = origin + np.where(keeps[:, None], memory.gate, np.nan)
    gates, slope = way_in(world, agents, origin, lands & ~(keeps & memory.down), before)
    gated = np.isfinite(gates[:, 0])
    was_down, aim = keeps & memory.down & ~gated, np.where(gated[:, None], gates, origin)
    if time_left is not None and anybody(gated):
        time_left = np.where(gated, time_left - Speeds.of(agents, slowing).needed(magnitude(origin - gates)), time_left)
    flight = Flight.of(agents, slowing, aim, motion, time_left, was_down, slope)
    down: Mask = lands & ~gated & (flight.way <= LEAVES * flight.flare) & (was_down | flight.begins)
    velocity = motion + flight.wanted(down, world.dt)
    approach = (origin + motion * world.dt - agents.position) / world.dt
    # It is at its place after a step, and slow enough to be still there after the next.
    change = agents.agility * world.dt
    stands = down & (magnitude(approach - agents.velocity) <= change)
    stands &= magnitude(approach - motion) <= STOPS * change
    if time_left is not None:
        stands = stands & (memory.stands | (time_left < 0.5 * world.dt))
    faces, ahead, aside = _facing(agents, picked(world.bodies.forward, places.body[row]), memory, keeps)
    course = np.where(stands[:, None], faces, flight.course)
    heading = _across(agents, picked(places.along, row), course)
    goes, force = target != -1, _over_it(world, agents, target, ~lands, agents.steering_to(velocity))
    number = np.where(lands, places.number[row], -1)
    waited = np.where(goes & ~lands, memory.waited + world.dt, 0.0)
    return Descent(
        goes,
        np.where(goes[:, None], force, 0.0),
        replace(
            memory, place=number, down=down, stands=stands, ahead=ahead, aside=aside, gate=gates - origin, waited=waited
        ),
        np.where(lands[:, None], origin, np.nan),
        comes_down=np.where(down[:, None], velocity, np.nan),
        perch=np.where(stands[:, None], origin + motion * world.dt, np.nan),
        heading=np.where(down[:, None], heading, 0.0),
    )


def origins_on(world: World, agents: Agents, places: Places, row: Rows) -> Vectors:
    """Where the origins of agents are when they stand on places of rows (n,), (n, 3) metres."""
    return agents.lifted(picked(places.position, row), world.lift_of(agents.rows))


def _facing(agents: Agents, north: Vectors, memory: Coming, keeps: Mask) -> tuple[Vectors, Scalars, Scalars]:
    """The headings that agents keep on what they stand on, which faces north, (n, 3), and their shares, (n,) each."""
    north = unit(agents.flat(north))
    west, forward, stood = agents.left_of(north), unit(agents.flat(agents.forward)), keeps & memory.stands
    ahead = np.where(stood, memory.ahead, dot(forward, north))
    aside = np.where(stood, memory.aside, dot(forward, west))
    return north * ahead[:, None] + west * aside[:, None], ahead, aside


def _across(agents: Agents, along: Vectors, course: Vectors) -> Vectors:
    """The level headings in which they stand, (n, 3): across wires, else as they come; zero where they stay so."""
    across = unit(agents.left_of(agents.flat(along)))
    across = np.where((dot(across, agents.forward) < 0.0)[:, None], -across, across)
    return np.where((magnitude(across) > 0.5)[:, None], across, course)


def _over_it(world: World, agents: Agents, target: Rows, waits: Mask, force: Vectors) -> Vectors:
    """The forces, (n, 3) newtons, with those of agents that wait leading over their targets."""
    waits = waits & (target != -1)
    if not anybody(waits):
        return force
    body = np.maximum(nearest_targets(world, agents, target, waits), 0)
    room = world.bodies.radius[body] + agents.tightest(agents.cruise_speed)
    over = agents.lifted(picked(world.bodies.position, body), room)
    return np.where(waits[:, None], agents.seeking(over, agents.cruise_speed), force)


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
    `origin`: (n, 3) where the origins of agents are at their places, metres; `asks`: (n,) who comes in; `before`: (n,
    3) the gates to which they fly already, metres, nan for none."""
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
