"""The panel by which an animator directs single vehicles: what leads them by hand."""

from bpy.types import Context, Object, PropertyGroup, UILayout

from ...simulation.marks.declaring import MarkModel
from ...simulation.roles import Role
from ..crowds.directing import marks_for
from ..objects.focus import crowd_in_focus, vehicle_in_focus
from ..properties import has_role, pointed_at
from ..read.marks import frame_of
from .active_object import ICONS
from .fields import OfActive, OfCrowd, draw_properties, fields, in_both, note

IN_FLIGHT = "radius", "release", "aims", "exact"
"""The settings of a mark that have no effect on what lands."""


class Directing(OfCrowd):
    """The guide of the active vehicle, and the marks that it and its crowd meet."""

    bl_label = "Directing"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context) -> None:
        layout, crowd = self.layout, crowd_in_focus(context)
        vehicle = vehicle_in_focus(context)
        if vehicle is not None and vehicle != context.object:
            layout.label(text=vehicle.name, icon=ICONS[Role.VEHICLE], translate=False)
        if vehicle is not None:
            _by_hand(layout, context, vehicle.steering)
        for mark in marks_for(vehicle, crowd, context):
            entry = layout.column(align=True)
            entry.active = mark.steering.active
            entry.prop(mark, "name", text="", icon=ICONS[Role.MARK], emboss=mark == context.object)
            note(entry, context, when(mark, context), icon="BLANK1")
        line = layout.column(align=True)
        if vehicle is not None:
            line.operator("steering.mark_add", text="Mark for This One", icon="ADD").of_crowd = False
        line.operator("steering.mark_add", text="Mark for the Crowd", icon="ADD").of_crowd = True
        landing = line.operator("steering.mark_add", text="Land Here", icon="IMPORT")
        landing.of_crowd, landing.lands = vehicle is None, True


def _by_hand(layout: UILayout, context: Context, settings: PropertyGroup) -> None:
    """The guide that leads a vehicle by hand."""
    column = fields(layout)
    draw_properties(column, settings, ("by_hand", "guide"))
    guide = pointed_at(settings, "guide")
    if guide is not None and guide.type == "ARMATURE":
        column.prop_search(settings, "guide_bone", guide.data, "bones", text="Bone")
    layout.operator("steering.animate_by_hand", icon="VIEW_PAN")
    if guide is None and settings.by_hand > 0.0:
        note(layout, context, "It has no guide: choose one", icon="ERROR")


def when(mark: Object, context: Context) -> str:
    """The performer of a mark and its frame, in words."""
    stored = mark.steering.mark
    performer, shape = pointed_at(stored, "who"), pointed_at(stored, "shape")
    name = performer.name if performer is not None else "no vehicle"
    at = f"{'lands ' if stored.lands else ''}at frame {frame_of(mark, context.scene)}"
    if performer is None or has_role(performer, Role.VEHICLE):
        return f"{name} {at}"
    return f"each of {name} {at}" if shape is not None or stored.lands else f"middle of {name} {at}"


class ActiveMark(OfActive):
    """The settings of the active mark: its performer, its time and how it is met."""

    bl_label = "Mark"
    role = Role.MARK

    def draw(self, context) -> None:
        layout, stored = self.layout, context.object.steering
        if not stored.is_property_set("mark"):
            return
        mark = stored.mark
        note(layout, context, when(context.object, context))
        column = fields(layout)
        column.prop(mark, "who")
        performer, shape = pointed_at(mark, "who"), pointed_at(mark, "shape")
        of_crowd = performer is not None and not has_role(performer, Role.VEHICLE)
        if of_crowd or mark.lands:
            column.prop(mark, "shape")
        column.prop_search(mark, "marker", context.scene, "timeline_markers", text="Marker")
        if not mark.marker:
            column.prop(mark, "frame")
        apart = {"frame", "speed", "spread", *(IN_FLIGHT if mark.lands else ("stays",))}
        draw_properties(column, mark, [name for name in MarkModel.parameters() if name not in apart])
        if mark.aims and not mark.lands:
            column.prop(mark, "speed")
        if of_crowd and shape is not None and not mark.lands:
            column.prop(mark, "spread")
        if performer is None:
            note(layout, context, "It is for no vehicle: choose one, or a crowd", icon="ERROR")


OF_MARKS = in_both(ActiveMark, "mark")
CLASSES = in_both(Directing, "direct")
