"""Side steps: who hardly walks goes where it is asked to, whichever way it faces; who walks, and animals, do not."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import OnFoot
from steering_addon.locomotion.gaits import step_aside
from steering_addon.locomotion.walking import along_and_aside, join_parts
from steering_addon.simulation.vehicle import VehicleModel
from tests.locomotion.test_gaits import walker
from tests.scene import Scene, leaders, positions

SHARE, PACE = 0.4, 1.2
MODEL = {"max_speed": 2.0, "cruise_speed": PACE / 2.0, "max_force": 4.0, "response_time": 0.2}


def after(wish: tuple[float, float], gait: float, share: float = SHARE, steps: int = 24) -> np.ndarray:
    """The velocity, (2,) m/s, of one that faces +X once it has been asked for another during some steps."""
    heading, velocity = np.array([[1.0, 0.0]]), np.array([[gait, 0.0]])
    w = replace(walker(fastest=9.0), model=VehicleModel.of(1, **MODEL))
    for _ in range(steps):
        velocity = step_aside(w, np.array([share]), np.array([[gait, 0.0]]), heading, velocity, np.array([wish]))
    return velocity[0]


@pytest.mark.parametrize("angle", [60.0, 90.0, -110.0, 180.0])
def test_what_a_slow_one_is_asked_for_it_takes_up_within_two_steps(angle: float) -> None:
    """Two steps at a brisk walk take a second."""
    a = np.radians(angle)
    wish = (0.2 * np.cos(a), 0.2 * np.sin(a))
    assert after(wish, 0.0) == pytest.approx(wish, abs=0.01)


@pytest.mark.parametrize("gait", [0.0, 0.3, 0.9])
def test_the_faster_it_walks_the_less_it_steps_aside(gait: float) -> None:
    assert abs(after((gait, 2.0), gait)[1]) == pytest.approx(SHARE * (PACE - gait), abs=0.01)


def test_who_walks_and_animals_go_where_they_head() -> None:
    assert after((0.0, 1.0), PACE) == pytest.approx([PACE, 0.0])
    assert after((0.0, 1.0), 0.3, share=0.0) == pytest.approx([0.3, 0.0])


def test_parts_join_to_what_they_were() -> None:
    heading, velocity = np.array([[0.6, 0.8]]), np.array([[-0.3, 0.7]])
    assert join_parts(heading, *along_and_aside(velocity, heading)) == pytest.approx(velocity)


def test_its_velocity_is_that_of_its_way_also_aside() -> None:
    """One that stands and faces +X is asked to go to +Y; others see it step there before it has turned."""
    crowd = Scene(
        [(0.0, 0.0, 0.0)],
        forward=[(1.0, 0.0, 0.0)],
        speed=0.0,
        vehicle={"max_speed": 1.9, "cruise_speed": 0.7, "max_force": 2.0},
        locomotions=[(OnFoot, {"turn_radius": 3.0})],
        behaviors=[(Seek, {"target": 1, "pace": 1})],
        tracked=leaders((0.0, 9.0, 0.0)),
    )
    states = crowd.run(24)
    way = np.diff(positions(states), axis=0)[:, 0] * 24.0
    velocity, heading = (np.array([getattr(s.motion, name)[0] for s in states[1:]]) for name in ("velocity", "forward"))
    assert way == pytest.approx(velocity, abs=1e-9)
    assert np.abs(np.cross(heading, velocity)[:, 2]).max() > 0.1
