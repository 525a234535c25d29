"""Whichever part of a rigged character is clicked, the character moves as a whole."""

import math
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
import pytest

from tests.blender.building import armature, at_frames, empty, frames, link, part, sphere, wedge
from tests.blender.steered import bake, press, select
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)


@dataclass
class Character:
    """An armature with a skin that it deforms and a hat on its bone, and the Empty above it if there is one."""

    rig: Any
    skin: Any
    hat: Any
    wrapper: Any = None

    def parts(self) -> list:
        return [self.rig, self.skin, self.hat]


def character(name: str = "Cow", *, wrapped: bool = True, turned: float = -math.pi / 2) -> Character:
    """A character as an importer makes it: `turned` about X in its armature, whose bones make up for it."""
    rig = armature(name, Spine=((0.0, 0.0, 0.0), (0.0, -1.0, 0.0)))
    rig.rotation_euler.x = turned
    skin, hat = wedge(f"{name} Skin", size=1.0), sphere(f"{name} Hat", radius=0.3)
    for ob in (skin, hat):
        ob.parent = rig
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    hat.parent_type, hat.parent_bone = "BONE", "Spine"
    wrapper = None
    if wrapped:
        wrapper = empty(f"{name} Root")
        rig.parent = wrapper
    return Character(rig, skin, hat, wrapper)


def vehicles() -> list:
    role = part("simulation.roles").Role.VEHICLE
    return [ob for ob in bpy.data.objects if part("blender.properties").has_role(ob, role)]


def press_vehicle(*clicked) -> None:
    press("tag", *clicked, role="VEHICLE", moves_like="ANIMAL")


@pytest.mark.parametrize("clicked", ["rig", "skin", "hat", "wrapper"])
def test_a_click_on_any_part_makes_the_whole_character_the_vehicle(clicked: str) -> None:
    cow = character()
    press_vehicle(getattr(cow, clicked))
    assert vehicles() == [cow.wrapper]
    assert bpy.context.view_layer.objects.active == cow.wrapper
    assert cow.wrapper.select_get()


@pytest.mark.parametrize(
    ("turned", "front"),
    [(-math.pi / 2, ("NEG_Z", "NEG_Y")), (math.pi / 2, ("POS_Z", "POS_Y")), (0.0, ("NEG_Y", "POS_Z"))],
)
def test_a_character_without_an_empty_stands_however_its_armature_is_turned(turned: float, front) -> None:
    cow = character(wrapped=False, turned=turned)
    press_vehicle(cow.rig)
    assert (cow.rig.steering.forward_axis, cow.rig.steering.up_axis) == front


def test_all_parts_selected_make_one_vehicle() -> None:
    cow, other = character(), character("Wolf")
    press_vehicle(*cow.parts(), *other.parts())
    assert vehicles() == [cow.wrapper, other.wrapper]


@pytest.mark.parametrize("clicked", ["skin", "rig"])
def test_a_character_stays_upright_and_whole_in_a_bake(clicked: str) -> None:
    frames(1, 20)
    cow = character()
    bpy.context.view_layer.update()
    before = np.array(cow.skin.matrix_world)
    press_vehicle(getattr(cow, clicked))
    bake()
    for _ in at_frames((1, 10, 20)):
        after = np.array(cow.skin.matrix_world)
        np.testing.assert_allclose(after[2, :3], before[2, :3], atol=1e-5)
        np.testing.assert_allclose(cow.hat.matrix_world.inverted() @ cow.skin.matrix_world, _offset(cow), atol=1e-5)
    assert np.linalg.norm(after[:2, 3] - before[:2, 3]) > 0.1


def _offset(cow: Character) -> np.ndarray:
    """The skin as the hat sees it where nothing has moved."""
    return np.array((cow.rig.matrix_world.inverted() @ cow.hat.matrix_world).inverted() @ cow.skin.matrix_local)


def test_an_empty_with_several_characters_animation_or_a_role_of_its_own_is_not_a_character() -> None:
    cow, other, third = character(), character("Wolf"), character("Dog")
    herd = empty("Herd")
    cow.wrapper.parent = other.wrapper.parent = herd
    press_vehicle(cow.skin)
    assert vehicles() == [cow.wrapper]
    other.wrapper.keyframe_insert("location", frame=1)
    press_vehicle(other.skin)
    press("tag", third.wrapper, role="LEADER")
    press_vehicle(third.skin)
    assert set(vehicles()) == {cow.wrapper, other.rig, third.rig}


@pytest.mark.parametrize("clicked", ["rig", "skin"])
def test_a_skin_apart_from_its_armature_is_a_vehicle_of_its_own_and_named(clicked: str, capfd) -> None:
    cow = character(wrapped=False)
    cow.skin.parent = None
    press_vehicle(getattr(cow, clicked))
    assert vehicles() == [getattr(cow, clicked)]
    told = "Warning: Cow Skin is deformed by Cow but not parented to it: one goes without the other. "
    told += "Parent it to Cow"
    assert told in capfd.readouterr().out


@pytest.mark.parametrize("clicked", ["rig", "skin", "both"])
def test_members_get_a_skin_apart_from_its_armature_with_it(clicked: str, capfd) -> None:
    cow = character(wrapped=False)
    cow.skin.parent, cow.skin.location = None, (0.0, 0.3, 0.1)
    bpy.context.view_layer.update()
    offset = np.array(cow.rig.matrix_world.inverted() @ cow.skin.matrix_world)
    select(*([cow.rig, cow.skin] if clicked == "both" else [getattr(cow, clicked)]))
    assert bpy.ops.steering.populate(count=3, moves_like="ANIMAL") == {"FINISHED"}
    assert "deformed" not in capfd.readouterr().out
    members = vehicles()
    assert len(members) == 3 and all(ob.type == "ARMATURE" for ob in members)
    for ob in members:
        [skin] = [child for child in ob.children if child.data == cow.skin.data]
        assert skin.modifiers[0].object == ob
        np.testing.assert_allclose(ob.matrix_world.inverted() @ skin.matrix_world, offset, atol=1e-5)
    assert cow.skin.parent is None


def test_a_skin_is_never_the_ground_but_stands_on_one() -> None:
    cow = character(wrapped=False)
    cow.skin.scale = (9.0, 9.0, 9.0)
    floor = wedge("Floor", size=200.0)
    press("populate", cow.rig, cow.skin, count=2, moves_like="ANIMAL")
    assert part("blender.objects.focus").crowd_in_focus(bpy.context).steering.populate.arrangement == "GRID"
    press("populate", floor, cow.skin, count=2, moves_like="ANIMAL")
    assert part("blender.objects.focus").crowd_in_focus(bpy.context).steering.populate.place == floor


def held(cow: Character, kind: str, bone: str):
    """A bell that a constraint holds."""
    bell = wedge("Bell", size=0.1)
    bell.location, bell.rotation_euler, bell.scale = (0.2, -0.4, 0.6), (0.3, 0.2, 0.9), (0.5, 0.5, 0.5)
    constraint = bell.constraints.new(kind)
    end = constraint.targets.new() if kind == "ARMATURE" else constraint
    end.target, end.subtarget = cow.rig, bone
    return bell


@pytest.mark.parametrize("bone", ["Spine", ""])
@pytest.mark.parametrize("kind", ["CHILD_OF", "ARMATURE", "COPY_TRANSFORMS"])
def test_members_get_what_a_constraint_holds_where_the_model_has_it_in_any_pose(kind: str, bone: str, capfd) -> None:
    if kind == "ARMATURE" and not bone:
        return
    cow = character()
    bell = held(cow, kind, bone)
    charm = empty("Charm")
    charm.parent, charm.location = bell, (0.0, 0.1, 0.0)
    cow.rig.pose.bones["Spine"].rotation_mode = "XYZ"
    cow.rig.pose.bones["Spine"].rotation_euler = (0.4, 0.5, 0.6)
    press("populate", cow.skin, count=2, moves_like="ANIMAL")
    assert "constraint" not in capfd.readouterr().out
    assert [each.type for each in bell.constraints] == [kind] and bell.parent is None
    for member in vehicles():
        parts = {ob.name.split()[0]: ob for ob in member.children_recursive}
        [rig] = [ob for ob in member.children_recursive if ob.type == "ARMATURE"]
        assert not parts["Bell"].constraints and parts["Charm"].parent == parts["Bell"]
        for turn in (0.0, 1.0):
            for each in (cow.rig, rig):
                each.pose.bones["Spine"].rotation_euler = (turn, 0.2, 0.1)
            bpy.context.view_layer.update()
            for copy, ob in ((parts["Bell"], bell), (parts["Charm"], charm)):
                expected = np.array(cow.wrapper.matrix_world.inverted() @ ob.matrix_world)
                np.testing.assert_allclose(member.matrix_world.inverted() @ copy.matrix_world, expected, atol=1e-5)


def test_a_prop_that_holds_what_holds_it_is_left_alone() -> None:
    cow = character()
    bell, other = held(cow, "CHILD_OF", "Spine"), empty("Other")
    bell.constraints[0].target = other
    other.constraints.new("CHILD_OF").target = bell
    press("populate", cow.skin, count=2, moves_like="ANIMAL")
    assert not [ob for ob in bpy.data.objects if ob.name.startswith("Bell 0")]


def test_props_that_follow_a_model_partly_are_named_as_members_do_not_get_them(capfd) -> None:
    cow = character()
    kinds = {"Bell": "COPY_LOCATION", "Halter": "ARMATURE", "Rope": "CHILD_OF", "Dog": "TRACK_TO", "Off": "CHILD_OF"}
    for name, kind in kinds.items():
        constraint = empty(name).constraints.new(kind)
        (constraint.targets.new() if kind == "ARMATURE" else constraint).target = cow.rig
        constraint.mute = name == "Off"
        if name == "Rope":
            constraint.keyframe_insert("influence", frame=1)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    link(camera).constraints.new("CHILD_OF").target = cow.rig
    press("populate", cow.skin, count=2, moves_like="ANIMAL")
    told = "Warning: Bell and 2 more follow Cow by a constraint, which members do not get. Undo, parent them to "
    assert told + "Cow instead, and populate again" in capfd.readouterr().out


def test_a_prop_that_a_constraint_moves_on_a_bone_reaches_members_once_it_is_parented_to_that(capfd) -> None:
    cow = character()
    bell = held(cow, "CHILD_OF", "Spine")
    bell.constraints[0].influence = 0.5
    press("populate", cow.skin, count=2, moves_like="ANIMAL")
    assert "Undo, parent it to the bone instead, and populate again" in capfd.readouterr().out
    bell.constraints.clear()
    bell.parent, bell.parent_type, bell.parent_bone = cow.rig, "BONE", "Spine"
    press("populate", cow.skin, count=2, moves_like="ANIMAL")
    assert "constraint" not in capfd.readouterr().out
    assert len([ob for ob in bpy.data.objects if ob.data == bell.data]) == 3


@pytest.mark.parametrize("clicked", ["rig", "skin"])
def test_a_body_that_carries_its_armature_is_the_vehicle(clicked: str) -> None:
    cow = character(wrapped=False)
    cow.skin.parent = None
    cow.rig.parent = cow.skin
    press_vehicle(getattr(cow, clicked))
    assert vehicles() == [cow.skin]


@pytest.mark.parametrize("clicked", ["rig", "skin", "hat"])
def test_the_empty_above_an_armature_and_its_skin_is_the_vehicle(clicked: str, capfd) -> None:
    """As in USD files."""
    cow = character()
    empty("Tail End").parent = cow.wrapper
    cow.skin.parent = cow.wrapper
    sphere("Bell", radius=0.1).parent = cow.rig
    press_vehicle(getattr(cow, clicked))
    assert vehicles() == [cow.wrapper]
    assert "deformed" not in capfd.readouterr().out


@pytest.mark.parametrize("clicked", ["rig", "skin", "hat"])
def test_members_are_whole_characters_whichever_part_was_clicked(clicked: str) -> None:
    cow = character()
    press("populate", getattr(cow, clicked), count=3, moves_like="ANIMAL")
    members = vehicles()
    assert len(members) == 3 and all(ob.type == "EMPTY" for ob in members)
    assert all({child.type for child in ob.children_recursive} == {"ARMATURE", "MESH"} for ob in members)
    assert all(len(ob.children_recursive) == 3 for ob in members)
