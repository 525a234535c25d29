"""Figures of behaviors that go somewhere."""

from dataclasses import replace

import numpy as np

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.docking import Docking
from steering_addon.behaviors.explore import Explore
from steering_addon.behaviors.flow_field_following import FlowFieldFollowing
from steering_addon.behaviors.forage import Forage
from steering_addon.behaviors.landing import Landing
from steering_addon.behaviors.orbit import Orbit
from steering_addon.behaviors.path_following import PathFollowing
from steering_addon.behaviors.patrol import ROUND, THERE_AND_BACK, Patrol, Patrolling
from steering_addon.behaviors.post import Post, Posted
from steering_addon.behaviors.rest import Rest
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.wall_following import WallFollowing
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import Flying
from steering_addon.scene import BOX, Scene, leaders, locked, perches, regions, resources, spline
from steering_addon.simulation.arrays.chance import keys_of
from steering_addon.simulation.candidates import FIRST, NEXT, Candidates
from steering_addon.simulation.geometry.paths import Spline
from steering_addon.simulation.snapshot import State

from ..figure import PlanarScene, Run, figure


@figure(
    PlanarScene(
        position=[(-9.0, -4.0, 0.0), (2.0, -7.0, 0.0)],
        forward=[(0.0, 1.0, 0.0), (0.6, -0.8, 0.0)],
        speed=4.0,
        behaviors=[(Seek, {"target": 2})],
        vehicle={"max_force": 3.0},
        tracked=leaders((4.0, 2.0, 0.0)),
    ),
    8.0,
    every=1.5,
)
def seek(run: Run) -> dict[str, bool]:
    """Two vehicles turn towards the target at top speed. Neither slows down: each overshoots and turns back."""
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


def coming(behavior: type) -> PlanarScene:
    return PlanarScene(
        position=[(-12.0, -2.0, 0.0)],
        forward=(0.0, 1.0, 0.0),
        speed=4.0,
        behaviors=[(behavior, {"target": 1})],
        tracked=leaders((2.0, 2.0, 0.0)),
    )


@figure(coming(Arrival), 6.0, coming(Seek), every=0.5)
def arrival(run: Run) -> dict[str, bool]:
    """The vehicle is drawn every half second. It begins to slow down 4 m from the target, the slowing distance, and
    stops on it. Seek (dotted) overshoots."""
    distance = run.to_body()[:, 0]
    near, far = distance < 4.0, (distance > 5.0) & (distance < 9.0)
    return {
        "it stops at the target": bool(distance[-1] < 0.2 and run.speed[-1, 0] < 0.2),
        "it keeps its speed until the slowing distance": bool(run.speed[far].min() > 3.5),
        "and slows down steadily from there": bool((np.diff(run.speed[near, 0]) < 0.02).all()),
        "it does not overshoot": bool(run.position[:, 0, 0].max() < 2.2),
    }


@figure(
    PlanarScene(
        position=[(-9.0, -7.0, 0.0), (7.0, -8.0, 0.0), (-7.0, 5.0, 0.0)],
        forward=[(1.0, 0.0, 0.0), (-1.0, 0.3, 0.0), (1.0, 0.0, 0.0)],
        speed=3.0,
        behaviors=[(Docking, {"target": 3})],
        vehicle={"max_speed": 4.0},
        tracked=leaders((0.0, 2.0, 0.0)),
    ),
    16.0,
    facing=True,
)
def docking(run: Run) -> dict[str, bool]:
    """The target faces up the page. The vehicles come from different sides, swing onto the line behind the target,
    follow it and stop facing the same way."""
    return {
        "each arrives": bool((run.to_body()[-1] < 0.3).all()),
        "and stops": bool((run.speed[-1] < 0.3).all()),
        "facing the same way as the target": bool((run.forward[-1, :, 1] > 0.95).all()),
    }


@figure(
    Scene(
        position=[(-14.0, -3.0, 5.0), (-15.0, 1.0, 6.0), (-13.0, 4.0, 4.0), (-16.0, 6.0, 5.5)],
        forward=(1.0, 0.0, 0.0),
        speed=6.0,
        behaviors=[(Landing, {"target": 4})],
        vehicle={"max_force": 14.0, "max_speed": 8.0},
        locomotions=[(Flying, {"least_speed": 0.3})],
        tracked=leaders((2.0, 0.0, 3.0)),
        perches=perches(0, *((2.0, y, 3.0) for y in np.linspace(-5.0, 5.0, 80)), along=(0.0, 1.0, 0.0)),
    ),
    5.0,
)
def landing(run: Run) -> dict[str, bool]:
    """Four birds come down on a wire. Each has a place of its own, and stands across."""
    place = run.position[-1]
    gap = np.linalg.norm(place[:, None] - place[None], axis=-1) + 9.0 * np.eye(len(place))
    return {
        "all stand on the wire": bool(np.abs(place[:, [0, 2]] - (2.0, 3.0)).max() < 1e-6),
        "they stand still": bool(run.speed[-1].max() < 1e-6),
        "they keep apart": bool(gap.min() >= 1.2),
    }


@figure(
    PlanarScene(
        position=[(x, 0.0, 0.0) for x in np.linspace(-8.0, 8.0, 5)],
        forward=(0.0, 1.0, 0.0),
        speed=4.0,
        behaviors=[(Wander, {"strength": 5.0})],
        seed=3,
    ),
    12.0,
    every=2.0,
)
def wander(run: Run) -> dict[str, bool]:
    """Five vehicles start side by side with the same settings (a strength of 5). Each strolls about in gentle turns of
    its own; another seed gives other paths."""
    turn = np.degrees(np.arccos(np.clip((run.forward[1:] * run.forward[:-1]).sum(axis=-1), -1.0, 1.0))) * 24.0
    ends = run.position[-1] - run.position[0]
    distances = np.linalg.norm(ends[:, None] - ends[None], axis=-1)[~np.eye(5, dtype=bool)]
    return {
        "no two take the same path": bool(distances.min() > 1.0),
        "they turn": bool(np.median(turn) > 3.0),
        "in gentle turns": bool(turn.max() < 90.0),
        "without stopping": bool(run.speed.min() > 2.5),
    }


VIEW = 2.0


@figure(
    PlanarScene(
        position=[(-1.0, 0.0, 0.0), (1.0, 0.0, 0.0)],
        forward=[(-1.0, 0.3, 0.0), (1.0, -0.3, 0.0)],
        speed=4.0,
        behaviors=[(Explore, {"view_distance": VIEW})],
        regions=regions([0.0, 0.0, 0.0], (9.0, 9.0, 1.0), BOX),
        seed=2,
    ),
    30.0,
    every=0.0,
    groups=((0,), (1,)),
)
def explore(run: Run) -> dict[str, bool]:
    """Two vehicles cover a region together. Each goes where neither has been yet, and within half a minute they have
    seen nearly all of it."""
    along = np.linspace(-8.5, 8.5, 18)
    grid = np.stack(np.meshgrid(along, along), axis=-1).reshape(-1, 2)
    far = np.linalg.norm(run.position[..., None, :2] - grid, axis=-1)
    nearest = far.min(axis=0)
    return {
        "nearly all of the region is seen": bool((nearest.min(axis=0) < VIEW + 0.5).mean() > 0.95),
        "each sees a part that the other does not see": bool(((nearest < VIEW).sum(axis=0) == 1).mean() > 0.25),
        "they stay in the region": bool(np.abs(run.position[..., :2]).max() < 10.5),
    }


@figure(
    PlanarScene(
        position=[(-5.0, 0.0, 0.0)],
        forward=(0.3, 1.0, 0.0),
        speed=3.0,
        behaviors=[(Forage, {"meal": 0.0})],
        vehicle={"radius": 0.3},
        tracked=resources((0.0, 6.0, 0.0), (7.0, 10.0, 0.0), (12.0, 3.0, 0.0), amount=1.0),
        seed=1,
    ),
    16.0,
)
def forage(run: Run) -> dict[str, bool]:
    """The vehicle stops at a resource, feeds on it until nothing is left, and goes to the next one it notices. After
    the last one it wanders."""
    nearest = np.stack([run.to_body(body)[:, 0].argmin() for body in range(3)])
    return {
        "each resource is used up": bool((run.states[-1].taken >= 1.0).all()),
        "one after the other": bool((np.diff(nearest) > 24).all()),
        "it stops to feed": bool(run.speed.min() < 0.1),
        "and moves again": bool(run.speed[-1].min() > 2.0),
    }


@figure(
    PlanarScene(
        position=[(x, 0.0, 0.0) for x in np.linspace(-14.0, 14.0, 5)],
        forward=(0.0, 1.0, 0.0),
        speed=1.0,
        behaviors=[(Wander, {"strength": 0.6}), (Rest, {"going_time": 4.0, "resting_time": 4.0})],
        vehicle={"max_speed": 1.5},
        seed=5,
    ),
    16.0,
    every=0.5,
)
def rest(run: Run) -> dict[str, bool]:
    """Five vehicles stroll and rest, each in a rhythm of its own. Each is drawn every half second, so that the drawings
    overlap where it rested."""
    resting = run.speed == 0.0
    return {
        "each rests": bool(resting[24:].any(axis=0).all()),
        "each goes": bool((run.speed > 1.0).any(axis=0).all()),
        "each at its own times": len({tuple(row) for row in resting.T}) == resting.shape[1],
        "at rest it does not move": bool(np.ptp(run.position[:, 0][resting[:, 0]], axis=0).max() < 10.0),
    }


@figure(
    PlanarScene(
        position=[(-14.0, -9.0, 0.0), (13.0, -4.0, 0.0), (1.0, 1.0, 0.0)],
        forward=[(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.0)],
        speed=4.0,
        behaviors=[(Orbit, {"distance": 6.0, "spread": 2.0})],
        tracked=leaders((0.0, 0.0, 0.0)),
    ),
    14.0,
    every=2.0,
)
def orbit(run: Run) -> dict[str, bool]:
    """Vehicles from outside and inside settle on circles of their own round the target, with radii of 6 m give or take
    2 m, and go round counterclockwise."""
    settled = run.to_body()[-96:]
    turning = np.cross(run.position - run.bodies[:, :1], np.diff(run.position, axis=0, append=run.position[-1:]))
    return {
        "each keeps to its circle": bool(np.ptp(settled, axis=0).max() < 0.3),
        "the circles differ": bool(np.ptp(settled[-1]) > 0.5),
        "all go round to the left": bool((turning[-96:-1, :, 2] > 0.0).all()),
    }


CORNERS = ((-9.0, -3.0, 0.0), (-2.0, -3.0, 0.0), (-5.5, 4.0, 0.0))
ROW = ((3.0, -3.0, 0.0), (8.0, 1.0, 0.0), (13.0, -3.0, 0.0))
WAIT = 1.5
PATROLS = {"targets": [FIRST, FIRST - 1], "order": [ROUND, THERE_AND_BACK], "wait_time": WAIT, "wait_spread": 0.0}


def stops(run: Run, row: int) -> list[int]:
    """The indices of the targets at which a vehicle has waited, one after the other."""
    memories: list[Patrolling] = [state.memories["patrol"] for state in run.states[1:]]
    waits = [int(memory.stop[row]) for memory in memories if memory.waited[row] > WAIT / 2.0]
    return [stop for k, stop in enumerate(waits) if k == 0 or waits[k - 1] != stop]


@figure(
    PlanarScene(
        position=[(-12.0, -1.0, 0.0), (1.0, 1.0, 0.0)],
        forward=[(1.0, 0.0, 0.0), (0.0, -1.0, 0.0)],
        speed=1.0,
        behaviors=[(Patrol, PATROLS)],
        vehicle={"max_speed": 2.5},
        tracked=leaders(*CORNERS, *ROW),
        candidates=tuple(Candidates(rows, keys_of(0, rows), NEXT) for rows in (np.arange(2, 5), np.arange(5, 8))),
    ),
    27.0,
    groups=((0,), (1,)),
)
def patrol(run: Run) -> dict[str, bool]:
    """The blue vehicle patrols round and round its three targets, the orange one there and back between its own. Each
    stops at each target for 1.5 s. They are drawn every second."""
    posts = np.array((CORNERS, ROW))
    distance = np.linalg.norm(run.position[:, :, None] - posts, axis=-1)
    still = (run.speed < 0.1)[..., None] & (distance < 0.2)
    return {
        "one goes round and round": stops(run, 0)[:5] == [0, 1, 2, 0, 1],
        "the other there and back": stops(run, 1)[:5] == [0, 1, 2, 1, 0],
        "each stops at each target": bool(still.any(axis=0).all()),
        "and moves everywhere else": bool((run.speed[12:] > 0.1)[(distance[12:] > 1.0).all(axis=-1)].all()),
    }


POST = (-9.0, -1.0, 0.0)
ROWS = ((-3.0, 1.5), (-1.0, 3.0), (1.0, 3.0), (3.0, 1.5))
HERD = [(x, y, 0.0) for y, half in ROWS for x in np.linspace(-half, half, round(4.0 * half / 3.0) + 1)]


class Away(PlanarScene):
    """A scene in which the vehicle has left its post."""

    def start(self) -> State:
        return replace(super().start(), memories={"post": Posted(np.array([True]), np.array([POST]))})


@figure(
    Away(
        position=[(10.0, 1.5, 0.0)],
        forward=(0.0, 1.0, 0.0),
        behaviors=[(Post, {"round_crowd": 1})],
        tracked=locked(*HERD, crowd=1),
    ),
    9.0,
)
def post(run: Run) -> dict[str, bool]:
    """A vehicle returns to the post that it had left. It goes round the crowd on the way, not through it."""
    place = run.position[:, 0]
    gap = np.linalg.norm(run.bodies - run.position, axis=-1)
    return {
        "it ends at its post": bool(np.linalg.norm(place[-1] - POST) < 0.1),
        "it stops there": bool(run.speed[-1, 0] < 0.1),
        "it goes round the herd": bool(gap.min() > 1.0 and np.abs(place[np.abs(place[:, 0]) < 1.0, 1]).min() > 3.5),
    }


RADIUS = 1.0


def winding(points: int, width: float, length: float) -> Spline:
    """A curve along x that goes to both sides."""
    x = np.linspace(-12.0, 12.0, points)
    return spline(np.stack((x, width * np.sin(x / length), np.zeros(points)), axis=-1), False)


ROAD = winding(60, 3.0, 3.5)


@figure(
    PlanarScene(
        position=[(-10.0, -6.5, 0.0), (-6.0, 1.0, 0.0), (0.0, 6.0, 0.0)],
        forward=[(0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0)],
        speed=3.0,
        behaviors=[(PathFollowing, {"radius": RADIUS})],
        vehicle={"max_speed": 4.0},
        paths=((ROAD,),),
    ),
    14.0,
    every=2.0,
)
def path_following(run: Run) -> dict[str, bool]:
    """Three vehicles join the path; the band shows its radius. They stay within it, slow down for its sharp bends, and
    stop at its end."""
    distance = np.stack([np.linalg.norm(p - ROAD.position(ROAD.nearest(p)), axis=-1) for p in run.position])
    return {
        "they reach the path": bool((distance[-1] < RADIUS).all()),
        "and stay within its radius": bool((distance[96:] < RADIUS + 0.1).all()),
        "to its end, where they stop": bool((run.position[-1, :, 0] > 10.5).all() and (run.speed[-1] < 0.5).all()),
    }


OFFSET = 1.5
WALL = winding(80, 1.6, 4.0)


@figure(
    PlanarScene(
        position=[(-11.0, 5.0, 0.0), (-10.0, -7.0, 0.0)],
        forward=[(1.0, -0.6, 0.0), (1.0, 0.9, 0.0)],
        speed=3.0,
        behaviors=[(WallFollowing, {"offset": OFFSET})],
        vehicle={"max_speed": 4.0},
        paths=((WALL,),),
    ),
    6.5,
)
def wall_following(run: Run) -> dict[str, bool]:
    """A vehicle comes from each side. Each turns along the wall and keeps the offset of 1.5 m on its own side."""
    settled = run.position[72:]
    distance = np.stack([np.linalg.norm(p - WALL.position(WALL.nearest(p)), axis=-1) for p in settled])
    above = settled[..., 1] > 1.6 * np.sin(settled[..., 0] / 4.0)
    return {
        "each keeps the offset": bool((abs(distance - OFFSET) < 0.35).all()),
        "on its own side": bool(above[:, 0].all() and not above[:, 1].any()),
    }


ANGLE = np.linspace(np.pi, 0.0, 40)
FLOW = spline(np.stack((8.0 * np.cos(ANGLE), 6.0 * np.sin(ANGLE) - 3.0, np.zeros(40)), axis=-1), False)
FALLOFF = 4.0


@figure(
    PlanarScene(
        position=[(-6.0, -6.0, 0.0), (-9.0, -2.0, 0.0), (-5.0, 2.0, 0.0), (-12.0, -8.5, 0.0)],
        forward=[(0.3, 1.0, 0.0), (1.0, 0.3, 0.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0)],
        speed=2.5,
        behaviors=[(FlowFieldFollowing, {"falloff_distance": FALLOFF})],
        vehicle={"max_speed": 4.0},
        flows=((FLOW,),),
    ),
    6.0,
)
def flow_field_following(run: Run) -> dict[str, bool]:
    """The arrows show the flow that one curve draws; it fades with distance. Three vehicles take up its direction,
    whatever their first heading; the lowest one never gets near it and keeps straight."""
    end = run.position[-1]
    return {
        "the vehicles in the flow follow its bend": bool((end[:3, 0] > 3.0).all()),
        "whatever their first heading": bool((run.forward[-1, :3, 1] < -0.3).all()),
        "the one far from it keeps straight": bool(np.ptp(run.position[:, 3, 1]) < 1e-9),
    }
