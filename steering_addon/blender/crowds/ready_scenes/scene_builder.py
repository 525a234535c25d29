"""The parts that every ready scene has: a collection and a crowd of its own, varied members, and a free place.

Existing objects are left unchanged.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import bpy
import numpy as np
from bpy.types import ID, Collection, Context, Object
from mathutils import Vector

from ....settings.preset import Preset, scaled
from ....simulation.arrays.chance import Keys, mix, uniform
from ....simulation.declaration import Kind
from ....simulation.roles import Role
from ...clips.clip_speeds import start_at_cruise
from ...moving import locomotion_of
from ...objects.hierarchy import Family
from ...objects.identity import identities_in_a_row, new_identity, taken_identities
from ...objects.tagged_objects import in_use
from ...properties import has_role
from ...read.role_assignment import give_role, make_vehicle, new_crowd
from ..behavior_adding import point_at
from ..member_variation import vary
from ..preset_exchange import take_up
from ..preset_files import CROWDS
from .models import ReadyModel, appended

CLOSER, BESIDE = 1.1, 0.3
"""The step of the grid of a large crowd, as a multiple of the distance of neighbors, and how far from it they are."""
MOST_PLACES = 100
"""Number of places that are tried beside existing crowds."""


@dataclass(frozen=True)
class SceneOptions:
    """The options of a ready scene.

    Attributes:
        seed: of all its random numbers.
        size: of a member in metres.
        spacing: factor of the usual distance between members.
        place: the middle of the scene.
    """

    count: int
    seed: int
    size: float
    spacing: float
    place: Vector


class ReadyMember(NamedTuple):
    """A member as it begins.

    Attributes:
        place, heading: in the world, and radians to the left of its Y axis.
        variant: of the model; by default members have them in turn.
        phase: of its limbs until a bake keyframes it; None if nothing of it reads one.
        thing: that it carries; empty for none.
    """

    place: Vector
    heading: float
    variant: int | None = None
    phase: float | None = None
    thing: str = ""


@dataclass(frozen=True)
class ReadyScene:
    """A crowd with its surroundings, ready to bake.

    Attributes:
        operator: the name of its operator, after "steering.".
        description: the operator's tooltip, without a period.
        counted: the tooltip of its count; count: the default.
        measure: the label of its size; measured: what that is, for the tooltip; size: the default, in meters.
        reach: the radius that it needs, in meters.
        add: adds it to the scene and returns its crowd; raises Refusal if a preset cannot be read.
        seconds: how long its story takes; 0 if it has no end.
    """

    operator: str
    label: str
    description: str
    icon: str
    counted: str
    count: int
    measure: str
    measured: str
    size: float
    reach: Callable[[SceneOptions], float]
    add: Callable[[Context, SceneOptions], Object]
    seconds: float = 0.0


@dataclass(frozen=True)
class SceneBuilder:
    """A new crowd, at first without members, and the collection that holds the whole scene."""

    context: Context
    collection: Collection
    crowd: Object
    place: Vector
    seed: int

    @classmethod
    def begin(cls, context: Context, title: str, options: SceneOptions) -> "SceneBuilder":
        """Add an empty crowd and its collection, both named by the title."""
        collection = bpy.data.collections.new(title)
        _active_collection(context).children.link(collection)
        beginning = cls(context, collection, context.scene, options.place, options.seed)
        return beginning.beside(title, options.place, options.size)

    def beside(self, title: str, place: Vector, size: float) -> "SceneBuilder":
        """Add another crowd to the scene, for members of a size; returns its builder."""
        crowd = new_crowd(self.context, title, self.collection, seed=self.seed)
        crowd.location, crowd.empty_display_size = place, 0.5 * size
        return replace(self, crowd=crowd)

    def add(self, name: str, data: ID | None, place: Vector, role: Role | None = None) -> Object:
        """Add an object at a place in the world."""
        ob = bpy.data.objects.new(name, data)
        ob.location = place
        self.collection.objects.link(ob)
        if role is not None:
            give_role(ob, role, Family())
        return ob

    def add_region(self, name: str, radius: float) -> Object:
        """Add a spherical region around the crowd."""
        region = self.add(name, None, self.crowd.location, Role.REGION)
        region.empty_display_type, region.empty_display_size = "SPHERE", radius
        return region

    def settle(self, preset: Preset, model: ReadyModel, size: float, target: Object | None = None) -> None:
        """Give the crowd the settings of a preset and the measures of a model. `size`: of the model, metres; `target`:
        the region or path that behaviors of the preset point at."""
        take_up(preset, self.crowd, self.context.scene)
        if target is not None:
            point_at(self.crowd, preset, Kind.PATH if has_role(target, Role.PATH) else Kind.REGION, target)
        self.measure(model, size)

    def measure(self, model: ReadyModel, size: float) -> None:
        """Give the crowd the measures of a model of this size; what clips move needs no numbers for drivers."""
        settings = self.crowd.steering
        settings.vehicle.radius, settings.portrayal.use = model.radius * size, model.driven
        if model.stride:
            settings.portrayal.stride = model.stride * size

    def cast(
        self,
        model: ReadyModel,
        size: float,
        name: str,
        members: Sequence[ReadyMember],
        random_numbers: random.Random,
        *,
        in_a_row: bool = False,
    ) -> list[Object]:
        """Add members, vehicles of the crowd with random identities, and give the crowd the clips of their model.
        `size`: of the model, metres; `name`: of a member, a format of its number from 1; `in_a_row`: whether their
        identities follow each other, so that a share of them is met to one or two."""
        objects = []
        with appended(model, size, len(members)) as cast:
            for number, (place, heading, variant, phase, thing) in enumerate(members):
                variant = number if variant is None else variant
                member = cast.add(name.format(number + 1), variant, self.collection, phase)
                if thing:
                    cast.carry(member, thing)
                member.location, member.rotation_euler.z = place, heading
                objects.append(member)
            self._enlist(objects, random_numbers, model.height * size, in_a_row)
            if cast.clips:
                cast.give_clips(self.crowd, objects[0], self.context.scene)
        return objects

    def _enlist(self, members: Sequence[Object], random_numbers: random.Random, height: float, in_a_row: bool) -> None:
        """Make objects of a height, metres, vehicles of the crowd."""
        self.crowd.steering.portrayal.stride_height = height
        # Objects linked to a new collection are not listed until the view layer is updated.
        self.context.view_layer.update()
        identities = taken_identities()
        family = Family()
        numbers = iter(identities_in_a_row(len(members), identities, random_numbers) if in_a_row else ())
        for ob in members:
            # The models are built so, and need no guess.
            ob.steering.forward_axis, ob.steering.up_axis = "POS_Y", "POS_Z"
            make_vehicle(ob, self.crowd, family)
            ob.steering.height = height
            ob.steering.identity = next(numbers, None) or new_identity(identities, random_numbers)
            identities.add(ob.steering.identity)
        if locomotion_of(self.crowd).grounded:
            start_at_cruise(members, 1.0, self.crowd.steering.vehicle.cruise_speed)

    def vary(self, shares: Mapping[str, float]) -> None:
        """Vary the members by such shares as presets have, as the operator Vary does."""
        vary(self.context.scene, self.crowd, shares, seed=self.seed)

    def select(self) -> Object:
        """Select the crowd, its members, and its region or path, so that they can be moved together; the crowd."""
        for ob in self.context.view_layer.objects:
            if ob.select_get():
                ob.select_set(False)
        for ob in self.collection.objects:
            if ob.parent is None:
                ob.select_set(True)
        self.context.view_layer.objects.active = self.crowd
        return self.crowd


def fitted_preset(name: str, size: float) -> Preset:
    """The crowd preset of a name for bodies of this length, metres."""
    preset = CROWDS.find(name).load()
    return scaled(preset, size / preset.body_length)


def free_place(context: Context, width: float) -> Vector:
    """The 3D cursor or, if a crowd occupies it, the first free place beside that."""
    context.view_layer.update()
    crowds = [ob.matrix_world.translation for ob in in_use(context.scene) if has_role(ob, Role.CROWD)]
    cursor = context.scene.cursor.location
    places = (cursor + Vector((width * step, 0.0, 0.0)) for step in range(MOST_PLACES))
    free_places = (place for place in places if all((place - crowd).length > 0.5 * width for crowd in crowds))
    return next(free_places, cursor.copy())


def scattered_places(
    random_numbers: random.Random, count: int, radius: float, flatness: float, spacing: float
) -> list[tuple[float, float, float]]:
    """Random places in a flattened ball around the origin.

    Args:
        radius: of the ball, metres.
        flatness: height of the ball divided by its width.
        spacing: metres between places; reduced step by step if the ball is too small.
    """
    places: list[tuple[float, float, float]] = []
    while len(places) < count:
        candidates = []
        for _ in range(8):
            ball = Vector(random_numbers.uniform(-1.0, 1.0) for _ in range(3))
            if ball.length <= 1.0:
                candidates.append((ball.x * radius, ball.y * radius, ball.z * radius * flatness))
        for place in candidates:
            if all((Vector(place) - Vector(other)).length_squared > spacing * spacing for other in places):
                places.append(place)
                break
        else:
            spacing *= 0.98
    return places


def packed_places(keys: Keys, flatness: float, spacing: float) -> np.ndarray:
    """Places in a flattened ball around the origin for one member for each of n keys, (n, 3) metres.

    They are those of a grid that are nearest to the middle, each a little beside its own. `flatness`: height of the
    ball divided by its width; `spacing`: metres between neighbors.
    """
    count, room = len(keys), 1.0 / flatness
    # A ball of radius r has 4 pi / 3 r^3 places.
    reach = int(np.ceil((count / 4.0 * room) ** (1.0 / 3.0))) + 1
    steps = np.arange(-reach, reach + 1, dtype=np.float64)
    grid = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), axis=-1).reshape(-1, 3)
    squares = np.einsum("na,na->n", grid * (1.0, 1.0, room), grid * (1.0, 1.0, room))
    nearest = np.argsort(squares, kind="stable")[:count]
    jitter = np.stack([uniform(mix(keys, axis)) - 0.5 for axis in (1, 2, 3)], axis=1)
    return (grid[nearest] + BESIDE * jitter) * (spacing * CLOSER)


def _active_collection(context: Context) -> Collection:
    """The active collection; the scene's root collection if the active one is linked or excluded."""
    active = context.view_layer.active_layer_collection
    if active is None or active.exclude or not active.collection.is_editable or active.collection.library is not None:
        return context.scene.collection
    return active.collection
