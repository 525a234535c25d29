"""The members that Populate made, the collection that holds them, and whether the user has changed them since."""

from collections.abc import Sequence, Set
from contextlib import suppress

import bpy
import numpy as np
from bpy.types import Collection, Context, LayerCollection, Object, Scene
from mathutils import Matrix

from ....simulation.arrays.vectors import cross
from ....simulation.geometry.capsules import half_axis, probes
from ....simulation.roles import Role
from ...animation.bake_record import TRANSFORM_CHANNELS
from ...animation.ownership import CurrentAnimation, is_baked, our_keys
from ...animation.rotation_channels import matrices_from_channels
from ...animation.staging import clear_all
from ...objects.doubles import axes_of_model, doubles
from ...objects.hierarchy import Family
from ...objects.tagged_objects import capsule_of, crowd_of, in_use, tagged
from ...properties import has_role
from ...read.local_space import to_world
from ...read.point_vehicles import point_vehicles
from ...read.start_pose import MOVED, channels, own_start, start_position, store, store_pose
from ...refusal import Refusal


def number_of(ob: Object) -> int:
    """The number of the member that an object is or belongs to; 0 if Populate did not make it. Writes nothing."""
    if not ob.is_property_set("steering") or not ob.steering.is_property_set("member"):
        return 0
    return ob.steering.member.number


def members_of(crowd: Object, scene: Scene) -> dict[int, Object]:
    """The members of a crowd by number; of copies with the same number, the first by name."""
    members: dict[int, Object] = {}
    for ob in sorted(scene.objects, key=lambda ob: ob.name):
        if has_role(ob, Role.VEHICLE) and (number := number_of(ob)) and crowd_of(ob) == crowd:
            members.setdefault(number, ob)
    return members


def changed_by_user(ob: Object, family: Family) -> bool:
    """Whether the user has locked, moved, keyframed or parented a member, or parented something to it."""
    if ob.steering.locked or ob.parent is not None or ob.library is not None or not ob.is_editable:
        return True
    if any(number_of(part) != ob.steering.member.number for part in family.descendants(ob)):
        return True
    return _has_own_keys(ob) or is_moved(ob)


def is_moved(ob: Object) -> bool:
    """Whether the start of a member differs from where Populate placed it."""
    location, mode, rotation = own_start(ob)
    placed = ob.steering.member.placed
    if _differ(location, doubles(placed.location)):
        return True
    return mode == placed.rotation_mode and _differ(rotation, np.array(placed.rotation[: len(rotation)]))


def put(members: Sequence[Object], position: np.ndarray, forward: np.ndarray, up: np.ndarray) -> None:
    """Place the starts of members, and store that Populate did so.

    A baked member keeps playing its keyframes until the next bake. `position`, `forward`, `up`: (n, 3) metres and unit
    vectors.
    """
    basis = np.stack((cross(forward, up), forward, up), axis=-1)
    axes = [axes_of_model(ob) for ob in members]
    matrices = np.tile(np.eye(4), (len(members), 1, 1))
    matrices[:, :3, :3] = np.einsum("kab,kcb->kac", basis, np.array(axes).reshape(-1, 3, 3))
    matrices[:, :3, 3] = position
    for ob, matrix in zip(members, matrices.tolist()):
        _put(ob, Matrix(matrix))


def _put(ob: Object, matrix: Matrix) -> None:
    before, scale, baked = ob.matrix_basis.copy(), ob.scale.copy(), is_baked(ob)
    ob.matrix_basis = matrix
    # A mirroring scale cannot be recovered from a matrix.
    ob.scale = scale
    location, rotation = channels(ob)
    if baked:
        ob.matrix_basis = before
        ob.scale = scale
    store(ob, location, rotation)
    store_pose(ob.steering.member.placed, ob, location, rotation)


def resize(ob: Object, scale: float, room: float) -> None:
    """Scale a member, keeping other changes. `scale`: relative to its model; `room`: radius to keep free, metres."""
    member = ob.steering.member
    member.room = room
    ratio = scale / member.scale
    if abs(ratio - 1.0) > 1e-6:
        ob.scale *= ratio
        ob.steering.size_factor *= ratio
        ob.steering.measured_scale *= ratio
        member.scale = scale


def usual_room(ob: Object) -> float:
    """The radius that is kept free for a member before its size is varied, in metres."""
    member = ob.steering.member
    return member.room / member.scale


def bodies(members: Sequence[Object]) -> tuple[np.ndarray, np.ndarray]:
    """The start positions of members, (m, 3), and the radii kept free for them, (m,), in metres."""
    positions = np.array([start_position(ob) for ob in members]).reshape(-1, 3)
    return positions, np.array([ob.steering.member.room for ob in members])


def bodies_of_others(scene: Scene, crowd: Object | None, members: Set[Object]) -> tuple[np.ndarray, np.ndarray]:
    """All other vehicles of a scene where they start, as balls in a row from end to end: positions (m, 3) and radii
    (m,), metres. `crowd`: whose points are left out; `members`: the objects that are left out."""
    objects, no_rows = in_use(scene), np.zeros(0, dtype=np.int64)
    columns = [(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros(0))]
    for ob in tagged(objects, Role.VEHICLE):
        if ob in members or crowd_of(ob) is None:
            continue
        location, mode, rotation = (ob.matrix_world.translation, "QUATERNION", ob.matrix_world.to_quaternion())
        if ob.parent is None:
            location, mode, rotation = own_start(ob)
        turn = matrices_from_channels(doubles(rotation), mode)
        middle, basis = to_world(np.eye(4), doubles(location), turn, axes_of_model(ob), np.ones(3))
        columns.append((middle[None], basis[None, :, 1], *np.reshape(capsule_of(ob), (2, 1))))
    for ob in tagged(objects, Role.POINTS):
        if crowd_of(ob) not in (None, crowd):
            with suppress(Refusal):
                points, _ = point_vehicles(ob, 0, scene, scene.frame_current, no_rows, adds_nothing=True)
                model, size = points.crowd.steering.vehicle, points.stored["size_factor"]
                length = model.length * size * points.stored["length_factor"]
                columns.append((points.position, points.basis[:, :, 1], model.radius * size, length))
    middle, forward, radius, length = map(np.concatenate, zip(*columns))
    half = half_axis(radius, length)
    long = half > 0.0
    shares = np.array(probes(half[long], radius[long]))[:, None, None]
    ends = middle[long] + shares * (forward[long] * half[long, None])
    return np.concatenate((middle, ends.reshape(-1, 3))), np.concatenate((radius, np.tile(radius[long], len(shares))))


def remove(members: Sequence[Object]) -> None:
    """Delete members with their parts and bakes."""
    family = Family()
    parts = [part for ob in members for part in (ob, *family.descendants(ob))]
    clear_all(parts)
    bpy.data.batch_remove(parts)


def _differ(current: np.ndarray, stored: np.ndarray) -> bool:
    return bool((np.abs(current - stored) > MOVED * np.maximum(1.0, np.abs(stored))).any())


def _has_own_keys(ob: Object) -> bool:
    """Whether its transform has keyframes that neither a bake wrote nor the model already had."""
    animation = ob.animation_data
    if animation is None or animation.action is None:
        return False
    played = CurrentAnimation(ob)
    if played.bag is None or played.only_ours or played.action.users - played.action.use_fake_user > 1:
        return False
    return any(
        curve.data_path in TRANSFORM_CHANNELS and not our_keys(curve, played.record).all()
        for curve in played.bag.fcurves
    )


def own_collection(crowd: Object | None, scene: Scene) -> Collection | None:
    """The collection of a crowd's members; None if the crowd has none of its own in the scene.

    The collection points at the crowd, not the other way round: Blender evaluates everything that the settings of an
    object point at, so a bake that reads the crowd would evaluate all its members, rigs included, on every frame.
    """
    if crowd is None:
        return None
    collections = (c for c in scene.collection.children_recursive if c.library is None and c.steering_crowd == crowd)
    return next(collections, None)


def collection_for(context: Context, crowd: Object) -> Collection:
    """The collection of a crowd's members; it is created beside the crowd if needed."""
    collection = own_collection(crowd, context.scene)
    if collection is None:
        collection = bpy.data.collections.new(f"{crowd.name} Members")
        collection_beside(context, crowd).children.link(collection)
        collection.steering_crowd = crowd
    return collection


def fitting_collections(context: Context, ob: Object) -> list[Collection]:
    """The collections in which an object is shown and to which others can be added, so no linked or overridden ones."""
    layer = context.view_layer.layer_collection
    local = (c for c in ob.users_collection if c.library is None and c.override_library is None)
    return [collection for collection in local if shows(layer, collection)]


def collection_beside(context: Context, ob: Object) -> Collection:
    """The collection for something beside an object: the first that fits, or else that of the scene."""
    return next(iter(fitting_collections(context, ob)), context.scene.collection)


def shows(layer: LayerCollection, collection: Collection) -> bool:
    """Whether a collection is below a layer and not excluded."""
    if layer.exclude:
        return False
    return layer.collection == collection or any(shows(child, collection) for child in layer.children)
