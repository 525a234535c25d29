"""Vehicles that leave the surface on which they were placed are named after a bake."""

from __future__ import annotations

import bpy

from tests.blender.building import bake, frames, part, select, wedge


def walkers_on_a_plate(size: float, count: int = 6):
    """A crowd on a square plate, whose members walk straight ahead."""
    frames(1, 60)
    bpy.ops.mesh.primitive_plane_add(size=size)
    plate = bpy.context.object
    select(plate, wedge("Walker", location=(99.0, 0.0, 0.0)))
    bpy.data.objects["Walker"].select_set(True)
    bpy.context.view_layer.objects.active = plate
    assert bpy.ops.steering.populate(count=count, moves_like="UNCHANGED") == {"FINISHED"}
    crowd_object = bpy.context.object
    crowd_object.steering.locomotion, crowd_object.steering.vehicle.max_speed = "PLANAR", 4.0
    return crowd_object


def off() -> dict[str, float]:
    """The frame on which each vehicle left its ground."""
    outcome_of = part("blender.animation.run_records").outcome_of
    frames_of = {ob.name: outcome_of(ob).mishaps.get("ground") for ob in bpy.data.objects}
    return {name: frame for name, frame in frames_of.items() if frame is not None}


def test_walkers_that_leave_their_ground_are_recorded_and_selected(capfd) -> None:
    walkers_on_a_plate(4.0)
    bake()
    assert len(off()) == 6
    assert "6 off the ground" in capfd.readouterr().out
    assert bpy.ops.steering.select_contacts(kind="GROUND") == {"FINISHED"}
    assert {ob.name for ob in bpy.context.selected_objects} == set(off())
    left = bpy.context.object
    assert max(map(abs, left.matrix_world.translation[:2])) > 2.0
    bpy.context.scene.frame_set(int(off()[left.name]) - 1)
    assert max(map(abs, left.matrix_world.translation[:2])) <= 2.0


def test_walkers_that_stay_on_it_are_not() -> None:
    walkers_on_a_plate(400.0)
    bake()
    assert off() == {}


def test_flyers_may_leave_it() -> None:
    walkers_on_a_plate(4.0).steering.locomotion = "SIMPLE_VEHICLE"
    bake()
    assert off() == {}


def test_one_that_was_never_on_it_has_not_left_it() -> None:
    walkers_on_a_plate(4.0)
    select(next(ob for ob in bpy.data.objects if "VEHICLE" in ob.steering.roles))
    stray = bpy.context.object
    stray.location.x += 50.0
    assert bpy.ops.steering.set_start() == {"FINISHED"}
    bake()
    assert stray.name not in off() and len(off()) == 5
