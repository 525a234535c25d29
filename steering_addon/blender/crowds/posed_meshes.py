"""Meshes of a model in the poses of its clips, for instances that choose among them by phase.

They are made as those of crowd caches are, in a collection that is excluded from the scene, where geometry nodes find
them (Collection Info). Those of a clip follow each other by name, in the order of their phases: the mesh that a phase
shows is number `first + floor(fract(phase) * poses)`. What the collection says of each clip, by the number of that:

- `steering_first`: the number of its first mesh,
- `steering_poses`: the number of its meshes, 0 for a clip that the model cannot play.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Collection, Mesh, Object, Scene, ViewLayer

from ...portrayal.pose_count import middles
from ..animation.posing import short_name
from ..clips.clip_copies import Copies
from ..clips.crowd_clips import Model
from ..clips.shapes import source_of
from ..objects.hierarchy import Family
from ..objects.tagged_objects import exclude
from ..refusal import Refusal
from .cache_models import Layout, OfClips, Variant, making
from .populating.models import NUMBERED

RECORD = "steering_posed"
"""The custom property of a collection of posed meshes: the armature or mesh, and the crowd, that they are for."""
OURS = "steering_phase"
"""The custom property by which a posed mesh is known, as a share of the cycle."""


@dataclass(frozen=True)
class Posing:
    """A model to be posed, and how well.

    Attributes:
        numbers: of the clips of the model, in the list of the crowd.
        layer: whose renders show the parts that count.
        tolerance: metres that vertices may be off.
        most: poses of a clip, if more are needed.
    """

    model: Model
    vehicle: Object
    numbers: Sequence[int]
    crowd: Object
    scene: Scene
    layer: ViewLayer
    family: Family
    tolerance: float
    most: int

    @property
    def names(self) -> list[str]:
        """The names of the clips."""
        return [short_name(entry.action) for entry in self.model.entries]


def posing(task: Posing) -> Generator[float, None, tuple[Collection, Layout]]:
    """Make a mesh for each pose of the clips that a model can play, in place of those that were made before.

    Yields the share that is done. Until the end, and if it is closed or fails before that, the meshes made before stay.
    Returns the collection of the meshes, and how many each clip has. Refused if the model shows no mesh, or one whose
    vertices do not stay the same.
    """
    model, vehicle = task.model, task.vehicle
    clips = OfClips(Copies(model.rigs[0], model.actions()), len(task.numbers), most=task.most)
    # As large as the vehicle.
    variant = Variant(vehicle, model.rigs[model.vehicles.index(vehicle)], clips, 0, np.ones(3))
    played = {0: set(range(len(clips)))}
    try:
        layouts = yield from making([variant], played, task.scene, task.layer, task.family, task.tolerance)
        if not len(variant.meshes[0].vertices):
            raise Refusal(f"{vehicle.name} shows no mesh that could be posed. Make its parts visible in renders.")
        return _replaced(variant.meshes, layouts[0], task), layouts[0]
    except BaseException:
        bpy.data.batch_remove([mesh for mesh in variant.meshes if not mesh.users])
        raise


def collection_of(model: Model, crowd: Object) -> Collection | None:
    """The collection of the posed meshes of a model of a crowd, if there is one that can be edited."""
    for collection in bpy.data.collections:
        record = collection.get(RECORD) if collection.library is None else None
        if record is not None and record.get("model") == source_of(model.rigs[0].data) and record.get("crowd") == crowd:
            return collection
    return None


def _replaced(meshes: Sequence[Mesh], layout: Layout, task: Posing) -> Collection:
    """The collection of the model with new meshes, in place of those that were made before."""
    crowd, scene = task.crowd, task.scene
    collection = collection_of(task.model, crowd)
    if collection is None:
        collection = bpy.data.collections.new(f"{NUMBERED.sub('', task.vehicle.name)} Poses")
        collection[RECORD] = {"model": source_of(task.model.rigs[0].data), "crowd": crowd}
    if collection not in set(scene.collection.children_recursive):
        scene.collection.children.link(collection)
        exclude(scene, [collection])
    _clear(collection)
    shown = [
        (name, number, phase)
        for name, number, poses in zip(task.names, task.numbers, layout.poses, strict=True)
        for phase in middles(poses).tolist()
    ]
    digits = len(str(len(meshes)))
    for index, (mesh, (name, number, phase)) in enumerate(zip(meshes, shown, strict=True)):
        # Geometry nodes sort the children by name.
        mesh.name = f"{index:0{digits}} {name}"
        ob = bpy.data.objects.new(mesh.name, mesh)
        ob[OURS], ob["steering_clip"], ob["steering_index"] = phase, number, index
        collection.objects.link(ob)
    first, poses = np.zeros((2, len(crowd.steering.portrayal.clips)), dtype=np.int64)
    first[task.numbers], poses[task.numbers] = layout.first, layout.poses
    collection["steering_first"], collection["steering_poses"] = first.tolist(), poses.tolist()
    return collection


def strangers_in(collection: Collection) -> list[str]:
    """The names of other content of a collection of posed meshes, which geometry nodes count with them."""
    return sorted(block.name for block in (*collection.objects, *collection.children) if not _is_ours(block))


def _is_ours(ob: Object | Collection) -> bool:
    return OURS in ob and "steering_index" in ob


def _clear(collection: Collection) -> None:
    """Remove the posed meshes from their collection; what else is in it stays."""
    before = [ob for ob in collection.objects if _is_ours(ob)]
    meshes = list(dict.fromkeys(ob.data for ob in before))
    bpy.data.batch_remove(before)
    bpy.data.batch_remove([mesh for mesh in meshes if not mesh.users])
