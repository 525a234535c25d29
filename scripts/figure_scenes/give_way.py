"""Give Way: four roads meet.

Three vehicles on two roads, drawn twice a second, each in its lane. The one from below comes to the crossing later: it
slows down until the others are through.
"""

import numpy as np

from steering_addon.behaviors.give_way import GiveWay
from steering_addon.behaviors.path_following import EITHER, PathFollowing
from steering_addon.scene import spline

from ..figure import Figure, PlanarScene, Run

ROADS = tuple(spline(np.array([way, way]) * [[-28.0], [28.0]], False) for way in ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]))
LANE = 1.2

SCENE = PlanarScene(
    position=[(-16.0, -LANE, 0.0), (19.0, LANE, 0.0), (LANE, -17.0, 0.0)],
    forward=[(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)],
    speed=4.0,
    behaviors=[
        (PathFollowing, {"path": [0, 0, 1], "lane_offset": LANE, "direction": EITHER}),
        (GiveWay, {}),
    ],
    vehicle={"max_speed": 4.0, "cruise_speed": 1.0},
    paths=tuple((road,) for road in ROADS),
)


def shows(run: Run) -> dict[str, bool]:
    return {
        "none touches another": bool(run.apart().min() > 1.0),
        "who comes first is not slowed": bool(run.speed[:, 0].min() > 3.9),
        "the one from below waits": bool(run.speed[:, 2].min() < 2.5),
        "and goes on": bool(run.position[-1, 2, 1] > 5.0 and run.speed[-1, 2] > 3.5),
    }


FIGURE = Figure(SCENE, 9.0, shows, every=0.5)
