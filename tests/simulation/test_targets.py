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
from steering_addon.simulation.geometry.regions import SPHERE, regions
from steering_addon.simulation.run import step
from steering_addon.simulation.snapshot import Snapshot
from tests.sampling import thorough
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
    at = positions(place.run(24 * 60))
    near = np.linalg.norm(at[:, :, None] - PLACES, axis=-1) < 3.0
    for agent in range(5):
        visits = [int(np.flatnonzero(row)[0]) for row in near[:, agent] if row.any()]
        order = [visits[0], *(b for a, b in pairwise(visits) if a != b)]
        order = order[order.index(0) :]
        assert len(order) >= 6
        assert order == [k % 4 for k in range(len(order))], "in their order, cyclically"


@thorough
def test_in_order_it_skips_what_is_not_present() -> None:
    def gone(frame: int, snapshot: Snapshot) -> Snapshot:
        present = np.array([True, False, True, frame < 240])
        return replace(snapshot, tracked=replace(snapshot.tracked, present=present))

    states = seekers(NEXT, n=1).run(24 * 60, at=gone)
    stops = [int(s.memories["seek.target"].stop[0]) for s in states if "seek.target" in s.memories]
    assert set(stops[240:]) == {0, 2}


def test_the_progress_through_candidates_belongs_to_the_state() -> None:
    place = seekers(NEXT, n=3)
    states = place.run(24 * 20)
    state = states[24 * 12]
    for frame in range(24 * 12 + 1, 24 * 20):
        state = step(state, place.snapshot(frame))
    assert np.array_equal(state.motion.position, states[-1].motion.position)


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


def test_each_follows_one_of_several_leaders() -> None:
    place = replace(seekers(OWN, n=40), behaviors=[(LeaderFollowing, {"leader": FIRST, "spread": 2.0})])
    at = positions(place.run(24 * 20))[-1]
    _, _, [following] = place.seen()
    assert np.linalg.norm(at - PLACES[following.leader - 40], axis=1).max() < 10.0
    assert len(set(following.leader.tolist())) == 4
