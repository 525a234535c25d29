"""How vehicles move, frame after frame: as their crowds do, or in a way of their own."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
from bpy.types import Depsgraph, Object

from ...simulation.arrays.scalars import Rows
from ...simulation.locomotion import Fleet, Locomotion, one_of_each_kind
from ..moving import locomotion_of
from .checks import checked_values
from .dependencies import animates


class LocomotionReader:
    """Reads the locomotions of some vehicles. `stay`: whether all frames have the same."""

    def __init__(
        self,
        crowds: Iterable[Object],
        crowd_row: Rows,
        owner: Callable[[int], Object],
        own_locomotions: Mapping[int, type[Locomotion]],
    ) -> None:
        """The vehicles by the rows of their crowds.

        Args:
            crowd_row: (n,) the row of the crowd of each vehicle.
            owner: the object of a vehicle by its row; only those with a locomotion of their own are looked at.
            own_locomotions: those of the vehicles that do not move as their crowd does, by row.
        """
        self._readers = [LocomotionSettings(crowd, locomotion_of(crowd)) for crowd in crowds]
        self._row = crowd_row
        if own_locomotions:
            self._row = np.array(crowd_row)
            self._row[list(own_locomotions)] = np.arange(len(own_locomotions)) + len(self._readers)
            self._readers += [LocomotionSettings(owner(row), kind) for row, kind in own_locomotions.items()]
        self.stay = all(reader.stays for reader in self._readers)
        self._read: Fleet | None = None

    def read(self, depsgraph: Depsgraph | None, frame: int) -> Fleet:
        """One locomotion of each kind in use, and which of them moves each vehicle. `depsgraph`: evaluated for the
        frame; may be None if all frames have the same. Refused if a value is not a number."""
        if self._read is None or not self.stay:
            self._read = one_of_each_kind([reader.read(depsgraph, frame) for reader in self._readers], self._row)
        return self._read


def settings_on(ob: Object, depsgraph: Depsgraph | None, *, stays: bool) -> Any:
    """The settings of an object on the frame of the depsgraph; as they are stored if they stay."""
    return ob.steering if stays or depsgraph is None else ob.evaluated_get(depsgraph).steering


class LocomotionSettings:
    """Reads the settings of a locomotion on a crowd or a vehicle; only once if they are not animated."""

    def __init__(self, ob: Object, kind: type[Locomotion]) -> None:
        self._ob, self._kind = ob, kind
        self._read: Locomotion | None = None
        self.stays = not animates(ob, f"steering.{kind.name}.")

    def read(self, depsgraph: Depsgraph | None, frame: int) -> Locomotion:
        """The locomotion on the frame, in columns of one entry for all. Refused if a value is not a number."""
        if self._read is None or not self.stays:
            ob, name, values = self._ob, self._kind.name, {}
            # Reading a group that was never set writes it into the file.
            if not self.stays or ob.steering.is_property_set(name):
                settings = settings_on(ob, depsgraph, stays=self.stays)
                values = checked_values(self._kind, getattr(settings, name), ob, name, frame)
            self._read = self._kind.of(1, **values)
        return self._read
