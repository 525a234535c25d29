"""Stops: which body each agent visits next."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.simulation.arrays.chance import keys_of
from steering_addon.simulation.candidates import FIRST, NEXT, Candidates
from steering_addon.simulation.declaration import NEAREST
from steering_addon.simulation.roles import Role
from steering_addon.simulation.stops import visited, visits
from steering_addon.simulation.world import World
from tests.scene import Scene, leaders

VEHICLES, LEADERS = 3, 5


def world(present: np.ndarray) -> World:
    """Three vehicles and five leaders, of which some are present."""
    place = Scene(np.zeros((VEHICLES, 3)), tracked=leaders(*np.ones((LEADERS, 3))))
    whole, _, _ = place.seen()
    return replace(whole, bodies=replace(whole.bodies, present=present))


def next_in_plain_words(
    others: list[int], stop: int, backward: bool, onward: bool, returns: bool
) -> tuple[int, bool | None]:
    """The index of the next stop, and the direction where that matters."""
    if stop in others and not onward:
        return stop, backward and returns
    later, earlier = [k for k in others if k > stop], [k for k in others if k < stop]
    if len(others) < 2:
        return others[0], None
    if not returns:
        return (later or others)[0], False
    ways = [(earlier[-1:], True), (later[:1], False)]
    return next((index[0], way) for index, way in (ways if backward else ways[::-1]) if index)


@pytest.mark.parametrize("seed", range(40))
def test_it_is_what_a_loop_over_the_agents_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bodies = rng.permutation(VEHICLES + LEADERS)[: rng.integers(1, VEHICLES + LEADERS + 1)]
    around = world(rng.uniform(size=VEHICLES + LEADERS) < 0.7)
    n = 50
    visitor, stop = rng.integers(0, VEHICLES, n), rng.integers(0, len(bodies), n)
    backward, onward, returns = rng.uniform(size=(3, n)) < 0.5
    visit = visited(around, bodies, visitor, stop, backward, onward=onward, returns=returns)
    for k in range(n):
        others = [i for i, body in enumerate(bodies) if around.bodies.present[body] and body != visitor[k]]
        assert visit.alone[k] == (len(others) < 2)
        if not others:
            assert visit.body[k] == -1
            assert visit.stop[k] == stop[k]
            continue
        index, way = next_in_plain_words(others, stop[k], backward[k], onward[k], returns[k])
        assert (visit.stop[k], visit.body[k]) == (index, bodies[index])
        assert way is None or visit.backward[k] == way


@pytest.mark.parametrize(("returns", "order"), [(False, [1, 2, 0, 1, 2, 0, 1]), (True, [1, 2, 1, 0, 1, 2, 1])])
def test_it_goes_round_or_there_and_back(returns: bool, order: list[int]) -> None:
    around, no, yes = world(np.ones(8, dtype=bool)), np.zeros(1, dtype=bool), np.ones(1, dtype=bool)
    stop, backward, visited_bodies = np.zeros(1, dtype=np.int64), no, []
    for _ in order:
        visit = visited(around, np.arange(3) + 4, no.astype(int), stop, backward, onward=yes, returns=yes & returns)
        stop, backward = visit.stop, visit.backward
        visited_bodies.append(int(visit.body[0]) - 4)
    assert visited_bodies == order


def test_a_target_is_one_body_all_of_a_role_candidates_or_none() -> None:
    candidates = (Candidates(np.array([7, 0, 5]), keys_of(0, np.arange(3)), NEXT),)
    _, agents, _ = Scene(np.zeros((VEHICLES, 3))).seen()
    around = replace(world(np.ones(8, dtype=bool)), candidates=candidates)
    no, zero = np.zeros(VEHICLES, dtype=bool), np.zeros(VEHICLES, dtype=np.int64)

    def first(*targets: int) -> list[int]:
        return visits(around, agents, np.array(targets), Role.LEADER, zero, no, onward=no, returns=no).body.tolist()

    assert first(NEAREST, FIRST, 6) == [3, 7, 6]
    assert first(-1, NEAREST, FIRST) == [-1, 3, 7]
    alone = visits(around, agents, np.array([NEAREST, 6, -1]), Role.LEADER, zero, no, onward=no, returns=no).alone
    assert alone.tolist() == [False, True, True]


def test_without_a_body_to_visit_there_is_none() -> None:
    _, agents, _ = Scene(np.zeros((VEHICLES, 3))).seen()
    no, zero = np.zeros(VEHICLES, dtype=bool), np.zeros(VEHICLES, dtype=np.int64)
    around = replace(world(np.zeros(8, dtype=bool)), candidates=(Candidates(zero[:0], keys_of(0, zero[:0]), NEXT),))
    for target in (NEAREST, FIRST, -1):
        visit = visits(around, agents, zero + target, Role.LEADER, zero + 1, no, onward=~no, returns=no)
        assert (visit.body == -1).all()
        assert (visit.stop == 1).all()


def test_of_no_bodies_present_none_is_visited_and_the_agent_is_alone() -> None:
    nothing = np.zeros(2, dtype=bool)
    around, stop = world(np.zeros(VEHICLES + LEADERS, dtype=bool)), np.array([1, 0])
    visit = visited(around, np.array([3, 4]), np.array([0, 1]), stop, nothing, onward=nothing, returns=nothing)
    assert visit.body.tolist() == [-1, -1] and visit.alone.tolist() == [True, True]
    assert visit.stop.tolist() == [1, 0]
