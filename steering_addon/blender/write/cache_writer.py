"""The writer of crowd caches: keeps the portraits of crowds as columns, and makes a cache of each in the end.

Its members are objects, whose own looks are shown, and points, which have models.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Action, Object

from ...portrayal.driver_properties import EFFORT, PHASE, STATE
from ...portrayal.portrait import Portrait
from ...portrayal.sketch import VisibleBodies
from ..animation.animation_data import action_of, channelbags
from ..animation.bake_record import our_record
from ..animation.custom_properties import reading_drivers
from ..animation.posing import POSE
from ..animation.rotation_channels import RotationTrack
from ..crowds.asset_files import PHASES
from ..crowds.cache_models import (
    EFFORTS,
    Cycles,
    Layout,
    OfClips,
    OfDrivers,
    Variant,
    drives_by_phase,
    looks_of,
    making,
    shape_of,
)
from ..crowds.crowd_cache import ARRIVED, FLARES, PERCHED, NewCache, delete_caches, resting_parts, settle
from ..crowds.model_aside import scale_in_world
from ..objects.crowd_caches import cached_as
from ..objects.focus import check_editable
from ..objects.hierarchy import Family
from ..pieces import as_part
from ..read.joined_vehicles import object_part, point_parts
from ..read.local_space import to_local
from ..read.plan import Plan
from ..read.point_vehicles import PointVehicles, models_of_points
from ..read.sources import CrowdSource, beats, keyed_properties
from ..refusal import Refusal
from .subjects import PlayingModels, driven_crowds, stateful_crowds


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
            cycles = OfDrivers(EFFORTS if beats(self._crowd.ob) else ())
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


MODELS = 0.7
"""The share of the writing that making models takes, where any are posed."""


class CacheWriter:
    """Writes crowds of a plan into a crowd cache each."""

    def __init__(self, plan: Plan, playing: PlayingModels, crowds: Sequence[CrowdSource]) -> None:
        """Check what can be checked. Refused if a vehicle cannot be put aside."""
        self._plan = plan
        self._crowds = [_CrowdCache(plan, playing, crowd) for crowd in crowds if len(crowd.rows)]
        self._taken = 0

    def __bool__(self) -> bool:
        """Whether there is a crowd to write."""
        return bool(self._crowds)

    def frame(self, portrait: Portrait) -> None:
        """Take in the vehicles on a frame."""
        for crowd in self._crowds:
            crowd.frame(self._taken, portrait)
        self._taken += 1

    def prepare(self) -> Iterator[float]:
        """Make everything, yielding the share that is done; the scene does not change."""
        for done, crowd in enumerate(self._crowds):
            yield from as_part(crowd.prepare(), done / len(self._crowds), (done + 1) / len(self._crowds))

    def commit(self, run: str) -> None:
        """Give what was made to the scene."""
        for number, crowd in enumerate(self._crowds):
            crowd.commit(f"{run}:{number}")

    def discard(self) -> None:
        """Forget all of it; the file is as it was."""
        for crowd in self._crowds:
            crowd.discard()

    @staticmethod
    def has_written(ob: Object) -> bool:
        """Whether a cache holds the motion of an object."""
        return cached_as(ob) is not None

    @staticmethod
    def delete(objects: Iterable[Object]) -> None:
        """Remove the caches that hold the motion of these objects, each as a whole, and bring back its vehicles."""
        family = Family()
        delete_caches(objects, lambda ob: resting_parts(ob, family))


class _CrowdCache:
    """The columns of one crowd, and its cache."""

    def __init__(self, plan: Plan, playing: PlayingModels, crowd: CrowdSource) -> None:
        self._plan, self._crowd, self._family = plan, crowd, Family()
        self._rows, f, m = crowd.rows, len(plan.frames), len(crowd.rows)
        self._members = members = CachedMembers.of(plan, playing, crowd, self._family)
        self._position, self._rotation = np.empty((f, m, 3), np.float32), np.empty((f, m, 4), np.float32)
        self._away, self._cycle = np.zeros((f, m), np.bool_), np.zeros((f, m), np.int8)
        self._turns = [_Turns(rows, members.axes[rows[0]], members.signs[rows]) for rows in _alike(members.axes)]
        moves = any(len(variant.cycles) for variant in members.variants)
        self._phase = np.zeros((f, m), np.int8) if moves else None
        self._clips = models_of_crowd(playing, crowd)
        self._clips_made_of = next((playing.models[k].made_of for k in self._clips), "")
        driven, stateful = [each.ob for each in driven_crowds(plan)], [*stateful_crowds(plan)]
        self._driven, self._stateful = (obs.index(crowd.ob) if crowd.ob in obs else -1 for obs in (driven, stateful))
        self._state = np.zeros((f, m), np.int32) if self._stateful >= 0 else None
        self._start_velocity = np.zeros((m, 3))
        self._flags, self._outputs = np.zeros((f, m), np.int8), dict[str, np.ndarray]()
        self._read_by_drivers = _outputs_read(members.variants, crowd.ob, [state.ob for state in plan.states])
        self._new: NewCache | None = None

    def frame(self, row: int, portrait: Portrait) -> None:
        """Take in a frame, the one of this row."""
        bodies, rows = portrait.bodies, self._rows
        self._position[row] = bodies.position[rows]
        self._away[row] = portrait.away[rows]
        enters = np.flatnonzero(bodies.entered[rows])
        self._start_velocity[enters] = bodies.velocity[rows[enters]]
        for turns in self._turns:
            self._rotation[row, turns.rows] = turns.next(bodies, rows)
        told = zip((PERCHED, FLARES, ARRIVED), (bodies.perched, bodies.flares, bodies.arrived))
        self._flags[row] = sum(flag * mask[rows] for flag, mask in told)
        for name in self._read_by_drivers & portrait.outputs.keys():
            column = self._outputs.setdefault(name, np.zeros(self._away.shape, np.float32))
            column[row] = portrait.outputs[name][rows]
        if self._phase is not None:
            self._moved(row, portrait)
        if self._state is not None:
            self._state[row] = portrait.states[self._stateful][STATE]

    def _moved(self, row: int, portrait: Portrait) -> None:
        """Take in the cycle and the phase of each."""
        for k, local in self._clips.items():
            played = portrait.models[k].played
            cycle = played.share.argmax(axis=0)
            self._cycle[row, local] = cycle
            self._phase[row, local] = _parts_of_cycle(played.phase[cycle, np.arange(len(local))])
        driven = self._members.by_drivers
        if driven.any():
            told = portrait.driven[self._driven].properties
            self._phase[row, driven] = _parts_of_cycle(told[PHASE][driven])
            beaten = self._members.by_effort
            apart = np.abs(told[EFFORT][beaten, None] - np.array(EFFORTS))
            self._cycle[row, beaten] = apart.argmin(axis=1)

    def prepare(self) -> Iterator[float]:
        """Make the models and the columns, yielding the share that is done."""
        scene, layer = self._plan.scene, _layer_of(self._plan.scene)
        work = making(self._members.variants, self._played(), scene, layer, self._family)
        layouts = yield from as_part(work, 0.0, MODELS)
        number = max(len(layout) for layout in layouts.values())
        columns = {"pose": self._poses(layouts, np.int8 if number < PHASES else np.int32)}
        if self._phase is not None:
            columns["phase"] = self._phase
        if self._state is not None:
            columns["state"] = self._state.astype(np.int8) if self._state.max(initial=0) < PHASES else self._state
        if self._flags.any():
            columns["flags"] = self._flags
        columns |= self._outputs
        yield MODELS
        self._new = NewCache(
            crowd=self._crowd.ob,
            first=int(self._plan.frames[0]),
            rate=1.0 / self._plan.frame_time,
            position=self._position,
            rotation=self._rotation,
            columns=columns,
            identity=self._plan.vehicles.identity[self._rows],
            variant=self._members.variant,
            scale=self._members.scale,
            start_velocity=self._start_velocity,
            poses=number,
            models=[each.hold_poses(k * number, number) for k, each in enumerate(self._members.variants)],
            clips=self._clips_made_of,
        )
        for done, _ in enumerate(self._new.making(), 1):
            yield MODELS + (1.0 - MODELS) * min(done / 8.0, 1.0)

    def _played(self) -> dict[int, set[int]]:
        """The cycles that are played on any frame, by the groups of variants."""
        played: dict[int, set[int]] = {}
        for variant, each in enumerate(self._members.variants):
            local = np.flatnonzero(self._members.variant == variant)
            cycles = self._cycle[:, local][~self._away[:, local]]
            played.setdefault(each.group, set()).update(np.unique(cycles).tolist())
        return played

    def _poses(self, layouts: Mapping[int, Layout], kind: type) -> np.ndarray:
        """The numbers of the meshes, (f, m); -1 of those who are away."""
        poses = np.full(self._away.shape, -1, kind)
        for variant, each in enumerate(self._members.variants):
            local = np.flatnonzero(self._members.variant == variant)
            phase = self._phase[:, local] / PHASES if self._phase is not None else np.zeros((1, 1))
            poses[:, local] = layouts[each.group].shown(self._cycle[:, local], phase)
        poses[self._away] = -1
        return poses

    def commit(self, cache: str) -> None:
        """Give the cache to the scene and let the vehicles rest."""
        frames = int(self._plan.frames[0]), int(self._plan.frames[-1])
        self._new.hand_over(self._plan.scene, cache, frames[1])
        owners = self._members.owners
        parts_of_all = [part for ob in owners for part in resting_parts(ob, self._family)]
        settle(owners, parts_of_all, cache, frames, self._plan.scene)
        for variant in self._members.variants:
            variant.meshes.clear()

    def discard(self) -> None:
        """Remove what was made."""
        if self._new is not None:
            self._new.discard()
        meshes = dict.fromkeys(mesh for variant in self._members.variants for mesh in variant.meshes)
        bpy.data.batch_remove([mesh for mesh in meshes if not mesh.users])
        for variant in self._members.variants:
            variant.meshes.clear()


def _outputs_read(variants: Sequence[Variant], crowd: Object, states: Sequence[Object]) -> set[str]:
    """The names of what drivers of models read of the locomotion; `states`: of the run."""
    vehicles = [variant.vehicle for variant in variants]
    names = {name for ob in vehicles for name in keyed_properties(ob, crowd, states)}
    return {name for drivers in reading_drivers(vehicles, names).values() for name in drivers}


class _Turns:
    """The rotations of k vehicles with the same axes, frame after frame. `rows`: (k,) theirs among those of the
    crowd."""

    def __init__(self, rows: np.ndarray, axes: np.ndarray, signs: np.ndarray) -> None:
        self.rows, self._axes, self._signs = rows, axes, signs
        self._track = RotationTrack("QUATERNION")

    def next(self, bodies: VisibleBodies, of_crowd: np.ndarray) -> np.ndarray:
        """The quaternions (k, 4) on the next frame; `of_crowd`: (m,) the rows of the crowd."""
        rows = of_crowd[self.rows]
        basis = np.stack((bodies.side[rows], bodies.forward[rows], bodies.up[rows]), axis=-1)
        _, turns = to_local(None, bodies.position[rows][None], basis[None], self._axes, self._signs)
        return self._track.extend(turns)[0]


def _alike(axes: np.ndarray) -> list[np.ndarray]:
    """The rows of each group of vehicles with the same axes (n, 3, 3)."""
    groups, left = [], np.arange(len(axes))
    while len(left):
        same = (axes[left] == axes[left[0]]).all(axis=(1, 2))
        groups.append(left[same])
        left = left[~same]
    return groups


def _parts_of_cycle(phase: np.ndarray) -> np.ndarray:
    return np.minimum((phase - np.floor(phase)) * PHASES, PHASES - 1).astype(np.int8)


def _layer_of(scene: object) -> object:
    """The view layer whose visibility counts."""
    context = bpy.context
    return context.view_layer if context.scene == scene and context.view_layer is not None else scene.view_layers[0]
