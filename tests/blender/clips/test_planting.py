"""Feet that are held where they stand, on rigs with legs of two bones."""

import bpy
import numpy as np
import pytest

from tests.blender.building import bake, clear_bake, crowd, empty, frames, link, part, scene_dump, select, tag, vehicle
from tests.blender.legged import (
    CYCLE,
    baked_loose_and_held,
    deepest,
    legged,
    longest_step,
    slope,
    uneven_walk,
    walking,
    with_feet_apart,
)
from tests.blender.walkers import clip, found_walkers, idle, stash, walker


def test_feet_of_a_bake_stay_where_they_stand_and_are_free_again_afterwards() -> None:
    rig = legged()
    people = walking(rig)
    # Feet that step faster than the body goes slide.
    next(each for each in people.steering.portrayal.clips if each.plays == "MOVE").ground_speed = 0.5
    people.steering.portrayal.playing.plant_feet = False
    before = scene_dump()
    bake()
    loose = longest_step(rig)
    assert loose > 0.005
    assert not any(track.name == "Steering: Feet" for track in rig.animation_data.nla_tracks)
    clear_bake()
    people.steering.portrayal.playing.plant_feet = True
    people.steering.portrayal.unplanted = "it had no legs"
    bake()
    assert people.steering.portrayal.unplanted == ""
    assert [track.name for track in rig.animation_data.nla_tracks if track.name.startswith("Steering")] == [
        "Steering: Idle",
        "Steering: Walk",
        "Steering: Feet",
    ]
    feet = rig.animation_data.nla_tracks["Steering: Feet"].strips[0]
    assert (feet.frame_start, feet.scale, len(feet.fcurves)) == (1.0, 1.0, 0), "it is played frame by frame"
    assert longest_step(rig) < 0.25 * loose
    actions = sorted(action.name for action in bpy.data.actions)
    bake()
    assert actions == sorted(action.name for action in bpy.data.actions)
    clear_bake()
    assert not any("Feet" in action.name for action in bpy.data.actions)
    assert {name: block for name, block in before.items() if "action" in name.lower()} == {
        name: block for name, block in scene_dump().items() if "action" in name.lower()
    }


def test_a_strip_of_feet_that_was_moved_stays_when_the_bake_is_deleted() -> None:
    rig = legged()
    walking(rig)
    bake()
    rig.animation_data.nla_tracks["Steering: Feet"].strips[0].frame_start += 3.0
    clear_bake()
    assert [track.name for track in rig.animation_data.nla_tracks if "Steering" in track.name] == ["Steering: Feet"]


def test_legs_have_fewer_keys_than_frames_and_keep_to_what_they_would_have_on_each() -> None:
    rig = legged()
    walking(rig)
    every, kept = {}, part("blender.write.clip_writer")
    made_for = kept.made_for

    def noted(rigs, title, keys, existing):
        every.update(keys[0] if title == "Feet" else {})
        return made_for(rigs, title, keys, existing)

    kept.made_for = noted
    try:
        bake()
    finally:
        kept.made_for = made_for
    [action] = [action for action in bpy.data.actions if action.name.startswith("Feet")]
    animation = part("blender.animation.animation_data")
    curves = animation.channelbag_in(action, animation.slot_for(action, rig)).fcurves
    assert len(curves) == len(every) > 0
    assert sum(len(curve.keyframe_points) for curve in curves) < 0.7 * sum(map(len, every.values()))
    for curve in curves:
        values = every[curve.data_path, curve.array_index]
        off = np.array([curve.evaluate(frame) for frame in range(len(values))]) - values
        assert np.abs(off).max() < 2.1e-4


def test_feet_of_a_model_that_has_grown_since_its_clips_were_measured_stay_too() -> None:
    rig = legged()
    people = walking(rig)
    next(each for each in people.steering.portrayal.clips if each.plays == "MOVE").ground_speed = 0.5
    rig.scale = (1.3, 1.3, 1.3)
    loose = baked_loose_and_held(people, rig)
    assert longest_step(rig) < 0.1 * loose


def test_feet_that_are_bones_of_their_own_stay_and_shins_end_at_them() -> None:
    rig = legged()
    people = walking(rig)
    with_feet_apart(rig)
    next(each for each in people.steering.portrayal.clips if each.plays == "MOVE").ground_speed = 0.5
    loose = baked_loose_and_held(people, rig)
    assert people.steering.portrayal.unplanted == ""
    assert longest_step(rig) < 0.1 * loose
    for frame in range(20, 60, 3):
        bpy.context.scene.frame_set(frame)
        bones = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
        for side in ("L", "R"):
            assert (bones[f"Shin.{side}"].tail - bones[f"Foot.{side}"].head).length < 1e-3


def test_feet_of_a_mesh_that_envelopes_bind_are_found_and_held() -> None:
    rig, skin = legged(), bpy.data.objects["Walker Skin"]
    skin.vertex_groups.clear()
    skin.modifiers[0].use_vertex_groups, skin.modifiers[0].use_bone_envelopes = False, True
    people = walking(rig)
    assert [(clip.action.name, clip.plays) for clip in people.steering.portrayal.clips] == [
        ("Idle", "STAND"),
        ("Walk", "MOVE"),
    ]
    assert people.steering.portrayal.unplanted == ""


def test_a_robe_that_reaches_the_ground_does_not_count_as_a_foot() -> None:
    rig = legged()
    mesh = bpy.data.meshes.new("Robe")
    angles = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    mesh.from_pydata([(0.3 * np.cos(a), 0.3 * np.sin(a), z) for a in angles for z in (0.005, 0.9)], [], [])
    robe = link(bpy.data.objects.new("Robe", mesh))
    robe.parent = rig
    robe.vertex_groups.new(name="Body").add(list(range(48)), 1.0, "REPLACE")
    robe.modifiers.new("Armature", "ARMATURE").object = rig
    bpy.context.view_layer.update()
    people = walking(rig)
    assert [clip.plays for clip in people.steering.portrayal.clips] == ["STAND", "MOVE"]
    assert people.steering.portrayal.unplanted == ""


def test_a_walk_with_stepped_keys_is_measured_and_played_with_straight_lines_between_them() -> None:
    rig = legged()
    people = walking(rig)
    speed = people.steering.portrayal.clips[1].speed
    bake()
    expected = longest_step(rig)
    clear_bake()
    curves = part("blender.animation.animation_data")
    for bag in curves.channelbags(bpy.data.actions["Walk"]):
        for key in (key for curve in bag.fcurves for key in curve.keyframe_points):
            key.interpolation = "CONSTANT"
    select(people)
    assert bpy.ops.steering.clips_measure() == {"FINISHED"}
    assert people.steering.portrayal.clips[1].plays == "MOVE"
    assert people.steering.portrayal.clips[1].speed == pytest.approx(speed, rel=0.01)
    bake()
    assert longest_step(rig) < 1.1 * expected
    keys = [
        key
        for bag in curves.channelbags(bpy.data.actions["Walk"])
        for each in bag.fcurves
        for key in each.keyframe_points
    ]
    assert {key.interpolation for key in keys} == {"CONSTANT"}


def test_a_recording_of_many_steps_is_left_out_until_its_frame_range_is_one_cycle() -> None:
    rig = legged()
    people = walking(rig)
    clips = people.steering.portrayal.clips
    speed = clips[1].speed
    curves = part("blender.animation.animation_data")
    [bag] = curves.channelbags(bpy.data.actions["Walk"])
    for curve in bag.fcurves:
        points = [tuple(key.co) for key in curve.keyframe_points]
        for frame, value in points[1:]:
            for cycle in range(1, 40):
                curve.keyframe_points.insert(frame + CYCLE * cycle, value, options={"FAST"}).interpolation = "LINEAR"
        curve.update()
    clips.clear()
    find = part("blender.clips.finding_clips")
    why = find.why_too_long([bpy.data.actions["Walk"]], rig, bpy.context.scene)
    assert why.startswith("Walk lasts 40 s, too long for a cycle of steps. Set the Manual Frame Range")
    assert bpy.ops.steering.clips_find() == {"FINISHED"}
    assert [clip.action.name for clip in clips] == ["Idle"]
    walk = bpy.data.actions["Walk"]
    walk.use_frame_range, walk.frame_start, walk.frame_end = True, 1.0 + 3 * CYCLE, 1.0 + 4 * CYCLE
    assert bpy.ops.steering.clips_find() == {"FINISHED"}
    assert clips[1].action == walk and clips[1].speed == pytest.approx(speed, rel=0.01)


def with_run(rig, last_key: float):
    """A walk, whose thighs end this much further back than they began, and a run that is twice as quick."""
    walk_, run = uneven_walk(rig), uneven_walk(rig)
    run.name = "Run"
    curves = part("blender.animation.animation_data")
    [bag], [quick] = curves.channelbags(walk_), curves.channelbags(run)
    for key in (key for curve in quick.fcurves for key in curve.keyframe_points):
        key.co.x = 1.0 + 0.5 * (key.co.x - 1.0)
    for side in ("L", "R"):
        bag.fcurves.find(f'pose.bones["Thigh.{side}"].rotation_euler', index=0).keyframe_points[-1].co.y += last_key
    return walk_, run


def told_by_tagging(rig, *actions) -> tuple[list[str], str]:
    """The clips that a rig brings to a new crowd, and why others are missing."""
    frames(1, 60)
    stash(rig, idle(rig), *actions)
    people = crowd("People")
    people.steering.locomotion = "ON_FOOT"
    vehicle(rig, crowd=people, identity=5)
    return part("blender.crowds.adding_clips").add_to_new_crowd(people, [rig], bpy.context.scene)


def test_shins_that_end_near_the_ground_are_not_taken_for_feet() -> None:
    rig = legged()
    skin = bpy.data.objects["Walker Skin"]
    for side, first in (("L", 0), ("R", 12)):
        back = [first + row for row in range(12) if row // 2 % 3 == 2 and row % 2]
        for row in back:
            skin.data.vertices[row].co.z = 0.08
        skin.vertex_groups[f"Foot.{side}"].remove(back)
        skin.vertex_groups.new(name=f"Shin.{side}").add(back, 1.0, "REPLACE")
    people = walking(rig)
    assert people.steering.portrayal.unplanted == ""
    bake()
    held = rig.animation_data.nla_tracks["Steering: Feet"].strips[0].action
    curves = part("blender.animation.animation_data")
    bones = {curve.data_path.split('"')[1] for bag in curves.channelbags(held) for curve in bag.fcurves}
    assert bones >= {f"{bone}.{side}" for bone in ("Thigh", "Shin", "Foot") for side in ("L", "R")}


def test_a_walk_that_does_not_close_is_named_where_only_a_run_is_found() -> None:
    rig = legged()
    names, why = told_by_tagging(rig, *with_run(rig, 0.8))
    assert names == ["Idle", "Run"]
    assert why.startswith("Walk is not taken for a walk, as its last pose is ")
    assert why.endswith(" cm from the first. Set the Manual Frame Range of the action to two steps that repeat")


def test_nothing_is_told_of_a_walk_that_is_found_beside_a_run() -> None:
    rig = legged()
    assert told_by_tagging(rig, *with_run(rig, 0.0)) == (["Idle", "Walk", "Run"], "")


def test_a_skeleton_without_a_mesh_is_told_that_steps_are_measured_by_soles() -> None:
    rig = legged()
    bpy.data.objects.remove(bpy.data.objects["Walker Skin"])
    dance = clip(rig, "Dance", {("Body", "rotation_euler", 0): [(1.0, 0.0), (9.0, 0.8), (18.0, 0.0)]})
    assert told_by_tagging(rig, dance) == (
        [],
        "People plays no clips: bones of Walker move no mesh, and steps are measured by the soles of meshes. "
        "Give it a mesh with an Armature modifier. Then press Find Clips",
    )


def test_feet_of_a_skeleton_without_a_mesh_that_has_no_legs_are_not_held_and_it_says_why() -> None:
    rig = legged()
    bpy.data.objects.remove(bpy.data.objects["Walker Skin"])
    for side in ("L", "R"):
        rig.data.bones[f"Foot.{side}"].use_deform = False
        rig.data.bones[f"Thigh.{side}"].use_deform = False
    people = walking(rig)
    assert people.steering.portrayal.unplanted == "Walker moves no mesh, whose soles could be held: give it a mesh"


def test_legs_that_inherit_no_scale_are_held_where_nothing_scales_them() -> None:
    rig = legged()
    for side in ("L", "R"):
        rig.data.bones[f"Shin.{side}"].inherit_scale = "NONE"
        rig.data.bones[f"Foot.{side}"].inherit_scale = "ALIGNED"
    people = walking(rig)
    next(each for each in people.steering.portrayal.clips if each.plays == "MOVE").ground_speed = 0.5
    loose = baked_loose_and_held(people, rig)
    assert people.steering.portrayal.unplanted == ""
    assert longest_step(rig) < 0.25 * loose


def test_legs_that_inherit_no_rotation_are_not_held_and_the_bone_is_named() -> None:
    rig = legged()
    rig.data.bones["Foot.R"].use_inherit_rotation = False
    people = walking(rig)
    assert people.steering.portrayal.unplanted == (
        "Foot.R of Walker inherits no rotation: turn on Inherit Rotation, and key its clips again"
    )


def test_a_model_whose_mesh_no_bone_moves_has_no_walk() -> None:
    rig = legged()
    bpy.data.objects["Walker Skin"].vertex_groups.clear()
    people = walking(rig)
    assert [(clip.action.name, clip.plays) for clip in people.steering.portrayal.clips] == [("Idle", "STAND")]


def test_of_several_armatures_the_one_that_is_animated_plays_clips() -> None:
    face = link(bpy.data.objects.new("A Face", bpy.data.armatures.new("A Face")))
    rig, carrier = legged(), empty("Carrier")
    face.parent = rig.parent = carrier
    frames(1, 60)
    stash(rig, idle(rig), uneven_walk(rig))
    people = crowd("People")
    vehicle(carrier, crowd=people, identity=5)
    select(people)
    assert bpy.ops.steering.clips_find() == {"FINISHED"}
    bake()
    assert any(track.name == "Steering: Walk" for track in rig.animation_data.nla_tracks)


def with_toes(rig) -> None:
    """Divide the feet of a rig into heels and toes."""
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for side in ("L", "R"):
        foot = rig.data.edit_bones[f"Foot.{side}"]
        toes = rig.data.edit_bones.new(f"Toes.{side}")
        toes.head, toes.tail, toes.parent = (foot.tail.x, -0.05, 0.02), (foot.tail.x, -0.2, 0.02), foot
    bpy.ops.object.mode_set(mode="OBJECT")
    skin = bpy.data.objects["Walker Skin"]
    for side, first in (("L", 0), ("R", 12)):
        front = [row for row in range(first, first + 12) if row // 2 % 3 == 0]
        skin.vertex_groups[f"Foot.{side}"].remove(front)
        skin.vertex_groups.new(name=f"Toes.{side}").add(front, 1.0, "REPLACE")
        rig.pose.bones[f"Toes.{side}"].rotation_mode = "XYZ"


def run_on_toes(rig):
    """Toes that bend as heels lift off, so that they do not move alike."""
    action = uneven_walk(rig)
    curves = part("blender.animation.animation_data")
    bag = curves.channelbag_in(action, curves.slot_for(action, rig))
    for side, late in (("L", 0.0), ("R", 0.5)):
        bends = bag.fcurves.new(f'pose.bones["Toes.{side}"].rotation_euler', index=0)
        for time in range(CYCLE + 1):
            swings = max(np.sin(2.0 * np.pi * (time / CYCLE + late)), 0.0)
            bends.keyframe_points.insert(1.0 + time, 2.6 * swings).interpolation = "LINEAR"
    return action


def test_heels_and_toes_that_touch_the_ground_one_after_the_other_are_one_foot() -> None:
    rig = legged()
    with_toes(rig)
    people = walking(rig, run_on_toes)
    assert people.steering.portrayal.unplanted == ""
    bake()
    held = rig.animation_data.nla_tracks["Steering: Feet"].strips[0].action
    curves = part("blender.animation.animation_data")
    paths = {curve.data_path for bag in curves.channelbags(held) for curve in bag.fcurves}
    assert not any("Toes" in path for path in paths) and any("Thigh.L" in path for path in paths)


def test_feet_of_a_mirrored_model_stand_on_a_slope_to_its_side() -> None:
    rig = legged()
    rig.scale = (-1.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    walking(rig)
    slope(0.0, 0.3)
    bake()
    assert deepest(bpy.data.objects["Walker Skin"], 0.0, 0.3) < 0.002


def test_a_model_that_is_scaled_unevenly_plays_clips_and_says_why_its_feet_are_not_held() -> None:
    rig = legged()
    people = walking(rig)
    speed = people.steering.portrayal.clips[1].speed
    rig.scale = (1.2, 0.8, 1.5)
    bpy.context.view_layer.update()
    assert bpy.ops.steering.clips_measure() == {"FINISHED"}
    assert people.steering.portrayal.clips[1].speed == pytest.approx(0.8 * speed, rel=0.02)
    bake()
    assert people.steering.portrayal.unplanted == "Walker is scaled unevenly: apply its scale, or scale it evenly"
    assert not any(track.name == "Steering: Feet" for track in rig.animation_data.nla_tracks)


def test_a_new_crowd_of_a_larger_copy_moves_at_the_speed_of_its_own_steps() -> None:
    rig = legged()
    speed = walking(rig).steering.portrayal.clips[1].speed
    giant = link(bpy.data.objects.new("Giant", rig.data))
    giant.scale = (2.0, 2.0, 2.0)
    bpy.context.view_layer.update()
    for bone in giant.pose.bones:
        bone.rotation_mode = "XYZ"
    skin = link(bpy.data.objects["Walker Skin"].copy())
    skin.parent, skin.modifiers[0].object = giant, giant
    bpy.context.view_layer.update()
    giants = crowd("Giants")
    vehicle(giant, crowd=giants, identity=6)
    select(giants)
    assert bpy.ops.steering.clips_find(fit_speed=True) == {"FINISHED"}
    model = giants.steering.vehicle
    assert model.max_speed * model.cruise_speed == pytest.approx(2.0 * speed, rel=0.01)


def test_heels_that_shins_move_as_well_stand_on_a_slope() -> None:
    rig = legged()
    skin = bpy.data.objects["Walker Skin"]
    for side, first in (("L", 0), ("R", 12)):
        heel = [row for row in range(first, first + 12) if row // 2 % 3 == 2]
        skin.vertex_groups[f"Foot.{side}"].add(heel, 0.75, "REPLACE")
        skin.vertex_groups.new(name=f"Shin.{side}").add(heel, 0.25, "REPLACE")
    walking(rig)
    steep = float(np.tan(np.radians(20.0)))
    slope(steep, 0.0)
    bake()
    assert deepest(skin, steep, 0.0) < 0.001


def test_each_foot_is_found_that_slides_on_a_slope() -> None:
    rig = legged()
    people = walking(rig)
    slope = np.tan(np.radians(25.0))
    mesh = bpy.data.meshes.new("Slope")
    corners = [(x, y, slope * x) for y in (-40.0, 10.0) for x in (-20.0, 20.0)]
    mesh.from_pydata(corners, [], [(0, 1, 3, 2)])
    tag(link(bpy.data.objects.new("Slope", mesh)), role="SURFACE")
    select(people)
    bake()
    slides_of, animation = part("blender.status.sliding").slides_of, part("blender.animation.animation_data")
    [held] = slides_of([rig], bpy.context.scene)
    assert held.metres < 0.02
    [feet] = [action for action in bpy.data.actions if action.name.startswith("Feet")]
    curves = animation.channelbag_in(feet, animation.slot_for(feet, rig)).fcurves
    for side in ("L", "R"):
        keys = [key for curve in curves if f"Thigh.{side}" in curve.data_path for key in curve.keyframe_points]
        before = [key.co.y for key in keys]
        for key in keys:
            key.co.y += 0.05 * np.sin(2.0 * key.co.x)
        [trembling] = slides_of([rig], bpy.context.scene)
        assert trembling.metres > 0.05
        for key, value in zip(keys, before):
            key.co.y = value


def test_a_deleted_bake_gives_back_what_only_feet_keyed_and_leaves_no_copy_of_a_clip_that_was_never_seen() -> None:
    rig = legged()
    rig.rotation_euler.z = 0.8
    people = walking(rig)
    with_feet_apart(rig)
    walk_ = bpy.data.actions["Walk"]
    curves = part("blender.animation.animation_data")
    bag = curves.channelbag_in(walk_, curves.slot_for(walk_, rig))
    for curve in [each for each in bag.fcurves if "Foot" in each.data_path and each.array_index == 0]:
        bag.fcurves.remove(curve)
    walk_.copy().name = "Gallop"
    assert bpy.ops.steering.clip_add(action="Gallop", plays="MOVE") == {"FINISHED"}
    people.steering.portrayal.clips[-1].ground_speed = 50.0
    before = [channel for bone in rig.pose.bones for channel in (*bone.location, *bone.rotation_euler)]
    actions = len(bpy.data.actions)
    for _ in range(2):
        bake()
    bpy.context.scene.frame_set(40)
    assert abs(rig.pose.bones["Foot.L"].location.x) > 1e-3
    assert not any(track.name == "Steering: Gallop" for track in rig.animation_data.nla_tracks)
    clear_bake()
    after = [channel for bone in rig.pose.bones for channel in (*bone.location, *bone.rotation_euler)]
    assert after == pytest.approx(before, abs=1e-6) and len(bpy.data.actions) == actions


@pytest.mark.parametrize("spoil", ["constraint", "no legs"])
def test_feet_that_cannot_be_held_say_why(spoil: str) -> None:
    planting, poses = part("blender.clips.planting"), part("blender.clips.measuring")
    rig = legged() if spoil == "constraint" else walker()
    action = uneven_walk(rig) if spoil == "constraint" else idle(rig)
    if spoil == "constraint":
        # It is moved by nothing that a key could move.
        rig.pose.bones["Foot.L"].constraints.new("LIMIT_LOCATION")
    family = part("blender.objects.hierarchy").Family()
    read = part("blender.clips.rig").rig_of(rig, rig, family, poses.axes_of("NEG_Y", "Z"))
    clips = [part("portrayal.clips").Clip("Walk", 1, 1.0, 1.0, 1.0)]
    _, reason = planting.planter_of(rig, read, clips, [action])
    assert ("constraints or drivers pose" if spoil == "constraint" else "below a leg of two bones") in reason


def test_who_stands_on_a_lorry_plays_no_walk_and_keeps_its_feet_on_the_bed() -> None:
    rig = legged()
    people = walking(rig)
    people.steering.seek.use = False
    people.steering.vehicle.cruise_speed = rig.steering.start_speed = 0.0
    corners = [(x, y, 0.0) for x in (-4.0, 4.0) for y in (-4.0, 4.0)]
    mesh = bpy.data.meshes.new("Bed")
    mesh.from_pydata(corners, [], [(0, 1, 3, 2)])
    bed = link(bpy.data.objects.new("Bed", mesh))
    for frame, place, angle in ((1, (0.0, 0.0, 0.0), 0.0), (60, (5.0, 1.0, 0.4), 0.6)):
        bed.location, bed.rotation_euler.z = place, angle
        bed.keyframe_insert("location", frame=frame)
        bed.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(1)
    select(bed)
    bpy.ops.steering.tag(role="SURFACE")
    bake()
    names = {track.name for track in rig.animation_data.nla_tracks if not track.mute}
    assert names == {"Steering: Idle", "Steering: Feet"}
    soles = []
    for frame in range(1, 61):
        bpy.context.scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        evaluated = rig.evaluated_get(graph)
        back = np.array(bed.evaluated_get(graph).matrix_world.inverted() @ evaluated.matrix_world)
        soles.append([back @ np.array(evaluated.pose.bones[f"Foot.{side}"].matrix)[:, 3] for side in "LR"])
    # It breathes: its legs are stretched as its hips go up.
    assert (np.ptp(np.array(soles), axis=0)[:, :3].max(axis=0) < (0.001, 0.001, 0.02)).all()
    assert np.linalg.norm(rig.matrix_world.translation) > 4.0


def test_rigs_with_the_same_keys_share_an_action() -> None:
    _, rigs = found_walkers(3)
    path = 'pose.bones["Foot.L"].location'
    keys = [{(path, 0): np.linspace(0.0, end, 20)} for end in (1.0, 2.0, 1.0)]
    first, second, third = part("blender.clips.rig_keys").made_for(rigs, "Feet", keys, {})
    assert first.action == third.action != second.action
    assert [copy.new for copy in (first, second, third)] == [True, True, False]
    curves = [part("blender.clips.clip_copies").curves_for(copy.action, rigs[0]) for copy in (first, second)]
    assert [round(each[path, 0].evaluate(19.0), 5) for each in curves] == [1.0, 2.0]
