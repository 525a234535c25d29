"""The panels of the crowd in focus: the settings that its vehicles share, and what is said where it is missing."""

from bpy.types import Context, Object, PropertyGroup, UILayout

from ...behaviors import CATALOGUE
from ...portrayal.driver_properties import Portrayal
from ...simulation.behavior import Destination
from ...simulation.roles import Role
from ...simulation.vehicle import VehicleModel
from ..crowds.crowd_cache import is_kept_here
from ..moving import BY_CHOICE
from ..objects.crowd_caches import cache_of
from ..objects.focus import crowd_in_focus, vehicle_in_focus
from ..objects.tagged_objects import full_name, object_named
from ..properties import has_role, pointed_at
from ..property_groups import meaningful
from ..read.cast import reason
from ..read.dependencies import animates
from ..read.ground import shown
from ..status.census import Census, Members, known
from ..units import length_text
from . import clips
from .active_object import ICONS
from .clips import looking
from .fields import OfCrowd, counted, draw_properties, fields, in_both, note

AGILITY = ("max_force", "response_time", "damping", "speed_time", "pace_time")
ADVANCED = ("radius", "length", "mass", *AGILITY, "pace_drift")
"""The settings of a vehicle that its model or a preset sets; few animators need to."""


class CrowdInFocus:
    """Name and size of the crowd, and the operators that act on all of its vehicles."""

    bl_label = "Crowd"

    def draw(self, context) -> None:
        layout = self.layout
        crowd = crowd_in_focus(context)
        census = known(context.scene)
        if crowd is None and (vehicle := vehicle_in_focus(context)) is not None:
            lost_crowd_of(layout, context, vehicle, census)
            layout.menu("STEERING_MT_crowds", icon="COMMUNITY")
            return
        if crowd is None:
            layout.operator("steering.crowd_add", icon="ADD")
            layout.operator("steering.populate", icon="COMMUNITY")
            return
        row = layout.row(align=True)
        row.prop(crowd, "name", text="", icon=ICONS[Role.CROWD])
        row.operator("steering.crowd_select", text="", icon="RESTRICT_SELECT_OFF")
        row.operator("steering.crowd_add", text="", icon="ADD")
        if census is not None and census.is_lost(crowd):
            lost_crowd_of(layout, context, vehicle_in_focus(context) or context.object, census)
        elif census is not None:
            layout.label(text=_member_counts(census.members(crowd)))
        column = layout.column(align=True)
        row = column.row(align=True)
        row.menu("STEERING_MT_presets", icon="PRESET")
        row.operator("steering.preset_save", text="", icon="ADD")
        row.operator("steering.preset_remove", text="", icon="REMOVE")
        column.operator("steering.vary", icon="MOD_NOISE")
        if census is not None and census.members(crowd).points:
            note(layout, context, "Points are baked into a crowd cache")
        else:
            fields(layout).prop(crowd.steering, "output")
        if is_kept_here(cache_of(crowd)):
            layout.operator("steering.save_crowd_library", icon="LIBRARY_DATA_DIRECT")
        if vehicle_in_focus(context) is not None:
            column.menu("STEERING_MT_crowds", icon="COMMUNITY")


def _member_counts(members: Members) -> str:
    """The number of vehicles, and how many of them are locked, inactive or absent."""
    text = counted(members.vehicles, "vehicle")
    if members.free < members.vehicles:
        text += f", {members.vehicles - members.free} locked"
    if members.active < members.free:
        text += f", {members.free - members.active} inactive on this frame"
    if members.attending.present < members.active:
        text += f", {members.active - members.attending.present} away"
    return text


class Movement(OfCrowd):
    """How fast the vehicles are, how their bodies turn steering into motion, and the settings of that."""

    bl_label = "Movement"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context) -> None:
        settings = crowd_in_focus(context).steering
        column = fields(self.layout)
        column.prop(settings, "locomotion", text="Moves As")
        column.prop(settings.vehicle, "max_speed")
        cruise_field(column, settings.vehicle)
        moves = BY_CHOICE.get(settings.locomotion)
        # A choice that only another version knows reads as an empty name.
        if moves is not None:
            group = getattr(settings, moves.name)
            draw_properties(column.column(), group, meaningful(moves, group))
        others = {"max_speed", "cruise_speed", *ADVANCED}
        draw_properties(column, settings.vehicle, [name for name in VehicleModel.parameters() if name not in others])


def cruise_field(layout: UILayout, vehicle: PropertyGroup) -> None:
    """The cruise speed beside the top speed, as a speed; as a share of that where it is keyed or overridden."""
    owner = vehicle.id_data
    is_share = owner.override_library is not None or animates(owner, "steering.vehicle.cruise_speed")
    layout.prop(vehicle, "cruise_speed" if is_share else "cruise")


class Advanced(OfCrowd):
    """The size, the strength and the reaction times of the vehicle model."""

    bl_label = "Advanced"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context) -> None:
        crowd = crowd_in_focus(context)
        model = crowd.steering.vehicle
        note(self.layout, context, _performance(model))
        column = fields(self.layout)
        draw_properties(column, model, ADVANCED)
        column.prop(model, "cruise_speed", text="Cruise Share")
        if not Limbs.poll(context):
            column.prop(crowd.steering.portrayal, "use", text="Drive Parts")


def _performance(model: PropertyGroup) -> str:
    """The turning radius v²m/F and the time to top speed vm/F at full force, in a sentence."""
    if model.max_force <= 0.0 or model.max_speed <= 0.0 or model.mass <= 0.0:
        return "Cannot turn" if model.max_speed else "Cannot move"
    agility = model.max_force / model.mass
    length = length_text(model.max_speed * model.max_speed / agility, 2)
    return f"Turns within {length}, top speed in {model.max_speed / agility:.1f} s"


class Limbs:
    """The custom properties that drive wings, wheels and legs; shown where drivers read them, or may soon."""

    bl_label = "Wings, Wheels and Legs"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        crowd, census = crowd_in_focus(context), known(context.scene)
        if crowd is None:
            return False
        portrayal, kind = crowd.steering.portrayal, BY_CHOICE.get(crowd.steering.locomotion)
        is_used = portrayal.use or any(clip.plays == "BEAT" for clip in portrayal.clips)
        return (
            is_used or (kind is not None and kind.runs_on_wheels) or census is None or full_name(crowd) in census.driven
        )

    def draw(self, context) -> None:
        crowd = crowd_in_focus(context)
        portrayal, kind = crowd.steering.portrayal, BY_CHOICE.get(crowd.steering.locomotion)
        column = fields(self.layout)
        column.prop(portrayal, "use", text="Animate")
        column = column.column()
        column.active = portrayal.use or any(clip.plays == "BEAT" for clip in portrayal.clips)
        for name in meaningful(Portrayal, portrayal):
            if name != "use":
                column.prop(portrayal, name)
            if name == "look" and portrayal.look:
                for setting in looking(portrayal):
                    column.prop(*setting)
        if kind is not None and kind.runs_on_wheels:
            self.layout.operator("steering.drive_wheels", icon="DRIVER")


class CrowdAttendance(OfCrowd):
    """When the vehicles enter, and what they do when they arrive."""

    bl_label = "Entering and Leaving"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context) -> None:
        crowd = crowd_in_focus(context)
        settings = crowd.steering.attendance
        column = fields(self.layout)
        column.prop(crowd.steering, "preroll")
        column.prop(settings, "use_enter_frame")
        entering = column.column(align=True)
        entering.active = settings.use_enter_frame
        draw_properties(entering, settings, ("enter_frame", "enter_span"))
        draw_properties(column, settings, ("wait_for_room", "on_arrival"))
        _stays(column, crowd)
        arriving = column.column()
        arriving.active = settings.on_arrival != "STAY"
        arriving.prop(settings, "arrival_distance")
        column.prop(settings, "hide")


def _stays(layout: UILayout, crowd: Object) -> None:
    """How long the crowd stays at each of the places where it stops."""
    stops = [b for b in CATALOGUE if issubclass(b, Destination) and crowd.steering.is_property_set(b.name)]
    if stops:
        layout.label(text="Stay For")
    for behavior in stops:
        group = getattr(crowd.steering, behavior.name)
        column = fields(layout)
        column.active = group.use
        column.prop(group, "stay_time", text=behavior.label)


class Populate(OfCrowd):
    """The models of the members, their number and their arrangement."""

    bl_label = "Populate"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context) -> None:
        layout, crowd = self.layout, crowd_in_focus(context)
        stored = crowd.steering
        if not stored.is_property_set("populate"):
            layout.operator("steering.populate", icon="COMMUNITY")
            return
        group = stored.populate
        for row, source in enumerate(group.sources):
            line = layout.row(align=True)
            line.prop(source, "kind", text="", icon_only=True)
            line.prop(source, source.kind.lower() or "object", text="")
            line.prop(source, "weight", text="")
            line.operator("steering.populate_remove", text="", icon="X").row = row
        layout.operator("steering.populate_add", icon="ADD")
        draw_properties(fields(layout), group, shown(group.arrangement))
        census = known(context.scene)
        vehicles = census.members(crowd).vehicles if census is not None else group.count
        if 0 < vehicles < group.count:
            note(layout, context, f"{vehicles} of {group.count} members have been placed")
        row = layout.row()
        row.scale_y = 1.5
        row.operator("steering.populate", icon="COMMUNITY")


CLASSES = (
    *in_both(CrowdInFocus, "crowd"),
    *in_both(Populate, "populate", "crowd"),
    *in_both(Movement, "model", "crowd"),
    *in_both(Advanced, "advanced", "model"),
    *clips.CLASSES,
    *in_both(Limbs, "portrayal", "crowd"),
    *in_both(CrowdAttendance, "attendance", "crowd"),
)


def lost_crowds(layout: UILayout, context: Context, census: Census) -> None:
    """A warning and a button for each crowd that is missing from the scene, but for that of the active vehicle. The
    Crowd panel shows the one of the active vehicle."""
    active = context.object
    shown = _lost_name(active) if active is not None and has_role(active, Role.VEHICLE) else None
    for name, members in sorted(census.lost.items()):
        if name != shown:
            _lost_crowd(layout, context, object_named(name) if name else None, members, alone=len(census.lost) == 1)


def lost_crowd_of(layout: UILayout, context: Context, vehicle: Object, census: Census | None) -> None:
    """A warning and a button if the crowd of a vehicle is missing from the scene."""
    name = _lost_name(vehicle)
    if census is not None and name in census.lost:
        crowd = pointed_at(vehicle.steering, "crowd")
        _lost_crowd(layout, context, crowd, census.lost[name], alone=len(census.lost) == 1)


def _lost_name(vehicle: Object) -> str:
    crowd = pointed_at(vehicle.steering, "crowd")
    return full_name(crowd) if crowd is not None else ""


def _lost_crowd(layout: UILayout, context: Context, crowd: Object | None, vehicles: Members, *, alone: bool) -> None:
    """A warning and a button for a crowd that is missing from the scene; None if it is not in the file either. `alone`:
    whether no other crowd is missing."""
    if crowd is None:
        belongs = "belongs" if vehicles.vehicles == 1 else "belong"
        note(layout, context, f"{vehicles.names} {belongs} to no crowd and cannot move", icon="ERROR")
        label = "New Crowd" if alone else "Restore All Crowds"
    else:
        note(layout, context, f"{reason(crowd)}: {vehicles.names} cannot move", icon="ERROR")
        scenes = crowd.users_scene
        elsewhere = has_role(crowd, Role.CROWD) and scenes and context.scene not in scenes
        label = "Link Crowd to This Scene" if elsewhere else "Restore Crowd"
    button = layout.operator("steering.crowd_restore", text=label, icon="LOOP_BACK")
    button.crowd = full_name(crowd) if crowd is not None else ""
