"""From the poses of vehicles in the world to the numbers of their own channels, and to keys of these where needed."""

from collections.abc import Iterator, Sequence

import numpy as np

from ...recording.thinned_curves import ThinnedCurve, thinned_curves
from ...simulation.arrays.vectors import magnitude
from ..animation.rotation_channels import RotationTrack, width_of
from ..read.local_space import to_local
from ..read.object_vehicles import ObjectVehicles
from ..units import length_text

AT_ONCE = 1 << 14
"""Poses converted at a time: few enough for all intermediate arrays to stay in the processor's cache."""
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


Converted = tuple[slice | list[int], np.ndarray, np.ndarray]
"""The rows of k vehicles, to index arrays by, and their channels on some frames: the location (f, k, 3) and the
rotation (f, k, 3 or 4), angles in radians."""


class ChannelConverter:
    """Converts the poses of vehicles that are objects, given frame after frame in pieces, to their own channels.

    Vehicles alike in rotation mode and axes are converted together, a few at a time. `order`: the rows of all vehicles,
    those that are converted together side by side.
    """

    def __init__(self, source: ObjectVehicles, near: np.ndarray, frames: int = 1) -> None:
        """Start with the rotation channels `near` (n, 4), which the first frame continues; `frames` a piece at most."""
        part_of = {row: k for k, row in enumerate(source.parented)}
        self._batches: list[_Batch] = []
        self.order: list[int] = []
        for (mode, _), alike in source.alike.items():
            free, parented = [row for row in alike if row not in part_of], [row for row in alike if row in part_of]
            self.order += [*free, *parented]
            for rows in (*_pieces(free, max(AT_ONCE // frames, 1)), *_pieces(parented, max(AT_ONCE // frames, 1))):
                parts = [part_of[row] for row in rows] if rows[0] in part_of else None
                self._batches.append(_Batch(source, rows, parts, mode, near))

    def extend(self, parts: np.ndarray, positions: np.ndarray, bases: np.ndarray) -> Iterator[Converted]:
        """The channels on the next frames. `parts`: (f, p, 4, 4) the parents' parts of the vehicles that have a parent;
        `positions`: (f, n, 3) metres; `bases`: (f, n, 3, 3) side, forward and up as columns."""
        return (batch.converted(parts, positions, bases) for batch in self._batches)


class _Batch:
    """Vehicles that are converted together."""

    def __init__(
        self, source: ObjectVehicles, rows: list[int], parts: list[int] | None, mode: str, near: np.ndarray
    ) -> None:
        # A slice is taken out of an array faster than single rows.
        self._rows = slice(rows[0], rows[-1] + 1) if rows[-1] - rows[0] == len(rows) - 1 else rows
        self._parts = parts
        self._axes = source.axes[rows[0]]
        self._scales = source.scales(rows)
        self._track = RotationTrack(mode, near[self._rows, : width_of(mode)])

    def converted(self, parts: np.ndarray, positions: np.ndarray, bases: np.ndarray) -> Converted:
        location, turns = to_local(
            None if self._parts is None else np.asfortranarray(parts[:, self._parts]),
            np.asfortranarray(positions[:, self._rows]),
            np.asfortranarray(bases[:, self._rows]),
            self._axes,
            self._scales,
        )
        return self._rows, location, self._track.extend(turns)


def _pieces(rows: list[int], length: int) -> Iterator[list[int]]:
    """The rows, cut into pieces of this length at most."""
    return (rows[k : k + length] for k in range(0, len(rows), length))


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
        off, rounds = np.array([(curve.off, curve.rounds) for curve in curves]).T.reshape(2, m, -1)
        self.metres = max(self.metres, float(magnitude(off[:, :3] * scale).max()))
        self.between = max(self.between, float(magnitude((off + rounds)[:, :3] * scale).max()))
        self.radians = max(self.radians, float(_turned(off[:, 3 : 3 + len(turn)], mode).max()))
        return [curves[k : k + width] for k in range(0, len(curves), width)]

    @property
    def told(self) -> str:
        """A sentence for the report of the bake: the share of keys that are needed, and how far they are off."""
        share, degrees = self.keys / max(self.of, 1), np.degrees(self.radians)
        text = f"{share:.0%} of the keys, {length_text(self.metres, 2)} and {degrees:.2g}° off"
        return f"{text} at most ({length_text(self.between, 2)} between frames)"


def _turned(off: np.ndarray, mode: str) -> np.ndarray:
    """The angle (n,) by which rotations are off at most whose numbers (n, 3 or 4) are."""
    if mode == "QUATERNION":
        return np.asarray(2.0 * np.sqrt((off * off).sum(axis=1)))
    if mode == "AXIS_ANGLE":
        return np.asarray(off[:, 0] + 2.0 * magnitude(off[:, 1:]))
    middle = off[:, "XYZ".index(mode[1])]
    others = off.sum(axis=1) - middle
    return np.asarray(np.sqrt(middle * middle + others * others))
