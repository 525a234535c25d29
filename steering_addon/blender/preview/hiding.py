"""The objects that a preview hides, as the bake will: absent vehicles, and resources that are eaten up."""

from collections.abc import Iterable

import bpy
import numpy as np
from bpy.types import Object

from ...portrayal.sketch import Sketch
from ..animation.animation_data import action_of
from ..animation.ownership import bake_of
from ..animation.visibility import SWITCHES
from ..objects.hierarchy import Family
from ..read.dependencies import with_all_behind
from ..read.plan import Plan
from ..read.sources import may_be_hidden, parts_of
from ..write.subjects import Resources

VIEWPORT, _ = SWITCHES


class Hideable:
    """The vehicles of a plan, followed by its resources, that may be hidden; a row each. `resources`: the objects of
    resources that are shrunk to nothing; `covered`: by row, the object and those of its parts that keys of an earlier
    bake hide on some frames."""

    def __init__(self, plan: Plan) -> None:
        family = Family()
        self._resources = Resources(plan)
        source = plan.vehicles.source
        self._count, self._vehicles = len(plan), dict(zip(source.object_rows.tolist(), source.objects))
        hide = [*source.hides.tolist(), *(may_be_hidden(body.ob) for body in self._resources.bodies)]
        self._hide = np.array(hide, dtype=np.bool_)
        self._carriers = np.array([body.carrier for body in self._resources.bodies], dtype=np.int64)
        self._shrinking = [_tops(parts, family) if self._resources.fed_on else [] for parts in self._resources.parts]
        self.resources = frozenset(ob for obs in self._shrinking for ob in obs)
        eaten = {ob for parts in self._resources.parts for ob in parts}
        seen = {
            row: [ob, *(part for part in parts_of(ob, family) if part not in eaten)]
            for row, ob in self._vehicles.items()
        }
        seen |= dict(enumerate(self._resources.parts, self._count))
        covered = {row: [ob for ob in obs if _is_covered(ob)] for row, obs in seen.items()}
        self.covered = {row: obs for row, obs in covered.items() if obs}
        self._looking = {ob: rows for ob in bpy.data.objects if ob.type == "CAMERA" and len(rows := self._carrying(ob))}

    def gone(self, sketch: Sketch) -> np.ndarray:
        """The rows that are absent, (n + m,): vehicles that are away and resources that are eaten up."""
        return np.concatenate((sketch.away, self._resources.eaten_up(sketch)))

    def hidden(self, gone: np.ndarray) -> np.ndarray:
        """The rows that are hidden while these are absent, (n + m,)."""
        hidden = gone & self._hide
        vehicles, resources = np.split(hidden, [self._count])
        carried = self._carriers >= 0
        resources[carried] |= vehicles[self._carriers[carried]]
        return hidden

    def shrunk(self, hidden: np.ndarray) -> list[Object]:
        """The objects to shrink to nothing while these rows are hidden; their children shrink with them."""
        n = self._count
        vehicles = [self._vehicles[row] for row in np.flatnonzero(hidden[:n]).tolist() if row in self._vehicles]
        return vehicles + [ob for row in np.flatnonzero(hidden[n:]) for ob in self._shrinking[row]]

    def looking(self, hidden: np.ndarray) -> list[Object]:
        """The cameras that would shrink with these hidden rows, and show nothing."""
        return [camera for camera, rows in self._looking.items() if hidden[rows].any()]

    def uncovered(self, hidden: np.ndarray) -> list[Object]:
        """The objects that keys of a bake hide on the current frame, but that this preview shows."""
        return [ob for row, obs in self.covered.items() if not hidden[row] for ob in obs if ob.hide_viewport]

    def _carrying(self, camera: Object) -> np.ndarray:
        """The rows of the objects that a camera depends on, by its parents or otherwise."""
        dependencies = set(with_all_behind([camera]))
        shrinking = {row: [ob] for row, ob in self._vehicles.items()} | dict(enumerate(self._shrinking, self._count))
        rows = [row for row, obs in shrinking.items() if self._hide[row] and not dependencies.isdisjoint(obs)]
        return np.array(rows, dtype=np.int64)


def _tops(parts: Iterable[Object], family: Family) -> list[Object]:
    """The topmost parts whose children are all parts: shrinking them shrinks nothing else."""
    parts = set(parts)
    alone = {ob for ob in parts if parts.issuperset(family.descendants(ob))}
    return [ob for ob in alone if ob.parent not in alone]


def _is_covered(ob: Object) -> bool:
    record = bake_of(ob) if action_of(ob) is not None else None
    return record is not None and record.kept_hidden.get(VIEWPORT, True) is False
