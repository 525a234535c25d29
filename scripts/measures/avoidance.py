"""The stages of avoidance: whether walkers and fish pass each other without contacts and detours, and in time.

A case is a stage, and each figure the mean of three seeds: the overlap, the share that does not arrive, the turn rate,
and the time on the way over that of a straight line. docs/avoidance.md tells where the bands come from.

All scenes are our own, small and seeded. Encounters of a few walkers are staged side by side in one scene, LOT metres
apart, so that no walker perceives another encounter. Walkers and settings are those of scripts/measure steerbench:
discs that move any way, or the shipped Pedestrians on foot.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from scripts.measures.steerbench import AVOIDANCE, TURN, WALKER, people
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.unaligned_collision_avoidance import PAPER, VELOCITY, UnalignedCollisionAvoidance
from steering_addon.locomotion import Planar, SimpleVehicle
from steering_addon.scene import Scene, all_of, boxes, leaders
from steering_addon.simulation.geometry.obstacles import Obstacles
from steering_addon.simulation.run import step

IN_BLENDER = False
SEEDS = (1, 2, 3)
TURNING_AND_TIME = {
    **dict.fromkeys(("meetings", "overtaking", "fish", "aside"), (4.0, 1.12)),
    "doors": (15.0, 1.25),
    "corridor": (15.0, 1.4),
    "plaza": (12.0, 1.3),
    "bottleneck": (45.0, 3.5),
    "meetings_on_foot": (6.0, 1.2),
    "corridor_on_foot": (15.0, 1.5),
}
CASES = tuple(TURNING_AND_TIME)
BANDS = {"overlap, m": (0.0, 0.02), "missing": (0.0, 0.05)}
for _stage, (_turning, _time) in TURNING_AND_TIME.items():
    BANDS |= {f"turning, {_stage}": (0.0, _turning), f"time, {_stage}": (0.0, _time)}
FPS = 20.0
LOT = 60.0
PACE = 1.3
"""Metres a second."""
RADIUS = 0.5
REACHED = 2.5
"""An agent has arrived within this number of radii of its goal, and leaves."""
SLOW = 0.2
"""Metres a second: turning on the spot is not measured."""


def figures(case: str, folder: Path) -> dict[str, float]:
    means = {overlap: "overlap, m", missing: "missing", turning: f"turning, {case}", time_ratio: f"time, {case}"}
    runs = []
    for seed in SEEDS:
        stage = STAGES[case](np.random.default_rng([seed, *case.encode()]))
        track = stage.track()
        runs.append([measure(stage, track) for measure in means])
    return dict(zip(means.values(), np.mean(runs, axis=0).tolist()))


@dataclass(frozen=True)
class Stage:
    """Agents with their goals and walls.

    Attributes:
        start, goal: (n, 3) metres.
        speed: (n,) the speeds they wish for, m/s.
        seconds: how long they have.
        walls: boxes.
        radius: metres, of all.
        vehicle: further parameters of the vehicle model.
        moves: the locomotion.
        method: of unaligned collision avoidance.
        settings: parameters of unaligned collision avoidance.
        on_foot: whether the shipped Pedestrians walk, with settings of their own, instead of discs.
    """

    start: np.ndarray
    goal: np.ndarray
    speed: np.ndarray
    seconds: float
    walls: Obstacles = field(default_factory=lambda: boxes(np.zeros((0, 3)), np.zeros((0, 3))))
    radius: float = RADIUS
    vehicle: dict = field(default_factory=dict)
    moves: type[Planar] | type[SimpleVehicle] = Planar
    method: int = VELOCITY
    settings: dict = field(default_factory=lambda: AVOIDANCE["VELOCITY"])
    on_foot: bool = False

    def track(self) -> np.ndarray:
        """The positions on each frame, (frames, n, 3) metres; nan for agents that have left."""
        n = len(self.start)
        course = self.goal - self.start
        scene = Scene(
            self.start,
            forward=course / np.linalg.norm(course, axis=1)[:, None],
            speed=self.speed,
            **self._walkers(),
            tracked=leaders(*self.goal),
            obstacles=self.walls,
            fps=FPS,
        )
        snapshot, state = scene.snapshot(), scene.start()
        present = np.ones(n, dtype=bool)
        track = np.full((int(FPS * self.seconds) + 1, n, 3), np.nan)
        track[0] = self.start
        for frame in range(1, len(track)):
            snapshot = replace(snapshot, present=present)
            state = step(replace(state, inputs=snapshot), snapshot)
            place = state.motion.position
            track[frame, present] = place[present]
            present = present & (np.linalg.norm(place - self.goal, axis=1) > REACHED * self.radius)
            if not present.any():
                return track[: frame + 1]
        return track

    def _walkers(self) -> dict:
        """How they go to their goals, as a scene takes it."""
        n = len(self.start)
        if self.on_foot:
            walkers, share = people(n)
            walkers["vehicle"] |= {"max_speed": self.speed / share, "radius": self.radius}
            return walkers
        avoidance = {"method": self.method, **self.settings}
        return {
            "behaviors": [(Seek, {"target": n + np.arange(n)}), (UnalignedCollisionAvoidance, avoidance)],
            "vehicle": WALKER | {"max_speed": self.speed, "radius": self.radius} | self.vehicle,
            "locomotions": [(self.moves, {"max_turn_rate": TURN})],
        }


def meetings(chance: np.random.Generator) -> Stage:
    """Twelve pairs: four meet head-on, not quite in line, and eight where their ways cross, not quite in time."""
    degrees = np.concatenate((np.full(4, 180.0), chance.uniform(30.0, 150.0, 8)))
    angle = np.radians(degrees)
    courses = np.stack((_ground(np.zeros(12), np.ones(12)), _ground(np.sin(angle), np.cos(angle))), axis=1)
    aside = np.stack((courses[..., 1], -courses[..., 0], courses[..., 2]), axis=-1)
    late, offset = chance.uniform(0.0, 0.8, (12, 2, 1)), chance.uniform(-0.15, 0.15, (12, 2, 1))
    start = -(6.0 + late) * courses + offset * aside
    return _walk(start + _lots(12), 7.0 * courses + _lots(12), 16.0)


def overtaking(chance: np.random.Generator) -> Stage:
    """Eight pairs of a slow walker and a fast one behind it."""
    courses = np.tile([0.0, 1.0, 0.0], (8, 2, 1))
    start = np.stack((np.zeros((8, 3)), _ground(chance.uniform(-0.2, 0.2, 8), -chance.uniform(2.5, 4.0, 8))), axis=1)
    stage = _walk(start + _lots(8), start + 14.0 * courses + _lots(8), 26.0)
    slow = chance.uniform(0.6, 0.8, 8)
    return replace(stage, speed=np.stack((slow, np.full(8, PACE)), axis=1).ravel())


def doors(chance: np.random.Generator) -> Stage:
    """Ten doors of 1.5 m, where two walkers of 1 m meet from either side."""
    courses = np.tile([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]], (10, 1, 1))
    shift = _ground(chance.uniform(-1.5, 1.5, 20), chance.uniform(-0.5, 0.5, 20)).reshape(10, 2, 3)
    walls = [
        _wall(lot + np.array([side * 3.75, 0.0, 0.0]), 3.0, 0.2) for lot in _lots(10)[:, 0] for side in (-1.0, 1.0)
    ]
    return replace(_walk(-5.0 * courses + shift + _lots(10), 6.0 * courses + _lots(10), 24.0), walls=all_of(*walls))


def corridor(chance: np.random.Generator) -> Stage:
    """Twelve walkers who pass each other in a corridor that is 5 m wide, six from either end."""
    row = np.arange(12)
    courses = _ground(np.zeros(12), np.where(row < 6, 1.0, -1.0))
    aside = _ground(1.4 * (row % 3 - 1.0) + chance.uniform(-0.2, 0.2, 12), np.zeros(12))
    start = aside - (5.0 + 1.5 * (row % 6 // 3) + chance.uniform(-0.2, 0.2, 12))[:, None] * courses
    walls = [_wall(np.array([side * 2.7, 0.0, 0.0]), 0.2, 9.0) for side in (-1.0, 1.0)]
    goal = aside + 8.0 * courses
    return replace(_walk(start[None], goal[None], 25.0), walls=all_of(*walls))


def plaza(chance: np.random.Generator) -> Stage:
    """Sixteen walkers on a circle, each with the opposite point as its goal."""
    angle = (np.arange(16) + chance.uniform(-0.2, 0.2, 16)) * (2.0 * np.pi / 16)
    start = 6.0 * _ground(np.cos(angle), np.sin(angle))
    return _walk(start[None], -1.2 * start[None], 20.0)


def bottleneck(chance: np.random.Generator) -> Stage:
    """Fourteen walkers of 1 m who leave through a door of 1.3 m."""
    row = np.arange(14)
    start = _ground(1.3 * (row % 6 - 2.5), -2.5 - 1.3 * (row // 6)) + _ground(*chance.uniform(-0.1, 0.1, (2, 14)))
    walls = [_wall(np.array([side * 4.65, 0.0, 0.0]), 4.0, 0.2) for side in (-1.0, 1.0)]
    return replace(_walk(start[None], np.tile([0.0, 4.0, 0.0], (1, 14, 1)), 70.0), walls=all_of(*walls))


def fish(chance: np.random.Generator) -> Stage:
    """Two schools of fifteen fish that swim through each other."""
    start = chance.uniform(-1.5, 1.5, (30, 3)) - (0.0, 6.0, 0.0)
    start[15:] *= (1.0, -1.0, 1.0)
    goal = start * (1.0, -1.0, 1.0)
    body = {"max_force": 6.0, "keep_apart": False}
    return Stage(start, goal, np.full(30, 2.0), 12.0, radius=0.15, vehicle=body, moves=SimpleVehicle, settings={})


def aside(chance: np.random.Generator) -> Stage:
    """The pairs of `meetings`, who avoid each other as in the paper and may overlap."""
    settings = {"distance": 8.0, "look_ahead_time": 4.0, "clearance": 0.3}
    return replace(meetings(chance), method=PAPER, settings=settings, vehicle={"keep_apart": False})


STAGES: dict[str, Callable[[np.random.Generator], Stage]] = {
    **{stage.__name__: stage for stage in (meetings, overtaking, doors, corridor, plaza, bottleneck, fish, aside)},
    "meetings_on_foot": lambda chance: replace(meetings(chance), on_foot=True),
    "corridor_on_foot": lambda chance: replace(corridor(chance), on_foot=True),
}


def _ground(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Vectors on the ground, (n, 3)."""
    return np.stack((x, y, np.zeros(len(x))), axis=-1)


def _lots(k: int) -> np.ndarray:
    """The middles of encounters, (k, 1, 3)."""
    return LOT * _ground(np.arange(k), np.zeros(k))[:, None]


def _walk(start: np.ndarray, goal: np.ndarray, seconds: float) -> Stage:
    """Walkers of encounters, (k, m, 3), at their usual pace; bodies are kept apart, as everywhere by default."""
    n = start.shape[0] * start.shape[1]
    goal = np.broadcast_to(goal, start.shape).reshape(n, 3)
    return Stage(start.reshape(n, 3), goal, np.full(n, PACE), seconds, vehicle={"keep_apart": True})


def _wall(middle: np.ndarray, half_x: float, half_y: float) -> Obstacles:
    return boxes([middle], [[half_x, half_y, 1.0]])


def overlap(stage: Stage, track: np.ndarray) -> float:
    """The deepest overlap that an agent ever has with another or with a wall, the mean of all agents, metres."""
    deepest = np.zeros(len(stage.start))
    for place in track:
        rows = np.flatnonzero(np.isfinite(place[:, 0]))
        gap = np.linalg.norm(place[rows, None] - place[None, rows], axis=-1) - 2.0 * stage.radius
        gap[np.arange(len(rows)), np.arange(len(rows))] = np.inf
        depth = -gap.min(axis=1, initial=np.inf)
        if len(stage.walls):
            depth = np.maximum(depth, stage.radius - stage.walls.clearance(place[rows]).min(axis=1))
        deepest[rows] = np.maximum(deepest[rows], depth)
    return float(deepest.mean())


def turning(stage: Stage, track: np.ndarray) -> float:
    """The mean turn rate of agents that move, deg/s."""
    change = np.diff(track, axis=0)
    moves = np.linalg.norm(change, axis=-1) * FPS > SLOW
    before, after = change[:-1], change[1:]
    angle = np.arctan2(np.linalg.norm(np.cross(before, after), axis=-1), (before * after).sum(axis=-1))
    return float(np.degrees(angle[moves[:-1] & moves[1:]]).mean() * FPS)


def time_ratio(stage: Stage, track: np.ndarray) -> float:
    """The time on the way over that of a straight line at the wished speed, the mean of all agents.

    Agents that do not arrive count with all the time they had.
    """
    straight = np.linalg.norm(stage.goal - stage.start, axis=1) - REACHED * stage.radius
    spent = np.isfinite(track[:, :, 0]).sum(axis=0) / FPS
    return float((spent * stage.speed / straight).mean())


def missing(stage: Stage, track: np.ndarray) -> float:
    """The share of agents that do not arrive."""
    return float(np.mean(np.linalg.norm(track[-1] - stage.goal, axis=1) > REACHED * stage.radius))
