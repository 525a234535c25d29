"""What is kept of a vehicle so that an operation can be undone: its start and its variation."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, FloatProperty, FloatVectorProperty, StringProperty

from ..property_groups import NOT_ANIMATABLE, OVERRIDABLE


class STEERING_PG_start(bpy.types.PropertyGroup):
    """Where a vehicle starts: its own channels as they were, kept so that a bake can be taken back."""

    stored: BoolProperty(name="Stored", override=OVERRIDABLE, options=NOT_ANIMATABLE)
    location: FloatVectorProperty(name="Location", subtype="TRANSLATION", override=OVERRIDABLE, options=NOT_ANIMATABLE)
    rotation_mode: StringProperty(name="Rotation Mode", override=OVERRIDABLE, options=NOT_ANIMATABLE)
    rotation: FloatVectorProperty(
        name="Rotation",
        description="The channels of the rotation mode: three angles, or four numbers",
        size=4,
        override=OVERRIDABLE,
        options=NOT_ANIMATABLE,
    )


def _varied(name: str, description: str):
    return FloatProperty(name=name, description=description, default=1.0, override=OVERRIDABLE, options=NOT_ANIMATABLE)


class STEERING_PG_variation(bpy.types.PropertyGroup):
    """By how much a vehicle was made to differ, kept so that it can be taken back."""

    speed: _varied("Speed", "The part of the speed that is due to Vary")
    size: _varied("Size", "The part of the size that is due to Vary")
    mass: _varied("Mass", "The part of the mass that is due to Vary")
    start_speed: _varied("Start Speed", "The part of the start speed that is due to Vary")
    scale: _varied("Scale", "The part of the object's own scale that is due to Vary")


CLASSES = (STEERING_PG_start, STEERING_PG_variation)
