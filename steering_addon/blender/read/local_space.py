"""From a vehicle's position and basis in the world to its own location and rotation channels, and back.

A child's world matrix is its parent's part times its own channels, and the parent's part differs from frame to frame.
Whether the parent turns, scales or shears space, the vehicle's forward axis points in the world exactly where the
simulation says. Its up axis stays in the plane of forward and up; only under a shearing parent is it not upright in
that plane, as no rotation can make it so. The vehicle's scale is left as it is, and delta transforms play on top.

What works on arrays takes any leading dimensions: frames, or frames and vehicles. It is fastest if the frames of one
vehicle are contiguous in memory (`order="F"`), as the resulting channels are.
"""

import numpy as np
from bpy.types import Depsgraph, Object
from mathutils import Matrix

from ...simulation.arrays.vectors import dot, magnitude
from ..animation.rotation_channels import product
from ..objects.doubles import doubles

FLAT = 1e-12
"""Least volume of a unit cube under a parent, relative to the cube of its longest edge, that is inverted exactly."""
ALONG = 1e-18
"""Squared sine of the angle to the forward axis below which an up axis says nothing about the roll."""


def parent_part(ob: Object, depsgraph: Depsgraph) -> np.ndarray:
    """The matrix P (4, 4) on this frame such that a vehicle's world matrix is P @ its own channels.

    For objects and bones it comes from the parent, by Blender's rules, so that neither constraints of the vehicle nor a
    scale of zero disturb it. For the rare other kinds (vertices, following a curve) it is computed from the vehicle's
    world matrix and its channels.
    """
    if ob.parent is None:
        return np.eye(4)
    evaluated = ob.evaluated_get(depsgraph)
    if is_computed(ob):
        return doubles(evaluated.matrix_world @ evaluated.matrix_basis.inverted_safe())
    parent = ob.parent.evaluated_get(depsgraph)
    carrying = _bone_matrix(parent, ob.parent_bone) if ob.parent_type == "BONE" else parent.matrix_world
    return doubles(carrying @ evaluated.matrix_parent_inverse)


def is_computed(ob: Object) -> bool:
    """Whether the parent's part of a vehicle is computed from the vehicle's world matrix."""
    if ob.parent is None or ob.parent_type == "BONE":
        return False
    follows_curve = ob.parent.type == "CURVE" and ob.parent.data.use_path
    return ob.parent_type not in ("OBJECT", "ARMATURE", "LATTICE") or follows_curve


def _bone_matrix(armature: Object, name: str) -> Matrix:
    """A child of a bone is placed at its tail, unless the bone carries children relative to its rest pose."""
    bone = armature.pose.bones.get(name) if armature.pose else None
    if bone is None:
        return armature.matrix_world
    if bone.bone.use_relative_parent:
        return armature.matrix_world @ bone.matrix_channel
    matrix = bone.matrix.copy()
    matrix.translation += matrix.col[1].xyz * bone.bone.length
    return armature.matrix_world @ matrix


def to_local(
    parent_parts: np.ndarray | None, positions: np.ndarray, basis: np.ndarray, axes: np.ndarray, scale: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The location (..., 3) and rotation (..., 3, 3) channels that put a vehicle where the simulation says.

    `parent_parts` (..., 4, 4), None without parents, `positions` (..., 3), `basis` (..., 3, 3) with side,
    forward and up as columns, all in the world; `axes` (3, 3) from `model_axes`; `scale` (..., 3) of the vehicle. A
    flattening parent gives the nearest result.
    """
    if parent_parts is None:
        location, turned = positions, [basis[..., :, k] for k in range(3)]
    else:
        parent_parts = np.asarray(parent_parts, dtype=float)
        back = _inverses(parent_parts[..., :3, :3])
        location = _turn(back, positions - parent_parts[..., :3, 3])
        forward = _unit(_turn(back, basis[..., :, 1]), otherwise=np.array([0.0, 1.0, 0.0]))
        up = _across(_turn(back, basis[..., :, 2]), forward)
        turned = [_cross(forward, up), forward, up]
    _, facing, standing = signs = list(np.moveaxis(_mirrored(axes, scale), -1, 0))
    signs[0] = facing * standing
    rotation = np.empty((*location.shape, 3), order="F")
    for axis in range(3):
        # Each axis of the model is one of the object's own, or its opposite.
        k = int(np.argmax(np.abs(axes[axis])))
        rotation[..., :, axis] = turned[k] * (axes[axis, k] * signs[k])[..., None]
    return location, rotation


def to_world(
    parent_parts: np.ndarray, locations: np.ndarray, rotations: np.ndarray, axes: np.ndarray, scale: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The position (..., 3) and basis (..., 3, 3) in the world of a vehicle with these channels.

    The inverse of `to_local`, with the same arguments; side, forward and up are unit vectors, square to each other.
    Plain sums and square roots only, as a simulation starts from it.
    """
    parent_parts = np.asarray(parent_parts, dtype=float)
    linear = parent_parts[..., :3, :3]
    position = _turn(linear, locations) + parent_parts[..., :3, 3]
    model = product(product(linear, rotations), axes) * _mirrored(axes, scale)[..., None, :]
    forward = _unit(model[..., :, 1], otherwise=np.array([0.0, 1.0, 0.0]))
    up = _across(model[..., :, 2], forward)
    return position, np.stack((_cross(forward, up), forward, up), axis=-1)


def _mirrored(axes: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """(..., 3) the sign of the scale along the model's side, forward and up axis: 1, or -1 if mirrored."""
    return np.where(np.asarray(scale, dtype=float)[..., np.argmax(np.abs(axes), axis=0)] < 0.0, -1.0, 1.0)


def _inverses(linear: np.ndarray) -> np.ndarray:
    """The inverse of each matrix (..., 3, 3); of a singular one, its pseudo-inverse. Written out with cross products,
    which takes a fifth of the time of numpy's inverse."""
    x, y, z = np.moveaxis(linear, -1, 0)
    inverses = np.empty(linear.shape, order="F")
    for row, (a, b) in enumerate(((y, z), (z, x), (x, y))):
        inverses[..., row, :] = _cross(a, b)
    volume = dot(x, inverses[..., 0, :])
    length = np.sqrt(dot(x, x) + dot(y, y) + dot(z, z))
    flat = np.abs(volume) <= FLAT * length * length * length
    inverses /= np.where(flat, 1.0, volume)[..., None, None]
    if flat.any():
        inverses[flat] = np.linalg.pinv(linear[flat])
    return inverses


def _turn(matrices: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    return _vectors(*(dot(matrices[..., row, :], vectors) for row in range(3)))


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    (ax, ay, az), (bx, by, bz) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    return _vectors(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx)


def _vectors(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Vectors (..., 3), with all frames of a component contiguous in memory as they are used."""
    vectors = np.empty((*x.shape, 3), order="F")
    vectors[..., 0], vectors[..., 1], vectors[..., 2] = x, y, z
    return vectors


def _across(vectors: np.ndarray, forward: np.ndarray) -> np.ndarray:
    """The unit vectors square to `forward` nearest to `vectors`; any such vector where those are parallel to it."""
    across = _without(vectors, forward)
    parallel = dot(across, across) <= ALONG * dot(vectors, vectors)
    if parallel.any():
        fallback = _without(np.eye(3)[np.argmin(np.abs(forward), axis=-1)], forward)
        across = np.where(parallel[..., None], fallback, across)
    return _unit(across, otherwise=across)


def _without(vectors: np.ndarray, forward: np.ndarray) -> np.ndarray:
    return vectors - forward * dot(vectors, forward)[..., None]


def _unit(vectors: np.ndarray, *, otherwise: np.ndarray) -> np.ndarray:
    length = magnitude(vectors)[..., None]
    if (length > 0.0).all():
        return vectors / length
    return np.where(length > 0.0, vectors / np.where(length > 0.0, length, 1.0), otherwise)
