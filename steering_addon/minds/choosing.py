"""Choosing: which state each vehicle is in from now on, by a race of values.

    its crowd's own settings        .5
    a call whose time has come      its strength, times the need where there is one
    the state it is in              the strength it was taken up with, and persistence, while it lasts
    a cue                           3

The highest value wins; of equal ones, none before the states in the order of their numbers. All look at what there was
before the step. Nothing is drawn: chance depends on the vehicle, the state, and how often the vehicle has switched.
A cue tells exactly its share of a crowd, always in the same order.

Of neighbors whom an alarm reaches, no two begin in the same step. The times of reactions are drawn independently, so
that by chance a dozen of a herd of 300 would begin as one. Animals that look at each other do not: the first to be
ready begins, and those beside it follow in the next steps.
"""

import numpy as np

from ..simulation.arrays.chance import Keys
from ..simulation.arrays.frozen import replace
from ..simulation.arrays.scalars import Mask, Scalars, clamp
from ..simulation.arrays.vectors import Vectors, picked
from ..simulation.mindset import BY_CUE, NOBODY, OVER, Mindset
from ..simulation.nearby.pairs import pairs_within
from .calling import Calls, find_calls, luck, vary
from .conditions import Meeting
from .declaring import Mind

RESTING, CUED = 0.5, 3.0
"""The values of a crowd's own settings and of a cue."""
EVER = 1e9
"""Seconds."""
BACK = 0.3
"""Seconds in which a vehicle takes up the crowd's own settings, where it comes from no state."""
BESIDE = 0.3
"""Share of the distance within which others carry a vehicle along: so near are those that it lets begin first."""
SOONER = 0.5
"""By how much who has waited comes before those that are ready in the next step, as a share of it."""


def choose_modes(mind: Mind, meeting: Meeting, keys: Keys) -> Mindset:
    """The mindset of the vehicles of a meeting, m rows, after they have chosen; `keys` (m,) are theirs."""
    rows, k = meeting.rows, len(mind.modes) + 1
    mindset = meeting.before.take(rows, k)
    calls = find_calls(mind, meeting, mindset, keys)
    time, dt = meeting.world.time, meeting.world.dt
    mindset = _build_needs(mind, _react(mind, mindset, calls, keys, time), dt)
    value = _weigh_calls(mind, mindset, time)
    mindset = _note_calls(mind, mindset, calls, time)
    value, cued = _weigh_cues(mind, mindset, _weigh_present(mind, mindset, value, keys, time), keys)
    mindset, value = _let_neighbors_begin(mind, meeting, mindset, value, cued)
    after = _switch(mind, mindset, value, cued, time, dt)
    return _drop_calls(after, mindset, calls, time)


def _react(mind: Mind, mindset: Mindset, calls: Calls, keys: Keys, time: float) -> Mindset:
    """The mindset with the calls that are now pending. A reaction, once begun, happens, though the call is over."""
    heard = calls.strength > 0.0
    if not heard.any():
        return mindset
    due = mindset.due.copy()
    for number, mode in enumerate(mind.modes, 1):
        begins = heard[:, number] & np.isinf(due[:, number])
        if begins.any():
            chance = luck(keys, mode.number, "react", mindset.turns)
            wait = vary(float(mode.numbers.react[0]), float(mode.numbers.varies[0]), chance)
            due[begins, number] = (time + wait)[begins]
    return replace(
        mindset,
        due=due,
        strength=np.where(heard, calls.strength, mindset.strength),
        pending_by=np.where(heard, calls.by, mindset.pending_by),
        pending_body=np.where(heard, calls.body, mindset.pending_body),
        pending_source=np.where(heard, calls.source, mindset.pending_source),
        pending_root=np.where(heard, calls.root, mindset.pending_root),
    )


def _build_needs(mind: Mind, mindset: Mindset, dt: float) -> Mindset:
    """The mindset with needs that have grown, or were eased."""
    grows, eases = mind.of_modes("builds_up", 0.0), mind.of_modes("wears_off", 0.0)
    if not grows.any():
        return mindset
    others = mindset.mode[:, None] != np.arange(len(grows))[None]
    need = mindset.need + np.where(others, grows[None] * dt, 0.0)
    for number, mode in enumerate(mind.modes, 1):
        if mode.eases > 0:
            need[:, mode.eases] -= np.where(mindset.mode == number, eases[number] * dt, 0.0)
    return replace(mindset, need=clamp(need, 0.0, 1.0))


def _weigh_calls(mind: Mind, mindset: Mindset, time: float) -> Scalars:
    """The value of each mode by the calls whose time has come, (m, k)."""
    needed = mind.of_modes("builds_up", 0.0) > 0.0
    value = np.where(mindset.due <= time, mindset.strength, 0.0)
    value = np.where(needed[None], value * mindset.need, value)
    value[:, 0] = RESTING
    return value


def _note_calls(mind: Mind, mindset: Mindset, calls: Calls, time: float) -> Mindset:
    """The mindset with the moment of the last call into each present mode, of one with a need the last that counts."""
    needed = mind.of_modes("builds_up", 0.0)[mindset.mode] > 0.0
    strength = calls.strength[mindset.present] * np.where(needed, mindset.need[mindset.present], 1.0)
    counts = np.where(needed, strength > RESTING, strength > 0.0)
    return replace(mindset, called=np.where(counts & (mindset.mode > 0), time, mindset.called))


def _weigh_present(mind: Mind, mindset: Mindset, value: Scalars, keys: Keys, time: float) -> Scalars:
    """The values, (m, k), with that of the present mode while it lasts after its last call."""
    if not (mindset.mode > 0).any():
        return value
    lasts, varies = mind.of_modes("lasts", 0.0)[mindset.mode], mind.of_modes("varies", 0.0)[mindset.mode]
    chance = np.zeros(len(mindset.mode))
    for number, mode in enumerate(mind.modes, 1):
        in_it = mindset.mode == number
        if in_it.any():
            chance[in_it] = luck(keys[in_it], mode.number, "lasts", mindset.turns[in_it])
    until = mindset.called + vary(np.where(lasts > 0.0, lasts, EVER), np.where(lasts > 0.0, varies, 0.0), chance)
    holds = (mindset.mode > 0) & (time < until)
    value, called_for = value.copy(), value[mindset.present]
    held = np.maximum(called_for, mindset.held) + mind.of_modes("persistence", 0.0)[mindset.mode]
    value[mindset.present] = np.where(holds, held, called_for)
    return value


def _weigh_cues(mind: Mind, mindset: Mindset, value: Scalars, keys: Keys) -> tuple[Scalars, Mask]:
    """The values with those of cues, and which modes each vehicle is told to be in, (m, k)."""
    cued = np.zeros(value.shape, dtype=np.bool_)
    free, cued_share = np.ones(len(value), dtype=np.bool_), 0.0
    for number, mode in enumerate(mind.modes, 1):
        share = min(float(mode.numbers.cue[0]), 1.0 - cued_share)
        if share > 0.0:
            # Of those whom no cue has told so far: then each cue gets its share, as long as they come to one at most.
            # Whole numbers of the crowd: chances of each vehicle alone would miss the share.
            first, end = (int(np.floor(until * len(value) + 0.5)) for until in (cued_share, cued_share + share))
            order = np.argsort(np.where(free, luck(keys, mode.number, "cue"), 2.0), kind="stable")
            cued[order[: end - first], number] = True
            free, cued_share = free & ~cued[:, number], cued_share + share
    by_cue = mindset.by == BY_CUE
    if not by_cue.any() and not cued.any():
        return value, cued
    ends = by_cue[:, None] & (mindset.mode[:, None] == np.arange(value.shape[1])[None]) & ~cued
    return np.where(cued, CUED, np.where(ends, 0.0, value)), cued


def _let_neighbors_begin(
    mind: Mind, meeting: Meeting, mindset: Mindset, value: Scalars, cued: Mask
) -> tuple[Mindset, Scalars]:
    """Keep vehicles that let a neighbor begin first in their modes for one more step: their mindset and values (m, k).
    Only modes that spread are begun one by one; those who are told to be in one by a cue, (m, k), do not wait."""
    winner = np.argmax(value, axis=1)
    for number, mode in enumerate(mind.modes, 1):
        if mode.numbers.spreads[0] <= 0:
            continue
        begins = np.flatnonzero((winner == number) & (mindset.mode != number) & ~cued[:, number])
        if len(begins) < 2:
            continue
        due, position = mindset.due[begins, number], picked(meeting.world.bodies.position, meeting.rows[begins])
        waits = _wait(due, position, BESIDE * float(mode.numbers.reach[0]))
        if not waits.any():
            continue
        rows, overdue = begins[waits], np.maximum(due[waits] - meeting.world.time + meeting.world.dt, 0.0)
        later, value = mindset.due.copy(), value.copy()
        later[rows, number] = meeting.world.time + SOONER * overdue
        mindset = replace(mindset, due=later)
        value[rows, mindset.mode[rows]] = value[rows, number]
        value[rows, number] = 0.0
    return mindset, value


def _wait(due: Scalars, position: Vectors, distance: float) -> Mask:
    """The agents within a distance of an agent that was ready before them, (b,); equally ready ones do not wait. `due`:
    (b,) when each was ready, seconds; `position`: (b, 3) metres."""
    waits = np.zeros(len(due), dtype=np.bool_)
    for pairs in pairs_within(position, distance):
        first, second = pairs.first, pairs.second
        waits[second[due[first] < due[second]]] = True
        waits[first[due[second] < due[first]]] = True
    return waits


def _switch(mind: Mind, mindset: Mindset, value: Scalars, cued: Mask, time: float, dt: float) -> Mindset:
    """The mindset in which each vehicle is in the mode of the highest value, or in what follows on its own."""
    m, at = len(mindset.mode), np.arange(len(mindset.mode))
    winner = np.argmax(value, axis=1)
    followers = np.array([0, *(mode.then for mode in mind.modes)])[mindset.mode]
    over = (mindset.mode > 0) & (winner == 0)
    winner = np.where(over, followers, winner)
    switches = winner != mindset.mode
    if not switches.any():
        return mindset
    by_cue = cued[at, winner]
    by = np.where(over, OVER, np.where(by_cue, BY_CUE, mindset.pending_by[at, winner]))
    # What one state was about, the next one is about too.
    body = np.where(over, mindset.body, np.where(by_cue, NOBODY, mindset.pending_body[at, winner]))
    source = np.where(over | by_cue, NOBODY, mindset.pending_source[at, winner])
    # Any call is stronger than what merely follows.
    held = np.where(over, RESTING, np.minimum(value[at, winner], 1.0))
    now, due, root = np.full(m, time), mindset.due.copy(), mindset.root.copy()
    due[at[switches], winner[switches]] = np.inf
    calls = at[switches & ~over], winner[switches & ~over]
    root[calls] = np.maximum(root[calls], mindset.pending_root[calls])
    # Causes that began while it was in a state are old news once it has left it: else alarms would echo.
    root[at[switches], mindset.mode[switches]] = time
    blend = mind.of_modes("blend", BACK)[np.where(winner == 0, mindset.mode, winner)]
    shares, callers = mindset.spread(mindset.taken_up(time - dt, dt)), mindset.callers.copy()
    callers[mindset.present] = mindset.body
    changes = {
        "mode": winner, "since": now, "blend": blend, "called": now, "held": held, "by": by, "body": body,
        "source": source, "turns": mindset.turns + 1, "weighed": value, "shares": shares, "callers": callers,
    }  # fmt: skip
    columns = {1: switches, 2: switches[:, None]}
    changed = {name: np.where(columns[new.ndim], new, getattr(mindset, name)) for name, new in changes.items()}
    return replace(mindset, due=due, root=root, **changed)


def _drop_calls(after: Mindset, before: Mindset, calls: Calls, time: float) -> Mindset:
    """The mindset without the pending calls whose time is over, and with the latest cause of the present mode."""
    acted = (before.due <= time) & (calls.strength == 0.0)
    by = calls.by[after.present]
    again = (after.turns == before.turns) & (after.mode > 0) & (by >= 0)
    if not acted.any() and not again.any():
        return after
    return replace(
        after,
        due=np.where(acted, np.inf, after.due),
        strength=np.where(acted, 0.0, after.strength),
        by=np.where(again, by, after.by),
        body=np.where(again, calls.body[after.present], after.body),
        source=np.where(again, NOBODY, after.source),
    )
