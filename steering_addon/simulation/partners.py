"""Partners: which two vehicles do something together, as in a fight. All vehicles see who is whose partner."""

from dataclasses import dataclass

import numpy as np

from .arrays.scalars import Mask, Rows, Scalars
from .memory import Memory, recently, remembered


@dataclass(frozen=True)
class Partners(Memory):
    """The partner of each agent. A behavior that remembers this lets all others see it.

    Attributes:
        wanted: (n,) the row in World.bodies of whom it wants for its partner, -1 for none.
        has: (n,) whether that is its partner now.
        stands: (n,) whether it stands before its partner.
        met: (n,) the time at which both had come to stand face to face, seconds; inf while they have not.
        hindered: (n,) seconds for which it has come no nearer to its partner, though it does not stand before it; below
            0 those left in which it tries no way round others.
        apart: (n,) metres from it to its partner for which its clips are made, 0 for any.
        asked: (n,) the time at which it last looked for a partner, seconds.
    """

    wanted: Rows = remembered(-1)
    has: Mask = remembered(False)
    stands: Mask = remembered(False)
    met: Scalars = remembered(np.inf)
    hindered: Scalars = remembered(0.0)
    apart: Scalars = remembered(0.0)
    asked: Scalars = remembered(-np.inf)

    def looking(self, time: float, interval: float) -> Mask:
        """(n,) the vehicles that look for a partner, or have one. `time`: now, seconds; `interval`: seconds from one
        decision to the next."""
        return recently(self.asked, time, interval)

    def row(self, time: float, interval: float) -> Rows:
        """(n,) the row of the partner before which each stands, -1 for none; `time`, `interval`: as of `looking`."""
        return np.where(np.isfinite(self.met) & self.looking(time, interval), self.wanted, -1)
