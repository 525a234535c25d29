"""One by one: of neighbors whom an alarm reaches, no two begin in the same step.

The times of reactions are drawn independently, so that by chance a dozen of a herd of 300 would begin as one. Animals
that look at each other do not: the first to be ready begins, and those beside it follow in the next steps.
"""

from __future__ import annotations

import numpy as np

from ..simulation.arrays.frozen import replace
from ..simulation.arrays.vectors import Mask, Scalars, Vectors, picked
from ..simulation.mindset import Mindset
from ..simulation.nearby.pairs import pairs_within
from .conditions import Meeting
from .declaring import Mind

BESIDE = 0.6
"""Share of the distance within which others carry a vehicle along: so near are those that it lets begin first."""
SOONER = 0.5
"""By how much who has waited comes before those that are ready in the next step, as a share of it."""


def one_by_one(mind: Mind, meeting: Meeting, mine: Mindset, value: Scalars, told: Mask) -> tuple[Mindset, Scalars]:
    """The mindset and the values (m, k) in which those who let others begin first stay in their modes for a step more.

    Only modes that spread are begun one by one; those who are told to be in one by a cue, (m, k), do not wait.
    """
    winner = np.argmax(value, axis=1)
    for number, mode in enumerate(mind.modes, 1):
        if mode.numbers.spreads[0] <= 0:
            continue
        begins = np.flatnonzero((winner == number) & (mine.mode != number) & ~told[:, number])
        if len(begins) < 2:
            continue
        due, place = mine.due[begins, number], picked(meeting.world.bodies.position, meeting.rows[begins])
        waits = _waiting(due, place, BESIDE * float(mode.numbers.reach[0]))
        if not waits.any():
            continue
        rows, left = begins[waits], np.maximum(due[waits] - meeting.world.time + meeting.world.dt, 0.0)
        later, value = mine.due.copy(), value.copy()
        later[rows, number] = meeting.world.time + SOONER * left
        mine = replace(mine, due=later)
        value[rows, mine.mode[rows]] = value[rows, number]
        value[rows, number] = 0.0
    return mine, value


def _waiting(due: Scalars, place: Vectors, distance: float) -> Mask:
    """The agents within a distance of an agent that was ready before them, (b,); equally ready ones do not wait.

    Args:
        due: (b,) when each was ready, seconds.
        place: (b, 3) metres.
    """
    waits = np.zeros(len(due), dtype=np.bool_)
    for pairs in pairs_within(place, distance):
        first, second = pairs.first, pairs.second
        waits[second[due[first] < due[second]]] = True
        waits[first[due[second] < due[first]]] = True
    return waits
