"""Always: a condition of triggers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..minds.declaring import Meeting
from ..simulation.arrays.vectors import Rows, Scalars
from .condition import Condition


@dataclass(frozen=True)
class Always(Condition):
    """At any time; its strength says when, by keys or a driver."""

    name: ClassVar[str] = "ALWAYS"
    label: ClassVar[str] = "Always"
    stored_number: ClassVar[int] = 10
    uses: ClassVar[tuple[str, ...]] = ()

    def gap(self, meeting: Meeting, watched: Rows) -> Scalars:
        return np.zeros(len(meeting.rows))
