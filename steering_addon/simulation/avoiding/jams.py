"""Jams: how agents that press each other to a standstill get going again.

Where a throng presses through a door, its agents come to stand in an arch, each held by the next. One that gives way
for a moment lets the arch fall: so jammed agents jostle, and an agent that is held by one ahead of it steps back and
makes room.

    jostling = |course| (1 - progress / jammed) noise(t)        stepping back = -steps_back course

where noise(t) are two smooth random numbers from -1 to 1, one along each axis. Who steps aside does without, as long as
gaps open: it finds them, and would only turn to and fro before them. Among many who cross an open place none opens any
more once all of them stand, so who has not got on for long jostles, too. Who is to stand (Cruise Speed 0) leaves no gap
of itself: the jammed go on as if it were not there, and contacts have it make room.

Who is held up on a way that turns, as through a door, or that comes to a passage too narrow for two, and steps aside
goes before those who have a longer way left, if nobody right before it has a shorter one: it does not keep out of their
way. Of those who come to such a passage from the same side, the one that is nearer to it has the shorter way, wherever
they go from there. If each gave way to all others, a throng would stand before an empty door; if all of them went
first, not only the foremost, they would pass it in single file. On a plane, where no map of the ground says which ways
are too narrow, only those do that are jammed.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays.chance import mix, smooth_noise
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, anybody, clamp, nobody, which
from ..arrays.vectors import Vectors, columns, dot, magnitude, picked, unit
from ..memory import Memory, remembered
from ..nearby.neighbors import Near
from ..world import Agents, World

JOSTLES = 0x7A3
"""Salt of the keys from which the direction of jostling is drawn."""
HELD = 2
"""Number of others, one of them ahead, that make a pressed agent step back: two agents that meet resolve it by choosing
velocities, but a third beside or behind one of them closes an arch."""
COMES = -0.5
"""Cosine of the angle, 120 degrees, between the course of an agent and the heading of another beyond which that comes
towards it, if its goal is behind the agent: streams that meet do not go one before the other, those who turn into one
door from both sides do."""
AHEAD = 0.7
"""Cosine of the angle, 45 degrees, within which of its course another agent is ahead. Six discs fit round one, 60
degrees apart, so one or two of them are ahead."""


@dataclass(frozen=True)
class Jamming:
    """The fitted constants of jams.

    scripts/measure avoidance judges them on stages where walkers jam at doors. 10 % of any of these change the score by
    less than two of its errors, except 10 % less of `stuck`, which cost 0.8 %: docs/avoidance.md has the table.

    Attributes:
        patience: seconds over which progress is averaged.
        jammed: share of the wished speed; an agent on the ground that makes less progress is jammed.
        pressed: metres between the bodies of agents that press each other.
        jostles_a_second: how often a jostling agent changes direction.
        steps_back: share of the wished speed at which a held agent steps back.
        freely: share of the wished speed; an agent on the ground that makes less progress is held up.
        stuck: share of the wished speed; an agent that makes less progress lets others come nearer than the clearance.
        stands: share of the wished speed; an agent on the ground that could go no faster stands instead of creeping.
        deadlocked: share of the wished speed; one that steps aside jostles if it makes less progress. One that stands
            comes to it in 4.6 times the patience, as e^-4.6 = 0.01.
    """

    patience: float = 0.85
    jammed: float = 0.25
    pressed: float = 0.3
    jostles_a_second: float = 2.0
    steps_back: float = 0.5
    freely: float = 0.9
    stuck: float = 0.5
    stands: float = 0.2
    deadlocked: float = 0.01


JAMMING = Jamming()


@dataclass(frozen=True)
class Progress(Memory):
    """The progress of agents along their wishes. `share`: (n,) the share of the wished velocity that each recently had,
    from 0 to 1; `begun`: (n,) the agents that have been watched for at least a step."""

    share: Scalars = remembered(1.0)
    begun: Mask = remembered(False)


def update_progress(
    world: World, agents: Agents, wished: Vectors, memory: Progress, patience: float = JAMMING.patience
) -> Progress:
    """The progress after a step: p += (clamp(v . w / w^2, 0, 1) - p) dt / (patience + dt). `wished`: (n, 3) w, the
    velocities the agents wish for, m/s; `patience`: seconds over which progress is averaged."""
    speed_squared = dot(wished, wished)
    share = np.where(speed_squared > EPSILON, dot(agents.velocity, wished) / np.maximum(speed_squared, EPSILON), 1.0)
    change = (clamp(share, 0.0, 1.0) - memory.share) * (world.dt / (patience + world.dt))
    return Progress(memory.share + change, np.ones(len(agents), dtype=np.bool_))


@dataclass(frozen=True)
class Jam:
    """The agents that are jammed among others.

    Attributes:
        jammed: (n,) the agents on the ground that others press and that get on no longer; not those that wait apart,
            as in a queue.
        held: (n,) the jammed agents that at least HELD others press, one of them ahead.
        first: (n,) the agents that go before those who have a longer way left, the foremost.
        course: (n, 3) unit vectors along their ways.
        jamming: the constants.
    """

    jammed: Mask
    held: Mask
    first: Mask
    course: Vectors
    jamming: Jamming = JAMMING

    @classmethod
    def of(
        cls,
        world: World,
        agents: Agents,
        course: Vectors,
        progress: Scalars,
        ahead: Scalars,
        near: Near,
        jamming: Jamming = JAMMING,
    ) -> "Jam":
        """The jams among agents.

        Args:
            course: (n, 3) the velocities the agents wish for along their ways, m/s.
            progress: (n,) as of `Progress`.
            ahead: (n,) how far their ways to their goals lead straight on, metres.
            near: the others that the agents perceive.
        """
        slow = (progress < jamming.jammed) & agents.grounded
        gap = near.distance - agents.radius[near.agent] - world.bodies.radius[near.body]
        pressing = which(gap < jamming.pressed)
        agent, course = near.agent[pressing], unit(course)
        number = np.bincount(agent, minlength=len(agents))
        in_front = dot(picked(near.offset, pressing), picked(course, agent)) > AHEAD * near.distance[pressing]
        sooner = in_front & (_behind(world, near.body[pressing], agents.rows[agent]) < 0.0)
        blocked, later = (np.bincount(agent[some], minlength=len(agents)) > 0 for some in (in_front, sooner))
        pressed, held = number > 0, blocked & (number >= HELD)
        turns, steps_aside = ahead < agents.goal_distance - agents.radius, agents.handling.side_step > 0.0
        if world.passing is not None:
            turns = turns | world.passing.single[agents.rows]
        # Where no map knows which ways are too narrow for two, a wide door leaves room to all but those that stand.
        slower = jamming.jammed if world.ways is None else jamming.freely
        first = (progress < slower) & turns & steps_aside & ~later
        return cls(slow & pressed, slow & held, first, course, jamming)

    def loosened(self, world: World, agents: Agents, course: Vectors, progress: Scalars) -> Vectors:
        """The courses, (n, 3) m/s: jostling added for jammed agents, and turned back for held ones. Agents that step
        aside keep their courses, unless they are deadlocked."""
        finds_gaps = (agents.handling.side_step > 0.0) & (progress >= self.jamming.deadlocked)
        rows = which(self.jammed & ~finds_gaps)
        if not len(rows):
            return course
        keys, rate = mix(agents.keys[rows], JOSTLES), np.full(len(rows), self.jamming.jostles_a_second)
        x, y = smooth_noise(keys, 2, rate, world.time)
        wished = course[rows]
        size = magnitude(wished) * (1.0 - progress[rows] / self.jamming.jammed)
        loosened = course.copy()
        loosened[rows] = np.where(self.held[rows, None], -self.jamming.steps_back * wished, wished)
        loosened[rows] += agents.level_of(columns(x * size, y * size, 0.0), rows)
        return loosened

    def in_the_way(self, world: World, agents: Agents, near: Near) -> Near:
        """The others of which agents keep out of the way.

        Who stands makes room for who is jammed, who has a longer way left for who is held up, unless it comes towards
        that, and who lets others pass for the foremost of those whom it lets pass.
        """
        stands = world.bodies.stands
        makes_room = nobody(len(near.body)) if stands is None else self.jammed[near.agent] & stands[near.body]
        if anybody(self.first):
            later = self.first[near.agent] & (_behind(world, near.body, agents.rows[near.agent]) > 0.0)
            to_own = picked(world.goal, agents.rows[near.agent]) - picked(agents.position, near.agent)
            elsewhere = dot(to_own, picked(world.goal, near.body) - picked(agents.position, near.agent)) <= 0.0
            heading = picked(world.bodies.forward, near.body)
            comes = elsewhere & (dot(heading, picked(self.course, near.agent)) <= COMES)
            makes_room = makes_room | later & ~comes
            if world.passing is not None:
                others = np.minimum(near.body, world.vehicles - 1)
                lets = world.passing.lets[others] & world.passing.alike(others, agents.rows[near.agent], -1.0)
                makes_room = makes_room | self.first[near.agent] & lets & (near.body < world.vehicles)
        return near.perceived(~makes_room).only_perceived() if anybody(makes_room) else near


def _behind(world: World, bodies: Rows, rows: Rows) -> Scalars:
    """How much longer a way bodies (m,) have left than vehicles of rows (m,), metres; nan where either has none."""
    longer, passing = world.way_left[bodies] - world.way_left[rows], world.passing
    if passing is None:
        return longer
    others = np.minimum(bodies, world.vehicles - 1)
    alike = (bodies < world.vehicles) & passing.alike(others, rows)
    return np.where(alike, passing.come[rows] - passing.come[others], longer)
