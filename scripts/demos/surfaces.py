"""Measures how near vehicles come to obstacles, surface to surface, and how far their parts swing."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree

DEEPEST = 8.0  # m: a point further than this from a surface is outside the obstacle
SLANT = Vector((0.312, 0.187, 0.932)).normalized()  # a direction parallel to no face


@dataclass(frozen=True)
class Miss:
    """The closest approach of a vehicle's surface to an obstacle's, metres; negative inside it."""

    distance: float
    vehicle: str
    obstacle: str
    frame: int

    def __str__(self) -> str:
        return f"{self.distance:.2f} m ({self.vehicle} and {self.obstacle}, frame {self.frame})"


def closest(
    scene: bpy.types.Scene,
    vehicles: Sequence[bpy.types.Object],
    obstacles: Sequence[bpy.types.Object],
    poses: np.ndarray,
    obstacle_poses: np.ndarray,
) -> Miss:
    """Find the closest approach of any vehicle to any obstacle, surface to surface, over all frames.

    Vehicles and their children are sampled at vertices, edge middles and face centres, with the children's pose on the
    current frame; obstacles are their meshes. Poses are world matrices, (frames, n, 4, 4).
    """
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
    for candidate in np.argsort(bounds, axis=None):
        i, v, o = np.unravel_index(candidate, bounds.shape)
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
    """Distance from a point to a closed surface; negative inside."""
    distance = tree.find_nearest(point)[3]
    return -distance if distance < DEEPEST and _inside(tree, point) else distance


def _inside(tree: BVHTree, point: Vector) -> bool:
    """Whether a ray from the point leaves the surface more often than it enters; handles overlapping parts."""
    leaving, start = 0, point
    while True:
        place, normal, _, _ = tree.ray_cast(start, SLANT)
        if place is None:
            return leaving > 0
        leaving += 1 if normal.dot(SLANT) > 0 else -1
        start = place + SLANT * 1e-4


def _tree(ob: bpy.types.Object) -> BVHTree:
    """The mesh of an object, in local space, for nearest-point queries."""
    mesh = ob.data
    return BVHTree.FromPolygons([v.co for v in mesh.vertices], [p.vertices for p in mesh.polygons])


def _samples(ob: bpy.types.Object) -> np.ndarray:
    """Vertices, edge middles and face centres of an object and its children, in its local space."""
    points = []
    for part in (ob, *ob.children_recursive):
        to_ob = np.array(ob.matrix_world.inverted() @ part.matrix_world)
        mesh = part.data
        vertices = np.array([v.co for v in mesh.vertices])
        edges = np.array([e.vertices for e in mesh.edges])
        faces = np.array([p.center for p in mesh.polygons])
        samples = np.concatenate((vertices, vertices[edges].mean(axis=1), faces))
        points.append(samples @ to_ob[:3, :3].T + to_ob[:3, 3])
    return np.concatenate(points)


def swing(poses: np.ndarray, parts: np.ndarray, axis: int = 0, about: int = 2) -> np.ndarray:
    """The range of the angle between a part and its vehicle, (n,) radians. `poses`, `parts`: (frames, n, 4, 4) world
    matrices of the vehicles, and of one part each; `axis`: of the part; `about`: the axis of the vehicle that it is
    measured against, Z by default."""
    fixed, moving = poses[..., :3, about], parts[..., :3, axis]
    lengths = np.linalg.norm(fixed, axis=-1) * np.linalg.norm(moving, axis=-1)
    angle = np.arcsin(np.clip((fixed * moving).sum(axis=-1) / lengths, -1.0, 1.0))
    return np.ptp(angle, axis=0)
