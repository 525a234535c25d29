"""Keep Company: a pair and a group of three form, and the pair parts round an obstacle.

Two and three vehicles that start apart find each other and go on side by side, of the three the middle one a little
behind. The pair parts at the obstacle and comes together again.
"""

import numpy as np

from steering_addon.behaviors.keep_company import KeepCompany
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.scene import obstacles

from ..figure import Figure, PlanarScene, Run

RADIUS, GAP = 0.4, 0.3
SPACING = 2.0 * RADIUS + GAP
PAIR, THREE = [0, 1], [2, 3, 4]

SCENE = PlanarScene(
    position=[(-9.0, 3.2, 0.0), (-10.5, 5.2, 0.0), (-9.0, -2.0, 0.0), (-10.5, -3.2, 0.0), (-9.5, -4.6, 0.0)],
    forward=(1.0, 0.0, 0.0),
    speed=1.4,
    behaviors=[
        (ObstacleAvoidance, {}),
        (KeepCompany, {"gap": GAP, "threes": np.array([0.0, 0.0, 1.0, 1.0, 1.0]), "distance": 3.5}),
    ],
    vehicle={"max_speed": 2.2, "cruise_speed": 0.65, "max_force": 2.5, "radius": RADIUS},
    obstacles=obstacles([[1.5, 4.2, 0.0]], 0.8),
)


def shows(run: Run) -> dict[str, bool]:
    x, y = run.position[..., 0], run.position[..., 1]
    pair, three = np.abs(np.diff(y[:, PAIR], axis=1))[:, 0], np.sort(y[:, THREE], axis=1)
    middle = np.argsort(y[-1, THREE])[1]
    others = np.delete(x[-1, THREE], middle)
    before = np.flatnonzero(x[:, 0] < -2.5)[-1]
    return {
        "two go side by side": bool(abs(pair[before] - SPACING) < 0.15 and abs(np.diff(x[before, PAIR])[0]) < 0.3),
        "they part": bool(pair.max() > 1.5 * SPACING),
        "and come together again": bool(abs(pair[-1] - SPACING) < 0.15),
        "three go side by side": bool(np.abs(np.diff(three[-1]) - SPACING).max() < 0.15),
        "the middle one behind": bool((others - x[-1, THREE][middle] > 0.25).all()),
        "all at one pace": bool(np.ptp(run.speed[-1]) < 0.1),
    }


FIGURE = Figure(SCENE, 15.0, shows, every=3.0)
