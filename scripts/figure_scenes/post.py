"""Return to Post: go back, round a herd.

A vehicle returns to the post that it had left. It goes round the crowd on the way, not through it.
"""

from dataclasses import replace

import numpy as np

from steering_addon.behaviors.post import Post, Posted
from steering_addon.scene import locked
from steering_addon.simulation.snapshot import State

from ..figure import Figure, PlanarScene, Run

POST = (-9.0, -1.0, 0.0)
ROWS = ((-3.0, 1.5), (-1.0, 3.0), (1.0, 3.0), (3.0, 1.5))
HERD = [(x, y, 0.0) for y, half in ROWS for x in np.linspace(-half, half, round(4.0 * half / 3.0) + 1)]


class Away(PlanarScene):
    """A scene in which the vehicle has left its post."""

    def start(self) -> State:
        return replace(super().start(), memories={"post": Posted(np.array([True]), np.array([POST]))})


SCENE = Away(
    position=[(10.0, 1.5, 0.0)],
    forward=(0.0, 1.0, 0.0),
    behaviors=[(Post, {"round_crowd": 1})],
    tracked=locked(*HERD, crowd=1),
)


def shows(run: Run) -> dict[str, bool]:
    place = run.position[:, 0]
    gap = np.linalg.norm(run.bodies - run.position, axis=-1)
    return {
        "it ends at its post": bool(np.linalg.norm(place[-1] - POST) < 0.1),
        "it stops there": bool(run.speed[-1, 0] < 0.1),
        "it goes round the herd": bool(gap.min() > 1.0 and np.abs(place[np.abs(place[:, 0]) < 1.0, 1]).min() > 3.5),
    }


FIGURE = Figure(SCENE, 9.0, shows)
