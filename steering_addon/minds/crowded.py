"""Crowded: a condition of triggers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..minds.declaring import Meeting
from ..simulation.arrays.vectors import Rows, Scalars
from .condition import Condition, mates_within


@dataclass(frozen=True)
class Crowded(Condition):
    """Mates within the distance reach the count."""

    name: ClassVar[str] = "CROWDED"
    label: ClassVar[str] = "Crowded"
    stored_number: ClassVar[int] = 7
    uses: ClassVar[tuple[str, ...]] = ("distance", "count")

    distance: float = 10.0
    count: int = 8

    def gap(self, meeting: Meeting, watched: Rows) -> Scalars:
        return np.where(mates_within(meeting, self.distance) >= self.count, 0.0, np.inf)
