"""The settings of a state and of a trigger."""

from __future__ import annotations

import bpy
from bpy.props import BoolProperty, FloatVectorProperty, IntProperty, PointerProperty

from ...minds.declaring import StateModel, TriggerModel
from ...simulation.roles import Role
from ..property_groups import NOT_ANIMATABLE, OVERRIDABLE, meaningful, property_group
from ..setting_changes import notify_listeners
from .access import has_role

PALETTE = (
    *((0.95, 0.35, 0.3), (0.4, 0.8, 0.45), (0.4, 0.6, 1.0), (0.85, 0.5, 0.95)),
    *((0.35, 0.85, 0.9), (1.0, 0.55, 0.75), (0.75, 0.9, 0.35), (0.65, 0.55, 0.45)),
)
"""The colors that states get one after another."""


def _state(name: str, description: str) -> object:
    """A pointer to a state."""
    return PointerProperty(
        name=name,
        description=description,
        type=bpy.types.Object,
        poll=lambda _self, ob: has_role(ob, Role.STATE),
        override=OVERRIDABLE,
        update=notify_listeners,
    )


def _show_distance(group: bpy.types.PropertyGroup, context: bpy.types.Context) -> None:
    """Draw the Empty of a trigger as large as the distance within which it counts."""
    ob = group.id_data
    if "distance" in meaningful(TriggerModel, group) and ob.type == "EMPTY":
        ob.empty_display_size = group.distance
    notify_listeners(group, context)


STEERING_PG_state = property_group(
    "STEERING_PG_state",
    StateModel,
    {
        "then": _state("Then", "State that follows when this one is over; empty: the crowd's own settings"),
        "eases": _state("Eases", "State for which this one eases the need, as eating does for hunger"),
        "number": IntProperty(
            name="Number",
            description="Number given once to this state: a bake keys it as steering_state on vehicles that are in it",
            min=0,
            override=OVERRIDABLE,
            options=NOT_ANIMATABLE,
        ),
        "color": FloatVectorProperty(
            name="Color",
            description="Color in which the overlay shows the fronts of vehicles in this state, in a preview or a bake",
            subtype="COLOR_GAMMA",
            size=3,
            min=0.0,
            max=1.0,
            default=PALETTE[0],
            override=OVERRIDABLE,
            options=NOT_ANIMATABLE,
        ),
        "own_combining": BoolProperty(
            name="Own",
            description="Combine behaviors in another way than the crowd while in this state",
            override=OVERRIDABLE,
            update=notify_listeners,
            options=NOT_ANIMATABLE,
        ),
    },
)
STEERING_PG_trigger = property_group(
    "STEERING_PG_trigger",
    TriggerModel,
    {
        "number": IntProperty(
            name="Number",
            description="Number given once to this trigger: chance depends on it, whatever the trigger is called",
            min=0,
            override=OVERRIDABLE,
            options=NOT_ANIMATABLE,
        ),
        "to": _state("Calls Into", "State that vehicles are called into"),
        "from_state": _state("From", "Only vehicles in this state hear it; empty: all of the crowd"),
        "who": PointerProperty(
            name="Who",
            description="What calls when it is near, seen or touched: an object, the vehicles of a crowd, or those in "
            "a state. For Inside and Outside, a region. Empty: the trigger itself",
            type=bpy.types.Object,
            override=OVERRIDABLE,
            update=notify_listeners,
        ),
        "who_collection": PointerProperty(
            name="Who Collection",
            description="All objects of this collection call, if no object is set above",
            type=bpy.types.Collection,
            override=OVERRIDABLE,
            update=notify_listeners,
        ),
    },
    _show_distance,
)

CLASSES = (STEERING_PG_state, STEERING_PG_trigger)
