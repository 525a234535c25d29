"""Populating again keeps members, moves those that nobody has changed, and removes no work of the user."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import insert, is_baked
from tests.blender.building import empty, frames, part, wedge
from tests.blender.crowds.populated import figure, ground, locations, members, nearest, populate, populate_after
from tests.blender.drawing import up_to_date
from tests.blender.dumping import assert_same, refuses, scene_dump
from tests.blender.seen import stored_names
from tests.blender.steered import bake, clear_bake, press, select


@pytest.fixture
def crowd():
    """Twenty members scattered on a ground."""
    return populate_after(ground(), wedge(size=0.3), count=20, random_scale=0.2)


def state_of(ob) -> tuple:
    return (ob.name, ob.steering.identity, tuple(ob.location), tuple(ob.rotation_euler), tuple(ob.scale))


def test_a_larger_count_keeps_existing_members_and_populating_again_changes_nothing(crowd) -> None:
    members(crowd)[3].steering.speed_factor = 1.7
    assert bpy.ops.steering.vary(speed=0.0, size=0.1) == {"FINISHED"}
    before = [state_of(ob) for ob in members(crowd)]
    crowd.steering.populate.count = 35
    populate()
    after = members(crowd)
    assert len(after) == 35
    assert [state_of(ob) for ob in after[:20]] == before
    assert after[3].steering.speed_factor == pytest.approx(1.7)
    assert nearest(locations(crowd)) > 0.4
    whole = scene_dump()
    populate()
    assert_same(whole, scene_dump())


def test_a_smaller_count_removes_the_last_members_and_a_larger_one_restores_them(crowd) -> None:
    before = [state_of(ob) for ob in members(crowd)]
    objects = len(bpy.data.objects)
    populate(count=8)
    assert [state_of(ob) for ob in members(crowd)] == before[:8]
    assert len(bpy.data.objects) == objects - 12
    populate(count=20)
    assert [state_of(ob) for ob in members(crowd)] == before


def test_removed_members_leave_nothing_behind() -> None:
    frames(1, 5)
    crowd = populate_after(figure(), count=6)
    bake()
    populate(count=0)
    assert members(crowd) == []
    assert len(bpy.data.objects) == 4, "the model and the crowd"
    assert len(bpy.data.actions) == 0
    populate(count=2)
    assert len(members(crowd)) == 2


def test_parts_of_members_stay_theirs_when_a_bake_that_hid_them_is_deleted() -> None:
    """Populate would take such a member for the user's and neither move nor remove it."""
    body = wedge(size=0.3)
    wedge("Fin", size=0.1).parent = body
    crowd = populate_after(body, count=4, arrangement="ONE_PLACE")
    bake()
    assert any(is_baked(ob) for member in members(crowd) for ob in member.children)
    clear_bake()
    populate_after(crowd, count=2)
    assert len(members(crowd)) == 2


def test_an_untagged_member_is_the_users_also_if_it_was_baked(crowd) -> None:
    bake()
    released = members(crowd)[-1]
    press("untag", released, role="VEHICLE")
    clear_bake()
    assert "steering" not in stored_names(released)


def test_another_arrangement_moves_members_but_keeps_their_identity(crowd) -> None:
    before = [(ob.name, ob.steering.identity) for ob in members(crowd)]
    where = locations(crowd)
    populate(seed=5)
    assert [(ob.name, ob.steering.identity) for ob in members(crowd)] == before
    assert not (locations(crowd) == where)[:, :2].any()
    populate(arrangement="GRID")
    assert [(ob.name, ob.steering.identity) for ob in members(crowd)] == before
    for ob in members(crowd):
        assert tuple(ob.steering.start.location) == tuple(ob.location)


WORK = {
    "lock": lambda ob: setattr(ob.steering, "locked", True),
    "move": lambda ob: setattr(ob.location, "x", ob.location.x + 0.5),
    "turn": lambda ob: setattr(ob.rotation_euler, "z", ob.rotation_euler.z + 0.5),
    "key": lambda ob: insert(ob, "location", {1: (0, 0, 0), 5: (1, 0, 0)}),
    "parent": lambda ob: setattr(ob, "parent", empty("Carrier")),
    "burden": lambda ob: setattr(empty("Camera"), "parent", ob),
}


@pytest.mark.parametrize("work", WORK.values(), ids=WORK)
def test_members_changed_by_the_user_are_neither_moved_nor_removed(crowd, work) -> None:
    ob = members(crowd)[15]
    work(ob)
    before = state_of(ob)
    populate(count=10, seed=9)
    assert state_of(ob) == before
    assert [member.steering.member.number for member in members(crowd)] == [*range(1, 11), 16]
    locations_of_all = np.array([member.matrix_world.translation for member in members(crowd)])
    assert nearest(locations_of_all) > 0.3


def test_populating_during_a_preview_moves_no_member(crowd) -> None:
    frames(1, 20)
    before = [state_of(ob) for ob in members(crowd)]
    press("preview", crowd)
    bpy.context.scene.frame_set(10)
    populate(count=30)
    bpy.context.scene.frame_set(12)
    assert [state_of(ob) for ob in members(crowd)[:20]] == before
    assert len(members(crowd)) == 30
    populate(count=5)
    bpy.context.scene.frame_set(14)
    assert bpy.ops.steering.preview() == {"FINISHED"}
    assert [state_of(ob) for ob in members(crowd)] == before[:5]


def test_a_copy_of_a_member_made_by_the_user_is_left_unchanged(crowd) -> None:
    copy = members(crowd)[2].copy()
    members(crowd)[0].users_collection[0].objects.link(copy)
    copy.name = "Zebra"
    before = [state_of(ob) for ob in members(crowd) if ob != copy]
    populate(count=20)
    assert [state_of(ob) for ob in members(crowd) if ob != copy] == before
    assert copy.name == "Zebra"


def test_a_copied_crowd_gets_its_own_collection(crowd) -> None:
    copy = crowd.copy()
    bpy.context.scene.collection.objects.link(copy)
    copy.name = "Second"
    populate_after(copy, count=5)
    assert {home.name for ob in members(copy) for home in ob.users_collection} == {"Second Members"}
    assert len(members(copy)) == 5
    assert len(members(crowd)) == 20


def test_a_member_is_no_place_for_its_crowd_whether_it_is_named_or_selected(crowd) -> None:
    flat, *others = members(crowd)
    flat.scale = 50.0, 50.0, 0.01
    bpy.context.view_layer.update()
    told = f"{flat.name} is a member of {crowd.name}. Choose another place"
    refuses("populate", told, crowd, arrangement="SURFACE", place=flat.name)
    bpy.data.objects.remove(bpy.data.objects["Ground"])
    select(*others, flat, crowd)
    with pytest.raises(RuntimeError, match="On a Surface has no place"):
        populate(count=5)


def test_an_excluded_collection_of_members_is_refused(crowd) -> None:
    bpy.context.view_layer.layer_collection.children["Crowd Members"].exclude = True
    select(crowd)
    refuses("populate", "The collection Crowd Members is excluded from the view layer. Enable it in the Outliner")


def test_a_member_without_a_front_is_refused_before_it_would_be_moved(crowd) -> None:
    members(crowd)[2].steering.up_axis = "POS_Y"
    refuses("populate", "Forward and Up of .* are the same axis", crowd, count=30, arrangement="GRID")


def test_the_panel_shows_only_settings_that_apply(crowd) -> None:
    shown = part("blender.read.ground").shown
    assert {"lean", "height", "place", "distance"} <= set(shown("SURFACE"))
    assert {"columns", "layers"} & set(shown("SURFACE")) == set()
    assert {"columns", "layers", "distance"} <= set(shown("GRID"))
    assert {"place", "distance"} & set(shown("ONE_PLACE")) == set()
    for choice in part("settings.population").ARRANGEMENTS:
        crowd.steering.populate.arrangement = choice.name
        drawn = [entry[1] for entry in up_to_date("STEERING_PT_populate") if entry[0] == "prop"]
        assert [name for name in drawn if name in shown(choice.name)] == shown(choice.name)
