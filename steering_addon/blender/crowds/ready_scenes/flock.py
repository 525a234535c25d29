"""A flock of birds that stays around its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .bird import PLUMAGES, RADIUS, add_bird, bird
from .flyers import FlyerScene, add
from .scene_builder import SceneOptions

if TYPE_CHECKING:
    from bpy.types import Context, Object

COUNT, SIZE = 60, 0.3
FLOCK = FlyerScene("Flock", "Flock Region", "starling", "flock", 150.0, COUNT, RADIUS, 0.5)


def add_flock(context: Context, options: SceneOptions) -> Object:
    """Add a flock of birds with beating wings; returns its crowd.

    Raises:
        Refusal: its preset cannot be read.
    """
    models = [bird(plumage, options.size) for plumage in PLUMAGES[: options.count]]

    def add_member(number, random_numbers, collection):
        model = random_numbers.choice(models)
        return add_bird(f"Bird {number:03}", model, random_numbers.uniform(0.0, 6.0), collection)

    return add(context, FLOCK, options, add_member)
