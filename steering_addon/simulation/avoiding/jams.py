"""A throng that has come to a stand: who is jammed in it, and how it gets going again.

Where all press through a door they come to stand in an arch, each held by the next. One who gives way for a moment lets
it fall: so the jammed jostle, and who is held by somebody ahead steps back and makes room.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays.chance import mix, smooth_noise
from ..arrays.vectors import Mask, Scalars, Vectors, columns, dot, magnitude, picked, unit
from ..nearby.neighbors import Near
from ..world import Agents, World

JAMMED = 0.25
"""Share of the wished speed: who makes less progress on the ground jostles, the more the less it gets on."""
PRESSED = 0.3
"""Metres between the bodies: who is no further from another stands in a throng."""
JOSTLES_A_SECOND = 2.0
"""How often who jostles changes its mind."""
JOSTLES = 0x7A3
"""Salts the keys from which is drawn where to, apart from other uses of the same luck."""
HELD = 2
"""Pressed by so many, one of them ahead, one steps back; two who meet sort it out between them."""
AHEAD = 0.7
"""The cosine of how far aside of the wished way another may be and still be ahead."""
STEPS_BACK = 0.5
"""Share of the wished speed at which who is held steps back."""


@dataclass(frozen=True)
class Throng:
    """Agents among others.

    Attributes:
        wished: (n, 3) the velocities they wish for, m/s.
        progress: (n,) the share of these that they had of late.
        jammed: (n,) who is pressed by others on the ground and gets on no more; not who waits apart, as in a queue.
        held: (n,) who of them is pressed by several and has one of them ahead.
    """

    wished: Vectors
    progress: Scalars
    jammed: Mask
    held: Mask

    @classmethod
    def of(cls, world: World, agents: Agents, near: Near, wished: Vectors, progress: Scalars) -> Throng:
        """
        Args:
            near: whom they perceive.
        """
        slow = (progress < JAMMED) & agents.vehicle.keep_in_plane
        if not slow.any():
            return cls(wished, progress, slow, slow)
        gap = near.distance - agents.radius[near.agent] - world.bodies.radius[near.body]
        pressed = np.flatnonzero((gap < PRESSED) & slow[near.agent])
        agent = near.agent[pressed]
        number = np.bincount(agent, minlength=len(agents))
        way = picked(unit(wished), agent)
        ahead = dot(picked(near.offset, pressed), way) > AHEAD * near.distance[pressed]
        blocked = np.bincount(agent[ahead], minlength=len(agents)) > 0
        return cls(wished, progress, number > 0, blocked & (number >= HELD))

    def loosened(self, world: World, agents: Agents) -> Vectors:
        """The wished velocities, (n, 3), those of the jammed led astray by chance, of the held turned back."""
        some = np.flatnonzero(self.jammed)
        if not len(some):
            return self.wished
        x, y = smooth_noise(mix(agents.keys[some], JOSTLES), 2, np.full(len(some), JOSTLES_A_SECOND), world.time)
        wished = self.wished[some]
        share = magnitude(wished) * (1.0 - self.progress[some] / JAMMED)
        loosened = self.wished.copy()
        loosened[some] = np.where(self.held[some, None], -STEPS_BACK * wished, wished)
        loosened[some] += columns(x * share, y * share, 0.0)
        return loosened
