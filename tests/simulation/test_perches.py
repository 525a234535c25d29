"""Places to land on: spread along lines, and open to the sky."""

import numpy as np

from steering_addon.simulation.marks.sharing import spread_along
from steering_addon.simulation.perches import covered


def test_places_are_evenly_spread_along_lines_of_several_segments() -> None:
    points = np.array([(0.0, 0.0, 0.0), (3.0, 0.0, 0.0), (3.0, 1.0, 0.0)])
    spread, segments = spread_along(points, np.array([(0, 1), (1, 2)]), 8)
    places = spread.on(points, segments)
    assert np.allclose(places[:6], [(0.25 + 0.5 * k, 0.0, 0.0) for k in range(6)])
    assert np.allclose(places[6:], [(3.0, 0.25, 0.0), (3.0, 0.75, 0.0)])


def test_a_line_without_length_has_no_places() -> None:
    spread, segments = spread_along(np.zeros((2, 3)), np.array([(0, 1)]), 5)
    assert spread.on(np.zeros((2, 3)), segments).shape == (0, 3)


def test_a_place_is_covered_by_what_is_straight_above_it() -> None:
    roof = np.array([[(-1.0, -1.0, 2.0), (1.0, -1.0, 2.0), (-1.0, 1.0, 3.0)]])
    places = np.array([(-0.5, -0.5, 0.0), (0.5, 0.5, 0.0), (-0.5, -0.5, 2.25), (-0.5, -0.5, 4.0)])
    assert covered(places, roof).tolist() == [True, False, False, False]
    assert covered(places, roof[:, ::-1]).tolist() == [True, False, False, False]
    assert covered(places[:0], roof).tolist() == []
