"""The run of a plan up to the frame simulated so far: what the animator sees before the bake."""

import dataclasses
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from bpy.types import Depsgraph, Scene

from ...portrayal.exact_marks import Corrections, Left, left_on_frame
from ...portrayal.portrait import Portrayer
from ...portrayal.sketch import Frame, Sketch
from ...recording.run_cache import KeptRun, digest
from ...recording.run_record import ChangeOfMind, changes
from ...simulation.arrays.once import once
from ...simulation.run import leading_in, step
from ...simulation.snapshot import Snapshot, State
from ..animation.run_records import TakenUp
from ..clips.clip_record import clip_record
from ..clips.measuring import player_below
from ..objects.hierarchy import Family
from ..read.dependencies import animates
from ..read.joined_vehicles import object_part, point_parts
from ..read.marks import are_as_planned
from ..read.plan import Plan
from ..read.sweep import lead_in, sweep, to_link
from ..write.bake import StateNarrator
from ..write.channels import ChannelConverter
from .hiding import Hideable
from .published import PublishedFrame
from .readings import Readings
from .showing import Shown, is_driven, show_as_they_are, shown_as_nothing
from .stand_ins import Placed, PlainVehicles, stands_of
from .view_writer import ViewWriter

AHEAD = 24
"""Frames simulated ahead if a playing timeline is read by sweeps, which are costly to start."""


@dataclass(frozen=True)
class KeptFrame:
    """A frame of n vehicles and m resources, as far as it is kept.

    Attributes:
        location, rotation, gone, outside: as of `Shown`.
        points: where the vehicles are that others stand in for.
        state: (n,) the number of the state of each vehicle, 0 for none.
        changes: the changes of mind by this frame, by the row of the vehicle.
        left: what is left to the exact marks of this frame.
        sketch: of the vehicles; None if only their places are to be seen.
    """

    location: np.ndarray
    rotation: np.ndarray
    points: tuple[Placed, ...]
    gone: np.ndarray
    outside: np.ndarray
    state: np.ndarray
    changes: Mapping[int, ChangeOfMind]
    left: Left
    sketch: Sketch | None


class Rehearsal:
    """Simulates the frames of a plan in order, and keeps them.

    Frames that an earlier plan of the scene left in `kept` are checked from the first frame on: they hold up to the
    first frame with different input.
    """

    def __init__(
        self,
        plan: Plan,
        kept: KeptRun | None,
        readings: Readings | None = None,
        swings: dict[tuple, np.ndarray | None] | None = None,
    ) -> None:
        """`readings` are those of an earlier plan if since then only settings of crowds were changed; `swings` of parts
        that were measured so far."""
        self.plan, self._swings = plan, {} if swings is None else swings
        first = int(plan.frames[0])
        self.kept = kept if kept is not None and kept.first == first else KeptRun(first)
        self.reached = first - 1
        """The last frame that is known to follow from the plan; the one before the first if there is none."""
        self.readings = (readings and readings.renewed(plan)) or Readings(plan)
        self.has_swept = False
        """Whether frames were read in a sweep when a frame was last to be reached."""
        source = plan.vehicles.source
        self._objects, self.stands = object_part(source), stands_of(plan)
        rows = [*source.object_rows[:, None], *(rows for _, rows in point_parts(source))]
        owners = [*source.objects, *(each.ob for each, _ in point_parts(source))]
        self._rows = {ob.session_uid: of_it for ob, of_it in zip(owners, rows)}
        self._writer = ViewWriter(plan)
        self._portrayer = Portrayer(self._writer.subjects)
        self._has_exact_marks = any(mark.ob.steering.mark.exact for mark in plan.marks)
        self._keeps_sketches = self._writer.portrays or self._has_exact_marks
        self._lead_in: tuple[Snapshot, ...] | None = None
        self._led_by = b""
        """A digest of the pre-roll, which takes longer to make than a frame of it."""
        self._leading: tuple[bytes, Iterator[tuple[int, State]]] | None = None
        self._looked_at = to_link(plan)
        self.hideable = Hideable(plan)
        self.driven = [ob for ob in (*source.objects, *self.hideable.resources) if is_driven(ob)]
        carriers = {body.carrier for body in (*plan.bodies, *plan.obstacles)} - {-1}
        self._carriers = [source.owner(row) for row in sorted(carriers)]
        family = Family()
        played = [player for ob in self._carriers if (player := player_below(ob, family)) is not None]
        self._only_by_sweep = (
            plan.in_users_scene
            or any(animates(ob, "hide_viewport") for ob in self._looked_at)
            # What is parented to their bones is read as without a bake.
            or any(clip_record(player) is not None for player in played)
        )

    @once
    def plain(self) -> PlainVehicles | None:
        """The vehicles that a mesh may show; None if that does not pay."""
        return PlainVehicles.of(self.plan, self._swings)

    def within(self, frame: int) -> int:
        """The frame of the plan to show on a frame: the nearest within its range."""
        return min(max(frame, int(self.plan.frames[0])), int(self.plan.frames[-1]))

    def is_outdated(self, scene: Scene) -> bool:
        """Whether a timeline marker is elsewhere than planned. Blender reports none that was added or removed."""
        return not are_as_planned(self.plan.marks, scene)

    def shown(self, frame: int) -> Shown:
        """The view of a frame that was reached, with what is left to exact marks that were reached blended in.

        Before a mark is reached for the first time, the path to it is not moved.
        """
        kept, writer = self.kept.came_out(frame), self._writer
        for number in range(writer.next_frame, frame + 1) if writer.portrays else ():
            writer.frame(self._portrayer.portrait(self.kept.came_out(number).sketch))
        location, points = self._corrected(frame, kept) if self._has_exact_marks else (kept.location, kept.points)
        looks = (writer.rig_poses(frame), writer.told(frame)) if writer.portrays else ((), None)
        return Shown(location, kept.rotation, kept.gone, kept.outside, *looks, points)

    def _corrected(self, frame: int, kept: KeptFrame) -> tuple[np.ndarray, tuple[Placed, ...]]:
        """Where vehicles are on a frame, moved onto exact marks: objects (k, 3), and those that others stand in for."""
        corrections, first = Corrections(), self.kept.first
        for number in range(first, self.reached + 1):
            corrections.add(self.kept.came_out(number).left)
        [sketch] = corrections.moved_sketches([kept.sketch], frame - first)
        if sketch is kept.sketch:
            return kept.location, kept.points
        return self._channels_of(sketch, kept.rotation)[0], tuple(stand.placed(sketch) for stand in self.stands)

    def published(self, frame: int) -> PublishedFrame:
        """The vehicles on a frame that was reached, for others to ask."""
        kept = self.kept.came_out(frame)
        return PublishedFrame(
            rows=self._rows,
            outside=kept.outside,
            left=kept.gone[: len(kept.outside)] & ~kept.outside,
            numbers=kept.state if self.plan.states else None,
            history_of=lambda row: tuple(self._history(row, frame)),
        )

    def _history(self, row: int, last: int) -> Iterator[TakenUp]:
        """The states that a vehicle took up until a frame that was reached."""
        narrator = StateNarrator(self.plan)
        for number in range(self.kept.first, last + 1):
            change = self.kept.came_out(number).changes.get(row)
            if change is not None:
                yield narrator.taken_up(row, number, change)

    def reach(self, frame: int, seconds: float, depsgraph: Depsgraph | None = None) -> bool:
        """Simulate up to a frame, for these seconds at most; whether it was reached. `depsgraph`: the animator's own,
        evaluated for that frame, from which a single next frame is read directly. Refused if a value is not a
        number."""
        if self._lead_in is None:
            self._lead_in = lead_in(self.plan)
            self._led_by = digest((self._lead_in, self.plan.vehicles.preroll))
        self.has_swept = False
        following = self.reached + 1
        if frame == following and frame not in self.readings and depsgraph is not None and self._can_read(depsgraph):
            self.readings.add(self._read_directly(depsgraph, frame))
        until = time.perf_counter() + seconds
        while self.reached < frame:
            if self.reached + 1 not in self.readings:
                self._sweep_to(frame + AHEAD if depsgraph is not None else frame, until)
            self._take(self.readings[self.reached + 1], until)
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

    def _take(self, read: Frame, until: float) -> None:
        """Continue to a frame, the one after the last reached, or go back to the last frame that is still known. A
        pre-roll goes on until it is time to stop, and from there the next time."""
        frame, snapshot = read.number, read.snapshot
        came_in = self.readings.digest_of(read)
        if frame == self.kept.first:
            start = self.readings.reader.start(read)
            sketched = self._portrayer.sketched_by, self._keeps_sketches
            came_in += digest((start, self._led_by, self._models(), sketched))
        if self.kept.holds(frame, came_in):
            self.reached = frame
            return
        earlier = state = self.kept.go_back(frame - 1)
        if self.kept.last < frame - 1:
            self.reached = self.kept.last
            return
        if state is None:
            near, before = self._objects.rotation, self._lead_in or ()
            if self._leading is None or self._leading[0] != came_in:
                states = leading_in(start, (*before, snapshot), self.plan.vehicles.preroll)
                self._leading = came_in, enumerate(states)
            for passed, led in self._leading[1]:
                state = led
                if passed < len(before) and time.perf_counter() > until:
                    return
            self._leading = None
        else:
            state, near = step(state, snapshot), self.kept.came_out(frame - 1).rotation
        self.kept.keep(state, came_in, self._kept_frame(earlier, state, read, near))
        self.reached = frame

    def _kept_frame(self, earlier: State | None, state: State, read: Frame, near: np.ndarray) -> KeptFrame:
        sketch = self._portrayer.sketch(earlier, state, read)
        location, rotation = self._channels_of(sketch, near)
        return KeptFrame(
            location=location,
            rotation=rotation,
            points=tuple(stand.placed(sketch) for stand in self.stands),
            gone=self.hideable.gone(sketch),
            outside=sketch.outside,
            state=sketch.bodies.state,
            changes=changes(None if earlier is None else earlier.mindset, state.mindset),
            left=left_on_frame(read.number - self.kept.first, state, read.snapshot),
            sketch=sketch if self._keeps_sketches else None,
        )

    def _channels_of(self, sketch: Sketch, near: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The location (k, 3) and rotation (k, 4) channels of the vehicles that are objects on a frame; the rotation
        continues that of `near`."""
        bodies, location, rotation = sketch.bodies, np.empty((len(near), 3)), np.zeros_like(near)
        bases, positions = np.stack((bodies.side, bodies.forward, bodies.up), axis=-1), bodies.position
        if len(near) < len(self.plan):
            own = self.plan.vehicles.source.object_rows
            bases, positions = bases[own], positions[own]
        channels = ChannelConverter(self._objects, near)
        for rows, place, turn in channels.extend(sketch.parent_parts[None], positions[None], bases[None]):
            location[rows], rotation[rows, : turn.shape[-1]] = place[0], turn[0]
        return location, rotation

    def _models(self) -> list[tuple]:
        """The inputs of poses other than the parents: rotation mode, axes and scale of each vehicle that is an object,
        and the axes of those that others stand in for."""
        objects = self._objects
        models = [
            (ob.rotation_mode, axes.tobytes(), tuple(ob.scale)) for ob, axes in zip(objects.objects, objects.axes)
        ]
        return [*models, *((stand.axes.tobytes(), stand.rows.tobytes()) for stand in self.stands)]

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
