"""`Scene.steering`: the settings of the scene's simulation and of its overlay."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty, PointerProperty

from ...simulation.roles import Role
from ..property_groups import NOT_ANIMATABLE, OVERRIDABLE
from ..setting_changes import notify_listeners
from .access import has_role

OVERLAY_ITEMS = [
    ("FRONT", "Front and Size", "Front of the selected vehicles, as an arrow, and their radius, as a circle", 1),
    ("VELOCITY", "Velocity", "Where the selected vehicles will be in one second at their current velocity", 2),
    ("TARGETS", "Targets", "Lines from the selected vehicles to the targets of their behaviors", 4),
    ("TRAILS", "Trails", "Past and future positions of the selected vehicles", 8),
    ("PATHS", "Paths and Flows", "Paths and flows with their direction, and the radius of each path", 16),
    ("OBSTACLES", "Obstacles", "Obstacles in the shape that vehicles avoid", 32),
    ("REGIONS", "Regions", "Boundaries of the regions that vehicles stay inside", 64),
    (
        "FORCES",
        "Forces",
        "Forces that the behaviors request from the selected vehicles, and the combined force",
        128,
    ),
    (
        "SURFACES",
        "Surfaces",
        "Borders of the surfaces that vehicles stand on, and marks where they are too steep for the selected vehicles",
        256,
    ),
]
"""The items that the overlay can draw, with their stored bits."""
DEFAULT_OVERLAY = {"FRONT", "TARGETS", "PATHS", "OBSTACLES", "REGIONS", "SURFACES"}
"""The items that are drawn until the user changes them."""
MOST_SUBSTEPS = 100
"""The largest number of simulation steps per frame."""


class STEERING_PG_scene(bpy.types.PropertyGroup):
    """The settings of a scene's simulation and overlay."""

    __slots__ = ()

    crowd: PointerProperty(
        name="Default Crowd",
        description="Crowd that newly tagged vehicles join",
        type=bpy.types.Object,
        poll=lambda _self, ob: has_role(ob, Role.CROWD),
        override=OVERRIDABLE,
    )
    use_frame_range: BoolProperty(
        name="Custom Frame Range",
        description="Bake the frames below instead of the scene's frame range",
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    frame_start: IntProperty(
        name="Start",
        description="First frame of the bake; it may be negative, unlike that of the scene",
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
    substeps: IntProperty(
        name="Substeps",
        description="Number of simulation steps per frame; use more for fast vehicles and small obstacles. "
        "Frames longer than 1/20 s take more by themselves",
        default=1,
        min=1,
        max=MOST_SUBSTEPS,
        soft_max=10,
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    seed: IntProperty(
        name="Seed",
        description="Seed of the random numbers",
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    replace_own_keys: BoolProperty(
        name="Replace Own Keys",
        description="Set aside keyframes, drivers and NLA strips of the vehicles; deleting the bake restores them",
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    show_overlay: BoolProperty(
        name="Steering",
        description="Show steering information in the viewport",
        default=True,
        override=OVERRIDABLE,
        options=NOT_ANIMATABLE,
    )
    overlay: EnumProperty(
        name="Show",
        description="What the steering overlay shows",
        items=OVERLAY_ITEMS,
        options={"ENUM_FLAG"},
        default=DEFAULT_OVERLAY,
        override=OVERRIDABLE,
    )
    trail_length: IntProperty(
        name="Trail Length",
        description="Number of frames before and after the current one that trails show",
        default=24,
        min=1,
        max=1000,
        override=OVERRIDABLE,
        options=NOT_ANIMATABLE,
    )


CLASSES = (STEERING_PG_scene,)
