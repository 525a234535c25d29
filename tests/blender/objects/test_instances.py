"""An Empty that shows an instance of a collection counts as the model that it shows."""

import bpy
import numpy as np
import pytest

from tests.blender.building import armature, empty, part, sphere, wedge
from tests.blender.read.test_obstacle_shapes import cube, seen
from tests.blender.steered import obstacle, tag


def instance(*objects, offset=(0.0, 0.0, 0.0), **placed):
    """An Empty that shows these objects, which are no longer in the scene themselves."""
    collection = bpy.data.collections.new("Model")
    for ob in objects:
        for former in ob.users_collection:
            former.objects.unlink(ob)
        collection.objects.link(ob)
    collection.instance_offset = offset
    ob = empty("Instance", **placed)
    ob.instance_type, ob.instance_collection = "COLLECTION", collection
    return ob


def rigged():
    """A skin, 0.5 m wide and 1.8 m tall, with its armature."""
    rig = armature("Rig")
    skin = sphere("Skin", radius=1.0, scale=(0.25, 0.25, 0.9), location=(0.0, 0.0, 0.9))
    skin.parent = rig
    skin.modifiers.new("Armature", "ARMATURE").object = rig
    return skin, rig


def test_a_vehicle_is_as_large_as_the_model_it_shows_and_faces_as_that_does() -> None:
    model = instance(wedge("Model", (10.0, 2.0, 0.0), size=0.3), offset=(10.0, 2.0, 0.0))
    tag(model, role="VEHICLE")
    assert model.steering.forward_axis == "POS_Y"
    assert model.steering.crowd.steering.vehicle.radius == pytest.approx(0.3)


def test_an_instance_of_instances_is_measured_to_the_last() -> None:
    inner = instance(wedge("Model", size=0.3), location=(2.0, 0.0, 0.0))
    outer = instance(inner, offset=(2.0, 0.0, 0.0), scale=(2.0, 2.0, 2.0))
    tag(outer, role="VEHICLE")
    assert outer.steering.crowd.steering.vehicle.radius == pytest.approx(0.6)


@pytest.mark.parametrize("linked", [False, True])
def test_a_character_in_an_instance_faces_negative_y(linked: bool, tmp_path) -> None:
    character = instance(*rigged())
    if linked:
        file = str(tmp_path / "character.blend")
        bpy.data.libraries.write(file, {character.instance_collection})
        bpy.data.batch_remove([*character.instance_collection.objects, character.instance_collection])
        with bpy.data.libraries.load(file, link=True) as (_, wanted):
            wanted.collections = ["Model"]
        character.instance_collection = wanted.collections[0]
    tag(character, role="VEHICLE", moves_like="PERSON")
    assert character.steering.forward_axis == "NEG_Y"
    assert 0.2 < character.steering.crowd.steering.vehicle.radius < 0.3


def test_an_empty_instance_is_a_point_that_faces_positive_y() -> None:
    nothing = tag(instance(), role="VEHICLE")
    assert nothing.steering.forward_axis == "POS_Y"


@pytest.mark.parametrize("shape", ["ROUND", "BOX", "MESH"])
def test_an_obstacle_is_what_it_shows(shape: str) -> None:
    tag(wedge(), role="VEHICLE")
    block = obstacle(instance(cube("Model", (0.0, 0.0, 3.0)), location=(20.0, 0.0, 0.0)))
    block.steering.obstacle_shape = shape
    thing = seen()[0]
    np.testing.assert_allclose(thing.start[0], (20.0, 0.0, 3.0), atol=1e-6)
    if shape == "MESH":
        assert len(thing.mesh[0]) == 12


def test_another_model_in_an_obstacle_outdates_a_bake() -> None:
    tag(wedge(), role="VEHICLE")
    ball = sphere("Ball", radius=2.0)
    obstacle(instance(ball, location=(20.0, 0.0, 0.0)))
    fingerprint = part("blender.read.fingerprint").fingerprint
    before = fingerprint(bpy.context.scene)
    ball.data.vertices[0].co.z -= 1.0
    assert fingerprint(bpy.context.scene) != before


def test_a_standing_instance_is_measured_once_and_one_that_moves_inside_on_each_frame() -> None:
    changes = part("blender.read.solids").changes_shape
    family = part("blender.objects.hierarchy").Family()
    ball = sphere("Ball")
    block = instance(ball)
    assert not changes(block, family)
    ball.keyframe_insert("location", frame=1)
    assert changes(block, family)
