"""Hide: behind an obstacle.

The opponent comes round the obstacle. The vehicle goes to the far side and moves round with the opponent, so that the
obstacle stays between them.
"""

import numpy as np

from steering_addon.behaviors.hide import Hide
from steering_addon.scene import PRIORITY, leaders, obstacles

from ..figure import Figure, PlanarScene, Run

CENTRE = np.array((2.0, 2.0, 0.0))
RADIUS = 2.0

SCENE = PlanarScene(
    position=[(1.0, -3.0, 0.0)],
    forward=(0.0, -1.0, 0.0),
    speed=2.0,
    behaviors=[(Hide, {"opponent": 1})],
    combining=PRIORITY,
    tracked=leaders((-9.0, 6.0, 0.0)),
    drift=(1.6, -1.9, 0.0),
    obstacles=obstacles([CENTRE], [RADIUS]),
)


def hidden(run: Run) -> np.ndarray:
    """(frames,) whether the obstacle is between the two."""
    sight = run.position[:, 0] - run.bodies[:, 0]
    along = np.clip(((CENTRE - run.bodies[:, 0]) * sight).sum(axis=-1) / (sight**2).sum(axis=-1), 0.0, 1.0)
    return np.linalg.norm(run.bodies[:, 0] + along[:, None] * sight - CENTRE, axis=-1) < RADIUS


def shows(run: Run) -> dict[str, bool]:
    out_of_sight = hidden(run)
    return {
        "at first it is in sight": not out_of_sight[0],
        "later it is hidden": bool(out_of_sight[-60:].all()),
        "it stays outside the obstacle": bool((run.clearance() > 0.0).all()),
        "and moves round it with the opponent": bool(np.linalg.norm(run.position[-60, 0] - run.position[-1, 0]) > 1.0),
    }


FIGURE = Figure(SCENE, 6.0, shows)
