"""Holds feet where they stand: corrections of the feet of a body on all frames of a run, and legs that meet them.

While a sole is on the ground it should stay where it is. What it drifts in a stance is taken out about the middle of
the stance, and so is what it turns with the body; on its way from one stance to the next the foot glides from one
correction to the other. A leg of two bones then bends at its knee so that the foot is where it has to be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..simulation.arrays.angles import cosine_and_sine
from ..simulation.arrays.vectors import Mask, Scalars, Vectors, across, columns, cross, dot, magnitude
from .stretches import marked, stretches

MOMENT = 0.2
"""Seconds in which a foot that swings has left the ground."""
SWINGS = 1.2
"""What goes this many times as fast as its body over the ground swings."""
MOST_TURN = 1.0
"""Radians that a foot is turned against its body at most."""
EASY, MOST_DROP = 0.985, 0.4
"""Shares of a leg's length: to which it is stretched where hips come down, and by which they do at most."""
SMOOTH = 0.15
"""Seconds before and after, over which hips come down."""
EVEN = 0.3
"""Seconds before and after, over which hips even out the steps of the ground."""
STRETCH = 0.9995
"""The share of its length to which a leg is stretched at most."""
LEAST = 1e-9

Turns = NDArray[np.float64]
"""(..., 3, 3) rotations."""


@dataclass(frozen=True)
class Leg:
    """The rows of the bones of a leg: a thigh, a shin below it and a foot at the end of that.

    Attributes:
        end: where the shin ends, metres in its own axes, if the foot is not its child but a bone of its own, as hooves
            often are.
    """

    thigh: int
    shin: int
    foot: int
    end: tuple[float, float, float] | None = None


@dataclass(frozen=True)
class Correction:
    """How a foot of each body is moved and turned on each frame, in the space of the model.

    Attributes:
        centre: (..., f, 3) the middle of its sole, about which it turns, metres.
        shift: (..., f, 3) metres.
        turn: (..., f, 3, 3).
    """

    centre: Vectors
    shift: Vectors
    turn: Turns


def on_ground(ahead: Scalars, speed: Scalars, touches: Mask, stands: Mask, frame_time: float) -> Mask:
    """Whether feet stand between frames, (..., f - 1): they touch the ground and do not swing.

    A foot that stops standing for a moment, and does not leave the ground, still stands.

    Args:
        ahead: (..., f - 1) m/s at which it goes forwards over the ground.
        speed: (..., f - 1) of the body; what goes faster swings.
        touches: (..., f - 1) whether it is as high as it rests.
        stands: (..., f - 1) whether the body stands.
    """
    rest = touches & (stands | (ahead < SWINGS * speed))
    gaps, steps = stretches(~rest), rest.shape[-1]
    gaps = gaps[(gaps.first > 0) & (gaps.last < steps) & (gaps.length * frame_time < MOMENT)]
    rows, gap = gaps.within(steps)
    leaves = np.bincount(gap, ~touches.reshape(-1)[rows], minlength=len(gaps)) > 0
    return rest | marked(gaps[~leaves], rest.shape)


def matrices_like(shape: Sequence[int]) -> Turns:
    """Unset matrices (..., 3, 3) of a shape (...), each of their elements contiguous in memory.

    Arithmetic on such matrices gives such matrices, and takes a fraction of the time.
    """
    memory = np.empty((3, 3, *shape))
    return memory.transpose((*range(2, memory.ndim), 0, 1))


def with_axes(x: Vectors, y: Vectors, z: Vectors) -> Turns:
    """Matrices (..., 3, 3) with these columns, (..., 3) each."""
    matrices = matrices_like(x.shape[:-1])
    matrices[..., 0], matrices[..., 1], matrices[..., 2] = x, y, z
    return matrices


def turned_about_up(angle: Scalars) -> Turns:
    """Rotations about the z axis, (..., 3, 3), by angles in radians to the left, (...)."""
    cosines, sines = cosine_and_sine(angle)
    turn = matrices_like(angle.shape)
    turn[:] = 0.0
    turn[..., 0, 0] = turn[..., 1, 1] = cosines
    turn[..., 0, 1], turn[..., 1, 0], turn[..., 2, 2] = -sines, sines, 1.0
    return turn


def turned_between(start: Vectors, end: Vectors) -> Turns:
    """The least rotations that turn vectors into the direction of others, (..., 3) each to (..., 3, 3)."""
    a, b = unit(start), unit(end)
    axis = cross(a, b)
    share = 1.0 / (1.0 + np.maximum(dot(a, b), -0.999999))
    x, y, z = (axis[..., k] for k in range(3))
    xy, xz, yz = x * y * share, x * z * share, y * z * share
    xx, yy, zz = x * x * share, y * y * share, z * z * share
    turn = matrices_like(x.shape)
    turn[..., 0, 0], turn[..., 1, 1], turn[..., 2, 2] = 1.0 - yy - zz, 1.0 - xx - zz, 1.0 - xx - yy
    turn[..., 0, 1], turn[..., 1, 0] = xy - z, xy + z
    turn[..., 0, 2], turn[..., 2, 0] = xz + y, xz - y
    turn[..., 1, 2], turn[..., 2, 1] = yz - x, yz + x
    return turn


def unit(v: Vectors) -> Vectors:
    """Vectors (..., 3) of length 1."""
    return v / np.maximum(magnitude(v), LEAST)[..., None]


def product(a: Turns, b: Turns) -> Turns:
    """The products of matrices, (..., 3, 3) each."""
    shape = np.broadcast_shapes(a.shape, b.shape)[:-2]
    result, part = matrices_like(shape), matrices_like(shape)
    np.multiply(a[..., :, :1], b[..., :1, :], out=result)
    for k in (1, 2):
        np.multiply(a[..., :, k : k + 1], b[..., k : k + 1, :], out=part)
        result += part
    return result


def transposed(turn: Turns) -> Turns:
    """Matrices (..., 3, 3) with rows for columns: of rotations, their inverses."""
    return np.swapaxes(turn, -2, -1)


def turned(turn: Turns, v: Vectors) -> Vectors:
    """Vectors (..., 3) turned by (..., 3, 3); (..., k) by k of the rows of these, (..., k, 3).

    Written out by component: of many points on a foot, whose turns they share, numpy goes through the whole in an order
    that takes six times as long.
    """
    rows = turn.shape[-2]
    x = turn[..., 0, 0] * v[..., 0]
    order = sorted(range(x.ndim), key=lambda axis: -x.strides[axis])
    memory = np.empty((rows, *(x.shape[axis] for axis in order)))
    result = memory.transpose((*(1 + order.index(axis) for axis in range(x.ndim)), 0))
    for row in range(rows):
        each = result[..., row]
        np.multiply(turn[..., row, 0], v[..., 0], out=each)
        for k in (1, 2):
            each += turn[..., row, k] * v[..., k]
    return result


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


@dataclass(frozen=True)
class Moved:
    """How a part of a body is moved: turned, and taken from one place to another.

    Attributes:
        turn: (..., f, 3, 3), or (3, 3) if it is the same throughout.
        start, end: (..., f, 3) metres.
    """

    turn: Turns
    start: Vectors
    end: Vectors


@dataclass(frozen=True)
class Planted:
    """What bodies do so that their feet meet their corrections.

    Attributes:
        turns: (..., f, 3, 3) of the bones of their legs by their rows, as their rotation channels hold them.
        shifts: (..., f, 3) metres in the space of the model by which feet that are not children of their shins are
            moved, by the rows of their bones.
        drop: (..., f) metres by which their hips are lower; less than 0 where they are higher.
        short: (legs, ..., f) metres by which feet stay short of their places, as legs are not long enough.
        moves: of the thigh and of the shin of each leg, and of everything above it.
    """

    turns: dict[int, Turns]
    shifts: dict[int, Vectors]
    drop: Scalars
    short: Scalars
    moves: list[tuple[Moved, Moved, Moved]]


def planted(
    skeleton: Skeleton,
    legs: Sequence[Leg],
    corrections: Sequence[Correction],
    frame_time: float,
    *,
    climb: Scalars | None = None,
) -> Planted:
    """Legs that meet the corrections of their feet.

    Args:
        frame_time: seconds.
        climb: (..., f) metres that each body has climbed on the ground: hips go up and down evenly, and come down by
            what the legs need, as on a slope. None on level ground, where a foot that a leg does not reach leaves it
            a little earlier instead.
    """
    channels: dict[int, Turns] = {}
    shifts: dict[int, Vectors] = {}
    moves: list[tuple[Moved, Moved, Moved]] = []
    places = skeleton.places
    drop = np.zeros(places.shape[:-2])
    short = np.zeros((len(legs), *drop.shape))
    joints = [joints_of(skeleton, leg) for leg in legs]
    targets = [corrected(places[..., leg.foot, :], correction) for leg, correction in zip(legs, corrections)]
    if climb is not None:
        drop = climb - evened(climb, max(int(EVEN / frame_time), 1))
        down = columns(np.zeros(drop.shape), 0.0, -drop)
        lengths = [magnitude(knee - hip) + magnitude(ankle - knee) for hip, knee, ankle in joints]
        reach = [(hip + down, length, target) for (hip, _, _), length, target in zip(joints, lengths, targets)]
        drop = drop + dropped(reach, frame_time)
    down = columns(np.zeros(drop.shape), 0.0, -drop)
    for number, (leg, correction) in enumerate(zip(legs, corrections)):
        hip, knee, ankle = (joint + down for joint in joints[number])
        new_knee, new_ankle, short[number] = bent(hip, knee, ankle, targets[number])
        upper, lower = turned_between(knee - hip, new_knee - hip), turned_between(ankle - knee, new_ankle - new_knee)
        start = joints[number]
        moves.append((Moved(upper, start[0], hip), Moved(lower, start[1], new_knee), Moved(np.eye(3), start[0], hip)))
        thigh, shin = product(upper, skeleton.turns[leg.thigh]), product(lower, skeleton.turns[leg.shin])
        foot = product(correction.turn, skeleton.turns[leg.foot])
        base = above(skeleton, leg.thigh)
        heel = shin
        if leg.end is not None:
            heel, shifts[leg.foot] = above(skeleton, leg.foot), new_ankle - places[..., leg.foot, :]
        for bone, turn, parent in ((leg.thigh, thigh, base), (leg.shin, shin, thigh), (leg.foot, foot, heel)):
            channels[bone] = product(transposed(product(parent, skeleton.at_rest[bone])), turn)
    return Planted(channels, shifts, drop, short, moves)


def corrected(places: Vectors, correction: Correction) -> Vectors:
    """Where places (..., f, 3) on a foot are once it is corrected."""
    return turned(correction.turn, places - correction.centre) + correction.centre + correction.shift


def after(first: Correction, then: Correction) -> Correction:
    """The correction of a foot that is corrected in one way and then in another."""
    centre = turned(transposed(first.turn), then.centre - first.centre - first.shift) + first.centre
    return Correction(centre, then.centre + then.shift - centre, product(then.turn, first.turn))


def joints_of(skeleton: Skeleton, leg: Leg) -> tuple[Vectors, Vectors, Vectors]:
    """The hip, the knee and the ankle of a leg, (..., f, 3) each."""
    return skeleton.places[..., leg.thigh, :], skeleton.places[..., leg.shin, :], _ankle(skeleton, leg)


def _ankle(skeleton: Skeleton, leg: Leg) -> Vectors:
    """Where the shin of a leg ends, (..., f, 3)."""
    if leg.end is None:
        return skeleton.places[..., leg.foot, :]
    x, y, z = leg.end
    places = skeleton.places[..., leg.shin, :]
    return places + turned(skeleton.turns[leg.shin], columns(np.full(places.shape[:-1], x), y, z))


def above(skeleton: Skeleton, bone: int) -> Turns:
    """How the parent of a bone is turned, (..., f, 3, 3); for bones without one, the armature, (3, 3)."""
    parent = int(skeleton.parents[bone])
    turns: Turns = skeleton.turns[parent] if parent >= 0 else skeleton.upright
    return turns


def dropped(legs: Sequence[tuple[Vectors, Scalars, Vectors]], frame_time: float) -> Scalars:
    """How far hips have to come down for feet to reach their places, (..., f) metres, smooth over time.

    Args:
        legs: the hip of each leg, (..., f, 3), its length, (..., f) metres, and the place of its ankle, (..., f, 3).
    """
    needed = np.zeros(legs[0][0].shape[:-1])
    most = needed + np.inf
    for hip, length, target in legs:
        line = target - hip
        level = line[..., 0] * line[..., 0] + line[..., 1] * line[..., 1]
        reach = EASY * length
        height = np.sqrt(np.maximum(reach * reach - level, 0.0))
        far = level + line[..., 2] * line[..., 2] > STRETCH * STRETCH * length * length
        needed = np.maximum(needed, np.where(far, -line[..., 2] - height, 0.0))
        most = np.minimum(most, MOST_DROP * length)
    return smoothed(np.minimum(needed, most), max(int(SMOOTH / frame_time), 1))


def smoothed(values: Scalars, reach: int) -> Scalars:
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


def evened(values: Scalars, reach: int) -> Scalars:
    """Means over 2 reach + 1 frames, (..., f), and near the ends along a line through what is on the last that many.

    So neither a slope nor the last step of a stair bends what is left of it.
    """
    frames = values.shape[-1]
    even = mean_around(values, reach)
    first, last = slice(min(2 * reach + 1, frames)), slice(max(frames - 2 * reach - 1, 0), frames)
    width = first.stop
    row = np.arange(width) - 0.5 * (width - 1)
    for window, part in ((first, slice(reach + 1)), (last, slice(-reach - 1, None))):
        within = values[..., window]
        mean = np.einsum("...f->...", within) / width
        slope = np.einsum("...f,f->...", within, row) * 12.0 / max(width * (width * width - 1), 1)
        even[..., window][..., part] = mean[..., None] + slope[..., None] * row[part]
    return even


def bent(hip: Vectors, knee: Vectors, ankle: Vectors, target: Vectors) -> tuple[Vectors, Vectors, Scalars]:
    """Where the knees and the ankles of legs are, (..., 3) each, and by how much they are too short, (...) metres.

    The knee stays on its side of the line from the hip to the ankle; that of a straight leg bends to the front.
    """
    upper, lower = magnitude(knee - hip), magnitude(ankle - knee)
    line = target - hip
    distance = magnitude(line)
    reach = np.clip(distance, np.abs(upper - lower) * 1.001, (upper + lower) * STRETCH)
    way = unit(line)
    along = (upper * upper - lower * lower + reach * reach) / np.maximum(2.0 * reach, LEAST)
    off = np.sqrt(np.maximum(upper * upper - along * along, 0.0))
    before = unit(ankle - hip)
    side = across(knee - hip, before)
    ahead = np.array((0.0, -1.0, 0.0))
    side = np.where((magnitude(side) > 1e-4 * upper)[..., None], side, ahead)
    side = unit(across(turned(turned_between(before, way), side), way))
    knee = hip + way * along[..., None] + side * off[..., None]
    return knee, hip + way * reach[..., None], np.abs(distance - reach)
