"""NURBS lines from their control points."""

import numpy as np
import pytest

from tests.blender.building import part
from tests.sampling import in_every_blender

pytestmark = in_every_blender

CONTROLS = np.random.default_rng(4).uniform(-3.0, 3.0, (7, 3))
EVEN = np.ones(7)


def line(
    controls: np.ndarray = CONTROLS,
    weights: np.ndarray = EVEN,
    order: int = 4,
    *,
    closed: bool = False,
    ends: bool = False,
    bezier: bool = False,
) -> np.ndarray:
    return part("blender.read.curves").nurbs_points(controls, weights[: len(controls)], order, closed, ends, bezier, 12)


@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_it_reaches_its_ends_if_set_to(order: int) -> None:
    result = line(order=order, ends=True)
    assert np.abs(result[[0, -1]] - CONTROLS[[0, -1]]).max() < 1e-9
    assert len(result) == 12 * 6 + 1


def test_with_order_two_it_is_the_polyline_of_its_control_points() -> None:
    assert np.abs(line(order=2, ends=True)[::12] - CONTROLS).max() < 1e-9


@pytest.mark.parametrize("order", [3, 4, 5])
@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("ends", [False, True])
def test_it_stays_within_its_control_points_and_is_continuous(order: int, closed: bool, ends: bool) -> None:
    weights = np.random.default_rng(5).uniform(0.5, 2.0, 7)
    result = line(weights=weights, order=order, closed=closed, ends=ends)
    assert (result >= CONTROLS.min(axis=0) - 1e-9).all() and (result <= CONTROLS.max(axis=0) + 1e-9).all()
    steps = np.linalg.norm(np.diff(np.concatenate((result, result[:1])) if closed else result, axis=0), axis=1)
    assert steps.max() < 1.5


def test_a_heavier_control_point_attracts_the_line() -> None:
    heavier = EVEN.copy()
    heavier[3] = 5.0

    def gap(weights: np.ndarray) -> float:
        return float(np.linalg.norm(line(weights=weights) - CONTROLS[3], axis=1).min())

    assert gap(heavier) < 0.5 * gap(EVEN)


def test_fewer_control_points_than_its_order_are_the_line() -> None:
    assert (line(CONTROLS[:3]) == CONTROLS[:3]).all()
