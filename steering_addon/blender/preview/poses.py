"""The poses that a preview shows on a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..write.clip_writer import Bodies


@dataclass(frozen=True)
class Poses:
    """The channels of all vehicles on a frame.

    Attributes:
        location: (n, 3).
        rotation: (n, 4); of three angles the last number is 0.
        gone: (n + m,) which vehicles are absent, and which resources are eaten up.
        outside: (n,) which vehicles have not entered yet.
        bodies: the vehicles in the world, if any of them plays clips.
    """

    location: np.ndarray
    rotation: np.ndarray
    gone: np.ndarray
    outside: np.ndarray
    bodies: Bodies | None = None
