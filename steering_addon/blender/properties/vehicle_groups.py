"""Values stored on a vehicle so that a bake or Vary can be taken back: its start and its variation."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, FloatProperty, FloatVectorProperty, StringProperty

from ..property_groups import NOT_ANIMATABLE, OVERRIDABLE


class STEERING_PG_start(bpy.types.PropertyGroup):
    """The location and rotation channels with which a vehicle starts, restored when its bake is deleted."""

    __slots__ = ()

    stored: BoolProperty(name="Stored", override=OVERRIDABLE, options=NOT_ANIMATABLE)
    location: FloatVectorProperty(name="Location", subtype="TRANSLATION", override=OVERRIDABLE, options=NOT_ANIMATABLE)
    rotation_mode: StringProperty(name="Rotation Mode", override=OVERRIDABLE, options=NOT_ANIMATABLE)
    rotation: FloatVectorProperty(
        name="Rotation",
        description="Channels of the rotation mode: three angles or four numbers",
        size=4,
        override=OVERRIDABLE,
        options=NOT_ANIMATABLE,
    )


def _factor(name: str, description: str):
    return FloatProperty(name=name, description=description, default=1.0, override=OVERRIDABLE, options=NOT_ANIMATABLE)


class STEERING_PG_variation(bpy.types.PropertyGroup):
    """The factors by which Vary changed a vehicle, stored so that they can be taken back."""

    __slots__ = ()

    speed: _factor("Speed", "Factor of the speed applied by Vary")
    size: _factor("Size", "Factor of the size applied by Vary")
    mass: _factor("Mass", "Factor of the mass applied by Vary")
    start_speed: _factor("Start Speed", "Factor of the start speed applied by Vary")
    scale: _factor("Scale", "Factor of the object's scale applied by Vary")


CLASSES = (STEERING_PG_start, STEERING_PG_variation)
