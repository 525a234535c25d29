"""How far the feet of a body slide and float, from its points on each frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from steering_addon.portrayal.feet.soles import runs
from steering_addon.portrayal.sliding import BodyPace, stances_of

STANDS = 0.02
"""The share of its usual speed below which a slow body stands; one that is faster creeps."""
PASSES = 0.1
"""Seconds for which a body may be as slow as one that creeps: one that brakes to a halt passes through these speeds."""
RAISED = 0.03
"""Metres above where it rests from which a foot is raised."""
STEP = 0.5
"""Seconds that a step takes at most: a foot that is raised for longer hangs in the air."""
NOTHING = 1e3
"""Metres above the ground at which points are that have none below them, as beyond the border of stairs."""


@dataclass
class Slides:
    """What was measured of one body or several.

    Attributes:
        paths: (s,) metres that a sole moves on the ground in each stance.
        nets: (s,) metres between where it is put down and where it leaves, alike.
        vertical: (k,) metres that a sole is above the ground, on each frame of each stance.
        frames: that were looked at, of all bodies.
        creeping, raised, hanging: the number of these on which a body creeps, stands with a raised foot, with one that
            stays raised for longer than a step.
    """

    paths: np.ndarray = field(default_factory=lambda: np.zeros(0))
    nets: np.ndarray = field(default_factory=lambda: np.zeros(0))
    vertical: np.ndarray = field(default_factory=lambda: np.zeros(0))
    frames: int = 0
    creeping: int = 0
    raised: int = 0
    hanging: int = 0

    def __add__(self, other: Slides) -> Slides:
        counts = ("frames", "creeping", "raised", "hanging")
        return Slides(
            *(np.concatenate((getattr(self, name), getattr(other, name))) for name in ("paths", "nets", "vertical")),
            *(getattr(self, name) + getattr(other, name) for name in counts),
        )


def slides(
    points: np.ndarray,
    level: np.ndarray,
    feet: Sequence[tuple[np.ndarray, float]],
    place: np.ndarray,
    facing: np.ndarray,
    height: float,
    seconds: np.ndarray,
) -> Slides:
    """What is measured of a body on f frames.

    Args:
        points: (f, m, 3) its points in the world.
        level: (f, m) their heights above the ground below each, `NOTHING` where there is none: a foot is not
            measured in a stance in which part of it is over nothing.
        feet: the columns of the points of each foot, and the height at which it rests.
        place, facing: (f, 3) where the body is, and (f, 2) the unit vector to where it faces.
        height: of the model, metres.
        seconds: (f - 1,) from each frame to the next.
    """
    pace = BodyPace.of(place, facing, height, seconds)
    result = Slides(frames=len(seconds))
    raised, hanging = np.zeros((2, len(seconds)), dtype=bool)
    stands = pace.speed < STANDS * pace.usual
    for rows, rests in feet:
        lowest, beyond = level[:, rows].min(axis=1), level[:, rows].max(axis=1) >= NOTHING
        for stance in stances_of(points, level, rows, rests, height, pace):
            when = slice(stance.first, stance.last + 1)
            if beyond[when].any():
                continue
            result += Slides(np.array([stance.path]), np.array([stance.net]), lowest[when])
        up = stands & (lowest[1:] > rests + RAISED) & ~beyond[1:]
        raised |= up
        for first, last in runs(up):
            hanging[first:last] |= seconds[first:last].sum() > STEP
    creeps = runs(pace.slow & (pace.speed > STANDS * pace.usual))
    result.creeping = sum(last - first for first, last in creeps if seconds[first:last].sum() > PASSES)
    result.raised, result.hanging = int(np.count_nonzero(raised)), int(np.count_nonzero(hanging))
    return result
