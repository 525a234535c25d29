"""Small steps of feet that stand while their body moves or turns: from where they stand to where their clips are.

As a body comes to a stop, its clip draws the foot in that was put down ahead; as it turns on the spot, its feet turn
with it. A foot that is held would have to reach farther and farther. So it is lifted, and put down again.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...simulation.arrays.scalars import Mask, Rows, Scalars, firsts
from .holding import Stretches, smooth

FAR = 0.04
"""Model heights that a foot is from where its clips are, from which on it takes a step."""
TURNED = 0.3
"""Radians that it is turned against its body, alike."""
MOST_TURN, WHIRLS = 1.0, 1.3
"""Radians that a foot is turned against its body at most, and by which a body that whirls round turns in a second or in
a shorter stance."""
STEP, STAY, BRIEF = 0.3, 0.3, 0.12
"""Seconds of a step, and for which a foot stands at least before it and after it: less where its body whirls round."""
LONG = 1.0
"""Seconds for which a foot stands that may take a small step, unless its body whirls round: in a walk it stands for
less."""
WAITS = 0.7
"""Seconds by which a step is earlier at most, so that other feet carry the body; it is later by half a step at most,
as the foot strays farther until then."""
LIFT = 0.014
"""Model heights by which a foot is lifted in a step, and at least as it swings."""
EDGE = 0.25
"""The share of a step in which it is lifted, and that in which it is put down."""


def add_small_steps(
    stances: Sequence[Mask], drifts: Sequence[Scalars], heading: Scalars, limit: Scalars, frame_time: float
) -> list[Mask]:
    """When the feet of bodies stand once they take small steps, a mask (..., f - 1) for each foot.

    Args:
        stances: (..., f - 1) for each foot, whether it stands between two frames as its clips have it.
        drifts: (..., f, 2) metres that each foot has gone over the ground since the first frame.
        heading: (..., f) of each body, radians.
        limit: (..., f) metres from which on a foot takes a step.
    """
    frames, rests = heading.shape[-1], [stance.copy() for stance in stances]
    if frames < 2:
        return rests
    masks = [rest.reshape(-1, frames - 1) for rest in rests]
    paths = [drift.reshape(-1, frames, 2) for drift in drifts]
    heading, limit = heading.reshape(-1, frames), limit.reshape(-1, frames)
    long = max(round(LONG / frame_time), 2)
    straying = [_straying(Stretches.of(mask), path, heading, limit, long) for mask, path in zip(masks, paths)]
    for body in sorted({body for stays in straying for body in stays.body.tolist()}):
        for foot, stays in enumerate(straying):
            others = np.array([mask[body] for number, mask in enumerate(masks) if number != foot], dtype=np.bool_)
            few = 2 * np.count_nonzero(others.reshape(-1, frames - 1), axis=0) < len(others)
            track = paths[foot][body], heading[body], limit[body]
            _lift(masks[foot][body], stays[stays.body == body], few, track, frame_time)
    return rests


def _straying(stays: Stretches, path: Scalars, heading: Scalars, limit: Scalars, long: int) -> Stretches:
    """The stances of a foot that may not be held in one place: long ones, and brief ones of bodies that whirl."""
    if not len(stays):
        return stays
    rows, stay = stays.within(heading.shape[-1], 1)
    begin = firsts(stay)
    tracks = (track.reshape(-1)[rows] for track in (path[..., 0], path[..., 1], heading))
    x, y, turned = (np.maximum.reduceat(column, begin) - np.minimum.reduceat(column, begin) for column in tracks)
    least = 2.0 * np.minimum.reduceat(limit.reshape(-1)[rows], begin)
    strays = (np.sqrt(x * x + y * y) > least) | (turned > 2.0 * TURNED)
    return stays[np.where(stays.length >= long, strays, turned > WHIRLS)]


def _lift(rest: Mask, stays: Stretches, few: Mask, track: tuple[Scalars, Scalars, Scalars], frame_time: float) -> None:
    """Lift a foot of one body for small steps in some stances; its mask (f - 1,) is changed. `few`: (f - 1,) whether
    less than half of the other feet stand; `track`: its way (f, 2), the heading of the body, and how far it may stray,
    (f,)."""
    length, *stills = (max(round(seconds / frame_time), 2) for seconds in (STEP, STAY, BRIEF))
    waits, lacking = round(WAITS / frame_time), np.concatenate(([0], np.cumsum(few)))
    for begin, last in zip(stays.first.tolist(), stays.last.tolist()):
        heading = track[1][begin : last + 1]
        turned = np.max(heading) - np.min(heading)
        still = stills[int(turned > WHIRLS * max((last - begin) * frame_time, 1.0))]
        while last - begin >= length + 2 * still:
            strays = _strays(*(column[begin : last + 1] for column in track))
            earliest, latest = begin + still, last - length - still
            best = max(begin + int(np.argmax(strays)) - length // 2, earliest)
            if not strays.any() or best > latest:
                break
            tried = np.arange(max(best - waits, earliest), min(best + length // 2, latest) + 1)
            tried = tried[np.argsort(np.abs(tried - best), kind="stable")]
            start = int(tried[np.argmin(lacking[tried + length] - lacking[tried])])
            rest[start : start + length] = False
            begin = start + length


def _strays(path: Scalars, heading: Scalars, limit: Scalars) -> Mask:
    """From which frame on a foot cannot be held in one place, (k,)."""
    x, y, turned = (np.maximum.accumulate(column) - np.minimum.accumulate(column) for column in (*path.T, heading))
    return (np.sqrt(x * x + y * y) > 2.0 * limit) | (turned > 2.0 * TURNED)


@dataclass(frozen=True)
class Lifts:
    """The frames of k stretches in which feet are off the ground.

    Attributes:
        frame: (m,) rows of columns of all frames of all bodies.
        stretch: (m,) the stretch of each.
        fraction: (m,) the share of its time that is over.
        start, end: (k,) the rows of the frames at the ends.
    """

    frame: Rows
    stretch: Rows
    fraction: Scalars
    start: Rows
    end: Rows

    @classmethod
    def of(cls, lifts: Stretches, frames: int) -> "Lifts":
        """The lifts in stretches between frames, the frames at their ends among them, of bodies with this number of
        frames each."""
        rows, stretch = lifts.within(frames, 1)
        start, length = lifts.body * frames + lifts.first, lifts.length
        return cls(rows, stretch, (rows - start[stretch]) / length[stretch], start, start + length)


def small_steps(stance: Mask, rest: Mask) -> Lifts:
    """The small steps of a foot. `stance`, `rest`: (..., f - 1) whether it stands as its clips have it, and once it
    takes small steps."""
    return Lifts.of(Stretches.of(stance & ~rest), stance.shape[-1] + 1)


def carry_over(values: Scalars, steps: Lifts) -> Scalars:
    """Values (..., f, k) that go from those before each small step to those after it, while the foot is lifted."""
    result = values.copy(order="C")
    flat = result.reshape(-1, values.shape[-1])
    share = smooth((steps.fraction - 0.5 * EDGE) / (1.0 - EDGE))[:, None]
    flat[steps.frame] = flat[steps.start][steps.stretch] * (1.0 - share) + flat[steps.end][steps.stretch] * share
    return result


def step_lift(steps: Lifts, off: Scalars, scale: Scalars) -> Scalars:
    """The lift of feet in their small steps, (..., f) metres, on top of that of their clips. `off`: (..., f) metres by
    which clips have them above where they rest; `scale`: (..., f) the height of the body, metres."""
    lift = np.zeros(off.shape)
    rows = steps.frame
    lift.reshape(-1)[rows] = _lacking(steps.fraction, off.reshape(-1)[rows], scale.reshape(-1)[rows])
    return lift


def swing_clearance(rest: Mask, gone: Scalars, scale: Scalars) -> Scalars:
    """The least height of feet that swing above where they rest, (..., f) metres, so that they do not graze the ground.

    Paws of many clips do; and as a body comes to a stop, what is left of its walk hardly lifts its feet. `rest`: (...,
    f - 1) whether a foot stands between two frames; `gone`: (..., f, 2) where it is on the ground, metres; `scale`:
    (..., f) the height of the body, metres.
    """
    least = np.zeros(scale.shape)
    lifts = Stretches.of(~rest)
    swings = Lifts.of(lifts[(lifts.first > 0) & (lifts.last < rest.shape[-1])], scale.shape[-1])
    rows, high = swings.frame, scale.reshape(-1)[swings.frame]
    place = gone.reshape(-1, 2)
    offset = place[swings.end] - place[swings.start]
    distance = np.sqrt(offset[:, 0] * offset[:, 0] + offset[:, 1] * offset[:, 1])
    share = np.minimum(distance[swings.stretch] / (FAR * high), 1.0)
    least.reshape(-1)[rows] = share * _lacking(swings.fraction, np.zeros(len(rows)), high)
    return least


def _lacking(fraction: Scalars, off: Scalars, scale: Scalars) -> Scalars:
    """The height that feet lack to the least one of a step when a fraction (k,) of it is over, (k,) metres."""
    return np.maximum(LIFT * scale * share_of_lift(fraction) - np.maximum(off, 0.0), 0.0)


def share_of_lift(fraction: Scalars) -> Scalars:
    """The share of its lift that feet have when a fraction (k,) of a step is over, (k,)."""
    edge = np.clip(np.minimum(fraction, 1.0 - fraction) / EDGE, 0.0, 1.0)
    return edge * (2.0 - edge)
