"""The panels of the active object: its roles, and the settings that a vehicle does not share with its crowd."""

from collections.abc import Iterable

from bpy.types import Context, Object, UILayout

from ...simulation.links import LinkModel
from ...simulation.roles import DESCRIPTIONS, MADE, OF_BODIES, Role
from ..crowds.states import states_of_crowd
from ..moving import BY_CHOICE
from ..objects.crowd_caches import crowd_of_player, is_picked
from ..objects.focus import suits, vehicle_in_focus, whole_of
from ..objects.tagged_objects import crowd_of
from ..operators.pick_agents import picking
from ..properties import has_role, settings_of
from ..property_groups import meaningful
from ..status import census
from .fields import ROOT, counted, draw_properties, fields, in_both, note

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
    Role.LINK: "LINKED",
    Role.POINTS: "POINTCLOUD_DATA",
    Role.SIGNAL: "KEYTYPE_JITTER_VEC",
}
SETTINGS: dict[Role, tuple[str, ...]] = {
    Role.POINTS: ("crowd", "locked", "models", "forward_axis", "up_axis", "start_speed", "seed"),
    Role.OBSTACLE: ("obstacle_shape", "obstacle_side", "pass_side"),
    Role.REGION: ("region_shape",),
    Role.FLOW: ("flow_attribute",),
    Role.RESOURCE: ("amount", "hide_eaten"),
    Role.SIGNAL: ("green", "signal_path"),
}
"""The properties that come with each role."""
OBJECT_TYPES = {Role.FLOW: ("MESH",)}
"""The object types that the properties of a role apply to, if not to all."""
INDIVIDUAL = ("crowd", "locked", "forward_axis", "up_axis", "origin_height", "start_speed")
FACTORS = ("speed_factor", "size_factor", "length_factor", "mass_factor")


class Roles:
    """The roles of the active object, or of the whole that it is a part of, as buttons that tag and untag it."""

    bl_label = "Role"

    def draw(self, context) -> None:
        layout, selected = self.layout, context.selected_objects
        # After Library Override > Make, no object is active and all parts are selected.
        clicked = context.object or next(iter(selected), None)
        if clicked is None:
            layout.menu("STEERING_MT_add", text="Add a Ready Crowd", icon="ADD")
            return
        ob = whole_of(clicked)
        others = len(selected) - 1 if clicked in selected else 0
        made = next((role for role in MADE if has_role(ob, role)), None)
        text = f"Part of {ob.name}" if ob != clicked else ob.name
        row = layout.row()
        row.label(
            text=f"{text} and {others} more" if others else text, icon=ICONS.get(made, "OBJECT_DATA"), translate=False
        )
        if ob != clicked:
            row.operator("steering.whole_select", text="", icon="RESTRICT_SELECT_OFF")
        if made is not None:
            name = row.row()
            name.alignment = "RIGHT"
            name.label(text=DESCRIPTIONS[made][0])
        elif (played := crowd_of_player(clicked)) is not None:
            note(layout, context, f"Plays the bake of {played.name}")
            _agent_buttons(layout)
        elif clicked in selected:
            if ob != clicked and has_role(ob, Role.VEHICLE):
                _role_buttons(layout, ob, OF_BODIES)
                layout.menu("STEERING_MT_role_of_part", icon="OBJECT_DATA")
            else:
                # A part of a leader may be a vehicle, which the leader carries.
                ob = clicked
                _role_buttons(layout, ob, DESCRIPTIONS)
            if has_role(ob, Role.VEHICLE):
                layout.operator("steering.flip_front", icon="ARROW_LEFTRIGHT")
            if is_picked(ob):
                _agent_buttons(layout)
            if _may_call(ob, context):
                layout.operator_menu_enum("steering.trigger_add", "when", text="Add Trigger", icon=ICONS[Role.TRIGGER])
        else:
            note(layout, context, "Select the object to change its roles")
        if settings_of(ob) and ob.steering.roles:
            column = fields(layout)
            for role, names in SETTINGS.items():
                if has_role(ob, role) and ob.type in OBJECT_TYPES.get(role, (ob.type,)):
                    draw_properties(column, ob.steering, names)
            if has_role(ob, Role.LINK) and ob.steering.is_property_set("link"):
                _link_fields(column, ob)
            column.prop(ob.steering, "active")
            if context.mode == "EDIT_MESH" and has_role(ob, Role.FLOW):
                layout.operator("steering.flow_switch_direction", icon="ARROW_LEFTRIGHT")


def _agent_buttons(layout: UILayout) -> None:
    """The buttons that make objects of agents of a crowd cache, and give them back."""
    running, icon = picking(), "RESTRICT_SELECT_OFF"
    row = layout.row(align=True)
    if running is None:
        row.operator("steering.pick_agents", icon=icon)
    elif running.chosen:
        number = counted(len(running.chosen), "Object")
        row.operator("steering.pick_agents", text=f"Make {number}", icon=icon, depress=True)
    else:
        row.operator("steering.pick_agents", text="Click on Agents", icon=icon, depress=True)
    row.operator("steering.give_back", icon="LOOP_BACK")


def _link_fields(column: UILayout, ob: Object) -> None:
    link = ob.steering.link
    if ob.type != "CURVE":
        column.prop(link, "to")
    draw_properties(column, link, (*LinkModel.parameters(), "carrier", "clip"))
    if link.is_property_set("clip") and link.clip is not None:
        column.prop(link, "cycle")


def _may_call(ob: Object, context: Context) -> bool:
    """Whether there are states into which an object may call vehicles. With states of its own crowd, they offer it."""
    counts = census.known(context.scene)
    if counts is None or not counts.offered.roles.get(Role.STATE):
        return False
    crowd = crowd_of(ob) if has_role(ob, Role.VEHICLE) else None
    return crowd is None or not states_of_crowd(crowd, context)


def _role_buttons(layout: UILayout, ob: Object, offered: Iterable[Role]) -> None:
    """A button for each role that the object has, or can have of those offered; Vehicle, the first step, is larger."""
    roles = [r for r in DESCRIPTIONS if r not in MADE and (has_role(ob, r) or (r in offered and suits(ob, r)))]
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


class VehicleSettings:
    """The settings that a vehicle does not share with its crowd."""

    bl_label = "This One Only"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return vehicle_in_focus(context) is not None

    def draw(self, context) -> None:
        vehicle = vehicle_in_focus(context)
        if vehicle != context.object:
            self.layout.label(text=vehicle.name, icon=ICONS[Role.VEHICLE], translate=False)
        settings = vehicle.steering
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
