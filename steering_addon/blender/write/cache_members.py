"""The members of a crowd that goes into a cache: objects, whose own looks are shown, and points, which have models."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from bpy.types import Action, Object

from ...portrayal.driver_properties import EFFORT
from ..animation.animation_data import action_of, channelbags
from ..animation.bake_record import our_record
from ..animation.posing import POSE
from ..crowds.cache_models import EFFORTS, Cycles, OfClips, OfDrivers, Variant, drives_by_phase, looks_of, shape_of
from ..crowds.model_aside import scale_in_world
from ..objects.focus import check_editable
from ..objects.hierarchy import Family
from ..read.joined_vehicles import object_part, point_parts
from ..read.plan import Plan
from ..read.point_vehicles import PointVehicles, models_of_points
from ..read.sources import CrowdSource, keyed_properties
from ..refusal import Refusal
from .subjects import PlayingModels


@dataclass(frozen=True)
class CachedMembers:
    """The m members of a crowd, in the order of its rows.

    Attributes:
        owners: the objects that rest while the cache plays: vehicles, and those whose points are vehicles.
        axes: (m, 3, 3) the side, forward and up axis of each model in its own space.
        signs: (m, 3) scales, of which the signs count: of a mirrored vehicle some are negative.
        scale: (m, 3) the scale in the scene.
        variant: (m,) which of the variants each shows.
        by_drivers, by_effort: (m,) whether drivers move its parts, and whether they do so as far as its effort tells.
    """

    owners: Sequence[Object]
    axes: np.ndarray
    signs: np.ndarray
    scale: np.ndarray
    variant: np.ndarray
    variants: Sequence[Variant]
    by_drivers: np.ndarray
    by_effort: np.ndarray

    @classmethod
    def of(cls, plan: Plan, playing: PlayingModels, crowd: CrowdSource, family: Family) -> "CachedMembers":
        """The members of a crowd. Refused if one cannot be put aside, or has no model."""
        source, m = plan.vehicles.source, len(crowd.rows)
        signs, scale, variant = np.ones((m, 3)), np.ones((m, 3)), np.zeros(m, dtype=np.int64)
        rows = np.flatnonzero(np.isin(crowd.rows, source.object_rows))
        of_objects = np.searchsorted(source.object_rows, crowd.rows[rows])
        vehicles = [source.objects[row] for row in of_objects.tolist()]
        makes = _Variants(crowd, playing, family)
        if vehicles:
            variant[rows] = makes.of_vehicles(vehicles, crowd.rows[rows])
            signs[rows] = object_part(source).scales(of_objects.tolist())
            scale[rows] = [scale_in_world(ob) for ob in vehicles]
        owners = list(vehicles)
        for points, of_points in point_parts(source):
            if points.crowd == crowd.ob:
                rows = np.searchsorted(crowd.rows, of_points)
                variant[rows] = chosen = makes.of_points(points)
                scale[rows] = points.scale[:, None] * np.array([each.scale for each in makes.variants])[chosen]
                owners.append(points.ob)
        check_editable(owners)
        driven = [isinstance(each.cycles, OfDrivers) for each in makes.variants]
        beaten = [isinstance(each.cycles, OfDrivers) and bool(each.cycles.efforts) for each in makes.variants]
        return cls(
            owners,
            source.axes[crowd.rows],
            signs,
            scale,
            variant,
            makes.variants,
            np.array(driven, dtype=np.bool_)[variant],
            np.array(beaten, dtype=np.bool_)[variant],
        )


class _Variants:
    """Finds what the members of a crowd look like."""

    def __init__(self, crowd: CrowdSource, playing: PlayingModels, family: Family) -> None:
        self._crowd, self._playing, self._family = crowd, playing, family
        self.variants: list[Variant] = []
        self._groups: dict[tuple, int] = {}

    def of_vehicles(self, vehicles: Sequence[Object], rows: np.ndarray) -> np.ndarray:
        """The variants of vehicles that are objects, (k,), at these rows of the run."""
        players = {
            int(row): (k, rig)
            for k, model in enumerate(self._playing.models)
            if model.crowd == self._crowd.ob
            for row, rig in zip(model.clips.rows, model.model.rigs)
        }
        looks, first = looks_of(vehicles, self._family)
        start = len(self.variants)
        for k in first:
            self._add(vehicles[k], players.get(int(rows[k])))
        return start + looks

    def of_points(self, points: PointVehicles) -> np.ndarray:
        """The variants of points, (k,): their models in the order of their names."""
        models = models_of_points(points.ob)
        if not models:
            text = f"The points of {points.ob.name} have no models. Choose a collection of some for it."
            raise Refusal(text, about=[points.ob])
        start = len(self.variants)
        for model in models:
            self._add(model, None)
        return start + np.clip(points.variant, 0, len(models) - 1)

    def _add(self, ob: Object, player: tuple[int, Object] | None) -> None:
        cycles: Cycles = Cycles()
        rig, group = ob, ("look", len(self.variants))
        if player is not None:
            k, rig = player
            model = self._playing.models[k]
            over = _over_clips(rig, {entry.action for entry in model.model.entries})
            cycles, group = OfClips(model.copies, len(model.clips.clips), over), ("clips", k)
        elif self._crowd.portrayal is not None and drives_by_phase(ob, self._family):
            cycles = OfDrivers(EFFORTS if EFFORT in keyed_properties(ob, self._crowd.ob) else ())
            group = ("drivers", *shape_of(ob, self._family))
        number = self._groups.setdefault(group, len(self._groups))
        self.variants.append(Variant(ob, rig, cycles, number, scale_in_world(ob)))


def _over_clips(rig: Object, clips: Set[Action]) -> Action | None:
    """The animator's action that a rig plays on top of its clips, such as one that holds arms; it poses bones only."""
    action = action_of(rig)
    if (record := our_record(action)) is not None:
        action = record.kept
    if action is None or action in clips:
        return None
    curves = [curve for bag in channelbags(action) for curve in bag.fcurves]
    return action if all(curve.data_path.startswith(POSE) for curve in curves) else None


def models_of_crowd(playing: PlayingModels, crowd: CrowdSource) -> Mapping[int, np.ndarray]:
    """The vehicles that play clips among those of a crowd, (k,) local rows each, by the numbers of the models."""
    return {
        k: np.searchsorted(crowd.rows, model.clips.rows)
        for k, model in enumerate(playing.models)
        if model.crowd == crowd.ob
    }
