"""The operator that chooses agents of a crowd cache by clicks in the 3D viewport."""

from typing import Any

import bpy
from bpy.types import Area, Context, Event, Region, RegionView3D

from ..crowds.cached_motion import CachedMotion
from ..objects.crowd_caches import cache_of
from ..objects.focus import crowd_in_focus
from ..overlay.agents_in_view import AgentsInView
from ..refusal import Refusal
from .picked_agents import has_cache
from .polls import SteeringOperator, has_editable_scene, in_object_mode

LOOKING = ("MIDDLEMOUSE", "WHEEL", "TRACKPAD", "MOUSE", "NDOF", "NUMPAD", "LEFT_ARROW", "RIGHT_ARROW", "SPACE", "TIMER")
"""How the events begin that let the user look around or show another frame."""

_picking: "list[Picking]" = []
"""The choice that is being made; empty or one."""


class Picking:
    """Agents that are being chosen.

    Attributes:
        chosen: the rows of those that are.
        pointed_at: the row of the one under the pointer; -1 for none.
    """

    def __init__(self, motion: CachedMotion) -> None:
        self.agents, self.chosen, self.pointed_at = AgentsInView(motion), [], -1
        self._handle: Any = bpy.types.SpaceView3D.draw_handler_add(self._draw, (), "WINDOW", "POST_PIXEL")

    @property
    def ids(self) -> str:
        """The identities of the chosen ones, as operators take them."""
        return ",".join(str(self.agents.motion.identity[row]) for row in self.chosen)

    def click(self, row: int, *, adds: bool) -> None:
        """Choose an agent, -1 for none, instead of the others, or as well if it `adds`; a second time lets go of it."""
        others = [other for other in self.chosen if other != row] if adds else []
        is_new = row >= 0 and row not in self.chosen
        self.chosen = [*others, row] if is_new or (not adds and row >= 0) else others

    def end(self) -> None:
        bpy.types.SpaceView3D.draw_handler_remove(self._handle, "WINDOW")

    def _draw(self) -> None:
        region, view = bpy.context.region, bpy.context.region_data
        if view is not None:
            try:
                self.agents.draw(region, view, bpy.context.scene.frame_current_final, self.chosen, self.pointed_at)
            except ReferenceError:
                # Undone, or another file: the operator ends with the next event.
                return


def picking() -> Picking | None:
    """The choice that is being made; None without one."""
    return _picking[0] if _picking else None


def end_picking() -> None:
    """Stop picking, with nothing changed."""
    while _picking:
        _picking.pop().end()
    _redraw(bpy.context)


class STEERING_OT_pick_agents(SteeringOperator, bpy.types.Operator):
    """Choose agents of the crowd cache by clicks in a 3D viewport, and make keyed objects of them. Shift adds, Enter
    makes them, Esc leaves all as it is"""

    bl_label = "Pick Agents"
    # What it calls is undone.
    bl_options = {"REGISTER"}
    needs = (in_object_mode, has_editable_scene, has_cache)

    def invoke(self, context, _event):
        try:
            return self._begin(context)
        except Refusal as why:
            return self.refused(why)

    def _begin(self, context: Context) -> set[str]:
        if (running := picking()) is not None:
            ids = running.ids
            end_picking()
            return _make(ids) if ids else {"CANCELLED"}
        if bpy.app.background or not any(area.type == "VIEW_3D" for area in context.window.screen.areas):
            raise Refusal("There is no 3D viewport to pick agents in. Use Make Objects with their ids.")
        crowd = crowd_in_focus(context)
        self._picking = Picking(CachedMotion(cache_of(crowd), crowd))
        _picking.append(self._picking)
        self._tell(context)
        context.window_manager.modal_handler_add(self)
        _redraw(context)
        return {"RUNNING_MODAL"}

    def execute(self, context):
        return self.invoke(context, None)

    def modal(self, context, event):
        if picking() is not self._picking:
            return self._leave(context, "FINISHED")
        try:
            return self._handle(context, event)
        except ReferenceError:
            return self._leave(context, "CANCELLED")

    def cancel(self, context) -> None:
        """Stop without a trace. Blender also calls this when the window closes."""
        self._leave(context, "CANCELLED")

    def _handle(self, context: Context, event: Event) -> set[str]:
        view_under, running = _view_under(context, event), self._picking
        if event.type == "ESC" or (event.type == "RIGHTMOUSE" and view_under is not None):
            return self._leave(context, "CANCELLED")
        if event.type in ("RET", "NUMPAD_ENTER") and event.value == "PRESS" and running.chosen:
            ids = running.ids
            self._leave(context, "FINISHED")
            return _make(ids)
        if view_under is None:
            return {"PASS_THROUGH"}
        area, region, view = view_under
        pointer = event.mouse_x - region.x, event.mouse_y - region.y
        row = running.agents.under(region, view, pointer, context.scene.frame_current_final)
        if row != running.pointed_at:
            running.pointed_at = row
            area.tag_redraw()
        if event.type == "LEFTMOUSE":
            if event.value == "PRESS":
                running.click(row, adds=event.shift)
                self._tell(context)
                _redraw(context)
            return {"RUNNING_MODAL"}
        return {"PASS_THROUGH"} if event.type.startswith(LOOKING) else {"RUNNING_MODAL"}

    def _leave(self, context: Context, how: str) -> set[str]:
        if picking() is self._picking:
            end_picking()
        context.workspace.status_text_set(None)
        return {how}

    def _tell(self, context: Context) -> None:
        chosen = len(self._picking.chosen)

        # Blender accepts only a plain function, not a method.
        def draw(header, _context) -> None:
            layout = header.layout
            layout.label(text="Choose", icon="MOUSE_LMB")
            layout.label(text="Add", icon="EVENT_SHIFT")
            layout.label(text=f"Make {chosen} Objects" if chosen > 1 else "Make an Object", icon="EVENT_RETURN")
            layout.label(text="Leave", icon="EVENT_ESC")

        context.workspace.status_text_set(draw)


def _make(ids: str) -> set[str]:
    return bpy.ops.steering.make_objects("INVOKE_DEFAULT", True, ids=ids)


def _view_under(context: Context, event: Event) -> tuple[Area, Region, RegionView3D] | None:
    """The 3D viewport under the pointer; None over other editors, its sidebar, toolbar and headers."""
    for area in context.window.screen.areas:
        if area.type != "VIEW_3D":
            continue
        under = [
            region
            for region in area.regions
            if region.x <= event.mouse_x < region.x + region.width
            and region.y <= event.mouse_y < region.y + region.height
            and region.width > 1
        ]
        if under and all(region.type == "WINDOW" for region in under):
            view = under[0].data if hasattr(under[0], "data") else area.spaces.active.region_3d
            return area, under[0], view or area.spaces.active.region_3d
    return None


def _redraw(context: Context) -> None:
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type in ("VIEW_3D", "PROPERTIES"):
                area.tag_redraw()


def unregister() -> None:
    """Before the classes go: let go of what is drawn and listened to while agents are picked."""
    end_picking()
