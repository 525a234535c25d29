"""Up is what the agents say: turned with the whole scene, it turns the force of every behavior."""

from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors import CATALOGUE
from steering_addon.behaviors.unaligned_collision_avoidance import UnalignedCollisionAvoidance
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.world import Agents
from tests.behaviors.situations import SITUATIONS, busy, flat
from tests.scene import Scene, about, turned

UP = np.array([0.0, 0.0, 1.0])
TO_X = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Turns z to x, x to y and y to z."""
NOT_YET = {UnalignedCollisionAvoidance: "chooses velocities and plans its ways in x and y"}

every = pytest.mark.parametrize("kind", [kind for kind in CATALOGUE if kind not in NOT_YET], ids=lambda kind: kind.name)


def with_up(monkeypatch: pytest.MonkeyPatch, up: np.ndarray) -> None:
    """Have all agents say that this is up: (3,) for all of them, or (n, 3)."""
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
    found = forces(place.moved(turn=turn))
    assert np.abs(found - wanted).max() <= 1e-9 * max(1.0, np.abs(wanted).max())


@every
@pytest.mark.parametrize("situation", [busy, flat], ids=lambda s: s.__name__)
def test_each_agent_goes_by_its_own_up(monkeypatch: pytest.MonkeyPatch, kind: type[Behavior], situation: Any) -> None:
    place, ups = situation(kind, 7), np.resize(np.eye(3), (7, 3))
    wanted = []
    for row, up in enumerate(ups):
        with_up(monkeypatch, up)
        wanted.append(forces(place)[row])
    # No agent is asked by its number: `take` gives the agents of some rows theirs.
    monkeypatch.setattr(Agents, "upward", property(lambda agents: ups[agents.rows]))
    found = forces(place)
    assert np.abs(found - np.array(wanted)).max() <= 1e-9 * max(1.0, np.abs(found).max())
