"""The operator that makes meshes of a model in the poses of its clips."""

import bpy
from bpy.props import FloatProperty, IntProperty
from bpy.types import Context, Object

from ...simulation.roles import Role
from ..clips.crowd_clips import Model, check_has_models, models_of
from ..crowds.cache_models import SHARE
from ..crowds.posed_meshes import Posing, posing, strangers_in
from ..objects.body_sizes import Body
from ..objects.focus import crowd_in_focus
from ..objects.hierarchy import Family
from ..objects.tagged_objects import vehicles_of
from ..properties import has_role
from ..refusal import Refusal, check_stored
from .in_pieces import InPieces, Work
from .polls import has_clips, has_editable_scene, in_object_mode


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
        places = {entry.as_pointer(): row for row, entry in enumerate(crowd.steering.portrayal.clips)}
        numbers = [places[entry.as_pointer()] for entry in model.entries]
        scene, layer = context.scene, context.view_layer
        if not self.properties.is_property_set("tolerance"):
            self.tolerance = SHARE * max(Body.of(vehicle, context.evaluated_depsgraph_get(), family).sides())
        task = Posing(model, vehicle, numbers, crowd, scene, layer, family, self.tolerance, self.most)
        return self._posing(task), f"Posing {vehicle.name}"

    def _posing(self, task: Posing) -> Work:
        collection, layout = yield from posing(task)
        names = task.names
        if few := [name for name, poses in zip(names, layout.poses) if poses == self.most]:
            text = f"With {self.most} poses {', '.join(few)} may be off by more than {100.0 * self.tolerance:.3g} cm"
            self.warn([f"{text}. Raise Most Poses or Tolerance"])
        if strangers := strangers_in(collection):
            text = f"{strangers[0]} in {collection.name} is counted with the poses"
            self.warn([f"{text}. Move it to another collection"])
        return f"{collection.name}: {', '.join(f'{poses} of {name}' for name, poses in zip(names, layout.poses))}"


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
