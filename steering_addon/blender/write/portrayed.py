"""The custom properties of vehicles that drivers of their wings, wheels and legs read, frame after frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from ...portrayal.driver_properties import LOOKS, PROPERTIES, DriverProperties, stride_factors
from ...simulation.arrays.vectors import Mask, Scalars, Vectors
from ..read.sources import keyed_properties

if TYPE_CHECKING:
    from ..read.plan import Plan
    from ..read.sources import CrowdSource

KEY = np.float32
"""The type of the numbers that Blender's keys hold."""


class Portrayed:
    """The driver properties of the vehicles of one crowd, but for how far heads turn."""

    def __init__(self, plan: Plan, crowd: CrowdSource) -> None:
        self._rows, self._portrayal = crowd.rows, crowd.portrayal
        model = crowd.ob.steering.vehicle
        cruise = model.max_speed * model.cruise_speed
        self._run = DriverProperties(crowd.portrayal, plan.vehicles.keys[crowd.rows], plan.frame_time, cruise)
        objects = plan.vehicles.source.objects
        self._keyed = [keyed_properties(objects[row], crowd.ob) for row in crowd.rows.tolist()]
        names = tuple(dict.fromkeys(name for keyed in self._keyed for name in keyed))
        self._outputs = tuple(name for name in names if name not in (*PROPERTIES, *LOOKS))
        self._columns = {
            name: np.empty((len(crowd.rows), len(plan.frames)), KEY) for name in names if name not in LOOKS
        }

    def frame(
        self,
        row: int,
        position: Vectors,
        heights: Scalars,
        entered: Mask,
        start_speed: Scalars | None,
        outputs: Mapping[str, Scalars],
    ) -> None:
        """Take in all vehicles on a frame, the one of this row.

        Args:
            position: (n, 3) metres.
            heights: (n,) metres, 0 if unknown.
            entered: (n,) whether this is the first frame on which a vehicle is present.
            start_speed: (n,) metres a second; None if none has entered.
            outputs: (n,) of locomotions, by name.
        """
        rows = self._rows
        speed = np.zeros(len(rows)) if start_speed is None else start_speed[rows]
        strides = stride_factors(self._portrayal, heights[rows])
        values = self._run.frame(position[rows], strides, entered[rows], speed)
        for name in self._columns.keys() & values.keys():
            self._columns[name][:, row] = values[name]
        for name in self._outputs:
            self._columns[name][:, row] = outputs[name][rows] if name in outputs else 0.0

    def columns(self) -> Iterator[tuple[int, dict[str, np.ndarray]]]:
        """The row of each vehicle, with its properties (f,) by name."""
        for k, row in enumerate(self._rows.tolist()):
            yield row, {name: self._columns[name][k] for name in self._keyed[k] if name in self._columns}
