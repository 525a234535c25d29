"""Links: what joins two places where no ground leads from one to the other, such as a ladder, a lift or a jump."""

from dataclasses import dataclass

import numpy as np

from .arrays.once import once
from .arrays.scalars import Mask, Number, Rows, Scalars
from .arrays.vectors import Vectors, dot
from .declaration import Declared, integer, seconds, switch
from .geometry.paths import spline
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
    at_once: Rows = integer(
        0, "Number of vehicles that may be on it together; 0 for as many as have room", most=1000, label="At Once"
    )
    stands: Mask = switch(False, "Let rigs stand still on it, as on an escalator", animatable=False, label="Stand")


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
    clip: Rows
    cycle: Scalars
    carrier: Rows

    def __len__(self) -> int:
        return len(self.lines)

    @once
    def length(self) -> Scalars:
        """(k,) metres."""
        return np.array([spline(points, False).length for points in self.lines])


NO_ROWS = np.zeros(0, dtype=np.int64)
NO_LINKS = Links((), LinkModel.of(0), np.zeros(0, dtype=np.bool_), NO_ROWS, np.zeros(0), NO_ROWS)


def walked(points: Vectors) -> float:
    """Metres on level ground that take as long as the way along points (c, 3)."""
    steps = points[1:] - points[:-1]
    level = np.sqrt(dot(steps[:, :2], steps[:, :2]))
    return float(np.cumsum(np.append(0.0, level + CLIMB * np.abs(steps[:, 2])))[-1])


@dataclass(frozen=True)
class Crossing(Memory):
    """The memory of each vehicle that gets over links.

    Attributes:
        link: the row of the link that it is on, -1 for none.
        wants: the row of the link to which its way leads straight, and which it is near, -1 for none.
        back: whether it goes from the end of either to its start.
        ahead: metres up to where that begins, as it last asked for its way.
        along: metres along it; below 0 on its way to where it begins.
        place: where it stood as it set out for the link, metres.
        waits: seconds for which it has stood before a link.
        spot: the number of its place on what carries it.
    """

    link: Rows = remembered(-1)
    wants: Rows = remembered(-1)
    back: Mask = remembered(False)
    ahead: Scalars = remembered(0.0)
    along: Scalars = remembered(0.0)
    place: Vectors = remembered((0.0, 0.0, 0.0))
    waits: Scalars = remembered(0.0)
    spot: Rows = remembered(0)

    @property
    def on(self) -> Mask:
        """(n,) the vehicles that are on a link."""
        return self.link >= 0
