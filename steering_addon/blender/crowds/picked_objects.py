"""The objects that stand for picked agents: found among vehicles at rest, or made of the model that a point shows."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Collection, Context, Object, Scene

from ...simulation.roles import Role
from ..animation.held_transforms import let_go
from ..objects.body_sizes import mean_scale
from ..objects.crowd_caches import PICKED, cache_id, cached_as, is_made
from ..objects.hierarchy import Family
from ..objects.tagged_objects import crowd_of, in_use, tagged
from ..read.point_vehicles import PointVehicles, front_of_model, models_of_points, sources_of_points
from ..read.start_pose import channels, store
from ..refusal import Refusal
from .cached_motion import CachedMotion
from .model_aside import put_at
from .populating.members import collection_beside
from .populating.models import MemberModel, detach

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
