"""Baking the simulation into keyframes, and taking a bake back."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty

from ...simulation.roles import Role
from .. import preview
from ..hierarchy import Family
from ..properties import settings_of
from ..read.plan import Plan, plan_reading
from ..read.start_pose import give_back
from ..refusal import Refusal, reported
from ..status import census
from ..tagged_objects import in_use, tagged
from ..write.bake import BakeResult, baking
from ..write.ownership import bake_of
from ..write.staging import clear_all
from ..write.visibility import parts
from .contact_report import told
from .polls import in_object_mode

if TYPE_CHECKING:
    from bpy.types import Context, Object

LEAST_WORK, MOST_WORK = 0.03, 0.25
"""Seconds of work between two looks at the window: it stays alive, and Esc is heard."""
INFINITE = float("inf")
INTERVAL = 0.005
"""Seconds from one piece of work to the next."""


class STEERING_OT_bake(bpy.types.Operator):
    """Simulate the vehicles of the scene and write their motion into keyframes"""

    bl_idname = "steering.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    selected: BoolProperty(
        name="Selected Only",
        description="Bake only the selected vehicles; the others are seen as they move now",
        default=False,
    )
    replace_own_keys: BoolProperty(
        name="Replace Own Keys",
        description="Set keyframes, drivers and NLA of the vehicles' own aside; deleting the bake brings them back",
        default=False,
    )

    @classmethod
    def poll(cls, context) -> bool:
        return in_object_mode(cls, context)

    def execute(self, context):
        """The whole bake at once, as scripts and background runs want it."""
        try:
            self._begin(context)
            while (done := self._work(INFINITE)) is None:
                pass
        except Refusal as why:
            return self._refused(why)
        return self._finished(done)

    def invoke(self, context, _event):
        # Only this tells a background run: it has a window too, but one that no event ever reaches.
        if bpy.app.background:
            return self.execute(context)
        try:
            self._begin(context)
        except Refusal as why:
            return self._refused(why)
        manager = context.window_manager
        manager.progress_begin(0, 100)
        self._timer = manager.event_timer_add(INTERVAL, window=context.window)
        self._show_status(context)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self.cancel(context)
            self.report({"WARNING"}, "Bake stopped; nothing was changed")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        try:
            result = self._work(self._budget())
        except Refusal as why:
            self._leave(context)
            return self._refused(why)
        except BaseException:
            self._leave(context)
            raise
        context.window_manager.progress_update(int(100 * self._progress))
        self._show_status(context)
        if result is None:
            return {"RUNNING_MODAL"}
        self._leave(context)
        return self._finished(result)

    def cancel(self, context) -> None:
        """Stop and leave nothing behind; Blender calls this too when the window goes away."""
        self._baking.close()
        self._leave(context)

    def _begin(self, context: Context) -> None:
        preview.end()
        only = context.selected_objects if self.selected else None
        self._plan: Plan = plan_reading(context.scene, only=only, replace_own_keys=self.replace_own_keys)
        self._baking = baking(self._plan, replace_own_keys=self.replace_own_keys)
        self._progress = 0.0
        self._began = self._rested = time.perf_counter()

    def _budget(self) -> float:
        """As much work as drawing the window took since: where drawing is slow, the bake is not much slower."""
        return min(max(time.perf_counter() - self._rested, LEAST_WORK), MOST_WORK)

    def _work(self, budget: float) -> BakeResult | None:
        """Go on for a while; the result when it is finished."""
        until = time.perf_counter() + budget
        try:
            while time.perf_counter() < until:
                self._progress = next(self._baking)
        except StopIteration as finished:
            return finished.value
        self._rested = time.perf_counter()
        return None

    def _leave(self, context: Context) -> None:
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)

    def _show_status(self, context: Context) -> None:
        what, progress = f"Baking {_count(len(self._plan), 'vehicle')}", self._progress

        # Blender takes a plain function only, no method.
        def draw(header, _context) -> None:
            header.layout.label(text=what, icon="ACTION")
            header.layout.progress(factor=progress, type="BAR", text=f"{100 * progress:.0f} %")
            header.layout.label(text="Stop", icon="EVENT_ESC")

        context.workspace.status_text_set(draw)

    def _refused(self, why: Refusal):
        self.report({"ERROR"}, str(why))
        return {"CANCELLED"}

    def _finished(self, result: BakeResult):
        for warning in (*self._plan.warnings, *_missing(result)):
            self.report({"WARNING"}, warning)
        seconds = time.perf_counter() - self._began
        text = f"Baked {_count(result.vehicles, 'vehicle')}, {_count(result.frames, 'frame')} in {seconds:.1f} s"
        if result.closest != INFINITE:
            text += f", nearest obstacle {result.closest:.2f} m"
        text += f": {told(result.mishaps)}"
        self.report({"INFO"}, text)
        # Giving objects actions is no change that Blender tells of.
        census.changed()
        return {"FINISHED"}


class STEERING_OT_clear_bake(bpy.types.Operator):
    """Remove the baked keyframes, put the vehicles back to their start and bring back what the bake had set aside"""

    bl_idname = "steering.clear_bake"
    bl_label = "Delete Bake"
    bl_options = {"REGISTER", "UNDO"}

    selected: BoolProperty(
        name="Selected Only", description="Delete the bake of the selected vehicles only", default=False
    )

    @classmethod
    def poll(cls, context) -> bool:
        return in_object_mode(cls, context)

    @reported
    def execute(self, context):
        baked = self._baked(context)
        if not baked:
            where = "of the selected objects" if self.selected else "in the scene"
            self.report({"WARNING"}, f"Nothing {where} is baked")
            return {"CANCELLED"}
        moved = sum(bake_of(ob).moves for ob in baked)
        clear_all(baked)
        for ob in baked:
            if settings_of(ob) is not None:
                if ob.steering.is_property_set("start"):
                    give_back(ob)
                if not ob.steering.roles:
                    ob.property_unset("steering")
        census.changed()
        self.report({"INFO"}, f"Deleted the bake of {_count(moved, 'vehicle')}")
        return {"FINISHED"}

    def _baked(self, context: Context) -> list[Object]:
        """What plays a bake that is to go: vehicles, their parts and what else was hidden; locked ones keep theirs."""
        family, there = Family(), in_use(context.scene)
        locked = [ob for ob in tagged(there, Role.VEHICLE) if ob.steering.locked]
        chosen = _with_parts(context.selected_objects, family) if self.selected else there
        kept = set(_with_parts(locked, family))
        return [ob for ob in chosen if ob not in kept and bake_of(ob) is not None]


def _with_parts(objects: Iterable[Object], family: Family) -> list[Object]:
    return list(dict.fromkeys(each for ob in objects for each in (ob, *parts(ob, family))))


def _missing(result: BakeResult) -> Iterator[str]:
    """Why vehicles are never seen, if there are such."""
    if result.kept_out:
        yield (
            f"{_count(result.kept_out, 'vehicle')} never entered, as somebody stood in the way: give them more room, "
            f"or turn off Wait for Room"
        )
    if result.too_late:
        yield f"{_count(result.too_late, 'vehicle')} would enter after the last frame: let them enter earlier"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


CLASSES = (STEERING_OT_bake, STEERING_OT_clear_bake)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
