"""The fitted constants of avoidance with the ranges they may take, the targets they are fitted to, and the score.

    score = sum of weight p(value / target) / sum of weights        p(x) = x up to 1, then 2 x - 1

A score below 1 means that the targets are met on average; the part of a value that misses its target counts twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from scripts.fit_scenes import STAGES, measured
from steering_addon.behaviors.unaligned_collision_avoidance import UnalignedCollisionAvoidance
from steering_addon.simulation.avoiding.costs import COSTS, Costs
from steering_addon.simulation.avoiding.jams import JAMMING, Jamming

PAPER, SPACE = ("aside",), ("fish",)
GROUND = tuple(name for name in STAGES if name not in PAPER + SPACE)

Values = Mapping[str, float]
"""A value for each constant, by name."""


@dataclass(frozen=True)
class Constant:
    """A fitted constant.

    Attributes:
        name: its name in its class, without the class.
        present: its value in the code.
        low, high: the range in which it makes sense.
        stages: the stages in which it can matter.
        file: the file with its value, below steering_addon.
    """

    name: str
    present: float
    low: float
    high: float
    stages: tuple[str, ...]
    file: str


def _cost(name: str, low: float, high: float, stages: tuple[str, ...] = GROUND + SPACE) -> Constant:
    return Constant(name, getattr(COSTS, name), low, high, stages, "simulation/avoiding/costs.py")


def _jam(name: str, low: float, high: float) -> Constant:
    return Constant(name, getattr(JAMMING, name), low, high, GROUND, "simulation/avoiding/jams.py")


CONSTANTS = (
    _cost("danger", 0.3, 6.0),
    _cost("others", 0.0, 0.5),
    _cost("change", 0.0, 1.5),
    _cost("pace", 0.0, 2.0, SPACE),
    _cost("closer", 0.0, 1.0, GROUND),
    _cost("closer_at_least", 0.001, 0.05),
    _cost("share", 0.5, 1.0),
    _cost("right", 0.0, 0.3),
    _cost("right_when_blocked", 0.0, 2.0),
    _cost("enough_to_the_right", 0.1, 2.0),
    _cost("overtaken", 0.0, 1.0),
    _cost("foreseen", 0.0, 0.6, GROUND),
    _cost("wall_time", 0.5, 8.0, GROUND),
    _cost("wall_danger", 0.1, 3.0, GROUND),
    _cost("slowest", 0.1, 1.0),
    _jam("patience", 0.2, 3.0),
    _jam("jammed", 0.05, 0.6),
    _jam("pressed", 0.05, 1.0),
    _jam("jostles_a_second", 0.3, 6.0),
    _jam("steps_back", 0.0, 1.0),
    _jam("stuck", 0.1, 1.0),
    _jam("stands", 0.0, 0.5),
    Constant(
        "haste",
        UnalignedCollisionAvoidance.haste,
        0.1,
        1.5,
        PAPER,
        "behaviors/unaligned_collision_avoidance.py",
    ),
)
PRESENT: Values = {constant.name: constant.present for constant in CONSTANTS}


@dataclass(frozen=True)
class Target:
    """A bound for a measure of a stage.

    Attributes:
        stage, measure: as in fit_scenes.py.
        target: the value that the measure should not exceed.
        weight: how much it counts.
    """

    stage: str
    measure: str
    target: float
    weight: float = 1.0


NO_CONTACT, ALL_ARRIVE = 0.02, 0.05
"""Metres: SteerBench's bound for an overlap that can be seen. A share: one of twenty, so that a single
agent that gets stuck in one of the runs counts, but does not decide."""


def _targets(stage: str, turning: float, time_ratio: float) -> Sequence[Target]:
    return (
        Target(stage, "overlap", NO_CONTACT, 2.0),
        Target(stage, "missing", ALL_ARRIVE, 2.0),
        Target(stage, "turning", turning),
        Target(stage, "time_ratio", time_ratio),
    )


TARGETS = (
    # 4 deg/s and 1.12 are those of the visible scenes of SteerBench, most of which are meetings of a few.
    *_targets("meetings", 4.0, 1.12),
    *_targets("overtaking", 4.0, 1.12),
    *_targets("fish", 4.0, 1.12),
    *_targets("aside", 4.0, 1.12),
    # In a crowd waiting takes longer, and turning is part of it. These bounds are about what the present constants
    # reach, rounded, so that a refit does not pay for one stage with another.
    *_targets("doors", 15.0, 1.25),
    *_targets("corridor", 15.0, 1.4),
    *_targets("plaza", 12.0, 1.3),
    *_targets("bottleneck", 45.0, 3.5),
)


def avoidance(values: Values) -> type[UnalignedCollisionAvoidance]:
    """Unaligned collision avoidance with these constants, the others as in the code."""

    class Tried(UnalignedCollisionAvoidance):
        costs = replace(COSTS, **_of(Costs, values))
        jamming = replace(JAMMING, **_of(Jamming, values))
        haste = values.get("haste", UnalignedCollisionAvoidance.haste)

    return Tried


def _of(kind: type, values: Values) -> dict[str, float]:
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in values.items() if name in names}


class Judge:
    """Scores constants on stages with some seeds; a stage in which a change cannot matter is not run again."""

    def __init__(self, seeds: Sequence[int], stages: Sequence[str] = tuple(STAGES)) -> None:
        self.seeds = seeds
        self.stages = stages
        self._measured: dict[tuple, dict[str, float]] = {}

    def scores(self, values: Values) -> np.ndarray:
        """The score with each seed, (seeds,)."""
        targets = [target for target in TARGETS if target.stage in self.stages]
        weights = np.array([target.weight for target in targets])
        penalties = np.array(
            [[penalty(value / target.target) for value in self.values(target, values)] for target in targets]
        )
        return weights @ penalties / weights.sum()

    def values(self, target: Target, values: Values) -> list[float]:
        """The measure of a target with each seed."""
        return [self._of_stage(target.stage, seed, values)[target.measure] for seed in self.seeds]

    def _of_stage(self, stage: str, seed: int, values: Values) -> dict[str, float]:
        key = (stage, seed, *(values[constant.name] for constant in CONSTANTS if stage in constant.stages))
        if key not in self._measured:
            self._measured[key] = measured(stage, seed, avoidance(values))
        return self._measured[key]


def penalty(x: float) -> float:
    """x up to 1, then 2 x - 1."""
    return max(x, 2.0 * x - 1.0)
