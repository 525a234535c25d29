"""The clips of the vehicles of a plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace as replaced
from typing import TYPE_CHECKING

import numpy as np

from ...portrayal.heads import attends
from ...portrayal.riding import Carriage, carriage, unmoved
from ...recording.arrived import arrived
from ...simulation.arrays.vectors import Mask, Scalars, Vectors, magnitude
from ...simulation.geometry.surfaces import NO_SURFACES, Surfaces
from ...simulation.ground import level_heading
from ...simulation.snapshot import State
from ..clips.clip_bodies import Bodies, Members, RigPose
from .clip_writer import ClipWriter
from .plan_states import Narrator

if TYPE_CHECKING:
    from ..read.plan import Plan


def bodies_of(state: State, before: State | None, heights: Scalars, entered: Mask) -> Bodies:
    """The bodies of all vehicles on a frame; how much they have grown is for now their height, and their states are
    the modes.

    Args:
        before: the state on the frame before; None on the first.
        heights: (n,) metres, 0 if unknown.
        entered: (n,) whether this is the first frame on which a vehicle is present.
    """
    pose = state.pose
    return Bodies(
        position=state.motion.position,
        forward=pose.forward,
        up=pose.up,
        velocity=state.motion.velocity,
        growth=heights,
        entered=entered,
        present=~state.away,
        in_company=np.zeros(len(state), dtype=np.bool_),
        state=np.zeros(len(state), dtype=np.int64) if state.mindset is None else state.mindset.mode,
        arrived=arrived(state, before),
        caller=_callers(state, heights),
        carriage=_carriage(state, before),
    )


def _carriage(state: State, before: State | None) -> Carriage:
    snapshot = state.inputs
    if snapshot is None:
        return unmoved(len(state))
    known = before is not None and before.inputs is not None
    surfaces = before.inputs.surfaces if known else snapshot.surfaces
    was = (before.motion.position, level_heading(before.pose.forward)) if known else None
    return carriage(surfaces, snapshot.surfaces, was, state.motion.position, snapshot.lift)


def _callers(state: State, heights: Scalars) -> Vectors:
    """The places of what called vehicles into their states, (n, 3) metres, nan where they do not look at it."""
    n, mindset, snapshot = len(state), state.mindset, state.inputs
    places = np.full((n, 3), np.nan)
    if mindset is None or snapshot is None:
        return places
    tracked, motion = snapshot.tracked, state.motion
    of_tracked = np.where(
        (tracked.carrier >= 0)[:, None], motion.position[np.maximum(tracked.carrier, 0)], tracked.position
    )
    looks = attends(state.time - mindset.since, magnitude(motion.velocity), heights)
    rows = np.flatnonzero(looks & (mindset.mode > 0) & (mindset.body >= 0) & (mindset.body != np.arange(n)))
    places[rows] = np.concatenate((motion.position, of_tracked))[mindset.body[rows]]
    return places


class PlanClips:
    """What the vehicles of a plan play of the clips of their crowds, frame after frame.

    Attributes:
        posed: the channels that clips animate, by the vehicles that are armatures themselves.
    """

    def __init__(self, plan: Plan, *, replace: bool, only_measured: bool = False) -> None:
        """`replace` and `only_measured` as for `ClipWriter`.

        Raises:
            Refusal: clips of a crowd cannot be played.
        """
        source = plan.vehicles.source
        self._rows = [crowd.rows for crowd in plan.crowds]
        members = [
            Members(crowd.ob, tuple(source.objects[row] for row in crowd.rows), plan.vehicles.keys[crowd.rows])
            for crowd in plan.crowds
        ]
        self._writer = ClipWriter(
            members,
            plan.scene,
            plan.frames,
            replace=replace,
            only_measured=only_measured,
            surfaces=plan.surfaces,
        )
        self.posed = self._writer.posed
        self.are_played = self._writer.has_clips
        self._heights: Scalars | None = None
        self._ground = NO_SURFACES
        self._narrator = Narrator(plan)

    @property
    def warnings(self) -> list[str]:
        """What the animator should know of what was written."""
        return self._writer.warnings

    def frame(self, row: int, bodies: Bodies, ground: Surfaces = NO_SURFACES) -> None:
        """Take in the bodies of all vehicles on a frame, by `bodies_of`, and the ground; frames come in order."""
        moved = ground.moved_since(self._ground) if row else set()
        self._ground = ground
        heights = bodies.growth
        if self._heights is None:
            self._heights = heights
        known = (self._heights > 0.0) & (heights > 0.0)
        growth = np.where(known, heights / np.where(known, self._heights, 1.0), 1.0)
        bodies = replaced(bodies, growth=growth, state=self._narrator.numbers(bodies.state))
        self._writer.frame(row, [bodies.take(rows) for rows in self._rows], moved)

    def poses(self, row: int) -> Iterator[RigPose]:
        """The poses of all armatures that play clips on the frame of this row, which was taken in."""
        return self._writer.poses(row)

    def prepare(self) -> Iterator[float]:
        """Compute what the strips need, yielding the share that is done."""
        yield from self._writer.prepare()

    def discard(self) -> None:
        """Remove what was prepared."""
        self._writer.discard()

    def write(self) -> None:
        """Write the strips; the vehicles play their bake already."""
        self._writer.write()
