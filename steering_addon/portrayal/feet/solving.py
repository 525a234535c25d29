"""Legs that meet the corrections of their feet, by two solvers.

Most legs are two bones that are free: a knee bends so that the foot is where it has to be. Where constraints pose the
legs, a control carries each foot as a stiff body, and the rig bends the leg: the control is moved and turned as its
foot has to be, and nothing need be known of what is between the two. The hips of both come down alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...simulation.arrays.scalars import Rows, Scalars
from ...simulation.arrays.vectors import Vectors, across, columns, magnitude
from .footholds import footholds
from .planes import Ground
from .rotations import LEAST, Turns, multiply, rotate, rotation_between, transpose, unit
from .soles import Points
from .treads import STRETCH, Carried, FootCorrection, LegReach, Stepping

EASY, MOST_DROP = 0.985, 0.4
"""Shares of a leg's length: to which it is stretched where hips come down, and by which they do at most."""
SMOOTH = 0.15
"""Seconds before and after, over which hips come down."""
EVEN = 0.3
"""Seconds before and after, over which hips even out the steps of the ground."""
LEANS = 0.9986
"""The cosine of three degrees, from which on it matters that a foot leans."""


@dataclass(frozen=True)
class Held:
    """Feet that are held where they stand. `drop`: (..., f) metres by which hips are lower; less than 0 where they are
    higher."""

    corrections: Sequence[FootCorrection]
    drop: Scalars


def hold(
    body: Carried,
    feet: Sequence[Stepping],
    height: float,
    frame_time: float,
    ground: Ground | None = None,
    *,
    lowers_hips: bool = False,
) -> Held:
    """Hold the feet of bodies where they stand; arguments as for `footholds`. `lowers_hips`: whether hips come down so
    that legs reach; else a foot leaves the ground a little earlier."""
    corrections, drop = footholds(body, feet, height, frame_time, ground), np.zeros(body.size.shape)
    if lowers_hips:
        drop = lower_hips([foot.reach for foot in feet], corrections, body.ground / body.size, frame_time)
    return Held(corrections, drop)


# ---- hips


def lower_hips(
    reaches: Sequence[LegReach | None], corrections: Sequence[FootCorrection], climb: Scalars, frame_time: float
) -> Scalars:
    """Lower hips, by (..., f) metres, less than 0 where they go up.

    They go up and down evenly, and come down by what the legs need to reach their feet.

    Args:
        reaches: of each foot; None if it is not known how far its leg reaches.
        climb: (..., f) metres that each body has climbed on the ground.
    """
    drop = climb - even_out(climb, max(int(EVEN / frame_time), 1))
    down = columns(np.zeros(drop.shape), 0.0, -drop)
    needed, limit = np.zeros(drop.shape), np.full(drop.shape, np.inf)
    for leg, correction in zip(reaches, corrections):
        if leg is None:
            continue
        line = leg.target(correction) - (leg.hip + down)
        level = line[..., 0] * line[..., 0] + line[..., 1] * line[..., 1]
        reach = EASY * leg.length
        height = np.sqrt(np.maximum(reach * reach - level, 0.0))
        too_far = level + line[..., 2] * line[..., 2] > STRETCH * STRETCH * leg.length * leg.length
        needed = np.maximum(needed, np.where(too_far, -line[..., 2] - height, 0.0))
        limit = np.minimum(limit, MOST_DROP * leg.length)
    return drop + smooth_maximum(np.minimum(needed, limit), max(int(SMOOTH / frame_time), 1))


def smooth_maximum(values: Scalars, reach: int) -> Scalars:
    """Means over 2 reach + 1 frames of the largest values within that number, (..., f): nowhere below the values."""
    rows = np.arange(values.shape[-1])
    largest = values
    for k in range(-reach, reach + 1):
        largest = np.maximum(largest, values[..., np.clip(rows + k, 0, len(rows) - 1)])
    return mean_around(largest, reach)


def mean_around(values: Scalars, reach: int) -> Scalars:
    """Means over 2 reach + 1 frames, (..., f), and near the ends over the same number on both sides."""
    rows = np.arange(values.shape[-1])
    half = np.minimum(np.minimum(rows, rows[::-1]), reach)
    sums = np.zeros((*values.shape[:-1], len(rows) + 1))
    sums[..., 1:] = np.cumsum(values, axis=-1)
    return (sums[..., rows + half + 1] - sums[..., rows - half]) / (2 * half + 1)


def even_out(values: Scalars, reach: int) -> Scalars:
    """Means over 2 reach + 1 frames, (..., f), and near the ends along a line through the values on the last that many.
    So neither a slope nor the last step of a stair bends what is left of it."""
    frames = values.shape[-1]
    even = mean_around(values, reach)
    first, last = slice(min(2 * reach + 1, frames)), slice(max(frames - 2 * reach - 1, 0), frames)
    width = first.stop
    row = np.arange(width) - 0.5 * (width - 1)
    for window, edge in ((first, slice(reach + 1)), (last, slice(-reach - 1, None))):
        within = values[..., window]
        mean = np.einsum("...f->...", within) / width
        slope = np.einsum("...f,f->...", within, row) * 12.0 / max(width * (width * width - 1), 1)
        even[..., window][..., edge] = mean[..., None] + slope[..., None] * row[edge]
    return even


# ---- controls


def carry(place: Vectors, reach: LegReach | None, correction: FootCorrection, drop: Scalars) -> Vectors:
    """By how much the control of a foot is moved, (..., f, 3) metres, so that the foot is corrected.

    Args:
        place: (..., f, 3) where the control is, metres in the space of the model.
        reach: of its leg; None if that is not known.
        drop: (..., f) metres by which the hips are lower.
    """
    shift = correction.move(place) - place
    if reach is None:
        return shift
    line = reach.line(correction, drop)
    # A clip may stretch its legs further, as cartoons do.
    limit = np.maximum(STRETCH * reach.length, magnitude(reach.ankle - reach.hip))
    return shift - unit(line) * np.maximum(magnitude(line) - limit, 0.0)[..., None]


# ---- bones


@dataclass(frozen=True)
class Leg:
    """The rows of the bones of a leg: a thigh, a shin below it and a foot at the end of that. `end`: where the shin
    ends, metres in its own axes, if the foot is not its child but a bone of its own, as hooves often are."""

    thigh: int
    shin: int
    foot: int
    end: tuple[float, float, float] | None = None

    @property
    def bones(self) -> tuple[int, int, int]:
        return self.thigh, self.shin, self.foot


@dataclass(frozen=True)
class Skeleton:
    """The n bones of bodies on f frames in the space of the model: metres, x to its left, y behind it and z up.

    Attributes:
        parents: (n,) rows, -1 for none.
        at_rest: (n, 3, 3) how each is turned to its parent at rest.
        places: (..., f, n, 3) their heads.
        turns: (..., f, 3, 3) how they are turned, without scale, by their rows: those of legs, and what is above these.
        upright: (3, 3) how the armature is turned.
    """

    parents: NDArray[np.int64]
    at_rest: Turns
    places: NDArray[np.float64]
    turns: Mapping[int, Turns]
    upright: NDArray[np.float64]

    def above(self, bone: int) -> Turns:
        """The rotation of the parent of a bone, (..., f, 3, 3); for bones without one, of the armature, (3, 3)."""
        parent = int(self.parents[bone])
        return self.turns[parent] if parent >= 0 else self.upright

    def knee(self, leg: Leg) -> Vectors:
        return self.places[..., leg.shin, :]

    def reach(self, leg: Leg) -> LegReach:
        """The reach of a leg."""
        hip, knee, foot = (self.places[..., bone, :] for bone in leg.bones)
        ankle = foot
        if leg.end is not None:
            x, y, z = leg.end
            ankle = knee + rotate(self.turns[leg.shin], columns(np.full(knee.shape[:-1], x), y, z))
        upper, lower = magnitude(knee - hip), magnitude(ankle - knee)
        return LegReach(hip, ankle, upper + lower, None if leg.end is None else foot, np.abs(upper - lower))


@dataclass(frozen=True)
class BentLeg:
    """A leg of each body whose knee was bent so that its foot is corrected. `thigh`, `shin`: (..., f, 3, 3) by which
    these bones are turned; `hip`, `knee`, `ankle`: (..., f, 3) metres, where they are then."""

    thigh: Turns
    shin: Turns
    hip: Vectors
    knee: Vectors
    ankle: Vectors


def bend(skeleton: Skeleton, leg: Leg, reach: LegReach, correction: FootCorrection, drop: Scalars) -> BentLeg:
    """Bend a leg; the hips are lower by `drop` (..., f) metres."""
    down = columns(np.zeros(drop.shape), 0.0, -drop)
    hip, knee, ankle = (joint + down for joint in (reach.hip, skeleton.knee(leg), reach.ankle))
    new_knee, new_ankle = bend_knee(hip, knee, ankle, reach.target(correction))
    thigh, shin = rotation_between(knee - hip, new_knee - hip), rotation_between(ankle - knee, new_ankle - new_knee)
    return BentLeg(thigh, shin, hip, new_knee, new_ankle)


def bend_knee(hip: Vectors, knee: Vectors, ankle: Vectors, target: Vectors) -> tuple[Vectors, Vectors]:
    """Where the knees and the ankles of legs are, (..., 3) each; ankles stay short of what legs do not reach. The knee
    stays on its side of the line from the hip to the ankle; that of a straight leg bends to the front."""
    upper, lower = magnitude(knee - hip), magnitude(ankle - knee)
    line = target - hip
    reach = np.clip(magnitude(line), np.abs(upper - lower) * 1.001, (upper + lower) * STRETCH)
    direction = unit(line)
    along = (upper * upper - lower * lower + reach * reach) / np.maximum(2.0 * reach, LEAST)
    off = np.sqrt(np.maximum(upper * upper - along * along, 0.0))
    before = unit(ankle - hip)
    side = across(knee - hip, before)
    ahead = np.array((0.0, -1.0, 0.0))
    side = np.where((magnitude(side) > 1e-4 * upper)[..., None], side, ahead)
    side = unit(across(rotate(rotation_between(before, direction), side), direction))
    return hip + direction * along[..., None] + side * off[..., None], hip + direction * reach[..., None]


def rotation_channels(skeleton: Skeleton, leg: Leg, bent_leg: BentLeg, correction: FootCorrection) -> dict[int, Turns]:
    """The rotations of the thigh, the shin and the foot of a leg, (..., f, 3, 3), as their channels hold them."""
    thigh = multiply(bent_leg.thigh, skeleton.turns[leg.thigh])
    shin = multiply(bent_leg.shin, skeleton.turns[leg.shin])
    foot = multiply(correction.turn, skeleton.turns[leg.foot])
    above = skeleton.above(leg.thigh), thigh, shin if leg.end is None else skeleton.above(leg.foot)
    return {
        bone: multiply(transpose(multiply(parent, skeleton.at_rest[bone])), turn)
        for bone, turn, parent in zip(leg.bones, (thigh, shin, foot), above)
    }


# ---- soft soles


@dataclass(frozen=True)
class SoftPoints:
    """Points of a sole that the bones above a foot move, too, such as those of a heel at the end of a shin.

    A foot that leans against its shin, as on a slope, does not take them along as a whole.

    Attributes:
        rows: (k,) of the points.
        shares: (k,) of the thigh, of the shin, and of all else.
        carried: (..., f, k, 3) alike: where clips have them, times the share.
    """

    rows: Rows
    shares: Sequence[Scalars]
    carried: Sequence[Points]

    def moved_back(
        self, points: Points, skeleton: Skeleton, leg: Leg, bent_leg: BentLeg, correction: FootCorrection
    ) -> Points:
        """The points (..., f, m, 3) of a sole so that the correction takes these along to where their bones move them.
        Those of bodies whose foot does not lean stay as they are."""
        hip = skeleton.places[..., leg.thigh, :]
        moves = (
            (bent_leg.thigh, hip, bent_leg.hip),
            (bent_leg.shin, skeleton.knee(leg), bent_leg.knee),
            (np.eye(3), hip, bent_leg.hip),
        )
        points, lean = points.copy(order="K"), leans(correction)[..., None, None, None]
        centre = correction.centre
        for share, carried, move in zip(self.shares, self.carried, moves):
            as_whole = _carry_shares(carried, share, correction.turn, centre, centre + correction.shift)
            off = _carry_shares(carried, share, *move) - as_whole
            points[..., self.rows, :] += lean * rotate(transpose(correction.turn)[..., None, :, :], off)
        return points


def leans(correction: FootCorrection) -> NDArray[np.bool_]:
    """Whether the foot of each body leans on one of the frames, (...)."""
    upright: NDArray[np.bool_] = np.min(correction.turn[..., 2, 2], axis=-1) >= LEANS
    return ~upright


def _carry_shares(carried: Points, share: Scalars, turn: Turns, start: Vectors, end: Vectors) -> Points:
    """Shares of points (..., f, k, 3) once they are turned, and taken from one place to another."""
    start, end = (place[..., None, :] * share[:, None] for place in (start, end))
    return rotate(turn[..., None, :, :], carried - start) + end
