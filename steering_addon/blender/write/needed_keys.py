"""Keys where they are needed: of the motion of vehicles, those that keep to it within a tolerance."""

from collections.abc import Sequence

import numpy as np

from ...recording.thinned_curves import ThinnedCurve, thinned_curves
from ...simulation.arrays.vectors import magnitude

LATEST = 1 << 14
"""The last frame up to which keys are left out: single precision keeps fewer and fewer digits of handles, which are
between frames."""
AXES = np.full(3, 1.0 / np.sqrt(3.0))
"""The share of a distance by which each of three numbers may be off, so that a place is off by no more."""
TURNS = {"QUATERNION": np.full(4, 0.25), "AXIS_ANGLE": np.array((0.5, *(0.25 * AXES)))}
"""The share of an angle by which each number of a rotation in these modes may be off."""
OF_BODY = 0.01
"""The share of their radius by which small bodies may be off."""
EULER = np.full(3, 1.0 / np.sqrt(5.0))
"""The share for the other modes, of Euler angles: the middle one turns across the axes of the other two."""


class NeededKeys:
    """Finds the keys that vehicles need, some at a time, and notes what they make of the motion.

    Attributes:
        keys, of: how many there are, and how many there would be on every frame.
        metres, radians: how far off they are at most, on frames and halfway between them.
        between: how far off the straight lines from frame to frame they are at most, as keys on every frame make them;
            metres.
    """

    def __init__(self, metres: float, radians: float, radius: np.ndarray, first: float) -> None:
        """How far off the motion they may be; the radius (n,) of all vehicles in metres, and the first frame."""
        self._metres = np.where(radius > 0.0, np.minimum(metres, OF_BODY * radius), metres)
        self._radians, self._first = radians, first
        self.keys = self.of = 0
        self.metres = self.radians = self.between = 0.0

    def found(
        self,
        location: np.ndarray,
        rotation: np.ndarray,
        numbers: np.ndarray,
        mode: str,
        rows: Sequence[int],
        scale: np.ndarray,
    ) -> list[list[ThinnedCurve]]:
        """The curves of m vehicles of a rotation mode: of the location, of the rotation, then of the numbers.

        Args:
            location: (m, 3, f).
            rotation: (m, 3 or 4, f), angles in radians.
            numbers: (m, k, f) for drivers, each of which may be off by as much as an angle.
            rows: theirs among all vehicles.
            scale: (m, 3) the metres for which a unit of each number of the location stands.
        """
        values = np.concatenate((location, rotation, numbers), axis=1, dtype=np.float64)
        m, width, frames = values.shape
        turn = EULER if rotation.shape[1] == len(EULER) else TURNS[mode]
        shares = np.concatenate((turn, np.ones(width - len(AXES) - len(turn))))
        precision = np.tile(self._radians * np.concatenate((AXES, shares)), (m, 1))
        precision[:, :3] = self._metres[rows, None] * AXES / scale
        values = values.reshape(-1, frames)
        curves = thinned_curves(np.ascontiguousarray(values.T), precision.ravel(), self._first)
        self.keys += sum(len(curve.rows) for curve in curves)
        self.of += values.size
        off, rounds = (
            np.array([getattr(curve, name) for curve in curves]).reshape(m, -1) for name in ("off", "rounds")
        )
        self.metres = max(self.metres, float(magnitude(off[:, :3] * scale).max()))
        self.between = max(self.between, float(magnitude((off + rounds)[:, :3] * scale).max()))
        self.radians = max(self.radians, float(_turned(off[:, 3 : 3 + len(turn)], mode).max()))
        return [curves[k : k + width] for k in range(0, len(curves), width)]

    @property
    def told(self) -> str:
        """A sentence for the report of the bake: the share of keys that are needed, and how far they are off."""
        share, degrees = self.keys / max(self.of, 1), np.degrees(self.radians)
        text = f"{share:.0%} of the keys, {1e3 * self.metres:.2g} mm and {degrees:.2g}° off"
        return f"{text} at most ({1e3 * self.between:.2g} mm between frames)"


def _turned(off: np.ndarray, mode: str) -> np.ndarray:
    """The angle (n,) by which rotations are off at most whose numbers (n, 3 or 4) are."""
    if mode == "QUATERNION":
        return np.asarray(2.0 * np.sqrt((off * off).sum(axis=1)))
    if mode == "AXIS_ANGLE":
        return np.asarray(off[:, 0] + 2.0 * magnitude(off[:, 1:]))
    middle = off[:, "XYZ".index(mode[1])]
    others = off.sum(axis=1) - middle
    return np.asarray(np.sqrt(middle * middle + others * others))
