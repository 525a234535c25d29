"""Chance as a pure function of (seed, identity, time): adding a vehicle leaves the luck of the others alone.

Nothing is drawn and nothing remembered. Integers are mixed into keys; a key and the time give smooth noise, a sum of
four sines of nearby frequencies, which keeps turning one way for a while as the paper asks of wander.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .angles import sine
from .vectors import Scalars

Keys = NDArray[np.uint64]
"""(n,) what an agent's luck hangs on."""

TURN = 2.0 * np.pi
SINES = 4
SLOWEST, FASTEST = 0.6, 1.5
"""The sines run at these shares of the asked rate: near enough to sound like one rate, never in step."""


def mix(keys: Keys, salt: Keys | int) -> Keys:
    """New keys from keys and a salt, each bit hanging on all the others (the finisher of SplitMix64)."""
    with np.errstate(over="ignore"):
        z = (keys ^ np.asarray(salt, dtype=np.uint64)) + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))


def keys_of(seed: int, identity: NDArray[np.int64]) -> Keys:
    """The keys of agents: what the run's seed and who they are make of them."""
    whole = np.full(identity.shape, seed & 0xFFFFFFFFFFFFFFFF, dtype=np.uint64)
    return mix(mix(whole, 0), identity.astype(np.uint64))


def uniform(keys: Keys) -> Scalars:
    """A number in [0, 1) from each key, always the same one."""
    return (keys >> np.uint64(11)).astype(np.float64) * (1.0 / 9007199254740992.0)


def smooth_noise(keys: Keys, channel: int, rate: Scalars, time: float) -> Scalars:
    """A number for each key that wanders smoothly about 0 as time goes on, mostly within -1 to 1 (rms 0.7).

    Args:
        keys: (n,) whose luck.
        channel: tells independent uses of the same key apart.
        rate: (n,) changes a second.
        time: seconds.
    """
    salt = np.arange(2 * SINES * channel, 2 * SINES * (channel + 1), dtype=np.uint64)
    luck = uniform(mix(keys[None, :], salt[:, None]))
    frequency = SLOWEST + (FASTEST - SLOWEST) * luck[0::2]
    turns = frequency * rate * time + luck[1::2]
    # Whole turns are taken off first: the sine of a large number would lose digits as the film grows long.
    waves = sine(TURN * (turns - np.floor(turns)))
    noise = np.zeros(keys.shape)
    for wave in waves:
        noise += wave
    return noise / 2.0
