"""Blending: where one behavior at a time is drawn, feet that turn on a circle obey the mean of what is drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.evasion import Evasion
from steering_addon.behaviors.flee import Flee
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import OnFoot, SimpleVehicle
from steering_addon.simulation.blending import BLENDED, blended
from steering_addon.simulation.combining import ONE
from steering_addon.simulation.decisions import Decisions
from tests.scene import WEIGHTED_SUM, Scene, headings, leaders

DT = 1.0 / 24.0


def drawn(turn_radius: float, n: int = 12) -> Scene:
    """Animals with a target to the left, to which one behavior pulls them and from which two weak ones push them."""
    away = {"weight": 0.02, "distance": 0.0}
    return Scene(
        np.outer(np.arange(n), (0.0, 100.0, 0.0)),
        speed=0.7,
        behaviors=[(Seek, {}), (Flee, away), (Evasion, away)],
        vehicle={"max_speed": 2.5, "cruise_speed": 0.28, "max_force": 1.2, "response_time": 0.8},
        locomotions=[(OnFoot, {"turn_radius": turn_radius, "turn_on_the_spot": 0.0})],
        combining=ONE,
        tracked=leaders([-1e5, 0.0, 0.0]),
    )


def test_what_walks_on_a_wide_circle_turns_by_the_strength_of_behaviors_and_not_by_their_count() -> None:
    """Each of the three turns it as tightly as the circle lets it, in the steps in which it is drawn."""
    after = headings(drawn(2.5).run(24 * 4))[-1]
    assert after[:, 0].max() < -0.5


@pytest.mark.parametrize("turn_radius", [2.5, 0.75])
def test_the_mean_is_that_of_the_part_of_the_response_time_that_the_circle_leaves_no_strength(turn_radius) -> None:
    scene = drawn(turn_radius, 1)
    _, agents, _ = scene.seen()
    time = 0.8 * (1.0 - 0.7**2 / turn_radius / 1.2)
    force, decided = np.array([[0.3, -0.6, 0.0]]), Decisions.none_yet(scene.start())
    for _ in range(10):
        mean, decided = blended(ONE, agents, force, decided, DT)
    assert np.allclose(mean, force * (1.0 - (time / (time + DT)) ** 10))


def test_other_bodies_and_other_ways_to_combine_obey_what_is_drawn() -> None:
    def memories(scene: Scene) -> set[str]:
        return set(scene.run(2)[-1].memories)

    walks = drawn(2.5, 2)
    assert BLENDED in memories(walks)
    assert BLENDED not in memories(replace(walks, combining=WEIGHTED_SUM))
    assert BLENDED not in memories(replace(walks, locomotions=[(SimpleVehicle, {})]))
