"""Going through the frames: a snapshot for each, without the animator's scene noticing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import bpy

from ..simulation.snapshot import Snapshot
from .animation_data import action_of, assign_action, slot_of
from .dependencies import animates
from .ownership import bake_of
from .plan import Plan
from .reading import Reader
from .rotation_channels import data_path

if TYPE_CHECKING:
    from bpy.types import Object, Scene

NAME = "Steering Bake in Progress"


def sweep(plan: Plan, reader: Reader) -> Iterator[Snapshot]:
    """One snapshot a frame, from the first to the last; however it ends, the file is as it was before."""
    with _users_scene(plan) if plan.in_users_scene else _scene_aside(plan) as scene:
        for frame in plan.frames.tolist():
            scene.frame_set(frame)
            yield reader.read(scene.view_layers[0].depsgraph, frame)


def _to_link(plan: Plan) -> list[Object]:
    """What has to be evaluated: whatever is looked at, and vehicles with animated settings of their own.

    Whatever these hang on comes along by itself.
    """
    looked_at = [
        *(crowd.ob for crowd in plan.crowds),
        *(body.ob for body in plan.bodies),
        *(obstacle.ob for obstacle in plan.obstacles),
        *plan.paths,
        *(v.ob.parent for v in plan.vehicles if v.ob.parent is not None),
        *(v.ob for v in plan.vehicles if v.animated or (v.ob.parent is not None and v.ob.parent_type != "OBJECT")),
    ]
    return list({ob.name_full: ob for ob in looked_at}.values())


@contextmanager
def _scene_aside(plan: Plan) -> Iterator[Scene]:
    """A scene for the time of the sweep that holds only what is read."""
    scene = bpy.data.scenes.new(NAME)
    proxies: list[Object] = []
    try:
        scene.render.fps, scene.render.fps_base = plan.scene.render.fps, plan.scene.render.fps_base
        scene.frame_start, scene.frame_end = plan.scene.frame_start, plan.scene.frame_end
        scene.unit_settings.scale_length = plan.scene.unit_settings.scale_length
        for ob in _to_link(plan):
            scene.collection.objects.link(ob)
            if ob.hide_viewport or animates(ob, "hide_viewport"):
                proxies.append(_proxy(ob))
                scene.collection.objects.link(proxies[-1])
        yield scene
    finally:
        bpy.data.scenes.remove(scene)
        for proxy in proxies:
            bpy.data.objects.remove(proxy)


def _proxy(ob: Object) -> Object:
    """An Empty that hangs on a hidden object: Blender leaves out hidden things that nothing visible needs."""
    proxy = bpy.data.objects.new(NAME, None)
    kind = "FOLLOW_PATH" if ob.type == "CURVE" else "COPY_TRANSFORMS"
    proxy.constraints.new(kind).target = ob
    return proxy


@contextmanager
def _users_scene(plan: Plan) -> Iterator[Scene]:
    """The animator's own scene, with the vehicles at their start and earlier bakes taken off for the time being."""
    scene = plan.scene
    frame, subframe = scene.frame_current, scene.frame_subframe
    stood = []
    try:
        for vehicle in plan.vehicles:
            ob = vehicle.ob
            rotation = data_path(ob.rotation_mode)
            baked = (action_of(ob), slot_of(ob)) if bake_of(ob) is not None else None
            stood.append((ob, tuple(ob.location), rotation, tuple(getattr(ob, rotation)), baked))
            if baked is not None:
                assign_action(ob, None)
            ob.location = vehicle.location
            setattr(ob, rotation, vehicle.rotation)
        yield scene
    finally:
        for ob, location, rotation, turn, baked in stood:
            if baked is not None:
                assign_action(ob, *baked)
            ob.location = location
            setattr(ob, rotation, turn)
        scene.frame_set(frame, subframe=subframe)
