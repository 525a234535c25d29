"""Random scenes with obstacles, many of them in one run, each far enough from the others to be on its own."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np

from steering_addon.behaviors.arrival import Arrival
from steering_addon.behaviors.obstacle_avoidance import ObstacleAvoidance
from steering_addon.behaviors.path_following import PathFollowing
from steering_addon.behaviors.seek import Seek
from steering_addon.behaviors.wander import Wander
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.geometry.obstacles import Obstacles, boxes, obstacles
from steering_addon.simulation.geometry.paths import spline
from steering_addon.simulation.snapshot import State
from tests.scene import PRIORITY, Scene, about, all_of, flat_or_free, leaders
from tests.surfaces import ball, block, mesh_obstacles

APART = 1000.0
"""Metres from one scene to the next."""
FIELD = 16.0
"""Half the side of the square in which the obstacles are, metres."""
VEHICLES, THINGS = 3, 7
GOALS: dict[str, tuple[type[Behavior], dict[str, Any]]] = {
    "arrival": (Arrival, {}),
    "seek": (Seek, {}),
    "wander": (Wander, {}),
    "path_following": (PathFollowing, {"radius": 1.5}),
}


def gaps(place: Scene, states: list[State]) -> np.ndarray:
    """(frames, n) metres from each vehicle to the nearest surface, negative inside an obstacle."""
    radius = np.broadcast_to(place.vehicle.get("radius", 0.5), len(place))
    return np.stack([s.inputs.obstacles.clearance(s.motion.position).min(axis=1) - radius for s in states])


def nearest(place: Scene, seconds: float) -> np.ndarray:
    """The smallest gap between each vehicle and any obstacle during a run, (n,) metres."""
    return gaps(place, place.run(int(seconds * place.fps) + 1)).min(axis=0)


def course(goal: str, scenes: int, of: Callable[..., Obstacles], *, plane: bool) -> Scene:
    """Scenes in which vehicles have to pass obstacles to reach their goals.

    No obstacle is nearer to a start than twice the braking distance, and the gaps between obstacles are at least four
    radii of the largest vehicle wide; nothing can be guaranteed for narrower ones. `of` makes the obstacles.
    """
    rng = np.random.default_rng((0, int(plane), list(GOALS).index(goal)))
    position, forward, targets, lines, placed = [], [], [], [], []
    radius = rng.uniform(0.3, 0.6, (scenes, VEHICLES))
    max_speed = rng.uniform(3.0, 7.0, (scenes, VEHICLES))
    max_force = rng.uniform(6.0, 20.0, (scenes, VEHICLES))
    stopping = max_speed**2 / (2.0 * max_force)
    up = np.array([1.0, 1.0, 0.0 if plane else 1.0])
    for scene in range(scenes):
        origin = np.array([APART * scene, 0.0, 0.0])
        start = rng.uniform(-FIELD, FIELD, (VEHICLES, 3)) * up
        widest = 4.0 * radius[scene].max()
        # The goal can be reached: no obstacle is near it.
        target = rng.uniform(-FIELD, FIELD, 3) * up
        kept = (np.concatenate((start, target[None])), np.concatenate((2.0 * stopping[scene], [0.5])) + widest / 4.0)
        obstructions = things(rng, kept, widest, plane, of)
        position.append(start + origin)
        heading = rng.normal(size=(VEHICLES, 3)) * up
        forward.append(heading / np.linalg.norm(heading, axis=1, keepdims=True))
        targets.append(target + origin)
        placed.append(replace(obstructions, start=obstructions.start + origin, end=obstructions.end + origin))
        lines.append((spline(winding(rng) * up + origin, True),))
    kind, values = GOALS[goal]
    n = scenes * VEHICLES
    row = np.repeat(np.arange(scenes), VEHICLES)
    if goal in ("arrival", "seek"):
        values = values | {"target": n + row}
    if goal == "path_following":
        values = values | {"path": row}
    return Scene(
        np.concatenate(position),
        forward=np.concatenate(forward),
        up=(0.01, 0.02, 1.0),
        speed=(max_speed * rng.uniform(0.0, 1.0, max_speed.shape)).ravel(),
        behaviors=[(kind, values), (ObstacleAvoidance, {})],
        vehicle={"radius": radius.ravel(), "max_speed": max_speed.ravel(), "max_force": max_force.ravel()},
        locomotions=flat_or_free(plane),
        combining=PRIORITY,
        tracked=leaders(*targets),
        obstacles=all_of(*placed),
        paths=tuple(lines) if goal == "path_following" else (),
    )


def things(
    rng: np.random.Generator,
    kept: tuple[np.ndarray, np.ndarray],
    gap: float,
    plane: bool,
    of: Callable[..., Obstacles],
) -> Obstacles:
    """Obstacles of a kind, away from each other and from the points to keep clear."""
    clear, distance = kept
    placed: list[Obstacles] = []
    for attempt in count():
        if len(placed) == THINGS:
            break
        start = rng.uniform(-FIELD, FIELD, 3)
        if attempt < 30:
            # On the straight way from one of the starts to the goal.
            begin, goal = clear[rng.integers(len(clear) - 1)], clear[-1]
            start = begin + rng.uniform(0.2, 0.9) * (goal - begin) + rng.normal(size=3) * 0.4
        start[2] *= not plane
        candidate = of(rng, start, plane)
        if (candidate.clearance(clear)[:, 0] < distance).any():
            continue
        if placed and (all_of(*placed).clearance(inner(candidate)) < gap + 0.2).any():
            continue
        placed.append(candidate)
    return all_of(*placed)


def pylon(rng: np.random.Generator, start: np.ndarray, plane: bool) -> Obstacles:
    """A ball or a pylon."""
    length = rng.uniform(0.0, 6.0, 3) * (rng.uniform() < 0.4)
    if plane:
        # Upright, or a ball of which the vehicles meet a section.
        length = np.array([0.0, 0.0, 8.0]) * (rng.uniform() < 0.5)
        start[2] = -4.0 if length.any() else rng.uniform(-0.3, 0.3)
    return obstacles([start], rng.uniform(0.5, 2.5), [start + length])


def box(rng: np.random.Generator, start: np.ndarray, plane: bool) -> Obstacles:
    """A box turned at random, or upright if the vehicles keep in the plane."""
    half = rng.uniform(0.3, 2.5, 3)
    axis = np.array([0.0, 0.0, 1.0]) if plane else rng.normal(size=3)
    return boxes([start], [half], about(axis, rng.uniform(0.0, 360.0)))


def mesh_of_triangles(rng: np.random.Generator, start: np.ndarray, plane: bool) -> Obstacles:
    """A ball or a box of triangles."""
    turn = about((0.0, 0.0, 1.0) if plane else rng.normal(size=3), rng.uniform(0.0, 360.0))
    made = ball(rng.uniform(0.6, 2.2), 8) if rng.uniform() < 0.5 else block(tuple(rng.uniform(0.4, 2.2, 3)))
    return mesh_obstacles([made], [start], turn)


def inner(obstacle: Obstacles) -> np.ndarray:
    """Points all over an obstacle."""
    share = np.linspace(0.0, 1.0, 25)[:, None]
    points = obstacle.start + share * (obstacle.end - obstacle.start)
    steps = np.linspace(-1.0, 1.0, 7)
    shell = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
    if obstacle.mesh[0] is not None:
        return obstacle.start + obstacle.mesh[0].corners.reshape(-1, 3) @ obstacle.axes[0]
    if obstacle.half.any():
        return obstacle.start + (shell * obstacle.half) @ obstacle.axes[0]
    reach = shell[np.abs(shell).max(axis=1) == 1.0]
    reach = reach / np.linalg.norm(reach, axis=1, keepdims=True) * obstacle.radius
    return (points[:, None] + reach[None]).reshape(-1, 3)


def winding(rng: np.random.Generator) -> np.ndarray:
    """A closed curve through the field, with bends that the vehicles can take."""
    t = np.linspace(0.0, 2.0 * np.pi, 200, endpoint=False)
    phase = rng.uniform(0.0, 2.0 * np.pi, 3)
    out = 0.7 * FIELD * (1.0 + 0.2 * np.sin(2.0 * t + phase[0]))
    return np.stack((out * np.cos(t), out * np.sin(t), 0.25 * FIELD * np.sin(t + phase[1])), axis=-1)


def describe(things_: Obstacles) -> str:
    """A description of a scene that failed."""
    return "\n".join(
        f"{start.round(2)} to {end.round(2)}, radius {radius:.2f}"
        for start, end, radius in zip(things_.start, things_.end, things_.radius, strict=True)
    )
