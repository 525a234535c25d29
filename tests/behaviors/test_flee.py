"""Flee (paper, Seek): the inverse of seek, while the target is near."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.evasion import Evasion
from steering_addon.behaviors.flee import Flee
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import Planar
from steering_addon.simulation.maneuvers.chasing import CURRENT_SPEED
from tests.scene import Scene, headings, leaders, positions, speeds


def fleeing(distance: float = 10.0, **changes) -> Scene:
    given = {"position": [[0.0, 0.0, 0.0]], "behaviors": [(Flee, {"distance": distance})]}
    return Scene(**(given | {"tracked": leaders([3.0, 4.0, 0.0])} | changes))


def test_its_desired_velocity_is_the_opposite_of_that_of_seek() -> None:
    rng = np.random.default_rng(0)
    place = fleeing(position=rng.uniform(-5.0, 5.0, (6, 3)), forward=rng.normal(size=(6, 3)), speed=2.0)
    velocity = place.start().motion.velocity
    [flee] = place.steering()
    [seek] = Scene(place.position, place.forward, place.up, 2.0, [(Seek, {})], tracked=place.tracked).steering()
    # The velocities that the forces lead to within the response time.
    assert np.allclose(flee * 0.3 + velocity, -(seek * 0.3 + velocity))


@pytest.mark.parametrize(("distance", "flees"), [(4.9, False), (5.1, True), (0.0, True)])
def test_it_flees_only_within_its_distance(distance: float, flees: bool) -> None:
    place = fleeing(distance)
    world, agents, [flee] = place.seen()
    assert place.steering()[0].any() == flees
    assert flee.steer(world, agents, None).sets_speed[0] == flees


def test_it_gets_away_and_then_calms_down() -> None:
    states = fleeing(forward=[[0.6, 0.8, 0.0]], speed=4.0).run(24 * 8)
    distance = np.linalg.norm(positions(states)[:, 0] - (3.0, 4.0, 0.0), axis=1)
    assert distance[-1] > 10.0
    assert speeds(states).max() > 4.8, "it fled"
    assert speeds(states)[-1, 0] == pytest.approx(4.0, abs=0.1), "and is back at cruise speed"


@pytest.mark.parametrize("runs", [(Flee, {}), (Evasion, {})])
def test_who_runs_does_not_go_on_to_its_goal_past_the_threat(runs: tuple) -> None:
    goes = Seek, {"target": 2, "weight": 3.0}
    ahead = leaders([3.0, 0.0, 0.0], [9.0, 0.0, 0.0])
    place = Scene([[0.0, 0.0, 0.0]], behaviors=[goes, runs], tracked=ahead, combining=2)
    assert positions(place.run(24))[-1, 0, 0] < -0.5


def test_on_top_of_the_target_it_goes_forward() -> None:
    place = fleeing(position=[[3.0, 4.0, 0.0]], forward=[[1.0, 2.0, 0.5]])
    states = place.run(48)
    assert np.abs(headings(states) - place.forward).max() < 1e-9
    assert np.linalg.norm(positions(states)[-1, 0] - (3.0, 4.0, 0.0)) > 5.0


def test_it_has_no_goal_and_on_the_ground_the_level_distance_counts() -> None:
    """Without a goal all obstacles ahead count."""
    above = fleeing(locomotions=[(Planar, {})], tracked=leaders([3.0, 4.0, 100.0]))
    assert np.allclose(above.steering()[0], [[-3.0 / 0.3, -4.0 / 0.3, 0.0]])
    assert above.seen()[1].goal_distance.tolist() == [np.inf]


def test_at_its_own_pace_it_only_turns_away() -> None:
    """And goes at cruise speed."""
    place = fleeing(speed=3.0, behaviors=[(Flee, {"pace": CURRENT_SPEED})])
    away = np.array([-0.6, -0.8, 0.0]) * 4.0
    assert np.allclose(place.steering()[0], (away - place.start().motion.velocity) / 0.3)
    states = place.run(24 * 8)
    distance = np.linalg.norm(positions(states)[:, 0] - (3.0, 4.0, 0.0), axis=1)
    assert distance[-1] > 10.0
    assert speeds(states).max() < 4.2, "it did not flee"


@pytest.mark.parametrize(("speed", "flees"), [(4.0, True), (0.0, False), (-4.0, False)])
def test_what_approaches_counts_from_as_far_away_as_it_comes_in_the_reaction_time(speed: float, flees: bool) -> None:
    place = fleeing(10.0, tracked=leaders([0.0, -11.5, 0.0]), drift=(0.0, speed, 0.0))
    assert place.steering()[0].any() == flees
    place = replace(place, behaviors=[(Flee, {"distance": 10.0, "reaction_time": 0.3})])
    assert not place.steering()[0].any(), "it comes 1.2 m nearer"


@pytest.mark.parametrize(("speed", "along"), [(2.5, 1.0), (5.0, 0.5), (10.0, 0.25)])
def test_from_what_is_faster_than_half_its_speed_it_runs_aside(speed: float, along: float) -> None:
    """cos(angle to the course) = v / 2 w: half of top speed is what it has until it has gathered that."""
    place = fleeing(0.0, tracked=leaders([0.1, -6.0, 0.0]), drift=(0.0, speed, 0.0), position=[[0.0, 0.0, 0.0]])
    [[x, y, z]] = place.steering()[0] * 0.3 / 5.0
    assert (x, y, z) == (pytest.approx(-np.sqrt(1.0 - along * along), abs=0.05), pytest.approx(along, abs=0.05), 0.0)


@pytest.mark.parametrize(("speed", "flees"), [(-2.7, True), (-2.9, False)])
def test_it_lets_go_of_what_leaves_about_as_fast_as_it_cruises(speed: float, flees: bool) -> None:
    """Seven tenths of 4 m/s."""
    place = fleeing(0.0, tracked=leaders([0.0, -6.0, 0.0]), drift=(0.0, speed, 0.0))
    assert place.steering()[0].any() == flees
