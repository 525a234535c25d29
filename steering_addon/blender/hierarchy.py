"""Who hangs on whom. Blender looks through the whole file for the children of one object; here that is done once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import bpy

if TYPE_CHECKING:
    from bpy.types import Object


class Family:
    """The children of all objects as they are now; not to be kept, as objects come and go."""

    def __init__(self) -> None:
        self._children: dict[Object, list[Object]] = {}
        for ob in bpy.data.objects:
            if ob.parent is not None:
                self._children.setdefault(ob.parent, []).append(ob)

    def children(self, ob: Object) -> list[Object]:
        """What hangs on an object directly."""
        return self._children.get(ob, [])

    def descendants(self, ob: Object) -> Iterator[Object]:
        """All that hangs on an object."""
        for child in self.children(ob):
            yield child
            yield from self.descendants(child)


def hangs_on(ob: Object, other: Object) -> bool:
    """Whether an object is a child of another, or a child's child."""
    above = ob.parent
    while above is not None and above != other:
        above = above.parent
    return above is not None
