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
STILL = 1e-3
"""Metres a second: what is slower on its surface stands. Matrices are of single precision."""
ABOVE, BELOW = 1.0, 2.0
"""Metres above and below a foot within which its surface is looked for."""
STANDS = {kind.stored_number for kind in CATALOGUE if kind.stands}


@dataclass(frozen=True)
class Standing:
    """Vehicles over surfaces.

    Attributes:
        height: (times, n) metres from the surface straight below up to the foot; nan for none.
        place: (times, n, 3) of the feet, metres.
        carried: (keys, n, 3) where what each stands on would have taken its foot by the next key, metres.
        normal: (times, n, 3) of the faces below; nan for none.
        forward, up: (times, n, 3) the axes of the models.
        fps: frames a second.
    """

    height: np.ndarray
    place: np.ndarray
    carried: np.ndarray
    normal: np.ndarray
    forward: np.ndarray
    up: np.ndarray
    fps: float

    def figures(self) -> dict[str, float]:
        """What it comes to; angles in degrees, heights in millimetres."""
        between = np.abs(np.delete(self.height, np.s_[::PARTS], axis=0)) * 1000.0
        on_keys = np.abs(self.height[::PARTS]) * 1000.0
        place, up, normal = self.place[::PARTS], self.up[::PARTS], self.normal[::PARTS]
        way = place[1:] - self.carried[:-1]
        length = np.linalg.norm(way, axis=-1)
        speed = length * self.fps
        walks = speed > 0.05
        off_surface = _degrees(np.abs((way * normal[:-1]).sum(axis=-1)) / np.maximum(length, 1e-12))
        level_way, level_forward = (v[..., :2] for v in (way, self.forward[::PARTS][1:]))
        aside = np.abs(level_way[..., 0] * level_forward[..., 1] - level_way[..., 1] * level_forward[..., 0])
        sideways = np.max(aside[walks] / length[walks], initial=0.0)
        jerk = np.degrees(np.linalg.norm(up[2:] - 2.0 * up[1:-1] + up[:-2], axis=-1))
        return {
            "on keys, max": np.nanmax(on_keys),
            "between, p95": np.nanpercentile(between, 95),
            "between, max": np.nanmax(between),
            "off surface, p95": _p95(off_surface[walks]),
            "sideways, max": sideways,
            "standing": (speed < STILL).mean(),
            "jerk, p95": _p95(jerk),
            "slope, max": np.degrees(np.arccos(np.nanmin(normal[..., 2]))),
            "no surface": np.isnan(self.height).mean(),
        }

    def lines(self) -> list[str]:
        """The figures, as a table."""
        value = self.figures()
        return [
            f"  height of the foot on keys, mm             max {value['on keys, max']:8.3f}",
            f"  height between keys, mm                    p95 {value['between, p95']:8.3f}"
            f"   max {value['between, max']:8.3f}",
            f"  way against the surface, degrees           p95 {value['off surface, p95']:8.3f}",
            f"  sideways share of the way                  max {value['sideways, max']:8.3f}",
            f"  standing, share                                {value['standing']:8.3f}",
            f"  jerk of the up axis, degrees a frame2      p95 {value['jerk, p95']:8.3f}",
            f"  slope of the ground, degrees               max {value['slope, max']:8.3f}",
            f"  without a surface below, share                 {value['no surface']:8.3f}",
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
    kept = [] if _moves(surfaces) else _grounds(surfaces)
    rows, carried, stood_on = [], [], []
    for quarter in range(PARTS * (scene.frame_end - scene.frame_start) + 1):
        scene.frame_set(scene.frame_start + quarter // PARTS, subframe=quarter % PARTS / PARTS)
        poses = np.array([ob.matrix_world for ob in crowd.vehicles])
        grounds = kept or _grounds(surfaces)
        heights, places, normals, hits = _looked(grounds, poses, lifts, axes[1])
        rows.append((heights, places, normals, poses))
        if quarter % PARTS == 0:
            carried += [[hit.taken(grounds) for hit in stood_on]] if stood_on else []
            stood_on = hits
    scene.frame_set(current)
    height, place, normal, poses = (np.array(column) for column in zip(*rows))
    forward, up = (_directions(poses, numbers) for numbers in axes)
    carried.append(place[-1])
    return Standing(height, place, np.array(carried), normal, forward, up, scene.render.fps / scene.render.fps_base)


@dataclass(frozen=True)
class _Ground:
    """The faces of a surface in world space."""

    tree: BVHTree
    points: np.ndarray
    triangles: np.ndarray


@dataclass(frozen=True)
class _Hit:
    """On what a foot stands: the number of the surface, -1 for none, the triangle, and the shares of its corners."""

    foot: np.ndarray
    surface: int = -1
    triangle: int = 0
    shares: np.ndarray | None = None
    place: np.ndarray | None = None

    def taken(self, grounds: Sequence[_Ground]) -> np.ndarray:
        """Where the foot is when what it stands on has moved to the places of these, (3,) metres."""
        if self.shares is None or self.place is None:
            return self.foot
        ground = grounds[self.surface]
        return self.foot + self.shares @ ground.points[ground.triangles[self.triangle]] - self.place


def _moves(surfaces: Sequence[bpy.types.Object]) -> bool:
    return any(
        ob.animation_data or ob.parent or ob.constraints or ob.modifiers or getattr(ob.data, "shape_keys", None)
        for ob in surfaces
    )


def _grounds(surfaces: Sequence[bpy.types.Object]) -> list[_Ground]:
    graph, grounds = bpy.context.evaluated_depsgraph_get(), []
    for ob in surfaces:
        evaluated = ob.evaluated_get(graph)
        mesh = evaluated.to_mesh()
        mesh.calc_loop_triangles()
        points = [evaluated.matrix_world @ vertex.co for vertex in mesh.vertices]
        triangles = [tuple(triangle.vertices) for triangle in mesh.loop_triangles]
        tree = BVHTree.FromPolygons(points, triangles, all_triangles=True)
        grounds.append(_Ground(tree, np.array(points), np.array(triangles)))
        evaluated.to_mesh_clear()
    return grounds


def _looked(
    grounds: Sequence[_Ground], poses: np.ndarray, lifts: Sequence[float], up_axes: Sequence[int]
) -> tuple[list[float], list[np.ndarray], list[np.ndarray], list[_Hit]]:
    """The height, the foot and the normal below each vehicle, and what it stands on."""
    heights, places, normals, stood_on = [], [], [], []
    for pose, lift, axis in zip(poses, lifts, up_axes):
        foot = pose[:3, 3] - (0.0, 0.0, lift * np.linalg.norm(pose[:3, :3] @ AXES[axis]))
        start = Vector(foot) + Vector((0.0, 0.0, ABOVE))
        hits = [
            (row, ground.tree.ray_cast(start, Vector((0.0, 0.0, -1.0)), ABOVE + BELOW))
            for row, ground in enumerate(grounds)
        ]
        hits = [(row, hit) for row, hit in hits if hit[0] is not None]
        surface, nearest = min(hits, key=lambda each: abs(each[1][0].z - foot[2]), default=(-1, None))
        heights.append(np.nan if nearest is None else foot[2] - nearest[0].z)
        stood_on.append(_Hit(foot) if nearest is None else _hit(foot, surface, grounds[surface], nearest))
        places.append(foot)
        normal = np.full(3, np.nan) if nearest is None else np.array(nearest[1])
        normals.append(-normal if normal[2] < 0.0 else normal)
    return heights, places, normals, stood_on


def _hit(foot: np.ndarray, surface: int, ground: _Ground, hit: tuple) -> _Hit:
    place, triangle = np.array(hit[0]), hit[2]
    a, b, c = ground.points[ground.triangles[triangle]]
    shares = np.linalg.lstsq(np.stack((b - a, c - a), axis=1), place - a, rcond=None)[0]
    shares = np.array((1.0 - shares.sum(), *shares))
    return _Hit(foot, surface, triangle, shares, shares @ np.stack((a, b, c)))


def _directions(poses: np.ndarray, numbers: Sequence[int]) -> np.ndarray:
    directions = np.einsum("fnij,nj->fni", poses[..., :3, :3], AXES[list(numbers)])
    return directions / np.maximum(np.linalg.norm(directions, axis=-1, keepdims=True), 1e-12)


def _degrees(sine: np.ndarray) -> np.ndarray:
    return np.degrees(np.arcsin(np.clip(sine, 0.0, 1.0)))


def _p95(values: np.ndarray) -> float:
    return float(np.nanpercentile(values, 95)) if values.size else 0.0
