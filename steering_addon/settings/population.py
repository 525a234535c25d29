"""How a crowd is filled with members: how many, how they stand, and how far they differ."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from ..simulation import declaration
from ..simulation.declaration import REACH, Choice, Declared, Unit, only_with

ARRANGEMENTS = (
    Choice("SURFACE", 0, "On a Surface", "Scattered over the faces of a mesh"),
    Choice("VOLUME", 1, "In a Volume", "Scattered in a region, an Empty or a closed mesh"),
    Choice("CURVE", 2, "Along a Curve", "Along the splines of a curve"),
    Choice("GRID", 3, "Grid", "In rows and columns about the crowd"),
    Choice("WEDGE", 4, "Wedge", "As geese fly: one at the tip, the others behind it to both sides"),
    Choice("LINE", 5, "Side by Side", "In a line across their way"),
    Choice("COLUMN", 6, "One behind Another", "In a line along their way"),
    Choice("CIRCLE", 7, "Circle", "Evenly round the crowd"),
    Choice("ONE_PLACE", 8, "All in One Place", "Where the crowd is, as in a door: they enter one after another"),
)
SURFACE, VOLUME, CURVE, GRID, WEDGE, LINE, COLUMN, CIRCLE, ONE_PLACE = (c.number for c in ARRANGEMENTS)
MOST = 100_000
"""So many members a crowd may be given; more keyed objects than that no Blender bears."""

# None of this moves: it is what members are made by, once.
number = partial(declaration.number, animatable=False)
length = partial(declaration.length, animatable=False)
share = partial(declaration.share, animatable=False)
integer = partial(declaration.integer, animatable=False)
switch = partial(declaration.switch, animatable=False)
choice = partial(declaration.choice, animatable=False)


@dataclass(frozen=True)
class Population(Declared):
    """How a crowd is filled with members. A crowd has one, so that each parameter is one value and no column."""

    count: int = integer(50, "How many members", 0, MOST)
    arrangement: int = choice("GRID", "How the members stand", ARRANGEMENTS)
    distance: float = only_with(
        "arrangement",
        (SURFACE, VOLUME, CURVE, GRID, WEDGE, LINE, COLUMN, CIRCLE),
        length(0.0, "How far apart they stand at least; bodies never overlap, not even at 0"),
    )
    columns: int = only_with(
        "arrangement", GRID, integer(0, "How many stand side by side; 0: as square as can be", 0, MOST)
    )
    layers: int = only_with("arrangement", GRID, integer(1, "How many stand one above another", 1, MOST))
    evenly: bool = only_with(
        "arrangement", CURVE, switch(True, "Spread them evenly over the whole curve, not by chance")
    )
    height: float = only_with("arrangement", SURFACE, length(0.0, "How high above the surface they are", -REACH))
    lean: float = only_with(
        "arrangement", SURFACE, share(0.0, "How far they lean with the slope: people 0, animals half, cars 1")
    )
    random_turn: float = number(
        np.pi / 12.0, "How far each may be turned away from the crowd's heading, by chance", Unit.ANGLE, 0.0, np.pi
    )
    random_scale: float = number(0.0, "How much larger or smaller each may be, by chance", Unit.SHARE, 0.0, 0.9)
    seed: int = integer(0, "Other numbers give other chances", 0, 2**31 - 1)
