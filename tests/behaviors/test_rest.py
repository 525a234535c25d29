"""Rest (ours): stop and go, in a rhythm of each agent."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.evasion import Evasion
from steering_addon.behaviors.flee import Flee
from steering_addon.behaviors.hide import Hide
from steering_addon.behaviors.rest import Rest
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.wander import Wander
from steering_addon.scene import obstacles
from tests.sampling import sampled, thorough
from tests.scene import Scene, leaders, speeds

MINUTE = 24 * 60


def grazers(n: int = 30, **values) -> Scene:
    return Scene(
        np.arange(n)[:, None] * [[50.0, 0.0, 0.0]], speed=3.0, behaviors=[(Wander, {}), (Rest, values)], combining=0
    )


@thorough
def test_at_rest_it_stands_still_whatever_other_behaviors_ask_for() -> None:
    for combining in (0, 1, 4):
        states = replace(grazers(40), combining=combining).run(24 * 16)
        speed = speeds(states)[24 * 3 :]
        assert 0.2 < (speed == 0.0).mean() < 0.6, combining
        assert 0.3 < (speed > 2.0).mean() < 0.8, combining


@thorough
def test_bouts_have_the_average_duration_that_is_set() -> None:
    resting = speeds(grazers(60, going_time=4.0, resting_time=2.0, stopping_time=0.1).run(MINUTE)) < 0.05
    begins = resting[1:] & ~resting[:-1]
    assert np.isclose(60.0 / begins.sum(axis=0).mean(), 6.0, rtol=0.15)
    assert np.isclose(resting.mean(), 1.0 / 3.0, atol=0.07)
    assert np.ptp(np.flatnonzero(begins[:, 0])) > 0


@thorough
def test_each_agent_has_its_own_rhythm() -> None:
    moving = speeds(grazers(12).run(MINUTE)) > 1.0
    together = (moving[:, :, None] == moving[:, None, :]).mean(axis=0)
    assert together[~np.eye(12, dtype=bool)].max() < 0.9
    assert (np.diff(moving.astype(int), axis=0) != 0).any(axis=0).all()


def test_it_slows_down_gently_within_the_stopping_time() -> None:
    speed = speeds(grazers(20, stopping_time=2.0, going_time=6.0).run(MINUTE // 3))
    slowing = -np.diff(speed, axis=0) * 24.0
    assert slowing.max() < 5.0 / 2.0 + 1.0, "top speed in two seconds, and the turns of wandering"


def test_a_light_weight_only_slows() -> None:
    place = grazers(5, resting_time=1000.0, going_time=0.1)
    half = replace(place, behaviors=[(Seek, {}), (Rest, {**place.behaviors[1][1], "weight": 0.5})])
    half = replace(half, tracked=leaders([0.0, 1e4, 0.0]))
    speed = speeds(half.run(24 * 6))[-1]
    assert (speed < 4.6).all() and (speed > 1.0).all(), "less than top speed, but not at rest"


@sampled
@pytest.mark.parametrize("flight", [(Evasion, "pursuer"), (Flee, "target"), (Hide, "opponent")], ids=lambda f: f[1])
def test_an_agent_that_runs_from_something_does_not_rest(flight: tuple) -> None:
    """Sheep that graze get up when the dog comes, although nothing is set as the menace."""
    kind, target = flight
    behaviors = [(kind, {target: 4, "distance": 8.0}), (Rest, {"resting_time": 1000.0, "going_time": 0.1})]
    place = Scene(
        np.arange(4)[:, None] * [[30.0, 0.0, 0.0]],
        behaviors=behaviors,
        tracked=leaders([-20.0, 2.0, 0.0]),
        drift=(4.0, 0.0, 0.0),
        obstacles=obstacles([[0.0, -3.0, 0.0]], [1.0]),
    )
    speed = speeds(place.run(24 * 6))[:, 0]
    assert speed[24:48].max() == 0.0, "it rests while nothing is near"
    assert speed[24 * 4 : 24 * 5].min() > 1.0
    resting = replace(place, behaviors=[(kind, {**behaviors[0][1], "weight": 0.0}), behaviors[1]])
    assert speeds(resting.run(24 * 6))[48:].max() == 0.0, "a behavior without weight alarms no agent"
