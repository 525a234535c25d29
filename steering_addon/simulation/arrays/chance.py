"""Chance as a pure function of (seed, identity, time): adding a vehicle leaves the luck of the others alone.

Nothing is drawn and nothing remembered. Integers are mixed into keys; a key and the time give smooth noise, a sum of
four sines of nearby frequencies, which keeps turning one way for a while as the paper asks of wander.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .angles import sine_of_turns
from .vectors import Scalars

Keys = NDArray[np.uint64]
"""(n,) what an agent's luck hangs on."""

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


def keys_of_vehicles(seed: int, identity: NDArray[np.int64], own_seed: NDArray[np.int64]) -> Keys:
    """The keys of vehicles, each of which has a seed of its own besides that of the run."""
    return mix(keys_of(seed, identity), own_seed.astype(np.uint64))


@lru_cache(maxsize=64)
def shared_key(identity: int) -> int:
    """The random key that the vehicles of a crowd share, from the identity of the crowd."""
    return int(mix(np.array([identity & 0xFFFFFFFFFFFFFFFF], dtype=np.uint64), 1)[0])


def uniform(keys: Keys) -> Scalars:
    """A number in [0, 1) from each key, always the same one."""
    return (keys >> np.uint64(11)).astype(np.float64) * (1.0 / 9007199254740992.0)


@lru_cache(maxsize=16)
def _sines(keys: bytes, channels: int) -> tuple[Scalars, Scalars]:
    """The frequencies, as shares of the rate, and the phases of the sines of some keys, (SINES, channels, n) each.

    Kept, as the same vehicles ask again on every frame.
    """
    salt = np.arange(2 * SINES * channels, dtype=np.uint64).reshape(channels, SINES, 2).transpose(2, 1, 0)
    luck = uniform(mix(np.frombuffer(keys, dtype=np.uint64), salt[..., None]))
    return SLOWEST + (FASTEST - SLOWEST) * luck[0], luck[1]


def smooth_noise(keys: Keys, channels: int, rate: Scalars, time: float) -> Scalars:
    """Numbers for each key that wander smoothly about 0 as time goes on, mostly within -1 to 1 (rms 0.7).

    Args:
        keys: (n,) whose luck.
        channels: how many numbers of each key, independent of each other; of fewer, each is what it is of more.
        rate: (n,) changes a second.
        time: seconds.

    Returns:
        (channels, n).
    """
    frequency, phase = _sines(keys.tobytes(), channels)
    first, *others = sine_of_turns(frequency * (rate * time) + phase)
    for wave in others:
        first += wave
    return first / 2.0


OCTAVES = ((1.0, 0.8), (1.9, 0.4))
"""Frequencies and sizes of the waves of gradient noise: the smaller one is where the larger is nothing."""


def gradient_noise(keys: Keys, channels: int, rate: Scalars, time: float) -> Scalars:
    """Numbers for each key that wander smoothly about 0 as time goes on, mostly within -1 to 1 (rms 0.35).

    Coherent noise (Perlin 1985) of time: unlike a sum of sines it never comes back to what it was, and is now lively,
    now calm.

    Args:
        keys: (n,) whose luck.
        channels: how many numbers of each key, independent of each other.
        rate: (n,) changes a second.
        time: seconds.

    Returns:
        (channels, n).
    """
    salt = np.arange(1, channels + 1, dtype=np.uint64)[:, None]
    total = np.zeros((channels, len(keys)))
    for octave, (frequency, size) in enumerate(OCTAVES):
        own = mix(mix(keys, octave), salt)
        total += size * _gradients_between(own, 2.0 * frequency * rate * time + uniform(own))
    return 2.0 * total


def _gradients_between(keys: Keys, place: Scalars) -> Scalars:
    """Noise that is nothing at whole places and has there a slope by chance, from -1 to 1."""
    below = np.floor(place)
    part = place - below
    fade = part * part * part * (part * (part * 6.0 - 15.0) + 10.0)
    whole = below.astype(np.int64)
    before = (2.0 * uniform(mix(keys, whole.astype(np.uint64))) - 1.0) * part
    after = (2.0 * uniform(mix(keys, (whole + 1).astype(np.uint64))) - 1.0) * (part - 1.0)
    return before + (after - before) * fade
