"""Small steps of feet that stand while their body moves or turns: from where they stand to where their clips are.

As a body comes to a stop, its clip draws the foot in that was put down ahead; as it turns on the spot, its feet turn
with it. A foot that is held would have to reach farther and farther. So it is lifted, and put down again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..simulation.arrays.vectors import Mask, Scalars
from .soles import runs

FAR = 0.04
"""Model heights that a foot is from where its clips are, from which on it takes a step."""
TURNED = 0.3
"""Radians that it is turned against its body, alike."""
STEP, STAY = 0.3, 0.2
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
    """When the feet of a body stand once they take small steps, a mask (f - 1,) for each foot.

    Args:
        stances: (f - 1,) for each foot, whether it stands between two frames as its clips have it.
        drifts: (f, 2) metres that each foot has gone over the ground since the first frame.
        heading: (f,) of the body, radians.
        far: (f,) metres from which on a foot takes a step.
        frame_time: seconds.
    """
    rests = [stance.copy() for stance in stances]
    length, stay = (max(round(seconds / frame_time), 2) for seconds in (STEP, STAY))
    waits, long = round(WAITS / frame_time), round(LONG / frame_time)
    for foot, drift in enumerate(drifts):
        others = [rest for number, rest in enumerate(rests) if number != foot]
        carry = np.count_nonzero(np.array(others).reshape(-1, len(heading) - 1), axis=0)
        lacking = np.concatenate(([0], np.cumsum(2 * carry < len(others))))
        for first, last in runs(stances[foot]):
            begin = first
            while last - first >= long and last - begin >= length + 2 * stay:
                strays = _strays(drift[begin : last + 1], heading[begin : last + 1], far[begin : last + 1])
                if not strays.any():
                    break
                earliest, latest = begin + stay, last - length - stay
                best = max(begin + int(np.argmax(strays)) - length // 2, earliest)
                if best > latest:
                    break
                tried = np.arange(max(best - waits, earliest), min(best + length // 2, latest) + 1)
                tried = tried[np.argsort(np.abs(tried - best), kind="stable")]
                start = int(tried[np.argmin(lacking[tried + length] - lacking[tried])])
                rests[foot][start : start + length] = False
                begin = start + length
    return rests


def _strays(drift: Scalars, heading: Scalars, far: Scalars) -> Mask:
    """From which frame on a foot cannot be held in one place, (k,)."""
    extent = [np.maximum.accumulate(column) - np.minimum.accumulate(column) for column in (*drift.T, heading)]
    off = np.sqrt(extent[0] * extent[0] + extent[1] * extent[1])
    return (off > 2.0 * far) | (extent[2] > 2.0 * TURNED)


def small_steps(stance: Mask, rest: Mask) -> Iterator[tuple[slice, Scalars]]:
    """The frames of each small step, the frames at its ends among them, and the share of its time that is over.

    Args:
        stance, rest: (f - 1,) whether it stands as its clips have it, and once it takes small steps.
    """
    for first, last in runs(stance & ~rest):
        yield slice(first, last + 1), (np.arange(first, last + 1) - first) / (last - first)


def carried_over(values: Scalars, stance: Mask, rest: Mask) -> Scalars:
    """Values (f, k) that go from those before each small step to those after it, while the foot is lifted."""
    result = values.copy()
    for rows, part in small_steps(stance, rest):
        share = np.clip((part - 0.5 * EDGE) / (1.0 - EDGE), 0.0, 1.0)
        share = (share * share * (3.0 - 2.0 * share))[:, None]
        result[rows] = values[rows.start] * (1.0 - share) + values[rows.stop - 1] * share
    return result


def lifted(stance: Mask, rest: Mask, off: Scalars, scale: Scalars) -> Scalars:
    """What a foot is lifted by in its small steps, (f,) metres, beyond what its clips lift it by.

    Args:
        stance, rest: as for `small_steps`.
        off: (f,) metres by which its clips have it above where it rests.
        scale: (f,) the height of the body, metres.
    """
    lift = np.zeros(len(scale))
    for rows, part in small_steps(stance, rest):
        lift[rows] = _lacking(part, off[rows], scale[rows])
    return lift


def swung(rest: Mask, gone: Scalars, off: Scalars, scale: Scalars) -> Scalars:
    """What a foot is lifted by as it swings, (f,) metres, so that it does not graze the ground.

    Paws of many clips do; and as a body comes to a stop, what is left of its walk hardly lifts its feet.

    Args:
        rest: (f - 1,) whether it stands between two frames.
        gone: (f, 2) where it is on the ground, metres.
        off, scale: as for `lifted`.
    """
    lift = np.zeros(len(scale))
    for first, last in runs(~rest):
        if first == 0 or last == len(rest):
            continue
        rows, part = slice(first, last + 1), np.arange(last + 1 - first) / (last - first)
        way = gone[last] - gone[first]
        share = np.minimum(np.sqrt(way[0] * way[0] + way[1] * way[1]) / (FAR * scale[rows]), 1.0)
        lift[rows] = share * _lacking(part, off[rows], scale[rows])
    return lift


def _lacking(part: Scalars, off: Scalars, scale: Scalars) -> Scalars:
    """What lacks to the height that a foot has at least when a part (k,) of a step is over, (k,) metres."""
    edge = np.clip(np.minimum(part, 1.0 - part) / EDGE, 0.0, 1.0)
    return np.maximum(LIFT * scale * edge * (2.0 - edge) - np.maximum(off, 0.0), 0.0)
