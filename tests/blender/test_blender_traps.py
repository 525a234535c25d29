"""Calls that crash Blender itself, from docs/blender_traps.md: the extension avoids each of them."""

import bpy

from tests.blender.animated import insert
from tests.blender.building import at_frames, frames, part, wedge
from tests.blender.steered import crowd, vehicle
from tests.sampling import in_every_blender

pytestmark = in_every_blender


def test_a_preview_survives_a_changed_selection_among_objects_with_keyed_visibility() -> None:
    frames(1, 40)
    blinking, moving = wedge("Blinking"), vehicle(crowd=crowd(wander={}))
    insert(blinking, "hide_viewport", {-7: False, 5: False, 9: False})
    assert bpy.ops.steering.preview() == {"FINISHED"}
    for frame in at_frames(range(2, 40)):
        if frame % 4 == 0:
            # Not by `select`, which has Blender evaluate in between.
            blinking.select_set(frame % 8 == 0)
    assert bpy.ops.steering.preview() == {"FINISHED"}
    assert tuple(moving.location) == (0.0, 0.0, 0.0)


def test_an_armature_that_was_never_evaluated_can_lose_its_action() -> None:
    ob = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    ob.keyframe_insert("location", frame=1)
    action = bpy.data.actions.new("Other")
    assert ob.pose is None
    part("blender.animation.animation_data").assign_action(ob, action)
    assert ob.animation_data.action == action
    part("blender.animation.animation_data").assign_action(ob, None)
    assert ob.animation_data.action is None
