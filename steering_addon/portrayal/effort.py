"""How hard vehicles beat their wings, tails and fins: in bursts, between which they glide or coast.

A bird that climbs or gains speed has to do more work than one that flies on, and one that descends less: what counts is
the rate at which its energy height grows, climb + speed * acceleration / g. The less there is to do, the larger is the
share of the time in which it glides.
"""

from __future__ import annotations

import numpy as np

from ..simulation.arrays.chance import Keys, mix, uniform
from ..simulation.arrays.vectors import Number, Scalars, clamp

GRAVITY = 9.81
SMOOTHING = 0.5
"""Seconds over which accelerations are a running mean."""
LEAST, MOST = 0.1, 1.0
"""Limits of the share of the time in which it beats; with the latter it does not glide at all."""
WORK = 1.5
"""How much the share of the time grows with the rate of the beat."""
FADE = 0.15
"""Seconds in which wings come to rest, and begin to beat."""
AT_EASE, STEEP = 0.55, 0.45
"""How far wings swing at the usual rate of the beat is 1: a part of it always, the rest in proportion to the rate."""
SHORTEST, LONGEST = 0.5, 1.5
"""Random multiples of the time of a glide."""
BEATS, FIRST, BURST = 0xBEA7, 0xF125, 0xB0257
"""Salts of whether it beats at first, how far its first burst or glide has come, and how long each one is."""


class Effort:
    """The effort of n vehicles, frame after frame."""

    def __init__(self, glide_share: Number, glide_time: Number, keys: Keys, frame_time: float) -> None:
        """`glide_share`, `glide_time` (n,): the share of the time of a glide at an even pace, and seconds of one."""
        self._share, self._time, self._keys, self._frame_time = glide_share, glide_time, keys, frame_time
        self._beats = uniform(mix(keys, BEATS)) >= glide_share
        self._turn = np.zeros(len(keys))
        self._left = uniform(mix(keys, FIRST)) * self._lasts()
        self._shown = np.where(self._beats, 1.0, 0.0)

    def frame(self, rate: Scalars) -> Scalars:
        """How far wings swing on the next frame, (n,): 1 at the usual rate of the beat, 0 in a glide.

        Args:
            rate: (n,) of the beat, as a multiple of the usual one.
        """
        share = clamp(1.0 - self._share + np.where(self._share > 0.0, WORK * (rate - 1.0), 0.0), LEAST, MOST)
        # Bursts and glides take turns, and the share of the time of both follows the work of each moment.
        spent = np.where(self._beats, (1.0 - share) / share, 1.0)
        self._left = self._left - spent * self._frame_time / self._time
        over = (self._left <= 0.0) | (~self._beats & (share >= MOST))
        self._turn = self._turn + over
        self._beats = self._beats ^ over
        self._left = np.where(over, self._lasts(), self._left)
        target = np.where(self._beats, AT_EASE + STEEP * rate, 0.0)
        self._shown = self._shown + (target - self._shown) * min(self._frame_time / FADE, 1.0)
        return self._shown

    def _lasts(self) -> Scalars:
        """How long the present burst or glide is, (n,), in times of a glide."""
        draw = uniform(mix(mix(self._keys, BURST), self._turn.astype(np.uint64)))
        return SHORTEST + (LONGEST - SHORTEST) * draw
