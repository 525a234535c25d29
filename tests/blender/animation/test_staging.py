"""Bakes are handed over whole or not at all, and own nothing but what they wrote."""

import math

import bpy
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.blender.animation.own_animation import (
    FIRST,
    FRAMES,
    FREE,
    LAST,
    OTHER_FRAMES,
    TO_REPLACE,
    curves_of,
    insert,
    keys_of_other_channels,
    made,
    motion,
    new_object,
    own_keys_of_all_kinds,
    settings_of_the_nla,
    several_vehicles,
)
from tests.blender.building import at_frames, from_library, part, reopen
from tests.blender.dumping import assert_same, dump_action, dump_curve, scene_dump
from tests.sampling import in_every_blender

staging = part("blender.animation.staging")

pytestmark = in_every_blender


def dump_file() -> dict:
    """All actions and objects of the file, and how many datablocks of every kind there are."""
    return scene_dump(("actions", "objects"))


@pytest.fixture(params=(*FREE, *TO_REPLACE), ids=lambda situation: situation.__name__)
def vehicles(request, tmp_path):
    return made(request.param, tmp_path)


@pytest.fixture(params=TO_REPLACE, ids=lambda situation: situation.__name__)
def occupied(request, tmp_path):
    return made(request.param, tmp_path)


# ---- a bake


def bake(vehicles, frames=FRAMES, replace: bool = True, name: str = "bake") -> None:
    prepared = staging.Staging(name, frames)
    for ob in vehicles:
        prepared.add(ob, *motion(ob, frames), replace)
    list(prepared.commit(bpy.context.scene.frame_current_final))


def values(ob) -> tuple:
    return tuple(ob.location), tuple(ob.rotation_euler), tuple(ob.rotation_quaternion), tuple(ob.rotation_axis_angle)


def set_values(ob, given: tuple) -> None:
    ob.location, ob.rotation_euler, ob.rotation_quaternion, ob.rotation_axis_angle = given


def clear_all(vehicles, before: dict) -> None:
    """Clear, and put the vehicles back where they stood: where that is, a bake does not know."""
    for ob in vehicles:
        assert staging.clear_all([ob])
        set_values(ob, before[ob.name])


def where(vehicles) -> dict:
    return {ob.name: values(ob) for ob in vehicles}


# ---- laws


def test_a_bake_plays_and_its_pose_is_seen_at_once(vehicles) -> None:
    bpy.context.scene.frame_set(FIRST + 4)
    bake(vehicles)
    raw = where(vehicles)
    bpy.context.view_layer.update()
    for ob in vehicles:
        assert np.allclose(ob.matrix_world.translation - ob.delta_location, motion(ob)[0][4], atol=1e-5)
    assert where(vehicles) == raw
    for frame in at_frames((FIRST, FIRST + 7, LAST)):
        for ob in vehicles:
            assert np.allclose(ob.location, motion(ob)[0][frame - FIRST], atol=1e-5)
            assert np.allclose(ob.rotation_euler, motion(ob)[1][frame - FIRST], atol=1e-5)


def test_nothing_changes_before_the_commit_and_discarding_leaves_nothing(vehicles) -> None:
    """Existing data stays the same, and only the prepared actions are added."""
    before = dump_file()
    prepared = staging.Staging("bake", FRAMES)
    for ob in vehicles:
        prepared.add(ob, *motion(ob), True)
    after = dump_file()
    # A prepared action may point to objects.
    for ob in (*before["objects"].values(), *after["objects"].values()):
        ob["settings"] = {name: value for name, value in ob["settings"].items() if name != "users"}
    assert_same(before["objects"], after["objects"])
    assert_same(before["actions"], {name: after["actions"][name] for name in before["actions"]})
    prepared.discard()
    assert_same(before["users"], dump_file()["users"])
    assert_same(before["count"], dump_file()["count"])


def test_a_bake_survives_saving_and_can_be_cleared_afterwards(vehicles, tmp_path) -> None:
    names = [ob.name for ob in vehicles]
    before, stood = dump_file(), where(vehicles)
    bake(vehicles)
    baked = dump_file()
    reopen(tmp_path / "baked.blend")
    assert_same(baked["actions"], dump_file()["actions"])
    clear_all([bpy.data.objects[name] for name in names], stood)
    for kind in ("actions", "users"):
        assert_same(before[kind], dump_file()[kind])


def test_what_is_the_animators_is_refused_by_name_unless_replaced(occupied) -> None:
    before = dump_file()
    prepared = staging.Staging("bake", FRAMES)
    with pytest.raises(ValueError, match=rf"^{occupied[0].name} has .* Replace Own Keys"):
        prepared.add(occupied[0], *motion(occupied[0]))
    prepared.discard()
    assert_same(before, dump_file())


@pytest.mark.parametrize("situation", FREE, ids=lambda situation: situation.__name__)
def test_nothing_is_refused_without_conflicting_animation(situation, tmp_path) -> None:
    vehicles = made(situation, tmp_path)
    bake(vehicles, replace=False)
    bake(vehicles, replace=False)


# ---- keys


def test_another_rotation_mode_leaves_nothing_in_the_channels_of_the_old() -> None:
    ob = new_object()
    bake([ob])
    ob.rotation_mode = "QUATERNION"
    bake([ob], replace=False)
    assert {path for path, _ in curves_of(ob)} == {"location", "rotation_quaternion"}


def test_a_modifier_on_a_curve_that_also_has_keys_of_the_animator_is_kept() -> None:
    ob = new_object()
    bake([ob])
    curve = curves_of(ob)["location", 2]
    curve.keyframe_points.insert(LAST + 30, 1.0)
    curve.modifiers.new("NOISE").strength = 0.25
    bake([ob], replace=False)
    assert [m.strength for m in curves_of(ob)["location", 2].modifiers] == [0.25]


def test_a_key_set_by_hand_on_a_baked_frame_is_the_animators() -> None:
    ob = new_object()
    bake([ob])
    ob.location = (7.0, 7.0, 7.0)
    ob.keyframe_insert("location", frame=FIRST + 5)
    for curve in curves_of(ob).values():
        curve.keyframe_points[5].type = "KEYFRAME" if curve.data_path == "location" else "GENERATED"
    with pytest.raises(ValueError, match=r"keys on location \(frame 15\)"):
        bake([ob], replace=False)
    staging.clear_all([ob])
    assert [tuple(p.co) for p in curves_of(ob)["location", 0].keyframe_points] == [(15.0, 7.0)]


def test_baked_keys_that_were_moved_out_of_the_range_are_the_animators() -> None:
    ob = new_object()
    bake([ob])
    curve = curves_of(ob)["location", 0]
    for point in curve.keyframe_points:
        point.co[0] += 100.0
    curve.update()
    bake([ob], replace=False)
    assert len(curves_of(ob)["location", 0].keyframe_points) == 2 * len(FRAMES)
    staging.clear_all([ob])
    assert list(curves_of(ob)) == [("location", 0)]


# ---- actions


def test_a_bake_takes_the_name_of_the_action_it_carries_on() -> None:
    keys_of_other_channels(ob := new_object())
    bake([ob])
    assert ob.animation_data.action.name == "My Own Name"
    assert len(bpy.data.actions) == 1


def test_a_copied_vehicle_is_baked_and_cleared_separately() -> None:
    each = new_object("One")
    bake([each])
    other = each.copy()
    bpy.context.scene.collection.objects.link(other)
    bake([each, other])
    assert each.animation_data.action != other.animation_data.action
    assert len(bpy.data.actions) == 2
    kept = dump_action(each.animation_data.action)
    staging.clear_all([other])
    assert dump_action(each.animation_data.action) == kept
    assert other.animation_data is None


def test_clearing_one_of_two_that_play_one_bake_leaves_the_other() -> None:
    each = new_object("One")
    insert(each, "scale", (1, 40))
    bake([each])
    other = each.copy()
    before = dump_action(each.animation_data.action)
    staging.clear_all([other])
    after = dump_action(each.animation_data.action)
    assert after["curves"] == before["curves"]
    assert {path for path, _ in curves_of(other)} == {"scale"}


def test_a_bake_saved_with_a_fake_user_or_in_an_nla_strip_is_a_take_of_the_animators() -> None:
    ob = new_object()
    bake([ob])
    take = ob.animation_data.action
    take.use_fake_user = True
    before = dump_action(take)["curves"]
    bake([ob], OTHER_FRAMES)
    assert ob.animation_data.action != take
    assert dump_action(take)["curves"] == before
    ob.animation_data.nla_tracks.new().strips.new("Take", FIRST, take)
    ob.animation_data.action = None
    assert not staging.clear_all([ob])
    with pytest.raises(ValueError, match="the NLA strip Take"):
        bake([ob], replace=False)


def test_an_override_is_baked_saved_and_cleared(tmp_path) -> None:
    insert(new_object("Linked"), "scale", (1, 40))
    ob = from_library(tmp_path, "objects", "Linked").override_create()
    bpy.context.scene.collection.objects.link(ob)
    linked = ob.animation_data.action
    assert linked.library
    before = dump_action(linked)["curves"]
    bake([ob])
    reopen(tmp_path / "shot.blend")
    ob = next(ob for ob in bpy.data.objects if ob.override_library)
    assert not ob.animation_data.action.library
    bpy.context.scene.frame_set(FIRST + 3)
    assert np.allclose(ob.location, motion(ob)[0][3], atol=1e-5)
    staging.clear_all([ob])
    assert ob.animation_data.action.library
    assert dump_action(ob.animation_data.action)["curves"] == before


# ---- what the animator does between bake and clear


def test_edits_of_other_channels_survive_clearing_what_was_replaced() -> None:
    own_keys_of_all_kinds(ob := new_object())
    before = {key: dump_curve(curve) for key, curve in curves_of(ob).items()}
    bake([ob])
    curves_of(ob)["scale", 0].keyframe_points[1].co[1] = 9.0
    ob.keyframe_insert("delta_scale", frame=3)
    staging.clear_all([ob])
    after = curves_of(ob)
    assert after["scale", 0].keyframe_points[1].co[1] == 9.0
    assert ("delta_scale", 0) in after
    moving = [key for key in before if key[0] in ("location", "rotation_euler", "rotation_quaternion")]
    assert {key: dump_curve(after[key]) for key in moving} == {key: before[key] for key in moving}
    assert "steering_bake" not in ob.animation_data.action
    assert len(bpy.data.actions) == 1


def test_a_bake_whose_kept_action_was_deleted_can_still_be_cleared() -> None:
    own_keys_of_all_kinds(ob := new_object())
    bake([ob])
    bpy.data.actions.remove(ob.animation_data.action["steering_bake"]["kept"])
    staging.clear_all([ob])
    frames = [point.co[0] for point in curves_of(ob)["location", 0].keyframe_points]
    assert frames == [-10, 2, 44]


# ---- what stops a bake


def test_motion_that_is_not_a_number_is_refused() -> None:
    ob = new_object()
    location, rotation = motion(ob)
    location[3, 1] = math.nan
    before = dump_file()
    with pytest.raises(ValueError, match=r"^Ship would get a location that is not a number"):
        staging.Staging("bake", FRAMES).add(ob, location, rotation)
    assert_same(before, dump_file())


def test_an_nla_state_that_keeps_a_bake_from_playing_is_always_refused() -> None:
    def edited(ob):
        ob.animation_data.nla_tracks[0].select = ob.animation_data.nla_tracks[0].strips[0].select = True
        ob.animation_data.nla_tracks.active = ob.animation_data.nla_tracks[0]
        ob.animation_data.use_tweak_mode = True

    def alone(ob):
        ob.animation_data.nla_tracks[0].is_solo = True

    def blended(ob):
        ob.animation_data.action_blend_type = "ADD"

    for setting, sentence in ((edited, "tweak mode"), (alone, "on solo"), (blended, "blended with its NLA tracks")):
        settings_of_the_nla(ob := new_object())
        setting(ob)
        with pytest.raises(ValueError, match=sentence):
            bake([ob])


def test_a_vehicle_deleted_meanwhile_is_left_out() -> None:
    each, other = new_object("One"), new_object("Other")
    prepared = staging.Staging("bake", FRAMES)
    for ob in (each, other):
        prepared.add(ob, *motion(ob))
    bpy.data.objects.remove(each)
    list(prepared.commit(1.0))
    assert [action.name for action in bpy.data.actions] == ["OtherAction"]


def test_a_vehicle_deleted_while_others_get_their_bake_is_left_out(monkeypatch) -> None:
    monkeypatch.setattr(staging, "HANDED_OVER_TOGETHER", 1)
    each, other = new_object("One"), new_object("Other")
    prepared = staging.Staging("bake", FRAMES)
    for ob in (each, other):
        prepared.add(ob, *motion(ob))
    working = prepared.commit(1.0)
    while next(working) < 1.0:
        pass
    bpy.data.objects.remove(other)
    list(working)
    assert [action.name for action in bpy.data.actions] == ["OneAction"]


def test_as_many_actions_are_made_as_vehicles_come() -> None:
    vehicles = [new_object(name) for name in "ABCDE"]
    prepared = staging.Staging("bake", FRAMES, len(vehicles))
    for ob in vehicles:
        prepared.add(ob, *motion(ob))
    assert len(bpy.data.actions) == len(vehicles)


def test_loading_another_file_discards_everything_prepared() -> None:
    prepared = staging.Staging("bake", FRAMES)
    for ob in several_vehicles():
        prepared.add(ob, *motion(ob))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    prepared.discard()
    assert len(bpy.data.actions) == 0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    stored=st.sets(st.integers(0, 40), min_size=1, max_size=8),
    bakes=st.lists(st.tuples(st.integers(0, 40), st.integers(1, 12)), min_size=1, max_size=4),
)
def test_any_bakes_over_any_keys_can_be_cleared(stored, bakes) -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    ob = new_object()
    insert(ob, "location", (-20, -10, *sorted(stored)))
    before, stood = dump_file(), where([ob])
    for start, length in bakes:
        bake([ob], np.arange(start, start + length + 0.0))
    clear_all([ob], stood)
    assert_same(before, dump_file())


BAKE = st.tuples(st.just("bake"), st.integers(0, 40), st.integers(1, 12))
KEY = st.tuples(st.just("key"), st.integers(0, 50), st.integers(-5, 5))
CLEAR = st.tuples(st.just("clear"), st.just(0), st.just(0))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.one_of(BAKE, KEY, CLEAR), min_size=1, max_size=8))
def test_an_animators_keys_survive_whatever_is_baked_over_them(steps) -> None:
    """Keys by hand, bakes and clears in any order: a bake hides the keys on its frames, and clearing shows them all."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    ob = new_object()
    stored = {}
    for what, frame, number in steps:
        if what == "key":
            stored[frame] = number
            insert_by_hand(ob, frame, number)
        elif what == "clear":
            staging.clear_all([ob])
        else:
            bake([ob], np.arange(frame, frame + number + 0.0))
            assert own_keys_of(ob) == pytest.approx(
                {f: v for f, v in stored.items() if not frame <= f < frame + number}, abs=1e-5
            )
    staging.clear_all([ob])
    assert own_keys_of(ob) == pytest.approx(stored, abs=1e-5)
    assert len(bpy.data.actions) == (1 if stored else 0)


def insert_by_hand(ob, frame: int, value: float) -> None:
    """A key of an animator, who says so: on a baked frame Blender leaves the key its type."""
    ob.location = (value, value, value)
    ob.keyframe_insert("location", frame=frame)
    for index in range(3):
        for point in curves_of(ob)["location", index].keyframe_points:
            if point.co[0] == frame:
                point.type = "EXTREME"


def own_keys_of(ob) -> dict:
    """Frame and value of all keys that are not Generated, which are the same in all three curves of the location."""
    if ob.animation_data is None:
        return {}
    curves = [curves_of(ob)["location", index].keyframe_points for index in range(3)]
    x, y, z = ({key.co[0]: key.co[1] for key in keys if key.type == "EXTREME"} for keys in curves)
    assert x.keys() == y.keys() == z.keys()
    return x
