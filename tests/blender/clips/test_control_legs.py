"""Feet that are held by their controls, on rigs whose legs constraints pose."""

import bpy
import numpy as np
import pytest

from tests.blender.building import add_bone, at_frames, edit_bones, meshed, part
from tests.blender.dumping import scene_dump
from tests.blender.legged import legged, longest_step, walking
from tests.blender.steered import bake, clear_bake, tag
from tests.blender.walkers import CYCLE, clip

HALF = 0.16
"""Metres that a foot is before or behind the body at the ends of a stance."""


def with_controls(rig):
    """Let inverse kinematics bend the legs of a rig, each by a control of its own above which a root is."""
    add_bone(rig, "Everything", (0.0, 0.0, 0.0), (0.0, 0.3, 0.0), use_deform=False)
    with edit_bones(rig) as bones:
        for side in ("L", "R"):
            foot, control = bones[f"Foot.{side}"], bones.new(f"Step.{side}")
            control.head, control.tail, control.roll = foot.head, foot.tail, foot.roll
            control.parent, control.use_deform = bones["Everything"], False
    for side in ("L", "R"):
        rig.data.bones[f"Step.{side}"].use_local_location = side == "L"
        shin, foot = rig.pose.bones[f"Shin.{side}"], rig.pose.bones[f"Foot.{side}"]
        reach = shin.constraints.new("IK")
        reach.target, reach.subtarget, reach.chain_count, reach.use_stretch = rig, f"Step.{side}", 2, False
        turn = foot.constraints.new("COPY_ROTATION")
        turn.target, turn.subtarget = rig, f"Step.{side}"
    return rig


def walk_by_controls(rig, bent: float = 0.03):
    """Each control is on the ground for half of the cycle, and goes back unevenly."""
    times = np.arange(CYCLE + 1.0)
    channels = {("Body", "location", 1): [(1.0, -bent), (1.0 + CYCLE, -bent)]}
    for side, late in (("L", 0.0), ("R", 0.5)):
        bone = rig.data.bones[f"Step.{side}"]
        part_of_it = (times / CYCLE + late) % 1.0
        down = part_of_it < 0.5
        share = np.where(down, 2.0 * part_of_it, 2.0 - 2.0 * part_of_it)
        back = HALF * (2.0 * share - 1.0 + 0.25 * down * np.sin(2.0 * np.pi * share))
        up = np.where(down, 0.0, 0.08 * np.sin(2.0 * np.pi * (part_of_it - 0.5)))
        axes = bone.matrix_local.to_3x3() if bone.use_local_location else bone.parent.matrix_local.to_3x3()
        moved = np.stack((0.0 * back, back, up), axis=1) @ np.array(axes)
        for index in range(3):
            channels[bone.name, "location", index] = list(zip(1.0 + times, moved[:, index]))
    return clip(rig, "Walk", channels)


def controlled_walk():
    """A crowd of one that walks by its controls, too fast for its feet."""
    rig = with_controls(legged())
    rig.rotation_euler.z = 0.3
    people = walking(rig, walk_by_controls)
    next(each for each in people.steering.portrayal.clips if each.plays == "MOVE").ground_speed = 0.5
    return rig, people


def feet_actions():
    return [action for action in bpy.data.actions if action.name.startswith("Feet")]


def paths_of(action) -> set[str]:
    curves = part("blender.animation.animation_data")
    return {
        curve.data_path for curve in curves.channelbag_in(action, action.slots[0] if curves.SLOTTED else None).fcurves
    }


def test_controls_hold_feet_and_their_keys_are_gone_with_the_bake() -> None:
    rig, people = controlled_walk()
    people.steering.portrayal.playing.plant_feet = False
    before = scene_dump()
    feet, crowds = part("blender.clips.planting"), part("blender.clips.crowd_clips")
    family = part("blender.objects.hierarchy").Family()
    [model] = crowds.models_of(people, [rig], bpy.context.scene, family)
    assert feet.why_unplanted(model, bpy.context.scene, family) == ""
    assert scene_dump() == before
    bake()
    loose = longest_step(rig)
    clear_bake()
    people.steering.portrayal.playing.plant_feet = True
    bake()
    assert people.steering.portrayal.unplanted == ""
    assert longest_step(rig) < 0.2 * loose and loose > 0.005
    assert paths_of(feet_actions()[0]) == {
        f'pose.bones["Step.{side}"].{channel}' for side in "LR" for channel in ("location", "rotation_quaternion")
    }
    clear_bake()
    assert {name: block for name, block in before.items() if "action" in name.lower()} == {
        name: block for name, block in scene_dump().items() if "action" in name.lower()
    }


def test_feet_of_controls_stand_on_a_slope_and_hips_come_down_for_them() -> None:
    controlled_walk()
    slope = np.tan(np.radians(15.0))
    corners = [(x, y, slope * y) for y in (-40.0, 10.0) for x in (-20.0, 20.0)]
    tag(meshed("Slope", corners, [(0, 1, 3, 2)]), role="SURFACE")
    bake()
    assert 'pose.bones["Body"].location' in paths_of(feet_actions()[0])
    skin, off = bpy.data.objects["Walker Skin"], []
    for _ in at_frames(range(20, 60)):
        evaluated = skin.evaluated_get(bpy.context.evaluated_depsgraph_get())
        places = np.array([evaluated.matrix_world @ vertex.co for vertex in evaluated.data.vertices[:24]])
        above = places[:, 2] - slope * places[:, 1]
        off += [above[:12].min(), above[12:].min()]
    off = np.sort(np.abs(np.array(off).reshape(-1, 2)).min(axis=1))
    # One foot stands at any time; the other one may swing.
    assert off[int(0.95 * len(off))] < 0.015


def test_a_constraint_that_moves_no_leg_leaves_the_feet_to_leg_keys() -> None:
    rig = legged()
    add_bone(rig, "Tail", (0.0, 0.1, 0.9), (0.0, 0.5, 0.9), "Body")
    rig.pose.bones["Tail"].constraints.new("COPY_ROTATION").target = rig
    people = walking(rig)
    bake()
    assert people.steering.portrayal.unplanted == ""
    assert 'pose.bones["Shin.L"].rotation_euler' in paths_of(feet_actions()[0])


@pytest.mark.parametrize("spoil", ["no influence", "locked"])
def test_legs_that_no_control_moves_alone_say_what_to_do(spoil: str) -> None:
    rig, people = controlled_walk()
    for side in "LR":
        reach = rig.pose.bones[f"Shin.{side}"].constraints[0]
        if spoil == "no influence":
            reach.influence = 0.0
            rig.pose.bones[f"Foot.{side}"].constraints[0].influence = 0.0
        else:
            rig.pose.bones[f"Step.{side}"].lock_location = (True, True, True)
    bake()
    assert "switch the legs to inverse kinematics" in people.steering.portrayal.unplanted
    assert not feet_actions()
