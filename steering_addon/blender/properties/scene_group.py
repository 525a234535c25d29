"""`Scene.steering`: what belongs to the run of a scene, and what the overlay shows."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, PointerProperty

from ...simulation.roles import Role
from ..property_groups import NOT_ANIMATABLE, OVERRIDABLE, notify_listeners
from .access import has_role

OVERLAY_ITEMS = [
    ("FRONT", "Front and Size", "The front of the selected vehicles as an arrow, and how wide they are", 1),
    ("VELOCITY", "Velocity", "Where the selected vehicles are within a second at their present speed", 2),
    ("TARGETS", "Targets", "Lines from the selected vehicles to what their behaviors steer by", 4),
    ("TRAILS", "Trails", "Where the selected vehicles were and will be", 8),
    ("PATHS", "Paths and Flows", "Paths and flows with the way they go, and how far aside is still on a path", 16),
    ("OBSTACLES", "Obstacles", "Obstacles as vehicles see them", 32),
    ("REGIONS", "Regions", "The spheres and boxes that vehicles keep to", 64),
    ("FORCES", "Forces", "What each behavior asks of the selected vehicles, and what they make of it", 128),
]
"""What can be drawn over the viewport, with stored bits."""


class STEERING_PG_scene(bpy.types.PropertyGroup):
    """What belongs to the run of a scene."""

    crowd: PointerProperty(
        name="Default Crowd",
        description="The crowd that newly tagged vehicles join",
        type=bpy.types.Object,
        poll=lambda _self, ob: has_role(ob, Role.CROWD),
        override=OVERRIDABLE,
    )
    use_frame_range: BoolProperty(
        name="Own Frame Range",
        description="Bake these frames instead of the scene's",
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    frame_start: IntProperty(
        name="Start",
        description="First frame of the bake",
        default=1,
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    frame_end: IntProperty(
        name="End",
        description="Last frame of the bake",
        default=250,
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    preroll: IntProperty(
        name="Pre-Roll",
        description="Frames simulated before the first one, with the scene held still, so that a flock is in flight "
        "when it is first seen; vehicles are then no longer where they were put",
        default=0,
        min=0,
        max=10000,
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    substeps: IntProperty(
        name="Substeps",
        description="Decisions a frame: more for fast vehicles and small obstacles",
        default=1,
        min=1,
        max=100,
        soft_max=10,
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    seed: IntProperty(
        name="Seed",
        description="Other numbers give other chances",
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    show_overlay: BoolProperty(
        name="Steering",
        description="Draw what steering has to do with over the viewport",
        default=True,
        override=OVERRIDABLE,
        options=NOT_ANIMATABLE,
    )
    overlay: EnumProperty(
        name="Shown",
        description="What is drawn over the viewport",
        items=OVERLAY_ITEMS,
        options={"ENUM_FLAG"},
        default={"FRONT", "TARGETS", "PATHS", "OBSTACLES", "REGIONS"},
        override=OVERRIDABLE,
    )
    trail_length: IntProperty(
        name="Trail Length",
        description="Frames before and after the present one that trails show",
        default=24,
        min=1,
        max=1000,
        override=OVERRIDABLE,
        options=NOT_ANIMATABLE,
    )


CLASSES = (STEERING_PG_scene,)
