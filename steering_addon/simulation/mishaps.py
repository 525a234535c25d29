"""What went wrong in a run: vehicles that were inside each other or inside obstacles, or got stuck beside one.

Bodies are spheres here, as everywhere. They are looked at frame by frame while the run goes on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .pairs import pairs_within
from .roles import Role
from .snapshot import State
from .vectors import Mask, Rows, Scalars, Vectors, magnitude, picked

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
LARGE = 2.0
"""Bodies so many times as large as the middle one are compared with all others one by one."""


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

    def look(self, frame: int, state: State) -> None:
        """Take in what there is to see on a frame; frames come in order."""
        inputs = state.inputs
        if inputs is None:
            return
        radius = inputs.vehicle.radius
        clearance = _clearance(state)
        self.clearance = np.minimum(self.clearance, clearance)
        here = inputs.present & (radius > 0.0)
        depth = np.where(here, -clearance / np.where(radius > 0.0, radius, 1.0), 0.0)
        self._deeper(OBSTACLE, frame, depth)
        self._deeper(OVERLAP, frame, _overlaps(state))

        still = here & (magnitude(state.motion.velocity) < STILL * inputs.vehicle.max_speed)
        blocked = still & (clearance < BLOCKED * radius)
        self._stood = np.where(blocked, self._stood + inputs.frame_time, 0.0)
        stuck = (self._stood > PATIENCE) & (self.frames[STUCK] < 0)
        self.frames[STUCK] = np.where(stuck, frame, self.frames[STUCK])

    def number(self, kind: str) -> int:
        """How many vehicles it happened to."""
        return int(np.count_nonzero(self.frames[kind] >= 0))

    def _deeper(self, kind: str, frame: int, depth: Scalars) -> None:
        deeper = depth > self._deepest[kind]
        self._deepest[kind] = np.where(deeper, depth, self._deepest[kind])
        self.frames[kind] = np.where(deeper, frame, self.frames[kind])


def _clearance(state: State) -> Scalars:
    """(n,) metres from each vehicle's surface to the nearest obstacle's, inf where there is none."""
    snapshot = state.inputs
    assert snapshot is not None
    here = snapshot.obstacles.take(snapshot.obstacles.present & (snapshot.obstacles.carrier < 0))
    if not len(here):
        return np.full(len(state), np.inf)
    nearest: Scalars = here.clearance(state.motion.position).min(axis=1)
    return nearest - snapshot.vehicle.radius


def _overlaps(state: State) -> Scalars:
    """(n,) how deep each vehicle is in another, as a share of the smaller one's radius; 0 where it is in none."""
    snapshot = state.inputs
    assert snapshot is not None
    seen = snapshot.tracked
    others = seen.present & ((seen.roles & int(Role.VEHICLE)) != 0) & (seen.carrier < 0)
    position = np.concatenate((state.motion.position, seen.position[others]))
    radius = np.concatenate((snapshot.vehicle.radius, seen.radius[others]))
    present = np.concatenate((snapshot.present, np.ones(np.count_nonzero(others), dtype=np.bool_)))
    rows = np.flatnonzero(present & (radius > 0.0))
    depth = np.zeros(len(position))
    if len(rows) > 1:
        for first, second, gap in _near(picked(position, rows), radius[rows]):
            one, other = radius[rows[first]], radius[rows[second]]
            share = (one + other - gap) / np.minimum(one, other)
            deep = np.flatnonzero(share > TOLERANCE)
            for end in (first, second):
                np.maximum.at(depth, rows[end[deep]], share[deep])
    return depth[: len(state)]


def _near(position: Vectors, radius: Scalars) -> list[tuple[Rows, Rows, Scalars]]:
    """Pairs of bodies that may touch, and the distances of their middles; a few large ones do not widen the search."""
    usual = LARGE * float(np.partition(radius, len(radius) // 2)[len(radius) // 2])
    small: Mask = radius <= usual
    rows = np.flatnonzero(small)
    found: list[tuple[Rows, Rows, Scalars]] = []
    if len(rows) > 1:
        for pairs in pairs_within(picked(position, rows), 2.0 * float(radius[rows].max())):
            found.append((rows[pairs.first], rows[pairs.second], np.sqrt(pairs.distance_squared)))
    for large in np.flatnonzero(~small).tolist():
        # Another large one is met from the end of the lower row only.
        with_whom: NDArray[np.int64] = np.flatnonzero(small | (np.arange(len(radius)) > large))
        gap = magnitude(picked(position, with_whom) - position[large])
        found.append((np.full(len(with_whom), large), with_whom, gap))
    return found
