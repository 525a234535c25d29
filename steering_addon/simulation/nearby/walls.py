"""Walls: the obstacles that bodies run into, out of which contacts keep them."""

from dataclasses import dataclass

import numpy as np

from ..arrays.frozen import replace
from ..arrays.scalars import Mask, Rows, Scalars, totals, which
from ..arrays.vectors import Vectors, columns, no_vectors, picked
from ..geometry.obstacles import Obstacles
from ..geometry.stature import Stature
from ..handling import Handling
from ..vehicle import VehicleModel
from ..world import World

STOPS = 0.25
"""Seconds in which contacts may stop a body at top speed: six frames of film, as less is seen as a jerk."""
STEEP = 0.7
"""Share of a way out of an obstacle that leads up or down from which on who stands goes aside instead."""


def room_to_brake(gap: Scalars, brakes: Scalars) -> Scalars:
    """The gaps that a step has to leave, so that the next ones, each shorter by `brakes`, lead no further; (p,) metres.

    A way w, then w - b, w - 2 b and so on, with brakes b, leads (w + w^2 / b) / 2 in all.
    """
    way = brakes * (np.sqrt(0.25 + 2.0 * gap / brakes) - 0.5)
    return np.maximum(gap - way, 0.0)


@dataclass(frozen=True)
class AtWalls:
    """Pairs of a vehicle and an obstacle that it may touch.

    Attributes:
        obstacles: all obstacles.
        vehicle, row: (p,) rows of vehicles and of obstacles.
        radius: (p,) to which the vehicles keep out: theirs, or where one is to stand nearer than that, metres.
        room: (p,) what the step has to leave of the gap, to brake, metres.
        axis: (p, 3) from the middle of the vehicle to the end of its axis, metres; None if all are spheres.
        stature: how tall the vehicles stand, (p,).
        count: the count of all bodies, b.
    """

    obstacles: Obstacles
    vehicle: Rows
    row: Rows
    radius: Scalars
    room: Scalars
    axis: Vectors | None
    stature: Stature
    count: int

    @classmethod
    def of(
        cls,
        model: VehicleModel,
        handling: Handling,
        gives_way: Mask,
        brakes: Scalars,
        world: World,
        position: Vectors,
        forward: Vectors,
        lands: Vectors | None,
    ) -> "AtWalls":
        """The pairs that may touch within a step, or have to brake: of vehicles that give way (n,). `position`,
        `forward`: (n, 3) after the step, metres and unit headings; `lands`: (n, 3) as of `push_apart`."""
        obstacles, count = world.obstacles, len(world.bodies.radius)
        none = np.zeros(0, dtype=np.int64)
        stature, rows = handling.stature(world.lift_of(np.arange(len(position)))), which(gives_way)
        nowhere = cls(obstacles, none, none, np.zeros(0), np.zeros(0), None, stature, count)
        if not len(obstacles):
            return nowhere
        half = model.half_axis
        reach = model.radius + model.max_speed * (world.dt + 0.5 * STOPS)
        if half is not None:
            reach = reach + half
        vehicle, row = obstacles.near(picked(position, rows), reach[rows], stature.take(rows))
        vehicle = rows[vehicle]
        others = obstacles.carrier[row] != vehicle
        vehicle, row = vehicle[others], row[others]
        if not len(vehicle):
            return nowhere
        stature = stature.take(vehicle)
        # The box about a room holds all who are in it, most of them far from its walls.
        near = which(obstacles.surface(picked(position, vehicle), row, stature)[0] < reach[vehicle])
        if not len(near):
            return nowhere
        vehicle, row, stature = vehicle[near], row[near], stature.take(near)
        axis = None if half is None else picked(forward, vehicle) * half[vehicle, None]
        radius = model.radius[vehicle]
        if lands is not None:
            landing = which(np.isfinite(lands[vehicle, 0]))
            gap, _ = obstacles.surface(picked(lands, vehicle[landing]), row[landing], stature.take(landing))
            radius[landing] = np.minimum(radius[landing], gap)
        before = cls(obstacles, vehicle, row, radius, np.zeros(len(row)), axis, stature, count)
        gap = np.maximum(before._clearance(picked(world.bodies.position, vehicle))[0], 0.0)
        return replace(before, room=room_to_brake(gap, brakes[vehicle] * world.dt * world.dt))

    def displacement(self, points: Vectors, *, brakes: bool) -> Vectors:
        """The displacement of each body at points (b, 3) out of the obstacles that it overlaps, (b, 3) metres.
        `brakes`: whether out of the room that it needs to brake as well."""
        if not len(self.row):
            return no_vectors(self.count)
        clearance, away = self._clearance(picked(points, self.vehicle))
        overlap = np.maximum((self.room if brakes else 0.0) - clearance, 0.0)
        return columns(*(totals(self.vehicle, away[:, axis] * overlap, self.count) for axis in range(3)))

    def _clearance(self, places: Vectors) -> tuple[Scalars, Vectors]:
        """How far the vehicles at places (p, 3) are from the obstacles, (p,) metres, and the unit directions out."""
        if self.axis is None:
            distance, away = self.obstacles.surface(places, self.row, self.stature)
        else:
            distance, away = self.obstacles.surface_of_capsules(places, self.axis, self.radius, self.row, self.stature)
        stands, within = self.stature.head > self.stature.feet, distance < self.radius
        lying = which((np.abs(away[:, 2]) > STEEP) & within & stands)
        if len(lying):
            # Nobody who stands gets out of a table top upward.
            some = picked(places, lying), self.row[lying], self.radius[lying], self.stature.take(lying)
            far, aside = self.obstacles.way_aside(*some)
            out = np.isfinite(far)
            distance[lying[out]], away[lying[out]] = -far[out], aside[out]
        return distance - self.radius, away
