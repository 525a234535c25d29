"""Makes marks: Empties with a timeline marker, at which vehicles are to be."""

import bpy
from bpy.types import Context, Object

from ...simulation.roles import Role
from ..objects.hierarchy import Family
from ..objects.tagged_objects import crowd_of, in_use, tagged
from ..properties import has_role, pointed_at
from ..read.role_assignment import give_role

ARROWS = 1.0
"""Size of the Empty of a mark as it is drawn, metres."""


def marks_for(vehicle: Object | None, crowd: Object | None, context: Context) -> list[Object]:
    """The marks of a vehicle and of its crowd, by name."""
    return [
        ob
        for ob in tagged(in_use(context.scene), Role.MARK)
        if ob.steering.is_property_set("mark") and pointed_at(ob.steering.mark, "who") in (vehicle or crowd, crowd)
    ]


def new_mark(context: Context, performer: Object, frame: int, shape: Object | None, *, with_marker: bool) -> Object:
    """A new mark for a vehicle or a crowd, at the 3D cursor or where a shape is; `with_marker`: whether to add a
    timeline marker of its name."""
    mark = bpy.data.objects.new("Mark", None)
    mark.empty_display_type, mark.empty_display_size = "ARROWS", ARROWS
    context.collection.objects.link(mark)
    give_role(mark, Role.MARK, Family())
    settings = mark.steering.mark
    settings.who, settings.frame = performer, frame
    if shape is not None:
        settings.shape = shape
        mark.name = f"{shape.name} Mark"
        mark.parent = shape
    else:
        mark.location = context.scene.cursor.location
    vehicle_crowd = performer if has_role(performer, Role.CROWD) else crowd_of(performer)
    if vehicle_crowd is not None:
        settings.speed = vehicle_crowd.steering.vehicle.max_speed * vehicle_crowd.steering.vehicle.cruise_speed
    if with_marker:
        settings.marker = context.scene.timeline_markers.new(_free(mark.name, context), frame=frame).name
    return mark


def _free(name: str, context: Context) -> str:
    """A name that no timeline marker has yet."""
    known = {marker.name for marker in context.scene.timeline_markers}
    number = 1
    while name in known:
        name, number = f"{name.rpartition('.')[0] or name}.{number:03}", number + 1
    return name
