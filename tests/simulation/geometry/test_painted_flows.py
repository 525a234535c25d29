"""Currents painted on meshes."""

import numpy as np
import pytest

from steering_addon.simulation.geometry.flows import Current, current, flow_at
from steering_addon.simulation.geometry.paths import spline
from tests.surfaces import patch


def whirl(fineness: int = 20, half: float = 10.0) -> Current:
    """A floor with a counter-clockwise current around its middle."""
    x, y = np.meshgrid(*[np.linspace(-half, half, fineness)] * 2, indexing="ij")
    points, rows = patch(np.stack((x, y, np.zeros_like(x)), axis=-1))
    tangent = np.stack((-points[:, 1], points[:, 0], np.zeros(len(points))), axis=-1)
    tangent /= np.maximum(np.linalg.norm(tangent, axis=1, keepdims=True), 1e-9)
    return current(points, rows, tangent[rows])


def test_the_flow_is_that_of_the_nearest_point() -> None:
    rng = np.random.default_rng(1)
    points = np.stack((rng.uniform(-8.0, 8.0, 60), rng.uniform(-8.0, 8.0, 60), rng.uniform(-2.0, 2.0, 60)), axis=-1)
    points = points[np.hypot(points[:, 0], points[:, 1]) > 3.0]
    distance, flow = whirl().sample(points, np.full(len(points), 5.0))
    assert np.allclose(distance, np.abs(points[:, 2]))
    out = np.hypot(points[:, 0], points[:, 1])
    assert np.allclose(flow[:, 0], -points[:, 1] / out, atol=0.06)
    assert np.allclose(flow[:, 1], points[:, 0] / out, atol=0.06)


def test_the_flow_is_interpolated_linearly_between_the_corners_of_a_triangle() -> None:
    corners = np.array([[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]])
    made = current(corners, np.array([[0, 1, 2]]), np.array([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]]))
    _, flow = made.sample(np.array([[1.0, 2.0, 0.5], [9.0, 0.0, 0.0]]), np.full(2, 3.0))
    assert np.allclose(flow, [[0.25, 0.25, 0.5], [0.0, 0.0, 0.0]])


def test_the_flow_fades_with_distance_and_has_length_one_at_most() -> None:
    made = whirl()
    heights = np.array([0.0, 1.0, 2.0, 4.0, 4.9, 5.1])
    points = np.stack((np.full(6, 6.0), np.zeros(6), heights), axis=-1)
    strength = np.linalg.norm(flow_at((made,), points, np.full(6, 5.0)), axis=1)
    assert (np.diff(strength) < 0.0).all() and strength[0] == pytest.approx(1.0, abs=0.02)
    assert strength[-1] == 0.0
    loud = current(made.surface.corners.reshape(-1, 3), np.arange(6).reshape(2, 3), np.full((2, 3, 3), 50.0))
    assert np.abs(np.linalg.norm(loud.flow, axis=-1) - 1.0).max() < 1e-12


def test_a_curve_and_a_mesh_that_disagree_weaken_each_other() -> None:
    line = (spline(np.array([[6.0, 9.0, 0.5], [6.0, -9.0, 0.5]]), False),)
    point = np.array([[6.0, 0.0, 0.25]])
    both = np.linalg.norm(flow_at((whirl(), line), point, np.full(1, 5.0)))
    alone = np.linalg.norm(flow_at((whirl(),), point, np.full(1, 5.0)))
    assert both < 0.7 * alone


def test_a_mesh_without_triangles_has_no_current() -> None:
    empty = current(np.zeros((3, 3)), np.zeros((0, 3), dtype=np.int64), np.zeros((0, 3, 3)))
    assert (flow_at((empty,), np.ones((2, 3)), np.full(2, 5.0)) == 0.0).all()
