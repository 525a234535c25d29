"""The poses that a preview shows on a frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Poses:
    """The channels of all vehicles on a frame.

    Attributes:
        location: (n, 3).
        rotation: (n, 4), of three angles the last number says nothing.
        gone: (n + m,) who is not there, and which resources are eaten up.
        outside: (n,) who of these has not entered yet.
    """

    location: np.ndarray
    rotation: np.ndarray
    gone: np.ndarray
    outside: np.ndarray
