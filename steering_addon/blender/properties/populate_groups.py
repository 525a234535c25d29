"""The settings of Populate: how to fill a crowd and, on each member, which member it is."""

from __future__ import annotations

import bpy
from bpy.props import (
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ...settings.population import Population
from ...simulation.roles import Role
from ..property_groups import NOT_ANIMATABLE, OVERRIDABLE, property_group
from .access import has_role
from .vehicle_groups import STEERING_PG_start


class STEERING_PG_member(bpy.types.PropertyGroup):
    """Which member of its crowd Populate made this object into, stored so that it stays the same member."""

    __slots__ = ()

    number: IntProperty(
        name="Number",
        description="Index among the members, from 1; the parts of a model have the number of their vehicle",
        min=0,
        override=OVERRIDABLE,
        options=NOT_ANIMATABLE,
    )
    scale: FloatProperty(
        name="Scale",
        description="Factor of the size applied by Populate",
        default=1.0,
        override=OVERRIDABLE,
        options=NOT_ANIMATABLE,
    )
    room: FloatProperty(
        name="Room",
        description="Radius of the free space that Populate left around it",
        unit="LENGTH",
        override=OVERRIDABLE,
        options=NOT_ANIMATABLE,
    )
    placed: PointerProperty(type=STEERING_PG_start, override=OVERRIDABLE)


class STEERING_PG_source(bpy.types.PropertyGroup):
    """A model to make members from, or a collection of models."""

    __slots__ = ()

    kind: EnumProperty(
        name="Kind",
        description="What to make members from",
        items=[
            ("OBJECT", "Object", "An object with all its children", "OBJECT_DATA", 0),
            ("COLLECTION", "Collection", "The objects of a collection, all equally often", "OUTLINER_COLLECTION", 1),
        ],
        override=OVERRIDABLE,
        options=NOT_ANIMATABLE,
    )
    object: PointerProperty(
        name="Object",
        description="Model to copy; the model itself is not changed",
        type=bpy.types.Object,
        poll=lambda _self, ob: not has_role(ob, Role.CROWD),
        override=OVERRIDABLE,
    )
    collection: PointerProperty(
        name="Collection",
        description="Collection of models to copy, all equally often",
        type=bpy.types.Collection,
        override=OVERRIDABLE,
    )
    weight: FloatProperty(
        name="Weight",
        description="How often this model is used, relative to the others",
        default=1.0,
        min=0.0,
        soft_max=10.0,
        override=OVERRIDABLE,
        options=NOT_ANIMATABLE,
    )


STEERING_PG_populate = property_group(
    "STEERING_PG_populate",
    Population,
    {
        "sources": CollectionProperty(
            name="Models",
            description="Models to make the members from",
            type=STEERING_PG_source,
            override={*OVERRIDABLE, "USE_INSERTION"},
        ),
        "place": PointerProperty(
            name="Place",
            description="Mesh, region or curve to place the members on or in",
            type=bpy.types.Object,
            poll=lambda _self, ob: ob.name in bpy.context.scene.objects,
            override=OVERRIDABLE,
        ),
        "laid_out": StringProperty(
            name="Laid Out",
            description="Settings from which the positions of the members were computed",
            override=OVERRIDABLE,
            options=NOT_ANIMATABLE,
        ),
    },
)


CLASSES = (STEERING_PG_member, STEERING_PG_source, STEERING_PG_populate)
