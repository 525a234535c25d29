"""The steering level: what every vehicle decides, from one picture of the world."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from zlib import crc32

import numpy as np

from .chance import mix, uniform
from .combining import COMBINE, MATTERS, Component
from .declaration import NEAREST, Kind
from .snapshot import Crowd, Snapshot, State, Steers
from .vectors import Mask, Rows, Scalars, Vectors, alike, magnitude, no_vectors, picked, same_for_all
from .vehicle import VehicleModel
from .world import Agents, Memory, World

DRAWS = 0xD1CE
"""Salts the keys from which is drawn what counts in a step, apart from other uses of the same luck."""


def decisions(state: State, snapshot: Snapshot, world: World) -> tuple[Vectors, dict[str, Memory], Scalars | None]:
    """The steering force each vehicle decides on and what its behaviors remember next; nobody moves.

    Returns:
        force: (n, 3) newtons, not yet limited; zero for vehicles that do not take part.
        memories: (n,) columns by behavior and name.
        fastest: (n,) m/s that the behaviors let them go, inf for no limit; None where nobody has one.
    """
    force = no_vectors(len(state))
    memories: dict[str, Memory] = dict(state.memories)
    fastest: Scalars | None = None
    for crowd in snapshot.crowds:
        crowd = _present(crowd, snapshot.present[crowd.rows])
        agents, components, cruise, limits = _considered(state, snapshot, world, crowd, memories)
        force[crowd.rows] = COMBINE[crowd.combining](list(components.values()), cruise, agents.max_force)
        for limit in limits:
            fastest = np.full(len(state), np.inf) if fastest is None else fastest
            fastest[crowd.rows] = np.minimum(fastest[crowd.rows], limit)
    return force, memories, fastest


def _eased(limit: Scalars, weight: Scalars, top: Scalars) -> Scalars:
    """The limits on speed (n,) as far as weights below 1 let them come into force."""
    counts = np.minimum(weight, 1.0)
    return np.where((limit < top) & (counts > 0.0), top + (np.minimum(limit, top) - top) * counts, np.inf)


def requests(state: State, snapshot: Snapshot, world: World) -> dict[str, Vectors]:
    """What each behavior asks of each vehicle before they are combined, (n, 3) newtons times its weight, by name."""
    asked: dict[str, Vectors] = {}
    for crowd in snapshot.crowds:
        crowd = _present(crowd, snapshot.present[crowd.rows])
        _, components, _, _ = _considered(state, snapshot, world, crowd, dict(state.memories))
        for name, component in components.items():
            asked.setdefault(name, no_vectors(len(state)))[crowd.rows] = component.force
    return asked


def _considered(
    state: State, snapshot: Snapshot, world: World, crowd: Crowd, memories: dict[str, Memory]
) -> tuple[Agents, dict[str, Component], Vectors, list[Scalars]]:
    """The agents of a crowd, what its behaviors contribute by name, the hold on cruise speed, and limits on speed.

    What the behaviors remember afterwards takes the place of what `memories` held.
    """
    agents = _agents(state, snapshot, world, crowd)
    behaviors = tuple(_with_targets(b, world, agents) for b in crowd.behaviors)
    agents = replace(agents, goal_distance=_goal_distance(behaviors, world, agents))
    luck = _draws(crowd, agents, world)
    components: dict[str, Component] = {}
    limits: list[Scalars] = []
    sets_speed = np.zeros(len(agents), dtype=np.bool_)
    for behavior in behaviors:
        steering, memories[behavior.name] = _steer(behavior, world, agents, memories.get(behavior.name, {}), len(state))
        components[behavior.name] = Component(
            steering * behavior.weight[:, None],
            behavior.priority,
            behavior.weight,
            behavior.probability,
            luck(behavior),
        )
        remembering = _remembering(agents, memories[behavior.name])
        sets_speed |= (behavior.weight != 0.0) & behavior.sets_speed(world, remembering)
        limit = behavior.fastest(world, remembering)
        if limit is not None:
            limits.append(_eased(limit, behavior.weight, agents.max_speed))
    return agents, components, np.where(sets_speed[:, None], 0.0, _cruise(agents)), limits


def _present(crowd: Crowd, here: Mask) -> Crowd:
    """The crowd without those of its vehicles that do not take part."""
    if here.all():
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
    model = replace(
        model,
        # Quicker than a step cannot be: the force would overshoot and swing.
        response_time=np.maximum(model.response_time, world.dt),
        speed_time=np.maximum(model.speed_time, world.dt),
    )
    return Agents(
        rows=rows,
        keys=snapshot.keys if alone else snapshot.keys[rows],
        crowd_keys=alike(_shared_key(crowd.key), len(rows), np.uint64),
        position=position,
        velocity=velocity,
        side=side,
        forward=forward,
        up=up,
        speed=magnitude(velocity),
        vehicle=model,
        goal_distance=np.full(len(rows), np.inf),
    )


@lru_cache(maxsize=64)
def _shared_key(crowd: int) -> int:
    """What the part of their luck hangs on that the vehicles of a crowd share."""
    return int(mix(np.array([crowd & 0xFFFFFFFFFFFFFFFF], dtype=np.uint64), 1)[0])


def _with_targets(behavior: Steers, world: World, agents: Agents) -> Steers:
    """The behavior with every empty target replaced by the nearest that fits, and absent ones by none."""
    changes = {}
    for name, parameter in behavior.parameters().items():
        if parameter.kind is Kind.REGION:
            changes[name] = _with_region(getattr(behavior, name), world, agents)
        if parameter.kind is not Kind.BODY:
            continue
        rows = getattr(behavior, name)
        if (rows == NEAREST).any() and parameter.role is not None:
            rows = np.where(rows == NEAREST, world.bodies.nearest(parameter.role, agents.position, agents.rows), rows)
        gone = (rows < 0) | (rows == agents.rows) | ~world.bodies.present[np.maximum(rows, 0)]
        changes[name] = np.where(gone, -1, rows)
    return replace(behavior, **changes) if changes else behavior  # type: ignore[type-var]


def _with_region(rows: Rows, world: World, agents: Agents) -> Rows:
    if (rows == NEAREST).any():
        rows = np.where(rows == NEAREST, world.regions.nearest(agents.position), rows)
    if not len(world.regions):
        return alike(-1, len(agents), np.int64)
    if same_for_all(rows):
        return alike(rows[0] if rows[0] >= 0 and world.regions.present[rows[0]] else -1, len(agents), np.int64)
    return np.where((rows >= 0) & world.regions.present[np.maximum(rows, 0)], rows, -1)


def _goal_distance(behaviors: tuple[Steers, ...], world: World, agents: Agents) -> Vectors:
    nearest = np.full(len(agents), np.inf)
    for behavior in behaviors:
        goal = behavior.goal(world, agents)
        if goal is None:
            continue
        distance = magnitude(goal - agents.position)
        wanted = (behavior.weight != 0.0) & np.isfinite(distance)
        nearest = np.minimum(nearest, np.where(wanted, distance, np.inf))
    return nearest


def _steer(
    behavior: Steers, world: World, agents: Agents, memory: Memory, n: int
) -> tuple[Vectors, Mapping[str, Vectors]]:
    """A behavior's steering force for its agents, and its memory of all n vehicles afterwards."""
    known = {name: memory.get(name, np.full(n, initial)) for name, initial in behavior.remembers.items()}
    steering = behavior.steer(world, _remembering(agents, known))
    if not isinstance(steering, tuple):
        return steering, known
    force, learned = steering
    after = {name: column.copy() for name, column in known.items()}
    for name, column in learned.items():
        after[name][agents.rows] = column
    return force, after


def _remembering(agents: Agents, memory: Memory) -> Agents:
    """The agents with their part of what a behavior remembers of all vehicles."""
    return agents.remembering({name: column[agents.rows] for name, column in memory.items()}) if memory else agents


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


def taking_part(snapshot: Snapshot, moved: Vectors, still: Vectors) -> Vectors:
    """`moved` for the vehicles that take part at the moment, `still` for the others."""
    present: Mask = snapshot.present
    if present.all():
        return moved
    return np.where(present[:, None] if moved.ndim == 2 else present, moved, still)
