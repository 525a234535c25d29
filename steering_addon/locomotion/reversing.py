"""Reversing: what drivers do, as a table of states, and how the driver of a car that has no room ahead backs out.

    drive -> stand -> back out with opposite wheel -> stand -> turn off with full wheel -> drive

A driver is in the first of STATES that holds. CHANGES says what changes its state, after a pause in which it stands.
Whether there is room is asked of the way that the car would take, with the wheels turning from where they are: what
stands still there, ground that ends, and ground that is too steep. Turning off takes a quarter of the smallest circle.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..simulation.arrays.frozen import replace
from ..simulation.arrays.once import once
from ..simulation.arrays.scalars import EPSILON, Mask, Scalars, all_of, anybody, clamp, nobody, shared
from ..simulation.arrays.vectors import Vectors, dot, magnitude, truncate
from ..simulation.declaration import Choice
from ..simulation.ground import left_of, upright
from ..simulation.locomotion import WHEEL_SPEED
from ..simulation.maneuvers.braking import COMFORT, speed_within
from ..simulation.terrain import Terrain
from ..simulation.vehicle import VehicleModel
from .course import WALK, Car
from .driving import FULL_LOCK, STILL, Driving, PedalFoot

REVERSES = (
    Choice("NEVER", 0, "Never", "Only drive forward"),
    Choice("ALLOW", 1, "Allow", "Back out at walking pace where there is no room ahead, and drive on"),
)
"""Whether a driver backs out, with the numbers stored in files."""
NEVER, ALLOW = (c.number for c in REVERSES)

AHEAD = 0.5
"""The cosine between heading and wish below which a car drives round to what is beside or behind it."""
SETS_OFF, FIRM = 0.1, 0.5
"""The wished speed, as a share of top speed, below which a car that stands does not set off to drive round, unless
steering asks for more than this share of its strength."""
ROUND = 0.7
"""The speed at which a car drives round, as a share of the fastest one in its smallest circle."""
SLOW = 5.0
"""The speed below which a driver who may back out looks along the way of the wheels, m/s; above it straight ahead."""
BLOCKED = 0.4
"""Metres of room below which a driver stops."""
TIGHT = 0.8
"""Metres of room ahead below which a car that stands has none."""
WORTHWHILE = 0.5
"""Metres of room behind from which backing out is worthwhile."""
LOOKS_BACK = 3.0
"""How far a driver who backs out looks, metres."""
FAR = 1e6
"""Metres; room beyond makes no difference."""
SHIFT = 0.5
"""Seconds for which a car stands before it changes between forward and reverse."""
GIVES_UP = 3.0
"""Seconds for which it stands before other vehicles until it turns off from them."""
QUARTER = 0.5 * np.pi
"""Radians for which there has to be room to turn off."""
ONWARD = 2.0
"""How far the way has to be free on which steering leads before a car no longer turns off, in such quarters."""
MORE = 1.0
"""Metres by which there has to be more room on one side than on the other to make a difference."""
MOST = 3.0
"""How far a car backs out at most, in radii of its smallest circle."""


@dataclass(frozen=True)
class Room:
    """Where n cars have room, metres; inf where their drivers see nothing in the way.

    Attributes:
        ahead, behind: (n,) on the way that they would take, forward and backward.
        left, right: (n,) forward with fully turned wheels.
        onward: (n,) forward as steering asks, were they not turning off.
        side: (n,) to which they turn off, 1 left, -1 right.
    """

    ahead: Scalars
    behind: Scalars
    left: Scalars
    right: Scalars
    onward: Scalars
    side: Scalars

    @property
    def to_turn_off(self) -> Mask:
        """(n,) who has room to turn off."""
        return ~np.isfinite(np.where(self.side < 0.0, self.right, self.left))


@dataclass(frozen=True)
class Drivers:
    """The inputs that decide on the wheels and the gears of n cars in a step.

    Attributes:
        model: what the cars have to move with.
        memory: what is remembered of each.
        may: (n,) who may back out.
        push: (n, 3) what steering asks for along the ground, m/s2.
        heading: (n, 3) level unit vectors.
        speed: (n,) m/s, the way that the gear goes.
        limit: (n,) m/s down to which they have to brake; None for none.
        on_path: (n,) who follows a path, and waits on it for others; None for nobody.
        sharpest: (n,) the largest curvature, 1/m.
        comfort: (n,) the sideways acceleration that they accept, m/s2.
        room: where those who may back out have room; None before they have looked.
    """

    model: VehicleModel
    memory: Driving
    may: Mask
    push: Vectors
    heading: Vectors
    speed: Scalars
    limit: Scalars | None
    on_path: Mask | None
    sharpest: Scalars
    comfort: Scalars
    reaction: Scalars
    pedal_time: Scalars
    room: Room | None = None

    @once
    def strongest(self) -> Scalars:
        """(n,) the strongest acceleration, m/s2."""
        return self.model.max_force / self.model.mass

    @once
    def brakes(self) -> Scalars:
        """(n,) the braking that they plan with, m/s2."""
        return COMFORT * self.model.max_force / self.model.mass

    @once
    def stopping_distance(self) -> Scalars:
        """(n,) metres that they go until they stand if they brake, after a reaction time."""
        return self.speed * (self.speed / (2.0 * np.maximum(self.brakes, EPSILON)) + self.reaction)

    def speed_to_stop_within(self, room: Scalars) -> Scalars:
        """The speeds from which they can stop within (n,) metres, (n,) m/s."""
        return speed_within(self.brakes, self.reaction, room)

    @once
    def circle(self) -> Scalars:
        """(n,) the radius of the smallest circle, metres."""
        return 1.0 / self.sharpest

    @once
    def aside(self) -> Scalars:
        """(n,) what steering asks for to the left, m/s2."""
        return dot(self.push, left_of(self.heading, upright(len(self.speed))))

    @once
    def asked(self) -> Scalars:
        """(n,) the side to which steering asks them to turn: 1 left, -1 right."""
        # Straight back, rounding alone would say where to turn.
        return np.where(self.aside < -EPSILON, -1.0, 1.0)

    @once
    def wish(self) -> Vectors:
        """(n, 3) the velocities to which the steering force leads within the response time, m/s."""
        change: Vectors = truncate(self.push, self.strongest) * self.model.response_time[:, None]
        wish: Vectors = self.heading * self.speed[:, None]
        return wish + change

    @once
    def wished(self) -> Scalars:
        """(n,) m/s."""
        return magnitude(self.wish)

    @once
    def is_asked_back(self) -> Mask:
        """(n,) whether steering asks them to what is beside or behind them."""
        return dot(self.wish, self.heading) < AHEAD * self.wished

    @once
    def stands(self) -> Mask:
        return self.speed <= EPSILON

    @once
    def turns_off(self) -> Mask:
        """(n,) who has backed out, and turns off from where there was no room."""
        return (self.memory.leaving > 0.0) & ~self.memory.backs

    @once
    def least(self) -> Scalars:
        """(n,) the wished speeds above which they set off, m/s."""
        return np.minimum(SETS_OFF * self.model.max_speed, FIRM * self.strongest * self.model.response_time)

    @once
    def wants(self) -> Mask:
        """(n,) whether steering wants them to go, and no other vehicle makes them wait."""
        wants = self.wished > self.least
        return wants if self.limit is None else wants & (self.limit > np.maximum(STILL, self.least))

    @once
    def is_held(self) -> Mask:
        """(n,) who stands on no path, and only other vehicles make it wait."""
        held = self.stands & (self.wished > self.least) & ~self.wants
        return held if self.on_path is None else held & ~self.on_path

    @once
    def may_shift(self) -> Mask:
        """(n,) who may have to change between forward and reverse."""
        memory, stands = self.memory, (self.stands & self.wants) | self.is_held
        return self.may & (memory.backs | self.turns_off | (memory.straight > 0.0) | stands)

    @once
    def pushed(self) -> Scalars:
        """(n,) forward on a free road, m/s2: as steering asks, or to the speed at which they go round."""
        going_round = self.is_asked_back | (self.memory.straight > 0.0) | (self.memory.leaving > 0.0)
        going_round &= self.wished > self.least
        fastest = np.sqrt(self.comfort / np.maximum(self.sharpest, EPSILON))
        round_speed = np.minimum(ROUND * fastest, self.wished)
        along = dot(self.push, self.heading)
        return np.where(going_round, (round_speed - self.speed) / self.model.response_time, along)

    @once
    def wanted(self) -> Scalars:
        """(n,) the curvature to which they turn the wheels, 1/m; positive to the left."""
        return curvature(self, STATES)

    @once
    def is_out(self) -> Mask:
        """(n,) who is in reverse and has room to turn off, or none behind."""
        memory, room = self.memory, self._seen
        ends = (room.behind < BLOCKED) | (memory.backed > MOST * self.circle)
        return ends | (room.to_turn_off & (memory.straight <= 0.0))

    @once
    def is_in_a_dead_end(self) -> Mask:
        """(n,) who stands, wants to go, and has no way ahead but room to back out or to turn off."""
        memory, room = self.memory, self._seen
        # The wheels turn meanwhile, and there may be more room on the way that they would take then.
        has_no_way = (room.ahead < TIGHT) | (memory.straight > 0.0) | (memory.stuck > 0.0)
        has_no_way = self.is_held | (self.wants & self.stands & has_no_way)
        return ~memory.backs & has_no_way & ((room.behind > WORTHWHILE) | room.to_turn_off)

    @property
    def _seen(self) -> Room:
        assert self.room is not None
        return self.room

    def allowed(self, edge: Scalars) -> Scalars:
        """The speeds that the room ahead allows, (n,) m/s, or the ground straight ahead, `edge` (n,) m/s."""
        if self.room is None:
            return edge
        ahead = self.room.ahead
        allowed = self.speed_to_stop_within(np.minimum(ahead, FAR))
        # Before it backs out of a circle round its goal, it stands.
        leaves_circle = (self.memory.straight > 0.0) & (self.room.behind > WORTHWHILE)
        allowed = np.where((ahead < BLOCKED) | leaves_circle, 0.0, allowed)
        return np.where(self.may & (self.speed < SLOW), allowed, edge)

    def pedals(self, forward: Scalars, foot: PedalFoot, dt: float) -> tuple[Scalars, PedalFoot]:
        """The accelerations in the direction of the gears, (n,) m/s2, and the feet, from those of driving forward."""
        if self.room is None:
            return forward, foot
        memory, strongest, pedals = self.memory, self.strongest, np.maximum(self.pedal_time, dt)
        stops = self.is_out | (self.stands & (memory.stuck > 0.0))
        backward = np.sqrt(2.0 * self.brakes * clamp(self.room.behind - BLOCKED, 0.0, FAR))
        backward = np.where(stops, 0.0, np.minimum(np.minimum(backward, self.model.max_speed), WALK))
        before, change = memory.sense * memory.acceleration, strongest * dt / pedals
        along = (backward - self.speed) / pedals
        along = np.where((backward <= 0.0) & (self.speed < STILL), -self.speed / dt, along)
        along = clamp(clamp(along, -strongest, strongest), before - change, before + change)
        braking = np.where(memory.backs, backward <= 0.0, foot.braking)
        return np.where(memory.backs, along, forward), PedalFoot(braking, np.where(memory.backs, 0.0, foot.reacting))


class DrivingState(NamedTuple):
    """A row of STATES: who is in it, (n,), and the curvature to which they turn the wheels, (n,) 1/m."""

    name: str
    holds: Callable[[Drivers], Mask]
    curvature: Callable[[Drivers], Scalars]


class Change(NamedTuple):
    """A row of CHANGES: for whom it is due, (n,), how long they stand before, (n,) seconds, and what is remembered."""

    name: str
    due: Callable[[Drivers], Mask]
    pause: Callable[[Drivers], Scalars]
    memory: Callable[[Drivers], Driving]


def _everyone(d: Drivers) -> Mask:
    return all_of(len(d.speed))


def _as_asked(d: Drivers) -> Scalars:
    """A sideways force f at a speed v asks for the curvature f / (mass v^2)."""
    square = np.maximum(d.speed * d.speed, WHEEL_SPEED * WHEEL_SPEED)
    return clamp(d.aside / square, -d.sharpest, d.sharpest)


def _backing_out(d: Drivers) -> Driving:
    """It backs out until its goal is no longer within its circle, or those before whom it stood are no longer ahead."""
    straight = np.where((d.memory.straight > 0.0) | d.is_held, d.circle, 0.0)
    nothing = np.zeros(len(d.speed))
    return replace(d.memory, backs=_everyone(d), backed=nothing, leaving=nothing, side=d._seen.side, straight=straight)


FORWARD = (
    DrivingState("drive out of a circle", lambda d: d.memory.straight > 0.0, lambda d: np.zeros(len(d.speed))),
    DrivingState("drive round", lambda d: d.is_asked_back, lambda d: d.asked * d.sharpest),
    DrivingState("drive", _everyone, _as_asked),
)
STATES = (
    # It turns its wheels for the next way while it stands: on a short one they would still be turning at its end.
    DrivingState(
        "change gear",
        lambda d: d.may & (d.memory.stuck > 0.0) & ~d.is_held,
        lambda d: np.where(d.memory.backs, d.memory.side, -d._seen.side) * d.sharpest,
    ),
    DrivingState("back out", lambda d: d.memory.backs, lambda d: -d.memory.side * d.sharpest),
    DrivingState("turn off", lambda d: d.turns_off, lambda d: d.memory.side * d.sharpest),
    *FORWARD,
)
CHANGES = (
    Change(
        "back out",
        lambda d: d.is_in_a_dead_end,
        lambda d: np.where(d.is_held, GIVES_UP, d.reaction + SHIFT),
        _backing_out,
    ),
    Change(
        "turn off",
        lambda d: d.memory.backs & d.stands & d.is_out,
        lambda d: shared(SHIFT, len(d.speed)),
        lambda d: replace(
            d.memory, backs=nobody(len(d.speed)), leaving=QUARTER * d.circle, straight=np.zeros(len(d.speed))
        ),
    ),
    Change(
        "drive on",
        lambda d: d.turns_off & ~np.isfinite(d._seen.onward),
        lambda d: shared(-np.inf, len(d.speed)),
        lambda d: replace(d.memory, leaving=np.zeros(len(d.speed))),
    ),
)


def curvature(d: Drivers, states: tuple[DrivingState, ...]) -> Scalars:
    """The curvature of the first of some states that holds, (n,) 1/m."""
    wanted = np.zeros(len(d.speed))
    for state in reversed(states):
        holds = state.holds(d)
        if anybody(holds):
            wanted = np.where(holds, state.curvature(d), wanted)
    return wanted


def change_states(d: Drivers, dt: float) -> Driving:
    """The memory once drivers have changed their states, or begun to; the first change that is due counts."""
    memory, waits = d.memory, d.memory.stuck + dt
    undecided, stuck = d.may, np.zeros(len(d.speed))
    for change in CHANGES:
        due = undecided & change.due(d)
        if anybody(due):
            changing = due & (waits > change.pause(d))
            undecided, stuck = undecided & ~due, np.where(due & ~changing, waits, stuck)
            if anybody(changing):
                memory = memory.put(changing, change.memory(d).take(changing))
    stuck = np.where(d.may, stuck, memory.stuck)
    side = np.where(memory.backs | (memory.leaving > 0.0), memory.side, 0.0)
    return replace(memory, stuck=stuck, side=side, wound=np.where(memory.backs, 0.0, memory.wound))


def look_for_room(d: Drivers, car: Car, terrain: Terrain, behind: Scalars | None) -> Drivers:
    """The drivers who know where they have room. `behind`: (n,) metres straight back to the nearest vehicle, inf for
    none; None if no driver looks back."""
    n, memory = len(d.speed), d.memory
    lock, quarter, asks = d.sharpest * car.wheelbase, QUARTER * d.circle, curvature(d, FORWARD) * car.wheelbase
    tangent = np.where(d.turns_off, memory.side * lock, asks)
    along = np.where(d.turns_off, 0.0, 1.0)
    ahead = car.room(terrain, tangent, d.stopping_distance + WORTHWHILE + BLOCKED, 1.0, along)
    free = shared(np.inf, n)
    if not anybody(d.may_shift):
        return replace(d, room=Room(ahead, np.zeros(n), free, free, free, memory.side))
    left, right = (car.room(terrain, side * lock, quarter, 1.0, 0.0) for side in (1.0, -1.0))
    onward = car.room(terrain, asks, ONWARD * quarter, 1.0)
    onward = np.where(np.abs(asks) < FULL_LOCK * lock, onward, 0.0)
    # Still the same, or where there is more room, or where steering asks.
    roomier = np.where(left > right + MORE, 1.0, np.where(right > left + MORE, -1.0, d.asked))
    side = np.where(memory.side != 0.0, memory.side, roomier)
    backward = car.room(terrain, -side * lock, shared(LOOKS_BACK, n), -1.0, 0.0)
    backward = backward if behind is None else np.minimum(backward, behind)
    return replace(d, room=Room(ahead, backward, left, right, onward, side))
