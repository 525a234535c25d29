"""Containment: turn back at the edge of a region.

Two vehicles in a sphere and two in a box. Each looks ahead and turns back gently before it would leave its region; the
edge is soft, and they may graze it.
"""

import numpy as np

from steering_addon.behaviors.containment import Containment
from steering_addon.scene import BOX, SPHERE, regions

from ..figure import Figure, PlanarScene, Run

SCENE = PlanarScene(
    position=[(-10.0, -2.0, 0.0), (-7.0, 2.0, 0.0), (5.0, 2.0, 0.0), (8.0, -2.0, 0.0)],
    forward=[(0.2, 1.0, 0.0), (1.0, -0.4, 0.0), (1.0, 0.5, 0.0), (0.3, -1.0, 0.0)],
    speed=3.0,
    behaviors=[(Containment, {"region": np.array((0, 0, 1, 1))})],
    vehicle={"max_speed": 4.0, "radius": 0.2},
    regions=regions([(-7.5, 0.0, 0.0), (7.5, 0.0, 0.0)], [(5.5, 5.5, 5.5), (5.5, 4.5, 5.0)], [SPHERE, BOX]),
)


def shows(run: Run) -> dict[str, bool]:
    ball = np.linalg.norm(run.position[:, :2] - (-7.5, 0.0, 0.0), axis=-1) - 5.5
    box = (abs(run.position[:, 2:] - (7.5, 0.0, 0.0)) - (5.5, 4.5, 5.0)).max(axis=-1)
    outside = np.maximum(ball, box)
    return {
        "no vehicle gets far out": bool(outside.max() < 1.0),
        "all keep moving": bool(run.speed.min() > 1.5),
        "and get near the edge": bool((outside.max(axis=0) > -1.5).all()),
    }


FIGURE = Figure(SCENE, 9.0, shows, every=3.0)
