"""Which objects of a scene take part, and who shares settings with whom."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..simulation.roles import Role
from .properties import has_role, pointed_at, settings_of

if TYPE_CHECKING:
    from bpy.types import Object, Scene


def in_use(scene: Scene) -> list[Object]:
    """The objects that some view layer of the scene shows in its outliner, by name: excluded collections are out."""
    seen: dict[str, Object] = {}
    for layer in scene.view_layers:
        for ob in layer.objects:
            # Something removed is listed as nothing until the layer is brought up to date.
            if ob is not None:
                seen[full_name(ob)] = ob
    return [seen[name] for name in sorted(seen)]


def tagged(objects: Iterable[Object], role: Role) -> list[Object]:
    """Those of the objects that have a role."""
    return [ob for ob in objects if has_role(ob, role)]


def by_role(objects: Iterable[Object]) -> dict[Role, list[Object]]:
    """Those of the objects that have each role, after one look at each of them."""
    found: dict[Role, list[Object]] = {role: [] for role in Role}
    for ob in objects:
        stored = settings_of(ob)
        for name in stored.roles if stored is not None else ():
            found[Role[name]].append(ob)
    return found


def full_name(ob: Object) -> str:
    """A name that tells objects of several libraries apart."""
    return f"{ob.name} [{ob.library.filepath}]" if ob.library else ob.name


def crowd_of(ob: Object) -> Object | None:
    """The crowd a vehicle belongs to, None where it was lost."""
    crowd = pointed_at(ob.steering, "crowd")
    return crowd if crowd is not None and has_role(crowd, Role.CROWD) else None


def crowds_of(vehicles: Iterable[Object]) -> list[Object | None]:
    """The crowd of each of many vehicles, as `crowd_of` has it, after one look at each crowd."""
    is_crowd: dict[Object, bool] = {}
    found: list[Object | None] = []
    for ob in vehicles:
        crowd = pointed_at(ob.steering, "crowd")
        if crowd is not None and crowd not in is_crowd:
            is_crowd[crowd] = has_role(crowd, Role.CROWD)
        found.append(crowd if crowd is not None and is_crowd[crowd] else None)
    return found
