"""Who of a crowd was made by Populate, and which of them somebody has worked on since."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy
import numpy as np
from mathutils import Matrix

from ....simulation.arrays.vectors import cross
from ....simulation.roles import Role
from ...hierarchy import Family
from ...properties import has_role
from ...read.local_space import AXIS_NAMES, model_axes
from ...read.start_pose import MOVED, channels, store
from ...tagged_objects import crowd_of
from ...write.bake_record import TRANSFORM_CHANNELS
from ...write.ownership import Played, is_baked, our_keys
from ...write.staging import clear_all

if TYPE_CHECKING:
    from bpy.types import Object, Scene


def number_of(ob: Object) -> int:
    """Which member an object is or belongs to; 0 where Populate did not make it. Looking writes nothing."""
    if not ob.is_property_set("steering") or not ob.steering.is_property_set("member"):
        return 0
    return ob.steering.member.number


def members_of(crowd: Object, scene: Scene) -> dict[int, Object]:
    """The members of a crowd by their numbers; of copies that share one, the first by name."""
    found: dict[int, Object] = {}
    for ob in sorted(scene.objects, key=lambda ob: ob.name):
        if has_role(ob, Role.VEHICLE) and (number := number_of(ob)) and crowd_of(ob) == crowd:
            found.setdefault(number, ob)
    return found


def worked_on(ob: Object, family: Family) -> bool:
    """Whether somebody locked, moved, keyed, parented or hung something on a member since it was made."""
    own = ob.steering
    if own.locked or ob.parent is not None or ob.library is not None or not ob.is_editable:
        return True
    if any(number_of(part) != own.member.number for part in family.descendants(ob)):
        return True
    return _has_own_keys(ob) or is_moved(ob)


def place_of(ob: Object) -> tuple[np.ndarray, str, np.ndarray]:
    """The location, rotation mode and rotation channels that a member starts from."""
    start = ob.steering.start
    if start.stored and is_baked(ob):
        size = 4 if start.rotation_mode in ("QUATERNION", "AXIS_ANGLE") else 3
        return np.array(start.location), start.rotation_mode, np.array(start.rotation[:size])
    return channels(ob)[0], ob.rotation_mode, channels(ob)[1]


def is_moved(ob: Object) -> bool:
    """Whether a member starts from elsewhere than Populate put it."""
    location, mode, rotation = place_of(ob)
    placed = ob.steering.member.placed
    if _differ(location, np.array(placed.location)):
        return True
    return mode == placed.rotation_mode and _differ(rotation, np.array(placed.rotation[: len(rotation)]))


def put(members: Sequence[Object], position: np.ndarray, forward: np.ndarray, up: np.ndarray) -> None:
    """Let members start from places and face some way there, and note it.

    A baked one goes on playing its keys until it is baked anew.

    Args:
        position, forward, up: (n, 3) metres and unit vectors.
    """
    basis = np.stack((cross(forward, up), forward, up), axis=-1)
    axes = [model_axes(AXIS_NAMES[ob.steering.forward_axis], AXIS_NAMES[ob.steering.up_axis]) for ob in members]
    matrices = np.tile(np.eye(4), (len(members), 1, 1))
    matrices[:, :3, :3] = np.einsum("kab,kcb->kac", basis, np.array(axes).reshape(-1, 3, 3))
    matrices[:, :3, 3] = position
    for ob, matrix in zip(members, matrices.tolist()):
        _put(ob, Matrix(matrix))


def _put(ob: Object, matrix: Matrix) -> None:
    before, scale, baked = ob.matrix_basis.copy(), ob.scale.copy(), is_baked(ob)
    ob.matrix_basis = matrix
    # A scale that mirrors would not come back out of a matrix.
    ob.scale = scale
    location, rotation = channels(ob)
    if baked:
        ob.matrix_basis = before
        ob.scale = scale
    store(ob, location, rotation)
    placed = ob.steering.member.placed
    placed.stored = True
    placed.location = location
    placed.rotation_mode = ob.rotation_mode
    placed.rotation = (*rotation, 0.0)[:4]


def resize(ob: Object, scale: float, room: float) -> None:
    """Make a member so many times as large as its model, whatever else has been done to its size."""
    member = ob.steering.member
    member.room = room
    ratio = scale / member.scale
    if abs(ratio - 1.0) > 1e-6:
        ob.scale *= ratio
        ob.steering.size_factor *= ratio
        member.scale = scale


def usual_room(ob: Object) -> float:
    """The radius that would be kept free for a member if its size were not varied."""
    member = ob.steering.member
    return member.room / member.scale


def bodies(members: Sequence[Object]) -> tuple[np.ndarray, np.ndarray]:
    """Where members start from, (m, 3), and the radii that are kept free for them, (m,)."""
    places = [ob.matrix_world.translation if ob.parent else place_of(ob)[0] for ob in members]
    return np.array(places).reshape(-1, 3), np.array([ob.steering.member.room for ob in members])


def remove(members: Sequence[Object]) -> None:
    """Take members out of the file, with the parts and the bakes that were made for them."""
    family = Family()
    parts = [part for ob in members for part in (ob, *family.descendants(ob))]
    clear_all(parts)
    bpy.data.batch_remove(parts)


def _differ(one: np.ndarray, other: np.ndarray) -> bool:
    return bool((np.abs(one - other) > MOVED * np.maximum(1.0, np.abs(other))).any())


def _has_own_keys(ob: Object) -> bool:
    """Whether there are keys on its transform that neither a bake wrote nor the model brought along."""
    animation = ob.animation_data
    if animation is None or animation.action is None:
        return False
    played = Played(ob)
    if played.bag is None or played.only_ours or played.action.users - played.action.use_fake_user > 1:
        return False
    return any(
        curve.data_path in TRANSFORM_CHANNELS and not our_keys(curve, played.record).all()
        for curve in played.bag.fcurves
    )
