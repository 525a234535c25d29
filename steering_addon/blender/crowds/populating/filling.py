"""Fills a crowd: keeps existing members, adds missing ones and removes surplus ones."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np
from bpy.types import Collection, Context, Object
from mathutils import Matrix

from ....settings.placement import facing, models, sizes, turns
from ....settings.population import AT_MODEL, CURVE, VOLUME, Population
from ....settings.preset import Preset
from ....simulation.arrays.chance import keys_of
from ....simulation.arrays.identities import distinct
from ....simulation.arrays.vectors import unit
from ....simulation.locomotion import Locomotion
from ....simulation.roles import Role
from ...animation.ownership import holds_nothing
from ...animation.posing import held_paths, let_go
from ...objects.crowd_caches import standing_for
from ...objects.doubles import doubles
from ...objects.hierarchy import Family, ancestors
from ...objects.identity import MOST, new_identity, taken_identities
from ...objects.tagged_objects import crowd_of, in_use, tagged, vehicles_of
from ...properties import has_role
from ...read.checks import check_numbers
from ...read.dependencies import KeyedPaths, animated_paths
from ...read.ground import MemberGround
from ...read.place_kinds import Newcomers
from ...read.role_assignment import measure_height
from ...read.solids import Solids
from ...read.sources import BodySource
from ...read.surfaces import SurfaceReader
from ...refusal import Refusal, check_stored, sound_front
from ..joining import SMALLEST, Shape, fit_body, fit_size, fit_stride, measure_for, median_length, shape_of
from ..member_variation import scale_is_free
from ..moves_like import UNCHANGED, Likeness, fitting_preset, flies
from .members import (
    bodies,
    bodies_of_others,
    changed_by_user,
    collection_for,
    members_of,
    own_collection,
    put,
    remove,
    resize,
    shows,
    usual_room,
)
from .models import MemberModel, Source, detach
from .place import lay_out, moves_there, set_out_both_ways, tell_remedy
from .point_members import add_model, add_points, known_settings, models_of, remove_points, varied_settings


@dataclass(frozen=True)
class FillingPlan:
    """The changes that fill a crowd, computed before anything is changed.

    Attributes:
        ground: the places of the members.
        sources: the models of the members.
        shapes: the radius and the length of each source's body, metres.
        preset: the preset for a new crowd; None if the settings of the crowd are kept.
        existing: the existing members by number.
        staying: the numbers of the members that are left unchanged.
        kept: the staying members that would be removed or moved if the user had not changed them.
        numbers: (n,) of the members to place, existing or new.
        made_of: (n,) the source of each, for new members.
        scale, room: (n,) factor of the size, and the radius in metres that is kept free.
        position, forward, up: (n, 3) metres and unit vectors.
    """

    ground: MemberGround
    sources: list[Source]
    shapes: list[Shape]
    preset: Preset | None
    existing: dict[int, Object]
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
        """The members to remove."""
        surplus = self.existing.keys() - self.staying - set(self.numbers.tolist())
        return [self.existing[number] for number in sorted(surplus)]

    @property
    def count(self) -> int:
        """The number of members after filling."""
        return len(self.staying) + len(self.numbers)


def plan_filling(
    context: Context,
    crowd: Object | None,
    population: Population,
    place: Object | None,
    objects: Sequence[tuple[Object, float]],
    like: Likeness,
    family: Family,
    *,
    sizes_of_preset: bool,
) -> FillingPlan:
    """Plan which members to add, remove and place. Nothing is changed.

    Existing members keep their object, identity and settings, and move only if the arrangement or its place has
    changed. Members that the user has changed are left unchanged. Refused if the crowd cannot be filled.

    Args:
        crowd: the crowd to fill; None for a new crowd at the 3D cursor.
        place: the surface, volume or curve, for arrangements that need one.
        objects: the models and their weights.
        like: the likeness for a crowd without settings.
        family: with the parts that go with models without being parented to them.
        sizes_of_preset: whether Random Scale of a new crowd is that of its preset.
    """
    vehicles = [] if crowd is None else vehicles_of(crowd, context.scene)
    check_stored([*([crowd] if crowd is not None else []), *([place] if place is not None else []), *vehicles])
    check_stored(ob for ob, _ in objects)
    depsgraph = context.evaluated_depsgraph_get()
    flying = flies(like, crowd)
    sources = [Source.of(ob, weight, family, depsgraph, flies=flying) for ob, weight in objects if weight > 0.0]
    _check(context, crowd, population, sources)
    preset = (
        None
        if like is UNCHANGED or not sources
        else fitting_preset(like, median_length(source.body.length(*source.front) for source in sources))
    )
    moves = moves_there(place, crowd, preset, depsgraph)
    population = lay_out(population, moves)
    scalable = _scalable(sources)
    if sizes_of_preset and preset is not None:
        population = replace(population, random_scale=preset.variation.get("size", 0.0) if any(scalable) else 0.0)
    rooms = [source.room(on_ground=population.arrangement != VOLUME) for source in sources]
    existing = members_of(crowd, context.scene) if crowd is not None else {}
    ground = _ground_of(context, crowd, population, place, sources, max(rooms, default=0.0), existing, moves)
    changed = {number for number, ob in existing.items() if changed_by_user(ob, family)}
    # Points are all made each time. To read settings that a crowd does not have would give them to it.
    is_laid_out = not population.in_points and bool(existing) and _is_laid_out(crowd, ground)
    staying = changed | {number for number in existing if is_laid_out and number <= population.count}
    numbers = np.array([k for k in range(1, population.count + 1) if k not in staying], dtype=np.int64)
    for number in numbers.tolist():
        if number in existing:
            sound_front(existing[number])
    made_of = models(population, numbers, np.array([source.weight for source in sources]))
    # What the model is animated in keeps the size that this gives it.
    scale = np.where(np.array(scalable, dtype=np.bool_)[made_of], sizes(population, numbers), 1.0)
    room = scale * _usual_rooms(existing, numbers, made_of, rooms)
    spots = ground.spots(numbers - 1, room, _bodies_to_avoid([existing[k] for k in sorted(staying)], sources, rooms))
    count = len(spots.valid)
    if len(numbers) and not count and not staying:
        raise Refusal(f"{_name(place or crowd)} has no room for any member. {tell_remedy(ground, sources)}.")
    both_ways = population.arrangement == CURVE and set_out_both_ways(crowd, preset)
    turn = turns(population, numbers[:count], both_ways=both_ways)
    forward, up = facing(spots, ground.members.frame[:, 1], ground.members.frame[:, 2], turn)
    measure = measure_for(crowd, vehicles, preset, depsgraph, family)
    long = crowd is None or not vehicles or crowd.steering.vehicle.length > 0.0
    return FillingPlan(
        ground=ground,
        sources=sources,
        shapes=[shape_of(source.body, source.front, measure, long) for source in sources],
        preset=preset,
        existing=existing,
        staying=staying,
        kept=[existing[number] for number in sorted(changed) if not is_laid_out or number > population.count],
        numbers=numbers[:count],
        made_of=made_of[:count],
        scale=scale[:count],
        room=room[:count],
        position=spots.position,
        forward=forward,
        up=up,
    )


def _check(context: Context, crowd: Object | None, population: Population, sources: Sequence[Source]) -> None:
    """Raise Refusal without models, or if the collection of the members is not in the view layer."""
    if population.count and not sources:
        raise Refusal(f"{_name(crowd)} has no models to populate it with. Select models or add them under Populate.")
    collection = own_collection(crowd, context.scene)
    if collection is not None and not shows(context.view_layer.layer_collection, collection):
        raise Refusal(f"The collection {collection.name} is excluded from the view layer. Enable it in the Outliner.")


def _ground_of(
    context: Context,
    crowd: Object | None,
    population: Population,
    place: Object | None,
    sources: Sequence[Source],
    room: float,
    existing: Mapping[int, Object],
    moves: Locomotion,
) -> MemberGround:
    """The ground of members of which the usual ones need a `room`. Refused if the crowd, its place or obstacles are
    damaged, or stand at no numbers."""
    scene, depsgraph = context.scene, context.evaluated_depsgraph_get()
    obstacles = [ob for ob in _beside(context, Role.OBSTACLE, sources) if ob != place]
    check_stored(obstacles)
    standing = [*obstacles, *(ob for ob in (crowd, place) if ob is not None)]
    matrices = doubles([ob.evaluated_get(depsgraph).matrix_world for ob in standing]).reshape(-1, 4, 4)
    check_numbers(matrices, standing, scene.frame_current)
    cursor = Matrix.Translation(scene.cursor.location)
    frame = cursor if crowd is None else crowd.evaluated_get(depsgraph).matrix_world
    at_model = population.spread == AT_MODEL and sources
    middle = (sources[0].model.parts[0].matrix_world if at_model else frame).translation
    columns = doubles(frame)
    members = Newcomers(
        population,
        frame=unit(columns[:3, :3].T).T,
        origin=columns[:3, 3],
        middle=middle,
        widest=room * (1.0 + population.random_scale),
        moves=moves,
        obstacles=Solids([BodySource(ob, -1) for ob in obstacles]).read(matrices[: len(obstacles)], depsgraph)
        if obstacles
        else None,
        overhead=SurfaceReader(_beside(context, Role.SURFACE, sources)).read(depsgraph, scene.frame_current),
        other_bodies=bodies_of_others(scene, crowd, {*existing.values()}),
    )
    return MemberGround.of(members, place, depsgraph)


def _scalable(sources: Sequence[Source]) -> list[bool]:
    """Whether the members made of each source may be scaled."""
    keyed: KeyedPaths = {}
    tops = [source.model.parts[0] for source in sources]
    # Members do without keys that hold the model in one place.
    return [scale_is_free(top, animated_paths(top, keyed) - held_paths(top)) for top in tops]


def _is_laid_out(crowd: Object | None, ground: MemberGround) -> bool:
    """Whether the members of a crowd are arranged as they would be now."""
    return crowd is not None and crowd.steering.populate.laid_out == ground.fingerprint


def _usual_rooms(
    existing: dict[int, Object], numbers: np.ndarray, made_of: np.ndarray, rooms: Sequence[float]
) -> np.ndarray:
    """The radii (n,) kept free of members of the usual size, given their numbers and sources, and `rooms` of these."""
    rows = zip(numbers.tolist(), made_of.tolist())
    return np.array([usual_room(existing[k]) if k in existing else rooms[row] for k, row in rows]).reshape(-1)


def _name(ob: Object | None) -> str:
    return ob.name if ob is not None else "The crowd"


def _beside(context: Context, role: Role, sources: Sequence[Source]) -> list[Object]:
    """The objects of a role in the scene, but for models and what vehicles carry."""
    objects = in_use(context.scene)
    left_out = {*tagged(objects, Role.VEHICLE), *(part for source in sources for part in source.model.parts)}
    return [ob for ob in tagged(objects, role) if left_out.isdisjoint((ob, *ancestors(ob)))]


def fill(context: Context, crowd: Object, plan: FillingPlan) -> list[Object]:
    """Carry out the plan for a crowd; returns the members that were placed."""
    leaving = plan.leaving
    making = _Making(crowd, collection_for(context, crowd), plan)
    numbers, rows = plan.numbers.tolist(), plan.made_of.tolist()
    members = [plan.existing.get(number) or making.member(number, row) for number, row in zip(numbers, rows)]
    for ob, scale, room in zip(members, plan.scale.tolist(), plan.room.tolist()):
        resize(ob, scale, room)
    put(members, plan.position, plan.forward, plan.up)
    remove(leaving)
    remove_points(crowd, context)
    crowd.steering.populate.laid_out = plan.ground.fingerprint
    # Objects linked to the collection are not listed until the view layer is updated.
    context.view_layer.update()
    return members


def fill_with_points(context: Context, crowd: Object, plan: FillingPlan) -> Object:
    """As `fill`, with members that are points of one mesh; returns its object."""
    if not plan.staying:
        fit_crowd(crowd, plan)
    leaving = [ob for number, ob in plan.existing.items() if number not in plan.staying]
    wanted = _identities(crowd, plan.numbers)
    known = known_settings(crowd, context, leaving, wanted) if plan.preset is None else {}
    remove(leaving)
    models = models_of(context, crowd, collection_for(context, crowd))
    for source in plan.sources:
        add_model(models, source.model, source.front, source.scale)
    # An object that stands for a point has its identity.
    occupied = taken_identities(standing_for(crowd, in_use(context.scene)))
    identities = distinct(wanted, np.array(sorted(occupied), dtype=np.int64))
    body, rows = crowd.steering.vehicle, plan.made_of
    heights = np.array([source.body.height(source.front[1]) for source in plan.sources])
    origins = np.array([_lift(source) for source in plan.sources])
    radius, length = np.array(plan.shapes).reshape(-1, 2).T
    settings = {
        "height": heights[rows],
        "origin_height": origins[rows],
        "size_factor": (radius / body.radius if body.radius > 0.0 else np.ones(len(radius)))[rows],
        **(known if plan.preset is None else varied_settings(identities, 0, plan.preset.variation)),
    }
    if body.length > 0.0:
        settings["length_factor"] = (length / np.maximum(radius, SMALLEST) * body.radius / body.length)[rows]
    places = plan.position, plan.forward, plan.up, plan.scale
    ob = add_points(context, crowd, models, identities, *places, rows, settings)
    crowd.steering.populate.laid_out = plan.ground.fingerprint
    context.view_layer.update()
    return ob


def fit_crowd(crowd: Object, plan: FillingPlan) -> None:
    """Fit a crowd without vehicles to the models of its first members."""
    fit_body(crowd, plan.shapes)
    fit_stride(crowd, [source.body.height(source.front[1]) for source in plan.sources])


def _lift(source: Source) -> float:
    """The height of the origin of a model above its feet, metres."""
    up = source.front[1]
    unscaled = source.body.unscaled_height(up)
    ratio = source.body.origin_height(up) / unscaled if unscaled > 0.0 else 0.0
    return ratio * source.body.height(up)


def _identities(crowd: Object, numbers: np.ndarray) -> np.ndarray:
    """The identities (n,) of the members of some numbers, as far as they are not taken."""
    keys = keys_of(crowd.steering.identity, numbers)
    return (keys % np.uint64(MOST) + np.uint64(1)).astype(np.int64)


class _Making:
    """Makes members: the first of each model is copied from the model, the others from that first member."""

    def __init__(self, crowd: Object, collection: Collection, plan: FillingPlan) -> None:
        self.crowd = crowd
        self.collection = collection
        self._sources, self._shapes = plan.sources, plan.shapes
        self._identities = dict(zip(plan.numbers.tolist(), _identities(crowd, plan.numbers).tolist()))
        self._first: dict[int, MemberModel] = {}
        vehicles = [ob for ob in bpy.data.objects if has_role(ob, Role.VEHICLE)]
        self._taken, self._chance = taken_identities(), random.Random(crowd.steering.identity)
        if not any(crowd_of(ob) == crowd for ob in vehicles):
            fit_crowd(crowd, plan)

    def member(self, number: int, row: int) -> Object:
        """Make the member of a number from the source of a row. It still has to be placed."""
        source = self._sources[row]
        if row not in self._first:
            copies = source.model.copied(number, self.collection)
            detach(copies)
            let_go(copies[0])
            if copies[0].animation_data is not None and holds_nothing(copies[0].animation_data):
                # As it is after a bake is deleted.
                copies[0].animation_data_clear()
            # Its copies are vehicles, too.
            settings = copies[0].steering
            settings.roles, settings.crowd = {Role.VEHICLE.name}, self.crowd
            settings.forward_axis, settings.up_axis = source.front
            measure_height(copies[0], source.body)
            self._first[row] = MemberModel.made_of(copies, source.model.names)
        else:
            copies = self._first[row].copied(number, self.collection)
        for part, original in zip(copies, source.model.parts, strict=True):
            part.steering.member.number = number
            # Copies are in view, but for parts that are hidden of a model that is not hidden as a whole.
            if original.hide_get() and not source.model.parts[0].hide_get():
                part.hide_set(True)
        root = copies[0]
        root.scale = source.scale
        root.steering.identity = self._identity(number)
        fit_size(root, self.crowd, self._shapes[row])
        root.steering.member.scale = 1.0
        return root

    def _identity(self, number: int) -> int:
        """The identity of the member of a number; a removed member gets the same one when it is added again."""
        identity = self._identities[number]
        if identity in self._taken:
            identity = new_identity(self._taken, self._chance)
        self._taken.add(identity)
        return identity


def _bodies_to_avoid(
    members: Sequence[Object], sources: Sequence[Source], rooms: Sequence[float]
) -> tuple[np.ndarray, np.ndarray]:
    """The positions (m, 3) and radii (m,) of members and of visible models, which new members avoid."""
    positions, radii = bodies(members)
    visible = [row for row, source in enumerate(sources) if source.model.parts[0].visible_get()]
    models = [source.model.parts[0].matrix_world.translation for source in sources]
    return (
        np.concatenate((positions, np.array([models[row] for row in visible]).reshape(-1, 3))),
        np.concatenate((radii, np.array([rooms[row] for row in visible]))),
    )
