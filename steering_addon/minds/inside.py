"""Inside: a condition of triggers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ..minds.declaring import Meeting
from ..simulation.arrays.vectors import Rows, Scalars
from .condition import Condition, within


@dataclass(frozen=True)
class Inside(Condition):
    """It is inside a region."""

    name: ClassVar[str] = "INSIDE"
    label: ClassVar[str] = "Inside"
    stored_number: ClassVar[int] = 2
    uses: ClassVar[tuple[str, ...]] = ("where",)

    regions: Rows = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def gap(self, meeting: Meeting, watched: Rows) -> Scalars:
        return np.where(within(meeting, self.regions), 0.0, np.inf)
