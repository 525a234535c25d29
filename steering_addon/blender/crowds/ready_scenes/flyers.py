"""The parts that a flock and a school share: a preset, a spherical region, and a common heading at the start."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mathutils import Vector

from ....settings.preset import Preset, scaled
from ....settings.preset_parts import BEHAVIOR
from ....settings.preset_values import Values
from ....simulation.behavior import Behavior
from ....simulation.declaration import Kind, Unit
from ....simulation.maneuvers.neighborhood import Neighborhood
from ..behavior_targets import behaviors_of, point_at
from ..member_variation import Amounts
from ..preset_exchange import take_up
from ..preset_files import CROWDS, SHIPPED, Listed
from .scene_builder import SceneBuilder, SceneOptions, scattered

if TYPE_CHECKING:
    from bpy.types import Collection, Context, Object

AddMember = Callable[[int, random.Random, "Collection"], "Object"]
"""Adds the member of a number to a collection, at rest in the origin."""


@dataclass(frozen=True)
class FlyerScene:
    """A ready scene of a flock.

    Attributes:
        title, region: names of the crowd and of its region.
        preset: the crowd preset that is scaled to the size of the members.
        containment: the behavior preset in presets/ready_scenes that replaces values of the crowd preset. The crowd
            preset is meant for the open sky and would let members far out of a small region.
        room: radius of the region in sizes of a member, for the usual count.
        usual: the usual count.
        radius: of a body in sizes of a member.
        flatness: height of the start volume divided by its width.
    """

    title: str
    region: str
    preset: str
    containment: str
    room: float
    usual: int
    radius: float
    flatness: float

    def reach(self, options: SceneOptions) -> float:
        """The radius of the region in metres."""
        crowding = max(options.count / self.usual, 0.25) ** (1.0 / 3.0)
        return self.room * options.size * max(crowding * options.spacing, 1.0)

    def fitted_preset(self, options: SceneOptions) -> Preset:
        """The preset for members of this size and spacing in a region.

        Raises:
            Refusal: a preset cannot be read.
        """
        crowd = CROWDS.find(self.preset).load()
        path = SHIPPED / "ready_scenes" / f"{self.containment}.json"
        stay = Listed(self.containment, str(path), False, BEHAVIOR).load()
        [(name, values)] = stay.behaviors.items()
        behaviors = {**crowd.behaviors, name: {**crowd.behaviors.get(name, {}), **values}}
        contained = replace(crowd, behaviors=behaviors)
        return _spaced(scaled(contained, options.size / crowd.body_length), options.spacing)


def add(context: Context, scene: FlyerScene, options: SceneOptions, add_member: AddMember) -> Object:
    """Add a flock inside a region of its own; returns its crowd.

    Raises:
        Refusal: a preset cannot be read.
    """
    preset = scene.fitted_preset(options)
    random_numbers = random.Random(options.seed)
    builder = SceneBuilder.begin(context, scene.title, options.place)
    crowd = builder.crowd
    crowd.empty_display_size = 2.0 * options.size
    region = builder.add_region(scene.region, scene.reach(options))
    take_up(preset, crowd, context.scene)
    point_at(crowd, preset, Kind.REGION, region)
    crowd.steering.vehicle.radius = scene.radius * options.size
    crowd.steering.portrayal.use = True

    apart = _distance_apart(crowd, preset)
    spread = 0.55 * apart * options.count ** (1.0 / 3.0) / scene.flatness ** (1.0 / 3.0)
    spread = min(spread, 0.8 * region.empty_display_size)
    places = scattered(random_numbers, options.count, spread, scene.flatness, 0.6 * apart)
    heading = random_numbers.uniform(0.0, math.tau)
    members = []
    for number, place in enumerate(places, 1):
        member = add_member(number, random_numbers, builder.collection)
        member.location = options.place + Vector(place)
        member.rotation_euler.z = heading + random_numbers.uniform(-0.15, 0.15)
        members.append(member)
    builder.enlist(context, members, random_numbers, options.size)
    builder.vary_members(context, Amounts(**preset.variation), options.seed)
    builder.select(context)
    return crowd


def _spaced(preset: Preset, spacing: float) -> Preset:
    """The preset with the lengths of all behaviors that look at neighbors multiplied by the spacing."""

    def values(behavior: type[Behavior]) -> Values:
        given: Mapping = preset.behaviors[behavior.name]
        if not issubclass(behavior, Neighborhood):
            return given
        lengths = {name for name, p in behavior.parameters().items() if p.unit is Unit.LENGTH}
        return {name: value * spacing if name in lengths else value for name, value in given.items()}

    return replace(preset, behaviors={b.name: values(b) for b in behaviors_of(preset)})


def _distance_apart(crowd: Object, preset: Preset) -> float:
    """The usual distance between neighbors in metres: the shortest distance up to which a behavior looks at them."""
    looking = [behavior.name for behavior in behaviors_of(preset) if issubclass(behavior, Neighborhood)]
    distances = [getattr(crowd.steering, name).distance for name in looking]
    return min(distances, default=2.0 * crowd.steering.vehicle.radius)
