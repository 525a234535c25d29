"""Drive: bring a stray home.

The target on the right is to be driven to the one on the left. The vehicle swings wide round it and comes in from
behind.
"""

import numpy as np

from steering_addon.behaviors.drive import Drive
from steering_addon.scene import leaders

from ..figure import Figure, PlanarScene, Run

GAP = 3.0

SCENE = PlanarScene(
    position=[(-7.0, -2.0, 0.0)],
    forward=(0.0, 1.0, 0.0),
    speed=2.0,
    behaviors=[(Drive, {"target": 1, "home": 2, "gap": GAP, "home_distance": 2.0})],
    tracked=leaders((2.0, 2.0, 0.0), (-9.0, 2.0, 0.0)),
)


def shows(run: Run) -> dict[str, bool]:
    offset = run.position[:, 0] - run.bodies[:, 0]
    distance = np.linalg.norm(offset, axis=-1)
    beside = np.abs(offset[:, 0]) < GAP
    return {
        "it starts on the side of home": bool(offset[0, 0] < 0.0),
        "it goes round the target at a distance": bool(distance[beside & (np.abs(offset[:, 1]) > GAP)].min() > GAP),
        "and ends behind it": bool(np.allclose(offset[-1], (GAP, 0.0, 0.0), atol=0.3)),
    }


FIGURE = Figure(SCENE, 8.0, shows)
