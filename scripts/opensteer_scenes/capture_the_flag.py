"""One vehicle runs for a flag and four chase it, among forty obstacles."""

from __future__ import annotations

from itertools import repeat

import numpy as np

from steering_addon.behaviors.evasion import Evasion
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.pursuit import Pursuit
from steering_addon.behaviors.seek import Seek
from steering_addon.locomotion import Planar
from steering_addon.scene import PRIORITY, Scene, leaders
from steering_addon.simulation.geometry.obstacles import obstacles
from steering_addon.simulation.run import simulate

from ..opensteer_scene import FPS, Check, OpenSteerScene, disk_point, ring

DEFENDERS, OBSTACLES, GAMES = 4, 40, 12
SPEED, FORCE, RADIUS = 3.0, 3.0, 0.5
HOME_RADIUS, INNER, OUTER = 1.5, 30.0, 40.0
LOOK_AHEAD = 2.0
SECONDS = 40.0


def field(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Positions and radii of obstacles with room for two bodies between them and around home."""
    room = 4.0 * RADIUS
    centre, radius = [np.zeros(3)], [HOME_RADIUS - room]
    while len(centre) <= OBSTACLES:
        place = disk_point(rng.uniform(0.0, 2.0 * np.pi, 1))[0] * np.sqrt(rng.uniform()) * OUTER * 1.1
        size = rng.uniform(1.5, 4.0)
        if all(np.linalg.norm(place - c) > size + r + room for c, r in zip(centre, radius)):
            centre.append(place)
            radius.append(size)
    return np.array(centre[1:]), np.array(radius[1:])


def starts(rng: np.random.Generator, centre: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """(5, 3) random places on the ring, clear of the obstacles."""
    places: list[np.ndarray] = []
    while len(places) <= DEFENDERS:
        place = ring(rng, 1, INNER, OUTER)[0]
        if (np.linalg.norm(centre - place, axis=-1) - radius).min() > 5.0 * RADIUS:
            places.append(place)
    return np.array(places)


def game(rng: np.random.Generator) -> tuple[str, float]:
    """How a game ends ("home", "tagged" or "open"), and the smallest gap from a body to an obstacle until then."""
    centre, radius = field(rng)
    place = starts(rng, centre, radius)
    n = DEFENDERS + 1
    seeker = np.where(np.arange(n) == 0, 1.0, 0.0)
    evasions = [
        (Evasion, {"pursuer": defender, "weight": 0.3 * seeker, "distance": 4.0, "prediction_time": 0.5})
        for defender in range(1, n)
    ]
    scene = Scene(
        position=place,
        forward=disk_point(rng.uniform(0.0, 2.0 * np.pi, n)),
        speed=SPEED,
        behaviors=[
            (ObstacleAvoidance, {"priority": 1, "look_ahead_time": LOOK_AHEAD}),
            (Seek, {"target": n, "weight": seeker}),
            (Pursuit, {"quarry": 0, "weight": 1.0 - seeker, "prediction_time": 4.0, "pause_time": 0.0}),
            *evasions,
        ],
        vehicle={"max_force": FORCE, "max_speed": SPEED, "radius": RADIUS},
        locomotions=[(Planar, {})],
        combining=PRIORITY,
        tracked=leaders((0.0, 0.0, 0.0)),
        obstacles=obstacles(centre, radius),
    )
    end, room = "open", np.inf
    for state in simulate(scene.start(), repeat(scene.snapshot(), round(SECONDS * FPS))):
        place = state.motion.position
        room = min(room, float((np.linalg.norm(place[:, None] - centre, axis=-1) - radius).min() - RADIUS))
        if np.linalg.norm(place[0]) < RADIUS + HOME_RADIUS:
            end = "home"
        elif np.linalg.norm(place[1:] - place[0], axis=-1).min() < 2.0 * RADIUS:
            end = "tagged"
        if end != "open":
            break
    return end, room


def checks(seed: int, share: float) -> list[Check]:
    number = max(round(GAMES * share), 2)
    games = [game(np.random.default_rng((seed, k))) for k in range(number)]
    ends = [end for end, _ in games]
    return [
        Check("share of games that are decided", 1.0 - ends.count("open") / number, least=0.9),
        Check("share of games won", ends.count("home") / number, least=0.2 if share == 1.0 else 0.0),
        Check("least room to an obstacle, metres", min(room for _, room in games), least=-0.05),
    ]


CAPTURE_THE_FLAG = OpenSteerScene("reaching a goal while evading pursuers and avoiding obstacles", checks)
