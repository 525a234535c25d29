"""Chance as a pure function of (seed, identity, time): adding a vehicle leaves the random numbers of the others alone.

There is no generator whose state is drawn from. The finisher of SplitMix64 (Steele, Lea and Flood 2014) hashes integers
to 64-bit keys; a key gives a uniform number u in [0, 1), and a key with a time t smooth noise of two sorts:

    sum of sines      1/2 sum_i sin(2 pi (f_i rate t + phase_i)),  f_i in [0.6, 1.5],  i = 1..4
    gradient noise    2 sum_o size_o g_o(2 frequency_o rate t + offset),  two octaves (Perlin 1985)

The first keeps turning the same way for a while, as the paper asks of wander. The second never repeats, and has lively
and calm stretches.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .angles import sine_of_turns
from .scalars import Rows, Scalars

Keys = NDArray[np.uint64]
"""(n,) one random key an agent."""

SINES = 4
FEW = 32
"""Keys up to which the sines of many sets of keys are kept."""
TOGETHER = 2048
"""Keys whose numbers fit into fast memory."""
GOLDEN = 0x9E3779B97F4A7C15
"""The golden ratio as a fraction of 64 bits: its multiples are spread evenly."""
STEP, LAST_SHIFT = np.uint64(GOLDEN), np.uint64(31)
ROUNDS = tuple(
    (np.uint64(shift), np.uint64(factor)) for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
)
"""The constants of SplitMix64 (Steele, Lea and Flood 2014), made once."""
SLOWEST, FASTEST = 0.6, 1.5
"""The frequencies of the sines lie between these multiples of the requested rate: close, but never in step."""
SIZE = 16
"""Numbers that draw together, from a multiple of this on."""


def mix(keys: Keys, salt: Keys | int) -> Keys:
    """New keys from keys (...) and a salt that broadcasts with them; each bit depends on all others."""
    z = (keys ^ np.asarray(salt, dtype=np.uint64)) + STEP
    for shift, factor in ROUNDS:
        z = (z ^ (z >> shift)) * factor
    return z ^ (z >> LAST_SHIFT)


def keys_of(seed: int, identity: NDArray[np.int64]) -> Keys:
    """The keys of agents, (n,), from the seed of the run and their identities (n,)."""
    whole = np.full(identity.shape, seed & 0xFFFFFFFFFFFFFFFF, dtype=np.uint64)
    return mix(mix(whole, 0), identity.astype(np.uint64))


def keys_of_vehicles(seed: int, identity: NDArray[np.int64], own_seed: NDArray[np.int64]) -> Keys:
    """The keys of vehicles, (n,), from the seed of the run, their identities (n,) and their own seeds (n,)."""
    return mix(keys_of(seed, identity), own_seed.astype(np.uint64))


def numbers_of_vehicles(identity: NDArray[np.int64], own_seed: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers (n,) by which they draw lots: their identities (n,), or others where they have own seeds (n,)."""
    other = (mix(mix(identity.astype(np.uint64), 3), own_seed.astype(np.uint64)) >> np.uint64(32)).astype(np.int64)
    return np.where(own_seed == 0, identity, other)


@lru_cache(maxsize=64)
def shared_key(identity: int, seed: int = 0) -> int:
    """The random key shared by the vehicles of a crowd, from the identity of the crowd and the seed of the run."""
    whole = (identity + seed * GOLDEN) & 0xFFFFFFFFFFFFFFFF
    return int(mix(np.array([whole], dtype=np.uint64), 1)[0])


def uniform(keys: Keys) -> Scalars:
    """A number in [0, 1) from each key, always the same one; (...) to (...)."""
    return (keys >> np.uint64(11)).astype(np.float64) * (1.0 / 9007199254740992.0)


@lru_cache(maxsize=2048)
def _sines_of_few(keys: bytes, channels: int) -> tuple[Scalars, Scalars]:
    return _sines(keys, channels)


@lru_cache(maxsize=16)
def _sines_of_many(keys: bytes, channels: int) -> tuple[Scalars, Scalars]:
    return _sines(keys, channels)


def _sines(keys: bytes, channels: int) -> tuple[Scalars, Scalars]:
    """The frequencies, as multiples of the rate, and the phases of the sines of n keys, (SINES, channels, n) each."""
    salt = np.arange(2 * SINES * channels, dtype=np.uint64).reshape(channels, SINES, 2).transpose(2, 1, 0)
    numbers = uniform(mix(np.frombuffer(keys, dtype=np.uint64), salt[..., None]))
    return SLOWEST + (FASTEST - SLOWEST) * numbers[0], numbers[1]


def smooth_noise(keys: Keys, channels: int, rate: Scalars, time: float) -> Scalars:
    """Numbers that vary smoothly about 0 with time, mostly between -1 and 1 (rms 0.7). Returns (channels, n).

    Args:
        keys: (n,)
        channels: the count of independent numbers a key; the first k channels do not depend on the count.
        rate: (n,) changes a second.
    """
    frequency, phase = (_sines_of_few if len(keys) <= FEW else _sines_of_many)(keys.tobytes(), channels)
    noise = np.empty((channels, len(keys)))
    for low in range(0, len(keys), TOGETHER):
        part = slice(low, low + TOGETHER)
        total, *waves = sine_of_turns(frequency[..., part] * (rate[part] * time) + phase[..., part])
        for wave in waves:
            total += wave
        noise[:, part] = total / 2.0
    return noise


OCTAVES = ((1.0, 0.8), (1.9, 0.4))
"""Frequency and size of each wave of gradient noise. At the zeros of the larger one the smaller one is not zero."""


def gradient_noise(keys: Keys, channels: int, rate: Scalars, time: float) -> Scalars:
    """Numbers that vary smoothly about 0 with time, mostly between -1 and 1 (rms 0.35).

    Coherent noise (Perlin 1985) of time: unlike a sum of sines it never repeats, and has lively and calm stretches.
    Returns (channels, n). `keys`: (n,); `channels`: the count of independent numbers a key; `rate`: (n,) changes a
    second.
    """
    salt = np.arange(1, channels + 1, dtype=np.uint64)[:, None]
    total = np.zeros((channels, len(keys)))
    for octave, (frequency, size) in enumerate(OCTAVES):
        octave_keys = mix(mix(keys, octave), salt)
        total += size * _gradients_between(octave_keys, 2.0 * frequency * rate * time + uniform(octave_keys))
    return 2.0 * total


def _gradients_between(keys: Keys, position: Scalars) -> Scalars:
    """Noise that is zero at whole positions, with a random slope a in [-1, 1] at each; (...) and (...) to (...).

    Between two of them, at x from the one below, it is a0 x + (a1 (x - 1) - a0 x) fade(x),
    fade(x) = 6 x^5 - 15 x^4 + 10 x^3 (Perlin 2002).
    """
    below = np.floor(position)
    part = position - below
    fade = part * part * part * (part * (part * 6.0 - 15.0) + 10.0)
    whole = below.astype(np.int64)
    before = (2.0 * uniform(mix(keys, whole.astype(np.uint64))) - 1.0) * part
    after = (2.0 * uniform(mix(keys, (whole + 1).astype(np.uint64))) - 1.0) * (part - 1.0)
    return before + (after - before) * fade


def lots(numbers: Rows, keys: Keys) -> Scalars:
    """A number in [0, 1) for each vehicle, always the same one, shared out evenly among numbers in a row.

    If each of 80 vehicles throws dice, 24 take part for a share of .3, give or take 4. If they draw lots, it is 24,
    give or take 1. Vehicles are sorted into drums of SIZE by their numbers n, and each drum draws without replacement:

        lot = (rank of n among the hashes of all SIZE numbers of its drum + offset of the drum) / SIZE

    The offsets of drums in a row are multiples of the golden ratio, which spread evenly. As a lot depends on the
    numbers of a drum and not on which of them exist, another vehicle changes nothing for the others. Numbers at random
    give independent lots.

    Args:
        numbers: (n,) at least 0, distinct among vehicles with the same key.
        keys: (n,) the random keys of what is drawn for, shared by those that draw together.
    """
    return _lots(np.ascontiguousarray(numbers, dtype=np.int64).tobytes(), np.ascontiguousarray(keys).tobytes())


@lru_cache(maxsize=64)
def _lots(numbers: bytes, keys: bytes) -> Scalars:
    """As `lots`, from a cache, as the same vehicles ask in every step."""
    number, key = np.frombuffer(numbers, dtype=np.uint64), np.frombuffer(keys, dtype=np.uint64)
    drum = number // np.uint64(SIZE)
    drawn = mix(mix(key, 1)[:, None], drum[:, None] * np.uint64(SIZE) + np.arange(SIZE, dtype=np.uint64))
    value = np.take_along_axis(drawn, (number % np.uint64(SIZE)).astype(np.int64)[:, None], axis=1)
    rank = np.count_nonzero(drawn < value, axis=1)
    with np.errstate(over="ignore"):
        offset = uniform(drum * np.uint64(GOLDEN) + mix(key, 2))
    lot: Scalars = (rank + offset) / SIZE
    lot.flags.writeable = False
    return lot
