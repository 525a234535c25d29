"""Which objects can have which role, and which can be changed at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..simulation.roles import Role
from .properties import has_role
from .refusal import Refusal

if TYPE_CHECKING:
    from bpy.types import Object


def suits(ob: Object, role: Role) -> bool:
    """Whether an object can have a role."""
    if role is Role.PATH:
        return ob.type == "CURVE"
    if role is Role.FLOW:
        return ob.type in ("CURVE", "MESH")
    if role is Role.CROWD:
        return ob.type == "EMPTY"
    return role is not Role.VEHICLE or not has_role(ob, Role.CROWD)


def check_editable(objects: list[Object]) -> None:
    """Raises Refusal where one of the objects cannot be changed."""
    for ob in objects:
        if ob.library is not None or not ob.is_editable:
            raise Refusal(f"{ob.name} is linked and cannot be changed here: make a library override of it.")
