"""The part of panels on vehicles whose crowd is not in their scene: what is wrong, and the button that mends it."""

import bpy
from bpy.types import Context, Object, UILayout

from ...simulation.roles import Role
from ..objects.tagged_objects import full_name
from ..properties import has_role, pointed_at
from ..read.cast import reason
from ..status.census import Census, Members
from .fields import note


def lost_crowds(layout: UILayout, context: Context, census: Census) -> None:
    """A warning and a button for each crowd that is missing from the scene, but for that of the active vehicle.

    The Crowd panel shows the one of the active vehicle.
    """
    active = context.object
    shown = _lost_name(active) if active is not None and has_role(active, Role.VEHICLE) else None
    for name, members in sorted(census.lost.items()):
        if name != shown:
            _lost_crowd(layout, context, _object_named(name) if name else None, members, alone=len(census.lost) == 1)


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
    button.crowd = crowd.name if crowd is not None else ""


def _object_named(name: str) -> Object | None:
    """The object with a full name; the name of one that is linked holds its library."""
    ob = bpy.data.objects.get(name)
    return ob if ob is not None else next((ob for ob in bpy.data.objects if full_name(ob) == name), None)
