"""Adjusting: the wish that adjustments are given."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from steering_addon.simulation.adjusting import PROGRESS, adjust_forces
from steering_addon.simulation.arrays.frozen import replace
from steering_addon.simulation.avoiding.jams import JAMMING, Progress
from steering_addon.simulation.behavior import Adjustment, Intent, Steering, Wish
from steering_addon.simulation.intention import nothing_said
from steering_addon.simulation.world import Agents, World
from tests.scene import Scene

MODEL = {"max_speed": 2.0, "max_force": 2.0, "response_time": 0.3}
WISHES: list[np.ndarray] = []


@dataclass(frozen=True)
class Probe(Adjustment):
    """Notes the wish that it is given."""

    name, label, term, intent = "probe", "Probe", "probe", Intent.WITH

    def adjust(self, world: World, agents: Agents, wish: Wish, memory: Any) -> Steering:
        WISHES.append(wish.velocity[:, 1])
        return Steering()


@pytest.mark.parametrize(
    ("progress", "wished"),
    [(1.0, [0.6, -0.4]), (JAMMING.stuck + 0.01, [0.6, -0.4]), (0.5 * JAMMING.stuck, [1.0, 0.2]), (0.0, [1.4, 0.8])],
)
def test_the_less_progress_agents_make_the_less_their_strength_limits_their_wish(
    progress: float, wished: list[float]
) -> None:
    """One stands and one is swept along backwards; both ask for 1.4 m/s, and could come to 0.6 m/s more at once."""
    place = Scene([(0.0, 0.0, 0.0), (9.0, 0.0, 0.0)], speed=0.0, vehicle=MODEL)
    world, agents, _ = place.seen()
    velocity = np.array([(0.0, 0.0, 0.0), (0.0, -1.0, 0.0)])
    agents = replace(agents, velocity=velocity, speed=np.array([0.0, 1.0]))
    force, asked = np.tile((0.0, 2.0, 0.0), (2, 1)), np.array([(0.0, 1.4 / 0.3, 0.0), (0.0, 1.8 / 0.3, 0.0)])
    watched = Progress(np.full(2, progress), np.ones(2, dtype=bool))
    decided = place.start().undecided().remembering(PROGRESS, agents, watched)
    intention = replace(nothing_said(2), interval=np.full(2, 0.1))
    adjust_forces(world, agents, [Probe.of(2)], {}, force, lambda: asked - force, intention, decided)
    # A step hardly changes the progress.
    assert WISHES.pop() == pytest.approx(wished, abs=0.2)
