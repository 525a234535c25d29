"""On lanes: where vehicles that give way are on their lanes, and how soon they are at the conflicts ahead of them."""

from dataclasses import dataclass

import numpy as np

from ..arrays.frozen import Columns
from ..arrays.once import once
from ..arrays.scalars import EPSILON, Mask, Rows, Scalars, counted, everybody, grouped, least_of_each, which
from ..arrays.vectors import dot, magnitude, picked
from ..geometry.conflicts import Conflicts, Lane, conflicts_of
from ..geometry.paths import exist
from ..ground import flat, of_rows
from ..lane_use import Routed, Yielding
from ..memory import recently
from ..world import World
from .braking import COMFORT, speed_within

FIRM = 0.75
"""Share of the strongest braking from which on one can no longer stop."""
OFF = 2.0
"""Radii beside the width of its lane up to which a vehicle goes along it."""
FARTHER = 2.0
"""Times as far as it sees that one is seen by those who wait for it."""
QUEUES = 2.0
"""Bodies for which there has to be room between two conflicts, so that those who wait at one do not block the other."""


@dataclass(frozen=True)
class OnLanes(Columns):
    """The m vehicles that give way, on their lanes.

    Attributes:
        row: (m,) rows in World.bodies.
        minds: how each gives way.
        lane: (m,) the lane of each.
        driven: (m,) metres along the lane as it is driven.
        radius, half: (m,) half the width of each, and from its middle to the middles of its round ends, metres.
        strays: (m,) whether it is farther beside its lane than it may.
    """

    row: Rows
    minds: Yielding
    lane: Rows
    driven: Scalars
    speed: Scalars
    radius: Scalars
    half: Scalars
    strays: Mask

    def __len__(self) -> int:
        return len(self.row)

    @once
    def sight(self) -> Scalars:
        """(m,) metres up to conflicts that each takes into account."""
        return np.maximum(self.minds.sight, 2.0 * self.stopping)

    @once
    def brakes(self) -> Scalars:
        """(m,) the braking that each plans with, m/s2."""
        return np.maximum(COMFORT * self.minds.agility, EPSILON)

    @once
    def stopping(self) -> Scalars:
        """(m,) the way in which each can just stop that is on the brake already, metres."""
        return self.speed * self.speed * COMFORT / (2.0 * FIRM * self.brakes)

    def speed_within(self, room: Scalars, ahead: Scalars | float = 0.0) -> Scalars:
        """The speeds from which each can stop within metres, (m,) m/s, as of `braking.speed_within`."""
        return speed_within(self.brakes, self.minds.reaction, room, ahead)


@dataclass(frozen=True)
class Approach(Columns):
    """Vehicles before or in conflicts, k of them, by conflict.

    Attributes:
        who: (k,) the place of the vehicle among those on lanes.
        conflict: (k,) rising.
        enters: (k,) metres until its front is in the conflict.
        stop: (k,) metres until its front is where it stops before that.
        comes: (k,) seconds until it is at the stop, at the earliest; less by how long it has waited there.
        arrives, is_in, is_out: (k,) seconds until its front is in the conflict, until its back is, and until that is
            out, at the earliest.
        waited: (k,) how long it has waited before that, seconds; none while it waits before another.
        blocks: (k,) whether it comes from another one so close behind that those who wait here block that.
    """

    who: Rows
    conflict: Rows
    enters: Scalars
    stop: Scalars
    comes: Scalars
    arrives: Scalars
    is_in: Scalars
    is_out: Scalars
    waited: Scalars
    blocks: Mask


def who_is_on_lanes(world: World) -> tuple[OnLanes, Conflicts] | None:
    """The vehicles that give way, and where the lanes conflict that they go along; None where none does."""
    routed, minds = world.routed, world.yielding
    if routed is None or minds is None or not world.paths:
        return None
    n = world.vehicles
    goes = recently(minds.asked, world.time, world.interval) & (routed.path >= 0)
    row = which(goes & world.bodies.present[:n] & exist(world.paths, routed.path, routed.spline))
    if everybody(minds.walks[row]):
        return None
    routed, minds = routed.take(row), minds.take(row)
    radius, extent = world.bodies.radius[row], world.bodies.extent[row]
    lane, lanes = _lanes(world, routed, radius, extent)
    conflicts = conflicts_of(lanes)
    if not len(conflicts) and not len(world.signals):
        return None
    line = conflicts.lines.followed(lane)
    position = picked(world.bodies.position, row)
    velocity = picked(world.bodies.velocity, row)
    reach = 2.0 * magnitude(velocity) * world.dt + 2.0 * line.spacing
    # A car may drive below or above a line that is drawn flat.
    upward = of_rows(world.upward, row)
    along = line.nearest_within(position, routed.along, reach, upward)
    beside = magnitude(flat(position - line.position(along), upward)) - routed.width
    near = which(beside <= OFF * radius)
    speed = np.maximum(dot(velocity, line.tangent(along)) * routed.way, 0.0)
    driven = np.where(routed.way > 0.0, along, line.length - along)
    return OnLanes(row, minds, lane, driven, speed, radius, extent - radius, beside > 0.0).take(near), conflicts


def _lanes(world: World, routed: Routed, radius: Scalars, extent: Scalars) -> tuple[Rows, tuple[Lane, ...]]:
    """The lane of each of m vehicles, (m,), and all lanes, each as wide as what goes along it."""
    keys = routed.path, routed.spline, routed.left, routed.way
    lane, order, starts = grouped(*keys)
    sizes = (np.maximum.reduceat(size[order], starts).tolist() for size in (radius, extent))
    columns = zip(*(key[order[starts]].tolist() for key in keys), *sizes)
    return lane, tuple(Lane(world.paths[path][index], left, way, r, e) for path, index, left, way, r, e in columns)


def approaching(on_lanes: OnLanes, conflicts: Conflicts) -> Approach:
    """The vehicles before or in conflicts, those farther away than they see among them: others may see them."""
    who, number = counted(conflicts.count[on_lanes.lane])
    conflict = number + conflicts.first[on_lanes.lane[who]]
    half, driven = on_lanes.half[who], on_lanes.driven[who]
    length = conflicts.lines.length[on_lanes.lane[who]]
    leaves = conflicts.end[conflict] + half - driven
    turn = np.where(conflicts.lines.closed[on_lanes.lane[who]], np.floor(leaves / length) * length, 0.0)
    leaves = leaves - turn
    enters = leaves - (conflicts.end - conflicts.begin)[conflict] - 2.0 * half
    stop = enters - (conflicts.begin - conflicts.stop)[conflict] - on_lanes.minds.gap[who]
    seen = which((leaves > 0.0) & (enters < FARTHER * on_lanes.sight[who]))
    seen = seen[np.argsort(conflict[seen], kind="stable")]
    who, enters, stop = who[seen], enters[seen], stop[seen]
    few = on_lanes.take(who)
    ways = stop, enters, enters + 2.0 * few.half, leaves[seen]
    comes, arrives, is_in, is_out = (_earliest(few, np.maximum(way, 0.0)) for way in ways)
    first = least_of_each(len(on_lanes), who, np.where(enters > 0.0, stop, np.inf))[who]
    waited = np.where(stop < first + few.radius, few.minds.waited, 0.0)
    since, room = (column[conflict[seen]] for column in conflicts.since_last)
    blocks = (room < QUEUES * 2.0 * (few.half + few.radius)) & (enters <= since)
    return Approach(who, conflict[seen], enters, stop, comes - waited, arrives, is_in, is_out, waited, blocks)


def _earliest(on_lanes: OnLanes, way: Scalars) -> Scalars:
    """The time in which each goes a way, (m,) metres, if it speeds up to its cruise speed; (m,) seconds."""
    speed, gains = on_lanes.speed, on_lanes.brakes
    top = np.maximum(np.maximum(on_lanes.minds.cruise_speed, speed), EPSILON)
    until = (top - speed) / gains
    while_it = np.minimum(way, 0.5 * (top + speed) * until)
    gaining = (np.sqrt(speed * speed + 2.0 * gains * while_it) - speed) / gains
    return gaining + (way - while_it) / top
