"""Everything in a scene may be keyed, driven, parented or deformed, and the simulation gets what the scene shows."""

import math
from collections.abc import Callable

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from tests.blender.animated import curves, drive, insert, strip_of_own_action
from tests.blender.building import empty, frames, part, path_curve, put, sphere, wedge
from tests.blender.read.swept import in_the_animators_scene, snapshots
from tests.blender.seen import baked_frames, world_matrices
from tests.blender.steered import bake, crowd, leader, obstacle, press, road, select, tag, vehicle
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)


def keyed(ob, path) -> None:
    insert(ob, path, {1: 1.0, 20: 20.0})


def driven(ob, path) -> None:
    other = empty("Other")
    insert(other, "location", {1: (1.0, 0.0, 0.0), 20: (20.0, 0.0, 0.0)})
    drive(ob, path, "x", x=(other, "location[0]"))


def driven_by_frame(ob, path) -> None:
    drive(ob, path, "frame")


def driven_by_own_other(ob, path) -> None:
    insert(ob, "location", {1: (0.0, 0.0, 1.0), 20: (0.0, 0.0, 20.0)})
    drive(ob, path, "x", x=(ob, "location[2]"))


def in_a_strip(ob, path) -> None:
    keyed(ob, path)
    strip_of_own_action(ob)


def in_a_strip_below_an_action(ob, path) -> None:
    in_a_strip(ob, path)
    insert(ob, "scale", {1: (1.0, 1.0, 1.0)})


ANIMATIONS = (keyed, driven, driven_by_frame, driven_by_own_other, in_a_strip, in_a_strip_below_an_action)


@pytest.mark.parametrize("animate", ANIMATIONS, ids=lambda animate: animate.__name__)
@pytest.mark.parametrize(
    ("path", "seen"),
    [
        ("steering.vehicle.max_speed", lambda s: s.vehicle.max_speed[0]),
        ("steering.simple_vehicle.max_turn_rate", lambda s: s.handling.turn_rate[0]),
        ("steering.seek.weight", lambda s: s.settings[0].behaviors[0].weight[0]),
        ("steering.wander.strength", lambda s: s.settings[0].behaviors[1].strength[0]),
    ],
)
def test_animated_parameters_of_a_crowd_reach_the_simulation(flock, animate, path, seen) -> None:
    animate(flock, path)
    np.testing.assert_allclose([seen(snapshot) for snapshot in snapshots()], range(1, 21), rtol=1e-5)


def test_crowds_that_move_alike_share_a_locomotion_in_which_each_vehicle_has_the_values_of_its_crowd() -> None:
    """A locomotion of each crowd would make every step of many crowds longer."""
    frames(1, 2)
    first, walkers, second = crowd("First"), crowd("Walkers"), crowd("Second")
    first.steering.simple_vehicle.max_turn_rate, second.steering.simple_vehicle.max_turn_rate = 1.0, 2.0
    walkers.steering.locomotion, walkers.steering.planar.max_turn_rate = "PLANAR", 3.0
    second.steering.planar.max_turn_rate = 9.0
    for k, flock in enumerate((second, walkers, first, second)):
        vehicle(name=f"Ship {k}", crowd=flock, identity=k + 1, location=(3.0 * k, 0.0, 0.0))
    snapshot = snapshots()[0]
    assert [moves.name for moves in snapshot.fleet.locomotions] == ["simple_vehicle", "planar"]
    assert snapshot.handling.turn_rate.tolist() == [2.0, 3.0, 1.0, 2.0]
    assert snapshot.grounded.tolist() == [False, True, False, False]


def test_a_keyed_locomotion_of_one_of_two_crowds_changes_on_each_frame() -> None:
    frames(1, 20)
    turning, other = crowd("Turning"), crowd("Other")
    keyed(turning, "steering.simple_vehicle.max_turn_rate")
    for k, flock in enumerate((other, turning)):
        vehicle(name=f"Ship {k}", crowd=flock, identity=k + 1, location=(3.0 * k, 0.0, 0.0))
    rates = np.array([snapshot.handling.turn_rate for snapshot in snapshots()])
    np.testing.assert_allclose(rates[:, 1], range(1, 21), rtol=1e-5)
    np.testing.assert_allclose(rates[:, 0], np.pi, rtol=1e-6)


@pytest.mark.parametrize("animate", [keyed, driven, driven_by_frame], ids=lambda animate: animate.__name__)
def test_animated_factors_of_a_vehicle_reach_the_simulation(flock, animate) -> None:
    flock.steering.vehicle.max_speed = 2.0
    animate(bpy.data.objects["Ship"], "steering.speed_factor")
    np.testing.assert_allclose([s.vehicle.max_speed[0] for s in snapshots()], np.arange(2, 42, 2), rtol=1e-5)


def test_a_behavior_can_be_switched_and_a_choice_made_by_keys(flock) -> None:
    flock.steering.seek.use = False
    insert(flock, "steering.seek.use", {1: False, 10: True, 15: False})
    insert(flock, "steering.combining", {1: "PRIORITY", 10: "WEIGHTED_SUM"})
    bpy.context.scene.frame_set(1)
    seen = snapshots()
    on = ["Seek" in [type(b).__name__ for b in s.settings[0].behaviors] for s in seen]
    assert on == [10 <= frame < 15 for frame in range(1, 21)]
    ways = [s.settings[0].combining for s in seen]
    assert ways == [ways[0]] * 9 + [ways[9]] * 11 and ways[0] != ways[9]


def test_settings_without_animation_are_read_once(flock) -> None:
    seen = snapshots()
    assert len({id(s.settings[0]) for s in seen}) == len({id(s.vehicle) for s in seen}) == 1
    keyed(flock, "steering.wander.strength")
    assert len({id(s.settings[0]) for s in snapshots()}) == 20


def test_values_beyond_the_limits_of_a_parameter_are_held_at_the_limit(flock) -> None:
    insert(flock, "steering.vehicle.cruise_speed", {1: 0.5})
    for curve in curves(flock):
        curve.keyframe_points[0].co[1] = 7.0
    assert {s.vehicle.cruise_speed[0] for s in snapshots()} == {1.0}


def moves_by_keys(ob) -> None:
    insert(ob, "location", {1: (0.0, 9.0, 0.0), 20: (19.0, 9.0, 0.0)})


def moves_with_a_parent(ob) -> None:
    ob.parent = empty("Carrier")
    moves_by_keys(ob.parent)


def moves_by_a_constraint(ob) -> None:
    moves_by_keys(other := empty("Other"))
    ob.constraints.new("COPY_LOCATION").target = other


def moves_by_a_driver(ob) -> None:
    moves_by_keys(other := empty("Other"))
    drive(ob, "location", "x", index=0, x=(other, "location[0]"))


def moves_in_a_hidden_collection(ob) -> None:
    moves_by_keys(ob)
    put_away(ob).hide_viewport = True


def put_away(ob):
    """Move an object into a collection of its own."""
    away = bpy.data.collections.new("Away")
    bpy.context.scene.collection.children.link(away)
    away.objects.link(ob)
    bpy.context.scene.collection.objects.unlink(ob)
    return away


MOTIONS: dict[str, Callable] = {
    "by keys": moves_by_keys,
    "with a parent": moves_with_a_parent,
    "with a hidden parent": lambda ob: (moves_with_a_parent(ob), setattr(ob.parent, "hide_viewport", True)),
    "by a constraint": moves_by_a_constraint,
    "by a driver": moves_by_a_driver,
    "hidden in the viewport": lambda ob: (moves_by_keys(ob), setattr(ob, "hide_viewport", True)),
    "hidden in the view layer": lambda ob: (moves_by_keys(ob), ob.hide_set(True)),
    "hidden in a render": lambda ob: (moves_by_keys(ob), setattr(ob, "hide_render", True)),
    "in a hidden collection": moves_in_a_hidden_collection,
    "hidden by keys": lambda ob: (moves_by_keys(ob), insert(ob, "hide_viewport", {1: False, 5: True, 15: False})),
}


@pytest.mark.parametrize("animators_scene", [False, True])
@pytest.mark.parametrize("move", MOTIONS.values(), ids=MOTIONS)
def test_moving_obstacles_and_targets_are_read_on_each_frame(flock, move, animators_scene) -> None:
    if animators_scene:
        in_the_animators_scene(flock)
    obstacle(ball := sphere("Ball", radius=0.5))
    target = leader(name="Aim")
    for ob in (ball, target):
        move(ob)
    select(flock)
    seen = snapshots()
    middles = np.array([(s.obstacles.start[0] + s.obstacles.end[0]) / 2 for s in seen])
    aims = np.array([s.tracked.position[0] for s in seen])
    np.testing.assert_allclose(middles[:, 0], range(20), atol=1e-4)
    np.testing.assert_allclose(aims[:, 0], range(20), atol=1e-4)


@pytest.mark.parametrize("layers", [1, 2])
def test_an_obstacle_in_a_collection_that_all_view_layers_exclude_is_absent(flock, layers: int) -> None:
    put_away(obstacle(sphere()))
    if layers == 2:
        bpy.context.scene.view_layers.new("Second")
    bpy.context.scene.view_layers[0].layer_collection.children["Away"].exclude = True
    assert len(snapshots()[0].obstacles) == layers - 1


def test_an_obstacle_is_as_large_as_its_mesh_with_modifiers_scale_and_children(flock) -> None:
    ball = obstacle(sphere(radius=2.0))
    put(ball, (1.0, 2.0, 3.0), scale=(0.5, 0.5, 0.5))
    assert snapshots()[0].obstacles.radius[0] == pytest.approx(1.0, rel=0.02)
    ball.modifiers.new("Displace", "SOLIDIFY").thickness = 0.0
    child = sphere("Child", radius=2.0)
    child.parent = ball
    child.scale = (2.0, 2.0, 2.0)
    assert snapshots()[0].obstacles.radius[0] == pytest.approx(2.0, rel=0.02)


@pytest.mark.parametrize("animators_scene", [False, True])
@pytest.mark.parametrize("frame", [1, 13])
def test_the_size_of_an_obstacle_depends_neither_on_the_frame_nor_on_visibility(flock, animators_scene, frame) -> None:
    if animators_scene:
        in_the_animators_scene(flock)
    ball = obstacle(sphere(radius=1.0))
    moves_by_keys(ball)
    array = ball.modifiers.new("Array", "ARRAY")
    array.count, array.relative_offset_displace = 2, (0.0, 0.0, 3.0)
    child = sphere("Child", (0.0, 0.0, 5.0), radius=1.0)
    child.parent = ball
    insert(child, "scale", {1: (1.0, 1.0, 1.0), 20: (3.0, 3.0, 3.0)})
    bpy.context.scene.frame_set(1)
    shown = snapshots()[0].obstacles
    bpy.context.scene.frame_set(frame)
    ball.hide_viewport = child.hide_viewport = True
    seen = snapshots()[0].obstacles
    for name in ("start", "end", "radius"):
        np.testing.assert_allclose(getattr(seen, name), getattr(shown, name), atol=1e-5)
    assert seen.end[0, 2] - seen.start[0, 2] > 5.0


def test_a_growing_obstacle_grows(flock) -> None:
    ball = obstacle(sphere(radius=1.0))
    insert(ball, "scale", {1: (1.0, 1.0, 1.0), 20: (20.0, 20.0, 20.0)})
    np.testing.assert_allclose([s.obstacles.radius[0] for s in snapshots()], range(1, 21), rtol=0.02)


def test_a_stretched_obstacle_lies_along_its_length_however_it_is_turned(flock) -> None:
    ball = obstacle(sphere(radius=1.0))
    put(ball, (5.0, 0.0, 0.0), rotation=(0.0, math.pi / 2, 0.0), scale=(1.0, 1.0, 10.0))
    seen = snapshots()[0].obstacles
    np.testing.assert_allclose((seen.start + seen.end)[0] / 2, (5.0, 0.0, 0.0), atol=1e-5)
    along = seen.end[0] - seen.start[0]
    assert abs(along[0]) > 15.0
    np.testing.assert_allclose(along[1:], 0.0, atol=1e-4)
    assert seen.radius[0] == pytest.approx(1.0, rel=0.1)


@pytest.mark.parametrize("of", ["obstacle", "leader", "vehicle", "region"])
def test_active_may_be_keyed(flock, of) -> None:
    makers = {"obstacle": obstacle, "leader": leader, "vehicle": lambda: bpy.data.objects["Ship"]}
    ob = makers.get(of, lambda: tag(empty(), role="REGION"))()
    insert(ob, "steering.active", {1: True, 8: False, 15: True})
    frames(1, 20)
    rows = [
        {"obstacle": s.obstacles, "leader": s.tracked, "vehicle": s, "region": s.regions}[of].present[0]
        for s in snapshots()
    ]
    assert rows == [not 8 <= frame < 15 for frame in range(1, 21)]


def test_a_flow_may_be_keyed_to_be_inactive_and_moves(flock) -> None:
    flock.steering.flow_field_following.use = True
    stream = tag(path_curve("Current"), role="FLOW")
    insert(stream, "location", {1: (1.0, 0.0, 0.0), 20: (20.0, 0.0, 0.0)})
    insert(stream, "steering.active", {1: True, 8: False, 15: True})
    frames(1, 20)
    seen = [s.flows[0][0].points[0, 0] if s.flows else None for s in snapshots()]
    assert seen == [None if 8 <= frame < 15 else pytest.approx(frame, abs=1e-3) for frame in range(1, 21)]


def test_the_side_on_which_an_obstacle_is_passed_may_be_keyed(flock) -> None:
    ball = obstacle(sphere())
    insert(ball, "steering.pass_side", {1: "LEFT", 10: "RIGHT"})
    sides = [s.obstacles.pass_side[0] for s in snapshots()]
    numbers = part("blender.read.solids").PASS_SIDE_NUMBERS
    assert sides == [numbers["LEFT"]] * 9 + [numbers["RIGHT"]] * 11


def test_a_locked_vehicle_is_a_body_that_moves_by_its_keys(flock) -> None:
    other = vehicle(name="Locked", location=(0.0, 0.0, 5.0))
    other.steering.locked = True
    moves_by_keys(other)
    other.steering.forward_axis = "POS_X"
    other.rotation_euler = (0.0, 0.0, math.pi / 2)
    seen = snapshots()
    np.testing.assert_allclose([s.tracked.position[0, 0] for s in seen], range(20), atol=1e-5)
    np.testing.assert_allclose(seen[3].tracked.forward[0], (0.0, 1.0, 0.0), atol=1e-6)


def test_a_target_chosen_by_a_behavior_need_not_be_tagged(flock) -> None:
    target = wedge("Aim", (4.0, 5.0, 6.0))
    leader(location=(0.0, 0.0, 1.0))
    flock.steering.seek.target = target
    seen = snapshots()[0]
    row = seen.settings[0].behaviors[0].target[0] - len(seen.present)
    np.testing.assert_allclose(seen.tracked.position[row], (4.0, 5.0, 6.0))


@pytest.mark.parametrize("turn", [0.0, 1.0])
def test_a_target_with_applied_transforms_is_where_it_is_seen(flock, turn) -> None:
    target = wedge("Aim", (4.0, 5.0, 6.0))
    target.data.transform(Matrix.Translation((30.0, 0.0, 2.0)))
    target.rotation_euler.z = turn
    flock.steering.seek.target = target
    seen = snapshots()[0]
    row = seen.settings[0].behaviors[0].target[0] - len(seen.present)
    corners = [target.matrix_world @ Vector(corner) for corner in target.bound_box]
    np.testing.assert_allclose(seen.tracked.position[row], np.mean(corners, axis=0), atol=1e-5)
    assert seen.tracked.radius[row] < 2.0


def hidden_and_unselectable(scene) -> None:
    for ob in scene.objects:
        ob.hide_set(True)
        ob.hide_select = True
        ob.hide_viewport = ob.name != "Ship"


def in_feet(scene) -> None:
    scene.unit_settings.system, scene.unit_settings.scale_length = "IMPERIAL", 0.3048


def with_a_preview_range(scene) -> None:
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 3, 5


@pytest.mark.parametrize("change", [hidden_and_unselectable, in_feet, with_a_preview_range])
def test_what_only_changes_what_is_shown_gives_the_same_bake(flock, change) -> None:
    obstacle(sphere(location=(0.5, 5.0, 0.0)))
    leader(location=(9.0, 20.0, 0.0))
    road()
    bake()
    ship = bpy.data.objects["Ship"]
    known = world_matrices(ship, baked_frames())
    change(bpy.context.scene)
    bake()
    ship.hide_set(False)
    np.testing.assert_array_equal(world_matrices(ship, baked_frames()), known)


def evaluated_by_a_sweep() -> list[set[str]]:
    """The names of the objects that Blender evaluates on each frame of a sweep."""
    plan = part("blender.read.plan").plan_reading(bpy.context.scene, only=bpy.context.selected_objects)
    reader, names = part("blender.read.reading").Reader(plan), []
    read = reader.read

    def noted(depsgraph, frame):
        names.append({block.name for block in depsgraph.ids if isinstance(block, bpy.types.Object)})
        return read(depsgraph, frame)

    reader.read = noted
    list(part("blender.read.sweep").sweep(plan, reader))
    return names


def walker() -> list:
    """A body with two parts."""
    body = wedge(name="Walker")
    parts = [wedge(name=f"Leg {k}") for k in range(2)]
    for leg in parts:
        leg.parent = body
    return [body, *parts]


@pytest.mark.parametrize("keyed", [False, True])
def test_members_that_a_bake_moves_are_not_evaluated(keyed) -> None:
    frames(1, 4)
    press("populate", *walker(), count=3, moves_like="PERSON")
    crowd_object = bpy.context.object
    if keyed:
        insert(crowd_object, "steering.wander.strength", {1: 1.0, 4: 2.0})
    bake()
    select(*(ob for ob in bpy.data.objects if ob.name.startswith("Walker 0")))
    assert len(bpy.context.selected_objects) == 3
    for names in evaluated_by_a_sweep():
        assert crowd_object.name in names
        assert not any(name.startswith(("Walker 0", "Leg")) for name in names)


def test_the_parts_of_bodies_are_evaluated_only_where_they_are_measured(flock) -> None:
    frames(1, 4)
    body, *legs = walker()
    leader(body)
    select(bpy.data.objects["Ship"])
    first, *others = evaluated_by_a_sweep()
    assert first >= {body.name, *(leg.name for leg in legs)}
    assert len(others) == 3
    for names in others:
        assert body.name in names
        assert names.isdisjoint(leg.name for leg in legs)
