"""Docking: arrive at a target, facing the right way.

The target faces up the page. The vehicles come from different sides, swing onto the line behind the target, follow it
and stop facing the same way.
"""

from steering_addon.behaviors.docking import Docking
from steering_addon.scene import leaders

from ..figure import Figure, PlanarScene, Run

SCENE = PlanarScene(
    position=[(-9.0, -7.0, 0.0), (7.0, -8.0, 0.0), (-7.0, 5.0, 0.0)],
    forward=[(1.0, 0.0, 0.0), (-1.0, 0.3, 0.0), (1.0, 0.0, 0.0)],
    speed=3.0,
    behaviors=[(Docking, {"target": 3})],
    vehicle={"max_speed": 4.0},
    tracked=leaders((0.0, 2.0, 0.0)),
)


def shows(run: Run) -> dict[str, bool]:
    return {
        "each arrives": bool((run.to_body()[-1] < 0.3).all()),
        "and stops": bool((run.speed[-1] < 0.3).all()),
        "facing the same way as the target": bool((run.forward[-1, :, 1] > 0.95).all()),
    }


FIGURE = Figure(SCENE, 16.0, shows, facing=True)
