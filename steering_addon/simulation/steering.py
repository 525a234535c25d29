"""The steering level: what every vehicle decides, from one picture of the world."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

import numpy as np

from .arrays.chance import mix, uniform
from .arrays.vectors import (
    Mask,
    Rows,
    Scalars,
    Vectors,
    anybody,
    everybody,
    magnitude,
    no_vectors,
    nobody,
    picked,
    shared,
    smallest,
)
from .combining import COMBINE, MATTERS, Component
from .presence.arrivals import Arrivals, stays
from .snapshot import Crowd, Snapshot, State, Steers
from .targets import aimed
from .vehicle import VehicleModel
from .world import Agents, Commons, Memory, World

DRAWS = 0xD1CE
"""Salts the keys from which is drawn what counts in a step, apart from other uses of the same luck."""


class Decisions(NamedTuple):
    """What all vehicles decide in a step, and what follows from it.

    Attributes:
        force: (n, 3) newtons, not yet limited; zero for vehicles that do not take part.
        memories: (n,) columns by behavior and name.
        fastest: (n,) m/s that the behaviors let them go, inf for no limit; None where nobody has one.
        commons: what each behavior remembers in common of all it steers.
        taken: (k,) how much has been taken of each tracked body.
        gone: (n,) who leaves, or has left.
        arrived: (n,) who has reached a goal and wants it no more, by behavior.
    """

    force: Vectors
    memories: Mapping[str, Memory]
    fastest: Scalars | None
    commons: Mapping[str, Commons]
    taken: Scalars
    gone: Mask
    arrived: Mapping[str, Mask]


def decisions(state: State, snapshot: Snapshot, world: World) -> Decisions:
    """The steering force each vehicle decides on and what its behaviors remember next; nobody moves."""
    force = no_vectors(len(state))
    minds = _Minds(state, world)
    for crowd in snapshot.crowds:
        crowd = _present(crowd, snapshot.present[crowd.rows])
        combined = _considered(snapshot, crowd, minds).combined()
        if len(crowd.rows) == len(state):
            force = combined
        else:
            force[crowd.rows] = combined
    return Decisions(
        force, minds.memories, minds.fastest, minds.commons, minds.taken, minds.arrivals.gone, minds.arrivals.arrived
    )


class _Minds:
    """What vehicles remember, and the limits they set themselves, gathered while one behavior after the other decides.

    All look at what was there before the step.
    """

    def __init__(self, state: State, world: World) -> None:
        self.state, self.world = state, world
        self.memories: dict[str, Memory] = dict(state.memories)
        self.commons: dict[str, Commons] = dict(state.commons)
        self.fastest: Scalars | None = None
        self.taken = state.taken
        self.arrivals = Arrivals(state)

    def aim(self, behavior: Steers, agents: Agents) -> Steers:
        """The behavior with a body for each of its agents wherever it steers by one."""
        behavior, learned = aimed(behavior, self.world, agents, self.memories, len(self.state))
        self.memories.update(learned)
        return behavior

    def steer(self, behavior: Steers, agents: Agents) -> tuple[Vectors, Agents]:
        """The behavior's steering force for its agents, (n, 3) newtons, and the agents with what they now remember."""
        name, n = behavior.name, len(self.state)
        commons = self.state.commons.get(name, {})
        steering, memory, added = _steer(behavior, self.world, agents, self.memories.get(name, {}), n, commons)
        self.memories[name] = memory
        if added:
            self.commons[name] = _added(self.commons.get(name, {}), added)
        return steering, _remembering(agents, memory, commons)

    def heed(self, behavior: Steers, agents: Agents) -> None:
        """Take in how fast the behavior lets its agents go, and what they take."""
        limit = behavior.fastest(self.world, agents)
        if limit is not None:
            fastest = np.full(len(self.state), np.inf) if self.fastest is None else self.fastest
            eased = _eased(limit, behavior.weight, agents.max_speed)
            fastest[agents.rows] = np.minimum(fastest[agents.rows], eased)
            self.fastest = fastest
        takes = behavior.takes(self.world, agents)
        if takes is not None:
            body, amount = takes
            tracked = body >= len(self.state)
            count = len(self.world.bodies.left) - len(self.state)
            here = np.bincount(body[tracked] - len(self.state), amount[tracked], minlength=count)
            self.taken = here + (self.taken if len(self.taken) else 0.0)

    def limits(self, rows: Rows) -> Scalars:
        """How fast the behaviors heeded so far let some vehicles go, (n,) m/s, inf for no limit."""
        return shared(np.inf, len(rows)) if self.fastest is None else self.fastest[rows]


def _eased(limit: Scalars, weight: Scalars, top: Scalars) -> Scalars:
    """The limits on speed (n,) as far as weights below 1 let them come into force."""
    counts = np.minimum(weight, 1.0)
    return np.where((limit < top) & (counts > 0.0), top + (np.minimum(limit, top) - top) * counts, np.inf)


def requests(state: State, snapshot: Snapshot, world: World) -> dict[str, Vectors]:
    """What each behavior asks of each vehicle before they are combined, (n, 3) newtons times its weight, by name."""
    asked: dict[str, Vectors] = {}
    for crowd in snapshot.crowds:
        crowd = _present(crowd, snapshot.present[crowd.rows])
        considered = _considered(snapshot, crowd, _Minds(state, world))
        forces = {name: component.force for name, component in considered.components.items()}
        for name, force in (*forces.items(), *considered.corrections.items()):
            asked.setdefault(name, no_vectors(len(state)))[crowd.rows] += force
    return asked


@dataclass
class _Considered:
    """What the behaviors of a crowd have come to so far.

    Attributes:
        crowd: the crowd, without those who do not take part.
        agents: its vehicles.
        components: what behaviors contribute, by name.
        corrections: (n, 3) what they add once all have been combined, newtons, by name.
        sets_speed: (n,) whom one gives a speed.
    """

    crowd: Crowd
    agents: Agents
    components: dict[str, Component]
    corrections: dict[str, Vectors]
    sets_speed: Mask

    def combined(self) -> Vectors:
        """The force they come to together, with the hold on cruise speed of those whom none gives a speed."""
        cruise = _cruise(self.agents)
        if anybody(self.sets_speed):
            cruise = np.where(self.sets_speed[:, None], 0.0, cruise)
        components = list(self.components.values())
        force = COMBINE[self.crowd.combining](components, cruise, self.agents.max_force)
        for correction in self.corrections.values():
            force = force + correction
        return force

    def add(self, behavior: Steers, force: Vectors, corrects: Mask, luck: Scalars) -> None:
        """What one behavior contributes, (n, 3) newtons; for some it is combined, for others it `corrects`."""
        if anybody(corrects):
            self.corrections[behavior.name] = np.where(corrects[:, None], force, 0.0)
            force = np.where(corrects[:, None], 0.0, force)
        if not everybody(corrects):
            component = Component(force, behavior.priority, behavior.weight, behavior.probability, luck)
            self.components[behavior.name] = component


def _considered(snapshot: Snapshot, crowd: Crowd, minds: _Minds) -> _Considered:
    """What the behaviors of a crowd contribute, those last that correct what the others have come to.

    What follows from it besides is gathered in their minds.
    """
    world = minds.world
    agents = _agents(minds.state, snapshot, world, crowd)
    behaviors = tuple(minds.arrivals.left_of(minds.aim(b, agents), agents) for b in crowd.behaviors)
    goal = _goal(behaviors, world, agents)
    if goal is not agents.goal:
        agents = replace(agents, goal=goal)
    luck = _draws(crowd, agents, world)
    found = _Considered(crowd, agents, {}, {}, nobody(len(agents)))
    correcting = [(behavior, behavior.corrects()) for behavior in behaviors]
    for behavior, corrects in sorted(correcting, key=_corrects_anybody):
        if anybody(corrects):
            agents = replace(agents, force=found.combined(), fastest=minds.limits(agents.rows))
        steering, remembering = minds.steer(behavior, agents)
        behavior = minds.arrivals.looked_for(behavior, world, remembering, snapshot.attendance)
        found.add(behavior, steering * behavior.weight[:, None], corrects, luck(behavior))
        sets_speed = behavior.sets_speed(world, remembering)
        if anybody(sets_speed):
            found.sets_speed = found.sets_speed | (behavior.weight != 0.0) & sets_speed
        minds.heed(behavior, remembering)
    return found


def _corrects_anybody(correcting: tuple[Steers, Mask]) -> bool:
    return anybody(correcting[1])


def _present(crowd: Crowd, here: Mask) -> Crowd:
    """The crowd without those of its vehicles that do not take part."""
    if everybody(here):
        return crowd
    return replace(crowd, rows=crowd.rows[here], behaviors=tuple(b.take(here) for b in crowd.behaviors))


def _agents(state: State, snapshot: Snapshot, world: World, crowd: Crowd) -> Agents:
    rows = crowd.rows
    motion = state.motion
    # Rows of crowds rise and none comes twice, so that as many as there are vehicles are all of them.
    alone = len(rows) == len(state)
    model: VehicleModel = snapshot.vehicle if alone else snapshot.vehicle.take(rows)
    position, velocity, side, forward, up = (
        v if alone else picked(v, rows)
        for v in (motion.position, motion.velocity, motion.side, motion.forward, motion.up)
    )
    # Quicker than a step cannot be: the force would overshoot and swing.
    if min(smallest(model.response_time), smallest(model.speed_time)) < world.dt:
        model = replace(
            model,
            response_time=np.maximum(model.response_time, world.dt),
            speed_time=np.maximum(model.speed_time, world.dt),
        )
    return Agents(
        rows=rows,
        keys=snapshot.keys if alone else snapshot.keys[rows],
        crowd_keys=shared(_shared_key(crowd.key), len(rows), np.uint64),
        position=position,
        velocity=velocity,
        side=side,
        forward=forward,
        up=up,
        speed=magnitude(velocity),
        vehicle=model,
        force=no_vectors(len(rows)),
        fastest=shared(np.inf, len(rows)),
        goal=shared(np.nan, 3 * len(rows)).reshape(len(rows), 3),
        stays=stays(snapshot.attendance, rows),
    )


@lru_cache(maxsize=64)
def _shared_key(crowd: int) -> int:
    """What the part of their luck hangs on that the vehicles of a crowd share."""
    return int(mix(np.array([crowd & 0xFFFFFFFFFFFFFFFF], dtype=np.uint64), 1)[0])


def _goal(behaviors: tuple[Steers, ...], world: World, agents: Agents) -> Vectors:
    """Of the places that behaviors want their agents to be at the nearest, (n, 3); nan where there is none."""
    nearest, least = agents.goal, shared(np.inf, len(agents))
    for behavior in behaviors:
        goal = behavior.goal(world, agents)
        if goal is None:
            continue
        distance = magnitude(goal - agents.position)
        nearer = (behavior.weight != 0.0) & (distance < least)
        nearest, least = np.where(nearer[:, None], goal, nearest), np.where(nearer, distance, least)
    return nearest


def _steer(
    behavior: Steers, world: World, agents: Agents, memory: Memory, n: int, commons: Commons
) -> tuple[Vectors, Memory, Commons]:
    """A behavior's steering force for its agents, its memory of all n vehicles afterwards, what it adds in common."""
    known = {name: memory.get(name, np.full(n, initial)) for name, initial in behavior.remembers.items()}
    steering = behavior.steer(world, _remembering(agents, known, commons))
    if not isinstance(steering, tuple):
        return steering, known, {}
    force, learned, *added = steering
    after = {name: column.copy() for name, column in known.items()}
    for name, column in learned.items():
        after[name][agents.rows] = column
    return force, after, added[0] if added else {}


def _added(known: Commons, more: Commons) -> Commons:
    """What is remembered in common with what a step adds to it."""
    return {**known, **{name: known[name] + value if name in known else value for name, value in more.items()}}


def _remembering(agents: Agents, memory: Memory, commons: Commons) -> Agents:
    """The agents with their part of what a behavior remembers of all vehicles."""
    own = {name: column[agents.rows] for name, column in memory.items()}
    return agents.remembering(own, commons) if memory or commons else agents


def _draws(crowd: Crowd, agents: Agents, world: World) -> Callable[[Steers], Scalars]:
    """What draws each agent's luck for a behavior in this step, where chance decides which of them count."""
    if "probability" not in MATTERS[crowd.combining]:
        return lambda behavior: np.zeros(len(agents))
    step = int(np.floor(world.time / world.dt + 0.5)) & 0xFFFFFFFFFFFFFFFF
    now = mix(mix(agents.keys, DRAWS), step)
    return lambda behavior: uniform(mix(now, crc32(behavior.name.encode())))


def _cruise(agents: Agents) -> Vectors:
    """The soft hold on cruise speed, along the heading."""
    push = agents.mass * (agents.cruise_speed - agents.speed) / agents.vehicle.speed_time
    return agents.forward * push[:, None]


def taking_part(present: Mask, moved: Vectors, still: Vectors) -> Vectors:
    """`moved` for the vehicles that are `present`, (n,), `still` for the others; (n,) or (n, 3) each."""
    return np.where(present[:, None] if moved.ndim == 2 else present, moved, still)
