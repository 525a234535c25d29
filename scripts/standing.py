"""How well the vehicles of a baked file stand on its surfaces: on keys and between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from scripts.baked_scene import AXES, DEFAULT_AXES, Crowd, directions, fps_of, stored
from steering_addon.locomotion import CATALOGUE, Wheeled
from steering_addon.locomotion.chassis import WHEELS
from steering_addon.locomotion.driving import TRAVELS
from steering_addon.simulation.roles import Role

PARTS = 4
"""Places in time a frame: the key, and the quarters after it."""
ABOVE, BELOW = 1.0, 2.0
"""Metres above and below a foot within which its surface is looked for."""
STANDS = {kind.stored_number: kind for kind in CATALOGUE if kind.stands}
FOLD = np.sqrt(0.5)
"""Cosine between a face and the normals of its corners below which the surface has a fold there."""


@dataclass(frozen=True)
class Standing:
    """Vehicles on surfaces, with their f feet one after the other: one each, or four wheels.

    Attributes:
        clings: whether they hold on to the nearest place of a surface, instead of standing straight above it.
        height: (times, n f) metres from the surface up to the foot; nan for none.
        place: (times, n f, 3) of the feet, metres.
        normal: (times, n f, 3) of the faces there, on the side of the vehicle; nan for none.
        rounded: (times, n f, 3) the same of the surface that runs smoothly through the corners of its faces.
        carried: (times, n f, 3) the way of the surface under the foot since the key before, metres; 0 on the first.
        forward, up: (times, n, 3) the axes of the models.
        fps: frames a second.
    """

    clings: bool
    height: np.ndarray
    place: np.ndarray
    normal: np.ndarray
    rounded: np.ndarray
    carried: np.ndarray
    forward: np.ndarray
    up: np.ndarray
    fps: float

    def figures(self) -> dict[str, float]:
        """What it comes to: angles in degrees, heights in millimetres, shares."""
        between = np.abs(np.delete(self.height, np.s_[::PARTS], axis=0)) * 1000.0
        on_keys = np.abs(self.height[::PARTS]) * 1000.0
        place, up, normal = self.place[::PARTS], self.up[::PARTS], self.normal[::PARTS]
        way = np.diff(place, axis=0) - self.carried[::PARTS][1:]
        length = np.linalg.norm(way, axis=-1)
        speed = length * self.fps
        walks = speed > 0.05
        mean = self._along_the_way()
        off_surface = np.degrees(
            np.arcsin(np.clip(np.abs((way * mean).sum(axis=-1)) / np.maximum(length, 1e-12), 0.0, 1.0))
        )
        above = mean if self.clings else np.broadcast_to((0.0, 0.0, 1.0), way.shape)
        feet = way.shape[1] // up.shape[1]
        ahead = np.repeat(self.forward[::PARTS][1:], feet, axis=1)
        flat, ahead = _across(way, above), _across(ahead, above)
        ahead = ahead / np.maximum(np.linalg.norm(ahead, axis=-1, keepdims=True), 1e-12)
        aside = np.linalg.norm(np.cross(flat, ahead), axis=-1)
        sideways = np.max(aside[walks] / length[walks], initial=0.0)
        excess = up - self.rounded[::PARTS] if self.clings else up
        return {
            "on keys, max": np.nanmax(on_keys),
            "between, p95": np.nanpercentile(between, 95),
            "off surface, p95": _p95(off_surface[walks]),
            "sideways, max": sideways,
            "own jerk, p95": _p95(_jerk(excess)),
            "slope, max": np.degrees(np.arccos(np.nanmin(normal[..., 2]))),
            "no surface": np.isnan(self.height).mean(),
        }

    def _along_the_way(self) -> np.ndarray:
        """The mean normal of the surface along each way from key to key, (keys - 1, n, 3).

        A way over stones or a fold lies in none of their faces: its direction is that of the surface on the whole, the
        mean of its grades or, for what clings, of its normals.
        """
        normal = self.normal
        if not self.clings:
            normal = normal / np.maximum(normal[..., 2:], 1e-6)
        weights = np.full(PARTS + 1, 1.0 / PARTS)
        weights[0] = weights[-1] = 0.5 / PARTS
        keys = len(normal) // PARTS
        mean = sum(weight * normal[k : k + PARTS * keys : PARTS] for k, weight in enumerate(weights))
        return mean / np.maximum(np.linalg.norm(mean, axis=-1, keepdims=True), 1e-12)


@dataclass(frozen=True)
class Faces:
    """The triangles of all surfaces in world space, with a tree for each surface."""

    trees: list[BVHTree]
    corners: list[np.ndarray]
    normals: list[np.ndarray]

    def carried(self, before: Faces, surface: np.ndarray, face: np.ndarray, place: np.ndarray) -> np.ndarray:
        """How far places (n, 3) on faces of surfaces have been taken since; 0 for none and where faces differ."""
        ways = np.zeros_like(place)
        for row, (number, triangle) in enumerate(zip(surface, face)):
            if number < 0 or len(self.corners[number]) != len(before.corners[number]):
                continue
            corners = before.corners[number][triangle]
            ways[row] = _shares(corners, place[row]) @ (self.corners[number][triangle] - corners)
        return ways

    def rounded(self, surface: np.ndarray, face: np.ndarray, place: np.ndarray, normal: np.ndarray) -> np.ndarray:
        """The normals between those of the corners of faces at places (n, 3), beside the normals of the faces."""
        between = normal.copy()
        for row, (number, triangle) in enumerate(zip(surface, face)):
            if number < 0:
                continue
            corners = self.normals[number][triangle]
            corners = corners * np.where(corners @ normal[row] < 0.0, -1.0, 1.0)[:, None]
            if (corners @ normal[row]).min() < FOLD:
                continue
            mean = _shares(self.corners[number][triangle], place[row]) @ corners
            between[row] = mean / np.linalg.norm(mean)
        return between


def _shares(corners: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The shares (3,) of the corners of a triangle in a place."""
    a, b, c = corners
    shares = np.linalg.lstsq(np.stack((b - a, c - a), axis=1), place - a, rcond=None)[0]
    return np.array((1.0 - shares.sum(), *shares))


def standing(scene: bpy.types.Scene, crowd: Crowd, quarters: Sequence[int] | None = None) -> Standing | None:
    """How the vehicles of a crowd stand; None if they do not stand on surfaces, or the scene has none. `quarters`:
    quarters of a frame from the start on which to look, all by default."""
    surfaces = [ob for ob in scene.objects if stored(ob).get("roles", 0) & Role.SURFACE]
    kind = STANDS.get(crowd.settings.get("locomotion"))
    if not surfaces or kind is None:
        return None
    members = [stored(ob) for ob in crowd.vehicles]
    lifts = np.array([settings.get("origin_height", 0.0) for settings in members])
    ups = AXES[[settings.get("up_axis", DEFAULT_AXES["up_axis"]) for settings in members]]
    current = scene.frame_current
    faces = key = None
    moving = any(
        ob.animation_data or ob.parent or ob.constraints or ob.modifiers or getattr(ob.data, "shape_keys", None)
        for ob in surfaces
    )
    rows = []
    if quarters is None:
        quarters = range(PARTS * (scene.frame_end - scene.frame_start) + 1)
    for quarter in quarters:
        scene.frame_set(scene.frame_start + quarter // PARTS, subframe=quarter % PARTS / PARTS)
        if faces is None or moving:
            faces = faces_of(surfaces)
        poses = np.array([ob.matrix_world for ob in crowd.vehicles])
        up = directions(poses, crowd.vehicles, "up_axis")
        size = np.linalg.norm(np.einsum("nij,nj->ni", poses[:, :3, :3], ups), axis=-1)
        foot = poses[:, :3, 3] - (lifts * size)[:, None] * (up if kind.clings else (0.0, 0.0, 1.0))
        if kind is Wheeled:
            travels = [[ob.get(name, 0.0) for name in TRAVELS] for ob in crowd.vehicles]
            foot = np.concatenate([_wheels(*car, crowd.values(Wheeled)) for car in zip(foot, poses, travels)])
        sides = up if kind.clings else np.broadcast_to((0.0, 0.0, 1.0), foot.shape)
        found = [_found(faces, place, side, kind.clings) for place, side in zip(foot, sides)]
        height, normal, surface, face = (np.array(column) for column in zip(*found))
        rounded = faces.rounded(surface, face, foot, normal) if kind.clings else normal
        carried = np.zeros_like(foot) if key is None else faces.carried(*key)
        rows.append((height, foot, normal, rounded, carried, directions(poses, crowd.vehicles), up))
        if quarter % PARTS == 0:
            key = faces, surface, face, foot
    scene.frame_set(current)
    return Standing(kind.clings, *(np.array(column) for column in zip(*rows)), fps_of(scene))


def _wheels(place: np.ndarray, pose: np.ndarray, travels: Sequence[float], values: dict[str, Any]) -> np.ndarray:
    """The lowest places of the four wheels of a car whose middle stands at a place, (4, 3) metres."""
    side, forward, up = (pose[:3, k] / np.linalg.norm(pose[:3, k]) for k in range(3))
    ahead, left = np.array(WHEELS).T[..., None]
    aside = 0.5 * left * values["track"]
    travel = np.array(travels)[:, None]
    return place + forward * (0.5 * ahead * values["wheelbase"]) - side * aside + up * travel


def faces_of(surfaces: Sequence[bpy.types.Object]) -> Faces:
    """The faces of each surface in world space."""
    graph, faces = bpy.context.evaluated_depsgraph_get(), Faces([], [], [])
    for ob in surfaces:
        evaluated = ob.evaluated_get(graph)
        mesh = evaluated.to_mesh()
        mesh.calc_loop_triangles()
        points = [evaluated.matrix_world @ vertex.co for vertex in mesh.vertices]
        triangles = [tuple(triangle.vertices) for triangle in mesh.loop_triangles]
        faces.trees.append(BVHTree.FromPolygons(points, triangles, all_triangles=True))
        turn = evaluated.matrix_world.to_3x3().inverted_safe().transposed()
        normals = np.array([(turn @ vertex.normal).normalized() for vertex in mesh.vertices])
        faces.corners.append(np.array(points)[np.array(triangles)])
        faces.normals.append(normals[np.array(triangles)])
        evaluated.to_mesh_clear()
    return faces


def _found(faces: Faces, foot: np.ndarray, side: np.ndarray, clings: bool) -> tuple:
    """The height of a foot, the normal on its side, and the numbers of the surface and of the face, -1 for none.

    What clings is on the nearest place of all surfaces, others on the nearest that is straight below or above.
    """
    start, down = Vector(foot) + Vector((0.0, 0.0, ABOVE)), Vector((0.0, 0.0, -1.0))
    rows = []
    for number, tree in enumerate(faces.trees):
        hit = tree.find_nearest(foot) if clings else tree.ray_cast(start, down, ABOVE + BELOW)
        place, normal, face, distance = hit
        if place is not None:
            rows.append((distance if clings else foot[2] - place.z, np.array(normal), number, face))
    if not rows:
        return np.nan, np.full(3, np.nan), -1, -1
    height, normal, number, face = min(rows, key=lambda row: abs(row[0]))
    return height, -normal if normal @ side < 0.0 else normal, number, face


def _across(v: np.ndarray, up: np.ndarray) -> np.ndarray:
    return v - (v * up).sum(axis=-1, keepdims=True) * up


def _jerk(axis: np.ndarray) -> np.ndarray:
    """The change of the turn of unit axes (keys, n, 3) from key to key, degrees."""
    return np.degrees(np.linalg.norm(axis[2:] - 2.0 * axis[1:-1] + axis[:-2], axis=-1))


def _p95(values: np.ndarray) -> float:
    return float(np.nanpercentile(values, 95)) if values.size else 0.0
