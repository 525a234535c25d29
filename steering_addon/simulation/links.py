"""Links: what joins two places where no ground leads from one to the other, such as a ladder, a lift or a jump."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays.once import once
from .arrays.vectors import EPSILON, Mask, Number, Rows, Scalars, Vectors, dot, magnitude
from .declaration import Declared, called, integer, seconds, switch
from .memory import Memory, remembered

CLIMB = 3.0
"""How many times as long as on level ground one takes who climbs: a third of a metre a second, as on ladders."""


@dataclass(frozen=True)
class LinkModel(Declared):
    """How vehicles get over a link.

    Every parameter is a column of one entry.
    """

    seconds: Number = seconds(
        0.0, "Time from one end to the other; 0 for as long as each walks, and three times as long where it climbs"
    )
    both_ways: Mask = switch(True, "Lead from its end to its start as well, in turns; off for escalators and slides")
    at_once: Rows = called(
        "At Once", integer(0, "Number of vehicles that may be on it together; 0 for as many as have room", most=1000)
    )
    stands: Mask = called("Stand", switch(False, "Let rigs stand still on it, as on an escalator", animatable=False))


@dataclass(frozen=True, eq=False)
class Links:
    """The k links of a scene, equal only to themselves.

    Attributes:
        lines: k lines from start to end, (points, 3) each, metres.
        model: k rows.
        present: (k,) whether they can be taken.
        clip: (k,) the number of the clip that is played on each, 0 for none.
        cycle: (k,) metres of a cycle of that; 0 for the whole link.
        carrier: (k,) the row of what carries vehicles over each, -1 for none.
    """

    lines: tuple[Vectors, ...]
    model: LinkModel
    present: Mask
    clip: Rows | None = None
    cycle: Scalars | None = None
    carrier: Rows | None = None

    def __len__(self) -> int:
        return len(self.lines)

    @once
    def carriers(self) -> Rows:
        """(k,) as `carrier`."""
        return np.full(len(self), -1, dtype=np.int64) if self.carrier is None else self.carrier


NO_LINKS = Links((), LinkModel.of(0), np.zeros(0, dtype=np.bool_))


@dataclass(frozen=True, eq=False)
class Line:
    """A line of corners that is gone along.

    Attributes:
        points: (c, 3) metres.
        distance: (c,) metres along it up to each.
    """

    points: Vectors
    distance: Scalars

    @classmethod
    def through(cls, points: Vectors) -> Line:
        """The line through points (c, 3); repeated ones count once."""
        steps = magnitude(points[1:] - points[:-1])
        apart = np.concatenate(([True], steps > EPSILON))
        return cls(points[apart], np.concatenate(([0.0], np.cumsum(steps[steps > EPSILON]))))

    @property
    def length(self) -> float:
        return float(self.distance[-1])

    @property
    def walked(self) -> float:
        """Metres on level ground that take as long."""
        steps = self.points[1:] - self.points[:-1]
        level = np.sqrt(dot(steps[:, :2], steps[:, :2]))
        return float(np.cumsum(level + CLIMB * np.abs(steps[:, 2]))[-1]) if len(steps) else 0.0

    @property
    def chord(self) -> tuple[float, float]:
        """Metres from its start to its end, level and up."""
        x, y, z = (self.points[-1] - self.points[0]).tolist()
        return float(np.sqrt(x * x + y * y)), z

    def at(self, along: Scalars) -> tuple[Vectors, Vectors]:
        """The points at distances along it, and the way from the corner before to the next there; (m,) to (m, 3)."""
        if len(self.points) < 2:
            return np.repeat(self.points[:1], len(along), axis=0), np.zeros((len(along), 3))
        row = np.clip(np.searchsorted(self.distance, along, side="right") - 1, 0, len(self.points) - 2)
        begin, way = self.points[row], self.points[row + 1] - self.points[row]
        part = (along - self.distance[row]) / (self.distance[row + 1] - self.distance[row])
        return begin + way * np.clip(part, 0.0, 1.0)[:, None], way


@dataclass(frozen=True)
class Crossing(Memory):
    """What is remembered of each vehicle that gets over links.

    Attributes:
        link: the row of the link that it is on, -1 for none.
        back: whether it goes from the end of that to its start.
        along: metres along it; below 0 on its way to where it begins.
        place: from where it sets out for that, metres; where it stood.
        waits: seconds for which it has stood before a link.
        spot: the number of its place on what carries it.
    """

    link: Rows = remembered(-1)
    back: Mask = remembered(False)
    along: Scalars = remembered(0.0)
    place: Vectors = remembered((0.0, 0.0, 0.0))
    waits: Scalars = remembered(0.0)
    spot: Rows = remembered(0)

    @property
    def on(self) -> Mask:
        """(n,) the vehicles that are on a link."""
        return self.link >= 0
