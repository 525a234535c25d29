"""Ways from corner to corner, compared with a plain search of the same net."""

import heapq
import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from steering_addon.simulation.ways import journeys
from steering_addon.simulation.ways.detours import CONSTANCY
from steering_addon.simulation.ways.footprints import Footprints
from steering_addon.simulation.ways.journeys import Net
from tests.scene import all_of
from tests.simulation.ways.test_footprints import box, of

NOWHERE = np.array([[np.nan, np.nan]])
A_TIGHT_GAP = [(0.0, 0.0, 1.09375, 2.5, 49.0), (3.46875, 0.625, 0.21875, 0.75, 15.0)]
"""Boxes whose wide outlines overlap, while a body fits through."""
some_boxes = st.lists(
    st.tuples(
        st.floats(-5.0, 5.0), st.floats(-5.0, 5.0), st.floats(0.1, 2.5), st.floats(0.1, 2.5), st.floats(0.0, 90.0)
    ),
    min_size=1,
    max_size=6,
)


def shortest(wall: Footprints, start: np.ndarray, goal: np.ndarray) -> float:
    """The length of the shortest way over corners that see each other, by Dijkstra's algorithm; inf if none exists."""
    free = [corner for corner in wall.corner.tolist() if not wall.crossed(*[np.array([corner])] * 2)[0]]
    places = [start.tolist(), *free, goal.tolist()]
    far = {0: 0.0}
    heap = [(0.0, 0)]
    done: set[int] = set()
    while heap:
        length, node = heapq.heappop(heap)
        if node in done:
            continue
        done.add(node)
        if node == len(places) - 1:
            return length
        others = [row for row in range(1, len(places)) if row not in done]
        at = np.tile(places[node], (len(others), 1))
        crossed = wall.crossed(at, np.array([places[row] for row in others]))
        for row, hidden in zip(others, crossed):
            onward = length + math.dist(places[node], places[row])
            if not hidden and onward < far.get(row, math.inf):
                far[row] = onward
                heapq.heappush(heap, (onward, row))
    return math.inf


@settings(max_examples=8, deadline=None)
@given(some_boxes, st.floats(-4.0, 4.0), st.floats(-4.0, 4.0))
@example(A_TIGHT_GAP, 0.0, 1.0)
def test_the_way_is_the_shortest(places, start_x: float, goal_x: float) -> None:
    wall = of(all_of(*(box(*place) for place in places)))
    start, goal = wall.outside(np.array([[start_x, -12.0]])), wall.outside(np.array([[goal_x, 12.0]]))
    if not wall.crossed(start, goal)[0]:
        return
    legs = Net(wall).legs(start, goal, np.array([0]), NOWHERE)
    least = shortest(wall, start[0], goal[0])
    # Ways of the net have every footprint on one side; others may cut between its two outlines.
    assert least - 1e-9 <= legs.length[0] <= least + 0.1 or np.isinf([least, legs.length[0]]).all()


def test_a_way_leads_to_a_place_that_touches_an_obstacle() -> None:
    net = Net(of(box(0.0, 0.0, 2.0, 0.5)))
    goals = net.footprints.outside(np.array([[0.0, 0.4], [0.0, 1.0], [0.0, 1.1]]))
    legs = net.legs(np.array([[0.0, -6.0]] * 3), goals, np.arange(3), np.full((3, 2), np.nan))
    assert legs.length == pytest.approx(9.93, abs=0.01)


@settings(max_examples=8, deadline=None)
@given(some_boxes, st.floats(-4.0, 4.0), st.floats(-4.0, 4.0))
def test_leg_after_leg_leads_to_the_goal_across_no_footprint(places, start_x: float, goal_x: float) -> None:
    wall = of(all_of(*(box(*place) for place in places)))
    net = Net(wall)
    at, goal = wall.outside(np.array([[start_x, -12.0]])), wall.outside(np.array([[goal_x, 12.0]]))
    gone, first = 0.0, None
    for _ in range(len(wall.corner) + 1):
        if not wall.crossed(at, goal)[0]:
            break
        legs = net.legs(at, goal, np.array([0]), NOWHERE)
        first = legs.length[0] if first is None else first
        if not np.isfinite(first):
            return
        onward = net.corner[legs.corner]
        assert not wall.crossed(at, onward)[0]
        gone += math.dist(at[0], onward[0])
        at = onward
    else:
        pytest.fail("it never arrives")
    if first is not None:
        assert gone + math.dist(at[0], goal[0]) == pytest.approx(first, abs=0.3)


def closed_room() -> Footprints:
    return of(all_of(box(0, 4, 4.2, 0.2), box(0, -4, 4.2, 0.2), box(4, 0, 0.2, 4.2), box(-4, 0, 0.2, 4.2)))


def test_an_enclosed_agent_has_no_way() -> None:
    legs = Net(closed_room()).legs(np.array([[0.0, 0.0]]), np.array([[0.0, 9.0]]), np.array([0]), NOWHERE)
    assert legs.corner.tolist() == [-1]
    assert np.isinf(legs.length[0])


def test_a_gap_is_a_way_only_for_bodies_that_fit() -> None:
    things = all_of(box(-3.0, 0.0, 2.5, 0.2), box(3.0, 0.0, 2.5, 0.2))
    start, goal = np.array([[1.0, -3.0]]), np.array([[1.0, 3.0]])
    for radius, through in ((0.3, True), (0.48, True), (0.6, False)):
        legs = Net(of(things, radius)).legs(start, goal, np.array([0]), NOWHERE)
        assert (legs.length[0] < 7.0) == through


def test_an_agent_keeps_its_way_unless_another_is_much_shorter() -> None:
    net = Net(of(box(0.0, 0.0, 2.0, 0.5)))
    goal, which = np.array([[0.0, 6.0]]), np.array([0])
    for shift, keeps in ((0.4 * CONSTANCY, True), (3.0 * CONSTANCY, False)):
        left, right = (net.legs(np.array([[x, -6.0]]), goal, which, NOWHERE).corner for x in (-shift, shift))
        assert net.corner[left[0], 0] < 0.0 < net.corner[right[0], 0]
        after = net.legs(np.array([[shift, -6.0]]), goal, which, net.corner[left]).corner
        assert (after == left).all() == keeps


def test_an_agent_that_sees_past_its_corner_heads_further() -> None:
    """Keeping a way does not mean keeping a corner of it."""
    net = Net(of(box(0.0, 0.0, 2.0, 0.5)))
    goal, which = np.array([[0.0, 6.0]]), np.array([0])
    at, corner, turns = np.array([[0.1, -6.0]]), NOWHERE, []
    for _ in range(400):
        if not net.footprints.crossed(at, goal)[0]:
            break
        row = net.legs(at, goal, which, corner).corner
        corner = net.corner[row]
        turns.append(int(row[0]))
        way = corner - at
        at = at + 0.05 * way / np.linalg.norm(way)
    assert len(set(turns)) < 4
    assert at[0, 1] > -0.5


def test_kept_lengths_are_the_same() -> None:
    net, goals = Net(closed_room()), np.array([[0.0, 9.0], [7.0, 0.0]])
    lengths = net.lengths(goals)
    assert net.lengths(goals[::-1].copy())[::-1].tobytes() == lengths.tobytes()
    assert Net(closed_room()).lengths(goals[1:]).tobytes() == lengths[1:].tobytes()


def test_memory_limits_the_lengths_that_are_kept(monkeypatch) -> None:
    net = Net(closed_room())
    monkeypatch.setattr(journeys, "KEPT", 10 * len(net.corner))
    for x in np.linspace(7.0, 9.0, 25):
        net.lengths(np.array([[x, 0.0]]))
        assert len(net._lengths) <= 10


def test_the_way_of_each_of_many_agents_is_that_of_one_alone() -> None:
    """Whether it keeps its corner, heads for the one after it or goes the other way round."""
    net = Net(of(all_of(box(0.0, 0.0, 2.0, 0.5), box(9.0, 3.0, 0.4, 2.0, 30.0))))
    rng = np.random.default_rng(6)
    points = net.footprints.outside(rng.uniform((-0.3, -7.0), (0.3, -1.0), (60, 2)))
    goals, which = np.array([[0.0, 8.0], [0.1, 3.0], [-0.1, 6.0]]), rng.integers(0, 3, 60)
    nearest = np.flatnonzero(np.abs(net.corner[:, 0]) < 4.0)
    before = net.corner[rng.choice(nearest, 60)]
    before[::5] = np.nan
    together = net.legs(points, goals, which, before)
    for row in range(60):
        alone = net.legs(points[row : row + 1], goals, which[row : row + 1], before[row : row + 1])
        assert (together.corner[row], together.length[row]) == (alone.corner[0], alone.length[0])
    changed = net.legs(points, goals, which, np.full((60, 2), np.nan)).corner != together.corner
    assert 0 < changed.sum() < 60


@pytest.mark.parametrize("moved", [(0.5, 0.0), (0.0, 0.5)])
def test_a_corner_that_no_longer_exists_is_not_kept(moved: tuple[float, float]) -> None:
    """Not even where another stands exactly north or east of where it was."""
    net = Net(of(box(0.0, 0.0, 2.0, 0.5)))
    goal, which, shift = np.array([[0.0, 6.0]]), np.array([0]), 0.4 * CONSTANCY
    left, right = (net.legs(np.array([[x, -6.0]]), goal, which, NOWHERE).corner for x in (-shift, shift))
    at = np.array([[shift, -6.0]])
    assert net.legs(at, goal, which, net.corner[left]).corner == left != right
    assert net.legs(at, goal, which, net.corner[left] - moved).corner == right


def test_an_agent_that_sees_the_corner_after_its_own_heads_for_that() -> None:
    """However little shorter that is, and however far away its own still is."""
    net = Net(of(box(0.0, 0.0, 2.0, 0.5)))
    goal, which, at = np.array([[0.0, 6.0]]), np.array([0]), np.array([[2.45, -3.0]])
    onward = net.legs(at, goal, which, NOWHERE).corner
    others = np.flatnonzero(~net.footprints.crossed(np.repeat(at, len(net.corner), axis=0), net.corner))
    nearer = next(row for row in others if row != onward[0] and net.corner[row, 0] > 0.0)
    assert math.dist(at[0], net.corner[nearer]) > CONSTANCY
    longer = math.dist(at[0], net.corner[nearer]) + math.dist(net.corner[nearer], net.corner[onward[0]])
    assert 0.0 < longer - math.dist(at[0], net.corner[onward[0]]) < CONSTANCY
    assert net.legs(at, goal, which, net.corner[nearer : nearer + 1]).corner == onward
