"""Where heads turn: a while ahead of the body, to where it will face, or to something that is looked at."""

from __future__ import annotations

import numpy as np

from ..simulation.arrays.angles import angle_of
from ..simulation.arrays.vectors import Mask, Scalars, Vectors, cross, dot

FURTHEST = 1.2
"""Radians that a head turns to either side at most."""
LETS_GO = 2.4
"""Radians to the side from which on nothing is looked at: it is behind the shoulder. From FURTHEST on, heads turn back
the more, the further it is."""
EYES = 0.93
"""The height of the eyes, as a share of that of the body, where no bone says it."""
UP, DOWN = 0.6, 0.5
"""Radians that a head is raised and lowered at most to look at something."""
NOTICES = 1.5
"""Seconds for which one that moves looks at what called it."""
STANDS = 0.05
"""Body heights a second below which it stands, and still looks."""
EASING = 0.25
"""Seconds, to either side, over which the turn of a head that looks at something is a mean."""
SMOOTHING = 0.12
"""Seconds, to either side, over which the turn of a head is a mean."""


def leads(forward: Vectors, up: Vectors, lead: float, frame_time: float) -> Scalars:
    """How far the head of a body is turned to the left on f frames, (f,) radians.

    It faces where the body will face a moment later, however often that has turned round.

    Args:
        forward, up: (f, 3) unit axes of the body.
        lead: seconds.
        frame_time: seconds.
    """
    frames = np.arange(len(forward), dtype=np.float64)
    left = cross(up[:-1], forward[:-1])
    turns = angle_of(dot(forward[1:], left), dot(forward[1:], forward[:-1]))
    heading = np.concatenate(([0.0], np.cumsum(turns)))
    ahead = np.interp(frames + lead / frame_time, frames, heading) - heading
    return _eased(np.clip(ahead, -FURTHEST, FURTHEST), SMOOTHING, frame_time)


def toward(
    target: Vectors, eyes: Vectors, forward: Vectors, up: Vectors, otherwise: Scalars, frame_time: float
) -> tuple[Scalars, Scalars]:
    """How far the head of a body is turned to the left and raised on f frames to look at a point, (f,) radians each.

    Not further than a neck turns; and straight ahead for what is behind.

    Args:
        target, eyes: (f, 3) the point, nan where nothing is looked at, and the middle of the head, metres.
        forward, up: (f, 3) unit axes of the body.
        otherwise: (f,) how far it is turned where nothing is looked at, radians.
        frame_time: seconds.
    """
    left, raised = aimed(target, eyes, forward, up, otherwise)
    return _eased(left, EASING, frame_time), _eased(raised, EASING, frame_time)


def aimed(target: Vectors, eyes: Vectors, forward: Vectors, up: Vectors, otherwise: Scalars) -> tuple[Scalars, Scalars]:
    """How far heads are turned to the left and raised to look at points, (n,) radians each, without easing.

    Args:
        target, eyes, forward, up, otherwise: as for `toward`, of n heads on a frame or of one on n frames.
    """
    sees = np.isfinite(target[:, 0])
    offset = np.where(sees[:, None], target - eyes, forward)
    ahead, aside, above = dot(offset, forward), dot(offset, cross(up, forward)), dot(offset, up)
    angle = angle_of(aside, ahead)
    looks = np.clip((LETS_GO - np.abs(angle)) / (LETS_GO - FURTHEST), 0.0, 1.0)
    raised = angle_of(above, np.sqrt(ahead * ahead + aside * aside))
    left = np.where(sees, np.clip(angle, -FURTHEST, FURTHEST) * looks, otherwise)
    return left, np.where(sees, np.clip(raised, -DOWN, UP) * looks, 0.0)


def expected(forward: Vectors, up: Vectors, before: Vectors, seconds: float, lead: float) -> Scalars:
    """How far bodies will turn to the left while they turn on as they do, (n,) radians: what `leads` comes to where
    the future is not known.

    Args:
        forward, up: (n, 3) unit axes.
        before: (n, 3) how they faced these seconds ago.
        lead: seconds.
    """
    turn: Scalars = -angle_of(dot(before, cross(up, forward)), dot(before, forward))
    return np.clip(turn * (lead / seconds), -FURTHEST, FURTHEST)


def followed(before: Scalars, wanted: Scalars, looks: Mask, frame_time: float) -> Scalars:
    """How far heads have turned a frame later, (n,) radians, as they follow what is wanted.

    Args:
        before, wanted: (n,) radians.
        looks: (n,) whether they look at something: then they turn more slowly.
    """
    share = np.minimum(frame_time / np.where(looks, EASING, SMOOTHING), 1.0)
    return before + (wanted - before) * share


def attends(since: Scalars, speed: Scalars, height: Scalars) -> Mask:
    """Whether bodies look at what called them into a state, (n,).

    Args:
        since: (n,) seconds since they took up the state.
        speed, height: (n,) m/s and metres.
    """
    looks: Mask = (since < NOTICES) | (speed < STANDS * height)
    return looks


def _eased(angle: Scalars, time: float, frame_time: float) -> Scalars:
    """The running mean of angles (f,) over a time to either side, seconds."""
    count, reach = len(angle), int(np.floor(time / frame_time + 0.5))
    sums = np.concatenate(([0.0], np.cumsum(angle)))
    first = np.maximum(np.arange(count) - reach, 0)
    last = np.minimum(np.arange(count) + reach + 1, count)
    return (sums[last] - sums[first]) / (last - first)
