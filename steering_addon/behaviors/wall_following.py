"""Wall following (paper, Path Following: wall following)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import EPSILON, Mask, Number, Rows, Scalars, clamp, firsts, which
from ..simulation.arrays.vectors import Vectors, across, dot, magnitude, picked, unit
from ..simulation.behavior import Behavior, Intent, Steering
from ..simulation.declaration import NEAREST, Choice, choice, length, path, seconds
from ..simulation.geometry.first_contact import StraightCourses
from ..simulation.geometry.near_lines import lines_crossed, lines_within, nearest_pairs
from ..simulation.geometry.obstacles import Obstacles
from ..simulation.geometry.paths import Path, lines_of
from ..simulation.ground import of_rows
from ..simulation.memory import Memory, remembered
from ..simulation.world import Agents, World

WALLS = (
    Choice("CURVES", 0, "Curves", "Walls of any height stand upright on curves"),
    Choice("OBSTACLES", 1, "Obstacles", "The surfaces of obstacles are walls, also the inside of rooms"),
)
CURVES, OBSTACLES = (c.number for c in WALLS)
HALF = 0.5
"""Strength above which the wall sets the speed; below it the agent holds cruise speed."""
STEEPEST = 0.05
"""The least sine of the angle between a course and a wall that is assumed."""
UPRIGHT = 0.1
"""The least level component of a surface's unit normal with which the surface is a wall for a grounded agent."""
HEAD_ON = 1e-6
"""Component of the heading along the wall below which neither side is nearer, and the turn is to the right."""
BRAKING = 0.3
"""Share of the strongest braking that is planned before a corner."""
TURNING = 0.85
"""Share of the tightest turn that is planned in a corner."""
EARLY, FULL = 0.7, 1.0
"""Shares of the tightest turn that a corner takes: above EARLY the agent begins to turn for it, above FULL it does
nothing else."""
NEARER = 0.5
"""Least share of the offset that is kept in a corner."""
AROUND = 6.0
"""Multiple of the offset, in addition to the way that a turn takes, that has to be free beyond a corner for the
agent to continue that way."""
BACK = 0.25
"""Component of the way against the course above which a corner counts fully as one that leads back."""
SHARP = -0.1
"""Cosine of the angle between the normals of two walls below which their corner leads back."""
TURNED = 0.9
"""Cosine of the remaining angle above which a turn back is complete."""
SQUARE_ON = 0.5
"""Cosine of the angle to a wall below which an agent meets it head-on, and may turn to either side."""
NARROW = -0.3
"""Cosine of the angle between the normals of two walls below which a corner is a dead end."""
CONSTANCY = 2.0
"""Factor by which the room has to be larger on the other side before an agent changes its decision in a corner."""
SWING = 0.25
"""Share of the distance that an agent may drift off where a wall ends."""
LOOKS = 4
"""Points along the wall at which its end is searched for."""


@dataclass(frozen=True)
class Cornering(Memory):
    """The decision of each agent in a corner.

    Attributes:
        way: (n, 3) the unit direction that it has chosen; zero without a corner ahead.
        sharp: (n,) whether the way leads out of a sharp corner.
        turning: (n,) whether it is turning back.
    """

    way: Vectors = remembered((0.0, 0.0, 0.0))
    sharp: Mask = remembered(False)
    turning: Mask = remembered(False)


@dataclass(frozen=True)
class WallFollowing(Behavior):
    """Come up to a wall and go along it at a distance, on the side where the agent is.

    A wall of any height stands upright on a curve; or the surfaces of obstacles of any shape are walls. Steers along
    the wall in the direction of the heading, with a pull that brings the predicted position to the offset. Before a
    wall across the way, as in a corner, it slows down and turns to the side with more room. Does nothing far from all
    walls, and fades in as a wall gets near.
    """

    name = "wall_following"
    label = "Follow Wall"
    term = "wall following"
    intent = Intent.GO
    remembers = Cornering
    refers_to_up = True

    walls: Rows = choice("CURVES", "Which objects are walls", WALLS)
    wall: Rows = path("Curve on which the wall stands; empty: the nearest path", only_with=("walls", CURVES))
    offset: Number = length(1.0, "Distance to keep from the wall", 0.01)
    distance: Number = length(10.0, "How near the wall has to be", 0.01)
    prediction_time: Number = seconds(
        0.3,
        "How far ahead it looks; set to the response time, it follows bends without drifting out",
        label="Looks Ahead",
    )

    def steer(self, world: World, agents: Agents, memory: Cornering) -> Steering:
        level_side = unit(agents.flat(agents.side))
        from_wall = self._from_walls(world, agents, agents.position, agents.level_frame()[0])
        from_wall = np.where((magnitude(from_wall) > EPSILON)[:, None], from_wall, EPSILON * level_side)
        strength = clamp(2.0 - 2.0 * magnitude(from_wall) / self.distance, 0.0, 1.0)
        strength = np.where(np.isfinite(strength), strength, 0.0)
        corner = self._corner(world, agents, memory, level_side, strength > 0.0)
        allowed = np.minimum(corner.allowed(agents), self._allowed_before_the_end(world, agents, unit(from_wall)))
        pace = np.minimum(agents.cruise_speed, allowed)
        way = self._along(world, agents, from_wall, level_side, corner.contact)
        urgency = corner.urgency(agents)
        way = unit(way + (corner.turn() - way) * urgency[:, None])
        force = agents.steering_to(way * pace[:, None]) * strength[:, None]
        allowed = np.where(strength > 0.0, allowed, np.inf)
        chosen = np.where(np.isfinite(corner.contact)[:, None], corner.way, 0.0)
        after = Cornering(chosen, corner.sharp, corner.turns_back(urgency))
        return Steering(force, after, speed_limit=allowed, sets_speed=strength > HALF)

    def _along(
        self, world: World, agents: Agents, from_wall: Vectors, level_side: Vectors, contact: Scalars
    ) -> Vectors:
        """The way along the wall and to the offset from it, (n, 3) unit directions. `from_wall`: (n, 3) from the wall
        to each agent, metres; `level_side`: (n, 3) the level unit direction to the right of each agent; `contact`: (n,)
        metres ahead to another wall, beyond which it does not look."""
        time = np.minimum(self.prediction_time, contact / np.maximum(agents.speed, EPSILON))
        side = unit(from_wall)
        future = self._from_walls(world, agents, agents.predicted_position(time), side)
        outward = np.where((magnitude(future) > EPSILON)[:, None], unit(future), side)
        # If the prediction is beyond the wall, the agent is still kept on this side.
        through = np.where(dot(outward, side) < 0.0, -1.0, 1.0)
        outward = outward * through[:, None]
        along = _heading_along(agents, outward, level_side)
        # An agent with a wide turn has to begin early.
        turning = agents.speed * agents.speed / np.maximum(agents.agility, EPSILON)
        band = np.maximum(np.maximum(self.offset, agents.speed * self.prediction_time), turning)
        pull = clamp((self.offset - magnitude(future) * through) / band, -1.0, 1.0)
        # Where the wall bends away from an agent close to it, the shortest way to the offset would cut the corner.
        room = magnitude(from_wall) / self.offset - NEARER
        pull = np.where(pull < 0.0, pull * clamp(2.0 * room / (1.0 - NEARER), 0.0, 1.0), pull)
        return unit(along + outward * pull[:, None])

    def _corner(self, world: World, agents: Agents, memory: Cornering, level_side: Vectors, follows: Mask) -> "_Corner":
        """The wall across the way of each agent that follows a wall, (n,), and the turn that it takes."""
        n = len(agents)
        way, sharp, begun = agents.forward.copy(), np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
        corner = _Corner(np.full(n, np.inf), np.zeros((n, 3)), way, agents.forward, self.offset, sharp, begun)
        rows = np.flatnonzero(follows)
        followers, settings = agents.take(rows), self.take(rows)
        stopping = followers.speed * followers.speed / np.maximum(2.0 * BRAKING * followers.agility, EPSILON)
        look = stopping + followers.speed * settings.prediction_time + AROUND * settings.offset
        course = unit(followers.level(followers.forward))
        courses = StraightCourses(followers.position, course, NEARER * settings.offset, look)
        contact, side = settings._ahead(world, followers, courses)
        met = np.flatnonzero(contact <= look)
        rows = rows[met]
        corner.contact[rows], corner.side[rows] = contact[met], side[met]
        way[rows], sharp[rows] = settings.take(met)._way_on(
            world, followers.take(met), memory.take(rows), level_side[rows], contact[met], side[met]
        )
        begun[rows] = (memory.turning & (dot(agents.forward, way) < TURNED))[rows]
        return corner

    def _way_on(
        self, world: World, agents: Agents, memory: Cornering, level_side: Vectors, contact: Scalars, side: Vectors
    ) -> tuple[Vectors, Mask]:
        """The way along the walls ahead in the direction of the heading, or the other way if that soon ends. Returns
        `way`: (n, 3) unit directions; `sharp`: (n,) whether the way leads out of a sharp corner.

        Args:
            level_side: (n, 3) the level unit direction to the right of each agent.
            contact, side: as of `_Corner`.
        """
        # At the point of contact the wall ahead is as near as it may be. A nearer one is another wall.
        reach = 0.5 * NEARER * self.offset
        room = AROUND * self.offset + agents.speed * agents.speed / np.maximum(agents.agility, EPSILON)
        along = _heading_along(agents, side, level_side)
        decided = magnitude(memory.way) > 0.5
        along = np.where((decided & (dot(along, memory.way) < 0.0))[:, None], -along, along)
        point = agents.position + agents.forward * contact[:, None]
        courses = StraightCourses(point, along, reach, room)
        onward, beyond = self._ahead(world, agents, courses)
        # A corner that is not narrow and some way off leaves time to turn when it is reached.
        near, square_on = onward < 0.5 * AROUND * self.offset, dot(agents.forward, along) < SQUARE_ON
        ends = np.flatnonzero((onward < room) & (near | square_on | (dot(beyond, side) < NARROW)))
        backward = replace(courses.take(ends), along=-along[ends])
        back, _ = self.take(ends)._ahead(world, agents.take(ends), backward)
        turned = ends[back > np.where(decided, CONSTANCY, 1.0)[ends] * onward[ends]]
        along[turned] = -along[turned]
        sharp = decided & memory.sharp
        sharp[turned] = dot(beyond, side)[turned] < SHARP
        return along, sharp

    def _ahead(self, world: World, agents: Agents, courses: StraightCourses) -> tuple[Scalars, Vectors]:
        """Where courses first come near a wall: metres along them, (n,), inf for no wall, and the unit directions off
        the walls at these points, (n, 3). They are searched up to `furthest` at least."""
        contact, side = np.full(len(agents), np.inf), np.zeros((len(agents), 3))
        rows = np.flatnonzero(self.walls == OBSTACLES)
        if len(rows):
            contact[rows], side[rows] = _surface_ahead(world.obstacles, agents.take(rows), courses.take(rows))
        rows = np.flatnonzero(self.walls == CURVES)
        if len(rows):
            level = replace(courses.take(rows), along=agents.flat_of(courses.along[rows], rows))
            contact[rows], side[rows] = _curve_ahead(world.paths, self.wall[rows], level, agents.upward_of(rows))
        return contact, side

    def _allowed_before_the_end(self, world: World, agents: Agents, side: Vectors) -> Scalars:
        """The speed from which each agent can turn round the end of its wall without losing it, (n,) m/s. `side`: (n,
        3) the unit direction from the wall to each agent."""
        allowed = np.full(len(agents), np.inf)
        slow = SWING * agents.agility * self.distance
        squared = agents.speed * agents.speed
        fast = np.flatnonzero(squared > slow)
        if not len(fast):
            return allowed
        followers, settings, slow = agents.take(fast), self.take(fast), slow[fast]
        brakes = 2.0 * BRAKING * followers.agility
        look = (squared[fast] - slow) / np.maximum(brakes, EPSILON)
        along = unit(followers.level(across(followers.forward, side[fast])))
        limit = settings.offset + SWING * settings.distance
        left, before = np.full(len(fast), np.inf), np.zeros(len(fast))
        for part in range(1, LOOKS + 1):
            way = look * (part / LOOKS)
            points = followers.position + along * way[:, None]
            gap = magnitude(settings._from_walls(world, followers, points, along))
            gone = (gap > limit) & ~np.isfinite(left)
            share = clamp((limit - before) / np.maximum(gap - before, EPSILON), 0.0, 1.0)
            left = np.where(gone, look * ((part - 1 + share) / LOOKS), left)
            before = gap
        gone = np.isfinite(left)
        allowed[fast] = np.where(gone, np.sqrt(slow + brakes * np.where(gone, left, 0.0)), np.inf)
        return allowed

    def _from_walls(self, world: World, agents: Agents, points: Vectors, away: Vectors) -> Vectors:
        """From the nearest point of its walls to each agent's point (n, 3); (n, 3) metres. `away`: (n, 3) the level
        unit direction of the result without a wall nearby; it is twice `distance` long then."""
        far = away * (2.0 * self.distance)[:, None]
        on_obstacles = self.walls == OBSTACLES
        if not on_obstacles.any():
            return _from_curve(world.paths, self.wall, agents, points, far)
        from_surface = agents.level(_from_surface(world.obstacles, agents, points, self.distance, far))
        if on_obstacles.all():
            return from_surface
        from_curve = _from_curve(world.paths, self.wall, agents, points, far)
        return np.where(on_obstacles[:, None], from_surface, from_curve)


@dataclass(frozen=True)
class _Corner:
    """The walls across the ways of n agents.

    Attributes:
        contact: (n,) metres along the course to the point at which the wall is as near as it may be, inf for no wall.
        side: (n, 3) the unit direction off the wall at that point.
        way: (n, 3) the unit direction along the wall in which it is to be followed.
        course: (n, 3) the unit headings of the agents.
        offset: (n,) the distance to keep, metres.
        sharp: (n,) whether the way leads out of a sharp corner.
        begun: (n,) whether the agent has begun to turn back along the way and has not completed the turn.
    """

    contact: Scalars
    side: Vectors
    way: Vectors
    course: Vectors
    offset: Scalars
    sharp: Mask
    begun: Mask

    def turn(self) -> Vectors:
        """The direction to turn to, (n, 3) unit vectors: along the way, and off the wall.

        The nearer the wall is, the more it leads off the wall. A turn along the wall only would bring the agent nearer
        and nearer. Of a way that leads back, the sideways part counts.
        """
        off = clamp(1.0 - self.contact / (NEARER * self.offset), 0.0, 1.0)
        aside = across(self.way, self.course)
        # A turn back by more than 45 degrees at a time would make the agent brake all the way.
        ahead = np.maximum(dot(self.way, self.course), self.back * magnitude(aside))
        return unit(aside + self.course * ahead[:, None] + self.side * off[:, None])

    @property
    def back(self) -> Scalars:
        """(n,) the degree to which each corner leads back, from 0 to 1."""
        return np.where(self.begun, 1.0, self.sharp * clamp(-dot(self.course, self.way) / BACK, 0.0, 1.0))

    def turns_back(self, urgency: Scalars) -> Mask:
        """Whether each agent turns back, (n,). It completes the turn, as the wall at its side would turn it again."""
        return self.begun | ((urgency > 0.0) & (self.back > 0.5))

    def _turn(self) -> Scalars:
        """(n,) 1 - cos(angle to turn)."""
        return np.maximum(1.0 - dot(self.course, self.way), EPSILON)

    def _steepness(self) -> Scalars:
        """(n,) the distance to the contact that the turn takes, in units of its radius."""
        sine = np.maximum(-dot(self.course, self.side), EPSILON)
        return np.where(dot(self.course, self.way) > 0.0, self._turn() / sine, 1.0)

    def allowed(self, agents: Agents) -> Scalars:
        """The speed from which each agent can take the turn, or brake to take it, (n,) m/s."""
        met = np.isfinite(self.contact)
        contact = np.where(met, self.contact, 0.0)
        turning = TURNING * contact / self._steepness()
        braking = 2.0 * BRAKING * contact
        slow = NEARER * TURNING * NEARER * self.offset / self._turn()
        squared = agents.agility * (np.maximum(turning, braking) + slow)
        return np.where(met, np.sqrt(squared), np.inf)

    def urgency(self, agents: Agents) -> Scalars:
        """The share of the steering that the turn has, (n,) from 0 to 1."""
        met = np.isfinite(self.contact)
        contact, steepness = np.where(met, self.contact, 0.0), self._steepness()
        # In a corner that leads back the whole offset is kept: a nearer agent would get deeper between the walls.
        sine = np.maximum(-dot(self.course, self.side), STEEPEST)
        contact = np.maximum(contact - self.back * (1.0 - NEARER) * self.offset / sine, 0.0)
        steepness += self.back * np.maximum(self._turn() / sine - steepness, 0.0)
        pressing = agents.speed * agents.speed * steepness / np.maximum(agents.agility * contact, EPSILON)
        urgency = clamp((pressing - EARLY) / (FULL - EARLY), 0.0, 1.0)
        return np.where(met, np.where(self.begun, 1.0, urgency), 0.0)


def _heading_along(agents: Agents, outward: Vectors, level_side: Vectors) -> Vectors:
    """The directions along walls in which agents head, (n, 3) unit vectors; to the right if they head at the wall.
    `outward`: (n, 3) unit directions off the walls; `level_side`: (n, 3) level unit directions to the right of the
    agents."""
    along = agents.level(across(agents.forward, outward))
    return np.where((magnitude(along) > HEAD_ON)[:, None], unit(along), unit(across(level_side, outward)))


def _surface_ahead(obstacles: Obstacles, agents: Agents, courses: StraightCourses) -> tuple[Scalars, Vectors]:
    """As `WallFollowing._ahead`, on the surfaces of obstacles."""
    owner, row = obstacles.near(courses.points, courses.furthest + courses.reach, agents.stature)
    foreign = obstacles.carrier[row] != agents.rows[owner]
    owner, row = owner[foreign], row[foreign]
    seen, stature = courses.take(owner), agents.stature.take(owner)
    way, off = obstacles.touch(seen.points, seen.along, seen.reach, row, stature=stature)
    off = agents.take(owner).level(off)
    # For a grounded agent a floor or a ceiling is not a wall.
    way = np.where(magnitude(off) > UPRIGHT, way, np.inf)
    contact, side = np.full(len(agents), np.inf), np.zeros((len(agents), 3))
    order = np.lexsort((row, way, owner))
    first = order[firsts(owner[order])]
    contact[owner[first]], side[owner[first]] = way[first], off[first]
    return contact, unit(side)


def _curve_ahead(
    paths: tuple[Path, ...], asked: Rows, courses: StraightCourses, upward: Vectors
) -> tuple[Scalars, Vectors]:
    """As `WallFollowing._ahead`, on walls that stand on curves. `asked`: as of `_from_curve`; `courses`: level, with
    directions shorter than 1 for agents that head up or down; `upward`: (n, 3) unit vectors away from the ground."""
    flat = np.maximum(magnitude(courses.along), EPSILON)
    contact, off = np.full(len(asked), np.inf), np.zeros((len(asked), 3))
    lines, path, _ = lines_of(paths)
    rows = which(asked != -1)
    if lines is None or not len(rows):
        return contact, off
    few = courses.take(rows)
    owner, line, way, side = lines_crossed(
        lines, few.points, few.along, few.furthest + few.reach, of_rows(upward, rows)
    )
    owner = rows[owner]
    # The wall is near before it is crossed.
    steep = np.maximum(-dot(unit(courses.along[owner]), side), STEEPEST)
    way = np.maximum(way - courses.reach[owner] / (steep * flat[owner]), 0.0)
    walls = which(_counts(asked[owner], path[line]))
    first = walls[nearest_pairs(owner[walls], line[walls], way[walls])]
    contact[owner[first]], off[owner[first]] = way[first], side[first]
    return contact, off


def _counts(asked: Rows, path: Rows) -> Mask:
    """The paths (p,) that are walls for those who asked for these; (p,)."""
    return (asked == NEAREST) | (asked == path)


def _from_surface(obstacles: Obstacles, agents: Agents, points: Vectors, reach: Scalars, far: Vectors) -> Vectors:
    """From the nearest point of a surface to each point, (n, 3); `far` (n, 3) if none is within `reach` (n,)."""
    owner, row = obstacles.near(points, reach, agents.stature)
    foreign = obstacles.carrier[row] != agents.rows[owner]
    owner, row = owner[foreign], row[foreign]
    distance, away = obstacles.surface(picked(points, owner), row, agents.stature.take(owner))
    offset = far.copy()
    order = np.lexsort((row, np.abs(distance), owner))
    nearest = order[firsts(owner[order])]
    nearest = nearest[np.abs(distance[nearest]) < reach[owner[nearest]]]
    offset[owner[nearest]] = (away * distance[:, None])[nearest]
    return offset


def _from_curve(paths: tuple[Path, ...], asked: Rows, agents: Agents, points: Vectors, far: Vectors) -> Vectors:
    """The level offset from the nearest point of the walls to each point, (n, 3); `far` if no wall is nearer than that.
    `asked`: (n,) the row of the path that is the wall, NEAREST for all paths, -1 for none."""
    offset = far.copy()
    lines, path, _ = lines_of(paths)
    rows = which(asked != -1)
    if lines is None or not len(rows):
        return offset
    reach = magnitude(far)
    owner, line, _ = lines_within(lines, points[rows], reach[rows], agents.upward_of(rows))
    owner = rows[owner]
    walls = which(_counts(asked[owner], path[line]))
    owner, line = owner[walls], line[walls]
    followed = lines.followed(line)
    along = followed.nearest(points[owner], agents.upward_of(owner))
    gap = agents.flat_of(points[owner] - followed.position(along), owner)
    distance = magnitude(gap)
    near = which(distance < reach[owner])
    first = near[nearest_pairs(owner[near], line[near], distance[near])]
    offset[owner[first]] = gap[first]
    return offset
