"""The run of a plan up to the frame simulated so far: what the animator sees before the bake."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np

from ...recording.changes_of_mind import Change, changes
from ...recording.last_corrections import LastCorrections, left_on_frame
from ...recording.run_cache import KeptRun, digest
from ...simulation.run import simulate, step
from ...simulation.snapshot import Snapshot, State
from ..animation.state_history import TakenUp
from ..read.dependencies import animates
from ..read.frame import Frame
from ..read.lead_in import lead_in
from ..read.marks import are_as_planned
from ..read.plan import Plan
from ..read.sweep import sweep, to_link
from ..write.channels import Channels
from ..write.clip_writer import RigPose
from ..write.plan_clips import bodies_of
from ..write.plan_states import Narrator
from .clip_poses import PreviewedClips
from .hiding import Hideable
from .poses import Poses
from .previewed_states import PreviewedStates
from .read_properties import ReadProperties
from .readings import Readings
from .showing import is_driven, show_as_they_are, shown_as_nothing

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Scene

AHEAD = 24
"""Frames simulated ahead if a playing timeline is read by sweeps, which are costly to start."""


class Rehearsal:
    """Simulates the frames of a plan in order, and keeps them.

    Frames that an earlier plan of the scene left in `kept` are checked from the first frame on: they hold up to the
    first frame with different input.
    """

    def __init__(self, plan: Plan, kept: KeptRun | None, readings: Readings | None = None) -> None:
        """`readings` are those of an earlier plan if since then only settings of crowds were changed."""
        self.plan = plan
        first = int(plan.frames[0])
        self.kept = kept if kept is not None and kept.first == first else KeptRun(first)
        self.reached = first - 1
        """The last frame that is known to follow from the plan; the one before the first if there is none."""
        self.readings = (readings and readings.renewed(plan)) or Readings(plan)
        self.has_swept = False
        """Whether frames were read in a sweep when a frame was last to be reached."""
        self.clips = PreviewedClips(plan)
        self._properties = ReadProperties(plan)
        self._lead_in: tuple[Snapshot, ...] | None = None
        self._looked_at = to_link(plan)
        self.hideable = Hideable(plan)
        self.driven = [ob for ob in (*plan.vehicles.source.objects, *self.hideable.resources) if is_driven(ob)]
        carriers = {body.carrier for body in (*plan.bodies, *plan.obstacles)} - {-1}
        self._carriers = [plan.vehicles.source.objects[row] for row in sorted(carriers)]
        self._only_by_sweep = plan.in_users_scene or any(animates(ob, "hide_viewport") for ob in self._looked_at)

    def within(self, frame: int) -> int:
        """The frame of the plan to show on a frame: the nearest within its range."""
        return min(max(frame, int(self.plan.frames[0])), int(self.plan.frames[-1]))

    def is_outdated(self, scene: Scene) -> bool:
        """Whether a timeline marker is elsewhere than planned. Blender reports none that was added or removed."""
        return not are_as_planned(self.plan.marks, scene)

    def poses(self, frame: int) -> Poses:
        """The poses on a frame that was reached, with what is left to exact marks that were reached blended in.

        Before a mark is reached for the first time, the path to it is not moved.
        """
        new = map(self.kept.came_out, range(self._properties.next_frame, frame + 1))
        poses = dataclasses.replace(self.kept.came_out(frame), told=self._properties.on_frame(frame, new))
        if not any(mark.ob.steering.mark.exact for mark in self.plan.marks):
            return poses
        corrections, first = LastCorrections(), self.kept.first
        for each in range(first, self.reached + 1):
            corrections.add(self.kept.came_out(each).left)
        location = poses.location.copy()
        for row in corrections.vehicles():
            if row not in self.plan.vehicles.source.parented:
                location[row] += corrections.moved(row, np.array([frame - first]))[0]
        return dataclasses.replace(poses, location=location)

    def states(self, frame: int) -> PreviewedStates | None:
        """In which states the vehicles are on a frame that was reached, and why; None if no crowd has any."""
        if not self.plan.states:
            return None
        narrator, first, vehicles = Narrator(self.plan), self.kept.first, self.plan.vehicles.source.objects

        def history(row: int) -> Iterator[TakenUp]:
            for each in range(first, frame + 1):
                change = self.kept.came_out(each).changes.get(row)
                if change is not None:
                    yield narrator.taken_up(row, each, change)

        rows = {ob.session_uid: row for row, ob in enumerate(vehicles)}
        return PreviewedStates(rows, narrator.numbers(self.kept.came_out(frame).modes), lambda row: tuple(history(row)))

    def rig_poses(self, frame: int) -> list[RigPose]:
        """The poses of the armatures that play clips on a frame that was reached."""
        if not self.clips.are_played:
            return []
        n = len(self.plan)
        new = (self.kept.came_out(each) for each in range(self.clips.next_frame, frame + 1))
        return self.clips.poses(frame, ((poses.bodies, poses.gone[:n]) for poses in new))

    def reach(self, frame: int, seconds: float, depsgraph: Depsgraph | None = None) -> bool:
        """Simulate up to a frame, for these seconds at most; whether it was reached.

        Args:
            depsgraph: the animator's own, evaluated for that frame, from which a single next frame is read directly.

        Raises:
            Refusal: a value is not a number.
        """
        if self._lead_in is None:
            self._lead_in = lead_in(self.plan)
        self.has_swept = False
        following = self.reached + 1
        if frame == following and frame not in self.readings and depsgraph is not None and self._can_read(depsgraph):
            self.readings.add(self._read_directly(depsgraph, frame))
        until = time.perf_counter() + seconds
        while self.reached < frame:
            if self.reached + 1 not in self.readings:
                self._sweep_to(frame + AHEAD if depsgraph is not None else frame, until)
            self._take(self.readings[self.reached + 1])
            if time.perf_counter() > until:
                break
        return self.reached >= frame

    def _sweep_to(self, frame: int, until: float) -> None:
        """Read up to a frame, or until it is time to stop, in a sweep."""
        self.has_swept = True
        frames = np.arange(self.reached + 1, min(frame, int(self.plan.frames[-1])) + 1)
        with closing(sweep(dataclasses.replace(self.plan, frames=frames), self.readings.reader)) as read:
            for each in read:
                self.readings.add(each)
                if self.readings.are_full or time.perf_counter() > until:
                    return

    def _take(self, read: Frame) -> None:
        """Continue to a frame, the one after the last reached, or go back to the last frame that is still known."""
        frame, snapshot = read.number, read.snapshot
        came_in = self.readings.digest_of(read)
        if frame == self.kept.first:
            start = self.readings.reader.start(read)
            shown = self.clips.are_played, tuple(self._properties.names.items())
            came_in += digest((start, self._lead_in, self.plan.vehicles.preroll, self._models(), shown))
        if self.kept.holds(frame, came_in):
            self.reached = frame
            return
        earlier = state = self.kept.go_back(frame - 1)
        if self.kept.last < frame - 1:
            self.reached = self.kept.last
            return
        if state is None:
            vehicles = self.plan.vehicles
            before = Poses(np.empty(0), vehicles.source.rotation, np.empty(0), np.empty(0))
            mindset, state = None, next(simulate(start, (snapshot,), self._lead_in or (), vehicles.preroll))
        else:
            before, mindset, state = self.kept.came_out(frame - 1), state.mindset, step(state, snapshot)
        poses = self._poses(state, earlier, read, before, changes(mindset, state.mindset))
        self.kept.keep(state, came_in, poses)
        self.reached = frame

    def _poses(
        self, state: State, earlier: State | None, read: Frame, before: Poses, changed: Mapping[int, Change]
    ) -> Poses:
        near = before.rotation
        motion, pose = state.motion, state.pose
        bases = np.stack((pose.side, pose.forward, pose.up), axis=-1)
        outside = state.outside if len(state.outside) else np.zeros(len(state), dtype=np.bool_)
        told = bool(self._properties)
        bodies = (
            bodies_of(state, earlier, read.heights, np.zeros_like(outside)) if self.clips.are_played or told else None
        )
        modes = before.modes
        if changed or not len(modes):
            mindset = state.mindset
            modes = np.zeros(len(state), dtype=np.int16) if mindset is None else mindset.mode.astype(np.int16)
        placed = np.empty((len(state), 3)), np.zeros_like(near)
        left = left_on_frame(read.number - self.kept.first, state, read.snapshot)
        poses = Poses(*placed, self.hideable.gone(state), outside, bodies, modes, changed, left)
        if told:
            outputs, states = state.outputs, self._properties.of_states(state)
            poses = dataclasses.replace(poses, lift=read.snapshot.lift, outputs=outputs, states=states)
        channels = Channels(self.plan.vehicles.source, near)
        for rows, location, rotation in channels.extend(read.parent_parts[None], motion.position[None], bases[None]):
            poses.location[rows] = location[0]
            poses.rotation[rows, : rotation.shape[-1]] = rotation[0]
        return poses

    def _models(self) -> list[tuple[str, bytes, tuple[float, ...]]]:
        """The inputs of poses other than the parents: rotation mode, axes and scale of each vehicle."""
        source = self.plan.vehicles.source
        return [(ob.rotation_mode, axes.tobytes(), tuple(ob.scale)) for ob, axes in zip(source.objects, source.axes)]

    def _read_directly(self, depsgraph: Depsgraph, frame: int) -> Frame:
        """Read the animator's own depsgraph, with carriers and hidden resources in their real poses."""
        shown = [*self._carriers, *shown_as_nothing(self.hideable.resources, [depsgraph])]
        if shown:
            show_as_they_are(shown, depsgraph)
        return self.readings.reader.read(depsgraph, frame)

    def _can_read(self, depsgraph: Depsgraph) -> bool:
        """Whether the animator's own depsgraph evaluates everything that is read, as a sweep would."""
        layer = depsgraph.view_layer
        return not self._only_by_sweep and all(ob.visible_get(view_layer=layer) for ob in self._looked_at)
