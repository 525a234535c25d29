"""Journeys: walkers find their ways past the obstacles between them and their goals."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.unaligned_collision_avoidance import UnalignedCollisionAvoidance
from steering_addon.locomotion import Planar
from steering_addon.simulation.arrays.vectors import unit
from steering_addon.simulation.geometry.obstacles import Obstacles, boxes, obstacles
from steering_addon.simulation.geometry.shapes import INSIDE
from steering_addon.simulation.run import simulate
from steering_addon.simulation.ways.detours import Travellers, ways_round
from steering_addon.simulation.ways.journeys import MOST, Courses, courses
from tests.sampling import sampled
from tests.scene import Scene, about, all_of, leaders, met_at_origins
from tests.simulation.ways.test_detours import travellers
from tests.simulation.ways.test_footprints import of
from tests.simulation.ways.test_roadmap import NOWHERE, shortest

RADIUS = 0.5
TOUCH = 0.02
"""Metres by which a walker that is pushed may come too near."""
WALKER = {"max_speed": 1.3, "max_force": 4.0, "keep_apart": True}
ARRIVED = 0.9
"""Metres from a goal within which a walker has arrived."""
nowhere = np.full((1, 3), np.nan)


def wall(x: float, y: float, half_x: float, half_y: float, z: float = 0.0) -> Obstacles:
    return boxes([[x, y, z]], [[half_x, half_y, 1.0]])


PENS = {
    "a wall with a wing": (wall(0.0, 0.0, 5.0, 0.2), wall(5.0, -3.0, 0.2, 3.0)),
    "a U": (wall(0.0, 0.0, 3.0, 0.2), wall(3.0, -2.5, 0.2, 2.5), wall(-3.0, -2.5, 0.2, 2.5)),
    "staggered walls": (wall(4.0, -2.0, 6.0, 0.2), wall(-4.0, 1.0, 6.0, 0.2)),
    "a room with a door aside": (
        wall(0.0, 1.0, 5.0, 0.2),
        wall(-5.0, -3.0, 0.2, 4.0),
        wall(5.0, -4.5, 0.2, 2.5),
        wall(0.0, -7.0, 5.0, 0.2),
    ),
    "round pillars side by side": tuple(
        obstacles([[x, 0.0, -1.0]], 0.6, [[x, 0.0, 1.0]]) for x in (-2.4, -1.2, 0.0, 1.2, 2.4)
    ),
}


def walk(things: Obstacles, goal=(0.5, 5.0), start=((0.0, -3.0),), seconds=40.0, braking=None) -> np.ndarray:
    """The positions of walkers until all have reached their goals, (frames, n, 2); one goal for all, or one each."""
    start = np.array([[*place, 0.0] for place in start])
    goal = np.broadcast_to(np.array(goal), (len(start), 2))
    target = {"target": len(start) + np.arange(len(start))}
    wants = (Arrival, target | {"slowing_distance": braking}) if braking else (Seek, target)
    place = Scene(
        start,
        speed=1.0,
        behaviors=[wants, (UnalignedCollisionAvoidance, {})],
        vehicle=WALKER,
        locomotions=[(Planar, {"max_turn_rate": 30.0})],
        tracked=leaders(*np.column_stack((goal, np.zeros(len(goal))))),
        obstacles=things,
        fps=10.0,
    )
    places, arrived = [], np.zeros(len(start), dtype=bool)
    for state in simulate(place.start(), [place.snapshot()] * int(10 * seconds)):
        places.append(state.motion.position[:, :2])
        arrived |= np.linalg.norm(places[-1] - goal, axis=1) < ARRIVED
        if arrived.all():
            break
    return np.array(places)


def nearest(places: np.ndarray, goal) -> float:
    """The smallest distance of each walker from its goal, the largest of all walkers, metres."""
    return float(np.linalg.norm(places - np.array(goal), axis=-1).min(axis=0).max())


def clear(places: np.ndarray, things: Obstacles) -> float:
    """The smallest distance of any body from any obstacle, metres."""
    flat = places.reshape(-1, 2)
    return float(things.clearance(np.column_stack((flat, np.zeros(len(flat))))).min() - RADIUS)


@sampled
@pytest.mark.parametrize("pen", PENS)
def test_a_walker_gets_out_and_past(pen: str) -> None:
    things = all_of(*PENS[pen])
    places = walk(things)
    assert nearest(places, (0.5, 5.0)) < ARRIVED
    assert clear(places, things) > -TOUCH


@sampled
@pytest.mark.parametrize("width", [1.1, 1.2])
def test_a_walker_alone_gets_round_the_bend_of_a_narrow_passage(width: float) -> None:
    """What is straight on behind the bend, hardly a step away, does not stop it."""
    half = 0.5 * width
    left, right = wall(-half - 0.2, half - 5.0, 0.2, 5.4), wall(5.0 + half, -5.0 - half, 5.0, 5.0)
    things = all_of(left, right, wall(5.0, half + 0.2, 5.4 + half, 0.2))
    places = walk(things, (8.0, 0.0), [(0.0, -6.0)], seconds=15.0)
    assert nearest(places, (8.0, 0.0)) < ARRIVED
    assert clear(places, things) > -TOUCH


@settings(max_examples=2, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-4.0, 4.0), st.floats(-3.0, 3.0), st.floats(0.2, 2.5), st.floats(0.2, 2.5)),
        min_size=2,
        max_size=5,
    )
)
def test_a_walker_with_a_way_arrives_without_a_contact(places) -> None:
    things = all_of(*(wall(*place) for place in places))
    start, goal = np.array([0.0, -8.0]), np.array([0.5, 8.0])
    length = shortest(of(things), start, goal)
    assume(np.isfinite(length))
    path = walk(things, goal, [start], seconds=length / 1.3 + 10.0)
    assert nearest(path, goal) < ARRIVED
    assert clear(path, things) > -TOUCH


def courses_of(things: Obstacles, most: int = MOST, **changes) -> Courses:
    """The courses of one agent of half a metre that goes 16 m along y."""
    traveller = Travellers(
        rows=np.array([0]),
        position=np.array([[0.0, -8.0, 0.0]]),
        radius=np.array([RADIUS]),
        stature=met_at_origins(1),
        direction=np.array([[0.0, 1.0, 0.0]]),
        goal=np.array([[0.0, 8.0, 0.0]]),
        ahead=np.array([np.inf]),
        side=np.array([0.0]),
        corner=NOWHERE,
    )
    return courses(things, replace(traveller, **changes), most)


def test_without_an_obstacle_between_the_direction_is_the_same() -> None:
    beside = wall(3.0, 0.0, 1.0, 1.0)
    assert courses_of(beside).direction.tolist() == [[0.0, 1.0, 0.0]]
    assert courses_of(obstacles(np.zeros((0, 3)), np.zeros(0))).direction.tolist() == [[0.0, 1.0, 0.0]]


def test_no_way_leads_round_the_room_that_an_agent_is_in() -> None:
    room = boxes([[0.0, 0.0, 0.0]], [[9.0, 9.0, 3.0]], side=np.full(1, INSIDE))
    assert courses_of(room).direction.tolist() == [[0.0, 1.0, 0.0]]
    assert courses_of(all_of(room, wall(0.2, 0.0, 2.0, 0.5))).direction.tolist() == [
        *courses_of(wall(0.2, 0.0, 2.0, 0.5)).direction.tolist()
    ]


@pytest.mark.parametrize("height", [-3.0, 3.0])
def test_obstacles_on_another_floor_are_not_in_the_way(height: float) -> None:
    assert courses_of(wall(0.2, 0.0, 2.0, 0.5, height)).direction.tolist() == [[0.0, 1.0, 0.0]]
    assert courses_of(wall(0.2, 0.0, 2.0, 0.5)).direction[0, 0] < 0.0


def test_a_box_and_its_pieces_are_passed_alike() -> None:
    whole = wall(0.5, 0.0, 3.0, 0.5)
    cut = all_of(*(wall(x, 0.0, 0.6, 0.5) for x in (-1.9, -0.9, 0.1, 1.1, 2.0, 2.9)))
    course, cut_course = courses_of(whole), courses_of(cut)
    assert course.direction == pytest.approx(cut_course.direction, abs=1e-9)
    assert course.corner == pytest.approx(cut_course.corner, abs=1e-9)


def test_an_agent_without_a_goal_passes_by_the_nearer_end() -> None:
    pen = all_of(*PENS["a U"])
    course = courses_of(pen, goal=nowhere)
    assert np.isnan(course.corner).all()


def test_an_agent_that_goes_away_from_its_goal_is_not_led_there() -> None:
    things = wall(0.0, 0.0, 3.0, 0.5)
    away = courses_of(things, direction=np.array([[0.0, -1.0, 0.0]]))
    assert away.direction.tolist() == [[0.0, -1.0, 0.0]]


def test_a_wish_that_misses_the_goal_is_turned_by_the_same_angle() -> None:
    things = wall(0.5, 0.0, 3.0, 0.5)
    beside = np.array([[np.sin(0.2), np.cos(0.2), 0.0]])
    straight, other = courses_of(things).direction[0], courses_of(things, direction=beside).direction[0]
    turn = np.arctan2(straight[0], straight[1]) - np.arctan2(other[0], other[1])
    assert turn == pytest.approx(-0.2)


def test_moving_obstacles_are_passed_as_they_are_at_the_moment() -> None:
    cart = boxes([[0.5, 0.0, 0.0]], [[2.0, 0.5, 1.0]], velocity=[[0.1, 0.0, 0.0]])
    course = courses_of(cart)
    assert np.isnan(course.corner).all()
    assert course.side.tolist() == [1.0]
    assert course.direction[0, 0] < 0.0


def test_a_moving_obstacle_is_passed_on_the_way_to_a_corner() -> None:
    standing = wall(0.5, 0.0, 3.0, 0.5)
    leg = courses_of(standing).direction[0]
    cart = boxes([[0.0, -8.0, 0.0] + 3.0 * leg], [[0.6, 0.3, 1.0]], velocity=[[0.1, 0.0, 0.0]])
    both = courses_of(all_of(standing, cart))
    assert both.side[0] != 0.0
    assert np.isfinite(both.corner).all()
    assert 0.05 < np.arccos(both.direction[0] @ leg) < 0.8


def test_agents_of_many_sizes_and_heights_take_the_same_courses_as_alone() -> None:
    things = all_of(*PENS["a U"], wall(0.0, 3.0, 2.0, 0.2, 2.0), obstacles([[1.0, 2.0, 0.4]], 0.7))
    chance = np.random.default_rng(2)
    n = 40
    goal = np.column_stack((chance.uniform(-4.0, 4.0, (n, 1)), np.full(n, 6.0), np.zeros(n)))
    position = np.column_stack((chance.uniform(-2.0, 2.0, (n, 1)), np.full(n, -1.5), chance.uniform(0.0, 2.0, n)))
    bound = (goal - position) * (1.0, 1.0, 0.0)
    travellers = Travellers(
        np.arange(n),
        position,
        chance.uniform(0.2, 0.6, n),
        met_at_origins(n),
        bound / np.linalg.norm(bound, axis=1)[:, None],
        goal,
        np.full(n, np.inf),
        np.zeros(n),
        np.full((n, 2), np.nan),
    )
    together = courses(things, travellers)
    assert (together.direction != travellers.direction).any()
    for row in range(n):
        alone = courses(things, travellers.take(np.array([row])))
        assert (alone.direction == together.direction[row]).all()


def test_the_way_turns_and_moves_with_the_scene() -> None:
    things = all_of(*PENS["a U"], *PENS["round pillars side by side"])
    inside = np.array([[0.3, -1.0, 0.0]])
    bound = np.array([[0.2, 8.0, 0.0]])
    whole = Scene(inside, obstacles=things, tracked=leaders(inside[0] + bound[0]))
    turn = about((0.0, 0.0, 1.0), 37.0)
    moved = whole.moved((3.0, 40.0, 0.0), turn)
    course, moved_course = (
        courses_of(
            scene.obstacles,
            position=scene.position,
            goal=scene.tracked.position,
            direction=unit(scene.tracked.position - scene.position),
        )
        for scene in (whole, moved)
    )
    assert np.isfinite(course.corner).all()
    assert moved_course.direction[0] == pytest.approx(turn @ course.direction[0], abs=1e-9)
    assert moved_course.further == pytest.approx(course.further, abs=1e-9)


def test_among_too_many_obstacles_the_nearer_end_is_passed_without_a_plan() -> None:
    pen = all_of(*PENS["a U"])
    assert np.isfinite(courses_of(pen).corner).all()
    course = courses_of(pen, len(pen) - 1)
    assert np.isnan(course.corner).all()
    assert course.further.tolist() == [1.0]
    start, ahead = np.array([[0.0, -8.0, 0.0]]), np.array([[0.0, 1.0, 0.0]])
    direction, side = ways_round(pen, travellers(start, ahead, np.array([16.0]), radius=RADIUS))
    assert np.array_equal(course.direction, direction)
    assert np.array_equal(course.side, side)
