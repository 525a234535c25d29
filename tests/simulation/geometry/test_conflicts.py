"""Conflicts: where what goes along lanes may touch."""

import itertools

import numpy as np
import pytest

from steering_addon.simulation.geometry import conflicts
from steering_addon.simulation.geometry.conflicts import CLEAR, Lane, conflicts_of
from steering_addon.simulation.geometry.paths import Spline, spline

R = 1.0


def lane(
    points, way: float = 1.0, left: float = 0.0, closed: bool = False, radius: float = R, extent: float = R
) -> Lane:
    curve = points if isinstance(points, Spline) else spline(np.array(points, dtype=float), closed)
    return Lane(curve, left, way, radius, extent)


def points(lane: Lane, driven: np.ndarray) -> np.ndarray:
    """The points of a lane at metres as it is driven."""
    curve = lane.curve.beside(lane.left)
    return curve.position(driven if lane.way > 0 else curve.length - driven)


EAST, NORTH = [(-50, 0, 0), (50, 0, 0)], [(0, -50, 0), (0, 50, 0)]
LEFTWARD = [(-40, -40, 0), (40, 40, 0)]
ARC = np.linspace(0.0, 2.0 * np.pi, 400, endpoint=False)
EIGHT = spline(np.stack((60.0 * np.sin(ARC), 40.0 * np.sin(2.0 * ARC), 0.0 * ARC), axis=1), True)


@pytest.mark.parametrize(
    "lanes",
    [
        (lane(EAST), lane(NORTH)),
        (lane(EAST), lane(NORTH, -1.0, radius=0.5)),
        (lane(EAST, left=2.0), lane(LEFTWARD), lane(NORTH, -1.0)),
        (lane(EIGHT, 1.0, -1.7), lane(EIGHT, -1.0, 1.7)),
    ],
    ids=("a cross", "one is narrow and comes back", "three", "both lanes of an eight"),
)
def test_they_hold_each_two_places_that_are_too_near_each_other_and_no_other_stretch(lanes: tuple[Lane, ...]) -> None:
    found = conflicts_of(lanes)
    assert len(found)
    driven = [np.arange(0.0, each.curve.beside(each.left).length, 0.5) for each in lanes]
    for first, second in itertools.product(range(len(lanes)), repeat=2):
        if first != second and lanes[first].curve is lanes[second].curve:
            continue
        mine = np.flatnonzero((found.lane == first) & (found.other == second))
        here, there = (points(lanes[row], driven[row]) for row in (first, second))
        gap = np.linalg.norm(here[:, None] - there[None], axis=2) - lanes[first].radius - lanes[second].radius
        if first == second:
            apart = np.abs(driven[first][:, None] - driven[second][None])
            gap[np.minimum(apart, lanes[first].curve.length - apart) < 20.0] = np.inf
        # A stretch may reach over the joint of a closed curve.
        turns = driven[first][:, None, None] + lanes[first].curve.beside(lanes[first].left).length * np.arange(-1, 2)
        inside = ((found.begin[mine, None] <= turns) & (turns <= found.end[mine, None])).any(axis=(1, 2))
        assert inside[gap.min(axis=1) < CLEAR - 0.5].all()
        assert not inside[gap.min(axis=1) > CLEAR + 1.0].any()


def test_each_is_listed_for_either_lane() -> None:
    lanes = (lane(EAST, left=2.0), lane(LEFTWARD), lane(NORTH, -1.0), lane(EIGHT))
    found = conflicts_of(lanes)
    rows = np.arange(len(found))
    assert (found.twin[found.twin] == rows).all()
    assert (found.lane[found.twin] == found.other).all()
    assert (found.merges[found.twin] == found.merges).all()
    assert (found.from_right[found.twin] != found.from_right).all()


def test_who_comes_from_the_right_is_seen_as_they_drive() -> None:
    for way, right in ((1.0, True), (-1.0, False)):
        found = conflicts_of((lane(EAST), lane(NORTH, way)))
        assert found.from_right[found.lane == 0].tolist() == [right]


def test_lanes_beside_each_other_or_above_each_other_do_not_conflict() -> None:
    both = lane(EIGHT.beside(0.0), 1.0, -1.7), lane(EAST, left=1.7), lane(EAST, -1.0, left=-1.7)
    assert not len(conflicts_of(both[1:]))
    assert not len(conflicts_of((lane(EAST), lane([(0, -50, 5), (0, 50, 5)]))))
    assert not len(conflicts_of((lane(EAST),)))


def test_a_lane_that_crosses_itself_conflicts_with_itself() -> None:
    found = conflicts_of((lane(EIGHT),))
    assert found.lane.tolist() == [0, 0] and found.twin.tolist() == [1, 0]


def test_where_lanes_come_together_they_merge_and_where_they_meet_head_on_they_do_not() -> None:
    ramp = [(-50, -20, 0), (0, 0, 0), (50, 0, 0)]
    together = conflicts_of((lane(EAST), lane(ramp)))
    assert together.merges.all() and (together.end - together.begin > 40.0).all()
    assert not conflicts_of((lane(EAST), lane(ramp, -1.0))).merges.any()


@pytest.mark.parametrize(("begins", "blocked"), [((-50, -20, 0), True), ((-50, 0, 0), False)])
def test_nobody_blocks_the_stretch_before_a_road_forks(begins: tuple[int, int, int], blocked: bool) -> None:
    """A driver that waits where another lane has come in from beside keeps others in that waiting."""
    shared, across = [begins, (0, 0, 0), (50, 0, 0)], [(20, -50, 0), (20, 50, 0)]
    found = conflicts_of((lane(EAST), lane(shared), lane(across)))
    last = found.since_last[1][(found.lane == 0) & (found.other == 2)]
    assert np.isfinite(last).tolist() == [blocked]


def test_one_stops_before_a_whole_junction_in_which_nobody_can_stand() -> None:
    lanes = (lane(EAST), lane(NORTH, left=2.0), lane(NORTH, -1.0, left=-2.0), lane([(30, -50, 0), (30, 50, 0)]))
    found = conflicts_of(lanes)
    mine = found.lane == 0
    assert found.stop[mine].tolist() == found.begin[mine][[0, 0, 2]].tolist()
    assert np.unique(found.junction[mine]).size == 2


def test_lanes_of_any_length_are_found_to_cross_with_as_few_samples(monkeypatch) -> None:
    """A road longer than any, as in a file with a wrong scale, takes no minutes."""
    monkeypatch.setattr(conflicts, "MOST", 30_000)
    size = 1.0e4
    crossing = conflicts_of((lane(size * np.array(EAST)), lane(size * np.array(NORTH))))
    assert len(crossing) == 2
    assert np.abs(0.5 * (crossing.begin + crossing.end) / size - 50.0).max() < 0.1


def test_lanes_without_a_width_are_looked_at_no_finer_than_the_room_that_is_kept_on_them() -> None:
    """One such lane would else have as many samples as there may be, each near to thousands."""
    thin = [lane(points, radius=0.0, extent=0.0) for points in (EAST, NORTH)]
    found = conflicts_of(tuple(thin))
    assert len(found) == 2
    assert found.begin == pytest.approx(50.0 - CLEAR, abs=0.5 * CLEAR)
    assert found.end == pytest.approx(50.0 + CLEAR, abs=0.5 * CLEAR)
