"""Writes what vehicles play of their clips, from their way frame after frame."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...portrayal.clips import ClipSettings, Playing, in_order
from ...portrayal.company import in_company
from ...portrayal.doings import Doings
from ...portrayal.feet.treads import Carried
from ...portrayal.heads import leads, toward
from ...portrayal.playing import Played, Player, Way
from ...portrayal.riding import Ridden, RiddenGround, on_all_frames, ridden
from ...simulation.arrays.chance import Keys
from ...simulation.arrays.once import once
from ...simulation.arrays.vectors import Scalars, Vectors, columns
from ..animation.frame_rate import frame_time_of
from ..animation.posing import check_shows_clips, check_strips_play
from ..clips.clip_bodies import Bodies, Members, RigPose
from ..clips.clip_copies import ClipCopy, Copies, at_rest, copies_made
from ..clips.clip_feet import store_unplanted
from ..clips.clip_heads import HEAD, LiveHeads, Neck, neck_of
from ..clips.clip_posture import Posture, posture_of
from ..clips.clip_record import clip_record, is_copy
from ..clips.clip_strips import ClipPlayed, Edited, RigClips, clear_clips, write_clips
from ..clips.crowd_clips import (
    Model,
    beats_of,
    check_has_models,
    clips_made_of,
    clips_of,
    is_measured,
    models_of,
    numbers_of_states,
    scale_of,
    settings_for,
    store_measurements,
    stored_clips,
)
from ..clips.hiding_tracks import check_tracks_show_clips
from ..clips.measuring import axes_of
from ..clips.planting import FEET, FRAMES_TOGETHER, planter_of
from ..clips.rig import Rig, rig_of
from ..clips.rig_keys import made_for
from ..clips.sights import Sights
from ..objects.hierarchy import Family
from ..objects.tagged_objects import names_of
from ..read.surfaces import static_ground
from ..stored_values import finite_numbers, sound_front

if TYPE_CHECKING:
    from bpy.types import Object, Scene

UNSURE = 0.25
"""A clip whose direction was seen less clearly than this needs a speed from the user."""


class ClipWriter:
    """Lets the armatures of vehicles play the clips of their crowds; nothing is changed before `write`."""

    def __init__(
        self,
        all_members: Iterable[Members],
        scene: Scene,
        frames: np.ndarray,
        *,
        replace: bool,
        only_measured: bool = False,
        surfaces: Sequence[Object] = (),
    ) -> None:
        """Check what clips need.

        Args:
            frames: (f,) whole and consecutive.
            surfaces: what they may stand on, in the order of its rows.
            replace: whether actions that would hide the clips are set aside.
            only_measured: whether models whose clips are not measured are left out, as measuring may add datablocks for
                a moment.

        Raises:
            Refusal: a crowd's clips cannot be played.
        """
        self._frames = frames
        self._family = Family()
        self._scene = scene
        self._surfaces = surfaces
        self._moved: set[int] = set()
        self._left: list[Object] = []
        self._crowds: list[tuple[Object, _ModelPlayed]] = []
        self._models: list[tuple[int, np.ndarray, _ModelPlayed]] = []
        all_members = tuple(all_members)
        radii = (
            each.crowd.steering.vehicle.radius * finite_numbers(each.vehicles, "size_factor") for each in all_members
        )
        self._radius = np.concatenate([np.zeros(0), *radii])
        self.warnings: list[str] = []
        frame_time = frame_time_of(scene)
        for number, members in enumerate(all_members):
            models = models_of(members.crowd, members.vehicles, self._family) if stored_clips(members.crowd) else []
            if stored_clips(members.crowd):
                check_has_models(members.crowd, members.vehicles, models)
            states = numbers_of_states(members.crowd, scene) if models else {}
            made_of = clips_made_of(members.crowd, states) if models else ""
            playing = {row for model in models for row in model.rows}
            idle = [ob for row, ob in enumerate(members.vehicles) if row not in playing]
            self._left += idle
            if models and idle:
                self._warn(members.crowd, idle)
            for model in models:
                if only_measured and not is_measured(model, scene, self._family):
                    continue
                rows = np.array(model.rows)
                settings = settings_for(members.crowd, len(rows))
                played = _ModelPlayed(model, settings, members.keys[rows], scene, frame_time, self._family, frames)
                played.made_of = made_of
                played.look(members.crowd, states, live=only_measured)
                played.check(replace)
                self._models.append((number, rows, played))
                self._crowds.append((members.crowd, played))

    @property
    def posed(self) -> dict[Object, Sequence[tuple[str, int]]]:
        """The channels that clips animate of the vehicles that are armatures themselves."""
        return {
            rig: played.copies.channels
            for _, _, played in self._models
            for ob, rig in zip(played.model.vehicles, played.model.rigs)
            if ob == rig
        }

    @property
    def has_clips(self) -> bool:
        return bool(self._models)

    def frame(self, row: int, all_bodies: Sequence[Bodies], moved: Collection[int] = ()) -> None:
        """Take in the bodies of all members on a frame, in the order of the frames.

        `moved` are the rows of the surfaces that have moved since the frame before.
        """
        self._moved.update(moved)
        if any(played.talks for _, _, played in self._models):
            all_bodies = self._in_company(all_bodies)
        for number, rows, played in self._models:
            played.frame(row, all_bodies[number].take(rows))

    def _in_company(self, all_bodies: Sequence[Bodies]) -> list[Bodies]:
        """The bodies, with those marked that stand with others, of any crowd."""
        columns = (
            np.concatenate([getattr(bodies, name) for bodies in all_bodies])
            for name in ("position", "forward", "velocity", "present")
        )
        position, forward, velocity, present = columns
        accompanied = np.zeros(len(present), dtype=np.bool_)
        rows = np.flatnonzero(present)
        accompanied[rows] = in_company(position[rows], forward[rows], velocity[rows], self._radius[rows])
        ends = np.cumsum([len(bodies.present) for bodies in all_bodies])[:-1]
        return [replace(bodies, in_company=part) for bodies, part in zip(all_bodies, np.split(accompanied, ends))]

    def poses(self, row: int) -> Iterator[RigPose]:
        """The poses of all armatures on a frame that was taken in."""
        for _, _, played in self._models:
            yield from played.poses(row)

    def prepare(self) -> Iterator[float]:
        """Compute what the strips need, which takes the longest, yielding the share that is done."""
        number = sum(len(played.model.rigs) for _, _, played in self._models)
        done = 0
        for _, _, played in self._models:
            for _ in played.prepare(self._moved, {self._surfaces[moved] for moved in self._moved}):
                done += 1
                yield done / number
        yield 1.0

    def discard(self) -> None:
        """Remove what was prepared."""
        bpy.data.batch_remove([action for action in bpy.data.actions if is_copy(action) and action.users == 0])

    def write(self) -> None:
        """Write the strips that were prepared, after the vehicles were given their bake, in place of earlier ones."""
        edited: list[Edited] = []
        self._store()
        rigs = [each for _, _, played in self._models for each in played.rigs()]
        written = {each.rig for each in rigs}
        gone = [part for ob in self._left for part in (ob, *self._family.descendants(ob)) if part not in written]
        edited += clear_clips([part for part in gone if part.type == "ARMATURE" and clip_record(part) is not None])
        edited += write_clips(rigs, self._frames)
        if edited:
            names = names_of([str(each) for each in edited])
            self.warnings.append(f"Kept NLA strips that were edited: {names}. Delete them to have them baked again")

    def _store(self) -> None:
        """Store what was measured with the clips of crowds that can be changed."""
        models: dict[Object, list[_ModelPlayed]] = {}
        for crowd, played in self._crowds:
            models.setdefault(crowd, []).append(played)
        for crowd, same in models.items():
            if crowd.library is None:
                store_measurements([played.model for played in same], self._scene, self._family)
                if all(played.plants for played in same):
                    store_unplanted(crowd, [(played.model, played.unplanted) for played in same])

    def _warn(self, crowd: Object, idle: Sequence[Object]) -> None:
        names = names_of([ob.name for ob in idle])
        verb = "has" if len(idle) == 1 else "have"
        self.warnings.append(f"{names} of {crowd.name} {verb} no armature that fits its clips, and {verb} no steps")


class _ModelPlayed:
    """What the vehicles of one model play.

    Attributes:
        plants: whether its feet are to be held.
        talks: whether it has a clip for those who stand with another.
        unplanted: once it is prepared, why they cannot; empty if they can.
        made_of: the hash of the clips of its crowd.
    """

    def __init__(
        self,
        model: Model,
        settings: ClipSettings,
        keys: Keys,
        scene: Scene,
        frame_time: float,
        family: Family,
        frames: np.ndarray,
    ) -> None:
        self.model = model
        clips, scale = clips_of(model, scene, family)
        self._order = in_order(clips)
        self._clips = [clips[row] for row in self._order]
        sources = model.sources()
        self.copies = Copies(model.rigs[0], [sources[row] for row in self._order])
        self._player = Player(self._clips, settings, keys, frame_time)
        self._does = Doings(self._clips, keys, frame_time)
        self._beats = beats_of(model.entries[0].id_data, self._clips, keys, frame_time)
        self._frame_time, self._frames = frame_time, frames
        self.talks = any(clip.with_company for clip in clips)
        self._size = np.array([scale_of(ob, rig) for ob, rig in zip(model.vehicles, model.rigs)]) / scale
        shape = (len(clips), len(model.vehicles), len(frames))
        self._phase, self._influence = np.empty(shape, np.float64), np.empty(shape, np.float32)
        self._before: tuple[Ridden, Vectors, Played] | None = None
        self.plants, self._scene, self._family = bool(settings.plant_feet.all()), scene, family
        self.unplanted = self.made_of = ""
        self._lead = float(settings.look_ahead[0]) if len(settings.look_ahead) else 0.0
        self._neck: Neck | None = None
        self._live: LiveHeads | None = None
        self._heeds = bool(settings.look_at_caller.any())
        self._sights = Sights(None, {}, False)
        self._most_posture, self._keys = settings.posture, keys
        self._posture: Posture | None = None
        self._bodies: list[Bodies] = []
        self._ridden: list[Ridden] = []
        self._copies: list[ClipCopy] = []
        self._feet: list[list[ClipPlayed]] = [[] for _ in model.rigs]
        self._heads: list[list[ClipPlayed]] = [[] for _ in model.rigs]
        self._postures: list[list[ClipPlayed]] = [[] for _ in model.rigs]

    def check(self, replace: bool) -> None:
        """Refuse what keeps clips from being played."""
        actions = {entry.action for entry in self.model.entries}
        for rig in dict.fromkeys(self.model.rigs):
            check_strips_play(rig)
            check_shows_clips(rig, self.copies.channels, actions, replace)
            frames = float(self._frames[0]), float(self._frames[-1])
            check_tracks_show_clips(rig, self.copies.channels, actions, frames, replace)

    def look(self, crowd: Object, states: Mapping[Object, int], *, live: bool) -> None:
        """Find how vehicles of a crowd hold themselves, what turns their heads, and what they look at.

        Args:
            states: of the crowd, each with its number.
            live: whether what follows is not known.
        """
        named, rig, vehicle = crowd.steering.portrayal.head_bone, self.model.rigs[0], self.model.vehicles[0]
        posture = self._most_posture, self._keys
        self._posture = posture_of(rig, named, self.copies.channels, lambda: self._shape, *posture)
        self._sights = Sights.of(crowd, states, callers=self._heeds)
        if self._lead > 0.0 or self._sights:
            self._neck = neck_of(rig, vehicle, named, self.copies.channels)
        if live and self._neck is not None:
            self._live = LiveHeads(self._neck, self._lead, self._frame_time)

    @once
    def _shape(self) -> Rig:
        """The rig of the model."""
        vehicle = self.model.vehicles[0]
        return rig_of(self.model.rigs[0], vehicle, self._family, axes_of(*sound_front(vehicle)))

    def _eyes(self, neck: Neck) -> Scalars:
        """How high the eyes of the vehicles are, (n,) metres: clips may have been measured on one of another size."""
        high: Scalars = neck.height * self._size / self._size[0]
        return high

    def frame(self, row: int, bodies: Bodies) -> None:
        size = self._size * bodies.growth
        beats = self._beats
        beat = beats.frame(bodies.position, bodies.velocity, bodies.entered) if beats is not None else (None, None)
        if self._before is None:
            on_it = ridden(None, bodies.position, bodies.forward, bodies.up, bodies.carriage)
            was = on_it.position - bodies.velocity * self._frame_time
            front, together = on_it.forward, bodies.in_company
            way = Way.between(on_it.position, front, on_it.up, was, front, size, None, together, bodies.state, *beat)
            now = self._player.start(way)
            self._does.begin(bodies.arrived)
        else:
            before, place, played = self._before
            on_it = ridden((before, place), bodies.position, bodies.forward, bodies.up, bodies.carriage)
            new = bodies.entered[:, None]
            was = np.where(new, on_it.position - bodies.velocity * self._frame_time, before.position)
            was_forward = np.where(new, on_it.forward, before.forward)
            do = self._does.asked(row, played, bodies.state, bodies.arrived, bodies.entered)
            seen = size, do, bodies.in_company, bodies.state, *beat
            way = Way.between(on_it.position, on_it.forward, on_it.up, was, was_forward, *seen)
            now = self._player.step(played, way, bodies.entered)
        self._before = on_it, bodies.position, now
        self._phase[:, :, row], self._influence[:, :, row] = now.phase, now.influence
        if self._live is not None:
            seen = self._sights.seen(bodies.caller, bodies.state, lambda ob: np.array(ob.matrix_world.translation))
            eyes = bodies.position + bodies.up * self._eyes(self._neck)[:, None]
            self._live.frame(eyes, bodies.forward, bodies.up, on_it.forward, seen)
        elif self.plants or self._neck is not None:
            self._bodies.append(bodies)
            self._ridden.append(on_it)

    def poses(self, row: int) -> Iterator[RigPose]:
        """The poses of the armatures on a frame, mixed as the NLA mixes strips."""
        values = np.tile(at_rest(self.copies.channels), (len(self.model.rigs), 1))
        for clip, table in enumerate(self.copies.tables):
            share = self._influence[clip, :, row, None]
            values = values * (1.0 - share) + share * _at(table, self._phase[clip, :, row])
        if self._posture is not None:
            self._posture.turn(self.copies.channels, values)
        if self._live is not None:
            self._live.turn(self.model.rigs[0], self.copies.channels, values, row)
        for rig, pose in zip(self.model.rigs, values):
            yield RigPose(rig, self.copies.channels, pose)

    def prepare(self, moved: Collection[int], moving: Collection[Object]) -> Iterator[None]:
        """Make the copies of the clips and compute what holds the feet, yielding after each armature.

        `moved` are the rows of the surfaces that moved in the run, and `moving` these.
        """
        self._copies = self.copies.copies()
        if self.plants:
            yield from self._plant(self._copies, moved, moving)
        if self._posture is not None:
            copies = self._posture.copies(self.model.rigs[0], copies_made())
            self._postures = [[ClipPlayed(copy, combines=True)] for copy in copies]
        if self._neck is not None and len(self._bodies) > 1:
            self._turn_heads(self._neck)

    def rigs(self) -> list[RigClips]:
        """What each armature plays, as it was prepared."""
        return [
            RigClips(
                rig=rig,
                channels=self.copies.channels,
                played=[
                    *(
                        ClipPlayed(copy, self._phase[clip, k] * copy.frames, self._influence[clip, k])
                        for clip, copy in enumerate(self._copies)
                    ),
                    *self._feet[k],
                    *self._postures[k],
                    *self._heads[k],
                ],
                moves=rig == ob,
                made_of=self.made_of,
            )
            for k, (ob, rig) in enumerate(zip(self.model.vehicles, self.model.rigs))
        ]

    def _turn_heads(self, neck: Neck) -> None:
        """Compute the strip that turns the head of each armature."""
        existing = copies_made()
        position, forward, up, caller, state = (
            np.stack([getattr(each, name) for each in self._bodies], axis=1)
            for name in ("position", "forward", "up", "caller", "state")
        )
        run = on_all_frames(self._ridden)
        high = self._eyes(neck)
        places = self._sights.places(self._scene, self._frames)
        left = leads(run.forward, run.up, self._lead, self._frame_time)
        raised, turned = np.zeros(left.shape), np.full(len(left), self._lead > 0.0)
        for k in range(len(left)):
            seen = self._sights.seen(caller[k], state[k], places.__getitem__)
            if np.isfinite(seen).any():
                eyes, turned[k] = position[k] + up[k] * high[k], True
                left[k], raised[k] = toward(seen, eyes, forward[k], up[k], left[k], self._frame_time)
        if not turned.any():
            return
        rows = np.flatnonzero(turned)
        keys = neck.keys(self.model.rigs[0], left[rows], raised[rows])
        of_each = [{channel: column[k] for channel, column in keys.items()} for k in range(len(rows))]
        copies = made_for([self.model.rigs[k] for k in rows], HEAD, of_each, existing)
        for k, copy in zip(rows, copies):
            self._heads[k] = [ClipPlayed(copy, combines=True)]

    def _plant(self, copies: Sequence[ClipCopy], moved: Collection[int], moving: Collection[Object]) -> Iterator[None]:
        """Compute the strip that holds the feet of each armature, where that can be done."""
        armature = self.model.rigs[0]
        planter, self.unplanted = planter_of(armature, self._shape, self._clips, [copy.action for copy in copies])
        if planter is None:
            return
        still, existing = static_ground(self._scene, moving), copies_made()
        count = len(self._bodies)
        run, place = on_all_frames(self._ridden), np.stack([bodies.position for bodies in self._bodies], axis=1)
        # Clips may have been measured on a vehicle of another size than the one whose rig was read.
        sizes = self._size / self._size[0]
        growth = np.stack([bodies.growth for bodies in self._bodies], axis=1)
        lift = [ob.steering.origin_height * scale_of(ob, ob) for ob in self.model.vehicles]
        origin, size = np.array(lift)[:, None] * growth, sizes[:, None] * growth
        influence = self._influence.astype(np.float64)
        number = len(self.model.rigs)
        pieces = min(-(-number * count // FRAMES_TOGETHER), number)
        for piece in range(pieces):
            first, end = (number * k // pieces for k in (piece, piece + 1))
            rows = slice(first, end)
            riders = run.of(rows)
            rides = np.isin(riders.surface, list(moved))
            ground = RiddenGround(place[rows], riders, rides, origin[rows], still) if moved else still
            position, forward, up = (
                columns(*np.moveaxis(v, -1, 0)) for v in (riders.position, riders.forward, riders.up)
            )
            body = Carried(position, forward, up, size[rows], origin[rows])
            playing = Playing(self._phase[:, rows], influence[:, rows])
            keys = planter.keys(playing, body, self._frame_time, ground)
            copies = made_for(self.model.rigs[rows], FEET, keys, existing)
            for k, (copy, each) in enumerate(zip(copies, keys), first):
                self._feet[k] = [ClipPlayed(replace(copy, feet=tuple(each)))]
                yield


def _at(table: np.ndarray, phase: np.ndarray) -> np.ndarray:
    """The rows (n, c) of a table (f + 1, c) over a cycle at phases (n,)."""
    place = (phase - np.floor(phase)) * (len(table) - 1)
    below = np.minimum(np.floor(place).astype(np.int64), len(table) - 2)
    return table[below] + (table[below + 1] - table[below]) * (place - below)[:, None]
