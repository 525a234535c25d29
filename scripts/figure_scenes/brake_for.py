"""Brake For: a deer crosses the road.

One vehicle, drawn twice a second. A round obstacle crosses its path from below. The vehicle slows down, lets it pass
and continues; it does not swerve.
"""

import numpy as np

from steering_addon.behaviors.brake_for import BrakeFor
from steering_addon.behaviors.seek import Seek
from steering_addon.scene import leaders, obstacles

from ..figure import Figure, PlanarScene, Run

SECONDS = 9.0

SCENE = PlanarScene(
    position=[(-16.0, 0.0, 0.0)],
    forward=(1.0, 0.0, 0.0),
    speed=5.0,
    behaviors=[(Seek, {"target": 1}), (BrakeFor, {})],
    tracked=leaders((24.0, 0.0, 0.0)),
    obstacles=obstacles([(0.0, -4.5, 0.0)], [0.6], velocity=[(0.0, 1.3, 0.0)]),
)


def shows(run: Run) -> dict[str, bool]:
    return {
        "it touches nothing": bool(run.clearance().min() > 0.5),
        "it slows down": bool(run.speed.min() < 3.0),
        "it stays on its line": bool(np.abs(run.position[..., 1]).max() < 0.01),
        "and regains its speed": bool(run.speed[-1].min() > 4.5),
    }


FIGURE = Figure(SCENE, SECONDS, shows, every=0.5)
