"""Offset pursuit (paper, Offset pursuit): passes near its quarry, not into it."""

import numpy as np
import pytest

from steering_addon.behaviors.offset_pursuit import OffsetPursuit
from steering_addon.locomotion import Planar
from steering_addon.simulation.world import Agents
from tests.sampling import sampled
from tests.scene import Scene, leaders, positions


def flyers(at: object, forward: object = (0.0, 1.0, 0.0), **values) -> Scene:
    return Scene(
        np.zeros((1, 3)), forward=[forward], behaviors=[(OffsetPursuit, values)], tracked=leaders(at), speed=5.0
    )


def papers_point(agents: Agents, target: np.ndarray, radius: float) -> np.ndarray:
    """Localize the target, project it onto the side-up plane, normalize, scale by -R, add, globalize."""
    position, side, forward, up = agents.position[0], agents.side[0], agents.forward[0], agents.up[0]
    offset = target - position
    local = np.array([offset @ side, offset @ forward, offset @ up])
    lateral = np.array([local[0], 0.0, local[2]])
    local = local - radius * lateral / np.linalg.norm(lateral)
    return position + local[0] * side + local[1] * forward + local[2] * up


@pytest.mark.parametrize("quarry", [(1.0, 9.0, 0.5), (-4.0, 6.0, -2.0), (5.0, -3.0, 1.0)])
def test_the_point_is_the_papers(quarry: tuple) -> None:
    place = flyers(quarry, forward=(0.3, 1.0, 0.2), radius=2.0)
    world, agents, [behavior] = place.seen()
    wanted = papers_point(agents, np.array(quarry), 2.0)
    assert np.allclose(behavior.goal(world, agents, None), [wanted])


@sampled
@pytest.mark.parametrize("radius", [1.0, 2.0, 4.0])
@pytest.mark.parametrize("aside", [0.0, 0.3, -1.5, 6.0])
def test_it_passes_at_about_its_radius(radius: float, aside: float) -> None:
    track = positions(flyers((aside, 30.0, 0.0), radius=radius).run(24 * 9))[:, 0]
    nearest = np.linalg.norm(track - (aside, 30.0, 0.0), axis=1).min()
    assert 0.8 * radius < nearest < 1.3 * radius


def test_a_moving_quarry_is_passed_at_its_predicted_position() -> None:
    place = flyers((0.0, 30.0, 0.0), radius=2.0)
    place.drift = (1.5, -1.0, 0.5)
    track = positions(place.run(24 * 8))[:, 0]
    quarry = np.array([0.0, 30.0, 0.0]) + np.array(place.drift) * (np.arange(len(track)) / 24.0)[:, None]
    assert 1.2 < np.linalg.norm(track - quarry, axis=1).min() < 3.0


def test_straight_ahead_it_passes_on_the_right() -> None:
    world, agents, [behavior] = flyers((0.0, 10.0, 0.0), radius=2.0).seen()
    assert np.allclose(behavior.goal(world, agents, None), [[2.0, 10.0, 0.0]])


def test_on_the_ground_it_passes_to_the_side_and_not_above() -> None:
    place = flyers((0.5, 20.0, 7.0), radius=3.0)
    place.locomotions = [(Planar, {})]
    track = positions(place.run(24 * 6))[:, 0]
    assert (track[:, 2] == 0.0).all()
    assert 2.4 < np.linalg.norm((track - (0.5, 20.0, 0.0))[:, :2], axis=1).min() < 4.0
