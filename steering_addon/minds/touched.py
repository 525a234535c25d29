"""Touched: a condition of triggers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..minds.declaring import Meeting
from ..simulation.arrays.vectors import Rows, Scalars
from .condition import Condition, magnitudes

TOUCH = 0.1
"""Radii within which bodies touch: contacts keep them from overlapping."""


@dataclass(frozen=True)
class Touched(Condition):
    """Something touches it."""

    name: ClassVar[str] = "TOUCHED"
    label: ClassVar[str] = "Touched"
    stored_number: ClassVar[int] = 5
    uses: ClassVar[tuple[str, ...]] = ("who",)

    def gap(self, meeting: Meeting, watched: Rows) -> Scalars:
        extent = meeting.world.bodies.extent
        apart = magnitudes(meeting.offset(watched)) - extent[watched][None] - extent[meeting.rows][:, None]
        return np.where(apart <= TOUCH * extent[meeting.rows][:, None], np.maximum(apart, 0.0), np.inf)
