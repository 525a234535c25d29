"""What every ready scene is made of: a collection and a crowd of its own, members that differ, and a free place.

Whatever is in the file already is left as it is.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy
from mathutils import Vector

from ....simulation.roles import Role
from ...hierarchy import Family
from ...identity import new_identity
from ...properties import has_role
from ...role_assignment import give_role, make_vehicle, new_crowd
from ...tagged_objects import in_use, tagged
from ..member_variation import Amounts, vary

if TYPE_CHECKING:
    from bpy.types import Collection, Context, Object

MOST_PLACES = 100
"""After so many crowds in a row the next one goes among them."""


@dataclass(frozen=True)
class Wish:
    """What is asked of a ready scene.

    Attributes:
        count: how many members.
        seed: what all its chance hangs on.
        size: of a member in metres.
        spacing: how far they keep apart, as a multiple of what is usual.
        place: its middle.
    """

    count: int
    seed: int
    size: float
    spacing: float
    place: Vector


@dataclass(frozen=True)
class Gathering:
    """A new crowd without members, and the collection that holds all of it."""

    collection: Collection
    crowd: Object

    @classmethod
    def begin(cls, context: Context, title: str, place: Vector) -> Gathering:
        """An empty crowd of that title at a place."""
        collection = bpy.data.collections.new(title)
        _active_collection(context).children.link(collection)
        crowd = new_crowd(context, title, collection)
        crowd.location = place
        return cls(collection, crowd)

    def region(self, name: str, radius: float) -> Object:
        """A sphere about the crowd to stay inside."""
        ob = bpy.data.objects.new(name, None)
        ob.empty_display_type, ob.empty_display_size = "SPHERE", radius
        ob.location = self.crowd.location
        self.collection.objects.link(ob)
        give_role(ob, Role.REGION, Family())
        return ob

    def enlist(self, context: Context, members: Sequence[Object], chance: random.Random) -> None:
        """Make objects vehicles of the crowd; who they are hangs on the chance that is given."""
        # Until then Blender does not list what was linked to the new collection.
        context.view_layer.update()
        taken = {ob.steering.identity for ob in tagged(in_use(context.scene), Role.VEHICLE)}
        family = Family()
        for ob in members:
            make_vehicle(ob, self.crowd, family)
            ob.steering.identity = new_identity(taken, chance)
            taken.add(ob.steering.identity)

    def differ(self, context: Context, amounts: Amounts, seed: int) -> None:
        """Let the members differ, as Vary does."""
        vary(context.scene, self.crowd, amounts, seed=seed)

    def show(self, context: Context) -> None:
        """Select what can be moved as one, the crowd active: its members, and its region or path."""
        for ob in context.view_layer.objects:
            if ob.select_get():
                ob.select_set(False)
        for ob in self.collection.objects:
            if ob.parent is None:
                ob.select_set(True)
        context.view_layer.objects.active = self.crowd


def free_place(context: Context, width: float) -> Vector:
    """The 3D cursor, or where a crowd has its middle there, the first place beside it."""
    context.view_layer.update()
    middles = [ob.matrix_world.translation for ob in in_use(context.scene) if has_role(ob, Role.CROWD)]
    cursor = context.scene.cursor.location
    places = (cursor + Vector((width * step, 0.0, 0.0)) for step in range(MOST_PLACES))
    return next((place for place in places if all((place - m).length > 0.5 * width for m in middles)), cursor.copy())


def scattered(
    chance: random.Random, count: int, radius: float, flatness: float, apart: float
) -> list[tuple[float, float, float]]:
    """Places in a ball, lower than it is wide, that keep apart as far as there is room."""
    places: list[tuple[float, float, float]] = []
    while len(places) < count:
        tries = []
        for _ in range(8):
            ball = Vector(chance.uniform(-1.0, 1.0) for _ in range(3))
            if ball.length <= 1.0:
                tries.append((ball.x * radius, ball.y * radius, ball.z * radius * flatness))
        for place in tries:
            if all((Vector(place) - Vector(other)).length_squared > apart * apart for other in places):
                places.append(place)
                break
        else:
            apart *= 0.98
    return places


def _active_collection(context: Context) -> Collection:
    """Where new objects go; the scene's own collection where the active one is linked or left out of the view layer."""
    active = context.view_layer.active_layer_collection
    if active is None or active.exclude or not active.collection.is_editable or active.collection.library is not None:
        return context.scene.collection
    return active.collection
