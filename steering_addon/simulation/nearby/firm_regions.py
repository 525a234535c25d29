"""Firm regions: nobody inside leaves them, whatever steering, contacts or a lack of room to turn lead to.

A body brakes before the border as before another body (`contacts`), stops there and slides along it. One outside gets
no further out, and comes in by steering.
"""

import numpy as np

from ..arrays.scalars import EPSILON, Mask, Rows, largest, which
from ..arrays.vectors import Vectors, dot, magnitude, picked, truncate, unit
from ..ground import level
from ..vehicle import VehicleModel
from ..world import World
from .contacts import brakes_of

LEAST = 0.5
"""The least share of a region in which the middles of bodies stay that are large for it."""


def keep_inside(
    model: VehicleModel, grounded: Mask, world: World, confined: Rows, position: Vectors, velocity: Vectors
) -> tuple[Vectors, Vectors]:
    """The positions and velocities of vehicles after a step that leads none of them out of its region.

    Args:
        grounded: (n,) the vehicles that keep to the ground.
        world: the world before the step.
        confined: (n,) the row of the region that each cannot leave, -1 for none.
        position, velocity: (n, 3) after the step, metres, m/s.
    """
    position, velocity, dt = position.copy(order="K"), velocity.copy(order="K"), world.dt
    brakes = brakes_of(model)
    for region in np.unique(confined[confined >= 0]).tolist():
        rows = which(confined == region)
        row = np.full(len(rows), region)
        part = max(1.0 - largest(model.radius[rows]) / max(float(world.regions.size(row[:1])[0]), EPSILON), LEAST)
        upward, keeps_level = picked(world.upward, rows), grounded[rows]
        place, v = picked(position, rows), picked(velocity, rows)
        before = picked(world.bodies.position, rows)
        outside = magnitude(level(world.regions.way_in(before, row, part), upward, keeps_level))
        stopping = v * (0.5 * magnitude(v) / np.maximum(brakes[rows], EPSILON))[:, None]
        beyond = level(world.regions.way_in(place + stopping, row, part), upward, keeps_level)
        inward, excess = unit(beyond), magnitude(beyond)
        out, room = -dot(v, inward), -dot(stopping, inward)
        # The way to stop goes with the square of the speed.
        kept = np.sqrt(np.maximum(room - excess, 0.0) / np.maximum(room, EPSILON))
        slower = truncate(inward * (np.maximum(out, 0.0) * (1.0 - kept))[:, None], brakes[rows] * dt)
        place, v = place + slower * dt, v + slower
        back = level(world.regions.way_in(place, row, part), upward, keeps_level)
        away, further = unit(back), np.maximum(magnitude(back) - outside, 0.0)
        position[rows] = place + away * further[:, None]
        velocity[rows] = v + away * np.where(further > 0.0, np.maximum(-dot(v, away), 0.0), 0.0)[:, None]
    return position, velocity
