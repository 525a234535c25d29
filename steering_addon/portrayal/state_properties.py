"""What state each vehicle is in, as numbers keyed on it: for rigs, shape keys and clips that know nothing of crowds.

One whole number names the state. The others say how far a vehicle has taken up each state, so that what they drive
comes and goes as gently as the motion does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..simulation.arrays.vectors import Scalars
from ..simulation.mindset import Mindset

STATE = "steering_state"
"""The property that holds the number of the state. Files store this name and drivers refer to it: it never changes."""
SHARE = "state_"
"""How the names of the properties begin that hold the shares. Never changes."""


def is_of_states(name: str) -> bool:
    """Whether a property of a vehicle may be one of these."""
    return name == STATE or name.startswith(SHARE)


class StateColumns:
    """The numbers of m vehicles of a crowd with k states, taken in frame by frame.

    Attributes:
        number: (m, f) the number of the state, 0 for none.
        shares: (k, m, f) how far each state is taken up, 0 to 1.
    """

    def __init__(self, numbers: Sequence[int], vehicles: int, frames: int) -> None:
        """`numbers` (k,) of the states, in the order of the modes."""
        self._numbers = np.array([0, *numbers], dtype=np.int32)
        self.number = np.zeros((vehicles, frames), dtype=np.int32)
        self.shares = np.zeros((len(numbers), vehicles, frames), dtype=np.float32)

    def take(self, row: int, mindset: Mindset, part: Scalars) -> None:
        """Take in a frame, the one of this row.

        Args:
            mindset: of the m vehicles.
            part: (m,) how far each has taken up its mode; the rest of it is still in those before.
        """
        self.number[:, row] = self._numbers[mindset.mode]
        spread = mindset.spread(part)
        for k, shares in enumerate(self.shares, 1):
            shares[:, row] = spread[:, k]
