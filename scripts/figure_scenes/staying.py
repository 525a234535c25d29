"""Figures of behaviors that stay in the world."""

import numpy as np

from steering_addon.behaviors.containment import Containment
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.scene import BOX, PRIORITY, SPHERE, obstacles, regions

from ..figure import PlanarScene, Run, figure


@figure(
    PlanarScene(
        position=[(-12.0, 3.0, 0.0), (-12.0, 0.7, 0.0), (-12.0, -1.0, 0.0), (-12.0, -6.0, 0.0)],
        speed=4.0,
        behaviors=[(ObstacleAvoidance, {})],
        vehicle={"radius": 0.4},
        combining=PRIORITY,
        obstacles=obstacles([(0.0, 0.0, 0.0), (7.0, 2.6, 0.0), (5.0, -3.6, 0.0)], [2.0, 1.2, 1.0]),
    ),
    6.0,
)
def obstacle_avoidance(run: Run) -> dict[str, bool]:
    """The vehicles that would hit an obstacle turn aside, each to the nearer side. The lowest one is in no danger and
    keeps straight."""
    return {
        "no vehicle touches an obstacle": bool((run.clearance() > 0.4).all()),
        "the one in no danger keeps straight": bool(np.ptp(run.position[:, 3, 1]) < 0.01),
        "the middle ones turn aside": bool((abs(run.position[:, 1:3, 1]).max(axis=0) > 2.0).all()),
        "to either side": bool(run.position[-1, 1, 1] > 0.0 > run.position[-1, 2, 1]),
    }


@figure(
    PlanarScene(
        position=[(-10.0, -2.0, 0.0), (-7.0, 2.0, 0.0), (5.0, 2.0, 0.0), (8.0, -2.0, 0.0)],
        forward=[(0.2, 1.0, 0.0), (1.0, -0.4, 0.0), (1.0, 0.5, 0.0), (0.3, -1.0, 0.0)],
        speed=3.0,
        behaviors=[(Containment, {"region": np.array((0, 0, 1, 1))})],
        vehicle={"max_speed": 4.0, "radius": 0.2},
        regions=regions([(-7.5, 0.0, 0.0), (7.5, 0.0, 0.0)], [(5.5, 5.5, 5.5), (5.5, 4.5, 5.0)], [SPHERE, BOX]),
    ),
    9.0,
    every=3.0,
)
def containment(run: Run) -> dict[str, bool]:
    """Two vehicles in a sphere and two in a box. Each looks ahead and turns back gently before it would leave its
    region; the edge is soft, and they may graze it."""
    ball = np.linalg.norm(run.position[:, :2] - (-7.5, 0.0, 0.0), axis=-1) - 5.5
    box = (abs(run.position[:, 2:] - (7.5, 0.0, 0.0)) - (5.5, 4.5, 5.0)).max(axis=-1)
    outside = np.maximum(ball, box)
    return {
        "no vehicle gets far out": bool(outside.max() < 1.0),
        "all keep moving": bool(run.speed.min() > 1.5),
        "and get near the edge": bool((outside.max(axis=0) > -1.5).all()),
    }
