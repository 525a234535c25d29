"""A hundred pedestrians on a path that crosses itself."""

from __future__ import annotations

import numpy as np

from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.path_following import BACKWARD, FORWARD, TURN_BACK, PathFollowing
from steering_addon.behaviors.unaligned_collision_avoidance import UnalignedCollisionAvoidance
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import Planar
from steering_addon.scene import Scene, positions, speeds
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.geometry.obstacles import obstacles
from steering_addon.simulation.geometry.paths import spline

from ..opensteer_scene import Check, OpenSteerScene, disk_point, frames

COUNT = 100
MAX_SPEED, MAX_FORCE, RADIUS = 2.0, 8.0, 0.5
PATH_RADIUS = 2.0
SIZE, HALF = 30.0, 0.5
TOP, GAP, OUT = 2.0 * SIZE, 1.2 * SIZE, 2.0 * SIZE
POINTS = HALF + np.array(
    [
        (GAP - OUT, TOP - OUT),
        (GAP, TOP),
        (GAP + TOP / 2.0, TOP / 2.0),
        (GAP, 0.0),
        (0.0, 0.0),
        (0.0, TOP),
        (GAP, TOP / 2.0),
    ]
)
LEAK_THROUGH = 0.1
SECONDS = 60.0
DITHERING = next(choice.number for choice in COMBININGS if choice.name == "DITHERING")


def path_points() -> np.ndarray:
    return np.column_stack((POINTS, np.zeros(len(POINTS))))


def rocks() -> tuple[np.ndarray, np.ndarray]:
    """The centres and radii of the two obstacles that lie on the path."""
    points = path_points()
    return np.array((0.8 * points[0] + 0.2 * points[1], 0.5 * points[2] + 0.5 * points[3])), np.array((3.0, 5.0))


def checks(seed: int, share: float) -> list[Check]:
    rng = np.random.default_rng(seed)
    line = spline(path_points(), False)
    centre, radius = rocks()
    places: list[np.ndarray] = []
    while len(places) < COUNT:
        offset = disk_point(rng.uniform(0.0, 2.0 * np.pi, 1)) * PATH_RADIUS * np.sqrt(rng.uniform())
        place = line.position(rng.uniform(0.0, line.length, 1)) + offset
        clear = np.linalg.norm(centre - place, axis=-1) > radius + RADIUS + 0.2
        if clear.all() and all(np.linalg.norm(place - other) > 2.0 * RADIUS for other in places):
            places.append(place)
    avoiding = {"probability": 1.0 - LEAK_THROUGH}
    scene = Scene(
        position=np.concatenate(places),
        forward=disk_point(rng.uniform(0.0, 2.0 * np.pi, COUNT)),
        behaviors=[
            (ObstacleAvoidance, avoiding | {"priority": 1, "look_ahead_time": 6.0}),
            (UnalignedCollisionAvoidance, avoiding | {"priority": 2, "look_ahead_time": 3.0, "weight": 10.0}),
            (
                PathFollowing,
                {
                    "priority": 3,
                    "probability": 1.0,
                    "radius": PATH_RADIUS,
                    "prediction_time": 3.0,
                    "direction": np.where(rng.uniform(size=COUNT) < 0.5, FORWARD, BACKWARD),
                    "end": TURN_BACK,
                },
            ),
            (Wander, {"priority": 3, "probability": 1.0, "strength": 1.0}),
        ],
        vehicle={"max_force": MAX_FORCE, "max_speed": MAX_SPEED, "radius": RADIUS},
        locomotions=[(Planar, {})],
        combining=DITHERING,
        paths=((line,),),
        obstacles=obstacles(centre, radius),
        seed=seed,
    )
    states = scene.run(frames(SECONDS, max(share, 0.25)))
    place = positions(states)
    later = place[len(place) // 4 :: 6]
    distance = np.stack([np.linalg.norm(p - line.position(line.nearest(p)), axis=-1) for p in later])
    gap = np.linalg.norm(place[:, :, None] - centre, axis=-1) - radius - RADIUS
    around = (np.linalg.norm(later[:, :, None] - centre, axis=-1) < radius + 6.0).any(axis=-1)
    return [
        Check("share of the time within the path, away from its obstacles", within(distance, around), least=0.9),
        Check("deepest overlap with an obstacle, metres", float(-gap.min()), most=0.3),
        Check("mean speed, m/s", float(speeds(states)[len(states) // 4 :].mean()), least=0.9),
        Check("share of overlapping pairs", in_touch(later), most=0.002),
    ]


def within(distance: np.ndarray, around: np.ndarray) -> float:
    """The share of distances to the path below its radius, except around obstacles."""
    return float((distance[~around] < PATH_RADIUS + RADIUS).mean())


def in_touch(places: np.ndarray) -> float:
    """The share of pairs in all frames that overlap by more than a tenth of a radius."""
    gap = np.linalg.norm(places[:, :, None] - places[:, None], axis=-1)
    pairs = np.triu_indices(places.shape[1], 1)
    return float((gap[:, pairs[0], pairs[1]] < 1.9 * RADIUS).mean())


PEDESTRIANS = OpenSteerScene(
    "pedestrians follow a path both ways, round obstacles and each other, by prioritized dithering", checks
)
