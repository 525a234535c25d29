"""The writer of the preview: from portraits to what viewports show, while nothing in the file changes."""

from collections.abc import Iterator, Sequence

import numpy as np

from ...portrayal.clips import Playing
from ...portrayal.driver_properties import LOOKS, is_of_states
from ...portrayal.heads import LiveTurns
from ...portrayal.portrait import CrowdPortrait, DrivenCrowd, ModelPortrait, Portrait, PortraitSubjects
from ..animation.custom_properties import reading_drivers
from ..clips.clip_copies import Copies, at_rest
from ..clips.shapes import shapes_of
from ..objects.hierarchy import Family
from ..read.plan import Plan
from ..read.sources import keyed_properties
from ..refusal import Refusal
from ..write.subjects import PlayingModel, PlayingModels, driven_crowds, playing_models, subjects_of
from .showing import RigPose, Told


class ViewWriter:
    """Takes in portraits, and says how armatures and drivers show those of any frame that was taken in.

    Heads turn by what is known so far, and feet are as clips have them.
    """

    def __init__(self, plan: Plan) -> None:
        self._owner, self._first = plan.vehicles.source.owner, int(plan.frames[0])
        self.names = _names_read(plan)
        playing, driven = _playing(plan), driven_crowds(plan) if self.names else []
        self.subjects: PortraitSubjects = subjects_of(plan, playing, driven)
        self._models = [_ModelView(plan, model) for model in playing.models]
        self._driven = [_CrowdView(plan, crowd) for crowd in self.subjects.driven]
        self._told: list[Told] = []
        self._taken = 0

    @property
    def portrays(self) -> bool:
        """Whether anything but the places of vehicles is to be seen."""
        return bool(self._models or self.names)

    @property
    def next_frame(self) -> int:
        """The first frame that was not taken in."""
        return self._first + self._taken

    def frame(self, portrait: Portrait) -> None:
        """Take in the next frame."""
        self._taken += 1
        for model, portrayed in zip(self._models, portrait.models):
            model.frame(portrayed)
        driven = [(each.rows, each.numbers(of_it)) for each, of_it in zip(self._driven, portrait.driven)]
        stateful = [(each.rows, states) for each, states in zip(self.subjects.stateful, portrait.states)]
        self._told.append(Told(self._owner, self.names, [*driven, *stateful]))

    def rig_poses(self, frame: int) -> list[RigPose]:
        """The poses of the armatures that play clips on a frame that was taken in."""
        return [pose for model in self._models for pose in model.poses(frame - self._first)]

    def told(self, frame: int) -> Told:
        """The properties that drivers read on a frame that was taken in."""
        return self._told[frame - self._first]


class _ModelView:
    """How the armatures of one model are posed."""

    def __init__(self, plan: Plan, playing: PlayingModel) -> None:
        self._playing, gaze = playing, playing.clips.gaze
        self._turns = LiveTurns(gaze.lead, plan.frame_time) if gaze is not None else None
        self._along = [shapes_of(part.meshes[0], np.eye(4)) for part in playing.along]
        self._frames: list[tuple[Playing, tuple[np.ndarray, np.ndarray] | None]] = []

    def frame(self, portrayed: ModelPortrait) -> None:
        turned = self._turns.frame(portrayed.heads) if self._turns else None
        self._frames.append((portrayed.played, turned))

    def poses(self, row: int) -> Iterator[RigPose]:
        """The poses on the frame of a row, mixed as the NLA mixes strips."""
        playing, (played, turned) = self._playing, self._frames[row]
        channels, rigs = playing.copies.channels, playing.model.rigs
        values = _mixed(playing.copies, played, range(len(played.phase)))
        if playing.posture is not None:
            playing.posture.turn(channels, values)
        if turned is not None:
            playing.neck.turn(rigs[0], channels, values, *turned)
        shapes = playing.shape if rigs[0].type == "MESH" else None
        yield from (RigPose(rig, channels, pose, shapes) for rig, pose in zip(rigs, values))
        for part, bent in zip(playing.along, self._along):
            for mesh, pose in zip(part.meshes, _mixed(part.copies, played, list(part.moves))):
                yield RigPose(mesh, part.copies.channels, pose, bent)


class _CrowdView:
    """The numbers that drivers read of the vehicles of a crowd."""

    def __init__(self, plan: Plan, crowd: DrivenCrowd) -> None:
        self.rows = crowd.rows
        self._turns = LiveTurns(crowd.gaze.lead, plan.frame_time) if crowd.gaze is not None else None

    def numbers(self, portrayed: CrowdPortrait) -> dict[str, np.ndarray]:
        """The numbers that they read on the next frame, (m,) by name."""
        numbers = dict(portrayed.properties)
        if self._turns is not None:
            numbers |= zip(LOOKS, self._turns.frame(portrayed.heads))
        return numbers


def _playing(plan: Plan) -> PlayingModels:
    """The models that play clips; none where a bake would refuse them, and say so."""
    try:
        playing = playing_models(plan, only_measured=True)
        for model in playing.models:
            # A preview shows the clips also where a bake would ask to set an action aside.
            model.check(plan.frames, replace=True)
    except Refusal:
        return PlayingModels((), (), Family())
    return playing


def _names_read(plan: Plan) -> dict[int, tuple[str, ...]]:
    """The properties that the bake of a plan would key and that drivers read, by the row of the vehicle."""
    source = plan.vehicles.source
    objects = dict(zip(source.object_rows.tolist(), source.objects))
    of_crowds = [plan.crowds[number].ob for number in plan.vehicles.crowd[source.object_rows].tolist()]
    states = [state.ob for state in plan.states]
    keyed = {row: keyed_properties(ob, crowd, states) for (row, ob), crowd in zip(objects.items(), of_crowds)}
    present = {
        row: [name for name in list(objects[row].keys()) if name in names or is_of_states(name)]
        for row, names in keyed.items()
    }
    obs = {objects[row]: row for row, names in present.items() if names}
    drivers = reading_drivers(obs, sorted({name for names in present.values() for name in names}))
    return {obs[ob]: tuple(sorted(read)) for ob, read in drivers.items() if read}


def _mixed(copies: Copies, played: Playing, rows: Sequence[int]) -> np.ndarray:
    """The values of the channels of n players, (n, c), as strips show the clips in some rows together."""
    values = np.tile(at_rest(copies.channels), (played.phase.shape[1], 1))
    for table, phase, influence in zip(copies.tables, played.phase[rows], played.influence[rows]):
        share = influence.astype(np.float32)[:, None]
        values = values * (1.0 - share) + share * _at(table, phase)
    return values


def _at(table: np.ndarray, phase: np.ndarray) -> np.ndarray:
    """The rows (n, c) of a table (f + 1, c) over a cycle at phases (n,)."""
    place = (phase - np.floor(phase)) * (len(table) - 1)
    below = np.minimum(np.floor(place).astype(np.int64), len(table) - 2)
    return table[below] + (table[below + 1] - table[below]) * (place - below)[:, None]
