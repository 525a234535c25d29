"""How the clips of wings, tails and fins are played: at the rate and as wide as the effort of their bodies asks.

The settings are those by which drivers beat wings: a climb and a gain of speed raise the rate, and between bursts it
glides. A clip takes the place of their cycle time.
"""

from __future__ import annotations

import numpy as np

from ..simulation.arrays.chance import Keys
from ..simulation.arrays.frozen import replace
from ..simulation.arrays.vectors import Mask, Scalars, Vectors, magnitude
from .driver_properties import EFFORT, PHASE, TIME, DriverProperties, Portrayal


class Beats:
    """The beats of n bodies, frame after frame."""

    def __init__(self, portrayal: Portrayal, keys: Keys, frame_time: float, cruise: float) -> None:
        """`portrayal` and `keys` have n rows; `frame_time` is in seconds, `cruise` the usual speed, 0 if unknown."""
        n = len(keys)
        seconds = replace(portrayal, phase_by=np.full(n, TIME), cycle_time=np.ones(n))
        self._run = DriverProperties(seconds, keys, frame_time, cruise)
        self._sizes, self._before = np.ones(n), np.zeros(n)

    def frame(self, position: Vectors, velocity: Vectors, entered: Mask) -> tuple[Scalars, Scalars]:
        """What they have beaten since the frame before, (n,) seconds at the usual rate, and their effort, (n,).

        Args:
            position, velocity: (n, 3) metres, m/s.
            entered: (n,) whether this is the first frame on which a body is present.
        """
        numbers = self._run.frame(position, self._sizes, entered, magnitude(velocity))
        beaten = numbers[PHASE] - self._before
        self._before = numbers[PHASE]
        return beaten, numbers[EFFORT]
