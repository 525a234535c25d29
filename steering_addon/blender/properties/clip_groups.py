"""The clips of a crowd: the actions that its models play, with what was measured of each."""

from __future__ import annotations

from collections.abc import Callable

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, PointerProperty, StringProperty

from ...portrayal.clip_text import measurement_of
from ...portrayal.clips import BEAT, BY_CHANCE, DO, MOVE, ON_ARRIVAL, ON_STATE, STAND, ClipSettings
from ...simulation.roles import Role
from ..property_groups import NOT_ANIMATABLE, OVERRIDABLE, property_group
from ..setting_changes import notify_listeners
from .access import has_role, pointed_at

PLAYS_ITEMS = [
    ("STAND", "Stands", "Played while the vehicle stands", "PAUSE", STAND),
    ("MOVE", "Moves", "Played while the vehicle moves, by the distance that it goes", "PLAY", MOVE),
    ("DO", "Does", "Played once by a vehicle that stands: from time to time, or when something happens", "ACTION", DO),
    (
        "BEAT",
        "Beats",
        "Wings, tails and fins: faster and wider the more effort it takes, and not in a glide, when the model is as at "
        "rest. Wings, Wheels and Legs says how",
        "FORCE_TURBULENCE",
        BEAT,
    ),
]
"""When a clip is played, with the numbers stored in files."""
WHEN_ITEMS = [
    ("CHANCE", "By Chance", "Now and then", BY_CHANCE),
    ("ARRIVAL", "On Arrival", "Once where a behavior such as Dock or Go To and Stop has led the vehicle", ON_ARRIVAL),
    ("STATE", "On Taking Up State", "Once as the vehicle takes up the state of the clip, or any state", ON_STATE),
]
"""When a clip is played that does something once, with the numbers stored in files."""


def _measured(name: str) -> Callable[[bpy.types.PropertyGroup], float]:
    def value(clip: bpy.types.PropertyGroup) -> float:
        measurement = measurement_of(clip.measured)
        return getattr(measurement.clip, name) if measurement is not None else 0.0

    return value


def _number(name: str, description: str, **unit: str):
    """A number that was measured; it cannot be set."""
    return FloatProperty(
        name=name.replace("_", " ").title(),
        description=f"{description}, as measured",
        get=_measured(name),
        override=OVERRIDABLE,
        options=NOT_ANIMATABLE,
        **unit,
    )


def _is_state_of_crowd(clip: bpy.types.PropertyGroup, ob: bpy.types.Object) -> bool:
    return has_role(ob, Role.STATE) and pointed_at(ob.steering, "crowd") == clip.id_data


class STEERING_PG_clip(bpy.types.PropertyGroup):
    """An action that the models of a crowd play, with what was measured of it."""

    __slots__ = ()

    action: PointerProperty(
        name="Action",
        description="Action with the poses; it is not changed",
        type=bpy.types.Action,
        override=OVERRIDABLE,
        update=notify_listeners,
    )
    plays: EnumProperty(
        name="Plays",
        description="When the vehicles play this clip",
        items=PLAYS_ITEMS,
        default="MOVE",
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    with_company: BoolProperty(
        name="With Company",
        description="Only for vehicles that stand near another that stands and face it, as people do who talk",
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    state: PointerProperty(
        name="In State",
        description="Only for vehicles in this state of the crowd, which then play no clips that stand, move or do "
        "something in any state, if the state has such clips of its own; empty: in any state",
        type=bpy.types.Object,
        poll=_is_state_of_crowd,
        override=OVERRIDABLE,
        update=notify_listeners,
    )
    when: EnumProperty(
        name="Plays When",
        description="When a vehicle that stands does this once. On arrival and in a new state it waits until it "
        "stands, for up to five seconds",
        items=WHEN_ITEMS,
        default="CHANCE",
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    ground_speed: FloatProperty(
        name="Ground Speed",
        description="Speed at which the feet of this clip hold on the ground; 0 for the measured speed",
        min=0.0,
        soft_max=20.0,
        unit="VELOCITY",
        override=OVERRIDABLE,
        update=notify_listeners,
        options=NOT_ANIMATABLE,
    )
    measured: StringProperty(
        name="Measured",
        description="What was measured of the clip, and on what",
        override=OVERRIDABLE,
        options=NOT_ANIMATABLE,
    )
    seconds: _number("seconds", "Duration of a cycle", unit="TIME_ABSOLUTE")
    speed: _number("speed", "Speed at which its feet hold on the ground", unit="VELOCITY")
    stride: _number("stride", "Distance of a cycle", unit="LENGTH")
    heading: _number("heading", "Direction in which it moves, to the left of the front", subtype="ANGLE")
    turn: _number("turn", "Angle to the left by which it turns in a cycle", subtype="ANGLE")
    own_slide: _number("own_slide", "Distance that a foot slides in the worst step at its own speed", unit="LENGTH")
    sure: _number("sure", "How clearly the direction was seen, from 0 to 1")
    support: _number("support", "Share of a cycle with a foot on the ground")
    closes: _number("closes", "Largest distance between the first and the last pose", unit="LENGTH")


STEERING_PG_playing = property_group("STEERING_PG_playing", ClipSettings)

CLASSES = (STEERING_PG_clip, STEERING_PG_playing)
