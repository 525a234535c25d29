"""Chassis: wheels stand on the ground by their travels, and bodies ride on springs."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from steering_addon.locomotion.chassis import WHEELS
from steering_addon.locomotion.driving import TRAVELS
from steering_addon.locomotion.wheeled import Wheeled
from steering_addon.simulation.geometry.surfaces import Surfaces, surfaces
from steering_addon.simulation.snapshot import State
from tests.locomotion.grounds import hills, on, plane
from tests.locomotion.test_wheeled import AXLE, CAR, FPS, on_hills, output
from tests.sampling import sampled
from tests.scene import Scene, headings, positions, speeds
from tests.surfaces import patch


def wheels(state: State) -> np.ndarray:
    """The lowest places of the wheels of the model, (4, n, 3), where drivers move them by the travels."""
    pose, places = state.pose, []
    for (ahead, left), travel in zip(WHEELS, TRAVELS):
        arm = AXLE * ahead * pose.forward - 0.8 * left * pose.side
        places.append(state.motion.position + arm + pose.up * state.outputs[travel][:, None])
    return np.array(places)


def above_ground(ground: Surfaces, states: list[State]) -> float:
    """Metres by which a wheel is furthest off the ground; a wheel without ground does not count."""
    x, y, z = np.concatenate([wheels(state).reshape(-1, 3) for state in states]).T
    under = ground.under(x, y, z, np.ones(len(x)), np.ones(len(x)))
    assert (under.triangle >= 0).mean() > 0.9
    return float(np.nanmax(np.abs(z - under.height)))


def jerk(states: list[State]) -> np.ndarray:
    """The change of the turn of the bodies' up axes from frame to frame, (frames - 2, n) degrees."""
    up = np.array([state.pose.up for state in states])
    return np.degrees(np.linalg.norm(up[2:] - 2.0 * up[1:-1] + up[:-2], axis=-1))


def stones() -> Surfaces:
    """Up to 8 cm high, 1.5 m apart."""
    x, y = np.meshgrid(np.arange(-15.0, 90.0, 0.25), np.arange(-15.0, 15.0, 0.25), indexing="ij")
    return surfaces([patch(np.stack((x, y, 0.04 * (np.sin(4.2 * x) + np.sin(4.2 * y + 1.0))), axis=-1))])


def racing(ground: Surfaces, suspension: float, speed: float = 14.0, **changes: Any) -> Scene:
    """Four cars that drive straight on."""
    place = on(ground, [(0.0, y) for y in (-9.0, -3.2, 2.9, 8.7)])
    scene = on_hills(ground, position=place, forward=[(1.0, 0.02 * k, 0.0) for k in range(4)], behaviors=[])
    given = {"speed": speed, "locomotions": [(Wheeled, {"suspension": suspension})]}
    return replace(scene, **given, vehicle=CAR | {"max_speed": speed / 0.83}, **changes)


@sampled(one_of=2)
@pytest.mark.parametrize("suspension", [0.0, 0.12])
def test_every_wheel_touches_hills_once_its_travel_is_added(suspension: float) -> None:
    ground = surfaces([hills(height=1.5)])
    states = on_hills(ground, locomotions=[(Wheeled, {"suspension": suspension})]).run(FPS * 5)
    assert above_ground(ground, states) < 1e-3
    assert np.abs([output(states, travel) for travel in TRAVELS]).max() > 0.01


def test_on_stones_a_body_rides_smoothly_and_its_wheels_stand_on_them_from_the_first_frame() -> None:
    ground = stones()
    bolted, states, twice = (
        racing(ground, suspension, substeps=substeps).run(2 * FPS)
        for suspension, substeps in ((0.0, 1), (0.12, 1), (0.12, 2))
    )
    assert np.percentile(jerk(bolted), 95) > 3.0
    for ridden in (states, twice):
        assert above_ground(ground, ridden) < 1e-3
        assert np.percentile(jerk(ridden), 95) < 0.6
        assert jerk(ridden[:5]).max() < 0.7, "it does not jump as it begins"
        assert np.abs([output(ridden, travel) for travel in TRAVELS]).max() > 0.03
    assert np.abs(positions(states) - positions(twice)).max() < 0.01


def test_who_accelerates_and_turns_on_a_slope_rides_as_who_stands_there() -> None:
    states = on_hills(surfaces([plane(60.0, tilt=0.3)]), speed=2.0, locomotions=[(Wheeled, {"suspension": 0.12})]).run(
        3 * FPS
    )
    assert np.ptp(headings(states), axis=0).max() > 0.5 and np.ptp(speeds(states), axis=0).max() > 1.0
    assert np.abs([state.bodies["wheeled"].ride for state in states]).max() < 1e-9


def test_a_body_hardly_leaves_a_road_over_hills_and_never_gives_way_by_more_than_its_suspension() -> None:
    """Crests 60 m apart with grades of 9 %, at 14 m/s; and a step of half a metre."""
    x, y = np.meshgrid(np.arange(-16.0, 80.0, 1.0), (-15.0, 0.0, 15.0), indexing="ij")
    height = 0.09 * 9.55 * np.sin(x / 9.55)
    for shape, most in ((height, 0.03), (0.35 * (x >= 30.0), 0.12)):
        states = racing(surfaces([patch(np.stack((x, y, shape), axis=-1))]), 0.12).run(3 * FPS)
        ride = np.array([state.bodies["wheeled"].ride for state in states])
        way = np.abs(ride).sum(axis=-1)
        assert 0.01 < way.max() <= most + 1e-9
        assert np.isfinite(ride).all()


def test_who_stands_on_stones_rests_on_the_springs() -> None:
    scene = racing(stones(), 0.12, speed=0.0)
    states = replace(scene, vehicle=CAR | {"max_speed": 0.0}).run(12)
    assert np.abs([state.bodies["wheeled"].ride for state in states]).max() < 1e-9
    assert np.abs(positions(states) - positions(states)[0]).max() < 1e-9
