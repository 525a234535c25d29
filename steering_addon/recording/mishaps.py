"""Mishaps of a run: vehicles that overlapped each other or obstacles, got stuck, left the ground, or had no way.

Bodies are spheres or capsules, as everywhere. They are checked frame by frame during the run. A vehicle is stuck if it
stands at an obstacle, or if it has somewhere to go, is near an obstacle and gets nowhere: a flyer hovers or whirls on
the spot. It is not if it is where it was led to, if it is nearer to others who stand, as a throng holds it up, or if it
waits in turn: others beside it who are nearer to where they go get on, or wait in turn themselves, or it lets others
pass where there is no room for two. For a while others may take its turn. What stands on surfaces says itself whether
one is under it, and whether the ground holds it up. A vehicle has no way if none led to its goal up to the last frame.
It cannot keep its place in a formation if it was there and then is off for long. It is late where paths meet if it
cannot stop any longer for another in its way. It has no room to land if it flies on over its target for long.
"""

from collections.abc import Sequence

import numpy as np

from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import Mask, Rows, Scalars, anybody, nobody, which
from ..simulation.arrays.vectors import Vectors, columns, magnitude
from ..simulation.geometry.capsules import probes
from ..simulation.geometry.obstacles import Obstacles
from ..simulation.ground import parted
from ..simulation.lane_use import Passing, Yielding
from ..simulation.locomotion import FLARES, HELD_UP, OFF_GROUND, PERCHED
from ..simulation.maneuvers.coming_down import Coming
from ..simulation.memory import memories_among, memory_among
from ..simulation.presence.arrivals import Staying
from ..simulation.roles import Role
from ..simulation.sensing import upward_of
from ..simulation.settling import Settling
from ..simulation.snapshot import Snapshot, State, vehicle_of
from ..simulation.stations import Station
from ..simulation.steering import errands, resting
from .overlaps import Overlaps

OVERLAP, OBSTACLE, STUCK, GROUND, FELL, HELD = "overlap", "obstacle", "stuck", "ground", "fell", "held"
NO_WAY, OFF_PLACE, LATE, QUEUED, NO_ROOM = "no_way", "off_place", "late", "queued", "no_room"
KINDS = (OVERLAP, OBSTACLE, STUCK, GROUND, FELL, HELD, NO_WAY, OFF_PLACE, LATE, QUEUED, NO_ROOM)
"""The kinds of mishaps. Stored in files: never change."""

TOLERANCE = 0.1
"""Least depth of an overlap, as a share of the smaller body's radius: less is not visible."""
STILL, AT_PACE = 0.05, 0.5
"""Shares of max_speed and of its own pace below both of which a vehicle stands still."""
BLOCKED = 0.25
"""Clearance from an obstacle, in radii of the vehicle, below which a standing vehicle counts as stuck."""
PATIENCE = 2.0
"""Seconds of standing, or of getting nowhere, after which it does."""
GETS_ON, GETS_ON_IN_SPACE = 0.1, 0.25
"""Distance within which a vehicle gets nowhere, relative to that covered in that time at cruise speed. It is shorter on
the ground, where vehicles queue."""
TURNS_ROUND = 4.0
"""Seconds of getting nowhere after which a flyer is stuck, or cannot reach its place in a formation: one that starts
the wrong way round takes two or three."""
HELD_FOR = 5.0
"""Seconds after which a vehicle that the ground holds up is stuck on it: it may turn round on the spot first, or creep
down from ground that is too steep."""
FALL = 0.01
"""Metres in a frame by which a vehicle off the ground falls."""
OFF_FOR, OFF_BY = 1.0, 2.0
"""Seconds for which a vehicle is so many of its radii off its place in a formation before it cannot keep that."""
NEARBY = 1.0
"""Seconds at cruise speed to an obstacle that may hold such a vehicle up."""
BESIDE = 1.0
"""Clearance from others, in radii of the vehicle, within which they hold it up."""
LONG, MANY = 8.0, 5
"""Seconds of waiting in turn from which on so many vehicles together make a long queue."""
OVER_IT = 5.0
"""Seconds of flying over what one is to land on after which there is no room on it."""


class Mishaps:
    """The mishaps of n vehicles so far.

    Attributes:
        frames: by kind (n,) the frame of the deepest overlap, or that on which it got stuck, left its ground, or lost
            its way for good; -1 for never.
        stuck_from, stuck_until: (n,) the first and the last frame on which each was stuck; -1 for never.
        clearance: (n,) least distance in metres between the surfaces of each vehicle and an obstacle.
    """

    def __init__(self, n: int) -> None:
        self.frames: dict[str, Rows] = {kind: np.full(n, -1, dtype=np.int64) for kind in KINDS}
        self.clearance: Scalars = np.full(n, np.inf)
        self._deepest = {kind: np.full(n, TOLERANCE) for kind in (OVERLAP, OBSTACLE)}
        self.stuck_from: Rows = np.full(n, -1, dtype=np.int64)
        self.stuck_until: Rows = np.full(n, -1, dtype=np.int64)
        self._stood = np.zeros(n)
        self._stayed = np.zeros(n)
        self._where = np.full((n, 3), np.inf)
        self._queued = np.zeros(n)
        self._lets = np.zeros(n, dtype=np.bool_)
        self._held = np.zeros(n)
        self._height = np.full(n, -np.inf)
        self._overlaps = Overlaps()
        self._off = np.zeros(n)
        self._nearest_to_place = np.full(n, np.inf)

    def look(self, frame: int, state: State) -> None:
        """Check the state on a frame; frames come in order."""
        if state.inputs is None:
            return
        snapshot, model = state.inputs, vehicle_of(state, state.inputs)
        if model is not snapshot.vehicle:
            snapshot = replace(snapshot, vehicle=model)
        self._look_at_the_ground(frame, state, snapshot)
        self._look_at_each_other(frame, state, snapshot)
        self._look_at_obstacles(frame, state, snapshot)
        self._look_at_ways(frame, state, snapshot)
        self._look_at_formations(frame, state, snapshot)
        self._look_at_junctions(frame, state, snapshot)
        self._look_at_landings(frame, state, snapshot)

    def note(self, kind: str, frame: int, mask: Mask) -> None:
        """Note a mishap that was seen elsewhere, of the vehicles in the mask (n,) that have not had it before."""
        self.frames[kind] = np.where(mask & (self.frames[kind] < 0), frame, self.frames[kind])

    def number(self, kind: str) -> int:
        """The number of vehicles with a mishap of a kind."""
        return int(np.count_nonzero(self.frames[kind] >= 0))

    def stuck_frames(self, row: int, frames: Sequence[float]) -> tuple[float, float]:
        """The first and last of the frames on which a vehicle was stuck that was."""
        return float(frames[int(self.stuck_from[row])]), float(frames[int(self.stuck_until[row])])

    def _look_at_the_ground(self, frame: int, state: State, snapshot: Snapshot) -> None:
        off, held = (state.outputs.get(name) for name in (OFF_GROUND, HELD_UP))
        if off is not None:
            height = state.motion.position[:, 2]
            falls = height < self._height - FALL
            self._height = height
            off_ground = (off > 0.0) & snapshot.present
            self.note(FELL, frame, off_ground & falls)
            self.note(GROUND, frame, off_ground & ~falls)
        if held is not None:
            self._held = np.where((held > 0.0) & snapshot.present, self._held + snapshot.frame_time, 0.0)
            self.note(HELD, frame, self._held > HELD_FOR)

    def _look_at_each_other(self, frame: int, state: State, snapshot: Snapshot) -> None:
        position, radius, present = _bodies(state.motion.position, snapshot)
        axis = _axes(state.motion.forward, snapshot)
        first, second, distance = self._overlaps.on(position, radius, present, axis)
        apart = ~parted(position, upward_of(state, snapshot), first, second)
        first, second, distance = first[apart], second[apart], distance[apart]
        radius_first, radius_second = radius[first], radius[second]
        share = (radius_first + radius_second - distance) / np.minimum(radius_first, radius_second)
        deep = which(share > TOLERANCE)
        if not len(deep):
            return
        depth = np.zeros(len(position))
        for end in (first, second):
            np.maximum.at(depth, end[deep], share[deep])
        self._deeper(OVERLAP, frame, depth[: len(state)])

    def _look_at_obstacles(self, frame: int, state: State, snapshot: Snapshot) -> None:
        seen = snapshot.obstacles.present & (snapshot.obstacles.carrier < 0)
        if not anybody(seen):
            self._stood[:] = self._stayed[:] = 0.0
            return
        radius = snapshot.vehicle.radius
        clearance = _clearance(snapshot.obstacles.take(seen), state, snapshot) - radius
        # What comes down on an obstacle is meant to touch it.
        clearance = np.where(state.told(PERCHED) | state.told(FLARES), np.inf, clearance)
        self.clearance = np.minimum(self.clearance, np.where(snapshot.present, clearance, np.inf))
        solid = snapshot.present & (radius > 0.0)
        depth = np.where(solid, -clearance / np.where(radius > 0.0, radius, 1.0), 0.0)
        self._deeper(OBSTACLE, frame, depth)

        lets = _let_pass(state)
        # When its turn comes it has as long again to get on.
        self._stood[self._lets & ~lets] = self._stayed[self._lets & ~lets] = 0.0
        self._lets = lets
        still = solid & _stand(state, snapshot)
        there = errands(state).arrived | resting(state, snapshot, Settling, Staying)
        blocked = still & (clearance < BLOCKED * radius) & ~there
        self._stood = np.where(blocked, self._stood + snapshot.frame_time, 0.0)
        stuck, stays = self._stood > PATIENCE, self._gets_nowhere(state, snapshot, clearance) & ~there
        waits = _wait_in_turn(stuck | stays, self._queued < LONG - PATIENCE, state, snapshot)
        alone = which(stays & ~waits)
        stuck[alone] |= clearance[alone] <= _gap_to_those_who_stand(alone, state, snapshot)
        self._note_stuck(frame, stuck & ~waits, snapshot)
        self._queued += np.where(waits, PATIENCE, 0.0)
        self._stood[waits] = self._stayed[waits] = 0.0
        queue = (self._queued >= LONG) & ~there & snapshot.present
        if np.count_nonzero(queue) >= MANY:
            self.note(QUEUED, frame, queue)

    def _look_at_junctions(self, frame: int, state: State, snapshot: Snapshot) -> None:
        yielding = memory_among(Yielding, state.memories.values())
        if yielding is not None:
            self.note(LATE, frame, yielding.late & snapshot.present)

    def _look_at_landings(self, frame: int, state: State, snapshot: Snapshot) -> None:
        for coming in memories_among(Coming, state.memories.values()):
            self.note(NO_ROOM, frame, (coming.waited > OVER_IT) & snapshot.present)

    def _look_at_ways(self, frame: int, state: State, snapshot: Snapshot) -> None:
        lost = np.isfinite(errands(state).unreached[:, 0]) & snapshot.present & ~state.away
        since = self.frames[NO_WAY]
        self.frames[NO_WAY] = np.where(lost, np.where(since < 0, frame, since), -1)

    def _look_at_formations(self, frame: int, state: State, snapshot: Snapshot) -> None:
        for station in memories_among(Station, state.memories.values()):
            # The memory of one that follows no more stays as it was.
            follows = snapshot.present & station.kept(state.time, snapshot.interval)
            near = OFF_BY * snapshot.vehicle.radius
            gets_there = station.off < self._nearest_to_place
            moves = follows & np.isfinite(station.velocity[:, 0])
            self._nearest_to_place = np.where(moves & gets_there, station.off, self._nearest_to_place)
            off = follows & ~gets_there & (station.off > near)
            self._off = np.where(off, self._off + snapshot.frame_time, 0.0)
            patience = np.where(self._nearest_to_place <= near, OFF_FOR, TURNS_ROUND)
            self.note(OFF_PLACE, frame, self._off > patience)

    def _gets_nowhere(self, state: State, snapshot: Snapshot, clearance: Scalars) -> Mask:
        """The vehicles that have somewhere to go, but have stayed where they are near an obstacle, (n,)."""
        errand = errands(state)
        model, position = snapshot.vehicle, state.motion.position
        cruise = model.cruise_speed * model.max_speed
        share = np.where(snapshot.grounded, GETS_ON, GETS_ON_IN_SPACE)
        held_up = snapshot.present & (clearance < NEARBY * cruise)
        # An obstacle further away than the goal is not in the way: it is a throng that holds them up.
        held_up &= errand.bound & (clearance < errand.left)
        close = magnitude(position - self._where) < share * cruise * PATIENCE
        self._where = np.where((held_up & close)[:, None], self._where, position)
        self._stayed = np.where(held_up & close, self._stayed + snapshot.frame_time, 0.0)
        return self._stayed > np.where(snapshot.grounded, PATIENCE, TURNS_ROUND)

    def _note_stuck(self, frame: int, stuck: Mask, snapshot: Snapshot) -> None:
        first = stuck & (self.frames[STUCK] < 0)
        self.frames[STUCK] = np.where(first, frame, self.frames[STUCK])
        waited = np.floor(np.maximum(self._stood, self._stayed) / snapshot.frame_time + 0.5).astype(np.int64)
        self.stuck_from = np.where(first, np.maximum(frame + 1 - waited, 0), self.stuck_from)
        self.stuck_until = np.where(stuck, frame, self.stuck_until)

    def _deeper(self, kind: str, frame: int, depth: Scalars) -> None:
        deeper = depth > self._deepest[kind]
        self._deepest[kind] = np.where(deeper, depth, self._deepest[kind])
        self.frames[kind] = np.where(deeper, frame, self.frames[kind])


def _wait_in_turn(halted: Mask, patient: Mask, state: State, snapshot: Snapshot) -> Mask:
    """Whether each of the vehicles that are held up, (n,), waits in turn: another beside it goes before it that gets
    on, or that waits in turn itself; or it lets others pass where there is no room for two, or others are before it
    there. Before one that is patient, others with a longer way may go as well."""
    errand, before, every = errands(state), {}, np.arange(len(state))
    passing = memory_among(Passing, state.memories.values())
    radius, position = snapshot.vehicle.radius, state.motion.position
    goes = snapshot.present & errand.bound
    for row in which(halted).tolist():
        beside = magnitude(position - position[row]) - radius - radius[row] < BESIDE * radius[row]
        sooner = beside & (patient[row] | (errand.left < errand.left[row]))
        if passing is not None:
            sooner |= passing.alike(every, np.full(len(every), row)) & (passing.come > passing.come[row])
        before[row] = which(sooner & goes)
    gets_on = ~halted | _let_pass(state)
    while next_ones := [row for row, others in before.items() if not gets_on[row] and anybody(gets_on[others])]:
        gets_on[next_ones] = True
    return halted & gets_on


def _stand(state: State, snapshot: Snapshot) -> Mask:
    """The vehicles that stand still, (n,)."""
    model = snapshot.vehicle
    return magnitude(state.motion.velocity) < np.minimum(STILL * model.max_speed, AT_PACE * model.pace)


def _let_pass(state: State) -> Mask:
    """The vehicles that let others pass where there is no room for two, (n,)."""
    passing = memory_among(Passing, state.memories.values())
    return nobody(len(state)) if passing is None else passing.lets


def _gap_to_those_who_stand(rows: Rows, state: State, snapshot: Snapshot) -> Scalars:
    """The distance between the surfaces of vehicles in rows (m,) and of the nearest other one that stands, (m,) m."""
    model, position = snapshot.vehicle, state.motion.position
    still = which(snapshot.present & _stand(state, snapshot))
    gap = np.full(len(rows), np.inf)
    for number, row in enumerate(rows.tolist()):
        others = still[still != row]
        gaps = magnitude(position[others] - position[row]) - model.radius[others] - model.radius[row]
        gap[number] = gaps.min(initial=np.inf)
    return gap


def _clearance(obstacles: Obstacles, state: State, snapshot: Snapshot) -> Scalars:
    """The distances of the middles of the vehicles, or of their axes, from the nearest obstacle, (n,) metres."""
    position, half = state.motion.position, snapshot.vehicle.half_axis
    stature = snapshot.handling.stature(snapshot.lift)
    clearance: Scalars = obstacles.clearance(position, stature).min(axis=1)
    if half is None:
        return clearance
    axis = state.motion.forward * half[:, None]
    for share in probes(half, snapshot.vehicle.radius):
        clearance = np.minimum(clearance, obstacles.clearance(position + share * axis, stature).min(axis=1))
    return clearance


def _axes(forward: Vectors, snapshot: Snapshot) -> Vectors | None:
    """From the middle of each body to the end of its axis, (b, 3) metres; None if all bodies are spheres."""
    half, tracked = snapshot.half_axes, snapshot.tracked
    if half is None:
        return None
    headings = np.concatenate((forward, tracked.forward)) if len(tracked.radius) else forward
    return columns(*(headings[:, axis] * half for axis in range(3)))


def _bodies(vehicles: Vectors, snapshot: Snapshot) -> tuple[Vectors, Scalars, Mask]:
    """The positions (b, 3) of the vehicles, followed by the tracked bodies, their radii, and which are present
    vehicles."""
    tracked = snapshot.tracked
    if not len(tracked.radius):
        return vehicles, snapshot.vehicle.radius, snapshot.present
    others = tracked.present & ((tracked.roles & int(Role.VEHICLE)) != 0) & (tracked.carrier < 0)
    position = columns(*(np.concatenate((vehicles[:, axis], tracked.position[:, axis])) for axis in range(3)))
    radius = np.concatenate((snapshot.vehicle.radius, tracked.radius))
    return position, radius, np.concatenate((snapshot.present, others))
