"""Two hundred boids in a sphere."""

from __future__ import annotations

import numpy as np

from steering_addon.behaviors.alignment import Alignment
from steering_addon.behaviors.cohesion import Cohesion
from steering_addon.behaviors.containment import Containment
from steering_addon.behaviors.separation import Separation
from steering_addon.scene import Scene, headings, positions, speeds
from steering_addon.simulation.geometry.regions import SPHERE, regions

from ..opensteer_scene import Check, OpenSteerScene, frames

COUNT = 200
MAX_FORCE, MAX_SPEED, START_SPEED = 27.0, 9.0, 2.7
START_RADIUS, WORLD_RADIUS = 20.0, 50.0
FLOCKING = (
    (Separation, 5.0, -0.707, 12.0),
    (Alignment, 7.5, 0.7, 8.0),
    (Cohesion, 9.0, -0.15, 8.0),
)
"""Behavior, distance, cosine of half the field of view, weight: the paper's nine numbers."""
SECONDS = 20.0


def checks(seed: int, share: float) -> list[Check]:
    rng = np.random.default_rng(seed)
    place = rng.normal(size=(COUNT, 3))
    place *= (START_RADIUS * rng.uniform(0.0, 1.0, COUNT) ** (1 / 3) / np.linalg.norm(place, axis=-1))[:, None]
    way = rng.normal(size=(COUNT, 3))
    scene = Scene(
        position=place,
        forward=way / np.linalg.norm(way, axis=-1, keepdims=True),
        speed=START_SPEED,
        behaviors=[
            *(
                (kind, {"distance": distance, "angle": 2.0 * float(np.arccos(edge)), "weight": weight})
                for kind, distance, edge, weight in FLOCKING
            ),
            (Containment, {"weight": MAX_FORCE}),
        ],
        vehicle={"max_force": MAX_FORCE, "max_speed": MAX_SPEED, "radius": 0.5},
        regions=regions([(0.0, 0.0, 0.0)], [(WORLD_RADIUS,) * 3], [SPHERE]),
    )
    states = scene.run(frames(SECONDS, max(share, 0.5)))
    position, forward = positions(states), headings(states)
    return [
        Check("agreement of headings with neighbors at the start", agreement(position[0], forward[0]), most=0.3),
        Check("agreement of headings with neighbors at the end", agreement(position[-1], forward[-1]), least=0.9),
        Check("metres from a boid to its nearest neighbor, median", nearest(position[-1]), least=1.0, most=5.0),
        Check("furthest from the middle of the world, metres", furthest(position), most=WORLD_RADIUS + 8.0),
        Check("highest speed, m/s", float(speeds(states).max()), most=MAX_SPEED * 1.000001),
        Check("lowest speed in the last second, m/s", float(speeds(states)[-24:].min()), least=1.0),
    ]


def gaps(position: np.ndarray) -> np.ndarray:
    """(n, n) metres between boids, inf on the diagonal."""
    gap = np.linalg.norm(position[:, None] - position[None], axis=-1)
    np.fill_diagonal(gap, np.inf)
    return gap


def agreement(position: np.ndarray, forward: np.ndarray) -> float:
    """The mean cosine between the headings of boids within 9 m of each other."""
    near = gaps(position) < 9.0
    return float((forward @ forward.T)[near].mean())


def nearest(position: np.ndarray) -> float:
    return float(np.median(gaps(position).min(axis=1)))


def furthest(position: np.ndarray) -> float:
    return float(np.linalg.norm(position, axis=-1).max())


BOIDS = OpenSteerScene("a scattered crowd becomes flocks, from three rules", checks)
