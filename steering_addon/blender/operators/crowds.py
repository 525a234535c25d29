"""Operators that move vehicles to another crowd, restore a lost crowd, and select the vehicles of a crowd."""

from pathlib import Path

import bpy
from bpy.props import BoolProperty, StringProperty
from bpy.types import Context, Object, Scene

from ...simulation.roles import Role
from ..crowds.crowd_cache import is_kept_here, save_as_library
from ..crowds.joining import SMALLEST, fit_body, fit_size, fit_stride
from ..crowds.populating.members import collection_beside
from ..crowds.states import copy_crowd, copy_states
from ..objects.crowd_caches import cache_of
from ..objects.focus import check_editable, crowd_in_focus, select_only, selectable, vehicle_in_focus, vehicles_selected
from ..objects.hierarchy import Family
from ..objects.tagged_objects import (
    called,
    capsule_of,
    crowd_of,
    full_name,
    height_of,
    in_use,
    list_names,
    members_in,
    tagged,
)
from ..panels.fields import counted
from ..properties import has_role
from ..property_groups import is_listed
from ..read.cast import LostCrowd, lost_crowds
from ..read.dependencies import animated_paths
from ..read.role_assignment import give_role, new_crowd
from ..read.sources import pointers_of
from ..refusal import Refusal, Unneeded, check_stored
from .polls import SteeringOperator, has_crowd, has_editable_scene, in_object_mode, vehicle_selected


def _crowd_names(_self, context, _text) -> list[str]:
    return [full_name(ob) for ob in tagged(in_use(context.scene), Role.CROWD)]


class STEERING_OT_crowd_assign(SteeringOperator, bpy.types.Operator):
    """Move the selected vehicles to another crowd, whose settings they then share; they keep their size"""

    bl_label = "Move to Crowd"
    needs = (in_object_mode, vehicle_selected)

    crowd: StringProperty(
        name="Crowd",
        description="Crowd to move the vehicles to; leave empty for a new one with the settings and states of theirs",
        search=_crowd_names,
        options={"SKIP_SAVE"},
    )

    def invoke(self, context, _event):
        if self.crowd:
            return self.execute(context)
        bpy.ops.wm.call_menu(name=STEERING_MT_crowds.__name__)
        return {"CANCELLED"}

    def carry_out(self, context):
        vehicles = vehicles_selected(context)
        check_editable(vehicles)
        check_stored([*vehicles, *(crowd for ob in vehicles if (crowd := crowd_of(ob)) is not None)])
        crowd = _crowd_named(self.crowd, context.scene) if self.crowd else _new(context, vehicles)
        moving = [ob for ob in vehicles if crowd_of(ob) != crowd]
        if not moving:
            raise Unneeded(f"The selected vehicles already belong to {crowd.name}")
        _move(moving, crowd, context, fit=bool(self.crowd))
        return f"{counted(len(moving), 'vehicle')} moved to {crowd.name}"


def _new(context: Context, vehicles: list[Object]) -> Object:
    """A new crowd with the settings of the active vehicle's crowd, or else of that of most of the vehicles."""
    active = vehicle_in_focus(context)
    models = [crowd for ob in vehicles if (crowd := crowd_of(ob)) is not None]
    model = crowd_of(active) if active in vehicles else max(models, key=models.count, default=None)
    if model is None:
        return new_crowd(context)
    crowd = copy_crowd(context, model)
    copy_states(context, model, crowd)
    return crowd


def _crowd_named(name: str, scene: Scene) -> Object:
    crowd = called(tagged(in_use(scene), Role.CROWD), name)
    if crowd is None:
        text = f"Crowd {name} not found in the scene"
        raise Refusal(f"{text}. Choose another one, or leave the name empty to create one.")
    check_stored([crowd])
    return crowd


def _move(vehicles: list[Object], crowd: Object, context: Context, *, fit: bool) -> None:
    """Move vehicles to a crowd and adapt their factors, which are multiples of the crowd's radius and length; `fit`:
    whether a crowd without vehicles takes its body and the height of its stride from them."""
    unsized = [ob for ob in vehicles if has_role(ob, Role.POINTS) or crowd_of(ob) is None]
    shapes = {ob.name: None if ob in unsized else capsule_of(ob) for ob in vehicles}
    usable = [shape for shape in shapes.values() if shape is not None and shape[0] > SMALLEST]
    is_empty = not any(crowd_of(ob) == crowd for ob in members_in(in_use(context.scene)))
    if fit and is_empty and usable and crowd.library is None:
        fit_body(crowd, usable)
        fit_stride(crowd, [height_of(ob) for ob in vehicles])
    radius = crowd.steering.vehicle.radius
    for ob in vehicles:
        shape = shapes[ob.name]
        ob.steering.crowd = crowd
        if shape is not None and radius > SMALLEST and "steering.size_factor" not in animated_paths(ob):
            fit_size(ob, crowd, shape)


class STEERING_OT_crowd_restore(SteeringOperator, bpy.types.Operator):
    """Bring back a crowd that is not in the scene although its vehicles are: deleted, of another scene, or excluded"""

    bl_label = "Restore Crowd"
    needs = (in_object_mode, has_editable_scene)

    crowd: StringProperty(
        name="Crowd",
        description="Crowd to bring back; leave empty for every crowd missing from the scene",
        options={"SKIP_SAVE"},
    )

    def carry_out(self, context):
        objects = in_use(context.scene)
        lost = lost_crowds(members_in(objects), tagged(objects, Role.CROWD))
        named = called((missing.crowd for missing in lost if missing.crowd is not None), self.crowd)
        chosen = [missing for missing in lost if not self.crowd or (named is not None and missing.crowd == named)]
        if not chosen:
            subject = f"The crowd {self.crowd}" if self.crowd else "No crowd"
            raise Unneeded(f"{subject} is {'not ' * bool(self.crowd)}missing from the scene")
        for missing in chosen:
            self._restore(context, missing)
        # The objects that were linked are listed once the view layer is updated.
        context.view_layer.update()

    def _restore(self, context: Context, lost: LostCrowd) -> None:
        crowd, collection = lost.crowd, collection_beside(context, lost.vehicles[0])
        if crowd is None or crowd.type != "EMPTY":
            vehicles = list(lost.vehicles)
            check_editable(vehicles)
            check_stored(vehicles)
            crowd = new_crowd(context, collection=collection)
            _move(vehicles, crowd, context, fit=True)
            text = f"{lost.names} joined {crowd.name}, a new crowd. Choose a preset: its settings are lost"
            self.report({"WARNING"}, text)
            return
        if not has_role(crowd, Role.CROWD):
            check_editable([crowd])
            give_role(crowd, Role.CROWD, Family())
        present = set(in_use(context.scene))
        needed = [crowd, *(pointer.ob for pointer in pointers_of(crowd))]
        missing = [ob for ob in dict.fromkeys(needed) if ob not in present]
        for ob in missing:
            if not is_listed(ob, collection.objects):
                collection.objects.link(ob)
        linked = list_names([ob.name for ob in missing])
        self.report({"INFO"}, f"Restored {crowd.name}" + (f": linked {linked} to {collection.name}" if linked else ""))


class STEERING_OT_crowd_select(SteeringOperator, bpy.types.Operator):
    """Select the vehicles of the crowd"""

    bl_label = "Select Vehicles"
    needs = (in_object_mode, has_crowd)

    extend: BoolProperty(name="Extend", description="Extend the current selection")

    def carry_out(self, context):
        crowd = crowd_in_focus(context)
        members = selectable(ob for ob in members_in(context.view_layer.objects) if crowd_of(ob) == crowd)
        if not members:
            raise Unneeded(f"{crowd.name} has no selectable vehicles")
        select_only(context, [*(context.selected_objects if self.extend else ()), *members])
        if context.view_layer.objects.active not in members:
            context.view_layer.objects.active = members[0]


class STEERING_MT_crowds(bpy.types.Menu):
    """Move the selected vehicles to another crowd"""

    bl_label = "Move to Crowd"

    def draw(self, context) -> None:
        layout = self.layout
        # With INVOKE_DEFAULT the entry for a new crowd would open this menu again.
        layout.operator_context = "EXEC_DEFAULT"
        for name in _crowd_names(None, context, ""):
            entry = layout.operator("steering.crowd_assign", text=name, icon="COMMUNITY", translate=False)
            entry.crowd = name
        layout.separator()
        layout.operator("steering.crowd_assign", text="New Crowd", icon="ADD").crowd = ""


class STEERING_OT_save_crowd_library(SteeringOperator, bpy.types.Operator):
    """Move the crowd cache into a .blend file of its own beside this one, a new version each time, and link it from
    there"""

    bl_label = "Save as Library"
    needs = (in_object_mode, has_editable_scene)

    @classmethod
    def poll(cls, context):
        if not super().poll(context):
            return False
        crowd = crowd_in_focus(context)
        if crowd is None or not is_kept_here(cache_of(crowd)):
            cls.poll_message_set("The crowd has no crowd cache in this file. Bake it into one first")
            return False
        if not bpy.data.filepath:
            cls.poll_message_set("Save the file first: the library goes beside it")
            return False
        return True

    def carry_out(self, context):
        crowd = crowd_in_focus(context)
        path = save_as_library(cache_of(crowd), Path(bpy.data.filepath).parent)
        return f"Linked the crowd cache of {crowd.name} from {path.name}"
