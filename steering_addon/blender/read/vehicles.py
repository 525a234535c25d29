"""The vehicles of a run as a table: a row each, sorted by identity, independent of their source.

The table holds what does not change during the run; the rest is read from its source. In
`object_vehicles.ObjectVehicles` each vehicle is an object. Another source, say the points of a mesh, is another class
with these methods.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ...simulation.arrays.chance import Keys
from ...simulation.locomotion import Locomotion

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object

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


class VehicleSource(Protocol):
    """Where the vehicles of a run are read from; all arrays are in the order of the table's rows.

    Attributes:
        own_locomotions: those of the vehicles that do not move as their crowd does, by row.
    """

    own_locomotions: Mapping[int, type[Locomotion]]

    def needed(self) -> Iterable[Object]:
        """The objects that must be evaluated on each frame."""

    def settings(self, depsgraph: Depsgraph, frame: int) -> Mapping[str, np.ndarray]:
        """The (n,) columns named by OWN_SETTINGS on the frame of the depsgraph; not to be written to.

        Raises:
            Refusal: a value is not a number.
        """

    def parent_parts(self, depsgraph: Depsgraph, frame: int) -> np.ndarray:
        """The parents' parts (p, 4, 4) on the frame of the depsgraph, of the p vehicles that have a parent.

        Raises:
            Refusal: a parent has an invalid transform.
        """

    def heights(self, depsgraph: Depsgraph, frame: int, parent_parts: np.ndarray) -> np.ndarray:
        """The heights (n,) of the vehicles in metres on the frame of the depsgraph, 0 if unknown; not to be written to.

        Raises:
            Refusal: a scale is not a number.
        """

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

    def computed(self) -> Iterable[int]:
        """The rows of the vehicles whose parent's part Blender computes from where they stand."""

    def store(self, identities: np.ndarray) -> None:
        """Store the identities (n,) and the starts in the file, once a bake has been handed over."""


@dataclass(frozen=True)
class Vehicles:
    """The vehicles of a run.

    Attributes:
        source: what they are read from.
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
