"""Interpose: get between two others.

Two others move to the right at different speeds. The vehicle heads for the midpoint of where both will be, and stays
between them.
"""

import numpy as np

from steering_addon.behaviors.interpose import Interpose
from steering_addon.scene import leaders

from ..figure import Figure, PlanarScene, Run

SCENE = PlanarScene(
    position=[(-3.0, -8.0, 0.0)],
    forward=(-1.0, 0.0, 0.0),
    speed=2.0,
    behaviors=[(Interpose, {"one": 1, "other": 2})],
    tracked=leaders((-8.0, -3.0, 0.0), (-4.0, 7.0, 0.0)),
    drift=[(2.0, 0.6, 0.0), (1.2, -0.4, 0.0)],
)


def shows(run: Run) -> dict[str, bool]:
    middle = run.bodies.mean(axis=1)
    distance = np.linalg.norm(run.position[:, 0] - middle, axis=-1)
    return {"it gets between them": bool(distance[-1] < 0.5), "and stays there": bool(distance[-24:].max() < 0.6)}


FIGURE = Figure(SCENE, 7.0, shows)
