"""How much the score depends on each constant, and a search for better ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from scripts.fit_targets import Constant, Judge, Values

CHANGE = 0.1
"""The share by which a constant is changed to see how much the score depends on it."""
FIRST_STEP, LEAST_STEP = 0.25, 0.02
"""Shares by which the search changes a constant: at first, and the smallest that are worth a trial."""
LONGER, SHORTER = 1.5, 0.5
"""Factors of the step after a trial that improves the score, and after one in either direction that does not."""


@dataclass(frozen=True)
class Effect:
    """The change of the score when a constant changes.

    Attributes:
        constant: the constant.
        less, more: (seeds,) change of the score when it is 10 % less, or more; nan where that leaves its range.
    """

    constant: Constant
    less: np.ndarray
    more: np.ndarray


def effects(judge: Judge, values: Values, constants: Sequence[Constant]) -> Iterator[Effect]:
    """The effect of each constant, one at a time; each takes two trials when it is asked for."""
    base = judge.scores(values)
    for constant in constants:
        value = values[constant.name]
        changes = []
        for factor in (1.0 - CHANGE, 1.0 + CHANGE):
            trial = value * factor
            inside = constant.low <= trial <= constant.high
            changes.append(
                judge.scores({**values, constant.name: trial}) - base if inside else np.full(len(base), np.nan)
            )
        yield Effect(constant, *changes)


def fitted(
    judge: Judge,
    values: Values,
    constants: Sequence[Constant],
    rounds: int,
    report: Callable[[str], None] = lambda line: None,
) -> dict[str, float]:
    """Better values, by a coordinate search with a step of its own for each constant.

    A trial is accepted only if the mean improvement over the seeds exceeds its standard error: runs of crowds are
    chaotic, so any change makes some of them better.

    Args:
        rounds: how often each constant is tried in both directions, at most.
        report: receives a line for each value that is accepted.
    """
    best, step = dict(values), {constant.name: FIRST_STEP for constant in constants}
    base = judge.scores(best)
    for _ in range(rounds):
        active = [constant for constant in constants if step[constant.name] >= LEAST_STEP]
        if not active:
            break
        for constant in active:
            name = constant.name
            for trial in trials(constant, best[name], step[name]):
                scores = judge.scores({**best, name: trial})
                if improves(scores, base):
                    report(f"{name}: {best[name]:.4g} -> {trial:.4g}, score {base.mean():.4f} -> {scores.mean():.4f}")
                    best[name], base = trial, scores
                    step[name] *= LONGER
                    break
            else:
                step[name] *= SHORTER
    return best


def trials(constant: Constant, value: float, step: float) -> list[float]:
    """The values to try: up and down by a share, of the range where the value is 0; within the range."""
    change = step * (abs(value) or constant.high - constant.low)
    bounded = (min(max(value + way * change, constant.low), constant.high) for way in (1.0, -1.0))
    return [trial for trial in bounded if trial != value]


def improves(scores: np.ndarray, base: np.ndarray) -> bool:
    """Whether the scores (seeds,) are lower than the base on average by more than the standard error."""
    gain = base - scores
    return bool(gain.mean() > standard_error(gain))


def standard_error(values: np.ndarray) -> float:
    """Of the mean of values (seeds,); 0 for a single one."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0
