"""The viewport overlay: fronts, targets, trails, paths, obstacles and regions as the simulation sees them.

Lines are computed when something changes or a frame is shown; a draw handler only passes them to the graphics card. In
background mode the overlay does nothing.
"""

from typing import Any

import blf
import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from . import watching
from .picture import Picture

THICKNESS = 1.5
"""Line width in pixels."""
LETTERS, SPACING, MARGIN = 12.0, 18.0, 24.0
"""Font size, line spacing and margin of the legend, in pixels."""
MOST_SCENES = 8
"""Number of scenes whose lines are kept on the graphics card."""

_handles: list[Any] = []
_batches: dict[int, tuple[Picture, list[Any]]] = {}
"""By the scene's session_uid, the picture and its two batches: the lines that objects hide, and those on top."""


def register() -> None:
    if not bpy.app.background:
        watching.begin()
        space = bpy.types.SpaceView3D
        _handles.append(space.draw_handler_add(_draw_lines, (), "WINDOW", "POST_VIEW"))
        _handles.append(space.draw_handler_add(_draw_legend, (), "WINDOW", "POST_PIXEL"))


def unregister() -> None:
    for handle in _handles:
        bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")
    _handles.clear()
    _batches.clear()
    watching.end()


def _picture_to_draw() -> Picture | None:
    """The picture for the viewport being drawn, or None if its overlays are off."""
    context = bpy.context
    if context.space_data is None or not context.space_data.overlay.show_overlays:
        return None
    return watching.picture_of(context.scene)


def _draw_lines() -> None:
    picture = _picture_to_draw()
    if picture is None or not (picture.hidden or picture.open):
        return
    shader = gpu.shader.from_builtin("POLYLINE_SMOOTH_COLOR")
    key = bpy.context.scene.session_uid
    if key not in _batches or _batches[key][0] is not picture:
        if len(_batches) > MOST_SCENES:
            # Most of them belong to files that have been closed.
            _batches.clear()
        _batches[key] = (picture, [_batch(shader, lines) for lines in (picture.hidden, picture.open)])
    shader.bind()
    shader.uniform_float("viewportSize", gpu.state.viewport_get()[2:])
    shader.uniform_float("lineWidth", THICKNESS * bpy.context.preferences.system.pixel_size)
    gpu.state.blend_set("ALPHA")
    for batch, test in zip(_batches[key][1], ("LESS_EQUAL", "NONE")):
        if batch is not None:
            gpu.state.depth_test_set(test)
            batch.draw(shader)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")


def _batch(shader: Any, lines: list[tuple[np.ndarray, np.ndarray]]) -> Any:
    if not lines:
        return None
    points, colors = (np.ascontiguousarray(np.concatenate(parts)) for parts in zip(*lines))
    return batch_for_shader(shader, "LINES", {"pos": points, "color": colors})


def _draw_legend() -> None:
    picture = _picture_to_draw()
    if picture is None or not picture.legend:
        return
    scale = bpy.context.preferences.system.ui_scale
    blf.size(0, LETTERS * scale)
    for row, (text, color) in enumerate(reversed(picture.legend)):
        blf.color(0, *color)
        blf.position(0, MARGIN * scale, (MARGIN + row * SPACING) * scale, 0.0)
        blf.draw(0, text)
