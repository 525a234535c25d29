"""The turn past the outline of a mesh."""

import numpy as np
import pytest

from steering_addon.simulation.avoiding.silhouettes import turns_past_outline
from tests.surfaces import block


@pytest.mark.parametrize("reach", [0.1, 0.5, 1.5])
def test_the_arc_passes_the_edge_at_the_distance_to_keep(reach: float) -> None:
    """A block from x -1 to 3 and y 5 to 7, seen from the origin: the nearer edge is at (-1, 5)."""
    thing, eye = block((2.0, 1.0, 4.0)), np.array([[-1.0, -6.0, 0.0]])
    course, up = np.array([[0.0, 1.0, 0.0]]), np.array([[0.0, 0.0, 1.0]])
    # The surface is far off, so that only the edge counts.
    far, keep, plane = np.array([1e9]), np.array([reach]), np.array([True])
    [turn], [bend] = turns_past_outline(thing, eye, course, -course, far, keep, up, plane)
    assert np.allclose(turn, (-1.0, 0.0, 0.0))
    centre, edge = eye[0] + turn / bend, np.array([-2.0, -1.0, 0.0])
    assert np.linalg.norm(edge - centre) == pytest.approx(1.0 / bend + reach)
