"""Scenes of SteerBench, run with behaviors of the catalogue, as scripts/measure does."""

from types import SimpleNamespace

import numpy as np
import pytest

from scripts.measures.steerbench import trajectories, walls
from tests.sampling import sampled


def case(start, goals, boxes=(), circles=(), oriented=()) -> SimpleNamespace:
    """A scene as the kit loads it."""
    start = np.array(start, dtype=float)
    n = len(start)
    return SimpleNamespace(
        n=n,
        start=start,
        radius=np.full(n, 0.5),
        heading=np.zeros(n),
        speed0=np.zeros(n),
        goals=goals,
        desired_speed=np.full(n, 1.3),
        boxes=np.array(boxes, dtype=float).reshape(-1, 4),
        circles=np.array(circles, dtype=float).reshape(-1, 3),
        oriented=np.array(oriented, dtype=float).reshape(-1, 5),
    )


def to(x: float, y: float) -> SimpleNamespace:
    return SimpleNamespace(kind="point", pos=(x, y), box=None, speed=1.3)


@sampled
@pytest.mark.parametrize("method", ["VELOCITY", "PAPER", "PEOPLE"])
def test_an_agent_goes_from_goal_to_goal_and_leaves_at_the_last(method: str) -> None:
    track = trajectories(case([[0.0, 0.0]], [[to(3.0, 0.0), to(3.0, 4.0)]]), 0.05, 300, method)
    present = np.isfinite(track[:, 0, 0])
    assert 60 < present.sum() < 240
    assert not present[present.argmin() :].any()
    assert track[present][-1, 0] == pytest.approx([3.0, 3.0], abs=1.2)


def test_a_box_goal_is_reached_when_touched() -> None:
    box = SimpleNamespace(kind="box", pos=(9.0, 0.0), box=(4.0, -5.0, 14.0, 5.0), speed=1.3)
    track = trajectories(case([[0.0, 0.0]], [[box]]), 0.05, 120, "VELOCITY")
    present = np.isfinite(track[:, 0, 0])
    assert track[present][-1, 0, 0] == pytest.approx(3.5, abs=0.1)


def test_walls_have_the_positions_of_the_scene() -> None:
    obstacles = walls(
        case([[0.0, 0.0]], [[]], [(1.0, 2.0, 3.0, 6.0)], [(-4.0, 0.0, 1.5)], [(0.0, -6.0, 4.0, 2.0, np.pi / 2)])
    )
    points = np.array([[0.0, 4.0, 0.0], [-6.0, 0.0, 0.0], [0.0, -3.0, 0.0]])
    assert np.diag(obstacles.clearance(points)[:, [0, 2, 1]]) == pytest.approx([1.0, 0.5, 1.0])
