"""Each agent steers by its own up, which turns with the whole scene, and by its own parameters."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors import CATALOGUE
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.locomotion import Locomotion
from tests.behaviors.situations import busy, flat, upright
from tests.sampling import sampled
from tests.scene import Scene, about, turned

N = 7
UP = np.array([0.0, 0.0, 1.0])
TO_X = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""Turns z to x, x to y and y to z."""

BY_OTHERS_TOO = {"landing", "cohesion", "leader_following", "keep_company"}
"""Behaviors whose agents also depend on the parameters of others: they share places, parts of a crowd or company."""

every = pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.name)


def with_up(monkeypatch: pytest.MonkeyPatch, up: np.ndarray) -> None:
    """Has every locomotion say that this unit vector (3,), or one for each of the vehicles, is up."""
    monkeypatch.setattr(Locomotion, "upward", lambda body, memory: np.broadcast_to(up, (N, 3)))


def forces(place: Scene) -> np.ndarray:
    return place.steering()[0]


@sampled(one_of=6)
@every
@pytest.mark.parametrize("situation", [busy, flat, upright], ids=lambda s: s.__name__)
@pytest.mark.parametrize("turn", [TO_X, about((0.3, -0.8, 0.5), 137.0)], ids=["x", "oblique"])
def test_turning_up_with_the_scene_turns_the_force(
    monkeypatch: pytest.MonkeyPatch, kind: type[Behavior], situation: Any, turn: np.ndarray
) -> None:
    place = situation(kind, N)
    wanted = turned(forces(place), turn)
    with_up(monkeypatch, turned(UP, turn))
    result = forces(place.moved(turn=turn))
    assert np.abs(result - wanted).max() <= 1e-9 * max(1.0, np.abs(wanted).max())


@sampled
@every
@pytest.mark.parametrize("situation", [busy, flat], ids=lambda s: s.__name__)
def test_each_agent_uses_its_own_up(monkeypatch: pytest.MonkeyPatch, kind: type[Behavior], situation: Any) -> None:
    place, ups = situation(kind, N), np.resize(np.eye(3), (N, 3))
    wanted = []
    for row, up in enumerate(ups):
        with_up(monkeypatch, up)
        wanted.append(forces(place)[row])
    with_up(monkeypatch, ups)
    result = forces(place)
    assert np.abs(result - np.array(wanted)).max() <= 1e-9 * max(1.0, np.abs(result).max())


@sampled(one_of=3)
@every
def test_each_agent_steers_by_its_own_parameters(kind: type[Behavior]) -> None:
    if kind.name in BY_OTHERS_TOO:
        pytest.skip("it depends on those of others, too")
    place = busy(kind, N)
    [(_, columns)] = place.behaviors
    together = forces(place)
    for row in range(N):
        alike = {name: np.full(N, column[row]) for name, column in columns.items()}
        assert np.abs(forces(replace(place, behaviors=[(kind, alike)]))[row] - together[row]).max() < 1e-9, row
