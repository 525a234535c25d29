"""Stories of traffic with the Cars preset as it ships: bends, an animal on the road, oncoming cars, a box."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.behaviors import CATALOGUE
from steering_addon.behaviors.path_following import EITHER
from steering_addon.locomotion import Planar
from steering_addon.recording.mishaps import OVERLAP, Mishaps
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.geometry.capsules import between_axes
from steering_addon.simulation.geometry.obstacles import boxes, obstacles
from steering_addon.simulation.geometry.paths import Spline, spline
from steering_addon.simulation.roles import Role
from steering_addon.simulation.snapshot import State
from steering_addon.simulation.vehicle import VehicleModel
from tests.presets.preset_crowds import columns, locomotions, shipped
from tests.sampling import sampled, thorough
from tests.scene import Scene, headings, leaders, positions, speeds

FPS = 12.0
RADIUS, LENGTH = 0.9, 4.3
LANE = 1.75
"""Metres from the middle of the road to the middle of a lane."""
DEER = 0.5
"""The radius of the animal, metres."""
KINDS = {kind.name: kind for kind in CATALOGUE}
ORDER = [kind.name for kind in CATALOGUE]
Place = Callable[[float], np.ndarray]


def road(right: float = 0.0) -> np.ndarray:
    """A straight, a left and a right bend, and a straight, as points, some metres to the right."""
    heading, at, points = 0.0, np.zeros(3), []
    bends = [0.0] * 60 + [1.0 / 35.0] * 55 + [-1.0 / 35.0] * 55 + [0.0] * 60
    for bend in bends:
        ahead = np.array([np.cos(heading), np.sin(heading), 0.0])
        points.append(at + right * np.array([ahead[1], -ahead[0], 0.0]))
        heading, at = heading + bend, at + ahead
    return np.array(points)


TWO_LANES = (spline(road(LANE), False), spline(road(-LANE)[::-1], False))
BOTH_WAYS = (spline(road(), False),)


def cars(places: list[tuple[Spline, float, float]], paths: tuple[Spline, ...], over: Any = None, **changes) -> Scene:
    """Cars with the shipped preset.

    Args:
        places: the curve, the metres along it and the way, 1 or -1, of each car.
        over: changed values of behaviors, by name.
    """
    preset = shipped("car")
    behaviors = {name: columns(KINDS[name], values) for name, values in preset.behaviors.items()}
    for name, values in (over or {}).items():
        behaviors[name].update(values)
    along = [np.array([metres]) for _, metres, _ in places]
    lines = [next(row for row, path in enumerate(paths) if path is line) for line, _, _ in places]
    behaviors["path_following"] |= {"path": np.array(lines), "direction": EITHER}
    return Scene(
        [line.position(at)[0] for (line, _, _), at in zip(places, along)],
        forward=np.array([line.tangent(at)[0] * way for (line, _, way), at in zip(places, along)]),
        speed=10.0,
        vehicle={**columns(VehicleModel, preset.vehicle), "radius": RADIUS, "length": LENGTH},
        locomotions=locomotions(preset),
        behaviors=[(KINDS[name], behaviors[name]) for name in sorted(behaviors, key=ORDER.index)],
        combining=next(choice.number for choice in COMBININGS if choice.name == preset.combining),
        paths=tuple((line,) for line in paths),
        fps=FPS,
        **changes,
    )


def six(paths: tuple[Spline, ...], **changes) -> Scene:
    """Three cars from either end of the road."""
    outward, back = paths[0], paths[-1]
    starts = (30.0, 18.0, 6.0)
    ends = [(back, s, 1.0) if back is not outward else (back, back.length - s, -1.0) for s in starts]
    return cars([*((outward, s, 1.0) for s in starts), *ends], paths, **changes)


def gaps(states: list[State]) -> np.ndarray:
    """(frames, pairs) metres between the bodies."""
    at, ahead = positions(states), headings(states)
    first, second = np.triu_indices(at.shape[1], 1)
    half = np.full(len(first), LENGTH / 2.0 - RADIUS)
    return np.array(
        [
            np.linalg.norm(between_axes(p[second] - p[first], f[first], half, f[second], half), axis=1) - 2.0 * RADIUS
            for p, f in zip(at, ahead)
        ]
    )


def off_its_lane(states: list[State], line: Spline, row: int) -> np.ndarray:
    """(frames,) metres of a car from its curve."""
    at = positions(states)[:, row]
    return np.linalg.norm(at - line.position(line.nearest(at)), axis=1)


def animal(comes: float, stays: float) -> Place:
    """The places of an animal that steps onto the right lane, 100 m along, stands, and leaves across the road."""
    line = TWO_LANES[0]
    at, ahead = line.position(np.array([100.0]))[0], line.tangent(np.array([100.0]))[0]
    out = np.array([ahead[1], -ahead[0], 0.0])
    times = np.array([comes, comes + 1.2, comes + 1.2 + stays, comes + 4.2 + stays])
    return lambda time: at + out * np.interp(time, times, [6.0, 0.0, 0.0, -12.0])


def as_obstacle(place: Place):
    """The animal as an obstacle whose speed comes from its keys."""

    def at(frame, snapshot):
        return replace(snapshot, obstacles=obstacles([place(frame / FPS)], DEER))

    return at


def as_target(place: Place):
    """The animal as an object without a role."""

    def at(frame, snapshot):
        return replace(snapshot, tracked=untagged(place(frame / FPS)))

    return at


def untagged(place: np.ndarray):
    return replace(leaders(place), roles=np.array([int(Role(0))]))


def test_the_preset_does_not_wander() -> None:
    assert "wander" not in shipped("car").behaviors
    assert {"brake_for", "keep_distance", "path_following"} <= shipped("car").behaviors.keys()


def test_beside_each_other_in_lanes_no_car_dodges_or_is_pushed_aside() -> None:
    """In a bend, Keep Apart and Avoid Each Other of the preset ask for nothing; of cars without wheels they do."""
    outward, back = TWO_LANES
    places = [(outward, 85.0, 1.0), (back, back.length - 92.0, 1.0), (back, back.length - 110.0, 1.0)]
    on_wheels = cars(places, TWO_LANES)
    flat = replace(on_wheels, locomotions=[(Planar, {})])

    def aside(scene: Scene) -> list[float]:
        kinds = [kind.name for kind, _ in scene.behaviors]
        forces = [scene.steering()[kinds.index(name)] for name in ("separation", "unaligned_collision_avoidance")]
        return [float(np.abs(force).max()) for force in forces]

    assert aside(on_wheels) == [0.0, 0.0]
    assert min(aside(flat)) > 0.1


@thorough
def test_in_bends_no_car_brakes_for_the_oncoming_lane() -> None:
    """The cars of one lane drive as if the other were empty, and none comes near another."""
    both = six(TWO_LANES)
    alone = cars([(TWO_LANES[0], s, 1.0) for s in (30.0, 18.0, 6.0)], TWO_LANES)
    with_others, without = both.run(round(12 * FPS)), alone.run(round(12 * FPS))
    assert speeds(with_others).min() > 7.5
    assert gaps(with_others).min() > 1.0
    assert np.abs(speeds(with_others)[:, :3] - speeds(without)).max() < 0.5
    assert np.linalg.norm(positions(with_others)[:, :3] - positions(without), axis=-1).max() < 2.5


@sampled
@pytest.mark.parametrize("tagged", [True, False], ids=["an obstacle", "not tagged"])
def test_cars_stop_before_an_animal_on_their_lane_and_go_on_when_it_leaves(tagged: bool) -> None:
    deer = animal(comes=3.0, stays=6.0)
    scene = six(TWO_LANES)
    if not tagged:
        scene = replace(six(TWO_LANES, over={"brake_for": {"target": 6}}), tracked=untagged(deer(0.0)))
    line = TWO_LANES[0]

    def go_on(states: list[State]) -> bool:
        """Whether the three have set off again, on their lane."""
        if len(states) < 12.5 * FPS or speeds(states[-1:])[0, :3].min() < 6.1:
            return False
        return off_its_lane(states[-1:], line, 0)[0] < 1.4

    states = scene.run_until(go_on, round(20 * FPS), as_obstacle(deer) if tagged else as_target(deer))
    at, speed = positions(states), speeds(states)
    time = np.arange(len(states)) / FPS
    nose = at[:, 0] + (LENGTH / 2.0 - RADIUS) * headings(states)[:, 0]
    before = np.array([np.linalg.norm(p - deer(t)) - RADIUS - DEER for p, t in zip(nose, time)])

    standing = (time > 9.0) & (time < 10.0)
    assert speed[standing, 0].max() < 0.3, "it stands"
    assert before[standing].min() > 1.2 and before[standing].max() < 3.0, "where it should, two metres before it"
    off = off_its_lane(states, line, 0)
    # Avoid Obstacles, which looks for a way round what is tagged, turns it aside a little before it stands.
    assert off.max() < (3.0 if tagged else 1.5), "on its lane"
    assert off[-1] < 1.5, "and there again afterwards"
    seen = (time > 3.0 + 1.2) & (time < 10.0)
    assert np.diff(speed[seen, 0]).max() < 0.05, "once the deer is on the lane it never speeds up"
    assert gaps(states).min() > 0.8, "no car touches another"
    assert speed[:, 3:][time < 10.0].min() > 6.5, "the other lane drives on"
    assert at[-1, 0, 0] > at[round(10 * FPS), 0, 0] + 5.0 and speed[-1, :3].min() > 6.0, "afterwards all go on"


def _stand(states: list[State]) -> bool:
    """Whether all have stood for a second."""
    return len(states) > FPS and bool(speeds(states[-round(FPS) :]).max() < 0.1)


def test_at_13_8_metres_a_second_a_car_stops_before_what_stands_in_its_lane() -> None:
    """With 4 m/s2 that takes 24 m at least; the default distance is less."""
    lanes = tuple(spline(np.array([[0.0, y, 0.0], [400.0, y, 0.0]]), False) for y in (0.0, 200.0))
    distances = np.array([5.0, 20.0])
    over = {"brake_for": {"obstacles": 2, "distance": distances}, "obstacle_avoidance": {"weight": 0.0}}
    deer = obstacles([[160.0, 0.3, 0.0], [160.0, 200.3, 0.0]], DEER)
    scene = cars([(line, 80.0, 1.0) for line in lanes], lanes, over=over, obstacles=deer)
    states = replace(scene, speed=13.8).run_until(_stand, round(25 * FPS))
    nose = positions(states)[-1, :, 0] + LENGTH / 2.0
    assert ((nose > 160.0 - DEER - 4.0) & (nose < 160.0 - DEER - 1.0)).all()
    assert speeds(states)[-1].max() < 0.1
    assert np.diff(speeds(states), axis=0).min() * FPS > -3.5


@thorough
@pytest.mark.parametrize("avoiding", [True, False])
def test_cars_that_meet_on_one_line_never_end_face_to_face(avoiding: bool) -> None:
    """Six on one curve in both directions: all have passed each other finally."""
    over = {} if avoiding else {"unaligned_collision_avoidance": {"weight": 0.0}}
    line = BOTH_WAYS[0]

    def have_passed(states: list[State]) -> bool:
        along = line.nearest(states[-1].motion.position)
        return along[:3].min() > along[3:].max()

    states = six(BOTH_WAYS, over=over).run_until(have_passed, round(24 * FPS))
    assert have_passed(states)
    standing = speeds(states) < 0.2
    assert standing.sum(axis=0).max() < 4.0 * FPS
    if avoiding:  # else they drive through each other, and that is reported
        mishaps = Mishaps(6)
        for frame, state in enumerate(states):
            mishaps.look(frame, state)
        assert mishaps.number(OVERLAP) == 0


@thorough
def test_two_queues_before_an_animal_dissolve_when_it_has_gone() -> None:
    deer = animal(comes=2.0, stays=9.0)
    scene = replace(six(BOTH_WAYS, over={"brake_for": {"target": 6}}), tracked=untagged(deer(0.0)))
    line = BOTH_WAYS[0]

    def have_passed(states: list[State]) -> bool:
        along = line.nearest(states[-1].motion.position)
        return along[:3].min() > along[3:].max()

    def fastest(states: list[State]) -> np.ndarray:
        """The highest speed of each once the animal has left."""
        return speeds(states)[round(14.2 * FPS) :].max(axis=0, initial=0.0)

    states = scene.run_until(
        lambda states: have_passed(states) and fastest(states).min() > 5.0, round(32 * FPS), as_target(deer)
    )
    assert have_passed(states)
    assert gaps(states).min() > 0.0
    assert (fastest(states) > 5.0).all(), "once the animal has left, each moves again"


@thorough
def test_a_car_goes_round_a_box_on_its_lane_and_returns_to_it() -> None:
    line = spline(np.array([[0.0, 0.0, 0.0], [300.0, 0.0, 0.0]]), False)
    box = boxes([[70.0, 0.0, 0.0]], [[1.5, 1.0, 1.0]])
    scene = cars([(line, 10.0, 1.0)], (line,), obstacles=box)
    states = scene.run_until(lambda states: positions(states[-1:])[0, 0, 0] > 140.0, round(20 * FPS))
    away = off_its_lane(states, line, 0)
    assert 1.5 < away.max() < 5.0
    passed = positions(states)[:, 0, 0] > 110.0
    assert away[passed].max() < 1.2, "within the width of its path"
    assert speeds(states)[-1, 0] > 9.0
    assert speeds(states).min() > 2.0


@thorough
@pytest.mark.parametrize("aside", [(-2.0, 2.0), (-4.0, 0.0, 4.0)])
def test_cars_that_start_abreast_merge_one_after_the_other(aside: tuple[float, ...]) -> None:
    """Onto one straight; none of them touches another, none stops, and the right one of two goes first."""
    straight = spline([[0.0, -20.0, 0.0], [0.0, 100.0, 0.0], [0.0, 400.0, 0.0]], False)
    place = cars([(straight, 20.0, 1.0)] * len(aside), (straight,))
    states = replace(place, position=[[x, 0.0, 0.0] for x in aside]).run(int(FPS) * 12)
    assert gaps(states).min() > 0.3
    assert speeds(states).min() > 3.0
    end = positions(states)[-1]
    assert np.abs(end[:, 0]).max() < 0.3, "all on the line"
    if len(aside) == 2:
        assert end[1, 1] > end[0, 1] + LENGTH


def test_a_car_lets_one_that_comes_back_into_its_lane_go_first() -> None:
    """The one behind falls back, and overtakes it on neither side."""
    straight = spline([[0.0, -20.0, 0.0], [0.0, 100.0, 0.0], [0.0, 400.0, 0.0]], False)
    place = cars([(straight, 30.0, 1.0), (straight, 20.0, 1.0)], (straight,), {"path_following": {"lane_offset": LANE}})
    states = replace(place, position=[[LANE + 3.0, 10.0, 0.0], [LANE, 0.0, 0.0]]).run(int(FPS) * 9)
    at = positions(states)
    assert np.abs(at[:, 1, 0] - LANE).max() < 0.3, "the one behind keeps its lane"
    assert at[-1, 0, 0] == pytest.approx(LANE, abs=0.3)
    assert (at[:, 0, 1] > at[:, 1, 1]).all()
    assert gaps(states).min() > 0.3


def test_one_of_three_abreast_brakes_in_time_for_a_box_before_it() -> None:
    """It cannot turn to the side on which the others drive, and stops less quickly than a walker."""
    straight = spline([[0.0, -20.0, 0.0], [0.0, 100.0, 0.0], [0.0, 400.0, 0.0]], False)
    box = boxes(np.array([[-10.0, 28.0, 0.0]]), np.array([[4.0, 4.0, 2.0]]))
    place = cars([(straight, 20.0, 1.0)] * 3, (straight,), obstacles=box)
    states = replace(place, position=[[-10.0, 0.0, 0.0], [-6.5, 0.5, 0.0], [-3.0, -0.5, 0.0]]).run(int(FPS) * 6)
    along = np.linspace(-1.0, 1.0, 9) * (LENGTH / 2.0 - RADIUS)
    bodies = positions(states)[:, :, None] + headings(states)[:, :, None] * along[:, None]
    assert box.clearance(bodies.reshape(-1, 3)).min() - RADIUS > 1.0
    assert gaps(states).min() > 0.3
