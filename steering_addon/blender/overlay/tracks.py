"""Where vehicles were and will be: from the keys of their bake, else from what was seen while frames went by."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..read.local_space import parent_part
from ..tagged_objects import full_name
from ..write.keyframes import read_column
from ..write.ownership import Played

if TYPE_CHECKING:
    from bpy.types import Depsgraph, Object

MOST_SEEN = 500
"""Frames of a vehicle without a bake that are remembered."""


class _Keys(NamedTuple):
    """The keys of a bake: frames (k,) and the location channels there (k, 3)."""

    frames: np.ndarray
    locations: np.ndarray


class Tracks:
    """The ways of vehicles, looked up in their keys once a bake.

    Attributes:
        previewed: whether a preview is on, so that vehicles do not go where their keys are.
    """

    def __init__(self) -> None:
        self.previewed = False
        self._keys: dict[str, tuple[str, _Keys]] = {}
        self._seen: dict[str, dict[int, np.ndarray]] = {}

    def see(self, vehicles: list[Object], depsgraph: Depsgraph, frame: int) -> None:
        """Remember where vehicles are on a frame, which the depsgraph stands on."""
        for ob in vehicles:
            seen = self._seen.setdefault(full_name(ob), {})
            seen[frame] = np.array(ob.evaluated_get(depsgraph).matrix_world.translation)
            if len(seen) > MOST_SEEN:
                del seen[min(seen, key=lambda known: -abs(known - frame))]

    def forget(self, vehicles: list[Object]) -> None:
        """Forget all but these vehicles."""
        names = {full_name(ob) for ob in vehicles}
        self._keys = {name: keys for name, keys in self._keys.items() if name in names}
        self._seen = {name: seen for name, seen in self._seen.items() if name in names}

    def between(self, ob: Object, depsgraph: Depsgraph, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
        """The frames (k,) that are known from `first` to `last`, and where the vehicle is on them, (k, 3)."""
        keys = self._keys_of(ob)
        if keys is None:
            seen = self._seen.get(full_name(ob), {})
            frames = np.array(sorted(frame for frame in seen if first <= frame <= last), dtype=int)
            return frames, np.array([seen[frame] for frame in frames.tolist()]).reshape(-1, 3)
        low, high = max(first, int(np.ceil(keys.frames[0]))), min(last, int(np.floor(keys.frames[-1])))
        frames = np.arange(low, high + 1)
        channels = [np.interp(frames, keys.frames, column) for column in keys.locations.T]
        local = np.stack(channels, axis=-1) + np.array(ob.delta_location)
        part = parent_part(ob, depsgraph)
        return frames, np.einsum("ab,kb->ka", part[:3, :3], local) + part[:3, 3]

    def velocity(self, ob: Object, depsgraph: Depsgraph, frame: int, frame_time: float) -> np.ndarray | None:
        """Metres a second (3,) on a frame: to the next that is known, else from the one before; None where unknown."""
        frames, places = self.between(ob, depsgraph, frame - 1, frame + 1)
        if len(frames) < 2 or frame not in frames:
            return None
        here = int(np.flatnonzero(frames == frame)[0])
        one, other = (here, here + 1) if here + 1 < len(frames) else (here - 1, here)
        return (places[other] - places[one]) / ((frames[other] - frames[one]) * frame_time)

    def _keys_of(self, ob: Object) -> _Keys | None:
        """The keys of the bake that a vehicle plays, None where it plays none."""
        played = Played(ob)
        if played.record is None or self.previewed:
            return None
        name = full_name(ob)
        known = self._keys.get(name)
        if known is None or known[0] != played.record.bake_id:
            curves = played.curves("location")
            if len(curves) < 3 or any(curve.is_empty for curve in curves.values()):
                return None
            columns = [read_column(curves[index], "co") for index in range(3)]
            frames = columns[0][:, 0]
            locations = np.stack([np.interp(frames, column[:, 0], column[:, 1]) for column in columns], axis=-1)
            known = self._keys[name] = (played.record.bake_id, _Keys(frames, locations))
        return known[1]
