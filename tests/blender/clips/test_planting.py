"""Feet that are held where they stand, on rigs with legs of two bones."""

from collections.abc import Callable

import bpy
import numpy as np
import pytest

from tests.blender.animated import bags, curves_in, keys
from tests.blender.building import add_bone, at_frames, edit_bones, empty, frames, link, meshed, part
from tests.blender.dumping import assert_same, scene_dump
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
from tests.blender.steered import bake, clear_bake, crowd, press, vehicle
from tests.blender.walkers import clip, found_walkers, idle, stash
from tests.sampling import sampled


def skin_of(rig):
    return next(ob for ob in rig.children if ob.name.endswith("Skin"))


def give(skin, side: str, rows: list[int], bone: str, share: float = 1.0) -> None:
    """Let another bone move some points of a foot, wholly or by a share."""
    foot = skin.vertex_groups[f"Foot.{side}"]
    foot.add(rows, 1.0 - share, "REPLACE") if share < 1.0 else foot.remove(rows)
    skin.vertex_groups.new(name=f"{bone}.{side}").add(rows, share, "REPLACE")


def points_of_feet(end: int) -> list[tuple[str, list[int]]]:
    """The points of each foot at its toes, 0, in its middle, 1, or at its heel, 2."""
    return [(side, [first + row for row in range(12) if row // 2 % 3 == end]) for side, first in (("L", 0), ("R", 12))]


def plain(rig) -> None:
    """Change nothing."""


def bound_by_envelopes(rig) -> None:
    skin = skin_of(rig)
    skin.vertex_groups.clear()
    skin.modifiers[0].use_vertex_groups, skin.modifiers[0].use_bone_envelopes = False, True


def in_a_robe(rig) -> None:
    angles = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)
    robe = meshed("Robe", [(0.3 * np.cos(a), 0.3 * np.sin(a), z) for a in angles for z in (0.005, 0.9)])
    robe.parent = rig
    robe.vertex_groups.new(name="Body").add(list(range(48)), 1.0, "REPLACE")
    robe.modifiers.new("Armature", "ARMATURE").object = rig
    bpy.context.view_layer.update()


def with_low_shins(rig) -> None:
    skin = skin_of(rig)
    for side, heel in points_of_feet(2):
        back = [row for row in heel if row % 2]
        for row in back:
            skin.data.vertices[row].co.z = 0.08
        give(skin, side, back, "Shin")


def with_heels_of_shins(rig) -> None:
    for side, heel in points_of_feet(2):
        give(skin_of(rig), side, heel, "Shin", 0.25)


def without_inherited_scale(rig) -> None:
    for side in "LR":
        rig.data.bones[f"Shin.{side}"].inherit_scale = "NONE"
        rig.data.bones[f"Foot.{side}"].inherit_scale = "ALIGNED"


def mirrored(rig) -> None:
    rig.scale = (-1.0, 1.0, 1.0)
    bpy.context.view_layer.update()


def with_toes(rig) -> None:
    for side in "LR":
        x = rig.data.bones[f"Foot.{side}"].tail_local.x
        add_bone(rig, f"Toes.{side}", (x, -0.05, 0.02), (x, -0.2, 0.02), f"Foot.{side}")
    for side, front in points_of_feet(0):
        give(skin_of(rig), side, front, "Toes")
        rig.pose.bones[f"Toes.{side}"].rotation_mode = "XYZ"


def walk_on_toes(rig):
    """Toes that bend as heels lift off, so that they do not move alike."""
    action = uneven_walk(rig)
    [bag] = bags(action)
    for side, late in (("L", 0.0), ("R", 0.5)):
        bends = bag.fcurves.new(f'pose.bones["Toes.{side}"].rotation_euler', index=0)
        for time in range(CYCLE + 1):
            swings = max(np.sin(2.0 * np.pi * (time / CYCLE + late)), 0.0)
            bends.keyframe_points.insert(1.0 + time, 2.6 * swings).interpolation = "LINEAR"
    return action


def grown_since_it_was_measured(rig) -> None:
    rig.scale = (1.3, 1.3, 1.3)


BEFORE = (
    *(plain, bound_by_envelopes, in_a_robe, with_low_shins, with_heels_of_shins, without_inherited_scale, mirrored),
    with_toes,
)
"""How models differ whose feet are held."""
SINCE = (with_feet_apart, grown_since_it_was_measured)
"""The same, once their clips were measured."""


def made(change: Callable):
    """A crowd of one legged model, and its rig, whose feet step faster than it goes: left alone, they slide."""
    rig = legged()
    if change in BEFORE:
        change(rig)
    people = walking(rig, walk_on_toes if change is with_toes else uneven_walk)
    if change in SINCE:
        change(rig)
    [walk] = [each for each in people.steering.portrayal.clips if each.plays == "MOVE"]
    walk.ground_speed = 0.5
    return people, rig


def action_of_feet(rig):
    """The action of the strip that holds the feet of a rig; None without one."""
    track = rig.animation_data.nla_tracks.get("Steering: Feet")
    return track.strips[0].action if track is not None else None


@sampled(one_of=9)
@pytest.mark.parametrize("change", [*BEFORE, *SINCE], ids=lambda change: change.__name__)
def test_feet_are_held_by_keys_of_legs_alone(change: Callable) -> None:
    people, rig = made(change)
    assert [each.plays for each in people.steering.portrayal.clips] == ["STAND", "MOVE"]
    loose = baked_loose_and_held(people, rig)
    assert people.steering.portrayal.unplanted == ""
    assert longest_step(rig) < 0.25 * loose and loose > 0.005
    keyed = {curve.data_path.split('"')[1] for curve in curves_in(action_of_feet(rig))}
    hips = {"Body"} if change is with_feet_apart else set()
    assert keyed - hips == {f"{bone}.{side}" for bone in ("Thigh", "Shin", "Foot") for side in "LR"}
    for _ in at_frames(range(20, 60, 5)):
        bones = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
        gaps = [(bones[f"Shin.{side}"].tail - bones[f"Foot.{side}"].head).length for side in "LR"]
        assert max(gaps) < 1e-3


# Which bone an envelope gives a point of a sole to is only about known.
@sampled(one_of=9)
@pytest.mark.parametrize(
    "change",
    [change for change in (*BEFORE, *SINCE) if change is not bound_by_envelopes],
    ids=lambda each: each.__name__,
)
def test_no_sole_is_below_a_slope(change: Callable) -> None:
    _, rig = made(change)
    slope(0.36, 0.2)
    bake()
    assert deepest(skin_of(rig), 0.36, 0.2) < 0.005


def without_mesh(rig) -> None:
    bpy.data.objects.remove(skin_of(rig))
    for side in "LR":
        rig.data.bones[f"Foot.{side}"].use_deform = rig.data.bones[f"Thigh.{side}"].use_deform = False


def without_inherited_rotation(rig) -> None:
    rig.data.bones["Foot.R"].use_inherit_rotation = False


def limited_by_constraints(rig) -> None:
    # It is moved by nothing that a key could move.
    rig.pose.bones["Foot.L"].constraints.new("LIMIT_LOCATION")


def scaled_unevenly(rig) -> None:
    rig.scale = (1.2, 0.8, 1.5)
    bpy.context.view_layer.update()


REASONS = {
    without_mesh: "Walker moves no mesh, whose soles could be held: give it a mesh",
    without_inherited_rotation: "Foot.R of Walker inherits no rotation: turn on Inherit Rotation, and key its clips "
    "again",
    limited_by_constraints: "constraints or drivers pose the legs of Walker, and no bone moves one foot alone: switch "
    "the legs to inverse kinematics, and key its controls",
    scaled_unevenly: "Walker is scaled unevenly: apply its scale, or scale it evenly",
}


@sampled(one_of=2)
@pytest.mark.parametrize("change", REASONS, ids=lambda change: change.__name__)
def test_clips_of_a_model_whose_feet_cannot_be_held_are_played_and_it_says_why(change: Callable) -> None:
    rig = legged()
    change(rig)
    people = walking(rig)
    assert people.steering.portrayal.unplanted == REASONS[change]
    people.steering.portrayal.unplanted = ""
    bake()
    assert people.steering.portrayal.unplanted == REASONS[change]
    assert action_of_feet(rig) is None and "Steering: Walk" in rig.animation_data.nla_tracks


def with_run(rig, last_key: float):
    """A walk, whose thighs end this much further back than they began, and a run that is twice as quick."""
    walk, run = uneven_walk(rig), uneven_walk(rig, "Run")
    for key in (key for curve in curves_in(run) for key in curve.keyframe_points):
        key.co.x = 1.0 + 0.5 * (key.co.x - 1.0)
    [bag] = bags(walk)
    for side in "LR":
        bag.fcurves.find(f'pose.bones["Thigh.{side}"].rotation_euler', index=0).keyframe_points[-1].co.y += last_key
    return walk, run


def dancing_without_a_mesh(rig):
    bpy.data.objects.remove(skin_of(rig))
    return [clip(rig, "Dance", {("Body", "rotation_euler", 0): [(1.0, 0.0), (9.0, 0.8), (18.0, 0.0)]})]


def with_a_mesh_that_no_bone_moves(rig):
    skin_of(rig).vertex_groups.clear()
    return [uneven_walk(rig)]


@pytest.mark.parametrize(
    ("actions", "names", "reason"),
    [
        (lambda rig: with_run(rig, 0.0), ["Idle", "Walk", "Run"], ""),
        (
            lambda rig: with_run(rig, 0.8),
            ["Idle", "Run"],
            "Walk is not taken for a walk, as its last pose is 50 cm from the first. Set the Manual Frame Range of the "
            "action to two steps that repeat",
        ),
        (
            dancing_without_a_mesh,
            [],
            "People plays no clips: bones of Walker move no mesh, and steps are measured by the soles of meshes. "
            "Give it a mesh with an Armature modifier. Then press Find Clips",
        ),
        (
            with_a_mesh_that_no_bone_moves,
            [],
            "People plays no clips: Walk is not taken for a walk, as its feet stop or do not move over the ground. Set "
            "the Manual Frame Range of the action to two steps that repeat. Then press Find Clips",
        ),
    ],
    ids=["a walk and a run", "a walk that does not close", "no mesh", "no bone moves it"],
)
def test_a_new_crowd_is_told_why_a_model_brings_no_walk(actions: Callable, names: list[str], reason: str) -> None:
    frames(1, 60)
    rig = legged()
    stash(rig, idle(rig), *actions(rig))
    people = crowd("People")
    people.steering.locomotion = "ON_FOOT"
    vehicle(rig, crowd=people, identity=5)
    told = part("blender.crowds.adding_clips").add_to_new_crowd(people, [rig], bpy.context.scene)
    assert told == (names, reason)


def test_feet_are_free_again_once_a_bake_is_deleted_and_baking_twice_is_baking_once() -> None:
    people, rig = made(plain)
    people.steering.portrayal.playing.plant_feet = False
    before = scene_dump()
    bake()
    assert action_of_feet(rig) is None
    people.steering.portrayal.playing.plant_feet = True
    for _ in range(2):
        bake()
        tracks = [track.name for track in rig.animation_data.nla_tracks if track.name.startswith("Steering")]
        assert tracks == ["Steering: Idle", "Steering: Walk", "Steering: Feet"]
        assert sum("Feet" in action.name for action in bpy.data.actions) == 1
    strip = rig.animation_data.nla_tracks["Steering: Feet"].strips[0]
    assert (strip.frame_start, strip.scale, len(strip.fcurves)) == (1.0, 1.0, 0), "it is played frame by frame"
    clear_bake()
    assert not any("Feet" in action.name for action in bpy.data.actions)
    assert_same(before["actions"], scene_dump()["actions"])
    shares = list(part("blender.write.bake").baking(part("blender.read.plan").plan_reading(bpy.context.scene)))
    assert shares == sorted(shares)
    rig.animation_data.nla_tracks["Steering: Feet"].strips[0].frame_start += 3.0
    clear_bake()
    assert [track.name for track in rig.animation_data.nla_tracks if "Steering" in track.name] == ["Steering: Feet"]


def test_legs_have_fewer_keys_than_frames_and_keep_to_what_they_would_have_on_each_and_their_path_has_all(
    monkeypatch,
) -> None:
    rig = legged()
    walking(rig)
    bpy.context.scene.steering.keying = "WHERE_NEEDED"
    every, writer = {}, part("blender.write.clip_writer")
    made_for = writer.key_actions

    def noted(rigs, title, keys, existing):
        every.update(keys[0] if title == "Feet" else {})
        return made_for(rigs, title, keys, existing)

    monkeypatch.setattr(writer, "key_actions", noted)
    bake()
    [action] = [action for action in bpy.data.actions if action.name.startswith("Feet")]
    curves = curves_in(action)
    assert len(curves) == len(every) > 0
    assert sum(len(curve.keyframe_points) for curve in curves) < 0.7 * sum(map(len, every.values()))
    for curve in curves:
        values = every[curve.data_path, curve.array_index]
        off = np.array([curve.evaluate(frame) for frame in range(len(values))]) - values
        assert np.abs(off).max() < 2.1e-4
    assert {len(curve) for curve in keys(rig).values()} == {len(values) for values in every.values()}


def test_a_walk_with_stepped_keys_is_measured_and_played_with_straight_lines_between_them() -> None:
    rig = legged()
    people = walking(rig)
    speed = people.steering.portrayal.clips[1].speed
    bake()
    expected = longest_step(rig)
    clear_bake()
    keys = [key for curve in curves_in(bpy.data.actions["Walk"]) for key in curve.keyframe_points]
    for key in keys:
        key.interpolation = "CONSTANT"
    press("clips_measure", people)
    assert people.steering.portrayal.clips[1].plays == "MOVE"
    assert people.steering.portrayal.clips[1].speed == pytest.approx(speed, rel=0.01)
    bake()
    assert longest_step(rig) < 1.1 * expected
    assert {key.interpolation for key in keys} == {"CONSTANT"}


def test_a_recording_of_many_steps_is_left_out_until_its_frame_range_is_one_cycle() -> None:
    rig = legged()
    people = walking(rig)
    clips = people.steering.portrayal.clips
    speed = clips[1].speed
    walk = bpy.data.actions["Walk"]
    for curve in curves_in(walk):
        points = [tuple(key.co) for key in curve.keyframe_points]
        for frame, value in points[1:]:
            for cycle in range(1, 40):
                curve.keyframe_points.insert(frame + CYCLE * cycle, value, options={"FAST"}).interpolation = "LINEAR"
        curve.update()
    clips.clear()
    find = part("blender.clips.finding_clips")
    why = find.why_too_long([walk], rig, bpy.context.scene)
    assert why.startswith("Walk lasts 40 s, too long for a cycle of steps. Set the Manual Frame Range")
    # The time of steps follows from the height, however broad a model is.
    rig.scale = (1000.0, 1000.0, 1.0)
    bpy.context.view_layer.update()
    assert find.why_too_long([walk], rig, bpy.context.scene) == why
    rig.scale = (1.0, 1.0, 1.0)
    assert bpy.ops.steering.clips_find() == {"FINISHED"}
    assert [clip.action.name for clip in clips] == ["Idle"]
    walk.use_frame_range, walk.frame_start, walk.frame_end = True, 1.0 + 3 * CYCLE, 1.0 + 4 * CYCLE
    assert bpy.ops.steering.clips_find() == {"FINISHED"}
    assert clips[1].action == walk and clips[1].speed == pytest.approx(speed, rel=0.01)


def test_of_several_armatures_the_one_that_is_animated_plays_clips() -> None:
    face = link(bpy.data.objects.new("A Face", bpy.data.armatures.new("A Face")))
    rig, carrier = legged(), empty("Carrier")
    face.parent = rig.parent = carrier
    frames(1, 12)
    stash(rig, idle(rig), uneven_walk(rig))
    people = crowd("People")
    vehicle(carrier, crowd=people, identity=5)
    press("clips_find", people)
    bake()
    assert any(track.name == "Steering: Walk" for track in rig.animation_data.nla_tracks)


def test_a_deleted_bake_gives_back_what_only_feet_keyed_and_leaves_no_copy_of_a_clip_that_was_never_seen() -> None:
    rig = legged()
    rig.rotation_euler.z = 0.8
    people = walking(rig)
    with_feet_apart(rig)
    walk_ = bpy.data.actions["Walk"]
    [bag] = bags(walk_)
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


def test_rigs_with_the_same_keys_share_an_action() -> None:
    _, rigs = found_walkers(3)
    path = 'pose.bones["Foot.L"].location'
    keys = [{(path, 0): np.linspace(0.0, end, 20)} for end in (1.0, 2.0, 1.0)]
    first, second, third = part("blender.clips.rig_keys").key_actions(rigs, "Feet", keys, {})
    assert first.action == third.action != second.action
    assert [copy.new for copy in (first, second, third)] == [True, True, False]
    curves = [part("blender.clips.clip_copies").curves_for(copy.action, rigs[0]) for copy in (first, second)]
    assert [round(each[path, 0].evaluate(19.0), 5) for each in curves] == [1.0, 2.0]


def test_keys_are_as_exact_however_long_bones_are_drawn() -> None:
    """Importers draw some a hundred times as long as the way to the next joint."""
    rig = legged()
    with edit_bones(rig) as bones:
        for bone in bones:
            bone.tail = bone.head + 100.0 * (bone.tail - bone.head)
    path, sways = 'pose.bones["Body"].location', 0.01 * np.sin(0.4 * np.arange(60.0))
    [made] = part("blender.clips.rig_keys").key_actions([rig], "Feet", [{(path, 0): sways}], {})
    curve = part("blender.clips.clip_copies").curves_for(made.action, rig)[path, 0]
    assert max(abs(curve.evaluate(frame) - sways[frame]) for frame in range(60)) < 0.0005


def test_how_far_feet_slide_does_not_depend_on_the_pose_that_is_shown() -> None:
    def swaying(rig):
        """Hips that turn, which the strip that holds the feet leaves alone: it only lowers them."""
        walk = uneven_walk(rig)
        [bag] = bags(walk)
        curve = bag.fcurves.new('pose.bones["Body"].rotation_euler', index=1)
        for frame in range(1, CYCLE + 2):
            curve.keyframe_points.insert(frame, 0.2 * np.sin(2.0 * np.pi * (frame - 1) / CYCLE))
        return walk

    rig = legged()
    people = walking(rig, swaying)
    slope(0.3, 0.0)
    bake(people)
    slides_of, told = part("blender.status.sliding").slides_of, []
    for _ in at_frames((6, 12, 18)):
        told += [slide.metres for slide in slides_of([rig], bpy.context.scene)]
    assert max(told) < 0.03 and max(told) - min(told) < 1e-9


def test_a_bake_names_vehicles_whose_planted_feet_slide_too_far(capfd, monkeypatch) -> None:
    rig = legged()
    people = walking(rig, uneven_walk)
    bpy.ops.steering.bake()
    monkeypatch.setattr(part("blender.operators.findings"), "SLIDES", -1.0)
    bpy.ops.steering.bake()
    people.steering.portrayal.playing.plant_feet = False
    bpy.ops.steering.bake()
    [warned] = [line for line in capfd.readouterr().out.splitlines() if "slides on feet that stand" in line]
    assert rig.name in warned and "Select Sliding" in warned


def test_a_bake_stands_although_feet_can_no_longer_be_looked_at(monkeypatch) -> None:
    """As where what a vehicle depends on is nowhere on the last frame."""
    rig = legged()
    walking(rig, uneven_walk)

    def slides_of(*_):
        raise part("blender.refusal").Refusal("It is nowhere.")
        yield

    monkeypatch.setattr(part("blender.operators.baking"), "slides_of", slides_of)
    assert bpy.ops.steering.bake() == {"FINISHED"}
    assert part("blender.animation.ownership").bake_of(rig) is not None
