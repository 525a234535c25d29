"""`Object.steering`: the roles of an object, the settings of a vehicle and those that a crowd shares."""

from __future__ import annotations

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ...behaviors import CATALOGUE
from ...locomotion import CATALOGUE as LOCOMOTIONS
from ...locomotion import SimpleVehicle
from ...portrayal.driver_properties import Portrayal
from ...settings.preset import MOST_PREROLL
from ...simulation.behavior import Behavior
from ...simulation.combining import COMBININGS
from ...simulation.declaration import REACH
from ...simulation.geometry.obstacles import EITHER, OBSTACLE_SHAPES, OBSTACLE_SIDES, OUTSIDE, PASS_SIDES, ROUND
from ...simulation.geometry.regions import SHAPES, SPHERE
from ...simulation.presence.attendance import FURTHEST, Attendance
from ...simulation.roles import DESCRIPTIONS, Role
from ...simulation.vehicle import VehicleModel
from ..moving import AS_CROWD, BY_CHOICE
from ..property_groups import NOT_ANIMATABLE, OVERRIDABLE, choice_property, property_group
from ..setting_changes import notify_listeners
from .access import has_role
from .clip_groups import STEERING_PG_clip, STEERING_PG_playing
from .mark_groups import STEERING_PG_mark
from .mind_groups import STEERING_PG_state, STEERING_PG_trigger
from .own_settings import take_over
from .populate_groups import STEERING_PG_member, STEERING_PG_populate
from .vehicle_groups import STEERING_PG_start, STEERING_PG_variation

ROLE_ITEMS = [(role.name, label, description, int(role)) for role, (label, description) in DESCRIPTIONS.items()]
"""The roles as enum items, with their stored bits."""
AXIS_ITEMS = [
    ("POS_X", "X", "", 0),
    ("POS_Y", "Y", "", 1),
    ("POS_Z", "Z", "", 2),
    ("NEG_X", "-X", "", 3),
    ("NEG_Y", "-Y", "", 4),
    ("NEG_Z", "-Z", "", 5),
]


def _own(what: str) -> object:
    """The switch by which a state has settings of its own; a crowd does not use it."""
    return BoolProperty(
        name="Own",
        description=f"{what} differently while in this state; begins with the values of the crowd",
        override=OVERRIDABLE,
        update=take_over,
        options=NOT_ANIMATABLE,
    )


def may_be_looked_at(self: bpy.types.PropertyGroup, ob: bpy.types.Object) -> bool:
    """Whether where an object is on each frame is known before a bake is written: that of a vehicle may change."""
    return not has_role(ob, Role.VEHICLE) or ob.steering.locked


STEERING_PG_vehicle = property_group("STEERING_PG_vehicle", VehicleModel, {"own": _own("Move")})
STEERING_PG_attendance = property_group("STEERING_PG_attendance", Attendance)
STEERING_PG_portrayal = property_group(
    "STEERING_PG_portrayal",
    Portrayal,
    {
        "clips": CollectionProperty(
            name="Clips",
            description="Actions that the models play",
            type=STEERING_PG_clip,
            override={*OVERRIDABLE, "USE_INSERTION"},
        ),
        "playing": PointerProperty(type=STEERING_PG_playing, override=OVERRIDABLE),
        "head_bone": StringProperty(
            name="Head Bone",
            description="Bone that turns the head; if empty, the first one that is named so",
            override=OVERRIDABLE,
            update=notify_listeners,
            options=NOT_ANIMATABLE,
        ),
        "look_at": PointerProperty(
            name="Look At",
            description="Object that heads turn to, such as the camera. If empty, to where the body goes next; in a "
            "state, as its crowd",
            type=bpy.types.Object,
            poll=may_be_looked_at,
            override=OVERRIDABLE,
            update=notify_listeners,
        ),
        "unplanted": StringProperty(
            name="Unplanted",
            description="Why feet of the models cannot be held on the ground; empty if they can",
            override=OVERRIDABLE,
            options=NOT_ANIMATABLE,
        ),
        "unplanted_models": StringProperty(
            name="Unplanted Models",
            description="Vehicles whose feet cannot be held on the ground; empty if that goes for all or for none",
            override=OVERRIDABLE,
            options=NOT_ANIMATABLE,
        ),
    },
)


LOCOMOTION_GROUPS = {
    kind.name: property_group(f"STEERING_PG_{kind.name}", kind, {"own": _own("Turn")}) for kind in LOCOMOTIONS
}
"""The property group of each locomotion, by its name."""


def _behavior_group(behavior: type[Behavior]) -> type:
    use = BoolProperty(
        name=behavior.label,
        description=behavior.tooltip(),
        default=False,
        override=OVERRIDABLE,
        update=notify_listeners,
    )
    return property_group(f"STEERING_PG_{behavior.name}", behavior, {"use": use, "own": _own("Behave")})


BEHAVIOR_GROUPS = {behavior.name: _behavior_group(behavior) for behavior in CATALOGUE}
"""The property group of each behavior, by the behavior's name."""


def _move_by_own(settings: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    """Make the settings of a vehicle's own locomotion, so that drawing the panel writes nothing."""
    moves = BY_CHOICE.get(settings.own_locomotion)
    if moves is not None:
        _ = getattr(settings, moves.name)
    notify_listeners(settings, context)


class STEERING_PG_object(bpy.types.PropertyGroup):
    """The roles of an object and the settings that come with each; on a crowd, those that its vehicles share."""

    __slots__ = ()

    roles: EnumProperty(
        name="Roles",
        description="Roles of the object in the steering simulation",
        items=ROLE_ITEMS,
        options={"ENUM_FLAG"},
        override=OVERRIDABLE,
        update=notify_listeners,
    )
    active: BoolProperty(
        name="Active",
        description="Take part in the simulation; can be keyframed",
        default=True,
        override=OVERRIDABLE,
        update=notify_listeners,
    )
    crowd: PointerProperty(
        name="Crowd",
        description="Crowd whose settings this vehicle shares, or whose state or trigger this is",
        type=bpy.types.Object,
        poll=lambda _self, ob: has_role(ob, Role.CROWD),
        override=OVERRIDABLE,
        update=notify_listeners,
    )
    identity: IntProperty(
        name="Identity",
        description="Number assigned once to this vehicle, from which its random numbers are derived",
        min=0,
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    locked: BoolProperty(
        name="Locked",
        description="Keep this vehicle's motion: a bake does not change it, but other vehicles react to it",
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    forward_axis: EnumProperty(
        name="Forward",
        description="Axis of the model that points to its front, as the arrow in the viewport shows. When tagged it is "
        "-Y, as for characters and Blender's own models, unless the object's Tracking Axis, its motion, its shape or "
        "the names of its parts say otherwise. Flip Front turns it round",
        items=AXIS_ITEMS,
        default="POS_Y",
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    up_axis: EnumProperty(
        name="Up",
        description="Axis of the model that points to its top",
        items=AXIS_ITEMS,
        default="POS_Z",
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    speed_factor: FloatProperty(
        name="Speed",
        description="Top speed of this vehicle, as a multiple of its crowd's",
        default=1.0,
        min=0.01,
        max=100.0,
        soft_min=0.5,
        soft_max=2.0,
        override=OVERRIDABLE,
        update=notify_listeners,
    )
    size_factor: FloatProperty(
        name="Size",
        description="Radius of this vehicle, as a multiple of its crowd's",
        default=1.0,
        min=0.01,
        max=100.0,
        soft_min=0.5,
        soft_max=2.0,
        override=OVERRIDABLE,
        update=notify_listeners,
    )
    length_factor: FloatProperty(
        name="Length",
        description="Length of this vehicle's body relative to its radius, as a multiple of its crowd's",
        default=1.0,
        min=0.0,
        max=100.0,
        soft_min=0.5,
        soft_max=2.0,
        override=OVERRIDABLE,
        update=notify_listeners,
    )
    mass_factor: FloatProperty(
        name="Mass",
        description="Mass of this vehicle, as a multiple of its crowd's",
        default=1.0,
        min=0.01,
        max=100.0,
        soft_min=0.5,
        soft_max=2.0,
        override=OVERRIDABLE,
        update=notify_listeners,
    )
    origin_height: FloatProperty(
        name="Origin Height",
        description="Height of its origin above the lowest point of the model at rest, before scaling, measured when "
        "it is tagged; the origin is held so high above a surface",
        unit="LENGTH",
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    height: FloatProperty(
        name="Height",
        description="Height of the model at rest, before scaling, measured when it is tagged; its stride follows it",
        min=0.0,
        unit="LENGTH",
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    measured_scale: FloatProperty(
        name="Measured Scale",
        description="Scale of the object for which its size is right; 0 if it was not measured",
        min=0.0,
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    seed: IntProperty(
        name="Seed",
        description="Seed of this vehicle's random numbers",
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    start_speed: FloatProperty(
        name="Start Speed",
        description="Forward speed with which it starts or enters, as a fraction of its top speed",
        default=0.7,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    use_enter_frame: BoolProperty(
        name="Enter on Frame",
        description="Let this vehicle enter the simulation on a frame of its own, whatever its crowd's setting",
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    enter_frame: IntProperty(
        name="Enter Frame",
        description="Frame on which this vehicle enters; a frame before the first one means from the start",
        default=1,
        min=-FURTHEST,
        max=FURTHEST,
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    by_hand: FloatProperty(
        name="By Hand",
        description="How far this vehicle follows its guide instead of its behaviors: 1 on the guide, 0 not at all; "
        "can be keyframed",
        default=0.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        override=OVERRIDABLE,
        update=notify_listeners,
    )
    guide: PointerProperty(
        name="Guide",
        description="Object that leads this vehicle by hand; what keeps to the ground follows it along the ground",
        type=bpy.types.Object,
        poll=lambda self, ob: ob != self.id_data,
        override=OVERRIDABLE,
        update=notify_listeners,
    )
    guide_bone: StringProperty(
        name="Bone",
        description="Bone of the guide that leads this vehicle, if the guide is an armature; empty: the armature",
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    amount: FloatProperty(
        name="Amount",
        description="Amount of this resource, until vehicles have eaten it; can be keyframed",
        default=10.0,
        min=0.0,
        max=REACH,
        soft_max=100.0,
        override=OVERRIDABLE,
        update=notify_listeners,
    )
    states: PointerProperty(
        name="States",
        description="Collection with the states and triggers of this crowd: they come along wherever it is appended",
        type=bpy.types.Collection,
        override=OVERRIDABLE,
        options=NOT_ANIMATABLE | {"HIDDEN"},
    )
    unasked: StringProperty(
        name="Unasked",
        description="Behaviors of the crowd that came with a preset while the scene had no target for them",
        override=OVERRIDABLE,
        options=NOT_ANIMATABLE | {"HIDDEN"},
    )
    hide_eaten: BoolProperty(
        name="Hide When Eaten",
        description="Hide the resource and its parts once nothing is left of it, in a preview and in a bake",
        default=True,
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    pass_side: choice_property(
        {
            "name": "Pass",
            "description": "Side on which vehicles pass this obstacle",
            "override": OVERRIDABLE,
            "update": notify_listeners,
            "options": {"ANIMATABLE"},
        },
        PASS_SIDES,
        EITHER,
    )
    obstacle_shape: choice_property(
        {
            "name": "Shape",
            "description": "Shape of this obstacle as vehicles see it",
            "override": OVERRIDABLE,
            "update": notify_listeners,
            "options": set(),
        },
        OBSTACLE_SHAPES,
        ROUND,
    )
    obstacle_side: choice_property(
        {
            "name": "Side",
            "description": "Side of this obstacle's surface on which vehicles stay",
            "override": OVERRIDABLE,
            "update": notify_listeners,
            "options": set(),
        },
        OBSTACLE_SIDES,
        OUTSIDE,
    )
    flow_attribute: StringProperty(
        name="Flow Attribute",
        description="Mesh attribute that defines the flow: a vector, a color (red is X, green is Y, blue is Z, gray is "
        "still) or a mark on the edges to flow along. If empty, the active color attribute is used, or the loose "
        "edges if there is none",
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    region_shape: choice_property(
        {
            "name": "Shape",
            "description": "Shape of this region",
            "override": OVERRIDABLE,
            "update": notify_listeners,
            "options": set(),
        },
        SHAPES,
        SPHERE,
    )
    locomotion: choice_property(
        {
            "name": "Locomotion",
            "description": "How the bodies of the crowd turn steering into motion",
            "override": OVERRIDABLE,
            "update": notify_listeners,
            "options": set(),
        },
        [kind.choice() for kind in LOCOMOTIONS],
        SimpleVehicle.stored_number,
    )
    own_locomotion: choice_property(
        {
            "name": "Moves As",
            "description": "How the body of this vehicle alone turns steering into motion, with settings of its own; "
            "presets leave both as they are",
            "override": OVERRIDABLE,
            "update": _move_by_own,
            "options": set(),
        },
        [AS_CROWD, *(kind.choice() for kind in LOCOMOTIONS)],
        AS_CROWD.number,
    )
    combining: choice_property(
        {
            "name": "Combine",
            "description": "How the forces of the crowd's behaviors are combined into one steering force",
            "override": OVERRIDABLE,
            "update": notify_listeners,
            "options": {"ANIMATABLE"},
        },
        COMBININGS,
        1,
    )
    preroll: IntProperty(
        name="Pre-Roll",
        description="Number of frames that the crowd moves before the first one, so that it has already spread out "
        "when it is first seen; its vehicles are then not where they were placed. What moves in the scene is carried "
        "on backwards, and crowds with a shorter pre-roll wait at their start",
        default=0,
        min=0,
        max=MOST_PREROLL,
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    start: PointerProperty(type=STEERING_PG_start, override=OVERRIDABLE)
    variation: PointerProperty(type=STEERING_PG_variation, override=OVERRIDABLE)
    member: PointerProperty(type=STEERING_PG_member, override=OVERRIDABLE)
    populate: PointerProperty(type=STEERING_PG_populate, override=OVERRIDABLE)
    vehicle: PointerProperty(type=STEERING_PG_vehicle, override=OVERRIDABLE)
    attendance: PointerProperty(type=STEERING_PG_attendance, override=OVERRIDABLE)
    portrayal: PointerProperty(type=STEERING_PG_portrayal, override=OVERRIDABLE)
    state: PointerProperty(type=STEERING_PG_state, override=OVERRIDABLE)
    trigger: PointerProperty(type=STEERING_PG_trigger, override=OVERRIDABLE)
    mark: PointerProperty(type=STEERING_PG_mark, override=OVERRIDABLE)


for _name, _group in (LOCOMOTION_GROUPS | BEHAVIOR_GROUPS).items():
    STEERING_PG_object.__annotations__[_name] = PointerProperty(type=_group, override=OVERRIDABLE)


CLASSES = (
    STEERING_PG_vehicle,
    STEERING_PG_attendance,
    STEERING_PG_portrayal,
    *LOCOMOTION_GROUPS.values(),
    *BEHAVIOR_GROUPS.values(),
    STEERING_PG_object,
)
