"""Whichever part of a rigged character is clicked, the character moves as a whole."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
import pytest

from tests.blender.building import bake, empty, frames, link, part, select, sphere, wedge
from tests.sampling import in_every_blender

pytestmark = in_every_blender


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
    armature = bpy.data.armatures.new(name)
    rig = link(bpy.data.objects.new(name, armature))
    select(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.edit_bones.new("Spine")
    bone.head, bone.tail = (0.0, 0.0, 0.0), (0.0, -1.0, 0.0)
    bpy.ops.object.mode_set(mode="OBJECT")
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
    select(*clicked)
    assert bpy.ops.steering.tag(role="VEHICLE", moves_like="ANIMAL") == {"FINISHED"}


@pytest.mark.parametrize("clicked", ["rig", "skin", "hat", "wrapper"])
def test_a_click_on_any_part_makes_the_whole_character_the_vehicle(clicked: str) -> None:
    cow = character()
    press_vehicle(getattr(cow, clicked))
    assert vehicles() == [cow.wrapper]
    assert bpy.context.view_layer.objects.active == cow.wrapper
    assert cow.wrapper.select_get()


def test_a_character_without_an_empty_is_moved_by_its_armature() -> None:
    cow = character(wrapped=False)
    press_vehicle(cow.hat)
    assert vehicles() == [cow.rig]


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
    for frame in (1, 10, 20):
        bpy.context.scene.frame_set(frame)
        after = np.array(cow.skin.matrix_world)
        np.testing.assert_allclose(after[2, :3], before[2, :3], atol=1e-5)
        np.testing.assert_allclose(cow.hat.matrix_world.inverted() @ cow.skin.matrix_world, _offset(cow), atol=1e-5)
    assert np.linalg.norm(after[:2, 3] - before[:2, 3]) > 0.1


def _offset(cow: Character) -> np.ndarray:
    """The skin as the hat sees it where nothing has moved."""
    return np.array((cow.rig.matrix_world.inverted() @ cow.hat.matrix_world).inverted() @ cow.skin.matrix_local)


def test_an_empty_that_carries_several_characters_is_not_a_character() -> None:
    cow, other = character(), character("Wolf")
    herd = empty("Herd")
    cow.wrapper.parent = other.wrapper.parent = herd
    press_vehicle(cow.skin)
    assert vehicles() == [cow.wrapper]


def test_an_empty_with_animation_or_a_role_of_its_own_is_not_a_character() -> None:
    cow, other = character(), character("Wolf")
    cow.wrapper.keyframe_insert("location", frame=1)
    press_vehicle(cow.skin)
    select(other.wrapper)
    assert bpy.ops.steering.tag(role="LEADER") == {"FINISHED"}
    press_vehicle(other.skin)
    assert vehicles() == [cow.rig, other.rig]


def test_an_empty_that_carries_skin_and_armature_is_the_vehicle() -> None:
    cow = character()
    cow.skin.parent = cow.wrapper
    press_vehicle(cow.skin)
    assert vehicles() == [cow.wrapper]


@pytest.mark.parametrize("clicked", ["rig", "skin"])
def test_a_skin_apart_from_its_armature_is_a_vehicle_of_its_own_and_named(clicked: str, capfd) -> None:
    cow = character(wrapped=False)
    cow.skin.parent = None
    press_vehicle(getattr(cow, clicked))
    assert vehicles() == [getattr(cow, clicked)]
    told = "Warning: Cow Skin is deformed by Cow but not parented to it: one goes without the other. "
    told += "Parent it to Cow"
    assert told in capfd.readouterr().out
    select(cow.rig)
    assert bpy.ops.steering.populate(count=2, moves_like="ANIMAL") == {"FINISHED"}
    assert told in capfd.readouterr().out
    cow.skin.constraints.new("COPY_LOCATION").target = cow.rig
    select(cow.rig)
    assert bpy.ops.steering.populate(count=3) == {"FINISHED"}
    assert "deformed" not in capfd.readouterr().out


def test_props_that_follow_a_model_by_a_constraint_are_named_as_members_do_not_get_them(capfd) -> None:
    cow = character()
    for name, kind in (("Bell", "CHILD_OF"), ("Halter", "ARMATURE"), ("Dog", "TRACK_TO"), ("Off", "CHILD_OF")):
        constraint = empty(name).constraints.new(kind)
        (constraint.targets.new() if kind == "ARMATURE" else constraint).target = cow.rig
        constraint.mute = name == "Off"
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    link(camera).constraints.new("CHILD_OF").target = cow.rig
    select(cow.skin)
    assert bpy.ops.steering.populate(count=2, moves_like="ANIMAL") == {"FINISHED"}
    told = "Warning: Bell and Halter follow Cow by a constraint, which members do not get. Undo, parent them to "
    assert told + "Cow instead, and populate again" in capfd.readouterr().out


def test_a_prop_that_a_constraint_holds_on_a_bone_reaches_members_once_it_is_parented_to_that(capfd) -> None:
    cow = character()
    bell = wedge("Bell", size=0.1)
    constraint = bell.constraints.new("CHILD_OF")
    constraint.target, constraint.subtarget = cow.rig, "Spine"
    select(cow.skin)
    assert bpy.ops.steering.populate(count=2, moves_like="ANIMAL") == {"FINISHED"}
    assert "Undo, parent it to the bone instead, and populate again" in capfd.readouterr().out
    bell.constraints.clear()
    bell.parent, bell.parent_type, bell.parent_bone = cow.rig, "BONE", "Spine"
    select(cow.skin)
    assert bpy.ops.steering.populate(count=2, moves_like="ANIMAL") == {"FINISHED"}
    assert "constraint" not in capfd.readouterr().out
    assert len([ob for ob in bpy.data.objects if ob.data == bell.data]) == 3


def test_a_whole_character_is_not_named(capfd) -> None:
    cow = character()
    press_vehicle(cow.skin)
    select(cow.skin)
    assert bpy.ops.steering.populate(count=2, moves_like="ANIMAL") == {"FINISHED"}
    assert "deformed" not in capfd.readouterr().out


def test_a_body_that_carries_its_armature_is_the_vehicle() -> None:
    cow = character(wrapped=False)
    cow.skin.parent = None
    cow.rig.parent = cow.skin
    press_vehicle(cow.skin)
    assert vehicles() == [cow.skin]


def test_an_object_without_an_armature_is_the_vehicle_whatever_it_is_parented_to() -> None:
    ship = wedge()
    ship.parent = empty("Harbor")
    press_vehicle(ship)
    assert vehicles() == [ship]


def test_the_crowd_of_a_character_is_shown_for_any_of_its_parts() -> None:
    cow = character()
    press_vehicle(cow.skin)
    crowd = cow.wrapper.steering.crowd
    for ob in [*cow.parts(), cow.wrapper]:
        select(ob)
        assert part("blender.focus").crowd_in_focus(bpy.context) == crowd
    select(wedge())
    assert part("blender.focus").crowd_in_focus(bpy.context) is None


@pytest.mark.parametrize("clicked", ["rig", "skin", "hat"])
def test_members_are_whole_characters_whichever_part_was_clicked(clicked: str) -> None:
    cow = character()
    select(getattr(cow, clicked))
    assert bpy.ops.steering.populate(count=3, moves_like="ANIMAL") == {"FINISHED"}
    members = vehicles()
    assert len(members) == 3 and all(ob.type == "EMPTY" for ob in members)
    assert all({child.type for child in ob.children_recursive} == {"ARMATURE", "MESH"} for ob in members)
    assert all(len(ob.children_recursive) == 3 for ob in members)


def test_parts_of_a_linked_character_are_refused_before_anything_is_changed(tmp_path) -> None:
    cow = character()
    collection = bpy.data.collections.new("Cow")
    for ob in [*cow.parts(), cow.wrapper]:
        collection.objects.link(ob)
    file = str(tmp_path / "cow.blend")
    bpy.data.libraries.write(file, {collection})
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(file, link=True) as (_, into):
        into.collections = ["Cow"]
    bpy.context.scene.collection.children.link(into.collections[0])
    skin = bpy.data.objects["Cow Skin"]
    select(skin)
    with pytest.raises(RuntimeError, match="is linked and cannot be edited"):
        bpy.ops.steering.tag(role="VEHICLE", moves_like="ANIMAL")
    assert vehicles() == [] and not [ob for ob in bpy.data.objects if ob.library is None]
