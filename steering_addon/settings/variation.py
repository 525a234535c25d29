"""Variation: random factors by which the vehicles of a crowd differ, a pure function of seed and identity."""

from collections.abc import Mapping

from ..simulation.arrays.chance import Keys, mix, uniform
from ..simulation.arrays.scalars import Scalars

SALTS: Mapping[str, int] = {"speed": 0x5BEED, "size": 0x512E, "mass": 0x3A55, "start_speed": 0x57A27}
"""A salt for each property that varies, which makes them independent: large vehicles are not always fast."""
MOST: Mapping[str, float] = {"speed": 0.9, "size": 0.9, "mass": 0.9, "start_speed": 1.0}
"""The largest amount by which each may vary, as a share."""


def factors(keys: Keys, what: str, amount: float) -> Scalars:
    """The factor of each vehicle, (n,), uniform in [1 - amount, 1 + amount).

    Args:
        keys: (n,) random keys of the vehicles, from seed and identity; another vehicle leaves these factors unchanged.
        what: a name of SALTS.
        amount: a share.
    """
    return 1.0 + amount * (2.0 * uniform(mix(keys, SALTS[what])) - 1.0)
