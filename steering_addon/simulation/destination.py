"""Destinations: behaviors that lead to a place and stop there, for good or for a time."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

import numpy as np

from .arrays.chance import Keys, mix, uniform
from .arrays.lots import lots
from .arrays.vectors import Mask, Number, Rows, Scalars
from .behavior import Behavior
from .declaration import at_end, called, seconds, share

STAYING, GOING = 0x57A7, 0x60E5
"""Salts of the random keys that say how long each agent stays, and whether it goes there."""


@dataclass(frozen=True)
class Destination(Behavior):
    """A behavior that leads its agents to a place, where they stop."""

    arrives = True

    stay_time: Number = at_end(
        called("Stay For", seconds(0.0, "Average time it stays there before it continues; 0: what On Arrival says"))
    )
    stay_spread: Number = at_end(
        share(0.5, "How much longer or shorter than average it stays, as a random share of the time")
    )
    share_going: Number = at_end(
        called("Share", share(1.0, "Share of the vehicles that go there at all, always the same ones"))
    )

    @property
    def departs(self) -> Mask:
        """(n,) the agents that stay for a time and then go on."""
        mask: Mask = self.stay_time > 0.0
        return mask

    def stay(self, keys: Keys) -> Scalars:
        """How long each agent stays, (n,) seconds."""
        draw = uniform(mix(mix(keys, STAYING), crc32(self.name.encode())))
        return self.stay_time * (1.0 + self.stay_spread * (2.0 * draw - 1.0))

    def takers(self, numbers: Rows, crowd_keys: Keys) -> Mask:
        """Whether each agent goes there, (n,), by its number for lots and the key that it shares with its crowd."""
        draw = lots(numbers, mix(mix(crowd_keys, GOING), crc32(self.name.encode())))
        mask: Mask = np.asarray(draw < self.share_going)
        return mask
