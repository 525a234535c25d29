"""Local space: whatever the parent, a vehicle ends up in the world where the simulation says, facing as it says."""

import bpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mathutils import Euler, Matrix

from tests.blender.building import add_bone, link, part
from tests.sampling import sampled

local_space = part("blender.read.local_space")
rotation_channels = part("blender.animation.rotation_channels")

AXES = ("X", "Y", "Z", "NEG_X", "NEG_Y", "NEG_Z")
PAIRS = [(forward, up) for forward in AXES for up in AXES if forward[-1] != up[-1]]
NUMBERS = st.floats(-3.0, 3.0)
TRIPLES = st.tuples(NUMBERS, NUMBERS, NUMBERS)


def model_axes(*front):
    return part("blender.objects.doubles").model_axes(*front)


def new_object(name: str, parent=None, data=None):
    ob = link(bpy.data.objects.new(name, data))
    ob.parent = parent
    return ob


def depsgraph():
    bpy.context.view_layer.update()
    return bpy.context.evaluated_depsgraph_get()


def basis_of(*angles: float) -> np.ndarray:
    """Side, forward and up of something turned by these Euler angles."""
    return np.array(Euler(angles).to_matrix())


def column(ob, axis: str) -> np.ndarray:
    """Where one of the model's own axes points in the world."""
    sign = -1.0 if axis.startswith("NEG") else 1.0
    vector = np.array(ob.matrix_world)[:3, "XYZ".index(axis[-1])] * sign
    return vector / np.linalg.norm(vector)


def put(ob, position, basis, forward="Y", up="Z") -> None:
    """Place an object through its own channels, as a bake does, and let Blender evaluate it."""
    part = local_space.parent_part(ob, depsgraph())
    axes = model_axes(forward, up)
    location, rotation = local_space.to_local(part, np.asarray(position), basis, axes, np.array(ob.scale))
    ob.location = location
    values = rotation_channels.channels_from_matrices(rotation[None, None], ob.rotation_mode)[0, 0]
    setattr(ob, rotation_channels.data_path(ob.rotation_mode), values)
    bpy.context.view_layer.update()


def skewing_parent():
    """Turned inside a parent of another scale in each direction: shears and mirrors what is under it."""
    outer = new_object("Outer")
    outer.scale = (2.0, -0.5, 1.3)
    outer.rotation_euler = (0.4, 0.2, -1.1)
    inner = new_object("Inner", outer)
    inner.location, inner.rotation_euler, inner.scale = (1.0, -2.0, 0.5), (0.3, -0.8, 0.5), (0.7, 1.8, 1.1)
    return inner


def bone_parent(relative: bool):
    armature = new_object("Rig", data=bpy.data.armatures.new("Rig"))
    add_bone(armature, "Bone", (0.0, 0.0, 1.0), (0.5, 0.2, 3.0), roll=0.4)
    armature.data.bones["Bone"].use_relative_parent = relative
    armature.scale, armature.rotation_euler = (1.5, 1.5, 0.8), (0.0, 0.4, 0.3)
    pose = armature.pose.bones["Bone"]
    pose.rotation_mode, pose.rotation_euler, pose.scale = "XYZ", (0.3, 0.2, -0.6), (1.2, 0.7, 1.0)
    return armature


def child(kind: str):
    """A vehicle under one kind of parent."""
    ob = new_object("Vehicle")
    if kind == "none":
        return ob
    if kind.startswith("bone"):
        ob.parent, ob.parent_type, ob.parent_bone = bone_parent(kind == "bone relative"), "BONE", "Bone"
    elif kind == "vertex":
        mesh = bpy.data.meshes.new("Points")
        mesh.from_pydata([(0, 0, 0), (1, 2, 3), (2, 0, 1)], [], [(0, 1, 2)])
        ob.parent, ob.parent_type = new_object("Mesh", skewing_parent(), mesh), "VERTEX"
        ob.parent_vertices = (1, 0, 0)
    elif kind == "curve":
        curve = bpy.data.curves.new("Way", "CURVE")
        curve.splines.new("POLY").points.add(2)
        curve.splines[0].points.foreach_set("co", [0, 0, 0, 1, 3, 0, 1, 1, 5, 4, 0, 1])
        curve.use_path = curve.use_path_follow = True
        curve.path_duration, curve.eval_time = 100, 40.0
        ob.parent = new_object("Way", None, curve)
    else:
        ob.parent = skewing_parent()
    ob.matrix_parent_inverse = Matrix.Translation((0.3, 0.1, -2.0)) @ Matrix.Rotation(0.7, 4, "X")
    return ob


PARENTS = ("none", "object", "bone", "bone relative", "vertex", "curve")


@pytest.mark.parametrize("kind", PARENTS)
def test_the_parent_part_precedes_the_own_channels(kind) -> None:
    ob = child(kind)
    ob.location, ob.rotation_euler, ob.scale = (3.0, 1.0, -2.0), (0.2, 1.4, -0.3), (1.0, 0.6, 2.0)
    ob.delta_location, ob.delta_rotation_euler = (0.5, 0.0, 0.1), (0.1, 0.2, 0.3)
    part = local_space.parent_part(ob, depsgraph())
    assert np.allclose(part @ np.array(ob.matrix_basis), np.array(ob.matrix_world), atol=1e-4)


@pytest.mark.parametrize("kind", ["object", "bone"])
def test_a_vehicle_of_no_size_or_under_a_constraint_has_the_same_parent_part(kind) -> None:
    ob = child(kind)
    expected = local_space.parent_part(ob, depsgraph())
    ob.scale = (0.0, 0.0, 0.0)
    ob.constraints.new("LIMIT_LOCATION").use_min_x = True
    ob.constraints[0].min_x = 50.0
    assert np.array_equal(local_space.parent_part(ob, depsgraph()), expected)


@pytest.mark.parametrize("kind", PARENTS)
def test_up_tilts_neither_left_nor_right(kind) -> None:
    ob = child(kind)
    basis = basis_of(0.4, -0.3, 2.0)
    put(ob, (4.0, -3.0, 2.0), basis)
    assert abs(column(ob, "Z") @ basis[:, 0]) < 2e-6
    assert column(ob, "Z") @ basis[:, 2] > 0.0


@sampled
@pytest.mark.parametrize(("forward", "up"), PAIRS)
@pytest.mark.parametrize("mirrored", [False, True])
def test_every_model_faces_its_own_way_also_mirrored_below_a_parent(forward, up, mirrored) -> None:
    ob = child("object" if mirrored else "none")
    if mirrored:
        ob.scale = (-1.0, -0.4, 2.0)
    basis = basis_of(0.4, -0.3, 2.0)
    put(ob, (1.0, 2.0, 3.0), basis, forward, up)
    assert np.allclose(column(ob, forward), basis[:, 1], atol=5e-6)
    assert column(ob, up) @ basis[:, 2] > (0.0 if mirrored else 1.0 - 1e-5)


@sampled
@pytest.mark.parametrize(("forward", "up"), PAIRS)
def test_the_axes_of_a_model_are_never_mirrored(forward, up) -> None:
    assert np.isclose(np.linalg.det(model_axes(forward, up)), 1.0)


@given(place=TRIPLES, angles=TRIPLES, shear=st.tuples(TRIPLES, TRIPLES, TRIPLES), offset=TRIPLES)
def test_reading_undoes_writing(place, angles, shear, offset) -> None:
    linear = np.eye(3) * 4.0 + np.array(shear) * 0.4
    part = np.eye(4)
    part[:3, :3], part[:3, 3] = linear, offset
    axes, scale = model_axes("NEG_Y", "Z"), np.array((1.0, -2.0, 0.5))
    basis = basis_of(*angles)
    location, rotation = local_space.to_local(part, np.array(place), basis, axes, scale)
    assert np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-6)
    assert np.linalg.det(rotation) > 0.0
    position, again = local_space.to_world(part, location, rotation, axes, scale)
    assert np.allclose(position, place, atol=1e-6)
    assert np.allclose(again, basis, atol=1e-5)


@pytest.mark.parametrize("squash", [(0.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0), (1e-20, 1e-20, 1e-20)])
def test_a_parent_without_volume_still_gives_a_rotation(squash) -> None:
    part = np.diag((*squash, 1.0))
    axes, scale = model_axes("Y", "Z"), np.ones(3)
    location, rotation = local_space.to_local(part, np.array((1.0, 2.0, 3.0)), basis_of(0.1, 0.5, 0.3), axes, scale)
    assert np.isfinite(location).all()
    assert np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-6)


def test_up_along_forward_still_gives_a_basis() -> None:
    """A model scaled flat along its up axis has none in the world."""
    axes, scale = model_axes("Y", "Z"), np.ones(3)
    part = np.diag((1.0, 1.0, 0.0, 1.0))
    _, basis = local_space.to_world(part, np.zeros(3), np.eye(3), axes, scale)
    assert np.allclose(basis @ basis.T, np.eye(3), atol=1e-6)
    assert np.allclose(basis[:, 1], (0.0, 1.0, 0.0))
