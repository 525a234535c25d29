"""Which object moves a rigged character as a whole. A click in the viewport selects one of its parts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .hierarchy import Family
from .properties import settings_of

if TYPE_CHECKING:
    from bpy.types import Object


def carrier(ob: Object, family: Family) -> Object:
    """The object to move instead of a part of a rigged character; the object itself if it is not a part of one.

    A mesh that is deformed by an armature, or that is one of several parts on its bones, would leave the armature
    behind: the carrier is the armature, or what carries both. Importers put that below an Empty of its own, which
    stands upright where the armature itself may be turned: such an Empty is the carrier of all.
    """
    lineage = _lineage(ob)
    rig = ob.find_armature() or _rig_of_several(ob, family)
    if rig is not None:
        ob = next((above for above in _lineage(rig) if above in lineage), ob)
    if not _is_rigged(ob, family):
        return ob
    while (above := ob.parent) is not None and _only_wraps(above, family):
        ob = above
    return ob


def carriers(objects: Iterable[Object]) -> list[Object]:
    """The carriers of some objects, each once, in their order."""
    family = Family()
    return list(dict.fromkeys(carrier(ob, family) for ob in objects))


def is_character(ob: Object, family: Family) -> bool:
    """Whether an armature moves an object or what it carries."""
    return any(part.type == "ARMATURE" for part in (ob, *family.descendants(ob)))


def _lineage(ob: Object) -> list[Object]:
    """The object, its parent, the parent of that, and so on."""
    lineage = [ob]
    while (above := lineage[-1].parent) is not None:
        lineage.append(above)
    return lineage


def _rig_of_several(ob: Object, family: Family) -> Object | None:
    """The armature on a bone of which an object is, if it carries other parts too: on its own it may be a vehicle."""
    rig = ob.parent if ob.parent_type == "BONE" else None
    return rig if rig is not None and len(family.children(rig)) > 1 else None


def _is_rigged(ob: Object, family: Family) -> bool:
    return ob.type == "ARMATURE" or any(child.type == "ARMATURE" for child in family.children(ob))


def _only_wraps(ob: Object, family: Family) -> bool:
    """Whether an object is an Empty for a single child, without a role or animation of its own."""
    roles = settings_of(ob)
    has_roles = roles is not None and bool(roles.roles)
    return ob.type == "EMPTY" and len(family.children(ob)) == 1 and ob.animation_data is None and not has_roles
