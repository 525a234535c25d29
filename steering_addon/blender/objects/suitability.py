"""Which roles an object can have, and whether it can be edited."""

from bpy.types import Object

from ...simulation.roles import MADE, Role
from ..properties import has_role
from ..refusal import Refusal
from .body_sizes import SOLID
from .crowd_caches import crowd_of_player

POINTED = ("MESH", "POINTCLOUD")
"""Types of objects of which each point may be a vehicle."""


def suits(ob: Object, role: Role) -> bool:
    """Whether the object can have the role: what plays a bake has none, as it goes with that."""
    if crowd_of_player(ob) is not None:
        return False
    if role is Role.PATH:
        return ob.type == "CURVE"
    place = ob.type == "EMPTY" and not any(has_role(ob, made) for made in MADE)
    if role is Role.LINK:
        return ob.type == "CURVE" or place
    if role is Role.SIGNAL:
        return place
    if role is Role.FLOW:
        return ob.type in ("CURVE", "MESH")
    if role is Role.SURFACE:
        return ob.type in SOLID and not (has_role(ob, Role.VEHICLE) or has_role(ob, Role.POINTS))
    if role is Role.POINTS:
        return ob.type in POINTED and not (has_role(ob, Role.VEHICLE) or has_role(ob, Role.SURFACE))
    if role is Role.CROWD:
        return ob.type == "EMPTY"
    if role in MADE:
        return False
    return role is not Role.VEHICLE or not any(has_role(ob, each) for each in (Role.CROWD, Role.SURFACE, Role.POINTS))


def check_editable(objects: list[Object]) -> None:
    """Check that the objects can be edited. Refused if one of them is linked."""
    for ob in objects:
        if ob.library is not None or not ob.is_editable:
            raise Refusal(f"{ob.name} is linked and cannot be edited. Make a library override of it.")
