"""Hiding by a bake: exactly on its frames, and the animator's own hiding is never lost."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import is_baked
from tests.blender.animation.own_animation import (
    FIRST,
    FRAMES,
    FREE,
    OTHER_FRAMES,
    TO_REPLACE,
    curves_of,
    made,
    motion,
    new_object,
)
from tests.blender.animation.test_staging import dump_file
from tests.blender.building import link, part
from tests.blender.dumping import assert_same
from tests.blender.steered import clear_bake, vehicle
from tests.sampling import in_every_blender

staging = part("blender.animation.staging")
visibility = part("blender.animation.visibility")

pytestmark = in_every_blender

SWITCHES = ("hide_viewport", "hide_render")
HIDDEN = (FRAMES < 14) | (FRAMES > 25)
"""Away at first, there for a while, and away again."""


def hide(obs, hidden=HIDDEN, frames=FRAMES, *, replace: bool = False, moving: bool = False) -> None:
    prepared = staging.Staging("bake", frames)
    for ob in obs:
        if moving:
            prepared.add(ob, *motion(ob, frames), replace, hidden=hidden)
        else:
            prepared.hide(ob, hidden, replace)
    list(prepared.commit(bpy.context.scene.frame_current_final))


def seen(ob, frames=FRAMES) -> dict[str, list[bool]]:
    """On which frames an object is not hidden, by each switch."""
    result = {path: [] for path in SWITCHES}
    for frame in frames:
        bpy.context.scene.frame_set(int(frame))
        for path in SWITCHES:
            result[path].append(not getattr(ob, path))
    return result


def key_switch(ob, path: str, keys: dict[int, bool]) -> None:
    before = getattr(ob, path)
    for frame, hidden in keys.items():
        setattr(ob, path, hidden)
        ob.keyframe_insert(path, frame=frame)
    setattr(ob, path, before)


def own_keys_that_hide(ob):
    key_switch(ob, "hide_viewport", {1: True, 18: False})
    key_switch(ob, "hide_render", {20: True, 60: False})


def a_driver_that_hides(ob):
    ob.driver_add("hide_render").driver.expression = "frame > 20"


def a_muted_curve_that_hides(ob):
    key_switch(ob, "hide_render", {1: True})
    curves_of(ob)["hide_render", 0].mute = True


def a_strip_that_hides(ob):
    key_switch(ob, "hide_render", {1: True, 25: False})
    action = ob.animation_data.action
    ob.animation_data.action = None
    ob.animation_data.nla_tracks.new().strips.new("Blink", 1, action)


def keys_outside_the_range_that_hide(ob):
    key_switch(ob, "hide_viewport", {-5: True, 1: False, 40: True})
    key_switch(ob, "hide_render", {45: True, 50: False})


def hidden_for_good(ob):
    ob.hide_viewport = ob.hide_render = True


def hidden_from_renders(ob):
    ob.hide_render = True


IN_THE_WAY = (own_keys_that_hide, a_driver_that_hides, a_muted_curve_that_hides, a_strip_that_hides)
UNTOUCHED = (*FREE, *TO_REPLACE, keys_outside_the_range_that_hide, hidden_for_good, hidden_from_renders)


@pytest.fixture(params=UNTOUCHED, ids=lambda situation: situation.__name__)
def objects(request, tmp_path):
    """Objects with animation that does not conflict with hiding them."""
    return made(request.param, tmp_path)


@pytest.fixture(params=IN_THE_WAY, ids=lambda situation: situation.__name__)
def contested(request, tmp_path):
    return made(request.param, tmp_path)


def test_it_is_hidden_on_its_frames_and_on_no_others(objects) -> None:
    stay_hidden = {ob.name: {path for path in SWITCHES if getattr(ob, path)} for ob in objects}
    hide(objects)
    for ob in objects:
        for path, present in seen(ob).items():
            assert present == [not away and path not in stay_hidden[ob.name] for away in HIDDEN], path


def test_hiding_twice_is_hiding_once_and_what_is_discarded_shown_or_cleared_leaves_nothing(objects) -> None:
    before = dump_file()
    prepared = staging.Staging("bake", FRAMES)
    for ob in objects:
        prepared.hide(ob, HIDDEN)
    prepared.discard()
    assert_same(before, dump_file())
    hide(objects)
    once = dump_file()
    hide(objects)
    assert_same(once, dump_file())
    hide(objects, np.zeros(len(FRAMES), dtype=bool))
    assert_same(before, dump_file())
    for frames in (FRAMES, OTHER_FRAMES, FRAMES):
        hide(objects, frames % 3 == 0, frames)
    staging.clear_all(objects)
    assert_same(before, dump_file())


def test_between_two_frames_it_is_as_on_the_earlier_one() -> None:
    ob = new_object()
    hide([ob])
    for frame, subframe, away in ((13, 0.9, True), (14, 0.1, False), (25, 0.9, False), (26, 0.5, True)):
        bpy.context.scene.frame_set(frame, subframe=subframe)
        assert (ob.hide_viewport, ob.hide_render) == (away, away)


def test_the_animators_own_hiding_is_refused_by_name_unless_replaced(contested) -> None:
    before = dump_file()
    prepared = staging.Staging("bake", FRAMES)
    with pytest.raises(ValueError, match=rf"^{contested[0].name} has .* Replace Own Keys"):
        prepared.hide(contested[0], HIDDEN)
    prepared.discard()
    assert_same(before, dump_file())


def test_replaced_hiding_of_the_animator_is_restored(contested) -> None:
    bpy.context.scene.frame_set(1)
    before = dump_file()
    bpy.context.scene.frame_set(24)
    for _ in range(2):
        hide(contested, replace=True)
        assert seen(contested[0])["hide_render"] == (~HIDDEN).tolist()
    staging.clear_all(contested)
    bpy.context.scene.frame_set(1)
    assert_same(before, dump_file())


def test_a_bake_that_no_longer_hides_restores_the_animators_driver() -> None:
    a_driver_that_hides(ob := new_object())
    hide([ob], replace=True, moving=True)
    hide([ob], np.zeros(len(FRAMES), dtype=bool), replace=True, moving=True)
    assert not ob.animation_data.drivers[0].mute


def test_a_bake_of_motion_is_not_mistaken_for_one_that_hides() -> None:
    """What is hidden and moves in a bake of its own, such as a locked vehicle, is left as it is."""
    ob = new_object()
    hide([ob], moving=True)
    before = dump_file()
    hide([ob])
    hide([ob], np.zeros(len(FRAMES), dtype=bool))
    assert_same(before, dump_file())


def test_keys_of_the_animators_before_the_range_say_whether_it_is_hidden_anyway() -> None:
    ob = new_object()
    key_switch(ob, "hide_render", {1: False, 5: True})
    hide([ob])
    present = seen(ob)
    assert not any(present["hide_render"])
    assert present["hide_viewport"] == (~HIDDEN).tolist()


def test_it_is_hidden_and_shown_again_immediately() -> None:
    ob = new_object()
    bpy.context.scene.frame_set(FIRST)
    hide([ob])
    bpy.context.view_layer.update()
    assert not ob.visible_get()
    staging.clear_all([ob])
    bpy.context.view_layer.update()
    assert ob.visible_get()


def test_deleting_the_bake_of_a_vehicle_shows_its_parts_again() -> None:
    """Of the selected vehicle only, and never of a locked one."""
    walkers = {}
    for name in ("One", "Other", "Locked"):
        walkers[name] = vehicle(new_object(name))
        leg = new_object(f"Leg of {name}")
        leg.parent = walkers[name]
        hide([walkers[name]], moving=True)
        hide([leg])
    walkers["Locked"].steering.locked = True
    bpy.context.scene.frame_set(FIRST + 5)
    clear_bake(walkers["One"], selected=True)
    assert {ob.name for ob in bpy.data.objects if is_baked(ob)} == {"Other", "Leg of Other", "Locked", "Leg of Locked"}
    clear_bake()
    assert {ob.name for ob in bpy.data.objects if is_baked(ob)} == {"Locked", "Leg of Locked"}


def test_an_object_is_hidden_with_all_its_parts_except_cameras() -> None:
    walker, leg, foot = new_object("Walker"), new_object("Leg"), new_object("Foot")
    camera = link(bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera")))
    leg.parent, foot.parent, camera.parent = walker, leg, walker
    assert {ob.name for ob in visibility.parts(walker, part("blender.objects.hierarchy").Family())} == {"Leg", "Foot"}
