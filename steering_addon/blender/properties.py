"""What is stored in the file: `Object.steering` and `Scene.steering`.

These names are the public interface of scripts, presets and keyframes; they never change meaning. Reading a group
writes it into the file, so code asks `settings_of` first: an object that nobody tagged stays as it was.
"""

from __future__ import annotations

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ..behaviors import CATALOGUE
from ..portrayal.driver_properties import Portrayal
from ..settings.population import Population
from ..simulation.behavior import Behavior
from ..simulation.combining import COMBININGS
from ..simulation.declaration import REACH
from ..simulation.geometry.obstacles import EITHER, OBSTACLE_SHAPES, OBSTACLE_SIDES, OUTSIDE, PASS_SIDES, ROUND
from ..simulation.geometry.regions import SHAPES, SPHERE
from ..simulation.presence.attendance import FURTHEST, Attendance
from ..simulation.roles import DESCRIPTIONS, Role
from ..simulation.vehicle import VehicleModel
from .property_groups import OVERRIDABLE, choice_property, property_group
from .setting_changes import noticed

ROLE_ITEMS = [(role.name, label, description, int(role)) for role, (label, description) in DESCRIPTIONS.items()]
"""Roles as Blender lists them, with their stored bits."""
AXIS_ITEMS = [
    ("POS_X", "X", "", 0),
    ("POS_Y", "Y", "", 1),
    ("POS_Z", "Z", "", 2),
    ("NEG_X", "-X", "", 3),
    ("NEG_Y", "-Y", "", 4),
    ("NEG_Z", "-Z", "", 5),
]
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
LASTING: set[str] = set()
"""The options of a property that keyframes and drivers may not change."""


class STEERING_PG_start(bpy.types.PropertyGroup):
    """Where a vehicle starts: its own channels as they were, kept so that a bake can be taken back."""

    stored: BoolProperty(name="Stored", override=OVERRIDABLE, options=LASTING)
    location: FloatVectorProperty(name="Location", subtype="TRANSLATION", override=OVERRIDABLE, options=LASTING)
    rotation_mode: StringProperty(name="Rotation Mode", override=OVERRIDABLE, options=LASTING)
    rotation: FloatVectorProperty(
        name="Rotation",
        description="The channels of the rotation mode: three angles, or four numbers",
        size=4,
        override=OVERRIDABLE,
        options=LASTING,
    )


def _varied(name: str, description: str):
    return FloatProperty(name=name, description=description, default=1.0, override=OVERRIDABLE, options=LASTING)


class STEERING_PG_variation(bpy.types.PropertyGroup):
    """By how much a vehicle was made to differ, kept so that it can be taken back."""

    speed: _varied("Speed", "The part of the speed that is due to Vary")
    size: _varied("Size", "The part of the size that is due to Vary")
    mass: _varied("Mass", "The part of the mass that is due to Vary")
    start_speed: _varied("Start Speed", "The part of the start speed that is due to Vary")
    scale: _varied("Scale", "The part of the object's own scale that is due to Vary")


class STEERING_PG_member(bpy.types.PropertyGroup):
    """Which member of its crowd Populate made this object, kept so that it stays the one it is."""

    number: IntProperty(
        name="Number",
        description="Its place among the members, from 1; the parts of a model have the number of their vehicle",
        min=0,
        override=OVERRIDABLE,
        options=LASTING,
    )
    scale: FloatProperty(
        name="Scale",
        description="By what Populate multiplied its size",
        default=1.0,
        override=OVERRIDABLE,
        options=LASTING,
    )
    room: FloatProperty(
        name="Room",
        description="The radius that Populate kept free for it",
        unit="LENGTH",
        override=OVERRIDABLE,
        options=LASTING,
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
        options=LASTING,
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
        options=LASTING,
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
            options=LASTING,
        ),
    },
)
STEERING_PG_vehicle = property_group("STEERING_PG_vehicle", VehicleModel)
STEERING_PG_attendance = property_group("STEERING_PG_attendance", Attendance)
STEERING_PG_portrayal = property_group("STEERING_PG_portrayal", Portrayal)


def _behavior_group(behavior: type[Behavior]) -> type:
    use = BoolProperty(
        name=behavior.label,
        description=behavior.tooltip(),
        default=False,
        override=OVERRIDABLE,
        update=noticed,
    )
    return property_group(f"STEERING_PG_{behavior.name}", behavior, {"use": use})


BEHAVIOR_GROUPS = {behavior.name: _behavior_group(behavior) for behavior in CATALOGUE}
"""The property group of each behavior, by its name."""


class STEERING_PG_object(bpy.types.PropertyGroup):
    """What an object is to the simulation, and on a crowd the settings its vehicles share."""

    roles: EnumProperty(
        name="Is a",
        description="What the object is to the steering simulation",
        items=ROLE_ITEMS,
        options={"ENUM_FLAG"},
        override=OVERRIDABLE,
        update=noticed,
    )
    active: BoolProperty(
        name="Active",
        description="Whether it takes part at the moment; may be keyframed",
        default=True,
        override=OVERRIDABLE,
        update=noticed,
    )
    crowd: PointerProperty(
        name="Crowd",
        description="The crowd whose settings this vehicle shares",
        type=bpy.types.Object,
        poll=lambda _self, ob: has_role(ob, Role.CROWD),
        override=OVERRIDABLE,
        update=noticed,
    )
    identity: IntProperty(
        name="Identity",
        description="What this vehicle's chance hangs on; a number given once",
        min=0,
        override=OVERRIDABLE,
        update=noticed,
        options=LASTING,
    )
    locked: BoolProperty(
        name="Locked",
        description="Keep this vehicle's motion as it is: others see it, a bake does not write it",
        override=OVERRIDABLE,
        update=noticed,
        options=LASTING,
    )
    forward_axis: EnumProperty(
        name="Forward",
        description="The side of the model that is its front",
        items=AXIS_ITEMS,
        default="POS_Y",
        override=OVERRIDABLE,
        update=noticed,
        options=LASTING,
    )
    up_axis: EnumProperty(
        name="Up",
        description="The side of the model that is its top",
        items=AXIS_ITEMS,
        default="POS_Z",
        override=OVERRIDABLE,
        update=noticed,
        options=LASTING,
    )
    speed_factor: FloatProperty(
        name="Speed",
        description="This vehicle's top speed, as a multiple of its crowd's",
        default=1.0,
        min=0.01,
        max=100.0,
        soft_min=0.5,
        soft_max=2.0,
        override=OVERRIDABLE,
        update=noticed,
    )
    size_factor: FloatProperty(
        name="Size",
        description="This vehicle's radius, as a multiple of its crowd's",
        default=1.0,
        min=0.01,
        max=100.0,
        soft_min=0.5,
        soft_max=2.0,
        override=OVERRIDABLE,
        update=noticed,
    )
    mass_factor: FloatProperty(
        name="Mass",
        description="This vehicle's mass, as a multiple of its crowd's",
        default=1.0,
        min=0.01,
        max=100.0,
        soft_min=0.5,
        soft_max=2.0,
        override=OVERRIDABLE,
        update=noticed,
    )
    seed: IntProperty(
        name="Seed",
        description="Other numbers give this vehicle other chances",
        override=OVERRIDABLE,
        update=noticed,
        options=LASTING,
    )
    start_speed: FloatProperty(
        name="Start Speed",
        description="Share of the top speed that it has when it starts or enters, along its front",
        default=0.7,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        override=OVERRIDABLE,
        update=noticed,
        options=LASTING,
    )
    use_enter_frame: BoolProperty(
        name="Enter on a Frame",
        description="Let this vehicle enter on a frame of its own, whatever its crowd says, and take no part before",
        override=OVERRIDABLE,
        update=noticed,
        options=LASTING,
    )
    enter_frame: IntProperty(
        name="Enter Frame",
        description="The frame on which this vehicle enters; it is there from the start where that comes first",
        default=1,
        min=-FURTHEST,
        max=FURTHEST,
        override=OVERRIDABLE,
        update=noticed,
        options=LASTING,
    )
    amount: FloatProperty(
        name="Amount",
        description="How much of this resource there is: it is gone when vehicles have eaten so much; may be keyframed",
        default=10.0,
        min=0.0,
        max=REACH,
        soft_max=100.0,
        override=OVERRIDABLE,
        update=noticed,
    )
    hide_eaten: BoolProperty(
        name="Hide When Eaten",
        description="Hide it with its parts while nothing is left of it: in a preview, and by a bake in renders too",
        default=True,
        override=OVERRIDABLE,
        update=noticed,
        options=LASTING,
    )
    pass_side: choice_property(
        {
            "name": "Pass",
            "description": "On which side vehicles go round this obstacle",
            "override": OVERRIDABLE,
            "update": noticed,
            "options": {"ANIMATABLE"},
        },
        PASS_SIDES,
        EITHER,
    )
    obstacle_shape: choice_property(
        {
            "name": "Shape",
            "description": "What vehicles take for the shape of this obstacle",
            "override": OVERRIDABLE,
            "update": noticed,
            "options": set(),
        },
        OBSTACLE_SHAPES,
        ROUND,
    )
    obstacle_side: choice_property(
        {
            "name": "Side",
            "description": "On which side of this obstacle's surface vehicles are",
            "override": OVERRIDABLE,
            "update": noticed,
            "options": set(),
        },
        OBSTACLE_SIDES,
        OUTSIDE,
    )
    flow_attribute: StringProperty(
        name="Flow Attribute",
        description="The attribute of this mesh that is its current: a vector, or a colour, where gray is none, red "
        "along X, green along Y, blue along Z; or one that marks the edges to flow along. Empty: the active colour "
        "attribute, else the edges that belong to no face",
        override=OVERRIDABLE,
        update=noticed,
        options=LASTING,
    )
    region_shape: choice_property(
        {
            "name": "Shape",
            "description": "The shape of this region",
            "override": OVERRIDABLE,
            "update": noticed,
            "options": set(),
        },
        SHAPES,
        SPHERE,
    )
    combining: choice_property(
        {
            "name": "Combine",
            "description": "How the behaviors of the crowd become one steering force",
            "override": OVERRIDABLE,
            "update": noticed,
            "options": {"ANIMATABLE"},
        },
        COMBININGS,
        1,
    )
    start: PointerProperty(type=STEERING_PG_start, override=OVERRIDABLE)
    variation: PointerProperty(type=STEERING_PG_variation, override=OVERRIDABLE)
    member: PointerProperty(type=STEERING_PG_member, override=OVERRIDABLE)
    populate: PointerProperty(type=STEERING_PG_populate, override=OVERRIDABLE)
    vehicle: PointerProperty(type=STEERING_PG_vehicle, override=OVERRIDABLE)
    attendance: PointerProperty(type=STEERING_PG_attendance, override=OVERRIDABLE)
    portrayal: PointerProperty(type=STEERING_PG_portrayal, override=OVERRIDABLE)


for _name, _group in BEHAVIOR_GROUPS.items():
    STEERING_PG_object.__annotations__[_name] = PointerProperty(type=_group, override=OVERRIDABLE)


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
        update=noticed,
        options=LASTING,
    )
    frame_start: IntProperty(
        name="Start",
        description="First frame of the bake",
        default=1,
        override=OVERRIDABLE,
        update=noticed,
        options=LASTING,
    )
    frame_end: IntProperty(
        name="End",
        description="Last frame of the bake",
        default=250,
        override=OVERRIDABLE,
        update=noticed,
        options=LASTING,
    )
    preroll: IntProperty(
        name="Pre-Roll",
        description="Frames simulated before the first one, with the scene held still, so that a flock is in flight "
        "when it is first seen; vehicles are then no longer where they were put",
        default=0,
        min=0,
        max=10000,
        override=OVERRIDABLE,
        update=noticed,
        options=LASTING,
    )
    substeps: IntProperty(
        name="Substeps",
        description="Decisions a frame: more for fast vehicles and small obstacles",
        default=1,
        min=1,
        max=100,
        soft_max=10,
        override=OVERRIDABLE,
        update=noticed,
        options=LASTING,
    )
    seed: IntProperty(
        name="Seed",
        description="Other numbers give other chances",
        override=OVERRIDABLE,
        update=noticed,
        options=LASTING,
    )
    show_overlay: BoolProperty(
        name="Steering",
        description="Draw what steering has to do with over the viewport",
        default=True,
        override=OVERRIDABLE,
        options=LASTING,
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
        options=LASTING,
    )


def settings_of(owner: bpy.types.Object | bpy.types.Scene) -> STEERING_PG_object | None:
    """What was stored on an object or scene, None where nothing was: then nothing is written by looking."""
    return owner.steering if owner.is_property_set("steering") else None


def has_role(ob: bpy.types.Object, role: Role) -> bool:
    """Whether an object is tagged with a role."""
    stored = settings_of(ob)
    return stored is not None and role.name in stored.roles


def pointed_at(group: bpy.types.PropertyGroup, name: str) -> bpy.types.Object | None:
    """What a pointer points at, None where it was never set: then nothing is written by looking."""
    return getattr(group, name) if group.is_property_set(name) else None


CLASSES = (
    STEERING_PG_start,
    STEERING_PG_variation,
    STEERING_PG_member,
    STEERING_PG_source,
    STEERING_PG_populate,
    STEERING_PG_vehicle,
    STEERING_PG_attendance,
    STEERING_PG_portrayal,
    *BEHAVIOR_GROUPS.values(),
    STEERING_PG_object,
    STEERING_PG_scene,
)


def register() -> None:
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Object.steering = PointerProperty(type=STEERING_PG_object, name="Steering", override=OVERRIDABLE)
    bpy.types.Scene.steering = PointerProperty(type=STEERING_PG_scene, name="Steering", override=OVERRIDABLE)


def unregister() -> None:
    del bpy.types.Scene.steering
    del bpy.types.Object.steering
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
