"""Swings: how far long bodies may turn before their ends, or their flanks, run into others.

A body that turns by w about its middle moves a place of its axis at a lever t from that by t w to the left. Towards a
body at a gap g from there, in a unit direction d, it may turn by

    w <= g / (2 t (left . d))

so that both of two that turn towards each other have room. Contacts would push apart what swings into each other, but
bodies on feet give way along their heading and hardly aside: they would end up deep in each other.
"""

import numpy as np

from ..arrays.scalars import EPSILON, Rows, Scalars, anybody, clamp, least_of_each, which
from ..arrays.vectors import columns, dot, magnitude, picked
from ..ground import parted
from ..vehicle import VehicleModel
from ..world import World
from .contacts import reach_of_contacts

SLACK = 0.1
"""How deep ends may get into others, in radii: what stands flank to flank could turn no more."""


def room_to_swing(model: VehicleModel, world: World, swings: Rows) -> tuple[Scalars, Scalars] | None:
    """How far vehicles may turn to the left and to the right in a step, (n,) radians each; inf where nothing is in the
    way, None where nothing is in anybody's. `swings`: (m,) the rows of those that turn about their middles."""
    bodies, n = world.bodies, world.vehicles
    if bodies.half_axis is None or not anybody(model.keep_apart) or not len(swings):
        return None
    long = np.zeros(len(bodies.radius), dtype=np.bool_)
    long[swings] = (model.keep_apart & (bodies.half_axis[:n] > 0.0))[swings]
    lists = world.vicinity.pairs(reach_of_contacts(model, bodies.extent, world.dt))
    none = np.zeros(0, dtype=np.int64)
    first, second = (np.concatenate([none, *(getattr(pairs, end) for pairs in lists)]) for end in ("first", "second"))
    one, other = np.append(first, second), np.append(second, first)
    offset = picked(bodies.position, other) - picked(bodies.position, one)
    near = long[one] & (magnitude(offset) < bodies.extent[one] + bodies.extent[other] + bodies.radius[one])
    near &= ~parted(bodies.position, world.upward, one, other)
    one, other, offset = one[near], other[near], offset[near]
    if not len(one):
        return None
    own, their = picked(bodies.forward, one), picked(bodies.forward, other)
    half, far = bodies.half_axis[one], bodies.half_axis[other]
    levers, ways = [], []
    for end in (1.0, -1.0):
        # From an end of its own to the other's axis, and from its own axis to an end of the other.
        tip = offset - own * (end * half)[:, None]
        levers.append(end * half)
        ways.append(tip + their * clamp(-dot(tip, their), -far, far)[:, None])
        tip = offset + their * (end * far)[:, None]
        levers.append(clamp(dot(tip, own), -half, half))
        ways.append(tip - own * levers[-1][:, None])
    lever, way, who = np.concatenate(levers), np.concatenate(ways), np.tile(one, 4)
    heading, distance = picked(bodies.forward, who), magnitude(way)
    left = columns(-heading[:, 1], heading[:, 0], np.zeros(len(who)))
    closing = lever * dot(left, way) / np.maximum(distance, EPSILON)
    room = distance - np.tile(bodies.radius[one] + bodies.radius[other], 4) + SLACK * bodies.radius[who]
    room = 0.5 * np.maximum(room, 0.0)
    sides = []
    for side in (1.0, -1.0):
        meets = which(side * closing > EPSILON)
        sides.append(least_of_each(n, who[meets], room[meets] / (side * closing[meets])))
    return sides[0], sides[1]
