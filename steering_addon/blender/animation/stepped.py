"""Clips with stepped keys: poses that are held from key to key, as games often store them and animators block them.

Their body moves evenly, though, so that feet would slide from pose to pose: such clips are measured and played with
straight lines from key to key.
"""

from collections.abc import Iterable

import numpy as np
from bpy.types import FCurve

from ..objects.doubles import column_from
from .keyframes import CHOICE, CONSTANT

MOST = 0.5
"""The share of the curves with several keys that hold their values in a clip with stepped keys."""
TRANSFORMS = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")
"""The channels that do not jump when they go straight on; a switch would."""


def stepped(curves: Iterable[FCurve]) -> list[FCurve]:
    """The curves of a clip that are to go straight on, because most of the clip is held from key to key."""
    several = [curve for curve in curves if len(curve.keyframe_points) > 2 and not len(curve.modifiers)]
    several = [curve for curve in several if curve.data_path.rpartition(".")[2] in TRANSFORMS]
    held = [curve for curve in several if _is_held(curve)]
    return held if len(held) > MOST * len(several) else []


def _is_held(curve: FCurve) -> bool:
    kinds = column_from(curve.keyframe_points, "interpolation", kind=CHOICE)
    return bool((kinds[:-1] == CONSTANT).all())


def straight(curve: FCurve, frames: np.ndarray) -> np.ndarray:
    """The values (f,) of a curve with straight lines between its keys, or between its samples."""
    points = curve.keyframe_points or curve.sampled_points
    x, y = column_from(points, "co", 2).astype(np.float64).T
    values: np.ndarray = np.interp(frames, x, y)
    return values
