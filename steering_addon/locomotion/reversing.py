"""Reversing: how the driver of a car that has no room ahead backs out, and drives on.

    drives -> stands -> backs out with opposite wheel -> stands -> turns off with full wheel -> drives

Whether there is room is asked of the way that the car would take, with the wheels turning from where they are: what
stands still there, ground that ends, and ground that is too steep. Turning off takes a quarter of the smallest circle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.frozen import replace
from ..simulation.arrays.vectors import (
    EPSILON,
    Mask,
    Scalars,
    Vectors,
    anybody,
    clamp,
    columns,
    magnitude,
    picked,
    shared,
)
from ..simulation.declaration import Choice
from ..simulation.ground import left_of, upright
from ..simulation.terrain import Terrain
from ..simulation.vehicle import VehicleModel
from .driver import FULL_LOCK, KEPT, RISES, STILL, Foot
from .driving import Driving
from .headings import turned_left

REVERSES = (
    Choice("NEVER", 0, "Never", "Only drive forward"),
    Choice("ALLOW", 1, "Allow", "Back out at walking pace where there is no room ahead, and drive on"),
)
"""Whether a driver backs out, with the numbers stored in files."""
NEVER, ALLOW = (c.number for c in REVERSES)

WALK = 1.4
"""The fastest speed backwards, m/s."""
SLOW = 5.0
"""The speed below which a driver who may back out looks along the way of the wheels, m/s; above it straight ahead."""
LOOKS = 12
"""Places on its way at which a driver looks for what stands there."""
CLEAR = 0.2
"""Metres that the sides of a body keep from what stands beside its way."""
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
QUARTER = 0.5 * np.pi
"""Radians for which there has to be room to turn off."""
ONWARD = 2.0
"""How far the way has to be free on which steering leads before a car no longer turns off, in such quarters."""
MORE = 1.0
"""Metres by which there has to be more room on one side than on the other to make a difference."""
MOST = 3.0
"""How far a car backs out at most, in radii of its smallest circle."""


@dataclass(frozen=True)
class Car:
    """How n cars stand, for the way before or behind them.

    Attributes:
        rear: (n, 3) the middles of the rear axles, metres, at the height of the origins.
        heading: (n, 3) level unit vectors.
        tangent: (n,) of the angles of the front wheels.
        wheelbase, track: (n,) metres.
        wheel_rate: (n,) the fastest turn of the front wheels, rad/s.
        half, radius: (n,) half the axis and the radius of the bodies, metres.
        height: (n,) metres, of the ground in the middle.
        grade, lean: (n,) metres that the ground rises for each metre ahead and to the left.
        within: metres above and below the expected height within which the ground is found.
    """

    rear: Vectors
    heading: Vectors
    tangent: Scalars
    wheelbase: Scalars
    track: Scalars
    wheel_rate: Scalars
    half: Scalars
    radius: Scalars
    height: Scalars
    grade: Scalars
    lean: Scalars
    within: float

    def room(
        self, terrain: Terrain, wanted: Scalars, way: Scalars, sense: float, stops: Mask, cosine: Scalars | None
    ) -> Scalars:
        """How far the cars can go, (n,) metres; inf if nothing is in the way where they look.

        Args:
            wanted: (n,) the tangents to which the front wheels turn.
            way: (n,) how far they look, metres.
            sense: 1 forward, -1 backward.
            stops: (n,) those for whom the end of the ground counts.
            cosine: (n,) of the steepest slope that each may drive on; None if none of the ground is too steep.
        """
        step: Scalars = way / LOOKS
        rear, heading, tangent = self.rear, self.heading, self.tangent
        rears, headings, n = [rear], [heading], len(way)
        for _ in range(LOOKS):
            most = self.wheel_rate * step / WALK * (1.0 + tangent * tangent)
            tangent = clamp(wanted, tangent - most, tangent + most)
            turn = sense * tangent / self.wheelbase * step
            left = left_of(heading, upright(n))
            rear = rear + turned_left(heading, left, 0.5 * turn) * (sense * step)[:, None]
            heading = turned_left(heading, left, turn)
            rears.append(rear)
            headings.append(heading)
        course = replace(self, rear=np.concatenate(rears), heading=np.concatenate(headings))
        blocked = self._runs_into(course, terrain, way)
        if len(terrain.after):
            blocked |= self._lacks_ground(course, terrain, step, sense, stops, cosine)
        places = np.arange(LOOKS)[:, None] * step
        room: Scalars = np.where(blocked, places, np.inf).min(axis=0)
        return room

    def _runs_into(self, course: Car, terrain: Terrain, way: Scalars) -> Mask:
        """Whether bodies come near what stands still, (LOOKS, n); what moves, they wait for.

        Args:
            course: the cars at all places of their ways, where they are now first; (LOOKS + 1) n.
            way: (n,) metres.
        """
        n, things = len(way), terrain.obstacles
        blocked: Mask = np.zeros((LOOKS, n), dtype=np.bool_)
        if things is None or not len(things):
            return blocked
        middle = self.rear + self.heading * (0.5 * self.wheelbase)[:, None]
        car, thing = things.near(middle, way + self.half + self.radius + CLEAR)
        stays = (things.carrier[thing] < 0) & (magnitude(things.velocity)[thing] == 0.0)
        car, thing = car[stays], thing[stays]
        if not len(car):
            return blocked
        everywhere = (np.arange(LOOKS + 1)[:, None] * n + car).ravel()
        rear, heading = picked(course.rear, everywhere), picked(course.heading, everywhere)
        half, axle = (np.tile(column[car], LOOKS + 1) for column in (self.half, 0.5 * self.wheelbase))
        for share in (-1.0, 0.0, 1.0):
            at = rear + heading * (axle + share * half)[:, None]
            distance = things.surface(at, np.tile(thing, LOOKS + 1))[0].reshape(LOOKS + 1, len(car))
            # What a car touches already, it may leave.
            near = (distance[1:] < self.radius[car] + CLEAR) & (distance[1:] < distance[0] - EPSILON)
            place, pair = near.nonzero()
            blocked[place, car[pair]] = True
        return blocked

    def _lacks_ground(
        self, course: Car, terrain: Terrain, step: Scalars, sense: float, stops: Mask, cosine: Scalars | None
    ) -> Mask:
        """Whether the ground before the leading corners of the bodies ends or is too steep, (LOOKS, n).

        Args:
            course: as for `_runs_into`.
            step: (n,) metres between the places.
        """
        n = len(step)
        rear, heading = course.rear[n:], course.heading[n:]
        end = np.maximum(self.half + self.radius, 0.5 * self.wheelbase) + KEPT
        gone = (np.arange(1, LOOKS + 1)[:, None] * step).ravel()
        ends, axle, track = (np.tile(column, LOOKS) for column in (end, 0.5 * self.wheelbase, self.track))
        left = left_of(heading, upright(len(heading)))
        rises = np.tile(self.height, LOOKS) + np.tile(self.grade, LOOKS) * (sense * (gone + ends))
        reach = self.within + RISES * (gone + ends)
        lacks: Mask = np.zeros(len(gone), dtype=np.bool_)
        for side in (-0.5, 0.5):
            at = rear + heading * (axle + sense * ends)[:, None] + left * (side * track)[:, None]
            expected = rises + np.tile(self.lean * self.track, LOOKS) * side
            ground = terrain.after.under(at[:, 0], at[:, 1], expected, reach, reach).triangle
            lacks = lacks | (np.tile(stops, LOOKS) & (ground < 0))
            if cosine is not None:
                lacks = lacks | (terrain.after.levelness(ground) < np.tile(cosine, LOOKS))
        both: Mask = lacks.reshape(LOOKS, n)
        return both


@dataclass(frozen=True)
class Room:
    """Where n cars have room, metres; inf where their drivers see nothing in the way.

    Attributes:
        ahead, behind: (n,) on the way that they would take, forward and backward.
        left, right: (n,) forward with fully turned wheels.
        onward: (n,) forward as steering asks, were they not turning off.
    """

    ahead: Scalars
    behind: Scalars
    left: Scalars
    right: Scalars
    onward: Scalars


@dataclass(frozen=True)
class Driver:
    """What n drivers do and know.

    Attributes:
        may: (n,) who may back out.
        sharpest: (n,) the largest curvature, 1/m.
        brakes: (n,) the braking that they plan with, m/s2.
        reaction: (n,) seconds.
        fastest: (n,) top speed, m/s.
        stops: (n,) who stops at edges of the ground.
        on_ground: (n,) who stands on a surface: no driver backs over its edge.
        asked: (n,) the side to which steering asks them to turn, 1 left, -1 right.
        behind: (n,) metres straight back to the nearest vehicle, inf for none.
        cosine: (n,) of the steepest slope that each may drive on; None if none of the ground is too steep.
    """

    may: Mask
    sharpest: Scalars
    brakes: Scalars
    reaction: Scalars
    fastest: Scalars
    stops: Mask
    on_ground: Mask
    asked: Scalars
    behind: Scalars
    cosine: Scalars | None


def side_to_leave(memory: Driving, room: Room, asked: Scalars) -> Scalars:
    """To which side cars turn off, (n,) 1 left, -1 right: where there is more room, otherwise where steering asks."""
    left, right = room.left > room.right + MORE, room.right > room.left + MORE
    more = np.where(left, 1.0, np.where(right, -1.0, asked))
    return np.where(memory.side != 0.0, memory.side, more)


def shifted(
    memory: Driving, room: Room, side: Scalars, speed: Scalars, wants: Mask, pause: Scalars, circle: Scalars, dt: float
) -> Driving:
    """What is remembered once drivers have changed between forward and reverse, or begun to.

    Args:
        side: (n,) to which each turns off, as of `side_to_leave`.
        speed: (n,) m/s.
        wants: (n,) whether steering wants it to go, and no other vehicle is in the way.
        pause: (n,) for which a car stands before it backs out, seconds.
        circle: (n,) radii of their smallest circles, metres.
    """
    stands = speed <= EPSILON
    hindered = ~memory.backs & wants & stands & ((room.ahead < TIGHT) | (memory.straight > 0.0))
    hindered &= room.behind > WORTHWHILE
    done = memory.backs & stands & stops_backing(memory, room, circle)
    stuck = np.where(hindered | done, memory.stuck + dt, 0.0)
    begins, ends = hindered & (stuck > pause), done & (stuck > SHIFT)
    backs = (memory.backs | begins) & ~ends
    leaving = np.where(ends, QUARTER * circle, np.where(begins, 0.0, memory.leaving))
    turned_off = ~backs & ~ends & ~(stuck > 0.0) & ((leaving <= 0.0) | ~np.isfinite(room.onward))
    return replace(
        memory,
        backs=backs,
        stuck=np.where(begins | ends, 0.0, stuck),
        backed=np.where(begins, 0.0, memory.backed),
        leaving=np.where(turned_off, 0.0, leaving),
        side=np.where(turned_off, 0.0, np.where(begins, side, memory.side)),
        # It backs out until its goal is no longer within its circle.
        straight=np.where(begins & (memory.straight > 0.0), circle, np.where(begins | ends, 0.0, memory.straight)),
        wound=np.where(backs, 0.0, memory.wound),
    )


def stops_backing(memory: Driving, room: Room, circle: Scalars) -> Mask:
    """Whether cars that back out have room to turn off, or none behind, (n,)."""
    off = np.where(memory.side < 0.0, room.right, room.left)
    ends = (room.behind < BLOCKED) | (memory.backed > MOST * circle)
    mask: Mask = ends | (~np.isfinite(off) & (memory.straight <= 0.0))
    return mask


@dataclass(frozen=True)
class Backing:
    """What becomes of a step of n cars of which some drivers may back out.

    Attributes:
        may: (n,) who may.
        memory: what is remembered before the step, with the gear in which it is taken.
        wanted: (n,) the curvature to which the wheels turn, 1/m.
        ahead: (n,) the speed that the room ahead allows, m/s.
        backward: (n,) the speed wanted in reverse, m/s; 0 to stand.
    """

    may: Mask
    memory: Driving
    wanted: Scalars
    ahead: Scalars
    backward: Scalars

    def allowed(self, edge: Scalars, speed: Scalars) -> Scalars:
        """The speeds that what is ahead allows, (n,) m/s.

        Args:
            edge: (n,) those that the ground straight ahead allows, m/s.
            speed: (n,) m/s.
        """
        return np.where(self.may & (speed < SLOW), self.ahead, edge)

    def pedals(
        self, forward: Scalars, foot: Foot, model: VehicleModel, speed: Scalars, pedal_time: Scalars, dt: float
    ) -> tuple[Scalars, Foot]:
        """The accelerations the way that each gear goes, (n,) m/s2, and the feet.

        Args:
            forward, foot: those of cars that do not back out.
            speed: (n,) m/s.
            pedal_time: (n,) seconds.
        """
        memory, strongest = self.memory, model.max_force / model.mass
        before, change = memory.sense * memory.acceleration, strongest * dt / np.maximum(pedal_time, dt)
        along = (self.backward - speed) / np.maximum(pedal_time, dt)
        along = np.where((self.backward <= 0.0) & (speed < STILL), -speed / dt, along)
        along = clamp(clamp(along, -strongest, strongest), before - change, before + change)
        holds = np.where(memory.backs, self.backward <= 0.0, foot.braking)
        reacting = np.where(memory.backs, 0.0, foot.reacting)
        return np.where(memory.backs, along, forward), Foot(holds, reacting)


def backing(
    car: Car,
    terrain: Terrain,
    memory: Driving,
    speed: Scalars,
    wanted: Scalars,
    wants: Mask,
    driver: Driver,
    dt: float,
) -> Backing:
    """What becomes of a step.

    Args:
        speed: (n,) m/s.
        wanted: (n,) the curvature that steering asks for, 1/m.
        wants: (n,) whether steering wants each to go, and no other vehicle makes it wait.
    """
    n = len(speed)
    sharpest, cosine = driver.sharpest, driver.cosine
    lock, circle = sharpest * car.wheelbase, 1.0 / sharpest
    braked: Scalars = speed * (speed / (2.0 * np.maximum(driver.brakes, EPSILON)) + driver.reaction)
    quarter, asks = QUARTER * circle, wanted * car.wheelbase
    leaves = (memory.leaving > 0.0) & ~memory.backs
    taken = np.where(leaves, memory.side * lock, asks)
    ahead = car.room(terrain, taken, braked + WORTHWHILE + BLOCKED, 1.0, driver.stops, cosine)
    none = np.full(n, np.inf)
    room = Room(ahead, np.zeros(n), none, none, np.where(leaves, 0.0, none))
    may_shift = driver.may & (memory.backs | leaves | (memory.straight > 0.0) | ((speed <= EPSILON) & wants))
    if anybody(may_shift):
        left, right = (car.room(terrain, side * lock, quarter, 1.0, driver.stops, cosine) for side in (1.0, -1.0))
        onward = car.room(terrain, asks, ONWARD * quarter, 1.0, driver.stops, cosine)
        onward = np.where(np.abs(asks) < FULL_LOCK * lock, onward, 0.0)
        side = side_to_leave(memory, replace(room, left=left, right=right), driver.asked)
        behind = car.room(terrain, -side * lock, shared(LOOKS_BACK, n), -1.0, driver.on_ground, cosine)
        room = Room(ahead, np.minimum(behind, driver.behind), left, right, onward)
        shift = shifted(memory, room, side, speed, wants, driver.reaction + SHIFT, circle, dt)
        memory = memory.put(driver.may, shift.take(driver.may))
    leaves = (memory.leaving > 0.0) & ~memory.backs
    memory = replace(memory, side=np.where(memory.backs | leaves, memory.side, 0.0))
    curvature = np.where(memory.backs, -memory.side * sharpest, np.where(leaves, memory.side * sharpest, wanted))
    reacting = driver.brakes * driver.reaction
    ahead = np.sqrt(reacting * reacting + 2.0 * driver.brakes * np.minimum(room.ahead, FAR)) - reacting
    ahead = np.where(room.ahead < BLOCKED, 0.0, ahead)
    # Before it backs out of a circle round its goal, it stands.
    ahead = np.where((memory.straight > 0.0) & (room.behind > WORTHWHILE), 0.0, ahead)
    stops = stops_backing(memory, room, circle) | ((speed <= EPSILON) & (memory.stuck > 0.0))
    backward = np.sqrt(2.0 * driver.brakes * clamp(room.behind - BLOCKED, 0.0, FAR))
    backward = np.where(stops, 0.0, np.minimum(np.minimum(backward, driver.fastest), WALK))
    return Backing(driver.may, memory, curvature, ahead, backward)


def on_the_rear_axle(position: Vectors, heading: Vectors, axle: Scalars) -> Vectors:
    """The middles of the rear axles, (n, 3) metres, of cars whose origins are midway between the axles."""
    rear = position - heading * axle[:, None]
    return columns(rear[:, 0], rear[:, 1], position[:, 2])


def may_go(limit: Scalars | None, wished: Scalars, least: Scalars) -> Mask:
    """Whether steering wants cars to go, (n,): faster than `least`, and no other vehicle makes them wait.

    Args:
        limit: (n,) m/s down to which they have to brake; None for none.
        wished, least: (n,) m/s.
    """
    wants: Mask = wished > least
    return wants if limit is None else wants & (limit > np.maximum(STILL, least))
