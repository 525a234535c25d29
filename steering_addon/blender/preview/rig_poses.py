"""Poses of armatures and properties of objects that a preview sets for the moment in which Blender evaluates them.

Shape keys belong to a mesh that many objects share, so what these bend is bent where Blender has evaluated it. Where
the animator's object lacks a property, no driver can read it, and none is made.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Depsgraph, Object

from ..animation.posing import POSE
from ..clips.shapes import Shapes

WIDTHS = {"location": 3, "rotation_quaternion": 4, "rotation_euler": 3, "scale": 3}
"""The channels of bones that a preview poses, and their number of components."""


@dataclass(frozen=True)
class RigPose:
    """The pose of an armature, or of a mesh with shape keys, that plays clips. `channels`: as (data path, index);
    `values`: (c,) of these."""

    rig: Object
    channels: Sequence[tuple[str, int]]
    values: np.ndarray
    shapes: Shapes | None = None


@contextmanager
def posed(poses: Sequence[RigPose]) -> Iterator[None]:
    """Pose armatures until the end, when their channels are as before without Blender evaluating them again."""
    before: list[tuple[Object, dict[str, np.ndarray]]] = []
    layouts: dict[tuple[str, int], dict[str, tuple[np.ndarray, np.ndarray]]] = {}
    try:
        for pose in poses:
            if pose.shapes is not None:
                pose.rig.update_tag(refresh={"DATA"})
                continue
            alike = pose.rig.data.name_full, id(pose.channels)
            if alike not in layouts:
                layouts[alike] = _layout(pose)
            stood = {name: _values(pose.rig, name) for name in WIDTHS}
            before.append((pose.rig, stood))
            for name, (places, columns) in layouts[alike].items():
                values = stood[name].copy()
                values.ravel()[places] = pose.values[columns]
                pose.rig.pose.bones.foreach_set(name, values.ravel())
            pose.rig.update_tag(refresh={"OBJECT", "DATA"})
        yield
    finally:
        for rig, stood in before:
            _put_back_unnoticed(rig, stood)


def bend(poses: Sequence[RigPose], depsgraphs: Sequence[Depsgraph]) -> None:
    """Pose the meshes with shape keys among these where viewports have evaluated them, until they do so again.

    Those whose modifiers add or remove points keep the pose that they have.
    """
    for pose in poses:
        if pose.shapes is None:
            continue
        points = pose.shapes.local_points(pose.shapes.poses_of(pose.channels, pose.values[None]))[0]
        for depsgraph in depsgraphs:
            mesh = pose.rig.evaluated_get(depsgraph).data
            if len(mesh.vertices) == len(points):
                # Several times as fast as by the vertices.
                mesh.attributes["position"].data.foreach_set("vector", points.astype(np.float32).ravel())
                mesh.update()


def _values(rig: Object, name: str) -> np.ndarray:
    """A channel of all bones, a row each."""
    bones = rig.pose.bones
    values = np.empty((len(bones), WIDTHS[name]), dtype=np.float32)
    bones.foreach_get(name, values.ravel())
    return values


def _put_back_unnoticed(rig: Object, stood: dict[str, np.ndarray]) -> None:
    """Restore channels of bones, also those that drivers have set since.

    One bone at a time: once bones are set in bulk, Blender 4.3 and later evaluates the drivers of their armature again,
    and with them its pose.
    """
    bones = list(rig.pose.bones)
    for name, values in stood.items():
        for row in np.flatnonzero((_values(rig, name) != values).any(axis=1)).tolist():
            bones[row].path_resolve(name, False).foreach_set(values[row])


def _layout(pose: RigPose) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Where the values of a pose go: by channel of the bones, the places in its column and the rows of the values."""
    rows = {bone.name: row for row, bone in enumerate(pose.rig.pose.bones)}
    pairs: dict[str, list[tuple[int, int]]] = {}
    for column, (path, index) in enumerate(pose.channels):
        bone, _, name = path[len(POSE) + 1 :].rpartition('"].')
        bone = bpy.utils.unescape_identifier(bone)
        if name in WIDTHS and bone in rows:
            pairs.setdefault(name, []).append((rows[bone] * WIDTHS[name] + index, column))
    return {name: tuple(np.array(each).T) for name, each in pairs.items()}


@contextmanager
def told_to_drivers(told: Sequence[tuple[Object, Mapping[str, float]]]) -> Iterator[None]:
    """Give properties of objects these values until the end; Blender does not notice that they go again."""
    before = []
    try:
        for ob, values in told:
            for name, value in values.items():
                was = ob.get(name)
                if isinstance(was, (int, float)):
                    before.append((ob, name, was))
                    ob[name] = value if isinstance(was, float) else round(value)
            # Drivers that read it are evaluated with any tag; without one named, its mesh would be, too.
            ob.update_tag(refresh={"OBJECT"})
        yield
    finally:
        for ob, name, was in before:
            ob[name] = was
