"""Figures of behaviors that react to others."""

import numpy as np

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.brake_for import BrakeFor
from steering_addon.behaviors.drive import Drive
from steering_addon.behaviors.evasion import Evasion
from steering_addon.behaviors.face import Face
from steering_addon.behaviors.fight import Fight
from steering_addon.behaviors.flee import Flee
from steering_addon.behaviors.give_way import GiveWay
from steering_addon.behaviors.hide import Hide
from steering_addon.behaviors.interpose import Interpose
from steering_addon.behaviors.offset_pursuit import OffsetPursuit
from steering_addon.behaviors.path_following import EITHER, PathFollowing
from steering_addon.behaviors.pursuit import Pursuit
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.shadow import Shadow
from steering_addon.locomotion import OnFoot
from steering_addon.scene import PRIORITY, Crowd, Scene, in_crowds, leaders, obstacles, spline
from steering_addon.simulation.arrays.chance import keys_of
from steering_addon.simulation.candidates import FIRST, NEAREST_ONE, Candidates
from steering_addon.simulation.snapshot import Snapshot

from ..figure import PlanarScene, Run, figure


@figure(
    PlanarScene(
        position=[(-5.0, -1.0, 0.0), (1.0, -4.0, 0.0), (3.0, 4.0, 0.0)],
        forward=[(1.0, 0.3, 0.0), (0.0, 1.0, 0.0), (-1.0, -0.6, 0.0)],
        speed=4.0,
        behaviors=[(Flee, {"target": 3, "distance": 0.0})],
        tracked=leaders((0.0, 0.0, 0.0)),
    ),
    3.0,
    every=0.5,
)
def flee(run: Run) -> dict[str, bool]:
    """At the start all three head for the cross. Each turns and finally runs straight away from it."""
    distance = run.to_body()
    away = run.position[-1] - run.bodies[-1, 0]
    outward = away / np.linalg.norm(away, axis=-1, keepdims=True)
    return {
        "at first they still get nearer": bool((distance.min(axis=0) < distance[0] - 0.2).all()),
        "at the end they head straight away": bool(((run.forward[-1] * outward).sum(axis=-1) > 0.97).all()),
    }


def chase(behavior: type) -> PlanarScene:
    name = "target" if behavior is Seek else "quarry"
    return PlanarScene(
        position=[(5.0, -15.0, 0.0)],
        forward=(0.0, 1.0, 0.0),
        speed=4.0,
        behaviors=[(behavior, {name: 1})],
        tracked=leaders((-10.0, 2.0, 0.0)),
        drift=(4.4, 0.0, 0.0),
    )


@figure(chase(Pursuit), 5.6, chase(Seek), every=0.8)
def pursuit(run: Run) -> dict[str, bool]:
    """The quarry comes from the left. Pursuit heads for the point where both will meet; seek (dotted) heads for where
    the quarry is, and ends up behind it."""
    seeking = Run.of(pursuit.without, pursuit.seconds)
    return {
        "it meets the quarry": bool((run.to_body() < 1.0).any()),
        "seek does not": bool(seeking.to_body().min() > 1.0),
        "seek is drawn to the left first": bool(seeking.position[:, 0, 0].min() < run.position[:, 0, 0].min() - 3.0),
        "and ends behind the quarry": bool(seeking.position[-1, 0, 0] < seeking.bodies[-1, 0, 0] - 1.0),
    }


BODY, REACH = 0.4, 0.8
LEFT, RIGHT = np.arange(5), np.arange(5, 9)


class Armies(PlanarScene):
    """A scene with a crowd on the left and another on the right."""

    def _first(self) -> Snapshot:
        left, right = (
            Crowd(rows, (Fight.of(len(rows), enemy=enemy, reach=REACH),), key=key)
            for rows, enemy, key in ((LEFT, FIRST - 1, 1), (RIGHT, FIRST, 2))
        )
        return in_crowds(super()._first(), [left, right])


@figure(
    Armies(
        position=[
            *((-9.0, 3.6, 0.0), (-9.0, 1.4, 0.0), (-9.0, -1.2, 0.0), (-9.0, -3.4, 0.0), (-12.0, 1.0, 0.0)),
            *((9.0, 3.0, 0.0), (9.0, 0.8, 0.0), (9.0, -1.6, 0.0), (9.0, -4.0, 0.0)),
        ],
        forward=np.repeat([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], (5, 4), axis=0),
        vehicle={"max_speed": 3.0, "max_force": 5.0, "radius": BODY, "keep_apart": True},
        candidates=tuple(Candidates(rows, keys_of(0, rows), NEAREST_ONE) for rows in (LEFT, RIGHT)),
    ),
    6.0,
    every=1.0,
    groups=((0, 1, 2, 3, 4), (5, 6, 7, 8)),
)
def fight(run: Run) -> dict[str, bool]:
    """Two crowds run at each other. Each takes the nearest enemy that is free and stops a step before it, face to face;
    the fifth on the left finds none and waits behind the others."""
    apart, forward, place = run.apart()[-1], run.forward[-1], run.position[-1]
    fighters = run.states[-1].memories[Fight.name].wanted[RIGHT]
    offset = place[RIGHT] - place[fighters]
    gap = np.linalg.norm(offset, axis=1) - 2.0 * BODY
    facing = np.einsum("ni,ni->n", offset, forward[fighters]) / np.linalg.norm(offset, axis=1)
    other = np.setdiff1d(LEFT, fighters)
    return {
        "four of each side meet": len(set(fighters.tolist())) == len(RIGHT),
        "a step apart": bool((abs(gap - REACH) < 0.3 * REACH).all()),
        "face to face": bool((facing > 0.95).all()),
        "the fifth waits": bool((apart[other[0], RIGHT] > 2.0 * BODY + 1.5 * REACH).all()),
        "all stand": bool((run.speed[-1] < 0.05).all()),
    }


def chased(behavior: type) -> PlanarScene:
    name = "target" if behavior is Flee else "pursuer"
    return PlanarScene(
        position=[(0.0, 0.0, 0.0)],
        speed=3.0,
        behaviors=[(behavior, {name: 1, "distance": 14.0})],
        vehicle={"max_speed": 4.0},
        tracked=leaders((-5.0, 3.0, 0.0)),
        drift=(2.0, 0.0, 0.0),
    )


@figure(chased(Evasion), 4.5, chased(Flee), every=0.5)
def evasion(run: Run) -> dict[str, bool]:
    """The pursuer comes from the left. Evasion runs from where the pursuer will be, and is soon out of its way; flee
    (dotted) runs from where the pursuer is, ahead of it, and does not get so far away."""
    fleeing = Run.of(evasion.without, evasion.seconds)
    return {
        "it gets further away than with flee": run.to_body()[-1].min() > fleeing.to_body()[-1].min() + 0.5,
        "it turns aside instead of running ahead": bool(run.position[-1, 0, 0] < fleeing.position[-1, 0, 0] - 1.0),
    }


@figure(
    PlanarScene(
        position=[(-12.0, -1.0, 0.0), (-12.0, 6.0, 0.0)],
        forward=[(1.0, 0.05, 0.0), (1.0, -0.25, 0.0)],
        speed=4.5,
        behaviors=[(OffsetPursuit, {"quarry": 2, "radius": 3.0})],
        tracked=leaders((0.0, 0.0, 0.0)),
        drift=(1.0, 0.0, 0.0),
    ),
    3.9,
    every=0.75,
)
def offset_pursuit(run: Run) -> dict[str, bool]:
    """Two vehicles overtake the slower quarry. Each passes it at about 3 m, the radius, on the side it came from."""
    nearest = run.to_body().min(axis=0)
    return {
        "each passes": bool((run.position[-1, :, 0] > run.bodies[-1, 0, 0]).any()),
        "at about the radius": bool((abs(nearest - 3.0) < 0.8).all()),
    }


@figure(
    PlanarScene(
        position=[(-6.0, -7.0, 0.0), (2.0, 7.0, 0.0)],
        forward=[(0.0, 1.0, 0.0), (-1.0, 0.0, 0.0)],
        speed=3.0,
        behaviors=[(Shadow, {"quarry": 2})],
        tracked=leaders((-8.0, 0.0, 0.0)),
        drift=(2.5, 0.0, 0.0),
    ),
    9.0,
)
def shadow(run: Run) -> dict[str, bool]:
    """Two vehicles approach a quarry that moves to the right. Within 3 m of it they stop closing in and go along at its
    speed and heading."""
    end = run.to_body()[-24:]
    return {
        "each gets near": bool((end < 4.0).all()),
        "none runs into it": bool((run.to_body() > 1.0).all()),
        "and goes at its speed": bool((abs(run.speed[-24:] - 2.5) < 0.3).all()),
        "and heading": bool((run.forward[-24:, :, 0] > 0.97).all()),
        "keeping its place": bool((np.ptp(end, axis=0) < 0.5).all()),
    }


@figure(
    PlanarScene(
        position=[(-3.0, -8.0, 0.0)],
        forward=(-1.0, 0.0, 0.0),
        speed=2.0,
        behaviors=[(Interpose, {"one": 1, "other": 2})],
        tracked=leaders((-8.0, -3.0, 0.0), (-4.0, 7.0, 0.0)),
        drift=[(2.0, 0.6, 0.0), (1.2, -0.4, 0.0)],
    ),
    7.0,
)
def interpose(run: Run) -> dict[str, bool]:
    """Two others move to the right at different speeds. The vehicle heads for the midpoint of where both will be, and
    stays between them."""
    middle = run.bodies.mean(axis=1)
    distance = np.linalg.norm(run.position[:, 0] - middle, axis=-1)
    return {"it gets between them": bool(distance[-1] < 0.5), "and stays there": bool(distance[-24:].max() < 0.6)}


CENTRE = np.array((2.0, 2.0, 0.0))
RADIUS = 2.0


@figure(
    PlanarScene(
        position=[(1.0, -3.0, 0.0)],
        forward=(0.0, -1.0, 0.0),
        speed=2.0,
        behaviors=[(Hide, {"opponent": 1})],
        combining=PRIORITY,
        tracked=leaders((-9.0, 6.0, 0.0)),
        drift=(1.6, -1.9, 0.0),
        obstacles=obstacles([CENTRE], [RADIUS]),
    ),
    6.0,
)
def hide(run: Run) -> dict[str, bool]:
    """The opponent comes round the obstacle. The vehicle goes to the far side and moves round with the opponent, so
    that the obstacle stays between them."""
    sight = run.position[:, 0] - run.bodies[:, 0]
    along = np.clip(((CENTRE - run.bodies[:, 0]) * sight).sum(axis=-1) / (sight**2).sum(axis=-1), 0.0, 1.0)
    out_of_sight = np.linalg.norm(run.bodies[:, 0] + along[:, None] * sight - CENTRE, axis=-1) < RADIUS
    return {
        "at first it is in sight": not out_of_sight[0],
        "later it is hidden": bool(out_of_sight[-60:].all()),
        "it stays outside the obstacle": bool((run.clearance() > 0.0).all()),
        "and moves round it with the opponent": bool(np.linalg.norm(run.position[-60, 0] - run.position[-1, 0]) > 1.0),
    }


GAP = 3.0


@figure(
    PlanarScene(
        position=[(-7.0, -2.0, 0.0)],
        forward=(0.0, 1.0, 0.0),
        speed=2.0,
        behaviors=[(Drive, {"target": 1, "home": 2, "gap": GAP, "home_distance": 2.0})],
        tracked=leaders((2.0, 2.0, 0.0), (-9.0, 2.0, 0.0)),
    ),
    8.0,
)
def drive(run: Run) -> dict[str, bool]:
    """The target on the right is to be driven to the one on the left. The vehicle swings wide round it and comes in
    from behind."""
    offset = run.position[:, 0] - run.bodies[:, 0]
    distance = np.linalg.norm(offset, axis=-1)
    beside = np.abs(offset[:, 0]) < GAP
    return {
        "it starts on the side of home": bool(offset[0, 0] < 0.0),
        "it goes round the target at a distance": bool(distance[beside & (np.abs(offset[:, 1]) > GAP)].min() > GAP),
        "and ends behind it": bool(np.allclose(offset[-1], (GAP, 0.0, 0.0), atol=0.3)),
    }


LANES = np.array([-6.0, -2.0, 2.0, 6.0])
COUNT = len(LANES)
STOPS = [(3.0 - abs(lane), lane, 0.0) for lane in LANES]
SIGHT = (-9.0, 0.0, 0.0)


@figure(
    Scene(
        position=[(x - 10.0, y, 0.0) for x, y, _ in STOPS],
        forward=(1.0, 0.0, 0.0),
        speed=2.0,
        behaviors=[(Arrival, {"target": COUNT + 1 + np.arange(COUNT)}), (Face, {"target": COUNT})],
        vehicle={"max_speed": 2.0, "max_force": 4.0},
        locomotions=[(OnFoot, {})],
        tracked=leaders(SIGHT, *STOPS),
    ),
    12.0,
    every=0.0,
)
def face(run: Run) -> dict[str, bool]:
    """Four vehicles walk to the right, each to a target of its own. Where they stop they turn round to the one on the
    left."""
    toward = np.array(SIGHT) - run.position[-1]
    toward /= np.linalg.norm(toward, axis=1, keepdims=True)
    along = run.forward[..., 0]
    moves = run.speed > 0.5
    return {
        "each walks past it to the right": bool((along[moves] > 0.8).all()),
        "each stands at the end": bool((run.speed[-1] == 0.0).all()),
        "each has turned to it": bool(((toward * run.forward[-1]).sum(axis=1) > 0.99).all()),
    }


@figure(
    PlanarScene(
        position=[(-16.0, 0.0, 0.0)],
        speed=5.0,
        behaviors=[(Seek, {"target": 1}), (BrakeFor, {})],
        tracked=leaders((24.0, 0.0, 0.0)),
        obstacles=obstacles([(0.0, -4.5, 0.0)], [0.6], velocity=[(0.0, 1.3, 0.0)]),
    ),
    9.0,
    every=0.5,
)
def brake_for(run: Run) -> dict[str, bool]:
    """One vehicle, drawn twice a second. A round obstacle crosses its path from below. The vehicle slows down, lets it
    pass and continues; it does not swerve."""
    return {
        "it touches nothing": bool(run.clearance().min() > 0.5),
        "it slows down": bool(run.speed.min() < 3.0),
        "it stays on its line": bool(np.abs(run.position[..., 1]).max() < 0.01),
        "and regains its speed": bool(run.speed[-1].min() > 4.5),
    }


ROADS = tuple(spline(np.array([way, way]) * [[-28.0], [28.0]], False) for way in ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]))
LANE = 1.2


@figure(
    PlanarScene(
        position=[(-16.0, -LANE, 0.0), (19.0, LANE, 0.0), (LANE, -17.0, 0.0)],
        forward=[(1.0, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 1.0, 0.0)],
        speed=4.0,
        behaviors=[
            (PathFollowing, {"path": [0, 0, 1], "lane_offset": LANE, "direction": EITHER}),
            (GiveWay, {}),
        ],
        vehicle={"max_speed": 4.0, "cruise_speed": 1.0},
        paths=tuple((road,) for road in ROADS),
    ),
    9.0,
    every=0.5,
)
def give_way(run: Run) -> dict[str, bool]:
    """Three vehicles on two roads, drawn twice a second, each in its lane. The one from below comes to the crossing
    later: it slows down until the others are through."""
    return {
        "none touches another": bool(run.apart().min() > 1.0),
        "who comes first is not slowed": bool(run.speed[:, 0].min() > 3.9),
        "the one from below waits": bool(run.speed[:, 2].min() < 2.5),
        "and goes on": bool(run.position[-1, 2, 1] > 5.0 and run.speed[-1, 2] > 3.5),
    }
