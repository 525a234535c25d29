"""Forage (paper): wander and seek resources, which run out."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.forage import Forage, Hunger
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import Planar
from steering_addon.scene import obstacles
from steering_addon.simulation.geometry.obstacles import Obstacles, boxes
from tests.scene import Scene, all_of, leaders, positions, resources, speeds

FPS = 12
R = 0.5
POND = (0.0, 15.0, 0.0)


def grazers(n: int = 1, amount=np.inf, at=((0.0, 8.0, 0.0),), **values) -> Scene:
    return Scene(
        np.arange(n)[:, None] * [[1.5, 0.0, 0.0]],
        speed=3.0,
        behaviors=[(Forage, values)],
        locomotions=[(Planar, {})],
        tracked=resources(*at, amount=amount),
        fps=FPS,
    )


def test_it_goes_to_a_resource_nearby_and_stops_to_feed() -> None:
    states = grazers(meal=0.0).run(FPS * 6)
    gap = np.linalg.norm(positions(states)[-1, 0] - (0.0, 8.0, 0.0)) - 2.0 * R
    assert -0.05 < gap < 0.3
    assert speeds(states)[-1].max() < 0.1
    assert states[-1].taken[0] > 3.0


@pytest.mark.parametrize("things", [obstacles([POND], 3.0), boxes([POND], [(5.0, 2.0, 0.0)])], ids=["round", "box"])
def test_each_drinks_at_its_own_place_at_the_edge_of_a_pond_that_is_an_obstacle(things: Obstacles) -> None:
    scene = grazers(3, at=(POND,), meal=0.0, distance=0.0)
    scene = replace(scene, behaviors=[(ObstacleAvoidance, {}), *scene.behaviors], obstacles=things)
    states = scene.run(FPS * 12)
    place = states[-1].motion.position[:3]
    gap = things.clearance(place)[:, 0] - R
    assert (np.diff(place[:, 0]) > 0.3).all()
    assert (gap > 0.0).all() and (gap < 2.0).all()
    assert states[-1].taken[0] - states[-FPS].taken[0] == pytest.approx(3.0, rel=0.1), "all of them drink"


def test_without_a_resource_nearby_it_wanders() -> None:
    far = grazers(at=((0.0, 40.0, 0.0),))
    assert np.allclose(far.steering()[0], replace(far, behaviors=[(Wander, {})]).steering()[0])
    assert not np.allclose(grazers(at=((0.0, 40.0, 0.0),), distance=0.0).steering()[0], far.steering()[0])


def test_it_eats_at_its_appetite_until_the_resource_has_run_out_for_all() -> None:
    place = grazers(2, amount=2.0, meal=0.0, appetite=0.5)
    states = place.run(FPS * 9)
    taken = np.array([state.taken[0] if len(state.taken) else 0.0 for state in states])
    eating = np.flatnonzero(np.diff(taken) > 0.0)
    assert np.diff(taken)[eating].max() == pytest.approx(2.0 * 0.5 / FPS), "both together"
    assert 2.0 <= taken[-1] < 2.0 + 2.0 / FPS
    assert speeds(states)[-1].min() > 2.0, "they continue to wander"
    with_seeker = replace(place, behaviors=[*place.behaviors, (Seek, {"target": 2, "weight": 0.0})])
    world = with_seeker.run(2)[-1]
    assert world.tallies == {}


def test_a_resource_that_has_run_out_is_absent_for_others_too() -> None:
    place = grazers(2, amount=0.5, meal=0.0)
    place = replace(place, behaviors=[(Forage, {"meal": 0.0}), (Seek, {"target": 2, "weight": [0.0, 1.0]})])
    states = place.run(FPS * 7)
    assert states[-1].taken[0] >= 0.5
    step = np.diff(positions(states)[-FPS:, 1], axis=0)
    assert (np.linalg.norm(step, axis=1) > 0.1).all()


def test_after_a_meal_it_wanders_until_it_is_hungry_again() -> None:
    states = grazers(meal=1.0, digestion_time=4.0, distance=0.0).run(FPS * 24)
    taken = np.array([state.taken[0] if len(state.taken) else 0.0 for state in states])
    eats = np.diff(taken) > 0.0
    meals = np.flatnonzero(np.diff(eats.astype(int)) > 0)
    assert len(meals) >= 3
    assert np.diff(meals).min() > FPS * 5
    assert taken[-1] == pytest.approx(eats.sum() / FPS)
    assert np.linalg.norm(positions(states)[..., :2] - (0.0, 8.0), axis=-1).max() > 5.0


def test_the_nearest_remaining_resource_counts() -> None:
    place = grazers(at=((0.0, 4.0, 0.0), (0.0, -6.0, 0.0)), amount=(0.2, np.inf), meal=0.0)
    states = place.run(FPS * 9)
    assert states[-1].taken[0] < 0.3
    assert states[-1].taken[1] > 1.0
    assert np.linalg.norm(positions(states)[-1, 0] - (0.0, -6.0, 0.0)) < 2.0


def test_its_goal_is_the_resource_until_it_has_had_enough() -> None:
    """So that obstacles before the resource count for a hungry agent only."""
    world, agents, [foraging] = grazers(1).seen()
    hungry, sated = Hunger.blank(1), replace(Hunger.blank(1), sated=np.ones(1))
    assert np.allclose(foraging.goal(world, agents, hungry), world.bodies.position[foraging.resource])
    assert np.isnan(foraging.goal(world, agents, sated)).all()


def test_with_a_home_it_carries_each_meal_there_and_goes_again() -> None:
    """And the last one, which is smaller, from a resource that runs out."""
    home = all_of(resources([8.0, 0.0, 0.0], amount=2.5), leaders([-6.0, 0.0, 0.0]))
    values = {"home": 2, "meal": 1.0, "distance": 5.0, "digestion_time": 1000.0}
    place = Scene([[4.0, 0.0, 0.0]], speed=1.0, behaviors=[(Forage, values)], tracked=home, fps=FPS)
    states = place.run(FPS * 36)
    laden = np.array([state.memories["forage"].laden[0] for state in states[1:]])
    at_home = np.linalg.norm(positions(states)[1:, 0] - (-6.0, 0.0, 0.0), axis=-1)
    loads, unloads = ~laden[:-1] & laden[1:], laden[:-1] & ~laden[1:]
    assert (loads.sum(), unloads.sum()) == (3, 3)
    assert at_home[1:][unloads].max() < 1.6 < 10.0 < at_home[1:][loads].min()
    assert states[-1].taken[0] == pytest.approx(2.5, abs=0.1)


def test_who_finds_nothing_where_it_was_wanders_again() -> None:
    home = all_of(resources([8.0, 0.0, 0.0], amount=1.0), leaders([-6.0, 0.0, 0.0]))
    values = {"home": 2, "meal": 0.99, "distance": 5.0}
    place = Scene([[4.0, 0.0, 0.0]], behaviors=[(Forage, values)], tracked=home, fps=FPS)
    states = place.run(FPS * 18)
    known = np.array([np.isfinite(state.memories["forage"].found[0, 0]) for state in states[1:]])
    assert known.any() and not known[-1]
    world, agents, [forage] = replace(place, position=positions(states)[-1]).seen()
    assert not forage.steer(world, agents, states[-1].memories["forage"]).sets_speed.any()
