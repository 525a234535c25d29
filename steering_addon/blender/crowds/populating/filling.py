"""Filling a crowd: those who are there stay who they are, more are made, or the last ones go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy
import numpy as np
from mathutils import Matrix

from ....settings.placement import facing, models, sizes, turns
from ....settings.population import VOLUME, Population
from ....simulation.arrays.chance import keys_of
from ....simulation.roles import Role
from ...hierarchy import Family
from ...identity import MOST, new_identity
from ...properties import has_role
from ...refusal import Refusal
from ...tagged_objects import crowd_of, in_use, tagged
from ..joining import SMALLEST, measure_for
from ..moves_like import UNCHANGED, Likeness, fitting
from .ground import Ground
from .member_collection import collection_for, own_collection, shows
from .members import bodies, members_of, put, remove, resize, usual_room, worked_on
from .models import Model, Source, plain

if TYPE_CHECKING:
    from bpy.types import Collection, Context, Object

    from ....settings.preset import Preset


@dataclass(frozen=True)
class Plan:
    """What filling a crowd comes to, worked out before anything is changed.

    Attributes:
        ground: where members may be.
        sources: what they are made of.
        sizes: how large a vehicle each of them makes, in metres.
        preset: what the crowd starts to live with; None where it is left as it is.
        there: the members there are, by number.
        staying: the numbers of those that stay as and where they are.
        kept: those of them that would have gone or moved, had nobody worked on them.
        numbers: (n,) of those that are put somewhere.
        made_of: (n,) the source of each, should it have to be made.
        scale, room: (n,) what its size is multiplied by, and the radius that is kept free for it.
        position, forward, up: (n, 3) where it is and how it faces.
    """

    ground: Ground
    sources: list[Source]
    sizes: list[float]
    preset: Preset | None
    there: dict[int, Object]
    staying: set[int]
    kept: list[Object]
    numbers: np.ndarray
    made_of: np.ndarray
    scale: np.ndarray
    room: np.ndarray
    position: np.ndarray
    forward: np.ndarray
    up: np.ndarray

    @property
    def leaving(self) -> list[Object]:
        """The members that go."""
        left = self.there.keys() - self.staying - set(self.numbers.tolist())
        return [self.there[number] for number in sorted(left)]

    @property
    def count(self) -> int:
        """How many members there are then."""
        return len(self.staying) + len(self.numbers)


def plan_filling(
    context: Context,
    crowd: Object | None,
    population: Population,
    place: Object | None,
    objects: Sequence[tuple[Object, float]],
    like: Likeness,
) -> Plan:
    """Work out who comes, goes and stands where, in a crowd or in a new one at the 3D cursor; nothing is changed.

    Members that are there keep their object, identity and all that was set on them; they are put elsewhere only where
    what says their places has changed. Those that somebody has worked on stay as and where they are.

    Args:
        place: the surface, region or curve, where the arrangement wants one.
        objects: what members are made of, and how often each.
        like: what a crowd starts to live like that has not lived yet.

    Raises:
        Refusal: it cannot be done.
    """
    depsgraph, family = context.evaluated_depsgraph_get(), Family()
    sources = [Source.of(ob, weight, family, depsgraph) for ob, weight in objects if weight > 0.0]
    _check(context, crowd, population, sources)
    rooms = [source.room(on_ground=population.arrangement != VOLUME) for source in sources]
    frame = Matrix.Translation(context.scene.cursor.location)
    if crowd is not None:
        frame = crowd.evaluated_get(depsgraph).matrix_world
    ground = Ground.of(population, frame, place, max(rooms, default=0.0) * (1.0 + population.random_scale), depsgraph)

    there = members_of(crowd, context.scene) if crowd is not None else {}
    worked = {number for number, ob in there.items() if worked_on(ob, family)}
    same = bool(there) and crowd.steering.populate.laid_out == ground.mark
    staying = worked | {number for number in there if same and number <= population.count}
    numbers = np.array([k for k in range(1, population.count + 1) if k not in staying], dtype=np.int64)
    scale, made_of = sizes(population, numbers), models(population, numbers, _weights(sources))
    usual = [usual_room(there[k]) if k in there else rooms[row] for k, row in zip(numbers.tolist(), made_of.tolist())]
    room = scale * np.array(usual).reshape(-1)
    spots = ground.spots(numbers - 1, room, _standing([there[k] for k in sorted(staying)], sources, rooms))
    found = len(spots.valid)
    if len(numbers) and not found and not staying:
        raise Refusal(f"{_name(place or crowd)} has no room for a single member: make it larger.")
    forward, up = facing(spots, ground.frame[:, 1], ground.frame[:, 2], turns(population, numbers[:found]))
    preset = None if like is UNCHANGED or not sources else fitting(like, _length(sources))
    measure = measure_for(crowd, _vehicles(context, crowd), preset, depsgraph, family)
    return Plan(
        ground=ground,
        sources=sources,
        sizes=[measure(source.body) for source in sources],
        preset=preset,
        there=there,
        staying=staying,
        kept=[there[number] for number in sorted(worked) if not same or number > population.count],
        numbers=numbers[:found],
        made_of=made_of[:found],
        scale=scale[:found],
        room=room[:found],
        position=spots.position,
        forward=forward,
        up=up,
    )


def _check(context: Context, crowd: Object | None, population: Population, sources: Sequence[Source]) -> None:
    """Raises Refusal where there is nothing to make members of, or where they live is out of sight."""
    if population.count and not sources:
        raise Refusal(f"{_name(crowd)} has nothing to be filled with: select the models, or add some under Populate.")
    collection = own_collection(crowd, context.scene)
    if collection is not None and not shows(context.view_layer.layer_collection, collection):
        raise Refusal(f"{collection.name}, where the members live, is not in the view layer: tick it in the Outliner.")


def _name(ob: Object | None) -> str:
    return ob.name if ob is not None else "The crowd"


def _vehicles(context: Context, crowd: Object | None) -> list[Object]:
    """The vehicles that a crowd has already."""
    if crowd is None:
        return []
    return [ob for ob in tagged(in_use(context.scene), Role.VEHICLE) if crowd_of(ob) == crowd]


def fill(context: Context, crowd: Object, plan: Plan) -> list[Object]:
    """Do what is planned for a crowd; the members that were put somewhere."""
    leaving = plan.leaving
    making = _Making(crowd, collection_for(context, crowd), plan)
    numbers, rows = plan.numbers.tolist(), plan.made_of.tolist()
    members = [plan.there.get(number) or making.member(number, row) for number, row in zip(numbers, rows)]
    for ob, scale, room in zip(members, plan.scale.tolist(), plan.room.tolist()):
        resize(ob, scale, room)
    put(members, plan.position, plan.forward, plan.up)
    remove(leaving)
    crowd.steering.populate.laid_out = plan.ground.mark
    crowd.steering.populate.collection = making.collection
    # Until then Blender does not list what was linked to the collection.
    context.view_layer.update()
    return members


class _Making:
    """Makes members, each a copy of the first of its model."""

    def __init__(self, crowd: Object, collection: Collection, plan: Plan) -> None:
        self.crowd = crowd
        self.collection = collection
        self._sources, self._sizes = plan.sources, plan.sizes
        keys = keys_of(crowd.steering.identity, plan.numbers)
        self._identities = dict(zip(plan.numbers.tolist(), (keys % np.uint64(MOST) + np.uint64(1)).tolist()))
        self._first: dict[int, Model] = {}
        vehicles = [ob for ob in bpy.data.objects if has_role(ob, Role.VEHICLE)]
        self._taken = {0, *(ob.steering.identity for ob in vehicles)}
        largest = max(plan.sizes, default=0.0)
        if largest > SMALLEST and not any(crowd_of(ob) == crowd for ob in vehicles):
            crowd.steering.vehicle.radius = largest

    def member(self, number: int, row: int) -> Object:
        """The member of a number, made of the source of a row; where it is, is still to be said."""
        source = self._sources[row]
        if row not in self._first:
            copies = source.model.copied(number, self.collection)
            plain(copies)
            self._enlist(copies[0], source)
            self._first[row] = Model.made_of(copies, source.model.names)
        else:
            copies = self._first[row].copied(number, self.collection)
        for part in copies:
            part.steering.member.number = number
        root = copies[0]
        root.scale = source.scale
        root.steering.identity = self._identity(number)
        if self._sizes[row] > SMALLEST:
            root.steering.size_factor = self._sizes[row] / self.crowd.steering.vehicle.radius
        root.steering.member.scale = 1.0
        return root

    def _enlist(self, ob: Object, source: Source) -> None:
        """Make the first of a model a vehicle; its copies are that too."""
        own = ob.steering
        own.roles = {Role.VEHICLE.name}
        own.crowd = self.crowd
        own.forward_axis, own.up_axis = source.front

    def _identity(self, number: int) -> int:
        """Who the member of a number is: the same one when it comes back."""
        identity = self._identities[number]
        if identity in self._taken:
            identity = new_identity(self._taken)
        self._taken.add(identity)
        return identity


def _standing(
    members: Sequence[Object], sources: Sequence[Source], rooms: Sequence[float]
) -> tuple[np.ndarray, np.ndarray]:
    """Where somebody stands already (m, 3), the models that are seen as well, and their radii (m,)."""
    places, radii = bodies(members)
    seen = [row for row, source in enumerate(sources) if source.model.parts[0].visible_get()]
    models = [source.model.parts[0].matrix_world.translation for source in sources]
    return (
        np.concatenate((places, np.array([models[row] for row in seen]).reshape(-1, 3))),
        np.concatenate((radii, np.array([rooms[row] for row in seen]))),
    )


def _length(sources: Sequence[Source]) -> float:
    """How long the models are, the middle one of them; 0 without a size."""
    lengths = [length for source in sources if (length := source.body.length(*source.front)) > SMALLEST]
    return float(np.median(lengths)) if lengths else 0.0


def _weights(sources: Sequence[Source]) -> np.ndarray:
    return np.array([source.weight for source in sources])
