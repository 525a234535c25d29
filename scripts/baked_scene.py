"""Reads the crowds of a baked file without the extension, from keys and stored settings alone."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np

from scripts.motion_bands import BIRDS, FISH, FLYERS, WALKERS, Recording
from steering_addon.behaviors.separation import Separation
from steering_addon.blender.animation.animation_data import channelbags
from steering_addon.blender.read.curves import polylines
from steering_addon.locomotion import CATALOGUE, SimpleVehicle
from steering_addon.simulation.declaration import Declared
from steering_addon.simulation.geometry.paths import Path, spline
from steering_addon.simulation.roles import Role
from steering_addon.simulation.vehicle import VehicleModel

MOVES = {kind.stored_number: kind for kind in CATALOGUE}
"""Every locomotion by its stored number."""
FEW = 12
"""A smaller group of flyers is not a flock."""
FISH_PACE = 10.0
"""Body lengths per second: a slower crowd is taken for fish, a faster one for birds."""
AXES = np.concatenate((np.eye(3), -np.eye(3)))
"""The axes of a model, indexed by their stored numbers."""
STATE = "steering_state"
DEFAULT_AXES = {"forward_axis": 1, "up_axis": 2}
"""The stored numbers of a model's axes."""


@dataclass(frozen=True)
class Crowd:
    """Vehicles that share their settings. `vehicles`: sorted by name; `settings`: as stored on the crowd's object."""

    name: str
    vehicles: list[bpy.types.Object]
    settings: dict[str, Any]

    def values(self, declaration: type[Declared], group: str = "") -> dict[str, Any]:
        """All values of a declaration, with the defaults of those not stored; `group`: by default of its own name."""
        defaults = {name: parameter.default for name, parameter in declaration.parameters().items()}
        return defaults | self.settings.get(group or declaration.name, {})


def stored(owner: bpy.types.Object | bpy.types.Scene) -> dict[str, Any]:
    """The raw values the extension stored on an object or scene, by name; defaults are not stored.

    Without the extension, Blender shows them as a custom property; from 5.0 on, as a system property.
    """
    system = getattr(owner, "bl_system_properties_get", None)
    properties = system() if system else owner
    group = properties.get("steering") if properties else None
    return group.to_dict() if hasattr(group, "to_dict") else {}


def crowds(scene: bpy.types.Scene) -> list[Crowd]:
    """The crowds of a scene that have vehicles."""
    members: dict[bpy.types.Object, list[bpy.types.Object]] = {}
    for ob in sorted(scene.objects, key=lambda ob: ob.name):
        settings = stored(ob)
        if settings.get("roles", 0) & Role.VEHICLE and settings.get("crowd") is not None:
            members.setdefault(settings["crowd"], []).append(ob)
    return [Crowd(crowd.name, vehicles, stored(crowd)) for crowd, vehicles in members.items()]


def matrices(scene: bpy.types.Scene, obs: Sequence[bpy.types.Object], step: int = 1) -> np.ndarray:
    """World matrices of objects on all frames, (frames, objects, 4, 4); the current frame is restored.

    With a step of n, only on every nth frame.

    Blender does not evaluate hidden objects: they get their next visible pose, or else their last one.
    """
    current = scene.frame_current
    poses, hidden = [], []
    with parts_aside(obs):
        for frame in range(scene.frame_start, scene.frame_end + 1, step):
            scene.frame_set(frame)
            graph = bpy.context.evaluated_depsgraph_get()
            poses.append([np.array(ob.evaluated_get(graph).matrix_world) for ob in obs])
            hidden.append([ob.hide_viewport for ob in obs])
    scene.frame_set(current)
    return _without_hidden(np.array(poses), np.array(hidden))


@contextlib.contextmanager
def parts_aside(obs: Sequence[bpy.types.Object]) -> Iterator[None]:
    """Hide all parts of objects while only the objects are read: Blender poses what it shows."""
    parts = {part for ob in obs for part in ob.children_recursive if not part.hide_viewport}.difference(obs)
    for part in parts:
        part.hide_viewport = True
    try:
        yield
    finally:
        for part in parts:
            part.hide_viewport = False


def _without_hidden(poses: np.ndarray, hidden: np.ndarray) -> np.ndarray:
    """Poses (f, n, 4, 4) where those hidden, (f, n), are replaced by the next visible ones, or else the last."""
    frames = np.arange(len(poses))
    for row in np.flatnonzero(hidden.any(axis=0) & ~hidden.all(axis=0)):
        visible = np.flatnonzero(~hidden[:, row])
        following = np.minimum(np.searchsorted(visible, frames), len(visible) - 1)
        poses[:, row] = poses[visible[following], row]
    return poses


def recording(scene: bpy.types.Scene, crowd: Crowd, poses: np.ndarray) -> Recording:
    """The motion of a crowd, from the world matrices of its vehicles (frames, n, 4, 4)."""
    position = poses[..., :3, 3]
    members = [stored(ob) for ob in crowd.vehicles]
    vehicle = crowd.values(VehicleModel, "vehicle")
    moves = MOVES[crowd.settings.get("locomotion", SimpleVehicle.stored_number)]
    factors = np.array([settings.get("speed_factor", 1.0) for settings in members])
    has_cruise = "vehicle" in crowd.settings and vehicle["cruise_speed"] > 0.0
    speed = np.linalg.norm(np.gradient(position, axis=0), axis=-1) * fps_of(scene)
    cruises = vehicle["max_speed"] * vehicle["cruise_speed"] * factors if has_cruise else np.median(speed, axis=0)
    length = float(np.median([_length(ob) for ob in crowd.vehicles]))
    return Recording(
        kind=_kind(len(members), moves.grounded, float(np.median(cruises)) / length),
        position=position,
        forward=directions(poses, crowd.vehicles),
        up=directions(poses, crowd.vehicles, "up_axis"),
        fps=fps_of(scene),
        body_length=length,
        cruise=np.maximum(cruises, 1e-6),
        separation=crowd.values(Separation)["distance"] if _uses(crowd.settings, Separation.name) else np.nan,
        path=road_of(crowd.settings),
        obstacles=_uses(crowd.settings, "obstacle_avoidance")
        and any(stored(ob).get("roles", 0) & Role.OBSTACLE for ob in scene.objects),
    )


def fps_of(scene: bpy.types.Scene) -> float:
    """Frames a second."""
    return scene.render.fps / scene.render.fps_base


def _kind(count: int, in_plane: bool, pace: float) -> str:
    """The likely kind of a crowd; `pace` is in body lengths per second."""
    if in_plane:
        return WALKERS
    if count < FEW:
        return FLYERS
    return FISH if pace < FISH_PACE else BIRDS


def directions(poses: np.ndarray, obs: Sequence[bpy.types.Object], axis: str = "forward_axis") -> np.ndarray:
    """The world directions (..., n, 3) of an axis of the models of objects, whose poses are (..., n, 4, 4)."""
    numbers = [stored(ob).get(axis, DEFAULT_AXES[axis]) for ob in obs]
    along = np.einsum("...nij,nj->...ni", poses[..., :3, :3], AXES[numbers])
    return along / np.maximum(np.linalg.norm(along, axis=-1, keepdims=True), 1e-12)


def _length(ob: bpy.types.Object) -> float:
    """Length of a vehicle along its forward axis, metres: of its own shape, or of its children's if it has none."""
    parts = [ob] if ob.type not in ("EMPTY", "ARMATURE") else [part for part in ob.children_recursive if part.data]
    forward = AXES[stored(ob).get("forward_axis", DEFAULT_AXES["forward_axis"])]
    to_world = np.array(ob.matrix_world)
    to_local = np.linalg.inv(to_world)
    reach = [
        forward @ (to_local @ np.array(part.matrix_world) @ (*corner, 1.0))[:3]
        for part in parts
        for corner in part.bound_box
    ]
    size = np.linalg.norm(to_world[:3, :3] @ forward)
    return float(np.ptp(reach) * size) if reach and np.ptp(reach) > 1e-6 else float(size)


def _uses(settings: dict[str, Any], behavior: str) -> bool:
    return bool(settings.get(behavior, {}).get("use", False))


def road_of(settings: dict[str, Any]) -> Path:
    """The path that a crowd follows; empty if it follows none."""
    if not _uses(settings, "path_following"):
        return ()
    tagged = [ob for ob in bpy.context.scene.objects if stored(ob).get("roles", 0) & Role.PATH]
    chosen = settings["path_following"].get("path") or (tagged[0] if len(tagged) == 1 else None)
    if chosen is None:
        return ()
    lines = polylines(chosen, bpy.context.evaluated_depsgraph_get())
    return tuple(spline(points, closed) for points, closed in lines)


def states_of(members: Sequence[bpy.types.Object], frames: range) -> np.ndarray:
    """The number of the state of each on each frame, (f, n), by its keyed property; 0 for none."""
    return np.rint(keyed(members, f'["{STATE}"]', frames))


def keyed(members: Sequence[bpy.types.Object], path: str, frames: range) -> np.ndarray:
    """The keyed values of a channel of each on each frame, (f, n); 0 without keys."""
    values = np.zeros((len(frames), len(members)))
    for column, ob in enumerate(members):
        action = ob.animation_data.action if ob.animation_data else None
        for curve in (curve for bag in (channelbags(action) if action else ()) for curve in bag.fcurves):
            if curve.data_path == path:
                values[:, column] = [curve.evaluate(frame) for frame in frames]
    return values
