"""The agents say which way is up: turned with the whole scene, it turns the force of every behavior."""

from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors import CATALOGUE
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.world import Agents
from tests.behaviors.situations import SITUATIONS, busy, flat
from tests.scene import Scene, about, turned

UP = np.array([0.0, 0.0, 1.0])
TO_X = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Turns z to x, x to y and y to z."""

every = pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.name)


def with_up(monkeypatch: pytest.MonkeyPatch, up: np.ndarray) -> None:
    """Has all agents say that this unit vector (3,) is up."""
    monkeypatch.setattr(Agents, "upward", property(lambda agents: np.broadcast_to(up, (len(agents), 3))))


def forces(place: Scene) -> np.ndarray:
    return place.steering()[0]


@every
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda s: s.__name__)
@pytest.mark.parametrize("turn", [TO_X, about((0.3, -0.8, 0.5), 137.0)], ids=["x", "oblique"])
def test_turning_up_with_the_scene_turns_the_force(
    monkeypatch: pytest.MonkeyPatch, kind: type[Behavior], situation: Any, turn: np.ndarray
) -> None:
    place = situation(kind, 7)
    wanted = turned(forces(place), turn)
    with_up(monkeypatch, turned(UP, turn))
    result = forces(place.moved(turn=turn))
    assert np.abs(result - wanted).max() <= 1e-9 * max(1.0, np.abs(wanted).max())


@every
@pytest.mark.parametrize("situation", [busy, flat], ids=lambda s: s.__name__)
def test_each_agent_uses_its_own_up(monkeypatch: pytest.MonkeyPatch, kind: type[Behavior], situation: Any) -> None:
    place, ups = situation(kind, 7), np.resize(np.eye(3), (7, 3))
    wanted = []
    for row, up in enumerate(ups):
        with_up(monkeypatch, up)
        wanted.append(forces(place)[row])
    monkeypatch.setattr(Agents, "upward", property(lambda agents: ups[agents.rows]))
    result = forces(place)
    assert np.abs(result - np.array(wanted)).max() <= 1e-9 * max(1.0, np.abs(result).max())
