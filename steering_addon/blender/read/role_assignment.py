"""Gives objects their roles, and makes crowds."""

import random

import bpy
from bpy.types import Collection, Context, Object

from ...locomotion import LOCOMOTIONS
from ...simulation.roles import Role
from ..animation.ownership import is_baked
from ..objects.body_sizes import Body
from ..objects.hierarchy import Family
from ..objects.identity import new_identity, taken_identities
from ..objects.tagged_objects import in_use
from ..properties import has_role, pointed_at, settings_of
from ..refusal import choice_in
from .forward_axis import front_of
from .start_pose import channels, store

FACING = (Role.VEHICLE, Role.LEADER)
"""Roles of objects whose front matters."""


def new_crowd(context: Context, name: str = "Crowd", collection: Collection | None = None, *, seed: int = 0) -> Object:
    """A new Empty with the role CROWD at the 3D cursor; it becomes the scene's default crowd if there is none.
    `collection`: where to link it, the active collection by default; `seed`: of its identity."""
    crowd = bpy.data.objects.new(name, None)
    crowd.empty_display_type = "SPHERE"
    crowd.empty_display_size = 0.5
    crowd.location = context.scene.cursor.location
    collection = collection or context.collection or context.scene.collection
    collection.objects.link(crowd)
    give_role(crowd, Role.CROWD, Family(), seed=seed)
    scene = context.scene
    if default_crowd(context) is None:
        scene.steering.crowd = crowd
    return crowd


def give_role(ob: Object, role: Role, family: Family, body: Body | None = None, *, seed: int = 0) -> None:
    """Give a suitable object a role; with the first one that needs a front, also a guess of its forward and up axis.
    `body`: the measured shape of the object, which improves the guess; `seed`: of the identity of a crowd."""
    if role in FACING and current_front(ob) is None:
        ob.steering.forward_axis, ob.steering.up_axis = front_of(ob, family, body)
    ob.steering.roles |= {role.name}
    if role is Role.CROWD and ob.steering.identity == 0:
        ob.steering.identity = new_identity(taken_identities(), random.Random(seed))
    # Reading a group writes it into the file: done here, so that drawing a panel does not.
    if role in (Role.CROWD, Role.STATE):
        _ = ob.steering.vehicle.mass, [getattr(ob.steering, name) for name in LOCOMOTIONS]
        _ = ob.steering.portrayal.playing.fade
    if role is Role.CROWD:
        _ = ob.steering.attendance.hide
    if role is Role.LINK:
        _ = ob.steering.link.seconds


def current_front(ob: Object) -> tuple[str, str] | None:
    """The forward and up axis that an object has been given; None if it has none. Writes nothing. Refused if this
    version does not know one of them."""
    stored = settings_of(ob)
    if stored is None or not stored.is_property_set("forward_axis"):
        return None
    return choice_in(stored, "forward_axis"), choice_in(stored, "up_axis")


def make_vehicle(ob: Object, crowd: Object, family: Family) -> None:
    """Make an object a vehicle of a crowd. It starts at its current pose unless a bake has stored another start."""
    give_role(ob, Role.VEHICLE, family)
    ob.steering.crowd = crowd
    if not (ob.steering.start.stored and is_baked(ob)):
        store(ob, *channels(ob))


def measure_height(ob: Object, body: Body) -> None:
    """Store the height of a vehicle's model, and that of its origin."""
    up_axis = ob.steering.up_axis
    ob.steering.height = body.unscaled_height(up_axis)
    ob.steering.origin_height = body.origin_height(up_axis)


def default_crowd(context: Context) -> Object | None:
    """The crowd that newly tagged vehicles of the scene join, or None if it is not set or no longer in the scene."""
    stored = settings_of(context.scene)
    crowd = pointed_at(stored, "crowd") if stored else None
    usable = crowd is not None and has_role(crowd, Role.CROWD) and crowd in in_use(context.scene)
    return crowd if usable else None
