"""Who perceives whom: the fast way against all pairs tried one by one."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.separation import Separation
from steering_addon.simulation.maneuvers.neighborhood import Neighborhood
from steering_addon.simulation.nearby import neighbors
from steering_addon.simulation.nearby.neighbors import (
    CHOSEN_CROWD,
    EVERYONE,
    OWN_CROWD,
    Looks,
    Near,
    Neighbors,
    Vicinity,
    both_ways,
    edge_of_view,
    perceived,
)
from steering_addon.simulation.nearby.pairs import Pairs, pairs_within
from steering_addon.simulation.run import world_at
from steering_addon.simulation.steering import Decisions, sensed
from tests.scene import Crowd, Scene, in_crowds, leaders, locked, together
from tests.simulation.all_pairs import PLACES, all_pairs, joined

RANDOM = np.random.default_rng(3)


# ---- each from both ends


def seen_by(points: np.ndarray, rows: np.ndarray, radius: float) -> set[tuple[int, int]]:
    """Which of the agents sees whom, tried one by one."""
    pairs = all_pairs(points, radius)
    return {
        (agent, body)
        for agent, row in enumerate(rows.tolist())
        for body in range(len(points))
        if (row, body) in pairs or (body, row) in pairs
    }


@pytest.mark.parametrize("part", ["all", "some", "one", "none"])
def test_bodies_see_each_other_from_both_ends(part: str) -> None:
    points = PLACES["even"][:80]
    rows = {"all": np.arange(80), "some": np.arange(3, 80, 4), "one": np.array([7]), "none": np.arange(0)}[part]
    near = around(points, rows, 3.0).together()
    assert sorted(zip(near.agent.tolist(), near.body.tolist())) == sorted(seen_by(points, rows, 3.0))
    assert np.array_equal(near.offset, points[near.body] - points[rows[near.agent]])
    assert np.allclose(near.distance, np.linalg.norm(near.offset, axis=1), rtol=1e-14)


def headings(n: int) -> np.ndarray:
    """Some directions, (n, 3), always the same ones."""
    forward = np.random.default_rng(4).normal(size=(n, 3))
    return forward / np.linalg.norm(forward, axis=1)[:, None]


def around(points: np.ndarray, rows: np.ndarray, radius: float, forward: np.ndarray | None = None) -> Neighbors:
    """All that some of the points see within a radius, whatever the `forward` (b, 3) of all."""
    forward = headings(len(points)) if forward is None else forward
    lists = [near for pairs in pairs_within(points, radius) for near in both_ways(pairs, rows, forward)]
    return Neighbors(len(rows), tuple(lists))


def sights() -> list[Neighbors]:
    """All that some see, less and less of it, down to nothing; in one list and in many."""
    points = PLACES["even"][:60]
    whole = around(points, np.arange(60), 3.0)
    some = around(points, np.arange(0, 60, 3), 3.0)
    thinned = [
        replace(whole, lists=tuple(near.perceived(RANDOM.uniform(size=len(near.body)) < share) for near in whole.lists))
        for share in (0.9, 0.1, 0.01, 0.0)
    ]
    one_list = replace(whole, lists=(whole.together(),))
    many = [near for pairs in pairs_within(points, 1.0) for near in both_ways(pairs, np.arange(60), headings(60))]
    return [whole, some, *thinned, one_list, Neighbors(60, (*many, *whole.lists)), Neighbors(5, ()), Neighbors(0, ())]


SIGHTS = sights()


@pytest.mark.parametrize("seen", SIGHTS, ids=lambda seen: f"{len(seen.together().body)} of {seen.count}")
def test_sums_means_and_numbers_are_those_of_a_plain_loop(seen: Neighbors) -> None:
    near = seen.together()
    weighed, plain, number = np.zeros((seen.count, 3)), np.zeros((seen.count, 3)), np.zeros(seen.count)
    for agent, distance, offset in zip(near.agent, near.distance, near.offset):
        weighed[agent] += distance * offset
        plain[agent] += offset
        number[agent] += 1
    assert np.array_equal(seen.number, number)
    for found, wanted in (
        (seen.sum_of_offsets(lambda near: near.distance), weighed),
        (seen.average_offset(), plain / np.maximum(number, 1)[:, None]),
    ):
        assert np.allclose(found, wanted, rtol=1e-12, atol=1e-12)
        assert found.shape == wanted.shape


@pytest.mark.parametrize("seen", SIGHTS, ids=lambda seen: f"{len(seen.together().body)} of {seen.count}")
def test_links_tell_who_hangs_together_with_whom(seen: Neighbors) -> None:
    """A pair in which both perceive each other may be named once."""
    rows = np.arange(0, 60, 3) if seen.count == 20 else np.arange(seen.count)
    near = seen.together()
    wanted = {frozenset(pair) for pair in zip(rows[near.agent].tolist(), near.body.tolist())}
    assert linked(seen, rows) == wanted


@pytest.mark.parametrize("seen", SIGHTS, ids=lambda seen: f"{len(seen.together().body)} of {seen.count}")
def test_the_mean_entry_of_the_perceived_is_that_of_a_plain_loop(seen: Neighbors) -> None:
    column, near = RANDOM.normal(size=(60, 3)), seen.together()
    wanted = np.zeros((seen.count, 3))
    for agent in range(seen.count):
        if (near.agent == agent).any():
            wanted[agent] = column[near.body[near.agent == agent]].mean(axis=0)
    assert np.allclose(seen.average_of(column), wanted, rtol=1e-12, atol=1e-12)
    assert np.allclose(seen.average_of(column[:, 1]), wanted[:, 1], rtol=1e-12, atol=1e-12)


def test_totals_of_agents_side_by_side_are_those_of_agents_in_any_order() -> None:
    agent, values = np.sort(RANDOM.integers(0, 40, 500)), RANDOM.normal(size=500)
    pairs = Pairs(agent, agent, np.zeros((500, 3)), np.zeros(500))
    one, other = (Looks(pairs, headings(50), lined_up=lined_up) for lined_up in (True, False))
    assert np.allclose(one.total(values), other.total(values), rtol=1e-12, atol=1e-12)
    assert np.array_equal(one.number, other.number)
    nobody = replace(one, some=np.arange(0))
    assert nobody.total(values[:0]).tolist() == nobody.number.tolist() == [0.0] * 50


@pytest.mark.parametrize("seen", SIGHTS, ids=lambda seen: f"{len(seen.together().body)} of {seen.count}")
def test_the_neighbors_that_count_are_those_of_the_mask(seen: Neighbors) -> None:
    def to_the_right(near: Near) -> np.ndarray:
        return near.offset[:, 0] > 0.0

    whole, part = seen.together(), seen.where(to_the_right).together()
    kept = to_the_right(whole)
    assert set(zip(part.agent.tolist(), part.body.tolist())) == set(
        zip(whole.agent[kept].tolist(), whole.body[kept].tolist())
    )
    assert seen.where(to_the_right).number.tolist() == np.bincount(part.agent, minlength=seen.count).tolist()


def test_an_agents_own_is_its_entry_of_a_column() -> None:
    near = around(PLACES["even"][:60], np.arange(60), 3.0).lists[1]
    column = RANDOM.normal(size=60)
    assert np.array_equal(near.own(column), column[near.agent])
    assert near.own(np.full(60, 4.0)) == 4.0


def test_a_distance_is_never_nothing() -> None:
    for near in around(PLACES["in one place"], np.arange(20), 1.0).lists:
        assert (near.offset == 0.0).all()
        assert (near.distance > 0.0).all()


# ---- the neighborhood


def test_a_neighborhood_has_a_distance_and_an_angle_of_each_agent() -> None:
    """The paper's figure 13, a column entry an agent."""
    n = 80
    points, forward = PLACES["even"][:n], headings(n)
    distance = RANDOM.uniform(0.0, 4.0, n)
    angle = RANDOM.choice([0.1, 1.0, np.pi, 4.0, 6.0, 2.0 * np.pi], n)
    found = perceived(around(points, np.arange(n), 4.0).together(), distance, edge_of_view(angle)).alone()
    wanted = set()
    for i in range(n):
        for j in range(n):
            offset = points[j] - points[i]
            far = np.linalg.norm(offset)
            if i == j or far >= distance[i]:
                continue
            off_axis = np.degrees(np.arccos(np.clip(offset @ forward[i] / far, -1.0, 1.0)))
            if off_axis <= np.degrees(angle[i]) / 2.0:
                wanted.add((i, j))
    assert set(zip(found.agent.tolist(), found.body.tolist())) == wanted
    assert len(wanted) > 50


def test_all_round_means_even_straight_behind_and_in_the_same_place() -> None:
    points = np.array([[0.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 0.0]])
    forward = np.tile([0.0, 1.0, 0.0], (3, 1))
    near = around(points, np.arange(3), 2.0, forward).together()
    all_round = perceived(near, np.full(3, 2.0), edge_of_view(np.full(3, 2.0 * np.pi)))
    assert Neighbors(3, (all_round,)).number.tolist() == [2.0, 2.0, 2.0]
    ahead = perceived(near, np.full(3, 2.0), edge_of_view(np.full(3, np.pi / 2.0))).alone()
    assert set(zip(ahead.agent.tolist(), ahead.body.tolist())) == {(1, 0), (1, 2)}


# ---- lists


def test_distances_within_a_factor_of_two_are_looked_for_together(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_for = []

    def noted(points: np.ndarray, radius: float) -> list[Pairs]:
        looked_for.append(radius)
        return pairs_within(points, radius)

    monkeypatch.setattr(neighbors, "pairs_within", noted)
    vicinity = Vicinity(PLACES["even"], headings(200), np.arange(200), (1.0, 1.5, 2.0, 5.0))
    for distance in (1.5, 2.0, 1.0, 0.3, 1.5, 5.0):
        vicinity.around(distance, np.arange(200))
    assert looked_for == [2.0, 5.0]
    rows = np.arange(0, 200, 2)
    once, again, all_rows = (vicinity.around(1.5, some) for some in (rows, rows.copy(), np.arange(200)))
    assert all(one is other for one, other in zip(once, again, strict=True))
    assert not any(one is other for one in once for other in all_rows)


def test_a_shared_list_holds_just_those_near_enough() -> None:
    for distances in ((1.0, 1.5, 2.0, 5.0), (2.0, 4.0), (3.0,), (1.0, 2.0001)):
        vicinity = Vicinity(PLACES["even"], headings(200), np.arange(200), distances)
        for distance in (*distances, 7.0):
            pairs = joined(vicinity.pairs(distance))
            found = {tuple(sorted(pair)) for pair in zip(pairs.first.tolist(), pairs.second.tolist())}
            assert found == all_pairs(PLACES["even"], distance)


@pytest.mark.parametrize("part", ["all", "some"])
@pytest.mark.parametrize("degrees", [360.0, 270.0, 40.0])
def test_who_is_seen_of_a_shared_list_is_who_is_seen_of_ones_own(degrees: float, part: str) -> None:
    """However many of the list are near enough, and whichever of the distances is asked for first."""
    rows = np.arange(200) if part == "all" else np.arange(0, 200, 3)
    edge = edge_of_view(np.full(len(rows), np.radians(degrees)))

    def seen_of(vicinity: Vicinity, distance: float) -> Neighbors:
        return Neighbors(len(rows), tuple(perceived(near, None, edge) for near in vicinity.around(distance, rows)))

    def vicinity(*distances: float) -> Vicinity:
        return Vicinity(PLACES["even"], headings(200), np.arange(200), distances)

    shared = vicinity(4.0, 3.9, 3.0, 2.1)
    for distance in (3.9, 2.1, 4.0, 3.0):
        seen, wanted = seen_of(shared, distance), seen_of(vicinity(distance), distance)
        assert np.array_equal(seen.number, wanted.number)
        assert np.allclose(seen.average_offset(), wanted.average_offset(), atol=1e-9)
        weighed, expected = (near.sum_of_offsets(lambda near: near.distance) for near in (seen, wanted))
        assert np.allclose(weighed, expected, atol=1e-9)
        assert linked(seen, rows) == linked(wanted, rows) == linked(replace(seen, lists=(seen.together(),)), rows)


def linked(seen: Neighbors, rows: np.ndarray) -> set[frozenset[int]]:
    """Who hangs together with whom."""
    lists = [zip(one.tolist(), other.tolist()) for one, other in seen.links(rows)]
    return {frozenset(pair) for pairs in lists for pair in pairs}


# ---- whom agents see of a world


def seen(place: Scene, which: int, crowd: int = -1, present: tuple[int, ...] | None = None) -> list[set[int]]:
    """Whom each of the first crowd sees; of five vehicles in a row the first three are one crowd, the rest another."""
    snapshot = place.snapshot()
    n = len(place)
    first, second = np.arange(n)[:3], np.arange(n)[3:]
    crowds = tuple(
        Crowd(rows, (Separation.of(len(rows), distance=100.0),), key=key) for key, rows in enumerate((first, second))
    )
    there = np.isin(np.arange(n), present) if present is not None else snapshot.present
    snapshot = replace(in_crowds(snapshot, crowds), present=there)
    state = replace(place.start(), inputs=snapshot)
    world = world_at(state, snapshot, snapshot, 0.0)
    group, _ = sensed(state, snapshot, world, snapshot.settings[0], first, Decisions.none_yet(state))
    agents = group.agents
    columns = np.full(3, 100.0), np.full(3, 2.0 * np.pi), np.full(3, which), np.full(3, crowd)
    near = world.neighbors(agents, *columns).together()
    return [set(near.body[near.agent == agent].tolist()) for agent in range(3)]


ROW = np.arange(5.0)[:, None] * [1.0, 0.0, 0.0]


def test_own_crowd_everyone_and_a_chosen_crowd() -> None:
    place = Scene(ROW)
    assert seen(place, OWN_CROWD) == [{1, 2}, {0, 2}, {0, 1}]
    assert seen(place, EVERYONE) == [{1, 2, 3, 4}, {0, 2, 3, 4}, {0, 1, 3, 4}]
    assert seen(place, CHOSEN_CROWD, 1) == [{3, 4}] * 3
    assert seen(place, CHOSEN_CROWD, 0) == [{1, 2}, {0, 2}, {0, 1}]


def test_who_chooses_no_crowd_sees_nobody() -> None:
    place = Scene(ROW, tracked=locked([0.0, 1.0, 0.0], crowd=-1))
    assert seen(place, CHOSEN_CROWD, -1) == [set(), set(), set()]


def test_who_is_absent_is_not_seen() -> None:
    assert seen(Scene(ROW), EVERYONE, present=(0, 1, 2, 4)) == [{1, 2, 4}, {0, 2, 4}, {0, 1, 4}]


def test_locked_vehicles_are_seen_as_members_of_their_crowd_and_leaders_are_not() -> None:
    tracked = together(leaders([0.0, 0.5, 0.0]), locked([0.0, 1.0, 0.0], [0.0, 2.0, 0.0], crowd=[0, 1]))
    place = Scene(ROW, tracked=tracked)
    assert seen(place, OWN_CROWD)[0] == {1, 2, 6}
    assert seen(place, EVERYONE)[0] == {1, 2, 3, 4, 6, 7}
    assert seen(place, CHOSEN_CROWD, 1)[0] == {3, 4, 7}
    absent = replace(place, tracked=replace(tracked, present=np.array([True, False, True])))
    assert seen(absent, OWN_CROWD)[0] == {1, 2}


def test_a_behavior_looks_no_further_than_the_furthest_of_its_agents() -> None:
    assert Neighborhood.of(3, distance=[1.0, 4.0, 2.0]).reach_hint() == 4.0
    assert Neighborhood.of(0).reach_hint() == 0.0
