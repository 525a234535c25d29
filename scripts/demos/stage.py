"""The stage of a film: the set it is given, what stands on it, and cameras that follow the action."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import bpy
import film
import numpy as np
from mathutils import Vector

from scripts.modelling.shape import linear

SETS = Path(__file__).parent / "sets.blend"
"""The set of each film, a collection of its name: the ground, what stands on it, the sky and the sun. To change one,
open the file in the oldest supported Blender."""
SUN = (-0.45, -0.4, 0.8)  # direction towards the sun
SKY_RADIUS = 1800.0


def bring(name: str, frames: int) -> list[bpy.types.Mesh]:
    """Set up a film of so many frames, add its set to the scene, and return the meshes that the film itself places, by
    name."""
    film.look(bpy.context.scene, SUN, frames)
    with bpy.data.libraries.load(str(SETS)) as (source, wanted):
        wanted.collections = [name]
        wanted.meshes = sorted(mesh for mesh in source.meshes if mesh.startswith(f"{name} "))
    bpy.context.scene.collection.children.link(wanted.collections[0])
    return wanted.meshes


def recolor(obs: Iterable[bpy.types.Object], colors: Mapping[str, str]) -> None:
    """Give the materials of objects and their parts, which nothing else uses, colors by the paint that they name."""
    parts = {part for ob in obs for part in (ob, *ob.children_recursive) if part.type == "MESH"}
    for material in {material for part in parts for material in part.data.materials}:
        for name, color in colors.items():
            if name in material.name:
                material.diffuse_color = linear(color)
                shader = next(node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED")
                shader.inputs["Base Color"].default_value = linear(color)


def unit(ways: np.ndarray) -> np.ndarray:
    """The directions (..., 3) of ways."""
    return np.asarray(ways / np.maximum(np.linalg.norm(ways, axis=-1, keepdims=True), 1e-9))


def shoot(name: str, lens: float, frame: int, eyes: np.ndarray, looks: np.ndarray, *, near: float = 0.3) -> None:
    """Film from a frame on with an upright camera, keyed on every frame of the scene, that sees as far as the sky.
    `eyes`: (frames, 3) positions; `looks`: (frames, 3) points to look at; `near`: metres within which it sees
    nothing."""
    scene, ob = bpy.context.scene, bpy.data.objects.new(name, bpy.data.cameras.new(name))
    ob.data.lens, ob.data.clip_start, ob.data.clip_end = lens, near, 2.2 * SKY_RADIUS
    ob.rotation_mode = "QUATERNION"
    scene.collection.objects.link(ob)
    last = None
    for row, (eye, look) in enumerate(zip(eyes, looks)):
        turn = (Vector(look) - Vector(eye)).to_track_quat("-Z", "Y")
        if last is not None:
            turn.make_compatible(last)
        ob.location, ob.rotation_quaternion, last = eye, turn, turn
        ob.keyframe_insert("location", frame=scene.frame_start + row)
        ob.keyframe_insert("rotation_quaternion", frame=scene.frame_start + row)
    scene.timeline_markers.new(name, frame=frame).camera = ob
    scene.camera = scene.camera or ob


def smooth(track: np.ndarray, frames: float) -> np.ndarray:
    """Smooth a track, (n, 3), with a Gaussian of this standard deviation in frames; the ends are extended straight."""
    reach = int(3 * frames)
    weight = np.exp(-0.5 * (np.arange(-reach, reach + 1) / frames) ** 2)
    weight /= weight.sum()
    before = 2 * track[:1] - track[reach:0:-1]
    after = 2 * track[-1:] - track[-2 : -reach - 2 : -1]
    padded = np.concatenate((before, track, after))
    return np.stack([np.convolve(column, weight, "valid") for column in padded.T], axis=1)
