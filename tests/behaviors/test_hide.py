"""Hide (paper): gets behind an obstacle, out of an opponent's sight."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.hide import Hide, Hiding
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.locomotion import Planar
from steering_addon.simulation.geometry.obstacles import boxes, obstacles
from steering_addon.simulation.geometry.shapes import INSIDE
from tests.sampling import sampled
from tests.scene import PRIORITY, Scene, all_of, leaders, positions

FPS = 12
ROCKS = np.array([[8.0, 0.0, 0.0], [0.0, -12.0, 0.0]])


def hiders(at: object = (0.0, 10.0, 0.0), rocks: np.ndarray = ROCKS, **values) -> Scene:
    behaviors = [(Hide, values), (ObstacleAvoidance, {})]
    return Scene(
        [[0.0, 0.0, 0.0]],
        behaviors=behaviors,
        tracked=leaders(at),
        obstacles=obstacles(rocks, np.full(len(rocks), 1.5)),
        combining=PRIORITY,
        vehicle={"radius": 0.4},
        locomotions=[(Planar, {})],
        fps=FPS,
    )


def hidden(place: np.ndarray, opponent: np.ndarray, rock: np.ndarray, radius: float) -> bool:
    """Whether the line of sight from the opponent meets the rock."""
    way = place - opponent
    share = np.clip((rock - opponent) @ way / (way @ way), 0.0, 1.0)
    return bool(np.linalg.norm(opponent + share * way - rock) < radius)


@sampled
@pytest.mark.parametrize("opponent", [(0.0, 10.0, 0.0), (10.0, 10.0, 0.0), (-6.0, -3.0, 0.0)])
def test_it_ends_up_out_of_sight(opponent: tuple) -> None:
    end = positions(hiders(opponent).run(FPS * 10))[-1, 0]
    assert any(hidden(end, np.array(opponent), rock, 1.5) for rock in ROCKS)


def test_it_chooses_the_nearest_hiding_place() -> None:
    world, agents, [hide, _] = hiders().seen()
    away = ROCKS[0] - (0.0, 10.0, 0.0)
    assert np.allclose(
        hide.goal(world, agents, Hiding.blank(1)), [ROCKS[0] + away / np.linalg.norm(away) * (1.5 + 0.4 + 0.5)]
    )


def test_it_keeps_its_place_until_another_is_much_nearer() -> None:
    rocks = np.array([[5.0, 0.0, 0.0], [-5.2, 0.0, 0.0]])
    world, agents, [hide, _] = hiders(rocks=rocks).seen()
    free, kept = (hide.steer(world, agents, Hiding(np.array([row]))).memory.obstacle[0] for row in (-1, 1))
    assert free == 0
    assert kept == 1


def test_behind_a_pillar_it_keeps_its_height() -> None:
    pillar = obstacles([[5.0, 0.0, -20.0]], 1.0, [[5.0, 0.0, 20.0]])
    place = Scene([[0.0, 0.0, 4.0]], behaviors=[(Hide, {})], tracked=leaders([-3.0, 0.0, 4.0]), obstacles=pillar)
    world, agents, [hide] = place.seen()
    assert np.allclose(hide.goal(world, agents, Hiding.blank(1)), [[5.0 + 1.0 + 0.5 + 0.5, 0.0, 4.0]])


@pytest.mark.parametrize("values", [{"opponent": -1}, {"distance": 9.0}, {"rocks": np.zeros((0, 3))}])
def test_it_does_nothing_without_an_opponent_or_obstacles_or_beyond_the_distance(values: dict) -> None:
    place = hiders(**values)
    world, agents, [hide, _] = place.seen()
    assert (place.steering()[0] == 0.0).all()
    assert np.isnan(hide.goal(world, agents, Hiding.blank(1))).all()
    assert not hide.steer(world, agents, Hiding.blank(1)).sets_speed.any()


def test_behind_a_box_it_is_near_its_side_and_a_room_does_not_hide_it() -> None:
    wall = boxes([[0.0, -6.0, 0.0]], [[5.0, 0.3, 4.0]])
    room = boxes([[0.0, 0.0, 0.0]], [[20.0, 20.0, 20.0]], side=np.full(1, INSIDE))
    world, agents, [hide, _] = replace(hiders(), obstacles=all_of(room, wall)).seen()
    assert np.allclose(hide.goal(world, agents, Hiding.blank(1)), [[0.0, -6.0 - 0.3 - 0.4 - 0.5, 0.0]])


@pytest.mark.parametrize("row", [0, 1])
def test_its_goal_is_the_place_that_it_steers_to(row: int) -> None:
    """If two hiding places are about equally near, both keep the place chosen before."""
    rocks = np.array([[5.0, 0.0, 0.0], [-5.0, 0.0, 0.0]])
    world, agents, [hide, _] = hiders(rocks=rocks).seen()
    memory = Hiding(np.array([row]))
    force, goal = hide.steer(world, agents, memory).force, hide.goal(world, agents, memory)
    assert np.sign(goal[0, 0]) == np.sign(rocks[row, 0])
    assert (force[0] + agents.mass * agents.velocity[0] / agents.vehicle.response_time) @ (goal - agents.position)[
        0
    ] > 0.0


def test_an_absent_obstacle_hides_nothing() -> None:
    place = hiders()
    missing = replace(place.obstacles, present=np.array([False, True]))
    world, agents, [hide, _] = replace(place, obstacles=missing).seen()
    goal = hide.goal(world, agents, Hiding.blank(1))
    other = hiders(rocks=ROCKS[1:]).seen()[0]
    assert np.isfinite(goal).all() and np.array_equal(goal, hide.goal(other, agents, Hiding.blank(1)))
