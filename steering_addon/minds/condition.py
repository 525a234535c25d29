"""What a condition of triggers is, and what several of them measure.

To add one, write a file in this folder and list it in the CATALOGUE: the choice of a trigger and its settings in the
panel follow from the declaration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..minds.declaring import Meeting, Trigger
from ..simulation.arrays.vectors import Mask, Rows, Scalars, magnitude
from ..simulation.declaration import Choice


@dataclass(frozen=True)
class Condition(Trigger):
    """When a trigger calls.

    Attributes:
        name: in files; never changes.
        label: what an animator reads.
        stored_number: stored in files; never changes meaning.
        uses: the settings of a trigger on which it depends.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    stored_number: ClassVar[int]
    uses: ClassVar[tuple[str, ...]]

    @classmethod
    def choice(cls) -> Choice:
        """It as one of the values of a trigger's choice."""
        return Choice(cls.name, cls.stored_number, cls.label, (cls.__doc__ or "").strip().rstrip("."))


def magnitudes(offset: NDArray[np.float64]) -> Scalars:
    """The lengths of vectors (m, k, 3), (m, k)."""
    x, y, z = offset[..., 0], offset[..., 1], offset[..., 2]
    length: Scalars = np.sqrt(x * x + y * y + z * z)
    return length


def within(meeting: Meeting, regions: Rows, margin: float = 0.0) -> Mask:
    """Whether each vehicle is inside any of some regions, or no farther outside than a margin in metres, (m,)."""
    position = meeting.world.bodies.position[meeting.rows]
    inside = np.zeros(len(position), dtype=np.bool_)
    for region in regions.tolist():
        if meeting.world.regions.present[region]:
            way = meeting.world.regions.way_in(position, np.full(len(position), region))
            inside |= magnitude(way) <= margin
    return inside


def mates_within(meeting: Meeting, distance: float) -> Scalars:
    """How many other vehicles of its crowd are nearer to each than a distance, (m,)."""
    m, number = len(meeting.rows), np.zeros(len(meeting.rows))
    crowd = meeting.crowd[meeting.rows[0]]
    for near in meeting.world.vicinity.around(distance, meeting.rows):
        agent, body = near.linked()
        mates = meeting.world.bodies.crowd[body] == crowd
        number += np.bincount(agent[mates], minlength=m)
    return number
