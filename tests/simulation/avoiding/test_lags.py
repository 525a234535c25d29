"""Lags: turning on a circle against what turns immediately."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.locomotion import OnFoot, Planar
from steering_addon.simulation.avoiding.tried_velocities import STEPS, Lags
from steering_addon.simulation.locomotion import Locomotion
from tests.scene import Scene

RADIUS, SPEED = 3.0, 1.2


def lags(moves: type[Locomotion], **settings: float) -> Lags | None:
    """Of one that heads along +Y and is asked in axes along +Y and +X."""
    place = Scene(
        [[0.0, 0.0, 0.0]],
        forward=[[0.0, 1.0, 0.0]],
        speed=SPEED,
        vehicle={"max_speed": 1.5, "cruise_speed": 0.8},
        locomotions=[(moves, settings)],
    )
    _, agents, _ = place.seen()
    return Lags.of(agents, (np.array([[0.0, 1.0, 0.0]]), np.array([[1.0, 0.0, 0.0]])))


@pytest.mark.parametrize("angle", [-170.0, -60.0, -8.0, 20.0, 90.0, 150.0])
def test_after_the_turn_it_is_at_the_end_of_an_arc(angle: float) -> None:
    of = lags(OnFoot, turn_radius=RADIUS, turn_on_the_spot=0.0)
    a = np.radians(angle)
    velocity = [SPEED * np.cos([a]), SPEED * np.sin([a])]
    lag = of.of_turns(velocity, np.array([0]))
    end = [float((start + v * lag.time)[0]) for start, v in zip(lag.behind, velocity)]
    assert end == pytest.approx([RADIUS * np.sin(abs(a)), np.sign(a) * RADIUS * (1.0 - np.cos(a))], abs=1e-9)
    assert lag.time[0] == pytest.approx(RADIUS * abs(a) / SPEED)
    chord = [float((component * lag.time)[0]) for component in lag.chord(velocity)]
    assert chord == pytest.approx(end, abs=1e-9)


def test_straight_on_and_at_a_stand_there_is_none() -> None:
    of = lags(OnFoot, turn_radius=RADIUS, turn_on_the_spot=0.0)
    for velocity in ([SPEED, 0.0], [0.0, 0.0]):
        lag = of.of_turns([np.array([component]) for component in velocity], np.array([0]))
        assert [*map(float, lag.behind), float(lag.time)] == [0.0, 0.0, 0.0]


def test_one_that_steps_round_needs_no_circle_when_it_is_slow() -> None:
    steps = lags(OnFoot, turn_radius=RADIUS, turn_on_the_spot=3.0)
    for of, needs in ((steps, False), (replace(steps, pace=np.zeros(1)), True)):
        lag = of.of_turns([np.zeros(1), np.array([0.3])], np.array([0]))
        assert (lag.time[0] > 0.0) == needs
    fast = steps.of_turns([np.zeros(1), np.array([STEPS * 1.2])], np.array([0]))
    assert fast.time[0] == pytest.approx(RADIUS * 0.5 * np.pi / (STEPS * 1.2))


def test_without_a_circle_there_is_nothing_to_reckon() -> None:
    assert lags(Planar) is None
    assert lags(OnFoot, turn_radius=0.0) is None
