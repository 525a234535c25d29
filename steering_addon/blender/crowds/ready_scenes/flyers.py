"""A flock of birds and a school of fish, which stay around their place."""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Context, Object
from mathutils import Vector

from ....settings.population import MOST_OBJECTS, factors
from ....settings.preset import Preset, scaled
from ....settings.preset_parts import BEHAVIOR
from ....settings.preset_values import Values
from ....simulation.arrays.angles import cosine_and_sine
from ....simulation.arrays.chance import keys_of, mix, uniform
from ....simulation.arrays.identities import distinct
from ....simulation.behavior import Behavior
from ....simulation.declaration import Unit
from ....simulation.maneuvers.neighborhood import Neighborhood
from ...objects.identity import taken_identities
from ..behavior_adding import behaviors_in
from ..populating.point_members import add_model, add_points, models_of, varied_settings
from ..preset_files import CROWDS, SHIPPED, Listed
from .models import BIRD, FISH, ReadyModel, appended
from .scene_builder import ReadyMember, ReadyScene, SceneBuilder, SceneOptions, packed_places, scattered_places

SWAY = 0.3 / math.tau
"""By how much headings differ, in turns."""


@dataclass(frozen=True)
class Flyers:
    """A flock or a school.

    Attributes:
        preset: the crowd preset that is scaled to the size of the members.
        containment: the behavior preset in presets/ready_scenes that replaces values of the crowd preset. The crowd
            preset is meant for the open sky and would let members far out of a small region.
        room: radius of the region in sizes of a member, for the usual count.
        model: of the members; phases: in which of these cycles they are at the start.
        flatness: height of the start volume divided by its width.
    """

    title: str
    preset: str
    containment: str
    room: float
    usual: int
    model: ReadyModel
    phases: float
    flatness: float

    def reach(self, options: SceneOptions) -> float:
        """The radius of the region in metres."""
        crowding = max(options.count / self.usual, 0.25) ** (1.0 / 3.0)
        return self.room * options.size * max(crowding * options.spacing, 1.0)

    def fitted_preset(self, options: SceneOptions) -> Preset:
        """The preset for members of this size and spacing in a region."""
        crowd = CROWDS.find(self.preset).load()
        path = SHIPPED / "ready_scenes" / f"{self.containment}.json"
        [(name, values)] = Listed(self.containment, str(path), False, BEHAVIOR).load().behaviors.items()
        behaviors = {**crowd.behaviors, name: {**crowd.behaviors.get(name, {}), **values}}
        contained = replace(crowd, behaviors=behaviors)
        return _scale_spacing(scaled(contained, options.size / crowd.body_length), options.spacing)

    def add(self, context: Context, options: SceneOptions) -> Object:
        """Add members inside a region of their own; returns their crowd."""
        preset = self.fitted_preset(options)
        random_numbers = random.Random(options.seed)
        builder = SceneBuilder.begin(context, self.title, options)
        builder.crowd.empty_display_size = 2.0 * options.size
        region = builder.add_region(f"{self.title} Region", self.reach(options))
        builder.settle(preset, self.model, options.size, region)
        names = [behavior.name for behavior in behaviors_in(preset) if issubclass(behavior, Neighborhood)]
        distances = [getattr(builder.crowd.steering, name).distance for name in names]
        spacing = min(distances, default=2.0 * builder.crowd.steering.vehicle.radius)
        spread = 0.55 * spacing * options.count ** (1.0 / 3.0) / self.flatness ** (1.0 / 3.0)
        if options.count > MOST_OBJECTS:
            self._add_points(builder, options, preset, spacing)
            return builder.select()
        spread = min(spread, 0.8 * region.empty_display_size)
        positions = scattered_places(random_numbers, options.count, spread, self.flatness, 0.6 * spacing)
        heading = random_numbers.uniform(0.0, math.tau)
        members = []
        for position in positions:
            variant = random_numbers.choice(range(min(options.count, self.model.variants)))
            phase = random_numbers.uniform(0.0, self.phases)
            toward = heading + random_numbers.uniform(-0.15, 0.15)
            members.append(ReadyMember(options.place + Vector(position), toward, variant, phase))
        builder.cast(self.model, options.size, f"{self.model.name} {{:03}}", members, random_numbers)
        builder.vary(preset.variation)
        return builder.select()

    def _add_points(self, builder: SceneBuilder, options: SceneOptions, preset: Preset, spacing: float) -> None:
        count, crowd, context = options.count, builder.crowd, builder.context
        keys = keys_of(options.seed, np.arange(count, dtype=np.int64))
        position = np.array(options.place) + packed_places(keys, self.flatness, spacing)
        turn = uniform(keys_of(options.seed, np.full(1, -1))) + (uniform(mix(keys, 4)) - 0.5) * SWAY
        cosine, sine = cosine_and_sine(turn * math.tau)
        level, zero = np.array([0.0, 0.0, 1.0]), np.zeros(count)
        crowd.steering.portrayal.stride_height = options.size
        models = models_of(context, crowd, builder.collection)
        with appended(self.model, options.size, count) as cast:
            for model in cast.models:
                # The asset file names parts by what follows the name of a member.
                named = replace(model, names=[self.model.name + title for title in model.names])
                add_model(models, named, ("POS_Y", "POS_Z"), (1.0, 1.0, 1.0))
            kinds = len(cast.models)
        identities = distinct((mix(keys, 5) >> np.uint64(33)).astype(np.int64), np.array(sorted(taken_identities())))
        settings = varied_settings(identities, options.seed, preset.variation)
        scale = factors(keys_of(options.seed, identities), "size", preset.variation.get("size", 0.0))
        add_points(
            context,
            crowd,
            models,
            identities,
            position,
            np.stack((-sine, cosine, zero), axis=1),
            np.tile(level, (count, 1)),
            scale,
            np.minimum(np.floor(uniform(mix(keys, 6)) * kinds), kinds - 1).astype(np.int64),
            {**settings, "height": np.full(count, options.size)},
            builder.collection,
        )


def _scale_spacing(preset: Preset, spacing: float) -> Preset:
    """The preset with the lengths of all behaviors that look at neighbors multiplied by the spacing."""

    def values(behavior: type[Behavior]) -> Values:
        as_stored: Mapping = preset.behaviors[behavior.name]
        if not issubclass(behavior, Neighborhood):
            return as_stored
        lengths = {name for name, p in behavior.parameters().items() if p.unit is Unit.LENGTH}
        return {name: value * spacing if name in lengths else value for name, value in as_stored.items()}

    return replace(preset, behaviors={b.name: values(b) for b in behaviors_in(preset)})


FLOCK = Flyers("Flock", "starling", "flock", 150.0, 60, BIRD, 6.0, 0.5)
SCHOOL = Flyers("School", "fish", "school", 16.0, 80, FISH, 1.0, 0.6)
FLYERS = (
    ReadyScene(
        operator="add_flock",
        label="Flock of Birds",
        description="Add a flock of birds that flies around inside a region, ready to bake",
        icon="FORCE_BOID",
        counted="Number of birds",
        count=FLOCK.usual,
        measure="Length",
        measured="Length of a bird from beak to tail",
        size=BIRD.size,
        reach=FLOCK.reach,
        add=FLOCK.add,
    ),
    ReadyScene(
        operator="add_school",
        label="School of Fish",
        description="Add a school of fish that swims around inside a region, ready to bake",
        icon="MOD_OCEAN",
        counted="Number of fish",
        count=SCHOOL.usual,
        measure="Length",
        measured="Length of a fish from nose to tail",
        size=FISH.size,
        reach=SCHOOL.reach,
        add=SCHOOL.add,
    ),
)
