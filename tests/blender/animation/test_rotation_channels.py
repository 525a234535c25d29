"""Rotation channels: they turn as the matrices do, as Blender understands them, and they never jump."""

import math

import bpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mathutils import Euler, Matrix, Quaternion

from tests.blender.building import part
from tests.sampling import sampled

rotation_channels = part("blender.animation.rotation_channels")

MODES = ("QUATERNION", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "AXIS_ANGLE")
EULER_ORDERS = MODES[1:7]
ANGLES = st.floats(-10.0, 10.0)


def in_blender(values, mode: str) -> np.ndarray:
    """How Blender's own mathematics reads the channels."""
    if mode == "QUATERNION":
        rotation = Quaternion(values).normalized().to_matrix()
    elif mode == "AXIS_ANGLE":
        rotation = Matrix.Rotation(values[0], 3, tuple(values[1:]))
    else:
        rotation = Euler(values, mode).to_matrix()
    return np.array(rotation)


def tumbling(frames: int = 200, vehicles: int = 5, seed: int = 1) -> np.ndarray:
    """(f, n, 3, 3): vehicles that turn ever on, faster and slower, about axes that drift; the first loops about one."""
    rng = np.random.default_rng(seed)
    matrices = np.empty((frames, vehicles, 3, 3))
    for vehicle in range(vehicles):
        rotation = Quaternion(rng.normal(size=4)).normalized()
        axis = rng.normal(size=3)
        for frame in range(frames):
            matrices[frame, vehicle] = in_blender(rotation, "QUATERNION")
            axis += rng.normal(size=3) * (0.0 if vehicle == 0 else 0.2)
            rotation = Quaternion(axis, 0.15) @ rotation
    return matrices


def vertical_loops(frames: int = 120) -> np.ndarray:
    """(f, 1, 3, 3): through straight up and straight down exactly, where Euler angles lock."""
    pitches = np.arange(frames) * math.pi / 30.0
    return np.array([[in_blender((pitch, 0.0, 0.3), "XYZ")] for pitch in pitches])


@pytest.mark.parametrize("mode", MODES)
def test_channels_turn_as_the_matrices_do(mode) -> None:
    matrices = tumbling()
    values = rotation_channels.channels_from_matrices(matrices, mode)
    for frame, vehicle in np.ndindex(matrices.shape[:2]):
        assert np.allclose(in_blender(values[frame, vehicle], mode), matrices[frame, vehicle], atol=3e-5)


@sampled
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("lengths", [[1], [2, 5, 1, 30], [119, 1]], ids=str)
@pytest.mark.parametrize("motion", [tumbling, vertical_loops])
def test_channels_do_not_depend_on_how_the_frames_are_cut_into_pieces(mode, lengths, motion) -> None:
    matrices = motion()
    near = np.full((matrices.shape[1], 3 if mode in EULER_ORDERS else 4), 7.0)
    track, pieces, first = rotation_channels.RotationTrack(mode, near), [], 0
    while first < len(matrices):
        length = lengths[len(pieces) % len(lengths)]
        pieces.append(track.extend(matrices[first : first + length]))
        first += length
    whole = rotation_channels.RotationTrack(mode, near).extend(matrices)
    # The last digits of arctan2 differ with the place of a number in its array; keys have 32 bits.
    np.testing.assert_allclose(np.concatenate(pieces), whole, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("mode", MODES)
def test_reading_channels_agrees_with_blender(mode) -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(50, 3 if mode in EULER_ORDERS else 4)) * 3.0
    matrices = rotation_channels.matrices_from_channels(values, mode)
    assert np.allclose(matrices, [in_blender(row, mode) for row in values], atol=1e-5)


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE"])
@pytest.mark.parametrize("angle", [0.0, 1.0, math.pi])
def test_channels_of_no_length_turn_as_an_object_does(mode, angle) -> None:
    ob = bpy.data.objects.new("Still", None)
    bpy.context.scene.collection.objects.link(ob)
    ob.rotation_mode = mode
    ob.rotation_quaternion = (0.0, 0.0, 0.0, 0.0)
    ob.rotation_axis_angle = (angle, 0.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    values = np.array(getattr(ob, rotation_channels.data_path(mode)))
    assert np.allclose(
        rotation_channels.matrices_from_channels(values, mode), np.array(ob.matrix_world)[:3, :3], atol=1e-6
    )


def test_quaternions_never_change_sign_between_frames() -> None:
    values = rotation_channels.channels_from_matrices(tumbling(), "QUATERNION")
    assert (np.einsum("fni,fni->fn", values[1:], values[:-1]) > 0.9).all()
    assert np.allclose(np.einsum("fni,fni->fn", values, values), 1.0)


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_no_equivalent_angles_are_nearer_to_the_frame_before(order) -> None:
    matrices = tumbling()
    values = rotation_channels.channels_from_matrices(matrices, order)
    for frame, vehicle in np.ndindex(matrices.shape[0] - 1, matrices.shape[1]):
        before = values[frame, vehicle]
        blenders = Matrix(matrices[frame + 1, vehicle]).to_euler(order, Euler(before, order))
        ours = np.abs(values[frame + 1, vehicle] - before).sum()
        assert ours <= np.abs(np.array(blenders) - before).sum() + 1e-4


@pytest.mark.parametrize("mode", [*EULER_ORDERS, "AXIS_ANGLE"])
def test_circles_add_up(mode) -> None:
    turns = np.linspace(0.0, 6.0 * math.pi, 100)
    matrices = np.array([[in_blender((0.0, 0.0, turn), "XYZ")] for turn in turns])
    values = rotation_channels.channels_from_matrices(matrices, mode)[:, 0]
    angle = values[:, 0] * values[:, 3] if mode == "AXIS_ANGLE" else values[:, 2]
    assert np.allclose(angle, turns, atol=1e-5)


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_a_loop_through_straight_up_stays_smooth(order) -> None:
    matrices = vertical_loops()
    values = rotation_channels.channels_from_matrices(matrices, order)
    assert np.allclose(rotation_channels.matrices_from_channels(values, order), matrices, atol=2e-6)


def test_gimbal_lock_leaves_the_last_angle_where_it_was() -> None:
    """Straight up along the locked axis: turning on the spot is then free, and must not start there."""
    pitches = np.linspace(0.0, math.pi / 2.0, 20)
    locked = np.array([[in_blender((0.2, pitch, 0.7), "XYZ")] for pitch in pitches])
    locked[-1, 0] = rotation_channels.matrices_from_channels(np.array([0.2, math.pi / 2.0, 0.7]), "XYZ")
    values = rotation_channels.channels_from_matrices(locked, "XYZ")
    assert np.allclose(values[-1, 0], (0.2, math.pi / 2.0, 0.7), atol=1e-4)


def test_the_axis_stays_without_a_rotation() -> None:
    turns = np.array([0.4, 0.2, 0.0, -0.2, -0.4])
    matrices = np.array([[in_blender((turn, 0.0, 0.0), "XYZ")] for turn in turns])
    values = rotation_channels.channels_from_matrices(matrices, "AXIS_ANGLE")[:, 0]
    assert np.allclose(values, np.column_stack((turns, np.ones(5), np.zeros((5, 2)))), atol=1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_the_first_frame_is_the_nearest_to_what_it_follows(mode) -> None:
    """So a vehicle whose animator has turned it three times about keeps the very numbers it starts with."""
    near = {
        "QUATERNION": (-0.5, -0.5, -0.5, -0.5),
        "AXIS_ANGLE": (20.0, 0.6, 0.0, -0.8),
    }.get(mode, (20.0, -0.3, -9.0))
    matrices = rotation_channels.matrices_from_channels(np.array(near), mode)[None, None]
    values = rotation_channels.RotationTrack(mode, np.array([near])).extend(matrices)
    assert np.allclose(values[0, 0], near, atol=1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_each_vehicle_is_turned_independently(mode) -> None:
    matrices = tumbling()
    together = rotation_channels.channels_from_matrices(matrices, mode)
    alone = [rotation_channels.channels_from_matrices(matrices[:, [n]], mode)[:, 0] for n in range(matrices.shape[1])]
    assert np.allclose(together, np.stack(alone, axis=1), atol=1e-9)


@given(first=st.tuples(ANGLES, ANGLES, ANGLES), then=st.tuples(ANGLES, ANGLES, ANGLES), mode=st.sampled_from(MODES))
def test_any_rotation_round_trips(first, then, mode) -> None:
    matrices = rotation_channels.matrices_from_channels(np.array([[first], [then]]), "ZXY")
    values = rotation_channels.channels_from_matrices(matrices, mode)
    assert np.allclose(rotation_channels.matrices_from_channels(values, mode), matrices, atol=1e-6)
