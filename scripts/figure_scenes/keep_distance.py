"""Keep Distance: a queue.

All head right, where a vehicle stands in their lane. They start at different distances, slow down one after the other
and queue two metres apart.
"""

import numpy as np

from steering_addon.behaviors.keep_distance import KeepDistance
from steering_addon.behaviors.seek import Seek
from steering_addon.scene import all_of, leaders, locked

from ..figure import Figure, PlanarScene, Run

COUNT = 5


def scene() -> PlanarScene:
    behind = -np.array([8.0, 13.0, 19.0, 22.0, 28.0])
    return PlanarScene(
        position=np.stack((behind, np.zeros(COUNT), np.zeros(COUNT)), axis=-1),
        forward=(1.0, 0.0, 0.0),
        speed=3.0,
        behaviors=[(Seek, {"target": COUNT}), (KeepDistance, {"gap": 2.0})],
        tracked=all_of(leaders((9.0, 0.0, 0.0)), locked((6.0, 0.0, 0.0), forward=(1.0, 0.0, 0.0))),
    )


def shows(run: Run) -> dict[str, bool]:
    gap = -np.diff(run.position[..., 0], axis=1) - 1.0
    return {
        "none touches another": bool(gap.min() > 0.0),
        "all stand at the end": bool(run.speed[-1].max() < 0.1),
        "in an even queue": bool(np.ptp(gap[-1]) < 0.2),
        "none leaves the lane": bool(np.abs(run.position[..., 1]).max() < 0.01),
    }


FIGURE = Figure(scene(), 16.0, shows, every=0.0)
