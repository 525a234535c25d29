"""The parts that every ready scene has: a collection and a crowd of its own, varied members, and a free place.

Existing objects are left unchanged.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy
from mathutils import Vector

from ....simulation.roles import Role
from ...moving import locomotion_of
from ...objects.hierarchy import Family
from ...objects.identity import identities_in_a_row, new_identity
from ...objects.tagged_objects import in_use, tagged
from ...properties import has_role
from ...read.role_assignment import give_role, make_vehicle, new_crowd
from ..member_variation import Amounts, vary
from ..preset_exchange import start_at_cruise

if TYPE_CHECKING:
    from bpy.types import Collection, Context, Object

MOST_PLACES = 100
"""Number of places that are tried beside existing crowds."""


@dataclass(frozen=True)
class SceneOptions:
    """The options of a ready scene.

    Attributes:
        count: number of members.
        seed: of all its random numbers.
        size: of a member in metres.
        spacing: factor of the usual distance between members.
        place: the middle of the scene.
    """

    count: int
    seed: int
    size: float
    spacing: float
    place: Vector


@dataclass(frozen=True)
class SceneBuilder:
    """A new crowd, at first without members, and the collection that holds the whole scene."""

    collection: Collection
    crowd: Object

    @classmethod
    def begin(cls, context: Context, title: str, place: Vector) -> SceneBuilder:
        """Add an empty crowd and its collection, both named by the title."""
        collection = bpy.data.collections.new(title)
        _active_collection(context).children.link(collection)
        crowd = new_crowd(context, title, collection)
        crowd.location = place
        return cls(collection, crowd)

    def add_region(self, name: str, radius: float) -> Object:
        """Add a spherical region around the crowd."""
        ob = bpy.data.objects.new(name, None)
        ob.empty_display_type, ob.empty_display_size = "SPHERE", radius
        ob.location = self.crowd.location
        self.collection.objects.link(ob)
        give_role(ob, Role.REGION, Family())
        return ob

    def enlist(
        self,
        context: Context,
        members: Sequence[Object],
        random_numbers: random.Random,
        height: float,
        in_a_row: bool = False,
    ) -> None:
        """Make objects vehicles of the crowd, with random identities.

        Args:
            height: that of all of them, metres.
            in_a_row: whether their identities follow each other, so that a share of them is met to one or two.
        """
        self.crowd.steering.portrayal.stride_height = height
        # Objects linked to a new collection are not listed until the view layer is updated.
        context.view_layer.update()
        taken = {ob.steering.identity for ob in tagged(in_use(context.scene), Role.VEHICLE)}
        family = Family()
        row = iter(identities_in_a_row(len(members), taken, random_numbers) if in_a_row else ())
        for ob in members:
            # The models are built so, and need no guess.
            ob.steering.forward_axis, ob.steering.up_axis = "POS_Y", "POS_Z"
            make_vehicle(ob, self.crowd, family)
            ob.steering.height = height
            ob.steering.identity = next(row, None) or new_identity(taken, random_numbers)
            taken.add(ob.steering.identity)
        if locomotion_of(self.crowd).grounded:
            start_at_cruise(members, 1.0, self.crowd.steering.vehicle.cruise_speed)

    def vary_members(self, context: Context, amounts: Amounts, seed: int) -> None:
        """Vary the members, as the operator Vary does."""
        vary(context.scene, self.crowd, amounts, seed=seed)

    def select(self, context: Context) -> None:
        """Select the crowd, its members, and its region or path, so that they can be moved together."""
        for ob in context.view_layer.objects:
            if ob.select_get():
                ob.select_set(False)
        for ob in self.collection.objects:
            if ob.parent is None:
                ob.select_set(True)
        context.view_layer.objects.active = self.crowd


def free_place(context: Context, width: float) -> Vector:
    """The 3D cursor or, if a crowd occupies it, the first free place beside that."""
    context.view_layer.update()
    crowds = [ob.matrix_world.translation for ob in in_use(context.scene) if has_role(ob, Role.CROWD)]
    cursor = context.scene.cursor.location
    places = (cursor + Vector((width * step, 0.0, 0.0)) for step in range(MOST_PLACES))
    free = (place for place in places if all((place - crowd).length > 0.5 * width for crowd in crowds))
    return next(free, cursor.copy())


def scattered(
    random_numbers: random.Random, count: int, radius: float, flatness: float, apart: float
) -> list[tuple[float, float, float]]:
    """Random places in a flattened ball around the origin.

    Args:
        radius: of the ball, metres.
        flatness: height of the ball divided by its width.
        apart: metres between places; reduced step by step if the ball is too small.
    """
    places: list[tuple[float, float, float]] = []
    while len(places) < count:
        tries = []
        for _ in range(8):
            ball = Vector(random_numbers.uniform(-1.0, 1.0) for _ in range(3))
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
    """The active collection; the scene's root collection if the active one is linked or excluded."""
    active = context.view_layer.active_layer_collection
    if active is None or active.exclude or not active.collection.is_editable or active.collection.library is not None:
        return context.scene.collection
    return active.collection
