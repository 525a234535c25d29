"""Flee: run from a place, whatever the first heading.

At the start all three head for the cross. Each turns and finally runs straight away from it.
"""

import numpy as np

from steering_addon.behaviors.flee import Flee
from steering_addon.scene import leaders

from ..figure import Figure, PlanarScene, Run

SCENE = PlanarScene(
    position=[(-5.0, -1.0, 0.0), (1.0, -4.0, 0.0), (3.0, 4.0, 0.0)],
    forward=[(1.0, 0.3, 0.0), (0.0, 1.0, 0.0), (-1.0, -0.6, 0.0)],
    speed=4.0,
    behaviors=[(Flee, {"target": 3, "distance": 0.0})],
    tracked=leaders((0.0, 0.0, 0.0)),
)


def shows(run: Run) -> dict[str, bool]:
    distance = run.to_body()
    away = run.position[-1] - run.bodies[-1, 0]
    outward = away / np.linalg.norm(away, axis=-1, keepdims=True)
    return {
        "at first they still get nearer": bool((distance.min(axis=0) < distance[0] - 0.2).all()),
        "at the end they head straight away": bool(((run.forward[-1] * outward).sum(axis=-1) > 0.97).all()),
    }


FIGURE = Figure(SCENE, 3.0, shows, every=0.5)
