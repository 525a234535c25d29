"""The frames of a scene and of a run, and how long they take."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

from bpy.types import PropertyGroup, Scene

from ...settings.stored import MOST_SUBSTEPS
from ..properties import scene_setting

LONGEST_STEP = 0.05
"""Seconds. In a longer step a vehicle with its full force comes further than it keeps away from obstacles."""


def frame_time_of(scene: Scene) -> float:
    """The seconds from one frame to the next."""
    return scene.render.fps_base / scene.render.fps


def copy_units(source: Scene, target: Scene) -> None:
    """Give a scene the frame rate and the unit of length of another."""
    target.render.fps, target.render.fps_base = source.render.fps, source.render.fps_base
    target.unit_settings.scale_length = source.unit_settings.scale_length


@contextmanager
def frame_kept(scene: Scene) -> Iterator[None]:
    """Let a scene go through its frames; at the end it is on the one on which it was."""
    frame = scene.frame_current_final
    try:
        yield
    finally:
        # Split by floor, as Blender's own frame_current and frame_subframe count backwards below frame 0.
        scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))


def holder_of_range(scene: Scene) -> Scene | PropertyGroup:
    """The holder of the first and last frame of the run: the scene, unless a separate range is set."""
    return scene.steering if scene_setting(scene, "use_frame_range") else scene


def frame_range(scene: Scene) -> tuple[int, int]:
    """The first and last frame of the run."""
    holder = holder_of_range(scene)
    return holder.frame_start, holder.frame_end


def substeps_of(scene: Scene) -> int:
    """The steps per frame: the least multiple of those that are set with steps no longer than LONGEST_STEP."""
    substeps = max(scene_setting(scene, "substeps"), 1)
    frame_time = frame_time_of(scene)
    return min(substeps * math.ceil(frame_time / (substeps * LONGEST_STEP)), MOST_SUBSTEPS)


def decides_every(scene: Scene) -> int:
    """The steps from one decision of a vehicle to the next: as many as come nearest to the time that is set."""
    steps = scene_setting(scene, "decision_time") * substeps_of(scene) / frame_time_of(scene)
    return max(math.floor(steps + 0.5), 1)
