"""The frames and the steps of a run, as the scene says."""

import math

from bpy.types import Scene

from ...settings.stored import MOST_SUBSTEPS
from ..animation.frame_rate import frame_time_of
from ..properties import settings_of

LONGEST_STEP = 0.05
"""Seconds. In a longer step a vehicle with its full force comes further than it keeps away from obstacles."""


def frame_range(scene: Scene) -> tuple[int, int]:
    """The first and last frame of the run: the scene's, unless a separate range is set."""
    stored = settings_of(scene)
    if stored is not None and stored.use_frame_range:
        return stored.frame_start, stored.frame_end
    return scene.frame_start, scene.frame_end


def substeps_of(scene: Scene) -> int:
    """The steps per frame: the least multiple of those that are set with steps no longer than LONGEST_STEP."""
    stored = settings_of(scene)
    substeps = max(stored.substeps, 1) if stored else 1
    frame_time = frame_time_of(scene)
    return min(substeps * math.ceil(frame_time / (substeps * LONGEST_STEP)), MOST_SUBSTEPS)
