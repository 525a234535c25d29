"""How far feet slide and float in baked files."""

from dataclasses import dataclass, replace
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree

from scripts.baked_scene import AXES, DEFAULT_AXES, fps_of, stored
from scripts.rigged_files import opened
from scripts.slide_metrics import NOTHING, Slides, slides
from scripts.standing import faces_of
from steering_addon.blender.clips.measuring import SEARCHED, axes_of, low_on, low_points
from steering_addon.blender.clips.rig import Rig, rig_of
from steering_addon.blender.objects.hierarchy import Family
from steering_addon.portrayal.sliding import feet_on
from steering_addon.simulation.arrays.vectors import unit
from steering_addon.simulation.roles import Role

NAMES = ("X", "Y", "Z", "NEG_X", "NEG_Y", "NEG_Z")
ABOVE = 1.0
"""Metres above a foot from which the ground below it is looked for."""
DOWN = Vector((0.0, 0.0, -1.0))
LOOKED_AT = 200
"""Frames in which soles are looked for, spread over the run."""


@dataclass(frozen=True)
class Body:
    """An armature of a scene on f frames.

    Attributes:
        carrier: the object that carries it.
        rig: whose matrix is that of the frame on which it was read.
        order: the rows of its bones in the pose.
        forward, up: (3,) the axes along which the carrier faces and stands.
        lift: its origin is this number of its own metres above where it stands.
        poses: (f, n, 4, 4) of its bones in the armature's space.
        armatures, carriers: (f, 4, 4) the places of both in the world.
    """

    armature: bpy.types.Object
    carrier: bpy.types.Object
    rig: Rig
    order: list[int]
    forward: np.ndarray
    up: np.ndarray
    lift: float
    poses: np.ndarray
    armatures: np.ndarray
    carriers: np.ndarray


def slides_in(file: Path, on: str = "") -> Slides:
    """What is measured of all armatures of a file; `on` names what they stand on, if it moves as a whole."""
    models, scene, family = opened(file), bpy.context.scene, Family()
    times = np.arange(scene.frame_start, scene.frame_end + 1, dtype=float)
    bodies = [_body(armature, carrier, family, len(times)) for armature, carrier in models]
    carrier = scene.objects[on] if on else None
    surfaces = _surfaces(scene, carrier)
    _evaluate(scene, bodies, times, carrier)
    return sum((_measured(scene, body, surfaces, times) for body in bodies), Slides())


def _body(armature, carrier, family: Family, frames: int) -> Body:
    """A body before its poses are known."""
    # An imported character faces -Y.
    settings = DEFAULT_AXES | (stored(carrier) or {"forward_axis": NAMES.index("NEG_Y")})
    forward, up, lift = settings["forward_axis"], settings["up_axis"], settings.get("origin_height", 0.0)
    rig = rig_of(armature, carrier, family, axes_of(NAMES[forward], NAMES[up]))
    order = [armature.pose.bones.find(name) for name in rig.names]
    poses = np.empty((frames, len(order), 4, 4), np.float32)
    return Body(armature, carrier, rig, order, AXES[forward], AXES[up], lift, poses, *np.empty((2, frames, 4, 4)))


def _evaluate(scene, bodies: list[Body], times: np.ndarray, carrier) -> None:
    """Fill in all frames, where what carries the bodies stays where it is now; the current frame is restored."""
    now = scene.frame_current
    stood = None if carrier is None else np.array(carrier.matrix_world)
    # Only bones are read: Blender need not deform meshes.
    hidden = [ob for ob in scene.objects if ob.type == "MESH" and not ob.hide_viewport]
    for ob in hidden:
        ob.hide_viewport = True
    for row, time in enumerate(times):
        scene.frame_set(int(time))
        graph = bpy.context.evaluated_depsgraph_get()
        back = np.eye(4) if carrier is None else stood @ np.linalg.inv(carrier.evaluated_get(graph).matrix_world)
        for body in bodies:
            evaluated = body.armature.evaluated_get(graph)
            elements = np.empty(16 * len(evaluated.pose.bones), np.float32)
            evaluated.pose.bones.foreach_get("matrix", elements)
            body.poses[row] = elements.reshape(-1, 4, 4)[body.order].transpose(0, 2, 1)
            body.armatures[row] = back @ np.array(evaluated.matrix_world)
            body.carriers[row] = back @ np.array(body.carrier.evaluated_get(graph).matrix_world)
    for ob in hidden:
        ob.hide_viewport = False
    scene.frame_set(now)


def _measured(scene, body: Body, surfaces: list[BVHTree], times: np.ndarray) -> Slides:
    rig = body.rig
    sparse = slice(None, None, max(len(times) // LOOKED_AT, 1))
    up = body.carriers[:, :3, :3] @ body.up
    size = np.linalg.norm(up, axis=1)
    up, lift = up / size[:, None], body.lift * size
    place = body.carriers[:, :3, 3]
    stands = place - up * lift[:, None]
    rows = _low_points(body, stands, slice(None, None, sparse.step * SEARCHED), surfaces)
    points = _in_world(rig, body.poses, body.armatures, rows)
    level = np.einsum("fmi,fi->fm", points - stands[:, None], up)
    if surfaces:
        level = _above(surfaces, points, stands)
    front = (body.carriers[:, :3, :3] @ body.forward)[:, :2]
    soles = feet_on(rig.posed_points(body.poses[sparse], rows), level, rig.height)
    return slides(
        points,
        level,
        soles,
        place,
        unit(front),
        rig.height,
        np.diff(times) / fps_of(scene),
    )


def _low_points(body: Body, stands: np.ndarray, frames: slice, surfaces: list[BVHTree]) -> np.ndarray:
    """The rows of the points that come near the ground; `stands` (f, 3) is where the body stands."""
    rig, poses = body.rig, body.poses[frames]
    if not surfaces:
        return low_points(rig, poses)

    def above(near: np.ndarray) -> np.ndarray:
        points = _in_world(rig, poses, body.armatures[frames], near)
        return _above(surfaces, points, stands[frames])

    return low_on(rig, poses, above)


def _in_world(rig: Rig, poses: np.ndarray, worlds: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Points in the world, (f, r, 3)."""
    inside = replace(rig, matrix=np.eye(4)).posed_points(poses, rows)
    return np.einsum("fij,frj->fri", worlds[:, :3, :3], inside) + worlds[:, None, :3, 3]


def _surfaces(scene, carrier) -> list[BVHTree]:
    """What is tagged to be stood on, as it is on the current frame; only what carries bodies, if that is given."""
    tagged = [ob for ob in scene.objects if ob.type == "MESH" and stored(ob).get("roles", 0) & Role.SURFACE]
    return faces_of([ob for ob in tagged if carrier in (None, ob)]).trees


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
