"""Seek: go through the target and turn back.

Two vehicles turn towards the target at top speed. Neither slows down: each overshoots and turns back.
"""

from steering_addon.behaviors.seek import Seek
from steering_addon.scene import leaders

from ..figure import Figure, PlanarScene, Run

SCENE = PlanarScene(
    position=[(-9.0, -4.0, 0.0), (2.0, -7.0, 0.0)],
    forward=[(0.0, 1.0, 0.0), (0.6, -0.8, 0.0)],
    speed=4.0,
    behaviors=[(Seek, {"target": 2})],
    vehicle={"max_force": 3.0},
    tracked=leaders((4.0, 2.0, 0.0)),
)


def shows(run: Run) -> dict[str, bool]:
    distance = run.to_body()
    reached = (distance < 0.8).argmax(axis=0)
    return {
        "each reaches the target": bool((distance.min(axis=0) < 0.6).all()),
        "at speed": all(run.speed[frame, row] > 3.0 for row, frame in enumerate(reached)),
        "and overshoots": all(distance[frame:, row].max() > 1.5 for row, frame in enumerate(reached)),
        "and comes back": all(
            distance[frame + distance[frame:, row].argmax() :, row].min() < 1.5 for row, frame in enumerate(reached)
        ),
    }


FIGURE = Figure(SCENE, 8.0, shows, every=1.5)
