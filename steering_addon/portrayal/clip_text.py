"""The measurements of a clip as text, as a file stores them."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from math import isfinite
from typing import Any

import numpy as np

from .clips import MOVE, PHASES, Clip

LENGTHS = {"curve": PHASES + 1, "down": PHASES}
"""The fields of a clip that are arrays, and their lengths."""
TUPLES = ("drift", "rests")
CHOSEN = ("with_company", "state", "when")
"""The fields that are not measured."""
MEASURED = tuple(field.name for field in fields(Clip) if field.name not in CHOSEN)


@dataclass(frozen=True)
class Measurement:
    """What was measured of a clip on a model.

    Attributes:
        made_of: the hash of the clip and the model that were measured.
        scale: of the model, at which the metres of the clip are meant.
    """

    clip: Clip
    made_of: str
    scale: float


def text_of(measurement: Measurement) -> str:
    """A measurement as text; reading it gives the same numbers."""
    clip = measurement.clip
    values = {name: getattr(clip, name) for name in MEASURED}
    plain = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values.items()}
    return json.dumps({"made_of": measurement.made_of, "scale": measurement.scale, "clip": plain})


@lru_cache(maxsize=512)
def measurement_of(text: str) -> Measurement | None:
    """The measurement that `text_of` wrote, or None for any other text."""
    try:
        stored = json.loads(text)
        values = {name: _value(name, stored["clip"][name]) for name in MEASURED}
        scale = float(stored["scale"])
        if not (isfinite(scale) and scale > 0.0):
            return None
        return Measurement(Clip(**values), str(stored["made_of"]), scale)
    except (ValueError, TypeError, KeyError):
        return None


def at_ground_speed(clip: Clip, plays: int, ground_speed: float) -> Clip:
    """The clip as a user wants it played, with the speed of the ground under it if that is not 0."""
    if plays != MOVE or ground_speed <= 0.0:
        return replace(clip, plays=plays)
    return replace(clip, plays=plays, speed=ground_speed, stride=ground_speed * clip.seconds)


def _value(name: str, stored: Any) -> Any:
    if name == "name":
        return str(stored)
    if name == "plays":
        return int(stored)
    numbers = np.array(stored, dtype=np.float64)
    if not np.isfinite(numbers).all() or (name in LENGTHS and numbers.shape != (LENGTHS[name],)):
        raise ValueError("not a measurement")
    if name in LENGTHS:
        return numbers
    return tuple(numbers.tolist()) if name in TUPLES else float(numbers)
