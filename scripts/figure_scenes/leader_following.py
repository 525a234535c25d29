"""Leader following: stay behind the leader, and out of its way.

The leader moves to the right. The vehicle in its way steers aside and lets it pass. All end up behind the leader, each
in its own place in the formation.
"""

from dataclasses import replace

import numpy as np

from steering_addon.behaviors.leader_following import LeaderFollowing
from steering_addon.scene import leaders

from ..figure import Figure, PlanarScene, Run

COUNT = 6


def scene() -> PlanarScene:
    leader = replace(leaders((-8.0, 0.0, 0.0)), forward=np.array([(1.0, 0.0, 0.0)]))
    return PlanarScene(
        position=[
            (-4.5, 0.3, 0.0),
            (-7.0, 4.5, 0.0),
            (-12.0, -5.0, 0.0),
            (-6.0, -5.0, 0.0),
            (-13.0, 3.0, 0.0),
            (-14.0, -1.0, 0.0),
        ],
        forward=(1.0, 0.0, 0.0),
        speed=2.0,
        behaviors=[(LeaderFollowing, {"leader": COUNT, "spread": 2.5})],
        vehicle={"max_speed": 4.5, "radius": 0.3},
        tracked=leader,
        drift=(2.5, 0.0, 0.0),
    )


def shows(run: Run) -> dict[str, bool]:
    offset = run.position - run.bodies[:, :1]
    crossing = (offset[:, 0, 0] > 0.0) & (offset[:, 0, 0] < 6.0) & (abs(offset[:, 0, 1]) < 1.0)
    return {
        "all end up behind the leader": bool((offset[-1, :, 0] < 0.0).all()),
        "each in a place of its own": bool(run.apart()[-1].min() > 0.6),
        "which they keep": bool((np.ptp(offset[-24:], axis=0) < 0.6).all()),
        "the one in its way gives way": bool(crossing[0] and not crossing[48:].any()),
    }


FIGURE = Figure(scene(), 9.0, shows, every=9.0)
