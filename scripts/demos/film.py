"""Renders a scene with Workbench: a film, and a contact sheet with frame numbers."""

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
FPS = 24
EVERY, SHOT = 2, 42
"""A film has every second frame of the first seconds of each shot: without a graphics card a frame takes .2 s."""
INSIDE = 0.02
"""Metres from a skin in to what casts its shadow: further out, that would also shade the skin."""


def look(scene: bpy.types.Scene, sun: Sequence[float], frames: int) -> None:
    """Set up a number of frames, and Workbench with material colours, and light and shadows from a sun in a direction.

    The film has two thirds of the pixels that are rendered, which are multiples of 3.
    """
    scene.frame_start, scene.frame_end = 1, frames
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = 960, 540, 100
    scene.render.fps, scene.render.fps_base = FPS, 1.0
    scene.view_settings.view_transform = "Standard"
    scene.view_settings.exposure = 0.35
    x, y, z = Vector(sun).normalized()
    scene.display.light_direction = (x, z, -y)  # for shadows, in display space, where Y is up
    scene.display.render_aa = "OFF"
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


def pictures(scene: bpy.types.Scene, out: Path, name: str, starts: Sequence[int] = ()) -> None:
    """Save a contact sheet and a film in a folder, both from the same frames: the first seconds of each shot. `starts`:
    the first frame of each shot in the film, by default that on which the camera is switched to."""
    began = time.perf_counter()
    _cast_shadows_simply(scene)
    settings = scene.render.image_settings
    if hasattr(settings, "media_type"):
        settings.media_type = "IMAGE"
    settings.file_format, settings.color_mode = "TARGA_RAW", "RGB"
    scene.frame_step = EVERY
    cuts = sorted(marker.frame for marker in scene.timeline_markers)
    ends = [end - 1 for end in (*cuts[1:], scene.frame_end + 1)]
    shots = [range(first, min(first + SHOT - 1, end) + 1, EVERY) for first, end in zip(starts or cuts, ends)]
    frames = [frame for shot in shots for frame in shot]
    print(f"Rendering {len(frames)} frames", flush=True)
    whole = scene.frame_start, scene.frame_end
    with tempfile.TemporaryDirectory() as folder, _quiet() as say:
        scene.render.filepath = f"{folder}/"
        for shot in shots:
            scene.frame_start, scene.frame_end = shot[0], shot[-1]
            bpy.ops.render.render(animation=True, scene=scene.name)
        scene.frame_start, scene.frame_end = whole
        paths = sorted(Path(folder).iterdir())
        for path in paths:
            _shrink(path)
        _contact_sheet(frames, paths, out / f"{name}.png")
        _encode(paths, scene.render, out / f"{name}.mp4")
        say(f"  {time.perf_counter() - began:.0f} s")


def _cast_shadows_simply(scene: bpy.types.Scene) -> None:
    """Let an unseen body with few faces cast the shadow of each skin.

    Workbench finds the outline of a skin again on every frame, which takes longer than the rest of the picture.
    """
    unseen = bpy.data.materials.new("Unseen")
    unseen.diffuse_color = (0.0, 0.0, 0.0, 0.0)
    simple: dict[int, bpy.types.Mesh] = {}
    for skin in [ob for ob in scene.objects if ob.display.show_shadows and ob.find_armature()]:
        count = len(skin.data.vertices)  # the same for the coats of an animal
        if count not in simple:
            simple[count] = _simple(skin, unseen)
        caster = skin.copy()
        caster.data = simple[count]
        skin.users_collection[0].objects.link(caster)
        skin.display.show_shadows = False


def _simple(skin: bpy.types.Object, material: bpy.types.Material) -> bpy.types.Mesh:
    """A mesh with a twentieth of the faces of a skin, just inside it, weighted to the same bones."""
    changes = [skin.modifiers.new("Fewer", "DECIMATE"), skin.modifiers.new("Inside", "DISPLACE")]
    changes[0].ratio = 0.05
    changes[1].mid_level, changes[1].strength = 0.0, -INSIDE / skin.matrix_world.to_scale().x
    for modifier in skin.modifiers:
        modifier.show_viewport = modifier in changes
    graph = bpy.context.evaluated_depsgraph_get()
    mesh = bpy.data.meshes.new_from_object(skin.evaluated_get(graph), preserve_all_data_layers=True, depsgraph=graph)
    for modifier in changes:
        skin.modifiers.remove(modifier)
    for modifier in skin.modifiers:
        modifier.show_viewport = True
    mesh.materials.clear()
    mesh.materials.append(material)
    mesh.polygons.foreach_set("material_index", [0] * len(mesh.polygons))
    return mesh


def _shrink(path: Path) -> None:
    """Shrink an uncompressed Targa picture to two thirds, which smooths the steps of edges.

    Without a graphics card, Workbench's own antialiasing takes longer than these additional pixels.
    """
    data = np.fromfile(path, np.uint8)
    width, height = map(int, data[12:16].view(np.uint16))
    rows = data[18 : 18 + 3 * width * height].reshape(height // 3, 3, width, 3).astype(np.uint16)
    rows = np.stack((2 * rows[:, 0] + rows[:, 1], rows[:, 1] + 2 * rows[:, 2]), axis=1)
    both = rows.reshape(-1, width // 3, 3, 3)
    both = np.stack((2 * both[:, :, 0] + both[:, :, 1], both[:, :, 1] + 2 * both[:, :, 2]), axis=2)
    data[12:16] = np.array((2 * width // 3, 2 * height // 3), np.uint16).view(np.uint8)
    with path.open("wb") as file:
        file.write(data[:18].tobytes())
        file.write(((both + 4) // 9).astype(np.uint8).tobytes())


def _encode(paths: Sequence[Path], like: bpy.types.RenderSettings, path: Path) -> None:
    """Join pictures into an H.264 film."""
    scene = bpy.data.scenes.new("Film")
    scene.view_settings.view_transform = "Standard"
    render, settings, ffmpeg = scene.render, scene.render.image_settings, scene.render.ffmpeg
    render.resolution_x, render.resolution_y = 2 * like.resolution_x // 3, 2 * like.resolution_y // 3
    render.fps, render.filepath, render.use_file_extension = like.fps // EVERY, str(path), False
    if hasattr(settings, "media_type"):
        settings.media_type = "VIDEO"
    settings.file_format = "FFMPEG"
    ffmpeg.format, ffmpeg.codec, ffmpeg.gopsize = "MPEG4", "H264", 12
    ffmpeg.constant_rate_factor, ffmpeg.ffmpeg_preset = "HIGH", "GOOD"
    editor = scene.sequence_editor_create()
    strips = editor.strips if hasattr(editor, "strips") else editor.sequences
    strip = strips.new_image("Frames", str(paths[0]), 1, 1)
    for later in paths[1:]:
        strip.elements.append(later.name)
    scene.frame_end = len(paths)
    bpy.ops.render.render(animation=True, scene=scene.name)
    bpy.data.scenes.remove(scene)


def _contact_sheet(frames: Sequence[int], paths: Sequence[Path], sheet_path: Path) -> None:
    """Put small pictures spread over the film on one sheet, with the numbers of their frames."""
    rows, columns, width, gap = 4, 4, 480, 6
    chosen = np.linspace(0, len(frames) - 1, rows * columns).round().astype(int)
    tiles = [_tile(paths[row], width) for row in chosen]
    height = tiles[0].shape[0]
    sheet = np.ones((rows * (height + gap) + gap, columns * (width + gap) + gap, 4), np.float32)
    sheet[..., :3] = 0.96
    for i, tile in enumerate(tiles):
        row, column = rows - 1 - i // columns, i % columns  # images store their lowest row first
        _write_number(tile, frames[chosen[i]])
        y, x = gap + row * (height + gap), gap + column * (width + gap)
        sheet[y : y + height, x : x + width] = tile
    image = bpy.data.images.new("Contact Sheet", sheet.shape[1], sheet.shape[0])
    image.pixels.foreach_set(sheet.ravel())
    image.filepath_raw, image.file_format = str(sheet_path), "PNG"
    image.save()
    bpy.data.images.remove(image)


def _tile(path: Path, width: int) -> np.ndarray:
    """A picture scaled to this width, (height, width, 4) values between 0 and 1, lowest row first."""
    image = bpy.data.images.load(str(path))
    image.scale(width, round(width * image.size[1] / image.size[0]))
    pixels = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(pixels)
    tile = pixels.reshape(image.size[1], image.size[0], 4)
    bpy.data.images.remove(image)
    return tile


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
