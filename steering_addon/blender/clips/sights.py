"""What the heads of a crowd look at: an object, another one in a state, or what called into it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...simulation.arrays.vectors import Rows, Vectors
from ..animation.places import places_of
from .crowd_clips import looked_at

if TYPE_CHECKING:
    from bpy.types import Object, Scene


@dataclass(frozen=True)
class Sights:
    """What the heads of a crowd look at.

    Attributes:
        target: the object that they look at; None for where they go next.
        in_states: the same in states, by the number of each that has an object of its own.
        callers: whether they look at what called them into a state, where there is no object.
    """

    target: Object | None
    in_states: Mapping[int, Object]
    callers: bool

    @classmethod
    def of(cls, crowd: Object, states: Mapping[Object, int], *, callers: bool) -> Sights:
        """Those of a crowd with these states, each with its number."""
        in_states = {number: seen for ob, number in states.items() if (seen := looked_at(ob)) is not None}
        return cls(looked_at(crowd), in_states, callers)

    def __bool__(self) -> bool:
        return self.callers or self.target is not None or bool(self.in_states)

    def seen(self, caller: Vectors, state: Rows, place: Callable[[Object], Vectors]) -> Vectors:
        """The places that vehicles look at, (n, 3) metres, nan for none; or that one looks at on n frames.

        Args:
            caller, state: (n, 3) and (n,) as those of bodies.
            place: of an object, (3,) or (n, 3).
        """
        seen = caller if self.callers else np.full_like(caller, np.nan)
        if self.target is not None:
            seen = np.broadcast_to(place(self.target), seen.shape)
        for number, ob in self.in_states.items():
            seen = np.where((state == number)[:, None], place(ob), seen)
        return seen

    def places(self, scene: Scene, frames: np.ndarray) -> dict[Object, Vectors]:
        """The place of each object on whole frames (f,), (f, 3) metres."""
        objects = {self.target, *self.in_states.values()} - {None}
        return {ob: places_of(ob, scene, frames) for ob in objects}
