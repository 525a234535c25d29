"""The vehicles of a run as a table: a row each, sorted by identity, independent of their source.

The table holds what does not change during the run; the rest is read from its source. In
`object_vehicles.ObjectVehicles` each vehicle is an object, in `point_vehicles.PointVehicles` a point of one, and
`joined_vehicles.JoinedVehicles` has both.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from bpy.types import Depsgraph, Object

from ...simulation.arrays.chance import Keys
from ...simulation.locomotion import Locomotion

FACTORS = (
    ("max_speed", "speed_factor"),
    ("radius", "size_factor"),
    ("length", "size_factor"),
    ("length", "length_factor"),
    ("mass", "mass_factor"),
)
"""The parameters of the crowd's vehicle model that each vehicle varies, and the per-vehicle settings that vary them."""
OWN_SETTINGS = ("active", "speed_factor", "size_factor", "length_factor", "mass_factor", "by_hand")
"""The per-vehicle settings that may be animated."""
NO_ROWS, NO_PARTS = np.zeros(0, dtype=np.int64), np.zeros((0, 4, 4))


class VehicleSource(Protocol):
    """Where the vehicles of a run are read from; all arrays are in the order of the table's rows.

    Those that are not objects, have no parent and are moved by nothing in the scene need not say so.

    Attributes:
        objects: the k vehicles that are objects.
        object_rows: (k,) their rows.
        parents: those of the vehicles that move with one.
        crowds: (n,) the crowd of each vehicle.
        axes: (n, 3, 3) the side, forward and up axis of each model in its own space.
        own_locomotions: those of the vehicles that do not move as their crowd does, by row.
        stored: the columns of OWN_SETTINGS as the file has them.
        animated: (n,) whether settings of the vehicle are keyed or driven.
        hides: (n,) whether a bake may hide it.
        seeds: (n,) of their random numbers.
        enters: (n,) the frame on which each enters; nan if its crowd decides.
        start_speed: (n,) as a share of max_speed, for vehicles whose velocity is not known.
    """

    objects: Sequence[Object] = ()
    object_rows: np.ndarray = NO_ROWS
    parents: Sequence[Object] = ()
    crowds: Sequence[Object]
    axes: np.ndarray
    own_locomotions: Mapping[int, type[Locomotion]]
    stored: Mapping[str, np.ndarray]
    animated: np.ndarray
    hides: np.ndarray
    seeds: np.ndarray
    enters: np.ndarray
    start_speed: np.ndarray

    def __len__(self) -> int: ...

    @property
    def parts(self) -> "Sequence[tuple[VehicleSource, np.ndarray]]":
        """Its sources, each with the rows (m,) of its vehicles."""
        return [(self, np.arange(len(self)))]

    def owner(self, row: int) -> Object:
        """The object that a vehicle is, or whose point it is."""

    def needed(self) -> Iterable[Object]:
        """The objects that must be evaluated on each frame."""

    def settings(self, depsgraph: Depsgraph, frame: int) -> Mapping[str, np.ndarray]:
        """The columns (n,) of OWN_SETTINGS on a frame, read-only. Refused if a value is not a number."""

    def parent_parts(self, depsgraph: Depsgraph, frame: int) -> np.ndarray:
        """The parents' parts (p, 4, 4) on the frame of the depsgraph, of the p vehicles that have a parent. Refused if
        a parent has an invalid transform."""
        return NO_PARTS

    def heights(self, depsgraph: Depsgraph, frame: int, parent_parts: np.ndarray) -> np.ndarray:
        """The heights (n,) of the vehicles in metres on the frame of the depsgraph, 0 if unknown; not to be written to.
        Refused if a scale is not a number."""

    def lift(self, heights: np.ndarray) -> np.ndarray:
        """The heights (n,) of the origins of vehicles above their feet in metres, given those of the vehicles, (n,)."""

    def start(self, parent_parts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Where the vehicles start in the world, given the parents' parts on the first frame.

        Returns:
            position: (n, 3) metres.
            basis: (n, 3, 3) side, forward and up as columns.
            velocity: (n, 3) metres a second; nan for vehicles that start at their start speed.
        """

    def pose(self, row: int, depsgraph: Depsgraph) -> tuple[np.ndarray, np.ndarray]:
        """The position (3,) and basis (3, 3) at which a vehicle stands in the evaluated scene."""

    def at_start(self, rows: Iterable[int]) -> AbstractContextManager[None]:
        """Let vehicles stand at their start, whatever moves them or has been baked, and restore them."""
        return nullcontext()

    def computed(self) -> Iterable[int]:
        """The rows of the vehicles whose parent's part Blender computes from where they stand."""
        return ()

    def store(self, identities: np.ndarray) -> None:
        """Store the identities (n,) and the starts in the file, once a bake has been handed over."""


def rows_of_points(source: VehicleSource, objects: Collection[Object]) -> np.ndarray:
    """The rows of the vehicles that are points of some objects, (m,)."""
    parts = [rows for part, rows in source.parts if not len(part.objects) and part.owner(0) in objects]
    return np.concatenate([*parts, np.zeros(0, dtype=np.int64)])


@dataclass(frozen=True)
class Vehicles:
    """The vehicles of a run.

    Attributes:
        identity: (n,) rising.
        keys: (n,) the random key of each, from the seeds and the identity.
        numbers: (n,) the number by which each draws lots with its crowd.
        crowd: (n,) the row of the crowd each belongs to.
        enters: (n,) the frame on which each enters; nan if its crowd decides.
        start_speed: (n,) speed at the start as a share of max_speed, for vehicles whose velocity is not known.
        preroll: (n,) the number of frames that each moves before the first.
    """

    source: VehicleSource
    identity: np.ndarray
    keys: Keys
    numbers: np.ndarray
    crowd: np.ndarray
    enters: np.ndarray
    start_speed: np.ndarray
    preroll: np.ndarray

    def __len__(self) -> int:
        return len(self.identity)
