"""Operators that bake the simulation into keyframes and that delete a bake."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty

from ...simulation.roles import Role
from .. import preview
from ..hierarchy import Family
from ..properties import replaces_own_keys, settings_of
from ..read.fingerprint import fingerprint
from ..read.plan import Plan, plan_reading
from ..read.start_pose import check_stored_start, give_back
from ..refusal import Refusal, reported
from ..status import census
from ..status.findings import Kind
from ..status.refused import forget, remember
from ..tagged_objects import in_use, names_of, tagged
from ..write.animation_data import action_of
from ..write.bake import BakeResult, baking
from ..write.bake_record import has_unreadable_record, sign
from ..write.clip_record import clip_record
from ..write.clip_strips import clear_clips
from ..write.ownership import bake_of
from ..write.staging import clear_all
from ..write.visibility import parts
from .contact_report import stuck_warnings, summary
from .polls import in_object_mode, something_baked

if TYPE_CHECKING:
    from bpy.types import Context, Object

LEAST_PIECE, MOST_PIECE = 0.2, 2.0
"""Seconds of work between two looks at events: Esc stops the bake soon, but slow drawing takes little of the time."""
FIRST_PIECE = 0.5
"""Seconds of work before the first look at events and the first drawing."""
NEARLY_DONE = 1.5
"""If no more than these seconds are left at the end of a piece, the bake is completed before the next drawing.

Every return to Blender draws the window, which would take as long as the rest of a short bake.
"""
PER_DRAWING = 5.0
"""Seconds of a piece of work for each second that Blender took to get back to the bake, which it spends on drawing.

After a frame was read, it draws the 3D views again each time it gets back, until their edges are smooth: eight times.
"""
INFINITE = float("inf")
INTERVAL = 0.001
"""Seconds between two pieces of work."""
TOLD_BY_BAKES = set(Kind) - {Kind.NEVER_ENTERED, Kind.WAITING}
"""What the report of a bake names; it has warnings of its own about vehicles that never entered and missing targets."""
DRAWING_SHARE = 0.08
"""Most of the time of a bake that is spent on drawing its progress, which may take longer than a piece of work."""
MOST_NAMES = 5
"""The largest number of objects named in a warning."""
LEAST_BETWEEN = 0.3
"""Least seconds between two drawings of the progress."""
ESTIMATED = 2.0
"""Seconds after which the time left is estimated."""


class STEERING_OT_bake(bpy.types.Operator):
    """Simulate the vehicles of the scene and write their motion into keyframes"""

    bl_idname = "steering.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    selected: BoolProperty(
        name="Selected Only",
        description="Bake only the selected vehicles; they react to the current motion of the others",
        default=False,
    )
    replace_own_keys: BoolProperty(
        name="Replace Own Keys",
        description="Set aside keyframes, drivers and NLA strips of the vehicles, also if the scene's setting of this "
        "name is off; deleting the bake restores them",
        default=False,
    )

    @classmethod
    def poll(cls, context) -> bool:
        return in_object_mode(cls, context)

    def execute(self, context):
        """Bake without returning in between, for scripts and background runs."""
        try:
            self._begin(context)
            while (result := self._work(INFINITE)) is None:
                pass
        except Refusal as refusal:
            return self._refused(refusal)
        return self._finished(result)

    def invoke(self, context, _event):
        # The only sign of a background run: it has a window too, but no event ever reaches that.
        if bpy.app.background:
            return self.execute(context)
        try:
            self._begin(context)
            result = self._work(FIRST_PIECE)
        except Refusal as refusal:
            return self._refused(refusal)
        if result is not None:
            return self._finished(result)
        manager = context.window_manager
        manager.progress_begin(0, 100)
        self._timer = manager.event_timer_add(INTERVAL, window=context.window)
        self._due = 0.0
        self._show_status(context)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self.cancel(context)
            # Blender shows no report of an operator that is canceled.
            context.window_manager.popup_menu(_tell_canceled, title="Bake Canceled", icon="INFO")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        self._plan_drawing()
        drawing = time.perf_counter() - self._pause_time
        try:
            result = self._work(min(max(PER_DRAWING * drawing, LEAST_PIECE), MOST_PIECE))
        except Refusal as refusal:
            self._end_modal(context)
            return self._refused(refusal)
        except BaseException:
            self._end_modal(context)
            raise
        if result is None:
            if time.perf_counter() >= self._due:
                self._show_status(context)
            return {"RUNNING_MODAL"}
        self._end_modal(context)
        return self._finished(result)

    def cancel(self, context) -> None:
        """Stop without a trace. Blender also calls this when the window closes."""
        self._baking.close()
        self._end_modal(context)

    def _begin(self, context: Context) -> None:
        preview.end()
        forget(context.scene)
        self._scene = context.scene
        only = context.selected_objects if self.selected else None
        replace = replaces_own_keys(self, context.scene)
        self._plan: Plan = plan_reading(context.scene, only=only, replace_own_keys=replace)
        self._baking = baking(self._plan, replace_own_keys=replace)
        self._progress = 0.0
        self._start_time = self._pause_time = time.perf_counter()

    def _plan_drawing(self) -> None:
        """Find out how long the last drawing took, and set when the next is due."""
        if self._is_drawing:
            drawing = time.perf_counter() - self._drawn
            self._due = time.perf_counter() + max(drawing / DRAWING_SHARE, LEAST_BETWEEN)
            self._is_drawing = False

    def _work(self, budget: float) -> BakeResult | None:
        """Continue the bake for the given seconds, or until it is finished if that is near; returns its result then."""
        start, before = time.perf_counter(), self._progress
        try:
            while (passed := time.perf_counter() - start) < budget + NEARLY_DONE:
                done = self._progress - before
                if passed >= budget and passed * (1.0 - self._progress) > NEARLY_DONE * done:
                    break
                self._progress = next(self._baking)
        except StopIteration as stop:
            return stop.value
        self._pause_time = time.perf_counter()
        return None

    def _end_modal(self, context: Context) -> None:
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)

    def _show_status(self, context: Context) -> None:
        label, progress = f"Baking {_count(len(self._plan), 'vehicle')}", self._progress
        text = f"{100 * progress:.0f} %{_time_left(time.perf_counter() - self._start_time, progress)}"

        # Blender accepts only a plain function, not a method.
        def draw(header, _context) -> None:
            header.layout.label(text=label, icon="ACTION")
            header.layout.progress(factor=progress, type="BAR", text=text)
            header.layout.label(text="Cancel", icon="EVENT_ESC")

        context.workspace.status_text_set(draw)
        context.window_manager.progress_update(int(100 * progress))
        self._drawn, self._is_drawing = time.perf_counter(), True

    def _refused(self, refusal: Refusal):
        remember(self._scene, refusal)
        self.report({"ERROR"}, str(refusal))
        return {"CANCELLED"}

    def _finished(self, result: BakeResult):
        objects = self._plan.vehicles.source.objects
        baked = set(objects)
        others = (ob for ob in tagged(in_use(self._scene), Role.VEHICLE) if ob not in baked)
        made_of = fingerprint(self._scene, baked.union(ob for ob in others if bake_of(ob) is not None))
        for ob in objects:
            sign(action_of(ob), made_of)
        stuck = {objects[row].name: frames for row, frames in result.stuck.items()}
        for warning in (*self._plan.warnings, *_absence_warnings(result), *result.warnings, *stuck_warnings(stuck)):
            self.report({"WARNING"}, warning)
        seconds = time.perf_counter() - self._start_time
        text = f"Baked {_count(result.vehicles, 'vehicle')}, {_count(result.frames, 'frame')} in {seconds:.1f} s"
        if result.closest != INFINITE:
            text += f", nearest obstacle {result.closest:.2f} m"
        text += f": {summary(result.mishaps)}"
        seen = [finding for finding in census.refresh(self._scene, made_of).findings if finding.kind in TOLD_BY_BAKES]
        for finding in seen:
            self.report({"WARNING"}, finding.text)
        self.report({"INFO"}, text)
        # Blender sends no update when actions are assigned.
        census.changed()
        return {"FINISHED"}


class STEERING_OT_clear_bake(bpy.types.Operator):
    """Remove the baked keyframes, move the vehicles back to their start and restore what the bake had set aside"""

    bl_idname = "steering.clear_bake"
    bl_label = "Delete Bake"
    bl_options = {"REGISTER", "UNDO"}

    selected: BoolProperty(
        name="Selected Only", description="Delete the bake of the selected vehicles only", default=False
    )

    @classmethod
    def poll(cls, context) -> bool:
        return in_object_mode(cls, context) and something_baked(cls, context)

    @reported
    def execute(self, context):
        baked = self._baked(context)
        rigs = self._with_clips(context)
        if not baked and not rigs:
            message = "None of the selected objects is baked" if self.selected else "No baked objects in the scene"
            self.report({"WARNING"}, "; ".join([message, *_unreadable(in_use(context.scene))]))
            return {"CANCELLED"}
        for ob in baked:
            if settings_of(ob) is not None:
                check_stored_start(ob)
        moved = sum(bake_of(ob).moves for ob in baked)
        # First, as a vehicle that is an armature is to be left without animation.
        if edited := clear_clips(rigs):
            names = names_of([str(each) for each in edited])
            self.report({"WARNING"}, f"Kept NLA strips that were edited: {names}. Delete them if they are not needed")
        clear_all(baked)
        for ob in baked:
            if settings_of(ob) is not None:
                give_back(ob)
                # Untagged since the bake. The parts of populated vehicles have no role either, but a record.
                if not ob.steering.roles and not ob.steering.is_property_set("member"):
                    ob.property_unset("steering")
        census.changed()
        self.report({"INFO"}, f"Deleted the bake of {_count(moved, 'vehicle')}")
        return {"FINISHED"}

    def _baked(self, context: Context) -> list[Object]:
        """The objects whose bake to delete: vehicles, their parts and hidden resources, without locked vehicles."""
        return [ob for ob in self._candidates(context) if bake_of(ob) is not None]

    def _with_clips(self, context: Context) -> list[Object]:
        """The armatures whose clips to remove."""
        candidates = [ob for ob in self._candidates(context) if ob.type == "ARMATURE"]
        return [ob for ob in candidates if clip_record(ob) is not None]

    def _candidates(self, context: Context) -> list[Object]:
        family, objects = Family(), in_use(context.scene)
        locked = [ob for ob in tagged(objects, Role.VEHICLE) if ob.steering.locked]
        candidates = _with_parts(context.selected_objects, family) if self.selected else objects
        kept = set(_with_parts(locked, family))
        return [ob for ob in candidates if ob not in kept]


def _unreadable(objects: Iterable[Object]) -> Iterator[str]:
    """A clause that names the objects whose record of a bake is damaged, if there are any."""
    names = [ob.name for ob in objects if has_unreadable_record(action_of(ob))]
    if names:
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        listed = ", ".join(names[:MOST_NAMES]) + more
        yield f"the record of a bake is damaged, so its keys are kept as your own: delete them by hand ({listed})"


def _with_parts(objects: Iterable[Object], family: Family) -> list[Object]:
    return list(dict.fromkeys(each for ob in objects for each in (ob, *parts(ob, family))))


def _absence_warnings(result: BakeResult) -> Iterator[str]:
    """A warning for each reason why vehicles never appear."""
    if result.kept_out:
        yield (
            f"{_count(result.kept_out, 'vehicle')} never entered because other vehicles stood in the way. "
            f"Make more room or turn off Wait for Room"
        )
    if result.too_late:
        yield f"{_count(result.too_late, 'vehicle')} would enter after the last frame. Let them enter earlier"


def _tell_canceled(menu, _context) -> None:
    menu.layout.label(text="Nothing was changed.")


def _time_left(passed: float, progress: float) -> str:
    """An estimate of the time left, after what was done in the seconds that have passed; empty for a short bake."""
    if passed < ESTIMATED or progress <= 0.0:
        return ""
    left = passed * (1.0 - progress) / progress
    return f", about {left:.0f} s left" if left < 100.0 else f", about {left / 60.0:.0f} min left"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


CLASSES = (STEERING_OT_bake, STEERING_OT_clear_bake)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
