"""Strokes of the overlay lie where the simulation has what they stand for."""

import numpy as np
import pytest

from tests.blender.building import part


def strokes():
    return part("blender.overlay.strokes")


@pytest.mark.parametrize("end", [(0.0, 0.0, 0.0), (0.0, 0.0, 4.0), (3.0, -1.0, 2.0)])
def test_a_capsule_lies_on_the_surface_of_a_round_obstacle(end) -> None:
    start, end = np.zeros(3), np.array(end)
    obstacles = part("simulation.geometry.obstacles").obstacles(start, 1.5, end)
    surface = strokes().capsule(start, end, 1.5)
    assert np.abs(obstacles.clearance(surface)).max() < 1e-9
    assert len(surface) % 2 == 0


@pytest.mark.parametrize("shape", [0, 1])
def test_a_region_is_drawn_on_its_boundary(shape: int) -> None:
    turn = np.array([[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])
    regions = part("simulation.geometry.regions").regions(
        np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.0, 1.0]), shape, turn[None]
    )
    half = regions.axes[0] * regions.half[0][:, None]
    boundary = (strokes().box if shape else strokes().ellipsoid)(regions.centre[0], half)
    row = np.zeros(len(boundary), dtype=int)
    inside, outside = (regions.centre[0] + (boundary - regions.centre[0]) * k for k in (0.999, 1.001))
    assert np.abs(regions.way_in(inside, row)).max() < 1e-9
    assert (np.abs(regions.way_in(outside, row)).max(axis=1) > 1e-5).all()


@pytest.mark.parametrize("closed", [False, True])
def test_a_tube_is_as_wide_as_the_path(closed: bool) -> None:
    angles = np.linspace(0.0, 5.5, 8)
    corners = 10.0 * np.stack((np.cos(angles), np.sin(angles), 0.1 * angles), axis=-1)
    course = part("simulation.geometry.paths").spline(corners, closed)
    tube = strokes().tube(course, 0.25)
    nearest = course.position(course.nearest(tube))
    distance = np.linalg.norm(tube - nearest, axis=1)
    assert distance.max() < 0.25 + 1e-6
    assert distance.min() > 0.2


def test_a_path_of_one_point_can_be_drawn() -> None:
    course = part("simulation.geometry.paths").spline(np.zeros((1, 3)), False)
    for lines in (strokes().center_line(course), strokes().direction_marks(course, 0.1), strokes().tube(course, 1.0)):
        assert np.isfinite(lines).all() and len(lines) % 2 == 0


def test_an_arrow_points_from_its_tail_to_its_tip() -> None:
    vector = np.array([[0.0, 0.0, 5.0]])
    arrow = strokes().arrows(np.ones((1, 3)), vector, np.array([[1.0, 0.0, 0.0]]))
    assert np.allclose(arrow[0], (1, 1, 1)) and np.allclose(arrow[1], (1, 1, 6))
    assert arrow[:, 2].max() == 6.0
