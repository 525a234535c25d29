"""Separation: move away from others that are too near.

Seven vehicles start close together, all heading right, and move apart. Once none is within 2.5 m of another there is
nothing left to correct, and each keeps straight.
"""

import numpy as np

from steering_addon.behaviors.separation import Separation

from ..figure import Figure, PlanarScene, Run

DISTANCE = 2.5


def scene() -> PlanarScene:
    rng = np.random.default_rng(4)
    return PlanarScene(
        position=np.concatenate((rng.uniform(-1.2, 1.2, (7, 2)) - (6.0, 0.0), np.zeros((7, 1))), axis=1),
        forward=(1.0, 0.0, 0.0),
        speed=2.0,
        behaviors=[(Separation, {"distance": DISTANCE})],
        vehicle={"max_speed": 2.5, "radius": 0.2},
    )


def shows(run: Run) -> dict[str, bool]:
    nearest = run.apart().min(axis=-1)
    return {
        "at the start they are crowded": bool(nearest[0].min() < 1.0),
        "at the end all are further apart than the distance": bool(nearest[-1].min() > DISTANCE),
        "and keep straight from there": bool(((run.forward[-24] * run.forward[-1]).sum(axis=-1) > 0.999).all()),
    }


FIGURE = Figure(scene(), 5.0, shows, every=5.0)
