"""The numbers that tell what state a vehicle is in."""

from dataclasses import replace

import numpy as np

from steering_addon.portrayal.state_properties import StateColumns
from steering_addon.simulation.mindset import Mindset


def test_while_a_state_is_taken_up_the_one_before_falls_by_as_much() -> None:
    columns = StateColumns([7, 4], 3, 2)
    mindset = replace(Mindset.blank(3, 3, 0.0), mode=np.array([2, 0, 1]), shares=np.eye(3)[[1, 2, 0]])
    columns.take(1, mindset, np.array([0.25, 1.0, 0.5]))
    assert columns.number.tolist() == [[0, 4], [0, 0], [0, 7]]
    assert columns.shares[:, :, 1].tolist() == [[0.75, 0.0, 0.5], [0.25, 0.0, 0.0]]
    assert not columns.shares[:, :, 0].any()
