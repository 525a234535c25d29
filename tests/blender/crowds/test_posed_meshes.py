"""Posed meshes: how far they are from what Blender evaluates, what they are made of, and how instances choose."""

import math
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from tests.blender.animated import assign
from tests.blender.building import part
from tests.blender.dumping import assert_same, refuses, scene_dump
from tests.blender.steered import crowd, select
from tests.blender.walkers import CYCLE, HEIGHT, found_walkers

TOLERANCE = 0.04


def pose_meshes(**options) -> bpy.types.Collection:
    before = set(bpy.data.collections)
    assert bpy.ops.steering.pose_meshes(**{"tolerance": TOLERANCE, **options}) == {"FINISHED"}
    [made] = set(bpy.data.collections) - before
    return made


def of_clip(collection, number: int) -> list:
    """The objects of a clip, as the table of the collection has them."""
    first, poses = collection["steering_first"][number], collection["steering_poses"][number]
    posed = [ob for ob in collection.objects if "steering_index" in ob]
    return sorted(posed, key=lambda ob: ob["steering_index"])[first : first + poses]


def points_of(mesh, matrix=None) -> np.ndarray:
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    points = points.reshape(-1, 3).astype(np.float64)
    return points if matrix is None else points @ np.array(matrix)[:3, :3].T + np.array(matrix)[:3, 3]


def evaluated(rig, parts, action, phase: float) -> np.ndarray:
    """The points of parts as the rig itself shows an action at a phase, from its origin."""
    assign(rig, action)
    first, last = action.frame_range
    frame = first + phase * (last - first)
    bpy.context.scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
    graph = bpy.context.evaluated_depsgraph_get()
    columns = []
    for ob in parts:
        shown = ob.evaluated_get(graph)
        columns.append(points_of(shown.data, shown.matrix_world) - np.array(rig.matrix_world.translation))
    return np.concatenate(columns)


def worst(rig, parts, action, poses: list) -> float:
    """How far a vertex is at most from the nearest pose, on phases of a grid of its own and where poses change."""
    worst = 0.0
    shapes = [points_of(ob.data) for ob in poses]
    borders = np.arange(1, len(poses)) / len(poses)
    for phase in np.concatenate((np.linspace(0.0, 1.0 - 1e-6, 101), borders - 1e-6, borders + 1e-6)):
        apart = evaluated(rig, parts, action, phase) - shapes[int(phase * len(poses))]
        worst = max(worst, float(np.sqrt((apart**2).sum(axis=1)).max()))
    return worst


def test_no_vertex_is_further_than_the_tolerance_and_one_pose_less_is_too_few():
    _, [rig] = found_walkers()
    walk = bpy.data.actions["Walk"]
    # As of FBX and glTF files.
    walk.name = "Walker|Walk"
    select(rig)
    made = pose_meshes()
    assert made.name == "Walker 0 Poses"
    poses = of_clip(made, 1)
    count = len(poses)
    first = made["steering_first"][1]
    assert [ob.name for ob in poses] == [f"{first + row:02} Walk" for row in range(count)]
    assert [ob["steering_phase"] for ob in poses] == pytest.approx((np.arange(count) + 0.5) / count)
    assert {ob["steering_clip"] for ob in poses} == {1}
    graph = bpy.context.evaluated_depsgraph_get()
    assert not any(each.object.original in set(made.objects) for each in graph.object_instances), "none is seen"
    assert 0.8 * TOLERANCE < worst(rig, rig.children, walk, poses) < TOLERANCE + 1e-4
    assert bpy.ops.steering.pose_meshes(tolerance=1e-4, most=count - 1) == {"FINISHED"}
    assert worst(rig, rig.children, walk, of_clip(made, 1)) > TOLERANCE


def test_unless_chosen_the_tolerance_is_a_share_of_the_size_of_the_model():
    """A person of 1.8 m gets 5 cm, and a model five times as large needs the same number of poses."""
    _, [rig] = found_walkers()
    select(rig)
    made = pose_meshes(tolerance=HEIGHT / 36.0)
    counts = list(made["steering_poses"])
    assert bpy.ops.steering.pose_meshes(tolerance=HEIGHT / 180.0) == {"FINISHED"}
    assert list(made["steering_poses"]) != counts
    rig.scale = (5.0, 5.0, 5.0)
    bpy.context.view_layer.update()
    assert bpy.ops.steering.pose_meshes() == {"FINISHED"}
    assert list(made["steering_poses"]) == counts


def test_parts_and_props_are_joined_in_the_size_of_the_vehicle_with_their_materials():
    _, [rig] = found_walkers()
    rig.scale = (2.0, 2.0, 2.0)
    rig.rotation_euler.z = 1.0
    skin = rig.children[0]
    mesh = bpy.data.meshes.new("Sword")
    mesh.from_pydata([(0, 0, 0), (0.1, 0, 0), (0, 0, 0.9)], [], [(0, 1, 2)])
    sword = bpy.data.objects.new("Sword", mesh)
    hidden = bpy.data.objects.new("Shield", mesh)
    for ob in (sword, hidden):
        bpy.context.scene.collection.objects.link(ob)
        ob.parent, ob.parent_type, ob.parent_bone = rig, "BONE", "Foot.L"
    hidden.hide_render = True
    materials = [bpy.data.materials.new(name) for name in ("Cloth", "Steel", "Gold")]
    skin.data.materials.append(materials[0])
    mesh.materials.append(materials[1])
    sword.material_slots[0].link, sword.material_slots[0].material = "OBJECT", materials[2]
    skin.data.uv_layers.new(name="Body")
    for loop in mesh.uv_layers.new(name="Blade").data:
        loop.uv = (0.25, 0.75)
    bpy.context.view_layer.update()
    select(skin)
    pose = of_clip(pose_meshes(), 1)[3]
    rig.rotation_euler.z = 0.0
    expected = evaluated(rig, [skin, sword], bpy.data.actions["Walk"], pose["steering_phase"])
    shown = points_of(pose.data)
    assert len(shown) == len(expected)
    near = np.sqrt(((shown[:, None] - expected[None]) ** 2).sum(axis=2)).min(axis=1)
    assert near.max() < 1e-4
    assert [material.name for material in pose.data.materials] in (["Cloth", "Gold"], ["Gold", "Cloth"])
    [blade] = [face for face in pose.data.polygons if pose.data.materials[face.material_index].name == "Gold"]
    render = next(layer for layer in pose.data.uv_layers if layer.active_render)
    assert [tuple(render.data[loop].uv) for loop in blade.loop_indices] == [(0.25, 0.75)] * 3
    assert not len(pose.vertex_groups)
    assert np.allclose(np.array(pose.matrix_world), np.eye(4))


def test_the_rest_of_the_file_stays_and_a_second_press_replaces_only_what_the_first_made():
    _, [rig] = found_walkers()
    rig.pose.bones["Body"].location.y = 0.1
    bpy.context.scene.frame_set(7, subframe=0.25)
    bpy.context.view_layer.update()
    before = scene_dump()
    made = pose_meshes()
    kept = bpy.data.objects.new("Light", None)
    made.objects.link(kept)
    count = len(made.objects)
    assert bpy.ops.steering.pose_meshes(tolerance=TOLERANCE) == {"FINISHED"}
    assert len(made.objects) == count
    assert len([mesh for mesh in bpy.data.meshes if mesh.name.endswith(" Walk")]) == len(of_clip(made, 1))
    assert "Light" in made.objects
    bpy.data.batch_remove([*made.objects, *{ob.data for ob in made.objects if ob.data}, made])
    assert_same(before, scene_dump())
    assert (bpy.context.scene.frame_current, bpy.context.scene.frame_subframe) == (7, 0.25)
    assert len(bpy.data.scenes) == 1


def posing(most: int):
    """The work of Pose Meshes, which has not begun."""
    chosen = SimpleNamespace(is_property_set=lambda _name: True)
    operator = part("blender.operators.posed_meshes").STEERING_OT_pose_meshes
    settings = SimpleNamespace(properties=chosen, tolerance=TOLERANCE, most=most)
    settings._posing = lambda *task: operator._posing(settings, *task)
    return operator.begin(settings, bpy.context)[0]


def test_the_meshes_made_before_stay_if_the_work_is_stopped():
    """As by Esc, after any piece of it."""
    found_walkers()
    pose_meshes(most=3)
    before = scene_dump()
    work = posing(most=5)
    next(work)
    work.close()
    assert_same(before, scene_dump())
    work = posing(most=5)
    shares = [next(work) for _ in range(4)]
    assert shares == sorted(shares) and 0.0 < shares[0] < 0.5 < shares[-1] <= 1.0
    work.close()
    assert_same(before, scene_dump())


def test_what_cannot_be_posed_is_refused_by_name():
    _, [rig] = found_walkers()
    skin = rig.children[0]
    skin.hide_render = True
    refuses("pose_meshes", "Walker 0 shows no mesh")
    skin.hide_render = False
    mask = skin.modifiers.new("Build", "BUILD")
    mask.frame_start, mask.frame_duration = -CYCLE, 2 * CYCLE
    refuses("pose_meshes", "The number of vertices of Walker 0 changes")
    refuses("pose_meshes", "Find Clips first", crowd("Others"))
