"""Where portraits go: what a bake asks of a writer.

`key_writer.KeyWriter` writes keyframes on objects, and `preview.view_writer.ViewWriter` gives frames to viewports.
Another writer is another class with these methods.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from bpy.types import Object

from ...portrayal.portrait import Portrait


class Writer(Protocol):
    """Takes portraits in frame by frame, and then hands over what it made of them.

    Until `finish` has ended, nothing of the scene has changed.
    """

    def frame(self, portrait: Portrait) -> None:
        """Take in a frame; called once for each frame of the plan, in order."""

    def finish(self, run: str) -> Iterator[float]:
        """Write what was taken in, yielding the share that is done, from 0 to 1, and hand it over at the end; `run`:
        the id of the run, by which what is written is told from that of other runs, and its record is found. Refused if
        a vehicle cannot be written."""

    @property
    def warnings(self) -> Sequence[str]:
        """Warnings for the animator about what was written."""

    @property
    def told(self) -> str:
        """A sentence for the report of the bake; empty for none."""

    def discard(self) -> None:
        """Forget everything that was taken in or written so far, at any time before the handing over."""

    @staticmethod
    def delete(objects: Iterable[Object]) -> Sequence[str]:
        """Remove what such writers left on these objects; returns what the animator should know."""
