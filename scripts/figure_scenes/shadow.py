"""Shadow: approach the quarry, then go along with it.

Two vehicles approach a quarry that moves to the right. Within 3 m of it they stop closing in and go along at its speed
and heading.
"""

import numpy as np

from steering_addon.behaviors.shadow import Shadow
from steering_addon.scene import leaders

from ..figure import Figure, PlanarScene, Run

SCENE = PlanarScene(
    position=[(-6.0, -7.0, 0.0), (2.0, 7.0, 0.0)],
    forward=[(0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)],
    speed=3.0,
    behaviors=[(Shadow, {"quarry": 2})],
    tracked=leaders((-8.0, 0.0, 0.0)),
    drift=(2.5, 0.0, 0.0),
)


def shows(run: Run) -> dict[str, bool]:
    end = run.to_body()[-24:]
    return {
        "each gets near": bool((end < 4.0).all()),
        "none runs into it": bool((run.to_body() > 1.0).all()),
        "and goes at its speed": bool((abs(run.speed[-24:] - 2.5) < 0.3).all()),
        "and heading": bool((run.forward[-24:, :, 0] > 0.97).all()),
        "keeping its place": bool((np.ptp(end, axis=0) < 0.5).all()),
    }


FIGURE = Figure(SCENE, 9.0, shows)
