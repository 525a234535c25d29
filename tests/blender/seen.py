"""The readings of a scene, as tests look at them."""

from collections.abc import Iterable
from contextlib import closing

import bpy
import numpy as np

from tests.blender.building import at_frames, part


def world_matrices(ob, over: Iterable[int]) -> np.ndarray:
    """(f, 4, 4) the evaluated world matrix of the object on these frames; the scene's current frame is restored."""
    scene = bpy.context.scene
    current, subframe = scene.frame_current, scene.frame_subframe
    matrices = []
    for frame in over:
        scene.frame_set(frame)
        matrices.append(np.array(ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world))
    scene.frame_set(current, subframe=subframe)
    return np.array(matrices)


def places(ob, over: Iterable[int]) -> np.ndarray:
    """(f, 3) the evaluated world position of the object on these frames."""
    return world_matrices(ob, over)[:, :3, 3]


def baked_frames() -> range:
    return range(bpy.context.scene.frame_start, bpy.context.scene.frame_end + 1)


def flight(*, only=None, replace_own_keys: bool = False) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The simulated motion without a bake: the vehicles' names, positions (f, n, 3) and bases (f, n, 3, 3)."""
    plan = part("blender.read.plan").plan_reading(bpy.context.scene, only=only, replace_own_keys=replace_own_keys)
    reader = part("blender.read.reading").Reader(plan)
    with closing(part("blender.read.sweep").sweep(plan, reader)) as read:
        states = [
            state for state, frame in part("blender.write.bake").simulated(plan, reader, read) if frame is not None
        ]
    motions, poses = [state.motion for state in states], [state.pose for state in states]
    return (
        [ob.name for ob in plan.vehicles.source.objects],
        np.stack([motion.position for motion in motions]),
        np.stack([np.stack((pose.side, pose.forward, pose.up), axis=-1) for pose in poses]),
    )


def snapshots() -> list:
    """The snapshots that the simulation gets, frame by frame."""
    plan = part("blender.read.plan").plan_reading(bpy.context.scene)
    read = part("blender.read.sweep").sweep(plan, part("blender.read.reading").Reader(plan))
    return [frame.snapshot for frame in read]


def read_at(*over: int) -> list:
    """The snapshots that the simulation would get on these frames, each read alone."""
    plan = part("blender.read.plan").plan_reading(bpy.context.scene)
    reader = part("blender.read.reading").Reader(plan)
    return [reader.read(bpy.context.evaluated_depsgraph_get(), frame).snapshot for frame in at_frames(over)]


def listed() -> dict[str, str]:
    """The text of each thing to look at, by its kind."""
    bpy.context.view_layer.update()
    return {each.kind.name: each.text for each in part("blender.status.census").refresh(bpy.context.scene).findings}


def told(kind: str) -> list[str]:
    """The texts of the things to look at of a kind."""
    bpy.context.view_layer.update()
    found = part("blender.status.census").refresh(bpy.context.scene).findings
    return [each.text for each in found if each.kind.name == kind]


def with_role(role: str) -> list:
    """The tagged objects with a role."""
    return [ob for ob in bpy.data.objects if ob.is_property_set("steering") and role in ob.steering.roles]


def used(crowd_object) -> set[str]:
    """The names of the behaviors that a crowd uses."""
    settings, names = crowd_object.steering, [kind.name for kind in part("behaviors").CATALOGUE]
    return {name for name in names if settings.is_property_set(name) and getattr(settings, name).use}


def stored_names(block) -> list[str]:
    """The names of all properties stored on a datablock, both custom properties and those of extensions."""
    names = list(block.keys())
    # Since 5.0 registered properties are stored separately from custom properties.
    if hasattr(block, "bl_system_properties_get"):
        registered = block.bl_system_properties_get()
        names += list(registered.keys()) if registered is not None else []
    return sorted(names)
