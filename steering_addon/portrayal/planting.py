"""Holds feet where they stand: corrections of the feet of a body on all frames of a run, and legs that meet them.

While a sole is on the ground it should stay where it is. What it drifts in a stance is taken out about the middle of
the stance, and so is what it turns with the body; on its way from one stance to the next the foot glides from one
correction to the other. A leg of two bones then bends at its knee so that the foot is where it has to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..simulation.arrays.angles import cosine_and_sine
from ..simulation.arrays.vectors import Mask, Scalars, Vectors, columns, cross, dot, magnitude
from .soles import median, runs

SHORTEST = 2
"""Steps between frames that a stance has at least."""
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
"""(f, 3, 3) rotations."""


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
    """How a foot is moved and turned on each frame, in the space of the model.

    Attributes:
        centre: (f, 3) the middle of its sole, about which it turns, metres.
        shift: (f, 3) metres.
        turn: (f, 3, 3).
    """

    centre: Vectors
    shift: Vectors
    turn: Turns


def held(values: NDArray[np.float64], on_ground: Mask) -> NDArray[np.float64]:
    """What to add to a foot so that it stays in each stance, and glides from one to the next in between.

    Args:
        values: (f, k) where the foot is.
        on_ground: (f - 1,) whether it stands between two frames.

    Returns:
        (f, k)
    """
    frames = len(values)
    added = np.zeros(values.shape)
    known = np.zeros(frames, dtype=np.bool_)
    for first, last in runs(on_ground):
        if last - first < SHORTEST:
            continue
        # Where it mostly is: the middle of a step, and where the body stands if it stops or starts in the stance.
        middle = np.array([median(column) for column in values[first : last + 1].T])
        added[first : last + 1] = middle - values[first : last + 1]
        known[first : last + 1] = True
    if not known.any():
        return added
    return glided(added, known)


def glided(values: NDArray[np.float64], known: Mask) -> NDArray[np.float64]:
    """Values (f, k) where they are known, (f,), and smooth steps from each stretch of them to the next."""
    rows = np.arange(len(values))
    before = np.maximum.accumulate(np.where(known, rows, -1))
    after = np.minimum.accumulate(np.where(known, rows, len(values))[::-1])[::-1]
    first, last = np.where(before < 0, after, before), np.where(after >= len(values), before, after)
    gap = np.maximum(last - first, 1)
    part = (np.clip(rows - first, 0, gap) / gap)[:, None]
    part = part * part * (3.0 - 2.0 * part)
    return values[first] * (1.0 - part) + values[last] * part


def on_ground(ahead: Scalars, speed: Scalars, touches: Mask, stands: Mask, frame_time: float) -> Mask:
    """Whether a foot stands between frames, (f - 1,): it touches the ground and does not swing.

    A foot that stops standing for a moment, and does not leave the ground, still stands.

    Args:
        ahead: (f - 1,) m/s at which it goes forwards over the ground.
        speed: (f - 1,) of the body; what goes faster swings.
        touches: (f - 1,) whether it is as high as it rests.
        stands: (f - 1,) whether the body stands.
    """
    rest = touches & (stands | (ahead < SWINGS * speed))
    for first, last in runs(~rest):
        if first > 0 and last < len(rest) and (last - first) * frame_time < MOMENT and touches[first:last].all():
            rest[first:last] = True
    return rest


def turned_about_up(angle: Scalars) -> Turns:
    """Rotations about the z axis, (f, 3, 3), by angles in radians to the left, (f,)."""
    cosines, sines = cosine_and_sine(angle)
    turn = np.zeros((len(angle), 3, 3))
    turn[:, 0, 0] = turn[:, 1, 1] = cosines
    turn[:, 0, 1], turn[:, 1, 0], turn[:, 2, 2] = -sines, sines, 1.0
    return turn


def turned_between(start: Vectors, end: Vectors) -> Turns:
    """The least rotations that turn vectors into the direction of others, (f, 3) each to (f, 3, 3)."""
    a, b = unit(start), unit(end)
    axis = cross(a, b)
    cosine = np.maximum(dot(a, b), -0.999999)
    skew = np.zeros((len(a), 3, 3))
    skew[:, 0, 1], skew[:, 0, 2], skew[:, 1, 2] = -axis[:, 2], axis[:, 1], -axis[:, 0]
    skew[:, 1, 0], skew[:, 2, 0], skew[:, 2, 1] = axis[:, 2], -axis[:, 1], axis[:, 0]
    return np.eye(3) + skew + product(skew, skew) / (1.0 + cosine)[:, None, None]


def unit(v: Vectors) -> Vectors:
    """Vectors (f, 3) of length 1."""
    return v / np.maximum(magnitude(v), LEAST)[:, None]


def product(a: Turns, b: Turns) -> Turns:
    """The products of matrices, (..., 3, 3) each."""
    result: Turns = a[..., :, :1] * b[..., :1, :]
    result = result + a[..., :, 1:2] * b[..., 1:2, :]
    return result + a[..., :, 2:] * b[..., 2:, :]


def turned(turn: Turns, v: Vectors) -> Vectors:
    """Vectors (f, 3) turned by (f, 3, 3)."""
    return np.einsum("fij,fj->fi", turn, v)


@dataclass(frozen=True)
class Skeleton:
    """Bones on f frames in the space of the model: metres, x to its left, y behind it and z up.

    Attributes:
        parents: (n,) rows, -1 for none.
        at_rest: (n, 3, 3) how each is turned to its parent at rest.
        places: (f, n, 3) their heads.
        turns: (f, n, 3, 3) how they are turned, without scale.
        upright: (3, 3) how the armature is turned.
    """

    parents: NDArray[np.int64]
    at_rest: Turns
    places: NDArray[np.float64]
    turns: NDArray[np.float64]
    upright: NDArray[np.float64]


@dataclass(frozen=True)
class Planted:
    """What a body does so that its feet meet their corrections.

    Attributes:
        turns: (f, 3, 3) of the bones of its legs by their rows, as their rotation channels hold them.
        shifts: (f, 3) metres in the space of the model by which feet that are not children of their shins are moved, by
            the rows of their bones.
        drop: (f,) metres by which its hips are lower; less than 0 where they are higher.
        short: (legs, f) metres by which feet stay short of their places, as legs are not long enough.
    """

    turns: dict[int, Turns]
    shifts: dict[int, Vectors]
    drop: Scalars
    short: Scalars


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
        climb: (f,) metres that the body has climbed on the ground: hips go up and down evenly, and come down by what
            the legs need, as on a slope. None on level ground, where a foot that a leg does not reach leaves it a
            little earlier instead.
    """
    channels: dict[int, Turns] = {}
    shifts: dict[int, Vectors] = {}
    short = np.zeros((len(legs), len(skeleton.places)))
    places = skeleton.places
    joints = [(places[:, leg.thigh], places[:, leg.shin], _ankle(skeleton, leg)) for leg in legs]
    targets = [
        turned(correction.turn, places[:, leg.foot] - correction.centre) + correction.centre + correction.shift
        for leg, correction in zip(legs, corrections)
    ]
    drop = np.zeros(len(places))
    if climb is not None:
        drop = climb - mean_around(climb, max(int(EVEN / frame_time), 1))
        down = columns(np.zeros(len(drop)), np.zeros(len(drop)), -drop)
        lengths = [magnitude(knee - hip) + magnitude(ankle - knee) for hip, knee, ankle in joints]
        reach = [(hip + down, length, target) for (hip, _, _), length, target in zip(joints, lengths, targets)]
        drop = drop + dropped(reach, frame_time)
    down = columns(np.zeros(len(drop)), np.zeros(len(drop)), -drop)
    for number, (leg, correction) in enumerate(zip(legs, corrections)):
        hip, knee, ankle = (joint + down for joint in joints[number])
        new_knee, new_ankle, short[number] = bent(hip, knee, ankle, targets[number])
        thigh = product(turned_between(knee - hip, new_knee - hip), skeleton.turns[:, leg.thigh])
        shin = product(turned_between(ankle - knee, new_ankle - new_knee), skeleton.turns[:, leg.shin])
        foot = product(correction.turn, skeleton.turns[:, leg.foot])
        base = above(skeleton, leg.thigh)
        heel = shin
        if leg.end is not None:
            heel, shifts[leg.foot] = above(skeleton, leg.foot), new_ankle - places[:, leg.foot]
        for bone, turn, parent in ((leg.thigh, thigh, base), (leg.shin, shin, thigh), (leg.foot, foot, heel)):
            start = product(parent, skeleton.at_rest[bone])
            channels[bone] = product(start.transpose(0, 2, 1), turn)
    return Planted(channels, shifts, drop, short)


def _ankle(skeleton: Skeleton, leg: Leg) -> Vectors:
    """Where the shin of a leg ends, (f, 3)."""
    if leg.end is None:
        return skeleton.places[:, leg.foot]
    end = np.repeat(np.array((leg.end,)), len(skeleton.turns), axis=0)
    return skeleton.places[:, leg.shin] + turned(skeleton.turns[:, leg.shin], end)


def above(skeleton: Skeleton, bone: int) -> Turns:
    """How the parent of a bone is turned, (f, 3, 3); for bones without one, the armature."""
    parent = skeleton.parents[bone]
    turns: Turns = (
        skeleton.turns[:, parent] if parent >= 0 else np.repeat(skeleton.upright[None], len(skeleton.turns), 0)
    )
    return turns


def dropped(legs: Sequence[tuple[Vectors, Scalars, Vectors]], frame_time: float) -> Scalars:
    """How far hips have to come down for feet to reach their places, (f,) metres, smooth over time.

    Args:
        legs: the hip of each leg, (f, 3), its length, (f,) metres, and the place of its ankle, (f, 3).
    """
    needed = np.zeros(len(legs[0][0]))
    most = needed + np.inf
    for hip, length, target in legs:
        line = target - hip
        level = line[:, 0] * line[:, 0] + line[:, 1] * line[:, 1]
        reach = EASY * length
        height = np.sqrt(np.maximum(reach * reach - level, 0.0))
        far = level + line[:, 2] * line[:, 2] > STRETCH * STRETCH * length * length
        needed = np.maximum(needed, np.where(far, -line[:, 2] - height, 0.0))
        most = np.minimum(most, MOST_DROP * length)
    return smoothed(np.minimum(needed, most), max(int(SMOOTH / frame_time), 1))


def smoothed(values: Scalars, reach: int) -> Scalars:
    """Means over 2 reach + 1 frames of the largest values within the same number, (f,): nowhere below the values."""
    rows = np.arange(len(values))
    largest = values
    for k in range(-reach, reach + 1):
        largest = np.maximum(largest, values[np.clip(rows + k, 0, len(values) - 1)])
    return mean_around(largest, reach)


def mean_around(values: Scalars, reach: int) -> Scalars:
    """Means over 2 reach + 1 frames, (f,), and near the ends over the same number on both sides."""
    rows = np.arange(len(values))
    half = np.minimum(np.minimum(rows, rows[::-1]), reach)
    sums = np.concatenate(([0.0], np.cumsum(values)))
    return (sums[rows + half + 1] - sums[rows - half]) / (2 * half + 1)


def bent(hip: Vectors, knee: Vectors, ankle: Vectors, target: Vectors) -> tuple[Vectors, Vectors, Scalars]:
    """Where the knee and the ankle of a leg are, (f, 3) each, and by how much it is too short, (f,) metres.

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
    side = (knee - hip) - before * dot(knee - hip, before)[:, None]
    ahead = columns(np.zeros(len(hip)), np.full(len(hip), -1.0), np.zeros(len(hip)))
    side = np.where((magnitude(side) > 1e-4 * upper)[:, None], side, ahead)
    side = turned(turned_between(before, way), side)
    side = unit(side - way * dot(side, way)[:, None])
    return hip + way * along[:, None] + side * off[:, None], hip + way * reach[:, None], np.abs(distance - reach)
