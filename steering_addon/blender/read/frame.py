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
        heights: (n,) metres, of the vehicles with their scale on the frame; 0 if unknown.
    """

    number: int
    snapshot: Snapshot
    parent_parts: np.ndarray
    heights: np.ndarray
