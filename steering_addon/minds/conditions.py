"""The conditions of triggers: WHEN a vehicle is called into another state.

A condition is a frozen dataclass, as a behavior is: its fields are its parameters, each a column of one entry, and the
first sentence of its docstring is the tooltip. It is one of three kinds: about the vehicle itself, about bodies that
the trigger watches for, or about regions. Properties, panels, menus, presets of states, the page of the manual and the
laws in tests/minds/test_every_condition.py follow from the declaration. Conditions that share a parameter declare it
alike, as a trigger stores one value of it.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np

from ..simulation.arrays.angles import cosine_of_setting
from ..simulation.arrays.once import once
from ..simulation.arrays.scalars import Mask, Number, Rows, Scalars
from ..simulation.arrays.vectors import Vectors, dot, magnitude, picked, unit
from ..simulation.declaration import Choice, Declared, Unit, integer, length, number, seconds
from ..simulation.mindset import Mindset
from ..simulation.nearby.neighbors import ALL_ROUND
from ..simulation.world import World

TOUCH = 0.1
"""Radii within which bodies touch: contacts keep them from overlapping."""


@dataclass(frozen=True)
class Meeting:
    """The vehicles of a crowd that may be called, and the world before the step.

    Attributes:
        before: what state each of the n vehicles is in.
        crowd: (n,) the row of the crowd of each vehicle.
        rows: (m,) the vehicles that may be called, rising.
        arrived: (n,) the vehicles that are where a behavior leads them.
        left_alone: (b,) the bodies in states in which what watches for their crowd overlooks them.
    """

    world: World
    before: Mindset
    crowd: Rows
    rows: Rows
    arrived: Mask
    velocity: Vectors
    left_alone: Mask

    @once
    def speed(self) -> Scalars:
        """(m,) the speeds of the vehicles that may be called, m/s."""
        return magnitude(picked(self.velocity, self.rows))

    def offset(self, bodies: Rows) -> Vectors:
        """From each vehicle to each body, (m, k, 3) metres."""
        position = self.world.bodies.position
        return position[bodies][None] - position[self.rows][:, None]

    def nearer_soon(self, bodies: Rows, time: Number) -> Scalars:
        """By how much each body comes nearer to each vehicle in a time, if that stays where it is; (m, k) metres."""
        velocity = self.world.bodies.velocity[bodies][None]
        return np.maximum(-dot(velocity, unit(self.offset(bodies))), 0.0) * time

    def in_mode(self, crowd: int, mode: int) -> Rows:
        """The rows of the vehicles of a crowd that are in a mode, (k,)."""
        return np.flatnonzero((self.crowd == crowd) & (self.before.mode == mode))

    def mates_within(self, distance: float) -> Rows:
        """The number of other vehicles of its crowd nearer to each than a distance, (m,)."""
        mates, crowd = np.zeros(len(self.rows), dtype=np.int64), self.crowd[self.rows[0]]
        for near in self.world.vicinity.around(distance, self.rows):
            agent, body = near.linked()
            mates += np.bincount(agent[self.world.bodies.crowd[body] == crowd], minlength=len(mates))
        return mates

    def within(self, regions: Rows, margin: float = 0.0) -> Mask:
        """The vehicles inside any of some regions (r,), or no farther outside than a margin in metres, (m,)."""
        position = self.world.bodies.position[self.rows]
        inside = np.zeros(len(position), dtype=np.bool_)
        for region in regions[self.world.regions.present[regions]].tolist():
            offset = self.world.regions.way_in(position, np.full(len(position), region))
            inside |= magnitude(offset) <= margin
        return inside


@dataclass(frozen=True)
class Condition(Declared):
    """When a trigger calls.

    Attributes:
        name: in files; never changes.
        stored_number: stored in files; never changes meaning.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    stored_number: ClassVar[int]

    @classmethod
    def choice(cls) -> Choice:
        """It as one of the values of a trigger's choice."""
        return Choice(cls.name, cls.stored_number, cls.label, cls.tooltip())


class OfItself(Condition):
    """A condition about the vehicle itself."""

    @abstractmethod
    def holds(self, meeting: Meeting) -> Mask:
        """The vehicles that it calls, (m,)."""


class OfBodies(Condition):
    """A condition about the bodies that a trigger watches for."""

    @abstractmethod
    def gap(self, meeting: Meeting, bodies: Rows) -> Scalars:
        """The distance from each vehicle to each of the bodies (k,), (m, k) metres, inf where it does not call."""


class OfRegions(Condition):
    """A condition about the regions of a trigger."""

    @abstractmethod
    def holds(self, meeting: Meeting, regions: Rows) -> Mask:
        """The vehicles that it calls because of the regions (r,), (m,)."""


def _within() -> Any:
    return length(10.0, "Distance within which it counts")


def _warning() -> Any:
    description = "What approaches calls from as much farther away as it comes nearer in this time"
    return seconds(0.0, description, label="Warning")


def _mates() -> Any:
    return integer(3, "Count of mates")


@dataclass(frozen=True)
class Nearby(OfBodies):
    """Something is nearer than the distance."""

    name = "NEAR"
    label = "Near"
    stored_number = 0

    distance: Number = _within()
    warning_time: Number = _warning()

    def gap(self, meeting: Meeting, bodies: Rows) -> Scalars:
        gap = magnitude(meeting.offset(bodies))
        return np.where(gap < _reaches(self, meeting, bodies), gap, np.inf)


@dataclass(frozen=True)
class Sees(OfBodies):
    """Something is nearer than the distance and in the field of view."""

    name = "SEES"
    label = "Sees"
    stored_number = 1

    distance: Number = _within()
    warning_time: Number = _warning()
    angle: Number = number(4.71, "Full angle of view", Unit.ANGLE, 0.0, 6.2832, label="Field of View")

    def gap(self, meeting: Meeting, bodies: Rows) -> Scalars:
        offset = meeting.offset(bodies)
        gap = magnitude(offset)
        if self.angle[0] < ALL_ROUND:
            along = dot(offset, meeting.world.bodies.forward[meeting.rows][:, None])
            gap = np.where(along >= cosine_of_setting(0.5 * self.angle) * gap, gap, np.inf)
        return np.where(gap < _reaches(self, meeting, bodies), gap, np.inf)


def _reaches(condition: Nearby | Sees, meeting: Meeting, bodies: Rows) -> Scalars:
    """The distance within which each body calls each vehicle, metres; (1,) if the same for all, else (m, k)."""
    if not condition.warning_time.any():
        return condition.distance
    return condition.distance + meeting.nearer_soon(bodies, condition.warning_time)


@dataclass(frozen=True)
class Inside(OfRegions):
    """It is inside a region."""

    name = "INSIDE"
    label = "Inside"
    stored_number = 2

    def holds(self, meeting: Meeting, regions: Rows) -> Mask:
        return meeting.within(regions)


@dataclass(frozen=True)
class Outside(OfRegions):
    """It is farther than the margin outside all regions that it watches."""

    name = "OUTSIDE"
    label = "Outside"
    stored_number = 3

    margin: Number = length(2.0, "How far outside it counts: animals graze beyond an edge now and then")

    def holds(self, meeting: Meeting, regions: Rows) -> Mask:
        return ~meeting.within(regions, self.margin[0])


@dataclass(frozen=True)
class Arrived(OfItself):
    """It is where one of its behaviors leads it, or stands beside that as others are there."""

    name = "ARRIVED"
    label = "Arrived"
    stored_number = 4

    def holds(self, meeting: Meeting) -> Mask:
        return meeting.arrived[meeting.rows]


@dataclass(frozen=True)
class Touched(OfBodies):
    """Something touches it."""

    name = "TOUCHED"
    label = "Touched"
    stored_number = 5

    def gap(self, meeting: Meeting, bodies: Rows) -> Scalars:
        extent = meeting.world.bodies.extent
        its = extent[meeting.rows][:, None]
        apart = magnitude(meeting.offset(bodies)) - extent[bodies][None] - its
        return np.where(apart <= TOUCH * its, np.maximum(apart, 0.0), np.inf)


@dataclass(frozen=True)
class Alone(OfItself):
    """Fewer mates than the count are within the distance."""

    name = "ALONE"
    label = "Alone"
    stored_number = 6

    distance: Number = _within()
    count: Rows = _mates()

    def holds(self, meeting: Meeting) -> Mask:
        return meeting.mates_within(self.distance[0]) < self.count


@dataclass(frozen=True)
class Crowded(OfItself):
    """Mates within the distance reach the count."""

    name = "CROWDED"
    label = "Crowded"
    stored_number = 7

    distance: Number = _within()
    count: Rows = _mates()

    def holds(self, meeting: Meeting) -> Mask:
        return meeting.mates_within(self.distance[0]) >= self.count


@dataclass(frozen=True)
class Stuck(OfItself):
    """It has somewhere to go and has not got on for the time."""

    name = "STUCK"
    label = "Stuck"
    stored_number = 8

    time: Number = seconds(2.0, "Time for which it has not got on")

    def holds(self, meeting: Meeting) -> Mask:
        return meeting.before.idle[meeting.rows] >= self.time


@dataclass(frozen=True)
class Faster(OfItself):
    """It is faster than the speed."""

    name = "FASTER"
    label = "Faster"
    stored_number = 9

    speed: Number = number(5.0, "Speed above which it calls", Unit.SPEED)

    def holds(self, meeting: Meeting) -> Mask:
        return meeting.speed > self.speed


@dataclass(frozen=True)
class Always(OfItself):
    """At any time; its strength says when, by keys or a driver."""

    name = "ALWAYS"
    label = "Always"
    stored_number = 10

    def holds(self, meeting: Meeting) -> Mask:
        return np.ones(len(meeting.rows), dtype=np.bool_)


@dataclass(frozen=True)
class Partnered(OfItself):
    """It stands face to face with its partner, as in a fight."""

    name = "PARTNER"
    label = "Has a Partner"
    stored_number = 11

    def holds(self, meeting: Meeting) -> Mask:
        world = meeting.world
        if world.partners is None:
            return np.zeros(len(meeting.rows), dtype=np.bool_)
        return world.partners.row(world.time, world.interval)[meeting.rows] >= 0


AnyCondition: TypeAlias = OfItself | OfBodies | OfRegions
CONDITIONS: tuple[type[AnyCondition], ...] = (
    *(Nearby, Sees, Inside, Outside, Arrived, Touched, Alone, Crowded, Stuck, Partnered, Faster, Always),
)
"""All conditions, in the order of the interface."""


def condition_of(stored_number: int) -> type[AnyCondition]:
    """The condition with a stored number."""
    return next(kind for kind in CONDITIONS if kind.stored_number == stored_number)
