"""The writer of keyframes: turns the portraits of vehicles into keys on their own channels.

What comes in is kept for a few frames, then converted to channels, of which only the numbers of the keys are kept.
Custom properties are keyed alike: numbers for drivers, how far heads turn, and states.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice

import numpy as np
from bpy.types import Object

from ...portrayal.driver_properties import LOOKS, STATE
from ...portrayal.finish import HeadsAhead
from ...portrayal.portrait import Portrait, StatefulCrowd
from ...portrayal.sketch import VisibleBodies
from ...recording.thinned_curves import TOGETHER, ThinnedCurve
from ..animation.ownership import keyed_bake_of
from ..animation.rotation_channels import WIDEST, width_of
from ..animation.staging import Staging, clear_all
from ..clips.clip_record import clip_record
from ..clips.crowd_clips import settings_for
from ..clips.shapes import clear_players, has_own_shapes
from ..objects.hierarchy import Family, ancestors
from ..objects.tagged_objects import names_of
from ..pieces import as_part
from ..properties import scene_setting
from ..read.joined_vehicles import object_part
from ..read.plan import Plan
from ..read.sources import CrowdSource, keyed_properties, parts_of
from ..refusal import Refusal
from .channels import AT_ONCE, LATEST, ChannelConverter, NeededKeys
from .clip_writer import ClipWriter
from .subjects import Eaten, PlayingModels, driven_crowds, radii, stateful_crowds

STAGING = 0.4
"""The share of the writing that the keys of vehicles take; the clips of their armatures take the rest."""
HANDING_OVER = 0.1
"""The share of the writing that preparing to hand over takes."""
SMALLEST = 1e-9
"""The least metres for which a unit of a location may stand."""
LEAST_FRAMES = 16
"""Frames converted together at least: with fewer, each call of numpy has too little to do."""


def frames_at_once(vehicles: int, frames: int) -> int:
    """The number of frames that are converted together."""
    return min(max(AT_ONCE // max(vehicles, 1), LEAST_FRAMES), frames)


class KeyWriter:
    """Writes vehicles of a plan, which are objects, into keyframes."""

    def __init__(
        self, plan: Plan, playing: PlayingModels, but: Collection[Object] = (), *, replace_own_keys: bool = False
    ) -> None:
        """`but`: crowds that are written elsewhere; `replace_own_keys`: whether animation of the vehicles' own is set
        aside. Refused if clips of a crowd cannot be played, or a vehicle is a point."""
        source = plan.vehicles.source
        written = ~np.array([crowd.ob in but for crowd in plan.crowds], dtype=np.bool_)[plan.vehicles.crowd]
        rows = np.flatnonzero(written)
        if len(points := np.setdiff1d(rows, source.object_rows)):
            ob = source.owner(int(points[0]))
            raise Refusal(
                f"The points of {ob.name} cannot have keyframes. Lock {ob.name}, or remove its tag.", about=[ob]
            )
        n, f, whole = len(rows), len(plan.frames), object_part(source)
        # A slice is taken out of an array faster than single rows.
        self._rows: slice | np.ndarray = slice(None) if n == len(plan) else rows
        self._source = whole.take(of_objects := np.searchsorted(source.object_rows, rows))
        self._parented = np.flatnonzero(np.isin(whole.parented, of_objects))
        self._plan, self._replace = plan, replace_own_keys
        frames = frames_at_once(n, f)
        self._channels = ChannelConverter(self._source, self._source.rotation, frames)
        self._poses = _Poses(frames, n, self._source.parented)
        self._location = np.empty((n, 3, f), KEY)
        self._rotation = np.empty((n, WIDEST, f), KEY)
        self._away = np.zeros((f, n), dtype=np.bool_)
        driven, stateful = enumerate(driven_crowds(plan)), enumerate(stateful_crowds(plan).items())
        self._numbers = [DriverColumns(plan, k, crowd) for k, crowd in driven if crowd.ob not in but]
        self._states = [StateColumns(k, crowd, f) for k, (ob, crowd) in stateful if ob not in but]
        self._clips = ClipWriter(plan, playing, but, replace=replace_own_keys)
        self._eaten = Eaten(plan)
        self._taken = 0
        self._staging: Staging | None = None
        self._needed = _needed_keys(plan, self._rows)
        self._exact = _exact(plan, playing)

    @property
    def objects(self) -> Sequence[Object]:
        """The vehicles that it writes."""
        return self._source.objects

    def frame(self, portrait: Portrait) -> None:
        """Take in the vehicles on a frame."""
        row, self._taken = self._taken, self._taken + 1
        self._away[row] = portrait.away[self._rows]
        for columns in (*self._numbers, *self._states, self._clips, self._eaten):
            columns.frame(row, portrait)
        self._poses.take(portrait.bodies.take(self._rows), portrait.parent_parts[self._parented])
        if self._poses.full or self._taken == len(self._plan.frames):
            self._convert()

    def finish(self, run: str) -> Iterator[float]:
        """Stage the keys of each vehicle, then give all of them to the scene."""
        plan, source = self._plan, self._source
        self._staging = staging = Staging(run, plan.frames, len(source))
        row_of = {row: k for k, row in enumerate(np.arange(len(plan))[self._rows].tolist())}
        numbers, states = (
            {row_of[row]: told for crowd in crowds for row, told in crowd.columns().items()}
            for crowds in (self._numbers, self._states)
        )
        posed = self._clips.posed
        written = 1.0 - HANDING_OVER
        share = STAGING if self._clips else written
        for done, (row, thinned) in enumerate(self._thinned(numbers), 1):
            staging.add(
                source.objects[row],
                self._location[row].T,
                self._rotation[row, : width_of(source.objects[row].rotation_mode)].T,
                replace=self._replace,
                properties=numbers.get(row),
                seldom=states.get(row),
                only_baked=bool(source.only_baked[row]),
                hidden=self._away[:, row] if source.hides[row] else None,
                posed=posed.get(source.objects[row], ()),
                thinned=thinned,
            )
            yield share * done / len(source)
        if self._clips:
            yield from as_part(self._clips.prepare(), STAGING, written)
        away = self._away & source.hides
        carried = np.zeros((len(away), len(plan)), dtype=np.bool_)
        carried[:, self._rows] = away
        self._eaten.hide(staging, carried, self._replace)
        self._hide_parts(staging, away)
        yield from as_part(staging.commit(plan.scene.frame_current_final), written, 1.0)
        self._clips.write()

    @property
    def told(self) -> str:
        """A sentence about the keys for the report of the bake; empty for none."""
        return self._needed.told if self._needed is not None and self._needed.of else ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for the animator about what was written."""
        return tuple(self._clips.warnings)

    def discard(self) -> None:
        """Forget all of it; the file is as it was."""
        if self._staging is not None:
            self._staging.discard()
        if self._clips:
            self._clips.discard()

    @staticmethod
    def has_written(ob: Object) -> bool:
        """Whether a bake left keys or strips on an object."""
        return keyed_bake_of(ob) is not None or _plays_clips(ob)

    @staticmethod
    def delete(objects: Iterable[Object]) -> tuple[str, ...]:
        """Remove the keys and strips that bakes left on these objects, and restore what they had set aside."""
        objects = list(objects)
        # First, as a vehicle that is an armature is to be left without animation.
        edited = clear_players([ob for ob in objects if _plays_clips(ob)])
        clear_all([ob for ob in objects if keyed_bake_of(ob) is not None])
        names = names_of([str(each) for each in edited])
        return (f"Kept NLA strips that were edited: {names}. Delete them if they are not needed",) if edited else ()

    def _thinned(self, numbers: Mapping[int, Mapping[str, np.ndarray]]) -> Iterator[tuple[int, Sequence[ThinnedCurve]]]:
        """Each vehicle by its row, with its curves if it gets keys where they are needed only.

        `numbers`: for drivers, (f,) each by name, of those that have some.
        """
        objects, frames = self._source.objects, len(self._plan.frames)

        def kind(row: int) -> tuple[bool, str, tuple[str, ...]]:
            return objects[row] not in self._exact, objects[row].rotation_mode, tuple(numbers.get(row, ()))

        for (thins, mode, names), alike in groupby(self._channels.order, kind):
            at_once = max(TOGETHER // (frames * (3 + WIDEST + len(names))), 1)
            while rows := list(islice(alike, at_once)):
                curves: Sequence[Sequence[ThinnedCurve]] = [()] * len(rows)
                if thins and self._needed is not None:
                    told = [[numbers[row][name] for name in names] for row in rows] if names else []
                    curves = self._needed.found(
                        self._location[rows],
                        self._rotation[rows, : width_of(mode)],
                        np.array(told, KEY).reshape(len(rows), len(names), frames),
                        mode,
                        rows,
                        self._poses.stretch[rows],
                    )
                yield from zip(rows, curves)

    def _convert(self) -> None:
        """Convert the poses taken in since the last time."""
        parts, positions, bases = self._poses.taken()
        frames = slice(self._taken - len(positions), self._taken)
        for rows, location, rotation in self._channels.extend(parts, positions, bases):
            self._location[rows, :, frames] = np.moveaxis(location, 0, -1)
            self._rotation[rows, : rotation.shape[-1], frames] = np.moveaxis(rotation, 0, -1)

    def _hide_parts(self, staging: Staging, away: np.ndarray) -> None:
        """Hide the visible parts of vehicles while these are hidden, (f, n); resources are hidden on their own."""
        family = Family()
        for row, ob in enumerate(self._source.objects):
            for part in parts_of(ob, family):
                if part not in self._eaten.objects:
                    staging.hide(part, away[:, row], self._replace)


class _Poses:
    """The poses of n vehicles on the frames that are still to be converted, p of them with a parent.

    Arrays are laid out number by number, as they come from the simulation and go into curves. `stretch`: (n, 3) the
    most metres for which a unit of each number of a location has stood so far.
    """

    def __init__(self, frames: int, n: int, parented: Sequence[int]) -> None:
        p, self._parented = len(parented), parented
        self.stretch = np.ones((n, 3))
        self.stretch[parented] = SMALLEST
        self._positions = np.empty((3, frames, n))
        self._bases = np.empty((3, 3, frames, n))
        self._parts = np.empty((frames, p, 4, 4))
        self._count = 0

    @property
    def full(self) -> bool:
        return self._count == len(self._parts)

    def take(self, bodies: VisibleBodies, parts: np.ndarray) -> None:
        """Take in a frame: the bodies, and the parents' parts (p, 4, 4)."""
        self._positions[:, self._count] = bodies.position.T
        for k, axis in enumerate((bodies.side, bodies.forward, bodies.up)):
            self._bases[:, k, self._count] = axis.T
        self._parts[self._count] = parts
        lengths = np.sqrt((parts[:, :3, :3] * parts[:, :3, :3]).sum(axis=1))
        self.stretch[self._parented] = np.maximum(self.stretch[self._parented], lengths)
        self._count += 1

    def taken(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The parents' parts (f, p, 4, 4), positions (f, n, 3) and bases (f, n, 3, 3) taken in since the last call."""
        count, self._count = self._count, 0
        positions = np.moveaxis(self._positions[:, :count], 0, -1)
        return self._parts[:count], positions, np.moveaxis(self._bases[:, :, :count], (0, 1), (-2, -1))


def _needed_keys(plan: Plan, rows: slice | np.ndarray) -> NeededKeys | None:
    """The search for the keys that vehicles in rows need; None if there is to be one on every frame."""
    keying, metres, angle = (scene_setting(plan.scene, name) for name in ("keying", "key_tolerance", "key_angle"))
    if keying != "WHERE_NEEDED" or abs(plan.frames).max() > LATEST:
        return None
    return NeededKeys(metres, angle, radii(plan)[rows], float(plan.frames[0]))


def _exact(plan: Plan, playing: PlayingModels) -> set[Object]:
    """The vehicles whose keys are on every frame anyway: what held feet stand on, and what carries a camera."""
    held = {ob for model in playing.models if model.plants for ob in model.model.vehicles}
    cameras = (ob for ob in plan.scene.objects if ob.type == "CAMERA")
    return held.union(above for ob in cameras for above in (ob, *ancestors(ob)))


def _plays_clips(ob: Object) -> bool:
    return clip_record(ob) is not None or has_own_shapes(ob)


KEY = np.float32
"""The type of the numbers that Blender's keys hold."""


class DriverColumns:
    """The numbers for drivers of a crowd, on all frames. `k`: its place among those that have some."""

    def __init__(self, plan: Plan, k: int, crowd: CrowdSource) -> None:
        self._k, self._crowd = k, crowd
        source = plan.vehicles.source
        states = [state.ob for state in plan.states]
        self._keyed = [keyed_properties(source.owner(row), crowd.ob, states) for row in crowd.rows.tolist()]
        names = dict.fromkeys(name for keyed in self._keyed for name in keyed if name not in LOOKS)
        self._columns = {name: np.zeros((len(crowd.rows), len(plan.frames)), KEY) for name in names}
        lead = float(settings_for(crowd.ob, 1).look_ahead[0])
        self._heads = HeadsAhead(lead, plan.frame_time, eases_always=True) if crowd.portrayal.look.any() else None

    def frame(self, row: int, portrait: Portrait) -> None:
        """Take in a frame, the one of this row."""
        portrayed = portrait.driven[self._k]
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
    """The numbers that tell the states of a crowd, on all frames. `k`: its place among those that have some."""

    def __init__(self, k: int, crowd: StatefulCrowd, frames: int) -> None:
        self._k, self._rows, kinds = k, crowd.rows, {STATE: np.int32} | dict.fromkeys(crowd.names, KEY)
        self._columns = {name: np.zeros((len(crowd.rows), frames), kind) for name, kind in kinds.items()}

    def frame(self, row: int, portrait: Portrait) -> None:
        """Take in a frame, the one of this row."""
        for name, column in self._columns.items():
            column[:, row] = portrait.states[self._k][name]

    def columns(self) -> dict[int, dict[str, np.ndarray]]:
        """The properties (f,) of each vehicle by name, by its row."""
        return {
            row: {name: column[k] for name, column in self._columns.items()}
            for k, row in enumerate(self._rows.tolist())
        }
