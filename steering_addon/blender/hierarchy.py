"""Parent/child index. Blender searches the whole file for the children of an object; the index is built once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import bpy

if TYPE_CHECKING:
    from bpy.types import Collection, Object


class Family:
    """The children of all objects at present; not to be kept, as objects come and go."""

    def __init__(self) -> None:
        self._children: dict[Object, list[Object]] = {}
        for ob in bpy.data.objects:
            if ob.parent is not None:
                self._children.setdefault(ob.parent, []).append(ob)

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


def is_descendant(ob: Object, other: Object) -> bool:
    """Whether an object is parented to another at any depth."""
    return any(above == other for above in ancestors(ob))


def instanced(ob: Object) -> Collection | None:
    """The collection of which an Empty shows an instance."""
    return ob.instance_collection if ob.instance_type == "COLLECTION" else None


def shown_in(ob: Object) -> Iterator[Object]:
    """The objects of the collection of which an Empty shows an instance, and those that instances in it show."""
    collection = instanced(ob)
    for each in collection.all_objects if collection is not None else ():
        yield each
        yield from shown_in(each)
