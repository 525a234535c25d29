"""Unaligned collision avoidance: keep out of each other's way.

Four walkers go to the right and four up the page. Without avoidance (dotted) they would run into each other; with it
each turns, slows or hurries a little, and none touches another.
"""

import numpy as np

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.unaligned_collision_avoidance import UnalignedCollisionAvoidance
from steering_addon.scene import PRIORITY, boxes, leaders

from ..figure import Figure, PlanarScene, Run

COUNT = 8
RADIUS = 0.4


def crossing(*avoiding: tuple) -> PlanarScene:
    step = np.linspace(-3.0, 3.0, COUNT // 2)
    zero = np.zeros(COUNT // 2)
    start = np.array([(-8.0, 0.0, 0.0), (0.0, -8.0, 0.0)])
    right, up = np.stack((zero, step, zero), axis=-1), np.stack((step + 0.35, zero, zero), axis=-1)
    return PlanarScene(
        position=np.concatenate((right + start[0], up + start[1])),
        forward=[(1.0, 0.0, 0.0)] * (COUNT // 2) + [(0.0, 1.0, 0.0)] * (COUNT // 2),
        speed=1.3,
        behaviors=[*avoiding, (Arrival, {"target": COUNT + np.arange(COUNT)})],
        vehicle={"max_speed": 1.6, "radius": RADIUS, "max_force": 4.0},
        combining=PRIORITY,
        tracked=leaders(*(right - start[0]), *(up - start[1])),
    )


def shows(run: Run) -> dict[str, bool]:
    straight = Run.of(FIGURE.without, FIGURE.seconds)
    return {
        "without it they run into each other": bool(straight.apart().min() < 2.0 * RADIUS),
        "with it they do not": bool(run.apart().min() > 2.0 * RADIUS),
        "and all reach their targets": all(run.to_body(row)[-1, row] < 1.0 for row in range(COUNT)),
    }


FIGURE = Figure(
    crossing((UnalignedCollisionAvoidance, {})), 16.0, shows, crossing(), every=3.0, groups=((0, 1, 2, 3), (4, 5, 6, 7))
)


def pen() -> PlanarScene:
    walls = [(0.0, 0.0, 4.0, 0.25), (-4.0, -3.0, 0.25, 3.25), (4.0, -3.0, 0.25, 3.25), (8.0, 2.5, 3.0, 0.25)]
    return PlanarScene(
        position=[(-1.5, -1.2, 0.0), (2.0, -4.5, 0.0), (9.0, -5.0, 0.0)],
        speed=1.0,
        behaviors=[(UnalignedCollisionAvoidance, {}), (Arrival, {"target": 3 + np.arange(3)})],
        vehicle={"max_speed": 1.6, "radius": RADIUS, "max_force": 4.0},
        tracked=leaders((-1.5, 4.0, 0.0), (1.0, 5.0, 0.0), (3.5, 4.0, 0.0)),
        obstacles=boxes([(x, y, 0.0) for x, y, _, _ in walls], [(a, b, 1.0) for _, _, a, b in walls]),
    )


def leads_out(run: Run) -> dict[str, bool]:
    return {
        "all reach their targets": all(run.to_body(row)[-1, row] < 0.5 for row in range(3)),
        "those in the pen first move away from their targets": bool(run.position[:, 0, 1].min() < -6.0),
        "none touches a wall": bool((run.clearance() > RADIUS - 0.02).all()),
        "nor another walker": bool(run.apart().min() > 2.0 * RADIUS),
    }


MORE = {
    "way": Figure(
        pen(),
        24.0,
        leads_out,
        every=3.0,
        caption="Two walkers start in a pen that opens away from their targets, a third beside it. Each takes "
        "the shortest path, corner by corner, and slows down only at its end.",
    )
}
