"""A run of a plan as far as it was played: what the animator looks at before the bake."""

from __future__ import annotations

import dataclasses
import time
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...recording.run_cache import KeptRun, digest
from ...simulation.run import simulate, step
from ...simulation.snapshot import Snapshot, State
from ..read.dependencies import animates
from ..read.plan import Plan
from ..read.reading import Reader
from ..read.sweep import sweep, to_link
from ..write.channels import channels, start_rotations
from .hiding import Hideable
from .showing import show_as_they_are, shown_as_nothing

if TYPE_CHECKING:
    from bpy.types import Depsgraph, ViewLayer

AHEAD = 24
"""Frames played beyond the one asked for where the timeline runs and frames are read aside all the same: each time that
is begun has its price."""


@dataclass(frozen=True)
class Poses:
    """The channels of all vehicles on a frame.

    Attributes:
        location: (n, 3).
        rotation: (n, 4), of three angles the last number says nothing.
        gone: (n + m,) who is not there, and which resources are eaten up.
        outside: (n,) who of these has not entered yet.
    """

    location: np.ndarray
    rotation: np.ndarray
    gone: np.ndarray
    outside: np.ndarray


class Rehearsal:
    """Plays the frames of a plan one after the other, and keeps them.

    What an earlier plan of the scene has left in `kept` is gone through again from the first frame: it holds up to the
    first frame on which something else comes in.
    """

    def __init__(self, plan: Plan, kept: KeptRun | None) -> None:
        self.plan = plan
        first = int(plan.frames[0])
        self.kept = kept if kept is not None and kept.first == first else KeptRun(first)
        self.reached = first - 1
        """The last frame that is known to be as the plan has it; the one before the first where there is none."""
        self._reader = Reader(plan)
        self._looked_at = to_link(plan)
        self.hideable = Hideable(plan)
        carriers = {body.carrier for body in (*plan.bodies, *plan.obstacles)} - {-1}
        self._carriers = [plan.vehicles[row].ob for row in sorted(carriers)]
        self._only_aside = plan.in_users_scene or any(animates(ob, "hide_viewport") for ob in self._looked_at)

    def within(self, frame: int) -> int:
        """The frame of the plan that is shown on a frame: outside its range vehicles stay as on the first or last."""
        return min(max(frame, int(self.plan.frames[0])), int(self.plan.frames[-1]))

    def poses(self, frame: int) -> Poses:
        """The channels on a frame that was reached."""
        return self.kept.came_out(frame)

    def reach(self, frame: int, seconds: float, depsgraph: Depsgraph | None = None) -> bool:
        """Play on to a frame, for so long at most; whether it got there.

        Args:
            depsgraph: the animator's own, standing on that frame, from which a single next frame is read at once.

        Raises:
            Refusal: a value read on the way is no number.
        """
        if frame == self.reached + 1 and depsgraph is not None and self._reads_here(depsgraph.view_layer):
            self._take(frame, self._read_here(depsgraph, frame))
        until = time.perf_counter() + seconds
        while self.reached < frame:
            self._go_on_aside(frame + AHEAD if depsgraph is not None else frame, until)
            if time.perf_counter() > until:
                break
        return self.reached >= frame

    def _go_on_aside(self, frame: int, until: float) -> None:
        """Play on to a frame or until it is time to stop, from a sweep that the animator's scene does not notice."""
        frames = np.arange(self.reached + 1, min(frame, int(self.plan.frames[-1])) + 1)
        with closing(sweep(dataclasses.replace(self.plan, frames=frames), self._reader)) as snapshots:
            for now, snapshot in zip(frames.tolist(), snapshots):
                if not self._take(now, snapshot) or time.perf_counter() > until:
                    return

    def _take(self, frame: int, snapshot: Snapshot) -> bool:
        """Go on to a frame, the one after what was reached; False where frames before it have to be read again."""
        parts = self._reader.parent_parts[-1]
        came_in = digest((snapshot, parts))
        if frame == self.kept.first:
            start = self._reader.start(snapshot)
            came_in += digest((start, self.plan.preroll, self._models()))
        if self.kept.holds(frame, came_in):
            self.reached = frame
            return True
        state = self.kept.go_back(frame - 1)
        if self.kept.last < frame - 1:
            self.reached = self.kept.last
            return False
        if state is None:
            state, near = next(simulate(start, (snapshot,), self.plan.preroll)), start_rotations(self.plan)
        else:
            state, near = step(state, snapshot), self.poses(frame - 1).rotation
        self.kept.keep(state, came_in, self._poses(state, parts, near))
        self.reached = frame
        return True

    def _poses(self, state: State, parts: np.ndarray, near: np.ndarray) -> Poses:
        motion = state.motion
        bases = np.stack((motion.side, motion.forward, motion.up), axis=-1)
        outside = state.outside if len(state.outside) else np.zeros(len(state), dtype=np.bool_)
        poses = Poses(np.empty((len(state), 3)), np.zeros_like(near), self.hideable.gone(state), outside)
        for rows, locations, rotations in channels(
            self.plan, self._reader.parented, parts[None], motion.position[None], bases[None], near
        ):
            poses.location[rows] = locations[0]
            poses.rotation[rows, : rotations.shape[-1]] = rotations[0]
        return poses

    def _models(self) -> list[tuple[str, bytes, tuple[float, ...]]]:
        """What makes poses besides the parents: rotation mode, axes and scale of each vehicle."""
        return [(v.ob.rotation_mode, v.axes.tobytes(), tuple(v.ob.scale)) for v in self.plan.vehicles]

    def _read_here(self, depsgraph: Depsgraph, frame: int) -> Snapshot:
        """Read the animator's own depsgraph, in which what carries something or is hidden by us must not stand so."""
        shown = [*self._carriers, *shown_as_nothing(self.hideable.resources, [depsgraph])]
        if shown:
            show_as_they_are(shown, depsgraph)
        return self._reader.read(depsgraph, frame)

    def _reads_here(self, layer: ViewLayer) -> bool:
        """Whether the animator's own depsgraph has worked out all that is looked at, as a bake would see it."""
        return not self._only_aside and all(ob.visible_get(view_layer=layer) for ob in self._looked_at)
