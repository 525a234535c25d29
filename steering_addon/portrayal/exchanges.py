"""Exchanges: when two partners that stand face to face begin clips together, and which of them leads.

Both know the moments at which they begin from the time at which they met and from a random key that they share, so that
they begin on the same frame, whatever models and crowds they belong to.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..simulation.arrays.chance import mix, uniform
from ..simulation.arrays.vectors import dot, magnitude, picked, unit
from ..simulation.memory import memory_among
from ..simulation.partners import Partners
from ..simulation.snapshot import State
from .clips import DO, IN_ANSWER, TO_PARTNER, Clip

ALONE, PAUSES = -2, -1
"""In place of an occasion: an agent without a partner, and one that begins nothing on the frame."""
PAUSE = 0.3
"""Seconds from the end of the longest clip for partners to the earliest moment at which the next begins."""
LOOSELY = 0.3
"""The share of the time from one exchange to the next by which it may begin later."""
FACES = 0.98
"""The cosine of the angle off its partner within which one faces it."""
STANDS = 0.05
"""Metres a second up to which one stands."""
BEGINS, LEADS, WHICH = 0xE8C1, 0xE8C2, 0xE8C3
"""Salts of the random keys of when, who and what."""


def longest(clips: Sequence[Clip]) -> float:
    """Seconds of the longest of the clips that are for partners; 0 without any."""
    return max((clip.seconds for clip in clips if clip.plays == DO and clip.when in (TO_PARTNER, IN_ANSWER)), default=0)


def exchanges(state: State, frame_time: float, seconds: float) -> dict[str, Any]:
    """The exchanges that agents begin with their partners on a frame, as of `VisibleBodies`.

    Args:
        frame_time: seconds since the frame before.
        seconds: of the longest clip for partners; 0 if there is none.
    """
    n, partners = len(state), memory_among(Partners, state.memories.values())
    occasion, lot = np.full(n, ALONE), np.zeros(n)
    rows = np.zeros(0, dtype=np.int64) if partners is None else np.flatnonzero((partners.row >= 0) & ~state.away)
    if partners is None or state.inputs is None or not seconds or not len(rows):
        return {"occasion": occasion, "lot": lot}
    other, snapshot, motion = partners.row[rows], state.inputs, state.motion
    known = np.where(other < n, other, rows)
    agrees = (known != rows) & (partners.row[known] == rows)
    places = np.concatenate((state.shown, snapshot.tracked.position))
    toward = unit(picked(places, other) - picked(state.shown, rows))
    ready = np.zeros(n, dtype=np.bool_)
    ready[rows] = dot(picked(motion.forward, rows), toward) > FACES * magnitude(toward)
    ready &= magnitude(motion.velocity) <= STANDS
    key = snapshot.keys[rows] ^ np.where(agrees, snapshot.keys[known], np.uint64(0))
    every = (seconds + PAUSE) / (1.0 - LOOSELY)
    since = state.time - partners.met[rows]
    number = np.floor(since / every)
    turn = mix(key, number.astype(np.int64).astype(np.uint64))
    begins = (number + LOOSELY * uniform(mix(turn, BEGINS))) * every
    now = (begins <= since) & (begins > since - frame_time) & ready[rows] & (ready[known] | ~agrees)
    leads = ~agrees | ((uniform(mix(turn, LEADS)) < 0.5) == (rows < other))
    occasion[rows] = np.where(now, np.where(leads, TO_PARTNER, IN_ANSWER), PAUSES)
    lot[rows] = uniform(mix(turn, WHICH))
    return {"occasion": occasion, "lot": lot}
