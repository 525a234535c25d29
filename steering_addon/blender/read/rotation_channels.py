"""From the way a vehicle is turned to the numbers of its rotation channels, and back.

Numpy only, for all vehicles at once. Many numbers stand for one rotation; what is written here never jumps, so that
what plays between two frames, and the curves in the graph editor, stay smooth.
"""

from __future__ import annotations

import numpy as np

from ...simulation.arrays.angles import cosine, sine

GIMBAL_LOCK = 1e-6
"""Cosine of the middle Euler angle below which the other two turn about one axis."""
STEEP = 0.3
"""Cosine of the middle Euler angle below which the other two are nearly about one axis, and each alone loses digits."""
NO_TURN = 1e-9
"""Sine of half an angle below which the axis of a rotation means nothing."""

DECIMALS = 12
"""Digits kept of a channel. The arctan2 of numpy 1.24 differs beyond them from one call to the next, with the place its
arguments happen to have in memory, and a key near zero would show it."""

TURN = 2.0 * np.pi
PATHS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
"""The channels that turn an object in the modes that are no Euler angles."""


WIDEST = 4
"""Numbers of the widest rotation channel."""


def width_of(mode: str) -> int:
    """How many numbers the rotation channel of a rotation mode has."""
    return 4 if mode in PATHS else 3


def data_path(mode: str) -> str:
    """The channel that turns an object in a rotation mode, as keyframes name it."""
    return PATHS.get(mode, "rotation_euler")


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

    The same bytes for a vehicle whoever else is asked about, as a simulation may start from it. Quaternions and axes
    may have any length. Of those without one Blender, and so this, takes an axis not to turn, and
    a quaternion for half a turn about X.
    """
    values = np.asarray(values, dtype=float)
    if mode == "QUATERNION":
        nothing = (values == 0.0).all(axis=-1, keepdims=True)
        return _matrices_from_quaternions(_unit(np.where(nothing, [0.0, 1.0, 0.0, 0.0], values)))
    if mode == "AXIS_ANGLE":
        axis = _unit(values[..., 1:])
        half = np.where((axis == 0.0).all(axis=-1, keepdims=True), 0.0, values[..., :1] / 2.0)
        return _matrices_from_quaternions(np.concatenate((cosine(half), sine(half) * axis), axis=-1))
    first, second, third = (_about_axis(values[..., axis], axis) for axis in _axes(mode))
    return product(product(third, second), first)


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The products of matrices (..., 3, 3), added up in the same order however many they are."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return a[..., :, :1] * b[..., :1, :] + a[..., :, 1:2] * b[..., 1:2, :] + a[..., :, 2:] * b[..., 2:, :]


def _quaternions(matrices: np.ndarray, near: np.ndarray | None) -> np.ndarray:
    """(f, n, 4), each on the same side of the sphere as the frame before."""
    quaternions = _quaternions_of_either_sign(matrices)
    start = np.array([1.0, 0.0, 0.0, 0.0]) if near is None else near
    signs = np.empty(quaternions.shape[:-1], order="F")
    signs[:1] = _along(quaternions[:1], start)
    signs[1:] = _along(quaternions[1:], quaternions[:-1])
    signs = np.where(signs < 0.0, -1.0, 1.0)
    return quaternions * np.cumprod(signs, axis=0)[..., None]


def _along(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How far quaternions agree, (..., 4) and (..., 4) to (...)."""
    return a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2] + a[..., 3] * b[..., 3]


def _quaternions_of_either_sign(matrices: np.ndarray) -> np.ndarray:
    """(..., 4). A matrix holds the products of the components; those with the largest lose the fewest digits."""
    m = _elements(matrices)
    ww, xx = 1.0 + m[0, 0] + m[1, 1] + m[2, 2], 1.0 + m[0, 0] - m[1, 1] - m[2, 2]
    yy, zz = 1.0 - m[0, 0] + m[1, 1] - m[2, 2], 1.0 - m[0, 0] - m[1, 1] + m[2, 2]
    wx, wy, wz = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    xy, xz, yz = m[1, 0] + m[0, 1], m[0, 2] + m[2, 0], m[2, 1] + m[1, 2]
    squares = (ww, xx, yy, zz)
    largest, most = np.zeros(ww.shape, dtype=np.int8), ww
    for component in range(1, 4):
        largest = np.where(squares[component] > most, np.int8(component), largest)
        most = np.maximum(most, squares[component])
    products = ((ww, wx, wy, wz), (wx, xx, xy, xz), (wy, xy, yy, yz), (wz, xz, yz, zz))
    quaternions = np.empty((*ww.shape, 4), order="F")
    for component, choices in enumerate(products):
        quaternions[..., component] = np.choose(largest, choices)
    return quaternions / np.sqrt(_along(quaternions, quaternions))[..., None]


def _elements(matrices: np.ndarray) -> np.ndarray:
    """(3, 3, ...) the elements of matrices (..., 3, 3), each for all of them."""
    return np.moveaxis(np.asarray(matrices, dtype=float), (-2, -1), (0, 1))


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
    m = _elements(matrices)
    values = np.empty((*m.shape[2:], 3), order="F")
    if not values.size:
        return values
    before = np.zeros((values.shape[1], 3)) if near is None else np.asarray(near, dtype=float)[:, axes] * mirrored
    cosine = np.sqrt(m[i, i] * m[i, i] + m[j, i] * m[j, i])
    a, b, c = np.arctan2(m[k, j], m[k, k]), np.arctan2(-m[k, i], cosine), np.arctan2(m[j, i], m[i, i])
    steep = cosine < STEEP
    if steep.any():
        # Here the first angle takes what the last one leaves, so that what that lacks in digits does not show.
        c = _held(c, cosine <= GIMBAL_LOCK, before[:, 2])
        cosines, sines = np.cos(c[steep]), np.sin(c[steep])
        across, along = (cosines * m[j, axis][steep] - sines * m[i, axis][steep] for axis in (k, j))
        a[steep] = np.arctan2(-across, along)
    other = _other_set(a, b, c, before)
    if other.any():
        a, b, c = np.where(other, a + np.pi, a), np.where(other, np.pi - b, b), np.where(other, c + np.pi, c)
    for axis, angles, start in zip(axes, (a, b, c), before.T):
        values[..., axis] = _wound(angles, start) * mirrored
    return values


def _held(last: np.ndarray, locked: np.ndarray, before: np.ndarray) -> np.ndarray:
    """(f, n) the last angle, in gimbal lock as it was before: there only its sum with the first one is given."""
    frames = np.where(locked, -1, np.arange(len(last))[:, None])
    frames = np.maximum.accumulate(frames, axis=0)
    return np.where(frames < 0, before, np.take_along_axis(last, np.maximum(frames, 0), axis=0))


def _other_set(a: np.ndarray, b: np.ndarray, c: np.ndarray, before: np.ndarray) -> np.ndarray:
    """(f, n) whether the other one of the two sets of angles is nearer to the frame before.

    Which set the frame before has makes no difference: the change within a set is the same for both, and so is the
    change from one to the other. With b within a quarter turn the sum of its three parts is the larger one where the
    parts of a and c and the larger |b| come to more than three quarters of a turn.
    """
    one = _nearest_turn(np.stack((a[0], b[0], c[0]), axis=-1), before)
    other = _nearest_turn(np.stack((a[0] + np.pi, np.pi - b[0], c[0] + np.pi), axis=-1), before)
    changes = np.empty(a.shape, dtype=bool, order="F")
    changes[0] = np.abs(other - before).sum(axis=-1) < np.abs(one - before).sum(axis=-1)
    steep = np.abs(b)
    apart = _between(a) + _between(c) + np.maximum(steep[1:], steep[:-1])
    changes[1:] = apart > 0.75 * TURN
    return np.logical_xor.accumulate(changes, axis=0)


def _between(angles: np.ndarray) -> np.ndarray:
    """(f - 1, n) how far it is from each angle to the next the short way round, half a turn at most."""
    change = angles[1:] - angles[:-1]
    return np.abs(change - TURN * np.round(change / TURN))


def _wound(angles: np.ndarray, before: np.ndarray) -> np.ndarray:
    """(f, n) the same angles, full turns added to each for it to be nearest to the frame before; `before` the first."""
    turns = np.empty(angles.shape, order="F")
    turns[0] = np.round((before - angles[0]) / TURN)
    turns[1:] = np.round((angles[:-1] - angles[1:]) / TURN)
    return angles + TURN * np.cumsum(turns, axis=0)


def _axes(order: str) -> list[int]:
    """The axes an Euler order turns about, first to last."""
    return ["XYZ".index(letter) for letter in order]


def _about_axis(angles: np.ndarray, axis: int) -> np.ndarray:
    """Rotations about the X, Y or Z axis: (...) to (..., 3, 3)."""
    one, other = (axis + 1) % 3, (axis + 2) % 3
    matrices = np.zeros((*angles.shape, 3, 3))
    matrices[..., axis, axis] = 1.0
    matrices[..., one, one] = matrices[..., other, other] = cosine(angles)
    matrices[..., other, one] = sine(angles)
    matrices[..., one, other] = -matrices[..., other, one]
    return matrices


def _nearest_turn(angles: np.ndarray, before: np.ndarray) -> np.ndarray:
    """The same angles, full turns added, as near as can be to those of the frame before."""
    return angles + TURN * np.round((before - angles) / TURN)


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Along the last axis; zero stays zero."""
    squares = vectors * vectors
    length = np.sqrt(sum(squares[..., k : k + 1] for k in range(vectors.shape[-1])))
    return vectors / np.where(length > 0.0, length, 1.0)
