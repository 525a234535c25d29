"""Wheeled: the turning circle, pedals and tyres of a car, its stance on four wheels, and lanes."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.keep_distance import KeepDistance
from steering_addon.behaviors.path_following import EITHER, PathFollowing
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import OnFoot
from steering_addon.locomotion.driving import STOP, Driving, PedalFoot
from steering_addon.locomotion.wheeled import Wheeled
from steering_addon.simulation.arrays.angles import arctangent
from steering_addon.simulation.geometry.paths import Spline, spline
from steering_addon.simulation.geometry.surfaces import Surfaces, surfaces
from steering_addon.simulation.locomotion import HELD_UP, OFF_GROUND, Control
from steering_addon.simulation.snapshot import State
from steering_addon.simulation.terrain import no_terrain
from steering_addon.simulation.vehicle import Motion, VehicleModel
from tests.locomotion.grounds import on, plane
from tests.sampling import sampled
from tests.scene import Scene, headings, leaders, positions, speeds

FPS = 24
LANE = 1.75
CAR = {
    "radius": 0.9,
    "length": 4.3,
    "mass": 2.0,
    "max_force": 8.0,
    "max_speed": 16.7,
    "cruise_speed": 0.83,
    "response_time": 0.6,
}
AXLE = 1.35


def arc(middle: tuple[float, float], radius: float, begin: float, end: float) -> np.ndarray:
    angle = np.linspace(begin, end, 60) * np.pi
    flat = np.stack((np.cos(angle), np.sin(angle), 0.0 * angle), axis=1)
    return np.array((*middle, 0.0)) + radius * flat


def road() -> Spline:
    """A closed road with bends of 9, 13 and 13.5 m to both sides."""
    parts = [
        arc((100.0, 9.0), 9.0, -0.5, 0.5),
        arc((60.0, 31.0), 13.0, -0.5, -1.0),
        arc((34.0, 80.0), 13.0, 0.0, 1.0),
        arc((8.0, 40.0), 13.0, 0.0, -0.5),
        arc((8.0, 13.5), 13.5, 0.5, 1.5),
    ]
    return spline(np.concatenate(parts), True)


def traffic(line: Spline, along: list[float], way: list[int], speed: float = 3.0, **changes: Any) -> Scene:
    ways = np.array(way, dtype=float)
    tangent = line.tangent(np.array(along)) * ways[:, None]
    right = np.stack((tangent[:, 1], -tangent[:, 0], 0.0 * ways), axis=1)
    given = {
        "position": line.position(np.array(along)) + LANE * right,
        "forward": tangent,
        "speed": speed,
        "behaviors": [
            (PathFollowing, {"path": 0, "lane_offset": LANE, "direction": EITHER, "radius": 1.2}),
            (KeepDistance, {"gap": 2.0, "gap_time": 1.2, "distance": 40.0, "lane_width": 3.0}),
        ],
        "locomotions": [(Wheeled, {})],
        "paths": ((line,),),
        "vehicle": CAR,
        "fps": FPS,
    }
    return Scene(**(given | changes))


def output(states: list[State], name: str) -> np.ndarray:
    """(f - 1, n) after the first step."""
    return np.array([state.outputs[name] for state in states[1:]])


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20))
@settings(deadline=None)
def test_the_arctangent_is_that_of_the_library(tangents: list[float]) -> None:
    assert np.abs(arctangent(np.array(tangents)) - np.arctan(tangents)).max() < 1e-12


@pytest.fixture(scope="module")
def drive() -> tuple[Spline, np.ndarray, list[State]]:
    line, way = road(), np.array([1, 1, 1, -1, -1, -1])
    return line, way, traffic(line, [40, 55, 70, 85, 100, 310], way.tolist()).run(150)


def lane_errors(line: Spline, way: np.ndarray, states: list[State]) -> np.ndarray:
    """The distances of the rear axles from the middles of their lanes, (f, n) metres."""
    rear = positions(states) - AXLE * headings(states)
    lanes = [line.beside(-LANE * w) for w in way]
    nearest = [lane.position(lane.nearest(rear[:, k])) for k, lane in enumerate(lanes)]
    return np.stack([np.linalg.norm(rear[:, k] - place, axis=-1) for k, place in enumerate(nearest)], axis=1)


def test_cars_keep_to_the_middle_of_their_lanes_both_ways(drive) -> None:
    error = lane_errors(*drive)
    assert np.percentile(error, 95) < 0.1
    assert error.max() < 0.3


def test_bends_are_comfortable(drive) -> None:
    sideways = np.abs(output(drive[2], "steering_sideways_acceleration"))
    assert np.percentile(sideways, 95) < 2.5
    assert np.percentile(output(drive[2], "steering_forward_acceleration"), 5) > -3.0
    assert speeds(drive[2])[FPS * 5 :].min() > 3.0, "they slow down, and do not stop"


def test_a_walker_in_their_crowd_does_not_change_how_drivers_brake_for_bends() -> None:
    drivers = traffic(road(), [40.0, 80.0, 120.0, 160.0], [1] * 4, speed=13.0)
    drivers = replace(drivers, behaviors=drivers.behaviors[:1])
    mixed = replace(drivers, locomotions=[(Wheeled, {}), (OnFoot, {})], locomotion_row=[0, 0, 0, 1])
    assert (mixed.steering()[0][:3] == drivers.steering()[0][:3]).all()


def test_a_lane_is_a_line_at_its_distance() -> None:
    line = road()
    for left in (-3.0, 2.0):
        lane = line.beside(left)
        along = np.linspace(0.0, lane.length, 200)
        nearest = line.position(line.nearest(lane.position(along)))
        gap = np.linalg.norm(lane.position(along) - nearest, axis=1)
        assert np.abs(gap - abs(left)).max() < 0.02
    assert line.beside(0.0) is line
    straight = spline(np.array([(0.0, 0.0, 0.0), (10.0, 0.0, 2.0)]), False).beside(1.0)
    assert np.allclose(straight.points[[0, -1]], [(0.0, 1.0, 0.0), (10.0, 1.0, 2.0)])


def test_a_lane_inside_a_bend_tighter_than_its_offset_never_runs_backwards() -> None:
    line = spline(arc((0.0, 0.0), 2.0, 0.0, 1.0), False)
    lane = line.beside(3.0)
    assert np.isfinite(lane.points).all()
    assert lane.length < line.length


@sampled
@pytest.mark.parametrize("place", [(0.0, -30.0, 0.0), (3.0, 0.0, 0.0), (-2.0, 1.0, 0.0)])
def test_the_turning_circle_is_never_smaller_than_wheelbase_by_tangent(place) -> None:
    """Behind it, beside it and within its circle: it comes to the place, and never turns on the spot."""
    scene = Scene([(0.0, 0.0, 0.0)], speed=2.0, behaviors=[(Seek, {})], tracked=leaders(place), vehicle=CAR)
    states = replace(scene, locomotions=[(Wheeled, {})]).run(FPS * 18)
    heading, way = headings(states)[:, 0], np.diff(positions(states)[:, 0] - AXLE * headings(states)[:, 0], axis=0)
    turn = np.arcsin(np.linalg.norm(np.cross(heading[:-1], heading[1:]), axis=1))
    covered = np.linalg.norm(way, axis=1)
    assert (turn <= np.tan(0.6) / 2.7 * covered * 1.001 + 1e-7).all()
    assert np.linalg.norm(positions(states)[:, 0] - place, axis=1).min() < 1.0


def test_the_rear_axle_never_slips_sideways(drive) -> None:
    heading = headings(drive[2])
    rear = positions(drive[2]) - AXLE * heading
    middle = heading[1:] + heading[:-1]
    way = np.diff(rear, axis=0)
    aside = way[..., 0] * middle[..., 1] - way[..., 1] * middle[..., 0]
    assert np.abs(aside).max() < 1e-9


def test_what_stands_does_not_turn_and_keeps_its_wheels() -> None:
    scene = Scene([(0.0, 0.0, 0.0)], speed=0.0, behaviors=[(Arrival, {})], tracked=leaders((0.2, 0.0, 0.0)))
    states = replace(scene, locomotions=[(Wheeled, {})], vehicle=CAR).run(FPS * 4)
    assert (headings(states) == headings(states)[0]).all()
    assert np.abs(output(states, "steering_wheel_angle")).max() == 0.0


def test_wheels_and_pedals_take_their_time(drive) -> None:
    angle = output(drive[2], "steering_wheel_angle")
    assert np.abs(np.diff(angle, axis=0)).max() <= 0.8 / FPS * 1.001
    assert np.abs(angle).max() <= 0.6
    pedals = output(drive[2], "steering_forward_acceleration")
    assert np.abs(np.diff(pedals, axis=0)).max() <= 4.0 / FPS / 0.25 * 1.001


def test_wheels_roll_the_way_that_the_car_goes(drive) -> None:
    spin = output(drive[2], "steering_wheel_spin")
    rear = positions(drive[2])[1:] - AXLE * headings(drive[2])[1:]
    covered = np.linalg.norm(np.diff(rear, axis=0), axis=-1).sum(axis=0)
    assert np.allclose((spin[-1] - spin[0]) * 0.33, covered, rtol=1e-3)


def test_a_car_accelerates_or_brakes_and_its_body_leans_accordingly(drive) -> None:
    brake, accelerator = (output(drive[2], f"steering_{name}") for name in ("brake", "accelerator"))
    assert (brake * accelerator == 0.0).all()
    assert brake.max() > 0.3 and accelerator.max() > 0.3
    assert max(brake.max(), accelerator.max()) <= 1.0
    for lean, force in (("pitch", "forward"), ("roll", "sideways")):
        leans, forces = output(drive[2], f"steering_{lean}"), output(drive[2], f"steering_{force}_acceleration")
        assert np.corrcoef(leans.ravel(), forces.ravel())[0, 1] > 0.8
        assert np.abs(leans).max() < 0.1


def on_hills(ground: Surfaces, **changes: Any) -> Scene:
    rng = np.random.default_rng(4)
    given = {
        "position": on(ground, rng.uniform(-18.0, 18.0, (8, 2))),
        "forward": rng.normal(size=(8, 3)) * (1.0, 1.0, 0.0),
        "speed": 4.0,
        "behaviors": [(Seek, {})],
        "tracked": leaders((0.0, 0.0, 0.0)),
        "locomotions": [(Wheeled, {})],
        "vehicle": CAR,
        "surfaces": ground,
        "fps": FPS,
    }
    return Scene(**(given | changes))


def test_the_pose_leans_with_the_slope_and_the_motion_stays_level() -> None:
    grade = 0.2
    states = on_hills(
        surfaces([plane(30.0, tilt=grade)]), speed=0.0, behaviors=[], vehicle={**CAR, "max_speed": 0.0}
    ).run(3)
    pose = states[-1].pose
    assert np.allclose(pose.up, np.array([-grade, 0.0, 1.0]) / np.hypot(1.0, grade), atol=1e-9)
    assert (states[-1].motion.forward[:, 2] == 0.0).all()
    assert np.abs((pose.forward * pose.up).sum(axis=1)).max() < 1e-12


def test_beyond_the_edge_it_says_so_and_stays_at_its_height() -> None:
    scene = on_hills(surfaces([plane(4.0)]), position=[(0.0, 0.0, 0.0)], forward=[(1.0, 0.0, 0.0)], behaviors=[])
    states = scene.run(FPS * 3)
    off = output(states, OFF_GROUND)[:, 0]
    assert off[0] == 0.0 and off[-1] == 1.0
    assert np.abs(positions(states)[..., 2]).max() < 1e-9


@sampled
@pytest.mark.parametrize("speed", [4.0, 12.0])
def test_a_driver_who_stops_at_edges_stands_before_them(speed: float) -> None:
    """The plane ends at 40 m; the nose is 2.15 m ahead of the origin."""
    scene = on_hills(surfaces([plane(40.0)]), position=[(0.0, 0.0, 0.0)], forward=[(1.0, 0.0, 0.0)], behaviors=[])
    states = replace(scene, speed=speed, locomotions=[(Wheeled, {"at_edge": STOP})]).run(FPS * 10)
    nose = positions(states)[-1, 0, 0] + 2.15
    assert 35.0 < nose <= 40.0 and speeds(states)[-1, 0] < 0.1
    assert np.diff(speeds(states)[:, 0]).min() * FPS > -3.5
    assert output(states, OFF_GROUND).max() == 0.0
    held_up = output(states, HELD_UP)[:, 0]
    assert held_up[-1] == 1.0 and held_up[: 2 * FPS].max() == 0.0, "it says that it has no way, once it stands there"


def kink(grade: float, begins: float = 40.0) -> Surfaces:
    """A level road along x that rises from a place on."""
    points, triangles = plane(half=60.0, cells=60)
    points[:, 2] = grade * np.maximum(points[:, 0] - begins, 0.0)
    return surfaces([(points, triangles)])


@sampled(one_of=9)
@pytest.mark.parametrize(("grade", "climbs"), [(0.5, True), (1.0, False), (2.0, False), (-1.5, False)])
def test_a_driver_stands_before_ground_that_is_too_steep(grade: float, climbs: bool) -> None:
    """The slope begins at 40 m, and 35 degrees is a grade of 0.7."""
    scene = on_hills(kink(grade), position=[(0.0, 0.0, 0.0)], forward=[(1.0, 0.0, 0.0)], behaviors=[])
    states = replace(scene, speed=8.0).run(FPS * 6)
    nose, ends = positions(states)[-1, 0, 0] + 2.15, speeds(states)[-1, 0]
    assert (nose > 45.0 and ends > 4.0) if climbs else (35.0 < nose <= 40.0 and ends < 0.1)


@pytest.mark.parametrize("grade", [0.4, -0.4])
def test_an_even_slope_ends_before_no_driver_and_one_that_starts_on_too_steep_ground_may_leave_it(grade: float) -> None:
    ahead = {"position": [(0.0, 0.0, 0.0)], "forward": [(1.0, 0.0, 0.0)], "behaviors": []}
    states = on_hills(surfaces([plane(40.0, tilt=grade)]), **ahead, locomotions=[(Wheeled, {"at_edge": STOP})]).run(FPS)
    assert output(states, HELD_UP).max() == 0.0 and speeds(states)[-1, 0] > 4.0
    scene = on_hills(kink(1.0, -20.0), position=[(0.0, 0.0, 20.0)], forward=[(-1.0, 0.0, 0.0)], behaviors=[])
    assert positions(replace(scene, speed=4.0).run(FPS * 6))[-1, 0, 0] < -25.0


def reacting(reaction: float, allowed: Any, warned: Any = lambda time: False) -> tuple[np.ndarray, np.ndarray]:
    """Speeds and the brake over eight seconds of a car at 10 m/s, under an allowed speed and a warning at each time."""
    foot = PedalFoot(np.zeros(1, dtype=bool), np.zeros(1))
    speed, speeds_so_far, brakes = np.array([10.0]), [], []
    for frame in range(8 * FPS):
        limit = np.array([allowed(frame / FPS)])
        four, quarter = np.array([4.0]), np.array([0.25])
        times = quarter, np.array([reaction]), 1.0 / FPS
        change, foot = foot.moved(np.ones(1), speed, limit, np.array([warned(frame / FPS)]), four, *times)
        speed = np.maximum(speed + change / FPS, 0.0)
        speeds_so_far.append(speed[0])
        brakes.append(foot.pressed(change, four, np.array([2.5]), speed)[0])
    return np.array(speeds_so_far), np.array(brakes)


@pytest.mark.parametrize("reaction", [0.0, 0.7, 1.2])
def test_a_driver_brakes_and_sets_off_a_reaction_time_later(reaction: float) -> None:
    speed, brake = reacting(reaction, lambda time: 20.0 if time < 1.0 else 0.0)
    lit = int(np.argmax(brake > 0.1)) / FPS
    assert abs(lit - 1.0 - reaction) <= 2.5 / FPS
    before = speed[FPS : round(lit * FPS)]
    assert (np.diff(before) <= 0.0).all(), "it lifts its foot immediately"
    assert speed[-1] == 0.0 and brake[-1] > 0.1, "it stands on the brake"
    speed, brake = reacting(reaction, lambda time: 0.0 if time < 5.0 else 20.0)
    assert speed[5 * FPS - 1] == 0.0
    goes = int(np.argmax(speed[5 * FPS :] > 0.0)) / FPS
    assert abs(goes - reaction) <= 2.5 / FPS
    assert (brake[5 * FPS + round(goes * FPS) + 1 :] == 0.0).all()


@pytest.mark.parametrize(("warning", "braked"), [(0.9, 1.6), (0.5, 1.2), (0.1, 1.0)])
def test_brake_lights_ahead_let_a_driver_react_before_it_has_to_brake(warning: float, braked: float) -> None:
    limit, begins = 0.0, 1.0
    _, brake = reacting(0.7, lambda time: limit if time >= begins else 20.0, lambda time: time >= warning)
    assert abs(np.argmax(brake > 0.1) / FPS - braked) <= 2.5 / FPS
    _, brake = reacting(0.7, lambda time: 20.0, lambda time: time >= warning)
    assert (brake == 0.0).all(), "it does not brake for lights alone"


def test_a_little_too_fast_a_driver_only_lifts_the_foot() -> None:
    speed, brake = reacting(0.7, lambda time: 9.9)
    assert (brake == 0.0).all()
    assert abs(speed[-1] - 9.9) < 0.05


@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_tyres_that_hold_a_bend_have_less_left_for_the_pedals(sense: float) -> None:
    """At 5 m/s a curvature of 0.1 takes 2.5 m/s2, of the 4 that they hold."""
    n, speed, forward = 1, 5.0, np.array([[1.0, 0.0, 0.0]])
    curvature, pushes = np.array([0.1 * 2.7]), np.array([4.0 * sense])
    memory = replace(Driving.blank(n), tangent=curvature, acceleration=pushes)
    motion = Motion(np.zeros((n, 3)), speed * forward, forward, forward, np.array([[0.0, 0.0, 1.0]]))
    model = VehicleModel.of(n, **CAR)
    control = Control(forward * pushes * model.mass, None)
    after = Wheeled.of(n).moved(model, motion, control, no_terrain(n), memory, 1.0 / FPS).velocity[0]
    change = (np.linalg.norm(after) - speed) * FPS
    assert change == pytest.approx(sense * np.sqrt(4.0**2 - 2.5**2))


def test_wheels_fit_the_size_of_the_body() -> None:
    car, lorry = Wheeled.fitting(4.3, 1.8), Wheeled.fitting(8.6, 2.5)
    assert abs(car["wheelbase"] - 2.7) < 0.05 and abs(car["track"] - 1.6) < 0.05
    assert lorry["wheelbase"] == 2.0 * car["wheelbase"]
    assert set(car) <= set(Wheeled.parameters())


def test_only_who_drives_with_fully_turned_wheels_counts_how_far_it_has_turned() -> None:
    """One goes round a gentle bend, and one to what lies beside it in its circle."""
    scene = Scene(
        [(0.0, 0.0, 0.0), (50.0, 0.0, 0.0)],
        forward=(1.0, 0.0, 0.0),
        speed=2.0,
        behaviors=[(Seek, {"target": np.array([2, 3])})],
        locomotions=[(Wheeled, {})],
        tracked=leaders((30.0, 8.0, 0.0), (50.0, 2.0, 0.0)),
        vehicle=CAR,
        fps=FPS,
    )
    states = scene.run(2 * FPS)
    wound = np.abs([state.bodies[Wheeled.name].wound for state in states[1:]])
    assert wound[:, 0].max() == 0.0 and 0.1 < wound[-1, 1] < 1.5
