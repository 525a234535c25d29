"""Clips as they are read from Blender: poses, points and what is measured of them."""

from collections.abc import Iterator

import bpy
import numpy as np
import pytest

from tests.blender.building import add_bone, edit_bones, empty, link, part
from tests.blender.dumping import scene_dump
from tests.blender.steered import select
from tests.blender.walkers import CYCLE, HALF_STEP, HEIGHT, clip, idle, walk, walker
from tests.sampling import in_every_blender

pytestmark = in_every_blender(shared=True)

SPEED = 4.0 * HALF_STEP / CYCLE * 24.0


def rig_of(armature, model=None):
    rigs, measuring = part("blender.clips.rig"), part("blender.clips.measuring")
    family = part("blender.objects.hierarchy").Family()
    return rigs.rig_of(armature, model or armature, family, measuring.axes_of("NEG_Y", "Z"))


def measured(armature, *actions, model=None, front=("NEG_Y", "Z")):
    measuring = part("blender.clips.measuring")
    family = part("blender.objects.hierarchy").Family()
    return measuring.measured_clips(model or armature, actions, bpy.context.scene, family, front)


def wild(armature):
    """An action that moves, turns and scales all bones, one of them in Euler angles and one about an axis."""
    chance = np.random.default_rng(4)
    armature.pose.bones["Foot.L"].rotation_mode = "XZY"
    armature.pose.bones["Foot.R"].rotation_mode = "AXIS_ANGLE"
    channels = {}
    for bone, rotation, width in (
        ("Body", "rotation_quaternion", 4),
        ("Foot.L", "rotation_euler", 3),
        ("Foot.R", "rotation_axis_angle", 4),
    ):
        for channel, count, middle in ((rotation, width, 0.4), ("location", 3, 0.0), ("scale", 3, 1.0)):
            for index in range(count):
                values = middle + 0.4 * chance.normal(size=3)
                channels[bone, channel, index] = list(zip((3.0, 9.0, 20.0), values))
    return clip(armature, "Wild", channels)


def parented(armature):
    """The feet hang below the body, so that its pose carries theirs."""
    with edit_bones(armature) as bones:
        for name in ("Foot.L", "Foot.R"):
            bones[name].parent, bones[name].roll = bones["Body"], 0.7


@pytest.mark.parametrize("carried", [False, True])
def test_a_model_is_read_alike_wherever_it_stands_and_however_it_is_turned(carried) -> None:
    """To the last digit, as a bake would otherwise differ from the one before, which left the model elsewhere."""
    armature = walker()
    model = armature
    if carried:
        model = empty("Carrier", scale=(1.03, 1.03, 1.03))
        armature.parent, armature.location, armature.delta_scale = model, (0.1, 0.2, 0.3), (0.7, 0.7, 0.7)
    else:
        model.scale = (1.03, 1.03, 1.03)
    scale_of, found = part("blender.clips.crowd_clips").scale_of, []
    for place, turn in (((0.0, 0.0, 0.0), 0.0), ((1234.5, -67.8, 9.1), 1.234)):
        model.location, model.rotation_euler.z = place, turn
        bpy.context.view_layer.update()
        rig = rig_of(armature, model)
        found.append((rig.matrix.tolist(), rig.points.tolist(), scale_of(armature)))
    assert found[0] == found[1]
    assert found[0][2] == pytest.approx(0.721 if carried else 1.03)
    assert np.linalg.norm(found[0][0], axis=0)[:3] == pytest.approx(np.full(3, 0.721 if carried else 1.03))


def test_poses_and_points_are_those_that_blender_evaluates() -> None:
    poses, data = part("blender.clips.poses"), part("blender.animation.animation_data")
    armature = walker(location=(1.0, 2.0, 0.0))
    parented(armature)
    action = wild(armature)
    rig = rig_of(armature)
    assert poses.follows_from_curves(armature)
    frames = np.array([3.0, 7.25, 20.0])
    computed = poses.poses_of(armature, rig, action, frames)
    np.testing.assert_allclose(poses.from_blender(armature, rig, action, frames), computed, atol=1e-5)
    data.assign_action(armature, action, data.slot_for(action, armature))
    points = rig.posed_points(computed, np.arange(len(rig.points)))
    for frame, seen in zip(frames, points):
        bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
        skin = bpy.data.objects["Walker Skin"].evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh = skin.to_mesh()
        places = np.array([skin.matrix_world @ vertex.co for vertex in mesh.vertices]) - np.array(armature.location)
        np.testing.assert_allclose(seen, places, atol=1e-5)
        skin.to_mesh_clear()


def test_constraints_are_evaluated_by_blender_and_nothing_is_left_behind() -> None:
    armature = walker()
    action = walk(armature)
    [plain] = measured(armature, action)
    copy = armature.pose.bones["Foot.R"].constraints.new("COPY_LOCATION")
    copy.target, copy.subtarget, copy.use_x = armature, "Foot.L", False
    before = scene_dump()
    [hopping] = measured(armature, action)
    assert scene_dump() == before
    assert hopping.speed == pytest.approx(plain.speed, rel=0.1)
    # Both feet now go back together: there is no foot on the ground while they swing.
    assert hopping.down.min() == 0.0
    assert plain.down.min() > 0.0


@pytest.mark.parametrize(("front", "heading"), [("NEG_Y", 0.0), ("Y", np.pi), ("X", -0.5 * np.pi)])
def test_a_walk_is_measured_from_the_models_front(front: str, heading: float) -> None:
    armature = walker()
    clips = measured(armature, idle(armature), walk(armature), front=(front, "Z"))
    assert [each.plays for each in clips] == [0, 1]
    assert clips[1].speed == pytest.approx(SPEED, rel=0.03)
    assert abs(np.angle(np.exp(1j * (clips[1].heading - heading)))) < 0.01


def test_a_walk_that_leaves_bones_behind_which_carry_nothing_is_a_walk() -> None:
    armature = walker()
    for number in range(5):
        add_bone(armature, f"Root {number}", (0.0, 0.0, 0.0), (0.0, 0.0, 0.2))
    action, data = walk(armature), part("blender.animation.animation_data")
    bag = data.channelbag_in(action, data.slot_for(action, armature))
    away = 4.0 * HALF_STEP
    for bone in ("Foot.L", "Foot.R"):
        for key in bag.fcurves.find(f'pose.bones["{bone}"].location', index=2).keyframe_points:
            key.co.y += away * (key.co.x - 1.0) / CYCLE
    body = bag.fcurves.new('pose.bones["Body"].location', index=2)
    body.keyframe_points.add(2)
    body.keyframe_points.foreach_set("co", (1.0, 0.0, 1.0 + CYCLE, away))
    [measurement] = measured(armature, action)
    assert measurement.plays == part("portrayal.clips").MOVE and measurement.closes < 1e-5
    assert measurement.drift[1] == pytest.approx(-away, abs=1e-5)
    assert measurement.speed == pytest.approx(SPEED, rel=0.01)


def test_scale_and_turn_of_the_model_count() -> None:
    armature = walker()
    action = walk(armature)
    armature.scale, armature.rotation_euler = (0.5, 0.5, 0.5), (0.0, 0.0, 1.0)
    bpy.context.view_layer.update()
    assert rig_of(armature).height == pytest.approx(0.5 * HEIGHT)
    [clip_of_it] = measured(armature, action)
    assert clip_of_it.speed == pytest.approx(0.5 * SPEED, rel=0.03)
    assert clip_of_it.heading == pytest.approx(0.0, abs=0.01)


def test_a_mirrored_mesh_has_both_feet() -> None:
    armature = walker()
    action = walk(armature)
    skin = bpy.data.objects["Walker Skin"]
    both = measured(armature, action)[0]
    mesh = skin.data
    right = [polygon for polygon in mesh.polygons if all(mesh.vertices[k].co.x < -0.01 for k in polygon.vertices)]
    assert len(right) == 7
    group = skin.vertex_groups["Foot.R"]
    rows = [vertex.index for vertex in mesh.vertices if any(each.group == group.index for each in vertex.groups)]
    for row in rows:
        mesh.vertices[row].co.z += 1.0
    skin.modifiers.new("Mirror", "MIRROR").use_axis[0] = True
    np.testing.assert_allclose(measured(armature, action)[0].down, both.down)


def test_a_sole_has_heel_and_toes_although_one_dips_as_it_is_put_down_and_each_place_once() -> None:
    armature = walker()
    action, data = walk(armature), part("blender.animation.animation_data")
    bag = data.channelbag_in(action, data.slot_for(action, armature))
    for index, flat, dipped in ((0, 1.0, 0.9), (1, 0.0, -0.43)):
        curve = bag.fcurves.new('pose.bones["Foot.L"].rotation_quaternion', index=index)
        for frame, value in ((1.0, dipped), (3.0, flat), (CYCLE - 1.0, flat), (1.0 + CYCLE, dipped)):
            curve.keyframe_points.insert(frame, value)
    select(bpy.data.objects["Walker Skin"])
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.edge_split()
    bpy.ops.object.mode_set(mode="OBJECT")
    rig = rig_of(armature)
    feet = part("blender.clips.legs").read_feet(armature, rig, [action], 0)
    for rows in feet.soles:
        places = np.round(rig.points[rows], 3)
        assert len(np.unique(places, axis=0)) == len(rows)
        assert np.ptp(places[places[:, 2] == 0.0][:, 1]) == pytest.approx(0.2)


def test_what_is_held_is_not_a_foot() -> None:
    armature = walker()
    action = walk(armature)
    plain = measured(armature, action)[0]
    staff = bpy.data.objects.new("Staff", bpy.data.meshes.new("Staff"))
    staff.data.from_pydata([(0.4 + x, y, z) for x in (0.0, 0.05) for y in (0.0, 0.05) for z in (-1.3, 0.2)], [], [])
    bpy.context.scene.collection.objects.link(staff)
    staff.parent, staff.parent_type, staff.parent_bone = armature, "BONE", "Body"
    bpy.context.view_layer.update()
    assert measured(armature, action)[0].speed == plain.speed


def test_an_armature_without_a_mesh_is_measured_by_its_bones() -> None:
    armature = walker()
    action = walk(armature)
    bpy.data.objects.remove(bpy.data.objects["Walker Skin"])
    for bone in armature.data.bones:
        assert bone.use_deform
    assert measured(armature, action)[0].speed == pytest.approx(SPEED, rel=0.1)


def test_what_cannot_be_measured_is_refused_by_name() -> None:
    refusal = part("blender.refusal").Refusal
    armature = walker()
    still = clip(armature, "Pose", {("Body", "location", 0): [(1.0, 0.0)]})
    with pytest.raises(refusal, match="Pose is a single pose"):
        measured(armature, still)
    ball = link(bpy.data.objects.new("Ball", None))
    with pytest.raises(refusal, match="Ball has no armature"):
        measured(ball, still)
    with pytest.raises(refusal, match="Wag moves no bone of Walker"):
        measured(armature, clip(armature, "Wag", {("Tail", "location", 0): [(1.0, 0.0), (9.0, 1.0)]}))
    for name in ("Foot.L", "Foot.R"):
        copy = armature.pose.bones[name].constraints.new("COPY_TRANSFORMS")
        copy.target, copy.subtarget = armature, "Body"
    with pytest.raises(refusal, match="Walk keys bones of Walker that constraints or drivers pose"):
        measured(armature, walk(armature))


@pytest.fixture
def rigify() -> Iterator[None]:
    """Blender's add-on, which gives all objects a property of its own while it is enabled."""
    bpy.ops.preferences.addon_enable(module="rigify")
    yield
    bpy.ops.preferences.addon_disable(module="rigify")


def test_a_rigify_rig_is_measured_with_its_constraints(rigify) -> None:
    bpy.ops.object.armature_basic_human_metarig_add()
    bpy.ops.pose.rigify_generate()
    rig = bpy.data.objects["rig"]
    channels = {}
    for side, late in (("L", 0.0), ("R", 12.0)):
        bone = rig.data.bones[f"foot_ik.{side}"]
        frames = np.arange(0.0, 25.0)
        share = ((frames + late) % 24.0) / 24.0
        behind = np.where(share < 0.5, 0.8 * share - 0.2, 0.2 - 0.8 * (share - 0.5))
        lifted = np.where(share < 0.5, 0.0, 0.1 * np.sin(2.0 * np.pi * (share - 0.5)))
        local = np.stack((0.0 * behind, behind, lifted), axis=1) @ np.array(bone.matrix_local.to_3x3())
        for index in range(3):
            channels[bone.name, "location", index] = list(zip(1.0 + frames, local[:, index]))
    action = clip(rig, "Steps", channels)
    assert not part("blender.clips.poses").follows_from_curves(rig)
    [steps] = measured(rig, action)
    assert steps.speed == pytest.approx(0.8, rel=0.05)
    assert steps.heading == pytest.approx(0.0, abs=0.02)
    planting = part("blender.clips.planting")
    holds, reason = planting.planter_of(rig, rig_of(rig), [steps], [action])
    assert isinstance(holds.legs, part("blender.clips.legs").ControlLegs) and reason == ""
    for side in ("L", "R"):
        rig.pose.bones[f"thigh_parent.{side}"]["IK_FK"] = 1.0
    holds, reason = planting.planter_of(rig, rig_of(rig), [steps], [action])
    assert holds is None and "switch the legs to inverse kinematics" in reason
