"""Arriving: who stays, leaves or goes on, and that once arrived is arrived."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors import CATALOGUE
from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.docking import Docking
from steering_addon.behaviors.path_following import LOOP, TURN_BACK, PathFollowing
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.separation import Separation
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.geometry.paths import spline
from steering_addon.simulation.presence.attendance import GO_ON, LEAVE, STAY, Attendance
from tests.behaviors.situations import busy
from tests.scene import Scene, headings, leaders, positions, speeds

FRAMES, FPS = 130, 12.0
DOOR = np.array([0.0, 8.0, 0.0])
ROAD = ((spline(np.array([[0.0, 0.0, 0.0], [0.0, 8.0, 0.0]]), False),),)
WALKER = {"radius": 0.3, "max_speed": 2.0, "max_force": 6.0, "cruise_speed": 0.7}
TO_THE_DOOR = {
    "seek": (Seek, {"target": 1}),
    "arrival": (Arrival, {"target": 1}),
    "docking": (Docking, {"target": 1}),
    "path": (PathFollowing, {"path": 0}),
}
every = pytest.mark.parametrize("kind", CATALOGUE, ids=lambda kind: kind.name)
every_way = pytest.mark.parametrize("way", TO_THE_DOOR)


def walk(way: str, **more) -> Scene:
    """One walker on its way to a door, eight metres ahead and somewhat aside."""
    door = replace(leaders(DOOR), radius=np.zeros(1))
    kind, values = TO_THE_DOOR[way]
    made = {"position": [[0.5, 0.0, 0.0]], "speed": 1.4, "vehicle": WALKER, "tracked": door, "paths": ROAD, "fps": FPS}
    return Scene(**{**made, "behaviors": [(kind, values)], **more})


def on_arrival(place: Scene, what: int, **more):
    told = Attendance.of(len(place), on_arrival=what, **more)
    return lambda frame, snapshot: replace(snapshot, attendance=told)


def gone(states) -> np.ndarray:
    """(frames,) whether the first vehicle has left."""
    return np.array([s.away[0] for s in states])


@every
def test_who_stays_moves_as_if_nobody_had_asked(kind: type[Behavior]) -> None:
    place = busy(kind, 5)
    asked = positions(place.run(15, at=on_arrival(place, STAY)))
    assert asked.tobytes() == positions(place.run(15)).tobytes()


@every
@pytest.mark.parametrize("what", [LEAVE, GO_ON])
def test_the_run_stays_finite_whatever_they_do_on_arrival(kind: type[Behavior], what: int) -> None:
    place = busy(kind, 7)
    for state in place.run(40, at=on_arrival(place, what, arrival_distance=2.0)):
        assert np.isfinite(state.motion.position).all()
        assert np.isfinite(state.motion.velocity).all()


@every_way
def test_who_leaves_is_at_the_door_then_and_moves_no_more(way: str) -> None:
    place = walk(way)
    states = place.run(FRAMES, at=on_arrival(place, LEAVE))
    left = gone(states)
    assert left.any()
    assert (np.diff(left.astype(int)) >= 0).all()
    at = int(np.argmax(left))
    last = positions(states)[at:, 0]
    assert (last == last[0]).all()
    assert abs(last[0] @ np.array([0.0, 1.0, 0.0]) - 8.0) < 0.35
    # It was seen there on the frame before: it goes from where it stands.
    assert np.array_equal(positions(states)[at - 1, 0], last[0])


@every_way
def test_it_leaves_at_the_distance_that_is_asked(way: str) -> None:
    place = walk(way)
    near = []
    for distance in (0.5, 2.0):
        states = place.run(FRAMES, at=on_arrival(place, LEAVE, arrival_distance=distance))
        rest = 8.0 - positions(states)[-1, 0, 1]
        near.append(rest)
        assert distance - 0.3 < rest <= distance
    assert near[0] < near[1]


def test_nobody_makes_way_for_who_has_left() -> None:
    """Who stands by the door is pushed aside while somebody comes, and afterwards only comes to rest again."""
    vehicle = {**WALKER, "cruise_speed": 0.0}
    place = walk("seek", position=[[0.0, 5.0, 0.0], [0.6, 8.4, 0.0]], speed=0.0, vehicle=vehicle)
    behaviors = [(Seek, {"target": np.array([2, -1])}), (Separation, {"distance": 2.0, "angle": 6.3})]
    place = replace(place, behaviors=behaviors)
    states = place.run(FRAMES, at=on_arrival(place, LEAVE))
    left = int(np.argmax(gone(states)))
    assert 0 < left < FRAMES - 20
    pace = speeds(states)[:, 1]
    assert pace[:left].max() > 0.1
    assert (np.diff(pace[left:]) <= 1e-12).all()


@every_way
def test_who_goes_on_passes_through_and_never_turns_back(way: str) -> None:
    place = walk(way)
    states = place.run(2 * FRAMES, at=on_arrival(place, GO_ON))
    path, heading = positions(states)[:, 0], headings(states)[:, 0]
    assert path[-1, 1] > 10.0
    assert (np.diff(path[:, 1]) >= 0.0).all()
    assert (heading[:, 1] > 0.5).all()
    assert np.isclose(speeds(states)[-1, 0], 1.4, atol=0.05)


def test_who_goes_on_keeps_its_pace_to_the_end_of_a_path() -> None:
    place = walk("path")
    assert speeds(place.run(FRAMES, at=on_arrival(place, GO_ON)))[:, 0].min() > 1.3
    assert speeds(place.run(FRAMES))[:, 0].min() < 0.1


def test_once_arrived_is_arrived_wherever_the_goal_goes() -> None:
    place = walk("seek", drift=(0.5, -0.5, 0.0))
    states = place.run(FRAMES, at=on_arrival(place, GO_ON))
    arrived = [bool(s.arrived) and bool(s.arrived["seek"][0]) for s in states]
    at = arrived.index(True)
    assert all(arrived[at:])
    straight = headings(states)[at + 2 :, 0]
    assert np.allclose(straight, straight[0], atol=1e-9)


def test_a_goal_that_is_reached_leaves_the_others() -> None:
    """Through the door, and then along the road behind it."""
    road = ((spline(np.array([[0.0, 9.0, 0.0], [30.0, 9.0, 0.0]]), False),),)
    place = walk("seek", paths=road)
    place = replace(place, behaviors=[(Seek, {"target": 1, "weight": 5.0}), (PathFollowing, {"path": 0})])
    states = place.run(FRAMES, at=on_arrival(place, GO_ON))
    assert states[-1].arrived["seek"].all()
    assert positions(states)[-1, 0, 0] > 3.0


@pytest.mark.parametrize("end", [LOOP, TURN_BACK])
def test_a_path_that_goes_on_has_no_end_to_arrive_at(end: int) -> None:
    place = replace(walk("path"), behaviors=[(PathFollowing, {"path": 0, "end": end})])
    assert not gone(place.run(FRAMES, at=on_arrival(place, LEAVE))).any()


def test_nobody_arrives_by_a_behavior_without_weight() -> None:
    place = walk("seek", position=[[0.0, 0.0, 0.0]], behaviors=[(Seek, {"target": 1, "weight": 0.0})])
    states = place.run(FRAMES, at=on_arrival(place, LEAVE))
    assert positions(states)[-1, 0, 1] > 9.0
    assert not gone(states).any()


@pytest.mark.parametrize("substeps", [1, 2, 4])
def test_nobody_slips_past_its_goal_between_two_steps(substeps: int) -> None:
    """A metre and more a step, and a goal of a few centimetres."""
    vehicle = {"radius": 0.05, "max_speed": 40.0, "max_force": 40.0, "cruise_speed": 1.0}
    place = walk("seek", position=[[0.0, -60.3, 0.0]], speed=40.0, vehicle=vehicle, substeps=substeps)
    left = gone(place.run(60, at=on_arrival(place, LEAVE)))
    assert left.any()
    assert abs(int(np.argmax(left)) - FPS * 68.3 / 40.0) <= 2.0


def test_the_step_makes_hardly_a_difference() -> None:
    when = []
    for substeps in (1, 2, 4):
        place = walk("seek", substeps=substeps)
        when.append(int(np.argmax(gone(place.run(FRAMES, at=on_arrival(place, LEAVE))))))
    assert max(when) - min(when) <= 1


def test_it_has_arrived_at_a_body_that_it_touches() -> None:
    wide = walk("seek", tracked=replace(leaders(DOOR), radius=np.full(1, 2.0)))
    last = positions(wide.run(FRAMES, at=on_arrival(wide, LEAVE)))[-1, 0]
    assert 2.1 < np.linalg.norm(DOOR - last) <= 2.3
