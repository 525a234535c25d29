"""Stories of traffic with the Cars preset as it ships: bends, an animal on the road, oncoming cars, a box."""

from dataclasses import replace
from typing import Any

import numpy as np

from steering_addon.behaviors import CATALOGUE
from steering_addon.behaviors.path_following import EITHER
from steering_addon.locomotion import Planar
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.geometry.paths import Spline, spline
from steering_addon.simulation.vehicle import VehicleModel
from tests.presets.preset_crowds import columns, locomotions, shipped
from tests.scene import Scene

FPS = 12.0
RADIUS, LENGTH = 0.9, 4.3
LANE = 1.75
"""Metres from the middle of the road to the middle of a lane."""
KINDS = {kind.name: kind for kind in CATALOGUE}
ORDER = [kind.name for kind in CATALOGUE]


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
