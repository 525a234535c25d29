"""Tagging: which objects are vehicles, obstacles, paths, leaders and crowds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, EnumProperty

from ...simulation.roles import DESCRIPTIONS, Role
from ..crowds.joining import Joined, join, selected_crowd
from ..crowds.member_variation import give_size_back
from ..crowds.moves_like import ANYTHING, LIKENESSES, UNCHANGED, is_settled, likeness
from ..crowds.moves_like import ITEMS as MOVES_LIKE_ITEMS
from ..crowds.preset_exchange import missing
from ..hierarchy import Family
from ..properties import has_role
from ..properties.object_group import ROLE_ITEMS
from ..read.start_pose import channels, store
from ..refusal import Refusal, reported
from ..role_assignment import default_crowd, give_role, new_crowd
from ..suitability import check_editable, suits
from ..tagged_objects import tagged
from ..write.ownership import is_baked
from .polls import in_object_mode, something_selected

if TYPE_CHECKING:
    from bpy.types import Context, Object, Scene

REMEDIES = {
    Role.PATH: "select a curve, such as Add > Curve > Path",
    Role.FLOW: "select a curve, such as Add > Curve > Path, or a mesh that is painted or has edges",
    Role.CROWD: "select an Empty, or use Add Crowd",
    Role.VEHICLE: "select the objects that shall move",
}
"""What to do where nothing that is selected can have a role."""


class STEERING_OT_tag(bpy.types.Operator):
    """Make the selected objects part of the steering simulation"""

    bl_idname = "steering.tag"
    bl_label = "Tag for Steering"
    bl_options = {"REGISTER", "UNDO"}

    role: EnumProperty(name="As", description="What the objects become", items=ROLE_ITEMS, default="VEHICLE")
    moves_like: EnumProperty(
        name="Moves Like",
        description="What a crowd that has no settings yet starts to live like; others stay as they are",
        items=MOVES_LIKE_ITEMS,
        default=ANYTHING.name,
        options={"SKIP_SAVE"},
    )
    new_crowd: BoolProperty(
        name="New Crowd",
        description="Make a crowd of their own, even if there is one they could join",
        default=False,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def description(cls, _context, properties) -> str:
        if properties.role == Role.VEHICLE.name and properties.is_property_set("moves_like"):
            return likeness(properties.moves_like).description
        return DESCRIPTIONS[Role[properties.role]][1]

    @classmethod
    def poll(cls, context) -> bool:
        return something_selected(cls, context)

    def invoke(self, context, _event):
        asked = self.properties.is_property_set("moves_like") or self.role != Role.VEHICLE.name
        crowd = selected_crowd(context)
        if asked or bpy.app.background or (crowd is not None and is_settled(crowd)):
            return self.execute(context)
        bpy.ops.wm.call_menu(name=STEERING_MT_moves_like.bl_idname)
        return {"CANCELLED"}

    def draw(self, _context) -> None:
        fields = self.layout.column()
        fields.use_property_split = True
        fields.prop(self, "role")
        if self.role == Role.VEHICLE.name:
            fields.prop(self, "moves_like")
            fields.prop(self, "new_crowd")

    @reported
    def execute(self, context):
        role = Role[self.role]
        objects = _selected(context)
        joined = Joined()
        chosen, left_out = _fitting(objects, role)
        if role is Role.VEHICLE:
            joined = join(context, chosen, likeness(self.moves_like), apart=self.new_crowd)
        family = Family()
        for ob in chosen:
            give_role(ob, role, family)
        if left_out:
            self.report({"WARNING"}, f"Left out, as no {DESCRIPTIONS[role][0].lower()} can be made of them: {left_out}")
        for warning in joined.warnings:
            self.report({"WARNING"}, warning)
        if joined.crowd is not None:
            self.report({"INFO"}, _told(joined, context.scene))
        return {"FINISHED"}


class STEERING_MT_moves_like(bpy.types.Menu):
    """What the selected objects shall move like"""

    bl_idname = "STEERING_MT_moves_like"
    bl_label = "Moves Like"

    def draw(self, context) -> None:
        layout = self.layout
        # Invoked, the operator would ask again.
        layout.operator_context = "EXEC_DEFAULT"
        crowd = selected_crowd(context) or default_crowd(context)
        settled = crowd is not None and is_settled(crowd)
        if settled:
            entry = layout.operator("steering.tag", text=f"Join {crowd.name}", icon=UNCHANGED.icon, translate=False)
            entry.role, entry.moves_like = Role.VEHICLE.name, UNCHANGED.name
            layout.separator()
            layout.label(text="New Crowd Like")
        for like in LIKENESSES:
            if settled and like is UNCHANGED:
                continue
            entry = layout.operator("steering.tag", text=like.label, icon=like.icon)
            entry.role, entry.moves_like, entry.new_crowd = Role.VEHICLE.name, like.name, settled


class STEERING_OT_untag(bpy.types.Operator):
    """Take the selected objects out of the steering simulation; keyframes of a bake stay"""

    bl_idname = "steering.untag"
    bl_label = "Untag"
    bl_options = {"REGISTER", "UNDO"}

    role: EnumProperty(name="As", description="What the objects no longer are", items=ROLE_ITEMS, default="VEHICLE")

    @classmethod
    def poll(cls, context) -> bool:
        return something_selected(cls, context)

    @reported
    def execute(self, context):
        objects = [ob for ob in _selected(context) if has_role(ob, Role[self.role])]
        if not objects:
            what = DESCRIPTIONS[Role[self.role]][0].lower()
            self.report({"ERROR"}, f"None of the selected objects is tagged as {_article(what)}: select some that are.")
            return {"CANCELLED"}
        check_editable(objects)
        if self.role == Role.VEHICLE.name:
            give_size_back(context.scene, objects)
        for ob in objects:
            ob.steering.roles -= {self.role}
            if self.role == Role.VEHICLE.name:
                ob.steering.crowd = None
            if not ob.steering.roles and not is_baked(ob):
                ob.property_unset("steering")
        return {"FINISHED"}


class STEERING_OT_crowd_add(bpy.types.Operator):
    """Add a crowd: an Empty that holds the settings its vehicles share"""

    bl_idname = "steering.crowd_add"
    bl_label = "Add Crowd"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        return in_object_mode(cls, context)

    def execute(self, context):
        crowd = new_crowd(context)
        for ob in context.selected_objects:
            ob.select_set(False)
        crowd.select_set(True)
        context.view_layer.objects.active = crowd
        return {"FINISHED"}


class STEERING_OT_set_start(bpy.types.Operator):
    """Let the selected vehicles start from where they are now"""

    bl_idname = "steering.set_start"
    bl_label = "Set Start"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        if any(has_role(ob, Role.VEHICLE) for ob in context.selected_objects):
            return True
        cls.poll_message_set("Select the vehicles whose start shall be where they are now")
        return False

    @reported
    def execute(self, context):
        vehicles = tagged(context.selected_objects, Role.VEHICLE)
        check_editable(vehicles)
        for ob in vehicles:
            store(ob, *channels(ob))
        return {"FINISHED"}


def _fitting(objects: list[Object], role: Role) -> tuple[list[Object], str]:
    """The objects that can have the role, and the names of the others.

    Raises:
        Refusal: none can, or one cannot be changed.
    """
    fits = [ob for ob in objects if suits(ob, role)]
    fitting = set(fits)
    names = ", ".join(ob.name for ob in objects if ob not in fitting)
    if not fits:
        what = DESCRIPTIONS[role][0].lower()
        raise Refusal(f"{names} cannot be {_article(what)}: {REMEDIES[role]}.")
    check_editable(fits)
    if role is Role.VEHICLE:
        # A crowd selected along with its future members says where they belong.
        return _uppermost(fits), ""
    return fits, names


def _uppermost(objects: list[Object]) -> list[Object]:
    """Those that hang on none of the others, which would carry them along: the bird of a bird and its wings."""
    there = set(objects)

    def carried(ob: Object) -> bool:
        above = ob.parent
        while above is not None and above not in there:
            above = above.parent
        return above is not None

    return [ob for ob in objects if not carried(ob)]


def _told(joined: Joined, scene: Scene) -> str:
    """One line of what became of the objects."""
    number, crowd, preset = len(joined.members), joined.crowd.name, joined.preset
    who = "1 vehicle" if number == 1 else f"{number} vehicles"
    if preset is None:
        return f"{who} joined {crowd}"
    text = f"{who} in {crowd}, which lives like {preset.label}"
    if number > 1 and preset.preroll and scene.steering.preroll:
        text += f"; pre-roll {scene.steering.preroll} frames"
    return "; ".join([text, *missing(preset, joined.crowd, scene)])


def _selected(context: Context) -> list[Object]:
    return sorted(context.selected_objects, key=lambda ob: ob.name)


def _article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


CLASSES = (STEERING_OT_tag, STEERING_MT_moves_like, STEERING_OT_untag, STEERING_OT_crowd_add, STEERING_OT_set_start)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
