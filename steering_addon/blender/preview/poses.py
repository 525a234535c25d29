"""The poses that a preview shows on a frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from bpy.types import Object

    from ...recording.changes_of_mind import Change
    from ...recording.last_corrections import Left
    from ..clips.clip_bodies import Bodies

Told: TypeAlias = "Mapping[int, Mapping[str, float]]"
"""Custom properties by name, by the row of their vehicle."""


@dataclass(frozen=True)
class Poses:
    """The channels of all vehicles on a frame.

    Attributes:
        location: (n, 3).
        rotation: (n, 4); of three angles the last number is 0.
        gone: (n + m,) which vehicles are absent, and which resources are eaten up.
        outside: (n,) which vehicles have not entered yet.
        bodies: the vehicles in the world, if any of them plays clips or has properties that drivers read.
        modes: (n,) the mode of each vehicle in its crowd, 0 for none.
        changes: the changes of mind by this frame, by the row of the vehicle.
        left: what is left to the exact marks of this frame.
        lift: (n,) metres of the origins of the vehicles above the place where they stand.
        outputs: (n,) of locomotions, by name.
        states: the properties that tell the states of vehicles, by row and name.
        told: what drivers read of objects, by name.
    """

    location: np.ndarray
    rotation: np.ndarray
    gone: np.ndarray
    outside: np.ndarray
    bodies: Bodies | None = None
    modes: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int16))
    changes: Mapping[int, Change] = field(default_factory=dict)
    left: Left = ()
    lift: np.ndarray = field(default_factory=lambda: np.zeros(0))
    outputs: Mapping[str, np.ndarray] = field(default_factory=dict)
    states: Told = field(default_factory=dict)
    told: Sequence[tuple[Object, Mapping[str, float]]] = ()
