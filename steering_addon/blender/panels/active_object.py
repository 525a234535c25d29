"""The panels of the active object: its roles, and the settings that a vehicle does not share with its crowd."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...simulation.roles import DESCRIPTIONS, MADE, Role
from ..crowds.states import states_of_crowd
from ..moving import BY_CHOICE
from ..objects.suitability import suits
from ..objects.tagged_objects import crowd_of
from ..properties import has_role, settings_of
from ..property_groups import meaningful
from ..status import census
from .fields import draw_properties, fields, note
from .locations import ROOT, OfActive, in_both

if TYPE_CHECKING:
    from bpy.types import Context, Object, UILayout

ICONS = {
    Role.VEHICLE: "AUTO",
    Role.OBSTACLE: "MESH_UVSPHERE",
    Role.PATH: "CURVE_PATH",
    Role.LEADER: "OUTLINER_OB_EMPTY",
    Role.CROWD: "COMMUNITY",
    Role.REGION: "MESH_CUBE",
    Role.FLOW: "FORCE_WIND",
    Role.RESOURCE: "OUTLINER_OB_POINTCLOUD",
    Role.SURFACE: "MESH_GRID",
    Role.STATE: "EVENT_S",
    Role.TRIGGER: "ORPHAN_DATA",
    Role.MARK: "PMARKER_ACT",
}
SETTINGS: dict[Role, tuple[str, ...]] = {
    Role.OBSTACLE: ("obstacle_shape", "obstacle_side", "pass_side"),
    Role.REGION: ("region_shape",),
    Role.FLOW: ("flow_attribute",),
    Role.RESOURCE: ("amount", "hide_eaten"),
}
"""The properties that come with each role."""
OBJECT_TYPES = {Role.FLOW: ("MESH",)}
"""The object types that the properties of a role apply to, if not to all."""
INDIVIDUAL = ("crowd", "locked", "forward_axis", "up_axis", "origin_height", "start_speed")
FACTORS = ("speed_factor", "size_factor", "length_factor", "mass_factor")


class Roles:
    """The roles of the active object, as buttons that tag and untag it."""

    bl_label = "Object"

    def draw(self, context) -> None:
        layout, selected = self.layout, context.selected_objects
        # After Library Override > Make, no object is active and all parts are selected.
        ob = context.object or next(iter(selected), None)
        if ob is None:
            note(layout, context, "Select the objects to move and make them vehicles, or start with a ready crowd")
            layout.menu("STEERING_MT_add", text="Add a Ready Crowd", icon="ADD")
            return
        others = len(selected) - 1 if ob in selected else 0
        layout.label(text=f"{ob.name} and {others} more" if others else ob.name, icon="OBJECT_DATA", translate=False)
        if has_role(ob, Role.CROWD):
            note(layout, context, "A crowd. Its vehicles share the settings below")
        elif has_role(ob, Role.STATE):
            note(
                layout,
                context,
                "A state. Vehicles in it follow its own settings, and the others of their crowd",
            )
        elif has_role(ob, Role.TRIGGER):
            note(layout, context, "A trigger. It calls vehicles into a state of their crowd")
        elif has_role(ob, Role.MARK):
            note(layout, context, "A mark. Vehicles are here at its time")
        elif ob in selected:
            _role_buttons(layout, ob)
            if has_role(ob, Role.VEHICLE):
                layout.operator("steering.flip_front", icon="ARROW_LEFTRIGHT")
            if _may_call(ob, context):
                layout.operator_menu_enum("steering.trigger_add", "when", text="Add Trigger", icon=ICONS[Role.TRIGGER])
        else:
            note(layout, context, "Select the object to change its roles")
        if settings_of(ob) and ob.steering.roles:
            column = fields(layout)
            for role, names in SETTINGS.items():
                if has_role(ob, role) and ob.type in OBJECT_TYPES.get(role, (ob.type,)):
                    draw_properties(column, ob.steering, names)
            column.prop(ob.steering, "active")
            if context.mode == "EDIT_MESH" and has_role(ob, Role.FLOW):
                layout.operator("steering.flow_switch_direction", icon="ARROW_LEFTRIGHT")


def _may_call(ob: Object, context: Context) -> bool:
    """Whether there are states into which an object may call vehicles. With states of its own crowd, they offer it."""
    counts = census.known(context.scene)
    if counts is None or not counts.roles.get(Role.STATE):
        return False
    crowd = crowd_of(ob) if has_role(ob, Role.VEHICLE) else None
    return crowd is None or not states_of_crowd(crowd, context)


def _role_buttons(layout: UILayout, ob: Object) -> None:
    """A button for each role that the object has or can have; Vehicle, the usual first step, is larger."""
    roles = [role for role in DESCRIPTIONS if role not in MADE and (has_role(ob, role) or suits(ob, role))]
    column = layout.column(align=True)
    grid = None
    for role in roles:
        if role is Role.VEHICLE:
            parent = column.row(align=True)
            parent.scale_y = 1.4
        else:
            grid = grid or column.grid_flow(columns=2, even_columns=True, align=True, row_major=True)
            parent = grid
        tagged = has_role(ob, role)
        operator = "steering.untag" if tagged else "steering.tag"
        icon = ICONS.get(role, "OBJECT_DATA")
        parent.operator(operator, text=DESCRIPTIONS[role][0], icon=icon, depress=tagged).role = role.name


class VehicleSettings(OfActive):
    """The settings that a vehicle does not share with its crowd."""

    bl_label = "This One Only"
    bl_options = {"DEFAULT_CLOSED"}
    role = Role.VEHICLE

    def draw(self, context) -> None:
        settings = context.object.steering
        column = fields(self.layout)
        draw_properties(column, settings, INDIVIDUAL)
        draw_properties(column.column(align=True), settings, FACTORS)
        draw_properties(column, settings, ("seed", "use_enter_frame"))
        if settings.use_enter_frame:
            column.prop(settings, "enter_frame")
        column.prop(settings, "own_locomotion")
        moves = BY_CHOICE.get(settings.own_locomotion)
        if moves is not None:
            group = getattr(settings, moves.name)
            draw_properties(column.column(), group, meaningful(moves, group))
        self.layout.operator("steering.set_start", icon="PINNED")


CLASSES = (*in_both(Roles, ROOT), *in_both(VehicleSettings, "vehicle_own", ROOT))
