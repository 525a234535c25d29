"""Candidates: several bodies of which each agent takes one as its target."""

from __future__ import annotations

from dataclasses import dataclass

from .arrays.chance import Keys
from .arrays.vectors import Rows
from .declaration import Choice

PICKS = (
    Choice("NEAREST", 0, "Nearest", "Each goes by the one nearest to it, looked for anew at every step"),
    Choice("RANDOM", 1, "One of Its Own", "Each goes by one of its own, by its chance, as long as that is there"),
    Choice("NEXT", 2, "One After the Other", "In the order of their names: on arrival it goes on to the next"),
)
NEAREST_ONE, OWN, NEXT = (c.number for c in PICKS)
FIRST = -3
"""In a column of rows stands this, or less, for the first candidates of a world, or later ones."""


@dataclass(frozen=True)
class Candidates:
    """Bodies of which each agent takes one.

    Attributes:
        rows: (c,) rows of bodies, in the order of their names.
        keys: (c,) what of the agents' luck hangs on each of them: adding one leaves most with what they had.
        pick: the number of a choice of PICKS.
    """

    rows: Rows
    keys: Keys
    pick: int
