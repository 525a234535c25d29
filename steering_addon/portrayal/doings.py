"""When agents do something once: now and then, on arrival, as they take up a state, or together with a partner.

What is to be done waits until the body stands and does not turn, as a whole pose on a body that moves would let its
feet slide; not for long, as it would have nothing to do with its cause any more.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.chance import Keys, mix, uniform
from ..simulation.arrays.scalars import Mask, Rows, Scalars
from .by_state import for_state, numbers_of, places_of
from .clips import BY_CHANCE, DO, IN_ANSWER, ON_ARRIVAL, ON_STATE, TO_PARTNER, Clip
from .exchanges import ALONE
from .playing import Played

EVERY = 5.0
"""Seconds in which an agent that stands decides again whether to do something."""
OFTEN = 0.4
"""The share of these decisions that are for it."""
SETTLES = 0.2
"""Seconds for which it waits at least: who stands when it is startled may set off immediately."""
WAITS = 5.0
"""Seconds for which what an agent is to do on arrival or in a new state waits until it stands."""
AWAY = 2.0
"""Seconds for which an agent has to be away before it arrives again: others may push it out of its place."""
WHEN, WHETHER, WHAT = 0x0D01, 0x0D02, 0x0D03


@dataclass(frozen=True)
class Arriving:
    """Whether n agents arrive.

    Attributes:
        since: (n,) seconds since they were last where they were led, inf if they never were.
    """

    since: Scalars

    @classmethod
    def start(cls, at_goal: Mask) -> "Arriving":
        """On the first frame, on which no agent arrives; `at_goal` (n,) are those that are where they are to go."""
        return cls(np.where(at_goal, 0.0, np.inf))

    def after(self, at_goal: Mask, entered: Mask, frame_time: float) -> "tuple[Mask, Arriving]":
        """Whether each arrives on the next frame, (n,), and what is remembered for the one after it.

        Args:
            at_goal: (n,) whether it is where it was led.
            entered: (n,) whether this is the first frame on which it is present, when it cannot arrive.
            frame_time: seconds.
        """
        since = np.where(entered, np.inf, self.since + frame_time)
        arrives: Mask = at_goal & ~entered & (since > AWAY)
        return arrives, Arriving(np.where(at_goal, 0.0, since))


class Doings:
    """Asks n agents to do something once, frame after frame."""

    def __init__(self, clips: Sequence[Clip], keys: Keys, frame_time: float) -> None:
        """`keys` (n,) of the agents; `frame_time` in seconds."""
        self._numbers = numbers_of(clips)
        once = [row for row, clip in enumerate(clips) if clip.plays == DO]
        self._rows = {
            when: [for_state([row for row in once if clips[row].when == when], clips, n) for n in self._numbers]
            for when in (BY_CHANCE, ON_ARRIVAL, ON_STATE, TO_PARTNER, IN_ANSWER)
        }
        self._awaits = any(any(self._rows[when]) for when in (ON_ARRIVAL, ON_STATE))
        self._state = np.array([clip.state for clip in clips])
        self._keys, self._frame_time = keys, frame_time
        self._turn = uniform(mix(keys, WHEN))
        n = len(keys)
        self._arriving = Arriving.start(np.zeros(n, dtype=np.bool_))
        self._pending, self._waited = np.full(n, -1, dtype=np.int64), np.zeros(n)
        self._nothing = np.full(n, -1, dtype=np.int64) if not once else None

    def begin(self, at_goal: Mask) -> None:
        """Take in the first frame, with the agents (n,) that are where they are to go."""
        self._arriving = Arriving.start(at_goal)

    def asked(
        self,
        row: int,
        played: Played,
        state: Rows,
        at_goal: Mask,
        entered: Mask,
        occasion: Rows,
        lot: Scalars,
    ) -> Rows:
        """The row of the clip that each agent is asked to play on a later frame, (n,), or -1; frames come in order.

        Args:
            row: of the frame.
            played: what they played on the frame before.
            state: (n,) the numbers of their states.
            at_goal: (n,) whether they are where they were led.
            entered: (n,) whether this is the first frame on which they are present.
            occasion, lot: (n,) what they begin with their partners, as of `VisibleBodies`.
        """
        if self._nothing is not None:
            return self._nothing
        time = row * self._frame_time / EVERY + self._turn
        turn = np.floor(time)
        key = mix(self._keys, turn.astype(np.uint64))
        places, draw = places_of(self._numbers, state), uniform(mix(key, WHAT))
        if self._awaits:
            takes_up = (state != played.state) & (state > 0) & ~entered
            self._await(places, draw, state, takes_up, at_goal, entered)
        free = played.still & (played.doing < 0)
        decides = turn > np.floor(time - self._frame_time / EVERY)
        wants = free & decides & (uniform(mix(key, WHETHER)) < OFTEN) & (occasion == ALONE)
        by_chance = np.where(wants, self._drawn(BY_CHANCE, places, draw), -1)
        starts = free & (self._pending >= 0) & (self._waited >= SETTLES)
        asked = np.where(starts, self._pending, by_chance)
        self._pending = np.where(starts, -1, self._pending)
        for when in (TO_PARTNER, IN_ANSWER):
            asked = np.where(free & (occasion == when), self._drawn(when, places, lot), asked)
        return asked

    def _await(self, places: Rows, draw: Scalars, state: Rows, takes_up: Mask, at_goal: Mask, entered: Mask) -> None:
        """Remember what is to be done as soon as agents stand."""
        arrives, self._arriving = self._arriving.after(at_goal, entered, self._frame_time)
        self._waited = self._waited + self._frame_time
        of_state = self._state[np.maximum(self._pending, 0)]
        lapsed = (self._waited > WAITS) | ((of_state > 0) & (of_state != state)) | entered
        pending = np.where(lapsed, -1, self._pending)
        for happens, when in ((arrives, ON_ARRIVAL), (takes_up, ON_STATE)):
            rows = self._drawn(when, places, draw)
            new = happens & (rows >= 0)
            pending, self._waited = np.where(new, rows, pending), np.where(new, 0.0, self._waited)
        self._pending = pending

    def _drawn(self, when: int, places: Rows, draw: Scalars) -> Rows:
        """One of the clips of each agent for an occasion, (n,); -1 where there is none."""
        drawn = np.full(len(places), -1, dtype=np.int64)
        for place, rows in enumerate(self._rows[when]):
            if rows:
                choice = np.array(rows)[np.floor(draw * len(rows)).astype(np.int64)]
                drawn = np.where(places == place, choice, drawn)
        return drawn
