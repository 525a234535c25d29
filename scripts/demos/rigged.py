"""Rigged animals from files, which take the places of the models of a ready crowd, as a user would have them do.

The animals are imported with Blender's own importer. Populate gives the crowd copies of them, and Find Clips the
actions that they bring along; the crowd keeps its settings, its states, and the places of its members.
"""

import math
from collections.abc import Sequence
from pathlib import Path

import bmesh
import bpy
import film
import numpy as np

from scripts.baked_scene import Crowd, crowds, parts_aside
from scripts.modelling.shape import linear, new_material
from scripts.rigged_files import import_quietly
from scripts.standing import PARTS, standing
from scripts.user_steps import select

FOLDER = Path(__file__).parent / "characters"
OFF_GROUND = 0.002  # m, that a foot may be off the ground on a key
Coat = dict[str, str]
"""The colors of some of the materials of an animal, by their names in its file."""


def bring(name: str, length: float, coats: Sequence[Coat] = ({},)) -> list[bpy.types.Object]:
    """Import an animal, as long as this in metres; for each coat the Empty that carries it. `name`: of its file,
    without the suffix."""
    known = set(bpy.data.actions)
    import_quietly(FOLDER / f"{name}.glb", disable_bone_shape=True)
    carrier = next(ob for ob in bpy.context.selected_objects if ob.parent is None)
    skin = skin_of(carrier)
    skin.name, skin.parent.name, skin.parent.data.name, carrier.name = f"{name} Skin", f"{name} Rig", name, name
    for action in set(bpy.data.actions) - known:
        action.name = f"{name} {action.name.rpartition('|')[2].partition('.')[0]}"
    # The ends of bones come as Empties, four fifths of the objects.
    bpy.data.batch_remove([ob for ob in carrier.children_recursive if ob.type == "EMPTY"])
    _weld(skin)
    bpy.context.view_layer.update()
    along = [(skin.matrix_world @ vertex.co).y for vertex in skin.data.vertices]
    carrier.scale *= length / float(np.ptp(along))
    animals = [carrier, *(_copied(carrier) for _ in coats[1:])]
    for animal, coat in zip(animals, coats):
        materials = skin_of(animal).data.materials
        for row, material in enumerate(list(materials)):
            if color := coat.get(material.name):
                materials[row] = bpy.data.materials.get(color) or new_material(color, linear(color))
    return animals


def _weld(skin: bpy.types.Object) -> None:
    """Join the faces of a mesh, as Merge by Distance does; they stay flat.

    In the file each has vertices of its own: four times as many to pose, and each face casts a shadow of its own.
    """
    bpy.context.view_layer.objects.active = skin
    bpy.ops.mesh.customdata_custom_splitnormals_clear()
    solid = bmesh.new()
    solid.from_mesh(skin.data)
    bmesh.ops.remove_doubles(solid, verts=solid.verts, dist=1e-4)
    solid.to_mesh(skin.data)
    solid.free()
    skin.data.polygons.foreach_set("use_smooth", [False] * len(skin.data.polygons))


def skin_of(carrier: bpy.types.Object) -> bpy.types.Object:
    """The mesh of an animal."""
    return next(part for part in carrier.children_recursive if part.type == "MESH")


def rig_of(carrier: bpy.types.Object) -> bpy.types.Object:
    """The armature of an animal."""
    return next(part for part in carrier.children_recursive if part.type == "ARMATURE")


def _copied(carrier: bpy.types.Object) -> bpy.types.Object:
    """A copy of an animal that shares its armature and its actions, with a mesh of its own."""
    skin, rig = skin_of(carrier), rig_of(carrier)
    new_carrier, new_rig, new_skin = (ob.copy() for ob in (carrier, rig, skin))
    new_rig.parent, new_skin.parent, new_skin.data = new_carrier, new_rig, skin.data.copy()
    next(modifier for modifier in new_skin.modifiers if modifier.type == "ARMATURE").object = new_rig
    for ob in (new_carrier, new_rig, new_skin):
        carrier.users_collection[0].objects.link(ob)
    return new_carrier


def take_places(
    crowd: bpy.types.Object, animals: Sequence[bpy.types.Object], seed: int, *, vary: bool = True
) -> list[bpy.types.Object]:
    """Let animals take the places of the vehicles of a crowd, and remove these and the animals that were copied.
    Returns the new members, in the order of the names of those whose places they take. `vary`: whether they differ in
    size and speed."""
    before = _members(crowd)
    select([crowd, *animals])
    bpy.ops.steering.populate(count=len(before), arrangement="GRID", seed=seed)
    members = [ob for ob in _members(crowd) if ob not in before]
    for member, ob in zip(members, before, strict=True):
        member.location = ob.location
        # These face -Y, the ready models +Y.
        member.rotation_mode = "XYZ"
        member.rotation_euler = (0.0, 0.0, ob.rotation_euler.z + math.pi)
        member.steering.start_speed = ob.steering.start_speed
    bpy.data.batch_remove([part for ob in (*before, *animals) for part in (ob, *ob.children_recursive)])
    select(members)
    bpy.ops.steering.set_start()
    select([crowd])
    if vary:
        bpy.ops.steering.vary(speed=0.1, size=0.05, start_speed=0.1, seed=seed)
    bpy.ops.steering.clips_find()
    return members


def _members(crowd: bpy.types.Object) -> list[bpy.types.Object]:
    """The vehicles of a crowd, by name."""
    return next(each.vehicles for each in crowds(bpy.context.scene) if each.name == crowd.name)


def off_ground(crowd: Crowd) -> float:
    """How far a foot is off the ground at most, metres, looked at once a second; nan if one is over no ground."""
    scene = bpy.context.scene
    seconds = range(0, PARTS * (scene.frame_end - scene.frame_start + 1), PARTS * film.FPS)
    with parts_aside(crowd.vehicles):
        return float(np.abs(standing(scene, crowd, seconds).height).max())
