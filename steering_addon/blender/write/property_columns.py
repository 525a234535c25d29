"""The custom properties that a bake keys on vehicles: numbers for drivers, how far heads turn, and states."""

from collections.abc import Collection

import numpy as np
from bpy.types import Object

from ...portrayal.driver_properties import LOOKS, STATE
from ...portrayal.finish import HeadsAhead
from ...portrayal.portrait import CrowdPortrait, Portrait
from ..clips.crowd_clips import settings_for
from ..read.plan import Plan
from ..read.sources import CrowdSource, keyed_properties
from .subjects import driven_crowds, stateful_crowds

KEY = np.float32
"""The type of the numbers that Blender's keys hold."""


class DriverColumns:
    """The numbers for drivers of the vehicles of a plan, on all frames."""

    def __init__(self, plan: Plan, but: Collection[Object]) -> None:
        """`but`: crowds that are left out."""
        driven = enumerate(driven_crowds(plan))
        self._crowds = [(k, _CrowdColumns(plan, crowd)) for k, crowd in driven if crowd.ob not in but]

    def frame(self, row: int, portrait: Portrait) -> None:
        """Take in a frame, the one of this row."""
        for k, crowd in self._crowds:
            crowd.frame(row, portrait.driven[k])

    def columns(self) -> dict[int, dict[str, np.ndarray]]:
        """The properties (f,) of each vehicle by name, by its row."""
        return {row: columns for _, crowd in self._crowds for row, columns in crowd.columns().items()}


class _CrowdColumns:
    """The numbers for drivers of one crowd."""

    def __init__(self, plan: Plan, crowd: CrowdSource) -> None:
        self._crowd = crowd
        source = plan.vehicles.source
        self._keyed = [keyed_properties(source.owner(row), crowd.ob) for row in crowd.rows.tolist()]
        names = dict.fromkeys(name for keyed in self._keyed for name in keyed if name not in LOOKS)
        self._columns = {name: np.zeros((len(crowd.rows), len(plan.frames)), KEY) for name in names}
        lead = float(settings_for(crowd.ob, 1).look_ahead[0])
        self._heads = HeadsAhead(lead, plan.frame_time, eases_always=True) if crowd.portrayal.look.any() else None

    def frame(self, row: int, portrayed: CrowdPortrait) -> None:
        for name in self._columns.keys() & portrayed.properties.keys():
            self._columns[name][:, row] = portrayed.properties[name]
        if self._heads is not None:
            self._heads.frame(portrayed.heads)

    def columns(self) -> dict[int, dict[str, np.ndarray]]:
        """The properties (f,) of each vehicle by name, by its row."""
        told = {
            row: {name: self._columns[name][k] for name in self._keyed[k] if name in self._columns}
            for k, row in enumerate(self._crowd.rows.tolist())
        }
        if self._heads is not None:
            left, raised, _ = self._heads.turned()
            for k, columns in enumerate(told.values()):
                columns |= dict(zip(LOOKS, (left[k], raised[k])))
        return told


class StateColumns:
    """The numbers that tell the states of the vehicles of a plan, on all frames."""

    def __init__(self, plan: Plan, but: Collection[Object]) -> None:
        """`but`: crowds that are left out."""
        self._crowds, numbers = [], sorted({state.crowd for state in plan.states})
        for k, (number, crowd) in enumerate(zip(numbers, stateful_crowds(plan), strict=True)):
            if plan.crowds[number].ob not in but:
                shape, kinds = (len(crowd.rows), len(plan.frames)), {STATE: np.int32} | dict.fromkeys(crowd.names, KEY)
                columns = {name: np.zeros(shape, kind) for name, kind in kinds.items()}
                self._crowds.append((k, crowd.rows, columns))

    def frame(self, row: int, portrait: Portrait) -> None:
        """Take in a frame, the one of this row."""
        for k, _, columns in self._crowds:
            for name, column in columns.items():
                column[:, row] = portrait.states[k][name]

    def columns(self) -> dict[int, dict[str, np.ndarray]]:
        """The properties (f,) of each vehicle by name, by its row."""
        return {
            row: {name: column[k] for name, column in columns.items()}
            for _, rows, columns in self._crowds
            for k, row in enumerate(rows.tolist())
        }
