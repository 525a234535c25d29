"""Prediction: how far ahead a pursuer looks."""

import numpy as np
import pytest

from steering_addon.locomotion import Planar
from steering_addon.simulation.maneuvers.chasing import (
    CURRENT_SPEED,
    INTERCEPTION,
    MAX_SPEED,
    are_at,
    desired_speed,
    predict_position,
    prediction_time,
    turn_to,
    velocity_to_keep,
)
from tests.scene import Scene, about, flat_or_free, leaders

PLACES = ((0.0, 6.0, 0.0), (6.0, 0.0, 0.0), (0.0, -6.0, 0.0))
"""Ahead of a pursuer at the origin, beside it and behind it."""
WAYS = ((0.0, 2.0, 0.0), (2.0, 0.0, 0.0), (0.0, -2.0, 0.0))
"""Parallel to its heading, across it and opposed."""


def seen(place, drift, flat=False):
    moves = {"vehicle": {"max_speed": 3.0}, "locomotions": flat_or_free(flat)}
    scene = Scene([[0.0, 0.0, 0.0]], tracked=leaders(place), drift=drift, **moves)
    return scene.moved((5.0, -3.0, 2.0)).seen()[:2]


def time(place, drift, longest: float = 99.0, flat: bool = False) -> float:
    return float(prediction_time(*seen(place, drift, flat), np.array([1]), np.array([longest]))[0])


@pytest.mark.parametrize("where", range(3))
@pytest.mark.parametrize("way", range(3))
def test_in_the_nine_situations_it_is_the_distance_over_top_speed_times_the_number_of_the_table(where, way) -> None:
    expected = 6.0 / 3.0 * INTERCEPTION[where][way]
    assert time(PLACES[where], WAYS[way]) == pytest.approx(expected)
    assert time(PLACES[where], WAYS[way], longest=0.4) == min(expected, 0.4)


def test_between_them_it_changes_gradually() -> None:
    def between(first, second, share):
        return np.array(first) * np.sqrt(1.0 - share**2) + np.array(second) * share

    for places in ((PLACES[0], PLACES[1]), (PLACES[2], PLACES[1])):
        for ways in ((WAYS[0], WAYS[1]), (WAYS[2], WAYS[1])):
            for share in (0.1, 0.5, 0.9):
                corners = [[time(place, way) for way in ways] for place in places]
                # The cosines of the angles are the shares: of the first place and of the first way.
                a, b = np.sqrt(1.0 - share**2), np.sqrt(1.0 - share**2)
                expected = a * (b * corners[0][0] + (1 - b) * corners[0][1])
                expected += (1 - a) * (b * corners[1][0] + (1 - b) * corners[1][1])
                assert time(between(*places, share), between(*ways, share)) == pytest.approx(expected)


def test_for_pursuers_on_the_ground_the_height_does_not_count() -> None:
    assert time((0.0, 6.0, 5.0), WAYS[0], flat=True) == pytest.approx(time((0.0, 6.0, 0.0), WAYS[0]))


def test_the_quarry_is_expected_to_go_straight_on() -> None:
    world, _ = seen((1.0, 2.0, 3.0), (2.0, 0.0, -1.0))
    assert np.allclose(
        predict_position(world, np.array([1, 1]), np.array([0.0, 2.0])), [[6.0, -1.0, 5.0], [10.0, -1.0, 3.0]]
    )


def test_the_nine_numbers_are_those_of_opensteer() -> None:
    """Of its steerForPursuit: ahead, aside and behind, each parallel, perpendicular and anti-parallel."""
    assert INTERCEPTION == ((4.0, 1.8, 0.85), (1.0, 0.8, 4.0), (0.5, 2.0, 2.0))


def test_the_nearer_the_quarry_the_shorter_is_the_time_down_to_nothing() -> None:
    assert [time((0.0, y, 0.0), WAYS[0]) for y in (0.03, 0.0)] == [pytest.approx(0.03 / 3.0 * 4.0), 0.0]


def test_the_distance_shrinks_to_nothing_in_the_time_if_the_place_moves_on() -> None:
    _, agents, _ = Scene([[1.0, 2.0, 3.0]], vehicle={"max_speed": 50.0}).seen()
    target, velocity = np.array([[4.0, -1.0, 5.0]]), np.array([[1.0, 2.0, -0.5]])
    wanted = velocity_to_keep(agents, target, velocity, np.array([2.5]))
    assert np.allclose(agents.position + 2.5 * wanted, target + 2.5 * velocity)


def test_it_is_no_faster_than_the_top_speed_and_level_on_the_ground() -> None:
    _, agents, _ = Scene([[0.0, 0.0, 0.0]], vehicle={"max_speed": 2.0}, locomotions=[(Planar, {})]).seen()
    wanted = velocity_to_keep(agents, np.array([[30.0, 40.0, 9.0]]), np.array([[0.0, 0.0, 3.0]]), np.array([1.0]))
    assert wanted[0] == pytest.approx([1.2, 1.6, 0.0])


def test_the_desired_speed_is_the_top_speed_or_that_of_the_agent() -> None:
    vehicle = {"max_speed": 7.0, "cruise_speed": 0.5}
    _, agents, _ = Scene(np.zeros((3, 3)), speed=[1.0, 2.0, 4.0], vehicle=vehicle).seen()
    assert desired_speed(np.array([MAX_SPEED, CURRENT_SPEED, CURRENT_SPEED]), agents).tolist() == [7.0, 3.5, 4.0]


@pytest.mark.parametrize("degrees", [0.0, 20.0, 50.0, 59.0, 61.0, 120.0, 180.0])
@pytest.mark.parametrize("speed", [0.4, 3.0])
def test_the_turn_is_the_gap_between_the_directions_and_never_longer_than_one(degrees: float, speed: float) -> None:
    """Whatever the speed and the distance are; 60 degrees apart, the gap is 1."""
    _, agents, _ = Scene([[0.0, 0.0, 0.0]], speed=speed).seen()
    way = about((0.0, 0.0, 1.0), degrees) @ (0.0, 1.0, 0.0)
    for distance in (0.3, 9.0):
        turn = turn_to(distance * way[None], agents)[0]
        gap = way - (0.0, 1.0, 0.0)
        assert turn == pytest.approx(gap / max(np.linalg.norm(gap), 1.0), abs=1e-9)


def test_without_an_offset_it_does_not_turn_and_from_rest_it_turns_to_its_target() -> None:
    _, agents, _ = Scene(np.zeros((2, 3)), speed=[2.0, 0.0]).seen()
    assert turn_to(np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0]]), agents).tolist() == [[0.0] * 3, [1.0, 0.0, 0.0]]


def test_a_target_is_reached_if_it_was_near_enough_at_any_time_of_the_last_step() -> None:
    """As by trying many times between then and now; also if it moves."""
    rng = np.random.default_rng(1)
    both = set()
    for plane in (False, True):
        start, drift = rng.uniform(-3.0, 3.0, (60, 3)), rng.normal(0.0, 3.0, 3)
        scene = Scene(
            start,
            forward=rng.normal(size=(60, 3)) * (1.0, 1.0, not plane),
            speed=rng.uniform(0.0, 99.0, 60),
            tracked=leaders([0.0, 0.0, 0.0]),
            drift=drift,
            vehicle={"max_speed": 99.0},
            locomotions=flat_or_free(plane),
        )
        world, agents, _ = scene.seen()
        within = np.where(np.arange(60) % 3, rng.uniform(0.2, 2.0, 60), 0.0)
        result = are_at(world, agents, np.full(60, 60), within)
        back = np.linspace(0.0, world.dt, 2000)[:, None]
        for n in range(60):
            offset = world.bodies.position[60] - back * world.bodies.velocity[60]
            offset = (offset - agents.position[n] + back * agents.velocity[n]) * (1.0, 1.0, not plane)
            nearest, near = np.linalg.norm(offset, axis=1).min(), within[n] or 1.0
            if abs(nearest - near) > 1e-3:
                assert result[n] == (nearest < near)
                both.add(bool(result[n]))
    assert both == {True, False}


@pytest.mark.parametrize("radius", [0.2, 0.7])
def test_without_a_distance_the_bodies_have_to_touch(radius: float) -> None:
    scene = Scene([[0.0, 0.0, 0.0]] * 2, tracked=leaders([radius + 0.49, 0.0, 0.0], [0.0, radius + 0.51, 0.0]))
    scene.vehicle = {"radius": radius}
    world, agents, _ = scene.seen()
    assert are_at(world, agents, np.array([2, 3]), np.zeros(2)).tolist() == [True, False]
    assert are_at(world, agents, np.array([-1, -1]), np.full(2, 9.0)).tolist() == [False, False]


def test_bodies_that_just_touch_have_reached_each_other_whichever_row_they_have() -> None:
    world, agents, _ = Scene([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]).seen()
    assert are_at(world, agents, np.array([1, 0]), np.zeros(2)).tolist() == [True, True]


def test_what_was_near_before_the_last_step_only_is_not_reached() -> None:
    scene = Scene([[0.0, 0.0, 0.0]], speed=24.0, tracked=leaders([0.0, -1.9, 0.0]), vehicle={"max_speed": 30.0})
    world, agents, _ = scene.seen()
    assert [bool(are_at(world, agents, np.array([1]), np.array([x]))[0]) for x in (0.89, 0.91)] == [False, True]
