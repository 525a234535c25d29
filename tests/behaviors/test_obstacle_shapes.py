"""Obstacle avoidance of boxes and meshes, and inside rooms."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.obstacle_avoidance import FIELD, SILHOUETTE, ObstacleAvoidance
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import Planar
from steering_addon.simulation.geometry.obstacles import LEFT, OVER, RIGHT, UNDER, boxes, obstacles
from steering_addon.simulation.geometry.shapes import INSIDE
from tests.behaviors.obstacle_courses import gaps, nearest
from tests.behaviors.situations import told
from tests.behaviors.test_obstacle_avoidance import facing
from tests.sampling import sampled
from tests.scene import PRIORITY, Scene, about, all_of, flat_or_free, positions
from tests.surfaces import ball, block, mesh_obstacles


def test_past_a_box_but_within_its_round_hull_it_goes_straight_on() -> None:
    beside = facing(boxes([[2.0, 9.0, 0.0]], [[1.0, 4.0, 4.0]]))
    assert (beside.steering()[0] == 0.0).all()
    assert (facing(boxes([[1.6, 9.0, 0.0]], [[1.0, 4.0, 4.0]])).steering()[0] != 0.0).any()


@sampled
@pytest.mark.parametrize(
    ("side", "way"), [(LEFT, (-1, 0, 0)), (RIGHT, (1, 0, 0)), (OVER, (0, 0, 1)), (UNDER, (0, 0, -1))]
)
def test_a_box_is_passed_on_the_side_it_asks_for(side: int, way: tuple) -> None:
    thing = boxes([[0.3, 6.0, 0.2]], [[1.5, 1.0, 1.5]], pass_side=np.array([side]))
    place = facing(thing)
    assert place.steering()[0][0] @ way > 0.1
    states = place.run(24 * 5)
    assert gaps(place, states).min() > 0.0
    beside = positions(states)[:, 0]
    assert beside[np.argmin(np.abs(beside[:, 1] - 6.0))] @ way > 1.5


def test_a_box_that_turns_and_moves_is_avoided_as_it_moves() -> None:
    """A bar across the way turns like a turnstile and drifts toward the vehicle."""
    bars = []
    for frame in range(24 * 7):
        turn = about((0.0, 0.0, 1.0), 1.5 * frame)
        bars.append(boxes([[0.2, 14.0 - 0.04 * frame, 0.0]], [[3.0, 0.3, 3.0]], turn.T))
    place = facing(bars[0], vehicle={"max_force": 20.0}, locomotions=[(Planar, {})])
    states = place.run(len(bars), at=lambda frame, snapshot: replace(snapshot, obstacles=bars[frame]))
    assert gaps(place, states).min() > 0.0
    assert (facing(bars[0], behaviors=[(Seek, {})]).obstacles.clearance(np.array([[0.0, 14.0, 0.0]])) < 0.0).all()


@sampled
@pytest.mark.parametrize("shape", ["box", "round"])
def test_vehicles_in_a_room_stay_in_it(shape: str) -> None:
    rng = np.random.default_rng(2)
    n = 12
    axes = about((0.3, 0.2, 1.0), 30.0)
    side = np.full(1, INSIDE)
    room = (
        boxes([[0.0, 0.0, 0.0]], [[9.0, 6.0, 5.0]], axes, side=side)
        if shape == "box"
        else obstacles([[-3.0, 0.0, 0.0]], 6.0, [[4.0, 0.0, 1.0]], side=side)
    )
    place = Scene(
        rng.uniform(-2.0, 2.0, (n, 3)),
        rng.normal(size=(n, 3)),
        (0.1, 0.2, 1.0),
        speed=rng.uniform(1.0, 5.0, n),
        behaviors=[(Wander, {}), (ObstacleAvoidance, {})],
        vehicle={"radius": 0.4, "max_speed": 5.0, "max_force": 12.0},
        combining=PRIORITY,
        obstacles=room,
    )
    assert nearest(place, 6.0).min() > 0.0
    heedless = replace(place, behaviors=place.behaviors[:1])
    assert (nearest(heedless, 6.0) < 0.0).mean() > 0.5


def test_a_mesh_is_passed_by_its_outline_on_the_nearer_side() -> None:
    """A wide wall whose left end is near; along its surface both ways would be equal."""
    wall = mesh_obstacles([block((8.0, 0.3, 4.0))], [[6.0, 5.0, 0.0]])
    for plane in (False, True):
        place = facing(wall, behaviors=[(ObstacleAvoidance, {"method": SILHOUETTE})], locomotions=flat_or_free(plane))
        assert place.steering()[0][0, 0] < -0.5
        states = place.run(24 * 4)
        assert gaps(place, states).min() > 0.0
        assert positions(states)[-1, 0, 1] > 8.0


@pytest.mark.parametrize("thing", ["ball", "mesh"])
@pytest.mark.parametrize(("x", "max_force", "side"), [(1.0, 1.0, -1.0), (1.0, 50.0, 1.0), (0.3, 1.0, 1.0)])
def test_the_side_to_which_an_agent_is_led_counts_unless_the_turn_is_too_hard(
    thing: str, x: float, max_force: float, side: float
) -> None:
    """Without being led it passes on the left what stands to its right; the other way is 1.4 or 3 times as hard."""
    middle = [[x, 6.0, 0.0]]
    things = obstacles(middle, 1.0) if thing == "ball" else mesh_obstacles([ball(1.0, 24)], middle)
    world, agents, [avoiding] = facing(things, vehicle={"max_force": max_force}, locomotions=[(Planar, {})]).seen()
    assert avoiding.steer(world, agents, None).force[0, 0] < 0.0
    led = told(agents, passing_places=np.array([[[x + 1.7, 6.0, 0.0]]]))
    assert np.sign(avoiding.steer(world, led, None).force[0, 0]) == side


@pytest.mark.parametrize("thing", ["ball", "box", "mesh"])
@pytest.mark.parametrize(("speed", "side"), [(0.2, 1.0), (1.5, -1.0)])
def test_one_that_stands_before_an_obstacle_turns_to_its_way_however_far_behind_that_lies(
    thing: str, speed: float, side: float
) -> None:
    """Its way leads back past the obstacle, on the side of its middle: a turn that it can only make before it goes."""
    middle = [[0.95, 1.73 if thing == "box" else 1.53, 0.0]]
    kinds = {"ball": obstacles, "box": boxes, "mesh": lambda at, size: mesh_obstacles([ball(size, 24)], at)}
    things = kinds[thing](middle, [[1.0, 1.0, 1.0]] if thing == "box" else 1.0)
    strength = {"max_force": 0.2}
    place = facing(things, speed=speed, vehicle=strength, locomotions=[(Planar, {})])
    world, agents, [avoiding] = place.seen()
    assert avoiding.steer(world, agents, None).force[0, 0] < 0.0, "the nearer side"
    back = np.array([[[1.0, -0.4, 0.0], [2.7, 0.5, 0.0], [3.0, 1.5, 0.0]]])
    led = told(agents, passing_places=back)
    assert np.sign(avoiding.steer(world, led, None).force[0, 0]) == side


def test_the_wider_its_turns_the_further_away_it_sees_a_wall() -> None:
    """Far walls are not looked at; what is far follows from the room that its turn takes."""
    wall = boxes([[0.0, 42.0, 0.0]], [[4.0, 0.2, 4.0]])
    for max_force, turns in ((0.5, True), (2.0, False)):
        place = facing(
            wall, behaviors=[(ObstacleAvoidance, {"look_ahead_time": 0.1})], vehicle={"max_force": max_force}
        )
        assert place.steering()[0].any() == turns


def test_a_force_field_pushes_vehicles_nearby_whatever_their_heading() -> None:
    field = [(ObstacleAvoidance, {"method": FIELD, "field_distance": 3.0})]
    thing = all_of(obstacles([[2.5, 0.0, 0.0]], 1.0), boxes([[-30.0, 0.0, 0.0]], [[1.0, 1.0, 1.0]]))
    for heading in ((0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (-1.0, 0.0, 0.0)):
        push = facing(thing, behaviors=field, forward=heading).steering()[0][0]
        assert push[0] < -0.1 and np.abs(push[1:]).max() < 1e-9
    pushes = [
        facing(thing, behaviors=field, position=[[x, 0.0, 0.0]]).steering()[0][0, 0] for x in (0.7, 0.0, -1.0, -3.0)
    ]
    assert pushes == sorted(pushes) and pushes[0] < -1.0 and pushes[-1] == 0.0
    room = boxes([[0.0, 0.0, 0.0]], [[2.0, 9.0, 9.0]], side=np.full(1, INSIDE))
    assert facing(room, behaviors=field, position=[[1.0, 0.0, 0.0]]).steering()[0][0, 0] < -0.1


def test_a_force_field_is_at_most_as_strong_as_the_vehicle() -> None:
    crowd = all_of(*[obstacles([[0.6, y, 0.0]], 0.5) for y in (-0.4, 0.0, 0.4)])
    place = facing(crowd, behaviors=[(ObstacleAvoidance, {"method": FIELD})], vehicle={"max_force": 7.0})
    assert np.linalg.norm(place.steering()[0]) <= 7.0 + 1e-9
