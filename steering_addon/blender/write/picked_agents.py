"""Turns picked agents of a crowd cache into keyed objects and back.

The objects that stand for them are found among vehicles at rest, or made of the model that a point shows. What is keyed
is not simulated again: the cache says where each agent is on each frame and in what state, and from this follows what
else a keyed bake shows, such as clips, held feet and wings.
"""

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

import bpy
import numpy as np
from bpy.types import Collection, Context, Object, Scene

from ...portrayal.portrait import Portrayer
from ...portrayal.sketch import Frame
from ...simulation.arrays.identities import rows_among
from ...simulation.locomotion import FLARES, PERCHED
from ...simulation.mindset import Mindset
from ...simulation.roles import Role
from ...simulation.snapshot import State, start_state
from ..animation.ownership import bake_of
from ..animation.posing import let_go
from ..animation.rotation_channels import matrices_from_channels
from ..animation.run_records import set_owners
from ..crowds import crowd_cache
from ..crowds.cached_motion import CachedMotion, ShownAgents
from ..crowds.crowd_cache import ARRIVED, edit_agents, resting_parts
from ..crowds.model_aside import put_at
from ..crowds.populating.members import collection_beside
from ..crowds.populating.models import MemberModel, detach
from ..objects.body_sizes import mean_scale
from ..objects.crowd_caches import MARK, PICKED, cache_id, cached_as, is_made, mark, points_identity
from ..objects.hierarchy import Family
from ..objects.tagged_objects import crowd_of, in_use, put_to_rest, tagged, wake
from ..pieces import as_part
from ..read.local_space import to_world
from ..read.plan import Plan, plan_reading
from ..read.point_vehicles import PointVehicles, front_of_model, models_of_points, sources_of_points
from ..read.reading import Reader
from ..read.start_pose import channels, give_back, store
from ..read.sweep import read_ahead, sweep
from ..refusal import Refusal
from .key_writer import KeyWriter
from .subjects import driven_crowds, playing_models, stateful_crowds, subjects_of

SETTINGS = ("speed_factor", "size_factor", "length_factor", "mass_factor", "active")
"""The settings of a point that its object has as well."""
SMALLEST = 1e-9
ROW = re.compile(r"^\d{3} ")
"""The number with which the names of models begin that Populate made."""


@dataclass(frozen=True)
class PickedAgent:
    """An agent to stand for.

    Attributes:
        ob: the vehicle that it is, or the object whose point it is.
        points, point: the vehicles that the points of that are, and its row among them; None and -1 for an object.
    """

    identity: int
    row: int
    ob: Object
    points: PointVehicles | None = None
    point: int = -1


def agents_of(
    cache: Collection, crowd: Object, motion: CachedMotion, identities: Sequence[int], scene: Scene
) -> list[PickedAgent]:
    """The agents of a cache with these identities. Refused if one is unknown, hidden by an edit, or gone."""
    rows = {int(identity): row for row, identity in enumerate(motion.identity.tolist())}
    if unknown := [identity for identity in identities if identity not in rows]:
        raise Refusal(f"The cache of {crowd.name} has no agent {unknown[0]}. Choose others.", about=[crowd])
    if hidden := [identity for identity in identities if motion.edited["hidden"][rows[identity]]]:
        text = f"Agent {hidden[0]} of {crowd.name} is hidden by an edit, or an object already. Choose others."
        raise Refusal(text, about=[crowd])
    members, wanted = in_use(scene), set(identities)
    vehicles = [ob for ob in tagged(members, Role.VEHICLE) if not ob.steering.locked]
    found = {
        ob.steering.identity: PickedAgent(ob.steering.identity, rows[ob.steering.identity], ob)
        for ob in vehicles
        if ob.steering.identity in wanted and (cached := cached_as(ob)) and cached.cache == cache_id(cache)
    }
    if found.keys() != wanted:
        found |= _agents_of_points(crowd, motion, vehicles, members, scene, wanted - found.keys(), rows)
    if missing := [identity for identity in identities if identity not in found]:
        text = f"Agent {missing[0]} of {crowd.name} is in the cache, but no longer in the scene. Bake again."
        raise Refusal(text, about=[crowd])
    return [found[identity] for identity in identities]


def _agents_of_points(
    crowd: Object,
    motion: CachedMotion,
    vehicles: Sequence[Object],
    members: Sequence[Object],
    scene: Scene,
    wanted: set[int],
    rows: Mapping[int, int],
) -> dict[int, PickedAgent]:
    objects = [ob for ob in tagged(members, Role.POINTS) if not ob.steering.locked and crowd_of(ob) is not None]
    known = np.array([ob.steering.identity for ob in vehicles], dtype=np.int64)
    found = {}
    for ob, (points, identities) in sources_of_points(objects, scene, motion.first, known, {}, adds_nothing=False):
        for point in np.flatnonzero(np.isin(identities, list(wanted))).tolist() if crowd_of(ob) == crowd else ():
            identity = int(identities[point])
            found[identity] = PickedAgent(identity, rows[identity], ob, points, point)
    return found


def object_for(context: Context, crowd: Object, agent: PickedAgent, motion: CachedMotion) -> list[Object]:
    """Make a vehicle of the model of a point agent; it comes before its parts. Refused if the points have no models."""
    points, point, models = agent.points, agent.point, models_of_points(agent.ob)
    if points is None or not models:
        text = f"The points of {agent.ob.name} have no models. Choose a collection of some for it."
        raise Refusal(text, about=[agent.ob])
    model = models[min(max(int(points.variant[point]), 0), len(models) - 1)]
    front = front_of_model(agent.ob, model)
    member_model = MemberModel.of(model, Family())
    names = [f"{ROW.sub('', name)} {agent.identity}" for name in member_model.names]
    copies = member_model.copied_as(names, collection_for(context, crowd))
    detach(copies)
    root = copies[0]
    let_go(root)
    for copy in copies:
        copy[PICKED] = points.identity
    # As on the first frame, in its own rotation mode.
    shown, mode = motion.on_frames(np.array([motion.first]), np.array([agent.row])), root.rotation_mode
    put_at(root, shown.position[0, 0], shown.rotation[0, 0], motion.scale[agent.row])
    root.rotation_mode = mode
    settings, up = root.steering, "XYZ".index(front[1][-1])
    settings.roles, settings.crowd, settings.identity = {Role.VEHICLE.name}, crowd, agent.identity
    settings.forward_axis, settings.up_axis = front
    for name in SETTINGS:
        setattr(settings, name, type(getattr(settings, name))(points.stored[name][point]))
    settings.seed, settings.start_speed = int(points.seeds[point]), float(points.start_speed[point])
    if np.isfinite(enters := points.enters[point]):
        settings.use_enter_frame, settings.enter_frame = True, int(enters)
    unscaled = max(abs(root.scale[up]), SMALLEST)
    settings.height = float(points.height[point]) / unscaled
    settings.origin_height = float(points.origin_height[point]) / unscaled
    settings.measured_scale = mean_scale(root)
    store(root, *channels(root))
    return copies


def collection_for(context: Context, crowd: Object) -> Collection:
    """The collection of the objects that are made for agents of a crowd; it is created beside the crowd if needed."""
    for collection in collections_of(context.scene):
        if collection[PICKED] == crowd:
            return collection
    collection = bpy.data.collections.new(f"{crowd.name} Picked")
    collection[PICKED] = crowd
    collection_beside(context, crowd).children.link(collection)
    return collection


def collections_of(scene: Scene) -> Iterator[Collection]:
    """The collections of objects that were made for agents."""
    return (c for c in scene.collection.children_recursive if c.library is None and PICKED in c)


def remove_made(objects: Sequence[Object], scene: Scene) -> None:
    """Remove vehicles that were made for agents, with their parts, and collections that are left empty."""
    family = Family()
    made = [part for ob in objects for part in (ob, *family.descendants(ob)) if is_made(part)]
    bpy.data.batch_remove(dict.fromkeys(made))
    for collection in list(collections_of(scene)):
        if not collection.objects and not collection.children:
            bpy.data.collections.remove(collection)


def check_removable(objects: Sequence[Object]) -> None:
    """Refuse to remove vehicles to which something of the user's is parented."""
    family = Family()
    for ob in objects:
        if foreign := next((part for part in family.descendants(ob) if not is_made(part)), None):
            text = f"{foreign.name} is parented to {ob.name}, which would be removed. Clear the parent first."
            raise Refusal(text, about=[foreign])


LANDINGS = {PERCHED: crowd_cache.PERCHED, FLARES: crowd_cache.FLARES}
"""The outputs of flyers that a cache has as flags."""
SWEEPING = 0.8
"""Share of the progress that going through the frames takes; writing keys is the rest."""


def making_objects(
    context: Context, cache: Collection, crowd: Object, identities: Sequence[int], *, replace_own_keys: bool
) -> Generator[float, None, tuple[list[Object], Sequence[str]]]:
    """Let objects stand for agents of a cache, yielding the share that is done; closing it leaves nothing. Returns the
    vehicles that stand for them now, and warnings. Refused if one of the agents cannot become an object."""
    scene, motion = context.scene, CachedMotion(cache, crowd)
    agents = agents_of(cache, crowd, motion, identities, scene)
    made: list[Object] = []
    try:
        vehicles = []
        for agent in agents:
            if agent.points is not None:
                parts = object_for(context, crowd, agent, motion)
                made += parts
                vehicles.append(parts[0])
            else:
                vehicles.append(agent.ob)
        # A view layer does not have the new objects before.
        context.view_layer.update()
        # The cache moves the others.
        plan = plan_reading(scene, only=vehicles, replace_own_keys=replace_own_keys, alone=True)
        plan = replace(plan, frames=np.arange(motion.first, motion.last + 1))
        run = cache_id(cache).partition(":")[0]
        warnings = yield from _keying(plan, motion, run, replace_own_keys=replace_own_keys)
    except BaseException:
        remove_made([ob for ob in made if ob.parent not in made], scene)
        raise
    family = Family()
    rested = [ob for ob in vehicles if MARK in ob]
    for ob in rested:
        del ob[MARK]
        ob[PICKED] = 0
    wake({*rested, *(part for ob in rested for part in resting_parts(ob, family))})
    for ob in vehicles:
        ob.steering.locked = True
    edit_agents(motion.edits, np.array(identities), hidden=True, picked=True)
    set_owners(run, {ob.steering.identity: 0 for ob in vehicles if is_made(ob)})
    context.view_layer.update()
    return vehicles, warnings


def _keying(
    plan: Plan, motion: CachedMotion, run: str, *, replace_own_keys: bool
) -> Generator[float, None, Sequence[str]]:
    """Key the vehicles of a plan as their agents move, yielding the share that is done; returns warnings."""
    reader, playing = Reader(plan), playing_models(plan)
    writer = KeyWriter(plan, playing, replace_own_keys=replace_own_keys)
    portrayer = Portrayer(subjects_of(plan, playing, driven_crowds(plan)))
    before: State | None = None
    try:
        with closing(sweep(plan, reader)) as frames:
            for row, (frame, state, arrived) in enumerate(_played(plan, motion, read_ahead(frames))):
                sketch = portrayer.sketch(before, state, frame)
                bodies = replace(sketch.bodies, arrived=arrived)
                writer.frame(portrayer.portrait(replace(sketch, bodies=bodies)))
                before = state
                yield SWEEPING * (row + 1) / len(plan.frames)
        yield from as_part(writer.finish(run), SWEEPING, 1.0)
    except BaseException:
        writer.discard()
        raise
    return writer.warnings


def _played(plan: Plan, motion: CachedMotion, frames: Iterator[Frame]) -> Iterator[tuple[Frame, State, np.ndarray]]:
    """The frames of a plan, with its vehicles as a cache has them, and who is where it was led, (n,)."""
    agents = rows_among(motion.identity, plan.vehicles.identity)
    shown = motion.on_frames(plan.frames, agents)
    position, basis, away = shown.position, _bases(plan, shown), shown.pose < 0
    velocity = _velocity(position, away, motion.start_velocity(agents), plan.frame_time)
    mindset, told = None, dict(shown.columns)
    states, flags = told.pop("state", None), told.pop("flags", np.zeros(away.shape, np.int8))
    # Phases follow from the motion, in finer steps.
    told.pop("phase", None)
    told |= {name: (flags & flag > 0).astype(np.float64) for name, flag in LANDINGS.items() if (flags & flag).any()}
    for row, frame in enumerate(frames):
        state = start_state(
            position[row], basis[row, :, :, 1], basis[row, :, :, 2], velocity[row], frame.number * plan.frame_time
        )
        if states is not None:
            mindset = _taken_up(plan, mindset, states[row], state.time)
        outputs = {name: column[row].astype(np.float64) for name, column in told.items()}
        state = replace(state, gone=away[row], inputs=frame.snapshot, mindset=mindset, outputs=outputs)
        yield frame, state, flags[row] & ARRIVED > 0


def _bases(plan: Plan, shown: ShownAgents) -> np.ndarray:
    """The side, forward and up axes of vehicles, (f, n, 3, 3), from the rotations of their models."""
    source, turns = plan.vehicles.source, matrices_from_channels(shown.rotation, "QUATERNION")
    signs = source.scales(range(len(source)))
    bases = np.empty(turns.shape)
    for k, axes in enumerate(source.axes):
        _, bases[:, k] = to_world(np.eye(4), shown.position[:, k], turns[:, k], axes, signs[k])
    return bases


def _velocity(position: np.ndarray, away: np.ndarray, start: np.ndarray, frame_time: float) -> np.ndarray:
    """(f, n, 3) m/s since the frame before; as a vehicle enters as it does, `start` (n, 3), or if that is not known
    toward the next."""
    came = np.diff(position, axis=0, prepend=position[:1]) / frame_time
    ahead = np.concatenate((came[1:], came[-1:]))
    enters = ~away & np.concatenate((np.ones((1, len(start)), np.bool_), away[:-1]))
    return np.where(enters[..., None], np.where(np.isnan(start), ahead, start), came)


def _taken_up(plan: Plan, before: Mindset | None, numbers: np.ndarray, time: float) -> Mindset:
    """The mindset of vehicles that are in states of these numbers, (n,), each as soon as it is there."""
    crowds = stateful_crowds(plan).values()
    mode = np.zeros(len(plan), dtype=np.int64)
    for crowd in crowds:
        for k, number in enumerate(crowd.numbers, 1):
            mode[crowd.rows[numbers[crowd.rows] == number]] = k
    mindset = before or Mindset.blank(len(plan), max((len(crowd.numbers) for crowd in crowds), default=0) + 1, time)
    return replace(mindset, mode=mode, since=np.where(mode == mindset.mode, mindset.since, time))


def give_agents_back(
    context: Context, cache: Collection | None, crowd: Object, objects: Sequence[Object], identities: Sequence[int]
) -> tuple[list[int], list[str]]:
    """Let a cache show agents again, and remove the objects that were made for them. Refused if something else is
    parented to what would be removed. Returns the identities of those that the cache does not hold, and warnings.

    Args:
        cache: that of the crowd; None without one.
        objects: the vehicles that stand for agents of it.
        identities: of further agents, whose objects are gone.
    """
    scene, family = context.scene, Family()
    made, rested = [ob for ob in objects if is_made(ob)], [ob for ob in objects if not is_made(ob)]
    check_removable(made)
    identities = [*identities, *(ob.steering.identity for ob in objects)]
    motion = CachedMotion(cache, crowd) if cache is not None else None
    held = set() if motion is None else set(motion.identity.tolist())
    parts = [part for ob in objects for part in (ob, *family.descendants(ob))]
    for ob in made:
        if (bake := bake_of(ob)) is not None:
            set_owners(bake.bake_id, {ob.steering.identity: points_identity(ob)})
    warnings = list(KeyWriter.delete(parts))
    for ob in rested:
        give_back(ob)
        ob.steering.property_unset("locked")
        del ob[PICKED]
        if motion is not None and ob.steering.identity in held:
            mark(ob, cache_id(cache), motion.first, motion.last)
    resting = [ob for ob in rested if MARK in ob]
    put_to_rest({*resting, *(part for ob in resting for part in resting_parts(ob, family))}, scene)
    remove_made(made, scene)
    if motion is not None and motion.edits is not None:
        edit_agents(motion.edits, np.array(identities, dtype=np.int64), hidden=False, picked=False)
    context.view_layer.update()
    return [identity for identity in identities if identity not in held], warnings
