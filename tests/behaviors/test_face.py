"""Face (not in the paper): what it alone promises."""

from dataclasses import replace

import numpy as np
import pytest

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.face import Face
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import Crawling, Flying, OnFoot, Planar, SimpleVehicle, Swimming, Wheeled
from steering_addon.simulation.locomotion import Locomotion
from tests.scene import Scene, headings, leaders, positions, speeds

TARGET = np.array([-6.0, -9.0, 3.0])
"""Behind, to the left, and above."""
MODEL = {"max_speed": 2.0, "max_force": 6.0, "cruise_speed": 0.0}
FPS = 12
turners = pytest.mark.parametrize("kind", [OnFoot, Planar, Crawling, SimpleVehicle, Swimming, Flying])


def one(kind: type[Locomotion], values: dict[str, float] | None = None, **more) -> Scene:
    """A vehicle that stands at the origin and is to face a target."""
    usual = {
        "position": [[0.0, 0.0, 0.0]],
        "behaviors": [(Face, {})],
        "vehicle": MODEL,
        "locomotions": [(kind, values or {})],
        "tracked": leaders(TARGET),
        "fps": FPS,
    }
    return Scene(**{**usual, **more})


def standing(scene: Scene) -> np.ndarray:
    """The headings, (frames, 3), of a vehicle that stands for three seconds."""
    states = scene.run(3 * FPS)
    assert (positions(states) == 0.0).all()
    return headings(states)[:, 0]


def off(heading: np.ndarray, target: np.ndarray = TARGET) -> np.ndarray:
    """The level angles between headings and the direction to a target, degrees."""
    turn = np.arctan2(heading[..., 0], heading[..., 1]) - np.arctan2(target[0], target[1])
    return np.degrees(np.abs((turn + np.pi) % (2.0 * np.pi) - np.pi))


@turners
def test_a_body_that_stands_turns_to_it_on_the_level_unless_it_is_free_in_space(kind: type[Locomotion]) -> None:
    heading = standing(one(kind))
    assert off(heading)[-1] < 1.0
    assert (np.diff(off(heading)) < 1e-9).all()
    rises = kind is SimpleVehicle
    assert np.isclose(heading[-1, 2], rises * TARGET[2] / np.linalg.norm(TARGET), atol=0.02)


@turners
def test_it_turns_no_faster_than_the_body_can(kind: type[Locomotion]) -> None:
    rate = "turn_on_the_spot" if "turn_on_the_spot" in kind.parameters() else "max_turn_rate"
    turned = np.abs(np.diff(off(standing(one(kind, {rate: 1.0}, tracked=leaders(TARGET * (1.0, 1.0, 0.0)))))))
    assert turned.max() <= np.degrees(1.0 / FPS) + 1e-6
    assert turned[:FPS].mean() > 0.9 * np.degrees(1.0 / FPS)


@pytest.mark.parametrize(
    ("kind", "values"), [(Wheeled, {}), (OnFoot, {"turn_on_the_spot": 0.0}), (Flying, {"least_speed": 0.3})]
)
def test_a_body_that_cannot_turn_on_the_spot_does_not(kind: type[Locomotion], values: dict[str, float]) -> None:
    scene = one(kind, values)
    unasked = replace(scene, behaviors=[])
    assert headings(scene.run(FPS)).tobytes() == headings(unasked.run(FPS)).tobytes()


def test_what_is_straight_behind_is_turned_to_all_the_same() -> None:
    behind = np.array([0.0, -5.0, 0.0])
    assert off(standing(one(OnFoot, tracked=leaders(behind))), behind)[-1] < 1.0


def test_it_follows_what_moves() -> None:
    scene = one(OnFoot, tracked=leaders([-4.0, 5.0, 0.0]), drift=(2.0, 0.0, 0.0))
    assert off(headings(scene.run(4 * FPS))[-1, 0], np.array([4.0, 5.0])) < 15.0


@pytest.mark.parametrize("kind", [Planar, OnFoot, SimpleVehicle])
def test_a_vehicle_that_moves_does_not_care(kind: type[Locomotion]) -> None:
    goes = (Seek, {"target": 1})
    places = leaders([0.0, 30.0, 0.0], TARGET)
    scene = one(kind, behaviors=[goes], speed=1.5, vehicle={**MODEL, "cruise_speed": 0.7}, tracked=places)
    faces = replace(scene, behaviors=[goes, (Face, {"target": 2})])
    assert positions(faces.run(48)).tobytes() == positions(scene.run(48)).tobytes()


@pytest.mark.parametrize("kind", [Planar, OnFoot, SimpleVehicle])
def test_a_vehicle_that_slows_down_to_a_stop_turns_then(kind: type[Locomotion]) -> None:
    level = TARGET * (1.0, 1.0, 0.0)
    states = one(kind, speed=1.5, vehicle={**MODEL, "speed_time": 0.4}, tracked=leaders(level)).run(4 * FPS)
    place, pace = positions(states)[:, 0], speeds(states)[:, 0]
    assert (np.diff(pace) <= 1e-9).all()
    stands = np.flatnonzero(pace == 0.0)[0]
    assert off(headings(states)[stands - 1, 0], level - place[stands]) > 90.0
    assert off(headings(states)[-1, 0], level - place[-1]) < 1.0


def test_those_that_have_arrived_face_the_target_of_go_to_and_stop() -> None:
    """Six come from all sides to a column and stand round it."""
    turn = np.arange(6) * np.pi / 3.0
    out = np.stack((np.sin(turn), np.cos(turn), np.zeros(6)), axis=1)
    visit = (Arrival, {"target": 6, "face_target": True, "stay_time": 60.0, "stay_spread": 0.0})
    walker = {**MODEL, "radius": 0.3}
    scene = one(OnFoot, position=9.0 * out, forward=(1.0, 0.0, 0.0), behaviors=[visit], vehicle=walker)
    states = replace(scene, tracked=leaders(np.zeros(3))).run(8 * FPS)
    assert (speeds(states)[-1] == 0.0).all()
    place = positions(states)[-1]
    inward = -place / np.linalg.norm(place, axis=1, keepdims=True)
    assert (np.einsum("ni,ni->n", headings(states)[-1], inward) > np.cos(np.radians(5.0))).all()
