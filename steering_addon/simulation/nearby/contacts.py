"""Contacts: bodies that have run into each other, or into an obstacle, are moved apart.

Steering keeps clear if it can; where a crowd is too dense for that, contacts keep bodies out of each other. A pair with
radii r_i, r_j at a distance d overlaps by r_i + r_j - d. Each moves away by its share of the overlap, half if both give
way. A body with k contacts moves by the sum divided by max(CAREFUL k, 1), in PASSES rounds (Jacobi iteration), so that
chains of bodies separate too.

No body moves further than its top speed allows. Of its velocity only the component into the contact is removed, within
what max_force allows, so that no body is thrown back or turned around.
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
"""Rounds in which each body gives way to the bodies that it touches."""
CAREFUL = 0.6
"""A body with k contacts moves by 1 / (CAREFUL k) of their sum: all of it would overshoot."""


def reach_of_contacts(model: VehicleModel, radius: Scalars, dt: float) -> float:
    """The largest distance at which two bodies may touch after a step, metres; 0 if no vehicle is kept apart.

    Args:
        radius: (b,) of all bodies, metres.
        dt: the step, seconds.
    """
    if not anybody(model.keep_apart):
        return 0.0
    return 2.0 * (float(radius.max(initial=0.0)) + float(model.max_speed.max(initial=0.0)) * dt)


def kept_apart(
    model: VehicleModel, present: Mask, world: World, position: Vectors, velocity: Vectors
) -> tuple[Vectors, Vectors]:
    """The positions and velocities of vehicles after a step, without the overlaps it led to.

    Args:
        present: (n,) the vehicles that take part.
        world: the world before the step.
        position, velocity: (n, 3) after the step, metres and m/s.

    Returns:
        position, velocity: (n, 3) each.
    """
    if not anybody(model.keep_apart):
        return position, velocity
    gives_way = model.keep_apart & present & (model.max_speed > 0.0)
    if not gives_way.any():
        return position, velocity
    n = len(position)
    before = picked(world.bodies.position, np.arange(n))
    points = np.concatenate((position, world.bodies.position[n:] + world.bodies.velocity[n:] * world.dt))
    pairs = _Touching.of(model, gives_way, world)
    walls = _Walls.of(model, gives_way, world, position)
    if not len(pairs.first) and not len(walls.row):
        return position, velocity
    for _ in range(PASSES):
        moved = pairs.displacement(points) + walls.displacement(points)
        moved = flattened(picked(moved, np.arange(n)), model)
        if not moved.any():
            break
        points[:n] += moved
    separated = before + truncate(picked(points, np.arange(n)) - before, model.max_speed * world.dt)
    shift = separated - position
    touched = gives_way & (magnitude(shift) > EPSILON)
    if not touched.any():
        return position, velocity
    separated = np.where(touched[:, None], separated, position)
    velocity_before = flattened(picked(world.bodies.velocity, np.arange(n)), model)
    slowed = _slowed(model, velocity_before, velocity, shift, world.dt)
    return separated, np.where(touched[:, None], slowed, velocity)


def _slowed(model: VehicleModel, velocity_before: Vectors, velocity: Vectors, shift: Vectors, dt: float) -> Vectors:
    """The velocities without their components into the contacts, changed by at most max_force / mass * dt; (n, 3).

    Args:
        velocity_before, velocity: (n, 3) before and after the step, m/s.
        shift: (n, 3) the displacement out of the contacts, metres.
        dt: the step, seconds.
    """
    away = unit(shift)
    into = np.maximum(-dot(velocity, away), 0.0)
    change = away * np.minimum(into, magnitude(shift) / dt)[:, None]
    return velocity_before + truncate(velocity + change - velocity_before, model.max_force / model.mass * dt)


@dataclass(frozen=True)
class _Touching:
    """Pairs of bodies that may touch.

    Attributes:
        first, second: (p,) rows of bodies.
        contact: (p,) the sum of their radii, metres.
        first_share, second_share: (p,) the shares of an overlap by which each gives way; they add up to 1.
        side: (b, 3) the direction in which a body moves off another at the same point.
        count: the count of all bodies, b.
    """

    first: Rows
    second: Rows
    contact: Scalars
    first_share: Scalars
    second_share: Scalars
    side: Vectors
    count: int

    @classmethod
    def of(cls, model: VehicleModel, gives_way: Mask, world: World) -> _Touching:
        """The pairs that may touch within a step, at least one of which gives way (n,)."""
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
        contact = bodies.radius[first] + bodies.radius[second]
        reach = contact + stride[first] + stride[second]
        near = np.flatnonzero((distance_squared < reach * reach) & (yields[first] + yields[second] > 0.0))
        first, second = first[near], second[near]
        both = yields[first] + yields[second]
        side = np.zeros((count, 3))
        side[:, 0] = bodies.forward[:, 1]
        side[:, 1] = -bodies.forward[:, 0]
        return cls(first, second, contact[near], yields[first] / both, yields[second] / both, side, count)

    def displacement(self, points: Vectors) -> Vectors:
        """The displacement of each body at points (b, 3) off the bodies that it overlaps, (b, 3) metres."""
        if not len(self.first):
            return no_vectors(self.count)
        offset = picked(points, self.second) - picked(points, self.first)
        distance = magnitude(offset)
        overlap = np.maximum(self.contact - distance, 0.0)
        away = np.where((distance > EPSILON)[:, None], unit(offset), self.side[self.first])
        touches = (overlap > 0.0).astype(np.float64)
        number = totals(self.first, touches, self.count) + totals(self.second, touches, self.count)
        share = 1.0 / np.maximum(CAREFUL * number, 1.0)
        components = []
        for axis in range(3):
            along = away[:, axis] * overlap
            forward = totals(self.second, along * self.second_share, self.count)
            components.append((forward - totals(self.first, along * self.first_share, self.count)) * share)
        return columns(*components)


@dataclass(frozen=True)
class _Walls:
    """Pairs of a vehicle and an obstacle that it may touch.

    Attributes:
        obstacles: all obstacles.
        vehicle, row: (p,) rows of vehicles and of obstacles.
        radius: (p,) of the vehicles, metres.
        count: the count of all bodies, b.
    """

    obstacles: Obstacles
    vehicle: Rows
    row: Rows
    radius: Scalars
    count: int

    @classmethod
    def of(cls, model: VehicleModel, gives_way: Mask, world: World, position: Vectors) -> _Walls:
        """The pairs that may touch within a step, of vehicles at positions (n, 3) that give way (n,)."""
        obstacles, count = world.obstacles, len(world.bodies.radius)
        none = np.zeros(0, dtype=np.int64)
        if not len(obstacles):
            return cls(obstacles, none, none, np.zeros(0), count)
        rows = np.flatnonzero(gives_way)
        reach = (model.radius + model.max_speed * world.dt)[rows]
        vehicle, row = obstacles.near(picked(position, rows), reach)
        vehicle = rows[vehicle]
        others = obstacles.carrier[row] != vehicle
        vehicle, row = vehicle[others], row[others]
        return cls(obstacles, vehicle, row, model.radius[vehicle], count)

    def displacement(self, points: Vectors) -> Vectors:
        """The displacement of each body at points (b, 3) out of the obstacles that it overlaps, (b, 3) metres."""
        if not len(self.row):
            return no_vectors(self.count)
        distance, away = self.obstacles.surface(picked(points, self.vehicle), self.row)
        overlap = np.maximum(self.radius - distance, 0.0)
        return columns(*(totals(self.vehicle, away[:, axis] * overlap, self.count) for axis in range(3)))
