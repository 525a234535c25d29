"""Stations: the place that each vehicle has in a formation. All vehicles see who has which."""

from dataclasses import dataclass

import numpy as np

from .arrays.scalars import Mask, Rows, Scalars, nobody, put, which
from .arrays.vectors import Vectors
from .memory import Memory, recently, remembered

FREE, NONE_LEFT = -1, -2
"""In place of the vertex that an agent has taken."""


@dataclass(frozen=True)
class Station(Memory):
    """The place that each agent has in a formation. A behavior that remembers this lets all others see it.

    Attributes:
        local: (n, 3) ahead, to the right and up as seen from the leader, metres; nan before there is one.
        velocity: (n, 3) at which it got through the last step, m/s.
        shape: (n,) the row of the shape at whose vertices it last was to be; -1 before.
        leader: (n,) the row of the body about which it last had its place; -1 before.
        vertex: (n,) the row of the vertex that it has taken there; FREE or NONE_LEFT.
        off: (n,) how far it is off its place, metres.
        asked: (n,) the time at which it last kept its place, seconds.
    """

    local: Vectors = remembered((np.nan, np.nan, np.nan))
    velocity: Vectors = remembered((np.nan, np.nan, np.nan))
    shape: Rows = remembered(-1)
    leader: Rows = remembered(-1)
    vertex: Rows = remembered(FREE)
    off: Scalars = remembered(0.0)
    asked: Scalars = remembered(-np.inf)

    def kept(self, time: float, interval: float) -> Mask:
        """(n,) the vehicles that keep their places. `time`: now, seconds; `interval`: seconds from one decision to the
        next."""
        return recently(self.asked, time, interval)

    def together(self, vehicle: Rows, body: Rows, stands: Mask) -> Mask:
        """(p,) whether vehicles stand in their places about one leader, which keep them apart from bodies of rows (p,).
        `stands`: (n,) the vehicles that stand in theirs."""
        known = which(body < len(self.leader))
        both = stands[vehicle[known]] & stands[body[known]] & (self.leader[vehicle[known]] == self.leader[body[known]])
        return put(nobody(len(body)), known, both)
