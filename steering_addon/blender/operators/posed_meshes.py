"""The operator that makes meshes of a model in the poses of its clips, for instances that choose among them by phase.

They are made as those of crowd caches are, in a collection that is excluded from the scene, where geometry nodes find
them (Collection Info). Those of a clip follow each other by name, in the order of their phases: the mesh that a phase
shows is number `first + floor(fract(phase) * poses)`. What the collection says of each clip, by the number of that:

- `steering_first`: the number of its first mesh,
- `steering_poses`: the number of its meshes, 0 for a clip that the model cannot play.
"""

from collections.abc import Sequence

import bpy
import numpy as np
from bpy.props import FloatProperty, IntProperty
from bpy.types import Collection, Context, Mesh, Object, Scene

from ...portrayal.pose_count import middles
from ...simulation.roles import Role
from ..animation.posing import short_name
from ..clips.clip_copies import Copies
from ..clips.crowd_clips import Model, check_has_models, models_of
from ..clips.shapes import source_of
from ..crowds.cache_models import SHARE, Layout, OfClips, Variant, making
from ..crowds.populating.models import NUMBERED
from ..objects.body_sizes import Body
from ..objects.focus import crowd_in_focus
from ..objects.hierarchy import Family
from ..objects.tagged_objects import exclude, vehicles_of
from ..properties import has_role
from ..refusal import Refusal, check_stored
from ..units import length_text
from .in_pieces import InPieces, Work
from .polls import has_clips, has_editable_scene, in_object_mode

RECORD = "steering_posed"
"""The custom property of a collection of posed meshes: the armature or mesh, and the crowd, that they are for."""
OURS = "steering_phase"
"""The custom property by which a posed mesh is known, as a share of the cycle."""


class STEERING_OT_pose_meshes(InPieces, bpy.types.Operator):
    """Make meshes of the active vehicle in the poses of its clips, for instances that choose among them by phase. They
    replace those made before"""

    bl_label = "Pose Meshes"
    needs = (in_object_mode, has_editable_scene, has_clips)
    canceled = "Pose Meshes Canceled"

    tolerance: FloatProperty(
        name="Tolerance",
        description="Distance by which a vertex may be off, between the clip and the nearest pose. The smaller, the "
        "more poses. Unless chosen, a 36th of the longest side of the model: 5 cm for a person of 1.8 m",
        default=0.05,
        min=0.0001,
        soft_min=0.005,
        soft_max=0.5,
        unit="LENGTH",
        options={"SKIP_SAVE"},
    )
    most: IntProperty(
        name="Most Poses",
        description="Poses of a clip at most, also if more are needed for the tolerance",
        default=64,
        min=1,
        soft_max=128,
        max=512,
    )

    def begin(self, context: Context) -> tuple[Work, str]:
        crowd, family = crowd_in_focus(context), Family()
        check_stored([crowd])
        model, vehicle = _model_in_focus(context, crowd, family)
        if not self.properties.is_property_set("tolerance"):
            self.tolerance = SHARE * max(Body.of(vehicle, context.evaluated_depsgraph_get(), family).sides())
        return self._posing(context, crowd, model, vehicle, family), f"Posing {vehicle.name}"

    def _posing(self, context: Context, crowd: Object, model: Model, vehicle: Object, family: Family) -> Work:
        """Make a mesh for each pose, in place of those made before, which stay until the end."""
        clips = OfClips(Copies(model.rigs[0], model.actions()), len(model.entries), max_poses=self.most)
        # As large as the vehicle.
        variant = Variant(vehicle, model.rigs[model.vehicles.index(vehicle)], clips, 0, np.ones(3))
        played, scene = {0: set(range(len(clips)))}, context.scene
        try:
            layouts = yield from making([variant], played, scene, context.view_layer, family, self.tolerance)
            if not len(variant.meshes[0].vertices):
                raise Refusal(f"{vehicle.name} shows no mesh that could be posed. Make its parts visible in renders.")
            collection = _replace(variant.pose_meshes(), layouts[0], model, vehicle, crowd, scene)
        except BaseException:
            bpy.data.batch_remove([mesh for mesh in variant.meshes if not mesh.users])
            raise
        poses_of = list(zip([short_name(entry.action) for entry in model.entries], layouts[0].poses))
        if coarse := [name for name, poses in poses_of if poses == self.most]:
            text = f"With {self.most} poses {', '.join(coarse)} may be off by more than {length_text(self.tolerance)}"
            self.warn([f"{text}. Raise Most Poses or Tolerance"])
        strangers = [block.name for block in (*collection.objects, *collection.children) if not _is_ours(block)]
        if strangers:
            # Geometry nodes count them, too.
            text = f"{min(strangers)} in {collection.name} is counted with the poses"
            self.warn([f"{text}. Move it to another collection"])
        return f"{collection.name}: {', '.join(f'{poses} of {name}' for name, poses in poses_of)}"


def _model_in_focus(context: Context, crowd: Object, family: Family) -> tuple[Model, Object]:
    """The model of the active vehicle, and this; of a crowd the most frequent model and its first vehicle. Refused if
    it cannot play the clips."""
    vehicles = vehicles_of(crowd, context.scene)
    models = models_of(crowd, vehicles, context.scene, family)
    check_has_models(crowd, vehicles, models)
    if not models:
        raise Refusal(f"{crowd.name} has no vehicles in the scene. Select its models and populate it.", about=[crowd])
    active = context.object
    while active is not None and not has_role(active, Role.VEHICLE):
        active = active.parent
    if active is None:
        return models[0], models[0].vehicles[0]
    for model in models:
        if active in model.vehicles:
            return model, active
    text = f"{active.name} cannot play the clips of {crowd.name}"
    raise Refusal(f"{text}. Make a vehicle active that has the bones that they move.", about=[active])


def _collection_of(model: Model, crowd: Object) -> Collection | None:
    """The collection of the posed meshes of a model of a crowd, if there is one that can be edited."""
    for collection in bpy.data.collections:
        record = collection.get(RECORD) if collection.library is None else None
        if record is not None and record.get("model") == source_of(model.rigs[0].data) and record.get("crowd") == crowd:
            return collection
    return None


def _replace(
    meshes: Sequence[Mesh], layout: Layout, model: Model, vehicle: Object, crowd: Object, scene: Scene
) -> Collection:
    """The collection of a model with new meshes, in place of those that were made before."""
    collection, stored = _collection_of(model, crowd), crowd.steering.portrayal.clips
    if collection is None:
        collection = bpy.data.collections.new(f"{NUMBERED.sub('', vehicle.name)} Poses")
        collection[RECORD] = {"model": source_of(model.rigs[0].data), "crowd": crowd}
    if collection not in set(scene.collection.children_recursive):
        scene.collection.children.link(collection)
        exclude(scene, [collection])
    _clear(collection)
    rows = {entry.as_pointer(): row for row, entry in enumerate(stored)}
    numbers = [rows[entry.as_pointer()] for entry in model.entries]
    labels = [
        (short_name(entry.action), number, phase)
        for entry, number, poses in zip(model.entries, numbers, layout.poses, strict=True)
        for phase in middles(poses).tolist()
    ]
    digits = len(str(len(meshes)))
    for index, (mesh, (name, number, phase)) in enumerate(zip(meshes, labels, strict=True)):
        # Geometry nodes sort the children by name.
        mesh.name = f"{index:0{digits}} {name}"
        ob = bpy.data.objects.new(mesh.name, mesh)
        ob[OURS], ob["steering_clip"], ob["steering_index"] = phase, number, index
        collection.objects.link(ob)
    first, poses = np.zeros((2, len(stored)), dtype=np.int64)
    first[numbers], poses[numbers] = layout.first, layout.poses
    collection["steering_first"], collection["steering_poses"] = first.tolist(), poses.tolist()
    return collection


def _is_ours(ob: Object | Collection) -> bool:
    return OURS in ob and "steering_index" in ob


def _clear(collection: Collection) -> None:
    """Remove the posed meshes from their collection; what else is in it stays."""
    before = [ob for ob in collection.objects if _is_ours(ob)]
    meshes = list(dict.fromkeys(ob.data for ob in before))
    bpy.data.batch_remove(before)
    bpy.data.batch_remove([mesh for mesh in meshes if not mesh.users])
