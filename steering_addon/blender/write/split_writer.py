"""Hands the crowds of a run to the writers that they are for: keyframes, or crowd caches."""

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace

import numpy as np

from ...portrayal.portrait import Portrait
from ..read.joined_vehicles import object_part
from ..read.object_vehicles import ObjectVehicles
from ..read.plan import Plan
from ..read.sources import CrowdSource
from ..stored_values import choice_in
from .cache_writer import CacheWriter
from .key_writer import KeyWriter
from .subjects import PlayingModels, driven_crowds
from .writer import Writer


def writer_for(plan: Plan, playing: PlayingModels, *, replace_own_keys: bool) -> Writer:
    """The writer of a plan whose crowds ask for different outputs. Refused if a crowd cannot be written."""
    cached = [crowd for crowd in plan.crowds if len(crowd.rows) and _is_cached(plan, crowd)]
    if not cached:
        return SplitWriter(plan, KeyWriter(plan, playing, replace_own_keys=replace_own_keys), None, None)
    part = PlanPart(plan, cached)
    keys = KeyWriter(part.plan, part.playing(playing), replace_own_keys=replace_own_keys)
    return SplitWriter(plan, keys, CacheWriter(plan, playing, cached), part)


def _is_cached(plan: Plan, crowd: CrowdSource) -> bool:
    """Whether a crowd goes into a cache: if it is to, or has points, which can have no keys."""
    has_points = len(np.setdiff1d(crowd.rows, plan.vehicles.source.object_rows)) > 0
    return has_points or choice_in(crowd.ob.steering, "output") == "CACHE"


class SplitWriter:
    """The `Writer` that puts some crowds of a plan into keyframes and the others into crowd caches.

    What an earlier bake has written for a vehicle in the other way goes.
    """

    def __init__(self, plan: Plan, keys: KeyWriter, caches: CacheWriter | None, part: "PlanPart | None") -> None:
        """`part`: of the plan, the one that is written into keyframes; None if there are no caches."""
        self._plan, self._keys, self._caches, self._part = plan, keys, caches, part

    def frame(self, portrait: Portrait) -> None:
        """Take in a frame."""
        if self._caches is None or self._part is None:
            self._keys.frame(portrait)
        else:
            self._keys.frame(self._part.portrait(portrait))
            self._caches.frame(portrait)

    def finish(self, run: str) -> Iterator[float]:
        """Write all, and hand it over in one go."""
        half = 0.0
        if self._caches is not None:
            half = 0.5
            for done in self._caches.prepare():
                yield half * done
        for done in self._keys.finish(run):
            yield half + (1.0 - half) * done
        objects = self._plan.vehicles.source.objects
        written = set(objects if self._part is None else self._part.objects)
        CacheWriter.delete([ob for ob in written if CacheWriter.has_written(ob)])
        if self._caches is not None:
            keyed = {ob for ob in objects if ob not in written and KeyWriter.has_written(ob)}
            KeyWriter.delete(keyed)
            # They would rest where the frame that is shown has left them, and start there the next time.
            object_part(self._plan.vehicles.source).stand_at_start(keyed)
            self._caches.commit(run)

    @property
    def warnings(self) -> tuple[str, ...]:
        return (*self._keys.warnings, *(self._caches.warnings if self._caches is not None else ()))

    @property
    def told(self) -> str:
        return self._keys.told

    def discard(self) -> None:
        self._keys.discard()
        if self._caches is not None:
            self._caches.discard()

    @staticmethod
    def has_written(ob: object) -> bool:
        """Whether a bake left something for an object."""
        return KeyWriter.has_written(ob) or CacheWriter.has_written(ob)

    @staticmethod
    def delete(objects: Sequence) -> tuple[str, ...]:
        objects = list(objects)
        CacheWriter.delete([ob for ob in objects if CacheWriter.has_written(ob)])
        return KeyWriter.delete([ob for ob in objects if KeyWriter.has_written(ob)])


class PlanPart:
    """A plan without some of its crowds, as a writer sees it, and its part of each portrait.

    Attributes:
        plan: the rest; the crowds left out have no vehicles.
        objects: its vehicles.
    """

    def __init__(self, plan: Plan, without: Sequence[CrowdSource]) -> None:
        gone = {crowd.ob for crowd in without}
        self._kept = [crowd.ob not in gone for crowd in plan.crowds]
        self._rows = np.flatnonzero(np.array(self._kept, dtype=np.bool_)[plan.vehicles.crowd])
        source, objects = object_part(plan.vehicles.source), plan.vehicles.source.object_rows
        # Only objects are kept.
        of_objects = np.searchsorted(objects, self._rows)
        self.objects = [source.objects[row] for row in of_objects.tolist()]
        parented = {row: k for k, row in enumerate(source.parented)}
        self._parts = [parented[row] for row in of_objects.tolist() if row in parented]
        self._driven = [self._kept[plan.crowds.index(crowd)] for crowd in driven_crowds(plan)]
        self._stateful = [self._kept[crowd] for crowd in sorted({state.crowd for state in plan.states})]
        number = np.full(len(plan), -1)
        number[self._rows] = np.arange(len(self._rows))
        none = np.zeros(0, dtype=np.int64)
        columns = {
            each.name: getattr(plan.vehicles, each.name) for each in fields(plan.vehicles) if each.name != "source"
        }
        self.plan = replace(
            plan,
            vehicles=replace(
                plan.vehicles,
                source=_taken(source, of_objects),
                **{name: column[self._rows] for name, column in columns.items()},
            ),
            crowds=tuple(
                replace(crowd, rows=number[crowd.rows]) if kept else replace(crowd, rows=none, portrayal=None)
                for crowd, kept in zip(plan.crowds, self._kept)
            ),
            states=tuple(state for state in plan.states if self._kept[state.crowd]),
            bodies=tuple(
                replace(body, carrier=int(number[body.carrier]) if body.carrier >= 0 else -1) for body in plan.bodies
            ),
        )

    def playing(self, playing: PlayingModels) -> PlayingModels:
        """The models of it that play clips."""
        kept = {crowd.ob for crowd in self.plan.crowds if len(crowd.rows)}
        self._models = [model.crowd in kept for model in playing.models]
        models = [model for model, keep in zip(playing.models, self._models) if keep]
        return PlayingModels(models, [(crowd, idle) for crowd, idle in playing.idle if crowd in kept], playing.family)

    def portrait(self, portrait: Portrait) -> Portrait:
        """Its part of a portrait."""
        rows = self._rows
        return replace(
            portrait,
            bodies=portrait.bodies.take(rows),
            outside=portrait.outside[rows],
            parent_parts=portrait.parent_parts[self._parts],
            outputs={name: column[rows] for name, column in portrait.outputs.items()},
            states=[each for each, keep in zip(portrait.states, self._stateful) if keep],
            models=[each for each, keep in zip(portrait.models, self._models) if keep],
            driven=[each for each, keep in zip(portrait.driven, self._driven) if keep],
        )


def _taken(source: ObjectVehicles, rows: np.ndarray) -> ObjectVehicles:
    """Some of the vehicles of a source."""
    number = {row: k for k, row in enumerate(rows.tolist())}
    taken = {}
    for each in fields(source):
        column = getattr(source, each.name)
        if isinstance(column, np.ndarray):
            taken[each.name] = column[rows]
        elif isinstance(column, tuple):
            taken[each.name] = tuple(column[row] for row in rows.tolist())
    return replace(
        source,
        **taken,
        stored={name: column[rows] for name, column in source.stored.items()},
        own_locomotions={number[row]: kind for row, kind in source.own_locomotions.items() if row in number},
    )
