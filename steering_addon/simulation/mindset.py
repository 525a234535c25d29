"""The mindset: what state each vehicle is in, since when, and why."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from .arrays.scalars import Rows, Scalars, smooth_step

NOBODY = -1
LONG_AGO = 1e6
"""Seconds."""
BY_CUE, BY_URGE, BY_OTHERS, OVER = -2, -3, -4, -5
"""Why a vehicle has changed its state, where it was not a trigger: a cue, an inclination, the example of others, or
because the state before it was over."""


@dataclass(frozen=True)
class Mindset:
    """The state that each of n vehicles is in, with k modes at most.

    Attributes:
        mode: (n,) the mode, 0 for none.
        since: (n,) when it was taken up, seconds.
        blend: (n,) the time in which it is taken up, seconds.
        called: (n,) when it was called for last, seconds.
        held: (n,) the strength with which it was taken up.
        by: (n,) the index of the trigger that called, or one of the causes above.
        body: (n,) the body that called, or the vehicle itself; -1 for none.
        source: (n,) the vehicle whose example was followed, -1 for none.
        turns: (n,) how often the mode has changed.
        idle: (n,) for how long it has had somewhere to go and did not get on, seconds.
        due: (n, k) when a call is going to be followed, inf for none.
        strength: (n, k) that of the pending calls.
        pending_by, pending_body, pending_source: (n, k) the causes of the pending calls.
        pending_root: (n, k) when what stands behind each pending call began it, seconds: a trigger at that moment, an
            example when what startled the first did.
        root: (n, k) that of the last call followed into each mode, or when it was left since; an example that goes back
            no further is old news.
        need: (n, k) how much a state is needed, 0 to 1.
        weighed: (n, k) the value of each mode when the present one was taken up.
        shares: (n, k) how far it was in each mode when the present one was taken up; 1 in all.
        callers: (n, k) the body that had called into each mode when it was left.
    """

    mode: Rows
    since: Scalars
    blend: Scalars
    called: Scalars
    held: Scalars
    by: Rows
    body: Rows
    source: Rows
    turns: Rows
    idle: Scalars
    due: Scalars
    strength: Scalars
    pending_by: Rows
    pending_body: Rows
    pending_source: Rows
    pending_root: Scalars
    root: Scalars
    need: Scalars
    weighed: Scalars
    shares: Scalars
    callers: Rows

    @classmethod
    def blank(cls, n: int, k: int, time: float) -> "Mindset":
        """The mindset of vehicles that have not been in any state."""
        none, nobody = np.zeros(n, dtype=np.int64), np.full(n, NOBODY)
        long_ago = np.full(n, time - LONG_AGO)
        no_call, no_cause = np.zeros((n, k)), np.full((n, k), NOBODY)
        never, no_time = np.full((n, k), np.inf), np.full((n, k), time - LONG_AGO)
        in_none = (np.arange(k) == 0).astype(np.float64) + no_call
        of_all = none, long_ago, np.zeros(n), long_ago, np.zeros(n), nobody, nobody, nobody, none, np.zeros(n)
        of_calls = never, no_call, no_cause, no_cause, no_cause, no_time, no_time
        return cls(*of_all, *of_calls, no_call, no_call, in_none, no_cause)

    @property
    def present(self) -> tuple[Rows, Rows]:
        """The index of the entry of each vehicle's mode in a column (n, k)."""
        return np.arange(len(self.mode)), self.mode

    def taken_up(self, time: float, dt: float) -> Scalars:
        """How far each vehicle has taken up its mode by the end of a step, (n,), 0 to 1, smoothly in time."""
        x = np.minimum((time + dt - self.since) / np.maximum(self.blend, dt), 1.0)
        return smooth_step(x)

    def spread(self, fraction: Scalars) -> Scalars:
        """How far each vehicle is in each mode, (n, k), once it has taken up the present one by a part (n,)."""
        is_present = self.mode[:, None] == np.arange(self.shares.shape[1])[None]
        return self.shares * (1.0 - fraction)[:, None] + np.where(is_present, fraction[:, None], 0.0)

    def modes_left(self, fraction: Scalars) -> Iterator[tuple[Rows, Scalars, Rows]]:
        """The modes that vehicles come from, that of the largest share first. Yields a mode (n,) for each vehicle, its
        share (n,), 0 where there are fewer, and the body (n,) that it was about.

        Args:
            fraction: (n,) how far each has taken up its mode; one that has done so comes from none.
        """
        shares = np.where((fraction < 1.0)[:, None], self.shares, 0.0)
        rows, order = np.arange(len(fraction)), np.argsort(-shares, axis=1, kind="stable")
        for modes in order.T:
            share = shares[rows, modes]
            if not (share > 0.0).any():
                return
            yield modes, share, self.callers[rows, modes]

    def take(self, rows: Rows, k: int) -> "Mindset":
        """The mindset of the vehicles of some rows, (m,) and (m, k)."""
        if self._is_all(rows, k):
            return self
        return Mindset(**{n: c[rows] if c.ndim == 1 else c[rows, :k] for n, c in vars(self).items()})

    def put(self, rows: Rows, mindset: "Mindset") -> "Mindset":
        """The same with that of the vehicles of some rows in place of their own."""
        if self._is_all(rows, mindset.due.shape[1]):
            return mindset
        merged = {}
        for name, column in vars(self).items():
            new = getattr(mindset, name)
            merged[name] = column.copy()
            if column.ndim == 1:
                merged[name][rows] = new
            else:
                merged[name][rows, : new.shape[1]] = new
        return Mindset(**merged)

    def _is_all(self, rows: Rows, k: int) -> bool:
        """Whether distinct rows are those of all vehicles, with all their modes."""
        return self.due.shape == (len(rows), k)
