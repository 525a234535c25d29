"""The moving clips that an agent plays, and how much of each, from its speed and direction of travel.

Clips with about one heading make a direction. In it they are sorted by speed into gaits, such as a walk and a run;
clips of about one speed are the same gait, of which each agent has one. Where the feet of two gaits agree the poses mix
between their speeds; where they do not, as between the walk and the gallop of an animal, the agent changes over, and
changes back at a lower speed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..simulation.arrays.angles import cosine_and_sine
from ..simulation.arrays.chance import Keys, mix, uniform
from ..simulation.arrays.scalars import Mask, Rows, Scalars, smooth_step, total
from .clips import Clip, leading

ONE_HEADING = 0.906
"""Clips whose headings differ by less than the angle with this cosine, 25 degrees, move in one direction."""
ONE_SPEED = 1.25
"""Clips whose speeds differ by less than this factor are the same gait."""
MIXES = 0.8
"""How well the feet of two gaits have to agree for their poses to mix."""
BENDS = 0.35
"""Radians a cycle: a clip that turns more goes round a bend, and does not fit a straight way."""
OVERTAKES = 0.12
"""How much nearer, as a cosine, another direction has to be before an agent changes to it."""
CHANGES = 1.1
"""How far beyond the middle of two gaits' speeds an agent changes over, as a factor, and how far below it back."""
BEYOND, SHORT = 1.15, 0.85
"""A mixture begins at this multiple of the slower speed, and is over at this multiple of the faster one."""
WHICH = 0x6A17


@dataclass(frozen=True)
class ClipGait:
    """Clips of about one speed. `speed`: their mean, m/s; `mixes`: whether poses mix with the next faster gait."""

    rows: tuple[int, ...]
    speed: float
    mixes: bool


@dataclass(frozen=True)
class Direction:
    """Gaits, from slow to fast, that move in one direction. `heading`: cosine and sine of the angle to the left of the
    front."""

    gaits: tuple[ClipGait, ...]
    heading: tuple[float, float]


def directions_of(clips: Sequence[Clip], moving: Sequence[int]) -> tuple[Direction, ...]:
    """The directions in which some rows of clips move, the most forward one first."""
    straight = [row for row in moving if abs(clips[row].turn) < BENDS] or moving
    groups: list[tuple[tuple[float, float], list[int]]] = []
    first = leading([clips[row] for row in straight])
    others = sorted(range(len(straight)), key=lambda k: (abs(clips[straight[k]].heading), clips[straight[k]].speed, k))
    for row in [straight[k] for k in ([first, *(k for k in others if k != first)] if first >= 0 else [])]:
        cosines, sines = cosine_and_sine(np.array([clips[row].heading]))
        unit = (float(cosines[0]), float(sines[0]))
        same = [rows for (x, y), rows in groups if x * unit[0] + y * unit[1] > ONE_HEADING]
        if same:
            same[0].append(row)
        else:
            groups.append((unit, [row]))
    return tuple(Direction(_gaits(clips, rows), heading) for heading, rows in groups)


def _gaits(clips: Sequence[Clip], rows: list[int]) -> tuple[ClipGait, ...]:
    classes: list[list[int]] = []
    for row in sorted(rows, key=lambda row: (clips[row].speed, row)):
        if classes and clips[row].speed < ONE_SPEED * clips[classes[-1][0]].speed:
            classes[-1].append(row)
        else:
            classes.append([row])
    return tuple(
        ClipGait(
            tuple(members),
            total(np.array([clips[row].speed for row in members])) / len(members),
            k + 1 < len(classes) and min(clips[row].agrees for row in (*members, *classes[k + 1])) > MIXES,
        )
        for k, members in enumerate(classes)
    )


class Repertoire:
    """The moving clips of n agents."""

    def __init__(self, clips: Sequence[Clip], keys: Keys, moves: Sequence[Sequence[int]]) -> None:
        """`moves` are the rows of the clips that move, for each of k sets of clips."""
        of_sets = {tuple(rows): directions_of(clips, rows) for rows in moves}
        self.directions = tuple(direction for directions in of_sets.values() for direction in directions)
        ends = dict(zip(of_sets, np.cumsum([len(directions) for directions in of_sets.values()]).tolist()))
        self._first = np.full(len(moves), -1)
        self._fits = np.zeros((len(moves), len(self.directions)), dtype=np.bool_)
        for number, rows in enumerate(map(tuple, moves)):
            if rows:
                self._first[number] = ends[rows] - len(of_sets[rows])
                self._fits[number, self._first[number] : ends[rows]] = True
        self._count = len(clips)
        self._speed = np.array([clip.speed for clip in clips])
        # The same draw in each gait: who walks with the first walk runs with the first run.
        draw = uniform(mix(keys, WHICH))
        self._choice = [
            [np.array(gait.rows)[np.floor(draw * len(gait.rows)).astype(np.int64)] for gait in direction.gaits]
            for direction in self.directions
        ]
        pairs = [len(direction.gaits) - 1 for direction in self.directions]
        self._first_pair = np.concatenate(([0], np.cumsum(pairs))).astype(np.int64)
        self.pairs = int(self._first_pair[-1])

    def slowest(self, direction: Rows) -> Scalars:
        """The speed of the slowest clip of each agent in its direction, (n,) m/s; 0 without moving clips."""
        speeds = np.zeros(len(direction))
        for number, choice in enumerate(self._choice):
            speeds = np.where(direction == number, self._speed[choice[0]], speeds)
        return speeds

    def direction_before(self, current: Rows, sets: Rows) -> Rows:
        """The direction of each agent (n,), or the first of its set of clips (n,), if that has not its own; -1 if the
        set has none."""
        known = current >= 0
        fits = known & self._fits[sets, np.where(known, current, 0)] if self.directions else known
        return np.where(fits, current, self._first[sets])

    def direction(self, ahead: Scalars, aside: Scalars, current: Rows, sets: Rows) -> Rows:
        """The direction nearest to each agent's travel, (n,), of its set of clips; it prefers its own, `current`. -1
        where the set has none."""
        speed = np.sqrt(ahead * ahead + aside * aside)
        known = speed > 1e-9
        x, y = (np.where(known, component / np.where(known, speed, 1.0), 0.0) for component in (ahead, aside))
        fit = [
            np.where(self._fits[sets, k], x * d.heading[0] + y * d.heading[1] + OVERTAKES * (current == k), -np.inf)
            for k, d in enumerate(self.directions)
        ]
        return np.where(known & (current >= 0), np.argmax(fit, axis=0), current) if fit else current

    def beyond(self, speed: Scalars, crossed: Mask) -> Mask:
        """Whether each agent is past each change of gait, (pairs, n), given whether it was; `speed` in m/s."""
        past = crossed.copy()
        for number, direction in enumerate(self.directions):
            for k, (slow, fast) in enumerate(zip(direction.gaits, direction.gaits[1:])):
                row = self._first_pair[number] + k
                middle = np.sqrt(slow.speed * fast.speed)
                past[row] = (speed > CHANGES * middle) | (crossed[row] & (speed > middle / CHANGES))
        return past

    def shares(self, speed: Scalars, direction: Rows, past: Mask) -> Scalars:
        """The shares of the moving clips, (clips, n), which add up to 1 for each agent that has one."""
        shares = np.zeros((self._count, len(speed)))
        columns = np.arange(len(speed))
        for number, group in enumerate(self.directions):
            remaining = np.where(direction == number, 1.0, 0.0)
            for k, gait in enumerate(group.gaits):
                share = remaining
                if k + 1 < len(group.gaits):
                    faster = group.gaits[k + 1]
                    quick = np.where(past[self._first_pair[number] + k], 1.0, 0.0)
                    share = remaining * (1.0 - (_mixture(speed, gait.speed, faster.speed) if gait.mixes else quick))
                shares[self._choice[number][k], columns] += share
                remaining = remaining - share
        return shares


def _mixture(speed: Scalars, slow: float, fast: float) -> Scalars:
    """The share of the faster one of two gaits that mix, (n,)."""
    start, end = BEYOND * slow, SHORT * fast
    if end < 1.1 * start:
        start, end = slow, fast
    return smooth_step(np.clip((speed - start) / (end - start), 0.0, 1.0))
