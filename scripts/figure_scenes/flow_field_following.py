"""Flow field following: with the current that curves draw."""

import numpy as np

from steering_addon.behaviors.flow_field_following import FlowFieldFollowing
from steering_addon.scene import Scene
from steering_addon.simulation.geometry.paths import spline

from ..figure import Figure, Run

ANGLE = np.linspace(np.pi, 0.0, 40)
FLOW = spline(np.stack((8.0 * np.cos(ANGLE), 6.0 * np.sin(ANGLE) - 3.0, np.zeros(40)), axis=-1), False)
FALLOFF = 4.0


def scene() -> Scene:
    return Scene(
        position=[(-6.0, -6.0, 0.0), (-9.0, -2.0, 0.0), (-5.0, 2.0, 0.0), (-12.0, -8.5, 0.0)],
        forward=[(0.3, 1.0, 0.0), (1.0, 0.3, 0.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0)],
        speed=2.5,
        behaviors=[(FlowFieldFollowing, {"falloff_distance": FALLOFF})],
        vehicle={"keep_in_plane": True, "max_speed": 4.0},
        flows=((FLOW,),),
    )


def shows(run: Run) -> dict[str, bool]:
    end = run.position[-1]
    return {
        "those in the flow are taken along its bend": bool((end[:3, 0] > 3.0).all()),
        "whatever their heading was": bool((run.forward[-1, :3, 1] < -0.3).all()),
        "far from it one goes straight on": bool(np.ptp(run.position[:, 3, 1]) < 1e-9),
    }


FIGURE = Figure(
    "The arrows are the current that one curve draws; it fades with the distance. Three vehicles are taken along, "
    "whatever way they headed at first; the lowest one never comes near it and goes straight on.",
    scene,
    6.0,
    shows,
)
