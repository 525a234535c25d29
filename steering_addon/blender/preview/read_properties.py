"""The custom properties of vehicles that drivers read, as a preview shows them: how far a wheel has turned or a head
looks aside, and in what state its vehicle is.

They are set on the objects for the moment in which Blender evaluates these. Where the animator's object lacks one, no
driver can read it, and none is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from ...portrayal.state_properties import is_of_states
from ...simulation.arrays.vectors import anybody, magnitude
from ...simulation.snapshot import State
from ..animation.custom_properties import reading_drivers
from ..read.plan import Plan
from ..read.sources import keyed_properties
from ..write.look_properties import LiveLooks
from ..write.plan_states import StateProperties
from ..write.portrayed import Portrayed

if TYPE_CHECKING:
    from bpy.types import Object

    from .poses import Poses, Told


class ReadProperties:
    """What drivers read of the vehicles of a plan, on the frames that the preview has reached.

    Attributes:
        names: of the properties, by the row of the vehicle.
    """

    def __init__(self, plan: Plan) -> None:
        self._objects = plan.vehicles.source.objects
        self._first, self._taken = int(plan.frames[0]), 0
        self._seen = np.zeros(len(plan), dtype=np.bool_)
        self.names = _names_read(plan)
        portrayed = [crowd for crowd in plan.crowds if crowd.portrayal is not None] if self.names else []
        self._portrayed = [Portrayed(plan, crowd) for crowd in portrayed]
        # These fill as frames are taken in.
        self._columns = {row: columns for portrayed in self._portrayed for row, columns in portrayed.columns()}
        self._looks = LiveLooks(plan)
        self._told: list[Told] = []
        self._states = StateProperties(plan, 1) if self.names else None

    def __bool__(self) -> bool:
        return bool(self.names)

    @property
    def next_frame(self) -> int:
        """The first frame that was not taken in."""
        return self._first + self._taken

    def of_states(self, state: State) -> Told:
        """Those that tell the states of the vehicles."""
        if self._states is None:
            return {}
        self._states.frame(0, state)
        return {
            row: {name: float(column[0]) for name, column in columns.items()}
            for row, columns in self._states.columns().items()
            if row in self.names
        }

    def on_frame(self, frame: int, new: Iterable[Poses]) -> list[tuple[Object, dict[str, float]]]:
        """What drivers read of each object on a frame.

        Args:
            new: what came out on the frames from `next_frame` to this one.
        """
        if not self.names:
            return []
        for poses in new:
            self._take(poses)
        row = frame - self._first
        looks, states = self._looks.on_frame(row), self._told[row]
        shown = []
        for vehicle, names in self.names.items():
            known = {name: float(column[row]) for name, column in self._columns.get(vehicle, {}).items()}
            known |= looks.get(vehicle, {}) | states.get(vehicle, {})
            shown.append((self._objects[vehicle], {name: known[name] for name in names if name in known}))
        return shown

    def _take(self, poses: Poses) -> None:
        bodies, away = poses.bodies, poses.gone[: len(self._seen)]
        entered = ~away & ~self._seen
        self._seen |= entered
        speed = magnitude(bodies.velocity) if anybody(entered) else None
        for portrayed in self._portrayed:
            portrayed.frame(self._taken, bodies.position, bodies.growth, entered, speed, poses.outputs)
        self._looks.frame(bodies, bodies.growth, poses.lift)
        self._told.append(poses.states)
        self._taken += 1


def _names_read(plan: Plan) -> dict[int, tuple[str, ...]]:
    """The properties that the bake of a plan would key and that drivers read, by the row of the vehicle."""
    objects = plan.vehicles.source.objects
    keyed = {row: keyed_properties(objects[row], crowd.ob) for crowd in plan.crowds for row in crowd.rows.tolist()}
    present = {
        row: [name for name in list(objects[row].keys()) if name in names or is_of_states(name)]
        for row, names in keyed.items()
    }
    obs = {objects[row]: row for row, names in present.items() if names}
    drivers = reading_drivers(obs, sorted({name for names in present.values() for name in names}))
    return {obs[ob]: tuple(sorted(read)) for ob, read in drivers.items() if read}


@contextmanager
def told_to_drivers(told: Sequence[tuple[Object, Mapping[str, float]]]) -> Iterator[None]:
    """Give properties of objects these values until the end; Blender does not notice that they go again."""
    before = []
    try:
        for ob, values in told:
            for name, value in values.items():
                was = ob.get(name)
                if isinstance(was, (int, float)):
                    before.append((ob, name, was))
                    ob[name] = value if isinstance(was, float) else round(value)
            ob.update_tag()
        yield
    finally:
        for ob, name, was in before:
            ob[name] = was
