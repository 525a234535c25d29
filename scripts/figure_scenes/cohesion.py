"""Cohesion: toward the middle of the others.

Eight vehicles start on a ring, all heading right. Each steers towards the centre of the others it sees, and the ring
contracts as it moves ahead. Keep Apart would stop it from collapsing to a point.
"""

import numpy as np

from steering_addon.behaviors.cohesion import Cohesion

from ..figure import Figure, PlanarScene, Run

COUNT = 8


def scene() -> PlanarScene:
    angle = np.linspace(0.0, 2.0 * np.pi, COUNT, endpoint=False)
    return PlanarScene(
        position=np.stack((4.0 * np.cos(angle) - 6.0, 4.0 * np.sin(angle), np.zeros(COUNT)), axis=-1),
        forward=(1.0, 0.0, 0.0),
        speed=2.0,
        behaviors=[(Cohesion, {"distance": 12.0})],
        vehicle={"max_speed": 2.5, "radius": 0.2},
    )


def width(run: Run) -> np.ndarray:
    """(frames,) mean distance of the members from their centre, metres."""
    return np.linalg.norm(run.position - run.position.mean(axis=1, keepdims=True), axis=-1).mean(axis=1)


def shows(run: Run) -> dict[str, bool]:
    return {
        "the ring closes": bool(width(run)[-1] < 0.5 * width(run)[0]),
        "while it moves ahead": bool(run.position[-1, :, 0].mean() > run.position[0, :, 0].mean() + 3.0),
    }


FIGURE = Figure(scene(), 2.6, shows, every=2.6)
