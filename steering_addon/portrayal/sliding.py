"""How far the feet of bodies slide on the ground while they stand on it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.scalars import Mask, Rows, Scalars
from ..simulation.arrays.vectors import Vectors, unit_or
from .feet.soles import ALONG_X, FEW, TOUCH, Points, clusters, dwell_height, measure_foot, runs

SLOW = 0.1
"""The share of its usual speed below which a body stands or creeps: any foot on the ground is then a stance."""
WALKS = 0.6
"""Model heights a second of a brisk walk: what mostly runs stands no sooner."""
LEAST_SPEED = 0.05
"""Model heights a second: what is slower does not say how fast a body usually is."""
SHORTEST = 2
"""Steps between frames that a stance has at least."""
EVEN = 0.025
"""Model heights by which feet rest apart: what rests higher or lower is none, such as a cape that stairs come near."""
STILL = 0.2
"""The share of its body's speed below which a foot stands still."""
BACK = -0.5
"""The cosine, of 120 degrees, to where its body faces from which on a foot does not go back."""
BEARS = 0.005
"""Model heights above where it rests up to which a foot bears: one that moves higher up, before it bears or after, is
put down or lifted."""
GATHERS = 0.1
"""Seconds in which a foot that swings has gathered speed."""
OFTEN = 0.5
"""A foot in contact for less than this share of the busiest foot's time does not carry weight."""


@dataclass(frozen=True)
class FootStance:
    """A stance of a foot, between two of the frames of a run. `first`, `last`: the rows of these; `path`: metres that
    its sole moves on the ground; `net`: metres between where it is put down and where it leaves."""

    first: int
    last: int
    path: float
    net: float


@dataclass(frozen=True)
class BodyPace:
    """The pace of a body from frame to frame on f frames, (f - 1,) each.

    Attributes:
        usual: m/s at which it mostly goes, and a brisk walk at most.
        forward: (f - 1, 2) unit vectors to where it faces.
        seconds: of each step between frames.
    """

    speed: Scalars
    usual: float
    forward: Scalars
    seconds: Scalars

    @classmethod
    def of(cls, place: Vectors, forward: Scalars, height: float, seconds: Scalars) -> "BodyPace":
        """The pace of a body of this height, metres, at places (f, 3) and facing (f, 2)."""
        gone = np.diff(place[:, :2], axis=0)
        speed = np.sqrt(np.einsum("fi,fi->f", gone, gone)) / seconds
        moving = np.sort(speed[speed > LEAST_SPEED * height])
        usual = float(moving[len(moving) // 2]) if len(moving) else WALKS * height
        return cls(speed, min(usual, WALKS * height), unit_or(forward[:-1], ALONG_X), seconds)

    @property
    def slow(self) -> Mask:
        """Whether it stands or creeps."""
        return self.speed < SLOW * self.usual


def feet_on(inside: Points, level: Scalars, height: float) -> list[tuple[Rows, float]]:
    """The feet among the points of a body that come near the ground: their columns, and the height at which each rests.

    Args:
        inside: (k, m, 3) in the space of the body on some frames, where the points of a foot move alike whatever is
            below each of them.
        level: (f, m) their heights above the ground on all frames, metres.
        height: of the body, metres.
    """
    groups = [rows for rows in clusters(inside, height) if len(rows) >= FEW]
    soles = [level[:, rows].min(axis=1) for rows in groups]
    rests = np.array([dwell_height(sole, height) for sole in soles])
    counts = np.array([np.count_nonzero(np.abs(sole - rest) < TOUCH * height) for sole, rest in zip(soles, rests)])
    if not len(groups):
        return []
    carry = (counts >= OFTEN * counts.max()) & (np.abs(rests - rests[np.argmax(counts)]) < EVEN * height)
    return [(groups[k], float(rests[k])) for k in np.flatnonzero(carry)]


def longest_slides(
    points: Points, level: Scalars, feet: Sequence[Rows], height: float, pace: BodyPace
) -> list[tuple[float, int]]:
    """The longest way of each foot over the ground in one stance of a body, and the row of its first frame. Returns
    metres and rows; 0 metres for a foot without stances.

    Args:
        points: (f, m, 3) in the world.
        level: (f, m) their heights above the ground.
        feet: the columns of the points of each foot.
        height: of the body, metres.
    """
    longest = []
    for rows in feet:
        rests = dwell_height(level[:, rows].min(axis=1), height)
        slides = [(stance.path, stance.first) for stance in stances_of(points, level, rows, rests, height, pace)]
        longest.append(max(slides, key=lambda slide: slide[0], default=(0.0, 0)))
    return longest


def stances_of(
    points: Points, level: Scalars, rows: Rows, rests: float, height: float, pace: BodyPace
) -> Sequence[FootStance]:
    """The stances of a foot.

    It stands from one frame to the next if its sole is within 1 % of the body's height of where it rests on both, and
    it does not swing: go forwards or aside faster than its body, or gather that speed from a stand. Below a body that
    moves, it also stands where it hardly moves itself, however high: it is held in the air or in the ground. While
    it is put down or lifted, however low, it stands no more, unless it bears at no time.

    Args:
        points: (f, m, 3) in the world.
        level: (f, m) their heights above the ground.
        rows: the columns of the points of the foot.
        height: of the body, metres.
    """
    over_ground = np.concatenate((points[:, rows, :2], level[:, rows, None]), axis=2)
    foot = measure_foot(over_ground, np.arange(len(rows)), height, rests, pace.forward)
    touches = np.abs(foot.sole - rests) < TOUCH * height
    step = np.sqrt(np.einsum("fi,fi->f", foot.step, foot.step))
    rate, rise = step / pace.seconds, np.diff(foot.sole) / pace.seconds
    swings = ~pace.slow & (rate >= pace.speed) & (np.einsum("fi,fi->f", foot.step, pace.forward) > BACK * step)
    stands = rate < STILL * pace.speed
    swings |= _sets_off(swings, stands, pace.seconds) | _sets_off(swings[::-1], stands[::-1], pace.seconds[::-1])[::-1]
    still = ~pace.slow & (np.sqrt(rate * rate + rise * rise) < STILL * pace.speed)
    high = foot.sole - rests > BEARS * height
    lifted = (high[1:] | high[:-1]) & (rate >= STILL * pace.speed)
    gone, x, y = (np.concatenate(([0.0], np.cumsum(steps))) for steps in (step, *foot.step.T))
    return [
        FootStance(
            a,
            b,
            float(gone[b] - gone[a]),
            float(np.sqrt((x[b] - x[a]) * (x[b] - x[a]) + (y[b] - y[a]) * (y[b] - y[a]))),
        )
        for a, b in (_bearing(*ends, high, lifted) for ends in runs((touches[1:] & touches[:-1] | still) & ~swings))
        if b - a >= SHORTEST
    ]


def _bearing(first: int, last: int, high: Mask, lifted: Mask) -> tuple[int, int]:
    """The part of a stance between two frames in which a foot is neither put down nor lifted; all if it never bears.
    `high`: (f,) whether it is too high to bear; `lifted`: (f - 1,) the steps in which it moves there."""
    if high[first : last + 1].all():
        return first, last
    while first < last and lifted[first]:
        first += 1
    while last > first and lifted[last - 1]:
        last -= 1
    return first, last


def _sets_off(swings: Mask, stands: Mask, seconds: Scalars) -> Mask:
    """The steps (f - 1,) in which a foot gathers speed for a swing, all the way from a stand or the first frame. One
    that slides before it swings takes longer."""
    result = np.zeros(len(swings), dtype=np.bool_)
    time = np.concatenate(([0.0], np.cumsum(seconds)))
    for swing in np.flatnonzero(swings[1:] & ~swings[:-1]) + 1:
        start = int(np.max(np.flatnonzero(stands[:swing]), initial=-1)) + 1
        if time[swing] - time[start] < GATHERS:
            result[start:swing] = True
    return result
