"""Several targets: the nearest, a random one of its own, or one after the other."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from steering_addon.behaviors.containment import Containment
from steering_addon.behaviors.leader_following import LeaderFollowing
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import Planar
from steering_addon.simulation.arrays.chance import keys_of
from steering_addon.simulation.candidates import FIRST, NEAREST_ONE, NEXT, OWN, Candidates
from steering_addon.simulation.declaration import NEAREST
from steering_addon.simulation.geometry.regions import SPHERE, regions
from steering_addon.simulation.maneuvers.chasing import PACKED, at_stop
from steering_addon.simulation.roles import Role
from steering_addon.simulation.targets import find_visit, visits
from steering_addon.simulation.world import World
from tests.scene import Scene, leaders, positions

N = 60
PLACES = np.array([[20.0, 0.0, 0.0], [0.0, 25.0, 0.0], [-15.0, -15.0, 0.0], [12.0, -18.0, 0.0]])


def group(pick: int, rows=None, n: int = N) -> Candidates:
    rows = np.arange(n, n + len(PLACES)) if rows is None else np.asarray(rows)
    return Candidates(rows, keys_of(0, rows - n), pick)


def seekers(pick: int, n: int = N, **changes) -> Scene:
    rng = np.random.default_rng(1)
    return Scene(
        rng.uniform(-30.0, 30.0, (n, 3)) * (1.0, 1.0, 0.0),
        speed=4.0,
        behaviors=[(Seek, {"target": FIRST})],
        tracked=leaders(*PLACES),
        candidates=(group(pick, n=n),),
        locomotions=[(Planar, {})],
        **changes,
    )


def targets(place: Scene, present=None) -> np.ndarray:
    """The index of the position that each agent steers by."""
    if present is not None:
        place = replace(place, tracked=replace(place.tracked, present=np.asarray(present)))
    _, _, [seek] = place.seen()
    return np.where(seek.target < 0, -1, seek.target - len(place))


def test_each_agent_takes_the_nearest() -> None:
    place = seekers(NEAREST_ONE)
    distance = np.linalg.norm(place.position[:, None] - PLACES[None], axis=-1)
    assert (targets(place) == distance.argmin(axis=1)).all()
    without = targets(place, [True, False, True, True])
    distance[:, 1] = np.inf
    assert (without == distance.argmin(axis=1)).all()


def test_each_agent_takes_a_random_one_by_its_seed_and_keeps_it_while_it_is_present() -> None:
    place = seekers(OWN, n=400)
    chosen = targets(place)
    assert np.bincount(chosen, minlength=4).min() > 60, "about the same number each"
    assert (targets(replace(place, seed=1)) != chosen).mean() > 0.5
    without = targets(place, [True, True, False, True])
    assert (without[chosen != 2] == chosen[chosen != 2]).all(), "only agents whose target has gone take another"
    assert (without != 2).all()
    rows = np.array([7, 2, 9])
    fewer = replace(place.take(rows), candidates=(group(OWN, n=3),))
    assert (targets(fewer) == chosen[rows]).all(), "whatever other agents are present"


def test_another_candidate_takes_its_share_only() -> None:
    place = seekers(OWN, n=400)
    three = replace(place, candidates=(group(OWN, 400 + np.arange(3), n=400),))
    before, after = targets(three), targets(place)
    assert (after[after != 3] == before[after != 3]).all()


def test_in_order_each_arrival_leads_to_the_next() -> None:
    place = seekers(NEXT, n=5)
    assert (targets(place) == 0).all(), "starting with the first"
    at = positions(replace(place, fps=12.0).run(12 * 45))
    near = np.linalg.norm(at[:, :, None] - PLACES, axis=-1) < 3.0
    for agent in range(5):
        visits = [int(np.flatnonzero(row)[0]) for row in near[:, agent] if row.any()]
        order = [visits[0], *(b for a, b in pairwise(visits) if a != b)]
        order = order[order.index(0) :]
        assert len(order) >= 6
        assert order == [k % 4 for k in range(len(order))], "in their order, cyclically"


@pytest.mark.parametrize("within", [0.0, 6.0])
def test_in_order_a_throng_reaches_a_stop_as_near_as_those_nearer_to_it_leave_room(within: float) -> None:
    place = seekers(NEXT)
    place.position = place.position * 0.2 + PLACES[0]
    world, agents, _ = place.seen()
    agents = replace(agents, velocity=np.zeros((N, 3)), arrival_distance=np.full(N, within))
    goal = np.where(np.arange(N) % 3 == 0, N + 1, N)
    distance = np.linalg.norm(world.bodies.position[goal] - agents.position, axis=1)
    for k, reached in enumerate(at_stop(world, agents, goal, np.full(N, 0.5))):
        nearer = (goal == goal[k]) & (distance < distance[k])
        room = np.sqrt((agents.radius[nearer] ** 2).sum() / PACKED)
        touching = agents.radius[k] + world.bodies.radius[goal[k]] + 0.5 + room
        assert reached == (distance[k] <= (within or touching)), k


@pytest.mark.parametrize("pick", [NEAREST_ONE, OWN, NEXT])
def test_no_agent_takes_itself_or_what_is_not_present(pick: int) -> None:
    place = replace(seekers(pick, n=3), candidates=(group(pick, [0, 1, 2], n=3),))
    _, _, [seek] = place.seen()
    assert ((seek.target >= 0) & (seek.target != np.arange(3))).all()
    alone = replace(seekers(pick, n=1), candidates=(group(pick, [0], n=1),))
    assert (alone.steering()[0] == 0.0).all()
    absent = replace(place, candidates=(group(pick, [3], n=3),))
    absent = replace(absent, tracked=replace(absent.tracked, present=np.zeros(4, dtype=bool)))
    assert (absent.steering()[0] == 0.0).all()


def test_a_region_that_is_absent_gives_no_target() -> None:
    room = replace(regions([[0.0, 0.0, 0.0]], 5.0, SPHERE), present=np.array([False]))
    place = Scene([[9.0, 0.0, 0.0], [0.0, 9.0, 0.0]], behaviors=[(Containment, {"region": 0})], regions=room)
    assert (place.seen()[2][0].region == -1).all()
    present = replace(place, regions=replace(room, present=np.array([True])))
    assert (present.seen()[2][0].region == 0).all()


def test_each_behavior_and_parameter_may_have_its_own_candidates() -> None:
    place = seekers(NEAREST_ONE, n=2)
    place.candidates = (group(NEAREST_ONE, [2], n=2), group(NEAREST_ONE, [3, 4], n=2))
    place.behaviors = [(Seek, {"target": [FIRST, FIRST - 1]}), (LeaderFollowing, {"leader": FIRST - 1})]
    _, _, [seek, following] = place.seen()
    assert seek.target[0] == 2
    assert seek.target[1] in (3, 4)
    assert set(following.leader) <= {3, 4}


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
    visit = find_visit(around, bodies, visitor, stop, backward, onward=onward, returns=returns)
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
        visit = find_visit(around, np.arange(3) + 4, no.astype(int), stop, backward, onward=yes, returns=yes & returns)
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


def test_without_a_body_to_visit_there_is_none_and_the_agent_is_alone() -> None:
    _, agents, _ = Scene(np.zeros((VEHICLES, 3))).seen()
    no, zero = np.zeros(VEHICLES, dtype=bool), np.zeros(VEHICLES, dtype=np.int64)
    around = replace(world(np.zeros(8, dtype=bool)), candidates=(Candidates(zero[:0], keys_of(0, zero[:0]), NEXT),))
    visit = find_visit(around, np.array([3, 4]), np.arange(3), zero + 1, no, onward=no, returns=no)
    for target in (None, NEAREST, FIRST, -1):
        if target is not None:
            visit = visits(around, agents, zero + target, Role.LEADER, zero + 1, no, onward=~no, returns=no)
        assert (visit.body == -1).all() and visit.alone.all()
        assert (visit.stop == 1).all()
