"""Wall following: go along a wall at an offset, on either side.

A vehicle comes from each side. Each turns along the wall and keeps the offset of 1.5 m on its own side.
"""

import numpy as np

from steering_addon.behaviors.wall_following import WallFollowing
from steering_addon.scene import spline

from ..figure import Figure, PlanarScene, Run

OFFSET = 1.5
X = np.linspace(-12.0, 12.0, 80)
WALL = spline(np.stack((X, 1.6 * np.sin(X / 4.0), np.zeros(80)), axis=-1), False)

SCENE = PlanarScene(
    position=[(-11.0, 5.0, 0.0), (-10.0, -7.0, 0.0)],
    forward=[(1.0, -0.6, 0.0), (1.0, 0.9, 0.0)],
    speed=3.0,
    behaviors=[(WallFollowing, {"offset": OFFSET})],
    vehicle={"max_speed": 4.0},
    paths=((WALL,),),
)


def shows(run: Run) -> dict[str, bool]:
    settled = run.position[72:]
    distance = np.stack([np.linalg.norm(p - WALL.position(WALL.nearest(p)), axis=-1) for p in settled])
    above = settled[..., 1] > 1.6 * np.sin(settled[..., 0] / 4.0)
    return {
        "each keeps the offset": bool((abs(distance - OFFSET) < 0.35).all()),
        "on its own side": bool(above[:, 0].all() and not above[:, 1].any()),
    }


FIGURE = Figure(SCENE, 6.5, shows)
