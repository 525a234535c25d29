"""Near: a condition of triggers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..minds.declaring import Meeting
from ..simulation.arrays.vectors import Rows, Scalars
from .condition import Condition, magnitudes


@dataclass(frozen=True)
class Near(Condition):
    """Something is nearer than the distance."""

    name: ClassVar[str] = "NEAR"
    label: ClassVar[str] = "Near"
    stored_number: ClassVar[int] = 0
    uses: ClassVar[tuple[str, ...]] = ("distance", "who")

    distance: float = 10.0

    def gap(self, meeting: Meeting, watched: Rows) -> Scalars:
        gap = magnitudes(meeting.offset(watched))
        return np.where(gap < self.distance, gap, np.inf)
