"""One frame of the scene as it was read: what the simulation needs, and what a writer needs in addition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...simulation.snapshot import Snapshot


@dataclass(frozen=True)
class Frame:
    """One frame of the scene.

    Attributes:
        number: the frame number.
        snapshot: what the simulation needs.
        parent_parts: (p, 4, 4) the parents' parts of the p vehicles that have a parent, in the order of their rows.
        sizes: (n,) the size factors of the vehicles.
    """

    number: int
    snapshot: Snapshot
    parent_parts: np.ndarray
    sizes: np.ndarray
