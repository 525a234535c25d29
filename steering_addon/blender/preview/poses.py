"""The poses that a preview shows on a frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Poses:
    """The channels of all vehicles on a frame.

    Attributes:
        location: (n, 3).
        rotation: (n, 4); of three angles the last number is 0.
        gone: (n + m,) which vehicles are absent, and which resources are eaten up.
        outside: (n,) which vehicles have not entered yet.
    """

    location: np.ndarray
    rotation: np.ndarray
    gone: np.ndarray
    outside: np.ndarray
