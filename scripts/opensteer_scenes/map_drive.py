"""A car on a road through a field of rocks."""

from __future__ import annotations

import numpy as np

from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.path_following import PathFollowing
from steering_addon.locomotion import Planar
from steering_addon.scene import PRIORITY, Scene, headings, positions, speeds
from steering_addon.simulation.geometry.obstacles import obstacles
from steering_addon.simulation.geometry.paths import spline

from ..opensteer_scene import FPS, Check, OpenSteerScene, frames, turning

WORLD = 200.0
MAX_SPEED, MAX_FORCE = 20.0, 8.0
HALF_WIDTH, HALF_LENGTH = 1.0, 1.5
ROAD_RADIUS = 10.0
ROCKS = 40
DIAMOND, NOTCH, FAR = WORLD * 0.4, WORLD / 8.0, WORLD * 2.0
ROAD = np.array(
    [
        (FAR, -DIAMOND),
        (3.0 * NOTCH, -DIAMOND),
        (2.0 * NOTCH, NOTCH - DIAMOND),
        (2.0 * NOTCH, DIAMOND - NOTCH),
        (NOTCH, DIAMOND),
        (0.0, DIAMOND),
        (-DIAMOND, 0.0),
        (0.0, -DIAMOND),
        (-FAR, -DIAMOND),
    ]
)
SECONDS = 70.0


def checks(seed: int, share: float) -> list[Check]:
    rng = np.random.default_rng(seed)
    line = spline(np.column_stack((ROAD, np.zeros(len(ROAD)))), False)
    centre, radius = rocks(rng, line)
    scene = Scene(
        position=[(0.6 * WORLD, -0.4 * WORLD, 0.0)],
        forward=(-1.0, 0.0, 0.0),
        behaviors=[
            (ObstacleAvoidance, {"priority": 1, "look_ahead_time": 1.5, "clearance": 0.5}),
            (PathFollowing, {"priority": 2, "radius": ROAD_RADIUS, "prediction_time": 1.5}),
        ],
        vehicle={"max_force": MAX_FORCE, "max_speed": MAX_SPEED, "radius": float(np.hypot(HALF_WIDTH, HALF_LENGTH))},
        locomotions=[(Planar, {"max_turn_rate": float(np.radians(60.0))})],
        combining=PRIORITY,
        paths=((line,),),
        obstacles=obstacles(centre, radius),
    )
    states = scene.run(frames(SECONDS, max(share, 0.8)))
    place = positions(states)
    on_map = (abs(place[:, 0]) < 0.6 * WORLD).all(axis=-1)
    distance = np.linalg.norm(place[:, 0] - line.position(line.nearest(place[:, 0])), axis=-1)
    gap = np.linalg.norm(place - centre, axis=-1) - radius
    speed = speeds(states)[:, 0]
    turn = np.degrees(turning(headings(states)))[:, 0] * FPS
    return [
        Check("share of the time on the road", float((distance[on_map] < ROAD_RADIUS + HALF_WIDTH).mean()), least=0.7),
        Check("furthest off the middle of the road, metres", float(distance[on_map].max()), most=2.5 * ROAD_RADIUS),
        Check("least room from the car's middle to a rock, metres", float(gap.min()), least=HALF_WIDTH),
        Check("metres driven past the middle of the map", float(-place[:, 0, 0].min()), least=0.6 * WORLD),
        Check("mean speed, m/s", float(speed.mean()), least=8.0),
        Check("fastest turn, degrees a second", float(turn.max()), most=90.0),
    ]


def rocks(rng: np.random.Generator, line) -> tuple[np.ndarray, np.ndarray]:
    """Centres and radii of rocks all over the map, also on the road, with room for the car between any two."""
    centre: list[np.ndarray] = []
    radius: list[float] = []
    start = np.array((0.6 * WORLD, -0.4 * WORLD, 0.0))
    while len(centre) < ROCKS:
        place = np.append(rng.uniform(-WORLD / 2.0, WORLD / 2.0, 2), 0.0)
        size = rng.uniform(0.8, 2.5)
        room = [np.linalg.norm(place - c) - r - size for c, r in zip(centre, radius)]
        if min(room, default=np.inf) > 7.0 and np.linalg.norm(place - start) > 30.0:
            centre.append(place)
            radius.append(size)
    return np.array(centre), np.array(radius)


MAP_DRIVE = OpenSteerScene("a fast car stays on its road and clear of the rocks on it", checks)
