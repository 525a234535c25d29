"""From the way a vehicle is turned to the numbers of its rotation channels, and back.

Numpy only, for all vehicles at once. Many numbers stand for one rotation; what is written here never jumps, so that
what plays between two frames, and the curves in the graph editor, stay smooth.
"""

from __future__ import annotations

import numpy as np

EULER_ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
MODES = ("QUATERNION", *EULER_ORDERS, "AXIS_ANGLE")
"""What `rotation_mode` of an object may be."""

GIMBAL_LOCK = 1e-6
"""Cosine of the middle Euler angle below which the other two turn about one axis."""
NO_TURN = 1e-9
"""Sine of half an angle below which the axis of a rotation means nothing."""

DECIMALS = 12
"""Digits kept of a channel. The arctan2 of numpy 1.24 differs beyond them from one call to the next, with the place its
arguments happen to have in memory, and a key near zero would show it."""

TURN = 2.0 * np.pi


def data_path(mode: str) -> str:
    """The channel that turns an object in a rotation mode, as keyframes name it."""
    return {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(mode, "rotation_euler")


def channels_from_matrices(matrices: np.ndarray, mode: str, near: np.ndarray | None = None) -> np.ndarray:
    """The rotation channels that turn vehicles as these matrices do, without a jump from one frame to the next.

    `matrices` (f, n, 3, 3) turn and do not scale or mirror; the result is (f, n, 3), angles in radians, or (f, n, 4)
    for quaternions (w, x, y, z) and axis-angle (angle, x, y, z). Of all values that mean the same the nearest to the
    frame before is taken; for the first frame the nearest to `near` (n, 3 or 4), by default to no rotation. Turns add
    up: after three circles an angle is three full turns larger.
    """
    if mode == "QUATERNION":
        values = _quaternions(matrices, near)
    elif mode == "AXIS_ANGLE":
        values = _axis_angles(matrices, near)
    else:
        values = _euler_angles(matrices, mode, near)
    return np.round(values, DECIMALS) + 0.0


def matrices_from_channels(values: np.ndarray, mode: str) -> np.ndarray:
    """How rotation channels turn an object; `values` (..., 3 or 4), the result (..., 3, 3).

    Quaternions and axes may have any length. Of those without one Blender, and so this, takes an axis not to turn, and
    a quaternion for half a turn about X.
    """
    values = np.asarray(values, dtype=float)
    if mode == "QUATERNION":
        nothing = (values == 0.0).all(axis=-1, keepdims=True)
        return _matrices_from_quaternions(_unit(np.where(nothing, [0.0, 1.0, 0.0, 0.0], values)))
    if mode == "AXIS_ANGLE":
        axis = _unit(values[..., 1:])
        half = np.where((axis == 0.0).all(axis=-1, keepdims=True), 0.0, values[..., :1] / 2.0)
        return _matrices_from_quaternions(np.concatenate((np.cos(half), np.sin(half) * axis), axis=-1))
    first, second, third = (_about_axis(values[..., axis], axis) for axis in _axes(mode))
    return np.einsum("...ab,...bc,...cd->...ad", third, second, first)


def _quaternions(matrices: np.ndarray, near: np.ndarray | None) -> np.ndarray:
    """(f, n, 4), each on the same side of the sphere as the frame before."""
    quaternions = _quaternions_of_either_sign(matrices)
    start = np.array([1.0, 0.0, 0.0, 0.0]) if near is None else near
    before = np.concatenate((np.broadcast_to(start, quaternions[:1].shape), quaternions[:-1]))
    along = np.einsum("fni,fni->fn", quaternions, before)
    return quaternions * np.cumprod(np.where(along < 0.0, -1.0, 1.0), axis=0)[..., None]


def _quaternions_of_either_sign(matrices: np.ndarray) -> np.ndarray:
    """(..., 4). A matrix holds the products of the components; those with the largest lose the fewest digits."""
    m = np.moveaxis(np.asarray(matrices, dtype=float), (-2, -1), (0, 1))
    products = np.empty((4, 4, *m.shape[2:]))
    products[0, 0] = 1.0 + m[0, 0] + m[1, 1] + m[2, 2]
    products[1, 1] = 1.0 + m[0, 0] - m[1, 1] - m[2, 2]
    products[2, 2] = 1.0 - m[0, 0] + m[1, 1] - m[2, 2]
    products[3, 3] = 1.0 - m[0, 0] - m[1, 1] + m[2, 2]
    products[0, 1] = products[1, 0] = m[2, 1] - m[1, 2]
    products[0, 2] = products[2, 0] = m[0, 2] - m[2, 0]
    products[0, 3] = products[3, 0] = m[1, 0] - m[0, 1]
    products[1, 2] = products[2, 1] = m[1, 0] + m[0, 1]
    products[1, 3] = products[3, 1] = m[0, 2] + m[2, 0]
    products[2, 3] = products[3, 2] = m[2, 1] + m[1, 2]
    largest = np.argmax(np.stack([products[i, i] for i in range(4)]), axis=0)
    chosen = np.take_along_axis(products, largest[None, None], axis=0)[0]
    return _unit(np.moveaxis(chosen, 0, -1))


def _matrices_from_quaternions(quaternions: np.ndarray) -> np.ndarray:
    """(..., 4) of length 1 to (..., 3, 3)."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    matrices = np.empty((*w.shape, 3, 3))
    matrices[..., 0, 0] = 1.0 - 2.0 * (y * y + z * z)
    matrices[..., 1, 1] = 1.0 - 2.0 * (x * x + z * z)
    matrices[..., 2, 2] = 1.0 - 2.0 * (x * x + y * y)
    matrices[..., 0, 1], matrices[..., 1, 0] = 2.0 * (x * y - w * z), 2.0 * (x * y + w * z)
    matrices[..., 0, 2], matrices[..., 2, 0] = 2.0 * (x * z + w * y), 2.0 * (x * z - w * y)
    matrices[..., 1, 2], matrices[..., 2, 1] = 2.0 * (y * z - w * x), 2.0 * (y * z + w * x)
    return matrices


def _axis_angles(matrices: np.ndarray, near: np.ndarray | None) -> np.ndarray:
    """(f, n, 4). Where nothing is turned the axis stays as it was, so that it need not swing round afterwards."""
    quaternions = _quaternions_of_either_sign(matrices)
    result = np.empty_like(quaternions)
    before = np.broadcast_to([0.0, 0.0, 1.0, 0.0] if near is None else near, result.shape[1:])
    for frame, quaternion in enumerate(quaternions):
        turned = quaternion[:, 1:]
        length = np.sqrt(np.einsum("ni,ni->n", turned, turned))[:, None]
        axis = np.where(length > NO_TURN, turned / np.maximum(length, NO_TURN), before[:, 1:])
        axis = axis * np.where(np.einsum("ni,ni->n", axis, before[:, 1:]) < 0.0, -1.0, 1.0)[:, None]
        angle = 2.0 * np.arctan2(np.einsum("ni,ni->n", turned, axis), quaternion[:, 0])
        result[frame, :, 0] = _nearest_turn(angle, before[:, 0])
        result[frame, :, 1:] = axis
        before = result[frame]
    return result


def _euler_angles(matrices: np.ndarray, order: str, near: np.ndarray | None) -> np.ndarray:
    """(f, n, 3). Each rotation has two sets of angles besides full turns, (a, b, c) and (a + pi, pi - b, c + pi).

    Written for the orders that run X, Y, Z round; in the others the axes are mirrored, which reverses all angles.
    """
    i, j, k = axes = _axes(order)
    mirrored = 1.0 if (j - i) % 3 == 1 else -1.0
    m = np.moveaxis(np.asarray(matrices, dtype=float), (-2, -1), (0, 1))
    cosine = np.hypot(m[i, i], m[j, i])
    middle = np.arctan2(-m[k, i], cosine)
    last = np.arctan2(m[j, i], m[i, i])
    before = np.zeros((matrices.shape[1], 3)) if near is None else np.asarray(near, dtype=float)[:, axes] * mirrored

    angles = np.empty((*cosine.shape, 3))
    for frame in range(len(angles)):
        # In gimbal lock only the sum of the first and last angle is given: the last one stays, the first takes the
        # rest.
        c = np.where(cosine[frame] > GIMBAL_LOCK, last[frame], before[:, 2])
        across = np.cos(c) * m[j, :, frame] - np.sin(c) * m[i, :, frame]
        a = np.arctan2(-across[k], across[j])
        b = middle[frame]
        one = _nearest_turn(np.stack((a, b, c), axis=-1), before)
        other = _nearest_turn(np.stack((a + np.pi, np.pi - b, c + np.pi), axis=-1), before)
        nearer = np.abs(other - before).sum(axis=-1) < np.abs(one - before).sum(axis=-1)
        angles[frame] = before = np.where(nearer[:, None], other, one)
    return angles[..., np.argsort(axes)] * mirrored


def _axes(order: str) -> list[int]:
    """The axes an Euler order turns about, first to last."""
    return ["XYZ".index(letter) for letter in order]


def _about_axis(angles: np.ndarray, axis: int) -> np.ndarray:
    """Rotations about the X, Y or Z axis: (...) to (..., 3, 3)."""
    one, other = (axis + 1) % 3, (axis + 2) % 3
    matrices = np.zeros((*angles.shape, 3, 3))
    matrices[..., axis, axis] = 1.0
    matrices[..., one, one] = matrices[..., other, other] = np.cos(angles)
    matrices[..., other, one] = np.sin(angles)
    matrices[..., one, other] = -matrices[..., other, one]
    return matrices


def _nearest_turn(angles: np.ndarray, before: np.ndarray) -> np.ndarray:
    """The same angles, full turns added, as near as can be to those of the frame before."""
    return angles + TURN * np.round((before - angles) / TURN)


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Along the last axis; zero stays zero."""
    length = np.sqrt(np.einsum("...i,...i->...", vectors, vectors))[..., None]
    return vectors / np.where(length > 0.0, length, 1.0)
