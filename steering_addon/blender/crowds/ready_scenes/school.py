"""A school of fish that stays about its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .fish import RADIUS, SCALES, fish, spawn
from .flyers import Kind, add
from .gathering import Wish

if TYPE_CHECKING:
    from bpy.types import Context, Object

COUNT, SIZE = 80, 0.3
SCHOOL = Kind("School", "School Region", "fish", 16.0, COUNT, RADIUS, 0.6)


def add_school(context: Context, wish: Wish) -> Object:
    """The crowd of a new school, whose tails sway.

    Raises:
        Refusal: its preset cannot be read.
    """
    kinds = [fish(scales, wish.size) for scales in SCALES[: wish.count]]

    def bringing(number, chance, collection):
        return spawn(f"Fish {number:03}", chance.choice(kinds), chance.uniform(0.0, 1.0), collection)

    return add(context, SCHOOL, wish, bringing)
