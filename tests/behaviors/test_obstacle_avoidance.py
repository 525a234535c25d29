"""Obstacle avoidance (paper, Obstacle Avoidance): goes round obstacles ahead, and does nothing else."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.obstacle_avoidance import METHODS, ObstacleAvoidance
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import OnFoot, Planar, Wheeled
from steering_addon.simulation.declaration import number_of
from steering_addon.simulation.geometry.obstacles import LEFT, RIGHT, Obstacles, boxes, obstacles
from tests.behaviors.obstacle_courses import box, course, describe, gaps, mesh_of_triangles, nearest, pylon
from tests.sampling import sampled
from tests.scene import PRIORITY, Scene, all_of, leaders, positions, speeds

NORTH = (0.0, 1.0, 0.0)


def facing(things: Obstacles, **changes) -> Scene:
    """A vehicle at the origin that goes north at 4 m/s and avoids the obstacles."""
    given = {"position": [[0.0, 0.0, 0.0]], "speed": 4.0, "behaviors": [(ObstacleAvoidance, {})], "obstacles": things}
    return Scene(**(given | changes))


def ball(x: float, y: float, z: float = 0.0, radius: float = 1.0, **more) -> Obstacles:
    return obstacles([[x, y, z]], radius, **more)


def force(things: Obstacles, **changes) -> np.ndarray:
    return facing(things, **changes).steering()[0][0]


def test_who_stands_before_an_obstacle_sets_off_to_a_goal_beyond_it() -> None:
    """Where the first that applies is followed, a turn that is too weak to set off for would keep it there."""
    starts = [(aside, turn) for aside in (-1.2, -0.8, 0.4, 0.8, 1.2) for turn in np.radians([-25.0, 5.0, 20.0])]
    n = len(starts)
    east = np.array([[100.0, 0.0, 0.0]]) * np.arange(n)[:, None]
    walkers = Scene(
        east + np.array([[aside, 0.0, 0.0] for aside, _ in starts]),
        forward=[[np.sin(turn), np.cos(turn), 0.0] for _, turn in starts],
        speed=0.0,
        behaviors=[(ObstacleAvoidance, {"clearance": 0.3}), (Arrival, {"target": n + np.arange(n)})],
        vehicle={"max_speed": 1.9, "cruise_speed": 0.7, "max_force": 2.0, "radius": 0.25},
        locomotions=[(OnFoot, {"turn_radius": 3.0})],
        combining=PRIORITY,
        tracked=leaders(*(east + np.array([0.0, 12.0, 0.0]))),
        obstacles=obstacles(east + np.array([0.0, 2.5, 0.0]), np.ones(n)),
    )
    way = positions(walkers.run(24 * 3))
    assert (np.linalg.norm(way[-1] - way[0], axis=1) > 0.5).all()


def test_a_herd_that_is_held_up_at_a_gate_uses_all_of_its_width() -> None:
    """Two clearances of 1.2 m would leave a gate of 3.2 m no more room than for one after the other."""
    rng = np.random.default_rng(1)
    n = 8
    fence = boxes([(-11.6, 0.0, 0.0), (11.6, 0.0, 0.0)], [(10.0, 0.1, 1.8)] * 2)
    herd = Scene(
        np.column_stack((rng.uniform(-5.0, 5.0, n), -4.0 - 2.0 * np.arange(n) // 4, np.zeros(n))),
        forward=NORTH,
        speed=1.0,
        behaviors=[(ObstacleAvoidance, {"clearance": 1.2}), (Seek, {"target": np.full(n, n)})],
        vehicle={
            "max_speed": 4.0,
            "cruise_speed": 0.2,
            "max_force": 2.0,
            "radius": 0.3,
            "length": 1.8,
            "keep_apart": True,
        },
        locomotions=[(OnFoot, {"turn_radius": 2.0, "turn_on_the_spot": 0.0})],
        tracked=leaders((0.0, 20.0, 0.0)),
        obstacles=fence,
        fps=12,
    )
    states = herd.run_until_each(lambda state: state.motion.position[:, 1] > 0.0, 12 * 12)
    assert (positions(states)[:, :, 1] > 0.0).any(axis=0).all()


def test_it_does_nothing_about_obstacles_that_are_not_ahead() -> None:
    for thing in (ball(0.2, -5.0), ball(3.0, 0.0), ball(-2.0, 5.0), ball(0.0, 5.0, 2.0), ball(0.3, 60.0)):
        assert (force(thing) == 0.0).all(), describe(thing)


def test_it_turns_away_from_the_obstacles_centre_across_its_course() -> None:
    """The paper: negate the side-up projection of the obstacle's centre."""
    for x, z in ((0.5, 0.0), (-0.5, 0.0), (0.0, 0.4), (0.3, -0.6)):
        steering = force(ball(x, 6.0, z))
        away = -np.array([x, 0.0, z]) / np.hypot(x, z)
        assert steering[[0, 2]] @ away[[0, 2]] > 0.1
        assert np.allclose(steering[[0, 2]], (steering @ away) * away[[0, 2]])
        assert steering[1] <= 0.0, "it may brake, but does not speed up"


def test_dead_ahead_it_chooses_a_side() -> None:
    assert abs(force(ball(0.0, 6.0))[0]) > 0.1
    assert nearest(facing(ball(0.0, 8.0)), 5.0) > 0.0


def test_the_obstacle_that_it_would_meet_first_counts() -> None:
    """Figure 7: A is not in the cylinder; B is met before C, so that the corrective steering is to the left."""
    a, b, c = [-3.0, 3.0, 0.0], [0.6, 4.5, 0.0], [-0.6, 6.5, 0.0]
    together = force(obstacles([a, b, c], 1.0))
    assert together[0] < 0.0
    assert np.array_equal(together[[0, 2]], force(obstacles([c, a, b], 1.0))[[0, 2]]), "in any order"
    assert force(obstacles([a, c], 1.0))[0] > 0.0


def test_the_mountain_beyond_the_airport_is_ignored() -> None:
    mountain = ball(0.3, 10.0, radius=4.0)
    place = facing(mountain, behaviors=[(Arrival, {}), (ObstacleAvoidance, {})])
    before = replace(place, tracked=leaders([0.0, 4.0, 0.0]))
    behind = replace(place, tracked=leaders([0.0, 20.0, 0.0]))
    assert (before.steering()[1] == 0.0).all()
    assert (behind.steering()[1] != 0.0).any()
    assert nearest(replace(before, combining=PRIORITY), 10.0) > 0.0, "and it hits nothing"


def test_a_goal_without_weight_does_not_count() -> None:
    place = facing(ball(0.3, 6.0), tracked=leaders([0.0, 3.0, 0.0]))
    for weight, avoided in ((0.0, True), (1.0, False)):
        seeking = replace(place, behaviors=[(Seek, {"weight": weight}), (ObstacleAvoidance, {})])
        assert (seeking.steering()[1] != 0.0).any() == avoided


def test_a_faster_vehicle_looks_further_ahead() -> None:
    furthest = {}
    for speed in (1.0, 2.0, 4.0):
        distances = np.arange(2.0, 30.0, 0.25)
        furthest[speed] = max(d for d in distances if (force(ball(0.3, d), speed=speed) != 0.0).any())
    assert furthest[1.0] < furthest[2.0] < furthest[4.0]
    time = ObstacleAvoidance.parameters()["look_ahead_time"].default
    assert furthest[4.0] == pytest.approx(4.0 * time + 1.7, abs=0.5), "and the size of the obstacle"


def test_an_obstacle_that_comes_into_sight_sets_in_gently() -> None:
    pushes = np.array([np.linalg.norm(force(ball(0.3, d))) for d in np.arange(12.0, 3.5, -0.05)])
    assert pushes[0] == 0.0
    assert pushes.max() > 1.0
    assert np.diff(pushes).max() < 0.3, "newtons for five centimetres"


def test_an_obstacle_that_a_vehicle_carries_is_not_in_its_own_way() -> None:
    mast = ball(0.2, 2.0, carrier=np.array([0]))
    place = facing(mast, position=[[0.0, 0.0, 0.0], [0.3, 12.0, 0.0]], forward=[NORTH, (0.0, -1.0, 0.0)])
    carrier, other = place.steering()[0]
    assert (carrier == 0.0).all()
    assert (other != 0.0).any(), "but in the way of another"


def test_a_balloon_that_crosses_is_missed() -> None:
    """By the relative velocity: its future position counts, not the present one."""
    seconds, wind = (each.ravel() for each in np.meshgrid([1.5, 2.0, 3.0], [-2.0, 2.0, 3.5]))
    starts = 300.0 * np.arange(len(wind))[:, None] * [1.0, 0.0, 0.0]
    velocity = wind[:, None] * [1.0, 0.0, 0.0]
    meeting = starts + seconds[:, None] * [0.0, 4.0, 0.0]
    crossing = facing(obstacles(meeting - velocity * seconds[:, None], 1.0, velocity=velocity), position=starts)
    assert (nearest(replace(crossing, behaviors=[]), 6.0) < 0.0).all(), "no vehicle has to steer"
    assert (nearest(crossing, 6.0) > 0.0).all()


def test_it_does_nothing_about_a_balloon_that_will_be_gone() -> None:
    assert (force(ball(0.5, 8.0, velocity=[[4.0, 0.0, 0.0]])) == 0.0).all()


def test_it_does_nothing_about_an_obstacle_ahead_with_its_velocity() -> None:
    assert (force(ball(0.1, 5.0, velocity=[[0.0, 4.0, 0.0]])) == 0.0).all()


def test_a_vehicle_at_rest_dodges_only_what_it_faces() -> None:
    assert (force(ball(3.0, 3.0), speed=0.0) == 0.0).all()


def test_what_drives_starts_as_fast_as_it_can_stop_before_what_is_ahead() -> None:
    """At its usual speed it would be through a shelf before it could turn."""
    shelf = boxes([(6.0, 0.0, 0.0)], [(0.5, 6.0, 2.0)])
    cars = facing(shelf, position=[[0.0, 0.0, 0.0], [0.0, 20.0, 0.0]], forward=(1.0, 0.0, 0.0), speed=12.0)
    cars.vehicle, cars.locomotions = {"max_speed": 16.0, "max_force": 4.0, "radius": 0.9}, [(Wheeled, {})]
    near, far = speeds(cars.run(1))[0]
    assert 0.5 < near < 5.0 and far == pytest.approx(12.0)


def test_a_pylon_is_in_the_way_along_its_whole_length() -> None:
    pylon = obstacles([[0.4, 6.0, -20.0]], 1.0, [[0.4, 6.0, 20.0]])
    steering = force(pylon)
    assert steering[0] < -0.1
    assert abs(steering[2]) < 1e-9, "it cannot be passed above nearby"
    assert (force(obstacles([[0.4, 6.0, 3.0]], 1.0, [[0.4, 6.0, 20.0]])) == 0.0).all(), "it begins higher up"


@sampled
@pytest.mark.parametrize(("side", "sign"), [(LEFT, -1), (RIGHT, 1)])
def test_a_pylon_too_is_passed_on_the_side_that_is_asked_for(side: int, sign: int) -> None:
    place = facing(
        obstacles([[0.0, 12.0, -9.0]], 1.0, [[0.0, 12.0, 9.0]], pass_side=np.array([side])),
        position=[[x, 0.0, 0.0] for x in (-1.0, 0.0, 1.0)],
        behaviors=[(Seek, {}), (ObstacleAvoidance, {})],
        locomotions=[(Planar, {})],
        tracked=leaders([0.0, 30.0, 0.0]),
        combining=PRIORITY,
    )
    states = place.run(24 * 3)
    assert gaps(place, states).min() > 0.0
    path = positions(states)
    beside = np.abs(path[..., 1] - 12.0) < 0.3
    assert beside.any(axis=0).all()
    assert (sign * path[beside][:, 0] > 1.0).all()


def test_on_the_ground_it_stays_on_the_ground() -> None:
    assert force(ball(0.3, 6.0, -0.5), locomotions=[(Planar, {})])[2] == 0.0


def test_on_the_ground_only_the_section_of_a_ball_is_in_the_way() -> None:
    """Ball, vehicle and clearance have a radius of 1.7 together; 0.9 from the middle the section is a smaller disc."""
    ground = [(Planar, {})]
    slice_radius = np.sqrt(1.7**2 - 0.9**2)
    assert (force(ball(slice_radius + 0.05, 6.0, 0.9), locomotions=ground) == 0.0).all()
    assert (force(ball(slice_radius - 0.05, 6.0, 0.9), locomotions=ground) != 0.0).any()


@sampled(one_of=9)
@pytest.mark.parametrize("plane", [False, True])
@pytest.mark.parametrize(
    ("goal", "scenes", "made", "method"),
    [
        *((goal, 20, pylon, "TURN") for goal in ("arrival", "seek", "wander")),
        *(("path_following", 4, pylon, "TURN"), ("arrival", 6, box, "TURN"), ("wander", 5, box, "TURN")),
        *(("arrival", 1, mesh_of_triangles, method) for method in ("TURN", "SILHOUETTE")),
    ],
)
def test_no_vehicle_enters_an_obstacle_on_the_way(goal: str, scenes: int, made: Any, method: str, plane: bool) -> None:
    """Many scenes in one, each with three vehicles among seven obstacles."""
    crowded = course(goal, scenes, made, plane=plane)
    leads = crowded.behaviors[0]
    crowded = replace(crowded, behaviors=[leads, (ObstacleAvoidance, {"method": number_of(METHODS, method)})])
    gap = nearest(crowded, 2.5)
    assert gap.min() > 0.0, f"vehicles {np.flatnonzero(gap <= 0.0)}"
    if goal == "seek":
        assert (nearest(replace(crowded, behaviors=[leads]), 2.0) < 0.0).mean() > 0.5, "nothing was in their way"


def test_round_obstacles_far_away_do_not_make_boxes_round() -> None:
    """A wall beside the course does not count, although the ball round it would."""
    wall, far = boxes([[3.0, 10.0, 0.0]], [[0.1, 20.0, 1.0]]), ball(80.0, 0.0)
    assert (force(wall) == 0.0).all()
    assert (force(all_of(wall, far)) == 0.0).all()
    ahead = boxes([[0.4, 5.0, 0.0]], [[1.0, 0.5, 1.0]])
    assert (force(all_of(ahead, far)) == force(ahead)).all()
