"""Wander: random, gentle turns.

Five vehicles start side by side with the same settings (a strength of 5). Each strolls about in gentle turns of its
own; another seed gives other paths.
"""

import numpy as np

from steering_addon.behaviors.wander import Wander

from ..figure import Figure, PlanarScene, Run

COUNT = 5


def scene() -> PlanarScene:
    across = np.linspace(-8.0, 8.0, COUNT)
    return PlanarScene(
        position=np.stack((across, np.zeros(COUNT), np.zeros(COUNT)), axis=-1),
        speed=4.0,
        behaviors=[(Wander, {"strength": 5.0})],
        seed=3,
    )


def shows(run: Run) -> dict[str, bool]:
    turn = np.degrees(np.arccos(np.clip((run.forward[1:] * run.forward[:-1]).sum(axis=-1), -1.0, 1.0))) * 24.0
    ends = run.position[-1] - run.position[0]
    distances = np.linalg.norm(ends[:, None] - ends[None], axis=-1)[~np.eye(COUNT, dtype=bool)]
    return {
        "no two take the same path": bool(distances.min() > 1.0),
        "they turn": bool(np.median(turn) > 3.0),
        "in gentle turns": bool(turn.max() < 90.0),
        "without stopping": bool(run.speed.min() > 2.5),
    }


FIGURE = Figure(scene(), 12.0, shows, every=2.0)
