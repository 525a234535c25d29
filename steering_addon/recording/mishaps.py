"""Mishaps of a run: vehicles that overlapped each other or an obstacle, or got stuck at one.

Bodies are spheres, as everywhere. They are checked frame by frame, while the run is computed.
"""

from __future__ import annotations

import numpy as np

from ..simulation.arrays.vectors import Mask, Rows, Scalars, Vectors, anybody, columns, magnitude, which
from ..simulation.roles import Role
from ..simulation.snapshot import Snapshot, State
from .overlaps import Meetings

OVERLAP, OBSTACLE, STUCK = "overlap", "obstacle", "stuck"
KINDS = (OVERLAP, OBSTACLE, STUCK)
"""The kinds of mishap. The names are stored in files and never change."""

TOLERANCE = 0.1
"""The overlap that is tolerated, because it is not visible, as a share of the smaller radius."""
STILL = 0.05
"""Share of the top speed below which a vehicle counts as standing."""
BLOCKED = 0.25
"""Distance to an obstacle, in its own radii, within which a standing vehicle counts as blocked."""
PATIENCE = 2.0
"""Seconds after which a blocked vehicle is stuck."""


class Mishaps:
    """The mishaps of n vehicles so far.

    Attributes:
        frames: by kind (n,) the frame of the deepest overlap, or the frame on which it got stuck; -1 for none.
        clearance: (n,) the least distance so far between the surface of the vehicle and an obstacle, metres.
    """

    def __init__(self, n: int) -> None:
        self.frames: dict[str, Rows] = {kind: np.full(n, -1, dtype=np.int64) for kind in KINDS}
        self.clearance: Scalars = np.full(n, np.inf)
        self._deepest = {kind: np.full(n, TOLERANCE) for kind in (OVERLAP, OBSTACLE)}
        self._stood = np.zeros(n)
        self._meetings = Meetings()

    def look(self, frame: int, state: State) -> None:
        """Take in the state of a frame; frames come in order."""
        if state.inputs is None:
            return
        self._look_at_each_other(frame, state, state.inputs)
        self._look_at_obstacles(frame, state, state.inputs)

    def number(self, kind: str) -> int:
        """The count of vehicles with a mishap of this kind."""
        return int(np.count_nonzero(self.frames[kind] >= 0))

    def _look_at_each_other(self, frame: int, state: State, snapshot: Snapshot) -> None:
        position, radius, present = _bodies(state.motion.position, snapshot)
        first, second, distance = self._meetings.on(position, radius, present)
        first_radius, second_radius = radius[first], radius[second]
        share = (first_radius + second_radius - distance) / np.minimum(first_radius, second_radius)
        deep = which(share > TOLERANCE)
        if not len(deep):
            return
        depth = np.zeros(len(position))
        for end in (first, second):
            np.maximum.at(depth, end[deep], share[deep])
        self._deeper(OVERLAP, frame, depth[: len(state)])

    def _look_at_obstacles(self, frame: int, state: State, snapshot: Snapshot) -> None:
        counted = snapshot.obstacles.present & (snapshot.obstacles.carrier < 0)
        if not anybody(counted):
            self._stood[:] = 0.0
            return
        radius = snapshot.vehicle.radius
        clearance = snapshot.obstacles.take(counted).clearance(state.motion.position).min(axis=1) - radius
        self.clearance = np.minimum(self.clearance, np.where(snapshot.present, clearance, np.inf))
        solid = snapshot.present & (radius > 0.0)
        depth = np.where(solid, -clearance / np.where(radius > 0.0, radius, 1.0), 0.0)
        self._deeper(OBSTACLE, frame, depth)

        still = solid & (magnitude(state.motion.velocity) < STILL * snapshot.vehicle.max_speed)
        blocked = still & (clearance < BLOCKED * radius)
        self._stood = np.where(blocked, self._stood + snapshot.frame_time, 0.0)
        stuck = (self._stood > PATIENCE) & (self.frames[STUCK] < 0)
        self.frames[STUCK] = np.where(stuck, frame, self.frames[STUCK])

    def _deeper(self, kind: str, frame: int, depth: Scalars) -> None:
        """Note the frame for the vehicles that overlap more deeply than before; depth (n,) in radii."""
        deeper = depth > self._deepest[kind]
        self._deepest[kind] = np.where(deeper, depth, self._deepest[kind])
        self.frames[kind] = np.where(deeper, frame, self.frames[kind])


def _bodies(vehicles: Vectors, snapshot: Snapshot) -> tuple[Vectors, Scalars, Mask]:
    """The vehicles at points (n, 3) and all tracked bodies as b bodies.

    Returns:
        (b, 3) positions, (b,) radii, and (b,) whether each is a vehicle that takes part.
    """
    tracked = snapshot.tracked
    if not len(tracked.radius):
        return vehicles, snapshot.vehicle.radius, snapshot.present
    locked = tracked.present & ((tracked.roles & int(Role.VEHICLE)) != 0) & (tracked.carrier < 0)
    position = columns(*(np.concatenate((vehicles[:, axis], tracked.position[:, axis])) for axis in range(3)))
    radius = np.concatenate((snapshot.vehicle.radius, tracked.radius))
    return position, radius, np.concatenate((snapshot.present, locked))
