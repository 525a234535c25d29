"""Renders a scene with Workbench: a film, and a contact sheet with frame numbers."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector

DIGITS = {  # 3 x 5 dots per digit; each row is an octal digit
    "0": "75557", "1": "26227", "2": "71747", "3": "71717", "4": "55711",
    "5": "74717", "6": "74757", "7": "71122", "8": "75757", "9": "75717",
}  # fmt: skip


def look(scene: bpy.types.Scene, sun: Sequence[float], size: tuple[int, int] = (864, 486), fps: int = 24) -> None:
    """Set up Workbench with material colours, and light and shadows from a sun in this direction."""
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x, scene.render.resolution_y = size
    scene.render.resolution_percentage = 100
    scene.render.fps, scene.render.fps_base = fps, 1.0
    scene.view_settings.view_transform = "Standard"
    scene.view_settings.exposure = 0.35
    x, y, z = Vector(sun).normalized()
    scene.display.light_direction = (x, z, -y)  # for shadows, in display space, where Y is up
    scene.display.render_aa = "FXAA"
    _shade(scene.display.shading, sun)


def open_with_camera(sun: Sequence[float]) -> None:
    """Set every 3D view of the file to the camera and the lighting of the film."""
    for screen in bpy.data.screens:
        for area in screen.areas:
            if area.type == "VIEW_3D":
                view = area.spaces.active
                view.region_3d.view_perspective = "CAMERA"
                view.overlay.show_overlays = False
                view.shading.type = "SOLID"
                _shade(view.shading, sun)


def _shade(shading: bpy.types.View3DShading, sun: Sequence[float]) -> None:
    """Set the shading of a render or a 3D view."""
    shading.light, shading.studio_light = "STUDIO", "paint.sl"
    shading.use_world_space_lighting = True
    shading.studiolight_rotate_z = math.atan2(-sun[0], -sun[1])  # this studio light comes from -Y
    shading.color_type = "MATERIAL"
    shading.show_specular_highlight = False
    shading.show_shadows, shading.shadow_intensity = True, 0.35
    shading.show_cavity, shading.cavity_type = True, "SCREEN"
    shading.curvature_ridge_factor, shading.curvature_valley_factor = 0.6, 0.5


def pictures(scene: bpy.types.Scene, out: Path, name: str) -> None:
    """Save a contact sheet and a film in a folder."""
    print("Rendering the contact sheet", flush=True)
    contact_sheet(scene, out / f"{name}.png")
    print("Rendering the film", flush=True)
    film(scene, out / f"{name}.mp4")


def film(scene: bpy.types.Scene, path: Path) -> None:
    """Render the scene to an H.264 film, and print the progress."""
    settings = scene.render.image_settings
    if hasattr(settings, "media_type"):
        settings.media_type = "VIDEO"
    settings.file_format = "FFMPEG"
    ffmpeg = scene.render.ffmpeg
    ffmpeg.format, ffmpeg.codec = "MPEG4", "H264"
    ffmpeg.constant_rate_factor, ffmpeg.ffmpeg_preset = "HIGH", "GOOD"
    ffmpeg.gopsize = 12
    scene.render.filepath = str(path)
    scene.render.use_file_extension = False
    began = time.perf_counter()
    count = scene.frame_end - scene.frame_start + 1

    with _quiet() as say:

        def report(scene: bpy.types.Scene, *_: object) -> None:
            done = scene.frame_current - scene.frame_start + 1
            if done % scene.render.fps == 0 or done == count:
                say(f"  frame {done} of {count}, {time.perf_counter() - began:.0f} s")

        bpy.app.handlers.render_post.append(report)
        try:
            bpy.ops.render.render(animation=True, scene=scene.name)
        finally:
            bpy.app.handlers.render_post.remove(report)


def contact_sheet(scene: bpy.types.Scene, path: Path, columns: int = 4, rows: int = 4, width: int = 480) -> None:
    """Render small frames spread over the frame range, and put them on one sheet with their numbers."""
    frames = np.linspace(scene.frame_start, scene.frame_end, columns * rows).round().astype(int)
    with _quiet():
        tiles = [_still(scene, int(frame), width) for frame in frames]
    height, gap = tiles[0].shape[0], 6
    sheet = np.ones((rows * (height + gap) + gap, columns * (width + gap) + gap, 4), np.float32)
    sheet[..., :3] = 0.96
    for i, (frame, tile) in enumerate(zip(frames, tiles)):
        row, column = rows - 1 - i // columns, i % columns  # images store their lowest row first
        _write_number(tile, int(frame))
        y, x = gap + row * (height + gap), gap + column * (width + gap)
        sheet[y : y + height, x : x + width] = tile
    image = bpy.data.images.new("Contact Sheet", sheet.shape[1], sheet.shape[0])
    image.pixels.foreach_set(sheet.ravel())
    image.filepath_raw, image.file_format = str(path), "PNG"
    image.save()
    bpy.data.images.remove(image)


@contextlib.contextmanager
def _quiet() -> Iterator[Callable[[str], None]]:
    """Discard what Blender prints for every frame; yields a function that still prints."""
    sys.stdout.flush()
    kept = os.dup(1)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
    try:
        yield lambda text: os.write(kept, f"{text}\n".encode())
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def _still(scene: bpy.types.Scene, frame: int, width: int) -> np.ndarray:
    """A rendered frame, (height, width, 4) values between 0 and 1, lowest row first."""
    render, settings = scene.render, scene.render.image_settings
    before = render.resolution_x, render.resolution_y
    render.resolution_x, render.resolution_y = width, round(width * before[1] / before[0])
    if hasattr(settings, "media_type"):
        settings.media_type = "IMAGE"
    settings.file_format = "PNG"
    scene.frame_set(frame)
    with tempfile.TemporaryDirectory() as folder:
        render.filepath = str(Path(folder) / "still.png")
        bpy.ops.render.render(write_still=True, scene=scene.name)
        image = bpy.data.images.load(render.filepath)
        pixels = np.empty(len(image.pixels), np.float32)
        image.pixels.foreach_get(pixels)
        tile = pixels.reshape(image.size[1], image.size[0], 4)
        bpy.data.images.remove(image)
    render.resolution_x, render.resolution_y = before
    return tile


def _write_number(tile: np.ndarray, number: int, dot: int = 4) -> None:
    """Write a number into the lower left corner of a picture, white on a dark plate."""
    digits = [DIGITS[digit] for digit in str(number)]
    plate_height, plate_width = 7 * dot, (4 * len(digits) + 1) * dot
    tile[2 * dot : 2 * dot + plate_height, 2 * dot : 2 * dot + plate_width, :3] *= 0.25
    for place, digit in enumerate(digits):
        for row, dots in enumerate(digit):
            for column in range(3):
                if int(dots) & (4 >> column):
                    y = 2 * dot + plate_height - (row + 2) * dot
                    x = 2 * dot + (4 * place + column + 1) * dot
                    tile[y : y + dot, x : x + dot, :3] = 1.0
