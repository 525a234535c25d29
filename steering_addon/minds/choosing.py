"""Choosing: which state each vehicle is in from now on, by a race of values.

    its crowd's own settings        .5
    a call whose time has come      its strength, times the need where there is one
    the state it is in              the strength it was taken up with, and persistence, while it lasts
    a cue                           3

The highest value wins; of equal ones, none before the states in the order of their numbers. All look at what there was
before the step. Nothing is drawn: chance depends on the vehicle, the state, and how often the vehicle has switched.
A cue tells exactly its share of a crowd, always in the same order.
"""

from __future__ import annotations

import numpy as np

from ..simulation.arrays.chance import Keys
from ..simulation.arrays.frozen import replace
from ..simulation.arrays.vectors import Mask, Scalars, clamp
from ..simulation.mindset import BY_CUE, NOBODY, OVER, Mindset
from .calling import Calls, about, called, luck
from .conditions import Meeting
from .declaring import Mind
from .one_by_one import one_by_one

RESTING, CUED = 0.5, 3.0
"""The values of a crowd's own settings and of a cue."""
EVER = 1e9
"""Seconds."""
BACK = 0.3
"""Seconds in which a vehicle takes up the crowd's own settings, where it comes from no state."""


def chosen(mind: Mind, meeting: Meeting, keys: Keys) -> Mindset:
    """The mindset of the vehicles of a meeting, m rows, after they have chosen; `keys` (m,) are theirs."""
    rows, k = meeting.rows, len(mind.modes) + 1
    mine = meeting.before.take(rows, k)
    calls = called(mind, meeting, mine, keys)
    time, dt = meeting.world.time, meeting.world.dt
    mine = _needing(mind, _reacting(mind, mine, calls, keys, time), dt)
    value = _values(mind, mine, time)
    mine = _last_called(mind, mine, calls, time)
    value, told = _cued(mind, mine, _held(mind, mine, value, keys, time), keys)
    mine, value = one_by_one(mind, meeting, mine, value, told)
    chosen = _switched(mind, mine, value, told, time, dt)
    return _heard(chosen, mine, calls, time)


def _reacting(mind: Mind, mine: Mindset, calls: Calls, keys: Keys, time: float) -> Mindset:
    """The mindset with the calls that are now pending. A reaction, once begun, happens, though the call is over."""
    heard = calls.strength > 0.0
    if not heard.any():
        return mine
    due = mine.due.copy()
    for number, mode in enumerate(mind.modes, 1):
        begins = heard[:, number] & np.isinf(due[:, number])
        if begins.any():
            chance = luck(keys, mode.number, "react", mine.turns)
            wait = about(float(mode.numbers.react[0]), float(mode.numbers.varies[0]), chance)
            due[begins, number] = (time + wait)[begins]
    return replace(
        mine,
        due=due,
        strength=np.where(heard, calls.strength, mine.strength),
        pending_by=np.where(heard, calls.by, mine.pending_by),
        pending_body=np.where(heard, calls.body, mine.pending_body),
        pending_source=np.where(heard, calls.source, mine.pending_source),
        pending_root=np.where(heard, calls.root, mine.pending_root),
    )


def _needing(mind: Mind, mine: Mindset, dt: float) -> Mindset:
    """The mindset with needs that have grown, or were eased."""
    grows, eases = mind.of_modes("builds_up", 0.0), mind.of_modes("wears_off", 0.0)
    if not grows.any():
        return mine
    others = mine.mode[:, None] != np.arange(len(grows))[None]
    need = mine.need + np.where(others, grows[None] * dt, 0.0)
    for number, mode in enumerate(mind.modes, 1):
        if mode.eases > 0:
            need[:, mode.eases] -= np.where(mine.mode == number, eases[number] * dt, 0.0)
    return replace(mine, need=clamp(need, 0.0, 1.0))


def _values(mind: Mind, mine: Mindset, time: float) -> Scalars:
    """The value of each mode by the calls whose time has come, (m, k)."""
    needed = mind.of_modes("builds_up", 0.0) > 0.0
    value = np.where(mine.due <= time, mine.strength, 0.0)
    value = np.where(needed[None], value * mine.need, value)
    value[:, 0] = RESTING
    return value


def _last_called(mind: Mind, mine: Mindset, calls: Calls, time: float) -> Mindset:
    """The mindset with the moment of the last call into the present mode that is needed."""
    at = np.arange(len(mine.mode))
    needed = mind.of_modes("builds_up", 0.0)[mine.mode] > 0.0
    strength = calls.strength[at, mine.mode] * np.where(needed, mine.need[at, mine.mode], 1.0)
    in_it = np.where(needed, strength > RESTING, strength > 0.0)
    return replace(mine, called=np.where(in_it & (mine.mode > 0), time, mine.called))


def _held(mind: Mind, mine: Mindset, value: Scalars, keys: Keys, time: float) -> Scalars:
    """The values with that of the present mode, which holds for as long as it lasts since the last call."""
    if not (mine.mode > 0).any():
        return value
    lasts, varies = mind.of_modes("lasts", 0.0)[mine.mode], mind.of_modes("varies", 0.0)[mine.mode]
    chance = np.zeros(len(mine.mode))
    for number, mode in enumerate(mind.modes, 1):
        in_it = mine.mode == number
        if in_it.any():
            chance[in_it] = luck(keys[in_it], mode.number, "lasts", mine.turns[in_it])
    until = mine.called + about(np.where(lasts > 0.0, lasts, EVER), np.where(lasts > 0.0, varies, 0.0), chance)
    at = np.arange(len(mine.mode))
    holds = (mine.mode > 0) & (time < until)
    kept = np.maximum(value[at, mine.mode], mine.held) + mind.of_modes("persistence", 0.0)[mine.mode]
    value = value.copy()
    value[at, mine.mode] = np.where(holds, kept, value[at, mine.mode])
    return value


def _cued(mind: Mind, mine: Mindset, value: Scalars, keys: Keys) -> tuple[Scalars, Mask]:
    """The values with those of cues, and which modes each vehicle is told to be in, (m, k)."""
    told = np.zeros(value.shape, dtype=np.bool_)
    free, given = np.ones(len(value), dtype=np.bool_), 0.0
    for number, mode in enumerate(mind.modes, 1):
        share = min(float(mode.numbers.cue[0]), 1.0 - given)
        if share > 0.0:
            # Of those whom no cue has told so far: then each cue gets its share, as long as they come to one at most.
            count = _whole((given + share) * len(value)) - _whole(given * len(value))
            order = np.argsort(np.where(free, luck(keys, mode.number, "cue"), 2.0), kind="stable")
            told[order[:count], number] = True
            free, given = free & ~told[:, number], given + share
    by_cue = mine.by == BY_CUE
    if not by_cue.any() and not told.any():
        return value, told
    ends = by_cue[:, None] & (mine.mode[:, None] == np.arange(value.shape[1])[None]) & ~told
    return np.where(told, CUED, np.where(ends, 0.0, value)), told


def _whole(share: float) -> int:
    """The nearest whole number: a cue tells a share of the crowd, which chances of each vehicle alone would miss."""
    return int(np.floor(share + 0.5))


def _switched(mind: Mind, mine: Mindset, value: Scalars, told: Mask, time: float, dt: float) -> Mindset:
    """The mindset in which each vehicle is in the mode of the highest value, or in what follows on its own."""
    m, at = len(mine.mode), np.arange(len(mine.mode))
    winner = np.argmax(value, axis=1)
    then = np.array([0, *(mode.then for mode in mind.modes)])[mine.mode]
    over = (mine.mode > 0) & (winner == 0)
    winner = np.where(over, then, winner)
    switches = winner != mine.mode
    if not switches.any():
        return mine
    by = np.where(over, OVER, np.where(told[at, winner], BY_CUE, mine.pending_by[at, winner]))
    # What one state was about, the next one is about too.
    body = np.where(over, mine.body, np.where(told[at, winner], NOBODY, mine.pending_body[at, winner]))
    source = np.where(over | told[at, winner], NOBODY, mine.pending_source[at, winner])
    # Any call is stronger than what merely follows.
    held = np.where(over, RESTING, np.minimum(value[at, winner], 1.0))
    now, due, root = np.full(m, time), mine.due.copy(), mine.root.copy()
    due[at[switches], winner[switches]] = np.inf
    calls = at[switches & ~over], winner[switches & ~over]
    root[calls] = np.maximum(root[calls], mine.pending_root[calls])
    blend = mind.of_modes("blend", BACK)
    shares, callers = mine.spread(mine.taken_up(time - dt, dt)), mine.callers.copy()
    callers[at, mine.mode] = mine.body
    changes = {
        "mode": winner, "since": now, "blend": blend[np.where(winner == 0, mine.mode, winner)], "called": now,
        "held": held, "by": by, "body": body, "source": source, "turns": mine.turns + 1,
    }  # fmt: skip
    changed = {name: np.where(switches, new, getattr(mine, name)) for name, new in changes.items()}
    of_modes = {"weighed": value, "shares": shares, "callers": callers}
    changed |= {name: np.where(switches[:, None], new, getattr(mine, name)) for name, new in of_modes.items()}
    return replace(mine, due=due, root=root, **changed)


def _heard(after: Mindset, before: Mindset, calls: Calls, time: float) -> Mindset:
    """The mindset without the pending calls whose time is over, and with the latest cause of the present mode."""
    acted = (before.due <= time) & (calls.strength == 0.0)
    at = np.arange(len(after.mode))
    again = (after.turns == before.turns) & (after.mode > 0) & (calls.strength[at, after.mode] > 0.0)
    again &= calls.by[at, after.mode] >= 0
    if not acted.any() and not again.any():
        return after
    return replace(
        after,
        due=np.where(acted, np.inf, after.due),
        strength=np.where(acted, 0.0, after.strength),
        by=np.where(again, calls.by[at, after.mode], after.by),
        body=np.where(again, calls.body[at, after.mode], after.body),
        source=np.where(again, NOBODY, after.source),
    )
