"""Sensing: the picture of the world that all vehicles decide from, at a moment between two frames.

What the scene says at the two frames is interpolated; what a vehicle carries moves with that vehicle.
"""

from collections.abc import Mapping

import numpy as np

from .arrays.frozen import replace
from .arrays.scalars import Mask, Rows, Scalars, anybody, everybody, largest, nobody, shared, which
from .arrays.vectors import Vectors, across, cross, in_columns, no_vectors, picked, squared, unit, unit_or
from .bodies import Bodies
from .geometry.obstacles import Obstacles
from .geometry.regions import Regions
from .geometry.surfaces import surfaces_between
from .ground import UP, of_rows, upright
from .lane_use import Passing, Routed, Yielding
from .memory import memory_among, recently
from .nearby.contacts import reach_of_contacts
from .nearby.neighbors import Vicinity
from .partners import Partners
from .perches import Perches
from .presence.arrivals import Errand
from .roles import Role
from .settling import Settling
from .snapshot import Snapshot, State, Tracked, handling_of, vehicle_of
from .stations import Station
from .terrain import Terrain
from .vehicle import Motion
from .ways.over_ground import find_ways
from .ways.planning import Planned
from .world import World


def world_at(state: State, before: Snapshot, after: Snapshot, fraction: float) -> World:
    """The world as vehicles see it at a fraction of the time between two frames. `before`: the snapshot of the first
    frame, of the vehicles present; `fraction`: the fraction, from 0 to below 1."""
    motion, away, model = _carriers(state), state.away, vehicle_of(state, before)
    seen = before if model is before.vehicle else replace(before, vehicle=model)
    bodies = bodies_at(state, seen, after, fraction)
    visible = which(bodies.present & ((bodies.roles & int(Role.VEHICLE)) != 0))
    followed = np.bincount(before.settings_row, minlength=len(before.settings)).tolist()
    distances = tuple(
        largest(getattr(behavior, behavior.sees))
        for settings, number in zip(before.settings, followed)
        if number
        for behavior in settings.behaviors
        if behavior.sees
    )
    dt = before.frame_time / before.substeps
    contacts = reach_of_contacts(before.vehicle, bodies.extent, dt)
    vicinity = Vicinity(bodies.position, bodies.forward, visible, (*distances, contacts))
    obstacles = _obstacles_at(motion, away, before.obstacles, after.obstacles, fraction, before.frame_time)
    regions = _regions_at(before.regions, after.regions, fraction)
    return World(
        state.time,
        dt,
        before.interval,
        bodies,
        obstacles,
        before.paths,
        regions,
        before.flows,
        before.shapes,
        vicinity,
        before.candidates,
        before.frame_time,
        len(state),
        state.tallies,
        upward_of(state, before),
        bodies if state.began is None else state.began,
        slope_of(state, before),
        find_ways(
            *(
                before.surfaces,
                obstacles,
                before.vehicle.radius,
                handling_of(state, before),
                before.lift,
                state.traffic,
            ),
            *(before.links, before.vehicle.cruise_speed * before.vehicle.max_speed, before.vehicle.half_axis),
        ),
        _perches_at(motion, before, after, fraction),
        before.lift,
        memory_among(Partners, state.memories.values()),
        memory_among(Settling, state.memories.values()),
        memory_among(Station, state.memories.values()),
        memory_among(Routed, state.memories.values()),
        memory_among(Yielding, state.memories.values()),
        before.signals,
        _passing(state, before.interval),
        *_ways_left(state, before, len(bodies.present)),
        model.cruise_speed * model.max_speed,
    )


def _passing(state: State, interval: float) -> Passing | None:
    """The passages as of `World` of those who looked when they were to decide last. `interval`: as of `World`."""
    passing = memory_among(Passing, state.memories.values())
    if passing is None:
        return None
    recent = recently(passing.asked, state.time, interval)
    if everybody(recent):
        return passing
    place, middle = (np.where(recent[:, None], column, np.nan) for column in (passing.place, passing.middle))
    return replace(passing, place=place, middle=middle)


def _ways_left(state: State, snapshot: Snapshot, bodies: int) -> tuple[Scalars, Vectors]:
    """`way_left` and `goal` as of `World`. Over surfaces goals are as far away as the ways are long."""
    way_left, goal = np.full(bodies, np.nan), no_vectors(bodies)
    errand = memory_among(Errand, state.memories.values())
    planned = memory_among(Planned, state.memories.values())
    if errand is not None:
        further = planned.further if planned is not None and not len(snapshot.surfaces) else 1.0
        way_left[: len(state)] = np.where(errand.bound, errand.left * further, np.nan)
        goal[: len(state)] = errand.goal
    return way_left, goal


def bodies_at(state: State, before: Snapshot, after: Snapshot, fraction: float) -> Bodies:
    """The bodies in the world as of `world_at`."""
    bodies, tracked = _bodies(state, before), before.tracked
    if not len(tracked.roles):
        return bodies
    return _joined(
        bodies,
        replace(tracked, present=_with_carrier(tracked.present, tracked.carrier, state.away)),
        tracked.amount - state.taken if len(state.taken) else tracked.amount,
        before.half_axes,
        _tracked_at(_carriers(state), tracked, after.tracked, fraction, before.frame_time),
    )


def upward_of(state: State, snapshot: Snapshot) -> Vectors:
    """The unit vectors away from what each vehicle keeps to, (n, 3); where that is the z axis for all, stored once."""
    n = len(state)
    upwards = upright(n)
    for body, rows in snapshot.fleet.alike:
        memory = body.remembers and (state.bodies.get(body.name) or body.remembers.blank(n))
        upward = body.upward(memory)
        if upward is None:
            continue
        if rows is not None:
            upward = of_rows(upward, rows)
        if (upward[:1] == UP).all() and (upward == UP).all():
            continue
        if rows is None:
            upwards = upward
        else:
            upwards = in_columns(upwards)
            upwards[rows] = upward
    return upwards


def slope_of(state: State, snapshot: Snapshot) -> Vectors | None:
    """The normals of the ground on which each vehicle walks, (n, 3); None where none walks on any."""
    slopes: Vectors | None = None
    if not len(snapshot.surfaces):
        return slopes
    for body, rows in snapshot.fleet.alike:
        memory = state.bodies.get(body.name)
        slope = None if memory is None else body.slope(memory)
        if slope is None:
            continue
        if rows is None:
            return slope
        slopes = in_columns(upright(len(state))).copy(order="K") if slopes is None else slopes
        slopes[rows] = picked(slope, rows)
    return slopes


def terrain_at(before: Snapshot, after: Snapshot, substep: int, obstacles: Obstacles) -> Terrain:
    """The ground of vehicles during a step between two frames."""
    if not len(after.surfaces):
        return Terrain(after.surfaces, after.surfaces, after.lift, obstacles)
    ends = (fraction / before.substeps for fraction in (substep, substep + 1))
    begin, end = (surfaces_between(before.surfaces, after.surfaces, fraction) for fraction in ends)
    return Terrain(begin, end, after.lift, obstacles)


def _bodies(state: State, snapshot: Snapshot) -> Bodies:
    """The vehicles as others see them."""
    motion, model = state.motion, snapshot.vehicle
    stands = model.keep_apart & (model.cruise_speed <= 0.0) & (model.max_speed > 0.0)
    return Bodies(
        position=motion.position,
        velocity=motion.velocity,
        acceleration=state.smoothed_acceleration,
        forward=motion.forward,
        up=motion.up,
        spin=no_vectors(len(motion.forward)),
        radius=model.radius,
        roles=snapshot.roles,
        present=snapshot.present,
        crowd=snapshot.crowd,
        left=shared(np.inf, len(snapshot.present)),
        half_axis=model.half_axis,
        stands=stands if anybody(stands) else None,
    )


def _joined(
    bodies: Bodies, tracked: Tracked, left: Scalars, half_axis: Scalars | None, moving: Mapping[str, Vectors]
) -> Bodies:
    """The bodies followed by the tracked ones; a resource that has run out is marked absent. `moving`: the vectors (k,
    3) of the tracked ones, by name."""
    return Bodies(
        **{name: np.concatenate((getattr(bodies, name).T, v.T), axis=1).T for name, v in moving.items()},
        radius=np.concatenate((bodies.radius, tracked.radius)),
        roles=np.concatenate((bodies.roles, tracked.roles)),
        present=np.concatenate((bodies.present, tracked.present & (left > 0.0))),
        crowd=np.concatenate((bodies.crowd, tracked.crowd)),
        left=np.concatenate((bodies.left, left)),
        half_axis=half_axis,
        stands=None if bodies.stands is None else np.concatenate((bodies.stands, nobody(len(left)))),
    )


def _regions_at(before: Regions, after: Regions, fraction: float) -> Regions:
    """The regions at a fraction of the time between two frames; they turn at the frames only."""
    if not len(before):
        return before
    return replace(
        before,
        centre=before.centre + (after.centre - before.centre) * fraction,
        half=before.half + (after.half - before.half) * fraction,
    )


def _carriers(state: State) -> Motion:
    """The motion of the vehicles, in the axes in which they are shown: so they carry what is fixed to them."""
    if state.leaning is None:
        return state.motion
    return replace(state.motion, **vars(state.leaning))


def _carried(motion: Motion, local: Vectors, carrier: Rows) -> Vectors:
    """Offsets given in the local space of their carriers, in world space."""
    row = np.maximum(carrier, 0)
    return motion.side[row] * local[:, :1] + motion.forward[row] * local[:, 1:2] + motion.up[row] * local[:, 2:]


def _with_carrier(present: Mask, carrier: Rows, away: Mask) -> Mask:
    """(n,) whether each thing is present; what is fixed to an absent vehicle is absent too."""
    if not anybody(away):
        return present
    return present & ~((carrier >= 0) & away[np.maximum(carrier, 0)])


def _placed(motion: Motion, points: Vectors, carrier: Rows) -> Vectors:
    """Points in world space; those of carried things are given in the local space of their carriers."""
    fixed: Mask = carrier >= 0
    if not fixed.any():
        return points
    return np.where(fixed[:, None], motion.position[np.maximum(carrier, 0)] + _carried(motion, points, carrier), points)


def _velocity(motion: Motion, before: Vectors, after: Vectors, carrier: Rows, frame_time: float) -> Vectors:
    velocity = (after - before) / frame_time
    fixed: Mask = carrier >= 0
    if not fixed.any():
        return velocity
    return np.where(fixed[:, None], motion.velocity[np.maximum(carrier, 0)], velocity)


def _tracked_at(
    motion: Motion, before: Tracked, after: Tracked, fraction: float, frame_time: float
) -> Mapping[str, Vectors]:
    """The vectors of the tracked bodies, (k, 3) by name, at a fraction of the time between two frames."""
    position = before.position + (after.position - before.position) * fraction
    carrier = before.carrier
    forward, up, spin = before.forward, before.up, no_vectors(len(position))
    if (forward != after.forward).any() or (up != after.up).any():
        spin = _spin((forward, up), (after.forward, after.up), frame_time)
        if fraction > 0.0:
            forward = unit_or(forward + (after.forward - forward) * fraction, forward)
            up = unit(across(up + (after.up - up) * fraction, forward))
    fixed: Mask = carrier >= 0
    if fixed.any():
        forward = np.where(fixed[:, None], _carried(motion, forward, carrier), forward)
        up = np.where(fixed[:, None], _carried(motion, up, carrier), up)
        spin = np.where(fixed[:, None], 0.0, spin)
    return {
        "position": _placed(motion, position, carrier),
        "velocity": _velocity(motion, before.position, after.position, carrier, frame_time),
        "acceleration": no_vectors(len(position)),
        "forward": forward,
        "up": up,
        "spin": spin,
    }


def _spin(before: tuple[Vectors, Vectors], after: tuple[Vectors, Vectors], frame_time: float) -> Vectors:
    """How fast forward and up axes turn, (k, 3), as of `Bodies`."""
    pairs = ((*before, cross(*before)), (*after, cross(*after)))
    forward, up, side = (cross(a, b) for a, b in zip(*pairs))
    return (forward + up + side) / (2.0 * frame_time)


def _perches_at(motion: Motion, before: Snapshot, after: Snapshot, fraction: float) -> Perches:
    """The places to come down on in world space, with the rows of their bodies, at a fraction of the time."""
    perches, later = before.perches, after.perches
    if not len(perches.body):
        return perches
    carrier = before.tracked.carrier[perches.body]
    ends = later.position if len(later.body) == len(perches.body) else perches.position
    position = perches.position + (ends - perches.position) * fraction
    return Perches(
        perches.body + len(before.present),
        _placed(motion, position, carrier),
        np.where((carrier >= 0)[:, None], _carried(motion, perches.along, carrier), perches.along),
        _velocity(motion, perches.position, ends, carrier, before.frame_time),
        perches.room,
    )


def _obstacles_at(
    motion: Motion, away: Mask, before: Obstacles, after: Obstacles, fraction: float, frame_time: float
) -> Obstacles:
    """The obstacles in world space at a fraction of the time between two frames."""
    if before is after and not (before.carrier >= 0).any():
        return before.at_rest
    start = before.start + (after.start - before.start) * fraction
    end = before.end + (after.end - before.end) * fraction
    middle_before, middle_after = (before.start + before.end) / 2.0, (after.start + after.end) / 2.0
    moved = replace(
        before,
        start=_placed(motion, start, before.carrier),
        end=_placed(motion, end, before.carrier),
        velocity=_velocity(motion, middle_before, middle_after, before.carrier, frame_time),
        present=_with_carrier(before.present, before.carrier, away),
    )
    return moved if before.plain.all() else _turned(moved, motion, before, after, fraction, frame_time)


def _turned(
    moved: Obstacles, motion: Motion, before: Obstacles, after: Obstacles, fraction: float, frame_time: float
) -> Obstacles:
    """The obstacles with their size and rotation at a fraction of the time between two frames."""
    axes = squared(before.axes + (after.axes - before.axes) * fraction)
    x, y, z = (cross(before.axes[:, axis], after.axes[:, axis]) for axis in range(3))
    spin = (x + y + z) / (2.0 * frame_time)
    fixed: Mask = before.carrier >= 0
    if fixed.any():
        carried = np.stack([_carried(motion, axes[:, axis], before.carrier) for axis in range(3)], axis=1)
        axes = np.where(fixed[:, None, None], carried, axes)
    return replace(
        moved,
        axes=axes,
        half=before.half + (after.half - before.half) * fraction,
        radius=before.radius + (after.radius - before.radius) * fraction,
        spin=np.where(fixed[:, None], 0.0, spin),
    )
