"""Faster: a condition of triggers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..minds.declaring import Meeting
from ..simulation.arrays.vectors import Rows, Scalars
from .condition import Condition


@dataclass(frozen=True)
class Faster(Condition):
    """It is faster than the speed."""

    name: ClassVar[str] = "FASTER"
    label: ClassVar[str] = "Faster"
    stored_number: ClassVar[int] = 9
    uses: ClassVar[tuple[str, ...]] = ("speed",)

    speed: float = 5.0

    def gap(self, meeting: Meeting, watched: Rows) -> Scalars:
        return np.where(meeting.speed > self.speed, 0.0, np.inf)
