"""The past and future positions of vehicles, and the colors in which they are drawn while they are in a state."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from bpy.types import Depsgraph, Object, Scene

from ..animation.animation_data import evaluate
from ..animation.keyframes import read_column
from ..animation.ownership import CurrentAnimation, bake_of
from ..objects.doubles import doubles, placed
from ..objects.identity import state_numbers
from ..objects.tagged_objects import crowd_of, full_name
from ..read.local_space import parent_part
from ..status.present_members import present_state, tells_state

MOST_RECORDED = 500
"""Number of frames recorded for a vehicle without a bake."""


class _Keys(NamedTuple):
    """The location keys of a bake: frames (k,) and values (k, 3)."""

    frames: np.ndarray
    locations: np.ndarray


class Tracks:
    """The tracks of vehicles. Keys are read once for each bake. `previewed`: whether a preview is on, so that vehicles
    do not follow their keys."""

    def __init__(self) -> None:
        self.previewed = False
        self._keys: dict[str, tuple[str, _Keys]] = {}
        self._recorded: dict[str, dict[int, np.ndarray]] = {}

    def record(self, vehicles: list[Object], depsgraph: Depsgraph, frame: int) -> None:
        """Record the positions of vehicles on the frame for which the depsgraph is evaluated."""
        for ob in vehicles:
            positions = self._recorded.setdefault(full_name(ob), {})
            positions[frame] = doubles(ob.evaluated_get(depsgraph).matrix_world.translation)
            if len(positions) > MOST_RECORDED:
                del positions[min(positions, key=lambda recorded: -abs(recorded - frame))]

    def keep_only(self, vehicles: list[Object]) -> None:
        """Keep the tracks of these vehicles and forget all others."""
        names = {full_name(ob) for ob in vehicles}
        self._keys = {name: keys for name, keys in self._keys.items() if name in names}
        self._recorded = {name: positions for name, positions in self._recorded.items() if name in names}

    def between(self, ob: Object, depsgraph: Depsgraph, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
        """The known frames from `first` to `last`, (k,), and the positions of the vehicle on them, (k, 3) metres."""
        keys = self._keys_of(ob)
        if keys is None:
            positions = self._recorded.get(full_name(ob), {})
            frames = np.array(sorted(frame for frame in positions if first <= frame <= last), dtype=int)
            return frames, np.array([positions[frame] for frame in frames.tolist()]).reshape(-1, 3)
        low, high = max(first, int(np.ceil(keys.frames[0]))), min(last, int(np.floor(keys.frames[-1])))
        frames = np.arange(low, high + 1)
        channels = [np.interp(frames, keys.frames, column) for column in keys.locations.T]
        local = np.stack(channels, axis=-1) + doubles(ob.delta_location)
        return frames, placed(local, parent_part(ob, depsgraph))

    def velocity(self, ob: Object, depsgraph: Depsgraph, frame: int, frame_time: float) -> np.ndarray | None:
        """The velocity on a frame, (3,) m/s, toward the next frame or else from the previous one; None if unknown."""
        frames, positions = self.between(ob, depsgraph, frame - 1, frame + 1)
        if len(frames) < 2 or frame not in frames:
            return None
        row = min(int(np.flatnonzero(frames == frame)[0]), len(frames) - 2)
        return (positions[row + 1] - positions[row]) / ((frames[row + 1] - frames[row]) * frame_time)

    def _keys_of(self, ob: Object) -> _Keys | None:
        """The location keys of the bake that a vehicle plays, or None if it plays none."""
        played = CurrentAnimation(ob)
        if played.record is None or self.previewed:
            return None
        name = full_name(ob)
        cached = self._keys.get(name)
        if cached is None or cached[0] != played.record.bake_id:
            curves = played.curves("location")
            if len(curves) < 3 or any(curve.is_empty for curve in curves.values()):
                return None
            columns = [read_column(curves[index], "co") for index in range(3)]
            frames = columns[0][:, 0]
            if played.record.thinned:
                frames = np.union1d(frames, np.arange(played.record.first, played.record.last + 1.0))
                locations = np.stack([evaluate(curves[index], frames.tolist()) for index in range(3)], axis=-1)
            else:
                locations = np.stack([np.interp(frames, column[:, 0], column[:, 1]) for column in columns], axis=-1)
            cached = self._keys[name] = (played.record.bake_id, _Keys(frames, locations))
        return cached[1]


class Tint(NamedTuple):
    """A state as it is drawn."""

    name: str
    color: tuple[float, ...]


class Tints(NamedTuple):
    """The states that a vehicle may be in. `states`: by their numbers; `baked`: whether a bake tells in which it is."""

    states: Mapping[int, Tint]
    baked: bool


def tints_of(vehicles: Sequence[Object], states: Sequence[Object]) -> list[Tints]:
    """The states that each of some vehicles may be in, (n,)."""
    of_crowds: dict[Object, dict[int, Tint]] = {}
    for state, number in state_numbers(states).items():
        if state.steering.is_property_set("state") and (crowd := crowd_of(state)) is not None:
            of_crowds.setdefault(crowd, {})[number] = Tint(state.name, tuple(state.steering.state.color))
    of_vehicles = [of_crowds.get(crowd_of(ob), {}) for ob in vehicles]
    return [Tints(tints, bool(tints) and tells_state(bake_of(ob))) for ob, tints in zip(vehicles, of_vehicles)]


def in_states(
    vehicles: Sequence[Object], states: Sequence[Tints], scene: Scene, depsgraph: Depsgraph
) -> Iterator[tuple[int, Tint]]:
    """The rows of the vehicles that are in a state on the frame for which the depsgraph is evaluated, with the state;
    `states`: (n,) those that each may be in."""
    for row, (ob, tints) in enumerate(zip(vehicles, states)):
        if not tints.states:
            continue
        number = present_state(scene, ob, baked=tints.baked, depsgraph=depsgraph)
        if number in tints.states:
            yield row, tints.states[number]
