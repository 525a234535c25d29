"""A temporary scene that holds only what is to be evaluated; the animator's scene, frame and viewports stay."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import bpy
from bpy.types import Object, Scene

from ..animation.frame_rate import copy_units
from .dependencies import animates

NAME = "Steering Bake in Progress"
NEEDING_SHAPE = {"CURVE": ("CURVE", "object"), "MESH": ("SHRINKWRAP", "target")}
"""For each type of object a modifier that needs its shape, and the pointer of that modifier."""


@contextmanager
def scene_aside(source: Scene, needed: Sequence[Object]) -> Iterator[Scene]:
    """A temporary scene with the frames, the frame rate and the units of another, for the objects that are needed."""
    scene = bpy.data.scenes.new(NAME)
    try:
        copy_units(source, scene)
        scene.frame_start, scene.frame_end = source.frame_start, source.frame_end
        for ob in needed:
            scene.collection.objects.link(ob)
        with evaluating(scene, [ob for ob in needed if ob.hide_viewport or animates(ob, "hide_viewport")]):
            yield scene
    finally:
        bpy.data.scenes.remove(scene)


@contextmanager
def evaluating(scene: Scene, hidden: Sequence[Object]) -> Iterator[None]:
    """Let Blender evaluate hidden objects, which it skips unless something visible needs them."""
    proxies: list[Object] = []
    try:
        for ob in hidden:
            proxies.append(_proxy(ob))
            scene.collection.objects.link(proxies[-1])
        yield
    finally:
        for proxy in proxies:
            mesh = proxy.data
            bpy.data.objects.remove(proxy)
            if mesh is not None:
                bpy.data.meshes.remove(mesh)


def _proxy(ob: Object) -> Object:
    """A visible object that needs another: its transform and, for meshes and curves, its shape."""
    if ob.type not in NEEDING_SHAPE:
        proxy = bpy.data.objects.new(NAME, None)
        proxy.constraints.new("COPY_TRANSFORMS").target = ob
        return proxy
    kind, pointer = NEEDING_SHAPE[ob.type]
    proxy = bpy.data.objects.new(NAME, bpy.data.meshes.new(NAME))
    setattr(proxy.modifiers.new(NAME, kind), pointer, ob)
    return proxy
