"""Stop and Go: alternate between going and resting.

Five vehicles stroll and rest, each in a rhythm of its own. Each is drawn every half second, so that the drawings
overlap where it rested.
"""

import numpy as np

from steering_addon.behaviors.rest import Rest
from steering_addon.behaviors.wander import Wander

from ..figure import Figure, PlanarScene, Run

COUNT = 5


def scene() -> PlanarScene:
    across = np.linspace(-14.0, 14.0, COUNT)
    return PlanarScene(
        position=np.stack((across, np.zeros(COUNT), np.zeros(COUNT)), axis=-1),
        speed=1.0,
        behaviors=[(Wander, {"strength": 0.6}), (Rest, {"going_time": 4.0, "resting_time": 4.0})],
        vehicle={"max_speed": 1.5},
        seed=5,
    )


def shows(run: Run) -> dict[str, bool]:
    resting = run.speed == 0.0
    return {
        "each rests": bool(resting[24:].any(axis=0).all()),
        "each goes": bool((run.speed > 1.0).any(axis=0).all()),
        "each at its own times": len({tuple(row) for row in resting.T}) == COUNT,
        "at rest it does not move": bool(np.ptp(run.position[:, 0][resting[:, 0]], axis=0).max() < 10.0),
    }


FIGURE = Figure(scene(), 16.0, shows, every=0.5)
