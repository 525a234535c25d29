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
    mine = meeting.before.take(rows, k)
    calls = find_calls(mind, meeting, mine, keys)
    time, dt = meeting.world.time, meeting.world.dt
    mine = _build_needs(mind, _react(mind, mine, calls, keys, time), dt)
    value = _weigh_calls(mind, mine, time)
    mine = _note_calls(mind, mine, calls, time)
    value, told = _weigh_cues(mind, mine, _weigh_present(mind, mine, value, keys, time), keys)
    mine, value = _let_neighbors_begin(mind, meeting, mine, value, told)
    after = _switch(mind, mine, value, told, time, dt)
    return _drop_calls(after, mine, calls, time)


def _react(mind: Mind, mine: Mindset, calls: Calls, keys: Keys, time: float) -> Mindset:
    """The mindset with the calls that are now pending. A reaction, once begun, happens, though the call is over."""
    heard = calls.strength > 0.0
    if not heard.any():
        return mine
    due = mine.due.copy()
    for number, mode in enumerate(mind.modes, 1):
        begins = heard[:, number] & np.isinf(due[:, number])
        if begins.any():
            chance = luck(keys, mode.number, "react", mine.turns)
            wait = vary(float(mode.numbers.react[0]), float(mode.numbers.varies[0]), chance)
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


def _build_needs(mind: Mind, mine: Mindset, dt: float) -> Mindset:
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


def _weigh_calls(mind: Mind, mine: Mindset, time: float) -> Scalars:
    """The value of each mode by the calls whose time has come, (m, k)."""
    needed = mind.of_modes("builds_up", 0.0) > 0.0
    value = np.where(mine.due <= time, mine.strength, 0.0)
    value = np.where(needed[None], value * mine.need, value)
    value[:, 0] = RESTING
    return value


def _note_calls(mind: Mind, mine: Mindset, calls: Calls, time: float) -> Mindset:
    """The mindset with the moment of the last call into the present mode that is needed."""
    needed = mind.of_modes("builds_up", 0.0)[mine.mode] > 0.0
    strength = calls.strength[mine.present] * np.where(needed, mine.need[mine.present], 1.0)
    counts = np.where(needed, strength > RESTING, strength > 0.0)
    return replace(mine, called=np.where(counts & (mine.mode > 0), time, mine.called))


def _weigh_present(mind: Mind, mine: Mindset, value: Scalars, keys: Keys, time: float) -> Scalars:
    """The values with that of the present mode, which holds for as long as it lasts since the last call."""
    if not (mine.mode > 0).any():
        return value
    lasts, varies = mind.of_modes("lasts", 0.0)[mine.mode], mind.of_modes("varies", 0.0)[mine.mode]
    chance = np.zeros(len(mine.mode))
    for number, mode in enumerate(mind.modes, 1):
        in_it = mine.mode == number
        if in_it.any():
            chance[in_it] = luck(keys[in_it], mode.number, "lasts", mine.turns[in_it])
    until = mine.called + vary(np.where(lasts > 0.0, lasts, EVER), np.where(lasts > 0.0, varies, 0.0), chance)
    holds = (mine.mode > 0) & (time < until)
    value, called_for = value.copy(), value[mine.present]
    kept = np.maximum(called_for, mine.held) + mind.of_modes("persistence", 0.0)[mine.mode]
    value[mine.present] = np.where(holds, kept, called_for)
    return value


def _weigh_cues(mind: Mind, mine: Mindset, value: Scalars, keys: Keys) -> tuple[Scalars, Mask]:
    """The values with those of cues, and which modes each vehicle is told to be in, (m, k)."""
    told = np.zeros(value.shape, dtype=np.bool_)
    free, given = np.ones(len(value), dtype=np.bool_), 0.0
    for number, mode in enumerate(mind.modes, 1):
        share = min(float(mode.numbers.cue[0]), 1.0 - given)
        if share > 0.0:
            # Of those whom no cue has told so far: then each cue gets its share, as long as they come to one at most.
            # Whole numbers of the crowd: chances of each vehicle alone would miss the share.
            count = int(np.floor((given + share) * len(value) + 0.5)) - int(np.floor(given * len(value) + 0.5))
            order = np.argsort(np.where(free, luck(keys, mode.number, "cue"), 2.0), kind="stable")
            told[order[:count], number] = True
            free, given = free & ~told[:, number], given + share
    by_cue = mine.by == BY_CUE
    if not by_cue.any() and not told.any():
        return value, told
    ends = by_cue[:, None] & (mine.mode[:, None] == np.arange(value.shape[1])[None]) & ~told
    return np.where(told, CUED, np.where(ends, 0.0, value)), told


def _let_neighbors_begin(
    mind: Mind, meeting: Meeting, mine: Mindset, value: Scalars, told: Mask
) -> tuple[Mindset, Scalars]:
    """The mindset and the values (m, k) in which those who let others begin first stay in their modes for a step more.

    Only modes that spread are begun one by one; those who are told to be in one by a cue, (m, k), do not wait.
    """
    winner = np.argmax(value, axis=1)
    for number, mode in enumerate(mind.modes, 1):
        if mode.numbers.spreads[0] <= 0:
            continue
        begins = np.flatnonzero((winner == number) & (mine.mode != number) & ~told[:, number])
        if len(begins) < 2:
            continue
        due, position = mine.due[begins, number], picked(meeting.world.bodies.position, meeting.rows[begins])
        waits = _wait(due, position, BESIDE * float(mode.numbers.reach[0]))
        if not waits.any():
            continue
        rows, overdue = begins[waits], np.maximum(due[waits] - meeting.world.time + meeting.world.dt, 0.0)
        later, value = mine.due.copy(), value.copy()
        later[rows, number] = meeting.world.time + SOONER * overdue
        mine = replace(mine, due=later)
        value[rows, mine.mode[rows]] = value[rows, number]
        value[rows, number] = 0.0
    return mine, value


def _wait(due: Scalars, position: Vectors, distance: float) -> Mask:
    """The agents within a distance of an agent that was ready before them, (b,); equally ready ones do not wait. `due`:
    (b,) when each was ready, seconds; `position`: (b, 3) metres."""
    waits = np.zeros(len(due), dtype=np.bool_)
    for pairs in pairs_within(position, distance):
        first, second = pairs.first, pairs.second
        waits[second[due[first] < due[second]]] = True
        waits[first[due[second] < due[first]]] = True
    return waits


def _switch(mind: Mind, mine: Mindset, value: Scalars, told: Mask, time: float, dt: float) -> Mindset:
    """The mindset in which each vehicle is in the mode of the highest value, or in what follows on its own."""
    m, at = len(mine.mode), np.arange(len(mine.mode))
    winner = np.argmax(value, axis=1)
    then = np.array([0, *(mode.then for mode in mind.modes)])[mine.mode]
    over = (mine.mode > 0) & (winner == 0)
    winner = np.where(over, then, winner)
    switches = winner != mine.mode
    if not switches.any():
        return mine
    cued = told[at, winner]
    by = np.where(over, OVER, np.where(cued, BY_CUE, mine.pending_by[at, winner]))
    # What one state was about, the next one is about too.
    body = np.where(over, mine.body, np.where(cued, NOBODY, mine.pending_body[at, winner]))
    source = np.where(over | cued, NOBODY, mine.pending_source[at, winner])
    # Any call is stronger than what merely follows.
    held = np.where(over, RESTING, np.minimum(value[at, winner], 1.0))
    now, due, root = np.full(m, time), mine.due.copy(), mine.root.copy()
    due[at[switches], winner[switches]] = np.inf
    calls = at[switches & ~over], winner[switches & ~over]
    root[calls] = np.maximum(root[calls], mine.pending_root[calls])
    blend = mind.of_modes("blend", BACK)[np.where(winner == 0, mine.mode, winner)]
    shares, callers = mine.spread(mine.taken_up(time - dt, dt)), mine.callers.copy()
    callers[mine.present] = mine.body
    changes = {
        "mode": winner, "since": now, "blend": blend, "called": now, "held": held, "by": by, "body": body,
        "source": source, "turns": mine.turns + 1, "weighed": value, "shares": shares, "callers": callers,
    }  # fmt: skip
    columns = {1: switches, 2: switches[:, None]}
    changed = {name: np.where(columns[new.ndim], new, getattr(mine, name)) for name, new in changes.items()}
    return replace(mine, due=due, root=root, **changed)


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
