"""The stages of avoidance, and what is measured of them."""

import numpy as np
import pytest

from scripts.measures.avoidance import CASES, FPS, STAGES, Stage, missing, overlap, time_ratio, turning
from steering_addon.simulation.geometry.obstacles import boxes


def test_each_stage_is_measured() -> None:
    assert set(CASES) == set(STAGES)


@pytest.mark.parametrize("name", sorted(set(STAGES) - {"aside"}))
def test_a_stage_starts_without_contacts(name: str) -> None:
    stage = STAGES[name](np.random.default_rng(1))
    assert overlap(stage, stage.start[None]) == 0.0


def stage_of(start, goal, **changes) -> Stage:
    start, goal = np.array(start, dtype=float), np.array(goal, dtype=float)
    return Stage(start, goal, np.full(len(start), 1.0), 10.0, **changes)


def test_overlap_is_the_deepest_with_others_or_walls() -> None:
    wall = boxes([[0.0, 2.0, 0.0]], [[5.0, 1.0, 1.0]])
    stage = stage_of([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0]], [[0.0, 9.0, 0.0]] * 2, walls=wall)
    near = stage.start + np.array([[2.5, 0.0, 0.0], [0.0, 0.0, 0.0]])
    at_wall = stage.start + np.array([[0.0, 0.6, 0.0], [0.0, 0.0, 0.0]])
    assert overlap(stage, stage.start[None]) == 0.0
    assert overlap(stage, np.stack((stage.start, near))) == pytest.approx(0.5)
    assert overlap(stage, np.stack((stage.start, at_wall))) == pytest.approx(0.1 / 2.0)


def test_turning_time_and_arrival_of_a_known_track() -> None:
    stage = stage_of([[0.0, 0.0, 0.0], [50.0, 0.0, 0.0]], [[5.25, 0.0, 0.0], [55.0, 0.0, 0.0]])
    angle = np.radians(2.0) * np.arange(81)
    circle = np.cumsum(np.stack((np.cos(angle), np.sin(angle), 0.0 * angle), axis=-1), axis=0) / FPS
    track = np.stack((circle, np.tile(stage.start[1], (81, 1))), axis=1)
    assert turning(stage, track) == pytest.approx(2.0 * FPS), "the agent that stands does not count"
    assert missing(stage, track) == 1.0
    track[40:, 0] = np.nan
    assert missing(stage, track) == 0.5
    assert time_ratio(stage, track) == pytest.approx((40 / FPS / 4.0 + 81 / FPS / 3.75) / 2.0)
