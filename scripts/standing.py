"""How well the vehicles of a baked file stand on its surfaces: on keys and between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from scripts.baked_scene import AXES, FORWARD, UP, Crowd, stored
from steering_addon.locomotion import CATALOGUE
from steering_addon.simulation.roles import Role

PARTS = 4
"""Places in time a frame: the key, and the quarters after it."""
ABOVE, BELOW = 1.0, 2.0
"""Metres above and below a foot within which its surface is looked for."""
STANDS = {kind.stored_number for kind in CATALOGUE if kind.stands}


@dataclass(frozen=True)
class Standing:
    """Vehicles over surfaces.

    Attributes:
        height: (times, n) metres from the surface straight below up to the foot; nan for none.
        place: (times, n, 3) of the feet, metres.
        normal: (times, n, 3) of the faces below; nan for none.
        forward, up: (times, n, 3) the axes of the models.
        fps: frames a second.
    """

    height: np.ndarray
    place: np.ndarray
    normal: np.ndarray
    forward: np.ndarray
    up: np.ndarray
    fps: float

    def lines(self, *, on_feet: bool = True) -> list[str]:
        """What it comes to, as a table; without the height of one foot below the origin for what stands on wheels."""
        between = np.abs(np.delete(self.height, np.s_[::PARTS], axis=0)) * 1000.0
        on_keys = np.abs(self.height[::PARTS]) * 1000.0
        place, up, normal = self.place[::PARTS], self.up[::PARTS], self.normal[::PARTS]
        way = np.diff(place, axis=0)
        length = np.linalg.norm(way, axis=-1)
        speed = length * self.fps
        walks = speed > 0.05
        off_surface = _degrees(np.abs((way * normal[:-1]).sum(axis=-1)) / np.maximum(length, 1e-12))
        level_way, level_forward = (v[..., :2] for v in (way, self.forward[::PARTS][1:]))
        aside = np.abs(level_way[..., 0] * level_forward[..., 1] - level_way[..., 1] * level_forward[..., 0])
        sideways = np.max(aside[walks] / length[walks], initial=0.0)
        jerk = np.degrees(np.linalg.norm(up[2:] - 2.0 * up[1:-1] + up[:-2], axis=-1))
        feet = [
            f"  height of the foot on keys, mm             max {np.nanmax(on_keys):8.3f}",
            f"  height between keys, mm                    p95 {np.nanpercentile(between, 95):8.3f}"
            f"   max {np.nanmax(between):8.3f}",
        ]
        return [
            *(feet if on_feet else ()),
            f"  way against the surface, degrees           p95 {_p95(off_surface[walks]):8.3f}",
            f"  sideways share of the way                  max {sideways:8.3f}",
            f"  standing, share                                {(speed < 1e-6).mean():8.3f}",
            f"  jerk of the up axis, degrees a frame2      p95 {_p95(jerk):8.3f}",
            f"  slope of the ground, degrees               max {np.degrees(np.arccos(np.nanmin(normal[..., 2]))):8.3f}",
            f"  without a surface below, share                 {np.isnan(self.height).mean():8.3f}",
        ]


def standing(scene: bpy.types.Scene, crowd: Crowd) -> Standing | None:
    """How the vehicles of a crowd stand; None if they do not stand on surfaces, or the scene has none."""
    surfaces = [ob for ob in scene.objects if stored(ob).get("roles", 0) & Role.SURFACE]
    if not surfaces or crowd.settings.get("locomotion") not in STANDS:
        return None
    members = [stored(ob) for ob in crowd.vehicles]
    defaults = (("forward_axis", FORWARD), ("up_axis", UP))
    axes = [[settings.get(name, axis) for settings in members] for name, axis in defaults]
    lifts = [settings.get("origin_height", 0.0) for settings in members]
    current = scene.frame_current
    trees = [] if moves(surfaces) else trees_of(surfaces)
    rows = []
    for quarter in range(PARTS * (scene.frame_end - scene.frame_start) + 1):
        scene.frame_set(scene.frame_start + quarter // PARTS, subframe=quarter % PARTS / PARTS)
        poses = np.array([ob.matrix_world for ob in crowd.vehicles])
        rows.append((*_looked(trees or trees_of(surfaces), poses, lifts, axes[1]), poses))
    scene.frame_set(current)
    height, place, normal, poses = (np.array(column) for column in zip(*rows))
    forward, up = (_directions(poses, numbers) for numbers in axes)
    return Standing(height, place, normal, forward, up, scene.render.fps / scene.render.fps_base)


def moves(surfaces: Sequence[bpy.types.Object]) -> bool:
    """Whether any of the surfaces may move or change its shape."""
    return any(
        ob.animation_data or ob.parent or ob.constraints or ob.modifiers or getattr(ob.data, "shape_keys", None)
        for ob in surfaces
    )


def trees_of(surfaces: Sequence[bpy.types.Object]) -> list[BVHTree]:
    """The faces of each surface in world space."""
    graph, trees = bpy.context.evaluated_depsgraph_get(), []
    for ob in surfaces:
        evaluated = ob.evaluated_get(graph)
        mesh = evaluated.to_mesh()
        mesh.calc_loop_triangles()
        points = [evaluated.matrix_world @ vertex.co for vertex in mesh.vertices]
        triangles = [tuple(triangle.vertices) for triangle in mesh.loop_triangles]
        trees.append(BVHTree.FromPolygons(points, triangles, all_triangles=True))
        evaluated.to_mesh_clear()
    return trees


def _looked(
    trees: Sequence[BVHTree], poses: np.ndarray, lifts: Sequence[float], up_axes: Sequence[int]
) -> tuple[list[float], list[np.ndarray], list[np.ndarray]]:
    """The height, the foot and the normal below each vehicle."""
    heights, places, normals = [], [], []
    for pose, lift, axis in zip(poses, lifts, up_axes):
        foot = pose[:3, 3] - (0.0, 0.0, lift * np.linalg.norm(pose[:3, :3] @ AXES[axis]))
        height, normal = cast_down(trees, foot, ABOVE, BELOW)
        heights.append(height)
        places.append(foot)
        normals.append(normal)
    return heights, places, normals


def cast_down(trees: Sequence[BVHTree], foot: np.ndarray, above: float, below: float) -> tuple[float, np.ndarray]:
    """The height of a foot over the nearest surface straight below or above it, and its upward normal; nan for none."""
    start = Vector(foot) + Vector((0.0, 0.0, above))
    hits = [tree.ray_cast(start, Vector((0.0, 0.0, -1.0)), above + below) for tree in trees]
    hits = [hit for hit in hits if hit[0] is not None]
    nearest = min(hits, key=lambda hit: abs(hit[0].z - foot[2]), default=None)
    if nearest is None:
        return np.nan, np.full(3, np.nan)
    normal = np.array(nearest[1])
    return foot[2] - nearest[0].z, -normal if normal[2] < 0.0 else normal


def _directions(poses: np.ndarray, numbers: Sequence[int]) -> np.ndarray:
    directions = np.einsum("fnij,nj->fni", poses[..., :3, :3], AXES[list(numbers)])
    return directions / np.maximum(np.linalg.norm(directions, axis=-1, keepdims=True), 1e-12)


def _degrees(sine: np.ndarray) -> np.ndarray:
    return np.degrees(np.arcsin(np.clip(sine, 0.0, 1.0)))


def _p95(values: np.ndarray) -> float:
    return float(np.nanpercentile(values, 95)) if values.size else 0.0
