"""Figures of behaviors that move with the others."""

from dataclasses import replace

import numpy as np

from steering_addon.behaviors.alignment import Alignment
from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.cohesion import Cohesion
from steering_addon.behaviors.keep_company import KeepCompany
from steering_addon.behaviors.keep_distance import KeepDistance
from steering_addon.behaviors.leader_following import LeaderFollowing
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.unaligned_collision_avoidance import UnalignedCollisionAvoidance
from steering_addon.scene import PRIORITY, all_of, boxes, leaders, locked, obstacles

from ..figure import PlanarScene, Run, figure

SLOW = {"max_speed": 2.5, "radius": 0.2}
DISTANCE = 2.5


@figure(
    PlanarScene(
        position=[(x - 6.0, y, 0.0) for x, y in np.random.default_rng(4).uniform(-1.2, 1.2, (7, 2))],
        speed=2.0,
        behaviors=[(Separation, {"distance": DISTANCE})],
        vehicle=SLOW,
    ),
    5.0,
    every=5.0,
)
def separation(run: Run) -> dict[str, bool]:
    """Seven vehicles start close together, all heading right, and move apart. Once none is within 2.5 m of another
    there is nothing left to correct, and each keeps straight."""
    nearest = run.apart().min(axis=-1)
    return {
        "at the start they are crowded": bool(nearest[0].min() < 1.0),
        "at the end all are further apart than the distance": bool(nearest[-1].min() > DISTANCE),
        "and keep straight from there": bool(((run.forward[-24] * run.forward[-1]).sum(axis=-1) > 0.999).all()),
    }


ANGLES = np.random.default_rng(8).uniform(-1.3, 1.3, 9)


@figure(
    PlanarScene(
        position=[(x, y, 0.0) for x in (-7.0, -5.0, -3.0) for y in (-2.2, 0.0, 2.2)],
        forward=np.stack((np.cos(ANGLES), np.sin(ANGLES), np.zeros(9)), axis=-1),
        speed=2.0,
        behaviors=[(Alignment, {"distance": 6.0})],
        vehicle=SLOW,
    ),
    5.0,
    every=2.5,
)
def alignment(run: Run) -> dict[str, bool]:
    """Nine vehicles start with different headings and turn until all head the same way. Nothing holds them together or
    apart."""
    order = np.linalg.norm(run.forward.mean(axis=1), axis=-1)
    return {
        "at the start the headings differ": bool(order[0] < 0.85),
        "at the end all headings agree": bool(order[-1] > 0.99),
    }


RING = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)


@figure(
    PlanarScene(
        position=np.stack((4.0 * np.cos(RING) - 6.0, 4.0 * np.sin(RING), np.zeros(8)), axis=-1),
        speed=2.0,
        behaviors=[(Cohesion, {"distance": 12.0})],
        vehicle=SLOW,
    ),
    2.6,
    every=2.6,
)
def cohesion(run: Run) -> dict[str, bool]:
    """Eight vehicles start on a ring, all heading right. Each steers towards the centre of the others it sees, and the
    ring contracts as it moves ahead. Keep Apart would stop it from collapsing to a point."""
    width = np.linalg.norm(run.position - run.position.mean(axis=1, keepdims=True), axis=-1).mean(axis=1)
    return {
        "the ring closes": bool(width[-1] < 0.5 * width[0]),
        "while it moves ahead": bool(run.position[-1, :, 0].mean() > run.position[0, :, 0].mean() + 3.0),
    }


@figure(
    PlanarScene(
        position=[
            *((-4.5, 0.3, 0.0), (-7.0, 4.5, 0.0), (-12.0, -5.0, 0.0)),
            *((-6.0, -5.0, 0.0), (-13.0, 3.0, 0.0), (-14.0, -1.0, 0.0)),
        ],
        speed=2.0,
        behaviors=[(LeaderFollowing, {"leader": 6, "spread": 2.5})],
        vehicle={"max_speed": 4.5, "radius": 0.3},
        tracked=replace(leaders((-8.0, 0.0, 0.0)), forward=np.array([(1.0, 0.0, 0.0)])),
        drift=(2.5, 0.0, 0.0),
    ),
    9.0,
    every=9.0,
)
def leader_following(run: Run) -> dict[str, bool]:
    """The leader moves to the right. The vehicle in its way steers aside and lets it pass. All end up behind the
    leader, each in its own place in the formation."""
    offset = run.position - run.bodies[:, :1]
    crossing = (offset[:, 0, 0] > 0.0) & (offset[:, 0, 0] < 6.0) & (abs(offset[:, 0, 1]) < 1.0)
    return {
        "all end up behind the leader": bool((offset[-1, :, 0] < 0.0).all()),
        "each in a place of its own": bool(run.apart()[-1].min() > 0.6),
        "which they keep": bool((np.ptp(offset[-24:], axis=0) < 0.6).all()),
        "the one in its way gives way": bool(crossing[0] and not crossing[48:].any()),
    }


RADIUS, GAP = 0.4, 0.3
"""Of walkers, and between those who keep company, metres."""
SPACING = 2.0 * RADIUS + GAP
PAIR, THREE = [0, 1], [2, 3, 4]


@figure(
    PlanarScene(
        position=[(-9.0, 3.2, 0.0), (-10.5, 5.2, 0.0), (-9.0, -2.0, 0.0), (-10.5, -3.2, 0.0), (-9.5, -4.6, 0.0)],
        speed=1.4,
        behaviors=[
            (ObstacleAvoidance, {}),
            (KeepCompany, {"gap": GAP, "threes": np.array([0.0, 0.0, 1.0, 1.0, 1.0]), "distance": 3.5}),
        ],
        vehicle={"max_speed": 2.2, "cruise_speed": 0.65, "max_force": 2.5, "radius": RADIUS},
        obstacles=obstacles([[1.5, 4.2, 0.0]], 0.8),
    ),
    15.0,
    every=3.0,
)
def keep_company(run: Run) -> dict[str, bool]:
    """Two and three vehicles that start apart find each other and go on side by side, of the three the middle one a
    little behind. The pair parts at the obstacle and comes together again."""
    x, y = run.position[..., 0], run.position[..., 1]
    pair, three = np.abs(np.diff(y[:, PAIR], axis=1))[:, 0], np.sort(y[:, THREE], axis=1)
    middle = np.argsort(y[-1, THREE])[1]
    others = np.delete(x[-1, THREE], middle)
    before = np.flatnonzero(x[:, 0] < -2.5)[-1]
    return {
        "two go side by side": bool(abs(pair[before] - SPACING) < 0.15 and abs(np.diff(x[before, PAIR])[0]) < 0.3),
        "they part": bool(pair.max() > 1.5 * SPACING),
        "and come together again": bool(abs(pair[-1] - SPACING) < 0.15),
        "three go side by side": bool(np.abs(np.diff(three[-1]) - SPACING).max() < 0.15),
        "the middle one behind": bool((others - x[-1, THREE][middle] > 0.25).all()),
        "all at one pace": bool(np.ptp(run.speed[-1]) < 0.1),
    }


COUNT = 8


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


@figure(crossing((UnalignedCollisionAvoidance, {})), 16.0, crossing(), every=3.0, groups=((0, 1, 2, 3), (4, 5, 6, 7)))
def unaligned_collision_avoidance(run: Run) -> dict[str, bool]:
    """Four walkers go to the right and four up the page. Without avoidance (dotted) they would run into each other;
    with it each turns, slows or hurries a little, and none touches another."""
    straight = Run.of(unaligned_collision_avoidance.without, unaligned_collision_avoidance.seconds)
    return {
        "without it they run into each other": bool(straight.apart().min() < 2.0 * RADIUS),
        "with it they do not": bool(run.apart().min() > 2.0 * RADIUS),
        "and all reach their targets": all(run.to_body(row)[-1, row] < 1.0 for row in range(COUNT)),
    }


WALLS = [(0.0, 0.0, 4.0, 0.25), (-4.0, -3.0, 0.25, 3.25), (4.0, -3.0, 0.25, 3.25), (8.0, 2.5, 3.0, 0.25)]


@figure(
    PlanarScene(
        position=[(-1.5, -1.2, 0.0), (2.0, -4.5, 0.0), (9.0, -5.0, 0.0)],
        forward=(0.0, 1.0, 0.0),
        speed=1.0,
        behaviors=[(UnalignedCollisionAvoidance, {}), (Arrival, {"target": 3 + np.arange(3)})],
        vehicle={"max_speed": 1.6, "radius": RADIUS, "max_force": 4.0},
        tracked=leaders((-1.5, 4.0, 0.0), (1.0, 5.0, 0.0), (3.5, 4.0, 0.0)),
        obstacles=boxes([(x, y, 0.0) for x, y, _, _ in WALLS], [(a, b, 1.0) for _, _, a, b in WALLS]),
    ),
    24.0,
    every=3.0,
    name="unaligned_collision_avoidance-way",
)
def leads_out(run: Run) -> dict[str, bool]:
    """Two walkers start in a pen that opens away from their targets, a third beside it. Each takes the shortest path,
    corner by corner, and slows down only at its end."""
    return {
        "all reach their targets": all(run.to_body(row)[-1, row] < 0.5 for row in range(3)),
        "those in the pen first move away from their targets": bool(run.position[:, 0, 1].min() < -6.0),
        "none touches a wall": bool((run.clearance() > RADIUS - 0.02).all()),
        "nor another walker": bool(run.apart().min() > 2.0 * RADIUS),
    }


@figure(
    PlanarScene(
        position=[(x, 0.0, 0.0) for x in (-8.0, -13.0, -19.0, -22.0, -28.0)],
        speed=3.0,
        behaviors=[(Seek, {"target": 5}), (KeepDistance, {"gap": 2.0})],
        tracked=all_of(leaders((9.0, 0.0, 0.0)), locked((6.0, 0.0, 0.0), forward=(1.0, 0.0, 0.0))),
    ),
    16.0,
    every=0.0,
)
def keep_distance(run: Run) -> dict[str, bool]:
    """All head right, where a vehicle stands in their lane. They start at different distances, slow down one after the
    other and queue two metres apart."""
    gap = -np.diff(run.position[..., 0], axis=1) - 1.0
    return {
        "none touches another": bool(gap.min() > 0.0),
        "all stand at the end": bool(run.speed[-1].max() < 0.1),
        "in an even queue": bool(np.ptp(gap[-1]) < 0.2),
        "none leaves the lane": bool(np.abs(run.position[..., 1]).max() < 0.01),
    }
