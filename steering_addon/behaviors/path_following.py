"""Path following (paper, Path Following)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from ..simulation.arrays.frozen import replace
from ..simulation.arrays.once import once
from ..simulation.arrays.scalars import EPSILON, Mask, Number, Rows, Scalars, anybody, clamp, which
from ..simulation.arrays.vectors import Vectors, across, dot, magnitude, truncate, unit
from ..simulation.behavior import Destination, Intent, Steering
from ..simulation.declaration import NEAREST, Choice, Unit, choice, length, number, path, seconds
from ..simulation.geometry.lines import Followed
from ..simulation.geometry.near_lines import nearest_line
from ..simulation.geometry.paths import exist, lines_followed, lines_of
from ..simulation.intention import PASSING_PLACES, Intention
from ..simulation.lane_use import Routed
from ..simulation.maneuvers.driving import (
    distance_from_line,
    distance_to_return,
    drive_to,
    locate,
    pursued_distance,
    ups_of_walkers,
)
from ..simulation.maneuvers.turning import lead_round
from ..simulation.presence.arrivals import PLACE
from ..simulation.ways.bypasses import Bypass, plan_bypass
from ..simulation.world import Agents, World

RESPONSE_TIME = 0.5
"""Seconds in which followers take up the direction of the path, if the radius leaves that time."""
COMFORT = 0.7
"""Share of max_force that is planned for bends; the rest brings back followers that drift out."""
CORNERING = 0.85
"""Share of the sideways acceleration comfortable to a driver that is planned for bends."""
EASE = 0.5
"""Share of max_force that is planned for slowing down before bends and the end."""
PASSAGE = 0.5
"""Radius of the path where it leads round an obstacle, relative to the room that is kept from that."""
NEAR = 0.4
"""Seconds ahead within which a follower has reached that place and heads for the next."""
ABREAST = 1.0
"""Seconds ahead within which it is abreast of what the path leads it past."""
REVERSING = 0.3
"""1 - ln 2."""
SIGHT = 2.5
"""Seconds ahead on the path of the place that a follower heads for, where it leads round no obstacle."""
BENDS = 8
"""Points ahead at which the bend is measured."""
BENDS_DRIVEN = 28
"""The same for drivers, who brake later and harder before bends that they must not take too fast."""

PULLS = (
    Choice("FADING", 0, "Fading", "Sets in gently beyond half the radius, so that vehicles do not weave"),
    Choice("CORRIDOR", 1, "All or Nothing", "The paper's method: nothing inside the radius, full steering outside"),
)
FADING, CORRIDOR = (c.number for c in PULLS)
DIRECTIONS = (
    Choice("FORWARD", 0, "Forward", "From the start of the curve to its end"),
    Choice("BACKWARD", 1, "Backward", "From the end of the curve to its start"),
    Choice("EITHER", 2, "Either", "The direction that the vehicle faces when it comes to the path"),
)
FORWARD, BACKWARD, EITHER = (c.number for c in DIRECTIONS)
ENDS = (
    Choice("STOP", 0, "Stop", "Slow down and stop at the end"),
    Choice("LOOP", 1, "Start Again", "Leave there, and enter again at the start once there is room"),
    Choice("TURN_BACK", 2, "Turn Back", "Turn round and follow the path the other way"),
)
STOP, LOOP, TURN_BACK = (c.number for c in ENDS)


@dataclass(frozen=True)
class Following(Routed, Bypass):
    """The lane of each agent, and how it passes what stands there."""

    def aside(self, further: Scalars) -> Vectors:
        """The offset of the way of each, (n, 3) metres, this far ahead, (n,) metres."""
        return self.at(further[:, None])[0][:, 0]


@dataclass(frozen=True)
class PathFollowing(Destination):
    """Go along a curve, near its middle but free to stray within the radius.

    Finds the point of the path nearest to the agent's predicted position and steers along the path's direction at that
    point; toward the edge of the radius a pull inward is added. Walkers come back to it by the ways over their ground.
    Slows down for sharp bends. At the end of an open curve it stops, turns back, or leaves and enters again at the
    start. Does nothing without a path.
    """

    name = "path_following"
    label = "Follow Path"
    term = "path following"
    intent = Intent.GO
    width = "radius"
    # Vehicles that stop in the air lose their heading: they drift in the throng, and face wherever they drift.
    in_the_air = MappingProxyType({"end": "TURN_BACK"})
    remembers = Following
    leaves_by = "end", "LOOP"

    path: Rows = path("Curve to follow; empty: the nearest path")
    lane_offset: Number = number(
        0.0,
        "Distance of its lane to the right of the curve as it goes; negative where traffic keeps left",
        Unit.LENGTH,
        -100.0,
        100.0,
        animatable=False,
    )
    radius: Number = length(1.0, "Distance to either side of the curve that still belongs to the path", 0.01)
    prediction_time: Number = seconds(1.0, "How far ahead it looks", label="Looks Ahead")
    direction: Rows = choice("FORWARD", "Which way it follows the curve", DIRECTIONS, animatable=False)
    end: Rows = choice("STOP", "What it does at the end of an open curve", ENDS)
    pull: Rows = choice("FADING", "How the pull back to the path sets in", PULLS)

    def goal(self, world: World, agents: Agents, memory: Following) -> Vectors:
        """The next place on the path: where it has come past an obstacle, or some way ahead."""
        goal = np.full((3, len(agents)), np.nan).T
        rows = which(exist(world.paths, memory.path, memory.spline))
        if len(rows):
            behavior, few, known = _of_rows(self, agents, memory, rows)
            line = behavior.lanes(world, known)
            back = _way_back(world, few, line, known, behavior.radius)
            goal[rows] = np.where(np.isnan(back), _heads_for(line, few, known), back)
        return goal

    def intention(self, world: World, agents: Agents, memory: Following) -> Intention:
        in_lane = self.lane_offset != 0.0
        rows = which(memory.active & exist(world.paths, memory.path, memory.spline))
        if not len(rows):
            return Intention(in_lane=in_lane)
        # They are passed on the bent way, from where the agent will be in a second to the end of the bypass.
        places = np.full((len(agents), PASSING_PLACES, 3), np.nan)
        shares = np.arange(PASSING_PLACES) * (1.0 / (PASSING_PLACES - 1))
        of, by = memory.take(rows), agents.take(rows)
        first = np.minimum(ABREAST * by.cruise_speed, of.end)[:, None]
        further = first + (of.end[:, None] - first) * shares
        position = by.position[:, None]
        line = self.take(rows).lanes(world, of)
        on_line = line.position(of.along[:, None] + of.way[:, None] * further)
        places[rows] = position + by.level(on_line - position) + of.at(further)[0]
        return Intention(in_lane=in_lane, passing_places=places)

    @classmethod
    def lanes_beside(cls, value: Callable[[str], Any]) -> tuple[tuple[float, int], ...]:
        offset = float(value("lane_offset"))
        ways = {"FORWARD": (1,), "BACKWARD": (-1,)}.get(value("direction"), (1, -1))
        return tuple((-offset * way, way) for way in ways) if offset else ()

    @classmethod
    def goes_both_ways(cls, value: Callable[[str], Any]) -> bool:
        return bool(value("direction") == "EITHER")

    def steer(self, world: World, agents: Agents, memory: Following) -> Steering:
        memory = _on_paths(self, world, agents, memory)
        force, after = agents.none(), memory
        free, reached, leads_on = np.zeros((3, len(agents)), dtype=np.bool_)
        rows = which(memory.path >= 0)
        if len(rows):
            followers = _Follower.of(*_of_rows(self, agents, memory, rows), world)
            after_it = followers.after()
            after = after_it if len(rows) == len(agents) else after.put(rows, after_it)
            force[rows], free[rows] = followers.steering(), followers.free
            reached[rows] = _at_the_end(after_it, followers.line, followers.agents, followers.behavior.radius)
            leads_on[rows] = _leads_on(followers.line, followers.agents, after_it)
        return Steering(
            force,
            replace(after, width=self.radius, left=-self.lane_offset * after.way),
            sets_speed=(memory.path >= 0) & ~free,
            arrived=reached & (self.end == STOP),
            leads_on=leads_on,
        )

    def start_speed(self, world: World, agents: Agents, memory: Following) -> Scalars:
        speed = np.full(len(agents), np.inf)
        memory = _on_paths(self, world, agents, memory)
        rows = which((memory.path >= 0) & np.isfinite(agents.handling.axle))
        if len(rows):
            drivers = _Follower.of(*_of_rows(self, agents, memory, rows), world)
            speed[rows] = drivers.speed_before_bends()
        return speed

    def lanes(self, world: World, memory: Following) -> Followed:
        """The lines that agents follow, in their lanes; all of them follow one."""
        return lines_followed(world.paths, memory.path, memory.spline, -self.lane_offset * memory.way)


def _of_rows(
    behavior: PathFollowing, agents: Agents, memory: Following, rows: Rows
) -> tuple[PathFollowing, Agents, Following]:
    """The agents of some rows, what they want and what is remembered of them; the same where these are all."""
    if len(rows) == len(agents):
        return behavior, agents, memory
    return behavior.take(rows), agents.take(rows), memory.take(rows)


def _at_the_end(memory: Following, line: Followed, agents: Agents, radius: Scalars) -> Mask:
    """Whether the agents have reached the end of an open line, (n,).

    Others may push them to its side, at any distance, but not an obstacle in which it ends. `radius`: (n,) of the path,
    metres.
    """
    near = np.maximum(np.where(agents.arrival_distance > 0.0, agents.arrival_distance, agents.radius), line.spacing)
    bent = (memory.nearness(np.zeros(len(near))) == 1.0) & (magnitude(memory.offset) > radius)
    return (line.to_end(memory.along, memory.way) <= near) & ~bent


def _on_paths(behavior: PathFollowing, world: World, agents: Agents, memory: Following) -> Following:
    """The memory after agents without a valid line have chosen the nearest line of the path that they are to follow."""
    asked = behavior.path
    exists = exist(world.paths, memory.path, memory.spline)
    valid = exists & ((asked == NEAREST) | (memory.path == asked))
    new = np.flatnonzero(~valid & (asked != -1))
    memory = replace(memory, path=np.where(valid, memory.path, -1))
    if not len(new):
        return memory
    whole, path, spline = lines_of(world.paths)
    if whole is None:
        return memory
    counts = (asked[new][:, None] == path) | (asked[new] == NEAREST)[:, None]
    line, along = nearest_line(whole, agents.position[new], counts)
    has_line = which(line >= 0)
    rows, line, along = new[has_line], line[has_line], along[has_line]
    tangent = whole.followed(line).tangent(along)
    faced = np.where(dot(agents.forward[rows], tangent) >= 0.0, 1.0, -1.0)
    ways = [behavior.direction[rows] == FORWARD, behavior.direction[rows] == BACKWARD]
    way = np.select(ways, [np.full(len(rows), 1.0), np.full(len(rows), -1.0)], faced)
    blank = Following.blank(len(rows))
    chosen = replace(blank, path=path[line], spline=spline[line], along=along, way=way)
    if behavior.lane_offset.any():
        # What was chosen is a place on the curve; lanes are longer and shorter.
        in_lanes, few = behavior.take(rows).lanes(world, chosen), agents.take(rows)
        chosen = replace(chosen, along=in_lanes.nearest(few.position, ups_of_walkers(few)))
    return memory.put(rows, chosen)


def _heads_for(line: Followed, agents: Agents, memory: Following) -> Vectors:
    """The places on their lines that the agents head for, (m, 3) metres, at the height of agents on the ground."""
    further = _to_goal(line, agents, memory)
    # An end that stands in an obstacle is where it is, although the way there bends round it.
    on_the_way = further < line.to_end(memory.along, memory.way)
    aside = np.where(on_the_way[:, None], memory.aside(further), 0.0)
    place = line.position(memory.along + memory.way * further) + aside
    return agents.position + agents.level(place - agents.position)


def _way_back(world: World, agents: Agents, line: Followed, memory: Following, radius: Scalars) -> Vectors:
    """Where walkers see the line along their way back to it, (m, 3) metres; nan for those that see where they join it.
    `radius`: (m,) of the path, metres."""
    back = np.full((3, len(agents)), np.nan).T
    if world.ways is None or not anybody(world.ways.walked_by(agents.rows)):
        return back
    # The pull leads to the line in as much way as the radius.
    joins = memory.along + memory.way * np.minimum(radius, np.maximum(line.to_end(memory.along, memory.way), 0.0))
    place = line.position(joins)
    off: Mask = magnitude(agents.level(place - agents.position)) > 0.5 * radius
    if not anybody(off):
        return back
    seen = world.by_way(agents, np.where(off[:, None], place, np.nan), off)
    leads = off & (seen != place).any(axis=1) & world.ways.asked(agents.rows, seen)[1]
    return np.where(leads[:, None], seen, back)


def _to_goal(line: Followed, agents: Agents, memory: Following) -> Scalars:
    """The way along the lines to the places that the agents head for, (m,) metres."""
    near = np.maximum(NEAR * agents.cruise_speed, agents.radius)
    further = np.minimum(SIGHT * agents.cruise_speed, line.to_end(memory.along, memory.way))
    for corner in (memory.end, memory.begin):
        further = np.where(memory.active & (corner > near), corner, further)
    return further


def _leads_on(line: Followed, agents: Agents, memory: Following) -> Mask:
    """Whether the agents head for places on the way, and are not at the end yet, (m,)."""
    left = line.to_end(memory.along, memory.way)
    return (_to_goal(line, agents, memory) < left) & (left > PLACE * agents.radius)


@dataclass(frozen=True)
class _Follower:
    """m agents that follow lines.

    Attributes:
        ahead: (m,) the positions along the line nearest to their predicted positions, metres.
        memory: with the bypasses round what stands on the line.
        aside, slope: (m, 3) the offset of the line at `ahead`, metres, and its change per metre of way.
        future: (m, 3) their predicted positions, metres.
        time: (m,) the time that they look ahead, seconds.
        back: (m, 3) where they see the line along the way back, as of `_way_back`.
    """

    line: Followed
    agents: Agents
    behavior: PathFollowing
    ahead: Scalars
    memory: Following
    aside: Vectors
    slope: Vectors
    future: Vectors
    time: Scalars
    back: Vectors
    dt: float

    @classmethod
    def of(cls, behavior: PathFollowing, agents: Agents, memory: Following, world: World) -> _Follower:
        """The followers with their positions on their lines updated."""
        line = behavior.lanes(world, memory)
        way, dt = memory.way, world.dt
        unbent = agents.position - memory.aside(np.zeros(len(agents)))
        along = locate(line, agents, unbent, memory.along, behavior.radius, dt)
        covered = line.onward(along - memory.along) * way
        memory = replace(memory, along=along)
        held = truncate(agents.level(agents.position - line.position(along)), 0.5 * behavior.radius)
        bypass = plan_bypass(world, agents, line, along, way, held, Bypass.part_of(memory).advanced(covered))
        memory = replace(memory, **vars(bypass))
        # With a longer time than the radius allows, the straight prediction leaves the path and cuts every bend.
        time = np.minimum(behavior.prediction_time, np.sqrt(behavior.radius / np.maximum(agents.sideways, EPSILON)))
        time = np.maximum(time, dt)
        future = agents.predicted_position(time)
        stride = agents.speed * time
        # The search is limited to the way they will cover: inside a sharp bend both branches are near.
        aside = memory.aside(stride)
        ahead = line.nearest_within(
            future - aside, along + 0.5 * way * stride, stride + 2.0 * line.spacing, ups_of_walkers(agents)
        )
        # Where the line folds back, a follower that is nearer to the branch ahead continues on it.
        folded = dot(line.tangent(along), line.tangent(ahead)) < 0.0
        if anybody(folded):
            off, off_ahead = (distance_from_line(line, agents, agents.position, at) for at in (along, ahead))
            memory = replace(memory, along=np.where(folded & (off_ahead < off), ahead, along))
        further = line.onward(ahead - memory.along) * way
        aside, slope = (v[:, 0] for v in memory.at(further[:, None]))
        back = _way_back(world, agents, line, memory, behavior.radius)
        return cls(line, agents, behavior, ahead, memory, aside, slope, future, time, back, dt)

    @property
    def along(self) -> Scalars:
        """(m,) their positions along the line, metres."""
        return self.memory.along

    @property
    def way(self) -> Scalars:
        """(m,) 1 along the line, -1 against it."""
        return self.memory.way

    @once
    def radius(self) -> Scalars:
        """(m,) the radius of the path, metres; narrower where it leads round an obstacle."""
        further = self.line.onward(self.ahead - self.along) * self.way
        nearness = np.maximum(self.memory.nearness(np.zeros_like(further)), self.memory.nearness(further))
        clearance = np.nan_to_num(self.agents.intention.clearance)
        wide = self.behavior.radius
        room = np.minimum(wide, PASSAGE * (self.agents.radius + clearance))
        return np.where(nearness > 0.0, wide + (room - wide) * nearness, wide)

    @property
    def remaining(self) -> Scalars:
        """(m,) metres to the end of the line, inf on a closed line."""
        return self.line.to_end(self.along, self.way)

    def steering(self) -> Vectors:
        """The steering force, (m, 3) newtons."""
        tangent = self.line.tangent(self.ahead) * self.way[:, None] + self.slope
        inward, radius = self._inward, self.radius
        # A bypass leads steeply aside: the pull toward it and its own direction could cancel out.
        bent = (self.slope != 0.0).any(axis=1)
        inward = np.where(bent[:, None], across(inward, unit(self.agents.level(tangent))), inward)
        half = radius / 2.0
        pull = clamp((magnitude(inward) - half) / half, 0.0, 1.0)
        flow = unit(self.agents.level(tangent) + inward * (pull / radius)[:, None])
        if anybody(self._in_corridor):
            # The paper's direction: to a point of the path a little further on.
            stride = np.maximum(self.agents.speed * self.time, self.behavior.radius)
            further = self.line.onward(self.ahead - self.along) * self.way + stride
            target = self.line.position(self.ahead + self.way * stride) + self.memory.aside(further)
            flow = np.where(self._in_corridor[:, None], unit(self.agents.level(target - self.agents.position)), flow)

        hidden = np.isfinite(self.back[:, :1])
        if anybody(hidden):
            flow = np.where(hidden, unit(self.agents.level(self.back - self.agents.position)), flow)
        response_time = self._response_time()
        speed = self._speed()
        steering = self.agents.steering_to(flow * speed[:, None], response_time)
        # Far more than the agent has would leave nothing to other behaviors, such as to keep apart.
        steering = truncate(steering, self.agents.max_force)
        steering = lead_round(self.agents, steering, flow, unit(tangent), speed, response_time)
        driven = np.isfinite(self.agents.handling.axle)
        if driven.any():
            steering = np.where(driven[:, None], self._driving(speed, response_time), steering)
        return np.where(self.free[:, None], 0.0, steering)

    def _driving(self, speed: Scalars, response_time: Scalars) -> Vectors:
        """The force by which a driver keeps to the line, (m, 3) newtons."""
        agents = self.agents
        line = self.line.position(self.along) + self.memory.aside(np.zeros(len(agents)))
        out = agents.level(agents.position - line)
        pursued = pursued_distance(agents, self.behavior.lane_offset != 0.0)
        further = np.maximum(pursued, distance_to_return(agents, out, self.behavior.radius))
        on_line = np.minimum(further, np.maximum(self.remaining, 0.0))
        place = self.line.position(self.along + self.way * on_line) + self.memory.aside(further)
        # Beyond the end of an open line the lane goes straight on.
        heading = self.line.tangent(self.along + self.way * on_line) * self.way[:, None]
        place = place + unit(agents.level(heading)) * (further - on_line)[:, None]
        return drive_to(agents, place, speed, response_time)

    def after(self) -> Following:
        """The memory after the step: positions, and what followers do at the end of an open line."""
        over = self.remaining <= np.maximum(self._room_to_reverse(), self.line.spacing)
        turns = over & (self.behavior.end == TURN_BACK)
        ended = (self.remaining <= self.line.spacing) & (self.behavior.end == LOOP) & (self.behavior.weight != 0.0)
        active = self.memory.active & ~turns
        return replace(self.memory, way=np.where(turns, -self.way, self.way), ended=ended, active=active)

    def _room_to_reverse(self) -> Scalars:
        """How far they still come when they turn round, (m,) metres. At its response time t a follower at speed v comes
        v t (1 - ln 2) further, with the force of m a v^2 / 2a."""
        speed, circle = self.agents.speed, self.agents.handling.room_to_turn
        braking = 0.5 * speed * speed / np.maximum(self.agents.agility, EPSILON)
        return REVERSING * self._response_time() * speed + np.where(circle > 0.0, circle, braking)

    def _response_time(self) -> Scalars:
        """In which they take up the direction of the path, (m,) seconds."""
        return np.maximum(np.minimum(RESPONSE_TIME, self.time), self.dt)

    @once
    def _inward(self) -> Vectors:
        """From their predicted positions to the path, (m, 3) metres."""
        return self.agents.level(self.line.position(self.ahead) + self.aside - self.future)

    @once
    def _in_corridor(self) -> Mask:
        """Whether the paper's method applies, (m,): not while a follower brakes for the end."""
        paper = (self.behavior.pull == CORRIDOR) & np.isnan(self.agents.handling.axle)
        return paper & ~(self._stops() & (self._speed_to_stop() < self.agents.cruise_speed))

    def _heading(self, along: Scalars) -> Vectors:
        """The unit directions of the way at positions along the line, (m, p) to (m, p, 3)."""
        tangent = self.line.tangent(along)
        if not self.memory.active.any():
            return tangent
        way = self.way[:, None]
        # A bypass begins where the agent is, in the agent's own direction: behind there is no bend of it to brake for.
        further = np.maximum(self.line.onward(along - self.along[:, None]) * way, 0.0)
        _, slope = self.memory.at(further)
        bent = unit(tangent * way[..., None] + slope)
        return np.where(self.memory.active[:, None, None], bent, tangent)

    @once
    def free(self) -> Mask:
        """Whether a follower has nothing to correct, (m,)."""
        return self._in_corridor & (magnitude(self._inward) < self.radius)

    def _stops(self) -> Mask:
        """Whether a follower stops at the end of the path, (m,)."""
        return (self.behavior.end == STOP) & (self.agents.stays | self.behavior.departs)

    def _speed_to_stop(self) -> Scalars:
        """(m,) the speed from which a follower stops at the end, m/s."""
        closed = self.line.closed
        remaining = np.where(closed, 0.0, np.maximum(self.remaining, 0.0))
        braking = np.sqrt(2.0 * EASE * self.agents.agility * remaining)
        return np.where(closed, np.inf, np.minimum(braking, remaining / np.maximum(2.0 * self.time, self.dt)))

    def _speed(self) -> Scalars:
        """(m,) the desired speed, m/s: cruise speed, less before bends and the end."""
        speed = np.minimum(self.agents.cruise_speed, self.speed_before_bends())
        return np.where(self._stops(), np.minimum(speed, self._speed_to_stop()), speed)

    def speed_before_bends(self) -> Scalars:
        """(m,) the speed from which they can slow down for the bends ahead, m/s. On the ground, the end of an open path
        where it turns round is as sharp a bend as fits into its radius."""
        agents, line = self.agents, self.line
        brake = 2.0 * EASE * agents.agility
        stopping_distance = agents.cruise_speed * agents.cruise_speed / np.maximum(brake, EPSILON)
        look_ahead = np.maximum(stopping_distance, self.behavior.radius)[:, None]
        bends = np.where(np.isnan(agents.handling.axle), BENDS, BENDS_DRIVEN)
        # What has fewer points looks at the last one again.
        shares = np.minimum(np.arange(bends.max())[None] * (1.0 / (bends - 1))[:, None], 1.0)
        further = shares * look_ahead
        points = self.along[:, None] + self.way[:, None] * further
        # A driver takes a bend on the whole: between the points of a drawn curve it is now wider, now tighter.
        span = np.maximum(self.behavior.radius, 2.0 * np.fmax(line.spacing, agents.handling.axle))[:, None]
        behind, before = line.wrapped(points - span), line.wrapped(points + span)
        turning = magnitude(agents.level(self._heading(before) - self._heading(behind)))
        distance = np.where(line.closed[:, None], 2.0 * span, np.abs(before - behind))
        bend = turning / np.maximum(distance, EPSILON)
        planned = np.minimum(COMFORT * agents.agility, CORNERING * agents.handling.cornering)
        square = planned[:, None] / np.maximum(bend, 1e-9) + brake[:, None] * further
        turns = agents.grounded & (self.behavior.end == TURN_BACK) & ~line.closed
        left = np.where(turns, np.maximum(self.remaining, 0.0), 0.0)
        turning_back = COMFORT * agents.agility * span[:, 0] + brake * left
        return np.sqrt(np.minimum(np.min(square, axis=1), np.where(turns, turning_back, np.inf)))
