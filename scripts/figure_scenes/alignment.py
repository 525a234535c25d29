"""Alignment: the heading and speed of the others.

Nine vehicles start with different headings and turn until all head the same way. Nothing holds them together or apart.
"""

import numpy as np

from steering_addon.behaviors.alignment import Alignment

from ..figure import Figure, PlanarScene, Run

COUNT = 9


def scene() -> PlanarScene:
    rng = np.random.default_rng(8)
    angle = rng.uniform(-1.3, 1.3, COUNT)
    place = np.stack((np.repeat((-7.0, -5.0, -3.0), 3), np.tile((-2.2, 0.0, 2.2), 3), np.zeros(COUNT)), axis=-1)
    return PlanarScene(
        position=place,
        forward=np.stack((np.cos(angle), np.sin(angle), np.zeros(COUNT)), axis=-1),
        speed=2.0,
        behaviors=[(Alignment, {"distance": 6.0})],
        vehicle={"max_speed": 2.5, "radius": 0.2},
    )


def order(run: Run) -> np.ndarray:
    """(frames,) length of the mean heading: 1 if all headings are equal."""
    return np.linalg.norm(run.forward.mean(axis=1), axis=-1)


def shows(run: Run) -> dict[str, bool]:
    return {
        "at the start the headings differ": bool(order(run)[0] < 0.85),
        "at the end all headings agree": bool(order(run)[-1] > 0.99),
    }


FIGURE = Figure(scene(), 5.0, shows, every=2.5)
