"""Flocks that roam a region for minutes, as the shipped presets and ready scenes make them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import repeat

import numpy as np

from scripts.preset_crowds import FOLDER, FPS, crowd, shipped
from scripts.roaming import Roaming
from steering_addon.settings.preset import Preset
from steering_addon.simulation.run import simulate

FLOCKS = {"starling": 50.0, "pigeon": 75.0, "flock": 65.0, "fish": 5.0, "school": 10.7}
"""The presets that flock, with the radius in metres of the region that tagging makes around them."""
READY = {"flock": ("starling", 33.0), "school": ("fish", 4.8)}
"""The ready scenes: their preset and the radius of their region for members of the preset's size, metres."""
EVERY = 3
"""Frames from one sample to the next."""
LOOK = round(10.0 * FPS)
"""Frames from one question whether the motion is enough to the next."""


def ready(name: str) -> Preset:
    """The preset of a ready scene with the values that the scene replaces."""
    preset, _ = READY[name]
    content = json.loads((FOLDER / "ready_scenes" / f"{name}.json").read_text(encoding="utf-8"))
    behaviors = dict(shipped(preset).behaviors)
    behaviors[content["behavior"]] = {**behaviors[content["behavior"]], **content["values"]}
    return replace(shipped(preset), behaviors=behaviors)


def never(_: Roaming) -> bool:
    """Has a flock watched to the end of its time."""
    return False


def roaming(
    name: str,
    seconds: float,
    seed: int = 1,
    count: int = 60,
    radius: float = 0.0,
    enough: Callable[[Roaming], bool] = never,
) -> Roaming:
    """The motion of a preset's flock, as of `roamed`; in the region of FLOCKS without a radius."""
    return roamed(shipped(name), seconds, seed, count, radius or FLOCKS[name], enough)


def roamed(
    preset: Preset,
    seconds: float,
    seed: int,
    count: int,
    radius: float,
    enough: Callable[[Roaming], bool] = never,
) -> Roaming:
    """The motion of a flock of `count` members in a spherical region.

    Args:
        seconds: how long it is watched at most.
        enough: is asked every ten seconds whether the motion so far is enough.
    """
    scene = crowd(preset, count, seed, radius)
    frames = round(seconds * FPS)
    places = []
    for number, state in enumerate(simulate(scene.start(), repeat(scene.snapshot(), frames))):
        if number % EVERY == 0:
            places.append(state.motion.position)
        if (number + 1) % LOOK == 0 and enough(_roaming(places, preset, radius)):
            break
    return _roaming(places, preset, radius)


def _roaming(places: list[np.ndarray], preset: Preset, radius: float) -> Roaming:
    return Roaming(np.array(places), FPS / EVERY, radius, preset.behaviors["separation"]["distance"])
