"""The steering level: what every vehicle decides, from one picture of the world.

    sense -> mind -> goals -> steer -> combine -> ways -> adjust

All behaviors look at what there was before the step, so that the order in which they are evaluated does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from .adjusting import adjusted
from .arrays.chance import Keys, mix, smooth_noise, uniform
from .arrays.frozen import replace
from .arrays.vectors import (
    Mask,
    Rows,
    Scalars,
    Vectors,
    anybody,
    clamp,
    everybody,
    magnitude,
    no_vectors,
    nobody,
    picked,
    shared,
    smallest,
    truncate,
    which,
)
from .behavior import AlongWith, Behavior, Steering
from .blending import blended
from .combining import COMBINE, MATTERS, Component, of_all
from .decisions import Decisions
from .destination import Destination
from .ground import of_rows
from .presence.arrivals import Errand, arrival_distance, stays
from .presence.stays import Staying, for_takers, in_turn, memory_of, stayed
from .snapshot import Settings, Snapshot, State
from .targets import aimed, takes_aim
from .urgency import with_urgent
from .vehicle import VehicleModel
from .world import Agents, World

ERRAND = "errand"
"""Under what it is remembered which vehicles have somewhere to go; no behavior has this name."""
COMES_TO_REST = 0.15
"""Share of top speed from which on one that stops brakes evenly."""
PACE = 0x9ACE
"""Salts the keys by which the pace of agents drifts."""
DRAWS = 0xD1CE
"""Salts the keys from which is drawn what counts in a step, apart from other uses of the same key."""


@dataclass(frozen=True)
class Group:
    """The vehicles present that follow one row of settings.

    Attributes:
        agents: the vehicles as their behaviors see them.
        behaviors: what they want, each with a column entry for each that has it and a body wherever it steers by one.
        parts: which of the agents have each behavior, None for all.
        combining: the number of the way to combine them.
    """

    agents: Agents
    behaviors: tuple[Behavior, ...]
    parts: tuple[Rows | None, ...]
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
    mindset, minds = state.mindset, snapshot.minds
    if mindset is None or minds is None:
        return _decided(state, snapshot, world, _groups(snapshot.settings, snapshot.settings_row, snapshot.present))
    groups = _groups(*minds.followed(snapshot, mindset.mode, mindset.body), snapshot.present)
    force, decided = _decided(state, snapshot, world, groups)
    part = mindset.taken_up(world.time, world.dt)
    if everybody(part >= 1.0):
        return force, decided
    # Cut to what the vehicle can apply: a small share of a far stronger force would already be as much.
    limit, before = snapshot.vehicle.max_force, no_vectors(len(state))
    for modes, share, caller in mindset.left(part):
        groups = _groups(*minds.followed(snapshot, modes, caller), snapshot.present & (share > 0.0))
        asked, _ = _decided(state, snapshot, world, groups)
        before += truncate(asked, limit) * share[:, None]
    now = truncate(force, limit)
    return np.where((part < 1.0)[:, None], before + (now - before) * part[:, None], force), decided


def _decided(
    state: State, snapshot: Snapshot, world: World, groups: Iterable[tuple[Settings, Rows]]
) -> tuple[Vectors, Decisions]:
    """What vehicles decide, group by group, by the settings that each group follows."""
    force, decided = no_vectors(len(state)), Decisions.none_yet(state)
    for settings, rows in groups:
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
    follows = snapshot.settings, snapshot.settings_row
    if state.mindset is not None and snapshot.minds is not None:
        follows = snapshot.minds.followed(snapshot, state.mindset.mode, state.mindset.body)
    for settings, rows in _groups(*follows, snapshot.present):
        group, decided = sensed(state, snapshot, world, settings, rows, Decisions.none_yet(state))
        asked, _ = _asked(snapshot, world, group, decided)
        forces = {name: component.force for name, component in asked.components.items()}
        for name, force in (*forces.items(), *asked.corrections.items()):
            requested.setdefault(name, no_vectors(len(state)))[rows] += force
    return requested


def accompanied(state: State, snapshot: Snapshot, world: World) -> AlongWith:
    """Along with whom each vehicle is led; of several behaviors the first counts."""
    body: Rows = np.full(len(state), -1, dtype=np.int64)
    place = state.motion.position.copy(order="K")
    for settings, rows in _groups(snapshot.settings, snapshot.settings_row, snapshot.present):
        group, _ = sensed(state, snapshot, world, settings, rows, Decisions.none_yet(state))
        for behavior, part in zip(group.behaviors, group.parts):
            beside = behavior.along_with(world, group.agents if part is None else group.agents.part(part))
            if beside is None:
                continue
            its = rows if part is None else rows[part]
            new = (body[its] < 0) & (beside.body >= 0) & (behavior.weight != 0.0)
            body[its[new]] = beside.body[new]
            place[its[new]] = beside.place[new]
    return AlongWith(body, place)


def _groups(settings: Sequence[Settings], row: Rows, takes_part: Mask) -> Iterator[tuple[Settings, Rows]]:
    """The settings that vehicles follow, by the row of each (n,), each with the rising rows of those who take part."""
    present = which(takes_part)
    if len(settings) == 1 and len(present):
        yield settings[0], present
        return
    order = present[np.argsort(row[present], kind="stable")]
    begins = np.searchsorted(row[order], range(len(settings) + 1)).tolist()
    for each, begin, end in zip(settings, begins, begins[1:]):
        if begin < end:
            yield each, order[begin:end]


def sensed(
    state: State, snapshot: Snapshot, world: World, settings: Settings, rows: Rows, decided: Decisions
) -> tuple[Group, Decisions]:
    """The vehicles of some rows with what they see and where they are to be."""
    agents = _agents(state, snapshot, world, rows)
    behaviors: list[Behavior] = []
    parts: list[Rows | None] = []
    for behavior, has in zip(settings.behaviors, settings.masks()):
        part = None if has is None else which(has[rows])
        if part is not None and not len(part):
            continue
        behavior = behavior.for_agents(rows if part is None else rows[part])
        if part is None or takes_aim(behavior):
            its = agents if part is None else agents.part(part)
            behavior, learned = aimed(behavior, world, its, decided.memories, len(state))
            if learned:
                decided = replace(decided, memories={**decided.memories, **learned})
            behavior = decided.arrivals.without_reached(for_takers(behavior, its), its)
        behaviors.append(behavior)
        parts.append(part)
    behaviors = in_turn(behaviors, world, agents, lambda behavior: decided.recalled(behavior, agents))
    agents = _with_goals([b for b, part in zip(behaviors, parts) if part is None], world, agents, decided)
    return Group(agents, tuple(behaviors), tuple(parts), settings.combining), decided


def _asked(snapshot: Snapshot, world: World, group: Group, decided: Decisions) -> tuple[Asked, Decisions]:
    """What the behaviors of a group come to: each steers, all are combined, and the result is adjusted."""
    agents = group.agents
    asked_for: dict[str, tuple[Component, Rows | None]] = {}
    sets_speed = arrived = leads_on = nobody(len(agents))
    urgent, draws = agents.none(), _draws(group, world)
    for behavior, part in zip(group.behaviors, group.parts):
        its = agents if part is None else agents.part(part)
        steering = behavior.steer(world, its, decided.recalled(behavior, its))
        steering, decided = _staying(behavior, world, its, steering, decided)
        if steering.arrived is not None:
            arrived = arrived | _among(agents, part, (behavior.weight != 0.0) & steering.arrived)
        if steering.leads_on is not None:
            leads_on = leads_on | _among(agents, part, (behavior.weight != 0.0) & steering.leads_on)
        behavior, arrivals = decided.arrivals.noting(behavior, steering.arrived, its, snapshot.attendance)
        decided = decided.adding(behavior, world, its, steering)
        if arrivals is not decided.arrivals:
            decided = replace(decided, arrivals=arrivals)
        if steering.force is not None:
            asked_for[behavior.name] = _component(behavior, steering.force, draws), part
        counts = behavior.weight != 0.0
        if steering.sets_speed is not None and anybody(steering.sets_speed):
            sets_speed = sets_speed | _among(agents, part, counts & steering.sets_speed)
        if steering.urgent is not None:
            fully = np.minimum(behavior.weight, 1.0)[:, None]
            urgent[slice(None) if part is None else part] += steering.urgent * fully
        if steering.alarmed is not None:
            agents = replace(agents, alarmed=agents.alarmed | _among(agents, part, counts & steering.alarmed))
    components = of_all(asked_for, len(agents))
    asked = list(components.values())
    force = COMBINE[group.combining](asked, _cruise(agents, sets_speed, asked, world.dt), agents.max_force)
    force, decided = blended(group.combining, agents, force, decided, world.dt)
    force = with_urgent(force, urgent, agents.max_force)
    force, corrections, decided = adjusted(world, agents, group.behaviors, components, force, decided)
    if anybody(np.isfinite(agents.goal[:, 0])) or ERRAND in decided.memories:
        decided = decided.remembering(ERRAND, agents, Errand.of(agents, arrived, leads_on, decided.top_speed(agents)))
    return Asked(components, corrections, force), decided


def _among(agents: Agents, part: Rows | None, mask: Mask) -> Mask:
    """A mask over a part of some agents, or over all, as one over all of them, (n,)."""
    if part is None:
        return mask
    whole = np.zeros(len(agents), dtype=np.bool_)
    whole[part] = mask
    return whole


def _staying(
    behavior: Behavior, world: World, agents: Agents, steering: Steering, decided: Decisions
) -> tuple[Steering, Decisions]:
    """What a behavior decides, and what all do, with the agents that stay for a time where it leads."""
    if not isinstance(behavior, Destination) or not anybody(behavior.departs):
        return steering, decided
    name = memory_of(behavior)
    known = decided.memory(name, Staying, agents)
    arrived, limit, known = stayed(behavior, world, agents, steering, known)
    return replace(steering, arrived=arrived), decided.remembering(name, agents, known).limiting(agents, limit)


def _component(behavior: Behavior, force: Vectors, draws: Keys | None) -> Component:
    drawn = np.zeros(len(force)) if draws is None else uniform(mix(draws, crc32(behavior.name.encode())))
    return Component(force * behavior.weight[:, None], behavior.priority, behavior.weight, behavior.probability, drawn)


def _agents(state: State, snapshot: Snapshot, world: World, rows: Rows) -> Agents:
    motion = state.motion
    # The rows are distinct: if their number is that of the vehicles, they are all vehicles.
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
    keys = snapshot.keys if alone else snapshot.keys[rows]
    errand = errands(state) if alone else errands(state).take(rows)
    return Agents(
        rows=rows,
        keys=keys,
        crowd_keys=snapshot.crowd_keys if alone else snapshot.crowd_keys[rows],
        numbers=snapshot.numbers if alone else snapshot.numbers[rows],
        position=position,
        velocity=velocity,
        side=side,
        forward=forward,
        up=up,
        speed=magnitude(velocity),
        vehicle=_drifting(model, keys, world.time),
        upward=world.upward if alone else of_rows(world.upward, rows),
        grounded=snapshot.grounded if alone else snapshot.grounded[rows],
        handling=snapshot.handling if alone else snapshot.handling.take(rows),
        goal=shared(np.nan, 3 * len(rows)).reshape(len(rows), 3),
        stays=stays(snapshot.attendance, rows),
        arrival_distance=arrival_distance(snapshot.attendance, rows),
        arrived=errand.arrived,
        bound=errand.bound,
        alarmed=nobody(len(rows)),
        clearance=shared(np.nan, len(rows)),
        in_lane=nobody(len(rows)),
        awaits=shared(-1, len(rows), np.int64),
        passing_places=np.empty((len(rows), 0, 3)),
        companions=np.empty((len(rows), 0), dtype=np.int64),
    )


def errands(state: State) -> Errand:
    """The errands of all vehicles in the last step."""
    errand = state.memories.get(ERRAND)
    return errand if isinstance(errand, Errand) else Errand.blank(len(state))


def _drifting(model: VehicleModel, keys: Keys, time: float) -> VehicleModel:
    """The vehicle models with the cruise speeds of this moment, which drift with time for each agent on its own."""
    if not model.drifts:
        return model
    drift = model.pace_drift * smooth_noise(mix(keys, PACE), 1, 1.0 / model.pace_time, time)[0]
    return replace(model, cruise_speed=clamp(model.cruise_speed * (1.0 + drift), 0.0, 1.0))


def _with_goals(behaviors: list[Behavior], world: World, agents: Agents, decided: Decisions) -> Agents:
    """The agents with their goals, and with what their behaviors do about obstacles."""
    goal = _goal(behaviors, world, agents, decided)
    clearance, awaits = _clearance(behaviors, agents), _awaited(behaviors, agents, decided)
    passing_places, in_lane = _passing_places(behaviors, world, agents, decided), _in_lane(behaviors, agents)
    companions = _companions(behaviors, agents, decided)
    new = goal, clearance, awaits, passing_places, in_lane, companions
    known = (
        *(agents.goal, agents.clearance, agents.awaits, agents.passing_places, agents.in_lane),
        agents.companions,
    )
    if all(a is b for a, b in zip(new, known)):
        return agents
    return replace(
        agents,
        goal=goal,
        clearance=clearance,
        awaits=awaits,
        passing_places=passing_places,
        in_lane=in_lane,
        companions=companions,
    )


def _goal(behaviors: list[Behavior], world: World, agents: Agents, decided: Decisions) -> Vectors:
    """The nearest of the places where behaviors with weight lead their agents, (n, 3); nan where there is none."""
    nearest, least = agents.goal, shared(np.inf, len(agents))
    for behavior in behaviors:
        goal = behavior.goal(world, agents, decided.recalled(behavior, agents))
        if goal is None:
            continue
        distance = magnitude(goal - agents.position)
        nearer = (behavior.weight != 0.0) & (distance < least)
        nearest, least = np.where(nearer[:, None], goal, nearest), np.where(nearer, distance, least)
    return nearest


def _awaited(behaviors: list[Behavior], agents: Agents, decided: Decisions) -> Rows:
    """The row of the obstacle that a behavior with weight stops each agent for, (n,), as of `Agents.awaits`."""
    awaits = agents.awaits
    for behavior in behaviors:
        rows = behavior.awaited_obstacle(decided.recalled(behavior, agents))
        if rows is not None:
            awaits = np.where((behavior.weight != 0.0) & (rows != -1), rows, awaits)
    return awaits


def _passing_places(behaviors: list[Behavior], world: World, agents: Agents, decided: Decisions) -> Vectors:
    """The places beside obstacles past which a behavior with weight leads each agent, as of `Agents.passing_places`."""
    places = agents.passing_places
    for behavior in behaviors:
        led = behavior.passing_places(world, agents, decided.recalled(behavior, agents))
        if led is not None:
            leads = (behavior.weight != 0.0) & np.isfinite(led[:, 0, 0])
            others = places if places.size else np.full_like(led, np.nan)
            places = np.where(leads[:, None, None], led, others)
    return places


def _companions(behaviors: list[Behavior], agents: Agents, decided: Decisions) -> NDArray[np.int64]:
    """Those with whom behaviors with weight let each agent go, as of `Agents.companions`."""
    companions = agents.companions
    for behavior in behaviors:
        its = behavior.companions(decided.recalled(behavior, agents))
        if its is not None:
            its = np.where((behavior.weight != 0.0)[:, None], its, -1)
            companions = np.concatenate((companions, its), axis=1)
    return companions


def _in_lane(behaviors: list[Behavior], agents: Agents) -> Mask:
    """The agents that a behavior with weight keeps in a lane, (n,)."""
    in_lane = agents.in_lane
    for behavior in behaviors:
        kept = behavior.keeps_lane()
        if kept is not None:
            in_lane = in_lane | (behavior.weight != 0.0) & kept
    return in_lane


def _clearance(behaviors: list[Behavior], agents: Agents) -> Scalars:
    """The largest of the distances that behaviors with weight keep from obstacles, (n,) metres; nan without one."""
    clearance = agents.clearance
    for behavior in behaviors:
        kept = behavior.obstacle_clearance()
        if kept is not None:
            clearance = np.fmax(clearance, np.where(behavior.weight != 0.0, kept, np.nan))
    return clearance


def _draws(group: Group, world: World) -> Keys | None:
    """The keys by which it is drawn in this step which behaviors count; None where chance does not decide."""
    if "probability" not in MATTERS[group.combining]:
        return None
    step = int(np.floor(world.time / world.dt + 0.5)) & 0xFFFFFFFFFFFFFFFF
    return mix(mix(group.agents.keys, DRAWS), step)


def _cruise(agents: Agents, sets_speed: Mask, asked: Sequence[Component], dt: float) -> Vectors:
    """The soft hold on cruise speed, along the heading, of the agents to which no behavior gives a speed.

    One whose cruise speed is 0, and of which nothing is asked, comes to rest evenly at the end: by the soft hold alone
    it would creep for seconds.
    """
    change = (agents.cruise_speed - agents.speed) / agents.vehicle.speed_time
    stops = agents.cruise_speed <= 0.0
    if anybody(stops):
        for component in asked:
            stops = stops & ~component.force.any(axis=1)
        evenly = np.minimum(COMES_TO_REST * agents.max_speed / agents.vehicle.speed_time, agents.speed / dt)
        change = np.where(stops, np.minimum(change, -evenly), change)
    push = agents.mass * change
    cruise = agents.forward * push[:, None]
    return np.where(sets_speed[:, None], 0.0, cruise) if anybody(sets_speed) else cruise


def taking_part(present: Mask, moved: Vectors, still: Vectors) -> Vectors:
    """`moved` for the vehicles that are `present`, (n,), `still` for the others; (n,) or (n, 3) each."""
    return np.where(present[:, None] if moved.ndim == 2 else present, moved, still)
