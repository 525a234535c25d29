"""Stuck: a condition of triggers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..minds.declaring import Meeting
from ..simulation.arrays.vectors import Rows, Scalars
from .condition import Condition


@dataclass(frozen=True)
class Stuck(Condition):
    """It has somewhere to go and has not got on for the time."""

    name: ClassVar[str] = "STUCK"
    label: ClassVar[str] = "Stuck"
    stored_number: ClassVar[int] = 8
    uses: ClassVar[tuple[str, ...]] = ("time",)

    time: float = 2.0

    def gap(self, meeting: Meeting, watched: Rows) -> Scalars:
        return np.where(meeting.before.idle[meeting.rows] >= self.time, 0.0, np.inf)
