"""Keep company: go side by side in twos and threes, as friends do (not in the paper).

Small groups of people walk abreast, those of three with the one in the middle a little behind, and wait for each other
(Moussaid, Perozo, Garnier, Helbing and Theraulaz 2010).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..simulation.arrays.chance import mix, uniform
from ..simulation.arrays.scalars import EPSILON, Mask, Number, Rows, Scalars, anybody, which
from ..simulation.arrays.vectors import Vectors, dot, magnitude, truncate, unit
from ..simulation.behavior import OURS, Intent, Steering
from ..simulation.declaration import acceleration, length, seconds, share
from ..simulation.intention import Intention
from ..simulation.maneuvers.braking import COMFORT
from ..simulation.maneuvers.companions import Companions
from ..simulation.maneuvers.neighborhood import Neighborhood
from ..simulation.memory import Memory, remembered
from ..simulation.presence.arrivals import PLACE
from ..simulation.world import Agents, World

COMPANY, THREES = 0xC0, 0xC3
"""Salts of the random keys of who has company, and of the groups that take a third."""
LOSES = 2.0
"""The distance from the middle of a group at which companions are lost, as a multiple of that at which they are found:
groups that others have split have room to join again."""
LEAVES = 0.25
"""The same for one that continues without its group."""
BACK = 0.4
"""How far behind the other two the one in the middle of three goes, as a share of their distance to the side."""
STANDS = 0.1
"""Share of cruise speed below which a group stands, as walkers stand instead of creeping."""
BESIDE = 0.5
"""How far behind one who stands it still continues, as a share of their distance to the side."""
SLOWEST, HELD_UP = 0.5, 0.75
"""Shares of cruise speed: that at which one waits for those behind, and that below which its group holds it up."""
NEAR = 2.0
"""How far away one may be that stops for another, as a multiple of their distance to the side."""
RELEASED = 1.5
"""Seconds in which one whom its group has held up may set off, before it counts as one who stopped."""
TURNS_AFTER = 2.0
"""Seconds for which members of a group have stood when they turn to each other: a halt to let others pass is short."""

LOOKS_EVERY = 0.25
"""Seconds between two looks for company, of all at the same moments: two join each other."""


@dataclass(frozen=True)
class Company(Memory):
    """The companions of each agent.

    Attributes:
        first, second: (n,) their rows in World.bodies, -1 for none.
        with_first, with_second: (n,) whether it keeps pace with them.
        way: (n, 3) unit vectors along which the group last went.
        standing: (n,) seconds for which it has been standing.
        stopped: (n,) seconds for which it has been standing, neither for its group nor because others are in its way;
            below 0 the time left in which it sets off after its group has held it up.
        waited: (n,) seconds for which its group has held it up; below 0 the time left in which it does without.
    """

    first: Rows = remembered(-1)
    second: Rows = remembered(-1)
    with_first: Mask = remembered(False)
    with_second: Mask = remembered(False)
    way: Vectors = remembered((0.0, 0.0, 0.0))
    standing: Scalars = remembered(0.0)
    stopped: Scalars = remembered(0.0)
    waited: Scalars = remembered(0.0)


@dataclass(frozen=True)
class KeepCompany(Neighborhood):
    """Go side by side with one or two others, wait for them, and stand facing them.

    Those who want company join the nearest others of their crowd who do and go the same way. Groups part where they
    have to, and come together again. Who stands is waited for, unless it is far away, has arrived, or takes longer than
    patience lasts, and nobody waits where others would have to, as in a door. Does nothing for those who are alone, run
    from something or after it, or keep a place in a formation.
    """

    name = "keep_company"
    label = "Keep Company"
    term = OURS
    intent = Intent.WITH
    remembers = Company
    by_chance = True
    refers_to_up = True

    in_company: Number = share(1.0, "Share of the vehicles that look for company")
    threes: Number = share(0.3, "Share of the pairs that take a third")
    gap: Number = length(0.25, "Room between the bodies of two side by side")
    distance: Number = length(4.0, "How far away company is found; at twice that it is lost", label="Sees Up To")
    approach_time: Number = seconds(
        1.0, "Time in which it makes up its distance from its place", 0.05, label="Approach"
    )
    strength: Number = acceleration(3.0, "Strongest steering toward its place")
    patience: Number = seconds(10.0, "How long it waits for the others; then it continues as long without them", 0.1)

    def steer(self, world: World, agents: Agents, memory: Company) -> Steering:
        away = memory.waited < 0.0
        known = Companions.of(world, agents, np.stack((memory.first, memory.second), axis=1))
        placed = world.in_formation[agents.rows]
        furthest = self.distance * np.where(placed, 0.0, np.where(away, LEAVES, LOSES))
        companions = self._joined(world, known.kept(furthest), memory, ~placed)
        members = _Circle.of(companions, memory.stopped)
        stands = agents.speed <= STANDS * agents.cruise_speed
        standing = np.where(stands, memory.standing + world.dt, 0.0)
        busy = agents.intention.alarmed | agents.intention.hurries
        turns = companions.exist[:, 0] & ~busy & (members.speed <= STANDS * agents.cruise_speed)
        # Agents that stand where they want to be have arrived, even if others keep them from the very place.
        arrived = agents.arrived | (stands & (agents.goal_distance <= PLACE * agents.radius))
        pace = companions.exist & _keeps_pace(companions, away, arrived)
        paced = companions.only(pace)
        group = members if paced is companions else _Circle.of(paced, memory.stopped)
        accompanied = paced.exist[:, 0] & ~busy
        goes = group.speed > STANDS * agents.cruise_speed
        way = np.where(goes[:, None], group.velocity / np.maximum(group.speed, EPSILON)[:, None], memory.way)
        limit = np.where(accompanied, self._waiting(world, paced, group, way, memory.stopped), np.inf)
        held_up = limit < HELD_UP * agents.cruise_speed
        in_the_way = self._in_the_way(world, companions, way, which(np.isfinite(limit)))
        held_up, limit = held_up & ~in_the_way, np.where(in_the_way, np.inf, limit)
        waited = self._waited(memory, held_up, world.dt)
        # Members that something separates go round it, each on its own way.
        close = accompanied & goes & (magnitude(group.offset) <= self.distance[:, None]).all(axis=1)
        faces = turns & (standing > TURNS_AFTER)
        sets_off = faces & accompanied & ~goes & ~arrived
        force = agents.none()
        for those, asked in ((sets_off, self._past_them), (close, self._force)):
            if anybody(those):
                force = np.where(those[:, None], asked(paced, group, way), force)
        stopped = np.where(stands & ~agents.bound, np.where(held_up, -RELEASED, memory.stopped + world.dt), 0.0)
        first, second = (column.copy() for column in companions.members.T)
        with_first, with_second = (column.copy() for column in pace.T)
        after = Company(first, second, with_first, with_second, way, standing, stopped, waited)
        return Steering(
            force,
            after,
            speed_limit=limit,
            sets_speed=close | sets_off,
            heading=np.where(faces[:, None], unit(members.middle), 0.0) if anybody(faces) else agents.none(),
        )

    def _in_the_way(self, world: World, companions: Companions, way: Vectors, waiting: Rows) -> Mask:
        """Whether agents wait where others than companions follow closely, who would have to wait too, (n,). `way`: (n,
        3) unit vectors along which the groups go; `waiting`: (m,) rows."""
        agents = companions.agents
        in_the_way = np.zeros(len(agents), dtype=np.bool_)
        if len(waiting):
            near = self.take(waiting).near(world, agents.take(waiting)).together().only_perceived()
            agent = waiting[near.agent]
            spacing = agents.radius[agent] + world.bodies.radius[near.body] + self.gap[agent]
            behind = near.along(way[waiting]) < 0.0
            company = (companions.members[agent] == near.body[:, None]).any(axis=1)
            follows = behind & (near.distance < NEAR * spacing) & ~company
            in_the_way[agent[follows]] = True
        return in_the_way

    def _waited(self, memory: Company, held_up: Mask, dt: float) -> Scalars:
        """For how long its group has held up each agent, (n,) seconds, as of `Company.waited`. `held_up`: (n,) the
        agents that it holds up now."""
        waited = np.where(held_up, memory.waited + dt, np.maximum(memory.waited - dt, 0.0))
        waited = np.where(memory.waited < 0.0, np.minimum(memory.waited + dt, 0.0), waited)
        return np.where(waited >= self.patience, -self.patience, waited)

    def intention(self, world: World, agents: Agents, memory: Company) -> Intention:
        rows = np.stack((memory.first, memory.second), axis=1)
        return Intention(companions=np.where(np.stack((memory.with_first, memory.with_second), axis=1), rows, -1))

    def _joined(self, world: World, companions: Companions, memory: Company, free: Mask) -> Companions:
        """The companions, with those whom agents that are free to, (n,), join in this step."""
        if np.floor(world.time / LOOKS_EVERY) == np.floor((world.time - world.dt) / LOOKS_EVERY):
            return companions
        agents, keys = companions.agents, companions.keys()
        alone = (companions.size == 1) & (uniform(mix(agents.keys, COMPANY)) < self.in_company)
        takes_a_third = companions.paired() & (uniform(mix(keys, THREES)) < self.threes)
        seeks = free & (alone | takes_a_third) & ~(agents.intention.alarmed | agents.intention.hurries)
        seeking = which(seeks)
        if not len(seeking):
            return companions
        near = self.take(seeking).near(world, agents.take(seeking)).together().only_perceived()
        ready = (memory.waited >= 0.0) & ~agents.arrived & (agents.speed > STANDS * agents.cruise_speed)
        return companions.joined(near, seeking[near.agent], seeks, ready)

    def _force(self, companions: Companions, group: _Circle, way: Vectors) -> Vectors:
        """The steering of each agent to its place and to the pace of its group, (n, 3) newtons.

        (velocity + approach - own velocity) / response_time + way (pace - speed) / speed_time
        """
        agents = companions.agents
        desired = group.velocity + self._approach(agents, self._place(companions, group, way), way)
        # Two that slow each other down would both stop: who waits for the others goes at the slowest pace instead.
        slowest = SLOWEST * agents.cruise_speed
        desired = desired + way * np.maximum(slowest - dot(desired, way), 0.0)[:, None]
        desired = truncate(desired, agents.max_speed)
        steering: Vectors = (desired - agents.level(agents.velocity)) / agents.vehicle.response_time[:, None]
        steering += way * ((group.pace - group.speed) / agents.vehicle.speed_time)[:, None]
        steering = self._kept_beside(companions, group, steering)
        return truncate(steering, self.strength) * agents.mass[:, None]

    def _kept_beside(self, companions: Companions, group: _Circle, steering: Vectors) -> Vectors:
        """Accelerations, (n, 3) m/s2, without what brings agents nearer to their companions than beside them. The speed
        at which an agent comes nearer is (distance - spacing) / approach_time at most, and not below 0."""
        agents, spacing = companions.agents, self._spacing(group)
        response, velocity = agents.vehicle.response_time, agents.level(agents.velocity)
        for offset, other in zip(group.offset.swapaxes(0, 1), group.velocities.swapaxes(0, 1)):
            toward, room = unit(offset), np.maximum(magnitude(offset) - spacing, 0.0)
            closing = dot(velocity + steering * response[:, None] - other, toward)
            excess = np.maximum(closing - room / self.approach_time, 0.0)
            steering = steering - toward * (excess / response)[:, None]
        return steering

    def _approach(self, agents: Agents, place: Vectors, way: Vectors) -> Vectors:
        """The velocities at which agents come straight to places (n, 3) beside and along their way, (n, 3) m/s.

        place / approach_time, but no faster to the side than v = sqrt(2 a d), d being the distance to the side and a
        how quickly one that is as fast as it turns: it walks straight ahead again once it has arrived.
        """
        aside = magnitude(place - way * dot(place, way)[:, None])
        turns_back = np.sqrt(2.0 * agents.sideways_at(agents.speed) * aside)
        time = np.maximum(self.approach_time, aside / np.maximum(turns_back, EPSILON))
        return place / time[:, None]

    def _past_them(self, companions: Companions, group: _Circle, way: Vectors) -> Vectors:
        """The steering of each agent that faces its companions and sets off, (n, 3) newtons: along its way, past them.
        One that sets off goes where it faces, and would walk into them."""
        agents, toward = companions.agents, unit(group.middle)
        past = unit(way - toward * np.maximum(dot(way, toward), 0.0)[:, None])
        steering = past * (group.pace / agents.vehicle.speed_time)[:, None]
        return truncate(steering, self.strength) * agents.mass[:, None]

    def _place(self, companions: Companions, group: _Circle, way: Vectors) -> Vectors:
        """The way to the place of each agent in its group, (n, 3) metres: side by side, in the order in which they are.

        middle + ((size - 1) / 2 - left) spacing leftward; `left` is the number of those to its left. The middle one of
        three is BACK spacing behind the others.
        """
        agents, size = companions.agents, companions.size
        leftward = unit(agents.left_of(way))
        aside = dot(group.offset, leftward[:, None, :])
        # Of two in line, the one with the lower number is on the left.
        in_line = (aside == 0.0) & (companions.numbers() < agents.numbers[:, None])
        to_left = companions.exist & ((aside > 0.0) | in_line)
        left = to_left[:, 0].astype(np.int64) + to_left[:, 1]
        spacing = self._spacing(group)
        ahead = np.where(size == 3, np.where(left == 1, -2.0, 1.0) * (BACK / 3.0) * spacing, 0.0)
        beside = ((size - 1) / 2.0 - left) * spacing
        return group.middle + leftward * beside[:, None] + way * ahead[:, None]

    def _spacing(self, group: _Circle) -> Scalars:
        """The distance of two who are side by side, (n,) metres."""
        return 2.0 * group.radius + self.gap

    def _waiting(self, world: World, companions: Companions, group: _Circle, way: Vectors, stopped: Scalars) -> Scalars:
        """The speed at which the hindmost of its group keeps up with each agent, (n,) m/s, inf where it does anyway.

        v = sqrt(w^2 + 2 b room) for one who may still get further ahead by some room: it can brake to the speed w of
        the hindmost there, b being its braking. One that is too far ahead is slower than the hindmost, but continues.
        Beside one who stopped before it, it stops; so whoever stopped first is the first to go.
        """
        agents, spacing, speeds = companions.agents, self._spacing(group), dot(group.velocities, way[:, None, :])
        leads = np.where(companions.exist, -dot(group.offset, way[:, None, :]), -np.inf)
        second = leads[:, 1] > leads[:, 0]
        lead = np.where(second, leads[:, 1], leads[:, 0])
        speed = np.maximum(np.where(second, speeds[:, 1], speeds[:, 0]), 0.0)
        room = spacing - np.maximum(lead, 0.0)
        brakes = COMFORT * agents.agility
        braking = np.sqrt(speed * speed + 2.0 * brakes * np.maximum(room, 0.0))
        allowed = np.where(room > 0.0, braking, np.maximum(speed + room / self.approach_time, 0.0))
        limit = np.where(lead > 0.0, np.maximum(allowed, SLOWEST * agents.cruise_speed), np.inf)
        near = (leads > -BESIDE * spacing[:, None]) & (magnitude(group.offset) < NEAR * spacing[:, None])
        beside = near & (group.stopped > np.maximum(stopped, 0.0)[:, None])
        slower = np.maximum(agents.speed - brakes * world.dt, 0.0)
        return np.where(beside[:, 0] | beside[:, 1], np.minimum(limit, slower), limit)


def _keeps_pace(companions: Companions, away: Mask, arrived: Mask) -> NDArray[np.bool_]:
    """The companions with whom agents keep pace, (n, 2).

    Not those who go on without them, nor those who have arrived where they have not, and the other way round. `away`:
    (n,) the agents that go on without their group; `arrived`: (n,) the agents that have arrived.
    """
    together = companions.of_agents(arrived) == arrived[:, None]
    alone = (companions.of_agents(away) > 0.0) | away[:, None]
    return together & ~alone


@dataclass(frozen=True)
class _Circle:
    """The groups of n agents, as each sees its own, in level vectors.

    Attributes:
        offset, velocities: (n, 2, 3) of its companions, metres and m/s; 0 where there is none.
        middle, velocity: (n, 3) the offset of the middle of the group and its mean velocity.
        speed: (n,) the length of that.
        stopped: (n, 2) seconds for which its companions have been standing, as of `Company.stopped`; 0 without one.
        pace: (n,) the mean cruise speed of its members, m/s.
        radius: (n,) the mean radius of its members, metres.
    """

    offset: Vectors
    velocities: Vectors
    middle: Vectors
    velocity: Vectors
    speed: Scalars
    stopped: Scalars
    pace: Scalars
    radius: Scalars

    @classmethod
    def of(cls, companions: Companions, stopped: Scalars) -> _Circle:
        """The groups of agents; `stopped` (n,) is as of `Company`."""
        agents, bodies, size = companions.agents, companions.world.bodies, companions.size
        offset, velocities = companions.offsets(), companions.vectors(bodies.velocity)
        radii = companions.column(bodies.radius)
        paces = companions.of_agents(agents.cruise_speed)
        slow = STANDS * agents.cruise_speed[:, None]
        halted = np.where(companions.exist & (magnitude(velocities) <= slow), np.inf, 0.0)
        velocity = (agents.level(agents.velocity) + velocities[:, 0] + velocities[:, 1]) / size[:, None]
        return cls(
            offset=offset,
            velocities=velocities,
            middle=(offset[:, 0] + offset[:, 1]) / size[:, None],
            velocity=velocity,
            speed=magnitude(velocity),
            stopped=np.where(companions.known, companions.of_agents(stopped), halted),
            pace=(agents.cruise_speed + paces[:, 0] + paces[:, 1]) / size,
            radius=(agents.radius + radii[:, 0] + radii[:, 1]) / size,
        )
