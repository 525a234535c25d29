"""Vehicles and their bodies on the frames of a run, and the poses of the armatures that play clips."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ...portrayal.riding import Carriage
from ...simulation.arrays.chance import Keys
from ...simulation.arrays.vectors import Mask, Rows, Scalars, Vectors

if TYPE_CHECKING:
    from bpy.types import Object


@dataclass(frozen=True)
class Members:
    """Vehicles of a crowd on the frames of a run.

    Attributes:
        crowd: their crowd.
        vehicles: these.
        keys: (n,) their random keys.
    """

    crowd: Object
    vehicles: tuple[Object, ...]
    keys: Keys


@dataclass(frozen=True)
class Bodies:
    """The bodies of vehicles on a frame.

    Attributes:
        position, forward, up: (n, 3) metres and unit axes.
        velocity: (n, 3) m/s.
        growth: (n,) how many times as large as at first they are.
        entered: (n,) whether this is the first frame on which a vehicle is present.
        present: (n,) whether it is.
        in_company: (n,) whether it stands with another of them.
        state: (n,) the number of its state, 0 for none.
        arrived: (n,) whether it is where it was led.
        caller: (n, 3) the place of what called it into its state, nan where it does not look at that.
        carriage: what the ground has done with them since the frame before.
    """

    position: Vectors
    forward: Vectors
    up: Vectors
    velocity: Vectors
    growth: Scalars
    entered: Mask
    present: Mask
    in_company: Mask
    state: Rows
    arrived: Mask
    caller: Vectors
    carriage: Carriage

    def entering(self, entered: Mask) -> Bodies:
        """The same, while these (n,) enter."""
        return replace(self, entered=entered)

    def take(self, rows: Rows) -> Bodies:
        return Bodies(**{name: column[rows] for name, column in vars(self).items()})


@dataclass(frozen=True)
class RigPose:
    """The pose of an armature that plays clips.

    Attributes:
        channels: as (data path, index).
        values: (c,) of these.
    """

    rig: Object
    channels: Sequence[tuple[str, int]]
    values: np.ndarray
