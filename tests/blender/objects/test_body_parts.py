"""Sizes, kinds and walks come from the body of a model: not from what it wears or holds, nor from what is not seen."""

import bpy
import numpy as np
import pytest

from tests.blender.building import add_bone, edit_bones, empty, frames, part
from tests.blender.seen import listed
from tests.blender.steered import bake, press
from tests.blender.walkers import HEIGHT, SPEED, box, idle, stash, walk, walker
from tests.sampling import sampled

SPREAD = ((-0.9, -0.05, 1.4), (0.9, 0.05, 1.5))
"""Arms of a T-pose."""


def on_bone(rig, bone: str, low, high, name: str = "Part"):
    """A box between two corners in the space of the armature, as a rigid part on a bone."""
    ob = box(name, low, high)
    ob.parent, ob.parent_type, ob.parent_bone = rig, "BONE", bone
    ob.matrix_parent_inverse = (rig.matrix_world @ _tail(rig, bone)).inverted()
    bpy.context.view_layer.update()
    return ob


def _tail(rig, bone: str):
    made = rig.data.bones[bone]
    matrix = made.matrix_local.copy()
    matrix.translation += matrix.col[1].xyz * made.length
    return matrix


def hand(rig):
    """A bone without skin, below that of the body."""
    add_bone(rig, "Hand", (0.3, 0.0, 0.7), (0.3, 0.0, 0.8), "Body")


def sword(rig):
    hand(rig)
    on_bone(rig, "Hand", (0.28, -2.5, -0.4), (0.32, 0.5, 0.8), "Sword")


def spear(rig):
    """Skin of a single bone that is longer than the body."""
    hand(rig)
    _more_skin(rig, (0.28, -2.5, 0.7), (0.32, 0.9, 0.74), bone="Hand")


def hat(rig):
    on_bone(rig, "Body", (-1.1, -1.1, 1.7), (1.1, 1.1, 2.4), "Hat")


def big_hair(rig):
    """Skin at the head that is as deep as two thirds of the height."""
    _more_skin(rig, (-0.5, -0.5, 1.3), (0.5, 0.7, HEIGHT))


def arms(rig):
    _more_skin(rig, *SPREAD)


def stray_vertex(rig):
    mesh = bpy.data.objects[f"{rig.name} Skin"].data
    assert len(mesh.vertices) == 24
    mesh.vertices.add(1)
    mesh.vertices[-1].co = (3.0, 9.0, -4.0)
    bpy.data.objects[f"{rig.name} Skin"].vertex_groups["Foot.L"].add([len(mesh.vertices) - 1], 1.0, "REPLACE")


def hidden_parts(rig):
    for name in ("hide_viewport", "hide_render"):
        setattr(on_bone(rig, "Foot.L", (-3.0, -3.0, -1.0), (3.0, 3.0, 1.0), name), name, True)
    on_bone(rig, "Foot.R", (-3.0, -3.0, -1.0), (3.0, 3.0, 1.0), "Eye").hide_set(True)


def empties(rig):
    end = empty("End")
    end.empty_display_size = 30.0
    end.parent, end.parent_type, end.parent_bone = rig, "BONE", "Body"


def turned_aside(rig):
    arms(rig)
    rig.rotation_euler.z = 0.5 * np.pi
    bpy.context.view_layer.update()


def _more_skin(rig, low, high, bone="Body"):
    more = box("More Skin", low, high)
    more.parent = rig
    more.vertex_groups.new(name=bone).add(range(8), 1.0, "REPLACE")
    more.modifiers.new("Armature", "ARMATURE").object = rig
    bpy.context.view_layer.update()


def robot(name: str = "Robot"):
    """Rigid parts on bones, but for the hands, which are skin."""
    rig = walker(name)
    bpy.data.objects.remove(bpy.data.objects[f"{name} Skin"])
    hand(rig)
    on_bone(rig, "Body", (-0.25, -0.15, 0.3), (0.25, 0.15, HEIGHT), "Trunk")
    for side, x in (("L", 0.1), ("R", -0.1)):
        on_bone(rig, f"Foot.{side}", (x - 0.05, -0.15, 0.0), (x + 0.05, 0.05, 0.1), f"Shoe {side}")
    glove = box("Gloves", (-0.9, -0.1, 0.6), (0.9, 0.1, 0.8))
    glove.parent = rig
    glove.vertex_groups.new(name="Hand").add(range(8), 1.0, "REPLACE")
    glove.modifiers.new("Armature", "ARMATURE").object = rig
    return rig


def half_robot(name: str = "Mech"):
    """A trunk of skin on legs that are one rigid part each, below it."""
    rig = walker(name)
    skin = bpy.data.objects[f"{name} Skin"]
    for group in ("Foot.L", "Foot.R"):
        skin.vertex_groups.remove(skin.vertex_groups[group])
    for vertex in skin.data.vertices:
        vertex.co.z = max(vertex.co.z, 0.9)
    with edit_bones(rig) as bones:
        bones["Foot.L"].parent = bones["Foot.R"].parent = bones["Body"]
    for side, x in (("L", 0.1), ("R", -0.1)):
        on_bone(rig, f"Foot.{side}", (x - 0.05, -0.15, 0.0), (x + 0.05, 0.05, 0.9), f"Leg {side}")
    return rig


def dressed(how):
    rig = walker()
    how(rig)
    return rig


def body_of(rig):
    family = part("blender.objects.hierarchy").Family()
    bpy.context.view_layer.update()
    return part("blender.objects.body_sizes").Body.of(rig, bpy.context.evaluated_depsgraph_get(), family)


def check_is_a_walker(rig) -> None:
    """Check that a model is a person as tall and as wide as the plain walker, and walks at its speed."""
    stash(rig, idle(rig), walk(rig))
    people = press("populate", rig, count=2)
    assert people.name == "People"
    model, clips = people.steering.vehicle, {clip.action.name: clip for clip in people.steering.portrayal.clips}
    assert 0.15 < model.radius <= 0.2 * HEIGHT * 1.1
    assert clips["Walk"].plays == "MOVE"
    members = [ob for ob in bpy.data.objects if ob.name.startswith(f"{rig.name} 0")]
    assert len(members) == 2
    for member in members:
        assert member.steering.height == pytest.approx(HEIGHT, rel=1e-3)
        assert member.steering.origin_height == 0.0
    # For a model of 1.8 m; what is populated varies in size.
    scale = members[0].scale[0]
    assert clips["Walk"].speed == pytest.approx(SPEED * scale, rel=0.02)


@pytest.mark.parametrize(
    "how",
    [hat, sword, spear, big_hair, arms, stray_vertex, hidden_parts, empties, turned_aside],
    ids=lambda how: how.__name__,
)
def test_what_is_worn_held_or_not_seen_changes_neither_kind_nor_size_nor_walk(how) -> None:
    check_is_a_walker(dressed(how))


@pytest.mark.parametrize("make", [robot, half_robot])
def test_rigid_parts_are_the_body_of_what_has_no_skin_there(make) -> None:
    check_is_a_walker(make())


def test_members_hide_what_their_model_hides() -> None:
    rig = dressed(hidden_parts)
    press("populate", rig, count=2)
    shown = {ob.name.partition(" 0")[0]: ob.visible_get() for ob in bpy.data.objects if " 0" in ob.name}
    assert shown == {
        "Walker": True,
        "Walker Skin": True,
        "hide_viewport": False,
        "hide_render": True,
        "Eye": False,
    }


@pytest.mark.parametrize("others", [("person", "animal"), ("animal", "person")])
def test_people_among_animals_are_of_the_herd(others) -> None:
    models = []
    for row, kind in enumerate(others):
        rig = walker(kind, location=(4.0 * row, 0.0, 0.0))
        if kind == "animal":
            bpy.data.objects.remove(bpy.data.objects["animal Skin"])
            for y in (-0.8, 0.8):
                _more_skin(rig, (-0.2, y - 0.1, 0.0), (0.2, y + 0.1, 0.8))
            _more_skin(rig, (-0.2, -0.9, 0.8), (0.2, 0.9, 1.3))
        models.append(rig)
    herd = press("populate", *models, count=4, seed=2)
    assert (herd.name, herd.steering.locomotion) == ("Animals", "ON_FOOT")
    assert herd.steering.vehicle.radius < 0.5


def test_a_body_on_four_legs_is_no_person_however_tall() -> None:
    """A giraffe: twice as tall as long, but for its neck."""
    rig = walker()
    bpy.data.objects.remove(bpy.data.objects["Walker Skin"])
    for x in (-0.4, 0.4):
        for y in (-1.0, 1.0):
            _more_skin(rig, (x - 0.1, y - 0.1, 0.0), (x + 0.1, y + 0.1, 1.8))
    _more_skin(rig, (-0.4, -1.1, 1.8), (0.4, 1.1, 2.8))
    _more_skin(rig, (-0.15, -1.6, 2.8), (0.15, -1.1, 4.6))
    body = body_of(rig)
    assert not body.is_upright(("NEG_Y", "POS_Z"))
    assert press("populate", rig, count=1).name == "Animals"


def with_long_bones(rig):
    """As files in centimetres come in: the armature is a hundredth as large as its bones, one of which is long."""
    add_bone(rig, "End", (0.0, 0.0, 1.8), (0.0, 0.0, 60.0))


@sampled
@pytest.mark.parametrize("clicked", ["Walker", "Walker Skin"])
@pytest.mark.parametrize("how", [with_long_bones, sword, stray_vertex, empties], ids=lambda how: how.__name__)
def test_the_ground_is_larger_than_what_is_seen_of_models(how, clicked: str) -> None:
    rig = dressed(how)
    ground = box("Ground", (-8.0, -8.0, -0.5), (8.0, 8.0, 0.0))
    crowd = press("populate", ground, bpy.data.objects[clicked], count=2)
    assert crowd.steering.populate.place == ground
    assert [source.object for source in crowd.steering.populate.sources] == [rig]


def test_a_guide_is_drawn_as_large_as_the_body_of_its_vehicle() -> None:
    rig = dressed(with_long_bones)
    press("tag", rig, role="VEHICLE", moves_like="PERSON")
    frames(1, 20)
    bake()
    press("animate_by_hand", rig, frame_start=1, frame_end=20)
    guide = bpy.data.objects[f"{rig.name} Guide"]
    assert 0.5 * HEIGHT < guide.empty_display_size < 2.0 * HEIGHT


def test_a_body_far_from_the_origin_is_named_however_far_bones_reach() -> None:
    rig = dressed(with_long_bones)
    wrapper = empty("Wrapper")
    rig.parent, rig.location = wrapper, (12.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    press("tag", wrapper, role="VEHICLE", moves_like="PERSON")
    assert "OFF_ORIGIN" in listed()


def test_low_hills_are_the_ground_of_models_that_are_not_much_smaller() -> None:
    hills, rig = box("Hills", (-3.0, -3.0, -0.3), (3.0, 3.0, 0.2)), walker()
    assert press("populate", hills, rig, count=1).steering.populate.place == hills


def test_a_car_beside_a_person_is_no_ground() -> None:
    car, rig = box("Car", (-0.9, -2.2, 0.0), (0.9, 2.2, 1.5)), walker()
    stored = press("populate", car, rig, count=2).steering.populate
    assert stored.place is None
    assert {source.object for source in stored.sources} == {car, rig}


def test_a_floor_is_the_ground_also_of_models_nearly_as_large() -> None:
    floor, rig = box("Floor", (-2.0, -2.0, 0.0), (2.0, 2.0, 0.0)), walker()
    shape = box("Shape", (-9.0, -9.0, -9.0), (9.0, 9.0, 9.0))
    rig.pose.bones["Body"].custom_shape = shape
    stored = press("populate", floor, rig, shape, count=1).steering.populate
    assert stored.place == floor
    assert [source.object for source in stored.sources] == [rig]
