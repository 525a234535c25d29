"""Knees that bend evenly: for that, feet that swing are moved along their legs, and feet that are held roll over toes.

Clips of few poses, short legs and high steps bend and stretch knees by jerks. The bends that feet ask for are evened
out over the time before and after, as far as the ground allows.
"""

from dataclasses import dataclass, replace

import numpy as np

from ...simulation.arrays.angles import angle_of, cosine_and_sine
from ...simulation.arrays.scalars import Scalars, clamp
from ...simulation.arrays.vectors import columns, magnitude
from .rotations import LEAST, rotation_between, unit
from .treads import STRETCH, FootCorrection, LegReach, Stepping

EVEN = 0.1443
"""Seconds over which bends of knees are evened out, the deviation of a bell: one that has become its mean with those of
the frames before and after k times is evened out over the root of k / 2 frames."""
ROLLS = 0.2
"""Radians by which a foot that is held rolls over its toes at most."""
TOES = 0.03
"""Model heights by which toes are above the rest of a sole from which on they carry none."""
GIVES, SOON = 0.004, 0.016
"""Model heights by which a foot that is held is lifted at most: always, and by shares of the other near its swings."""
FADES = np.array((1.0, 0.5, 0.25, 0.125, 0.0))
"""These shares, and those of its roll in a swing, after a stance and before one."""
FADE = 1.0 / 24.0
"""Seconds from one of them to the next."""


def ease(foot: Stepping, correction: FootCorrection, drop: Scalars, height: float, frame_time: float) -> FootCorrection:
    """The correction of a foot whose knee bends evenly. `correction`: that holds it where it stands; `drop`: (..., f)
    metres by which hips are lower; `height`: of the model, metres."""
    reach = foot.reach
    if reach is None or not np.any(correction.room):
        return correction
    swings, line = np.asarray(correction.room) > 0.0, reach.line(correction, drop)
    distance, toes = magnitude(line), _Toes.of(foot, reach, correction, drop, height)
    gives = np.where(swings, 0.0, height * np.maximum(GIVES, SOON * _spread(swings.astype(np.float64), frame_time)))
    lowest = np.where(swings, 0.0, np.minimum(toes.rolled_length(toes.limit, gives), distance))
    least, even, widest = (_half_angle(reach, leg) for leg in (lowest, distance, distance + correction.room))
    for _ in range(max(round(2.0 * (EVEN / frame_time) * (EVEN / frame_time)), 1)):
        mean = even.copy()
        mean[..., 1:-1] = 0.5 * even[..., 1:-1] + 0.25 * (even[..., :-2] + even[..., 2:])
        even = clamp(mean, least, widest)
    _, sines = cosine_and_sine(even)
    folded = reach.folded * reach.folded
    length = np.sqrt(folded + (reach.length * reach.length - folded) * sines * sines)
    roll = np.where(swings, 0.0, toes.roll(length))
    roll = np.where(swings, _spread(roll, frame_time), roll)
    rolled = correction.then(toes.correction(roll))
    line = reach.line(rolled, drop)
    along = unit(line) * (length - magnitude(line))[..., None]
    level = line[..., 0] * line[..., 0] + line[..., 1] * line[..., 1]
    up = clamp(-np.sqrt(np.maximum(length * length - level, 0.0)) - line[..., 2], 0.0, gives)
    up = columns(np.zeros(up.shape), 0.0, np.where(length < distance, up, 0.0))
    return replace(rolled, shift=rolled.shift + np.where(swings[..., None], along, up), room=correction.room)


def _spread(values: Scalars, frame_time: float) -> Scalars:
    """Values (..., f) that fade over the time before and after."""
    result, ratio = values.copy(), frame_time / FADE
    for frames in range(1, round(len(FADES) / ratio)):
        share = np.interp(frames * ratio, np.arange(len(FADES)), FADES)
        result[..., frames:] = np.maximum(result[..., frames:], share * values[..., :-frames])
        result[..., :-frames] = np.maximum(result[..., :-frames], share * values[..., frames:])
    return result


def _half_angle(reach: LegReach, length: Scalars) -> Scalars:
    """Half the angle of the knee of a leg of this length, (..., f) metres to radians. The square of its sine grows
    evenly with that of the length, from a folded leg to a stretched one."""
    folded = reach.folded * reach.folded
    share = (length * length - folded) / np.maximum(reach.length * reach.length - folded, LEAST)
    sines = np.sqrt(clamp(share, 0.0, STRETCH * STRETCH))
    return angle_of(sines, np.sqrt(1.0 - sines * sines))


@dataclass(frozen=True)
class _Toes:
    """The toes over which feet roll: lines to the left, in the space of the model, and what is seen along these.

    Attributes:
        y, z: (..., f) metres, where they are.
        limit: (..., f) radians by which the foot rolls at most: toes in the air carry none.
        ankle, hip: the y and z of these from there, (..., f) each.
        aside: (..., f) metres from the hip to the ankle to the left.
    """

    y: Scalars
    z: Scalars
    limit: Scalars
    ankle: tuple[Scalars, Scalars]
    hip: tuple[Scalars, Scalars]
    aside: Scalars

    @classmethod
    def of(cls, foot: Stepping, reach: LegReach, correction: FootCorrection, drop: Scalars, height: float) -> "_Toes":
        sole = correction.move_points(foot.points)
        y, z = np.min(sole[..., 1], axis=-1), np.min(sole[..., 2], axis=-1)
        front = sole[..., 1] < (0.5 * (y + np.max(sole[..., 1], axis=-1)))[..., None]
        toes = np.min(np.where(front, sole[..., 2], np.inf), axis=-1)
        limit = ROLLS * clamp(1.0 - (toes - z) / (TOES * height), 0.0, 1.0)
        target, line = reach.target(correction), reach.line(correction, drop)
        ankle = target[..., 1] - y, target[..., 2] - z
        return cls(y, z, limit, ankle, (ankle[0] - line[..., 1], ankle[1] - line[..., 2]), line[..., 0])

    def rolled_length(self, angle: Scalars, lift: Scalars) -> Scalars:
        """The length of a leg, (..., f) metres, whose foot has rolled by radians and is lifted by metres, alike."""
        cosines, sines = cosine_and_sine(angle)
        (y, z), (back, up) = self.ankle, self.hip
        y, z = y * cosines - z * sines - back, y * sines + z * cosines - up + lift
        return np.sqrt(self.aside * self.aside + y * y + z * z)

    def roll(self, length: Scalars) -> Scalars:
        """The angle by which a foot rolls for its leg to be so long, (..., f) metres to radians."""
        (y, z), (back, up) = self.ankle, self.hip
        squares = y * y + z * z, back * back + up * up
        product = np.maximum(np.sqrt(squares[0] * squares[1]), LEAST)
        difference = self.aside * self.aside + squares[0] + squares[1] - length * length
        cosines = clamp(0.5 * difference / product, -1.0, 1.0)
        between = angle_of(y * up - z * back, y * back + z * up)
        return clamp(between - angle_of(np.sqrt(1.0 - cosines * cosines), cosines), 0.0, self.limit)

    def correction(self, angle: Scalars) -> FootCorrection:
        """The correction of feet that roll by an angle, (..., f) radians."""
        cosines, sines = cosine_and_sine(angle)
        nothing = np.zeros(angle.shape)
        turn = rotation_between(columns(nothing, 1.0, 0.0), columns(nothing, cosines, sines))
        return FootCorrection(columns(nothing, self.y, self.z), columns(nothing, 0.0, 0.0), turn)
