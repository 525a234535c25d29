"""Stored settings of the clips that the models of a crowd play: a part of `stored.GROUPS`."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from ..simulation.declaration import Stored, Unit
from ..simulation.roles import Role
from . import storing as field
from .stored_choices import OCCASIONS, PLAYS

_measured = partial(field.number, 0.0, restarts=False)
"""Numbers that are only told: a preview does not begin again when they change."""


@dataclass(frozen=True)
class PlayedClip(Stored):
    """An action that the models of a crowd play, with what was measured of it."""

    action: Any = field.action("Action with the poses; it is not changed")
    plays: int = field.choice("MOVE", "When the vehicles play this clip", PLAYS)
    with_company: bool = field.switch(
        False, "Only for vehicles that stand near another that stands and face it, as people do who talk"
    )
    state: Any = field.pointer(
        "Only for vehicles in this state of the crowd, which then play no clips that stand, move or do something in "
        "any state, if the state has such clips of its own; empty: in any state",
        label="In State",
        roles=(Role.STATE,),
    )
    when: int = field.choice(
        "CHANCE",
        "When a vehicle that stands does this once. On arrival and in a new state it waits until it stands, for up to "
        "five seconds",
        OCCASIONS,
        label="Plays When",
    )
    apart: float = field.positive(
        0.0,
        "Distance from the middle of its vehicle to that of the partner for which this clip was made. Two that fight "
        "stop there, if either has such a clip, at the largest of several; 0 for Reach of Fight",
        unit=Unit.LENGTH,
        soft=(0.0, 5.0),
    )
    ground_speed: float = field.positive(
        0.0,
        "Speed at which the feet of this clip hold on the ground; 0 for the measured speed",
        unit=Unit.SPEED,
        soft=(0.0, 20.0),
    )
    measured: str = field.text("What was measured of the clip, and on what", restarts=False)
    seconds: float = _measured("Duration of a cycle, as measured", unit=Unit.TIME)
    speed: float = _measured("Speed at which its feet hold on the ground, as measured", unit=Unit.SPEED)
    stride: float = _measured("Distance of a cycle, as measured", unit=Unit.LENGTH)
    heading: float = _measured("Direction in which it moves, to the left of the front, as measured", unit=Unit.ANGLE)
    turn: float = _measured("Angle to the left by which it turns in a cycle, as measured", unit=Unit.ANGLE)
    own_slide: float = _measured(
        "Distance that a foot slides in the worst step at its own speed, as measured", unit=Unit.LENGTH
    )
    sure: float = _measured("How clearly the direction was seen, from 0 to 1, as measured")
    support: float = _measured("Share of a cycle with a foot on the ground, as measured")
    closes: float = _measured("Largest distance between the first and the last pose, as measured", unit=Unit.LENGTH)


@dataclass(frozen=True)
class CrowdClips(Stored):
    """The clips that the models of a crowd play, and the target of their heads."""

    clips: Any = field.groups("clip", "Actions that the models play")
    playing: Any = field.group("playing")
    head_bone: str = field.text("Bone that turns the head; if empty, the first one that is named so")
    own_shapes: int = field.whole(
        32,
        "Number of vehicles of a model with shape keys that play its clips each in a phase of its own, on a copy of "
        "the mesh that a bake makes. Any more share these copies",
        label="Own Shapes",
        least=1,
        most=10000,
        restarts=False,
    )
    look_at: Any = field.pointer(
        "Object that heads turn to, such as the camera. If empty, to where the body goes next; in a state, as its crowd"
    )
    no_walk: str = field.text(
        "Why no walk was found among the actions of the models; empty if one was, or if none is wanted", restarts=False
    )
    unplanted: str = field.text(
        "Why feet of the models cannot be held on the ground; empty if they can", restarts=False
    )
    unplanted_models: str = field.text(
        "Vehicles whose feet cannot be held on the ground; empty if that goes for all or for none", restarts=False
    )
