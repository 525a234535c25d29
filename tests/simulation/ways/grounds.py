"""Grounds with stairs, doors and gaps, and walkers on them."""

from itertools import pairwise
from typing import Any

import numpy as np

from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.unaligned_collision_avoidance import METHODS, UnalignedCollisionAvoidance
from steering_addon.locomotion import OnFoot
from steering_addon.simulation.geometry.obstacles import Obstacles, boxes
from steering_addon.simulation.geometry.surfaces import Surfaces, surfaces
from steering_addon.simulation.snapshot import State
from steering_addon.simulation.ways.over_ground import Ways, find_ways
from steering_addon.simulation.ways.spans import Build, find_spans
from steering_addon.simulation.ways.walkable_ground import WalkableGround
from tests.scene import Scene, leaders
from tests.surfaces import four_cornered, plate

RADIUS = 0.25
BUILD = Build(RADIUS, 0.61, 0.3, 0.42, 1.8)
FPS = 12
VELOCITY = next(method.number for method in METHODS if method.name == "VELOCITY")
NOTHING = boxes(np.zeros((0, 3)), np.zeros((0, 3)))


def quads(*corners: Any) -> Surfaces:
    """Faces of four corners each, as one surface."""
    return surfaces([four_cornered(*corners)])


def stairs(left: float, near: float, far: float, up: float, steps: int = 17, tread: float = 0.28) -> list[Any]:
    """Treads and risers along x, up to a height."""
    edges = [(left, 0.0)]
    for _ in range(steps):
        x, z = edges[-1]
        edges += [(x, z + up / steps), (x + tread, z + up / steps)]
    return [[(a, near, b), (c, near, d), (c, far, d), (a, far, b)] for (a, b), (c, d) in pairwise(edges)]


def walls(*bounds: Any) -> Obstacles:
    low, high = (np.array([bound[k] for bound in bounds], dtype=float) for k in range(2))
    return boxes((low + high) / 2.0, (high - low) / 2.0)


def door(width: float, middle: float = 0.0) -> Obstacles:
    """A wall along y with a door."""
    return walls(
        ((-0.1, -5.0, 0.0), (0.1, middle - width / 2.0, 3.0)), ((-0.1, middle + width / 2.0, 0.0), (0.1, 5.0, 3.0))
    )


UPSTAIRS = quads(
    plate(0, 0, 10, 10),
    *stairs(10, 4, 6, 3),
    plate(14.76, 4, 18, 12, 3),
    plate(0, 10, 18, 12, 3),
    plate(0, 0, 8, 10, 3),
)
TERRACE = quads(plate(-10, -6, 0, 6), plate(0.6, -6, 10, 6), plate(-0.4, 4.4, 1.0, 5.6))
PLATEAU = quads(
    plate(-15, -15, 20, 15), plate(2, -4, 10, 4, 2), [(10, -1.5, 2), (15, -1.5, 0), (15, 1.5, 0), (10, 1.5, 2)]
)
PLATE = quads(plate(-12, -5, 14, 5))
SCENES = {
    "upstairs": (UPSTAIRS, NOTHING, (6.0, 7.0, 3.0), [(6.5, 3.0, 0.0), (7.0, 8.0, 0.0)], 22),
    "over a bridge": (TERRACE, NOTHING, (2.0, -2.0, 0.0), [(-2.0, -2.0, 0.0), (-3.0, 2.0, 0.0)], 14),
    "up a ramp": (PLATEAU, NOTHING, (8.0, 2.0, 2.0), [(8.0, 6.0, 0.0), (10.0, -5.0, 0.0)], 20),
    "through a door": (PLATE, door(0.9, -3.0), (3.0, 1.0, 0.0), [(-3.0, 2.0, 0.0), (-0.5, 1.0, 0.0)], 12),
}


def walkers(scene: Surfaces, things: Obstacles, goal: Any, places: Any, behavior: Any = Seek, **values: Any) -> Scene:
    n = len(places)
    return Scene(
        np.array(places, dtype=float),
        forward=(1.0, 0.0, 0.0),
        speed=0.0,
        behaviors=[
            (behavior, {"target": np.full(n, n)}),
            (ObstacleAvoidance, {}),
            (UnalignedCollisionAvoidance, {"method": VELOCITY}),
        ],
        vehicle={"max_speed": 1.75, "cruise_speed": 0.8, "radius": RADIUS, "max_force": 4.0},
        locomotions=[(OnFoot, {})],
        tracked=leaders(goal),
        obstacles=things,
        surfaces=scene,
        fps=FPS,
        **values,
    )


def near(state: State, goal: Any, metres: float) -> np.ndarray:
    """(n,) who is that near to a goal."""
    return np.linalg.norm(state.motion.position - goal, axis=1) < metres


def ways_of(scene: Scene) -> Ways:
    snapshot = scene.snapshot(0)
    ways = find_ways(
        *(snapshot.surfaces, snapshot.obstacles, snapshot.vehicle.radius, snapshot.handling, snapshot.lift, {}),
        *(snapshot.links, snapshot.vehicle.pace),
    )
    assert ways is not None
    return ways


def seen(scene: Scene, places: Any) -> np.ndarray:
    """Where walkers of a scene see places."""
    rows = np.arange(len(scene.position))
    return ways_of(scene).unroll(
        rows, scene.snapshot(0).keys, np.asarray(scene.position), np.array(places, dtype=float)
    )


def spans(ground: Surfaces, build: Build = BUILD):
    found = find_spans(ground, build)
    assert found is not None
    return found


def ground_of(ground: Surfaces, things: Obstacles) -> WalkableGround:
    return WalkableGround(WalkableGround.empty(spans(ground), BUILD).with_obstacles(things))


def some_boxes(seed: int, number: int = 14) -> Obstacles:
    rng = np.random.default_rng(seed)
    centre = np.column_stack((rng.uniform(4.0, 16.0, (number, 2)), np.full(number, 1.0)))
    half = np.column_stack((rng.uniform(0.3, 1.5, (number, 2)), np.full(number, 1.0)))
    angle = rng.uniform(0.0, np.pi, number)
    axes = np.zeros((number, 3, 3))
    axes[:, 0, :2] = np.column_stack((np.cos(angle), np.sin(angle)))
    axes[:, 1, :2] = np.column_stack((-np.sin(angle), np.cos(angle)))
    axes[:, 2, 2] = 1.0
    return boxes(centre, half, axes)
