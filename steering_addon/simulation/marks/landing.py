"""Landing on marks: what flies stands there at a time, and takes off when it is called away."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays.chance import mix, uniform
from ..arrays.frozen import replace
from ..arrays.scalars import Mask, Rows, put, which
from ..arrays.vectors import Vectors, magnitude, picked, truncate
from ..decisions import Decisions
from ..intention import neutral
from ..maneuvers.coming_down import Coming, come_down
from ..maneuvers.gliding import Speeds
from ..memory import remembered
from ..snapshot import Snapshot, State
from ..steering import agents_of
from ..world import World
from .declaring import Mark

LANDED = "landed"
"""Under what it is remembered who lands on marks; no behavior has this name."""
UNHURRIED = 0.9
"""The share of its time that the way takes one that sets off before the lead."""
APART = 2.4
"""Radii between two that stand, at the least."""
HALF_TURN = np.pi
"""The way of a half turn, in radii of that."""
AROUND = 0.3
"""The share of its strength that its behaviors have on the way: it keeps clear of others."""
SPREAD = 0.4
"""The share of the lead in which several come down."""
FIELDS = "ground", "time", "lead"
STAYS = 0x57A7
"""Salts the keys by which some come later, and stay longer, than others."""


@dataclass(frozen=True)
class Landed(Coming):
    """How far vehicles have come that land on marks. `mark`: (n,) the index of the mark, -1 for none; `mode`: (n,) what
    state of its crowd each was in as it came down."""

    mark: Rows = remembered(-1)
    mode: Rows = remembered(0)


def landed_of(state: State) -> Landed:
    """The memories of all vehicles."""
    landed = state.memories.get(LANDED)
    return landed if isinstance(landed, Landed) else Landed.blank(len(state))


def sets_off(mark: Mark, number: int, state: State, snapshot: Snapshot, world: World, rows: Rows) -> Mask:
    """Whether vehicles of some rows (m,) have to be on their way by now to stand at a mark in time, (m,)."""
    agents, time_left = agents_of(state, snapshot, world, rows), mark.time - world.time
    length = magnitude(picked(world.bodies.position, np.full(len(rows), mark.ground)) - agents.position)
    length = length + HALF_TURN * agents.tightest(agents.speed)
    needed = Speeds.of(agents, np.zeros(len(rows))).needed(length)
    early = SPREAD * mark.lead if len(mark.rows) > 1 else 0.0
    soon: Mask = UNHURRIED * (time_left - early) <= np.maximum(needed, UNHURRIED * mark.lead)
    return soon | (landed_of(state).mark[rows] == number)


def stays(mark: Mark, number: int, state: State, snapshot: Snapshot, world: World, rows: Rows) -> Mask:
    """Whether vehicles of some rows (m,) stand at a mark that is past, or are late for it, (m,). They stand there until
    they take up another state of their crowd, or their time is over."""
    landed = landed_of(state).take(rows)
    called = landed.stands & (landed.mode != _modes(state)[rows])
    if mark.stays > 0.0:
        called |= world.time - mark.time > mark.stays * (0.5 + uniform(mix(snapshot.keys[rows], STAYS)))
    return (landed.mark == number) & (landed.place >= 0) & ~called


def on_own_marks(state: State, marks: tuple[Mark, ...]) -> Mask:
    """Whether each stands at a mark that is for it alone, (n,): those of its crowd do not call it away."""
    landed, alone = landed_of(state), np.array([len(mark.rows) == 1 for mark in marks])
    return landed.stands & (landed.mark >= 0) & alone[np.maximum(landed.mark, 0)]


def land_on_marks(
    state: State,
    snapshot: Snapshot,
    world: World,
    marks: tuple[Mark, ...],
    by: Rows,
    force: Vectors,
    decided: Decisions,
) -> tuple[Vectors, Decisions]:
    """The forces of all vehicles, (n, 3) newtons, and their decisions, with those that land on marks. `by`: (n,) the
    index of the mark on which each lands, -1 for none."""
    rows, landed, n = which(by >= 0), landed_of(state), len(state)
    if not len(rows):
        decided = replace(decided, memories={**decided.memories, LANDED: Landed.blank(n)})
        return force, decided
    agents, number = agents_of(state, snapshot, world, rows), by[rows]
    before = landed.take(rows)
    before = Landed.blank(n).take(rows).put(before.mark == number, before.take(before.mark == number))
    ground, time, lead = (np.array([getattr(mark, name) for mark in marks])[number] for name in FIELDS)
    # Of several, one comes down after the other, the last in time. A place is for the end of this step.
    several = np.array([len(mark.rows) > 1 for mark in marks])[number]
    time_left = time - np.where(several, SPREAD * lead * uniform(mix(agents.keys, STAYS)), 0.0) - world.time - world.dt
    descent = come_down(world, agents, ground, before, APART * agents.radius, np.zeros(len(rows)), time_left)
    share = AROUND * np.clip(time_left / np.maximum(lead, world.dt), 0.0, 1.0) * ~descent.memory.down
    beside = truncate(picked(force, rows), agents.max_force) * share[:, None]
    mode = np.where(before.stands, before.mode, _modes(state)[rows])
    memory = replace(descent.memory, mark=number, mode=mode)
    signals: dict[str, Any] = {"comes_down": descent.comes_down, "perch": descent.perch, "heading": descent.heading}
    signals["lands"] = descent.place
    columns = {}
    for name, column in signals.items():
        column_before = getattr(decided, name)
        columns[name] = put(neutral(name, n) if column_before is None else column_before, rows, column)
    memories = {**decided.memories, LANDED: Landed.blank(n).put(rows, memory)}
    return put(force, rows, descent.force + beside), replace(decided, memories=memories, **columns)


def _modes(state: State) -> Rows:
    return np.zeros(len(state), dtype=np.int64) if state.mindset is None else state.mindset.mode
