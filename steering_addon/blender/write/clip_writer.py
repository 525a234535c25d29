"""Writes what vehicles play of their clips as strips on their armatures or shape keys, from portraits."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import bpy
import numpy as np
from bpy.types import Action, Object

from ...portrayal.clips import Playing
from ...portrayal.finish import HeadsAhead, PlantedBodies
from ...portrayal.portrait import ModelPortrait, Portrait
from ...portrayal.pose_count import pose_groups
from ..animation.animation_data import posed_block
from ..clips.clip_copies import ClipCopy, copies_made
from ..clips.clip_posture import HEAD
from ..clips.clip_record import clip_record, is_copy
from ..clips.clip_strips import ClipPlayed, Edited, RigClips, write_clips
from ..clips.crowd_clips import scale_of, store_measurements
from ..clips.planting import FEET, FRAMES_TOGETHER, planter_of, store_unplanted
from ..clips.rig_keys import key_actions
from ..clips.shapes import clear_players, give_own_shapes, has_own_shapes
from ..objects.tagged_objects import names_of
from ..read.plan import Plan
from ..read.surfaces import static_ground
from .subjects import PlayingModel, PlayingModels


class ClipWriter:
    """Lets vehicles play the clips of their crowds; nothing is changed before `write`."""

    def __init__(self, plan: Plan, playing: PlayingModels, but: Collection[Object], *, replace: bool) -> None:
        """Check what strips need; `but`: crowds that are left out; `replace`: whether actions that would hide them are
        set aside. Refused if a crowd's clips cannot be played."""
        self._numbers = [k for k, model in enumerate(playing.models) if model.crowd not in but]
        idle = [(crowd, vehicles) for crowd, vehicles in playing.idle if crowd not in but]
        playing = PlayingModels([playing.models[k] for k in self._numbers], idle, playing.family)
        self._plan, self._playing = plan, playing
        self._moved: set[int] = set()
        for model in playing.models:
            model.check(plan.frames, replace=replace)
        self._models = [_ModelStrips(plan, model) for model in playing.models]
        playing_crowds = {model.crowd for model in playing.models}
        self.warnings = [_idle_warning(crowd, idle) for crowd, idle in playing.idle if idle and crowd in playing_crowds]

    def __bool__(self) -> bool:
        """Whether any clip is played."""
        return bool(self._models)

    @property
    def posed(self) -> dict[Object, Sequence[tuple[str, int]]]:
        """The channels that clips animate of the vehicles that are armatures themselves."""
        return {
            rig: playing.copies.channels
            for playing in self._playing.models
            for ob, rig in zip(playing.model.vehicles, playing.model.rigs)
            if ob == rig and rig.type == "ARMATURE"
        }

    def frame(self, row: int, portrait: Portrait) -> None:
        """Take in a frame, the one of this row."""
        self._moved |= portrait.moved
        for strips, k in zip(self._models, self._numbers):
            strips.frame(row, portrait.models[k])

    def prepare(self) -> Iterator[float]:
        """Compute what the strips need, which takes the longest, yielding the share that is done."""
        number, done = sum(len(playing.model.rigs) for playing in self._playing.models), 0
        moving = {self._plan.surfaces[row] for row in self._moved}
        for strips in self._models:
            for _ in strips.prepare(self._moved, moving):
                done += 1
                yield done / number
        yield 1.0

    def discard(self) -> None:
        """Remove what was prepared."""
        bpy.data.batch_remove([action for action in bpy.data.actions if is_copy(action) and action.users == 0])

    def write(self) -> None:
        """Write the strips that were prepared, after the vehicles were given their bake, in place of earlier ones."""
        self._store()
        family = self._playing.family
        written = dict.fromkeys(rig for strips in self._models for rig in strips.players)
        left = (part for _, idle in self._playing.idle for ob in idle for part in (ob, *family.descendants(ob)))
        gone = [part for part in left if part not in written and clip_record(part)]
        shaped = [rig for rig in written if has_own_shapes(rig)]
        prepared = [action for strips in self._models for action in strips.actions]
        # The model may have changed, so copies of meshes are replaced.
        edited: list[Edited] = clear_players([*gone, *shaped], prepared)
        rigs = [rig for strips in self._models for rig in strips.rigs()]
        edited = list(dict.fromkeys([*edited, *write_clips(rigs, self._plan.frames)]))
        if edited:
            names = names_of([str(each) for each in edited])
            self.warnings.append(f"Kept NLA strips that were edited: {names}. Delete them to have them baked again")

    def _store(self) -> None:
        """Store what was measured with the clips of crowds that can be changed."""
        models: dict[Object, list[_ModelStrips]] = {}
        for strips in self._models:
            models.setdefault(strips.playing.crowd, []).append(strips)
        for crowd, same in models.items():
            if crowd.library is None:
                store_measurements([strips.playing.model for strips in same], self._plan.scene, self._playing.family)
                if all(strips.playing.plants for strips in same):
                    store_unplanted(crowd, [(strips.playing.model, strips.unplanted) for strips in same])


def _idle_warning(crowd: Object, idle: Sequence[Object]) -> str:
    verb = "has" if len(idle) == 1 else "have"
    names = names_of([ob.name for ob in idle])
    return f"{names} of {crowd.name} {verb} nothing that fits its clips, and {verb} no steps"


class _ModelStrips:
    """The strips of the vehicles of one model. `unplanted`: once they are prepared, why its feet cannot be held; empty
    if they can."""

    def __init__(self, plan: Plan, playing: PlayingModel) -> None:
        self.playing, self._plan = playing, plan
        self.unplanted = ""
        clips, vehicles, rigs = playing.clips, playing.model.vehicles, playing.model.rigs
        shape = len(clips.clips), len(vehicles), len(plan.frames)
        self._phase, self._influence = np.empty(shape, np.float64), np.empty(shape, np.float32)
        lift = np.array([ob.steering.origin_height * scale_of(ob) for ob in vehicles])
        self._footing = PlantedBodies(clips.size, lift) if playing.plants else None
        several = clips.gaze is not None and len(plan.frames) > 1
        self._heads = HeadsAhead(clips.gaze.lead, plan.frame_time) if several else None
        self._copies: list[ClipCopy] = []
        self._along: list[list[ClipCopy]] = []
        self._feet, self._head, self._posture = ([[] for _ in rigs] for _ in range(3))

    @property
    def players(self) -> Iterator[Object]:
        """The rigs that play the clips of all its vehicles."""
        yield from self.playing.model.rigs
        for part in self.playing.along:
            yield from part.meshes

    @property
    def actions(self) -> list[Action]:
        """The copies of its clips, once they are prepared."""
        return [copy.action for copies in (self._copies, *self._along) for copy in copies]

    def frame(self, row: int, portrayed: ModelPortrait) -> None:
        """Take in a frame, the one of this row."""
        self._phase[:, :, row], self._influence[:, :, row] = portrayed.played.phase, portrayed.played.influence
        if self._footing is not None:
            self._footing.frame(portrayed)
        if self._heads is not None:
            self._heads.frame(portrayed.heads)

    def prepare(self, moved: Collection[int], moving: Collection[Object]) -> Iterator[None]:
        """Make the copies of the clips and compute what holds the feet, yielding after each armature.

        `moved` are the rows of the surfaces that moved in the run, and `moving` these.
        """
        self._copies = self.playing.copies.copies()
        self._along = [part.copies.copies() for part in self.playing.along]
        if self._footing is not None:
            yield from self._plant(self._footing, moved, moving)
        if self.playing.posture is not None:
            copies = self.playing.posture.copies(self.playing.model.rigs[0], copies_made())
            self._posture = [[ClipPlayed(copy, combines=True)] for copy in copies]
        if self._heads is not None:
            self._turn_heads(self._heads)

    def rigs(self) -> list[RigClips]:
        """The clips of each armature or of all shape keys, which are made for that, as they were prepared."""
        playing = self.playing
        vehicles, rigs = playing.model.vehicles, playing.model.rigs
        rows: Sequence[int] = range(len(rigs))
        if rigs[0].type == "MESH":
            most = playing.crowd.steering.portrayal.own_shapes
            leaders = pose_groups(Playing(self._phase, self._influence.astype(np.float64)), most).tolist()
            for meshes in (rigs, *(part.meshes for part in playing.along)):
                give_own_shapes(meshes, leaders)
            rows = sorted(set(leaders))
        clips = range(len(self._copies))
        return [
            RigClips(
                rig=posed_block(rigs[k]),
                channels=playing.copies.channels,
                played=[
                    *self._played(self._copies, clips, k),
                    *self._feet[k],
                    *self._posture[k],
                    *self._head[k],
                ],
                moves=rigs[k] == vehicles[k] and rigs[k].type == "ARMATURE",
                made_of=playing.made_of,
            )
            for k in rows
        ] + [
            RigClips(
                rig=posed_block(part.meshes[k]),
                channels=part.copies.channels,
                played=self._played(copies, list(part.moves), k),
                moves=False,
                made_of=playing.made_of,
            )
            for part, copies in zip(playing.along, self._along)
            for k in rows
        ]

    def _played(self, copies: Sequence[ClipCopy], clips: Sequence[int], k: int) -> list[ClipPlayed]:
        """The clips in some rows as one vehicle plays them, by copies of each."""
        return [
            ClipPlayed(copy, self._phase[clip, k] * copy.frames, self._influence[clip, k])
            for clip, copy in zip(clips, copies)
        ]

    def _turn_heads(self, heads: HeadsAhead) -> None:
        """Compute the strip that turns the head of each armature."""
        rigs, existing = self.playing.model.rigs, copies_made()
        left, raised, turned = heads.turned()
        rows = np.flatnonzero(turned)
        if not len(rows):
            return
        keys = self.playing.neck.keys(rigs[0], left[rows], raised[rows])
        of_each = [{channel: column[k] for channel, column in keys.items()} for k in range(len(rows))]
        for k, copy in zip(rows, key_actions([rigs[k] for k in rows], HEAD, of_each, existing)):
            self._head[k] = [ClipPlayed(copy, combines=True)]

    def _plant(self, footing: PlantedBodies, moved: Collection[int], moving: Collection[Object]) -> Iterator[None]:
        """Compute the strip that holds the feet of each armature, where that can be done."""
        playing, rigs = self.playing, self.playing.model.rigs
        actions = [copy.action for copy in self._copies]
        planter, self.unplanted = planter_of(rigs[0], playing.shape, playing.clips.clips, actions)
        if planter is None:
            return
        still, existing = static_ground(self._plan.scene, moving), copies_made()
        influence = self._influence.astype(np.float64)
        for rows, body, ground in footing.pieces(FRAMES_TOGETHER, moved, still):
            played = Playing(self._phase[:, rows], influence[:, rows])
            played = planter.paced(played, body, self._plan.frame_time, ground)
            self._phase[:, rows] = played.phase
            keys = planter.keys(played, body, self._plan.frame_time, ground)
            copies = key_actions(rigs[rows], FEET, keys, existing)
            for k, (copy, each) in enumerate(zip(copies, keys), rows.start):
                self._feet[k] = [ClipPlayed(replace(copy, feet=tuple(each)))]
                yield
