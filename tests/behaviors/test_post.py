"""Post (not in the paper): what it alone promises."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.post import Post, Posted
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import Planar
from steering_addon.minds.conditions import Always
from steering_addon.minds.minding import Minds, minds_of
from steering_addon.scene import CrowdState, trigger, with_states
from steering_addon.simulation.run import simulate
from steering_addon.simulation.snapshot import Snapshot
from tests.sampling import sampled
from tests.scene import Scene, leaders, locked, positions

AWAY = np.array([20.0, 0.0, 0.0])
CALLED, FREE = 5, 60
"""Frames on which the vehicle is called away, and on which nothing calls it any more."""
AT_MIDDLE = Posted(np.array([True]), np.zeros((1, 3)))
"""What a vehicle remembers that has its post at the origin."""


def scene(start: object = (0.0, 0.0, 0.0), speed: float = 0.0, tracked: object = None, **parameters) -> Scene:
    """A vehicle at its post, and something to be called to."""
    return Scene(
        [start],
        forward=(1.0, 0.0, 0.0),
        speed=speed,
        behaviors=[(Post, parameters)],
        locomotions=[(Planar, {})],
        tracked=leaders(AWAY) if tracked is None else tracked,
    )


def called_away(frame: int, snapshot: Snapshot) -> Snapshot:
    """The input with a state in which the vehicle goes to AWAY instead, called into it for a while."""
    away = CrowdState("Away", [(Seek, {"target": 1})], numbers={"react": 0.0, "lasts": 0.1, "varies": 0.0})
    calls = trigger(1, Always, strength=1.0 if CALLED <= frame < FREE else 0.0)
    snapshot = with_states(snapshot, [away], [calls])
    [mind] = minds_of(snapshot)
    # It has settings of its own for Post, by which Post is off.
    modes = tuple(replace(mode, replaces=(*mode.replaces, "post")) for mode in mind.modes)
    return replace(snapshot, minds=Minds((replace(mind, modes=modes),)))


def test_at_its_post_it_stands() -> None:
    place = positions(scene().run(48))[:, 0]
    assert (place == 0.0).all()


def test_one_that_moves_has_its_post_where_it_can_stop() -> None:
    """0.8 max_force / mass = 8 m/s2: from 4 m/s it can stop within 1 m."""
    place = positions(scene(speed=4.0).run(24 * 6))[:, 0]
    assert np.allclose(place[-1], (1.0, 0.0, 0.0), atol=0.05)


def test_it_returns_from_what_called_it_away() -> None:
    states = scene().run(24 * 12, at=called_away)
    place = positions(states)[:, 0]
    assert np.linalg.norm(place[FREE]) > 5.0
    assert np.linalg.norm(place[-1]) < 0.5


def test_it_stops_as_one_that_arrives() -> None:
    """On the way to a post straight ahead, the force is that of Arrival."""
    ahead = scene((-6.0, 0.0, 0.0), tracked=leaders((0.0, 0.0, 0.0)))
    world, agents, [post] = ahead.seen()
    arrival = Arrival.of(1, target=1)
    wanted = arrival.steer(world, agents, Arrival.remembers.blank(1)).force
    assert np.allclose(post.steer(world, agents, AT_MIDDLE).force, wanted)


def herd() -> np.ndarray:
    """Places in a circle of 5 m about (10, 0.5, 0)."""
    rows = np.arange(-5.0, 5.5, 1.25)
    x, y = (grid.ravel() for grid in np.meshgrid(rows, rows))
    inside = x * x + y * y <= 25.0
    return np.stack((10.0 + x[inside], 0.5 + y[inside], 0.0 * x[inside]), axis=1)


@sampled
@pytest.mark.parametrize("round_crowd", [1, -1])
def test_it_goes_round_a_crowd_on_its_way(round_crowd: int) -> None:
    """A member that has left does not count. Without a crowd to go round it goes straight through."""
    herd_and_stray = [*herd(), (10.0, 40.0, 0.0)]
    place = scene((20.0, 0.0, 0.0), tracked=locked(*herd_and_stray, crowd=1), round_crowd=round_crowd)
    start = replace(place.start(), memories={"post": AT_MIDDLE})
    way = positions(list(simulate(start, [place.snapshot(frame) for frame in range(24 * 12)])))[:, 0]
    gap = np.linalg.norm(way - (10.0, 0.5, 0.0), axis=1).min()
    assert np.linalg.norm(way[-1]) < 0.5
    assert (4.5 < gap < 6.5) if round_crowd == 1 else gap < 1.0
