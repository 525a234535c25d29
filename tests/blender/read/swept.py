"""Sweeps through the frames of a scene, with the check that they leave the file as it was."""

import bpy

from tests.blender import seen
from tests.blender.animated import drive
from tests.blender.dumping import assert_same, scene_dump


def snapshots() -> list:
    """The snapshots that the simulation gets, frame by frame; the file is left as it was."""
    bpy.context.view_layer.update()
    before = scene_dump()
    found = seen.snapshots()
    assert_same(before, scene_dump())
    return found


def in_the_animators_scene(crowd_object) -> None:
    """Have a driver read the scene, so that the sweep has to run in it."""
    bpy.context.scene["weight"] = 2.0
    drive(crowd_object, "steering.seek.weight", "weight", weight=(bpy.context.scene, '["weight"]'))
