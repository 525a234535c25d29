"""Plain vehicles: while the timeline plays, the faces of one mesh show them, several times as fast as moved objects.

A vehicle is plain if it is a mesh that stands for itself and nothing in the file refers to it: nobody can see then that
it is not where it seems to be. Once the timeline stops, the objects themselves are shown again, and may be clicked.

Blender goes through all objects of a scene to evaluate anything. Faces are moved where they have been evaluated, and
drawn as instances from there, so that it has nothing to evaluate.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import ID, Collection, Depsgraph, Object, Scene, Screen, SpaceView3D

from ...simulation.roles import Role
from ..animation.rotation_channels import matrices_from_channels, width_of
from ..objects.focus import drawn_vehicles
from ..read.dependencies import animated_paths
from ..read.plan import Plan
from .stand_ins import NAME, add_to

LEAST = 200
"""Plain vehicles from which on a mesh pays."""
MOST_LOOKS = 32
"""Looks at most that one mesh shows."""
SIDE = (4.0 / 3.0**0.5) ** 0.5
UPRIGHT = SIDE * np.array([(-0.5, -(3.0**0.5) / 6.0, 0.0), (0.5, -(3.0**0.5) / 6.0, 0.0), (0.0, 3.0**-0.5, 0.0)])
"""The corners of a face on which Blender shows a model as large as it is, at the origin and not turned."""
NEUTRAL = {
    "delta_location": (0.0, 0.0, 0.0),
    "delta_rotation_euler": (0.0, 0.0, 0.0),
    "delta_rotation_quaternion": (1.0, 0.0, 0.0, 0.0),
    "delta_scale": (1.0, 1.0, 1.0),
}
LOOK = ("color", "display_type", "show_in_front", "show_wire")
"""The properties of an object by which viewports show the same mesh differently."""


@dataclass(frozen=True)
class PlainVehicles:
    """The k plain vehicles of a plan.

    Attributes:
        objects: these.
        rows: (k,) among all vehicles of the plan.
        places: (k,) among the vehicles that are objects.
        modes: (k,) their rotation modes.
        size: (k,) their scale.
        look: (k,) which of the models each looks like.
        models: the first of each look.
        vehicles: all vehicles that are objects.
    """

    objects: Sequence[Object]
    rows: np.ndarray
    places: np.ndarray
    modes: np.ndarray
    size: np.ndarray
    look: np.ndarray
    models: Sequence[Object]
    vehicles: frozenset[Object]

    @classmethod
    def of(cls, plan: Plan) -> "PlainVehicles | None":
        """The plain vehicles of a plan; None if a mesh does not pay."""
        source = plan.vehicles.source
        users = bpy.data.user_map(subset={*source.objects, *bpy.data.collections})
        followed = {view.lock_object for view in viewports(plan.scene)}
        places = [k for k, ob in enumerate(source.objects) if ob not in followed and _is_plain(ob, users)]
        objects = [source.objects[k] for k in places]
        looks: dict[tuple, int] = {}
        look = np.array([looks.setdefault(_look(ob), len(looks)) for ob in objects], dtype=np.int64)
        if len(objects) < LEAST or len(looks) > MOST_LOOKS:
            return None
        return cls(
            objects=objects,
            rows=source.object_rows[places],
            places=np.array(places),
            modes=np.array([ob.rotation_mode for ob in objects]),
            size=np.array([ob.scale[0] for ob in objects]),
            look=look,
            models=[objects[row] for row in np.unique(look, return_index=True)[1].tolist()],
            vehicles=frozenset(source.objects),
        )

    @property
    def looks(self) -> tuple:
        """The look of each vehicle, and the model of each look."""
        return self.look.tobytes(), *(ob.session_uid for ob in self.models)

    def by_face(self, depsgraph: Depsgraph) -> np.ndarray:
        """Whether a face shows each of them in a viewport, (k,): those in view but for those that the overlay draws."""
        layer = depsgraph.view_layer
        apart = set(drawn_vehicles(layer, (ob for ob in layer.objects if ob in self.vehicles)))
        return np.array([ob.visible_get(view_layer=layer) and ob not in apart for ob in self.objects])

    def made(self, scene: Scene) -> list[Object]:
        """Objects of our own, one for each look, with a face for each vehicle of that look."""
        made = []
        for look, model in enumerate(self.models):
            mesh = bpy.data.meshes.new(NAME)
            corners = np.arange(3 * int((self.look == look).sum()))
            mesh.from_pydata(np.zeros((len(corners), 3)), [], corners.reshape(-1, 3))
            faces, shown = bpy.data.objects.new(NAME, mesh), bpy.data.objects.new(NAME, model.data)
            faces.instance_type, faces.use_instance_faces_scale = "FACES", True
            faces.show_instancer_for_viewport = faces.show_instancer_for_render = False
            shown.parent = faces
            for name in LOOK:
                setattr(shown, name, getattr(model, name))
            for slot, other in zip(shown.material_slots, model.material_slots):
                slot.link, slot.material = other.link, other.material
            add_to(scene, faces, mesh)
            add_to(scene, shown)
            # It is seen on the faces only.
            for layer in scene.view_layers:
                shown.hide_set(True, view_layer=layer)
            made.append(faces)
        return made

    def put(self, made: Iterable[Object], location: np.ndarray, rotation: np.ndarray, away: np.ndarray) -> None:
        """Move the faces, or evaluated copies of them, and shrink some to nothing. `location`, `rotation`: (m, 3) and
        (m, 4) the channels of all vehicles that are objects; `away`: (k,) which of the plain ones are not shown."""
        turned, corners = rotation[self.places], np.empty((len(self.places), 3, 3))
        for mode in set(self.modes.tolist()):
            rows = self.modes == mode
            matrices = matrices_from_channels(turned[rows, : width_of(mode)], mode)
            corners[rows] = np.einsum("kab,cb->kca", matrices * self.size[rows, None, None], UPRIGHT)
        corners += location[self.places, None]
        corners = np.where(away[:, None, None], corners[:, :1], corners).astype(np.float32)
        for look, ob in enumerate(made):
            ob.data.attributes["position"].data.foreach_set("vector", corners[self.look == look].ravel())


def viewports(scene: Scene) -> list[SpaceView3D]:
    """The 3D views in all windows on a scene."""
    windows = [window for window in bpy.context.window_manager.windows if window.scene == scene]
    return [area.spaces.active for window in windows for area in window.screen.areas if area.type == "VIEW_3D"]


def _is_plain(ob: Object, users: Mapping[ID, set[ID]]) -> bool:
    return (
        ob.type == "MESH"
        and ob.parent is None
        and ob.data.shape_keys is None
        and ob.rigid_body is None
        and ob.instance_type == "NONE"
        and not (ob.modifiers or ob.constraints or animated_paths(ob))
        and ob.steering.roles == {Role.VEHICLE.name}
        and 0.0 < ob.scale[0] == ob.scale[1] == ob.scale[2]
        and all(tuple(getattr(ob, name)) == value for name, value in NEUTRAL.items())
        and all(_only_shows(each, users) for each in users[ob])
    )


def _only_shows(user: ID, users: Mapping[ID, set[ID]]) -> bool:
    """Whether a datablock that refers to a vehicle only shows it, as a collection of a scene does, or lists it."""
    if isinstance(user, Collection):
        return all(_only_shows(each, users) for each in users[user])
    return isinstance(user, (Scene, Screen))


def _look(ob: Object) -> tuple:
    values = (getattr(ob, name) for name in LOOK)
    shown = (value if isinstance(value, (str, bool)) else tuple(value) for value in values)
    return ob.data, *(slot.material for slot in ob.material_slots), *shown
