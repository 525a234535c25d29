"""Arrival: stop at the target.

The vehicle is drawn every half second. It begins to slow down 4 m from the target, the slowing distance, and stops on
it. Seek (dotted) overshoots.
"""

import numpy as np

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.seek import Seek
from steering_addon.scene import leaders

from ..figure import Figure, PlanarScene, Run


def coming(behavior: type) -> PlanarScene:
    return PlanarScene(
        position=[(-12.0, -2.0, 0.0)],
        forward=(0.0, 1.0, 0.0),
        speed=4.0,
        behaviors=[(behavior, {"target": 1})],
        tracked=leaders((2.0, 2.0, 0.0)),
    )


def shows(run: Run) -> dict[str, bool]:
    distance = run.to_body()[:, 0]
    near, far = distance < 4.0, (distance > 5.0) & (distance < 9.0)
    return {
        "it stops at the target": bool(distance[-1] < 0.2 and run.speed[-1, 0] < 0.2),
        "it keeps its speed until the slowing distance": bool(run.speed[far].min() > 3.5),
        "and slows down steadily from there": bool((np.diff(run.speed[near, 0]) < 0.02).all()),
        "it does not overshoot": bool(run.position[:, 0, 0].max() < 2.2),
    }


FIGURE = Figure(coming(Arrival), 6.0, shows, coming(Seek), every=0.5)
