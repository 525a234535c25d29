"""Give way (ours): who goes first where paths cross or merge."""

from dataclasses import replace

import numpy as np
import pytest

from scripts.measures.junctions import round_the_ring
from steering_addon.behaviors.brake_for import BrakeFor
from steering_addon.behaviors.give_way import RANKS, GiveWay
from steering_addon.behaviors.keep_distance import KeepDistance
from steering_addon.behaviors.path_following import EITHER, PathFollowing
from steering_addon.locomotion import OnFoot, Planar, Wheeled
from steering_addon.recording.mishaps import LATE, Mishaps
from steering_addon.simulation.arrays.scalars import Scalars
from steering_addon.simulation.geometry.paths import spline
from steering_addon.simulation.lane_use import Signals
from steering_addon.simulation.maneuvers.junctions import Junctions
from steering_addon.simulation.maneuvers.on_lanes import who_is_on_lanes
from steering_addon.simulation.run import step
from steering_addon.simulation.sensing import world_at
from tests.sampling import sampled
from tests.scene import Scene, locked, positions, speeds

FPS = 12
FIRST, EQUAL, LAST = (each.number for each in RANKS)
SPEED, BRAKES = 8.0, 4.0
EAST = spline(np.array([(-200.0, 0.0, 0.0), (200.0, 0.0, 0.0)]), False)
NORTH = spline(np.array([(0.0, -200.0, 0.0), (0.0, 200.0, 0.0)]), False)
RAMP = spline(np.array([(-200.0, -60.0, 0.0), (0.0, 0.0, 0.0), (200.0, 0.0, 0.0)]), False)
TOUCH = 1.0
"""Metres between the middles of two bodies that touch."""


def drivers(on, paths=(EAST, NORTH), values=None, offset=0.0, speed=SPEED, **changes) -> Scene:
    """Vehicles that drive along paths.

    Args:
        on: for each the row of its path, 1 along that or -1 against it, and metres before the middle of it.
        values: of Give Way; None without it.
    """
    position, forward = [], []
    for path, way, before in on:
        line = paths[path].beside(-offset * way)
        along = np.array([line.length / 2.0 - way * before])
        position.append(line.position(along)[0])
        forward.append(way * line.tangent(along)[0])
    row = np.array([path for path, _, _ in on])
    follows = {"path": row, "direction": EITHER, "lane_offset": offset}
    given = {
        "forward": np.array(forward),
        "speed": speed,
        "behaviors": [(PathFollowing, follows), (KeepDistance, {"distance": 40.0})],
        "vehicle": {"max_speed": SPEED, "cruise_speed": 1.0, "max_force": BRAKES},
        "locomotions": [(Planar, {})],
        "paths": tuple((line,) for line in paths),
        "fps": FPS,
    }
    given["behaviors"] += [] if values is None else [(GiveWay, values)]
    return Scene(position, **(given | changes))


def gap(states, first: int = 0, second: int = 1) -> Scalars:
    """Metres between the middles of two vehicles, frame by frame."""
    place = positions(states)
    return np.linalg.norm(place[:, first] - place[:, second], axis=1)


def nearest(states) -> float:
    """Metres between the middles of those two vehicles that come nearest to each other."""
    place = positions(states)
    first, second = np.triu_indices(place.shape[1], 1)
    return float(np.linalg.norm(place[:, first] - place[:, second], axis=2).min())


@sampled(one_of=2)
@pytest.mark.parametrize("later", [0, 1])
def test_who_comes_later_waits_and_the_other_is_not_slowed(later: int) -> None:
    states = drivers([(0, 1, 30.0 + 4.0 * (later == 0)), (1, 1, 30.0 + 4.0 * (later == 1))], values={}).run(FPS * 7)
    assert gap(states).min() > TOUCH
    slowest = speeds(states).min(axis=0)
    assert slowest[1 - later] > 0.97 * SPEED > slowest[later] + 0.2
    assert (np.abs(positions(states)[-1]).max(axis=1) > 10.0).all(), "both go on"
    without = drivers([(0, 1, 30.0), (1, 1, 30.0)]).run(FPS * 5)
    assert gap(without).min() < TOUCH


@sampled(one_of=2)
@pytest.mark.parametrize("way", [1, -1])
def test_of_two_that_come_together_the_right_one_goes_first(way: int) -> None:
    """To one that drives east, who drives north comes from the right."""
    states = drivers([(0, 1, 30.0), (1, way, 30.0)], values={}).run(FPS * 6)
    assert gap(states).min() > TOUCH
    slowest = speeds(states).min(axis=0)
    assert (slowest[1] > slowest[0]) == (way == 1)


def test_four_that_come_together_do_not_wait_for_each_other_for_ever() -> None:
    on = [(path, way, 30.0) for path in (0, 1) for way in (1, -1)]
    states = drivers(on, values={}, offset=1.5).run(FPS * 11)
    assert nearest(states) > TOUCH
    assert speeds(states)[-1].min() > 0.9 * SPEED


def test_a_merging_lane_is_a_zip() -> None:
    on = [(0, 1, 60.0), (0, 1, 80.0), (1, 1, 63.0), (1, 1, 83.0)]
    states = drivers(on, (EAST, RAMP), {}).run(FPS * 8)
    assert nearest(states) > TOUCH
    order = np.argsort(-positions(states)[-1, :, 0])
    assert order.tolist() == [0, 2, 1, 3]
    assert speeds(states).min() > 0.4 * SPEED


def test_nobody_waits_for_one_that_cannot_come() -> None:
    blocked = drivers([(0, 1, 60.0), (1, 1, 40.0)], values={}, tracked=locked((0.0, -8.0, 0.0)))
    states = blocked.run(FPS * 10)
    assert speeds(states)[-1, 1] < 0.1, "it stands behind the other"
    assert positions(states)[-1, 0, 0] > 0.0


def test_a_junction_stays_free_where_there_is_no_room_behind_it() -> None:
    on = [(0, 1, 40.0 + 10.0 * k) for k in range(3)] + [(1, way, 60.0 + 14.0 * k) for way in (1, -1) for k in range(4)]
    body = {"max_speed": SPEED, "cruise_speed": 1.0, "max_force": BRAKES, "radius": 1.0, "length": 4.3}
    stands = locked((14.0, -2.0, 0.0), forward=(1.0, 0.0, 0.0), radius=1.0, length=4.3)
    place = positions(drivers(on, values={}, offset=2.0, tracked=stands, vehicle=body).run(FPS * 16))
    assert place[-1, 0, 0] > 8.0 and (place[-1, 1:3, 0] < -4.0).all()
    assert (place[-1, 3:, 1] * np.repeat((1.0, -1.0), 4) > 8.0).all(), "the crossing road flows"


def test_cars_start_before_a_junction_no_faster_than_lets_them_stop_and_so_does_who_is_behind_them() -> None:
    body = {"max_speed": SPEED, "cruise_speed": 1.0, "max_force": BRAKES, "radius": 1.0, "length": 4.3}
    on = [(0, 1, 12.0), (1, 1, 10.0), (0, 1, 24.0)]
    states = drivers(on, values={}, locomotions=[(Wheeled, {})], vehicle=body).run(FPS * 6)
    assert speeds(states)[0].max() == SPEED > speeds(states)[0].min() > 1.0
    assert (np.diff(speeds(states)[:, 2]) * FPS).min() > -0.6 * BRAKES, "the last one need not brake hard"
    assert nearest(states) > 3.0
    assert (np.abs(positions(states)[-1, :2]).max(axis=1) > 10.0).all()


def test_the_last_wait_for_a_gap_and_go_once_they_have_waited_long() -> None:
    stream = [(0, 1, 20.0 + 18.0 * k) for k in range(4)]
    rank = np.array([EQUAL] * 4 + [LAST])
    waits = drivers([*stream, (1, 1, 15.0)], values={"rank": rank, "patience": 60.0}).run(FPS * 10)
    slow = speeds(waits)[:, -1] < 0.1
    assert slow.sum() > 4 * FPS
    assert min(gap(waits, 4, k).min() for k in range(4)) > TOUCH
    assert speeds(waits)[:, :4].min() > 0.95 * SPEED
    goes = drivers([*stream, (1, 1, 15.0)], values={"rank": rank, "patience": 2.0}).run(FPS * 9)
    assert FPS < (speeds(goes)[:, -1] < 0.1).sum() < slow.sum()
    assert min(gap(goes, 4, k).min() for k in range(4)) > TOUCH


@sampled(one_of=2)
@pytest.mark.parametrize(("before", "on_the_road"), [(3.2, False), (1.4, True)])
def test_cars_stop_for_people_on_the_crossing_only(before: float, on_the_road: bool) -> None:
    place = drivers(
        [(0, 1, 30.0), (1, 1, before)],
        values={"rank": [EQUAL, LAST]},
        speed=[SPEED, 0.0],
        locomotions=[(Wheeled, {}), (OnFoot, {})],
        locomotion_row=[0, 1],
        vehicle={
            "max_speed": [SPEED, 0.7],
            "cruise_speed": 1.0,
            "max_force": BRAKES,
            "radius": [1.0, 0.3],
            "length": [4.0, 0.0],
        },
    )
    states = place.run(FPS * 12)
    speed, where = speeds(states), positions(states)
    near = np.abs(where[:, 1, 1]) < 1.3
    assert not (near & (np.abs(where[:, 0, 0]) < 2.3)).any()
    assert (speed[:, 0].min() < 0.8 * SPEED) == on_the_road
    assert where[-1, 0, 0] > 20.0 and where[-1, 1, 1] > 2.0
    assert (where[FPS : 4 * FPS, 1, 1].max() < -1.9) == (not on_the_road), "one waits at the kerb"


def test_a_car_beside_its_lane_and_one_on_foot_before_that_lane_heed_each_other() -> None:
    behaviors = [
        (PathFollowing, {"path": [0, 1], "direction": EITHER, "lane_offset": [2.0, 0.0]}),
        (BrakeFor, {}),
        (GiveWay, {"rank": [EQUAL, LAST], "gap": 0.5}),
    ]
    body = {"max_speed": [SPEED, 0.7], "cruise_speed": 1.0, "max_force": BRAKES, "radius": [1.0, 0.3]}
    states = drivers(
        [(0, 1, 11.0), (1, -1, 0.5)],
        behaviors=behaviors,
        speed=[5.0, 0.0],
        locomotions=[(Wheeled, {}), (OnFoot, {})],
        locomotion_row=[0, 1],
        vehicle=body | {"length": [4.0, 0.0]},
    ).run(FPS * 4)
    ahead, aside = np.abs(positions(states)[:, 0, :2] - positions(states)[:, 1, :2]).T
    assert not ((ahead < 2.3) & (aside < 1.2)).any()
    assert positions(states)[-1, 0, 0] > 10.0


@sampled(one_of=2)
@pytest.mark.parametrize("values", [{}, {"rank": LAST}])
def test_it_changes_nothing_where_no_paths_meet_and_for_those_alone_on_theirs(values: dict) -> None:
    above = spline(NORTH.points + np.array([0.0, 0.0, 6.0]), False)
    for on, paths in (([(0, 1, 30.0), (0, 1, 40.0)], (EAST, NORTH)), ([(0, 1, 30.0), (1, 1, 30.0)], (EAST, above))):
        with_it, without = (positions(drivers(on, paths, each).run(FPS * 3)) for each in (values, None))
        assert with_it.tobytes() == without.tobytes()


def test_who_comes_into_a_ring_lets_one_go_on_that_would_block_another_arm() -> None:
    """The one that comes in would be there earlier. The way of the third arm is that which would be blocked."""
    on, ways = [(0, 1, 12.0), (1, 1, 28.0), (2, 1, 90.0)], tuple(round_the_ring(arm) for arm in (0, 1, 3))
    body = {"max_speed": SPEED, "cruise_speed": 1.0, "max_force": BRAKES, "radius": 0.9, "length": 4.3}
    ring = drivers(on, ways, {}, speed=5.0, vehicle=body, locomotions=[(Wheeled, {})])
    slowest = speeds(ring.run(FPS * 4)).min(axis=0)
    assert slowest[0] > 4.9 and slowest[1] < 0.3


def test_it_is_asked_once_for_all_and_says_nothing_without_a_path() -> None:
    place = drivers([(0, 1, 30.0), (1, 1, 30.0)], values={})
    bare = replace(place, behaviors=place.behaviors[1:])
    world, _, _ = bare.seen()
    assert np.isinf(Junctions.of(world).allowed).all()
    assert Junctions.of(world) is Junctions.of(world)


def light(place: tuple[float, float, float]) -> Signals:
    """A signal that is not green."""
    return Signals(np.array([place]), np.zeros(1, dtype=bool), np.full(1, -1))


def test_a_signal_holds_the_lane_beside_which_it_stands_until_it_is_green() -> None:
    """One stands to the right of those that drive east; of the lane back and of the other road nobody stops."""
    place = drivers(
        [(0, 1, 28.0), (0, -1, 32.0), (1, 1, 46.0)], values={}, offset=1.5, signals=light((-8.0, -3.0, 0.0))
    )

    def lit(frame, snapshot):
        return replace(snapshot, signals=replace(snapshot.signals, green=np.full(1, frame >= 6 * FPS)))

    states = place.run(FPS * 10, at=lit)
    before = positions(states)[5 * FPS : 6 * FPS, 0]
    assert np.allclose(before[:, 0], before[0, 0], atol=0.05)
    assert -10.0 < before[0, 0] + TOUCH / 2.0 < -8.0
    assert speeds(states)[:, 1:].min() > 0.97 * SPEED, "nobody waits for one that a signal holds"
    assert positions(states)[-1, 0, 0] > 10.0


def test_who_can_no_longer_stop_at_a_signal_goes_on() -> None:
    place = drivers([(0, 1, 12.0)], values={}, signals=light((-8.0, 0.0, 0.0)))
    assert speeds(place.run(FPS * 4)).min() > 0.97 * SPEED


def test_one_that_comes_too_near_to_stop_is_named() -> None:
    mishaps = Mishaps(2)
    for frame, state in enumerate(drivers([(0, 1, 6.0), (1, 1, 4.0)], values={}).run(FPS)):
        mishaps.look(frame, state)
    assert (mishaps.frames[LATE] >= 0).tolist() == [True, False]
    mishaps = Mishaps(2)
    for frame, state in enumerate(drivers([(0, 1, 34.0), (1, 1, 30.0)], values={}).run(FPS * 6)):
        mishaps.look(frame, state)
    assert not mishaps.number(LATE)


def test_who_has_waited_long_for_a_stream_keeps_its_turn_until_it_is_through() -> None:
    """On foot it would lose that with its first step. It sets off where those who come can still stop."""
    states = drivers(
        [*((0, 1, 20.0 + 14.0 * k) for k in range(12)), (1, 1, 3.0)],
        values={"rank": [EQUAL] * 12 + [LAST], "gap": [1.0] * 12 + [0.5]},
        speed=[SPEED] * 12 + [0.0],
        locomotions=[(Wheeled, {}), (OnFoot, {})],
        locomotion_row=[0] * 12 + [1],
        vehicle={
            "max_speed": [SPEED] * 12 + [1.3],
            "cruise_speed": 1.0,
            "max_force": BRAKES,
            "radius": [1.0] * 12 + [0.3],
            "length": [4.0] * 12 + [0.0],
        },
    ).run(FPS * 12)
    place = positions(states)
    assert place[-1, -1, 1] > 1.3
    assert (place[-1, :12, 0] < 0.0).any(), "before the stream has passed"
    ahead, aside = np.abs(place[:, :12, :2] - place[:, -1:, :2]).T
    assert not ((ahead < 2.3) & (aside < 1.3)).any()


def test_who_decides_in_a_step_knows_who_is_on_the_lanes_and_decided_before() -> None:
    scene = drivers([(0, 1, 60.0), (1, 1, 60.0)], values={}, decides_every=3)
    snapshot, state = scene.snapshot(), step(scene.start(), scene.snapshot())
    for _ in range(6):
        state = step(state, snapshot)
        seen = who_is_on_lanes(world_at(state, snapshot, snapshot, 0.0))
        assert seen is not None and seen[0].row.tolist() == [0, 1]
