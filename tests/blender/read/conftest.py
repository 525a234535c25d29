"""A crowd for the tests of what is read."""

import pytest

from tests.blender.building import frames
from tests.blender.steered import crowd, vehicle


@pytest.fixture
def flock():
    """A crowd of one vehicle that may do everything, on frames 1 to 20."""
    frames(1, 20)
    ob = crowd("Flock", wander={}, seek={}, obstacle_avoidance={}, path_following={})
    vehicle(crowd=ob)
    return ob
