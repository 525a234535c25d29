"""Vehicles from several sources, say objects and points, sorted by identity as one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import numpy as np
from bpy.types import Depsgraph, Object

from ...simulation.arrays.once import once
from ...simulation.locomotion import Locomotion
from .object_vehicles import ObjectVehicles, no_objects
from .point_vehicles import PointVehicles
from .vehicles import OWN_SETTINGS, VehicleSource


def _join_column(name: str) -> once[np.ndarray]:
    """A column of `VehicleSource`, join_sources from those of the sources."""
    return once(lambda vehicles: vehicles._join(getattr(source, name) for source, _ in vehicles.parts))


@dataclass(frozen=True)
class JoinedVehicles:
    """The `VehicleSource` of the n vehicles of several others. `parts`: the sources, each with the rows (m,) of its
    vehicles, rising; vehicles that are objects come first."""

    parts: Sequence[tuple[VehicleSource, np.ndarray]]

    def __len__(self) -> int:
        return sum(len(rows) for _, rows in self.parts)

    @once
    def objects(self) -> tuple[Object, ...]:
        return tuple(ob for source, _ in self.parts for ob in source.objects)

    @once
    def object_rows(self) -> np.ndarray:
        return np.concatenate([rows[source.object_rows] for source, rows in self.parts])

    @once
    def parents(self) -> tuple[Object, ...]:
        return tuple(ob for source, _ in self.parts for ob in source.parents)

    @once
    def crowds(self) -> tuple[Object, ...]:
        crowds: list[Object] = [self.parts[0][0].crowds[0]] * len(self)
        for source, rows in self.parts:
            for row, crowd in zip(rows.tolist(), source.crowds):
                crowds[row] = crowd
        return tuple(crowds)

    @once
    def own_locomotions(self) -> dict[int, type[Locomotion]]:
        return {int(rows[row]): kind for source, rows in self.parts for row, kind in source.own_locomotions.items()}

    axes, animated, hides, seeds, enters, start_speed = map(
        _join_column, ("axes", "animated", "hides", "seeds", "enters", "start_speed")
    )

    @once
    def stored(self) -> dict[str, np.ndarray]:
        return self._columns([source.stored for source, _ in self.parts])

    def owner(self, row: int) -> Object:
        source, own_row = self._own(row)
        return source.owner(own_row)

    def needed(self) -> Iterator[Object]:
        for source, _ in self.parts:
            yield from source.needed()

    def settings(self, depsgraph: Depsgraph, frame: int) -> Mapping[str, np.ndarray]:
        if not self.animated.any():
            return self.stored
        return self._columns([source.settings(depsgraph, frame) for source, _ in self.parts])

    def parent_parts(self, depsgraph: Depsgraph, frame: int) -> np.ndarray:
        return np.concatenate([source.parent_parts(depsgraph, frame) for source, _ in self.parts])

    def heights(self, depsgraph: Depsgraph, frame: int, parent_parts: np.ndarray) -> np.ndarray:
        parts = self._parts_of(parent_parts)
        return self._join(source.heights(depsgraph, frame, part) for (source, _), part in zip(self.parts, parts))

    def lift(self, heights: np.ndarray) -> np.ndarray:
        return self._join(source.lift(heights[rows]) for source, rows in self.parts)

    def start(self, parent_parts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        parts = self._parts_of(parent_parts)
        starts = [source.start(part) for (source, _), part in zip(self.parts, parts)]
        position, basis, velocity = (self._join(columns) for columns in zip(*starts))
        return position, basis, velocity

    def pose(self, row: int, depsgraph: Depsgraph) -> tuple[np.ndarray, np.ndarray]:
        source, own_row = self._own(row)
        return source.pose(own_row, depsgraph)

    @contextmanager
    def at_start(self, rows: Iterable[int]) -> Iterator[None]:
        wanted = np.array(list(rows), dtype=np.int64)
        with ExitStack() as standing:
            for source, source_rows in self.parts:
                standing.enter_context(source.at_start(np.flatnonzero(np.isin(source_rows, wanted)).tolist()))
            yield

    def computed(self) -> list[int]:
        return [int(rows[row]) for source, rows in self.parts for row in source.computed()]

    def store(self, identities: np.ndarray) -> None:
        for source, rows in self.parts:
            source.store(identities[rows])

    def _own(self, row: int) -> tuple[VehicleSource, int]:
        """The source of the vehicle of a row, and its row there."""
        for source, rows in self.parts:
            own_row = int(np.searchsorted(rows, row))
            if own_row < len(rows) and rows[own_row] == row:
                return source, own_row
        raise IndexError(row)

    def _join(self, columns: Iterable[np.ndarray]) -> np.ndarray:
        """One column from those of the sources, (m, ...) each."""
        columns = list(columns)
        whole_column = np.empty((len(self), *columns[0].shape[1:]), dtype=np.result_type(*columns))
        for part, (_, rows) in zip(columns, self.parts):
            whole_column[rows] = part
        return whole_column

    def _columns(self, of_sources: Sequence[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
        return {name: self._join([columns[name] for columns in of_sources]) for name in OWN_SETTINGS}

    def _parts_of(self, parent_parts: np.ndarray) -> list[np.ndarray]:
        ends = np.cumsum([len(source.parents) for source, _ in self.parts])
        return np.split(parent_parts, ends[:-1])


def object_part(source: VehicleSource) -> ObjectVehicles:
    """The source of the vehicles that are objects; an empty one if none is."""
    return next((part for part, _ in source.parts if isinstance(part, ObjectVehicles)), None) or no_objects()


def point_parts(source: VehicleSource) -> list[tuple[PointVehicles, np.ndarray]]:
    """The sources of the vehicles that are points, each with its rows (m,)."""
    return [(part, rows) for part, rows in source.parts if isinstance(part, PointVehicles)]


def join_sources(sources: Sequence[tuple[VehicleSource, np.ndarray]]) -> tuple[VehicleSource, np.ndarray]:
    """One source from several that have vehicles, each with their identities (m,); and the identities (n,), rising."""
    if len(sources) == 1:
        return sources[0]
    identities = np.concatenate([own_identities for _, own_identities in sources])
    row = np.empty(len(identities), dtype=np.int64)
    row[np.argsort(identities, kind="stable")] = np.arange(len(identities))
    rows = np.split(row, np.cumsum([len(own_identities) for _, own_identities in sources])[:-1])
    return JoinedVehicles([(source, part) for (source, _), part in zip(sources, rows)]), np.sort(identities)
