"""A school of fish that stays around its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .fish import RADIUS, SCALES, add_fish, fish
from .flyers import FlyerScene, add
from .scene_builder import SceneOptions

if TYPE_CHECKING:
    from bpy.types import Context, Object

COUNT, SIZE = 80, 0.3
SCHOOL = FlyerScene("School", "School Region", "fish", "school", 16.0, COUNT, RADIUS, 0.6)


def add_school(context: Context, options: SceneOptions) -> Object:
    """Add a school of fish with swaying tails; returns its crowd.

    Raises:
        Refusal: its preset cannot be read.
    """
    models = [fish(scales, options.size) for scales in SCALES[: options.count]]

    def add_member(number, random_numbers, collection):
        model = random_numbers.choice(models)
        return add_fish(f"Fish {number:03}", model, random_numbers.uniform(0.0, 1.0), collection)

    return add(context, SCHOOL, options, add_member)
