"""Scenes of the public SteerBench, scored by its own kit: who arrives, what touches, how much they turn.

The environment variable STEERBENCH names the folder of the kit, with its cases.py, score.py, split.json and the folder
`cases`. All agents of all scenes share one set of settings: seek, with avoidance by velocity choice. The case is a list
of the kit's split.json; the scene that no system passes does not count. With `on foot` behind it, the shipped
Pedestrians walk instead of discs that move any way.
"""

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from scripts.preset_crowds import as_scene, shipped
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.unaligned_collision_avoidance import METHODS, UnalignedCollisionAvoidance
from steering_addon.locomotion import Planar
from steering_addon.scene import Scene, all_of, boxes, leaders, obstacles
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.geometry.obstacles import Obstacles
from steering_addon.simulation.nearby.neighbors import EVERYONE
from steering_addon.simulation.run import step
from steering_addon.simulation.snapshot import Snapshot, State

IN_BLENDER = False
CASES = ("visible", "visible on foot")
BANDS = {"failed": (0, 0), "contacts": (0, 0), "turning, deg/s": (0.0, 3.95), "time ratio": (1.0, 1.2)}
ON_FOOT = " on foot"
BANDS |= {"failed on foot": (0, 0), "contacts on foot": (0, 0), "turning, deg/s on foot": (0.0, 6.0)}
BANDS |= {"time ratio on foot": (1.0, 1.3)}
APART = "bottleneck-evacuation-2"
REACHED = 2.5
"""An agent has arrived within this number of radii plus `REACHED_MARGIN` metres of its goal, as in the kit."""
REACHED_MARGIN = 0.01
HALF_HEIGHT = 1.0
"""Of the walls, metres above and below the ground."""
WALKER = {"mass": 1.0, "max_force": 4.0, "response_time": 0.3}
TURN = 30.0
"""Radians a second. Walkers are discs, as in the benchmark: they move in any direction without turning first."""

AVOIDANCE = {
    "PAPER": {},
    "VELOCITY": {"distance": 8.9, "look_ahead_time": 5.4, "clearance": 0.1, "reaction_time": 0.05},
}


PEOPLE = "PEOPLE"
"""Instead of a method: the shipped Pedestrians, on foot, of the size of the scene's agents, who go to their goals."""
UNUSED = ("path_following", "keep_company", "containment")
"""Behaviors left out, since there are no paths and no regions, and each agent has a way of its own."""


def figures(case: str, folder: Path) -> dict[str, float]:
    kit = os.environ.get("STEERBENCH")
    if not kit:
        raise SystemExit("Set STEERBENCH to the folder of SteerBench's kit.")
    sys.path.insert(0, kit)
    from cases import load
    from score import score

    case, on_foot, _ = case.partition(ON_FOOT)
    split = json.loads(Path(kit, "split.json").read_text(encoding="utf-8"))
    scores = []
    for name in split[case]:
        info = split["info"][name]
        scene = load(Path(kit, "cases", info["file"]), split["seed"])
        places = trajectories(scene, split["dt"], info["frames20"], PEOPLE if on_foot else "VELOCITY")
        shapes = {"circles": scene.circles, "oriented": scene.oriented, "desired_speed": scene.desired_speed}
        result = score(places, scene.radius, scene.goals, scene.boxes, split["dt"], **shapes)
        print(f"{name:28}{'passed' if result['success_tolerant'] else 'FAILED'}", file=sys.stderr, flush=True)
        scores += [result] if name != APART else []
    means = {}
    for figure, key in (("turning, deg/s", "turn_deg_per_s"), ("time ratio", "time_ratio")):
        values = [result[key] for result in scores if result[key] is not None]
        means[figure] = sum(values) / max(len(values), 1)
    contacts = sum(result["aa_collisions"] + result["ao_collisions"] for result in scores)
    failed = sum(not result["success_tolerant"] for result in scores)
    return {name + on_foot: value for name, value in ({"failed": failed, "contacts": contacts} | means).items()}


def trajectories(case: Any, dt: float, frames: int, method: str) -> np.ndarray:
    """Positions of all agents on each frame, (frames + 1, n, 2) metres; nan for agents that have left."""
    walk = _Walk(case, dt, method)
    places = np.full((frames + 1, case.n, 2), np.nan)
    places[0] = case.start
    for frame in range(1, frames + 1):
        present = walk.step()
        if not present.any():
            break
        places[frame, present] = walk.state.motion.position[present, :2]
        walk.arrive()
    return places


class _Walk:
    """A running scene: the state of the walkers, which of them are present, and the goal each walks to."""

    def __init__(self, case: Any, dt: float, method: str) -> None:
        self.case = case
        self.present = np.ones(case.n, dtype=bool)
        self.leg = np.zeros(case.n, dtype=np.int64)
        if method == PEOPLE:
            walkers, self.share = people(case.n)
        else:
            vehicle = WALKER | {"keep_apart": method == "VELOCITY"}
            walkers, self.share = {"behaviors": preset(case.n, method), "vehicle": vehicle}, 1.0
            walkers["locomotions"] = [(Planar, {"max_turn_rate": TURN})]
        walkers["vehicle"]["radius"] = case.radius
        self.scene = Scene(
            _ground(case.start),
            forward=_ground(np.stack((np.cos(case.heading), np.sin(case.heading)), axis=-1)),
            speed=case.speed0,
            obstacles=walls(case),
            fps=1.0 / dt,
            **walkers,
        )
        self.state: State = self.scene.start()

    def step(self) -> np.ndarray:
        """Advance by one step; the mask of the agents present during it, (n,)."""
        self.state = step(replace(self.state, inputs=self._snapshot()), self._snapshot())
        return self.present

    def arrive(self) -> None:
        """Send the agents that have reached a goal to their next; those at their last goal leave."""
        place = self.state.motion.position[:, :2]
        offset = place - self._goals()
        near = np.hypot(offset[:, 0], offset[:, 1]) < REACHED * self.case.radius + REACHED_MARGIN
        kinds = np.array([goal.kind for goal in self._current()])
        touches = np.hypot(offset[:, 0], offset[:, 1]) < self.case.radius + 1e-3
        self.leg = self.leg + (self.present & np.where(kinds == "box", touches, near))
        self.present = self.present & (self.leg < [len(goals) for goals in self.case.goals])

    def _current(self) -> list[Any]:
        """The goal of each agent."""
        return [goals[min(leg, len(goals) - 1)] for goals, leg in zip(self.case.goals, self.leg)]

    def _goals(self) -> np.ndarray:
        """(n, 2) the place each agent walks to: a point, or the nearest point of a box."""
        places = np.array([goal.pos for goal in self._current()])
        for row, goal in enumerate(self._current()):
            if goal.kind == "box":
                places[row] = np.clip(self.state.motion.position[row, :2], goal.box[:2], goal.box[2:])
        return places

    def _snapshot(self) -> Snapshot:
        self.scene.vehicle["max_speed"] = np.array([goal.speed for goal in self._current()]) / self.share
        self.scene.tracked = leaders(*_ground(self._goals()))
        return replace(self.scene.snapshot(), present=self.present)


def preset(n: int, method: str) -> list[tuple[type[Behavior], dict[str, Any]]]:
    """The behaviors of all agents, the same in every scene."""
    number = {choice.name: choice.number for choice in METHODS}[method]
    seek = (Seek, {"target": n + np.arange(n)})
    avoidance = (UnalignedCollisionAvoidance, {"neighbors": EVERYONE, "method": number, **AVOIDANCE[method]})
    return [seek, avoidance] if method == "VELOCITY" else [seek, (ObstacleAvoidance, {}), avoidance]


def people(n: int) -> tuple[dict[str, Any], float]:
    """How the shipped Pedestrians go to places of their own, as a scene takes it, and their cruise speed as a share."""
    pedestrians = shipped("pedestrian")
    wants = {name: values for name, values in pedestrians.behaviors.items() if name not in UNUSED}
    going = replace(pedestrians, behaviors={"seek": {"pace": "CURRENT_SPEED"}, **wants})
    walkers = as_scene(going, seek={"target": n + np.arange(n)})
    return walkers, float(pedestrians.vehicle["cruise_speed"])


def walls(case: Any) -> Obstacles:
    """The boxes and circles of a scene as obstacles."""
    low, high = case.boxes[:, :2], case.boxes[:, 2:]
    middle = _ground(np.concatenate(((low + high) / 2.0, case.oriented[:, :2])))
    half = np.concatenate(((high - low) / 2.0, case.oriented[:, 2:4] / 2.0))
    turn = np.concatenate((np.zeros(len(low)), case.oriented[:, 4]))
    zeros, units = np.zeros(len(turn)), np.ones(len(turn))
    axes = [(np.cos(turn), np.sin(turn), zeros), (-np.sin(turn), np.cos(turn), zeros), (zeros, zeros, units)]
    half = np.concatenate((half, HALF_HEIGHT * units[:, None]), axis=1)
    standing = boxes(middle, half, np.moveaxis(np.array(axes), 2, 0))
    foot = _ground(case.circles[:, :2])
    rise = np.array([0.0, 0.0, HALF_HEIGHT])
    return all_of(standing, obstacles(foot - rise, case.circles[:, 2], foot + rise))


def _ground(points: np.ndarray) -> np.ndarray:
    """Points on the ground plane, (n, 2) to (n, 3)."""
    return np.concatenate((points, np.zeros((len(points), 1))), axis=1)
