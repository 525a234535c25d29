"""Scenes of SteerBench as this program's own: walkers, the places they want to be at, and what stands in their way."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.unaligned_collision_avoidance import METHODS, UnalignedCollisionAvoidance
from steering_addon.scene import Scene, leaders
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.geometry.obstacles import Obstacles, boxes, obstacles
from steering_addon.simulation.nearby.neighbors import EVERYONE
from steering_addon.simulation.run import step
from steering_addon.simulation.snapshot import Snapshot, State

REACHED = 2.5
"""Radii from its goal at which an agent has arrived, and the metres on top: as the kit counts."""
REACHED_TOO = 0.01
TALL = 1.0
"""Metres: half of what the walls rise above and below the ground."""
WALKER = {
    "mass": 1.0,
    "max_force": 4.0,
    "response_time": 0.3,
    "max_turn_rate": 30.0,
    "keep_in_plane": True,
    "bank": 0.0,
}
"""Discs, as the benchmark has them: they step to any side without turning round first."""

AVOIDANCE = {
    "PAPER": {},
    "VELOCITY": {"distance": 8.9, "look_ahead_time": 5.4, "clearance": 0.1, "reaction_time": 0.05},
}


def walked(case: Any, dt: float, frames: int, method: str) -> np.ndarray:
    """Where everybody is on each frame, (frames + 1, n, 2) metres; nan for who has arrived and left."""
    walk = _Walk(case, dt, method)
    places = np.full((frames + 1, case.n, 2), np.nan)
    places[0] = case.start
    for frame in range(1, frames + 1):
        here = walk.step()
        if not here.any():
            break
        places[frame, here] = walk.state.motion.position[here, :2]
        walk.arrive()
    return places


class _Walk:
    """A scene on its way: the state of the walkers, who is there, and which goal each is after."""

    def __init__(self, case: Any, dt: float, method: str) -> None:
        self.case = case
        self.here = np.ones(case.n, dtype=bool)
        self.leg = np.zeros(case.n, dtype=np.int64)
        self.scene = Scene(
            _ground(case.start),
            forward=_ground(np.stack((np.cos(case.heading), np.sin(case.heading)), axis=-1)),
            speed=case.speed0,
            behaviors=preset(case.n, method),
            vehicle=WALKER | {"keep_apart": method == "VELOCITY", "radius": case.radius},
            obstacles=walls(case),
            fps=1.0 / dt,
        )
        self.state: State = self.scene.start()

    def step(self) -> np.ndarray:
        """One step on; who was there for it."""
        here = self.here
        self.state = step(replace(self.state, inputs=self._snapshot()), self._snapshot())
        return here

    def arrive(self) -> None:
        """Who is at a goal takes up the next; who is at the last one leaves."""
        place = self.state.motion.position[:, :2]
        off = place - self._goals()
        near = np.hypot(off[:, 0], off[:, 1]) < REACHED * self.case.radius + REACHED_TOO
        kinds = np.array([goals[min(leg, len(goals) - 1)].kind for goals, leg in zip(self.case.goals, self.leg)])
        touches = np.hypot(off[:, 0], off[:, 1]) < self.case.radius + 1e-3
        self.leg = self.leg + (self.here & np.where(kinds == "box", touches, near))
        self.here = self.here & (self.leg < [len(goals) for goals in self.case.goals])

    def _goals(self) -> np.ndarray:
        """(n, 2) what each walks to: a point, or the nearest place of a box."""
        places = np.array([goals[min(leg, len(goals) - 1)].pos for goals, leg in zip(self.case.goals, self.leg)])
        for row, (goals, leg) in enumerate(zip(self.case.goals, self.leg)):
            goal = goals[min(leg, len(goals) - 1)]
            if goal.kind == "box":
                places[row] = np.clip(self.state.motion.position[row, :2], goal.box[:2], goal.box[2:])
        return places

    def _snapshot(self) -> Snapshot:
        speeds = [goals[min(leg, len(goals) - 1)].speed for goals, leg in zip(self.case.goals, self.leg)]
        self.scene.vehicle["max_speed"] = np.array(speeds)
        self.scene.tracked = leaders(*_ground(self._goals()))
        return replace(self.scene.snapshot(), present=self.here)


def preset(n: int, method: str) -> list[tuple[type[Behavior], dict[str, Any]]]:
    """What everybody wants, in every scene."""
    number = {choice.name: choice.number for choice in METHODS}[method]
    seek = (Seek, {"target": n + np.arange(n)})
    avoidance = (UnalignedCollisionAvoidance, {"neighbors": EVERYONE, "method": number, **AVOIDANCE[method]})
    return [seek, avoidance] if method == "VELOCITY" else [seek, (ObstacleAvoidance, {}), avoidance]


def walls(case: Any) -> Obstacles:
    """The boxes and rounds of a scene, as tall as it takes."""
    low, high = case.boxes[:, :2], case.boxes[:, 2:]
    middle = _ground(np.concatenate(((low + high) / 2.0, case.oriented[:, :2])))
    half = np.concatenate(((high - low) / 2.0, case.oriented[:, 2:4] / 2.0))
    turn = np.concatenate((np.zeros(len(low)), case.oriented[:, 4]))
    zero, one = np.zeros(len(turn)), np.ones(len(turn))
    axes = [(np.cos(turn), np.sin(turn), zero), (-np.sin(turn), np.cos(turn), zero), (zero, zero, one)]
    standing = boxes(middle, np.concatenate((half, TALL * one[:, None]), axis=1), np.moveaxis(np.array(axes), 2, 0))
    foot = _ground(case.circles[:, :2])
    rise = np.array([0.0, 0.0, TALL])
    return joined(standing, obstacles(foot - rise, case.circles[:, 2], foot + rise))


def joined(one: Obstacles, other: Obstacles) -> Obstacles:
    """Both in one list."""
    return Obstacles(**{name: np.concatenate((getattr(one, name), getattr(other, name))) for name in vars(one)})


def _ground(points: np.ndarray) -> np.ndarray:
    """Points of the ground plane in space, (n, 2) to (n, 3)."""
    return np.concatenate((points, np.zeros((len(points), 1))), axis=1)
