"""Contacts: bodies that have run into each other, or into an obstacle, are moved apart.

Steering keeps clear if it can; where a crowd is too dense for that, contacts keep bodies out of each other. A pair with
radii r_i, r_j at a distance d, of their middles or of the axes of capsules, overlaps by r_i + r_j - d. Each moves away
by its share of the overlap: of two that give way, the lighter by more, but who is to stand (Cruise Speed 0) does so
only for who is to stand as well. A body with k contacts moves by the sum divided
by max(CAREFUL k, 1), in PASSES rounds (Jacobi iteration), so that chains of bodies separate too.

Bodies on feet give way along their heading, as `Strides` says.

No body moves further than its top speed allows, on what it stands on. Of its velocity only the component into the
contact is removed, within what max_force allows, so that no body is thrown back or turned around.
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
    which,
)
from ..geometry.capsules import between_axes
from ..geometry.obstacles import Obstacles
from ..ground import level, parted
from ..vehicle import VehicleModel
from ..world import World
from .strides import Strides

PASSES = 30
"""Rounds in which each body gives way to the bodies that it touches."""
ROUNDING = 1e-9
"""The share by which a body at top speed may seem to go further."""
IN_STRIDE = 20
"""Rounds after which those on feet that are still deep in another body are pushed aside as well."""
CAREFUL = 0.6
"""A body with k contacts moves by 1 / (CAREFUL k) of their sum: all of it would overshoot."""


def reach_of_contacts(model: VehicleModel, extent: Scalars, dt: float) -> float:
    """The largest distance at which two bodies may touch after a step, metres; 0 if no vehicle is kept apart.

    Args:
        extent: (b,) from the middle of each body to its furthest end, metres.
        dt: the step, seconds.
    """
    if not anybody(model.keep_apart):
        return 0.0
    return 2.0 * (float(extent.max(initial=0.0)) + float(model.max_speed.max(initial=0.0)) * dt)


def push_apart(
    model: VehicleModel,
    grounded: Mask,
    present: Mask,
    world: World,
    position: Vectors,
    velocity: Vectors,
    forward: Vectors,
    began: Vectors | None = None,
) -> tuple[Vectors, Vectors]:
    """The positions and velocities of vehicles after a step, without the overlaps it led to.

    Args:
        grounded: (n,) the vehicles that keep to the ground.
        present: (n,) the vehicles that take part.
        world: the world before the step.
        position, velocity, forward: (n, 3) after the step, metres, m/s and unit headings.
        began: (n, 3) where the steps of bodies on feet began, metres, nan for other bodies; None if there are none.

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
    strides = Strides.of(began, forward, model.radius, gives_way)
    pairs = _Touching.of(model, gives_way, world, forward)
    walls = _AtWalls.of(model, gives_way, world, position, forward)
    if not len(pairs.first) and not len(walls.row):
        return position, velocity
    for passed in range(PASSES):
        push = pairs.displacement(points)
        moved = strides.taken(points, push, slide=passed >= IN_STRIDE) + walls.displacement(points)
        moved = level(picked(moved, np.arange(n)), world.upward, grounded)
        if not moved.any():
            break
        points[:n] += moved
    furthest = model.max_speed * world.dt
    # What is carried by something faster, or falls, moves from where that has taken it.
    taken = magnitude(position - before) > furthest * (1.0 + ROUNDING)
    if anybody(taken):
        before = np.where(taken[:, None], position - velocity * world.dt, before)
    separated = before + truncate(picked(points, np.arange(n)) - before, furthest)
    shift = separated - position
    touched = gives_way & (magnitude(shift) > EPSILON)
    if not touched.any():
        return position, velocity
    separated = np.where(touched[:, None], separated, position)
    velocity_before = level(picked(world.bodies.velocity, np.arange(n)), world.upward, grounded)
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
class _BodyAxes:
    """The axes of p pairs of capsules.

    Attributes:
        first, second: (p, 3) unit directions.
        half_first, half_second: (p,) half the lengths, metres.
    """

    first: Vectors
    second: Vectors
    half_first: Scalars
    half_second: Scalars

    @classmethod
    def of(cls, world: World, forward: Vectors, first: Rows, second: Rows) -> _BodyAxes | None:
        """The axes of pairs of bodies, of which the vehicles have headings (n, 3); None if all are spheres."""
        half, n = world.bodies.half_axis, len(forward)
        if half is None:
            return None
        axes = np.concatenate((forward, world.bodies.forward[n:]))
        return cls(picked(axes, first), picked(axes, second), half[first], half[second])

    def between(self, offset: Vectors) -> Vectors:
        """The offsets between the nearest points of the axes, from those of their middles; (p, 3) metres."""
        return between_axes(offset, self.first, self.half_first, self.second, self.half_second)


@dataclass(frozen=True)
class _Touching:
    """Pairs of bodies that may touch.

    Attributes:
        first, second: (p,) rows of bodies.
        contact: (p,) the sum of their radii, metres.
        capsules: their axes; None if all bodies are spheres.
        first_share, second_share: (p,) the shares of an overlap by which each gives way; they add up to 1.
        side: (b, 3) the direction in which a body moves off another at the same point.
        count: the count of all bodies, b.
    """

    first: Rows
    second: Rows
    contact: Scalars
    capsules: _BodyAxes | None
    first_share: Scalars
    second_share: Scalars
    side: Vectors
    count: int

    @classmethod
    def of(cls, model: VehicleModel, gives_way: Mask, world: World, forward: Vectors) -> _Touching:
        """The pairs that may touch within a step with headings (n, 3), at least one of which gives way (n,)."""
        bodies = world.bodies
        count = len(bodies.radius)
        yields = np.zeros(count)
        yields[: len(gives_way)] = np.where(gives_way, 1.0 / model.mass, 0.0)
        stride = np.zeros(count)
        stride[: len(gives_way)] = model.max_speed * world.dt
        lists = world.vicinity.pairs(reach_of_contacts(model, bodies.extent, world.dt))
        none = np.zeros(0, dtype=np.int64)
        first, second = (np.concatenate([none, *(getattr(p, end) for p in lists)]) for end in ("first", "second"))
        distance_squared = np.concatenate([np.zeros(0), *(pairs.distance_squared for pairs in lists)])
        contact = bodies.radius[first] + bodies.radius[second]
        extent = bodies.extent
        reach = contact if bodies.half_axis is None else extent[first] + extent[second]
        reach = reach + stride[first] + stride[second]
        near = which((distance_squared < reach * reach) & (yields[first] + yields[second] > 0.0))
        near = near[~parted(bodies.position, world.upward, first[near], second[near])]
        first, second = first[near], second[near]
        stands = np.zeros(count, dtype=np.bool_)
        stands[: len(gives_way)] = gives_way & (model.cruise_speed <= 0.0)
        of_first = _unless_firm(yields, stands, first, second)
        of_second = _unless_firm(yields, stands, second, first)
        both = of_first + of_second
        side = np.zeros((count, 3))
        side[:, 0] = bodies.forward[:, 1]
        side[:, 1] = -bodies.forward[:, 0]
        axes = _BodyAxes.of(world, forward, first, second)
        return cls(first, second, contact[near], axes, of_first / both, of_second / both, side, count)

    def displacement(self, points: Vectors) -> Vectors:
        """The displacement of each body at points (b, 3) off the bodies that it overlaps, (b, 3) metres."""
        if not len(self.first):
            return no_vectors(self.count)
        middles = offset = picked(points, self.second) - picked(points, self.first)
        if self.capsules is not None:
            offset = self.capsules.between(offset)
        distance = magnitude(offset)
        overlap = np.maximum(self.contact - distance, 0.0)
        away = np.where((distance > EPSILON)[:, None], unit(offset), self.side[self.first])
        if self.capsules is not None:
            # Axes that cross have no direction between them.
            crossed = (distance <= EPSILON) & (magnitude(middles) > EPSILON)
            away = np.where(crossed[:, None], unit(middles), away)
        touches = (overlap > 0.0).astype(np.float64)
        number = totals(self.first, touches, self.count) + totals(self.second, touches, self.count)
        share = 1.0 / np.maximum(CAREFUL * number, 1.0)
        components = []
        for axis in range(3):
            along = away[:, axis] * overlap
            forward = totals(self.second, along * self.second_share, self.count)
            components.append((forward - totals(self.first, along * self.first_share, self.count)) * share)
        return columns(*components)


def _unless_firm(yields: Scalars, stands: Mask, rows: Rows, others: Rows) -> Scalars:
    """How far bodies give way to others, (p,); those that stand (b,) do not where the other gives way and goes."""
    firm = stands[rows] & ~stands[others] & (yields[others] > 0.0)
    return np.where(firm, 0.0, yields[rows])


@dataclass(frozen=True)
class _AtWalls:
    """Pairs of a vehicle and an obstacle that it may touch.

    Attributes:
        obstacles: all obstacles.
        vehicle, row: (p,) rows of vehicles and of obstacles.
        radius: (p,) of the vehicles, metres.
        axis: (p, 3) from the middle of the vehicle to the end of its axis, metres; None if all are spheres.
        count: the count of all bodies, b.
    """

    obstacles: Obstacles
    vehicle: Rows
    row: Rows
    radius: Scalars
    axis: Vectors | None
    count: int

    @classmethod
    def of(cls, model: VehicleModel, gives_way: Mask, world: World, position: Vectors, forward: Vectors) -> _AtWalls:
        """The pairs that may touch within a step, of vehicles at positions and headings (n, 3) that give way (n,)."""
        obstacles, count = world.obstacles, len(world.bodies.radius)
        none = np.zeros(0, dtype=np.int64)
        if not len(obstacles):
            return cls(obstacles, none, none, np.zeros(0), None, count)
        rows = which(gives_way)
        half = model.half_axis
        reach = (model.radius + model.max_speed * world.dt)[rows]
        if half is not None:
            reach = reach + half[rows]
        vehicle, row = obstacles.near(picked(position, rows), reach)
        vehicle = rows[vehicle]
        others = obstacles.carrier[row] != vehicle
        vehicle, row = vehicle[others], row[others]
        axis = None if half is None else picked(forward, vehicle) * half[vehicle, None]
        return cls(obstacles, vehicle, row, model.radius[vehicle], axis, count)

    def displacement(self, points: Vectors) -> Vectors:
        """The displacement of each body at points (b, 3) out of the obstacles that it overlaps, (b, 3) metres."""
        if not len(self.row):
            return no_vectors(self.count)
        places = picked(points, self.vehicle)
        if self.axis is None:
            distance, away = self.obstacles.surface(places, self.row)
        else:
            distance, away = self.obstacles.surface_of_capsules(places, self.axis, self.radius, self.row)
        overlap = np.maximum(self.radius - distance, 0.0)
        return columns(*(totals(self.vehicle, away[:, axis] * overlap, self.count) for axis in range(3)))
