"""Wall following (paper, Path Following: wall following)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..simulation.arrays.vectors import (
    EPSILON,
    Mask,
    Number,
    Rows,
    Scalars,
    Vectors,
    across,
    clamp,
    dot,
    firsts,
    magnitude,
    picked,
    unit,
)
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import NEAREST, Choice, called, choice, length, only_with, path, seconds
from ..simulation.geometry.obstacles import Obstacles
from ..simulation.geometry.paths import Path
from ..simulation.memory import Memory, remembered
from ..simulation.world import Agents, World

WALLS = (
    Choice("CURVES", 0, "Curves", "Walls stand upright on curves, however high"),
    Choice("OBSTACLES", 1, "Obstacles", "The surfaces of obstacles are walls: of meshes and boxes, from inside too"),
)
CURVES, OBSTACLES = (c.number for c in WALLS)
HALF = 0.5
"""Strength from which on the wall says how fast to go; below, the agent is held at cruise speed anyway."""
STEEPEST = 0.05
"""Sine of the angle to a wall that is reckoned with at least."""
UPRIGHT = 0.1
"""Share of the direction off a surface that is level from which on the surface is in the way of one on the ground."""
HEAD_ON = 1e-6
"""Share of the heading along the wall below which it is a dead heat, and the turn is to the right."""
BRAKING = 0.3
"""Share of the strongest braking that is counted on before a corner."""
TURNING = 0.85
"""Share of the tightest turn that is counted on in a corner."""
EARLY, FULL = 0.7, 1.0
"""Share of the tightest turn that a corner takes from which on one turns for it, and for nothing else."""
NEARER = 0.5
"""Share of the offset that is kept in a corner at the least."""
AROUND = 6.0
"""Multiple of the offset that there has to be beyond a corner to go on there, besides the way that a turn takes."""
BACK = 0.25
"""Share of the course that a way leads back along from which on a corner wholly counts as one that leads back."""
SHARP = -0.1
"""Cosine of the angle between two walls' directions off them below which their corner leads back."""
TURNED = 0.9
"""Cosine of the angle left to turn above which a turn back is over."""
SQUARE_ON = 0.5
"""Cosine of the angle to a wall below which one comes at it square on, and may turn to either side."""
NARROW = -0.3
"""Cosine of the angle between two walls' directions off them below which a corner leads no further."""
CONSTANCY = 2.0
"""How many times the room there has to be on the other side for one to change one's mind in a corner."""
SWING = 0.25
"""Share of the distance that one may be carried off where a wall ends."""
LOOKS = 4
"""Looks along the wall for its end."""


@dataclass(frozen=True)
class Cornering(Memory):
    """What each agent has decided in a corner.

    Attributes:
        way: (n, 3) the unit direction chosen there; zero where there is no corner ahead.
        sharp: (n,) whether it leads out of a sharp corner.
        turning: (n,) whether it is turning back.
    """

    way: Vectors = remembered((0.0, 0.0, 0.0))
    sharp: Mask = remembered(False)
    turning: Mask = remembered(False)


@dataclass(frozen=True)
class WallFollowing(Behavior):
    """Come up to a wall and go along it at a distance, on the side where the agent is.

    The wall is drawn as a curve, seen from above: it stands upright on it, however high. Or the surfaces of obstacles
    are walls, whatever their shape. Steers along the wall the way the agent heads, with a pull to the offset from where
    it will be. Before a wall that comes across the way, as in a corner, it slows down as far as it has to and turns to
    where there is room. Does nothing far from any wall, and fades in as one comes near.
    """

    name = "wall_following"
    label = "Follow Wall"
    term = "wall following"
    intent = Intent.GO
    remembers = Cornering
    refers_to_up = True

    walls: Rows = choice("CURVES", "What the walls are", WALLS)
    wall: Rows = only_with("walls", CURVES, path("Curve on which the wall stands; empty: the nearest path"))
    offset: Number = length(1.0, "Distance to keep from the wall", 0.01)
    distance: Number = length(10.0, "How near the wall has to be", 0.01)
    prediction_time: Number = called(
        "Looks Ahead", seconds(0.3, "How far ahead it looks; as long as the response time it keeps to bends")
    )

    def steer(self, world: World, agents: Agents, memory: Cornering) -> Steering:
        level_side = unit(agents.side * np.array([1.0, 1.0, 0.0]))
        here = self._from_walls(world, agents, agents.position)
        here = np.where((magnitude(here) > EPSILON)[:, None], here, EPSILON * level_side)
        strength = clamp(2.0 - 2.0 * magnitude(here) / self.distance, 0.0, 1.0)
        strength = np.where(np.isfinite(strength), strength, 0.0)
        corner = self._corner(world, agents, memory, level_side, strength > 0.0)
        allowed = np.minimum(corner.allowed(agents), self._allowed_before_the_end(world, agents, unit(here)))
        pace = np.minimum(agents.cruise_speed, allowed)
        way = self._along(world, agents, here, level_side, corner.contact)
        urgency = corner.urgency(agents)
        way = unit(way + (corner.turn() - way) * urgency[:, None])
        force = agents.steering_to(way * pace[:, None]) * strength[:, None]
        allowed = np.where(strength > 0.0, allowed, np.inf)
        chosen = np.where(np.isfinite(corner.contact)[:, None], corner.way, 0.0)
        after = Cornering(chosen, corner.sharp, corner.turns_back(urgency))
        return Steering(force, after, speed_limit=allowed, sets_speed=strength > HALF)

    def _along(self, world: World, agents: Agents, here: Vectors, level_side: Vectors, contact: Scalars) -> Vectors:
        """The way along the wall and to the offset from it, (n, 3) unit directions.

        Args:
            here: (n, 3) from the wall to each agent, metres.
            level_side: (n, 3) each one's right, level.
            contact: (n,) metres ahead to where another wall is met: it looks no further.
        """
        time = np.minimum(self.prediction_time, contact / np.maximum(agents.speed, EPSILON))
        future = self._from_walls(world, agents, agents.predicted_position(time))
        side = unit(here)
        outward = np.where((magnitude(future) > EPSILON)[:, None], unit(future), side)
        # Who will have run through the wall is still to be kept on this side of it.
        through = np.where(dot(outward, side) < 0.0, -1.0, 1.0)
        outward = outward * through[:, None]
        along = _heading_along(agents, outward, level_side)
        # Who turns wide has to begin early.
        turning = agents.speed * agents.speed / np.maximum(agents.agility, EPSILON)
        band = np.maximum(np.maximum(self.offset, agents.speed * self.prediction_time), turning)
        pull = clamp((self.offset - magnitude(future) * through) / band, -1.0, 1.0)
        # Where the wall bends away from one who is close to it, the shortest way to the offset would cut the corner.
        room = magnitude(here) / self.offset - NEARER
        pull = np.where(pull < 0.0, pull * clamp(2.0 * room / (1.0 - NEARER), 0.0, 1.0), pull)
        return unit(along + outward * pull[:, None])

    def _corner(self, world: World, agents: Agents, memory: Cornering, level_side: Vectors, follows: Mask) -> _Corner:
        """The wall that comes across the way of each agent that follows one, and where to turn there."""
        n = len(agents)
        way, sharp, begun = agents.forward.copy(), np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
        found = _Corner(np.full(n, np.inf), np.zeros((n, 3)), way, agents.forward, self.offset, sharp, begun)
        some = np.flatnonzero(follows)
        who, own = agents.take(some), self.take(some)
        stopping = who.speed * who.speed / np.maximum(2.0 * BRAKING * who.agility, EPSILON)
        look = stopping + who.speed * own.prediction_time + AROUND * own.offset
        contact, side = own._ahead(world, who, who.position, unit(who.level(who.forward)), NEARER * own.offset, look)
        met = np.flatnonzero(contact <= look)
        some = some[met]
        found.contact[some], found.side[some] = contact[met], side[met]
        way[some], sharp[some] = own.take(met)._way_on(
            world, who.take(met), memory.take(some), level_side[some], contact[met], side[met]
        )
        begun[some] = (memory.turning & (dot(agents.forward, way) < TURNED))[some]
        return found

    def _way_on(
        self,
        world: World,
        agents: Agents,
        memory: Cornering,
        level_side: Vectors,
        contact: Scalars,
        side: Vectors,
    ) -> tuple[Vectors, Mask]:
        """The way along the walls ahead that agents head; where that ends soon, the other way if there is more room.

        Args:
            level_side: (n, 3) each one's right, level.
            contact, side: as of `_Corner`.

        Returns:
            way: (n, 3) unit directions.
            sharp: (n,) whether it leads out of a sharp corner.
        """
        # There one is as near as may be to the wall ahead; what counts is whether another comes nearer.
        reach = 0.5 * NEARER * self.offset
        room = AROUND * self.offset + agents.speed * agents.speed / np.maximum(agents.agility, EPSILON)
        along = _heading_along(agents, side, level_side)
        decided = magnitude(memory.way) > 0.5
        along = np.where((decided & (dot(along, memory.way) < 0.0))[:, None], -along, along)
        place = agents.position + agents.forward * contact[:, None]
        there, beyond = self._ahead(world, agents, place, along, reach, room)
        # Where a corner that is not narrow is some way off, it is time enough to turn there.
        near, square_on = there < 0.5 * AROUND * self.offset, dot(agents.forward, along) < SQUARE_ON
        ends = np.flatnonzero((there < room) & (near | square_on | (dot(beyond, side) < NARROW)))
        own, who = self.take(ends), agents.take(ends)
        back, _ = own._ahead(world, who, place[ends], -along[ends], reach[ends], room[ends])
        turned = ends[back > np.where(decided, CONSTANCY, 1.0)[ends] * there[ends]]
        along[turned] = -along[turned]
        sharp = decided & memory.sharp
        sharp[turned] = dot(beyond, side)[turned] < SHARP
        return along, sharp

    def _ahead(
        self, world: World, agents: Agents, points: Vectors, course: Vectors, reach: Scalars, look: Scalars
    ) -> tuple[Scalars, Vectors]:
        """Where courses from points come near to a wall.

        Args:
            points, course: (n, 3) metres, and unit directions.
            reach: (n,) how near is near, metres.
            look: (n,) how far is looked at least, metres.

        Returns:
            contact: (n,) metres along the course, inf where there is no wall.
            side: (n, 3) unit directions off the wall there.
        """
        contact, side = np.full(len(agents), np.inf), np.zeros((len(agents), 3))
        some = np.flatnonzero(self.walls == OBSTACLES)
        if len(some):
            who, obstacles = agents.take(some), world.obstacles
            contact[some], side[some] = _surface_ahead(
                obstacles, who, points[some], course[some], reach[some], look[some]
            )
        some = np.flatnonzero(self.walls == CURVES)
        if len(some):
            wall, paths = self.wall[some], world.paths
            contact[some], side[some] = _curve_ahead(paths, wall, points[some], course[some], reach[some], look[some])
        return contact, side

    def _allowed_before_the_end(self, world: World, agents: Agents, side: Vectors) -> Scalars:
        """The speed from which each agent gets round where its wall ends without losing it, (n,) m/s."""
        allowed = np.full(len(agents), np.inf)
        slow = SWING * agents.agility * self.distance
        squared = agents.speed * agents.speed
        fast = np.flatnonzero(squared > slow)
        if not len(fast):
            return allowed
        who, own, slow = agents.take(fast), self.take(fast), slow[fast]
        brakes = 2.0 * BRAKING * who.agility
        look = (squared[fast] - slow) / np.maximum(brakes, EPSILON)
        along = unit(who.level(across(who.forward, side[fast])))
        limit = own.offset + SWING * own.distance
        left, before = np.full(len(fast), np.inf), np.zeros(len(fast))
        for part in range(1, LOOKS + 1):
            way = look * (part / LOOKS)
            gap = magnitude(own._from_walls(world, who, who.position + along * way[:, None]))
            gone = (gap > limit) & ~np.isfinite(left)
            share = clamp((limit - before) / np.maximum(gap - before, EPSILON), 0.0, 1.0)
            left = np.where(gone, look * ((part - 1 + share) / LOOKS), left)
            before = gap
        gone = np.isfinite(left)
        allowed[fast] = np.where(gone, np.sqrt(slow + brakes * np.where(gone, left, 0.0)), np.inf)
        return allowed

    def _from_walls(self, world: World, agents: Agents, points: Vectors) -> Vectors:
        """The way to each agent's point from the nearest place on its walls, (n, 3)."""
        on_obstacles = self.walls == OBSTACLES
        if not on_obstacles.any():
            return _from_curve(world.paths, self.wall, points, self.distance)
        from_surface = agents.level(_from_surface(world.obstacles, agents, points, self.distance))
        if on_obstacles.all():
            return from_surface
        from_curve = _from_curve(world.paths, self.wall, points, self.distance)
        return np.where(on_obstacles[:, None], from_surface, from_curve)


@dataclass(frozen=True)
class _Corner:
    """The walls that come across the ways of agents.

    Attributes:
        contact: (n,) metres along the course to where it comes as near as it may, inf where there is none.
        side: (n, 3) unit directions off the wall there.
        way: (n, 3) unit directions along the wall, to where it is to be followed.
        course: (n, 3) unit directions in which the agents go.
        offset: (n,) metres to be kept.
        sharp: (n,) whether the way leads out of a corner that is sharp.
        begun: (n,) who has begun to turn back along the way and is not through with it.
    """

    contact: Scalars
    side: Vectors
    way: Vectors
    course: Vectors
    offset: Scalars
    sharp: Mask
    begun: Mask

    def turn(self) -> Vectors:
        """The way to take up, (n, 3) unit directions: of one that leads back as much as leads aside, and off the wall.

        Off it the more the nearer it is: who only turned along it would go on closer and closer.
        """
        off = clamp(1.0 - self.contact / (NEARER * self.offset), 0.0, 1.0)
        aside = across(self.way, self.course)
        # Who took up more than half right of a long turn at once would brake all the way.
        ahead = np.maximum(dot(self.way, self.course), self.back * magnitude(aside))
        return unit(aside + self.course * ahead[:, None] + self.side * off[:, None])

    @property
    def back(self) -> Scalars:
        """(n,) how much of a corner that leads back each is, from 0 to 1."""
        return np.where(self.begun, 1.0, self.sharp * clamp(-dot(self.course, self.way) / BACK, 0.0, 1.0))

    def turns_back(self, urgency: Scalars) -> Mask:
        """Who turns back, (n,), and goes on until it is through with it: the wall beside would turn it again."""
        return np.asarray(self.begun | ((urgency > 0.0) & (self.back > 0.5)), dtype=np.bool_)

    def _turn(self) -> Scalars:
        """(n,) 1 less the cosine of the angle to turn."""
        return np.maximum(1.0 - dot(self.course, self.way), EPSILON)

    def _steepness(self) -> Scalars:
        """(n,) how wide a turn is to be begun for each metre there is, no wider than for one square to the wall."""
        sine = np.maximum(-dot(self.course, self.side), EPSILON)
        return np.where(dot(self.course, self.way) > 0.0, self._turn() / sine, 1.0)

    def allowed(self, agents: Agents) -> Scalars:
        """The speed from which each can still take the turn, or brake to take it, (n,) m/s."""
        met = np.isfinite(self.contact)
        contact = np.where(met, self.contact, 0.0)
        turning = TURNING * contact / self._steepness()
        braking = 2.0 * BRAKING * contact
        slow = NEARER * TURNING * NEARER * self.offset / self._turn()
        squared = agents.agility * (np.maximum(turning, braking) + slow)
        return np.where(met, np.sqrt(squared), np.inf)

    def urgency(self, agents: Agents) -> Scalars:
        """How much of the steering the turn has, (n,) from 0 to 1."""
        met = np.isfinite(self.contact)
        contact, steepness = np.where(met, self.contact, 0.0), self._steepness()
        # Where the walls lead back the whole offset is kept: who came nearer would go deeper and deeper between them.
        sine = np.maximum(-dot(self.course, self.side), STEEPEST)
        contact = np.maximum(contact - self.back * (1.0 - NEARER) * self.offset / sine, 0.0)
        steepness += self.back * np.maximum(self._turn() / sine - steepness, 0.0)
        pressing = agents.speed * agents.speed * steepness / np.maximum(agents.agility * contact, EPSILON)
        urgency = clamp((pressing - EARLY) / (FULL - EARLY), 0.0, 1.0)
        return np.where(met, np.where(self.begun, 1.0, urgency), 0.0)


def _heading_along(agents: Agents, outward: Vectors, level_side: Vectors) -> Vectors:
    """The way along walls that agents head, (n, 3) unit directions; to the right in a dead heat."""
    along = agents.level(across(agents.forward, outward))
    return np.where((magnitude(along) > HEAD_ON)[:, None], unit(along), unit(across(level_side, outward)))


def _surface_ahead(
    obstacles: Obstacles, agents: Agents, points: Vectors, course: Vectors, reach: Scalars, look: Scalars
) -> tuple[Scalars, Vectors]:
    """As `WallFollowing._ahead`, on the surfaces of obstacles."""
    owner, row = obstacles.near(points, look + reach)
    foreign = obstacles.carrier[row] != agents.rows[owner]
    owner, row = owner[foreign], row[foreign]
    way, off = obstacles.touch(picked(points, owner), picked(course, owner), reach[owner], row)
    off = agents.take(owner).level(off)
    # What one that keeps in its plane runs up or down is no wall.
    way = np.where(magnitude(off) > UPRIGHT, way, np.inf)
    contact, side = np.full(len(points), np.inf), np.zeros((len(points), 3))
    order = np.lexsort((row, way, owner))
    first = order[firsts(owner[order])]
    contact[owner[first]], side[owner[first]] = way[first], off[first]
    return contact, unit(side)


def _curve_ahead(
    paths: tuple[Path, ...], asked: Rows, points: Vectors, course: Vectors, reach: Scalars, look: Scalars
) -> tuple[Scalars, Vectors]:
    """As `WallFollowing._ahead`, on walls that stand on curves; `asked` as of `_from_curve`."""
    level = np.array([1.0, 1.0, 0.0])
    course = course * level
    flat = np.maximum(magnitude(course), EPSILON)
    contact, off = np.full(len(points), np.inf), np.zeros((len(points), 3))
    for row, curve in enumerate(paths):
        rows = np.flatnonzero((asked == row) | (asked == NEAREST))
        for line in (line for line in curve if len(rows) and line.length > 0.0):
            way, side = line.crossed(points[rows], course[rows], look[rows] + reach[rows])
            # As near as it may come before it is crossed.
            steep = np.maximum(-dot(unit(course[rows]), side), STEEPEST)
            way = np.maximum(way - reach[rows] / (steep * flat[rows]), 0.0)
            nearer = way < contact[rows]
            contact[rows[nearer]], off[rows[nearer]] = way[nearer], side[nearer]
    return contact, off


def _from_surface(obstacles: Obstacles, agents: Agents, points: Vectors, reach: Scalars) -> Vectors:
    """The way to each point from the nearest place on an obstacle, (n, 3); twice the reach long where none is near."""
    owner, row = obstacles.near(points, reach)
    foreign = obstacles.carrier[row] != agents.rows[owner]
    owner, row = owner[foreign], row[foreign]
    distance, away = obstacles.surface(picked(points, owner), row)
    found = np.zeros((len(points), 3))
    found[:, 0] = 2.0 * reach
    order = np.lexsort((row, np.abs(distance), owner))
    nearest = order[firsts(owner[order])]
    nearest = nearest[np.abs(distance[nearest]) < reach[owner[nearest]]]
    found[owner[nearest]] = (away * distance[:, None])[nearest]
    return found


def _from_curve(paths: tuple[Path, ...], asked: Rows, points: Vectors, reach: Scalars) -> Vectors:
    """The way to each point from the nearest place on the walls, (n, 3) level; as long as the reach where none is near.

    Args:
        asked: (n,) the row of the wall that counts, NEAREST for all of them, -1 for none.
    """
    level = np.array([1.0, 1.0, 0.0])
    flat = points * level
    found = np.zeros((len(points), 3))
    found[:, 0] = 2.0 * reach
    for row, curve in enumerate(paths):
        for line in (line for line in curve if line.length > 0.0):
            line = replace(line, points=line.points * level)
            low, high = line.points.min(axis=0), line.points.max(axis=0)
            outside = magnitude(flat - clamp(flat, low, high))
            rows = np.flatnonzero(((asked == row) | (asked == NEAREST)) & (outside < magnitude(found)))
            gap = flat[rows] - line.position(line.nearest(flat[rows]))
            nearer = magnitude(gap) < magnitude(found[rows])
            found[rows[nearer]] = gap[nearer]
    return found
