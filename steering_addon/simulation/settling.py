"""Settling: how vehicles come to a place at which others are already. All see who stands at which."""

from dataclasses import dataclass

import numpy as np

from .arrays.scalars import Mask, Rows, Scalars
from .memory import Memory, remembered


@dataclass(frozen=True)
class Settling(Memory):
    """How agents get on with coming to a place. A behavior that remembers this lets all others see it.

    Attributes:
        nearest: (n,) the least distance to the place so far, or where the agent settled, metres.
        time: (n,) how long the agent has not come nearer, seconds.
        settled: (n,) whether it has settled.
        target: (n,) the place, as a row of World.bodies; -1 for none.
        distance: (n,) metres to it.
        asked: (n,) the time at which it last went there, seconds.
    """

    nearest: Scalars = remembered(np.inf)
    time: Scalars = remembered(0.0)
    settled: Mask = remembered(False)
    target: Rows = remembered(-1)
    distance: Scalars = remembered(0.0)
    asked: Scalars = remembered(-np.inf)

    @property
    def rests(self) -> Mask:
        """(n,) the agents that have settled."""
        return self.settled
