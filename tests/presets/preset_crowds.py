"""Simulated crowds with a shipped preset."""

import numpy as np

from scripts.motion_bands import Recording
from scripts.preset_crowds import FPS, SHIPPED, columns, crowd, locomotions, shipped
from steering_addon.settings.preset import Preset
from tests.scene import headings, positions, ups

__all__ = ["FPS", "SHIPPED", "columns", "crowd", "locomotions", "recorded", "shipped"]

SETTLING = 48
"""Frames in which a crowd leaves the order in which it was placed."""


def recorded(kind: str, preset: Preset, n: int, seed: int, within: float, frames: int) -> Recording:
    """The recorded motion of such a crowd after it has settled."""
    states = crowd(preset, n, seed, within).run(frames, preroll=SETTLING)
    cruise = preset.vehicle["cruise_speed"] * preset.vehicle["max_speed"]
    apart = preset.behaviors["separation"]["distance"]
    return Recording(
        kind,
        positions(states),
        headings(states),
        ups(states),
        FPS,
        preset.body_length,
        np.full(n, cruise),
        apart,
    )
