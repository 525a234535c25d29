"""The agents of a crowd cache as a 3D viewport shows them: which one is under the pointer, and rings around some."""

from collections.abc import Sequence
from typing import Any

import blf
import bpy
import gpu
import numpy as np
from bpy.types import Collection, Object, Region, RegionView3D
from gpu_extras.batch import batch_for_shader

from ..animation.rotation_channels import matrices_from_channels
from ..crowds.cached_motion import CachedMotion
from ..objects.body_sizes import box_corners
from ..objects.doubles import doubles

NEAR = 6.0
"""Pixels beside an agent within which a pointer is still on it."""
LEAST, CORNERS = 8.0, 32
"""The least radius of a ring, in pixels, and the number of its corners."""
THICKNESS, LETTERS = 2.0, 12.0
"""The width of rings and the size of letters, in pixels."""
CHOSEN, POINTED_AT = (0.2, 0.9, 1.0, 1.0), (1.0, 1.0, 1.0, 0.9)
"""The colors of rings; selected objects have orange ones."""
WIDER = 5.0
"""By how many pixels the ring around the one that is pointed at is wider."""


class AgentsInView:
    """The agents of a crowd cache with this motion on a frame, as balls."""

    def __init__(self, motion: CachedMotion) -> None:
        self.motion = motion
        models = sorted((*motion.models.objects, *motion.models.children), key=lambda model: model.name)
        boxes = [_corners(model) for model in models] or [np.zeros((1, 3))]
        self._middle = np.array([box.mean(axis=0) for box in boxes])
        self._reach = np.array([np.linalg.norm(box - mid, axis=1).max() for box, mid in zip(boxes, self._middle)])
        self._on: tuple[float, np.ndarray, np.ndarray, np.ndarray] | None = None

    def balls(self, frame: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rows (k,) of the agents that are shown on a frame, their middles (k, 3) and radii (k,), metres."""
        if self._on is None or self._on[0] != frame:
            motion = self.motion
            rows = np.flatnonzero(~motion.edited["hidden"])
            motion_now = motion.on_frames(np.array([frame]), rows)
            visible = motion_now.pose[0] >= 0
            rows, scale = rows[visible], np.abs(motion.scale[rows[visible]])
            # As geometry nodes take numbers beyond the last.
            model = motion.model(rows, motion_now.pose[0, visible]) % len(self._middle)
            turns = matrices_from_channels(motion_now.rotation[0, visible], "QUATERNION")
            middle = np.einsum("kab,kb->ka", turns, self._middle[model] * scale) + motion_now.position[0, visible]
            self._on = frame, rows, middle, self._reach[model] * scale.max(axis=1)
        return self._on[1:]

    def under(self, region: Region, view: RegionView3D, pointer: tuple[float, float], frame: float) -> int:
        """The row of the agent that is under a pointer, in pixels of a region: of several the one in front; else -1."""
        rows, middles, radii = self.balls(frame)
        place, depth, size = in_pixels(middles, radii, region, view)
        return nearest(rows, place, depth, size, np.array(pointer))

    def draw(self, region: Region, view: RegionView3D, frame: float, chosen: Sequence[int], pointed_at: int) -> None:
        """Draw rings around agents, by their rows, and the identity of the one that is pointed at."""
        rows, middles, radii = self.balls(frame)
        for numbers, color, wider in ((chosen, CHOSEN, 0.0), ([pointed_at], POINTED_AT, WIDER)):
            ringed = np.isin(rows, np.array(numbers, dtype=np.int64))
            place, depth, size = in_pixels(middles[ringed], radii[ringed], region, view)
            ahead = np.isfinite(depth)
            if ahead.any():
                _draw_rings(place[ahead], np.maximum(size[ahead], LEAST) + wider, color, region)
                if color is POINTED_AT:
                    _write(str(self.motion.identity[pointed_at]), place[ahead][0], size[ahead][0])


def _corners(model: Object | Collection) -> np.ndarray:
    """The corners (c, 3) of the boxes around a model, in its own space."""
    if isinstance(model, bpy.types.Object):
        return doubles(model.bound_box)
    parts = [box_corners(ob, doubles(ob.matrix_world)) for ob in model.all_objects]
    return np.concatenate(parts or [np.zeros((1, 3))])


def in_pixels(
    middles: np.ndarray, radii: np.ndarray, region: Region, view: RegionView3D
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Balls (k, 3) and (k,) as a region shows them: their middles (k, 2) in pixels, their depths, and their radii. The
    depth of what is behind the viewer is inf."""
    matrix = doubles(view.perspective_matrix)
    clip = np.einsum("ab,kb->ka", matrix[:, :3], middles) + matrix[:, 3]
    ahead = clip[:, 3] > 0.0
    w = np.where(ahead, clip[:, 3], 1.0)
    half = 0.5 * np.array((region.width, region.height))
    size = radii * view.window_matrix[1][1] * half[1] / w
    return half * (1.0 + clip[:, :2] / w[:, None]), np.where(ahead, clip[:, 2] / w, np.inf), size


def nearest(rows: np.ndarray, place: np.ndarray, depth: np.ndarray, size: np.ndarray, pointer: np.ndarray) -> int:
    """The row of the ball in front of those under a pointer (2,); -1 if there is none."""
    gap = np.linalg.norm(place - pointer, axis=1)
    under = np.flatnonzero((gap <= np.maximum(size, LEAST) + NEAR) & np.isfinite(depth))
    # Balls are round and models are not: on the middle of one, others around it do not count.
    inner = under[gap[under] <= 0.5 * np.maximum(size[under], LEAST)]
    under = inner if len(inner) else under
    return int(rows[under[np.argmin(depth[under])]]) if len(under) else -1


def _draw_rings(places: np.ndarray, radii: np.ndarray, color: Sequence[float], region: Region) -> None:
    turn = np.linspace(0.0, 2.0 * np.pi, CORNERS + 1)
    ring = np.column_stack((np.cos(turn), np.sin(turn)))
    corners = np.stack((ring[:-1], ring[1:]), axis=1).reshape(-1, 2)
    points = places[:, None] + radii[:, None, None] * corners
    flat = np.concatenate((points.reshape(-1, 2), np.zeros((points.size // 2, 1))), axis=1).astype(np.float32)
    shader: Any = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")
    gpu.state.blend_set("ALPHA")
    shader.bind()
    shader.uniform_float("viewportSize", (region.width, region.height))
    shader.uniform_float("lineWidth", THICKNESS * bpy.context.preferences.system.pixel_size)
    shader.uniform_float("color", color)
    batch_for_shader(shader, "LINES", {"pos": np.ascontiguousarray(flat)}).draw(shader)
    gpu.state.blend_set("NONE")


def _write(text: str, place: np.ndarray, size: float) -> None:
    scale = bpy.context.preferences.system.ui_scale
    blf.size(0, LETTERS * scale)
    blf.color(0, *POINTED_AT)
    blf.position(0, float(place[0] + max(size, LEAST) + 2.0 * NEAR), float(place[1]), 0.0)
    blf.draw(0, text)
