"""Variation: how far each vehicle of a crowd differs from the others, by chance that hangs on who it is."""

from __future__ import annotations

from collections.abc import Mapping

from ..simulation.arrays.chance import Keys, mix, uniform
from ..simulation.arrays.vectors import Scalars

SALTS: Mapping[str, int] = {"speed": 0x5BEED, "size": 0x512E, "mass": 0x3A55, "start_speed": 0x57A27}
"""What vehicles differ in, each by a chance of its own: the large ones are not always the fast ones."""
MOST: Mapping[str, float] = {"speed": 0.9, "size": 0.9, "mass": 0.9, "start_speed": 1.0}
"""By how much they may differ at most, as a share."""


def factors(keys: Keys, what: str, amount: float) -> Scalars:
    """What each vehicle's value is multiplied by, (n,): evenly between 1 - amount and 1 + amount.

    Args:
        keys: (n,) whose chance; a vehicle more leaves the others theirs.
        what: a name of SALTS.
        amount: a share.
    """
    return 1.0 + amount * (2.0 * uniform(mix(keys, SALTS[what])) - 1.0)
