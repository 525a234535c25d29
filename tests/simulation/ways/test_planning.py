"""Planning: agents on the ground with a goal go past standing obstacles, whatever behavior avoids them."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.unaligned_collision_avoidance import METHODS, UnalignedCollisionAvoidance
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import Planar, SimpleVehicle
from steering_addon.simulation.arrays.vectors import columns
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.declaration import number_of
from steering_addon.simulation.geometry.obstacles import Obstacles, boxes
from steering_addon.simulation.maneuvers.chasing import CURRENT_SPEED
from steering_addon.simulation.snapshot import State
from steering_addon.simulation.ways.planning import Planned, planned_course
from tests.sampling import sampled
from tests.scene import Scene, all_of, leaders, positions

GOAL = np.array([0.0, 16.0, 0.0])
WALKER = {"max_speed": 1.3, "max_force": 4.0, "response_time": 0.35, "radius": 0.3}
OTHER_WAYS = [way for way in COMBININGS if way.name != "NORMALIZED_SUM"]


def dead_end() -> Obstacles:
    """A wall across the way, with a wing toward the walkers at either end."""
    wall = boxes([[0.0, 8.0, 0.0]], [[4.0, 0.3, 2.0]])
    return all_of(wall, boxes([[-4.0, 6.0, 0.0], [4.0, 6.0, 0.0]], [[0.3, 2.0, 2.0]] * 2))


def walkers(behaviors, **changes) -> Scene:
    return Scene(
        [[0.3, 0.0, 0.0], [1.5, -1.0, 0.0]],
        behaviors=behaviors,
        vehicle=WALKER,
        locomotions=[(Planar, {})],
        tracked=leaders(GOAL),
        obstacles=dead_end(),
        **changes,
    )


def have_arrived(states: list[State]) -> bool:
    return bool(np.linalg.norm(states[-1].motion.position - GOAL, axis=1).max() < 0.9)


@sampled(one_of=9)
@pytest.mark.parametrize("combining", OTHER_WAYS, ids=lambda way: way.name)
def test_walkers_come_out_of_a_dead_end_in_every_way_to_combine(combining) -> None:
    """Except with normalized directions, where the push into the dead end is as strong as the push out of it."""
    place = walkers([(Arrival, {}), (ObstacleAvoidance, {})], combining=combining.number)
    path = positions(replace(place, fps=12.0).run_until(have_arrived, 12 * 45))
    assert np.linalg.norm(path[-1] - GOAL, axis=1).max() < 1.0, "they have arrived"
    assert min(place.obstacles.clearance(row).min() for row in path[::4]) > 0.0


@pytest.mark.parametrize(
    ("behaviors", "moves"),
    [
        ([(Seek, {})], Planar),
        ([(Seek, {}), (ObstacleAvoidance, {"weight": 0.0})], Planar),
        ([(Wander, {}), (ObstacleAvoidance, {})], Planar),
        ([(Seek, {}), (ObstacleAvoidance, {})], SimpleVehicle),
    ],
    ids=["nothing avoids", "what avoids has no weight", "no goal", "flying"],
)
def test_nothing_is_planned(behaviors, moves) -> None:
    place = replace(walkers(behaviors), locomotions=[(moves, {})])
    memory = place.run(3)[-1].memories.get("ways", Planned.blank(2))
    assert not memory.planned.any()


@pytest.mark.parametrize("method", ["", "VELOCITY"], ids=["turns", "chooses a velocity"])
def test_a_weak_walker_keeps_its_pace_along_a_wall_before_its_goal(method) -> None:
    """Its strength limits how it turns to the way along the wall: it is not to turn to the goal beyond. And although
    the way is longer than the straight line, it is no reason to run."""
    chooses = [(UnalignedCollisionAvoidance, {"method": number_of(METHODS, method)})] if method else []
    weak = Scene(
        [[4.0, 6.5, 0.0]],
        forward=[[1.0, 0.0, 0.0]],
        speed=1.2,
        behaviors=[(Seek, {"pace": CURRENT_SPEED}), (ObstacleAvoidance, {}), *chooses],
        vehicle=WALKER | {"max_force": 1.0, "max_speed": 2.0, "cruise_speed": 0.6, "keep_apart": True},
        locomotions=[(Planar, {})],
        tracked=leaders(np.array([20.0, 40.0, 0.0])),
        obstacles=boxes([[0.0, 8.0, 0.0]], [[20.0, 0.3, 2.0]]),
        fps=12.0,
    )
    path = positions(weak.run(36))[:, 0]
    assert np.linalg.norm(np.diff(path, axis=0), axis=1) * weak.fps == pytest.approx(1.2, rel=0.03)
    assert (path[:, 1] > 6.4).all(), "along the wall, not out from it"


def test_between_two_plans_the_course_keeps_its_angle_to_the_wish() -> None:
    """However the wish turns; and it keeps the factor of its speed."""
    world, agents, _ = walkers([(Seek, {}), (ObstacleAvoidance, {})]).seen()
    every_agent, no_agent = np.ones(2, dtype=bool), np.zeros(2, dtype=bool)
    wish, top = columns(np.zeros(2), np.full(2, 0.5), 0.0), agents.max_speed
    course, memory = planned_course(world, agents, wish, top, every_agent, every_agent, every_agent, Planned.blank(2))
    assert (np.abs(course[:, 0]) > 0.1).all(), "round an end"
    assert np.linalg.norm(course, axis=1) == pytest.approx(0.5 * memory.further)
    later, kept = planned_course(world, agents, wish, top, every_agent, every_agent, no_agent, memory)
    assert np.allclose(later, course)
    turned, _ = planned_course(
        world, agents, columns(-wish[:, 1], wish[:, 0], 0.0), top, every_agent, every_agent, no_agent, memory
    )
    assert np.allclose(turned, columns(-course[:, 1], course[:, 0], 0.0))
    assert kept is memory


def test_a_course_at_an_angle_is_kept_between_plans_also_at_the_wished_speed() -> None:
    world, agents, _ = walkers([(Seek, {}), (ObstacleAvoidance, {})]).seen()
    every_agent, no_agent = np.ones(2, dtype=bool), np.zeros(2, dtype=bool)
    wish = columns(np.zeros(2), np.full(2, 0.5), 0.0)
    angles = {"cosine": np.array([0.0, -1.0]), "sine": np.array([1.0, 0.0])}
    memory = replace(Planned.blank(2), planned=every_agent, **angles)
    course, _ = planned_course(world, agents, wish, agents.max_speed, every_agent, every_agent, no_agent, memory)
    assert np.allclose(course, [[-0.5, 0.0, 0.0], [0.0, -0.5, 0.0]])


def test_agents_that_do_not_travel_keep_their_wish_to_the_last_bit() -> None:
    world, agents, _ = walkers([(Seek, {}), (ObstacleAvoidance, {})]).seen()
    wish, first = np.array([[0.1, 0.7, 0.0], [0.3, 0.4, 0.0]]), np.array([True, False])
    course, _ = planned_course(world, agents, wish, agents.max_speed, first, first, first, Planned.blank(2))
    assert course[1].tobytes() == wish[1].tobytes()
    assert not np.allclose(course[0], wish[0])


def test_an_absent_obstacle_keeps_no_agent_from_planning_past_the_others() -> None:
    place = walkers([(Seek, {}), (ObstacleAvoidance, {})])
    absent = replace(boxes([[50.0, 0.0, 0.0]], [[1.0, 1.0, 1.0]]), present=np.array([False]))
    memory = replace(place, obstacles=all_of(place.obstacles, absent)).run(3)[-1].memories["ways"]
    assert memory.planned.all()
