"""Courses: paths with obstacles on them, which crowds with the shipped presets have to follow to the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scripts.preset_crowds import FPS, SHIPPED, START_SPEED, columns, locomotions, shipped
from steering_addon.behaviors import CATALOGUE
from steering_addon.behaviors.keep_distance import KeepDistance
from steering_addon.behaviors.path_following import PathFollowing
from steering_addon.behaviors.unaligned_collision_avoidance import UnalignedCollisionAvoidance
from steering_addon.portrayal.feet.soles import runs
from steering_addon.scene import (
    SPHERE,
    Scene,
    all_of,
    boxes,
    headings,
    mesh,
    mesh_obstacles,
    obstacles,
    positions,
    regions,
    spline,
    velocities,
)
from steering_addon.settings.preset import Preset
from steering_addon.simulation.behavior import Behavior
from steering_addon.simulation.combining import COMBININGS
from steering_addon.simulation.declaration import number_of
from steering_addon.simulation.geometry.obstacles import Obstacles
from steering_addon.simulation.geometry.paths import Spline
from steering_addon.simulation.run import simulate
from steering_addon.simulation.snapshot import State
from steering_addon.simulation.vehicle import VehicleModel

NAMES = tuple(SHIPPED)
WAYS = tuple(choice.name for choice in COMBININGS)
SHAPES = ("box", "ball", "mesh")
OBSTACLES = 3
"""The count of obstacles of a random course."""
PATH_TIME, PATH_LENGTHS = (3.5, 2.5), (6.0, 4.0)
"""Least length of a path, in seconds at cruise speed and in body lengths: without obstacles, and for each of them."""
FIRST, REST = 0.45, 0.45
"""Share of the path before the first obstacle, and the share over which all of them are spread."""
STILL = 0.05
"""Share of max_speed below which a vehicle stands."""
PATIENCE = 2.0
"""Seconds for which a vehicle may stand."""
DEEPEST = 0.05
"""Depth in an obstacle, in radii of the vehicle, up to which it still passes it: half of what a bake tells of, as less
than that is not visible."""
VEHICLES = 4
SLOW = 0.2
"""Share of cruise speed at which, on average, a vehicle has to get on to reach the end in time."""


@dataclass(frozen=True)
class Course:
    """A crowd at the start of a path with obstacles.

    Attributes:
        name: what it is, for tables and messages.
        scene: the vehicles, their settings and the obstacles.
        line: the path.
        apart: the distance between the middles of two up to which the one behind has a reason to stand, metres.
        frames: the count of frames in which every vehicle should reach the end.
    """

    name: str
    scene: Scene
    line: Spline
    apart: float
    frames: int

    def run(self) -> Outcome:
        """The outcome of a run, which ends when all have arrived."""
        states: list[State] = []
        snapshot = self.scene.snapshot()
        for state in simulate(self.scene.start(), repeat(snapshot, self.frames)):
            states.append(state)
            if len(states) > 1 and self.reached(state).all():
                break
        return Outcome.of(self, states)

    def reached(self, state: State) -> NDArray[np.bool_]:
        """Whether each vehicle is at the end of the path, or stands in the throng there, (n,).

        Those that keep their distance queue. Others may be kept from the end by those that arrived before them: one of
        these stands ahead of them, no further away than `apart`.
        """
        n = len(self.scene)
        model = VehicleModel.of(n, **self.scene.vehicle)
        gaps = [values["gap"] for kind, values in self.scene.behaviors if kind is KeepDistance]
        queue = (n - 1) * (2.0 * model.radius + gaps[0]) if gaps else np.zeros(n)
        near = self.line.length - np.maximum(model.radius, self.line.spacing) - 0.01 * self.line.length - queue
        along, position = state.memories["path_following"].along, state.motion.position
        reached = np.asarray(along >= near, dtype=np.bool_)
        offset = position[None] - position[:, None]
        onward = self.line.position(np.array([self.line.length])) - position
        blocked = (np.linalg.norm(offset, axis=2) < self.apart) & (np.einsum("ijk,ik->ij", offset, onward) > 0.0)
        stands = np.linalg.norm(state.motion.velocity, axis=1) < STILL * model.max_speed
        blocked &= (stands & (along >= self.line.length - self.throng))[:, None]
        for _ in range(n if reached.any() else 0):
            reached |= (blocked & reached[None]).any(axis=1)
        return reached

    @property
    def throng(self) -> float:
        """The length of the path that all vehicles take up at its end, one behind the other, metres."""
        return len(self.scene) * self.apart


@dataclass(frozen=True)
class Outcome:
    """What n vehicles did on a course.

    Attributes:
        states: by frame.
        arrived: (n,) the frame on which each reached the end of the path, -1 for never.
        stood: (n,) the longest time that each stood on its way, seconds; 0 for those that
            rest, as sheep do; not in the throng at the end.
        depth: (n,) the deepest that each was in an obstacle, in radii of the vehicle.
        turning: (n,) the median of the turn rate before arrival, degrees per second.
    """

    states: Sequence[State]
    arrived: NDArray[np.int64]
    stood: NDArray[np.float64]
    depth: NDArray[np.float64]
    turning: NDArray[np.float64]

    def passed(self) -> bool:
        """Whether every vehicle reached the end past the obstacles, and none stood for longer than PATIENCE."""
        return not self.stuck() and bool((self.depth <= DEEPEST).all())

    def stuck(self) -> bool:
        """Whether a vehicle did not reach the end, or stood for longer than PATIENCE."""
        return bool((self.arrived < 0).any() or (self.stood > PATIENCE).any())

    @classmethod
    def of(cls, course: Course, states: Sequence[State]) -> Outcome:
        scene = course.scene
        n = len(scene)
        position, velocity, forward = positions(states), velocities(states), headings(states)
        model = VehicleModel.of(n, **scene.vehicle)
        at_end = np.stack([np.zeros(n, dtype=bool), *(course.reached(state) for state in states[1:])])
        arrived = np.where(at_end.any(axis=0), np.argmax(at_end, axis=0), -1)
        until = np.where(arrived < 0, len(states), arrived)
        before = np.arange(len(states))[:, None] < until
        still = (np.linalg.norm(velocity, axis=2) < STILL * model.max_speed) & ~at_end
        if "rest" in states[-1].memories:
            still[:] = False
        turn = np.degrees(np.arccos(np.clip(np.einsum("fni,fni->fn", forward[1:], forward[:-1]), -1.0, 1.0)))
        turn = np.where(before[1:], turn * scene.fps, np.nan)
        return cls(
            states,
            arrived,
            np.array([max((b - a for a, b in runs(column)), default=0) for column in still.T]) / scene.fps,
            _depth(scene.obstacles, position, model.radius),
            np.nanmean(turn, axis=0),
        )


def random_course(seed: int, presets: Sequence[str] = NAMES) -> Course:
    """The course of a seed; the presets take turns."""
    rng = np.random.default_rng((seed, 0xC0))
    shapes = [SHAPES[index] for index in rng.integers(len(SHAPES), size=OBSTACLES)]
    way = WAYS[int(rng.integers(len(WAYS)))]
    return course(presets[seed % len(presets)], way, shapes, rng.integers(1, 5, VEHICLES).tolist(), seed)


def _depth(things: Obstacles, position: NDArray[np.float64], radius: NDArray[np.float64]) -> NDArray[np.float64]:
    if not len(things):
        return np.zeros(position.shape[1])
    flat = position.reshape(-1, 3)
    clearance = things.clearance(flat).min(axis=1).reshape(position.shape[:2])
    return np.maximum((radius - clearance).max(axis=0) / radius, 0.0)


def course(
    preset: str,
    way: str,
    shapes: Sequence[str],
    width: Sequence[float],
    seed: int = 0,
    held: bool = True,
) -> Course:
    """A crowd with a shipped preset beside the start of a path with obstacles on it.

    Args:
        way: the name of the way to combine.
        shapes: of SHAPES, along the path.
        width: (n,) radius of the path in body lengths, for each of the vehicles.
        held: whether the region is around the crowd that tagging makes.
    """
    rng, n = np.random.default_rng(seed), len(width)
    values = shipped(preset)
    size = values.body_length
    model = columns(VehicleModel, values.vehicle)
    cruise, flat = model["cruise_speed"] * model["max_speed"], values.moves.grounded
    count = len(shapes)
    length = max(*(least * (of[0] + of[1] * count) for least, of in ((cruise, PATH_TIME), (size, PATH_LENGTHS))))
    line = winding(rng, length, flat)
    wide = 0.5 * size + values.behaviors["obstacle_avoidance"]["clearance"]
    things = [
        obstacle(rng, shape, line.position(np.array([(FIRST + REST * k / count) * line.length]))[0], wide)
        for k, shape in enumerate(shapes)
    ]
    separation = values.behaviors["separation"]["distance"]
    apart = max(separation, size)
    start, ahead = line.position(np.zeros(1))[0], line.tangent(np.zeros(1))[0]
    side = np.array([1.0, 0.0, 0.0])
    place = start + ahead * size + side * ((np.arange(n) - 0.5 * (n - 1)) * 0.6 * apart + size)[:, None]
    place = place + rng.normal(size=(n, 3)) * 0.1 * apart * (1.0, 1.0, 0.0 if flat else 1.0)
    room = max(3.0 * (0.3 * apart * n + 0.5 * size), 5.0 * cruise)
    return Course(
        f"{preset} {way} {'+'.join(shapes)} {'/'.join(f'{each:g}' for each in width)} #{seed}",
        Scene(
            place,
            forward=ahead,
            speed=START_SPEED * model["max_speed"],
            vehicle={**model, "radius": size / 2.0},
            locomotions=locomotions(values),
            behaviors=following(values, way, np.asarray(width, dtype=np.float64) * size),
            combining=number_of(COMBININGS, way),
            obstacles=all_of(*things) if things else obstacles(np.zeros((0, 3)), np.zeros(0)),
            paths=((line,),),
            regions=regions([start] if held else np.zeros((0, 3)), room, SPHERE),
            seed=seed,
            fps=FPS,
        ),
        line,
        max(separation, kept_apart(values)),
        int(FPS * length / (SLOW * cruise)),
    )


def kept_apart(preset: Preset) -> float:
    """The distance between their middles that two vehicles keep in order not to touch, metres.

    One that avoids others keeps its clearance, and goes no faster than takes it there within the time that it looks
    ahead: so near to another that this is slower than STILL, it stands.
    """
    if (avoiding := UnalignedCollisionAvoidance.name) not in preset.behaviors:
        return preset.body_length
    avoids = columns(UnalignedCollisionAvoidance, preset.behaviors[avoiding])
    slowest = STILL * columns(VehicleModel, preset.vehicle)["max_speed"]
    return float(preset.body_length + avoids["clearance"] + slowest * avoids["look_ahead_time"])


def following(preset: Preset, way: str, radius: NDArray[np.float64]) -> list[tuple[type[Behavior], dict[str, Any]]]:
    """The behaviors of a preset, with one that follows a path to its end."""
    path = {**preset.behaviors.get("path_following", {}), "end": "STOP", "direction": "FORWARD"}
    if way == "NORMALIZED_SUM":
        # Only the weights count in this way to combine: a new behavior gets one that fits those beside it.
        path["weight"] = max(
            columns(kind, preset.behaviors[kind.name])["weight"] for kind in CATALOGUE if kind.name in preset.behaviors
        )
    values = {**preset.behaviors, "path_following": path}
    if "containment" in values:
        values["containment"] = {**values["containment"], "release": True}
    behaviors = [(kind, columns(kind, values[kind.name])) for kind in CATALOGUE if kind.name in values]
    return [(kind, {**of, "radius": radius} if kind is PathFollowing else of) for kind, of in behaviors]


def winding(rng: np.random.Generator, length: float, flat: bool) -> Spline:
    """A path with bends, of a given length in metres, from the origin roughly along +Y."""
    t = np.linspace(0.0, 1.0, 200)
    phase, size = rng.uniform(0.0, 2.0 * np.pi, 4), rng.uniform(0.03, 0.1, 4)
    x = size[0] * np.sin(2.0 * np.pi * t + phase[0]) + 0.4 * size[1] * np.sin(4.0 * np.pi * t + phase[1])
    z = 0.0 * t if flat else 0.5 * size[2] * np.sin(2.0 * np.pi * t + phase[2])
    points = np.stack((x - x[0], t, z - z[0]), axis=-1)
    total = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
    return spline(points * (length / total), False)


def obstacle(rng: np.random.Generator, shape: str, centre: NDArray[np.float64], wide: float) -> Obstacles:
    """An obstacle about a point of the path, a little off it. `wide`: the distance that a vehicle keeps from obstacles,
    metres."""
    centre = centre + rng.normal(size=3) * (0.3, 0.3, 0.1) * wide
    half = rng.uniform(0.6, 1.6, 3) * wide
    turn = rng.uniform(0.0, 2.0 * np.pi)
    axes = np.array([[np.cos(turn), np.sin(turn), 0.0], [-np.sin(turn), np.cos(turn), 0.0], [0.0, 0.0, 1.0]])
    if shape == "ball":
        return obstacles([centre], half[0])
    if shape == "box":
        return boxes([centre], [half], axes)
    points, triangles = _rock(rng)
    return mesh_obstacles([mesh(points * half, triangles)], [centre], axes)


def _rock(rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """An uneven ball of 6 x 8 points: its corners and triangles."""
    rings, sides = 6, 8
    polar = np.pi * np.arange(1, rings) / rings
    around = 2.0 * np.pi * np.arange(sides) / sides
    ring = np.stack(
        (
            np.sin(polar)[:, None] * np.cos(around)[None],
            np.sin(polar)[:, None] * np.sin(around)[None],
            np.broadcast_to(np.cos(polar)[:, None], (rings - 1, sides)),
        ),
        axis=-1,
    ).reshape(-1, 3)
    points = np.concatenate(([[0.0, 0.0, 1.0]], ring * rng.uniform(0.8, 1.2, (len(ring), 1)), [[0.0, 0.0, -1.0]]))
    last = len(points) - 1
    triangles = []
    for side in range(sides):
        after = (side + 1) % sides
        triangles.append((0, 1 + side, 1 + after))
        for row in range(rings - 2):
            a, b = 1 + row * sides + side, 1 + row * sides + after
            triangles += [(a, a + sides, b), (b, a + sides, b + sides)]
        triangles.append((last, last - sides + after, last - sides + side))
    return points, np.array(triangles)
