"""Outside: a condition of triggers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ..minds.declaring import Meeting
from ..simulation.arrays.vectors import Rows, Scalars
from .condition import Condition, within


@dataclass(frozen=True)
class Outside(Condition):
    """It is farther than the margin outside all regions that it watches."""

    name: ClassVar[str] = "OUTSIDE"
    label: ClassVar[str] = "Outside"
    stored_number: ClassVar[int] = 3
    uses: ClassVar[tuple[str, ...]] = ("where", "margin")

    regions: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    margin: float = 0.0

    def gap(self, meeting: Meeting, watched: Rows) -> Scalars:
        return np.where(within(meeting, self.regions, self.margin), np.inf, 0.0)
