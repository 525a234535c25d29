"""What vehicles move like: the settings that a new crowd starts to live with, fit to the size of its members."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy
import numpy as np
from mathutils import Vector

from ...behaviors import CATALOGUE
from ...settings.preset import Preset, scaled
from ...settings.preset_values import complete
from ...simulation.behavior import Behavior
from ...simulation.declaration import Kind
from ...simulation.roles import Role
from ...simulation.vehicle import VehicleModel
from ..hierarchy import Family
from ..properties import pointed_at
from ..role_assignment import give_role
from ..tagged_objects import crowd_of, in_use, tagged
from .member_variation import Amounts, vary
from .preset_exchange import CROWDS, take_up

if TYPE_CHECKING:
    from bpy.types import Context, Object

ROOM_IN_TIME = 5.0
"""Radius of the region that a new crowd keeps to, as time at cruise speed: room for a flock to turn in."""
ROOM_IN_SIZE = 3.0
"""The same, in sizes of what it starts as."""


@dataclass(frozen=True)
class Likeness:
    """Something to move like.

    Attributes:
        name: what scripts call it.
        number: stored in the redo panel; never changes meaning.
        label, description: what an animator reads.
        presets: the settings, for bodies of several sizes.
        crowd: what a crowd of them is called.
        icon: of its entry in the menu.
    """

    name: str
    number: int
    label: str
    description: str
    presets: tuple[str, ...]
    crowd: str
    icon: str


LIKENESSES = (
    Likeness(
        "ANYTHING",
        0,
        "Anything",
        "Strolls about at its height, apart from others",
        ("anything",),
        "Crowd",
        "OBJECT_DATA",
    ),
    Likeness(
        "BIRD",
        1,
        "Bird",
        "Flies in a flock and leans into turns",
        ("starling", "pigeon", "flock"),
        "Birds",
        "FORCE_BOID",
    ),
    Likeness("FISH", 2, "Fish", "Swims in a school", ("fish", "school"), "Fish", "MOD_OCEAN"),
    Likeness("ANIMAL", 3, "Animal", "Ambles over the ground in a herd", ("herd",), "Animals", "MOD_CLOTH"),
    Likeness(
        "PERSON",
        4,
        "Person",
        "Walks, on a path where there is one, and round others",
        ("pedestrian", "child"),
        "People",
        "ARMATURE_DATA",
    ),
    Likeness("CAR", 5, "Car", "Drives, on a path where there is one, and keeps its distance", ("car",), "Cars", "AUTO"),
    Likeness(
        "UNCHANGED",
        6,
        "As the Crowd Is",
        "Leave the crowd as it is; without behaviors its vehicles go straight on",
        (),
        "Crowd",
        "COMMUNITY",
    ),
)
"""All there is to move like. The numbers never change meaning."""
ANYTHING, *_, UNCHANGED = LIKENESSES
ITEMS = [(like.name, like.label, like.description, like.icon, like.number) for like in LIKENESSES]


def likeness(name: str) -> Likeness:
    """The likeness that scripts call so."""
    return next(like for like in LIKENESSES if like.name == name)


def is_settled(crowd: Object) -> bool:
    """Whether somebody has given a crowd behaviors, a vehicle model or members; looking writes nothing."""
    own = crowd.steering
    if crowd.library is not None or own.is_property_set("combining"):
        return True
    if any(own.is_property_set(behavior.name) for behavior in CATALOGUE):
        return True
    if own.is_property_set("vehicle") and any(own.vehicle.is_property_set(n) for n in complete(VehicleModel, {})):
        return True
    return any(crowd_of(ob) == crowd for scene in bpy.data.scenes for ob in tagged(in_use(scene), Role.VEHICLE))


def fitting(like: Likeness, length: float) -> Preset:
    """The preset for bodies of a length in metres: of those that are meant for it, the one that is nearest in size.

    Raises:
        Refusal: its file cannot be read.
    """
    meant = [CROWDS.find(name).load() for name in like.presets]
    if length <= 0.0:
        return meant[0]
    nearest = min(meant, key=lambda preset: abs(math.log(length / preset.body_length)))
    return scaled(nearest, length / nearest.body_length)


def bring_to_life(context: Context, crowd: Object, members: Sequence[Object], preset: Preset) -> list[str]:
    """Give a new crowd the settings of a preset, differences between its members, and room to move in.

    One member alone is as it is and starts where it was put.

    Returns:
        Warnings that name what was left alone.
    """
    take_up(preset, crowd, context.scene)
    _give_room(context, crowd, members, preset)
    if len(members) < 2:
        return []
    settle_in(context, crowd, preset.preroll)
    free = [ob for ob in members if not ob.steering.locked]
    return vary(context.scene, crowd, Amounts(**preset.variation), only=free) if free else []


def settle_in(context: Context, crowd: Object, frames: int) -> None:
    """Give the scene a pre-roll, unless it has vehicles of other crowds, whose motion that would change."""
    scene = context.scene
    if all(ob.steering.crowd == crowd for ob in tagged(in_use(scene), Role.VEHICLE)):
        scene.steering.preroll = max(scene.steering.preroll, frames)


def _give_room(context: Context, crowd: Object, members: Sequence[Object], preset: Preset) -> None:
    """A region about them, lest they leave the picture; where there is one already, or a path to follow, that is it.

    Those that other crowds point at are theirs.
    """
    own = [behavior for behavior in CATALOGUE if behavior.name in preset.behaviors]
    pointers = _pointers(own, Kind.REGION)
    there = in_use(context.scene)
    guided = _pointers(own, Kind.PATH) and tagged(there, Role.PATH)
    if guided or not pointers or set(tagged(there, Role.REGION)) - _taken(tagged(there, Role.CROWD)):
        return
    places = np.array([ob.matrix_world.translation for ob in members])
    low, high = places.min(axis=0), places.max(axis=0)
    model = crowd.steering.vehicle
    start = 0.5 * float((high - low).max()) + model.radius
    region = bpy.data.objects.new(f"{crowd.name} Region", None)
    region.empty_display_type = "SPHERE"
    region.empty_display_size = max(ROOM_IN_SIZE * start, ROOM_IN_TIME * model.max_speed * model.cruise_speed)
    region.location = Vector((low + high) / 2.0)
    crowd.users_collection[0].objects.link(region)
    give_role(region, Role.REGION, Family())
    for behavior, name in pointers:
        setattr(getattr(crowd.steering, behavior), name, region)


def _pointers(behaviors: Sequence[type[Behavior]], kind: Kind) -> list[tuple[str, str]]:
    """Where behaviors point at things of a kind: their names and those of the parameters."""
    return [(b.name, name) for b in behaviors for name, p in b.parameters().items() if p.kind is kind]


def _taken(crowds: Sequence[Object]) -> set[Object | None]:
    """The regions that crowds point at; looking writes nothing."""
    return {
        pointed_at(getattr(crowd.steering, behavior), name)
        for crowd in crowds
        for behavior, name in _pointers(CATALOGUE, Kind.REGION)
        if crowd.steering.is_property_set(behavior)
    }
