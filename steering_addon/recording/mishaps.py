"""What went wrong in a run: vehicles that were inside each other or inside obstacles, or got stuck beside one.

Bodies are spheres here, as everywhere. They are looked at frame by frame while the run goes on.
"""

from __future__ import annotations

import numpy as np

from ..simulation.arrays.vectors import Mask, Rows, Scalars, Vectors, anybody, columns, magnitude, which
from ..simulation.roles import Role
from ..simulation.snapshot import Snapshot, State
from .overlaps import Meetings

OVERLAP, OBSTACLE, STUCK = "overlap", "obstacle", "stuck"
KINDS = (OVERLAP, OBSTACLE, STUCK)
"""What may go wrong. Stored in files: never change."""

TOLERANCE = 0.1
"""How deep bodies may be in each other, as a share of the smaller one's radius: less is not seen."""
STILL = 0.05
"""Share of the top speed below which a vehicle stands still."""
BLOCKED = 0.25
"""How near to an obstacle, in radii of its own, one that stands still is stuck there."""
PATIENCE = 2.0
"""Seconds after which it is."""


class Mishaps:
    """The mishaps of n vehicles so far.

    Attributes:
        frames: by kind (n,) the frame of the deepest overlap, or the one on which it got stuck; -1 for never.
        clearance: (n,) metres from each one's surface to that of an obstacle where they came nearest.
    """

    def __init__(self, n: int) -> None:
        self.frames: dict[str, Rows] = {kind: np.full(n, -1, dtype=np.int64) for kind in KINDS}
        self.clearance: Scalars = np.full(n, np.inf)
        self._deepest = {kind: np.full(n, TOLERANCE) for kind in (OVERLAP, OBSTACLE)}
        self._stood = np.zeros(n)
        self._meetings = Meetings()

    def look(self, frame: int, state: State) -> None:
        """Take in what there is to see on a frame; frames come in order."""
        if state.inputs is None:
            return
        self._look_at_each_other(frame, state, state.inputs)
        self._look_at_obstacles(frame, state, state.inputs)

    def number(self, kind: str) -> int:
        """How many vehicles it happened to."""
        return int(np.count_nonzero(self.frames[kind] >= 0))

    def _look_at_each_other(self, frame: int, state: State, snapshot: Snapshot) -> None:
        position, radius, there = _bodies(state.motion.position, snapshot)
        first, second, distance = self._meetings.on(position, radius, there)
        one, other = radius[first], radius[second]
        share = (one + other - distance) / np.minimum(one, other)
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
            self._stood[:] = 0.0
            return
        radius = snapshot.vehicle.radius
        clearance = snapshot.obstacles.take(seen).clearance(state.motion.position).min(axis=1) - radius
        self.clearance = np.minimum(self.clearance, np.where(snapshot.present, clearance, np.inf))
        here = snapshot.present & (radius > 0.0)
        depth = np.where(here, -clearance / np.where(radius > 0.0, radius, 1.0), 0.0)
        self._deeper(OBSTACLE, frame, depth)

        still = here & (magnitude(state.motion.velocity) < STILL * snapshot.vehicle.max_speed)
        blocked = still & (clearance < BLOCKED * radius)
        self._stood = np.where(blocked, self._stood + snapshot.frame_time, 0.0)
        stuck = (self._stood > PATIENCE) & (self.frames[STUCK] < 0)
        self.frames[STUCK] = np.where(stuck, frame, self.frames[STUCK])

    def _deeper(self, kind: str, frame: int, depth: Scalars) -> None:
        deeper = depth > self._deepest[kind]
        self._deepest[kind] = np.where(deeper, depth, self._deepest[kind])
        self.frames[kind] = np.where(deeper, frame, self.frames[kind])


def _bodies(own: Vectors, snapshot: Snapshot) -> tuple[Vectors, Scalars, Mask]:
    """Where the vehicles and all tracked bodies are, (b, 3), their radii, and which are vehicles that take part."""
    seen = snapshot.tracked
    if not len(seen.radius):
        return own, snapshot.vehicle.radius, snapshot.present
    others = seen.present & ((seen.roles & int(Role.VEHICLE)) != 0) & (seen.carrier < 0)
    position = columns(*(np.concatenate((own[:, axis], seen.position[:, axis])) for axis in range(3)))
    radius = np.concatenate((snapshot.vehicle.radius, seen.radius))
    return position, radius, np.concatenate((snapshot.present, others))
