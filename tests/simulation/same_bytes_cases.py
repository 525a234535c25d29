"""The small runs whose bytes must be the same everywhere: one for each behavior, and some of several together.

Each is placed by its own name, so that a new behavior leaves the others' runs alone. The scenes are made with the
simulation's own random numbers and angles, so that nothing but the simulation is measured.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from zlib import crc32

import numpy as np

from steering_addon.behaviors import CATALOGUE, FLOCKING
from steering_addon.behaviors.alignment import Alignment
from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.brake_for import BrakeFor
from steering_addon.behaviors.containment import Containment
from steering_addon.behaviors.docking import Docking
from steering_addon.behaviors.evasion import Evasion
from steering_addon.behaviors.explore import Explore
from steering_addon.behaviors.flow_field_following import FlowFieldFollowing
from steering_addon.behaviors.forage import Forage
from steering_addon.behaviors.keep_distance import KeepDistance
from steering_addon.behaviors.leader_following import LeaderFollowing
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.offset_pursuit import OffsetPursuit
from steering_addon.behaviors.path_following import PathFollowing
from steering_addon.behaviors.pursuit import Pursuit
from steering_addon.behaviors.rest import Rest
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.separation import Separation
from steering_addon.behaviors.unaligned_collision_avoidance import UnalignedCollisionAvoidance
from steering_addon.behaviors.wall_following import WallFollowing
from steering_addon.behaviors.wander import Wander
from steering_addon.locomotion import CATALOGUE as LOCOMOTIONS
from steering_addon.locomotion import Crawling, Flying, OnFoot, Planar
from steering_addon.minds.conditions import Alone, Always, Crowded, Faster, Inside, Nearby, Outside, Sees, Touched
from steering_addon.minds.declaring import Trigger
from steering_addon.scene import CrowdState, perches, trigger, with_states
from steering_addon.simulation.arrays.chance import keys_of
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.candidates import FIRST, PICKS, Candidates
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.declaration import CAUSE, Kind, Parameter
from steering_addon.simulation.geometry.obstacles import boxes, obstacles
from steering_addon.simulation.geometry.surfaces import Surfaces, surfaces
from steering_addon.simulation.guides import Guides
from steering_addon.simulation.marks.declaring import Mark
from steering_addon.simulation.presence.attendance import ON_ARRIVAL, Attendance
from steering_addon.simulation.run import simulate
from steering_addon.simulation.snapshot import Snapshot, State
from tests.scene import Crowd, Scene, all_of, in_crowds, leaders
from tests.simulation.busy_place import FPS, LEADERS, MEMBERS, Chance, busy
from tests.surfaces import mesh_obstacles

FRAMES = 36
"""Twelve seconds: long enough to rest, to be fed, to reach the end of a path and to give up."""
DEAR, DEAREST = 5, 3
"""Frames of cases in which each step takes long, and of those in which it takes longest."""
FEWER = {
    "brake_for": 12,
    "explore": 12,
    "keep_distance": 24,
    "obstacle_avoidance": 8,
    "path_following": 24,
    "unaligned_collision_avoidance": 6,
    "wall_following": 6,
}
"""Frames of the behaviors that take longest: all cases together still run the lines and branches that they run with
more frames."""
AT_REST = {"face"}
"""Behaviors that do something for those that stand only."""
ALONG_WITH: dict[str, tuple[type[Behavior], ...]] = {"give_way": (PathFollowing,)}
"""Behaviors that come along with those that do nothing alone."""
MIXED: tuple[type[Behavior], ...] = (Seek, ObstacleAvoidance, *FLOCKING, Containment)
MANY = (
    *(Arrival, Evasion, OffsetPursuit, Wander, Explore, Forage, Rest, ObstacleAvoidance, PathFollowing, WallFollowing),
    *(FlowFieldFollowing, *FLOCKING, LeaderFollowing, Containment, UnalignedCollisionAvoidance, KeepDistance, BrakeFor),
)
"""Listed, so that a new behavior leaves the case of many together as it is."""


@dataclass(frozen=True)
class Case:
    """A scene, the crowds of its vehicles, and what changes from frame to frame."""

    scene: Scene
    crowds: tuple[Crowd, ...]
    frames: int = FRAMES
    at: Callable[[int, Snapshot], Snapshot] = lambda frame, snapshot: snapshot

    def snapshots(self) -> Iterator[Snapshot]:
        """The input frame by frame."""
        first = in_crowds(self.scene.snapshot(), self.crowds)
        return (self.at(frame, self.scene._on(frame, first)) for frame in range(self.frames))

    def states(self) -> Iterator[State]:
        """The states frame by frame, each computed when it is asked for."""
        return simulate(self.scene.start(), self.snapshots(), lead_in=(next(self.snapshots()),))


def cases() -> dict[str, Callable[[], Case]]:
    """How to make each case, by its name. The name of a behavior stands for that behavior alone."""
    combined = {f"combined_{way.name.lower()}": way.number for way in COMBININGS[1:]}
    made = (
        *(several_crowds, coming_and_going, candidates, carried_and_turned, dense_flock, giving_up, throng),
        *(locomotions, on_hills, on_both_sides, states, directed, landed),
    )
    return {
        **{kind.name: partial(alone, kind) for kind in CATALOGUE},
        "flocking": partial(together, "flocking", FLOCKING, FRAMES),
        "many_together": partial(together, "many_together", MANY, DEAREST, defaults=True),
        **{name: partial(together, name, MIXED, DEAR, number) for name, number in combined.items()},
        **{case.__name__: case for case in made},
    }


def alone(kind: type[Behavior]) -> Case:
    kinds = (*ALONG_WITH.get(kind.name, ()), kind)
    return together(kind.name, kinds, FEWER.get(kind.name, FRAMES), at_rest=kind.name in AT_REST)


def together(
    name: str,
    kinds: tuple[type[Behavior], ...],
    frames: int,
    combining: int = 0,
    *,
    defaults: bool = False,
    at_rest: bool = False,
) -> Case:
    """A crowd in a busy place, whose members differ in their parameters or have all the default ones."""
    place = busy(name)
    if at_rest:
        place = replace(place, speed=0.0, vehicle={**place.vehicle, "cruise_speed": 0.0})
    behaviors = tuple(kind.of(MEMBERS) if defaults else varied(kind, MEMBERS, Chance(name)) for kind in kinds)
    return Case(place, (Crowd(np.arange(MEMBERS), behaviors, combining, key=crc32(name.encode())),), frames)


def varied(kind: type[Behavior], n: int, chance: Chance, crowds: int = 2) -> Behavior:
    """A behavior whose n agents have different values of each parameter."""
    return kind.of(
        n, **{name: _column(name, parameter, n, chance, crowds) for name, parameter in kind.parameters().items()}
    )


def _column(name: str, parameter: Parameter, n: int, chance: Chance, crowds: int) -> np.ndarray:
    row = np.arange(n)
    if parameter.kind is Kind.NUMBER:
        return np.clip(parameter.default * (0.7 + 0.6 * chance(n, name)), parameter.least, parameter.most)
    if parameter.kind is Kind.SWITCH:
        return row % 2 == 1
    if parameter.kind is Kind.CHOICE:
        return np.array([choice.number for choice in parameter.choices])[row % len(parameter.choices)]
    if parameter.kind is Kind.CROWD:
        return row % (crowds + 1) - 1
    if parameter.kind is Kind.SHAPE:
        return row // 2 % 3 - 1
    if parameter.kind is Kind.REGION:
        return np.where(row % 4 == 3, parameter.default, row % 4)
    if parameter.in_order:
        return np.array([FIRST, FIRST, n + 1, parameter.default])[row % 4]
    if parameter.kind is Kind.BODY:
        chosen = np.where(row % 4 == 1, n + (row + 2) % LEADERS, (row + 1) % n)
        return np.where(row % 4 < 2, chosen, parameter.default)
    return np.full(n, parameter.default)


def several_crowds() -> Case:
    """Three crowds among each other, of different behaviors and ways to combine, that flock with one another."""
    name, per_crowd = "several_crowds", 5
    chance, n = Chance(name), 3 * per_crowd
    kinds: tuple[tuple[type[Behavior], ...], ...] = (
        (*FLOCKING, Containment, ObstacleAvoidance),
        (Pursuit, UnalignedCollisionAvoidance, BrakeFor, *FLOCKING),
        (Evasion, Explore, Forage, Wander, UnalignedCollisionAvoidance),
    )
    crowds = tuple(
        Crowd(
            np.arange(n)[row::3],
            tuple(varied(kind, per_crowd, chance, crowds=3) for kind in wanted),
            COMBININGS[row].number,
            key=row,
        )
        for row, wanted in enumerate(kinds)
    )
    return Case(busy(name, n), crowds, DEAREST)


def coming_and_going() -> Case:
    """Vehicles that enter later, that wait for room, and that stay, for a time or for good, leave or go on."""
    name, n = "coming_and_going", 12
    row = np.arange(n)
    place = busy(name, n)
    place.position[6] = place.position[3] + 0.1
    attendance = Attendance.of(
        n,
        on_arrival=np.array([choice.number for choice in ON_ARRIVAL])[row % len(ON_ARRIVAL)],
        wait_for_room=row % 4 != 1,
        arrival_distance=np.where(row % 2 == 0, 0.0, 2.5),
    )
    behaviors = tuple(varied(kind, n, Chance(name)) for kind in (Arrival, PathFollowing, Docking))
    behaviors = tuple(replace(behavior, stay_time=0.1 * (row % 3 == 1)) for behavior in behaviors)
    crowd = Crowd(row, behaviors, COMBININGS[0].number, key=2)

    def entering(frame: int, snapshot: Snapshot) -> Snapshot:
        return replace(snapshot, attendance=attendance, due=(row % 3 == 2) | (frame >= 2 * row))

    return Case(place, (crowd,), frames=24, at=entering)


def candidates() -> Case:
    """Targets of which each vehicle takes the nearest, one of its own, or one after the other, some of them absent."""
    name, n = "candidates", 9
    place = busy(name, n)
    rows = np.array([0, 4, n, n + 1, n + 2, n + 3])
    groups = tuple(Candidates(rows, keys_of(3, rows), pick.number) for pick in PICKS)
    target = FIRST - np.arange(n) % len(groups)
    behaviors = (Seek.of(n, target=target), Pursuit.of(n, quarry=target, weight=0.3))

    def blinking(frame: int, snapshot: Snapshot) -> Snapshot:
        present = np.arange(len(place.tracked.roles)) != frame // 12
        return replace(snapshot, candidates=groups, tracked=replace(snapshot.tracked, present=present))

    return Case(place, (Crowd(np.arange(n), behaviors, COMBININGS[0].number, key=3),), at=blinking)


def carried_and_turned() -> Case:
    """Obstacles and a leader fixed to vehicles, boxes and meshes that turn and grow, regions that move."""
    name = "carried_and_turned"
    case, chance = together(name, (*MIXED, BrakeFor), DEAR), Chance(name)
    things, bodies = len(case.scene.obstacles), len(case.scene.tracked.roles)
    on_vehicle = np.arange(things) % 5 == 0

    def moving(frame: int, snapshot: Snapshot) -> Snapshot:
        time = frame / FPS
        shapes = snapshot.obstacles
        turns = np.stack([chance.turns(1, f"{name} {frame // 6}")[0]] * things)
        growing = np.where(np.arange(things) % 4 == 2, 1.0 + 0.05 * time, 1.0)
        local = np.array([0.0, 1.0, 0.2])
        return replace(
            snapshot,
            obstacles=replace(
                shapes,
                carrier=np.where(on_vehicle, np.arange(things) % MEMBERS, -1),
                start=np.where(on_vehicle[:, None], local, shapes.start),
                end=np.where(on_vehicle[:, None], local, shapes.end),
                axes=np.where(shapes.plain[:, None, None], shapes.axes, turns),
                half=shapes.half * growing[:, None],
                radius=shapes.radius * growing,
            ),
            tracked=replace(
                snapshot.tracked,
                carrier=np.where(np.arange(bodies) == 0, 2, -1),
                position=np.where((np.arange(bodies) == 0)[:, None], local, snapshot.tracked.position),
            ),
            regions=replace(snapshot.regions, centre=snapshot.regions.centre + time * np.array([0.3, -0.2, 0.0])),
        )

    return replace(case, at=moving)


def dense_flock() -> Case:
    """Many vehicles with many neighbors each, before a surface of many triangles."""
    name, n = "dense_flock", 150
    chance = Chance(name)
    place = Scene(
        position=5.0 * chance.vectors(n, "position"),
        forward=np.array([0.0, 2.0, 0.0]) + chance.vectors(n, "forward"),
        speed=4.0,
        obstacles=mesh_obstacles([chance.dunes("dunes")], [[0.0, 8.0, 0.0]]),
        fps=FPS,
        substeps=2,
        decides_every=2,
        seed=20,
    )
    behaviors = tuple(kind.of(n) for kind in (*FLOCKING, ObstacleAvoidance))
    return Case(place, (Crowd(np.arange(n), behaviors, COMBININGS[0].number, key=6),), DEAR)


def giving_up() -> Case:
    """Explorers who see next to nothing, half of whom cannot get anywhere."""
    name, n = "giving_up", MEMBERS
    place = busy(name)
    place = replace(place, speed=0.0, vehicle=place.vehicle | {"max_force": np.where(np.arange(n) % 2, 0.01, 8.0)})
    behaviors = (Explore.of(n, region=0, view_distance=0.05),)
    return Case(place, (Crowd(np.arange(n), behaviors, COMBININGS[0].number, key=4),), frames=18)


def locomotions() -> Case:
    """Vehicles of every locomotion, which wander to points above and below them; some start straight up or down."""
    name, n = "locomotions", 5 * len(LOCOMOTIONS)
    chance, row = Chance(name), np.arange(n)
    place = busy(name, n)
    heading = place.forward.copy()
    heading[-4:] = [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [0.0, 0.1, 1.0], [0.1, 0.0, -1.0]]
    place = replace(
        place,
        forward=heading,
        locomotions=[
            (kind, {key: _value(key, parameter, chance) for key, parameter in kind.parameters().items()})
            for kind in LOCOMOTIONS
        ],
        locomotion_row=row % len(LOCOMOTIONS),
    )
    behaviors = (Seek.of(n, target=n + row % LEADERS), Wander.of(n, strength=3.0))
    return Case(place, (Crowd(row, behaviors, COMBININGS[0].number, key=8),), frames=27)


def _value(name: str, parameter: Parameter, chance: Chance) -> float:
    """A value about the default, or about a half where the default is 0."""
    about = (parameter.default or 0.5) * (0.6 + 0.8 * chance(1, name)[0])
    return float(np.clip(about, parameter.least, parameter.most))


def on_hills() -> Case:
    """A herd on rough ground, partly too steep, with a gap, under and over a deck."""
    moves = (OnFoot, {"turn_radius": 1.0, "turn_on_the_spot": 0.0, "align_to_ground": 0.5})
    return _over_rough_ground("on_hills", 9, moves)


def on_both_sides() -> Case:
    """Bodies that crawl on both sides of rough ground and of a deck, over folds and up to the borders."""
    row = np.arange(12)
    up = np.where((row % 2 == 0)[:, None], (0.0, 0.0, 1.0), (0.0, 0.0, -1.0))
    moves = (Crawling, {"turn_radius": 0.4, "at_edge": row % 3})
    return _over_rough_ground("on_both_sides", 10, moves, up=up, keep_apart=True)


def _over_rough_ground(name: str, key: int, moves: Any, *, keep_apart: bool = False, **placed: Any) -> Case:
    chance, n, row = Chance(name), 12, np.arange(12)
    place = Scene(
        np.stack((3.0 * (row % 4) - 4.5, 3.0 * (row // 4) - 3.0, np.where(row % 3, 0.8, 3.4)), axis=1),
        forward=chance.vectors(n, "headings") * (1.0, 1.0, 0.0),
        speed=1.0,
        vehicle={"max_speed": 1.6, "max_force": 4.0, "radius": 0.3, "keep_apart": keep_apart},
        locomotions=[moves],
        surfaces=_rough(chance),
        fps=FPS,
        substeps=2,
        **placed,
    )
    behaviors = (Separation.of(n), Wander.of(n, strength=2.0))
    return Case(place, (Crowd(row, behaviors, COMBININGS[0].number, key=key),), frames=48)


def _rough(chance: Chance) -> Surfaces:
    """Rough ground with a gap, and a deck above it, which may move."""
    cells, side = 16, 24.0
    line = np.linspace(-0.5 * side, 0.5 * side, cells + 1)
    x, y = np.repeat(line, cells + 1), np.tile(line, cells + 1)
    rough = np.stack((x, y, 1.6 * chance(len(x), "heights")), axis=1)
    corner = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    first, second = (corner, corner + cells + 1, corner + cells + 2), (corner, corner + cells + 2, corner + 1)
    faces = np.concatenate((np.stack(first, axis=1), np.stack(second, axis=1)))
    deck = np.array([(-6.0, -3.0, 3.5), (6.0, -3.0, 3.0), (6.0, 3.0, 3.0), (-6.0, 3.0, 3.5)])
    return surfaces([(rough, np.delete(faces, (40, 41), axis=0)), (deck, np.array([(0, 1, 2), (0, 2, 3)]))], [0, 1])


def throng() -> Case:
    """Two groups of walkers who want to be on each other's side of a wall with one narrow door, past pillars."""
    name, n = "throng", 14
    chance, row = Chance(name), np.arange(n)
    west = row % 2 == 0
    position = np.stack(
        (np.where(west, -1.0, 1.0) * (2.0 + 5.0 * chance(n, "x")), 4.0 * chance(n, "y") - 2.0, np.zeros(n)), axis=-1
    )
    goals = leaders([9.0, 1.0, 0.0], [-9.0, -1.0, 0.0])
    walls = boxes(
        [[0.0, 5.5, 0.0], [0.0, -5.5, 0.0], [4.0, 0.5, 0.0]], [[0.2, 5.0, 1.0], [0.2, 5.0, 1.0], [0.3, 0.6, 1.0]]
    )
    pillars = obstacles([[-4.0, 0.4, -1.0], [6.0, -1.5, -1.0]], 0.4, [[-4.0, 0.4, 1.0], [6.0, -1.5, 1.0]])
    place = Scene(
        position=position,
        forward=np.where(west[:, None], [1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]),
        speed=1.0,
        vehicle={"radius": 0.25, "max_speed": 1.6, "keep_apart": True, "max_force": 6.0},
        locomotions=[(Planar, {})],
        tracked=goals,
        obstacles=all_of(walls, pillars),
        fps=FPS,
        substeps=2,
        decides_every=3,
        seed=20,
    )
    behaviors = (
        Arrival.of(n, target=np.where(west, n, n + 1)),
        ObstacleAvoidance.of(n),
        UnalignedCollisionAvoidance.of(n),
    )
    return Case(place, (Crowd(row, behaviors, COMBININGS[0].number, key=5),), frames=27)


def states() -> Case:
    """A crowd that is startled by what is near, by the example of others and on cue, chooses whom to fetch, and rests.

    Each of its triggers has a part in it.
    """
    name, n = "states", 12
    place, row = busy(name, n), np.arange(n)
    startle = CrowdState(
        "Startle",
        [(Evasion, {"pursuer": CAUSE}), (Separation, {})],
        {"max_speed": 9.0, "max_force": 12.0},
        numbers={"react": 0.4, "lasts": 1.5, "spreads": 2, "reach": 8.0, "fresh": 1.5},
        then="Rest",
    )
    declared = [
        startle,
        CrowdState("Fetch", [(Seek, {"target": CAUSE})], numbers={"lasts": 0.8, "react": 0.5, "blend": 1.0}),
        CrowdState("Rest", [(Wander, {})], numbers={"lasts": 0.7, "builds_up": 1.0, "wears_off": 2.0}, eases="Rest"),
        CrowdState("Look", [(Alignment, {})], numbers={"lasts": 0.4, "react": 0.1, "urge": 0.4}),
    ]
    fetch, look, rest, startled = 1, 2, 3, 4
    bodies = n + np.arange(LEADERS)
    conditions: tuple[Trigger, ...] = (
        trigger(startled, Nearby, bodies=bodies[:2], distance=2.0),
        trigger(startled, Sees, bodies=bodies[2:], distance=4.0, angle=2.0, chance=0.6),
        trigger(startled, Touched, bodies=row, strength=0.8),
        trigger(fetch, Nearby, bodies=bodies, of=(0, startled), distance=30.0, one_each=True, from_modes=(0,)),
        trigger(fetch, Alone, distance=1.5, count=1, strength=0.7, chance=0.5),
        trigger(fetch, Outside, regions=np.arange(2), margin=0.0, strength=0.6, chance=0.5),
        trigger(rest, Crowded, distance=4.0, count=4, chance=0.3),
        trigger(look, Faster, speed=4.0, strength=0.8, chance=0.5),
        trigger(look, Inside, regions=np.arange(2), strength=0.7),
        trigger(rest, Always, strength=0.7, chance=0.3),
    )
    triggers = [replace(trigger, key=key) for key, trigger in enumerate(conditions)]

    def directed(frame: int, snapshot: Snapshot) -> Snapshot:
        numbers = {**startle.numbers, "cue": 0.5 if 24 <= frame < 30 else 0.0}
        return with_states(snapshot, [replace(startle, numbers=numbers), *declared[1:]], triggers)

    crowd = Crowd(row, tuple(varied(kind, n, Chance(name)) for kind in (*FLOCKING, Arrival)), 0, key=4)
    return Case(place, (crowd,), at=directed)


def directed() -> Case:
    """Vehicles of every locomotion, two of each of which are led by hand or meet a mark; the others share marks."""
    place = locomotions()
    n, k = len(place.scene.position), len(LOCOMOTIONS)
    chance, row, bodies = Chance("directed"), np.arange(n), n + np.arange(LEADERS)
    start = place.scene.position
    way = 3.0 * chance.vectors(k, "way") + np.array([0.0, 6.0, 0.0])
    shape = start[3 * k :] + np.array([0.0, 8.0, 2.0]) + chance.vectors(n - 3 * k, "shape")
    marks = (
        Mark("Alone", 0.9, int(bodies[0]), row[k : k + 3], lead=0.5, aims=True, speed=3.0),
        Mark("Behind", 0.8, int(bodies[1]), row[k + 3 : 2 * k], lead=0.6, radius=0.2),
        Mark("Middle", 0.7, int(bodies[2]), row[2 * k : 3 * k], lead=0.4, together=True),
        Mark("Shape", 0.9, int(bodies[3]), row[3 * k :], lead=0.5, release=0.2),
    )

    def at(frame: int, snapshot: Snapshot) -> Snapshot:
        time = frame / 24.0
        share = np.where(np.arange(k) % 2, 1.0, 0.6) * (4 <= frame < 18)
        guides = Guides(row[:k], share, start[:k] + way * time * time)
        shaped = replace(marks[3], points=shape + np.array([1.0, 0.0, 0.0]) * time)
        return replace(snapshot, guides=guides, marks=(*marks[:3], shaped))

    return replace(place, at=at)


def landed() -> Case:
    """Birds that are to stand on marks, one on a point and the others on a roof, and take off again."""
    chance, n = Chance("landed"), 9
    row, roof = np.arange(n), chance.vectors(40, "roof") * (4.0, 3.0, 0.0) + (0.0, 0.0, 5.0)
    place = Scene(
        chance.vectors(n, "start") * (6.0, 5.0, 3.0) + (0.0, -14.0, 8.0),
        forward=chance.vectors(n, "forward") * (1.0, 1.0, 0.2),
        speed=8.0,
        vehicle={"max_force": 20.0, "max_speed": 12.0, "cruise_speed": 0.75, "radius": 0.1},
        locomotions=[(Flying, {"least_speed": 0.3})],
        tracked=leaders((4.0, 2.0, 3.0), (0.0, 0.0, 5.0)),
        perches=perches(1, *roof),
    )
    marks = (
        Mark("Alone", 3.5, n, row[:1], ground=n, stays=0.4),
        Mark("Roof", 3.0, n + 1, row[1:], ground=n + 1, stays=0.4, lead=2.0),
    )
    crowd = Crowd(row, (varied(Wander, n, chance),), 0, key=5)
    return Case(place, (crowd,), 110, lambda frame, snapshot: replace(snapshot, marks=marks))
