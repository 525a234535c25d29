"""A frame of the scene: what the simulation needs, and what portraits need in addition."""

from __future__ import annotations

from dataclasses import dataclass

from ..simulation.arrays.vectors import Scalars
from ..simulation.snapshot import Snapshot


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
    parent_parts: Scalars
    heights: Scalars
