"""Cues that together tell more than all vehicles of a crowd to be in their states."""

import numpy as np

from ..simulation.snapshot import Snapshot
from .minding import minds_of

NEARLY = 1e-6
"""Share by which cues may be more than one: fades that cross are not exact."""


def share_told(cues: list[float]) -> float:
    """The share of a crowd that is told by all cues; 0 where they do not come to more than all of it."""
    share = float(np.cumsum(cues)[-1]) if cues else 0.0
    return share if share > 1.0 + NEARLY else 0.0


class OverfullCues:
    """The crowds whose cues come to more than all of them.

    Attributes:
        frames: the first such frame and the largest share, by the row of the crowd.
    """

    def __init__(self) -> None:
        self.frames: dict[int, tuple[int, float]] = {}

    def look(self, frame: int, snapshot: Snapshot) -> None:
        """Look at the cues of a frame."""
        for mind in minds_of(snapshot):
            if share := share_told([float(mode.numbers.cue[0]) for mode in mind.modes]):
                first, most = self.frames.get(mind.crowd, (frame, 0.0))
                self.frames[mind.crowd] = first, max(most, share)
