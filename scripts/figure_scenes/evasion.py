"""Evasion: run from where the pursuer will be.

The pursuer comes from the left. Evasion runs from where the pursuer will be, and is soon out of its way; flee (dotted)
runs from where the pursuer is, ahead of it, and does not get so far away.
"""

from steering_addon.behaviors.evasion import Evasion
from steering_addon.behaviors.flee import Flee
from steering_addon.scene import leaders

from ..figure import Figure, PlanarScene, Run


def chased(behavior: type) -> PlanarScene:
    name = "target" if behavior is Flee else "pursuer"
    return PlanarScene(
        position=[(0.0, 0.0, 0.0)],
        forward=(1.0, 0.0, 0.0),
        speed=3.0,
        behaviors=[(behavior, {name: 1, "distance": 14.0})],
        vehicle={"max_speed": 4.0},
        tracked=leaders((-5.0, 3.0, 0.0)),
        drift=(2.0, 0.0, 0.0),
    )


def shows(run: Run) -> dict[str, bool]:
    fleeing = Run.of(FIGURE.without, FIGURE.seconds)
    return {
        "it gets further away than with flee": run.to_body()[-1].min() > fleeing.to_body()[-1].min() + 0.5,
        "it turns aside instead of running ahead": bool(run.position[-1, 0, 0] < fleeing.position[-1, 0, 0] - 1.0),
    }


FIGURE = Figure(chased(Evasion), 4.5, shows, chased(Flee), every=0.5)
