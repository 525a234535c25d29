"""Models from FBX files: nothing on NLA tracks, names that begin alike, and keys that hold each object in its place."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import assign, bags
from tests.blender.building import frames, part
from tests.blender.dumping import assert_same, refuses, scene_dump, without_settings
from tests.blender.steered import bake, clear_bake, press
from tests.blender.walkers import clip, idle, stash, walk, walker


def channelbag(rig):
    """What the rig plays: the curves of its action."""
    return part("blender.animation.animation_data").channelbag(rig)


def fbx_model(location=(3.0, 1.0, 0.0)):
    """A walker as the importer leaves it, with a clip of its own on it that is neither idle nor walk."""
    rig = walker("Rig", location)
    bones = [(bone, "location", k) for bone in ("Body", "Foot.L", "Foot.R") for k in range(3)]
    wave = clip(rig, "Rig|Take|Wave", {each: [(1.0, 0.0), (9.0, 0.1), (17.0, 0.0)] for each in bones})
    for action in (wave, idle(rig, "Rig|Take|Idle"), walk(rig, "Rig|Take|Walk")):
        [bag] = bags(action)
        for path, values in (("location", rig.location), ("rotation_euler", rig.rotation_euler), ("scale", rig.scale)):
            for index, value in enumerate(values):
                curve = bag.fcurves.new(path, index=index)
                curve.keyframe_points.add(2)
                curve.keyframe_points.foreach_set("co", np.array([(1.0, value), (9.0, value)], np.float32).ravel())
    assign(rig, wave)
    return rig


def test_an_action_that_was_imported_apart_from_the_model_is_found_too() -> None:
    rig = walker("Rig")
    moves, stands = walk(rig), idle(rig)
    assign(rig, moves)
    press("tag", rig, moves_like="PERSON")
    played = [each.action for each in rig.steering.crowd.steering.portrayal.clips]
    assert played == [stands, moves]
    rig.steering.crowd.steering.portrayal.clips.clear()
    moves.name, stands.name = "Rig|mixamo.com|Layer0", "Rig.001|mixamo.com|Layer0"
    press("clips_find", rig)
    assert [each.action for each in rig.steering.crowd.steering.portrayal.clips] == [stands, moves]


def test_a_second_model_on_whose_tracks_actions_lie_plays_these_and_not_those_of_the_first() -> None:
    first, second = walker("First"), walker("Second", (4.0, 0.0, 0.0))
    stash(first, idle(first, "Rig|Idle"), walk(first, "Rig|Walk"))
    brought = idle(second, "Rig|Idle.001"), walk(second, "Rig|Walk.001")
    stash(second, *brought)
    press("tag", second, moves_like="PERSON")
    assert tuple(each.action for each in second.steering.crowd.steering.portrayal.clips) == brought


def places(obs) -> list[tuple[float, float]]:
    bpy.context.view_layer.update()
    return [tuple(round(number, 3) for number in ob.matrix_world.translation[:2]) for ob in obs]


def test_it_is_tagged_with_its_clips_baked_without_a_question_and_gets_its_keys_back() -> None:
    frames(1, 20)
    rig = fbx_model()
    before = rig.animation_data.action
    press("tag", rig, moves_like="PERSON")
    crowd = rig.steering.crowd
    assert [each.action.name for each in crowd.steering.portrayal.clips] == ["Rig|Take|Idle", "Rig|Take|Walk"]
    dump = scene_dump()
    bake()
    assert places([rig]) == [(3.0, 1.0)], "It starts where its keys hold it."
    bpy.context.scene.frame_set(20)
    assert places([rig]) != [(3.0, 1.0)]
    clear_bake()
    bpy.context.scene.frame_set(1)
    assert rig.animation_data.action == before
    assert_same(without_settings(dump), without_settings(scene_dump()))


def test_members_of_populate_stay_where_they_are_put_and_vary_in_size() -> None:
    frames(1, 20)
    rig = fbx_model()
    curves = len(channelbag(rig).fcurves)
    press("populate", rig, count=4, moves_like="PERSON")
    members = [ob for ob in bpy.data.objects if ob.type == "ARMATURE" and ob != rig]
    put = places(members)
    bpy.context.scene.frame_set(7)
    assert places(members) == put
    assert len({round(ob.scale[0], 4) for ob in members}) == 4
    assert len({ob.animation_data.action for ob in members}) == 1
    assert len(channelbag(rig).fcurves) == curves, "The model keeps its keys."
    bpy.context.scene.frame_set(1)
    bake()
    assert places(members) == put


def test_keys_that_move_it_are_refused_by_name() -> None:
    frames(1, 20)
    rig = fbx_model()
    channelbag(rig).fcurves.find("location", index=0).keyframe_points[1].co[1] += 1.0
    press("tag", rig, moves_like="PERSON")
    refuses("bake", r"Rig has keys on location \(frames 1 to 9\).*Replace Own Keys")


@pytest.mark.parametrize("change", ["location", "scale"])
def test_one_that_its_keys_take_back_is_refused_until_they_are_removed(change: str) -> None:
    """As users place it right after its import. With the keys replaced it would be where and as large as before."""
    frames(1, 20)
    rig = fbx_model()
    changed = {"location": (4.0, 1.0, 0.0), "scale": (0.5, 0.5, 0.5)}[change]
    press("tag", rig, moves_like="PERSON")
    setattr(rig, change, changed)
    refuses("bake", "Rig was moved, turned or scaled.* Remove those on location, rotation_euler and scale")
    bag = channelbag(rig)
    for curve in [each for each in bag.fcurves if not each.data_path.startswith("pose")]:
        bag.fcurves.remove(curve)
    setattr(rig, change, changed)
    bake()
    assert tuple(getattr(rig, change)) == changed


def test_a_file_that_was_written_and_read_brings_clips_and_feet_along(tmp_path) -> None:
    rig = walker("Rig")
    for action in (walk(rig), idle(rig)):
        assign(rig, action)
    bpy.ops.preferences.addon_enable(module="io_scene_fbx")
    bpy.ops.export_scene.fbx(filepath=str(tmp_path / "walker.fbx"))
    bpy.data.batch_remove([*bpy.data.objects, *bpy.data.actions])
    bpy.ops.import_scene.fbx(filepath=str(tmp_path / "walker.fbx"))
    frames(1, 20)
    rig = next(ob for ob in bpy.data.objects if ob.type == "ARMATURE")
    press("populate", rig, count=3, moves_like="PERSON")
    played = {each.action.name.rpartition("|")[2] for each in bpy.context.object.steering.portrayal.clips}
    assert played == {"Idle", "Walk"}
    members = [ob for ob in bpy.data.objects if ob.type == "ARMATURE" and ob != rig]
    put = places(members)
    bake()
    assert places(members) == put and len(set(put)) == 3
