"""Prints how far feet slide and float in baked files.

scripts/slide runs this in a Blender with factory settings and passes its options as JSON.
"""

from __future__ import annotations

import fnmatch
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree
from mathutils.kdtree import KDTree

from scripts.baked_scene import AXES, FORWARD, UP, stored
from scripts.blender_process import leave
from scripts.rigged_files import opened
from scripts.slide_metrics import HEAD, NOTHING, Slides, slides
from steering_addon.blender.clips.measuring import SEARCHED, axes_of, low_on, low_points
from steering_addon.blender.clips.rig import Rig, rig_of
from steering_addon.blender.objects.hierarchy import Family
from steering_addon.portrayal.sliding import feet_on
from steering_addon.simulation.roles import Role

NAMES = ("X", "Y", "Z", "NEG_X", "NEG_Y", "NEG_Z")
ABOVE = 1.0
"""Metres above a foot from which the ground below it is looked for."""
DOWN = Vector((0.0, 0.0, -1.0))
LOOKED_AT = 200
"""Frames in which soles are looked for, spread over the run."""


@dataclass(frozen=True)
class Body:
    """An armature of a scene.

    Attributes:
        carrier: the object that carries it.
        rig: whose matrix is that of the frame on which it was read.
        order: the rows of its bones in the pose.
        forward, up: (3,) the axes along which the carrier faces and stands.
        lift: its origin is this number of its own metres above where it stands.
    """

    armature: bpy.types.Object
    carrier: bpy.types.Object
    rig: Rig
    order: list[int]
    forward: np.ndarray
    up: np.ndarray
    lift: float


@dataclass(frozen=True)
class Run:
    """A body on f frames.

    Attributes:
        poses: (f, n, 4, 4) of its bones in the armature's space.
        armature, carrier: (f, 4, 4) their places in the world.
    """

    poses: np.ndarray
    armature: np.ndarray
    carrier: np.ndarray


def main() -> int:
    options = SimpleNamespace(**json.loads(sys.argv[1]))
    for file in map(Path, options.files):
        models = [
            (armature, carrier)
            for armature, carrier in opened(file)
            if any(fnmatch.fnmatch(ob.name, options.objects) for ob in (armature, carrier))
        ]
        print(f"\n{file.name}, Blender {bpy.app.version_string}")
        _report(models, options)
    return 0


def _report(models, options) -> None:
    scene, family = bpy.context.scene, Family()
    first, last = options.frames or (scene.frame_start, scene.frame_end)
    times = np.arange(first, last + 1e-6, 0.25 if options.quarters else 1.0)
    bodies = [_body(armature, carrier, family) for armature, carrier in models]
    carrier = scene.objects[options.on] if options.on else None
    runs = _evaluated(scene, bodies, times, carrier)
    surfaces = _surfaces(scene, carrier)
    print(f"{'':24} {HEAD}")
    kinds: dict[str, list[int]] = {}
    for number, body in enumerate(bodies):
        kinds.setdefault(body.armature.data.name, []).append(number)
    for kind, members in kinds.items():
        each = [_measured(scene, bodies[k], runs[k], surfaces, times) for k in members]
        print(f"{kind[:18]:18} x{len(members):4d} {sum(each, Slides()).row()}")
        for k, measured in zip(members, each if options.each else ()):
            print(f"  {bodies[k].armature.name[:22]:22} {measured.row()}")
        if carrier is None:
            error = _difference(scene, bodies[members[0]], runs[members[0]], float(times[-1]))
            print(f"  points are within {100.0 * error:.4f} cm of Blender's evaluated meshes")


def _body(armature, carrier, family: Family) -> Body:
    settings = stored(carrier)
    forward = settings.get("forward_axis", FORWARD) if settings else NAMES.index("NEG_Y")
    up = settings.get("up_axis", UP) if settings else UP
    lift = settings.get("origin_height", 0.0) if settings else 0.0
    rig = rig_of(armature, carrier, family, axes_of(NAMES[forward], NAMES[up]))
    order = [armature.pose.bones.find(name) for name in rig.names]
    return Body(armature, carrier, rig, order, AXES[forward], AXES[up], lift)


def _evaluated(scene, bodies: list[Body], times: np.ndarray, carrier) -> list[Run]:
    """All bodies on all frames, where what carries them has stayed where it is now; the current frame is restored."""
    runs = [
        Run(np.empty((len(times), len(body.order), 4, 4), np.float32), *np.empty((2, len(times), 4, 4)))
        for body in bodies
    ]
    now = scene.frame_current
    stood = None if carrier is None else np.array(carrier.matrix_world)
    # Only bones are read: Blender need not deform meshes.
    hidden = [ob for ob in scene.objects if ob.type == "MESH" and not ob.hide_viewport]
    for ob in hidden:
        ob.hide_viewport = True
    for row, time in enumerate(times):
        scene.frame_set(int(np.floor(time)), subframe=float(time - np.floor(time)))
        graph = bpy.context.evaluated_depsgraph_get()
        back = np.eye(4) if carrier is None else stood @ np.linalg.inv(carrier.evaluated_get(graph).matrix_world)
        for body, run in zip(bodies, runs):
            evaluated = body.armature.evaluated_get(graph)
            elements = np.empty(16 * len(evaluated.pose.bones), np.float32)
            evaluated.pose.bones.foreach_get("matrix", elements)
            run.poses[row] = elements.reshape(-1, 4, 4)[body.order].transpose(0, 2, 1)
            run.armature[row] = back @ np.array(evaluated.matrix_world)
            run.carrier[row] = back @ np.array(body.carrier.evaluated_get(graph).matrix_world)
    for ob in hidden:
        ob.hide_viewport = False
    scene.frame_set(now)
    return runs


def _measured(scene, body: Body, run: Run, surfaces: list[BVHTree], times: np.ndarray) -> Slides:
    rig = body.rig
    sparse = slice(None, None, max(len(times) // LOOKED_AT, 1))
    up = run.carrier[:, :3, :3] @ body.up
    size = np.linalg.norm(up, axis=1)
    up, lift = up / size[:, None], body.lift * size
    place = run.carrier[:, :3, 3]
    stands = place - up * lift[:, None]
    rows = _low_points(rig, run, stands, slice(None, None, sparse.step * SEARCHED), surfaces)
    points = _in_world(rig, run.poses, run.armature, rows)
    level = np.einsum("fmi,fi->fm", points - stands[:, None], up)
    if surfaces:
        level = _above(surfaces, points, stands)
    front = run.carrier[:, :3, :3] @ body.forward
    soles = feet_on(rig.moved(run.poses[sparse], rows), level, rig.height)
    return slides(
        body.armature.name,
        points,
        level,
        soles,
        place,
        np.unwrap(np.arctan2(front[:, 1], front[:, 0])),
        rig.height,
        times,
        scene.render.fps / scene.render.fps_base,
    )


def _low_points(rig: Rig, run: Run, stands: np.ndarray, frames: slice, surfaces: list[BVHTree]) -> np.ndarray:
    """The rows of the points that come near the ground; `stands` (f, 3) is where the body stands."""
    poses = run.poses[frames]
    if not surfaces:
        return low_points(rig, poses)

    def above(near: np.ndarray) -> np.ndarray:
        points = _in_world(rig, poses, run.armature[frames], near)
        return _above(surfaces, points, stands[frames])

    return low_on(rig, poses, above)


def _in_world(rig: Rig, poses: np.ndarray, worlds: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Points in the world, (f, r, 3)."""
    inside = replace(rig, matrix=np.eye(4)).moved(poses, rows)
    return np.einsum("fij,frj->fri", worlds[:, :3, :3], inside) + worlds[:, None, :3, 3]


def _surfaces(scene, carrier) -> list[BVHTree]:
    """What is tagged to be stood on, as it is on the current frame; only what carries bodies, if that is given."""
    graph = bpy.context.evaluated_depsgraph_get()
    trees = []
    for ob in scene.objects:
        if carrier not in (None, ob):
            continue
        if ob.type == "MESH" and stored(ob).get("roles", 0) & Role.SURFACE:
            mesh = ob.evaluated_get(graph).to_mesh()
            corners = [ob.matrix_world @ vertex.co for vertex in mesh.vertices]
            trees.append(BVHTree.FromPolygons(corners, [tuple(polygon.vertices) for polygon in mesh.polygons]))
    return trees


def _above(surfaces: list[BVHTree], points: np.ndarray, stands: np.ndarray) -> np.ndarray:
    """How far points (f, m, 3) are above the surfaces below them, (f, m).

    Where a body stands on none, at `stands` (f, 3), its ground is level and there.
    """
    below = _ground(surfaces, stands[:, None])
    level = points[..., 2] - np.where(np.isnan(below), stands[:, 2:], _ground(surfaces, points))
    return np.where(np.isnan(level), NOTHING, level)


def _ground(surfaces: list[BVHTree], points: np.ndarray) -> np.ndarray:
    """The height of the highest surface below a metre above each of the points (f, m, 3), (f, m); NaN without one."""
    heights = np.full(points.shape[:2], np.nan)
    for frame, column in np.ndindex(*heights.shape):
        start = Vector(points[frame, column] + (0.0, 0.0, ABOVE))
        hits = [hit[0].z for tree in surfaces if (hit := tree.ray_cast(start, DOWN, 4.0 * ABOVE))[0] is not None]
        heights[frame, column] = max(hits, default=np.nan)
    return heights


def _difference(scene, body: Body, run: Run, time: float) -> float:
    """How far the computed points are from those of evaluated meshes on the last frame, metres at most."""
    now = scene.frame_current
    scene.frame_set(int(np.floor(time)), subframe=float(time - np.floor(time)))
    graph = bpy.context.evaluated_depsgraph_get()
    meshes = [ob for ob in scene.objects if ob.type == "MESH" and ob.find_armature() == body.armature]
    seen = []
    for ob in meshes:
        evaluated = ob.evaluated_get(graph)
        mesh = evaluated.to_mesh()
        flat = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", flat)
        evaluated.to_mesh_clear()
        matrix = np.array(evaluated.matrix_world)
        seen.append(flat.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3])
    scene.frame_set(now)
    if not seen:
        return 0.0
    tree = KDTree(sum(len(part) for part in seen))
    for number, point in enumerate(np.concatenate(seen)):
        tree.insert(point, number)
    tree.balance()
    rows = low_points(body.rig, run.poses[-1:])
    return max(tree.find(point)[2] for point in _in_world(body.rig, run.poses[-1:], run.armature[-1:], rows)[0])


if __name__ == "__main__":
    leave(main)
