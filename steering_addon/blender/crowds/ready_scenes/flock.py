"""A flock of birds that stays about its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .bird import PLUMAGES, RADIUS, bird, hatch
from .flyers import Kind, add
from .gathering import Wish

if TYPE_CHECKING:
    from bpy.types import Context, Object

COUNT, SIZE = 60, 0.3
FLOCK = Kind("Flock", "Flock Region", "starling", 90.0, COUNT, RADIUS, 0.5)


def add_flock(context: Context, wish: Wish) -> Object:
    """The crowd of a new flock, whose wings beat.

    Raises:
        Refusal: its preset cannot be read.
    """
    kinds = [bird(plumage, wish.size) for plumage in PLUMAGES[: wish.count]]

    def bringing(number, chance, collection):
        return hatch(f"Bird {number:03}", chance.choice(kinds), chance.uniform(0.0, 6.0), collection)

    return add(context, FLOCK, wish, bringing)
