"""A square that moves at constant speed, keyed or in a crowd cache, rendered by Cycles with motion blur."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from steering_addon.blender.crowds.cache_models import Cycles, Variant
from steering_addon.blender.crowds.crowd_cache import NewCache
from steering_addon.blender.crowds.shown_models import get_column

FRAMES, SHOWN = 9, 5
WIDTH, HEIGHT = 200, 40


def picture(square: Callable[[float], Any], way: float, shutter: float, across: float, path: Path) -> np.ndarray:
    """The brightness (200,) along the middle of a picture, of a square that is at the origin on the frame shown. `way`:
    metres a frame; `shutter`: share of a frame; `across`: metres in the picture."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES
    square(way)
    camera = bpy.data.cameras.new("Camera")
    camera.type, camera.ortho_scale = "ORTHO", across
    scene.camera = bpy.data.objects.new("Camera", camera)
    scene.camera.location.z = 10.0
    scene.collection.objects.link(scene.camera)
    render = scene.render
    render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 64, False
    render.resolution_x, render.resolution_y, render.resolution_percentage = WIDTH, HEIGHT, 100
    render.use_motion_blur, render.motion_blur_shutter = True, shutter
    scene.view_settings.view_transform = "Standard"
    render.image_settings.file_format, render.filepath = "OPEN_EXR", str(path)
    scene.frame_set(SHOWN)
    bpy.ops.render.render(write_still=True)
    pixels = np.array(bpy.data.images.load(str(path)).pixels[:]).reshape(HEIGHT, WIDTH, -1)
    return pixels[HEIGHT // 2, :, 0]


def keyed_square(way: float) -> None:
    """A square with a key on each frame."""
    ob = bpy.data.objects.new("Square", _square())
    bpy.context.scene.collection.objects.link(ob)
    bpy.context.preferences.edit.keyframe_new_interpolation_type = "LINEAR"
    for frame in range(1, FRAMES + 1):
        ob.location.x = way * (frame - SHOWN)
        ob.keyframe_insert("location", frame=frame)


def cached_square(way: float) -> None:
    """A square in a crowd cache, which shows another mesh on each frame."""
    position = np.zeros((FRAMES, 1, 3), np.float32)
    position[:, 0, 0] = way * (np.arange(1, FRAMES + 1) - SHOWN)
    rotation = np.tile(np.array([1.0, 0.0, 0.0, 0.0], np.float32), (FRAMES, 1, 1))
    pose = (np.arange(FRAMES) % 3).astype(np.int8)[:, None]
    crowd = bpy.data.objects.new("Squares", None)
    square = Variant(None, None, Cycles(), 0, np.ones(3), [_square()])
    square.shapes = [get_column(square.meshes[0], "position")] * 3
    cache = NewCache(
        crowd=crowd,
        first=1,
        rate=24.0,
        position=position,
        rotation=rotation,
        columns={"pose": pose},
        identity=np.array([1]),
        variant=np.zeros(1, np.int64),
        scale=np.ones((1, 3)),
        start_velocity=np.zeros((1, 3)),
        poses=3,
        models=[square.hold_poses(0, 3)],
    )
    for _ in cache.making():
        pass
    cache.hand_over(bpy.context.scene, "measured:0", FRAMES)


def _square() -> Any:
    mesh = bpy.data.meshes.new("Square")
    mesh.from_pydata([(-0.5, -0.5, 0.0), (0.5, -0.5, 0.0), (0.5, 0.5, 0.0), (-0.5, 0.5, 0.0)], [], [(0, 1, 2, 3)])
    material = bpy.data.materials.new("White")
    material.use_nodes = True
    nodes, links = material.node_tree.nodes, material.node_tree.links
    nodes.clear()
    shader, end = nodes.new("ShaderNodeEmission"), nodes.new("ShaderNodeOutputMaterial")
    links.new(shader.outputs[0], end.inputs[0])
    mesh.materials.append(material)
    return mesh
