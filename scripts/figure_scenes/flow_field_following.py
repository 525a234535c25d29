"""Flow field following: go with the flow that a curve draws.

The arrows show the flow that one curve draws; it fades with distance. Three vehicles take up its direction, whatever
their first heading; the lowest one never gets near it and keeps straight.
"""

import numpy as np

from steering_addon.behaviors.flow_field_following import FlowFieldFollowing
from steering_addon.scene import spline

from ..figure import Figure, PlanarScene, Run

ANGLE = np.linspace(np.pi, 0.0, 40)
FLOW = spline(np.stack((8.0 * np.cos(ANGLE), 6.0 * np.sin(ANGLE) - 3.0, np.zeros(40)), axis=-1), False)
FALLOFF = 4.0

SCENE = PlanarScene(
    position=[(-6.0, -6.0, 0.0), (-9.0, -2.0, 0.0), (-5.0, 2.0, 0.0), (-12.0, -8.5, 0.0)],
    forward=[(0.3, 1.0, 0.0), (1.0, 0.3, 0.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0)],
    speed=2.5,
    behaviors=[(FlowFieldFollowing, {"falloff_distance": FALLOFF})],
    vehicle={"max_speed": 4.0},
    flows=((FLOW,),),
)


def shows(run: Run) -> dict[str, bool]:
    end = run.position[-1]
    return {
        "the vehicles in the flow follow its bend": bool((end[:3, 0] > 3.0).all()),
        "whatever their first heading": bool((run.forward[-1, :3, 1] < -0.3).all()),
        "the one far from it keeps straight": bool(np.ptp(run.position[:, 3, 1]) < 1e-9),
    }


FIGURE = Figure(SCENE, 6.0, shows)
