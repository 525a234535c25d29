"""Sees: a condition of triggers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..minds.declaring import Meeting
from ..simulation.arrays.angles import cosine_of_setting
from ..simulation.arrays.vectors import Rows, Scalars
from ..simulation.nearby.neighbors import ALL_ROUND
from .condition import Condition, magnitudes


@dataclass(frozen=True)
class Sees(Condition):
    """Something is nearer than the distance and in the field of view."""

    name: ClassVar[str] = "SEES"
    label: ClassVar[str] = "Sees"
    stored_number: ClassVar[int] = 1
    uses: ClassVar[tuple[str, ...]] = ("distance", "angle", "who")

    distance: float = 10.0
    angle: float = 2.0 * np.pi

    def gap(self, meeting: Meeting, watched: Rows) -> Scalars:
        offset = meeting.offset(watched)
        gap = magnitudes(offset)
        forward = meeting.world.bodies.forward[meeting.rows]
        along = np.einsum("mkc,mc->mk", offset, forward)
        if self.angle < ALL_ROUND:
            edge = cosine_of_setting(np.array([0.5 * self.angle]))[0]
            gap = np.where(along >= edge * gap, gap, np.inf)
        return np.where(gap < self.distance, gap, np.inf)
