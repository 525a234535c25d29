"""Obstacle avoidance: round what is in the way, and straight on past what is not.

The vehicles that would hit an obstacle turn aside, each to the nearer side. The lowest one is in no danger and keeps
straight.
"""

import numpy as np

from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.scene import PRIORITY, obstacles

from ..figure import Figure, PlanarScene, Run

SCENE = PlanarScene(
    position=[(-12.0, 3.0, 0.0), (-12.0, 0.7, 0.0), (-12.0, -1.0, 0.0), (-12.0, -6.0, 0.0)],
    forward=(1.0, 0.0, 0.0),
    speed=4.0,
    behaviors=[(ObstacleAvoidance, {})],
    vehicle={"radius": 0.4},
    combining=PRIORITY,
    obstacles=obstacles([(0.0, 0.0, 0.0), (7.0, 2.6, 0.0), (5.0, -3.6, 0.0)], [2.0, 1.2, 1.0]),
)


def shows(run: Run) -> dict[str, bool]:
    return {
        "no vehicle touches an obstacle": bool((run.clearance() > 0.4).all()),
        "the one in no danger keeps straight": bool(np.ptp(run.position[:, 3, 1]) < 0.01),
        "the middle ones turn aside": bool((abs(run.position[:, 1:3, 1]).max(axis=0) > 2.0).all()),
        "to either side": bool(run.position[-1, 1, 1] > 0.0 > run.position[-1, 2, 1]),
    }


FIGURE = Figure(SCENE, 6.0, shows)
