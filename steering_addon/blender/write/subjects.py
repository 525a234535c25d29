"""The subjects of portraits: the vehicles of a plan, the models that play clips, what drivers read, and resources."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Action, Object

from ...portrayal.clips import in_order
from ...portrayal.portrait import DrivenCrowd, ModelClips, Portrait, PortraitSubjects, StatefulCrowd
from ...portrayal.sketch import Sketch
from ...simulation.arrays.once import once
from ...simulation.roles import Role
from ..animation.custom_properties import share_in
from ..animation.posing import check_shows_clips, check_strips_play
from ..animation.staging import Staging
from ..clips.clip_copies import Copies
from ..clips.clip_posture import Neck, Posture, neck_of, posture_of
from ..clips.crowd_clips import (
    Model,
    beats_of,
    check_has_models,
    clips_made_of,
    clips_of,
    gaze_of,
    is_measured,
    models_of,
    numbers_of_states,
    scale_of,
    settings_for,
    stored_clips,
)
from ..clips.finding_clips import along_with
from ..clips.hiding_tracks import check_tracks_show_clips
from ..clips.measuring import moved_along, shape_of
from ..clips.rig import Rig
from ..clips.shapes import Shapes, check_shapes_play
from ..objects.hierarchy import Family
from ..properties import has_role
from ..read.plan import Plan
from ..read.sources import CrowdSource, feeds, may_be_hidden, with_parts
from ..refusal import sound_front


@dataclass(frozen=True)
class PartAlong:
    """A further mesh of a model, whose shape keys move along with what plays its clips. `moves`: the actions by which
    it does, by the rows of the clips of the model."""

    meshes: Sequence[Object]
    moves: Mapping[int, Action]
    copies: Copies


class PlayingModel:
    """A model of a plan that plays clips.

    Attributes:
        neck: what turns its heads; None if nothing does.
        posture: how its vehicles hold backs and heads; None if they do as their clips have it.
        made_of: the hash of the clips of its crowd.
        plants: whether its feet are to be held.
    """

    def __init__(self, plan: Plan, crowd: CrowdSource, model: Model, made_of: str, family: Family) -> None:
        self.crowd, self.model, self.made_of, self._family = crowd.ob, model, made_of, family
        local = np.array(model.rows)
        rows, settings = crowd.rows[local], settings_for(crowd.ob, len(local))
        clips, scale = clips_of(model, plan.scene, family)
        order, actions = in_order(clips), model.actions()
        self.copies = Copies(model.rigs[0], [actions[row] for row in order])
        self.along = list(self._parts_along([actions[row] for row in order]))
        clips, keys = [clips[row] for row in order], plan.vehicles.keys[rows]
        size = np.array([scale_of(rig) for rig in model.rigs]) / scale
        self.plants = bool(settings.plant_feet.all())
        named, rig, channels = crowd.ob.steering.portrayal.head_bone, model.rigs[0], self.copies.channels
        self.posture: Posture | None = posture_of(rig, named, channels, lambda: self.shape, settings.posture, keys)
        gaze = gaze_of(crowd.ob, plan.scene, plan.body_rows())
        turns = gaze.lead > 0.0 or gaze.looks()
        self.neck: Neck | None = neck_of(rig, model.vehicles[0], named, channels) if turns else None
        self.clips = ModelClips(
            rows=rows,
            clips=clips,
            settings=settings,
            keys=keys,
            size=size,
            beats=beats_of(crowd.ob, clips, keys, plan.frame_time),
            gaze=gaze if self.neck is not None else None,
            eyes=(self.neck.height if self.neck is not None else 0.0) * size / size[0],
        )

    @once
    def shape(self) -> Rig | Shapes:
        """The rig of the model."""
        vehicle = self.model.vehicles[0]
        return shape_of(self.model.rigs[0], vehicle, self._family, sound_front(vehicle))

    def check(self, frames: np.ndarray, *, replace: bool) -> None:
        """Refuse what keeps clips from being played on frames (f,); `replace`: whether actions that would hide the
        clips are set aside."""
        actions = {entry.action for entry in self.model.entries}
        actions.update(action for part in self.along for action in part.moves.values())
        parts = (self.model.rigs, self.copies), *((part.meshes, part.copies) for part in self.along)
        for rig, copies in ((rig, copies) for rigs, copies in parts for rig in dict.fromkeys(rigs)):
            check_strips_play(rig)
            if rig.type == "MESH":
                check_shapes_play(rig, copies.channels)
            check_shows_clips(rig, copies.channels, actions, replace)
            span = float(frames[0]), float(frames[-1])
            check_tracks_show_clips(rig, copies.channels, actions, span, replace)

    def _parts_along(self, actions: Sequence[tuple[Action, bool]]) -> Iterator[PartAlong]:
        """The other meshes that move along; `actions` are those of the clips, and whether they go round and round."""
        model = self.model
        others = [moved_along(ob, self._family, rig) for ob, rig in zip(model.vehicles, model.rigs)]
        for meshes in zip(*others):
            moves = {row: action for row, (each, _) in enumerate(actions) if (action := along_with(meshes[0], each))}
            if moves:
                copies = Copies(meshes[0], [(action, actions[row][1]) for row, action in moves.items()])
                yield PartAlong(meshes, moves, copies)


@dataclass(frozen=True)
class PlayingModels:
    """The models of a plan that play clips. `idle`: the vehicles of each crowd that play none; `family`: what is
    parented to what."""

    models: Sequence[PlayingModel]
    idle: Sequence[tuple[Object, list[Object]]]
    family: Family


def playing_models(plan: Plan, *, only_measured: bool = False) -> PlayingModels:
    """The models of a plan that play clips; `only_measured`: whether models whose clips are not measured are left out,
    as measuring may add datablocks for a moment. Refused if clips of a crowd cannot be played."""
    family, playing, idle = Family(), [], []
    source = plan.vehicles.source
    for crowd in plan.crowds:
        # Points have no armature.
        crowd = replace(crowd, rows=np.intersect1d(crowd.rows, source.object_rows, assume_unique=True))
        vehicles = [source.owner(row) for row in crowd.rows.tolist()]
        if not stored_clips(crowd.ob):
            idle.append((crowd.ob, vehicles))
            continue
        models = models_of(crowd.ob, vehicles, plan.scene, family)
        check_has_models(crowd.ob, vehicles, models)
        made_of = clips_made_of(crowd.ob, numbers_of_states(crowd.ob, plan.scene)) if models else ""
        plays = {row for model in models for row in model.rows}
        idle.append((crowd.ob, [ob for row, ob in enumerate(vehicles) if row not in plays]))
        for model in models:
            if not only_measured or is_measured(model, plan.scene, family):
                playing.append(PlayingModel(plan, crowd, model, made_of, family))
    return PlayingModels(playing, idle, family)


def driven_crowds(plan: Plan) -> list[CrowdSource]:
    """The crowds of a plan with numbers for drivers."""
    return [crowd for crowd in plan.crowds if crowd.portrayal is not None]


def subjects_of(plan: Plan, playing: PlayingModels, driven: Sequence[CrowdSource]) -> PortraitSubjects:
    """The subjects of the portraits of a plan."""
    resources = Resources(plan)
    return PortraitSubjects(
        frame_time=plan.frame_time,
        step=plan.frame_time / plan.substeps,
        radius=radii(plan) if playing.models else np.zeros(len(plan)),
        models=[model.clips for model in playing.models],
        driven=[_driven(plan, crowd) for crowd in driven],
        stateful=[*stateful_crowds(plan).values()],
        resources=resources.rows if resources.fed_on else None,
    )


def stateful_crowds(plan: Plan) -> dict[Object, StatefulCrowd]:
    """The crowds of a plan that have states."""
    return {
        plan.crowds[crowd].ob: StatefulCrowd(
            plan.crowds[crowd].rows,
            [state.number for state in plan.states if state.crowd == crowd],
            [share_in(state.ob.name) for state in plan.states if state.crowd == crowd],
        )
        for crowd in sorted({state.crowd for state in plan.states})
    }


def _driven(plan: Plan, crowd: CrowdSource) -> DrivenCrowd:
    vehicle, gaze = crowd.ob.steering.vehicle, None
    if crowd.portrayal.look.any():
        gaze = gaze_of(crowd.ob, plan.scene, plan.body_rows())
    keys = plan.vehicles.keys[crowd.rows]
    return DrivenCrowd(crowd.rows, keys, crowd.portrayal, vehicle.max_speed * vehicle.cruise_speed, gaze)


def radii(plan: Plan) -> np.ndarray:
    """The radii of the vehicles, (n,) metres."""
    radii, factors = np.zeros(len(plan)), plan.vehicles.source.stored["size_factor"]
    for crowd in plan.crowds:
        radii[crowd.rows] = crowd.ob.steering.vehicle.radius * factors[crowd.rows]
    return radii


class Resources:
    """The resources of a run.

    Attributes:
        bodies: (m,) their sources.
        rows: (m,) of these among the bodies of the plan.
        parts: (m,) the visible objects of each, including itself.
        fed_on: whether a behavior takes something from them.
    """

    def __init__(self, plan: Plan) -> None:
        family = Family()
        resources = [(row, body) for row, body in enumerate(plan.bodies) if has_role(body.ob, Role.RESOURCE)]
        holders = (*plan.crowds, *(state.source for state in plan.states))
        self.fed_on = any(feeds(holder.behaviors) for holder in holders)
        self.rows = np.array([row for row, _ in resources], dtype=np.int64)
        self.bodies = [body for _, body in resources]
        self.parts = [list(with_parts(body.ob, family)) for body in self.bodies]

    def __len__(self) -> int:
        return len(self.bodies)

    def eaten_up(self, sketch: Sketch) -> np.ndarray:
        """Whether nothing is left of each, (m,)."""
        return sketch.eaten if self.fed_on else np.zeros(len(self), dtype=np.bool_)


class Eaten:
    """Records on which frames of a run the resources are eaten up. `objects`: the resources with their parts."""

    def __init__(self, plan: Plan) -> None:
        self._resources = Resources(plan)
        self._up = np.zeros((len(plan.frames), len(self._resources)), dtype=np.bool_)
        self.objects = frozenset(ob for parts in self._resources.parts for ob in parts)

    def frame(self, row: int, portrait: Portrait) -> None:
        """Record which resources are eaten up on a frame of the run, by its row."""
        self._up[row] = self._resources.eaten_up(portrait)

    def hide(self, staging: Staging, away: np.ndarray, replace: bool) -> None:
        """Prepare the resources to be hidden while nothing is left of them. `away`: (f, n) which vehicles are hidden,
        together with what they carry; `replace`: whether the animator's keys on the switches may be set aside."""
        for up, body, parts in zip(self._up.T, self._resources.bodies, self._resources.parts):
            hidden = up if may_be_hidden(body.ob) else np.zeros_like(up)
            if body.carrier >= 0:
                hidden = hidden | away[:, body.carrier]
            for part in parts:
                staging.hide(part, hidden, replace)
