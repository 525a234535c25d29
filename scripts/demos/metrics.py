"""What the keys alone say about a baked flight: banking against the coordinated turn, and near misses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree

GRAVITY = 9.81
UP = np.array((0.0, 0.0, 1.0))
MOVING = 10.0  # deg/s: two rolls slower than this are too slow to call a reversal
LONGEST_LAG = 1.5  # s
DEEPEST = 8.0  # m: further than this from its surface, nothing is inside an obstacle
SLANT = Vector((0.312, 0.187, 0.932)).normalized()  # a direction that runs along no face


@dataclass(frozen=True)
class Flight:
    """How one vehicle flew: lengths in metres, angles in degrees."""

    speed: tuple[float, float, float]  # slowest, mean, fastest
    bank: float  # 95th percentile of the roll
    wanted_bank: float  # the same of atan(speed * turn rate / gravity)
    lag: float  # s by which the roll follows the wanted one, by cross-correlation
    error: float  # root mean square of roll - wanted
    roll_rate: float  # 95th percentile, deg/s
    jerk: float  # 95th percentile of the change of roll rate a frame, deg/s
    reversals: float  # share of frames where the roll turns round, one side of it faster than MOVING
    upside_down: int  # frames


@dataclass(frozen=True)
class Miss:
    """The closest approach of a vehicle's surface to an obstacle's; negative inside it."""

    distance: float
    vehicle: str
    obstacle: str
    frame: int


def matrices(scene: bpy.types.Scene, obs: Sequence[bpy.types.Object]) -> np.ndarray:
    """World matrices of objects as they play, (frames, objects, 4, 4); the frame shown is kept."""
    shown = scene.frame_current
    found = []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        found.append([np.array(ob.evaluated_get(graph).matrix_world) for ob in obs])
    scene.frame_set(shown)
    return np.array(found)


def flight(poses: np.ndarray, fps: float) -> Flight:
    """Measure one vehicle, forward +Y and up +Z, from its world matrices (frames, 4, 4)."""
    velocity = np.gradient(poses[:, :3, 3], axis=0) * fps
    acceleration = np.gradient(velocity, axis=0) * fps
    speed = np.linalg.norm(velocity, axis=1)
    forward, up = _unit(poses[:, :3, 1]), _unit(poses[:, :3, 2])
    side = _unit(np.cross(forward, UP))
    level = np.cross(side, forward)

    roll = np.degrees(np.arctan2(_dot(up, side), _dot(up, level)))
    wanted = np.degrees(np.arctan2(_dot(acceleration, side), GRAVITY))
    rate = np.diff(np.unwrap(roll, period=360)) * fps
    turned = (rate[1:] * rate[:-1] < 0) & (np.maximum(abs(rate[1:]), abs(rate[:-1])) > MOVING)
    return Flight(
        speed=(speed.min(), speed.mean(), speed.max()),
        bank=np.percentile(abs(roll), 95),
        wanted_bank=np.percentile(abs(wanted), 95),
        lag=lag(roll, wanted, fps),
        error=math.sqrt(np.mean((roll - wanted) ** 2)),
        roll_rate=np.percentile(abs(rate), 95),
        jerk=np.percentile(abs(np.diff(rate)), 95),
        reversals=turned.mean(),
        upside_down=int((up[:, 2] < 0).sum()),
    )


def table(flights: dict[str, Flight]) -> str:
    """The flights side by side, a column a vehicle."""
    rows = {
        "speed, m/s: least / mean / most": lambda f: " / ".join(f"{speed:.0f}" for speed in f.speed),
        "bank p95, deg": lambda f: f"{f.bank:.0f}",
        "  of a coordinated turn": lambda f: f"{f.wanted_bank:.0f}",
        "  rms between the two": lambda f: f"{f.error:.0f}",
        "  lag, ms": lambda f: f"{1000 * f.lag:.0f}",
        "roll rate p95, deg/s": lambda f: f"{f.roll_rate:.0f}",
        "  its change a frame p95": lambda f: f"{f.jerk:.0f}",
        "  reversals, share of frames": lambda f: f"{f.reversals:.3f}",
        "frames upside down": lambda f: f"{f.upside_down}",
    }
    lines = [" " * 32 + "".join(f"{name:>16}" for name in flights)]
    lines += [f"{title:32}" + "".join(f"{tell(f):>16}" for f in flights.values()) for title, tell in rows.items()]
    return "\n".join(lines)


def lag(signal: np.ndarray, lead: np.ndarray, fps: float) -> float:
    """Seconds by which a signal follows another: the shift of their best correlation."""
    shifts = range(-int(LONGEST_LAG * fps / 3), int(LONGEST_LAG * fps) + 1)
    fits = []
    for shift in shifts:
        a, b = signal[max(shift, 0) :], lead[max(-shift, 0) :]
        count = min(len(a), len(b))
        a, b = a[:count] - a[:count].mean(), b[:count] - b[:count].mean()
        fits.append((a * b).sum() / max(np.sqrt((a * a).sum() * (b * b).sum()), 1e-9))
    return shifts[int(np.argmax(fits))] / fps


def closest(
    scene: bpy.types.Scene,
    vehicles: Sequence[bpy.types.Object],
    obstacles: Sequence[bpy.types.Object],
) -> Miss:
    """Find the closest approach of any vehicle to any obstacle, surface to surface, over all frames.

    Vehicles with their children are sampled at corners, edges and faces; obstacles are their meshes.
    """
    vehicle_poses, obstacle_poses = matrices(scene, vehicles), matrices(scene, obstacles)
    clouds = [_samples(ob) for ob in vehicles]
    reaches = [np.linalg.norm(cloud, axis=1).max() for cloud in clouds]
    trees = [_tree(ob) for ob in obstacles]
    best = Miss(math.inf, "", "", scene.frame_start)
    for i, frame in enumerate(range(scene.frame_start, scene.frame_end + 1)):
        for v, vehicle in enumerate(vehicles):
            for o, obstacle in enumerate(obstacles):
                to_obstacle = np.linalg.inv(obstacle_poses[i, o]) @ vehicle_poses[i, v]
                scale = np.cbrt(np.linalg.det(obstacle_poses[i, o, :3, :3]))
                middle = Vector(to_obstacle[:3, 3])
                if _distance(trees[o], middle) * scale - reaches[v] > best.distance:
                    continue
                points = clouds[v] @ to_obstacle[:3, :3].T + to_obstacle[:3, 3]
                nearest = min(_distance(trees[o], Vector(point)) for point in points) * scale
                if nearest < best.distance:
                    best = Miss(nearest, vehicle.name, obstacle.name, frame)
    return best


def _distance(tree: BVHTree, point: Vector) -> float:
    """Distance from a point to a closed surface, negative inside."""
    away = tree.find_nearest(point)[3]
    return -away if away < DEEPEST and _inside(tree, point) else away


def _inside(tree: BVHTree, point: Vector) -> bool:
    """Whether a ray from here leaves the surface oftener than it enters; overlapping parts do no harm."""
    leaving, start = 0, point
    while True:
        place, normal, _, _ = tree.ray_cast(start, SLANT)
        if place is None:
            return leaving > 0
        leaving += 1 if normal.dot(SLANT) > 0 else -1
        start = place + SLANT * 1e-4


def _tree(ob: bpy.types.Object) -> BVHTree:
    """The mesh of an object in its own space, ready for nearest-point queries."""
    mesh = ob.data
    return BVHTree.FromPolygons([v.co for v in mesh.vertices], [p.vertices for p in mesh.polygons])


def _samples(ob: bpy.types.Object) -> np.ndarray:
    """Points on an object and its children, in its own space: corners, edge middles, face centres."""
    points = []
    for part in (ob, *ob.children_recursive):
        to_ob = np.array(ob.matrix_world.inverted() @ part.matrix_world)
        mesh = part.data
        corners = np.array([v.co for v in mesh.vertices])
        edges = np.array([e.vertices for e in mesh.edges])
        faces = np.array([p.center for p in mesh.polygons])
        found = np.concatenate((corners, corners[edges].mean(axis=1), faces))
        points.append(found @ to_ob[:3, :3].T + to_ob[:3, 3])
    return np.concatenate(points)


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("ij,ij->i", a, b)


def _unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
