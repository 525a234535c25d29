"""Circle Round: circle a target.

Vehicles from outside and inside settle on circles of their own round the target, with radii of 6 m give or take 2 m,
and go round counterclockwise.
"""

import numpy as np

from steering_addon.behaviors.orbit import Orbit
from steering_addon.scene import leaders

from ..figure import Figure, PlanarScene, Run

SCENE = PlanarScene(
    position=[(-14.0, -9.0, 0.0), (13.0, -4.0, 0.0), (1.0, 1.0, 0.0)],
    forward=[(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.0)],
    speed=4.0,
    behaviors=[(Orbit, {"distance": 6.0, "spread": 2.0})],
    tracked=leaders((0.0, 0.0, 0.0)),
)


def shows(run: Run) -> dict[str, bool]:
    settled = run.to_body()[-96:]
    turning = np.cross(run.position - run.bodies[:, :1], np.diff(run.position, axis=0, append=run.position[-1:]))
    return {
        "each keeps to its circle": bool(np.ptp(settled, axis=0).max() < 0.3),
        "the circles differ": bool(np.ptp(settled[-1]) > 0.5),
        "all go round to the left": bool((turning[-96:-1, :, 2] > 0.0).all()),
    }


FIGURE = Figure(SCENE, 14.0, shows, every=2.0)
