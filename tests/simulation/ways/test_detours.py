"""Detours round obstacles on the ground."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.unaligned_collision_avoidance import UnalignedCollisionAvoidance
from steering_addon.locomotion import Planar
from steering_addon.simulation.geometry.obstacles import Obstacles, boxes, obstacles
from steering_addon.simulation.geometry.shapes import INSIDE
from steering_addon.simulation.ways.detours import MARGIN, Travellers, _turns, outlines, ways_round
from steering_addon.simulation.ways.footprints import footprints
from steering_addon.simulation.ways.journeys import Net
from tests.sampling import sampled
from tests.scene import Scene, about, all_of, leaders, met_at_origins, positions, velocities


def travellers(
    position: np.ndarray, direction: np.ndarray, ahead: np.ndarray, before: float = 0.0, radius: float = 0.5
) -> Travellers:
    """Travellers who look straight ahead up to some distances, (n,) metres."""
    n = len(position)
    body, goal = (np.full(n, radius), met_at_origins(n)), np.full((n, 3), np.nan)
    return Travellers(np.arange(n), position, *body, direction, goal, ahead, np.full(n, before), goal[:, :2])


def way(things: Obstacles, before: float = 0.0) -> tuple[list[float], float]:
    """The direction and the side for an agent of half a metre that goes 16 m along y."""
    point, direction = np.array([[0.0, -8.0, 0.0]]), np.array([[0.0, 1.0, 0.0]])
    course, side = ways_round(things, travellers(point, direction, np.array([16.0]), before))
    return course[0].tolist(), float(side[0])


HARMLESS = {
    "nothing": obstacles(np.zeros((0, 3)), np.zeros(0)),
    "a block beside the way": boxes([[3.0, 0.0, 0.0]], [[1.0, 1.0, 1.0]]),
    "a block behind the goal": boxes([[0.0, 11.0, 0.0]], [[1.0, 1.0, 1.0]]),
    "a block above": boxes([[0.0, 0.0, 5.0]], [[2.0, 0.5, 1.0]]),
    "a block below": boxes([[0.0, 0.0, -5.0]], [[2.0, 0.5, 1.0]]),
    "the walls of a room": boxes([[0.0, 0.0, 0.0]], [[9.0, 5.0, 3.0]], side=np.array([INSIDE])),
}


@pytest.mark.parametrize("things", HARMLESS.values(), ids=HARMLESS)
def test_where_nothing_is_in_the_way_the_direction_is_the_same(things: Obstacles) -> None:
    assert way(things)[0] == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("shift", [-0.8, 0.8])
def test_an_obstacle_is_passed_by_the_nearer_end(shift: float) -> None:
    direction, side = way(boxes([[shift, 0.0, 0.0]], [[2.0, 0.5, 1.0]]))
    assert np.sign(direction[0]) == -np.sign(shift)
    assert side == -np.sign(direction[0])
    corner = np.array([-np.sign(shift) * (1.2 + 0.5 + MARGIN), -0.5 - 0.5 - MARGIN + 8.0, 0.0])
    assert direction == pytest.approx(corner / np.linalg.norm(corner), abs=0.02)


def test_an_agent_on_its_way_round_keeps_its_side() -> None:
    wall = boxes([[0.05, 0.0, 0.0]], [[2.0, 0.5, 1.0]])
    assert way(wall)[1] == 1.0
    assert way(wall, before=-1.0)[1] == -1.0


def test_a_side_that_is_walled_up_is_not_taken() -> None:
    walls = boxes([[0.5, 0.0, 0.0], [-4.5, 0.0, 0.0]], [[2.0, 0.5, 1.0], [3.0, 0.5, 1.0]])
    assert way(walls)[0][0] > 0.0


@pytest.mark.parametrize("side", [1.0, -1.0])
@given(
    degrees=st.floats(0.0, 360.0),
    half=st.tuples(st.floats(0.1, 4.0), st.floats(0.1, 4.0)),
    away=st.floats(0.01, 8.0),
    aside=st.floats(-1.0, 1.0),
)
def test_tangents_touch_the_outline(
    side: float, degrees: float, half: tuple[float, float], away: float, aside: float
) -> None:
    axes = about((0.0, 0.0, 1.0), degrees).T[None]
    size = np.hypot(*half)
    point = np.array([[aside * size, -(size + 0.5 + away), 0.0]])
    ahead = -point / np.linalg.norm(point)
    for things in (boxes([[0.0, 0.0, 0.0]], [[*half, 1.0]], axes), obstacles([[0.0, 0.0, 0.0]], size)):
        tangents = outlines(things, np.array([0]), np.array([0.5])).tangents(point, ahead, side)
        course = point + tangents.direction * np.linspace(0.0, 2.0, 401)[:, None] * tangents.length
        off = things.clearance(course)[:, 0]
        assert off.min() == pytest.approx(0.5, abs=1e-3)
        assert off[200] == pytest.approx(off.min(), abs=1e-3)
        assert side * np.cross(ahead[0], tangents.direction[0])[2] > 0.0


@sampled(one_of=9)
@pytest.mark.parametrize("aim", [(1.0, 1.0), (0.2, 1.0), (1.0, 0.3), (-0.6, 1.0)])
def test_an_agent_that_passes_a_block_does_not_turn_back_at_its_corners(aim: tuple[float, float]) -> None:
    """Not even where the goal is just behind the block and both ways are of the same length."""
    goal = 4.0 * np.array([*aim, 0.0])
    place = Scene(
        [-goal + (0.01, 0.0, 0.0)],
        forward=[goal / np.linalg.norm(goal)],
        speed=1.0,
        behaviors=[(Seek, {"target": np.array([1])}), (UnalignedCollisionAvoidance, {})],
        vehicle={"max_speed": 1.3, "max_force": 4.0, "keep_apart": True},
        locomotions=[(Planar, {"max_turn_rate": 30.0})],
        tracked=leaders(goal),
        obstacles=boxes([[0.0, 0.0, 0.0]], [[1.0, 1.0, 1.0]]),
    )
    states = place.run(24 * 14)
    gap = np.linalg.norm(positions(states)[:, 0] - goal, axis=1)
    arrived = int(np.argmax(gap < 0.6))
    assert arrived > 0
    heading = np.unwrap(np.arctan2(*velocities(states)[:arrived, 0, :2].T))
    assert np.degrees(np.abs(np.diff(heading)).sum()) < 270.0
    assert place.obstacles.clearance(positions(states)[:, 0]).min() > 0.5 - 0.03


@pytest.mark.parametrize("reach", [0.3, 0.0])
def test_an_agent_nearer_than_its_radius_goes_along_the_obstacle(reach: float) -> None:
    """It was pushed to it; a point behind it is not aimed at."""
    wall = boxes([[0.0, 0.0, 0.0]], [[2.0, 0.5, 1.0]])
    point, ahead = np.array([[0.0, -0.5 - reach, 0.0]]), np.array([[0.0, 1.0, 0.0]])
    course, _ = ways_round(wall, travellers(point, ahead, np.array([6.0])))
    assert np.abs(course[0]) == pytest.approx([1.0, 0.0, 0.0], abs=1e-9)


@given(st.floats(0.1, 50.0), st.floats(-3.1, 3.1))
def test_the_turn_to_a_way_is_that_of_its_direction(length: float, angle: float) -> None:
    """Positive to the left, and the larger the further it is from straight ahead, however long the way is."""
    ahead = np.array([[0.6, 0.8, 0.0]])
    way = length * np.array([[[0.6 * np.cos(angle) - 0.8 * np.sin(angle), 0.8 * np.cos(angle) + 0.6 * np.sin(angle)]]])
    assert _turns(way, ahead)[0, 0] == pytest.approx(np.copysign(1.0 - np.cos(angle), angle), abs=1e-9)


@given(st.floats(0.0, 180.0), st.tuples(st.floats(0.2, 3.0), st.floats(0.2, 3.0)), st.floats(-1.0, 1.0))
def test_a_box_is_passed_on_the_side_of_the_shorter_way(degrees: float, half: tuple[float, float], x: float) -> None:
    """From 8 m before it to 8 m behind it, as measured along its grown outline."""
    thing = boxes([[x, 0.0, 0.0]], [[*half, 1.0]], about((0.0, 0.0, 1.0), degrees).T[None])
    net = Net(footprints(thing, np.zeros(1), 0.5))
    start, goal = np.array([[0.0, -8.0]]), np.array([[0.0, 8.0]])
    if not net.footprints.crossed(start, goal)[0]:
        return
    seen = np.flatnonzero(~net.footprints.crossed(np.repeat(start, len(net.corner), axis=0), net.corner))
    length = net.lengths(goal)[0][seen] + np.linalg.norm(net.corner[seen] - start, axis=1)
    left, right = (length[sign * net.corner[seen, 0] < 0.0].min(initial=np.inf) for sign in (1.0, -1.0))
    if np.isfinite([left, right]).all() and abs(left - right) > 0.3:
        assert way(thing)[1] == (1.0 if left < right else -1.0)


def test_the_first_obstacle_in_the_way_of_another_agent_counts_but_not_what_it_carries() -> None:
    """In front of the second of two agents stands a box that it carries, and a ball behind that."""
    things = all_of(boxes([[0.3, -4.0, 0.0]], [[1.0, 0.5, 1.0]]), obstacles([[-0.3, 0.0, 0.0]], 1.0))
    carried = replace(things, carrier=np.array([5, -1]))
    start, ahead = np.array([[0.0, -8.0, 0.0]] * 2), np.array([[0.0, 1.0, 0.0]] * 2)
    both = replace(travellers(start, ahead, np.full(2, 16.0)), rows=np.array([4, 5]))
    assert ways_round(things, both)[1].tolist() == [1.0, 1.0]
    assert ways_round(carried, both)[1].tolist() == [1.0, -1.0]
