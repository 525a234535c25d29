"""Points of an object as vehicles: they fly as objects do, and odd ones are refused in one sentence."""

import bpy
import numpy as np
import pytest

from tests.blender.animated import insert
from tests.blender.building import empty, frames, part
from tests.blender.dumping import assert_same, refuses, scene_dump
from tests.blender.steered import crowd, fleet, points, select, vehicle
from tests.blender.write.test_writers import RecordingWriter, plan, run
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)


def recorded(planned) -> RecordingWriter:
    writer = RecordingWriter()
    run(planned, writer)
    return writer


def scatter(count_density: float, *, instances: bool = False, cube: bool = False):
    """A plane whose nodes scatter points over it, or instances on them."""
    bpy.ops.mesh.primitive_plane_add(size=20.0)
    ob = bpy.context.object
    tree = bpy.data.node_groups.new("Scatter", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    start, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    spread = tree.nodes.new("GeometryNodeDistributePointsOnFaces")
    spread.inputs["Density"].default_value = count_density
    tree.links.new(start.outputs[0], spread.inputs[0])
    left = spread.outputs["Points"]
    if instances:
        put, shape = tree.nodes.new("GeometryNodeInstanceOnPoints"), tree.nodes.new("GeometryNodeMeshCube")
        tree.links.new(left, put.inputs["Points"])
        tree.links.new(shape.outputs[0], put.inputs["Instance"])
        put.inputs["Rotation"].default_value = (0.0, 0.0, np.pi / 2.0)
        put.inputs["Scale"].default_value = (2.0, 2.0, 2.0)
        left = put.outputs[0]
    tree.links.new(left, end.inputs[0])
    ob.modifiers.new("Scatter", "NODES").node_group = tree
    return ob, spread


def test_the_count_follows_what_scatters_the_points(addon) -> None:
    frames(1, 3)
    ob, spread = scatter(0.5)
    points(ob)
    first = plan()
    assert len(first) == 200
    before = scene_dump()
    spread.inputs["Density"].default_value = 0.25
    fewer = plan()
    assert len(fewer) == 100
    spread.inputs["Density"].default_value = 0.5
    assert_same(before, scene_dump())
    # What is scattered keeps its ids, and so its chances.
    assert np.isin(fewer.vehicles.identity, first.vehicles.identity).mean() > 0.9
    spread.inputs["Density"].default_value = 0.0
    with pytest.raises(Exception, match="Plane has no points that could be vehicles"):
        plan()
    vehicle(name="Alone")
    assert len(plan()) == 1
    assert any("Plane has no points" in each for each in plan().warnings)


@pytest.mark.skipif(bpy.app.version < (4, 5), reason="has no way to read instances")
def test_instances_are_vehicles_with_their_rotation_and_scale(addon) -> None:
    frames(1, 3)
    ob, _ = scatter(0.1, instances=True)
    points(ob)
    source = plan().vehicles.source
    assert len(source) == 40
    _, basis, _ = source.start(np.zeros((0, 4, 4)))
    np.testing.assert_allclose(basis[:, :, 1], np.tile((-1.0, 0.0, 0.0), (40, 1)), atol=1e-6)
    np.testing.assert_allclose(source.stored["size_factor"], 2.0, atol=1e-6)


@pytest.mark.skipif(bpy.app.version >= (4, 5), reason="reads instances")
def test_an_older_blender_says_that_it_cannot_read_instances(addon) -> None:
    ob, _ = scatter(0.1, instances=True)
    refuses("tag", "leave only instances", ob, role="POINTS", moves_like="UNCHANGED")


def test_points_are_read_on_the_first_frame_whatever_is_shown(addon) -> None:
    frames(1, 4)
    ob = points(position=[(k, 0.0, 0.0) for k in range(5)])
    insert(ob, "location", {1: (0.0, 0.0, 0.0), 9: (80.0, 0.0, 0.0)})
    expected = recorded(plan()).positions
    bpy.context.scene.frame_set(3)
    assert np.array_equal(recorded(plan()).positions, expected)


def test_settings_of_points_are_attributes_or_those_of_their_object(addon) -> None:
    frames(1, 6)
    ob = points(
        position=[(3.0 * k, 0.0, 0.0) for k in range(3)],
        id=[7, 5, 6],
        scale=[1.0, 2.0, 3.0],
        velocity=[(0.0, 1.0, 0.0)] * 3,
        variant=[2, 0, 1],
        enter_frame=[1, 4, 1],
    )
    ob.steering.seed, ob.steering.height = 4, 0.5
    source = plan().vehicles.source
    assert plan().vehicles.identity.tolist() == [5, 6, 7]
    assert source.stored["size_factor"].tolist() == [2.0, 3.0, 1.0]
    assert source.variant.tolist() == [0, 1, 2]
    assert source.seeds.tolist() == [4, 4, 4]
    assert source.height.tolist() == [1.0, 1.5, 0.5]
    assert source.start(())[2][:, 1].tolist() == [1.0, 1.0, 1.0]
    assert source.enters.tolist() == [4.0, 1.0, 1.0]


def test_what_all_points_have_from_their_object_may_be_keyed(addon) -> None:
    frames(1, 12)
    ob = points(position=[(0.0, 0.0, 0.0), (5.0, 0.0, 0.0)])
    insert(ob, "steering.speed_factor", {1: 1.0, 12: 3.0})
    path = np.array(recorded(plan()).positions)[:, :, 1]
    assert (np.diff(path[-3:], axis=0) > 1.2 * np.diff(path[:3], axis=0)).all()


ODD = {
    "nowhere": ({"position": [(0, 0, 0), (np.nan, 0, 0)]}, "1 of the 2 points of Points are nowhere"),
    "far away": ({"position": [(1e30, 0, 0)]}, "1 of the 1 points of Points are nowhere"),
    "a variant that is a vector": (
        {"variant": np.zeros((1, 3))},
        "The attribute variant of Points is no single number",
    ),
    "a seed that is a vector": ({"seed": np.zeros((1, 3))}, "The attribute seed of Points is no single number"),
    "an infinite scale": ({"scale": [np.inf]}, "The attribute scale of Points is not a number"),
    "a velocity of one number": ({"velocity": [1.0]}, "The attribute velocity of Points is no vector"),
    "a velocity that is none": ({"velocity": [(np.nan, 0.0, 0.0)]}, "The attribute velocity of Points is not a number"),
}


@pytest.mark.parametrize("odd", ODD)
def test_odd_points_are_refused_in_a_sentence(addon, odd) -> None:
    made, text = ODD[odd]
    ob = points(**made)
    refuses("bake", text)
    assert ob.steering.roles == {"POINTS"}


def test_ids_that_repeat_or_do_not_fit_become_others_the_same_each_time(addon) -> None:
    ob = points(position=[(k, 0.0, 0.0) for k in range(6)], id=[3, 3, -1, 3, 2**31 - 1, 0])
    ship = vehicle(identity=3)
    identities = plan().vehicles.identity
    assert len(set(identities.tolist())) == 7
    assert {0, 3, 2**31 - 1} <= set(identities.tolist())
    assert np.array_equal(plan().vehicles.identity, identities)
    assert plan().vehicles.source.owner(int(np.searchsorted(identities, 3))) == ship
    assert (identities >= 0).all()
    assert ob.steering.identity > 0


def test_a_model_with_one_axis_for_forward_and_up_is_refused_by_name(addon) -> None:
    ob, model = points(), vehicle(name="Gnat")
    bpy.ops.steering.untag(role="VEHICLE")
    model.steering.forward_axis, model.steering.up_axis = "POS_Z", "POS_Z"
    ob.steering.models = bpy.data.collections.new("Gnats")
    ob.steering.models.objects.link(model)
    refuses("bake", "Forward and Up of Gnat are the same axis")


def test_what_is_locked_or_not_selected_does_not_move(addon) -> None:
    ships, ob = fleet(2), points(name="Gnats", position=[(0, 9, 0), (0, 12, 0)])
    select(ships[0])
    reading = part("blender.read.plan").plan_reading
    assert len(reading(bpy.context.scene, only=[ships[0]])) == 1
    assert len(reading(bpy.context.scene, only=[ob])) == 2
    ob.steering.locked = True
    assert len(plan()) == 2


def test_a_target_may_be_any_point_of_a_crowd(addon) -> None:
    frames(1, 30)
    prey = crowd("Prey")
    points(name="Gnats", crowd=prey, position=[(-20.0, 40.0, 0.0), (5.0, 30.0, 0.0)])
    hunters = crowd("Hunters", pursuit={"quarry": prey})
    ship = vehicle(crowd=hunters)
    planned = plan()
    [row] = np.flatnonzero([planned.vehicles.source.owner(k) == ship for k in range(3)])
    path = np.array(recorded(planned).positions)[:, row]
    assert path[-1][0] > 0.4, path[-1]


def test_points_that_are_also_something_else_are_refused(addon) -> None:
    ob = points()
    ob.steering.roles = {"POINTS", "VEHICLE"}
    refuses("bake", "tagged both as vehicle points and as a vehicle")
    ob.steering.roles = {"POINTS"}
    mark = empty("Nothing")
    mark.steering.roles = {"POINTS"}
    mark.steering.crowd = ob.steering.crowd
    refuses("bake", "Nothing is tagged as vehicle points but is no mesh")
