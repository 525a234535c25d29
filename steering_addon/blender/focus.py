"""The crowd that the user interface works on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..simulation.roles import Role
from .properties import has_role
from .tagged_objects import crowd_of

if TYPE_CHECKING:
    from bpy.types import Context, Object


def crowd_in_focus(context: Context) -> Object | None:
    """The active object if it is a crowd, or the crowd of the vehicle that it is or is a part of, else None.

    A click on a character selects its skin, not the armature that moves it. In the Properties editor the object shown
    there counts as active: it may be pinned.
    """
    active = context.object
    if active is None:
        return None
    if has_role(active, Role.CROWD):
        return active
    while active is not None and not has_role(active, Role.VEHICLE):
        active = active.parent
    return None if active is None else crowd_of(active)
