"""The operators that choose agents of a crowd cache by clicks, make keyed objects of them, and give them back."""

import re
from collections.abc import Sequence
from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy.types import Area, Collection, Context, Event, Object, Region, RegionView3D

from .. import preview
from ..animation.edited_keys import has_edited_keys
from ..animation.ownership import replaces_own_keys
from ..animation.run_records import made_of, sign_run
from ..crowds.cached_motion import CachedMotion
from ..crowds.crowd_cache import is_kept_here, picked_in, player_of, shown_by
from ..objects.crowd_caches import cache_id, cache_of, is_picked, standing_for
from ..objects.focus import activate, check_editable, crowd_in_focus, vehicle_of
from ..objects.hierarchy import Family
from ..objects.node_inputs import input_of
from ..objects.tagged_objects import in_use, names_of
from ..overlay.agents_in_view import AgentsInView
from ..panels.fields import counted
from ..read.fingerprint import fingerprint
from ..refusal import Refusal
from ..status import census
from ..status.hand_edits import as_baked
from ..write.picked_agents import give_agents_back, making_objects
from .in_pieces import InPieces, Work
from .polls import SteeringOperator, ask_of_edited, has_editable_crowd, has_editable_scene, in_object_mode

NUMBERS = "Identities of agents, as the attribute id of the instances has them, such as 3,17"
ANSWERS = (("KEEP", "Keep {} and Give Back the Others", "LOCKED"), ("REMOVE", "Remove the Edited Keys", "TRASH"))


def has_cache(operator: type, context: Context) -> bool:
    """Whether the crowd in focus plays a cache that this file holds."""
    if not has_editable_crowd(operator, context):
        return False
    cache = cache_of(crowd_in_focus(context))
    if is_kept_here(cache):
        return True
    name = crowd_in_focus(context).name
    if cache is not None:
        operator.poll_message_set(f"The crowd cache of {name} is in a library. Bake again first")
    else:
        operator.poll_message_set(f"{name} has no crowd cache. Bake it into one first")
    return False


class STEERING_OT_make_objects(InPieces, bpy.types.Operator):
    """Let a keyed object stand for each of these agents of a crowd cache, which then shows only the others. A bake
    leaves them as they are, and other vehicles react to them"""

    bl_label = "Make Objects"
    needs = (in_object_mode, has_editable_scene, has_cache)
    canceled = "Objects Canceled"

    ids: StringProperty(name="Ids", description=NUMBERS, options={"SKIP_SAVE"})
    replace_own_keys: BoolProperty(
        name="Replace Own Keys",
        description="Set aside keyframes, drivers and NLA strips that vehicles have of their own, as for a bake",
    )

    def invoke(self, context, event):
        if not self.ids and not bpy.app.background:
            return context.window_manager.invoke_props_dialog(self)
        return super().invoke(context, event)

    def begin(self, context: Context) -> tuple[Work, str]:
        identities = numbers_in(self.ids)
        if not identities:
            raise Refusal("No agent is chosen. Pick some in the viewport, or enter their ids.")
        preview.end()
        work = self._making(context, crowd_in_focus(context), identities)
        return work, f"Making {counted(len(identities), 'object')}"

    def _making(self, context: Context, crowd: Object, identities: list[int]) -> Work:
        cache = cache_of(crowd)
        is_signed, replace = _signed_so_far(context, cache), replaces_own_keys(self, context.scene)
        objects, warnings = yield from making_objects(context, cache, crowd, identities, replace_own_keys=replace)
        as_baked(objects, _run_of(cache))
        if is_signed:
            # The others go on as they would beside the agents themselves.
            sign_run(context.scene, _run_of(cache), fingerprint(context.scene))
        activate(context, *objects)
        census.changed()
        self.warn(warnings)
        return f"Made {names_of([ob.name for ob in objects])} of {crowd.name}"


class STEERING_OT_give_back(SteeringOperator, bpy.types.Operator):
    """Let the crowd cache show the agents again for which the selected objects stand, and remove what was made for
    them; without any that is selected, all of the crowd"""

    bl_label = "Give Back"
    needs = (in_object_mode, has_editable_scene, has_editable_crowd)

    ids: StringProperty(name="Ids", description=f"{NUMBERS}; empty for the selected objects", options={"SKIP_SAVE"})
    edited: EnumProperty(
        name="Edited Keys",
        description="What becomes of objects whose baked keys were edited by hand",
        items=(
            ("KEEP", "Keep", "They stay objects, and a warning names them"),
            ("REMOVE", "Remove", "They are given back as all others"),
        ),
        options={"SKIP_SAVE"},
    )

    @classmethod
    def poll(cls, context):
        if not super().poll(context):
            return False
        active = vehicle_of(context.object)
        if (active is not None and is_picked(active)) or _hidden_agents(crowd_in_focus(context)):
            return True
        cls.poll_message_set("No agent of the crowd is an object. Select one that is")
        return False

    def invoke(self, context, _event):
        try:
            edited = self._edited_by_hand(self._objects_to_return(context)[0])
        except Refusal as why:
            return self.refused(why)
        if not edited or bpy.app.background or self.properties.is_property_set("edited"):
            return self.execute(context)
        ask_of_edited(context, "steering.give_back", edited, ANSWERS, ids=self.ids)
        return {"CANCELLED"}

    def carry_out(self, context):
        crowd = crowd_in_focus(context)
        objects, identities = self._objects_to_return(context)
        kept = self._edited_by_hand(objects) if self.edited == "KEEP" else []
        if kept and len(kept) == len(objects) and not identities:
            names = names_of([ob.name for ob in kept])
            text = f"Keys of {names} were edited by hand. Set Edited Keys to Remove to give them back."
            raise Refusal(text, about=kept)
        objects = [ob for ob in objects if ob not in kept]
        check_editable(objects)
        cache = cache_of(crowd)
        if cache is not None and not is_kept_here(cache):
            text = f"The crowd cache of {crowd.name} is in a library, which hides them. Bake again first."
            raise Refusal(text, about=[crowd])
        preview.end()
        is_signed, number = _signed_so_far(context, cache), len(objects) + len(identities)
        lost, warnings = give_agents_back(context, cache, crowd, objects, identities)
        if is_signed and not lost:
            sign_run(context.scene, _run_of(cache), fingerprint(context.scene))
        if cache is not None and context.view_layer.objects.active is None:
            activate(context, shown_by(cache))
        census.changed()
        if kept:
            names = names_of([ob.name for ob in kept])
            self.report({"WARNING"}, f"Kept {names}, whose keys were edited by hand")
        self.warn(warnings)
        if lost:
            self.report({"WARNING"}, f"The crowd cache holds {counted(len(lost), 'agent')} less. Bake again to see all")
        return f"Gave back {counted(number, 'agent')} of {crowd.name}"

    def _objects_to_return(self, context: Context) -> tuple[list[Object], list[int]]:
        """The objects to give back, and the identities of agents whose objects are gone."""
        crowd = crowd_in_focus(context)
        standing, hidden = standing_for(crowd, in_use(context.scene)), _hidden_agents(crowd)
        asked_for = set(numbers_in(self.ids))
        selected = {vehicle_of(ob) for ob in context.selected_objects}
        gone = hidden - {ob.steering.identity for ob in standing}
        if not asked_for:
            objects = [ob for ob in standing if ob in selected]
            return (objects, []) if objects else (standing, sorted(gone))
        objects = [ob for ob in standing if ob.steering.identity in asked_for]
        if unknown := asked_for - {ob.steering.identity for ob in objects} - gone:
            raise Refusal(f"No object stands for agent {min(unknown)} of {crowd.name}. Choose others.", about=[crowd])
        return objects, sorted(gone & asked_for)

    def _edited_by_hand(self, objects: Sequence[Object]) -> list[Object]:
        """The objects whose keys, or those of whose parts, were edited by hand."""
        family = Family()
        return [ob for ob in objects if any(map(has_edited_keys, (ob, *family.descendants(ob))))]


def numbers_in(ids: str) -> list[int]:
    """The numbers in a text, each once. Refused if it holds something else."""
    words = [word for word in re.split(r"[,;\s]+", ids) if word]
    if wrong := next((word for word in words if not word.isdecimal()), None):
        raise Refusal(f"{wrong} is no id of an agent. Enter numbers, such as 3,17.")
    return list(dict.fromkeys(map(int, words)))


def _hidden_agents(crowd: Object) -> set[int]:
    """The agents of a crowd that its cache hides as objects stand for them, or did."""
    cache = cache_of(crowd)
    shown = shown_by(cache) if cache is not None else None
    edits = input_of(player_of(shown), "Edits") if shown is not None else None
    return set() if edits is None else set(picked_in(edits.data).tolist())


def _signed_so_far(context: Context, cache: Collection | None) -> bool:
    """Whether the scene is as it was when a cache was baked."""
    return cache is not None and made_of(_run_of(cache)) == fingerprint(context.scene)


def _run_of(cache: Collection) -> str:
    return cache_id(cache).partition(":")[0]


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
