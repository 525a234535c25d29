"""How a crowd is filled with members: how many, in what arrangement, and how much they vary."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.chance import Keys, mix, uniform
from ..simulation.arrays.scalars import Scalars
from ..simulation.declaration import (
    REACH,
    Choice,
    Declared,
    Unit,
    choice,
    integer,
    length,
    number,
    share,
    switch,
)

ARRANGEMENTS = (
    Choice(
        "SURFACE",
        0,
        "On a Surface",
        "Scatter over the faces of a mesh, as densely as the weights of its vertex group Density say, if it has one",
    ),
    Choice("VOLUME", 1, "In a Volume", "Scatter inside a region, an Empty or a closed mesh"),
    Choice("CURVE", 2, "Along a Curve", "Place along the splines of a curve"),
    Choice("GRID", 3, "Grid", "Place in rows and columns around the crowd"),
    Choice("WEDGE", 4, "Wedge", "Place as geese fly: one at the tip, the others behind it on both sides"),
    Choice("LINE", 5, "Side by Side", "Place in a line across the heading"),
    Choice("COLUMN", 6, "Single File", "Place one behind another along the heading"),
    Choice("CIRCLE", 7, "Circle", "Spread evenly on a circle around the crowd"),
    Choice("ONE_PLACE", 8, "All in One Place", "Start from one place, such as a door, and enter one after another"),
)
SURFACE, VOLUME, CURVE, GRID, WEDGE, LINE, COLUMN, CIRCLE, ONE_PLACE = (c.number for c in ARRANGEMENTS)
SPREADS = (
    Choice("ALL", 0, "Over All of It", "Scatter over the whole ground"),
    Choice("CURSOR", 1, "Group at Cursor", "Keep together around the crowd, which is made at the 3D cursor"),
    Choice("MODEL", 2, "Group at Model", "Keep together around the model, the first one of several"),
)
OVER_ALL, AT_CURSOR, AT_MODEL = (c.number for c in SPREADS)
MOST_OBJECTS = 1000
"""The largest number of members that are objects unless that is asked for: playback takes .025 ms for each."""
MADE_AS = (
    Choice("AUTOMATIC", 0, "Automatic", f"Objects up to {MOST_OBJECTS} members, points above that"),
    Choice("OBJECTS", 1, "Objects", "An object each, with keyframes of its own"),
    Choice("POINTS", 2, "Points", "Points of one mesh that show the models, for thousands of members"),
)
AUTOMATIC, AS_OBJECTS, AS_POINTS = (c.number for c in MADE_AS)
MOST = 100_000
"""The largest number of members; Blender does not cope with more keyframed objects."""


SALTS: Mapping[str, int] = {"speed": 0x5BEED, "size": 0x512E, "mass": 0x3A55, "start_speed": 0x57A27}
"""A salt for each property that varies, which makes them independent: large vehicles are not always fast."""
MOST_VARIED: Mapping[str, float] = {"speed": 0.9, "size": 0.9, "mass": 0.9, "start_speed": 1.0}
"""The largest amount by which each may vary, as a share."""


@dataclass(frozen=True)
class Population(Declared):
    """The filling of a crowd with members. A crowd has one population, so each parameter is a scalar, not a column."""

    keyed = False

    count: int = integer(50, "Number of members", 0, MOST)
    made_as: int = choice("AUTOMATIC", "What the members are", MADE_AS)
    arrangement: int = choice("GRID", "Arrangement of the members", ARRANGEMENTS)
    spread: int = choice("ALL", "Where on the ground the members are", SPREADS, only_with=("arrangement", SURFACE))
    distance: float = length(
        0.0,
        "Least distance between members; bodies never overlap, even at 0",
        only_with=("arrangement", SURFACE, VOLUME, CURVE, GRID, WEDGE, LINE, COLUMN, CIRCLE),
    )
    columns: int = integer(
        0,
        "Number of members side by side; 0 makes the grid as square as possible",
        0,
        MOST,
        only_with=("arrangement", GRID),
    )
    layers: int = integer(1, "Number of members one above another", 1, MOST, only_with=("arrangement", GRID))
    evenly: bool = switch(
        True, "Spread the members evenly over the whole curve instead of randomly", only_with=("arrangement", CURVE)
    )
    height: float = length(0.0, "Height of the members above the surface", -REACH, only_with=("arrangement", SURFACE))
    lean: float = share(
        0.0, "How much members lean with the slope: people 0, animals half, cars 1", only_with=("arrangement", SURFACE)
    )
    random_turn: float = number(
        np.pi / 12.0, "Largest random turn away from the crowd's heading", Unit.ANGLE, 0.0, np.pi
    )
    random_scale: float = number(
        0.0,
        "Largest random change of size, up or down. A new crowd takes that of its preset unless it is set",
        Unit.SHARE,
        0.0,
        0.9,
    )
    seed: int = integer(0, "Seed of the random numbers", 0, 2**31 - 1)

    @property
    def in_points(self) -> bool:
        """Whether the members are points of one mesh."""
        return self.made_as == AS_POINTS or (self.made_as == AUTOMATIC and self.count > MOST_OBJECTS)


def factors(keys: Keys, name: str, amount: float) -> Scalars:
    """The factor of each vehicle, (n,), uniform in [1 - amount, 1 + amount).

    Args:
        keys: (n,) random keys of the vehicles, from seed and identity; another vehicle leaves these factors unchanged.
        name: one of SALTS.
        amount: a share.
    """
    return 1.0 + amount * (2.0 * uniform(mix(keys, SALTS[name])) - 1.0)
