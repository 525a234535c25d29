"""Candidates: several bodies, of which each agent takes one as its target."""

from dataclasses import dataclass

from .arrays.chance import Keys
from .arrays.scalars import Rows
from .declaration import Choice

PICKS = (
    Choice(
        "NEAREST",
        0,
        "Nearest",
        "The candidate nearest to the vehicle, found again on every step. Walkers count the time of the way to a few "
        "that stand still",
    ),
    Choice("RANDOM", 1, "One of Its Own", "A random candidate for each vehicle, kept as long as it is present"),
    Choice(
        "NEXT",
        2,
        "One After the Other",
        "In the order of their names: on arrival the next candidate becomes the target",
    ),
)
NEAREST_ONE, OWN, NEXT = (c.number for c in PICKS)
FIRST = -3
"""In a column of rows: FIRST - i stands for World.candidates[i]."""


@dataclass(frozen=True)
class Candidates:
    """Bodies of which each agent takes one as its target. `rows`: (c,) rows of bodies, in the order of their names;
    `keys`: (c,) the random key of each, so that most agents keep their candidate when another is added; `pick`: the
    number of a choice of PICKS."""

    rows: Rows
    keys: Keys
    pick: int
