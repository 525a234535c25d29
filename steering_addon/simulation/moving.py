"""Moving: the bottom layer of the paper, in which bodies make motion of what steering decided.

    locomotion -> guides -> contacts -> stance

Each locomotion moves its vehicles, and guides lead those that an animator moves by hand. Then contacts push bodies
apart, firm regions hold those inside, and then each body finds its stance: where it touches the ground, and how it
stands or leans.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from .adjusting import progress_in
from .arrays.frozen import Columns, replace
from .arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody, clamp, everybody, nobody, which
from .arrays.vectors import Vectors, cross, dot, magnitude, picked, truncate, unit
from .avoiding.jams import JAMMING
from .by_hand import Hands, Led, lead_by_hand
from .decisions import Decisions
from .geometry.regions import Regions
from .ground import level
from .locomotion import Control, Locomotion, Moved, Stance
from .memory import Memory
from .nearby.contacts import brakes_of, push_apart
from .nearby.swings import room_to_swing
from .nearby.walls import STOPS
from .snapshot import Snapshot, State
from .steering import where_present
from .terrain import Terrain
from .vehicle import Motion, Pose, VehicleModel
from .world import World

BESIDE = 0.5
"""Metres beside its way at which a vehicle counts as behind: looking that backs out swings to looking side."""
T = TypeVar("T", bound=Columns)
LEAST = 0.5
"""The least share of a region in which the middles of bodies stay that are large for it."""


@dataclass(frozen=True)
class _BodiesAlike:
    """The vehicles that one locomotion moves. `body`: the locomotion, with columns of their number; `rows`: their rows,
    None for all vehicles; `memory`: what it remembers of them before the step."""

    body: Locomotion
    rows: Rows | None
    memory: Any

    def of(self, columns: T) -> T:
        """Their rows of columns that all vehicles have."""
        return columns if self.rows is None else columns.take(self.rows)

    def placed(self, column: Any, others: Any) -> Any:
        """Their column, among those of the other vehicles."""
        if self.rows is None:
            return column
        merged = others.copy(order="K")
        merged[self.rows] = column
        return merged


def move(
    state: State,
    snapshot: Snapshot,
    world: World,
    terrain: Terrain,
    hands: Hands | None,
    wanted: Vectors,
    decided: Decisions,
    time: float,
) -> State:
    """The state after a step of the clock to `time`, seconds; absent vehicles stay as they are.

    Args:
        snapshot: the vehicles present.
        hands: what leads vehicles by hand; None for nothing.
        wanted: (n, 3) the force decided on, newtons.
    """
    model, dt = snapshot.vehicle, world.dt
    groups = list(_groups(state, snapshot.bodies_present))
    behind = _room_behind(groups, world)
    force = damp(model, state.force, wanted, dt)
    progress = progress_in(decided.memories, len(state))
    signals = decided.heading, behind, decided.warned, decided.goal_distance, decided.hurries, progress < JAMMING.stuck
    on_path = None if world.routed is None else world.routed.path >= 0
    rooms = _room_to_swing(groups, model, world) or (None, None)
    comes_down = decided.comes_down, decided.perch, decided.up
    control = Control(force, decided.speed_limit, *signals, *comes_down, on_path, *rooms)
    driven = [
        each.body.moved(each.of(model), each.of(state.motion), each.of(control), each.of(terrain), each.memory, dt)
        for each in groups
    ]
    moved = _together(state, groups, driven)
    gives_way = snapshot.present
    led = None if hands is None else lead_by_hand(hands, state, snapshot, world, moved)
    if led is not None:
        moved, gives_way = led.moved, gives_way & ~led.hand
    for group, drive in zip(groups, driven):
        if drive.holds is not None:
            gives_way = gives_way & ~group.placed(drive.holds, nobody(len(gives_way)))
    wedged = progress < JAMMING.jammed
    moved, shoved = push_apart(moved, snapshot, world, gives_way, state.shoved, decided.lands, wedged)
    if decided.confined is not None:
        moved = keep_inside(moved, snapshot, world, np.where(gives_way, decided.confined, -1))
    acceleration = (moved.velocity - state.motion.velocity) / dt
    smoothed = snapshot.handling.smoothed(state.smoothed_acceleration, acceleration, dt)
    stances = []
    for group, drive in zip(groups, driven):
        position, velocity = (_rows_of(column, group.rows) for column in (moved.position, moved.velocity))
        pushed = _led(group, replace(drive, position=position, velocity=velocity), led, state.motion, dt)
        steered = _rows_of(smoothed, group.rows)
        stances.append(group.body.stance(group.of(state.motion), pushed, steered, group.of(terrain), dt))
    stood = replace(_with_stances(state, groups, stances), smoothed_acceleration=smoothed)
    if not everybody(snapshot.present):
        stood = _with_absent(snapshot, stood, state)
    return replace(
        stood,
        time=time,
        force=control.force,
        shoved=shoved,
        memories=decided.memories,
        tallies=decided.tallies,
        taken=decided.taken,
        gone=decided.arrivals.gone,
        arrived=decided.arrivals.arrived,
        guidance=state.guidance if led is None else led.memory,
    )


def stand_up(state: State, snapshot: Snapshot) -> State:
    """The state before the first step, in which those present have found their stance on what they stand on."""
    terrain = Terrain(snapshot.surfaces, snapshot.surfaces, snapshot.lift)
    groups, stances = [], []
    for group in _groups(state, snapshot.bodies_present):
        stance = group.body.started(group.of(state.motion), group.of(terrain), group.memory)
        if stance is not None:
            groups.append(group)
            stances.append(stance)
    return _with_stances(state, groups, stances) if groups else state


def set_down(state: State, snapshot: Snapshot, mask: Mask) -> State:
    """The state in which some vehicles, (n,), stand up as before the first step."""
    if not anybody(mask):
        return state
    blank = {name: memory.put(mask, memory.blank(len(which(mask)))) for name, memory in state.bodies.items()}
    alone = replace(snapshot, present=mask)
    return _with_absent(alone, stand_up(replace(state, bodies=blank), alone), state)


def _groups(state: State, alike: Iterable[tuple[Locomotion, Rows | None]]) -> Iterator[_BodiesAlike]:
    """The vehicles of locomotions. `alike`: as of `Fleet.alike`."""
    for body, rows in alike:
        memory = _memory(state.bodies, body, len(state))
        yield _BodiesAlike(body, rows, memory if memory is None or rows is None else memory.take(rows))


def _room_behind(groups: list[_BodiesAlike], world: World) -> Scalars | None:
    """The distances straight back to the nearest vehicle of those that look back, (n,) metres; None if none does."""
    room = None
    for group in groups:
        looks = group.body.looks_back(group.memory)
        if looks is not None and anybody(looks):
            rows = which(looks) if group.rows is None else group.rows[looks]
            room = np.full(world.vehicles, np.inf) if room is None else room
            room[rows] = room_behind(world, rows)
    return room


def _room_to_swing(groups: list[_BodiesAlike], model: VehicleModel, world: World) -> tuple[Scalars, Scalars] | None:
    """How far those that swing their ends may turn, as of `room_to_swing`."""
    if world.bodies.half_axis is None:
        return None
    every = np.arange(world.vehicles)
    rows = [every if group.rows is None else group.rows for group in groups if group.body.swings]
    return room_to_swing(model, world, np.concatenate(rows)) if rows else None


def _led(group: _BodiesAlike, moved: Moved, led: Led | None, before: Motion, dt: float) -> Moved:
    """The bodies of a locomotion after guides have led some of them."""
    if led is None or not anybody(hand := _rows_of(led.hand, group.rows)):
        return moved
    moved = replace(moved, forward=_rows_of(led.moved.forward, group.rows))
    return group.body.led(group.of(before), group.memory, moved, hand, dt)


def _together(state: State, groups: list[_BodiesAlike], driven: list[Moved]) -> Moved:
    """The motion of all vehicles: those that wait take no step, and others meet them where they stand."""
    columns = {name: getattr(state.motion, name) for name in ("position", "velocity", "forward")}
    began = None if all(drive.began is None for drive in driven) else np.full((3, len(state)), np.nan).T
    for group, drive in zip(groups, driven):
        columns = {name: group.placed(getattr(drive, name), column) for name, column in columns.items()}
        if drive.began is not None:
            began = group.placed(drive.began, began)
    return Moved(**columns, began=began)


def _with_stances(state: State, groups: list[_BodiesAlike], stances: list[Stance]) -> State:
    """The state in which the vehicles of some locomotions stand as these found."""
    motion, memories, outputs = state.motion, dict(state.bodies), dict(state.outputs)
    columns = {name: vars(motion)[name] for name in ("position", "velocity", "forward", "up")}
    for group, stance in zip(groups, stances):
        columns = {name: group.placed(getattr(stance, name), column) for name, column in columns.items()}
        if stance.memory is not None:
            memory = _memory(memories, group.body, len(state))
            rows = slice(None) if group.rows is None else group.rows
            memories[group.body.name] = stance.memory if group.rows is None else memory.put(rows, stance.memory)
        for name, values in stance.outputs.items():
            outputs[name] = group.placed(values, outputs.get(name, np.zeros(len(state))))
    side = cross(columns["forward"], columns["up"])
    motion = Motion(columns["position"], columns["velocity"], side, columns["forward"], columns["up"])
    leaning, raised = _pose(motion, groups, stances), _raised(state, groups, stances)
    return replace(state, motion=motion, leaning=leaning, raised=raised, bodies=memories, outputs=outputs)


def _raised(state: State, groups: list[_BodiesAlike], stances: list[Stance]) -> Scalars:
    """By how much bodies are shown higher than they stand, (n,) metres; empty while none is."""
    raised = state.raised
    for group, stance in zip(groups, stances):
        if stance.raised is not None and (len(raised) or anybody(stance.raised != 0.0)):
            raised = group.placed(stance.raised, raised if len(raised) else np.zeros(len(state)))
    return raised


def _pose(motion: Motion, groups: list[_BodiesAlike], stances: list[Stance]) -> Pose | None:
    """The axes in which the bodies are shown; None if they are those of their motion."""
    if all(stance.pose is None for stance in stances):
        return None
    pose = Pose(motion.side, motion.forward, motion.up)
    for group, stance in zip(groups, stances):
        if stance.pose is not None:
            pose = Pose(*(group.placed(vars(stance.pose)[name], column) for name, column in vars(pose).items()))
    return pose


def _memory(bodies: Mapping[str, Memory], body: Locomotion, n: int) -> Any:
    """The memory that a locomotion has of all n vehicles, None if it has none."""
    if body.remembers is None:
        return None
    return bodies.get(body.name) or body.remembers.blank(n)


def _rows_of(column: Any, rows: Rows | None) -> Any:
    if rows is None:
        return column
    return picked(column, rows) if column.ndim == 2 else column[rows]


def _with_absent(snapshot: Snapshot, after: State, before: State) -> State:
    """The state after a step with the absent vehicles as they were before it."""
    pose = after.leaning
    if pose is not None or before.leaning is not None:
        pose = Pose(*_of_those_present(snapshot, after.pose, before.pose))
    return replace(
        after,
        motion=Motion(*_of_those_present(snapshot, after.motion, before.motion)),
        leaning=pose,
        smoothed_acceleration=where_present(
            snapshot.present, after.smoothed_acceleration, before.smoothed_acceleration
        ),
    )


def _of_those_present(snapshot: Snapshot, moved: object, still: object) -> list[Vectors]:
    """The columns of `moved` for the vehicles present and of `still` for the others."""
    return [where_present(snapshot.present, vars(moved)[name], column) for name, column in vars(still).items()]


def damp(model: VehicleModel, before: Vectors, wanted: Vectors, dt: float) -> Vectors:
    """The forces that act, (n, 3) newtons: a low-pass filter of the decided forces (paper, Combining Behaviors).

    It keeps the motion smooth if a vehicle changes between behaviors, or chooses them at random. The filter is
    implicit, and stable for steps of any length. `before`: (n, 3) the forces that acted in the previous step, newtons;
    `wanted`: (n, 3) the forces decided on, newtons.
    """
    if not model.is_damped:
        return wanted
    smoothed = before + (truncate(wanted, model.max_force) - before) * (dt / (dt + model.damping))[:, None]
    return np.where((model.damping > 0.0)[:, None], smoothed, wanted)


def room_behind(world: World, rows: Rows) -> Scalars:
    """The distances straight back to the nearest other vehicle, (m,) metres; inf for none. `rows`: (m,) those of the
    vehicles that look back."""
    bodies, others = world.bodies, world.perceivable
    looking, other = (grid.ravel() for grid in np.meshgrid(rows, others, indexing="ij"))
    half = np.zeros(len(bodies.radius)) if bodies.half_axis is None else bodies.half_axis
    forward, offset = picked(bodies.forward, looking), picked(bodies.position, other) - picked(bodies.position, looking)
    along = dot(offset, forward)
    aside = magnitude(offset - forward * along[:, None])
    cosine = np.minimum(np.abs(dot(forward, picked(bodies.forward, other))), 1.0)
    touching = bodies.radius[looking] + bodies.radius[other]
    beside = touching + half[other] * np.sqrt(1.0 - cosine * cosine) + BESIDE
    room = np.maximum(-along - touching - half[looking] - half[other] * cosine, 0.0)
    counts = (looking != other) & (along < 0.0) & (aside < beside)
    return np.where(counts, room, np.inf).reshape(len(rows), len(others)).min(axis=1, initial=np.inf)


def keep_inside(moved: Moved, snapshot: Snapshot, world: World, confined: Rows) -> Moved:
    """All n vehicles after a step that leads none of them out of its firm region.

    Nobody inside leaves it, whatever steering, contacts or a lack of room to turn lead to. A body brakes before the
    border as before another body (`contacts`), a long one with its ends, stops there and slides along it. One that is
    out on some side gets no further out there, and out on no other; it comes in by steering. `world`: before the step;
    `confined`: (n,) the row of the region that each cannot leave, -1 for none.
    """
    model, grounded, dt = snapshot.vehicle, snapshot.grounded, world.dt
    position, velocity = moved.position.copy(order="K"), moved.velocity.copy(order="K")
    slow, brakes = STOPS * brakes_of(model, np.zeros(len(position))), brakes_of(model, magnitude(velocity))
    for region in np.unique(confined[confined >= 0]).tolist():
        rows = which(confined == region)
        bodies = _Confined.of(model, grounded, world, region, rows)
        end, v, ahead = picked(position, rows), picked(velocity, rows), picked(moved.forward, rows)
        outside = bodies.way_in(picked(world.bodies.position, rows))
        speed, walks = magnitude(v), np.maximum(slow[rows], EPSILON)
        # Faster than that the brakes go with the speed, and the way to stop does.
        way = STOPS * np.where(speed > walks, speed - 0.5 * walks, 0.5 * speed * speed / walks)
        stopping = unit(v) * way[:, None]
        beyond = bodies.way_in_of_all(end + stopping, ahead)
        inward, excess = unit(beyond), magnitude(beyond)
        out, room = -dot(v, inward), -dot(stopping, inward)
        left = way * np.maximum(room - excess, 0.0) / (np.maximum(room, EPSILON) * STOPS)
        slowed = np.where(left > 0.5 * walks, left + 0.5 * walks, np.sqrt(2.0 * walks * left))
        slowed = slowed / np.maximum(speed, EPSILON)
        # The speed that the step has added counts for nothing.
        most = brakes[rows] * dt + np.maximum(out + dot(picked(world.bodies.velocity, rows), inward), 0.0)
        slower = truncate(inward * (np.maximum(out, 0.0) * (1.0 - slowed))[:, None], most)
        end, v = end + slower * dt, v + slower
        back, was_out = bodies.way_in(end), unit(outside)
        back = back - was_out * clamp(dot(back, was_out), 0.0, magnitude(outside))[:, None]
        away = unit(back)
        position[rows] = end + back
        velocity[rows] = v + away * np.maximum(-dot(v, away), 0.0)[:, None]
    return replace(moved, position=position, velocity=velocity)


@dataclass(frozen=True)
class _Confined:
    """Bodies of m vehicles that one region holds.

    Attributes:
        regions, region: all regions, and (m,) the row of that one.
        part: (m, 3) the share of it, along its axes, in which their axes stay.
        half: (m,) half the lengths of these, metres; None if all are spheres.
        upward, keeps_level: (m, 3) and (m,) as of `level`.
    """

    regions: Regions
    region: Rows
    part: Vectors
    half: Scalars | None
    upward: Vectors
    keeps_level: Mask

    @classmethod
    def of(cls, model: VehicleModel, grounded: Mask, world: World, region: int, rows: Rows) -> "_Confined":
        half = np.maximum(world.regions.half[region], EPSILON)
        part = np.maximum(1.0 - model.radius[rows, None] / half, LEAST)
        long = None if model.half_axis is None else model.half_axis[rows]
        row = np.full(len(rows), region)
        return cls(world.regions, row, part, long, picked(world.upward, rows), grounded[rows])

    def way_in(self, places: Vectors) -> Vectors:
        """The ways in from the middles of bodies, (m, 3) metres."""
        return level(self.regions.way_in(places, self.region, self.part), self.upward, self.keeps_level)

    def way_in_of_all(self, places: Vectors, forward: Vectors) -> Vectors:
        """The ways by which bodies with unit headings (m, 3) are inside from end to end, (m, 3) metres."""
        if self.half is None:
            return self.way_in(places)
        axis = forward * self.half[:, None]
        first, second = self.way_in(places + axis), self.way_in(places - axis)
        further = (magnitude(first) >= magnitude(second))[:, None]
        first, second = np.where(further, first, second), np.where(further, second, first)
        along = unit(first)
        # The way in of one end counts for the other as far as that is out on the same side.
        return first + second - along * np.maximum(dot(second, along), 0.0)[:, None]
