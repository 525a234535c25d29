"""Offset pursuit: pass the quarry at a distance.

Two vehicles overtake the slower quarry. Each passes it at about 3 m, the radius, on the side it came from.
"""

from steering_addon.behaviors.offset_pursuit import OffsetPursuit
from steering_addon.scene import leaders

from ..figure import Figure, PlanarScene, Run

RADIUS = 3.0

SCENE = PlanarScene(
    position=[(-12.0, -1.0, 0.0), (-12.0, 6.0, 0.0)],
    forward=[(1.0, 0.05, 0.0), (1.0, -0.25, 0.0)],
    speed=4.5,
    behaviors=[(OffsetPursuit, {"quarry": 2, "radius": RADIUS})],
    tracked=leaders((0.0, 0.0, 0.0)),
    drift=(1.0, 0.0, 0.0),
)


def shows(run: Run) -> dict[str, bool]:
    nearest = run.to_body().min(axis=0)
    return {
        "each passes": bool((run.position[-1, :, 0] > run.bodies[-1, 0, 0]).any()),
        "at about the radius": bool((abs(nearest - RADIUS) < 0.8).all()),
    }


FIGURE = Figure(SCENE, 3.9, shows, every=0.75)
