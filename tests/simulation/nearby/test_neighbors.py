"""Neighborhoods: the fast search equals trying all pairs one by one."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.separation import Separation
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
    perceive,
)
from steering_addon.simulation.nearby.pairs import Pairs, pairs_within
from steering_addon.simulation.sensing import world_at
from steering_addon.simulation.steering import sense
from tests.scene import Crowd, Scene, all_of, in_crowds, leaders, locked
from tests.simulation.all_pairs import PLACES, all_pairs, joined

RANDOM = np.random.default_rng(3)


def seen_by(points: np.ndarray, rows: np.ndarray, radius: float) -> set[tuple[int, int]]:
    """The pairs of an agent and a body within the radius, by trying all pairs."""
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
    """Fixed pseudo-random directions, (n, 3)."""
    forward = np.random.default_rng(4).normal(size=(n, 3))
    return forward / np.linalg.norm(forward, axis=1)[:, None]


def around(points: np.ndarray, rows: np.ndarray, radius: float, forward: np.ndarray | None = None) -> Neighbors:
    """The points within a radius of the agents in some rows, with any headings (b, 3)."""
    forward = headings(len(points)) if forward is None else forward
    lists = [near for pairs in pairs_within(points, radius) for near in both_ways(pairs, rows, forward)]
    return Neighbors(len(rows), tuple(lists))


def sights() -> list[Neighbors]:
    """What all or a third of 60 agents perceive, thinned out down to nothing, in one list and in many."""
    points = PLACES["even"][:60]
    whole = around(points, np.arange(60), 3.0)
    third = around(points, np.arange(0, 60, 3), 3.0)
    thinned = [
        replace(whole, lists=tuple(near.perceived(RANDOM.uniform(size=len(near.body)) < share) for near in whole.lists))
        for share in (0.9, 0.1, 0.01, 0.0)
    ]
    one_list = replace(whole, lists=(whole.together(),))
    many = [near for pairs in pairs_within(points, 1.0) for near in both_ways(pairs, np.arange(60), headings(60))]
    return [whole, third, *thinned, one_list, Neighbors(60, (*many, *whole.lists)), Neighbors(5, ()), Neighbors(0, ())]


SIGHTS = sights()


@pytest.mark.parametrize("seen", SIGHTS, ids=lambda seen: f"{len(seen.together().body)} of {seen.count}")
def test_sums_means_and_counts_are_those_of_a_plain_loop(seen: Neighbors) -> None:
    near = seen.together()
    weighed, plain, number = np.zeros((seen.count, 3)), np.zeros((seen.count, 3)), np.zeros(seen.count)
    for agent, distance, offset in zip(near.agent, near.distance, near.offset):
        weighed[agent] += distance * offset
        plain[agent] += offset
        number[agent] += 1
    assert np.array_equal(seen.number, number)
    for result, expected in (
        (seen.sum_of_offsets(lambda near: near.distance), weighed),
        (seen.average_offset(), plain / np.maximum(number, 1)[:, None]),
    ):
        assert np.allclose(result, expected, rtol=1e-12, atol=1e-12)
        assert result.shape == expected.shape


@pytest.mark.parametrize("seen", SIGHTS, ids=lambda seen: f"{len(seen.together().body)} of {seen.count}")
def test_links_are_the_pairs_that_perceive_each_other_from_at_least_one_end(seen: Neighbors) -> None:
    """A pair in which both perceive each other may be listed once."""
    rows = np.arange(0, 60, 3) if seen.count == 20 else np.arange(seen.count)
    near = seen.together()
    expected = {frozenset(pair) for pair in zip(rows[near.agent].tolist(), near.body.tolist())}
    assert linked(seen, rows) == expected


@pytest.mark.parametrize("seen", SIGHTS, ids=lambda seen: f"{len(seen.together().body)} of {seen.count}")
def test_the_mean_of_a_column_over_perceived_bodies_is_that_of_a_plain_loop(seen: Neighbors) -> None:
    column, near = RANDOM.normal(size=(60, 3)), seen.together()
    expected = np.zeros((seen.count, 3))
    for agent in range(seen.count):
        if (near.agent == agent).any():
            expected[agent] = column[near.body[near.agent == agent]].mean(axis=0)
    assert np.allclose(seen.average_of(column), expected, rtol=1e-12, atol=1e-12)
    assert np.allclose(seen.average_of(column[:, 1]), expected[:, 1], rtol=1e-12, atol=1e-12)


def test_totals_do_not_depend_on_the_way_of_adding_up() -> None:
    agent, values = np.sort(RANDOM.integers(0, 40, 500)), RANDOM.normal(size=500)
    pairs = Pairs(agent, agent, np.zeros((500, 3)), np.zeros(500))
    by_runs, by_counting = (Looks(pairs, headings(50), grouped=grouped) for grouped in (True, False))
    assert np.allclose(by_runs.total(values), by_counting.total(values), rtol=1e-12, atol=1e-12)
    assert np.array_equal(by_runs.number, by_counting.number)
    empty = replace(by_runs, rows=np.arange(0))
    assert empty.total(values[:0]).tolist() == empty.number.tolist() == [0.0] * 50


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


def test_a_column_of_agents_gives_the_entry_of_each_pairs_agent() -> None:
    near = around(PLACES["even"][:60], np.arange(60), 3.0).lists[1]
    column = RANDOM.normal(size=60)
    assert np.array_equal(near.of_agent(column), column[near.agent])
    assert near.of_agent(np.full(60, 4.0)) == 4.0


def test_a_distance_is_never_zero() -> None:
    for near in around(PLACES["in one place"], np.arange(20), 1.0).lists:
        assert (near.offset == 0.0).all()
        assert (near.distance > 0.0).all()


def test_a_neighborhood_has_a_distance_and_an_angle_per_agent() -> None:
    """The paper's figure 13, with one column entry per agent."""
    n = 80
    points, forward = PLACES["even"][:n], headings(n)
    distance = RANDOM.uniform(0.0, 4.0, n)
    angle = RANDOM.choice([0.1, 1.0, np.pi, 4.0, 6.0, 2.0 * np.pi], n)
    result = perceive(around(points, np.arange(n), 4.0).together(), distance, edge_of_view(angle)).only_perceived()
    expected = set()
    for i in range(n):
        for j in range(n):
            offset = points[j] - points[i]
            far = np.linalg.norm(offset)
            if i == j or far >= distance[i]:
                continue
            off_axis = np.degrees(np.arccos(np.clip(offset @ forward[i] / far, -1.0, 1.0)))
            if off_axis <= np.degrees(angle[i]) / 2.0:
                expected.add((i, j))
    assert set(zip(result.agent.tolist(), result.body.tolist())) == expected
    assert len(expected) > 50


def test_a_view_all_around_includes_bodies_behind_and_at_the_same_point() -> None:
    points = np.array([[0.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 0.0]])
    forward = np.tile([0.0, 1.0, 0.0], (3, 1))
    near = around(points, np.arange(3), 2.0, forward).together()
    all_round = perceive(near, np.full(3, 2.0), edge_of_view(np.full(3, 2.0 * np.pi)))
    assert Neighbors(3, (all_round,)).number.tolist() == [2.0, 2.0, 2.0]
    ahead = perceive(near, np.full(3, 2.0), edge_of_view(np.full(3, np.pi / 2.0))).only_perceived()
    assert set(zip(ahead.agent.tolist(), ahead.body.tolist())) == {(1, 0), (1, 2)}


def test_distances_within_a_factor_of_two_are_searched_together(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []

    def noted(points: np.ndarray, radius: float) -> list[Pairs]:
        searched.append(radius)
        return pairs_within(points, radius)

    monkeypatch.setattr(neighbors, "pairs_within", noted)
    vicinity = Vicinity(PLACES["even"], headings(200), np.arange(200), (1.0, 1.5, 2.0, 5.0))
    for distance in (1.5, 2.0, 1.0, 0.3, 1.5, 5.0):
        vicinity.around(distance, np.arange(200))
    assert searched == [2.0, 5.0]
    rows = np.arange(0, 200, 2)
    first, again, all_rows = (vicinity.around(1.5, agents) for agents in (rows, rows.copy(), np.arange(200)))
    assert all(near is same for near, same in zip(first, again, strict=True))
    assert not any(near is other for near in first for other in all_rows)


def test_a_shared_list_gives_exactly_the_pairs_near_enough() -> None:
    for distances in ((1.0, 1.5, 2.0, 5.0), (2.0, 4.0), (3.0,), (1.0, 2.0001)):
        vicinity = Vicinity(PLACES["even"], headings(200), np.arange(200), distances)
        for distance in (*distances, 7.0):
            pairs = joined(vicinity.pairs(distance))
            result = {tuple(sorted(pair)) for pair in zip(pairs.first.tolist(), pairs.second.tolist())}
            assert result == all_pairs(PLACES["even"], distance)


@pytest.mark.parametrize("part", ["all", "some"])
@pytest.mark.parametrize("degrees", [360.0, 270.0, 40.0])
def test_a_shared_list_gives_the_same_neighbors_as_a_separate_search(degrees: float, part: str) -> None:
    """For any share of the list that is near enough, and any order of the requested distances."""
    rows = np.arange(200) if part == "all" else np.arange(0, 200, 3)
    edge = edge_of_view(np.full(len(rows), np.radians(degrees)))

    def seen_of(vicinity: Vicinity, distance: float) -> Neighbors:
        return Neighbors(len(rows), tuple(perceive(near, None, edge) for near in vicinity.around(distance, rows)))

    def vicinity(*distances: float) -> Vicinity:
        return Vicinity(PLACES["even"], headings(200), np.arange(200), distances)

    shared = vicinity(4.0, 3.9, 3.0, 2.1)
    for distance in (3.9, 2.1, 4.0, 3.0):
        seen, separate = seen_of(shared, distance), seen_of(vicinity(distance), distance)
        assert np.array_equal(seen.number, separate.number)
        assert np.allclose(seen.average_offset(), separate.average_offset(), atol=1e-9)
        weighed, expected = (near.sum_of_offsets(lambda near: near.distance) for near in (seen, separate))
        assert np.allclose(weighed, expected, atol=1e-9)
        assert linked(seen, rows) == linked(separate, rows) == linked(replace(seen, lists=(seen.together(),)), rows)


def linked(seen: Neighbors, rows: np.ndarray) -> set[frozenset[int]]:
    """The links as unordered pairs of rows of bodies."""
    lists = [zip(first.tolist(), second.tolist()) for first, second in seen.links(rows)]
    return {frozenset(pair) for pairs in lists for pair in pairs}


def seen(scene: Scene, which: int, crowd: int = -1, present: tuple[int, ...] | None = None) -> list[set[int]]:
    """The rows that each member of the first crowd sees; the first three vehicles are a crowd, the others another."""
    snapshot = scene.snapshot()
    n = len(scene)
    first, second = np.arange(n)[:3], np.arange(n)[3:]
    crowds = tuple(
        Crowd(rows, (Separation.of(len(rows), distance=100.0),), key=key) for key, rows in enumerate((first, second))
    )
    mask = np.isin(np.arange(n), present) if present is not None else snapshot.present
    snapshot = replace(in_crowds(snapshot, crowds), present=mask)
    state = replace(scene.start(), inputs=snapshot)
    world = world_at(state, snapshot, snapshot, 0.0)
    group, _ = sense(state, snapshot, world, snapshot.settings[0], first, state.undecided())
    agents = group.agents
    columns = np.full(3, 100.0), np.full(3, 2.0 * np.pi), np.full(3, which), np.full(3, crowd)
    near = world.neighbors(agents, *columns).together()
    return [set(near.body[near.agent == agent].tolist()) for agent in range(3)]


ROW = np.arange(5.0)[:, None] * [1.0, 0.0, 0.0]


def test_neighbors_are_the_own_crowd_everyone_or_a_chosen_crowd() -> None:
    scene = Scene(ROW)
    assert seen(scene, OWN_CROWD) == [{1, 2}, {0, 2}, {0, 1}]
    assert seen(scene, EVERYONE) == [{1, 2, 3, 4}, {0, 2, 3, 4}, {0, 1, 3, 4}]
    assert seen(scene, CHOSEN_CROWD, 1) == [{3, 4}] * 3
    assert seen(scene, CHOSEN_CROWD, 0) == [{1, 2}, {0, 2}, {0, 1}]


def test_without_a_chosen_crowd_an_agent_sees_no_neighbors() -> None:
    scene = Scene(ROW, tracked=locked([0.0, 1.0, 0.0], crowd=-1))
    assert seen(scene, CHOSEN_CROWD, -1) == [set(), set(), set()]


def test_locked_vehicles_are_seen_as_members_of_their_crowd_and_leaders_are_not() -> None:
    tracked = all_of(leaders([0.0, 0.5, 0.0]), locked([0.0, 1.0, 0.0], [0.0, 2.0, 0.0], crowd=[0, 1]))
    scene = Scene(ROW, tracked=tracked)
    assert seen(scene, OWN_CROWD)[0] == {1, 2, 6}
    assert seen(scene, EVERYONE)[0] == {1, 2, 3, 4, 6, 7}
    assert seen(scene, CHOSEN_CROWD, 1)[0] == {3, 4, 7}
    absent = replace(scene, tracked=replace(tracked, present=np.array([True, False, True])))
    assert seen(absent, OWN_CROWD)[0] == {1, 2}


@pytest.mark.parametrize("distance", [float("nan"), 0.0])
@pytest.mark.parametrize("known", [(), (1.0, 3.0), (float("nan"),)])
def test_no_body_is_near_within_a_distance_of_nan_or_zero(distance: float, known: tuple[float, ...]) -> None:
    points, rows = PLACES["even"][:20], np.arange(20)
    vicinity = Vicinity(points, headings(20), rows, (*known, distance))
    for looking in (False, True):
        assert not any(near.number.any() for near in vicinity.around(distance, rows, looking=looking))
    assert not any(map(len, vicinity.pairs(distance)))
