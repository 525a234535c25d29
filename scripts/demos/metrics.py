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


@dataclass(frozen=True)
class Flock:
    """How a flock flew: what tells a living one from a machine or a swarm."""

    speed: tuple[float, float, float]  # m/s: 1st percentile, mean, 99th
    bank: tuple[float, float]  # degrees: 95th percentile of the roll, most
    polarization: float  # mean length of the mean heading: 1 where all fly the same way
    nearest: tuple[float, float, float]  # m to the nearest neighbor: 1st percentile, median, 95th
    closest: float  # m between the two that ever came nearest
    turn: float  # deg/s, 95th percentile
    reversals: float  # share of frames where a turn goes against the one before, one of them faster than MOVING

    def __str__(self) -> str:
        """The numbers, a line each."""
        rows = (
            ("speed, m/s: p1 / mean / p99", " / ".join(f"{speed:.1f}" for speed in self.speed)),
            ("bank, deg: p95 / most", " / ".join(f"{bank:.0f}" for bank in self.bank)),
            ("polarization", f"{self.polarization:.3f}"),
            ("nearest neighbor, m: p1 / p50 / p95", " / ".join(f"{away:.2f}" for away in self.nearest)),
            ("turn p95, deg/s", f"{self.turn:.0f}"),
            ("  reversals, share of frames", f"{self.reversals:.4f}"),
        )
        return "\n".join(f"{title:38}{value:>20}" for title, value in rows)


def flock(poses: np.ndarray, fps: float) -> Flock:
    """Measure a crowd, forward +Y and up +Z, from its world matrices (frames, n, 4, 4)."""
    places = poses[..., :3, 3]
    velocity = np.diff(places, axis=0) * fps
    speed = np.linalg.norm(velocity, axis=-1)
    heading = velocity / np.maximum(speed, 1e-9)[..., None]
    forward, up = (poses[..., :3, axis] / np.linalg.norm(poses[..., :3, axis], axis=-1)[..., None] for axis in (1, 2))
    side = np.cross(forward, UP)
    side /= np.maximum(np.linalg.norm(side, axis=-1, keepdims=True), 1e-9)
    roll = np.degrees(np.arctan2((up * side).sum(axis=-1), (up * np.cross(side, forward)).sum(axis=-1)))
    nearest = []
    for now in places:
        away = np.linalg.norm(now[:, None] - now[None], axis=-1)
        np.fill_diagonal(away, np.inf)
        nearest.append(away.min(axis=1))
    turn = np.degrees(np.cross(heading[:-1], heading[1:])) * fps
    rate = np.linalg.norm(turn, axis=-1)
    turned = ((turn[1:] * turn[:-1]).sum(axis=-1) < 0) & (np.maximum(rate[1:], rate[:-1]) > MOVING)
    return Flock(
        speed=(np.percentile(speed, 1), speed.mean(), np.percentile(speed, 99)),
        bank=(np.percentile(abs(roll), 95), abs(roll).max()),
        polarization=np.linalg.norm(heading.mean(axis=1), axis=-1).mean(),
        nearest=tuple(np.percentile(nearest, (1, 50, 95))),
        closest=np.min(nearest),
        turn=np.percentile(rate, 95),
        reversals=turned.mean(),
    )


def swing(poses: np.ndarray, parts: np.ndarray, axis: int = 0) -> np.ndarray:
    """How far a part of each vehicle swings, (n,) radians: an axis of the part against the vehicle's upward one."""
    up, along = poses[..., :3, 2], parts[..., :3, axis]
    lengths = np.linalg.norm(up, axis=-1) * np.linalg.norm(along, axis=-1)
    angle = np.arcsin(np.clip((up * along).sum(axis=-1) / lengths, -1.0, 1.0))
    return np.ptp(angle, axis=0)


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
    poses: np.ndarray | None = None,
) -> Miss:
    """Find the closest approach of any vehicle to any obstacle, surface to surface, over all frames.

    Vehicles with their children are sampled at corners, edges and faces, in the pose of the frame shown; obstacles are
    their meshes. `poses` are the world matrices of the vehicles where they are known already.
    """
    poses = matrices(scene, vehicles) if poses is None else poses
    obstacle_poses = matrices(scene, obstacles)
    clouds = [_samples(ob) for ob in vehicles]
    centers = np.array([(cloud.min(axis=0) + cloud.max(axis=0)) / 2 for cloud in clouds])
    spread = [(cloud - center) @ poses[0, v, :3, :3].T for v, (cloud, center) in enumerate(zip(clouds, centers))]
    reaches = np.array([np.linalg.norm(offsets, axis=1).max() for offsets in spread])
    middles = np.einsum("fvij,vj->fvi", poses, np.column_stack((centers, np.ones(len(centers)))))
    trees = [_tree(ob) for ob in obstacles]
    scales = np.cbrt(np.linalg.det(obstacle_poses[:, :, :3, :3]))
    to_obstacle = np.linalg.inv(obstacle_poses)
    bounds = []
    for o, obstacle in enumerate(obstacles):
        local = np.einsum("fij,fvj->fvi", to_obstacle[:, o], middles)[..., :3]
        box = np.array(obstacle.bound_box)
        outside = np.maximum(np.maximum(box.min(axis=0) - local, local - box.max(axis=0)), 0.0)
        bounds.append(np.linalg.norm(outside, axis=-1) * scales[:, o, None] - reaches)
    bounds = np.stack(bounds, axis=-1)
    best = Miss(math.inf, "", "", scene.frame_start)
    for place in np.argsort(bounds, axis=None):
        i, v, o = np.unravel_index(place, bounds.shape)
        if bounds[i, v, o] > best.distance:
            break
        local = to_obstacle[i, o] @ poses[i, v]
        middle = local[:3, :3] @ centers[v] + local[:3, 3]
        if _distance(trees[o], Vector(middle)) * scales[i, o] - reaches[v] > best.distance:
            continue
        points = clouds[v] @ local[:3, :3].T + local[:3, 3]
        nearest = min(_distance(trees[o], Vector(point)) for point in points) * scales[i, o]
        if nearest < best.distance:
            best = Miss(nearest, vehicles[v].name, obstacles[o].name, scene.frame_start + int(i))
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
