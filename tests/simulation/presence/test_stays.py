"""Stays: vehicles stand for a time where they arrive, go on after that, and a share of them goes there at all."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors import CATALOGUE
from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import OnFoot, Planar
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.presence.attendance import LEAVE
from steering_addon.simulation.presence.attendance import STAY as STAY_FOR_GOOD
from tests.behaviors.situations import busy
from tests.sampling import sampled
from tests.scene import Scene, leaders, positions, speeds
from tests.simulation.presence.test_arrivals import DOOR, FPS, TO_THE_DOOR, WALKER, gone, on_arrival, walk

EXIT = np.array([10.0, 8.0, 0.0])
STAY, STANDS = 3.0, 0.05
"""Seconds, and metres a second."""
WAYS = [way for way in TO_THE_DOOR if way != "seek"]


def visit(way: str, body: type = Planar, frames: int = 260, at=None, **more):
    """The states of one walker that stays for a time at the door and then goes to the exit."""
    kind, values = TO_THE_DOOR[way]
    behaviors = [(kind, {**values, "stay_time": STAY, "stay_spread": 0.0, **more}), (Seek, {"target": 2})]
    places = replace(leaders(DOOR, EXIT), radius=np.zeros(2))
    scene = walk(way, behaviors=behaviors, tracked=places, locomotions=[(body, {})])
    return scene.run(frames, at=at or on_arrival(scene, LEAVE))


def stood(states) -> np.ndarray:
    """(n,) the seconds for which each vehicle stands in its longest rest."""
    rests = speeds(states) < STANDS
    longest, length = np.zeros(rests.shape[1]), np.zeros(rests.shape[1])
    for now in rests:
        length = np.where(now, length + 1.0 / FPS, 0.0)
        longest = np.maximum(longest, length)
    return longest


def crowd(count: int, **values) -> Scene:
    """Walkers side by side, each with a door of its own eight metres ahead, and an exit far beyond for all."""
    start = np.column_stack((2.0 * np.arange(count), np.zeros((count, 2))))
    places = [*(start + DOOR), [count, 60.0, 0.0]]
    to_doors = (Arrival, {"target": count + np.arange(count), "stay_time": STAY, **values})
    behaviors = [to_doors, (Seek, {"target": 2 * count})]
    return Scene(start, behaviors=behaviors, speed=1.4, vehicle=WALKER, tracked=leaders(*places), fps=FPS)


@sampled(one_of=9)
@pytest.mark.parametrize("body", [Planar, OnFoot], ids=lambda kind: kind.name)
@pytest.mark.parametrize("way", WAYS)
def test_a_vehicle_stands_for_its_time_at_the_door_then_leaves_by_the_exit(way: str, body: type) -> None:
    states = visit(way, body)
    place = positions(states)[:, 0]
    assert STAY - 0.2 < stood(states)[0] < STAY + 0.3
    rest = place[speeds(states)[:, 0] < STANDS]
    assert (np.abs(rest - DOOR) < (0.6, 0.6, 0.01)).all()
    first = int(np.argmax(gone(states)))
    assert first > 0
    assert np.linalg.norm(place[first] - EXIT) < 0.5


def test_it_stands_where_it_has_arrived_within_a_distance() -> None:
    scene = walk("arrival")
    states = visit("arrival", at=on_arrival(scene, LEAVE, arrival_distance=2.0))
    rest = positions(states)[speeds(states)[:, 0] < STANDS, 0]
    assert (np.abs(np.linalg.norm(rest - DOOR, axis=1) - 1.8) < 0.25).all()


def test_it_stops_gently() -> None:
    scene = walk("arrival")
    states = visit("arrival", at=on_arrival(scene, LEAVE, arrival_distance=3.0))
    assert np.abs(np.diff(speeds(states)[:, 0])).max() * FPS < 0.6 * WALKER["max_force"]


def test_a_stay_is_not_ended_by_the_place_that_moves_away() -> None:
    scene = walk("arrival", drift=(0.0, 0.2, 0.0), behaviors=[(Arrival, {"target": 1, "stay_time": 30.0})])
    place = positions(scene.run(150, at=on_arrival(scene, STAY_FOR_GOOD, arrival_distance=2.0)))[:, 0]
    assert (place[-1] == place[-60]).all()


@pytest.mark.parametrize("spread", [0.0, 0.5])
def test_stays_vary_about_their_average_by_their_spread(spread: float) -> None:
    times = stood(crowd(40, stay_spread=spread).run(170))
    assert times.min() > STAY * (1.0 - spread) - 0.2
    assert times.max() < STAY * (1.0 + spread) + 0.3
    assert np.ptp(times) > 1.5 * spread * STAY - 1e-9
    assert abs(times.mean() - STAY) < 0.4


def test_a_share_goes_there_and_a_larger_share_includes_the_smaller_one() -> None:
    goes = {}
    for share in (0.0, 0.3, 0.7, 1.0):
        goes[share] = stood(crowd(60, share_going=share).run(100)) > 0.5
    assert not goes[0.0].any()
    assert goes[1.0].all()
    assert abs(goes[0.3].mean() - 0.3) < 0.15
    assert abs(goes[0.7].mean() - 0.7) < 0.15
    assert goes[0.7][goes[0.3]].all()


def test_who_does_not_go_there_moves_as_if_there_were_no_such_place() -> None:
    scene = crowd(12, share_going=0.0)
    without = replace(scene, behaviors=scene.behaviors[1:])
    assert np.allclose(positions(scene.run(60)), positions(without.run(60)), atol=1e-9)


def test_of_two_places_the_one_of_the_lower_priority_comes_first() -> None:
    places = replace(leaders([0.0, 8.0, 0.0], [4.0, 4.0, 0.0]), radius=np.zeros(2))
    docks = TO_THE_DOOR["docking"][0]
    for first, order in ((1, "door"), (3, "dock")):
        behaviors = [
            (Arrival, {"target": 1, "stay_time": 2.0, "priority": first}),
            (docks, {"target": 2, "stay_time": 2.0, "priority": 2, "approach_distance": 1.0}),
        ]
        scene = walk("arrival", behaviors=behaviors, tracked=places)
        path = positions(scene.run(156))[:, 0]
        at = [int(np.argmax(np.linalg.norm(path - p, axis=1) < 0.5)) for p in (places.position[0], places.position[1])]
        assert min(at) > 0
        assert (at[0] < at[1]) == (order == "door")


def test_without_a_target_it_does_not_wait() -> None:
    scene = walk("arrival", behaviors=[(Arrival, {"target": -1, "stay_time": STAY}), (Seek, {"target": 1})])
    assert gone(scene.run(130, at=on_arrival(scene, LEAVE))).any()


@sampled
@pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.name)
def test_vehicles_arrive_by_those_behaviors_that_say_so(kind: type[Behavior]) -> None:
    scene = busy(kind, 4)
    states = scene.run(25, at=on_arrival(scene, LEAVE, arrival_distance=30.0))
    assert kind.arrives or not states[-1].away.any()
