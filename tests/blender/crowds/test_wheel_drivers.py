"""Drive Wheels: the wheels of anybody's cars roll, steer and ride on springs, and what the animator set stays."""

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix, Vector

from tests.blender.building import at_frames, frames, link, put
from tests.blender.crowds.test_long_bodies import car, tagged, wheel
from tests.blender.dumping import assert_same, refuses, scene_dump
from tests.blender.steered import bake, press, select

RADIUS, TRACK, AHEAD = 0.35, 1.5, 1.3
PLACES = {
    f"{end} {side}": (x, y, RADIUS)
    for end, y in (("Front", AHEAD), ("Rear", -AHEAD))
    for side, x in (("Left", -TRACK / 2), ("Right", TRACK / 2))
}


def with_wheels(name: str = "Car", **placed):
    """A car that faces +Y, and its wheels by name."""
    body = car(name, size=(1.8, 4.3, 1.2), **placed)
    return body, {title: wheel(body, f"{name} {title}", place, RADIUS) for title, place in PLACES.items()}


def plain(body, wheels) -> None:
    """As it is made."""


def turned_round(body, wheels) -> None:
    """The right wheels are mirror images of the left ones, as in most models."""
    for title, ob in wheels.items():
        if title.endswith("Right"):
            ob.rotation_euler = (0.0, 0.0, np.pi)


def by_quaternions(body, wheels) -> None:
    """As glTF files have them."""
    turned_round(body, wheels)
    for ob in wheels.values():
        ob.rotation_mode = "QUATERNION"
        ob.rotation_quaternion = Euler((0.3, 0.0, 0.2)).to_quaternion()
        ob.data.transform(ob.rotation_quaternion.to_matrix().to_4x4().inverted())


def in_a_turned_frame(body, wheels) -> None:
    """Below an Empty that is turned and small, as FBX files have them."""
    frame = put(link(bpy.data.objects.new("Frame", None)), rotation=(np.pi / 2, 0.0, 0.0), scale=(0.01, 0.01, 0.01))
    frame.parent = body
    bpy.context.view_layer.update()
    for ob in wheels.values():
        world = ob.matrix_world.copy()
        ob.parent = frame
        ob.matrix_world = world


def with_tyres(body, wheels) -> None:
    """Wheels of two objects: a tyre, and a rim that is parented to it."""
    for title, ob in wheels.items():
        rim = link(bpy.data.objects.new(f"{title} Rim", ob.data))
        rim.parent, rim.scale = ob, (1.1, 0.6, 0.6)


def with_rims_beside(body, wheels) -> None:
    """Rims that are parented to the car, not to the tyres."""
    for title, ob in wheels.items():
        rim = put(link(bpy.data.objects.new(f"{title} Rim", ob.data)), ob.location, scale=(1.1, 0.6, 0.6))
        rim.parent = body


def with_stray_points(body, wheels) -> None:
    """A loose vertex far below and behind each wheel, and a spike on its tread."""
    for ob in wheels.values():
        mesh = ob.data
        first = len(mesh.vertices)
        mesh.vertices.add(2)
        for vertex, place in zip(list(mesh.vertices)[first:], ((0.4, -9.0, -6.0), (0.0, 0.3 * RADIUS, 1.4 * RADIUS))):
            vertex.co = place
        mesh.edges.add(1)
        mesh.edges[-1].vertices = (0, first + 1)
        mesh.update()


MODELS = (plain, turned_round, by_quaternions, in_a_turned_frame, with_tyres, with_rims_beside, with_stray_points)


def evaluated(ob) -> Matrix:
    return ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.copy()


@pytest.mark.parametrize("model", MODELS, ids=lambda each: each.__name__)
def test_they_roll_by_their_spin_steer_at_the_front_and_rise_by_their_travel(model) -> None:
    body, wheels = with_wheels(location=(1.0, 2.0, 0.0), rotation=(0.0, 0.0, 0.4))
    model(body, wheels)
    bpy.context.view_layer.update()
    crowd = tagged(body)
    select(body)
    at_rest = {title: evaluated(ob) for title, ob in wheels.items()}
    assert bpy.ops.steering.drive_wheels() == {"FINISHED"}
    bpy.context.view_layer.update()
    for title, ob in wheels.items():
        assert np.allclose(evaluated(ob), at_rest[title], atol=1e-5), "Nothing moves before a bake."
    assert crowd.steering.portrayal.use
    assert crowd.steering.wheeled.suspension > 0.0
    spin, angle, rise = 0.7, 0.3, 0.05
    for name, value in (("wheel_spin", spin), ("wheel_angle", angle), ("travel_front_left", rise)):
        body[f"steering_{name}"] = value
        body.keyframe_insert(f'["steering_{name}"]', frame=2)
    bpy.context.scene.frame_set(2)
    left, up = (evaluated(body).to_3x3() @ Vector(axis) for axis in ((-1.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    for title, ob in wheels.items():
        turn = Matrix.Rotation(spin, 3, left)
        if title.startswith("Front"):
            turn = Matrix.Rotation(angle, 3, up) @ turn
        expected = turn @ at_rest[title].to_3x3()
        assert np.allclose(evaluated(ob).to_3x3(), expected, atol=1e-4), title
        moved = evaluated(ob).translation - at_rest[title].translation
        assert np.allclose(moved, rise * up if title == "Front Left" else (0.0, 0.0, 0.0), atol=1e-4), title


def test_a_baked_car_rolls_without_sliding_and_pressed_twice_is_pressed_once() -> None:
    frames(1, 30)
    body, wheels = with_wheels()
    crowd = tagged(body)
    press("drive_wheels", body)
    before = scene_dump()
    assert bpy.ops.steering.drive_wheels() == {"FINISHED"}
    assert_same(before, scene_dump())
    crowd.steering.wheeled.suspension = 0.0
    bake()
    rear, turned, gone = wheels["Rear Left"], 0.0, 0.0
    bpy.context.scene.frame_set(1)
    last, place = evaluated(rear).to_3x3(), evaluated(body).translation
    for _ in at_frames(range(2, 31)):
        now, after = evaluated(rear).to_3x3(), evaluated(body).translation
        turned += (now @ last.transposed()).to_quaternion().angle
        gone += (after - place).length
        last, place = now, after
    assert gone > 3.0
    assert turned * RADIUS == pytest.approx(gone, rel=0.03)


def moved_origins(wheels) -> str:
    for ob in wheels.values():
        ob.data.transform(Matrix.Translation((0.0, 0.3, 0.0)))
    return "turns about an origin off its axle. Use Object > Set Origin > Origin to Geometry"


def steered_out_of_order(wheels) -> str:
    for ob in wheels.values():
        ob.rotation_mode = "ZYX"
    return "cannot be turned by angles in its rotation mode. Set the mode to Quaternion"


def with_a_delta(wheels) -> str:
    wheels["Front Right"].delta_location.x = 0.01
    return "Car Front Right has a delta transform, which drivers would replace. Clear it in Properties > Object"


def driven_by_hand(wheels) -> str:
    ob = wheels["Rear Left"]
    driver = ob.driver_add("rotation_euler", 0).driver
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = ob.parent, '["steering_wheel_spin"]'
    return "Car Rear Left has a driver on rotation_euler that turns it already. Remove it"


def only_two(wheels) -> str:
    for title in ("Front Left", "Rear Left"):
        bpy.data.objects.remove(wheels[title])
    return "Car has no wheels on both sides of two axles. Parent all its wheels to it"


def none_at_all(wheels) -> str:
    bpy.data.batch_remove(wheels.values())
    return "Car has no wheels that are objects of their own. Separate them, and parent them to it"


@pytest.mark.parametrize(
    "spoil", [moved_origins, steered_out_of_order, with_a_delta, driven_by_hand, only_two, none_at_all]
)
def test_what_cannot_be_driven_is_refused_by_name_and_nothing_is_changed(spoil) -> None:
    body, wheels = with_wheels()
    tagged(body)
    text = spoil(wheels)
    refuses("drive_wheels", text, body)


def test_a_crowd_that_does_not_drive_has_no_wheels_to_drive() -> None:
    body, _ = with_wheels()
    tagged(body, like="PERSON")
    select(body)
    assert not bpy.ops.steering.drive_wheels.poll()
