"""Small steps of feet that stand while their body moves or turns: from where they stand to where their clips are.

As a body comes to a stop, its clip draws the foot in that was put down ahead; as it turns on the spot, its feet turn
with it. A foot that is held would have to reach farther and farther. So it is lifted, and put down again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.vectors import Mask, Rows, Scalars
from .stretches import Stretches, stretches

FAR = 0.04
"""Model heights that a foot is from where its clips are, from which on it takes a step."""
TURNED = 0.3
"""Radians that it is turned against its body, alike."""
STEP, STAY = 0.3, 0.3
"""Seconds of a step, and for which a foot stands at least before it and after it."""
LONG = 1.0
"""Seconds for which a foot stands that may take a small step: in a walk it stands for less."""
WAITS = 0.7
"""Seconds by which a step is earlier at most, so that other feet carry the body; it is later by half a step at most,
as the foot strays farther until then."""
LIFT = 0.014
"""Model heights by which a foot is lifted in a step, and at least as it swings."""
EDGE = 0.25
"""The share of a step in which it is lifted, and that in which it is put down."""


def with_steps(
    stances: Sequence[Mask], drifts: Sequence[Scalars], heading: Scalars, far: Scalars, frame_time: float
) -> list[Mask]:
    """When the feet of bodies stand once they take small steps, a mask (..., f - 1) for each foot.

    Args:
        stances: (..., f - 1) for each foot, whether it stands between two frames as its clips have it.
        drifts: (..., f, 2) metres that each foot has gone over the ground since the first frame.
        heading: (..., f) of each body, radians.
        far: (..., f) metres from which on a foot takes a step.
        frame_time: seconds.
    """
    rests = [stance.copy() for stance in stances]
    steps, frames = stances[0].shape[-1] if stances else 0, heading.shape[-1]
    of_bodies = [rest.reshape(-1, steps) for rest in rests]
    flat = [drift.reshape(-1, frames, 2) for drift in drifts]
    heading, far = heading.reshape(-1, frames), far.reshape(-1, frames)
    long = round(LONG / frame_time)
    long_ones = [
        _straying(stays[stays.length >= long], drift, heading, far)
        for stays, drift in zip(map(stretches, stances), flat)
    ]
    for body in np.unique(np.concatenate([np.zeros(0, np.int64), *(stays.body for stays in long_ones)])):
        of_body = [each[each.body == body] for each in long_ones]
        masks, ways = [rest[body] for rest in of_bodies], [drift[body] for drift in flat]
        _add_steps(masks, of_body, ways, heading[body], far[body], frame_time)
    return rests


def _straying(stays: Stretches, drift: Scalars, heading: Scalars, far: Scalars) -> Stretches:
    """Those of the stances of a foot in which it may not be held in one place throughout."""
    if not len(stays):
        return stays
    rows, stay = stays.within(heading.shape[-1], 1)
    begin = np.flatnonzero(np.diff(stay, prepend=-1))
    x, y, turn = (each.reshape(-1)[rows] for each in (drift[..., 0], drift[..., 1], heading))
    wide, long, turned = (np.maximum.reduceat(each, begin) - np.minimum.reduceat(each, begin) for each in (x, y, turn))
    least = 2.0 * np.minimum.reduceat(far.reshape(-1)[rows], begin)
    return stays[(np.sqrt(wide * wide + long * long) > least) | (turned > 2.0 * TURNED)]


def _add_steps(
    rests: Sequence[Mask],
    stay: Sequence[Stretches],
    drifts: Sequence[Scalars],
    heading: Scalars,
    far: Scalars,
    frame_time: float,
) -> None:
    """Lift the feet of one body in their long stances `stay`; the masks `rests` (f - 1,) are changed."""
    length, still = (max(round(seconds / frame_time), 2) for seconds in (STEP, STAY))
    waits = round(WAITS / frame_time)
    for foot, drift in enumerate(drifts):
        others = [rest for number, rest in enumerate(rests) if number != foot]
        carry = np.count_nonzero(np.array(others).reshape(-1, len(heading) - 1), axis=0)
        lacking = np.concatenate(([0], np.cumsum(2 * carry < len(others))))
        for first, last in zip(stay[foot].first.tolist(), stay[foot].last.tolist()):
            begin = first
            while last - begin >= length + 2 * still:
                strays = _strays(drift[begin : last + 1], heading[begin : last + 1], far[begin : last + 1])
                if not strays.any():
                    break
                earliest, latest = begin + still, last - length - still
                best = max(begin + int(np.argmax(strays)) - length // 2, earliest)
                if best > latest:
                    break
                tried = np.arange(max(best - waits, earliest), min(best + length // 2, latest) + 1)
                tried = tried[np.argsort(np.abs(tried - best), kind="stable")]
                start = int(tried[np.argmin(lacking[tried + length] - lacking[tried])])
                rests[foot][start : start + length] = False
                begin = start + length


def _strays(drift: Scalars, heading: Scalars, far: Scalars) -> Mask:
    """From which frame on a foot cannot be held in one place, (k,)."""
    extent = [np.maximum.accumulate(column) - np.minimum.accumulate(column) for column in (*drift.T, heading)]
    off = np.sqrt(extent[0] * extent[0] + extent[1] * extent[1])
    return (off > 2.0 * far) | (extent[2] > 2.0 * TURNED)


@dataclass(frozen=True)
class Lifts:
    """The frames of k stretches in which feet are off the ground, the frames at their ends among them.

    Attributes:
        frame: (m,) rows of columns of all frames of all bodies.
        stretch: (m,) the stretch of each.
        part: (m,) the share of its time that is over.
        start, end: (k,) the rows of the frames at the ends.
    """

    frame: Rows
    stretch: Rows
    part: Scalars
    start: Rows
    end: Rows

    @classmethod
    def of(cls, lifts: Stretches, frames: int) -> Lifts:
        """Those in stretches between frames, of bodies with this number of frames each."""
        rows, stretch = lifts.within(frames, 1)
        start, length = lifts.body * frames + lifts.first, lifts.length
        return cls(rows, stretch, (rows - start[stretch]) / length[stretch], start, start + length)


def small_steps(stance: Mask, rest: Mask) -> Lifts:
    """Those in small steps.

    Args:
        stance, rest: (..., f - 1) whether a foot stands as its clips have it, and once it takes small steps.
    """
    return Lifts.of(stretches(stance & ~rest), stance.shape[-1] + 1)


def carried_over(values: Scalars, steps: Lifts) -> Scalars:
    """Values (..., f, k) that go from those before each small step to those after it, while the foot is lifted."""
    result = values.copy(order="C")
    flat = result.reshape(-1, values.shape[-1])
    share = np.clip((steps.part - 0.5 * EDGE) / (1.0 - EDGE), 0.0, 1.0)
    share = (share * share * (3.0 - 2.0 * share))[:, None]
    flat[steps.frame] = flat[steps.start][steps.stretch] * (1.0 - share) + flat[steps.end][steps.stretch] * share
    return result


def lifted(steps: Lifts, off: Scalars, scale: Scalars) -> Scalars:
    """What feet are lifted by in their small steps, (..., f) metres, beyond what their clips lift them by.

    Args:
        off: (..., f) metres by which clips have them above where they rest.
        scale: (..., f) the height of the body, metres.
    """
    lift = np.zeros(off.shape)
    rows = steps.frame
    lift.reshape(-1)[rows] = _lacking(steps.part, off.reshape(-1)[rows], scale.reshape(-1)[rows])
    return lift


def swung(rest: Mask, gone: Scalars, off: Scalars, scale: Scalars) -> Scalars:
    """What feet are lifted by as they swing, (..., f) metres, so that they do not graze the ground.

    Paws of many clips do; and as a body comes to a stop, what is left of its walk hardly lifts its feet.

    Args:
        rest: (..., f - 1) whether a foot stands between two frames.
        gone: (..., f, 2) where it is on the ground, metres.
        off, scale: as for `lifted`.
    """
    lift = np.zeros(off.shape)
    lifts = stretches(~rest)
    swings = Lifts.of(lifts[(lifts.first > 0) & (lifts.last < rest.shape[-1])], off.shape[-1])
    rows, high = swings.frame, scale.reshape(-1)[swings.frame]
    place = gone.reshape(-1, 2)
    way = place[swings.end] - place[swings.start]
    far = np.sqrt(way[:, 0] * way[:, 0] + way[:, 1] * way[:, 1])
    share = np.minimum(far[swings.stretch] / (FAR * high), 1.0)
    lift.reshape(-1)[rows] = share * _lacking(swings.part, off.reshape(-1)[rows], high)
    return lift


def _lacking(part: Scalars, off: Scalars, scale: Scalars) -> Scalars:
    """What lacks to the height that a foot has at least when a part (k,) of a step is over, (k,) metres."""
    edge = np.clip(np.minimum(part, 1.0 - part) / EDGE, 0.0, 1.0)
    return np.maximum(LIFT * scale * edge * (2.0 - edge) - np.maximum(off, 0.0), 0.0)
