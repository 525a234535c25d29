"""Minding: the top layer of the paper, in which vehicles choose what to want (Introduction, action selection).

    calls -> choice -> what that changes

Each vehicle is in a state of its crowd, or in none. What it then follows goes to steering, and what it then can goes to
locomotion.
"""

from __future__ import annotations

import numpy as np

from .arrays.frozen import replace
from .arrays.vectors import Mask, Scalars, magnitude, nobody
from .minds.choosing import chosen
from .minds.declaring import Meeting
from .minds.following import arriving_again, bodies_in_modes, forgetting, locomotions_in_modes
from .minds.mindset import Mindset
from .presence.arrivals import Errand
from .snapshot import Snapshot, State
from .steering import errands
from .world import World

STANDS = 0.1
"""Share of cruise speed below which a vehicle with somewhere to go does not get on."""


def minded(state: State, snapshot: Snapshot, world: World) -> tuple[State, Snapshot]:
    """The state in which all have made up their minds, and the snapshot with the bodies that they have then."""
    minds = snapshot.minds
    if not minds:
        return state, snapshot
    most = 1 + max(len(mind.modes) for mind in minds)
    before = state.mindset or Mindset.blank(len(state), most, world.time)
    velocity = state.motion.velocity
    speed = magnitude(velocity)
    errand = errands(state)
    before = replace(before, idle=_idle(errand, snapshot, before, speed, world.dt))
    after, arrived, left_alone = before, _arrived(errand, state), _left_alone(snapshot, before, len(world.bodies.crowd))
    for mind in minds:
        rows = np.flatnonzero((snapshot.crowd == mind.crowd) & snapshot.present)
        if len(rows) and mind.modes:
            meeting = Meeting(world, before, snapshot.crowd, rows, arrived, velocity, left_alone)
            after = after.put(rows, chosen(mind, meeting, snapshot.keys[rows]))
    memories = forgetting(state.memories, snapshot, before, after)
    reached = arriving_again(state.arrived, minds, snapshot.crowd, before, after)
    part = after.taken_up(world.time, world.dt)
    vehicle = bodies_in_modes(snapshot, after, part, speed, world.dt)
    if vehicle is not snapshot.vehicle:
        snapshot = replace(snapshot, vehicle=vehicle)
    locomotions = locomotions_in_modes(snapshot, after, part)
    if locomotions is not snapshot.locomotions:
        snapshot = replace(snapshot, locomotions=locomotions)
    return replace(state, mindset=after, memories=memories, arrived=reached), snapshot


def _arrived(errand: Errand, state: State) -> Mask:
    """The vehicles that are where a behavior leads them, (n,)."""
    arrived = errand.arrived
    for mask in state.arrived.values():
        arrived = arrived | mask
    return arrived


def _left_alone(snapshot: Snapshot, before: Mindset, bodies: int) -> Mask:
    """Those of a number of bodies that are vehicles in states in which they are left alone, (b,)."""
    if not any(mode.numbers.left_alone[0] for mind in snapshot.minds for mode in mind.modes):
        return nobody(bodies)
    left_alone = np.zeros(bodies, dtype=np.bool_)
    for mind in snapshot.minds:
        of_mode = np.array([False, *(bool(mode.numbers.left_alone[0]) for mode in mind.modes)])
        rows = np.flatnonzero(snapshot.crowd == mind.crowd)
        left_alone[rows] = of_mode[before.mode[rows]]
    return left_alone


def _idle(errand: Errand, snapshot: Snapshot, before: Mindset, speed: Scalars, dt: float) -> Scalars:
    """For how long each vehicle has had somewhere to go and did not get on, (n,) seconds."""
    model = snapshot.vehicle
    stands = errand.bound & (speed < STANDS * model.cruise_speed * model.max_speed)
    return np.where(stands, before.idle + dt, 0.0)
