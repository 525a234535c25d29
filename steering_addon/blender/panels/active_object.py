"""What the active object is to the simulation, and what it has for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...simulation.roles import DESCRIPTIONS, Role
from ..properties import has_role, settings_of
from ..suitability import suits
from .fields import fields, note
from .locations import ROOT, in_both

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
}
SETTINGS: dict[Role, tuple[str, ...]] = {
    Role.OBSTACLE: ("obstacle_shape", "obstacle_side", "pass_side"),
    Role.REGION: ("region_shape",),
    Role.FLOW: ("flow_attribute",),
    Role.RESOURCE: ("amount", "hide_eaten"),
}
"""What can be set of an object because it has a role."""
ONLY = {Role.FLOW: ("MESH",)}
"""The types of objects that this means something to, where not to all."""
OWN = ("crowd", "locked", "forward_axis", "up_axis", "start_speed")
FACTORS = ("speed_factor", "size_factor", "mass_factor")


class Thing:
    """What the active object is."""

    bl_label = "Object"

    def draw(self, context) -> None:
        layout, ob = self.layout, context.object
        if ob is None:
            note(layout, context, "Select what shall move and make it a vehicle, or begin with a ready crowd")
            layout.menu("STEERING_MT_add", text="Add a Ready Crowd", icon="ADD")
            return
        selected = context.selected_objects
        more = len(selected) - 1 if ob in selected else 0
        layout.label(text=f"{ob.name} and {more} more" if more else ob.name, icon="OBJECT_DATA", translate=False)
        if has_role(ob, Role.CROWD):
            note(layout, context, "A crowd: its vehicles share what is set below")
        elif ob in selected:
            _roles(layout, ob)
        else:
            note(layout, context, "Select it to change what it is")
        if settings_of(ob) and ob.steering.roles:
            column = fields(layout)
            for role, names in SETTINGS.items():
                for name in names if has_role(ob, role) and ob.type in ONLY.get(role, (ob.type,)) else ():
                    column.prop(ob.steering, name)
            column.prop(ob.steering, "active")
            if context.mode == "EDIT_MESH" and has_role(ob, Role.FLOW):
                layout.operator("steering.flow_switch_direction", icon="ARROW_LEFTRIGHT")


def _roles(layout: UILayout, ob: Object) -> None:
    """A button for each role that an object has or can have; that of vehicles, from which all begins, is larger."""
    offered = [role for role in DESCRIPTIONS if role is not Role.CROWD and (has_role(ob, role) or suits(ob, role))]
    column = layout.column(align=True)
    grid = None
    for role in offered:
        if role is Role.VEHICLE:
            place = column.row(align=True)
            place.scale_y = 1.4
        else:
            grid = grid or column.grid_flow(columns=2, even_columns=True, align=True, row_major=True)
            place = grid
        tagged = has_role(ob, role)
        operator = "steering.untag" if tagged else "steering.tag"
        icon = ICONS.get(role, "OBJECT_DATA")
        place.operator(operator, text=DESCRIPTIONS[role][0], icon=icon, depress=tagged).role = role.name


class ThisOneOnly:
    """What a vehicle has for itself, beside what it shares with its crowd."""

    bl_label = "This One Only"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return context.object is not None and has_role(context.object, Role.VEHICLE)

    def draw(self, context) -> None:
        own = context.object.steering
        column = fields(self.layout)
        for name in OWN:
            column.prop(own, name)
        factors = column.column(align=True)
        for name in FACTORS:
            factors.prop(own, name)
        column.prop(own, "seed")
        column.prop(own, "use_enter_frame")
        if own.use_enter_frame:
            column.prop(own, "enter_frame")
        self.layout.operator("steering.set_start", icon="PINNED")


CLASSES = (*in_both(Thing, ROOT), *in_both(ThisOneOnly, "vehicle_own", ROOT))
