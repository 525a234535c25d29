"""Feet that climb: how those swing that come down on another step than the one that they leave.

Such a foot goes up before it goes ahead, and ahead before it comes down: the way from edge to edge of the steps is
free then. So it rises in the first part of its swing, and sinks in the last.
"""

from dataclasses import dataclass

import numpy as np

from ...simulation.arrays.scalars import Mask, Rows, Scalars
from ...simulation.arrays.vectors import Vectors
from .holding import Stretches, smooth
from .planes import ROUGH, Planes
from .small_steps import EDGE

HIGH = 0.05
"""Model heights from which on what is between two stances is a step altogether."""
STAYS = 0.25
"""The share of a swing after which a foot goes ahead that goes up, and before whose end it is there that comes down."""
BACK = 0.02
"""Model heights by which toes are drawn back before they go up, from the riser before them."""
CLIMBS = 0.6
"""The share of a swing in which it goes up or down."""


@dataclass(frozen=True)
class Climb:
    """The frames of k swings that climb, without those of the stances before and after.

    Attributes:
        frame: (m,) rows of columns of all frames of all bodies.
        swing: (m,) the swing of each.
        fraction: (m,) the share of its time that is over.
        start, end: (k,) the rows of the frames at its ends.
        share: (k,) how much of a step is between these, 0 to 1.
        up: (k,) whether it goes up.
    """

    frame: Rows
    swing: Rows
    fraction: Scalars
    start: Rows
    end: Rows
    share: Scalars
    up: Mask

    @classmethod
    def of(cls, stances: Stretches, planes: Planes, hold: Vectors, scale: Scalars, other: Mask) -> "Climb":
        """The swings between stances that climb.

        Args:
            hold: (..., f, 3) where feet are, metres.
            scale: (..., f) the height of the body, metres.
            other: (..., f) whether feet are on no ground or graze it. What swings meanwhile does not climb: in a fast
                gallop it is several swings.
        """
        frames = scale.shape[-1]
        first = np.flatnonzero(stances.body[1:] == stances.body[:-1])
        start = stances.body[first] * frames + stances.last[first]
        end = stances.body[first + 1] * frames + stances.first[first + 1]
        x, y = (hold[..., axis].reshape(-1)[end] for axis in (0, 1))
        rise = planes.height(first + 1, x, y) - planes.height(first, x, y)
        high = scale.reshape(-1)[end]
        share = np.clip((np.abs(rise) / high - ROUGH) / (HIGH - ROUGH), 0.0, 1.0)
        off = np.cumsum(other)
        few = np.flatnonzero((share > 0.0) & (end > start + 1) & (off[end] == off[start]))
        start, end = start[few], end[few]
        between = Stretches(stances.body[first], stances.last[first] + 1, stances.first[first + 1])
        frame, swing = between[few].within(frames)
        fraction = (frame - start[swing]) / (end - start)[swing]
        return cls(frame, swing, fraction, start, end, share[few], rise[few] > 0.0)

    def __len__(self) -> int:
        return len(self.start)

    def ahead(self, hold: Vectors, sole: Vectors, scale: Scalars) -> Scalars:
        """By how much feet are moved on the level, (m, 2) metres, so that their toes, or going down their heels, go so.
        `hold`: (..., f, 3) where they would be; `sole`: (..., f, points, 3) the points of their soles, from there."""
        place, points = hold[..., :2].reshape(-1, 2), sole[..., :2].reshape(-1, sole.shape[-2], 2)
        direction = place[self.end] - place[self.start]
        length = np.sqrt(direction[:, 0] * direction[:, 0] + direction[:, 1] * direction[:, 1])
        direction = direction / np.maximum(length, 1e-9)[:, None]

        def edge(frame: Rows, swing: Rows) -> Scalars:
            """How far along its way the first edge of a foot is that meets a step."""
            unit, off = direction[swing], place[frame] - place[self.start[swing]]
            reach = points[frame, :, 0] * unit[:, :1] + points[frame, :, 1] * unit[:, 1:]
            ends = np.where(self.up[swing], reach.max(axis=1), reach.min(axis=1))
            return off[:, 0] * unit[:, 0] + off[:, 1] * unit[:, 1] + ends

        every = np.arange(len(self))
        first, end = edge(self.start, every)[self.swing], edge(self.end, every)[self.swing]
        up = self.up[self.swing]
        first -= np.where(up, BACK * scale.reshape(-1)[self.frame] * smooth(2.0 * self.fraction / STAYS), 0.0)
        target = first + (end - first) * smooth((self.fraction - np.where(up, STAYS, 0.0)) / (1.0 - STAYS))
        return ((target - edge(self.frame, self.swing)) * self.share[self.swing])[:, None] * direction[self.swing]

    def height(self, low: Scalars) -> Scalars:
        """The heights of their soles over what lies between, (m,) metres; `low` (..., f) are those of stances."""
        heights = low.reshape(-1)
        before, after = heights[self.start][self.swing], heights[self.end][self.swing]
        late = np.where(self.up[self.swing], 0.0, 1.0 - CLIMBS)
        return before + (after - before) * smooth((self.fraction - late) / CLIMBS)

    def clearance(self, sunk: Scalars, scale: Scalars) -> Scalars:
        """A smooth lift, (m,) metres, that takes feet over what they would go through by `sunk` (m,) metres."""
        edge = np.clip(np.minimum(self.fraction, 1.0 - self.fraction) / EDGE, 0.0, 1.0)
        bump = edge * (2.0 - edge)
        begin = np.flatnonzero(np.diff(self.swing, prepend=-1))
        peak = np.maximum.reduceat(np.maximum(sunk, 0.0) / np.maximum(bump, 0.5), begin)
        return bump * peak[self.swing]
