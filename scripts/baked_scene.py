"""The crowds of a baked file as they play, seen without the extension: from keys and stored settings alone."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from scripts.motion_bands import BIRDS, FISH, FLYERS, WALKERS, Recording
from steering_addon.behaviors.separation import Separation
from steering_addon.blender.read.curves import polylines
from steering_addon.simulation.geometry.paths import Path, spline
from steering_addon.simulation.roles import Role
from steering_addon.simulation.vehicle import VehicleModel

FEW = 12
"""Fewer flyers than this are no flock."""
FISH_PACE = 10.0
"""Body lengths a second: what cruises more slowly is a fish, not a bird."""
AXES = np.concatenate((np.eye(3), -np.eye(3)))
"""The axes of a model in the order of their stored numbers."""
FORWARD, UP = 1, 2
"""The numbers of the axes that a model has unless it says otherwise."""


@dataclass(frozen=True)
class Crowd:
    """Vehicles that share their settings.

    Attributes:
        name: of the crowd.
        vehicles: its vehicles, in the order of their names.
        settings: what is stored on the crowd's object.
    """

    name: str
    vehicles: list[bpy.types.Object]
    settings: dict[str, Any]


def stored(owner: bpy.types.Object | bpy.types.Scene) -> dict[str, Any]:
    """What the extension stored on an object or scene, by name; only what was set, as raw values.

    Where the extension is not registered, Blender has such values among an object's own custom properties, and from 5.0
    on in a place of their own.
    """
    system = getattr(owner, "bl_system_properties_get", None)
    properties = system() if system else owner
    group = properties.get("steering") if properties else None
    return group.to_dict() if hasattr(group, "to_dict") else {}


def crowds(scene: bpy.types.Scene, names: str = "") -> list[Crowd]:
    """The crowds of a scene with their vehicles; with a pattern of names, the objects it fits as one crowd."""
    objects = sorted(scene.objects, key=lambda ob: ob.name)
    if names:
        return [Crowd(names, [ob for ob in objects if fnmatch.fnmatchcase(ob.name, names)], {})]
    found: dict[bpy.types.Object, list[bpy.types.Object]] = {}
    for ob in objects:
        settings = stored(ob)
        if settings.get("roles", 0) & Role.VEHICLE and settings.get("crowd") is not None:
            found.setdefault(settings["crowd"], []).append(ob)
    return [Crowd(crowd.name, vehicles, stored(crowd)) for crowd, vehicles in found.items()]


def matrices(scene: bpy.types.Scene, obs: Sequence[bpy.types.Object]) -> np.ndarray:
    """World matrices of objects as they play, (frames, objects, 4, 4); the frame shown is kept.

    What is hidden Blender does not work out: it stands where it is seen next, and afterwards where it was seen last.
    """
    shown = scene.frame_current
    found, hidden = [], []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        found.append([np.array(ob.evaluated_get(graph).matrix_world) for ob in obs])
        hidden.append([ob.hide_viewport for ob in obs])
    scene.frame_set(shown)
    return _standing(np.array(found), np.array(hidden))


def _standing(poses: np.ndarray, hidden: np.ndarray) -> np.ndarray:
    """Poses (f, n, 4, 4) in which who is hidden on a frame, (f, n), stands as on the nearest one that says where."""
    frames = np.arange(len(poses))
    for row in np.flatnonzero(hidden.any(axis=0) & ~hidden.all(axis=0)):
        there = np.flatnonzero(~hidden[:, row])
        following = np.minimum(np.searchsorted(there, frames), len(there) - 1)
        poses[:, row] = poses[there[following], row]
    return poses


def recording(
    scene: bpy.types.Scene,
    crowd: Crowd,
    poses: np.ndarray,
    *,
    kind: str = "",
    path: str = "",
    body_length: float = 0.0,
    cruise: float = 0.0,
) -> Recording:
    """What there is to measure of a crowd, from the world matrices of its vehicles (frames, n, 4, 4).

    Whatever is not told is had from the stored settings: a body is as long as its model along its front.
    """
    position = poses[..., :3, 3]
    own = [stored(ob) for ob in crowd.vehicles]
    forward = _axes(poses, [settings.get("forward_axis", FORWARD) for settings in own])
    up = _axes(poses, [settings.get("up_axis", UP) for settings in own])
    vehicle = {name: parameter.default for name, parameter in VehicleModel.parameters().items()}
    vehicle |= crowd.settings.get("vehicle", {})
    if not cruise:
        factors = np.array([settings.get("speed_factor", 1.0) for settings in own])
        known = "vehicle" in crowd.settings and vehicle["cruise_speed"] > 0.0
        speed = np.linalg.norm(np.gradient(position, axis=0), axis=-1) * _fps(scene)
        cruises = vehicle["max_speed"] * vehicle["cruise_speed"] * factors if known else np.median(speed, axis=0)
    else:
        cruises = np.full(len(own), cruise)
    length = body_length or float(np.median([_length(ob) for ob in crowd.vehicles]))
    return Recording(
        kind=kind or _kind(len(own), bool(vehicle["keep_in_plane"]), float(np.median(cruises)) / length),
        position=position,
        forward=forward,
        up=up,
        fps=_fps(scene),
        body_length=length,
        cruise=np.maximum(cruises, 1e-6),
        separation=_separation(crowd.settings),
        path=_road(crowd.settings, path),
        obstacles=_wants(crowd.settings, "obstacle_avoidance")
        and any(stored(ob).get("roles", 0) & Role.OBSTACLE for ob in scene.objects),
    )


def _fps(scene: bpy.types.Scene) -> float:
    return scene.render.fps / scene.render.fps_base


def _kind(count: int, in_plane: bool, pace: float) -> str:
    """What a crowd is taken for; `pace` is body lengths a second."""
    if in_plane:
        return WALKERS
    if count < FEW:
        return FLYERS
    return FISH if pace < FISH_PACE else BIRDS


def _axes(poses: np.ndarray, numbers: list[int]) -> np.ndarray:
    """The world directions of an axis of each model, (frames, n, 3)."""
    directions = np.einsum("fnij,nj->fni", poses[..., :3, :3], AXES[numbers])
    return directions / np.maximum(np.linalg.norm(directions, axis=-1, keepdims=True), 1e-12)


def _length(ob: bpy.types.Object) -> float:
    """How long a vehicle's model is along its front, metres: its own shape, or that of what hangs on it."""
    shown = [ob] if ob.type not in ("EMPTY", "ARMATURE") else [part for part in ob.children_recursive if part.data]
    front = AXES[stored(ob).get("forward_axis", FORWARD)]
    to_world = np.array(ob.matrix_world)
    to_own = np.linalg.inv(to_world)
    reach = [
        front @ (to_own @ np.array(part.matrix_world) @ (*corner, 1.0))[:3]
        for part in shown
        for corner in part.bound_box
    ]
    size = np.linalg.norm(to_world[:3, :3] @ front)
    return float(np.ptp(reach) * size) if reach and np.ptp(reach) > 1e-6 else float(size)


def _wants(settings: dict[str, Any], behavior: str) -> bool:
    return bool(settings.get(behavior, {}).get("use", False))


def _separation(settings: dict[str, Any]) -> float:
    if not _wants(settings, "separation"):
        return np.nan
    return settings["separation"].get("distance", Separation.parameters()["distance"].default)


def _road(settings: dict[str, Any], name: str) -> Path:
    """The path that is named, else the one the crowd follows, else the only one there is."""
    if name:
        chosen = bpy.data.objects.get(name)
        if chosen is None or chosen.type != "CURVE":
            raise SystemExit(f"There is no curve {name!r} in the file.")
    elif _wants(settings, "path_following"):
        tagged = [ob for ob in bpy.context.scene.objects if stored(ob).get("roles", 0) & Role.PATH]
        chosen = settings["path_following"].get("path") or (tagged[0] if len(tagged) == 1 else None)
    else:
        chosen = None
    if chosen is None:
        return ()
    lines = polylines(chosen, bpy.context.evaluated_depsgraph_get())
    return tuple(spline(points, closed) for points, closed in lines)
