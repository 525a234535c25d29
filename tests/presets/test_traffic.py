"""Traffic with the Cars preset as it ships."""

from dataclasses import replace

import numpy as np

from scripts.preset_crowds import as_scene, shipped
from steering_addon.behaviors.path_following import EITHER
from steering_addon.locomotion import Planar
from steering_addon.simulation.geometry.paths import Spline, spline
from tests.scene import Scene

FPS = 12.0
RADIUS, LENGTH = 0.9, 4.3
LANE = 1.75
"""Metres from the middle of the road to the middle of a lane."""


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


def cars(places: list[tuple[Spline, float, float]], paths: tuple[Spline, ...]) -> Scene:
    """Cars with the shipped preset. `places`: the curve, the metres along it and the way, 1 or -1, of each car."""
    along = [np.array([metres]) for _, metres, _ in places]
    lines = [next(row for row, path in enumerate(paths) if path is line) for line, _, _ in places]
    settings = as_scene(shipped("car"), path_following={"path": np.array(lines), "direction": EITHER})
    settings["vehicle"] |= {"radius": RADIUS, "length": LENGTH}
    return Scene(
        [line.position(at)[0] for (line, _, _), at in zip(places, along)],
        forward=np.array([line.tangent(at)[0] * way for (line, _, way), at in zip(places, along)]),
        speed=10.0,
        **settings,
        paths=tuple((line,) for line in paths),
        fps=FPS,
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
