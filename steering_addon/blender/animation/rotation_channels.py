"""From the orientation of a vehicle to the numbers of its rotation channels, and back.

Numpy only, for all vehicles together. Many numbers stand for one rotation; the ones chosen here never jump, so that the
motion between two frames, and the curves in the graph editor, stay smooth.
"""

import numpy as np

from ...simulation.arrays.angles import cosine, sine

GIMBAL_LOCK = 1e-6
"""Cosine of the middle Euler angle below which the other two turn about the same axis."""
STEEP = 0.3
"""Cosine of the middle Euler angle below which the other two axes nearly agree, and each angle alone loses digits."""
NO_TURN = 1e-9
"""Sine of half an angle below which the axis of a rotation is meaningless."""

DECIMALS = 12
"""Decimals kept of a channel. Beyond them the arctan2 of numpy 1.24 differs from call to call, with the alignment of
its arguments in memory, and a key near zero would show it."""

TURN = 2.0 * np.pi
PATHS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
"""The rotation channels of the modes other than Euler angles."""
MODES = (*PATHS, "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
"""All rotation modes."""


WIDEST = 4
"""Numbers of the widest rotation channel."""


def width_of(mode: str) -> int:
    """How many numbers the rotation channel of a rotation mode has."""
    return 4 if mode in PATHS else 3


def data_path(mode: str) -> str:
    """The data path of the rotation channel in a rotation mode."""
    return PATHS.get(mode, "rotation_euler")


def channels_from_matrices(matrices: np.ndarray, mode: str) -> np.ndarray:
    """The rotation channels that turn vehicles as these matrices do, without a jump from one frame to the next. Returns
    (f, n, 3) angles in radians, or (f, n, 4) for quaternions (w, x, y, z) and axis-angle (angle, x, y, z). `matrices`:
    (f, n, 3, 3) rotations, which neither scale nor mirror."""
    return RotationTrack(mode).extend(matrices)


class RotationTrack:
    """The rotation channels of some vehicles, given frame after frame in pieces of any length.

    Of all values with the same meaning the nearest to the frame before is taken. Turns add up: after three circles an
    angle is three full turns larger. The result is the same however the frames are cut into pieces.
    """

    def __init__(self, mode: str, before: np.ndarray | None = None) -> None:
        """`before` (n, 3 or 4) are the channels that the first frame continues; by default those of no rotation."""
        if mode == "QUATERNION":
            self._track: _Quaternions | _AxisAngles | _EulerAngles = _Quaternions(before)
        elif mode == "AXIS_ANGLE":
            self._track = _AxisAngles(before)
        else:
            self._track = _EulerAngles(mode, before)

    def extend(self, matrices: np.ndarray) -> np.ndarray:
        """The channels of the next frames, as `channels_from_matrices`."""
        return np.round(self._track.extend(matrices), DECIMALS) + 0.0


def matrices_from_channels(values: np.ndarray, mode: str) -> np.ndarray:
    """The rotations (..., 3, 3) of rotation channels `values` (..., 3 or 4).

    The bytes of a result do not depend on the other values, as a simulation starts from it. Quaternions and axes may
    have any length. For a length of zero this does as Blender: an axis does not turn, and a quaternion is half a turn
    about X.
    """
    values = np.asarray(values, dtype=float)
    if mode == "QUATERNION":
        nothing = ~values.any(axis=-1, keepdims=True)
        if nothing.any():
            values = np.where(nothing, [0.0, 1.0, 0.0, 0.0], values)
        return _matrices_from_quaternions(_unit(values))
    if mode == "AXIS_ANGLE":
        axis = _unit(values[..., 1:])
        half = np.where((axis == 0.0).all(axis=-1, keepdims=True), 0.0, values[..., :1] / 2.0)
        return _matrices_from_quaternions(np.concatenate((cosine(half), sine(half) * axis), axis=-1))
    first, second, third = (_about_axis(values[..., axis], axis) for axis in _axes(mode))
    return product(product(third, second), first)


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The products of matrices (..., 3, 3), added up in the same order whatever their number."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return a[..., :, :1] * b[..., :1, :] + a[..., :, 1:2] * b[..., 1:2, :] + a[..., :, 2:] * b[..., 2:, :]


class _Quaternions:
    """Quaternions, each on the same side of the sphere as the frame before."""

    def __init__(self, before: np.ndarray | None) -> None:
        self._before = np.array([1.0, 0.0, 0.0, 0.0]) if before is None else before
        self._sign: np.ndarray | float = 1.0

    def extend(self, matrices: np.ndarray) -> np.ndarray:
        """(f, n, 4)."""
        quaternions = _quaternions_of_either_sign(matrices)
        signs = np.empty(quaternions.shape[:-1], order="F")
        signs[:1] = _along(quaternions[:1], self._before)
        signs[1:] = _along(quaternions[1:], quaternions[:-1])
        signs = np.where(signs < 0.0, -1.0, 1.0)
        signs[:1] *= self._sign
        signs = np.cumprod(signs, axis=0)
        if len(signs):
            self._before, self._sign = quaternions[-1].copy(), signs[-1].copy()
        return quaternions * signs[..., None]


def _along(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The dot products of quaternions, (..., 4) and (..., 4) to (...)."""
    return a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2] + a[..., 3] * b[..., 3]


def _quaternions_of_either_sign(matrices: np.ndarray) -> np.ndarray:
    """(..., 4). A matrix holds products of the components; those with the largest component lose the fewest digits."""
    m = _elements(matrices)
    ww, xx = 1.0 + m[0, 0] + m[1, 1] + m[2, 2], 1.0 + m[0, 0] - m[1, 1] - m[2, 2]
    yy, zz = 1.0 - m[0, 0] + m[1, 1] - m[2, 2], 1.0 - m[0, 0] - m[1, 1] + m[2, 2]
    wx, wy, wz = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    xy, xz, yz = m[1, 0] + m[0, 1], m[0, 2] + m[2, 0], m[2, 1] + m[1, 2]
    squares = (ww, xx, yy, zz)
    largest, largest_square = np.zeros(ww.shape, dtype=np.int8), ww
    for component in range(1, 4):
        largest = np.where(squares[component] > largest_square, np.int8(component), largest)
        largest_square = np.maximum(largest_square, squares[component])
    products = ((ww, wx, wy, wz), (wx, xx, xy, xz), (wy, xy, yy, yz), (wz, xz, yz, zz))
    quaternions = np.empty((*ww.shape, 4), order="F")
    for component, column in enumerate(products[0]):
        quaternions[..., component] = column
    # Few bodies lie or stand on their heads.
    for row in (1, 2, 3):
        rows = largest == row
        if rows.any():
            for component, column in enumerate(products[row]):
                quaternions[..., component][rows] = column[rows]
    return quaternions / np.sqrt(_along(quaternions, quaternions))[..., None]


def _elements(matrices: np.ndarray) -> np.ndarray:
    """(3, 3, ...) the elements of matrices (..., 3, 3), each as an array."""
    return np.moveaxis(np.asarray(matrices, dtype=float), (-2, -1), (0, 1))


def _matrices_from_quaternions(quaternions: np.ndarray) -> np.ndarray:
    """(..., 4) of length 1 to (..., 3, 3)."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    # Products with doubled factors are doubled products, to the last digit.
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz = x * x2, y * y2, z * z2
    xy, xz, yz = x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    matrices = np.moveaxis(np.empty((3, 3, *w.shape)), (0, 1), (-2, -1))
    np.subtract(1.0, yy + zz, out=matrices[..., 0, 0])
    np.subtract(1.0, xx + zz, out=matrices[..., 1, 1])
    np.subtract(1.0, xx + yy, out=matrices[..., 2, 2])
    np.subtract(xy, wz, out=matrices[..., 0, 1])
    np.add(xy, wz, out=matrices[..., 1, 0])
    np.add(xz, wy, out=matrices[..., 0, 2])
    np.subtract(xz, wy, out=matrices[..., 2, 0])
    np.subtract(yz, wx, out=matrices[..., 1, 2])
    np.add(yz, wx, out=matrices[..., 2, 1])
    return matrices


class _AxisAngles:
    """Axes and angles. Without a rotation the axis stays as it was, so that it need not swing round later."""

    def __init__(self, before: np.ndarray | None) -> None:
        self._before = np.array([0.0, 0.0, 1.0, 0.0]) if before is None else before

    def extend(self, matrices: np.ndarray) -> np.ndarray:
        """(f, n, 4)."""
        quaternions = _quaternions_of_either_sign(matrices)
        result = np.empty_like(quaternions)
        before = np.broadcast_to(self._before, result.shape[1:])
        for frame, quaternion in enumerate(quaternions):
            turned = quaternion[:, 1:]
            length = np.sqrt(np.einsum("ni,ni->n", turned, turned))[:, None]
            axis = np.where(length > NO_TURN, turned / np.maximum(length, NO_TURN), before[:, 1:])
            axis = axis * np.where(np.einsum("ni,ni->n", axis, before[:, 1:]) < 0.0, -1.0, 1.0)[:, None]
            angle = 2.0 * np.arctan2(np.einsum("ni,ni->n", turned, axis), quaternion[:, 0])
            result[frame, :, 0] = _nearest_turn(angle, before[:, 0])
            result[frame, :, 1:] = axis
            before = result[frame]
        self._before = before.copy()
        return result


class _EulerAngles:
    """Euler angles. Apart from full turns each rotation has two sets of them, (a, b, c) and (a + pi, pi - b, c + pi).

    Written for the cyclic orders of X, Y, Z; in the other orders the axes are mirrored, which reverses all angles.
    """

    def __init__(self, order: str, before: np.ndarray | None) -> None:
        self._axes = i, j, _ = _axes(order)
        self._mirrored = 1.0 if (j - i) % 3 == 1 else -1.0
        self._continued = None if before is None else np.asarray(before, dtype=float)[:, self._axes].T * self._mirrored
        self._first: np.ndarray | None = None
        self._other: np.ndarray | bool = False
        self._turns = [0.0, 0.0, 0.0]

    def extend(self, matrices: np.ndarray) -> np.ndarray:
        """(f, n, 3)."""
        m = _elements(matrices)
        values = np.empty((*m.shape[2:], 3), order="F")
        if not values.size:
            return values
        if self._continued is None:
            self._continued = np.zeros((3, values.shape[1]))
        a, b, c = self._first_set(m)
        other = self._is_other(a, b, c)
        self._first, self._other = np.stack((a[-1], b[-1], c[-1])), other[-1].copy()
        if other.any():
            a, b, c = np.where(other, a + np.pi, a), np.where(other, np.pi - b, b), np.where(other, c + np.pi, c)
        nearest = np.empty_like(self._continued)
        for k, angles in enumerate((a, b, c)):
            turns = np.round((_frame_before(angles, self._continued[k]) - angles) / TURN)
            turns[0] += self._turns[k]
            turns = np.cumsum(turns, axis=0)
            values[..., self._axes[k]] = (angles + TURN * turns) * self._mirrored
            nearest[k], self._turns[k] = angles[-1], turns[-1].copy()
        self._continued = nearest
        return values

    def _first_set(self, m: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The first of the two sets of angles, (f, n) each, from the elements (3, 3, f, n) of the matrices."""
        i, j, k = self._axes
        cosine = np.sqrt(m[i, i] * m[i, i] + m[j, i] * m[j, i])
        a, b, c = np.arctan2(m[k, j], m[k, k]), np.arctan2(-m[k, i], cosine), np.arctan2(m[j, i], m[i, i])
        steep = cosine < STEEP
        if steep.any():
            # The first angle is computed from the last, which makes up for digits that the last has lost.
            c = _hold_in_lock(c, cosine <= GIMBAL_LOCK, self._continued[2] if self._first is None else self._first[2])
            cosines, sines = np.cos(c[steep]), np.sin(c[steep])
            across, along = (cosines * m[j, axis][steep] - sines * m[i, axis][steep] for axis in (k, j))
            a[steep] = np.arctan2(-across, along)
        return a, b, c

    def _is_other(self, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        """(f, n) whether the second set of angles is nearer to the frame before than this first one.

        It makes no difference which set the frame before has: the change within a set is the same for both, and so is
        the change from one to the other. With b within a quarter turn the sum of its three parts is the larger one if
        the parts of a and c and the larger |b| add up to more than three quarters of a turn.
        """
        before = (a[0], b[0], c[0]) if self._first is None else self._first
        steep = np.abs(b)
        steepest = np.maximum(steep, _frame_before(steep, np.abs(before[1])))
        changes = _apart(a, before[0]) + _apart(c, before[2]) + steepest > 0.75 * TURN
        if self._first is None:
            second = a[0] + np.pi, np.pi - b[0], c[0] + np.pi
            changes[0] = self._gap(second) < self._gap((a[0], b[0], c[0]))
        changes[0] ^= self._other
        return np.logical_xor.accumulate(changes, axis=0)

    def _gap(self, angles: tuple[np.ndarray, np.ndarray, np.ndarray]) -> np.ndarray:
        """(n,) how far three angles (n,) each are from the ones that the first frame continues."""
        gap_a, gap_b, gap_c = (
            np.abs(_nearest_turn(angle, before) - before) for angle, before in zip(angles, self._continued)
        )
        return gap_a + gap_b + gap_c


def _hold_in_lock(last: np.ndarray, locked: np.ndarray, before: np.ndarray) -> np.ndarray:
    """(f, n) the last angle, in gimbal lock as it was before: there only its sum with the first is defined."""
    frames = np.where(locked, -1, np.arange(len(last))[:, None])
    frames = np.maximum.accumulate(frames, axis=0)
    return np.where(frames < 0, before, np.take_along_axis(last, np.maximum(frames, 0), axis=0))


def _frame_before(values: np.ndarray, before: np.ndarray) -> np.ndarray:
    """(f, n) the values of the frame before each frame; `before` (n,) are those before the first."""
    shifted = np.empty_like(values)
    shifted[0], shifted[1:] = before, values[:-1]
    return shifted


def _apart(angles: np.ndarray, before: np.ndarray) -> np.ndarray:
    """(f, n) how far each angle is from the frame before the short way round, half a turn at most."""
    change = angles - _frame_before(angles, before)
    return np.abs(change - TURN * np.round(change / TURN))


def _axes(order: str) -> list[int]:
    """The axes an Euler order turns about, first to last."""
    return ["XYZ".index(letter) for letter in order]


def _about_axis(angles: np.ndarray, axis: int) -> np.ndarray:
    """Rotations about the X, Y or Z axis: (...) to (..., 3, 3)."""
    first, second = (axis + 1) % 3, (axis + 2) % 3
    matrices = np.zeros((*angles.shape, 3, 3))
    matrices[..., axis, axis] = 1.0
    matrices[..., first, first] = matrices[..., second, second] = cosine(angles)
    matrices[..., second, first] = sine(angles)
    matrices[..., first, second] = -matrices[..., second, first]
    return matrices


def _nearest_turn(angles: np.ndarray, before: np.ndarray) -> np.ndarray:
    """The angles, with full turns added so that they are nearest to those of the frame before."""
    return angles + TURN * np.round((before - angles) / TURN)


def _unit(vectors: np.ndarray) -> np.ndarray:
    """Along the last axis; zero stays zero."""
    squares = vectors * vectors
    length = np.sqrt(sum(squares[..., k : k + 1] for k in range(vectors.shape[-1])))
    return vectors / np.where(length > 0.0, length, 1.0)
