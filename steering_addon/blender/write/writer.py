"""Where portraits go: what a bake asks of a writer, and which crowd of a run goes to keyframes or to a crowd cache.

A `SplitWriter` writes both. Another writer is another class with the methods of `Writer`.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
from bpy.types import Object

from ...portrayal.portrait import Portrait
from ..pieces import as_part
from ..read.joined_vehicles import object_part
from ..read.plan import Plan
from ..read.sources import CrowdSource
from ..refusal import choice_in
from .cache_writer import CacheWriter
from .key_writer import KeyWriter
from .subjects import PlayingModels


class Writer(Protocol):
    """Takes portraits in frame by frame, and then hands over what it made of them.

    Until `finish` yields 1 or has ended, nothing of the scene has changed.
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


def writer_for(plan: Plan, playing: PlayingModels, *, replace_own_keys: bool) -> Writer:
    """The writer of a plan whose crowds ask for different outputs. Refused if a crowd cannot be written."""
    cached = [crowd for crowd in plan.crowds if len(crowd.rows) and _is_cached(plan, crowd)]
    keys = KeyWriter(plan, playing, {crowd.ob for crowd in cached}, replace_own_keys=replace_own_keys)
    return SplitWriter(plan, keys, CacheWriter(plan, playing, cached))


def _is_cached(plan: Plan, crowd: CrowdSource) -> bool:
    """Whether a crowd goes into a cache: if it is to, or has points, which can have no keys."""
    has_points = len(np.setdiff1d(crowd.rows, plan.vehicles.source.object_rows)) > 0
    return has_points or choice_in(crowd.ob.steering, "output") == "CACHE"


class SplitWriter:
    """The `Writer` that puts some crowds of a plan into keyframes and the others into crowd caches.

    What an earlier bake has written for a vehicle in the other way goes.
    """

    def __init__(self, plan: Plan, keys: KeyWriter, caches: CacheWriter) -> None:
        self._source, self._keys, self._caches = plan.vehicles.source, keys, caches

    def frame(self, portrait: Portrait) -> None:
        """Take in a frame."""
        self._keys.frame(portrait)
        self._caches.frame(portrait)

    def finish(self, run: str) -> Iterator[float]:
        """Write all, and hand it over in one go."""
        half = 0.5 if self._caches else 0.0
        yield from as_part(self._caches.prepare(), 0.0, half)
        yield from as_part(self._keys.finish(run), half, 1.0)
        written = set(self._keys.objects)
        CacheWriter.delete([ob for ob in written if CacheWriter.has_written(ob)])
        keyed = {ob for ob in self._source.objects if ob not in written and KeyWriter.has_written(ob)}
        KeyWriter.delete(keyed)
        # They would rest where the frame that is shown has left them, and start there the next time.
        object_part(self._source).stand_at_start(keyed)
        self._caches.commit(run)

    @property
    def warnings(self) -> tuple[str, ...]:
        return self._keys.warnings

    @property
    def told(self) -> str:
        return self._keys.told

    def discard(self) -> None:
        self._keys.discard()
        self._caches.discard()

    @staticmethod
    def has_written(ob: Object) -> bool:
        """Whether a bake left something for an object."""
        return KeyWriter.has_written(ob) or CacheWriter.has_written(ob)

    @staticmethod
    def delete(objects: Sequence[Object]) -> tuple[str, ...]:
        """Remove what bakes left on these objects; returns what the animator should know."""
        CacheWriter.delete([ob for ob in objects if CacheWriter.has_written(ob)])
        return KeyWriter.delete([ob for ob in objects if KeyWriter.has_written(ob)])
