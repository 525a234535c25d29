"""The record of a run: what it leaves behind besides motion."""

from __future__ import annotations

from ..simulation.snapshot import State
from .changes_of_mind import ChangesOfMind
from .mishaps import Mishaps


class RunRecord:
    """The record of a run of n vehicles, taken down frame after frame.

    Attributes:
        mishaps: who ran into something or got stuck.
        changes: which states vehicles took up, and why.
    """

    def __init__(self, vehicles: int) -> None:
        self.mishaps = Mishaps(vehicles)
        self.changes = ChangesOfMind()

    def look(self, row: int, state: State) -> None:
        """Take down a frame, the one of this row."""
        self.mishaps.look(row, state)
        self.changes.look(row, state)
