"""Forage: go from one resource to the next.

The vehicle stops at a resource, feeds on it until nothing is left, and goes to the next one it notices. After the last
one it wanders.
"""

import numpy as np

from steering_addon.behaviors.forage import Forage
from steering_addon.scene import resources

from ..figure import Figure, PlanarScene, Run

FOOD = ((0.0, 6.0, 0.0), (7.0, 10.0, 0.0), (12.0, 3.0, 0.0))

SCENE = PlanarScene(
    position=[(-5.0, 0.0, 0.0)],
    forward=(0.3, 1.0, 0.0),
    speed=3.0,
    behaviors=[(Forage, {"meal": 0.0})],
    vehicle={"radius": 0.3},
    tracked=resources(*FOOD, amount=1.0),
    seed=1,
)


def shows(run: Run) -> dict[str, bool]:
    nearest = np.stack([run.to_body(body)[:, 0].argmin() for body in range(3)])
    return {
        "each resource is used up": bool((run.states[-1].taken >= 1.0).all()),
        "one after the other": bool((np.diff(nearest) > 24).all()),
        "it stops to feed": bool(run.speed.min() < 0.1),
        "and moves again": bool(run.speed[-1].min() > 2.0),
    }


FIGURE = Figure(SCENE, 16.0, shows)
