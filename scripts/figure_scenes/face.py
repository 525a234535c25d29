"""Face: stop, and turn to a target.

Four vehicles walk to the right, each to a target of its own. Where they stop they turn round to the one on the left.
"""

import numpy as np

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.face import Face
from steering_addon.locomotion import OnFoot
from steering_addon.scene import Scene, leaders

from ..figure import Figure, Run

LANES = np.array([-6.0, -2.0, 2.0, 6.0])
COUNT = len(LANES)
STOPS = [(3.0 - abs(lane), lane, 0.0) for lane in LANES]
SIGHT = (-9.0, 0.0, 0.0)

SCENE = Scene(
    position=[(x - 10.0, y, 0.0) for x, y, _ in STOPS],
    forward=(1.0, 0.0, 0.0),
    speed=2.0,
    behaviors=[(Arrival, {"target": COUNT + 1 + np.arange(COUNT)}), (Face, {"target": COUNT})],
    vehicle={"max_speed": 2.0, "max_force": 4.0},
    locomotions=[(OnFoot, {})],
    tracked=leaders(SIGHT, *STOPS),
)


def shows(run: Run) -> dict[str, bool]:
    toward = np.array(SIGHT) - run.position[-1]
    toward /= np.linalg.norm(toward, axis=1, keepdims=True)
    along = run.forward[..., 0]
    moves = run.speed > 0.5
    return {
        "each walks past it to the right": bool((along[moves] > 0.8).all()),
        "each stands at the end": bool((run.speed[-1] == 0.0).all()),
        "each has turned to it": bool(((toward * run.forward[-1]).sum(axis=1) > 0.99).all()),
    }


FIGURE = Figure(SCENE, 12.0, shows, every=0.0)
