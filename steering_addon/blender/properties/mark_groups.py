"""The settings of a mark."""

from __future__ import annotations

import bpy
from bpy.props import PointerProperty, StringProperty

from ...simulation.marks.declaring import MarkModel
from ...simulation.roles import Role
from ..property_groups import NOT_ANIMATABLE, OVERRIDABLE, property_group
from ..setting_changes import notify_listeners
from .access import has_role

SHAPED = ("MESH", "FONT", "SURFACE", "CURVE", "META")
"""Types of objects with places to meet."""

STEERING_PG_mark = property_group(
    "STEERING_PG_mark",
    MarkModel,
    {
        "who": PointerProperty(
            name="Who",
            description="The vehicle that meets it, or the crowd whose middle does, or each of its vehicles at a place "
            "of a shape",
            type=bpy.types.Object,
            poll=lambda _self, ob: has_role(ob, Role.VEHICLE) or has_role(ob, Role.CROWD),
            override=OVERRIDABLE,
            update=notify_listeners,
        ),
        "shape": PointerProperty(
            name="Shape",
            description="Mesh or text of which each vehicle of the crowd meets a place of its own, where the shape is",
            type=bpy.types.Object,
            poll=lambda _self, ob: ob.type in SHAPED,
            override=OVERRIDABLE,
            update=notify_listeners,
        ),
        "marker": StringProperty(
            name="Marker",
            description="Timeline marker at whose frame they meet it; empty: the frame below",
            override=OVERRIDABLE,
            update=notify_listeners,
            options=NOT_ANIMATABLE,
        ),
    },
)

CLASSES = (STEERING_PG_mark,)
