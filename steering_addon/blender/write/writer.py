"""Where the motion of a bake goes: what a bake asks of a writer.

`key_writer.KeyWriter` writes keyframes on objects. Another writer is another class with these methods.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from ...simulation.snapshot import State
from ..read.frame import Frame


class Writer(Protocol):
    """Takes the vehicles in frame by frame, and then hands over what it made of them.

    Until `finish` has ended, nothing of the scene has changed.
    """

    def frame(self, state: State, frame: Frame) -> None:
        """Take in the vehicles on a frame; called once for each frame of the plan, in order."""

    def finish(self, run: str) -> Iterator[float]:
        """Write what was taken in, yielding the share that is done, from 0 to 1, and hand it over at the end.

        Args:
            run: the id of the run, by which what is written is told from that of other runs, and its record is found.

        Raises:
            Refusal: a vehicle cannot be written.
        """

    @property
    def warnings(self) -> Sequence[str]:
        """What the animator should know of what was written."""

    def discard(self) -> None:
        """Forget everything that was taken in or written so far, at any time before the handing over."""
