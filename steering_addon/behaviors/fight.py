"""Fight: meet an enemy, one to one, and stop a step before it, face to face (not in the paper)."""

from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import Mask, Number, Rows, Scalars, least_of_each, which
from ..simulation.arrays.vectors import Vectors, dot, magnitude, picked, unit
from ..simulation.behavior import OURS, Behavior, Intent, Steering
from ..simulation.declaration import body, integer, length
from ..simulation.intention import Intention
from ..simulation.maneuvers import braking
from ..simulation.maneuvers.pairing import Between, Wants
from ..simulation.maneuvers.stopping import speed_to_stop
from ..simulation.maneuvers.turning import hurry_round
from ..simulation.memory import remembered
from ..simulation.nearby.neighbors import EVERYONE
from ..simulation.partners import Partners
from ..simulation.world import Agents, World

CLOSE, APART = 0.2, 0.5
"""How much farther away than its reach the partner is where one stops before it, and from where one follows it, as
shares of the reach."""
ROW = 0.5
"""The room behind those before it at which one waits, as a share of its reach."""
WAITS, GOES_ON = 0.1, 0.4
"""Shares of top speed: one that may go no faster than the first waits, until it may go as fast as the second."""

GIVES_UP = 0.5
"""Seconds for which one comes no nearer to its partner, as others are in the way, until it looks for another."""
PATIENT = 1.5
"""Seconds for which it then tries no way round others."""
FACES, BESIDE = 0.99, 0.0
"""The cosines from which on one faces its enemy, and down to which it walks round to a partner."""
SLOW = 0.1
"""Share of cruise speed below which a body stands, and two come no nearer to each other."""


@dataclass(frozen=True)
class Fighting(Partners):
    """The partner of each agent. `waits`: (n,) whether it has none and stands behind those that fight."""

    waits: Mask = remembered(False)


@dataclass(frozen=True)
class Fight(Behavior):
    """Run to an enemy, one to one, and stop a step before it, face to face.

    Each takes the nearest enemy that is free and to whom a way leads, straight or round those that stand between, and
    they stay partners until one is gone. Who finds none goes up to the nearest enemy and waits behind those that fight.
    Does nothing without an enemy.
    """

    name = "fight"
    label = "Fight"
    term = OURS
    intent = Intent.REACT
    runs = True
    sees = "distance"
    remembers = Fighting

    enemy: Rows = body("Enemy to fight, and with it all of its crowd; empty: the nearest leader")
    reach: Number = length(1.0, "Room between its body and that of its partner when it has stopped")
    distance: Number = length(5.0, "How far away partners are found", room_to_stop=True, label="Sees Up To")
    apart: Number = length(0.0, "How far from its partner its clips are made to be played", from_clips=True)
    most: Rows = integer(1, "How many may fight one enemy at a time", 1, label="At One Enemy")

    def steer(self, world: World, agents: Agents, memory: Fighting) -> Steering:
        wants, fights = Wants.of(world), (self.enemy >= 0) & (self.weight != 0.0)
        has = fights & wants.kept(world, agents, memory, self.most, self.distance, GIVES_UP)
        goes = which(fights & ~(has & memory.stands))
        between = self.take(goes)._between(world, agents.take(goes))
        wanted = np.where(has, memory.wanted, -1)
        chosen = self.take(goes)._chosen(wants, between, memory.hindered[goes] >= 0.0)
        wanted[goes] = np.where(has[goes], wanted[goes], chosen)
        after = replace(memory, wanted=wanted, has=has, apart=self.apart, asked=np.where(fights, world.time, -np.inf))
        way, gap = _way(world, agents, np.where(has, wanted, self.enemy))
        paired = self._paired(wants, after, magnitude(way) - gap)
        way, gap, barred = _round_others(between, goes, after, way, gap)
        direction = unit(way)
        after, away = paired._facing(world, agents, wants, memory, after, direction, gap, barred)
        speed, response_time = paired._speed(world, agents, direction, gap, away, wants.mutual[agents.rows], has)
        room = np.where(has, 0.0, ROW * self.reach)
        behind = _speed_behind(between, picked(direction, goes), room[goes], np.where(has, wanted, -1)[goes])
        speed[goes] = np.minimum(speed[goes], behind)
        waits = fights & ~has & (speed <= np.where(memory.waits, GOES_ON, WAITS) * agents.max_speed)
        speed = np.where(after.stands | waits, 0.0, speed)
        return self._steering(agents, fights, replace(after, waits=waits), way, speed, response_time)

    @staticmethod
    def _steering(
        agents: Agents, fights: Mask, after: Fighting, way: Vectors, speed: Scalars, response_time: Scalars
    ) -> Steering:
        """The steering of those that fight, on ways (n, 3) at speeds (n,) in m/s."""
        direction = unit(way)
        force = agents.steering_to(direction * speed[:, None], response_time)
        # One that is to stop does not swing round first.
        force = np.where((speed > 0.0)[:, None], hurry_round(agents, force, way), force)
        goes_round = after.has & ~after.stands
        return Steering(
            np.where(fights[:, None], force, 0.0),
            after,
            sets_speed=fights,
            urgent=np.where((after.has & (speed < agents.speed))[:, None], force, 0.0),
            # It stops there whatever else it wants.
            speed_limit=np.where(fights, speed, np.inf),
            heading=np.where(fights[:, None], direction, 0.0),
            alarmed=fights,
            # One that has its enemy beside or behind it whirls round; not to go round others to its partner.
            hurries=fights & ~after.waits & (dot(direction, agents.forward) < np.where(goes_round, BESIDE, FACES)),
        )

    def goal(self, world: World, agents: Agents, memory: Fighting) -> Vectors:
        target = np.where(memory.has, memory.wanted, self.enemy)
        halts = (self.enemy < 0) | memory.stands | memory.waits
        return world.bodies_by_way(agents, np.where(halts, -1, target))

    def intention(self, world: World, agents: Agents, memory: Fighting) -> Intention:
        partner = np.where(memory.has, memory.wanted, -1)
        return Intention(companions=partner[:, None], meets=partner)

    def _between(self, world: World, agents: Agents) -> Between:
        everyone, all_round = np.full(len(agents), EVERYONE), np.full(len(agents), 2.0 * np.pi)
        near = world.neighbors(agents, self.distance, all_round, everyone, everyone).together()
        return Between(world, agents, near)

    def _chosen(self, wants: Wants, between: Between, goes_round: Mask) -> Rows:
        return wants.chosen(between, self.enemy, self.most, self.distance, goes_round)

    def _paired(self, wants: Wants, after: Fighting, within: Scalars) -> "Fight":
        """The behavior with the reach at which those with partners meet them, for which clips of either may be made.
        `within`: (n,) metres of the way from middle to middle that are in their bodies."""
        apart = np.where(after.has, np.maximum(self.apart, wants.apart[np.maximum(after.wanted, 0)]), 0.0)
        reach = np.maximum(apart - within, CLOSE * self.reach)
        return replace(self, apart=apart, reach=np.where(apart > 0.0, reach, self.reach))

    def _facing(
        self,
        world: World,
        agents: Agents,
        wants: Wants,
        before: Fighting,
        after: Fighting,
        direction: Vectors,
        gap: Scalars,
        barred: Mask,
    ) -> tuple[Fighting, Scalars]:
        """The memory of where they stand, and how fast their partners go away, (n,) m/s. `direction`: (n, 3) unit
        vectors in which they go to their partners; `gap`: (n,) metres from body to body; `barred`: (n,) who has no way
        to its partner."""
        partner = np.maximum(after.wanted, 0)
        away = dot(agents.level(picked(world.bodies.velocity, partner)), direction)
        same = after.has & before.has & (after.wanted == before.wanted)
        halts = (before.stands & same) | (agents.speed <= SLOW * agents.cruise_speed)
        stands = after.has & (gap <= (1.0 + np.where(halts & (self.apart <= 0.0), APART, CLOSE)) * self.reach)
        both = same & before.stands & (wants.stands[partner] | ~wants.asks[partner])
        met = np.where(both, np.minimum(before.met, world.time), np.inf)
        nears = ~barred & (dot(agents.velocity, direction) - away > SLOW * agents.cruise_speed)
        # Below 0 it is the time that is left of its patience.
        rests = np.where(before.hindered >= GIVES_UP, -PATIENT, np.minimum(before.hindered + world.dt, 0.0))
        hindered = np.where(same & ~stands & ~nears, np.maximum(before.hindered, 0.0) + world.dt, rests)
        return replace(after, stands=stands, met=met, hindered=hindered), away

    def _speed(
        self,
        world: World,
        agents: Agents,
        direction: Vectors,
        gap: Scalars,
        away: Scalars,
        mutual: Mask,
        has: Mask,
    ) -> tuple[Scalars, Scalars]:
        """The speed at which each still can stop where it is to, (n,) m/s, and the time in which it takes it up.

        Of two that come to each other, each goes half of the way. A partner that goes away, at (n,) m/s, is followed.
        Who has no partner leaves room for one before it.
        """
        room = gap - self.reach
        room = np.where(has, room, room - 2.0 * agents.extent - ROW * self.reach)
        room = np.maximum(np.where(mutual, 0.5 * room, room), 0.0)
        speed, response_time = speed_to_stop(agents, direction, room, self.reach, world.dt)
        followed = np.where(has, speed + np.maximum(away, 0.0), speed)
        return np.minimum(followed, agents.max_speed), response_time


def _way(world: World, agents: Agents, target: Rows) -> tuple[Vectors, Scalars]:
    """The level ways to bodies of rows (n,), (n, 3) metres, and what is between their surfaces, (n,) metres."""
    row, none = np.maximum(target, 0), target < 0
    way = agents.level(world.bodies_by_way(agents, target) - agents.position)
    way = np.where(none[:, None], 0.0, way)
    offset = agents.level(picked(world.bodies.position, row) - agents.position)
    ends = magnitude(offset) - magnitude(agents.level(world.bodies.between(offset, agents.rows, row)))
    return way, magnitude(way) - ends - agents.radius - world.bodies.radius[row]


def _round_others(
    between: Between, goes: Rows, known: Fighting, way: Vectors, gap: Scalars
) -> tuple[Vectors, Scalars, Mask]:
    """The ways and the gaps as of `_way`, round others that stand between partners, and to whom none leads, (n,).
    `between`: the agents that go; `goes`: (m,) their rows among all."""
    partnered = which(known.has[goes])
    rows = goes[partnered]
    straight = picked(way, rows)
    first = between.way_round(partnered, known.wanted[rows], straight)
    leads = np.isfinite(first[:, 0])
    first = np.where(leads[:, None], first, straight)
    way, gap, barred = way.copy(order="K"), gap.copy(), np.zeros(len(gap), dtype=np.bool_)
    barred[rows] = ~leads
    way[rows] = first
    gap[rows] += magnitude(first) + magnitude(straight - first) - magnitude(straight)
    return way, gap, barred


def _speed_behind(between: Between, direction: Vectors, room: Scalars, partner: Rows) -> Scalars:
    """The speed at which agents still can stop behind those before them, (n,) m/s. `direction`: (n, 3) unit vectors in
    which they go; `room`: (n,) metres to leave; `partner`: (n,) the row of the body that is not one of those, -1 for
    none."""
    world, agents, near = between.world, between.agents, between.near
    agent, body = near.agent, near.body
    offset, way = world.bodies.between(near.offset, agents.rows[agent], body), picked(direction, agent)
    along = dot(offset, way)
    beside = magnitude(agents.level_of(offset, agent) - way * along[:, None])
    touching = agents.radius[agent] + world.bodies.radius[body]
    rows = which((along > 0.0) & (beside < touching) & (body != partner[agent]))
    agent, left = agent[rows], along[rows] - touching[rows] - room[agent[rows]]
    ahead = np.maximum(dot(picked(world.bodies.velocity, body[rows]), picked(way, rows)), 0.0)
    return least_of_each(len(agents), agent, braking.speed_to_stop(agents, agent, left, ahead))
