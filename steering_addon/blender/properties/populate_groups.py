"""The settings of Populate: on a crowd how to fill it, on each member which one it is."""

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
    """Which member of its crowd Populate made this object, kept so that it stays the one it is."""

    number: IntProperty(
        name="Number",
        description="Its place among the members, from 1; the parts of a model have the number of their vehicle",
        min=0,
        override=OVERRIDABLE,
        options=NOT_ANIMATABLE,
    )
    scale: FloatProperty(
        name="Scale",
        description="By what Populate multiplied its size",
        default=1.0,
        override=OVERRIDABLE,
        options=NOT_ANIMATABLE,
    )
    room: FloatProperty(
        name="Room",
        description="The radius that Populate kept free for it",
        unit="LENGTH",
        override=OVERRIDABLE,
        options=NOT_ANIMATABLE,
    )
    placed: PointerProperty(type=STEERING_PG_start, override=OVERRIDABLE)


class STEERING_PG_source(bpy.types.PropertyGroup):
    """A model that members are made of, or a collection of them."""

    kind: EnumProperty(
        name="Kind",
        description="What members are made of",
        items=[
            ("OBJECT", "Object", "An object with all that hangs on it", "OBJECT_DATA", 0),
            ("COLLECTION", "Collection", "The objects of a collection, each as often", "OUTLINER_COLLECTION", 1),
        ],
        override=OVERRIDABLE,
        options=NOT_ANIMATABLE,
    )
    object: PointerProperty(
        name="Object",
        description="The model, which itself stays where and as it is",
        type=bpy.types.Object,
        poll=lambda _self, ob: not has_role(ob, Role.CROWD),
        override=OVERRIDABLE,
    )
    collection: PointerProperty(
        name="Collection",
        description="The models, of which each is as often",
        type=bpy.types.Collection,
        override=OVERRIDABLE,
    )
    weight: FloatProperty(
        name="Weight",
        description="How often it is taken, beside the others",
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
            description="What the members are made of",
            type=STEERING_PG_source,
            override={*OVERRIDABLE, "USE_INSERTION"},
        ),
        "place": PointerProperty(
            name="Place",
            description="The mesh, region or curve where the members are put",
            type=bpy.types.Object,
            poll=lambda _self, ob: ob.name in bpy.context.scene.objects,
            override=OVERRIDABLE,
        ),
        "collection": PointerProperty(
            name="Collection",
            description="The collection that the members live in",
            type=bpy.types.Collection,
            override=OVERRIDABLE,
        ),
        "laid_out": StringProperty(
            name="Laid Out",
            description="What the places of the members were worked out from",
            override=OVERRIDABLE,
            options=NOT_ANIMATABLE,
        ),
    },
)


CLASSES = (STEERING_PG_member, STEERING_PG_source, STEERING_PG_populate)
