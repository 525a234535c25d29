"""Arrived: a condition of triggers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..minds.declaring import Meeting
from ..simulation.arrays.vectors import Rows, Scalars
from .condition import Condition


@dataclass(frozen=True)
class Arrived(Condition):
    """It is where one of its behaviors leads it."""

    name: ClassVar[str] = "ARRIVED"
    label: ClassVar[str] = "Arrived"
    stored_number: ClassVar[int] = 4
    uses: ClassVar[tuple[str, ...]] = ()

    def gap(self, meeting: Meeting, watched: Rows) -> Scalars:
        return np.where(meeting.arrived[meeting.rows], 0.0, np.inf)
