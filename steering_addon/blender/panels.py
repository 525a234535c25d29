"""The Steering tab of the 3D viewport's sidebar."""

from __future__ import annotations

import bpy

from ..behaviors.catalogue import CATALOGUE
from ..behaviors.declaration import Behavior
from ..simulation.combining import COMBININGS, MATTERS
from ..simulation.declaration import Declared, Kind
from ..simulation.portrayal import Portrayal
from ..simulation.roles import DESCRIPTIONS, Role
from ..simulation.vehicle import VehicleModel
from . import preview
from .generated import bone_of
from .operators.behaviors import crowd_in_focus
from .properties import has_role, pointed_at, settings_of

ICONS = {
    Role.VEHICLE: "AUTO",
    Role.OBSTACLE: "MESH_UVSPHERE",
    Role.PATH: "CURVE_PATH",
    Role.LEADER: "OUTLINER_OB_EMPTY",
    Role.CROWD: "COMMUNITY",
    Role.REGION: "MESH_CUBE",
    Role.FLOW: "FORCE_WIND",
}
BANKING = ("bank", "max_bank", "bank_time", "bank_smoothing", "max_bank_rate")
COMMON = tuple(Behavior.parameters())
"""What every behavior has; what of it matters is shown last."""


class SteeringPanel:
    """What all panels of the tab share."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Steering"


class STEERING_PT_object(SteeringPanel, bpy.types.Panel):
    bl_label = "Object"

    def draw(self, context) -> None:
        layout = self.layout
        active = context.active_object
        if active is None:
            layout.label(text="Select the objects that shall move,", icon="INFO")
            layout.label(text="then make them vehicles", icon="BLANK1")
        else:
            layout.label(text=active.name, icon="OBJECT_DATA")
        column = layout.column(align=True)
        for role in (Role.VEHICLE, Role.OBSTACLE, Role.PATH, Role.LEADER, Role.REGION, Role.FLOW):
            tagged = active is not None and has_role(active, role)
            row = column.row(align=True)
            operator = "steering.untag" if tagged else "steering.tag"
            row.operator(operator, text=DESCRIPTIONS[role][0], icon=ICONS[role], depress=tagged).role = role.name
        if active is not None and has_role(active, Role.OBSTACLE):
            _fields(layout).prop(active.steering, "pass_side")
        if active is not None and has_role(active, Role.REGION):
            _fields(layout).prop(active.steering, "region_shape")
        if active is not None and settings_of(active) and active.steering.roles:
            _fields(layout).prop(active.steering, "active")


class STEERING_PT_vehicle_own(SteeringPanel, bpy.types.Panel):
    bl_label = "This Vehicle"
    bl_parent_id = "STEERING_PT_object"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context) -> bool:
        return context.active_object is not None and has_role(context.active_object, Role.VEHICLE)

    def draw(self, context) -> None:
        own = context.active_object.steering
        fields = _fields(self.layout)
        fields.prop(own, "crowd")
        fields.prop(own, "locked")
        fields.prop(own, "forward_axis")
        fields.prop(own, "up_axis")
        fields.prop(own, "start_speed")
        variation = fields.column(align=True)
        variation.prop(own, "speed_factor")
        variation.prop(own, "size_factor")
        variation.prop(own, "mass_factor")
        fields.prop(own, "seed")
        self.layout.operator("steering.set_start", icon="PINNED")


class STEERING_PT_crowd(SteeringPanel, bpy.types.Panel):
    bl_label = "Crowd"

    def draw(self, context) -> None:
        layout = self.layout
        crowd = crowd_in_focus(context)
        if crowd is None:
            layout.label(text="Select a vehicle or its crowd", icon="INFO")
            layout.operator("steering.crowd_add", icon="ADD")
            return
        row = layout.row(align=True)
        row.prop(crowd, "name", text="", icon=ICONS[Role.CROWD])
        row.operator("steering.crowd_select", text="", icon="RESTRICT_SELECT_OFF")
        row.operator("steering.crowd_add", text="", icon="ADD")
        column = layout.column(align=True)
        row = column.row(align=True)
        row.menu("STEERING_MT_presets", icon="PRESET")
        row.operator("steering.preset_save", text="", icon="ADD")
        row.operator("steering.preset_remove", text="", icon="REMOVE")
        column.operator("steering.vary", icon="MOD_NOISE")
        column.menu("STEERING_MT_crowds", icon="COMMUNITY")
        fields = _fields(layout)
        fields.prop(crowd.steering, "combining")
        stored = settings_of(context.scene)
        if stored is not None:
            fields.prop(stored, "crowd", text="Default")


class CrowdPanel(SteeringPanel):
    """A panel below the crowd's, there while a crowd is in focus."""

    bl_parent_id = "STEERING_PT_crowd"

    @classmethod
    def poll(cls, context) -> bool:
        return crowd_in_focus(context) is not None


class STEERING_PT_model(CrowdPanel, bpy.types.Panel):
    bl_label = "Vehicle"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context) -> None:
        model = crowd_in_focus(context).steering.vehicle
        fields = _fields(self.layout)
        for name in VehicleModel.parameters():
            if name not in BANKING:
                fields.prop(model, name)


class STEERING_PT_banking(CrowdPanel, bpy.types.Panel):
    bl_label = "Banking"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context) -> None:
        model = crowd_in_focus(context).steering.vehicle
        fields = _fields(self.layout)
        fields.active = not model.keep_in_plane
        for name in BANKING:
            fields.prop(model, name)


class STEERING_PT_portrayal(CrowdPanel, bpy.types.Panel):
    bl_label = "Wings, Wheels and Legs"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context) -> None:
        portrayal = crowd_in_focus(context).steering.portrayal
        fields = _fields(self.layout)
        fields.prop(portrayal, "use", text="Key Custom Properties")
        fields = fields.column()
        fields.active = portrayal.use
        for name in _meaningful(Portrayal, portrayal):
            if name != "use":
                fields.prop(portrayal, name)


class STEERING_PT_behaviors(CrowdPanel, bpy.types.Panel):
    bl_label = "Behaviors"

    def draw(self, context) -> None:
        stored = crowd_in_focus(context).steering
        if not any(stored.is_property_set(behavior.name) for behavior in CATALOGUE):
            self.layout.label(text="None yet: vehicles go straight on", icon="INFO")
        self.layout.operator_menu_enum("steering.behavior_add", "behavior", icon="ADD")


def _behavior_panel(behavior: type[Behavior]) -> type:
    """The panel of one behavior, there while the crowd has it."""

    def poll(cls, context) -> bool:
        crowd = crowd_in_focus(context)
        return crowd is not None and crowd.steering.is_property_set(behavior.name)

    def draw_header(self, context) -> None:
        group = getattr(crowd_in_focus(context).steering, behavior.name)
        self.layout.prop(group, "use", text="")

    def draw_header_preset(self, context) -> None:
        remove = self.layout.operator("steering.behavior_remove", text="", icon="X", emboss=False)
        remove.behavior = behavior.name

    def draw(self, context) -> None:
        crowd = crowd_in_focus(context)
        group = getattr(crowd.steering, behavior.name)
        fields = _fields(self.layout)
        fields.active = group.use
        number = next(c.number for c in COMBININGS if c.name == crowd.steering.combining)
        own = [name for name in _meaningful(behavior, group) if name not in COMMON]
        for name in (*own, *MATTERS[number]):
            fields.prop(group, name)
            if behavior.parameters()[name].kind is Kind.BODY:
                _bone_field(fields, group, name)

    return type(
        f"STEERING_PT_{behavior.name}",
        (SteeringPanel, bpy.types.Panel),
        {
            "bl_label": behavior.label,
            "bl_parent_id": "STEERING_PT_behaviors",
            "bl_options": {"DEFAULT_CLOSED"},
            "poll": classmethod(poll),
            "draw_header": draw_header,
            "draw_header_preset": draw_header_preset,
            "draw": draw,
        },
    )


class STEERING_PT_bake(SteeringPanel, bpy.types.Panel):
    bl_label = "Bake"

    def draw(self, context) -> None:
        layout = self.layout
        scene = context.scene
        on = preview.is_on(scene)
        row = layout.row()
        row.scale_y = 1.5
        row.operator("steering.preview", text="Preview is On" if on else "Preview", icon="PLAY", depress=on)
        if told := preview.report(scene):
            layout.label(text=told, icon="INFO")
        stored = settings_of(scene)
        if stored is not None:
            fields = _fields(layout)
            fields.prop(stored, "use_frame_range")
            if stored.use_frame_range:
                frames = fields.column(align=True)
                frames.prop(stored, "frame_start")
                frames.prop(stored, "frame_end")
            fields.prop(stored, "preroll")
            fields.prop(stored, "substeps")
            fields.prop(stored, "seed")
        column = layout.column(align=True)
        row = column.row(align=True)
        row.scale_y = 1.5
        row.operator("steering.bake", icon="REC").selected = False
        column.operator("steering.bake", text="Bake Selected").selected = True
        layout.operator("steering.clear_bake", icon="TRASH").selected = False


def _meaningful(declaration: type[Declared], group) -> list[str]:
    """The parameters that mean something beside the choices that the group holds now."""
    parameters = declaration.parameters()

    def chosen(name: str, number: int) -> bool:
        return any(c.name == getattr(group, name) and c.number == number for c in parameters[name].choices)

    return [name for name, parameter in parameters.items() if not parameter.only_with or chosen(*parameter.only_with)]


def _bone_field(fields, group, name: str) -> None:
    """Which bone of it, where a body is an armature."""
    body = pointed_at(group, name)
    if body is not None and body.type == "ARMATURE":
        fields.prop_search(group, bone_of(name), body.data, "bones", text="Bone")


def _fields(layout):
    fields = layout.column()
    fields.use_property_split = True
    return fields


CLASSES = (
    STEERING_PT_object,
    STEERING_PT_vehicle_own,
    STEERING_PT_crowd,
    STEERING_PT_model,
    STEERING_PT_banking,
    STEERING_PT_portrayal,
    STEERING_PT_behaviors,
    *(_behavior_panel(behavior) for behavior in CATALOGUE),
    STEERING_PT_bake,
)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
