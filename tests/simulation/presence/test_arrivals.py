"""Arrivals: vehicles stay, leave or go on without their goal, and an arrival is final."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors import CATALOGUE
from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.docking import Docking
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.path_following import LOOP, TURN_BACK, PathFollowing
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.separation import Separation
from steering_addon.locomotion import OnFoot
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.geometry.obstacles import boxes
from steering_addon.simulation.geometry.paths import spline
from steering_addon.simulation.presence.attendance import GO_ON, LEAVE, STAY, Attendance
from steering_addon.simulation.steering import ERRAND
from tests.behaviors.situations import busy
from tests.sampling import sampled
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
    """One walker on its way to a door that is eight metres ahead and half a metre to the side."""
    door = replace(leaders(DOOR), radius=np.zeros(1))
    kind, values = TO_THE_DOOR[way]
    usual = {"position": [[0.5, 0.0, 0.0]], "speed": 1.4, "vehicle": WALKER, "tracked": door, "paths": ROAD, "fps": FPS}
    return Scene(**{**usual, "behaviors": [(kind, values)], **more})


def on_arrival(scene: Scene, what: int | np.ndarray, **more):
    """A function that sets what vehicles do on arrival, for `Scene.run`."""
    settings = Attendance.of(len(scene), on_arrival=what, **more)
    return lambda frame, snapshot: replace(snapshot, attendance=settings)


def gone(states) -> np.ndarray:
    """(frames,) whether the first vehicle has left."""
    return np.array([s.away[0] for s in states])


@sampled
@every
def test_staying_on_arrival_changes_nothing(kind: type[Behavior]) -> None:
    scene = busy(kind, 5)
    staying = positions(scene.run(10, at=on_arrival(scene, STAY)))
    assert staying.tobytes() == positions(scene.run(10)).tobytes()


@sampled
@every
def test_leaving_and_going_on_keep_the_run_finite(kind: type[Behavior]) -> None:
    """Of eight, every second one leaves, and the others go on."""
    scene = busy(kind, 8)
    what = np.resize([LEAVE, GO_ON], len(scene))
    for state in scene.run(40, at=on_arrival(scene, what, arrival_distance=2.0)):
        assert np.isfinite(state.motion.position).all()
        assert np.isfinite(state.motion.velocity).all()


@every_way
def test_a_vehicle_leaves_at_the_door_and_stands_there_afterwards(way: str) -> None:
    scene = walk(way)
    states = scene.run(FRAMES, at=on_arrival(scene, LEAVE))
    left = gone(states)
    assert left.any()
    assert (np.diff(left.astype(int)) >= 0).all()
    first = int(np.argmax(left))
    last = positions(states)[first:, 0]
    assert (last == last[0]).all()
    assert abs(last[0] @ np.array([0.0, 1.0, 0.0]) - 8.0) < 0.35
    # It is visible at the door on the frame before, and disappears without another move.
    assert np.array_equal(positions(states)[first - 1, 0], last[0])


@sampled
@every_way
def test_a_vehicle_leaves_at_the_arrival_distance(way: str) -> None:
    scene = walk(way)
    near = []
    for distance in (0.5, 2.0):
        states = scene.run(FRAMES, at=on_arrival(scene, LEAVE, arrival_distance=distance))
        remaining = 8.0 - positions(states)[-1, 0, 1]
        near.append(remaining)
        assert distance - 0.3 < remaining <= distance
    assert near[0] < near[1]


@sampled(one_of=9)
@every_way
def test_a_walker_comes_as_near_as_the_arrival_distance_asks_for(way: str) -> None:
    """Below its slowest speed a walker stands: it must not do so on the last way."""
    scene = walk(way, locomotions=[(OnFoot, {})], position=[[0.0, 0.0, 0.0]])
    assert gone(scene.run(2 * FRAMES, at=on_arrival(scene, LEAVE, arrival_distance=0.1)))[-1]


def test_vehicles_do_not_make_way_for_a_vehicle_that_has_left() -> None:
    """One that stands by the door makes way for an arriving one, and afterwards only slows down."""
    vehicle = {**WALKER, "cruise_speed": 0.0}
    scene = walk("seek", position=[[0.0, 5.0, 0.0], [0.6, 8.4, 0.0]], speed=0.0, vehicle=vehicle)
    behaviors = [(Seek, {"target": np.array([2, -1])}), (Separation, {"distance": 2.0, "angle": 6.3})]
    scene = replace(scene, behaviors=behaviors)
    states = scene.run(FRAMES, at=on_arrival(scene, LEAVE))
    left = int(np.argmax(gone(states)))
    assert 0 < left < FRAMES - 20
    pace = speeds(states)[:, 1]
    assert pace[:left].max() > 0.1
    assert (np.diff(pace[left:]) <= 1e-12).all()


@sampled
@every_way
def test_with_go_on_a_vehicle_passes_its_goal_and_never_turns_back(way: str) -> None:
    scene = walk(way)
    states = scene.run(2 * FRAMES, at=on_arrival(scene, GO_ON))
    path, heading = positions(states)[:, 0], headings(states)[:, 0]
    assert path[-1, 1] > 10.0
    assert (np.diff(path[:, 1]) >= 0.0).all()
    assert (heading[:, 1] > 0.5).all()
    assert np.isclose(speeds(states)[-1, 0], 1.4, atol=0.05)


def test_with_go_on_a_vehicle_does_not_slow_down_at_the_end_of_a_path() -> None:
    scene = walk("path")
    assert speeds(scene.run(FRAMES, at=on_arrival(scene, GO_ON)))[:, 0].min() > 1.3
    assert speeds(scene.run(FRAMES))[:, 0].min() < 0.1


def test_an_arrival_is_final_wherever_the_goal_moves() -> None:
    scene = walk("seek", drift=(0.5, -0.5, 0.0))
    states = scene.run(FRAMES, at=on_arrival(scene, GO_ON))
    arrived = [bool(s.arrived) and bool(s.arrived["seek"][0]) for s in states]
    first = arrived.index(True)
    assert all(arrived[first:])
    straight = headings(states)[first + 2 :, 0]
    assert np.allclose(straight, straight[0], atol=1e-9)


def test_a_reached_goal_leaves_the_other_behaviors() -> None:
    """Through the door, and then along the road behind it."""
    road = ((spline(np.array([[0.0, 9.0, 0.0], [30.0, 9.0, 0.0]]), False),),)
    scene = walk("seek", paths=road)
    scene = replace(scene, behaviors=[(Seek, {"target": 1, "weight": 5.0}), (PathFollowing, {"path": 0})])
    states = scene.run(FRAMES, at=on_arrival(scene, GO_ON))
    assert states[-1].arrived["seek"].all()
    assert positions(states)[-1, 0, 0] > 3.0


@sampled
@pytest.mark.parametrize("end", [LOOP, TURN_BACK])
def test_a_path_without_an_end_cannot_be_arrived_at(end: int) -> None:
    scene = replace(walk("path"), behaviors=[(PathFollowing, {"path": 0, "end": end})])
    assert not len(scene.run(FRAMES, at=on_arrival(scene, LEAVE))[-1].gone)


def test_a_behavior_of_weight_zero_leads_to_no_arrival_and_who_is_there_still_has_somewhere_to_go() -> None:
    scene = walk("seek", position=[[0.0, 0.0, 0.0]], behaviors=[(Seek, {"target": 1, "weight": 0.0})])
    states = scene.run(FRAMES, at=on_arrival(scene, LEAVE))
    assert positions(states)[-1, 0, 1] > 9.0
    assert not gone(states).any()
    places = leaders([0.0, 9.0, 0.0], [0.0, 0.0, 0.0])
    for weight, bound in ((0.0, True), (1.0, False)):
        behaviors = [(Seek, {"target": 1}), (Arrival, {"target": 2, "weight": weight})]
        state = Scene([[0.0, 0.0, 0.0]], behaviors=behaviors, tracked=places).run(2)[-1]
        assert state.memories[ERRAND].bound[0] == bound


def test_who_follows_a_path_past_an_obstacle_has_somewhere_to_go_until_it_is_at_the_end() -> None:
    """Slow bodies, which are within two of their radii of the place beside the box while they have to pass it."""
    line = spline(np.array([[0.0, 0.0, 0.0], [0.0, 30.0, 0.0]]), False)
    states = Scene(
        [[0.0, 4.0, 0.0], [0.0, 8.4, 0.0], [0.0, 9.0, 0.0], [0.0, 28.5, 0.0]],
        speed=0.3,
        vehicle={"radius": 1.0, "max_speed": 0.8, "cruise_speed": 0.5, "max_force": 1.0},
        behaviors=[(PathFollowing, {"path": 0}), (ObstacleAvoidance, {"clearance": 0.3})],
        obstacles=boxes([[0.0, 12.0, 0.0]], [[1.5, 1.0, 1.0]]),
        paths=((line,),),
        fps=FPS,
    ).run(int(9.0 * FPS))
    bound = np.array([state.memories[ERRAND].bound for state in states[2:]])
    assert bound[:, :3].all()
    assert not bound[:, 3].any(), "this one is at the end"


def test_no_vehicle_passes_its_goal_between_two_steps_and_the_step_hardly_matters() -> None:
    """Steps of more than a metre, and a goal of a few centimetres; and a walker."""
    vehicle = {"radius": 0.05, "max_speed": 40.0, "max_force": 40.0, "cruise_speed": 1.0}
    frames = []
    for substeps in (1, 2, 4):
        fast = walk("seek", position=[[0.0, -60.3, 0.0]], speed=40.0, vehicle=vehicle, substeps=substeps)
        left = gone(fast.run(30, at=on_arrival(fast, LEAVE)))
        assert left.any()
        assert abs(int(np.argmax(left)) - FPS * 68.3 / 40.0) <= 2.0
        walker = walk("seek", substeps=substeps)
        frames.append(int(np.argmax(gone(walker.run(FRAMES, at=on_arrival(walker, LEAVE))))))
    assert max(frames) - min(frames) <= 1


def test_a_vehicle_has_arrived_at_a_body_when_it_touches_it() -> None:
    wide = walk("seek", tracked=replace(leaders(DOOR), radius=np.full(1, 2.0)))
    last = positions(wide.run(FRAMES, at=on_arrival(wide, LEAVE)))[-1, 0]
    assert 2.1 < np.linalg.norm(DOOR - last) <= 2.3
