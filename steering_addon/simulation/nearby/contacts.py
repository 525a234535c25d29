"""Contacts: bodies that have run into each other, or into an obstacle, are moved apart.

Steering keeps clear as well as it can; where a crowd is too dense for that, this is what keeps feet on the ground and
bodies out of each other. Nobody is moved faster than it could go, and what is taken from a velocity is no more than
what leads into the contact: nobody is thrown back, or turned round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays.vectors import (
    EPSILON,
    Mask,
    Rows,
    Scalars,
    Vectors,
    anybody,
    columns,
    dot,
    magnitude,
    no_vectors,
    picked,
    totals,
    truncate,
    unit,
)
from ..geometry.obstacles import Obstacles
from ..vehicle import VehicleModel, flattened
from ..world import World

PASSES = 10
"""Rounds in which everybody gives way to whom it touches."""
CAREFUL = 0.6
"""Who touches several gives way by this share of the sum: all together would be too much."""


def reach_of_contacts(model: VehicleModel, radius: Scalars, dt: float) -> float:
    """How far apart two bodies that may touch after a step can be now, metres; 0 where nobody is kept apart.

    Args:
        radius: (b,) of all bodies, metres.
    """
    if not anybody(model.keep_apart):
        return 0.0
    return 2.0 * (float(radius.max(initial=0.0)) + float(model.max_speed.max(initial=0.0)) * dt)


def kept_apart(
    model: VehicleModel, present: Mask, world: World, position: Vectors, velocity: Vectors
) -> tuple[Vectors, Vectors]:
    """The positions and velocities of vehicles after a step, moved off whomever and whatever they have run into.

    Each gives way by half of the overlap, to who does not give way by all of it; in a few rounds, so that chains of
    them come apart too. In a step nobody goes further than its top speed allows, and no velocity changes more than
    max_force allows.

    Args:
        present: (n,) who takes part.
        world: what there was before the step.
        position, velocity: (n, 3) after it.
    """
    if not anybody(model.keep_apart):
        return position, velocity
    gives_way = model.keep_apart & present & (model.max_speed > 0.0)
    if not gives_way.any():
        return position, velocity
    n = len(position)
    before = picked(world.bodies.position, np.arange(n))
    places = np.concatenate((position, world.bodies.position[n:] + world.bodies.velocity[n:] * world.dt))
    pairs = _Touching.of(model, gives_way, world)
    walls = _Walls.of(model, gives_way, world, position)
    if not len(pairs.first) and not len(walls.row):
        return position, velocity
    for _ in range(PASSES):
        moved = pairs.apart(places) + walls.off(places)
        moved = flattened(picked(moved, np.arange(n)), model)
        if not moved.any():
            break
        places[:n] += moved
    found = before + truncate(picked(places, np.arange(n)) - before, model.max_speed * world.dt)
    off = found - position
    touched = gives_way & (magnitude(off) > EPSILON)
    if not touched.any():
        return position, velocity
    found = np.where(touched[:, None], found, position)
    was = flattened(picked(world.bodies.velocity, np.arange(n)), model)
    return found, np.where(touched[:, None], _slowed(model, was, velocity, off, world.dt), velocity)


def _slowed(model: VehicleModel, was: Vectors, velocity: Vectors, off: Vectors, dt: float) -> Vectors:
    """The velocities without what of them led into the contacts, as far as max_force allows from what they were."""
    away = unit(off)
    into = np.maximum(-dot(velocity, away), 0.0)
    change = away * np.minimum(into, magnitude(off) / dt)[:, None]
    return was + truncate(velocity + change - was, model.max_force / model.mass * dt)


@dataclass(frozen=True)
class _Touching:
    """Pairs of bodies that may touch.

    Attributes:
        first, second: (p,) rows of bodies.
        apart_at: (p,) the distance at which they only just touch, metres.
        part: (p,) how much of an overlap the first gives way; the second has the rest, or as much.
        other: (p,) that of the second.
        side: (b, 3) which way who is in the very place of another steps aside.
        count: how many bodies there are.
    """

    first: Rows
    second: Rows
    apart_at: Scalars
    part: Scalars
    other: Scalars
    side: Vectors
    count: int

    @classmethod
    def of(cls, model: VehicleModel, gives_way: Mask, world: World) -> _Touching:
        bodies = world.bodies
        count = len(bodies.radius)
        yields = np.zeros(count)
        yields[: len(gives_way)] = gives_way
        stride = np.zeros(count)
        stride[: len(gives_way)] = model.max_speed * world.dt
        lists = world.vicinity.pairs(reach_of_contacts(model, bodies.radius, world.dt))
        none = np.zeros(0, dtype=np.int64)
        first, second = (np.concatenate([none, *(getattr(p, end) for p in lists)]) for end in ("first", "second"))
        distance_squared = np.concatenate([np.zeros(0), *(pairs.distance_squared for pairs in lists)])
        apart_at = bodies.radius[first] + bodies.radius[second]
        reach = apart_at + stride[first] + stride[second]
        near = np.flatnonzero((distance_squared < reach * reach) & (yields[first] + yields[second] > 0.0))
        first, second = first[near], second[near]
        both = yields[first] + yields[second]
        side = np.zeros((count, 3))
        side[:, 0] = bodies.forward[:, 1]
        side[:, 1] = -bodies.forward[:, 0]
        return cls(first, second, apart_at[near], yields[first] / both, yields[second] / both, side, count)

    def apart(self, places: Vectors) -> Vectors:
        """What moves each body off those it overlaps, (b, 3) metres."""
        if not len(self.first):
            return no_vectors(self.count)
        offset = picked(places, self.second) - picked(places, self.first)
        distance = magnitude(offset)
        overlap = np.maximum(self.apart_at - distance, 0.0)
        away = np.where((distance > EPSILON)[:, None], unit(offset), self.side[self.first])
        touches = (overlap > 0.0).astype(np.float64)
        number = totals(self.first, touches, self.count) + totals(self.second, touches, self.count)
        share = 1.0 / np.maximum(CAREFUL * number, 1.0)
        moved = []
        for axis in range(3):
            along = away[:, axis] * overlap
            back = totals(self.second, along * self.other, self.count) - totals(
                self.first, along * self.part, self.count
            )
            moved.append(back * share)
        return columns(*moved)


@dataclass(frozen=True)
class _Walls:
    """Pairs of a vehicle and an obstacle that it may touch.

    Attributes:
        obstacles: all there are.
        vehicle, row: (p,) rows of vehicles and of obstacles.
        radius: (p,) of the vehicles, metres.
        count: how many bodies there are.
    """

    obstacles: Obstacles
    vehicle: Rows
    row: Rows
    radius: Scalars
    count: int

    @classmethod
    def of(cls, model: VehicleModel, gives_way: Mask, world: World, position: Vectors) -> _Walls:
        obstacles, count = world.obstacles, len(world.bodies.radius)
        none = np.zeros(0, dtype=np.int64)
        if not len(obstacles):
            return cls(obstacles, none, none, np.zeros(0), count)
        who = np.flatnonzero(gives_way)
        reach = (model.radius + model.max_speed * world.dt)[who]
        vehicle, row = obstacles.near(picked(position, who), reach)
        vehicle = who[vehicle]
        others = obstacles.carrier[row] != vehicle
        vehicle, row = vehicle[others], row[others]
        return cls(obstacles, vehicle, row, model.radius[vehicle], count)

    def off(self, places: Vectors) -> Vectors:
        """What moves each body off the obstacles it is in, (b, 3) metres."""
        if not len(self.row):
            return no_vectors(self.count)
        distance, away = self.obstacles.surface(picked(places, self.vehicle), self.row)
        overlap = np.maximum(self.radius - distance, 0.0)
        return columns(*(totals(self.vehicle, away[:, axis] * overlap, self.count) for axis in range(3)))
