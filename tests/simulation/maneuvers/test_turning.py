"""Turning: the speed from which a point can still be reached, and the side to which agents swing round."""

import numpy as np
import pytest

from steering_addon.locomotion import Flying, OnFoot, SimpleVehicle
from steering_addon.simulation.maneuvers.turning import lead_round, swing_round, turning_speed
from tests.scene import Scene, about


@pytest.mark.parametrize("degrees", [10.0, 45.0, 80.0, 100.0, 170.0])
@pytest.mark.parametrize("slow", [True, False])
def test_the_tightest_circle_at_that_speed_goes_through_the_point_or_through_one_beside(degrees, slow) -> None:
    """By the force or by the limit on the turn, whichever is wider; a point behind counts as one beside."""
    rate = 0.2 if slow else 50.0
    moves = [(SimpleVehicle, {"max_turn_rate": rate})]
    _, agents, _ = Scene([[0.0, 0.0, 0.0]], vehicle={"max_force": 6.0, "mass": 2.0}, locomotions=moves).seen()
    way = about((0.0, 0.0, 1.0), degrees) @ (0.0, 1.0, 0.0)
    speed = float(turning_speed(agents, way[None], np.array([4.0]), 0.5)[0])
    radius = speed / rate if slow else speed**2 / (0.5 * 3.0)
    place = 4.0 * (about((0.0, 0.0, 1.0), min(degrees, 90.0)) @ (0.0, 1.0, 0.0))
    assert np.linalg.norm(place - (-radius, 0.0, 0.0)) == pytest.approx(radius)


def test_straight_ahead_any_speed_will_do() -> None:
    _, agents, _ = Scene([[0.0, 0.0, 0.0]]).seen()
    assert turning_speed(agents, agents.forward, np.array([4.0]), 0.5)[0] > 1e3


@pytest.mark.parametrize(
    ("onward", "left"), [(90.0, True), (-90.0, False), (150.0, True), (170.0, False), (180.0, False)]
)
def test_those_in_flight_swing_round_to_the_side_to_which_the_way_leads_from_the_point(onward, left) -> None:
    """To the right where it goes straight back, and all to the same side, wherever beside straight behind the point is.

    Angles are from the heading, to the left.
    """
    offsets = np.array([-40.0, -10.0, 0.0, 10.0, 40.0])
    _, agents, _ = Scene(3.0 * np.outer(np.arange(5.0), (1.0, 0.0, 0.0)), speed=2.0).seen()
    ahead, up = np.array((0.0, 1.0, 0.0)), (0.0, 0.0, 1.0)
    direction = np.stack([about(up, 180.0 + offset) @ ahead for offset in offsets])
    way = np.tile(about(up, onward) @ ahead, (5, 1))
    force = swing_round(agents, agents.steering_to(2.0 * direction, np.full(5, 0.5)), direction, way)
    assert (force[:, 0] < 0.0).tolist() == [left] * 5
    assert np.abs(force[:, 2]).max() < 1e-9


@pytest.mark.parametrize("degrees", [20.0, 60.0, 90.0, 130.0, 179.0])
def test_an_animal_on_foot_keeps_its_pace_while_it_turns_into_a_way(degrees) -> None:
    """It turns on a circle, however fast it goes."""
    animal = [(OnFoot, {"turn_radius": 2.5, "turn_on_the_spot": 0.0})]
    _, agents, _ = Scene([[0.0, 0.0, 0.0]], speed=0.5, vehicle={"max_force": 1.2}, locomotions=animal).seen()
    way, time = (about((0.0, 0.0, 1.0), degrees) @ (0.0, 1.0, 0.0))[None], np.array([0.5])
    braking = agents.steering_to(0.7 * way, time)
    onward, aside = lead_round(agents, braking, way, way, np.array([0.7]), time)[0, [1, 0]]
    assert onward / abs(aside) == pytest.approx((0.7 - 0.5) / 0.5 / abs(braking[0, 0]))
    assert onward > 0.0 > aside
    assert np.hypot(onward, aside) <= 1.2 + 1e-9


def test_who_turns_on_the_spot_stops_for_that_and_birds_swing_round() -> None:
    way, time = np.array([[-1.0, 0.0, 0.0]]), np.array([0.5])
    for moves, least in (((OnFoot, {}), False), ((Flying, {"least_speed": 0.5}), True)):
        _, agents, _ = Scene([[0.0, 0.0, 0.0]], speed=2.0, locomotions=[moves]).seen()
        force = agents.steering_to(2.0 * way, time)
        led = lead_round(agents, force, way, way, np.array([2.0]), time)
        expected = swing_round(agents, force, way, way) if least else force
        assert (led == expected).all()
