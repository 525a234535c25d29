"""Tagging: which objects are vehicles, obstacles, paths, leaders and crowds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty

from ...simulation.roles import DESCRIPTIONS, Role
from ..family import Family
from ..identity import new_identity
from ..ownership import is_baked
from ..properties import ROLE_ITEMS, has_role, pointed_at, settings_of
from ..refusal import Refusal
from ..shapes import body_radius, front_of
from ..start import channels, store
from ..tagged import crowd_of, in_use, tagged
from .polls import in_object_mode, something_selected

if TYPE_CHECKING:
    from bpy.types import Collection, Context, Object

SMALLEST = 1e-4
"""A radius in metres below which an object has no size to speak of, such as a lone vertex."""

REMEDIES = {
    Role.PATH: "select a curve, such as Add > Curve > Path",
    Role.FLOW: "select a curve, such as Add > Curve > Path",
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

    @classmethod
    def description(cls, _context, properties) -> str:
        return DESCRIPTIONS[Role[properties.role]][1]

    @classmethod
    def poll(cls, context) -> bool:
        return something_selected(cls, context)

    def execute(self, context):
        role = Role[self.role]
        objects = _selected(context)
        try:
            chosen, left_out = _fitting(objects, role)
            family = Family()
            if role is Role.VEHICLE:
                _tag_vehicles(context, chosen, family)
            for ob in chosen:
                give_role(ob, role, family)
        except Refusal as why:
            self.report({"ERROR"}, str(why))
            return {"CANCELLED"}
        if left_out:
            self.report({"WARNING"}, f"Left out, as no {DESCRIPTIONS[role][0].lower()} can be made of them: {left_out}")
        return {"FINISHED"}


class STEERING_OT_untag(bpy.types.Operator):
    """Take the selected objects out of the steering simulation; keyframes of a bake stay"""

    bl_idname = "steering.untag"
    bl_label = "Untag"
    bl_options = {"REGISTER", "UNDO"}

    role: EnumProperty(name="As", description="What the objects no longer are", items=ROLE_ITEMS, default="VEHICLE")

    @classmethod
    def poll(cls, context) -> bool:
        return something_selected(cls, context)

    def execute(self, context):
        objects = [ob for ob in _selected(context) if has_role(ob, Role[self.role])]
        if not objects:
            what = DESCRIPTIONS[Role[self.role]][0].lower()
            self.report({"ERROR"}, f"None of the selected objects is tagged as {_article(what)}: select some that are.")
            return {"CANCELLED"}
        try:
            check_editable(objects)
        except Refusal as why:
            self.report({"ERROR"}, str(why))
            return {"CANCELLED"}
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

    def execute(self, context):
        vehicles = tagged(context.selected_objects, Role.VEHICLE)
        try:
            check_editable(vehicles)
        except Refusal as why:
            self.report({"ERROR"}, str(why))
            return {"CANCELLED"}
        for ob in vehicles:
            store(ob, *channels(ob))
        return {"FINISHED"}


def new_crowd(context: Context, name: str = "Crowd", collection: Collection | None = None) -> Object:
    """An Empty with the role CROWD at the 3D cursor, which becomes the scene's default if it has none.

    Args:
        collection: where it goes, if not into the active one.
    """
    crowd = bpy.data.objects.new(name, None)
    crowd.empty_display_type = "SPHERE"
    crowd.empty_display_size = 0.5
    crowd.location = context.scene.cursor.location
    collection = collection or context.collection or context.scene.collection
    collection.objects.link(crowd)
    give_role(crowd, Role.CROWD, Family())
    scene = context.scene
    if _default_crowd(context) is None:
        scene.steering.crowd = crowd
    return crowd


def give_role(ob: Object, role: Role, family: Family) -> None:
    """Make an object, which can be that, what a role says; which side of it is the front is guessed the first time."""
    if not settings_of(ob) or not ob.steering.roles:
        ob.steering.forward_axis, ob.steering.up_axis = front_of(ob, family)
    ob.steering.roles |= {role.name}
    if role is Role.CROWD:
        if ob.steering.identity == 0:
            ob.steering.identity = new_identity()
        # Looking at a group writes it into the file: done here, so that drawing the panel does not.
        _ = ob.steering.vehicle.mass, ob.steering.portrayal.use


def _tag_vehicles(context: Context, objects: list[Object], family: Family) -> None:
    """Give the objects a crowd, a size, a start and an identity; those that have them keep them.

    A crowd that is selected along with them is the one they join, even from another.
    """
    there = in_use(context.scene)
    members = set(tagged(there, Role.VEHICLE))
    chosen = _chosen_crowd(context)
    fitting = set(there) if chosen is None else {chosen}
    objects = [ob for ob in objects if not (ob in members and crowd_of(ob) in fitting)]
    if not objects:
        return
    depsgraph = context.evaluated_depsgraph_get()
    sizes = {ob.name: body_radius(ob, depsgraph, family) for ob in objects}
    crowd = chosen or _default_crowd(context)
    taken = {0, *(ob.steering.identity for ob in members - set(objects))}
    if crowd is None:
        crowd = new_crowd(context)
    if not any(crowd_of(ob) == crowd for ob in members):
        largest = max(sizes.values())
        if largest > SMALLEST:
            crowd.steering.vehicle.radius = largest
    for ob in objects:
        if ob.steering.identity in taken:
            ob.steering.identity = new_identity(taken)
        taken.add(ob.steering.identity)
        make_vehicle(ob, crowd, family)
        if sizes[ob.name] > SMALLEST:
            ob.steering.size_factor = sizes[ob.name] / crowd.steering.vehicle.radius


def make_vehicle(ob: Object, crowd: Object, family: Family) -> None:
    """Make an object a vehicle of a crowd, which starts where it is now unless a bake has a start of its own for it."""
    give_role(ob, Role.VEHICLE, family)
    ob.steering.crowd = crowd
    if not (ob.steering.start.stored and is_baked(ob)):
        store(ob, *channels(ob))


def _chosen_crowd(context: Context) -> Object | None:
    """The crowd among the selected objects, the active one first; else that of the active vehicle."""
    active = context.view_layer.objects.active
    selected = [*([active] if active in context.selected_objects[:] else []), *context.selected_objects]
    for ob in selected:
        if has_role(ob, Role.CROWD):
            return ob
    return None


def _default_crowd(context: Context) -> Object | None:
    stored = settings_of(context.scene)
    crowd = pointed_at(stored, "crowd") if stored else None
    there = crowd is not None and has_role(crowd, Role.CROWD) and crowd in in_use(context.scene)
    return crowd if there else None


def suits(ob: Object, role: Role) -> bool:
    """Whether an object can have a role."""
    if role in (Role.PATH, Role.FLOW):
        return ob.type == "CURVE"
    if role is Role.CROWD:
        return ob.type == "EMPTY"
    return role is not Role.VEHICLE or not has_role(ob, Role.CROWD)


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
    # A crowd selected along with its future members says where they belong.
    return fits, "" if role is Role.VEHICLE else names


def check_editable(objects: list[Object]) -> None:
    """Raises Refusal where one of the objects cannot be changed."""
    for ob in objects:
        if ob.library is not None or not ob.is_editable:
            raise Refusal(f"{ob.name} is linked and cannot be changed here: make a library override of it.")


def _selected(context: Context) -> list[Object]:
    return sorted(context.selected_objects, key=lambda ob: ob.name)


def _article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


CLASSES = (STEERING_OT_tag, STEERING_OT_untag, STEERING_OT_crowd_add, STEERING_OT_set_start)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
