"""The steering level: what every vehicle decides, from one picture of the world.

    sense -> mind -> goals -> steer -> combine -> ways -> adjust

All behaviors look at what there was before the step, so that the order in which they are evaluated does not matter.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from zlib import crc32

import numpy as np

from .adjusting import adjust_forces, progress_in
from .arrays.chance import Keys, mix, smooth_noise, uniform
from .arrays.frozen import replace
from .arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody, clamp, everybody, nobody, shared, smallest, which
from .arrays.vectors import Vectors, magnitude, no_vectors, truncate
from .behavior import Behavior, Destination
from .combining import COMBINE, MATTERS, Component, blend, keep_urgent, left_out, of_all
from .decisions import Decisions
from .ground import of_rows
from .intention import Intention, is_said, nothing_said
from .memory import Memory
from .presence.arrivals import Errand, Staying, arrival_distance, for_takers, in_turn, memory_of, stay_on, stays
from .settling import Settling
from .snapshot import Settings, Snapshot, State
from .targets import aim, takes_aim
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
class Deciders:
    """The vehicles present that follow one row of settings. `behaviors`: what they want, each with a column entry for
    each that has it and a body wherever it steers by one; `parts`: which of the agents have each behavior, None for
    all; `memories`: what each behavior remembers of them."""

    agents: Agents
    behaviors: tuple[Behavior, ...]
    parts: tuple[Rows | None, ...]
    memories: tuple[Memory | None, ...]
    combining: int


@dataclass(frozen=True)
class Asked:
    """The requests of the behaviors of a group.

    Attributes:
        components: what is combined, by behavior.
        corrections: (n, 3) what adjustments add to that, newtons, by behavior.
        force: (n, 3) what it comes to, newtons.
        intention: what else they say.
    """

    components: Mapping[str, Component]
    corrections: Mapping[str, Vectors]
    force: Vectors
    intention: Intention


def decide(state: State, snapshot: Snapshot, world: World, begun: Decisions | None = None) -> tuple[Vectors, Decisions]:
    """The steering force that each vehicle decides on, and what else it decides; nothing moves.

    Args:
        begun: the decisions of other vehicles in this step; None if nobody has decided.

    Returns:
        force: (n, 3) newtons, before limits; zero for vehicles that do not take part.
        decided: everything else.
    """
    mindset, minds = state.mindset, snapshot.minds
    groups = _groups(*followed(state, snapshot), snapshot.present)
    force, decided = _decided(state, snapshot, world, groups, begun or state.undecided())
    if mindset is None or minds is None:
        return force, decided
    fraction = mindset.taken_up(world.time, world.dt)
    if everybody(fraction >= 1.0):
        return force, decided
    # Cut to what the vehicle can apply: a small share of a far stronger force would already be as much.
    limit, before = snapshot.vehicle.max_force, no_vectors(len(state))
    for modes, share, caller in mindset.modes_left(fraction):
        groups = _groups(*minds.followed(snapshot, modes, caller), snapshot.present & (share > 0.0))
        asked, _ = _decided(state, snapshot, world, groups, state.undecided())
        before += truncate(asked, limit) * share[:, None]
    now = truncate(force, limit)
    return np.where((fraction < 1.0)[:, None], before + (now - before) * fraction[:, None], force), decided


def _decided(
    state: State, snapshot: Snapshot, world: World, groups: Iterable[tuple[Settings, Rows]], decided: Decisions
) -> tuple[Vectors, Decisions]:
    """The decisions of vehicles, group by group, by the settings that each group follows, and those so far."""
    force = no_vectors(len(state))
    for settings, rows in groups:
        group, decided = sense(state, snapshot, world, settings, rows, decided)
        asked, decided = _asked(snapshot, world, group, decided)
        if len(rows) == len(state):
            force = asked.force
        else:
            force[rows] = asked.force
    return force, decided


def requests(state: State, snapshot: Snapshot, world: World) -> dict[str, Vectors]:
    """The requests of each behavior to vehicles before they are combined, (n, 3) newtons times its weight, by name."""
    requested: dict[str, Vectors] = {}
    for group, decided, rows in _sensed(state, snapshot, world, *followed(state, snapshot)):
        asked, _ = _asked(snapshot, world, group, decided)
        forces = {name: component.force for name, component in asked.components.items()}
        for name, force in (*forces.items(), *asked.corrections.items()):
            requested.setdefault(name, no_vectors(len(state)))[rows] += force
    return requested


def find_companions_led(state: State, snapshot: Snapshot, world: World) -> tuple[Rows, Vectors]:
    """Along with whom each vehicle is led: `beside` and `beside_place`, as of `Intention`."""
    body: Rows = np.full(len(state), -1, dtype=np.int64)
    place = np.full((3, len(state)), np.nan).T
    for group, decided, rows in _sensed(state, snapshot, world, snapshot.settings, snapshot.settings_row):
        asked, _ = _asked(snapshot, world, group, decided)
        body[rows], place[rows] = asked.intention.beside, asked.intention.beside_place
    return body, place


def goals_seen(state: State, snapshot: Snapshot, world: World) -> Vectors:
    """Where each vehicle sees its goal along its way, (n, 3) metres; nan for those that have none."""
    goal = np.full((3, len(state)), np.nan).T
    for group, _, rows in _sensed(state, snapshot, world, *followed(state, snapshot)):
        goal[rows] = group.agents.goal
    return goal


def start_speeds(state: State, snapshot: Snapshot, world: World) -> Scalars:
    """The speed above which no behavior lets each vehicle start, (n,) m/s; inf for those that do not take part."""
    _, decided_by_all = decide(state, snapshot, world)
    speeds = np.full(len(state), np.inf) if decided_by_all.speed_limit is None else decided_by_all.speed_limit.copy()
    for group, _, _ in _sensed(state, snapshot, world, *followed(state, snapshot)):
        for behavior, subset, memory in zip(group.behaviors, group.parts, group.memories):
            agents = group.agents if subset is None else group.agents.part(subset)
            speed = behavior.start_speed(world, agents, memory)
            if speed is not None:
                speeds[agents.rows] = np.minimum(speeds[agents.rows], np.where(behavior.weight != 0.0, speed, np.inf))
    return speeds


def followed(state: State, snapshot: Snapshot) -> tuple[Sequence[Settings], Rows]:
    """The rows of settings, and which of them each vehicle follows, (n,)."""
    if state.mindset is None or snapshot.minds is None:
        return snapshot.settings, snapshot.settings_row
    return snapshot.minds.followed(snapshot, state.mindset.mode, state.mindset.body)


def followers(state: State, snapshot: Snapshot, name: str) -> Mask:
    """The vehicles that follow a behavior of a name, with weight, (n,): what the others remember of it is old."""
    (settings, row), follow = followed(state, snapshot), nobody(len(state))
    for number, of_row in enumerate(settings):
        for behavior, has in zip(of_row.behaviors, of_row.masks()):
            if behavior.name == name:
                wanted = behavior.weight != 0.0
                follow = follow | ((row == number) & (wanted if has is None else wanted & has))
    return follow


def resting(state: State, snapshot: Snapshot, *kinds: type[Settling | Staying]) -> Mask:
    """The vehicles that rest where a behavior has led them, or beside that as others are there, (n,): they have come as
    near as they will, whether or not they go on later. `kinds`: of the memories by which they do."""
    rests = nobody(len(state))
    for name, memory in state.memories.items():
        if isinstance(memory, kinds) and anybody(memory.rests):
            behavior = name.split(".")[0]
            those, gone_on = memory.rests & followers(state, snapshot, behavior), state.arrived.get(behavior)
            rests = rests | (those if gone_on is None else those & ~gone_on)
    return rests


def _groups(settings: Sequence[Settings], row: Rows, takes_part: Mask) -> Iterator[tuple[Settings, Rows]]:
    """The settings that vehicles follow, by the row of each (n,), each with the rising rows of those who take part."""
    present = which(takes_part)
    if len(settings) == 1 and len(present):
        yield settings[0], present
        return
    order = present[np.argsort(row[present], kind="stable")]
    begins = np.searchsorted(row[order], range(len(settings) + 1)).tolist()
    for row_settings, begin, end in zip(settings, begins, begins[1:]):
        if begin < end:
            yield row_settings, order[begin:end]


def _sensed(
    state: State, snapshot: Snapshot, world: World, settings: Sequence[Settings], row: Rows
) -> Iterator[tuple[Deciders, Decisions, Rows]]:
    """The groups of vehicles present before any has decided, as of `sense`, with the rows of each."""
    for row_settings, rows in _groups(settings, row, snapshot.present):
        yield *sense(state, snapshot, world, row_settings, rows, state.undecided()), rows


def sense(
    state: State, snapshot: Snapshot, world: World, settings: Settings, rows: Rows, decided: Decisions
) -> tuple[Deciders, Decisions]:
    """The vehicles of some rows with what they see and where they are to be."""
    agents = agents_of(state, snapshot, world, rows)
    behaviors: list[Behavior] = []
    parts: list[Rows | None] = []
    memories: list[Memory | None] = []
    for behavior, has in zip(settings.behaviors, settings.masks()):
        subset = None if has is None else which(has[rows])
        if subset is not None and not len(subset):
            continue
        behavior = behavior.for_agents(rows if subset is None else rows[subset])
        members = agents if subset is None else agents.part(subset)
        if subset is None or takes_aim(behavior):
            behavior, learned = aim(behavior, world, members, decided.memories, len(state))
            if learned:
                decided = replace(decided, memories={**decided.memories, **learned})
            behavior = decided.arrivals.without_reached(for_takers(behavior, members), members)
        behaviors.append(behavior)
        parts.append(subset)
        memories.append(decided.recalled(behavior, members))
    behaviors = in_turn(behaviors, world, agents, memories)
    had_by_all = [(b, memory) for b, subset, memory in zip(behaviors, parts, memories) if subset is None]
    agents = _intending(had_by_all, world, agents)
    return Deciders(agents, tuple(behaviors), tuple(parts), tuple(memories), settings.combining), decided


def _asked(snapshot: Snapshot, world: World, group: Deciders, decided: Decisions) -> tuple[Asked, Decisions]:
    """The result of the behaviors of a group: each steers, all are combined, and the result is adjusted."""
    agents = group.agents
    asked_for: dict[str, tuple[Component, Rows | None]] = {}
    intention, draws = agents.intention, _draws(group, world)
    for behavior, subset, memory in zip(group.behaviors, group.parts, group.memories):
        members = agents if subset is None else agents.part(subset)
        steering = behavior.steer(world, members, memory)
        if isinstance(behavior, Destination) and anybody(behavior.departs):
            name = memory_of(behavior.name)
            staying = decided.memory(name, Staying, members)
            arrived, limit, staying = stay_on(behavior, world, members, steering, staying)
            steering, decided = replace(steering, arrived=arrived), decided.remembering(name, members, staying)
            intention = replace(intention, speed_limit=np.minimum(intention.speed_limit, limit))
        if steering.arrived is not None:
            steering = replace(steering, arrived=(behavior.weight != 0.0) & steering.arrived)
        behavior, arrivals = decided.arrivals.noting(behavior, steering.arrived, members, snapshot.attendance)
        decided = decided.adding(behavior, world, members, steering)
        if arrivals is not decided.arrivals:
            decided = replace(decided, arrivals=arrivals)
        if steering.force is not None:
            asked_for[behavior.name] = _component(behavior, steering.force, draws), subset
        intention = intention.adding(steering, behavior.weight, agents.max_speed, subset)
        if steering.hurries is not None:
            agents = replace(agents, intention=intention)
    if is_said(intention.in_formation):
        for behavior, subset in zip(group.behaviors, group.parts):
            if anybody(yields := behavior.yields_to_formation()) and behavior.name in asked_for:
                free = ~(yields & (intention.in_formation if subset is None else intention.in_formation[subset]))
                asked_for[behavior.name] = asked_for[behavior.name][0].only(free), subset
    components = of_all(asked_for, len(agents))
    asked = list(components.values())
    cruise = _cruise(agents, intention.sets_speed, asked, world.dt)
    combined = COMBINE[group.combining](asked, cruise, agents.max_force)
    force, decided = blend(group.combining, agents, combined, decided, world.dt)
    force = _unhurried(agents, intention, force)
    force = keep_urgent(force, intention.urgent, agents.max_force)
    beyond = partial(left_out, COMBINE[group.combining], asked, cruise, combined, agents.max_force)
    force, corrections, intention, decided = adjust_forces(
        world, agents, group.behaviors, components, force, beyond, intention, decided
    )
    if anybody(np.isfinite(agents.goal[:, 0])) or ERRAND in decided.memories:
        decided = decided.remembering(ERRAND, agents, Errand.of(world, agents, intention))
    return Asked(components, corrections, force, intention), decided.signalling(agents, intention)


def _component(behavior: Behavior, force: Vectors, draws: Keys | None) -> Component:
    drawn = np.zeros(len(force)) if draws is None else uniform(mix(draws, crc32(behavior.name.encode())))
    return Component(force * behavior.weight[:, None], behavior.priority, behavior.weight, behavior.probability, drawn)


def agents_of(state: State, snapshot: Snapshot, world: World, rows: Rows) -> Agents:
    """The vehicles of some rows as behaviors see them."""
    # The rows are distinct: if their number is that of the vehicles, they are all vehicles.
    alone = len(rows) == len(state)
    motion = state.motion if alone else state.motion.take(rows)
    model: VehicleModel = snapshot.vehicle if alone else snapshot.vehicle.take(rows)
    # Quicker than a step cannot be: the force would overshoot and swing.
    if min(smallest(model.response_time), smallest(model.speed_time)) < world.dt:
        model = replace(
            model,
            response_time=np.maximum(model.response_time, world.dt),
            speed_time=np.maximum(model.speed_time, world.dt),
        )
    keys = snapshot.keys if alone else snapshot.keys[rows]
    errand, progress = errands(state), progress_in(state.memories, len(state))
    handling = snapshot.handling if alone else snapshot.handling.take(rows)
    return Agents(
        rows=rows,
        keys=keys,
        crowd_keys=snapshot.crowd_keys if alone else snapshot.crowd_keys[rows],
        numbers=snapshot.numbers if alone else snapshot.numbers[rows],
        position=motion.position,
        velocity=motion.velocity,
        side=motion.side,
        forward=motion.forward,
        up=motion.up,
        speed=magnitude(motion.velocity),
        vehicle=_drifting(model, keys, world.time),
        upward=world.upward if alone else of_rows(world.upward, rows),
        grounded=snapshot.grounded if alone else snapshot.grounded[rows],
        handling=handling,
        stature=handling.stature(world.lift_of(rows)),
        goal=shared(np.nan, 3 * len(rows)).reshape(len(rows), 3),
        stays=stays(snapshot.attendance, rows),
        arrival_distance=arrival_distance(snapshot.attendance, rows),
        arrived=errand.arrived if alone else errand.arrived[rows],
        bound=errand.bound if alone else errand.bound[rows],
        progress=progress if alone else progress[rows],
        intention=nothing_said(len(rows)),
    )


def errands(state: State) -> Errand:
    """The errands of all vehicles in the last step."""
    return Errand.among(state.memories, len(state))


def _drifting(model: VehicleModel, keys: Keys, time: float) -> VehicleModel:
    """The vehicle models with the cruise speeds of this moment, which drift with time for each agent on its own."""
    if not model.drifts:
        return model
    drift = model.pace_drift * smooth_noise(mix(keys, PACE), 1, 1.0 / model.pace_time, time)[0]
    return replace(model, cruise_speed=clamp(model.cruise_speed * (1.0 + drift), 0.0, 1.0))


def _intending(behaviors: Iterable[tuple[Behavior, Memory | None]], world: World, agents: Agents) -> Agents:
    """The agents with what their behaviors say, and with the nearest of the places where those with weight lead.
    `behaviors`: with what each remembers of them."""
    intention, goal = agents.intention, agents.goal
    for behavior, memory in behaviors:
        intention = intention.adding(behavior.intention(world, agents, memory), behavior.weight, agents.max_speed)
        place = behavior.goal(world, agents, memory)
        if place is not None:
            distance = magnitude(place - agents.position)
            nearer = (behavior.weight != 0.0) & (distance < intention.goal_distance)
            goal = np.where(nearer[:, None], place, goal)
            intention = replace(intention, goal_distance=np.where(nearer, distance, intention.goal_distance))
    if intention is agents.intention:
        return agents
    if world.ways is not None:
        # Where its way turns, the ground beyond is not on it.
        straight = world.ways.straight_on(agents.rows, goal)
        intention = replace(intention, goal_distance=np.minimum(intention.goal_distance, straight))
    return replace(agents, intention=intention, goal=goal)


def _draws(group: Deciders, world: World) -> Keys | None:
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


def _unhurried(agents: Agents, intention: Intention, force: Vectors) -> Vectors:
    """The force with which people to whom no behavior gives a speed wish for none above their pace, (n, 3) newtons.

    In a stream each now and then makes way ahead for one who follows. At its own pace it would keep the speed that it
    gains so, and all would soon run.
    """
    own = (agents.handling.side_step > 0.0) & (agents.cruise_speed > 0.0) & ~intention.sets_speed
    if not anybody(own):
        return force
    slows = np.minimum(agents.vehicle.response_time / agents.vehicle.speed_time, 1.0)
    over = np.maximum(agents.speed - agents.cruise_speed, 0.0) * (1.0 - slows)
    wish = agents.velocity + force * (agents.vehicle.response_time / agents.mass)[:, None]
    size, limit = magnitude(wish), agents.cruise_speed + over
    own &= size > limit
    slower = agents.steering_to(wish * (limit / np.maximum(size, EPSILON))[:, None])
    return np.where(own[:, None], slower, force)


def where_present(present: Mask, moved: Vectors, still: Vectors) -> Vectors:
    """`moved` for the vehicles that are `present`, (n,), `still` for the others; (n,) or (n, 3) each."""
    return np.where(present[:, None] if moved.ndim == 2 else present, moved, still)
