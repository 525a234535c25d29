"""Baked crowds as points: from a crowd cache as it is, from keyed objects by playing the scene."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object, Scene, ViewLayer

from ..animation.rotation_channels import channels_from_matrices
from ..crowds.cache_models import Still, Variant, looks_of, making
from ..crowds.cached_motion import CachedMotion
from ..crowds.model_aside import scale_in_world
from ..objects.characters import is_character
from ..objects.hierarchy import Family
from ..refusal import Refusal
from .usd_points import CrowdPoints


def cached_points(cache: Collection, crowd: Object) -> CrowdPoints:
    """The points that a crowd cache shows. Refused if a part of the cache is missing."""
    motion = CachedMotion(cache, crowd)
    frames, rows = np.arange(motion.first, motion.last + 1), np.arange(len(motion.identity))
    shown = motion.on_frames(frames, rows)
    away = (shown.pose < 0) | motion.edited["hidden"]
    return CrowdPoints(
        name=crowd.name,
        first=motion.first,
        identity=motion.identity,
        position=shown.position.astype(np.float32),
        rotation=shown.rotation.astype(np.float32),
        scale=motion.scale,
        shown=np.where(away, -1, motion.model(rows, shown.pose)),
        meshes=[ob.data for ob in sorted(motion.models.objects, key=lambda ob: ob.name)],
    )


def check_rigid(crowd: Object, vehicles: Sequence[Object], family: Family) -> None:
    """Refuse vehicles that an armature poses: each point shows a mesh as it is."""
    for ob in vehicles:
        if is_character(ob, family):
            text = f"{ob.name} is posed by an armature, which keyed points do not show"
            raise Refusal(f"{text}. Set Output of {crowd.name} to Crowd Cache, and bake it.", about=[ob])


@contextmanager
def models_made(crowds: Sequence[Sequence[Object]], scene: Scene, layer: ViewLayer) -> Iterator[list[list[Mesh]]]:
    """A mesh for each look of the vehicles of each crowd, until the end."""
    family, made = Family(), []
    variants = []
    try:
        for vehicles in crowds:
            _, first = looks_of(vehicles, family)
            variants = [
                Variant(vehicles[k], vehicles[k], Still(), n, scale_in_world(vehicles[k])) for n, k in enumerate(first)
            ]
            for _ in making(variants, {}, scene, layer, family):
                pass
            made.append([each.meshes[0] for each in variants])
        yield made
    finally:
        bpy.data.batch_remove({mesh for each in variants for mesh in each.meshes} | {m for each in made for m in each})


def matrices_of(
    vehicles: Sequence[Object], scene: Scene, first: int, last: int
) -> Generator[float, None, tuple[np.ndarray, np.ndarray]]:
    """The matrices (f, n, 4, 4) of objects on frames, and who is hidden, (f, n), yielding the share that is done.

    The scene is played for it, and is then on the frame on which it was.
    """
    count = last + 1 - first
    matrices, away = np.empty((count, len(vehicles), 4, 4)), np.zeros((count, len(vehicles)), np.bool_)
    before = scene.frame_current, scene.frame_subframe
    try:
        for row in range(count):
            scene.frame_set(first + row)
            for column, ob in enumerate(vehicles):
                matrices[row, column] = ob.matrix_world
                away[row, column] = ob.hide_render
            yield (row + 1) / count
    finally:
        scene.frame_set(before[0], subframe=before[1])
    return matrices, away


def keyed_points(
    crowd: Object,
    vehicles: Sequence[Object],
    first: int,
    matrices: np.ndarray,
    away: np.ndarray,
    meshes: Sequence[Mesh],
) -> CrowdPoints:
    """The points of the vehicles of a crowd, from what `matrices_of` and `models_made` tell of them."""
    bases = matrices[..., :3, :3]
    lengths = np.sqrt((bases * bases).sum(axis=-2))
    # What mirrors is no rotation.
    lengths[..., 0] *= np.where(np.linalg.det(bases) < 0.0, -1.0, 1.0)
    number, _ = looks_of(vehicles, Family())
    return CrowdPoints(
        name=crowd.name,
        first=first,
        identity=np.array([ob.steering.identity for ob in vehicles], np.int64),
        position=matrices[..., :3, 3].astype(np.float32),
        rotation=channels_from_matrices(bases / np.where(lengths == 0.0, 1.0, lengths)[..., None, :], "QUATERNION"),
        scale=lengths[0],
        shown=np.where(away, -1, number),
        meshes=meshes,
    )
