"""The steering level: what every vehicle decides, from one picture of the world.

    sense -> goals -> steer -> combine -> adjust

All behaviors look at what there was before the step, so that the order in which they are evaluated does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np

from .arrays.chance import Keys, mix, uniform
from .arrays.vectors import (
    Mask,
    Rows,
    Scalars,
    Vectors,
    anybody,
    magnitude,
    no_vectors,
    nobody,
    picked,
    shared,
    smallest,
    totals,
    which,
)
from .behavior import Adjustment, Behavior, Steering, Taking, Wish
from .combining import COMBINE, MATTERS, Component
from .memory import Memory
from .presence.arrivals import Arrivals, arrival_distance, stays
from .snapshot import Settings, Snapshot, State
from .targets import aimed
from .vehicle import VehicleModel
from .world import Agents, World

DRAWS = 0xD1CE
"""Salts the keys from which is drawn what counts in a step, apart from other uses of the same key."""


@dataclass(frozen=True)
class Decisions:
    """What all vehicles decide in a step, as far as their behaviors have been asked.

    Attributes:
        memories: what each behavior remembers next, by its name, n rows each.
        speed_limit: (n,) m/s, inf for no limit; None if no vehicle has one.
        tallies: what all vehicles have added up, by name.
        taken: (k,) how much has been taken of each tracked body.
        arrivals: the vehicles that have left and those that have reached a goal.
    """

    memories: Mapping[str, Memory]
    speed_limit: Scalars | None
    tallies: Mapping[str, Scalars]
    taken: Scalars
    arrivals: Arrivals

    @classmethod
    def none_yet(cls, state: State) -> Decisions:
        """What holds before any behavior has been asked."""
        arrivals = Arrivals(len(state), state.gone, state.arrived)
        return cls(state.memories, None, state.tallies, state.taken, arrivals)


@dataclass(frozen=True)
class Group:
    """The vehicles present that follow one row of settings.

    Attributes:
        agents: the vehicles as their behaviors see them.
        behaviors: what they want, each with columns of their number and a body wherever it steers by one.
        combining: the number of the way to combine them.
    """

    agents: Agents
    behaviors: tuple[Behavior, ...]
    combining: int


@dataclass(frozen=True)
class Asked:
    """What the behaviors of a group ask for.

    Attributes:
        components: what is combined, by behavior.
        corrections: (n, 3) what adjustments add to that, newtons, by behavior.
        force: (n, 3) what it comes to, newtons.
    """

    components: Mapping[str, Component]
    corrections: Mapping[str, Vectors]
    force: Vectors


def decisions(state: State, snapshot: Snapshot, world: World) -> tuple[Vectors, Decisions]:
    """The steering force that each vehicle decides on, and what else it decides; nothing moves.

    Returns:
        force: (n, 3) newtons, before limits; zero for vehicles that do not take part.
        decided: everything else.
    """
    force, decided = no_vectors(len(state)), Decisions.none_yet(state)
    for settings, rows in _groups(snapshot):
        group, decided = sensed(state, snapshot, world, settings, rows, decided)
        asked, decided = _asked(snapshot, world, group, decided)
        if len(rows) == len(state):
            force = asked.force
        else:
            force[rows] = asked.force
    return force, decided


def requests(state: State, snapshot: Snapshot, world: World) -> dict[str, Vectors]:
    """What each behavior asks of each vehicle before they are combined, (n, 3) newtons times its weight, by name."""
    requested: dict[str, Vectors] = {}
    for settings, rows in _groups(snapshot):
        group, decided = sensed(state, snapshot, world, settings, rows, Decisions.none_yet(state))
        asked, _ = _asked(snapshot, world, group, decided)
        forces = {name: component.force for name, component in asked.components.items()}
        for name, force in (*forces.items(), *asked.corrections.items()):
            requested.setdefault(name, no_vectors(len(state)))[rows] += force
    return requested


def _groups(snapshot: Snapshot) -> Iterator[tuple[Settings, Rows]]:
    """Each row of settings with the rising rows of the vehicles present that follow it."""
    for row, settings in enumerate(snapshot.settings):
        yield settings, which((snapshot.settings_row == row) & snapshot.present)


def sensed(
    state: State, snapshot: Snapshot, world: World, settings: Settings, rows: Rows, decided: Decisions
) -> tuple[Group, Decisions]:
    """The vehicles of some rows with what they see and where they are to be."""
    agents = _agents(state, snapshot, world, rows)
    behaviors = []
    for behavior in settings.behaviors:
        behavior, learned = aimed(behavior.for_agents(rows), world, agents, decided.memories, len(state))
        if learned:
            decided = replace(decided, memories={**decided.memories, **learned})
        behaviors.append(decided.arrivals.without_reached(behavior, agents))
    goal = _goal(behaviors, world, agents, decided, len(state))
    if goal is not agents.goal:
        agents = replace(agents, goal=goal)
    return Group(agents, tuple(behaviors), settings.combining), decided


def _asked(snapshot: Snapshot, world: World, group: Group, decided: Decisions) -> tuple[Asked, Decisions]:
    """What the behaviors of a group come to: each steers, all are combined, and the result is adjusted."""
    agents, n = group.agents, len(snapshot.present)
    components: dict[str, Component] = {}
    corrections: dict[str, Vectors] = {}
    sets_speed = nobody(len(agents))
    draws = _draws(group, world)
    for behavior in group.behaviors:
        steering = behavior.steer(world, agents, recalled(decided.memories, behavior, agents, n))
        behavior, arrivals = decided.arrivals.noting(behavior, steering.arrived, agents, snapshot.attendance)
        decided = replace(_with(decided, behavior, world, agents, steering), arrivals=arrivals)
        if steering.force is not None:
            components[behavior.name] = _component(behavior, steering.force, draws)
        if steering.sets_speed is not None and anybody(steering.sets_speed):
            sets_speed = sets_speed | (behavior.weight != 0.0) & steering.sets_speed
    force = COMBINE[group.combining](list(components.values()), _cruise(agents, sets_speed), agents.max_force)
    for behavior in group.behaviors:
        if isinstance(behavior, Adjustment):
            wish = Wish.of(agents, force, _top_speed(agents, decided.speed_limit))
            steering = behavior.adjust(world, agents, wish, recalled(decided.memories, behavior, agents, n))
            decided = _with(decided, behavior, world, agents, steering)
            if steering.force is not None:
                corrections[behavior.name] = steering.force * behavior.weight[:, None]
                force = force + corrections[behavior.name]
    return Asked(components, corrections, force), decided


def _with(decided: Decisions, behavior: Behavior, world: World, agents: Agents, steering: Steering) -> Decisions:
    """What has been decided so far, with what one more behavior decides for some of the vehicles."""
    n = world.vehicles
    changes: dict[str, object] = {}
    if steering.memory is not None:
        memory = _merged(decided.memories.get(behavior.name), agents, steering.memory, n)
        changes["memories"] = {**decided.memories, behavior.name: memory}
    if steering.tallies:
        added = {name: more + decided.tallies.get(name, 0.0) for name, more in steering.tallies.items()}
        changes["tallies"] = {**decided.tallies, **added}
    if steering.speed_limit is not None:
        eased = _eased(steering.speed_limit, behavior.weight, agents.max_speed)
        limit = np.full(n, np.inf) if decided.speed_limit is None else decided.speed_limit.copy()
        limit[agents.rows] = np.minimum(limit[agents.rows], eased)
        changes["speed_limit"] = limit
    if steering.takes is not None:
        changes["taken"] = _taken(decided.taken, steering.takes, n, len(world.bodies.left) - n)
    return replace(decided, **changes) if changes else decided  # type: ignore[arg-type]


def recalled(memories: Mapping[str, Memory], behavior: Behavior, agents: Agents, n: int) -> Memory | None:
    """What a behavior remembers of its agents, which are some of n vehicles."""
    if behavior.remembers is None:
        return None
    memory = memories.get(behavior.name)
    if memory is None:
        return behavior.remembers.blank(len(agents))
    return memory if len(agents) == n else memory.take(agents.rows)


def _merged(known: Memory | None, agents: Agents, memory: Memory, n: int) -> Memory:
    """The memory of n vehicles, with that of some agents in place of what was known of them."""
    if len(agents) == n:
        return memory
    return (type(memory).blank(n) if known is None else known).put(agents.rows, memory)


def _eased(limit: Scalars, weight: Scalars, top: Scalars) -> Scalars:
    """The speed limits (n,), which a weight below 1 brings into force by that share only."""
    counts = np.minimum(weight, 1.0)
    return np.where((limit < top) & (counts > 0.0), top + (np.minimum(limit, top) - top) * counts, np.inf)


def _taken(known: Scalars, takes: Taking, n: int, count: int) -> Scalars:
    """How much has been taken of each of the tracked bodies, the rows of which begin after those of n vehicles."""
    tracked = takes.body >= n
    amount = totals(takes.body[tracked] - n, takes.amount[tracked], count)
    return amount + known if len(known) else amount


def _component(behavior: Behavior, force: Vectors, draws: Keys | None) -> Component:
    drawn = np.zeros(len(force)) if draws is None else uniform(mix(draws, crc32(behavior.name.encode())))
    return Component(force * behavior.weight[:, None], behavior.priority, behavior.weight, behavior.probability, drawn)


def _agents(state: State, snapshot: Snapshot, world: World, rows: Rows) -> Agents:
    motion = state.motion
    # The rows rise and none comes twice: as many as there are vehicles are all of them.
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
        crowd_keys=snapshot.crowd_keys if alone else snapshot.crowd_keys[rows],
        position=position,
        velocity=velocity,
        side=side,
        forward=forward,
        up=up,
        speed=magnitude(velocity),
        vehicle=model,
        goal=shared(np.nan, 3 * len(rows)).reshape(len(rows), 3),
        stays=stays(snapshot.attendance, rows),
        arrival_distance=arrival_distance(snapshot.attendance, rows),
    )


def _goal(behaviors: list[Behavior], world: World, agents: Agents, decided: Decisions, n: int) -> Vectors:
    """The nearest of the places where behaviors with weight lead their agents, (n, 3); nan where there is none."""
    nearest, least = agents.goal, shared(np.inf, len(agents))
    for behavior in behaviors:
        goal = behavior.goal(world, agents, recalled(decided.memories, behavior, agents, n))
        if goal is None:
            continue
        distance = magnitude(goal - agents.position)
        nearer = (behavior.weight != 0.0) & (distance < least)
        nearest, least = np.where(nearer[:, None], goal, nearest), np.where(nearer, distance, least)
    return nearest


def _top_speed(agents: Agents, limit: Scalars | None) -> Scalars:
    if limit is None:
        return agents.max_speed
    return np.minimum(agents.max_speed, limit[agents.rows])


def _draws(group: Group, world: World) -> Keys | None:
    """The keys by which it is drawn in this step which behaviors count; None where chance does not decide."""
    if "probability" not in MATTERS[group.combining]:
        return None
    step = int(np.floor(world.time / world.dt + 0.5)) & 0xFFFFFFFFFFFFFFFF
    return mix(mix(group.agents.keys, DRAWS), step)


def _cruise(agents: Agents, sets_speed: Mask) -> Vectors:
    """The soft hold on cruise speed, along the heading, of the agents to which no behavior gives a speed."""
    push = agents.mass * (agents.cruise_speed - agents.speed) / agents.vehicle.speed_time
    cruise = agents.forward * push[:, None]
    return np.where(sets_speed[:, None], 0.0, cruise) if anybody(sets_speed) else cruise


def taking_part(present: Mask, moved: Vectors, still: Vectors) -> Vectors:
    """`moved` for the vehicles that are `present`, (n,), `still` for the others; (n,) or (n, 3) each."""
    return np.where(present[:, None] if moved.ndim == 2 else present, moved, still)
