"""A bake replaces what a bake wrote and nothing else, starts where the animator put the vehicles, and can be undone."""

from collections.abc import Callable

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from tests.blender.animated import curves, drive, insert, is_baked, keys, strip_of_own_action
from tests.blender.building import armature, empty, frames, part, reopen, wedge
from tests.blender.dumping import assert_same, refuses, scene_dump, without_bake_ids
from tests.blender.seen import baked_frames, flight, places, snapshots, world_matrices
from tests.blender.steered import bake, clear_bake, crowd, leader, obstacle, press, select, vehicle
from tests.sampling import in_every_blender, sampled

pytestmark = in_every_blender(shared=True)

MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


def wanderer(**made):
    """A vehicle that banks and turns in all directions, on frames 1 to 20."""
    frames(1, 20)
    restless = crowd("Restless", wander={"strength": 8.0, "rate": 2.0, "vertical": 1.0})
    return vehicle(crowd=restless, identity=7, **made)


def assert_plays_the_simulation(ob, *, roll: bool = True) -> None:
    """In the scene the vehicle is where the simulation has it, and its front points where that says."""
    names, positions, bases = flight()
    row = names.index(ob.name)
    axes = part("blender.objects.doubles").axes_of_model(ob)
    bake()
    played = world_matrices(ob, baked_frames())
    reach = max(1.0, np.abs(positions[:, row]).max())
    np.testing.assert_allclose(played[:, :3, 3], positions[:, row], atol=1e-4 * reach)
    fronts = played[:, :3, :3] @ axes[:, 1]
    fronts /= np.linalg.norm(fronts, axis=1)[:, None]
    np.testing.assert_allclose(fronts, bases[:, row, :, 1], atol=1e-4)
    if roll:
        tops = played[:, :3, :3] @ axes[:, 2]
        tops /= np.linalg.norm(tops, axis=1)[:, None]
        np.testing.assert_allclose(tops, bases[:, row, :, 2], atol=1e-4)


@pytest.mark.parametrize("mode", MODES)
def test_every_rotation_mode_turns_the_vehicle_as_simulated(mode) -> None:
    ob = wedge(rotation=(0.3, -0.2, 1.1))
    ob.rotation_mode = mode
    if mode == "AXIS_ANGLE":
        ob.rotation_axis_angle = (0.8, 0.3, 0.1, 0.9)
    elif mode == "QUATERNION":
        ob.rotation_quaternion = (0.8, 0.1, -0.2, 0.5)
    assert_plays_the_simulation(wanderer(ob=ob))
    path = part("blender.animation.rotation_channels").data_path(mode)
    assert {curve.data_path for curve in curves(ob)} == {"location", path}


def moving_parent():
    ob = empty("Parent")
    insert(ob, "location", {1: (0.0, 0.0, 0.0), 20: (10.0, -5.0, 3.0)})
    insert(ob, "rotation_euler", {1: (0.0, 0.0, 0.0), 20: (0.5, -1.0, 4.0)})
    insert(ob, "scale", {1: (1.0, 1.0, 1.0), 20: (2.0, 2.0, 2.0)})
    return ob


def hidden_parent():
    ob = moving_parent()
    ob.hide_viewport = True
    return ob


def constrained_parent():
    ob = empty("Parent")
    ob.constraints.new("COPY_TRANSFORMS").target = moving_parent()
    return ob


def driven_parent():
    ob = empty("Parent")
    drive(ob, "location", "2.0 * x + frame", index=1, x=(moving_parent(), "location[0]"))
    return ob


PARENTS: dict[str, Callable] = {
    "turned": lambda: empty("Parent", (5.0, -3.0, 2.0), rotation=(0.4, 0.2, 1.9)),
    "scaled": lambda: empty("Parent", (1.0, 2.0, 3.0), scale=(2.0, 2.0, 2.0)),
    "skewed": lambda: empty("Parent", rotation=(0.3, 0.5, 0.7), scale=(1.0, 3.0, 0.5)),
    "mirrored": lambda: empty("Parent", scale=(-1.0, 1.0, 1.0)),
    "moving": moving_parent,
    "hidden": hidden_parent,
    "constrained": constrained_parent,
    "driven": driven_parent,
}


@sampled(one_of=2)
@pytest.mark.parametrize("parent", PARENTS)
@pytest.mark.parametrize("inverse", [Matrix.Identity(4), Matrix.Translation((1, 2, 3)) @ Matrix.Rotation(0.6, 4, "X")])
def test_under_any_parent_the_vehicle_flies_as_simulated(parent, inverse) -> None:
    ob = wedge(location=(1.0, 1.0, 0.0), rotation=(0.1, 0.2, 0.3))
    ob.parent = PARENTS[parent]()
    ob.matrix_parent_inverse = inverse
    assert_plays_the_simulation(wanderer(ob=ob), roll=parent != "skewed")


def test_a_vehicle_on_a_bone_flies_as_simulated() -> None:
    rig = armature("Rig", Bone=((1.0, 0.0, 0.0), (1.0, 1.0, 2.0)))
    rig.pose.bones["Bone"].rotation_mode = "XYZ"
    insert(rig, 'pose.bones["Bone"].rotation_euler', {1: (0.0, 0.0, 0.0), 20: (1.0, 0.5, 2.0)})
    ob = wedge()
    ob.parent, ob.parent_type, ob.parent_bone = rig, "BONE", "Bone"
    assert_plays_the_simulation(wanderer(ob=ob))


def test_delta_transforms_stay_and_play_on_top() -> None:
    ob = wanderer()
    bake()
    plain = places(ob, baked_frames())
    clear_bake()
    insert(ob, "delta_location", {1: (0.0, 0.0, 0.0), 20: (0.0, 0.0, 19.0)})
    bake()
    np.testing.assert_allclose(places(ob, baked_frames()) - plain, [(0, 0, k) for k in range(20)], atol=1e-4)
    assert keys(ob)["delta_location", 2] == [(1.0, 0.0), (20.0, 19.0)]


def test_other_channels_parameters_and_keys_outside_the_range_survive_bake_and_clear() -> None:
    ob = wanderer()
    insert(ob, "scale", {1: (1.0, 1.0, 1.0), 20: (2.0, 2.0, 2.0)})
    insert(ob, "steering.speed_factor", {1: 1.0, 20: 0.5})
    insert(ob, "location", {-10: (0.0, -3.0, 0.0), -5: (0.0, 0.0, 0.0), 40: (9.0, 9.0, 9.0)})
    bpy.context.scene.frame_set(1)
    before, settings = scene_dump(), keys(ob)
    bake()
    baked = keys(ob)
    assert baked["scale", 0] == settings["scale", 0]
    assert baked["steering.speed_factor", 0] == settings["steering.speed_factor", 0]
    outside = [(frame, value) for frame, value in baked["location", 1] if not 1 <= frame <= 20]
    assert outside == settings["location", 1]
    assert len(baked["location", 1]) == 23
    clear_bake()
    assert_same(before["actions"], scene_dump()["actions"])
    assert keys(ob) == settings


def test_moving_a_baked_vehicle_on_the_start_frame_moves_its_start() -> None:
    ob = wanderer()
    bake()
    ob.location = (7.0, 8.0, 9.0)
    ob.rotation_euler = (0.0, 0.0, 2.0)
    bake()
    np.testing.assert_allclose(places(ob, [1])[0], (7.0, 8.0, 9.0))
    bake()
    np.testing.assert_allclose(places(ob, [1])[0], (7.0, 8.0, 9.0))
    clear_bake()
    assert tuple(ob.location) == (7.0, 8.0, 9.0)
    assert tuple(ob.rotation_euler) == pytest.approx((0.0, 0.0, 2.0))


def test_moving_a_baked_vehicle_on_another_frame_does_not_move_its_start_but_set_start_does() -> None:
    ob = wanderer()
    bake()
    known = keys(ob)
    bpy.context.scene.frame_set(9)
    ob.location = (7.0, 8.0, 9.0)
    bake()
    assert keys(ob) == known
    current = tuple(ob.location)
    press("set_start", ob)
    for frame in (9, 1):
        bpy.context.scene.frame_set(frame)
        bake()
        np.testing.assert_allclose(places(ob, [1])[0], current, atol=1e-6)


def test_the_start_survives_saving_and_loading_and_clearing_moves_there_on_any_frame(tmp_path) -> None:
    ob = wanderer(location=(1.0, 2.0, 3.0), rotation=(0.0, 0.0, 0.5))
    bake()
    known = keys(ob)
    bpy.context.scene.frame_set(11)
    reopen(tmp_path / "baked.blend")
    ob = bpy.data.objects["Ship"]
    bake()
    assert keys(ob) == known
    clear_bake()
    assert tuple(ob.location) == (1.0, 2.0, 3.0)
    assert tuple(ob.rotation_euler) == (0.0, 0.0, 0.5)


def test_keys_before_the_range_lead_the_vehicle_into_it() -> None:
    frames(1, 20)
    ob = vehicle(crowd=crowd())
    insert(ob, "location", {-9: (0.0, 0.0, 0.0), 0: (4.5 * 10 / 24, 0.0, 0.0)})
    insert(ob, "rotation_euler", {-9: (0.0, 0.0, -np.pi / 2)})
    bake()
    seen = places(ob, range(-3, 8))
    steps = np.diff(seen, axis=0)[5:] * 24
    np.testing.assert_allclose(steps[:, 0], 4.5, atol=0.6)
    np.testing.assert_allclose(seen[:, 1:], 0.0, atol=1e-3)


def test_a_locked_vehicle_is_read_but_not_written() -> None:
    frames(1, 30)
    chaser = vehicle(name="Chaser", crowd=crowd(seek={}))
    prey = vehicle(name="Prey", location=(0.0, 20.0, 0.0))
    prey.steering.locked = True
    insert(prey, "location", {1: (0.0, 20.0, 0.0), 30: (30.0, 20.0, 0.0)})
    bpy.data.objects["Crowd"].steering.seek.target = prey
    settings = keys(prey)
    bake()
    assert keys(prey) == settings
    toward = places(prey, [30])[0] - places(chaser, [20])[0]
    moved = places(chaser, [25])[0] - places(chaser, [20])[0]
    assert moved @ toward > 0.9 * np.linalg.norm(moved) * np.linalg.norm(toward)
    clear_bake()
    assert keys(prey) == settings


def test_vehicles_not_selected_are_read_as_they_move() -> None:
    frames(1, 30)
    chasers = crowd("Chasers", seek={})
    prey = vehicle(name="Prey", location=(0.0, 20.0, 0.0), crowd=crowd("Prey Crowd", wander={}), identity=3)
    chaser = vehicle(name="Chaser", crowd=chasers)
    chasers.steering.seek.target = prey
    bake(prey, selected=True)
    known = keys(prey)
    assert not is_baked(chaser)
    bake(chaser, selected=True)
    assert is_baked(chaser)
    assert keys(prey) == known
    toward = places(prey, [30])[0] - places(chaser, [1])[0]
    moved = places(chaser, [30])[0] - places(chaser, [1])[0]
    assert moved @ toward > 0.8 * np.linalg.norm(moved) * np.linalg.norm(toward)


@sampled
@pytest.mark.parametrize("axes", [("POS_Y", "POS_Z"), ("NEG_X", "POS_Z"), ("POS_Z", "NEG_Y")])
@pytest.mark.parametrize(
    "scale", [(2.0, 2.0, 2.0), (-1.0, 1.0, 1.0), (1.0, -2.0, 1.0), (-1.0, -1.0, -1.0), (0.0, 0.0, 0.0)]
)
@pytest.mark.parametrize("baked", [False, True])
def test_an_object_on_a_vehicle_is_read_in_its_local_space(axes, scale, baked) -> None:
    frames(1, 5)
    carrier = wedge("Carrier", (1.0, 2.0, 3.0), rotation=(0.3, 0.2, 0.7), scale=scale)
    seat = leader(name="Seat", location=(0.5, 1.5, 0.25))
    seat.parent = carrier
    ball = obstacle(name="Ball", location=(-1.0, 0.5, 2.0), radius=0.1)
    ball.parent = carrier
    vehicle(carrier, crowd=crowd(wander={}))
    carrier.steering.forward_axis, carrier.steering.up_axis = axes
    if baked:
        bake()
    plan = part("blender.read.plan").plan_reading(bpy.context.scene)
    reader = part("blender.read.reading").Reader(plan)
    read = part("blender.read.sweep").sweep(plan, reader)
    frame = next(read)
    snapshot, motion = frame.snapshot, reader.start(frame).motion
    read.close()
    turn = np.stack((motion.side[0], motion.forward[0], motion.up[0]), axis=-1)
    middle = (snapshot.obstacles.start[0] + snapshot.obstacles.end[0]) / 2
    for ob, seen in ((seat, snapshot.tracked.position[0]), (ball, middle)):
        np.testing.assert_allclose(motion.position[0] + turn @ seen, places(ob, [1])[0], atol=1e-5)


def depends_by_constraint(vehicle_object):
    ob = obstacle(name="Wall", location=(0.0, 9.0, 0.0))
    ob.constraints.new("COPY_LOCATION").target = vehicle_object
    return "through the constraint Copy Location"


def depends_by_driver(vehicle_object):
    ob = obstacle(name="Wall", location=(0.0, 9.0, 0.0))
    drive(ob, "location", "x", index=0, x=(vehicle_object, "location[0]"))
    return "through a driver of location"


def depends_by_modifier(vehicle_object):
    ob = obstacle(name="Wall", location=(0.0, 9.0, 0.0))
    ob.modifiers.new("Mirror", "MIRROR").mirror_object = vehicle_object
    return "through the modifier Mirror"


def depends_by_another(vehicle_object):
    between = empty("Between")
    between.constraints.new("CHILD_OF").target = vehicle_object
    obstacle(name="Wall", location=(0.0, 9.0, 0.0)).parent = between
    return "Between depends on the vehicle Ship through the constraint Child Of"


def depends_by_a_part(vehicle_object):
    hand = empty("Hand")
    hand.parent = vehicle_object
    ob = obstacle(name="Wall", location=(0.0, 9.0, 0.0))
    ob.constraints.new("COPY_LOCATION").target = hand
    return r"Wall depends on the vehicle Ship through the constraint Copy Location \(by way of Hand\)"


def depends_by_a_bone(vehicle_object):
    rig = armature("Rig", Bone=((0.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    rig.pose.bones["Bone"].constraints.new("TRACK_TO").target = vehicle_object
    obstacle(name="Wall").parent = rig
    return "Rig depends on the vehicle Ship through the constraint Track To of the bone Bone"


def depends_by_a_drivers_transform(vehicle_object):
    ob = obstacle(name="Wall", location=(0.0, 9.0, 0.0))
    curve = ob.driver_add("location", 0)
    variable = curve.driver.variables.new()
    variable.type = "TRANSFORMS"
    variable.targets[0].id = vehicle_object
    curve.driver.expression = variable.name
    return "through a driver of location"


def crowd_depends(vehicle_object):
    drive(bpy.data.objects["Restless"], "steering.vehicle.max_speed", "3.0 + x", x=(vehicle_object, "location[0]"))
    return "Restless depends on the vehicle Ship through a driver of steering.vehicle.max_speed"


DEPENDENCES = (
    *(depends_by_constraint, depends_by_driver, depends_by_modifier, depends_by_another, depends_by_a_part),
    *(depends_by_a_bone, depends_by_a_drivers_transform, crowd_depends),
)


@pytest.mark.parametrize("depends", DEPENDENCES, ids=lambda depends: depends.__name__)
def test_other_dependencies_on_a_vehicle_are_refused_by_name_until_it_is_locked(depends) -> None:
    ob = wanderer()
    how = depends(ob)
    refuses("bake", how)
    ob.steering.locked = True
    vehicle(name="Other", location=(9.0, 0.0, 0.0))
    bake()


@pytest.mark.parametrize("keyed_too", [False, True])
def test_a_mirroring_strip_that_is_set_aside_does_not_mirror_the_first_bake_alone(keyed_too: bool) -> None:
    """Without the strip Blender shows a scale of 1: on the first bake the strip still gives another."""
    ob = wanderer()
    insert(ob, "rotation_euler", {1: (0.0, 0.0, 0.5), 5: (0.0, 0.0, 1.0)})
    insert(ob, "scale", {1: (-1.0, -2.0, 1.0), 5: (-1.0, -2.0, 1.0)})
    for curve in curves(ob):
        # Blender evaluates no muted curve: the scale on this axis stays.
        curve.mute = curve.data_path == "scale" and curve.array_index == 2
    ob.scale.z = -3.0
    strip_of_own_action(ob)
    if keyed_too:
        insert(ob, "scale", {1: (-2.0, 1.0, 1.0)})
    bpy.context.scene.frame_set(2)
    bake(replace_own_keys=True)
    before = keys(ob)
    bake(replace_own_keys=True)
    assert keys(ob) == before


def test_parts_of_a_vehicle_may_depend_on_each_other() -> None:
    """Both are read relative to the vehicle, wherever it goes."""
    ob = wanderer()
    hand, shield = empty("Hand", (0.0, 1.0, 0.0)), obstacle(name="Shield", radius=0.2)
    hand.parent = shield.parent = ob
    shield.constraints.new("COPY_LOCATION").target = hand
    bake()
    before = keys(ob)
    bake()
    assert keys(ob) == before


def test_constraints_of_a_vehicle_give_one_warning_and_do_not_stop_the_bake(capfd) -> None:
    ob = wanderer()
    ob.constraints.new("LIMIT_LOCATION")
    bake()
    assert capfd.readouterr().out.count("Constraints still act on top of the bake: Ship.") == 1


def test_a_rigid_body_that_physics_moves_is_named_and_what_it_needs(capfd) -> None:
    ob = wanderer()
    select(ob)
    bpy.ops.rigidbody.object_add()
    bake()
    assert "Rigid Body moves vehicles, not the bake: Ship." in capfd.readouterr().out
    ob.rigid_body.kinematic = True
    bake()
    assert "Rigid Body" not in capfd.readouterr().out


def test_a_driver_that_reads_the_scene_gets_the_animators_scene() -> None:
    ob = wanderer()
    bpy.context.scene["pace"] = 2.0
    restless = bpy.data.objects["Restless"]
    drive(restless, "steering.vehicle.max_speed", "pace", pace=(bpy.context.scene, '["pace"]'))
    bpy.context.scene.frame_set(-50, subframe=0.25)
    before = scene_dump()
    _, positions, _ = flight()
    assert_same(before, scene_dump())
    speeds = np.linalg.norm(np.diff(positions[:, 0], axis=0), axis=1) * 24
    assert 1.0 < speeds.max() < 2.001
    bake()
    first = scene_dump()
    bake()
    assert_same(without_bake_ids(first), without_bake_ids(scene_dump()))
    assert bpy.context.scene.frame_current_final == -49.75
    np.testing.assert_allclose(places(ob, baked_frames()), positions[:, 0], atol=1e-4)


def test_an_obstacle_moved_by_physics_is_where_physics_puts_it() -> None:
    frames(1, 30)
    ob = vehicle(location=(0.0, -6.0, 0.0), crowd=crowd(obstacle_avoidance={}))
    ball = obstacle(name="Ball", location=(0.0, 4.0, 8.0), radius=1.5)
    bpy.context.view_layer.objects.active = ball
    bpy.ops.rigidbody.world_add()
    bpy.ops.rigidbody.object_add()
    bpy.context.scene.rigidbody_world.point_cache.frame_end = 30
    bpy.context.scene.frame_set(1)
    fallen = places(ball, baked_frames())
    assert fallen[-1, 2] < 5.0
    obstacles = [snapshot.obstacles for snapshot in snapshots()]
    read = np.array([(each.start[0] + each.end[0]) / 2 for each in obstacles])
    np.testing.assert_allclose(read, fallen, atol=1e-3)
    bake()
    assert is_baked(ob)
    assert bpy.context.scene.frame_current == 1
