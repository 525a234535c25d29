"""When agents do something once: now and then, on arrival, as they take up a state, or together with a partner.

What is to be done waits until the body stands and does not turn, as a whole pose on a body that moves would let its
feet slide; not for long, as it would have nothing to do with its cause any more.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..simulation.arrays.chance import Keys, mix, uniform
from ..simulation.arrays.scalars import Mask, Rows, Scalars
from ..simulation.arrays.vectors import dot, magnitude, picked, unit
from ..simulation.memory import memory_among
from ..simulation.partners import Partners
from ..simulation.snapshot import State
from .clips import BY_CHANCE, DO, IN_ANSWER, ON_ARRIVAL, ON_STATE, TO_PARTNER, Clip, for_state, numbers_of, places_of
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


@dataclass(frozen=True)
class Arriving:
    """Whether n agents arrive. `since`: (n,) seconds since they were last where they were led, inf if they never
    were."""

    since: Scalars

    @classmethod
    def start(cls, at_goal: Mask) -> "Arriving":
        """On the first frame, on which no agent arrives; `at_goal` (n,) are those that are where they are to go."""
        return cls(np.where(at_goal, 0.0, np.inf))

    def after(self, at_goal: Mask, entered: Mask, frame_time: float) -> "tuple[Mask, Arriving]":
        """Whether each arrives on the next frame, (n,), and what is remembered for the one after it. `at_goal`: (n,)
        whether it is where it was led; `entered`: (n,) whether this is the first frame on which it is present, when it
        cannot arrive; `frame_time`: seconds."""
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
        self, row: int, played: Played, state: Rows, at_goal: Mask, entered: Mask, occasion: Rows, lot: Scalars
    ) -> Rows:
        """The row of the clip that each agent is asked to play on a later frame, (n,), or -1; frames come in order.

        Args:
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
        by_chance = np.where(wants, self._random_clips(BY_CHANCE, places, draw), -1)
        starts = free & (self._pending >= 0) & (self._waited >= SETTLES)
        asked = np.where(starts, self._pending, by_chance)
        self._pending = np.where(starts, -1, self._pending)
        for when in (TO_PARTNER, IN_ANSWER):
            asked = np.where(free & (occasion == when), self._random_clips(when, places, lot), asked)
        return asked

    def _await(self, places: Rows, draw: Scalars, state: Rows, takes_up: Mask, at_goal: Mask, entered: Mask) -> None:
        """Remember what is to be done as soon as agents stand."""
        arrives, self._arriving = self._arriving.after(at_goal, entered, self._frame_time)
        self._waited = self._waited + self._frame_time
        of_state = self._state[np.maximum(self._pending, 0)]
        lapsed = (self._waited > WAITS) | ((of_state > 0) & (of_state != state)) | entered
        pending = np.where(lapsed, -1, self._pending)
        for happens, when in ((arrives, ON_ARRIVAL), (takes_up, ON_STATE)):
            rows = self._random_clips(when, places, draw)
            new = happens & (rows >= 0)
            pending, self._waited = np.where(new, rows, pending), np.where(new, 0.0, self._waited)
        self._pending = pending

    def _random_clips(self, when: int, places: Rows, draw: Scalars) -> Rows:
        """One of the clips of each agent for an occasion, (n,); -1 where there is none."""
        drawn = np.full(len(places), -1, dtype=np.int64)
        for place, rows in enumerate(self._rows[when]):
            if rows:
                choice = np.array(rows)[np.floor(draw * len(rows)).astype(np.int64)]
                drawn = np.where(places == place, choice, drawn)
        return drawn


def longest(clips: Sequence[Clip]) -> float:
    """Seconds of the longest of the clips that are for partners; 0 without any."""
    return max((clip.seconds for clip in clips if clip.plays == DO and clip.when in (TO_PARTNER, IN_ANSWER)), default=0)


def exchanges(state: State, frame_time: float, seconds: float) -> dict[str, Any]:
    """The exchanges that agents begin with their partners on a frame, as of `VisibleBodies`.

    Both know the moments at which they begin from the time at which they met and from a random key that they share, so
    that they begin on the same frame, whatever models and crowds they belong to.

    Args:
        frame_time: seconds since the frame before.
        seconds: of the longest clip for partners; 0 if there is none.
    """
    n, partners = len(state), memory_among(Partners, state.memories.values())
    occasion, lot = np.full(n, ALONE), np.zeros(n)
    if partners is None or state.inputs is None or not seconds:
        return {"occasion": occasion, "lot": lot}
    snapshot, motion = state.inputs, state.motion
    partner_of = partners.row(state.time, snapshot.interval)
    rows = np.flatnonzero((partner_of >= 0) & ~state.away)
    other = partner_of[rows]
    partner = np.where(other < n, other, rows)
    agrees = (partner != rows) & (partner_of[partner] == rows)
    places = np.concatenate((state.shown, snapshot.tracked.position))
    toward = unit(picked(places, other) - picked(state.shown, rows))
    ready = np.zeros(n, dtype=np.bool_)
    ready[rows] = dot(picked(motion.forward, rows), toward) > FACES * magnitude(toward)
    ready &= magnitude(motion.velocity) <= STANDS
    key = snapshot.keys[rows] ^ np.where(agrees, snapshot.keys[partner], np.uint64(0))
    every = (seconds + PAUSE) / (1.0 - LOOSELY)
    since = state.time - partners.met[rows]
    turn_number = np.floor(since / every)
    turn = mix(key, turn_number.astype(np.int64).astype(np.uint64))
    begins = (turn_number + LOOSELY * uniform(mix(turn, BEGINS))) * every
    starts = (begins <= since) & (begins > since - frame_time) & ready[rows] & (ready[partner] | ~agrees)
    leads = ~agrees | ((uniform(mix(turn, LEADS)) < 0.5) == (rows < other))
    occasion[rows] = np.where(starts, np.where(leads, TO_PARTNER, IN_ANSWER), PAUSES)
    lot[rows] = uniform(mix(turn, WHICH))
    return {"occasion": occasion, "lot": lot}
