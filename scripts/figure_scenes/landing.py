"""Land: birds come down on a wire, each on a place of its own.

Four birds come down on a wire. Each has a place of its own, and stands across.
"""

import numpy as np

from steering_addon.behaviors.landing import Landing
from steering_addon.locomotion import Flying
from steering_addon.scene import Scene, leaders, perches

from ..figure import Figure, Run

STARTS = [(-14.0, -3.0, 5.0), (-15.0, 1.0, 6.0), (-13.0, 4.0, 4.0), (-16.0, 6.0, 5.5)]

SCENE = Scene(
    position=STARTS,
    forward=(1.0, 0.0, 0.0),
    speed=6.0,
    behaviors=[(Landing, {"target": 4})],
    vehicle={"max_force": 14.0, "max_speed": 8.0},
    locomotions=[(Flying, {"least_speed": 0.3})],
    tracked=leaders((2.0, 0.0, 3.0)),
    perches=perches(0, *((2.0, y, 3.0) for y in np.linspace(-5.0, 5.0, 80)), along=(0.0, 1.0, 0.0)),
)


def shows(run: Run) -> dict[str, bool]:
    place = run.position[-1]
    gap = np.linalg.norm(place[:, None] - place[None], axis=-1) + 9.0 * np.eye(len(place))
    return {
        "all stand on the wire": bool(np.abs(place[:, [0, 2]] - (2.0, 3.0)).max() < 1e-6),
        "they stand still": bool(run.speed[-1].max() < 1e-6),
        "they keep apart": bool(gap.min() >= 1.2),
    }


FIGURE = Figure(SCENE, 5.0, shows)
