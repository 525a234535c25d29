"""Objects with all that an animator may have done before a bake, and motion to bake."""

import inspect
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np

from tests.blender.animated import bags
from tests.blender.building import empty, from_library

FIRST, LAST = 10, 30
FRAMES = np.arange(FIRST, LAST + 1.0)
OTHER_FRAMES = np.arange(5.0, 22.0)
SLOTTED = "slots" in bpy.types.Action.bl_rna.properties


def new_object(name: str = "Ship"):
    return empty(name, (1.0, 2.0, 3.0), rotation=(0.1, 0.2, 0.3), scale=(1.0, 1.1, 1.2))


def insert(ob, path: str, frames, rise: float = 1.0, index: int = -1) -> None:
    """Keys by hand, as the user interface sets them."""
    start = np.array(getattr(ob, path))
    for frame in frames:
        setattr(ob, path, start + frame * rise * 0.1)
        ob.keyframe_insert(path, index=index, frame=frame)
    setattr(ob, path, start)


def curves_of(ob) -> dict:
    result = {}
    for bag in bags(ob.animation_data.action):
        if not SLOTTED or bag.slot == ob.animation_data.action_slot:
            result |= {(curve.data_path, curve.array_index): curve for curve in bag.fcurves}
    return result


def decorate(ob) -> None:
    """Give the location keys of an object every property that keys and curves may have."""
    curves = curves_of(ob)
    x, y = curves["location", 0], curves["location", 1]
    for point, kind in zip(x.keyframe_points, ("FREE", "ALIGNED", "VECTOR", "AUTO", "FREE", "ALIGNED")):
        point.handle_left_type = point.handle_right_type = kind
        point.handle_left[1] -= 0.7
        point.handle_right[1] += 1.3
    for point, kind in zip(x.keyframe_points, ("ELASTIC", "BACK", "CONSTANT", "BEZIER", "BOUNCE", "LINEAR")):
        point.interpolation = kind
    for point, kind in zip(x.keyframe_points, ("EXTREME", "KEYFRAME", "GENERATED", "BREAKDOWN", "JITTER")):
        point.type = kind
    x.keyframe_points[0].amplitude, x.keyframe_points[0].period, x.keyframe_points[1].back = 1.5, 7.0, 2.0
    x.keyframe_points[2].easing = "EASE_OUT"
    x.update()
    x.extrapolation, x.color_mode, x.color = "LINEAR", "CUSTOM", (0.2, 0.4, 0.6)
    y.modifiers.new("CYCLES")
    noise = y.modifiers.new("NOISE")
    noise.strength, noise.phase = 0.7, 3.0
    group = bags(ob.animation_data.action)[0].groups.new("My Own Group")
    y.group = group


def no_animation(ob):
    """Change nothing."""


def several_vehicles():
    return [new_object(f"Ship {number}") for number in range(3)]


def keys_of_other_channels(ob):
    insert(ob, "scale", (1, 15, 40))
    insert(ob, "delta_location", (1, 15, 40))
    ob.animation_data.action.name = "My Own Name"


def keys_of_a_parameter(ob):
    ob["speed"] = 1.0
    for frame, ob["speed"] in ((1, 2.0), (15, 5.0), (60, 1.0)):
        ob.keyframe_insert('["speed"]', frame=frame)


def a_parameter_of_nothing_but_noise(ob):
    ob["speed"] = 1.0
    ob.keyframe_insert('["speed"]', frame=1)
    curve = curves_of(ob)['["speed"]', 0]
    curve.keyframe_points.clear()
    curve.modifiers.new("NOISE")


def keys_outside_the_range(ob):
    insert(ob, "location", (-5, 1, 40, 50))
    insert(ob, "rotation_euler", (-5, 1, 2))
    insert(ob, "rotation_quaternion", (45,))


def play(ob, action) -> None:
    """Let an object play an action, in its first slot."""
    ob.animation_data_create().action = action
    if SLOTTED:
        ob.animation_data.action_slot = action.slots[0]


def two_that_play(path: str, frames) -> list:
    """Two objects with one action, of such keys."""
    each, other = new_object("One"), new_object("Other")
    insert(each, path, frames)
    play(other, each.animation_data.action)
    return [each, other]


def a_shared_action():
    return two_that_play("scale", (1, 40))


def a_shared_action_of_which_one_is_baked():
    return a_shared_action()[:1]


def an_action_with_a_slot_for_each():
    each, other = new_object("One"), new_object("Other")
    insert(each, "scale", (1, 40))
    insert(each, "location", (1, 50))
    if SLOTTED:
        action = each.animation_data.action
        other.animation_data_create().action = action
        other.animation_data.action_slot = action.slots.new("OBJECT", "Other")
        insert(other, "scale", (2, 60))
        assert len(action.slots) == 2
    return [each, other]


def an_action_with_an_unused_slot(ob):
    insert(ob, "scale", (1, 40))
    if SLOTTED:
        action = ob.animation_data.action
        slot = action.slots.new("OBJECT", "Another")
        action.layers[0].strips[0].channelbag(slot, ensure=True).fcurves.new("location").keyframe_points.add(3)


def an_action_without_its_slot(ob):
    insert(ob, "scale", (1, 40))
    if SLOTTED:
        ob.animation_data.action_slot = None


def an_action_that_is_empty(ob):
    ob.animation_data_create().action = bpy.data.actions.new("Empty")


def an_action_with_a_fake_user(ob):
    insert(ob, "scale", (1, 40))
    ob.animation_data.action.use_fake_user = True


def an_action_with_more_than_curves(ob):
    insert(ob, "scale", (1, 40))
    action = ob.animation_data.action
    action["note"], action["others"] = "mine", {"ship": bpy.data.objects.new("Unbaked", None), "numbers": [1.0, 2.0]}
    action.pose_markers.new("here").frame = 7
    action.use_frame_range, action.frame_start, action.frame_end = True, 3, 77


def a_linked_action(path):
    insert(ob := new_object("Source"), "scale", (1, 40))
    ob.animation_data.action.name = "Linked"
    action = from_library(path, "actions", "Linked")
    play(ob := new_object(), action)
    return [ob]


def settings_of_the_nla(ob):
    insert(ob, "scale", (1, 40))
    track = ob.animation_data.nla_tracks.new()
    track.strips.new("Breath", 1, ob.animation_data.action)
    ob.animation_data.action = None
    ob.animation_data.action_extrapolation = "NOTHING"


def drivers_of_other_channels(ob):
    ob.driver_add("scale", 0).driver.expression = "frame / 10"


def own_keys(ob):
    insert(ob, "location", (15, 20))
    insert(ob, "rotation_euler", (15, 20))


def own_keys_of_all_kinds(ob):
    insert(ob, "location", (-10, 2, 12, 20, 28, 44))
    insert(ob, "rotation_euler", (-3, 20, 50), index=1)
    insert(ob, "rotation_quaternion", (11, 12), index=2)
    insert(ob, "scale", (1, 15, 40))
    decorate(ob)


def own_keys_in_a_shared_action():
    return two_that_play("location", (1, 15, 40))


def own_samples(ob):
    insert(ob, "location", (1, 15, 40))
    curves_of(ob)["location", 2].convert_to_samples(0, 50)


def a_muted_curve(ob):
    insert(ob, "location", (1, 50))
    curves_of(ob)["location", 2].mute = True


def own_noise_without_keys(ob):
    ob.keyframe_insert("location", frame=1)
    curve = curves_of(ob)["location", 0]
    curve.keyframe_points.clear()
    curve.modifiers.new("NOISE").strength = 5.0


def own_drivers(ob):
    ob.driver_add("location", 0).driver.expression = "frame / 10"
    ob.driver_add("rotation_euler", 2).driver.expression = "sin(frame)"
    ob.driver_add("location", 1).driver.expression = "frame / 7"
    ob.animation_data.drivers[-1].mute = True
    insert(ob, "scale", (1, 40))


def own_strips(ob):
    for name, start, path in (("Walk", 1, "location"), ("Run", 40, "location"), ("Breathe", 12, "scale")):
        insert(ob, path, (1, 25))
        track = ob.animation_data.nla_tracks.new()
        track.strips.new(name, start, ob.animation_data.action)
        ob.animation_data.action = None


FREE = (
    *(no_animation, several_vehicles, keys_of_other_channels, keys_of_a_parameter, keys_outside_the_range),
    *(a_parameter_of_nothing_but_noise, a_shared_action, a_shared_action_of_which_one_is_baked),
    *(an_action_with_a_slot_for_each, an_action_with_an_unused_slot, an_action_without_its_slot),
    *(an_action_that_is_empty, an_action_with_a_fake_user, an_action_with_more_than_curves, a_linked_action),
    *(settings_of_the_nla, drivers_of_other_channels),
)
"""Animation that a bake leaves alone."""
TO_REPLACE = (
    *(own_keys, own_keys_of_all_kinds, own_keys_in_a_shared_action, own_samples, a_muted_curve),
    *(own_noise_without_keys, own_drivers, own_strips),
)
"""Animation that a bake refuses unless it may replace it."""


def made(situation: Callable, folder: Path) -> list:
    """The vehicles of a situation, which changes one of them, or makes several itself."""
    needs = inspect.signature(situation).parameters
    if "ob" not in needs:
        return situation(folder) if needs else situation()
    situation(ob := new_object())
    return [ob]


def motion(ob, frames=FRAMES) -> tuple[np.ndarray, np.ndarray]:
    """Something to see, in the channels of the object's rotation mode."""
    phase = frames[:, None] * 0.1 + np.arange(3)
    turn = np.sin(phase)
    if ob.rotation_mode in ("QUATERNION", "AXIS_ANGLE"):
        turn = np.column_stack((1.0 + 0.1 * np.cos(frames), turn))
    return np.cos(phase) * 5.0, turn
