"""A copy of a model that plays its clips in a scene of its own, to take meshes from; the model itself stays as it is.

The copy stands on the origin of the scene, turned as its own axes are and as large as the model: what is taken has to
be placed and turned like the vehicle, but not scaled.
"""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import bmesh
import bpy
import numpy as np
from bpy.types import Action, Material, Mesh, Object, Scene, ViewLayer

from ..animation.animation_data import assign_action, posed_block, slot_for, stop_playing
from ..animation.frame_rate import copy_units
from ..clips.clip_copies import ClipCopy
from ..objects.doubles import column_from, doubles
from ..objects.drivers import drivers_of, with_own_data
from ..objects.hierarchy import Family
from ..property_groups import is_listed
from ..refusal import Refusal
from .populating.models import MemberModel

NAME = "Steering Poses"
TRANSFORMS = ("location", "rotation", "scale", "delta_")
"""The beginnings of the data paths that place an object."""


@dataclass(frozen=True)
class ModelAside:
    """A copy of a model in a scene of its own. `name`: of the model; `rig`: the copy of what plays its clips; `copies`:
    of the object and its descendants."""

    name: str
    scene: Scene
    rig: Object
    copies: Sequence[Object]

    def play(self, clip: ClipCopy, over: Action | None = None) -> None:
        """Play a clip; `over`: an action of the model that is played on top of clips, such as one that holds arms."""
        block = posed_block(self.rig)
        if over is None:
            assign_action(block, clip.action, clip.slot)
            return
        stop_playing(block)
        animation = assign_action(block, over, slot_for(over, block))
        strip = animation.nla_tracks.new().strips.new(clip.name, 0, clip.action)
        if clip.slot is not None:
            strip.action_slot = clip.slot

    def points(self, frame: float) -> np.ndarray:
        """The vertices of the meshes that the model shows on a frame, (v, 3) metres, single precision."""
        self._go_to(frame)
        columns = [np.zeros((0, 3), np.float32)]
        for mesh, matrix, _ in self._parts():
            points = column_from(mesh.vertices, "co", 3)
            columns.append((points @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32))
        return np.concatenate(columns)

    def matrices(self, frame: float) -> np.ndarray:
        """Where the copies are on a frame, (p, 4, 4)."""
        self._go_to(frame)
        depsgraph = self.scene.view_layers[0].depsgraph
        return np.stack([doubles(copy.evaluated_get(depsgraph).matrix_world) for copy in self.copies])

    def shapes(self, frames: Sequence[float]) -> Iterator[np.ndarray]:
        """The vertices on each of some frames. Refused if their number changes."""
        count = -1
        for frame in frames:
            points = self.points(frame)
            if count not in (-1, len(points)):
                text = f"The number of vertices of {self.name} changes while it plays its clips"
                raise Refusal(f"{text}. Turn off the modifiers that change it.")
            count = len(points)
            yield points

    def joined(self) -> Mesh:
        """A new mesh of what the model shows, with its materials; the vertices are in the order of `points`."""
        self._go_to(0.0)
        edited, materials, layer = bmesh.new(), [], ""
        try:
            for mesh, matrix, slots in self._parts():
                first = len(edited.faces)
                edited.from_mesh(mesh)
                edited.faces.ensure_lookup_table()
                faces = edited.faces[first:]
                rows = [_material_row(materials, material) for material in slots] or [_material_row(materials, None)]
                for face in faces:
                    face.material_index = rows[min(face.material_index, len(rows) - 1)]
                if np.linalg.det(matrix[:3, :3]) < 0.0:
                    bmesh.ops.reverse_faces(edited, faces=faces)
                uv_name = next((uv.name for uv in mesh.uv_layers if uv.active_render), "")
                layer = layer or uv_name
                if uv_name != layer and uv_name:
                    # Materials look up the coordinates in one layer.
                    source, target = edited.loops.layers.uv[uv_name], edited.loops.layers.uv[layer]
                    for loop in (loop for face in faces for loop in face.loops):
                        loop[target].uv = loop[source].uv
            for layers in (edited.verts.layers.deform, edited.verts.layers.shape):
                for unused in layers.values():
                    layers.remove(unused)
            joined = bpy.data.meshes.new(NAME)
            edited.to_mesh(joined)
        finally:
            edited.free()
        for material in materials:
            joined.materials.append(material)
        if layer:
            joined.uv_layers[layer].active_render = True
        return joined

    def _go_to(self, frame: float) -> None:
        full_frame = math.floor(frame)
        self.scene.frame_set(full_frame, subframe=float(frame - full_frame))

    def _parts(self) -> Iterator[tuple[Mesh, np.ndarray, list[Material | None]]]:
        """The evaluated meshes, instances included: each with its matrix (4, 4) and materials."""
        for instance in self.scene.view_layers[0].depsgraph.object_instances:
            ob = instance.object
            if ob.type == "MESH" and instance.show_self:
                slots = [slot.material for slot in ob.material_slots] or list(ob.data.materials)
                materials = [material.original if material is not None else None for material in slots]
                yield ob.data, doubles(instance.matrix_world), materials


def _material_row(materials: list, material: Material | None) -> int:
    """The row of a material in a list, to which it is added if needed."""
    if material not in materials:
        materials.append(material)
    return materials.index(material)


@contextmanager
def model_aside(vehicle: Object, rig: Object, scene: Scene, layer: ViewLayer, family: Family) -> Iterator[ModelAside]:
    """A copy of a vehicle with the parts that renders of a view layer show, until the end. `rig`: the player of its
    clips; `scene`: for frame rate and units."""
    model = MemberModel.of(vehicle, family)
    visible = _visible_parts(model.parts, layer)
    own_scene = bpy.data.scenes.new(NAME)
    copies: list[Object] = []
    data: list = []
    try:
        copy_units(scene, own_scene)
        copies += model.copied(0, own_scene.collection)
        for part, copy in zip(model.parts, copies):
            copy.property_unset("steering")
            copy.hide_viewport = part not in visible
            stop_playing(copy)
        data += with_own_data(model.parts, copies)
        if (played := copies[model.parts.index(rig)]).type == "MESH" and played.data.shape_keys is not None:
            if played.data not in data:
                played.data = played.data.copy()
                data.append(played.data)
            stop_playing(played.data.shape_keys)
        root = copies[0]
        root.parent = None
        root.constraints.clear()
        for curve in drivers_of(root):
            if curve.data_path.startswith(TRANSFORMS):
                root.animation_data.drivers.remove(curve)
        put_at(root, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), scale_in_world(vehicle))
        yield ModelAside(vehicle.name, own_scene, copies[model.parts.index(rig)], copies)
    finally:
        bpy.data.batch_remove([*copies, *data])
        bpy.data.scenes.remove(own_scene)


def _visible_parts(parts: Sequence[Object], layer: ViewLayer) -> set[Object]:
    """The parts that renders of a view layer show; all of a model that is hidden as a whole, as before it comes. None
    of a model at rest is in a layer."""
    present = {part for part in parts if is_listed(part, layer.objects)} or set(parts)
    return {part for part in present if not part.hide_render} if not parts[0].hide_render else present


def scale_in_world(ob: Object) -> np.ndarray:
    """The scale (3,) in which an object stands in the scene."""
    if ob.parent is None:
        return doubles(ob.scale) * doubles(ob.delta_scale)
    return np.linalg.norm(doubles(ob.matrix_world)[:3, :3], axis=0)


def put_at(ob: Object, location: Sequence[float], turn: Sequence[float], scale: Sequence[float]) -> None:
    """Put an object at a place, turned by a quaternion that becomes its rotation, without deltas."""
    ob.rotation_mode = "QUATERNION"
    ob.location, ob.rotation_quaternion, ob.scale = location, turn, scale
    ob.delta_location, ob.delta_scale = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    ob.delta_rotation_quaternion, ob.delta_rotation_euler = (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
