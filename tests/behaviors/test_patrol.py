"""Patrol (not in the paper): goes from one target to the next and waits at each."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.patrol import ROUND, THERE_AND_BACK, Patrol, Patrolling
from steering_addon.locomotion import Planar
from steering_addon.simulation.arrays.chance import keys_of
from steering_addon.simulation.candidates import FIRST, NEXT, Candidates
from steering_addon.simulation.geometry.obstacles import boxes
from steering_addon.simulation.maneuvers.chasing import CURRENT_SPEED, MAX_SPEED
from steering_addon.simulation.presence.attendance import LEAVE, Attendance
from steering_addon.simulation.snapshot import Snapshot, State
from tests.sampling import sampled
from tests.scene import PRIORITY, Scene, leaders, positions, speeds

POSTS = np.array([[0.0, 12.0, 0.0], [10.0, 12.0, 0.0], [10.0, -4.0, 0.0]])
SECOND = 12
"""Frames."""
every_pace = pytest.mark.parametrize("pace", [MAX_SPEED, CURRENT_SPEED])
every_order = pytest.mark.parametrize(("order", "period"), [(ROUND, (0, 1, 2)), (THERE_AND_BACK, (0, 1, 2, 1))])


def guards(n: int = 1, posts: np.ndarray = POSTS, **values) -> Scene:
    """Vehicles side by side that patrol between posts without a size."""
    return Scene(
        np.arange(n)[:, None] * [[2.0, 0.0, 0.0]],
        speed=2.0,
        behaviors=[(Patrol, {"wait_spread": 0.0, **values})],
        tracked=replace(leaders(*posts), radius=np.zeros(len(posts))),
        locomotions=[(Planar, {})],
        fps=float(SECOND),
    )


def memories(states: list[State]) -> list[Patrolling]:
    return [state.memories["patrol"] for state in states[1:]]


def until(place: Scene, visits: int, seconds: int) -> list[State]:
    """The states until each vehicle has left that number of targets, or of that number of seconds."""
    return place.run_until(lambda states: states[-1].memories["patrol"].visits.min() >= visits, seconds * SECOND)


def stops(states: list[State], row: int = 0) -> list[int]:
    """The targets of a vehicle, one after the other."""
    targets = [int(memory.stop[row]) for memory in memories(states)]
    return [targets[0], *(after for before, after in pairwise(targets) if before != after)]


def away(states: list[State], posts: np.ndarray = POSTS) -> np.ndarray:
    """(frames, n, posts) metres from the vehicles to the posts."""
    return np.linalg.norm(positions(states)[:, :, None] - posts, axis=-1)


def leaving(states: list[State], row: int = 0) -> list[int]:
    """The frames after which a vehicle leaves a target, as indices of `memories`."""
    visits = [memory.visits[row] for memory in memories(states)]
    return [frame for frame, (before, after) in enumerate(pairwise(visits)) if before != after]


@sampled(one_of=9)
@every_order
@pytest.mark.parametrize(("pace", "wait_time"), [(MAX_SPEED, 0.0), (CURRENT_SPEED, 1.0)])
def test_it_goes_through_its_targets_in_their_order(order: int, period: tuple, pace: int, wait_time: float) -> None:
    states = until(guards(order=order, pace=pace, wait_time=wait_time), 8, 60)
    targets = stops(states)
    assert len(targets) > 7
    assert targets == [period[k % len(period)] for k in range(len(targets))]
    distances, known = away(states)[1:, 0], memories(states)
    assert max(distances[frame, known[frame].stop[0]] for frame in leaving(states)) < 1.0


@sampled
@every_pace
def test_it_stands_at_each_target_for_the_time_it_waits(pace: int) -> None:
    states = until(guards(wait_time=3.0, pace=pace), 5, 60)
    waited = np.array([memory.waited[0] for memory in memories(states)])
    speed, distance = speeds(states)[1:, 0], away(states).min(axis=2)[1:, 0]
    assert len(leaving(states)) > 4
    for frame in leaving(states):
        assert waited[frame] == pytest.approx(3.0, abs=0.1)
        assert distance[frame] < 0.05
        assert speed[frame - 2 * SECOND : frame].max() < 0.25


@every_pace
def test_it_passes_through_where_it_does_not_wait(pace: int) -> None:
    states = until(guards(wait_time=0.0, pace=pace), 5, 30)
    frames = leaving(states)
    assert len(frames) > 4
    assert speeds(states)[frames, 0].min() > 3.5


def test_at_its_own_pace_it_keeps_to_cruise_speed() -> None:
    states = guards(wait_time=0.0, pace=CURRENT_SPEED).run(12 * SECOND)
    assert speeds(states).max() < 4.2
    assert np.median(speeds(states)) == pytest.approx(4.0, abs=0.1)


def test_waits_differ_by_chance_from_visit_to_visit_and_from_agent_to_agent() -> None:
    place = guards(12, wait_time=2.0, wait_spread=1.0)
    _, agents, [patrol] = place.seen()
    waits = np.array([patrol._wait(agents, np.full(12, number)) for number in range(50)])
    assert 0.0 <= waits.min() < 0.2 and 3.8 < waits.max() < 4.0
    assert waits.mean() == pytest.approx(2.0, abs=0.1)
    assert len(np.unique(waits)) == waits.size
    same = guards(12, wait_time=2.0, wait_spread=0.0)
    _, agents, [patrol] = same.seen()
    assert (patrol._wait(agents, np.arange(12)) == 2.0).all()


@sampled
@pytest.mark.parametrize("target", [1, FIRST])
@pytest.mark.parametrize("wait_time", [0.0, 1.0])
def test_at_a_single_target_it_waits_for_good(target: int, wait_time: float) -> None:
    place = guards(posts=POSTS[:1], wait_time=wait_time, targets=target)
    place.candidates = (Candidates(np.array([1]), keys_of(0, np.array([1])), NEXT),)
    states = place.run(14 * SECOND)
    assert away(states)[-1, 0, 0] < 0.01
    assert speeds(states)[-1, 0] < 0.01


def test_it_visits_candidates_in_their_order_and_never_itself() -> None:
    """Of a crowd that patrols among its own, each passes over itself."""
    place = guards(3, wait_time=0.0, targets=FIRST)
    place.candidates = (Candidates(rows := np.array([4, 0, 2]), keys_of(0, rows), NEXT),)
    world, agents, [patrol] = place.seen()
    memory = Patrolling.blank(3)
    assert np.allclose(patrol.goal(world, agents, memory), POSTS[1])
    memory = replace(memory, stop=np.array([1, 1, 2]))
    first, third = agents.position[0], agents.position[2]
    assert np.allclose(patrol.goal(world, agents, memory), [third, first, POSTS[1]])


def without(row: int, since: int):
    """Posts of which one disappears on a frame."""

    def changed(frame: int, snapshot: Snapshot) -> Snapshot:
        present = (np.arange(len(POSTS)) != row) | (frame < since)
        return replace(snapshot, tracked=replace(snapshot.tracked, present=present))

    return changed


@sampled(one_of=9)
@every_order
@pytest.mark.parametrize("since", [0, SECOND, 5 * SECOND])
def test_a_target_that_disappears_is_passed_over(order: int, period: tuple, since: int) -> None:
    """Before it sets off, on the way, and while it waits there."""
    states = guards(order=order, wait_time=3.0).run(40 * SECOND, at=without(0, since))
    targets = [int(memory.stop[0]) for memory in memories(states)]
    assert set(targets[:since]) == ({0} if since else set())
    assert set(targets[since + 1 :]) == {1, 2}
    assert len(stops(states)) > 4


def test_without_any_target_it_does_nothing_until_one_is_back() -> None:
    def gone(frame: int, snapshot: Snapshot) -> Snapshot:
        present = np.full(len(POSTS), not 2 * SECOND <= frame < 5 * SECOND)
        return replace(snapshot, tracked=replace(snapshot.tracked, present=present))

    states = guards(wait_time=0.0).run(15 * SECOND, at=gone)
    heading = np.diff(positions(states)[2 * SECOND + 1 : 5 * SECOND, 0], axis=0)
    assert np.allclose(heading[:, [0, 2]], 0.0) and (heading[:, 1] > 0.0).all()
    assert stops(states)[:4] == [0, 1, 2, 0]
    world, agents, [patrol] = guards(targets=-1).seen()
    steering = patrol.steer(world, agents, Patrolling.blank(1))
    assert (steering.force == 0.0).all() and not steering.sets_speed.any()
    assert np.isnan(patrol.goal(world, agents, Patrolling.blank(1))).all()


def test_it_arrives_within_the_distance_that_is_set_and_never_leaves() -> None:
    def told(frame: int, snapshot: Snapshot) -> Snapshot:
        return replace(snapshot, attendance=Attendance.of(1, on_arrival=LEAVE, arrival_distance=3.0))

    states = guards(wait_time=0.0).run(14 * SECOND, at=told)
    frames = leaving(states)
    assert len(frames) > 3
    assert not any(state.gone.any() for state in states)
    nearest = [away(states)[frame + 1, 0, memories(states)[frame].stop[0]] for frame in frames]
    assert min(nearest) > 2.5 and max(nearest) <= 3.0


def test_a_walker_plans_its_way_to_its_target() -> None:
    wall = boxes([[0.0, 6.0, 0.0]], [[8.0, 0.5, 2.0]])
    place = replace(guards(wait_time=0.5), obstacles=wall, combining=PRIORITY)
    place.behaviors = [*place.behaviors, (ObstacleAvoidance, {})]
    assert len(leaving(until(place, 3, 40))) > 2


def test_it_sets_off_by_the_formula() -> None:
    """Far from a target, at top speed and with the vehicle's response time; within its reach, toward a stop there."""
    far = Scene(
        [[0.0, 0.0, 0.0]],
        behaviors=[(Patrol, {"targets": 1})],
        tracked=leaders([0.0, 90.0, 0.0]),
        locomotions=[(Planar, {})],
    )
    assert np.allclose(far.steering()[0], [[0.0, 5.0 / 0.2, 0.0]])
    near = replace(far, tracked=leaders([0.0, 0.8, 0.0]))
    assert np.allclose(near.steering()[0], [[0.0, 1.0 / 0.2, 0.0]])
