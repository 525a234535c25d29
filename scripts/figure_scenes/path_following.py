"""Path following: go along a curve, within its radius.

Three vehicles join the path; the band shows its radius. They stay within it, slow down for its sharp bends, and stop at
its end.
"""

import numpy as np

from steering_addon.behaviors.path_following import PathFollowing
from steering_addon.scene import spline

from ..figure import Figure, PlanarScene, Run

RADIUS = 1.0
X = np.linspace(-12.0, 12.0, 60)
ROAD = spline(np.stack((X, 3.0 * np.sin(X / 3.5), np.zeros(60)), axis=-1), False)

SCENE = PlanarScene(
    position=[(-10.0, -6.5, 0.0), (-6.0, 1.0, 0.0), (0.0, 6.0, 0.0)],
    forward=[(0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0)],
    speed=3.0,
    behaviors=[(PathFollowing, {"radius": RADIUS})],
    vehicle={"max_speed": 4.0},
    paths=((ROAD,),),
)


def shows(run: Run) -> dict[str, bool]:
    distance = np.stack([np.linalg.norm(p - ROAD.position(ROAD.nearest(p)), axis=-1) for p in run.position])
    return {
        "they reach the path": bool((distance[-1] < RADIUS).all()),
        "and stay within its radius": bool((distance[96:] < RADIUS + 0.1).all()),
        "to its end, where they stop": bool((run.position[-1, :, 0] > 10.5).all() and (run.speed[-1] < 0.5).all()),
    }


FIGURE = Figure(SCENE, 14.0, shows, every=2.0)
