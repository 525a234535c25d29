"""Calls: what calls each vehicle into each state of its crowd at a moment, and how strongly.

Triggers call, the example of others does, and inclinations. A cue is not weighed against them.
"""

from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

import numpy as np

from ..simulation.arrays.chance import Keys, mix, uniform
from ..simulation.arrays.scalars import Mask, Rows, Scalars, firsts
from ..simulation.mindset import BY_CUE, BY_OTHERS, BY_URGE, NOBODY, Mindset
from .conditions import Meeting, OfItself, OfRegions
from .declaring import Mind, Mode, Trigger

CAUGHT, INCLINED = 0.9, 0.6
"""How strong the example of others and an inclination are."""
FOLLOWS = 0x4EED
"""Salt of the random keys that say which vehicles follow a trigger."""


@dataclass
class Calls:
    """The strongest call into each of k modes that each of m vehicles hears, and of equal ones the nearest.

    Attributes:
        strength: (m, k), 0 for none.
        gap: (m, k) metres to the body that calls, inf for none.
        by, body, source, root: (m, k) as in Mindset.
    """

    strength: Scalars
    gap: Scalars
    by: Rows
    body: Rows
    source: Rows
    root: Scalars

    @classmethod
    def none(cls, m: int, k: int) -> "Calls":
        """No calls."""
        by, body, source = (np.full((m, k), NOBODY) for _ in range(3))
        return cls(np.zeros((m, k)), np.full((m, k), np.inf), by, body, source, np.zeros((m, k)))

    def add(
        self,
        to: int,
        strength: Scalars,
        by: int,
        body: Rows,
        source: Rows,
        root: Scalars,
        gap: Scalars | float = np.inf,
    ) -> None:
        """Have vehicles called into a mode, with a strength (m,), by a body (m,) at a distance (m,)."""
        if not (strength > 0.0).any():
            return
        gap = np.broadcast_to(gap, strength.shape)
        strongest, nearest = self.strength[:, to], self.gap[:, to]
        nearer = (gap < nearest) | (gap == nearest) & (body < self.body[:, to])
        stronger = (strength > 0.0) & ((strength > strongest) | (strength == strongest) & nearer)
        pairs = (self.strength, strength), (self.gap, gap), (self.body, body), (self.source, source), (self.root, root)
        for column, values in pairs:
            column[stronger, to] = values[stronger]
        self.by[stronger, to] = by


def luck(keys: Keys, state: int, salt: str, turns: Rows | None = None) -> Scalars:
    """A chance in [0, 1) for each vehicle, (m,), and purpose; with `turns` (m,) another one each time. `state`: the
    number of a state."""
    # Few of these numbers change from step to step, and they take as long as all else that minds do.
    return _luck(keys.tobytes(), state, salt, None if turns is None else turns.astype(np.uint64).tobytes())


@lru_cache(maxsize=64)
def _luck(keys: bytes, state: int, salt: str, turns: bytes | None) -> Scalars:
    keyed = mix(mix(np.frombuffer(keys, dtype=np.uint64), crc32(salt.encode())), state)
    luck = uniform(keyed if turns is None else mix(keyed, np.frombuffer(turns, dtype=np.uint64)))
    luck.flags.writeable = False
    return luck


def vary(mean: Scalars | float, varies: Scalars | float, chance: Scalars) -> Scalars:
    """Numbers about a mean, evenly between (1 - varies) and (1 + varies) times it."""
    return mean * (1.0 + varies * (2.0 * chance - 1.0))


def find_calls(mind: Mind, meeting: Meeting, mindset: Mindset, keys: Keys) -> Calls:
    """All calls that the m vehicles of a meeting hear, with their mindset and keys."""
    m = len(meeting.rows)
    calls, nobody, now = Calls.none(m, len(mind.modes) + 1), np.full(m, NOBODY), np.full(m, meeting.world.time)
    for number, trigger in enumerate(mind.triggers):
        if trigger.strength <= 0.0:
            continue
        callers, gap = _find_callers(trigger, number, meeting, mindset, keys)
        calls.add(trigger.to, np.where(callers != NOBODY, trigger.strength, 0.0), number, callers, nobody, now, gap)
    for number, mode in enumerate(mind.modes, 1):
        if mode.numbers.spreads[0] > 0:
            hit, example = _follow_example(mode, number, meeting, mindset, keys)
            body, root = meeting.before.body[example], meeting.before.root[example, number]
            calls.add(number, np.where(hit, CAUGHT, 0.0), BY_OTHERS, body, example, root)
        if mode.numbers.urge[0] > 0.0:
            inclined = luck(keys, mode.number, "urge") < mode.numbers.urge[0]
            calls.add(number, np.where(inclined, INCLINED, 0.0), BY_URGE, meeting.rows, nobody, now)
    return calls


def _find_callers(
    trigger: Trigger, number: int, meeting: Meeting, mindset: Mindset, keys: Keys
) -> tuple[Rows, Scalars]:
    """The body that calls each vehicle, (m,): itself where no other body does, -1 for none; and how far it is, (m,)."""
    m = len(meeting.rows)
    hears = np.isin(mindset.mode, trigger.from_modes) if trigger.from_modes else np.ones(m, dtype=np.bool_)
    if trigger.chance < 1.0:
        luck_of = uniform(mix(mix(mix(keys, FOLLOWS), trigger.key), mindset.turns.astype(np.uint64)))
        hears = hears & (luck_of < trigger.chance)
    nobody, no_gap = np.full(m, NOBODY), np.full(m, np.inf)
    if isinstance(trigger.when, OfItself):
        return np.where(hears & trigger.when.holds(meeting), meeting.rows, NOBODY), no_gap
    if isinstance(trigger.when, OfRegions):
        return np.where(hears & trigger.when.holds(meeting, trigger.regions), meeting.rows, NOBODY), no_gap
    watched = trigger.watched(meeting)
    if not len(watched):
        return nobody, no_gap
    gap = trigger.when.gap(meeting, watched)
    counts = hears[:, None] & (watched[None] != meeting.rows[:, None])
    if trigger.of is None and meeting.left_alone[watched].any():
        # An agent that follows such a body already keeps to it: what it has caught feeds it.
        about_it = (watched[None] == mindset.body[:, None]) & (mindset.mode > 0)[:, None]
        counts &= about_it | ~meeting.left_alone[watched][None]
    gap = np.where(counts, gap, np.inf)
    if trigger.one_each:
        callers = _share_out(trigger, number, meeting, mindset, watched, gap)
        return callers, np.where(watched[None] == callers[:, None], gap, np.inf).min(axis=1)
    nearest, distance = np.argmin(gap, axis=1), gap.min(axis=1)
    return np.where(np.isfinite(distance), watched[nearest], NOBODY), distance


def _share_out(trigger: Trigger, number: int, meeting: Meeting, mindset: Mindset, watched: Rows, gap: Scalars) -> Rows:
    """The body that calls each vehicle, (m,), where a body calls one: its follower, else the nearest free vehicle."""
    follows, free = _find_followed(trigger, number, meeting, mindset)
    callers = np.full(len(gap), NOBODY)
    is_taken = np.zeros(len(watched), dtype=np.bool_)
    for row in np.flatnonzero(follows != NOBODY).tolist():
        column = np.flatnonzero((watched == follows[row]) & ~is_taken)
        if len(column):
            callers[row], is_taken[column[0]] = follows[row], True
    agent, column = np.nonzero(np.isfinite(gap) & (free & (callers == NOBODY))[:, None] & ~is_taken)
    for pair in np.lexsort((column, agent, gap[agent, column])).tolist():
        if callers[agent[pair]] == NOBODY and not is_taken[column[pair]]:
            callers[agent[pair]], is_taken[column[pair]] = watched[column[pair]], True
    return callers


def _find_followed(trigger: Trigger, number: int, meeting: Meeting, mindset: Mindset) -> tuple[Rows, Mask]:
    """The body that each vehicle follows, or is about to follow, by a trigger, (m,), and who is free for others, (m,).

    Who reacts to a call already counts: the same body would call a second vehicle meanwhile. Whose time has come, and
    who then did something else all the same, does not: none would come.
    """
    to, due = trigger.to, mindset.due[:, trigger.to]
    inside = mindset.mode == to
    reacts = np.isfinite(due) & (meeting.world.time < due + 1.5 * meeting.world.dt)
    by = np.where(inside, mindset.by, np.where(reacts, mindset.pending_by[:, to], NOBODY))
    body = np.where(inside, mindset.body, np.where(reacts, mindset.pending_body[:, to], NOBODY))
    elsewhere = (by >= 0) & (by != number) & (body != NOBODY) & (body != meeting.rows)
    missed = np.isfinite(due) & ~inside & ~reacts
    return np.where(by == number, body, NOBODY), ~elsewhere & ~missed


def _follow_example(mode: Mode, number: int, meeting: Meeting, mindset: Mindset, keys: Keys) -> tuple[Mask, Rows]:
    """The vehicles that the example of enough others around carries along, (m,), and for them the nearest of these."""
    m, before, world = len(meeting.rows), meeting.before, meeting.world
    example = np.zeros(m, dtype=np.int64)
    own_crowd = meeting.crowd == meeting.crowd[meeting.rows[0]]
    fresh = np.zeros(len(world.bodies.crowd), dtype=np.bool_)
    n = len(before.mode)
    last_call = np.where(before.by >= 0, before.called, before.since)
    fresh[:n] = (before.mode == number) & (world.time - last_call < mode.numbers.fresh[0]) & own_crowd
    # A cue tells its share of a crowd and no more.
    fresh[:n] &= before.by != BY_CUE
    # Vehicles in the state, or about to be, are not told.
    asks = (mindset.mode != number) & np.isinf(mindset.due[:, number])
    if not fresh.any() or not asks.any():
        return np.zeros(m, dtype=np.bool_), example
    # One that goes on being called counts for one more, each time that it would have been fresh.
    lasting = 1.0 + (last_call - before.since) / np.maximum(mode.numbers.fresh[0], world.dt)
    heard, alarmed = [], np.zeros(m)
    for near in world.vicinity.around(float(mode.numbers.reach[0]), meeting.rows):
        counts = fresh[near.body] & asks[near.agent]
        pairs = np.flatnonzero(counts if near.seen is None else counts & near.seen)
        pairs = pairs[before.root[near.body[pairs], number] > mindset.root[near.agent[pairs], number]]
        heard.append((near.agent[pairs], near.body[pairs], near.looks.distance_squared[pairs]))
        alarmed += np.bincount(heard[-1][0], lasting[heard[-1][1]], minlength=m)
    daring = vary(float(mode.numbers.spreads[0]), float(mode.numbers.varies[0]), luck(keys, mode.number, "dare"))
    hit = (alarmed > 0.0) & (alarmed >= daring)
    if hit.any():
        agent, body, gap = (np.concatenate(columns) for columns in zip(*heard))
        counts = hit[agent]
        agent, body, gap = agent[counts], body[counts], gap[counts]
        order = np.lexsort((body, gap, agent))
        first = order[firsts(agent[order])]
        example[agent[first]] = body[first]
    return hit, example
