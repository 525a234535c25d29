"""Coming down: how agents in the air fly to places of their own, and stand there.

Each takes a place and keeps it. Near its place it flares, until it can stand there within one step. Where no place is
left, it flies on over its target.
"""

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from ..arrays.frozen import replace
from ..arrays.scalars import Mask, Rows, Scalars, anybody, nobody
from ..arrays.vectors import Vectors, dot, magnitude, no_vectors, picked, unit
from ..memory import Memory, remembered
from ..world import Agents, World
from .approaches import way_in
from .gliding import Flight, Speeds
from .perching import Places, nearest_targets, take_places

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
            memory,
            place=number,
            down=down,
            stands=stands,
            ahead=ahead,
            aside=aside,
            gate=gates - origin,
            waited=waited,
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
