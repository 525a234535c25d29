"""NURBS lines from their control points."""

import numpy as np
import pytest

from tests.blender.building import part

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
    return part("blender.read.nurbs").nurbs_points(controls, weights[: len(controls)], order, closed, ends, bezier, 12)


@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_it_reaches_its_ends_where_it_is_to(order: int) -> None:
    found = line(order=order, ends=True)
    assert np.abs(found[[0, -1]] - CONTROLS[[0, -1]]).max() < 1e-9
    assert len(found) == 12 * 6 + 1


def test_of_order_two_it_is_the_lines_between_its_controls() -> None:
    assert np.abs(line(order=2, ends=True)[::12] - CONTROLS).max() < 1e-9


@pytest.mark.parametrize("order", [3, 4, 5])
@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("ends", [False, True])
def test_it_stays_among_its_controls_and_runs_without_a_jump(order: int, closed: bool, ends: bool) -> None:
    weights = np.random.default_rng(5).uniform(0.5, 2.0, 7)
    found = line(weights=weights, order=order, closed=closed, ends=ends)
    assert (found >= CONTROLS.min(axis=0) - 1e-9).all() and (found <= CONTROLS.max(axis=0) + 1e-9).all()
    steps = np.linalg.norm(np.diff(np.concatenate((found, found[:1])) if closed else found, axis=0), axis=1)
    assert steps.max() < 1.5


def test_a_heavier_control_draws_the_line_nearer() -> None:
    heavier = EVEN.copy()
    heavier[3] = 5.0

    def gap(weights: np.ndarray) -> float:
        return float(np.linalg.norm(line(weights=weights) - CONTROLS[3], axis=1).min())

    assert gap(heavier) < 0.5 * gap(EVEN)


def test_fewer_controls_than_its_order_are_the_line_themselves() -> None:
    assert (line(CONTROLS[:3]) == CONTROLS[:3]).all()
