"""The objects of a scene that take part, by role and by crowd."""

from collections.abc import Iterable, Sequence

from bpy.types import Object, Scene

from ...simulation.roles import OF_MEMBERS, Role
from ..properties import has_role, pointed_at, settings_of
from .resting import resting

MOST_NAMES = 5
"""The usual largest number of objects named in a message."""


def in_use(scene: Scene) -> list[Object]:
    """The objects in any view layer of the scene, and those at rest while a crowd cache plays, by name.

    Objects of other excluded collections are not in use.
    """
    seen: dict[str, Object] = {}
    for holder in (*scene.view_layers, *resting(scene)):
        for ob in holder.objects:
            # A removed object is listed as None until the layer is updated.
            if ob is not None:
                seen[ob.name if ob.library is None else full_name(ob)] = ob
    return [seen[name] for name in sorted(seen)]


def tagged(objects: Iterable[Object], role: Role) -> list[Object]:
    """The objects that have a role."""
    name = role.name
    # As `has_role`, in one expression: operators ask this of all objects of a scene several times.
    return [ob for ob in objects if ob.is_property_set("steering") and name in ob.steering.roles]


def members_in(objects: Iterable[Object]) -> list[Object]:
    """The objects that are a vehicle, or of which each point is one."""
    objects = list(objects)
    return [ob for role in OF_MEMBERS for ob in tagged(objects, role)]


def by_role(objects: Iterable[Object]) -> dict[Role, list[Object]]:
    """The objects by role, with one look at each object."""
    by_each: dict[Role, list[Object]] = {role: [] for role in Role}
    for ob in objects:
        stored = settings_of(ob)
        for name in stored.roles if stored is not None else ():
            by_each[Role[name]].append(ob)
    return by_each


def full_name(ob: Object) -> str:
    """A name that distinguishes objects of several libraries."""
    return f"{ob.name} [{ob.library.filepath}]" if ob.library else ob.name


def crowd_of(ob: Object) -> Object | None:
    """The crowd a vehicle belongs to; None if that no longer exists or is not a crowd."""
    crowd = pointed_at(ob.steering, "crowd")
    return crowd if crowd is not None and has_role(crowd, Role.CROWD) else None


def crowds_of(vehicles: Iterable[Object]) -> list[Object | None]:
    """The crowd of each vehicle, as `crowd_of`, with one look at each crowd."""
    is_crowd: dict[Object, bool] = {}
    crowds: list[Object | None] = []
    for ob in vehicles:
        crowd = pointed_at(ob.steering, "crowd")
        if crowd is not None and crowd not in is_crowd:
            is_crowd[crowd] = has_role(crowd, Role.CROWD)
        crowds.append(crowd if crowd is not None and is_crowd[crowd] else None)
    return crowds


def vehicles_of(crowd: Object | None, scene: Scene) -> list[Object]:
    """The vehicles of a crowd in a scene that are objects."""
    return [ob for ob in tagged(in_use(scene), Role.VEHICLE) if crowd_of(ob) == crowd]


def list_names(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Up to the largest number of names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def names_of(names: Sequence[str], number: int | None = None) -> str:
    """The first of some names, and how many more there are; both of two. `number`: of all names, if only the first two
    are given."""
    number = len(names) if number is None else number
    if number < 3:
        return " and ".join(names)
    return f"{names[0]} and {number - 1} more"
