"""Parent/child index. Blender searches the whole file for the children of an object; the index is built once."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import bpy
from bpy.types import ID, Action, Collection, Mesh, Object
from mathutils import Matrix

from ...simulation.roles import Role
from ..properties import has_role


@dataclass(frozen=True)
class Bond:
    """The bond of a part with an object that is not its parent, and the parenting of a copy that replaces it.

    Attributes:
        carrier: the object, an armature if there is a bone.
        bone: the name of the bone with which it goes; empty for none.
        offset: the parent inverse matrix of a copy.
        is_skin: whether the carrier deforms the part.
    """

    part: Object
    carrier: Object
    bone: str
    offset: Matrix
    is_skin: bool


class Family:
    """The children of all objects at present; not to be kept, as objects come and go. `bonds`: by part, for those that
    count as children of what carries them; `skinned`: the names of the bones that carry the skins that were asked for;
    `ways`: where the walks go that were asked for, by what plays them, action and front."""

    def __init__(self) -> None:
        self.bonds: dict[Object, Bond] = {}
        self.skinned: dict[Mesh, set[str]] = {}
        self.ways: dict[tuple[ID, Action, tuple[str, str]], int] = {}
        self._children: dict[Object, list[Object]] = {}
        for ob in bpy.data.objects:
            if ob.parent is not None:
                self._children.setdefault(ob.parent, []).append(ob)

    def bind(self, bond: Bond) -> None:
        """Count a part without a parent as a child of what carries it."""
        self.bonds[bond.part] = bond
        self._children.setdefault(bond.carrier, []).append(bond.part)

    def above(self, ob: Object) -> Object | None:
        """The parent of an object, or what carries it."""
        return self.bonds[ob].carrier if ob in self.bonds else ob.parent

    def ancestors(self, ob: Object) -> Iterator[Object]:
        """The parents of an object, from the nearest up."""
        above = self.above(ob)
        while above is not None:
            yield above
            above = self.above(above)

    def children(self, ob: Object) -> list[Object]:
        """The direct children of an object."""
        return self._children.get(ob, [])

    def descendants(self, ob: Object) -> Iterator[Object]:
        """The children of an object at any depth."""
        for child in self.children(ob):
            yield child
            yield from self.descendants(child)


def ancestors(ob: Object) -> Iterator[Object]:
    """The parent of an object, its parent, and so on."""
    above = ob.parent
    while above is not None:
        yield above
        above = above.parent


def lineage(ob: Object) -> Iterator[Object]:
    """An object, its parent, the parent of that, and so on."""
    yield ob
    yield from ancestors(ob)


def is_descendant(ob: Object, other: Object) -> bool:
    """Whether an object is parented to another at any depth."""
    return any(above == other for above in ancestors(ob))


def roots(collection: Collection) -> list[Object]:
    """The objects of a collection whose parent is not in it, by name."""
    inside = set(collection.all_objects)
    return sorted((ob for ob in inside if ob.parent not in inside), key=lambda ob: ob.name)


def instanced(ob: Object) -> Collection | None:
    """The collection of which an Empty shows an instance."""
    return ob.instance_collection if ob.instance_type == "COLLECTION" else None


def shown_in(ob: Object) -> Iterator[Object]:
    """The objects of the collection of which an Empty shows an instance, and those that instances in it show."""
    collection = instanced(ob)
    for member in collection.all_objects if collection is not None else ():
        yield member
        yield from shown_in(member)


def instances_of_vehicles(objects: Iterable[Object]) -> Iterator[tuple[Object, str, str]]:
    """The Empties that show vehicles, each with what is wrong and the remedy, as texts without a final stop."""
    counted: dict[Collection, bool] = {}
    for ob in objects:
        collection = instanced(ob)
        if collection is None:
            continue
        if collection not in counted:
            counted[collection] = any(has_role(member, Role.VEHICLE) for member in collection.all_objects)
        if counted[collection]:
            remedy = "Make a library override" if collection.library is not None else "Use Make Instances Real"
            yield ob, f"{ob.name} is an instance: the vehicles of {collection.name} do not move in it", remedy
