"""Keys that are computed for all rigs of a model, and the actions that strips play them from."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from bpy.types import Action, Object
from bpy.utils import escape_identifier

from ...recording.thinned_curves import thinned_curves
from ...simulation.arrays.scalars import Scalars
from ...simulation.arrays.vectors import Vectors
from ..animation.animation_data import SLOTTED, channelbag_in, new_action
from ..animation.keyframes import write_thinned_keys
from ..animation.rotation_channels import channels_from_matrices, data_path
from .clip_copies import ClipCopy
from .clip_record import COPY

Keyed: TypeAlias = Mapping[tuple[str, int], Scalars]
"""Values (f,) by data path and index."""
PRECISION = 2e-4
"""How far off keys may be: numbers of a rotation, and lengths of the longest way from a joint to the next; .4 mm at the
end of a leg of 1 m."""


def by_body(column: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """A column of all frames of n bodies, one after the other, (n f, ...), as one of (n, f, ...)."""
    return column.reshape(*shape, *column.shape[1:])


def location_keys(bone: str, location: Vectors) -> dict[tuple[str, int], Scalars]:
    """The keys of the location of a bone, (n, f, 3)."""
    path = f'pose.bones["{escape_identifier(bone)}"].location'
    return {(path, index): location[..., index] for index in range(3)}


def rotation_keys(bone: str, mode: str, turns: np.ndarray) -> dict[tuple[str, int], Scalars]:
    """The keys of the rotation of a bone with this rotation mode, (n, f, 3, 3)."""
    numbers = channels_from_matrices(turns.swapaxes(0, 1), mode).swapaxes(0, 1)
    path = f'pose.bones["{escape_identifier(bone)}"].{data_path(mode)}'
    return {(path, index): numbers[..., index] for index in range(numbers.shape[-1])}


def key_actions(
    rigs: Sequence[Object], title: str, keys: Sequence[Keyed], existing: Mapping[str, Action]
) -> list[ClipCopy]:
    """An action of keys for each armature of a model, for strips: from frame 0 on, and a frame longer than the keys.
    `title`: what they move, such as feet; `keys`: of each, values (f,) by data path and index; `existing`: what earlier
    bakes have made, by what they were made of."""
    made_of = [f"{title.lower()} {_hash(keyed)}" for keyed in keys]
    count = len(next(iter(keys[0].values())))
    first_rows = {name: k for k, name in reversed([*enumerate(made_of)]) if name not in existing}
    new_keys, actions = [keys[k] for k in sorted(first_rows.values())], dict(existing)
    # Not the lengths of bones: importers guess where those end, and draw some a hundred times too long.
    size = max(((b.head_local - b.parent.head_local).length for b in rigs[0].data.bones if b.parent), default=0.0)
    precision = [PRECISION * (size if path.endswith("location") else 1.0) for keyed in new_keys for path, _ in keyed]
    columns = [column for keyed in new_keys for column in keyed.values()]
    thinned = iter(thinned_curves(np.stack(columns, axis=1), np.array(precision)) if new_keys else ())
    copies = []
    for rig, name, keyed in zip(rigs, made_of, keys):
        if (known := actions.get(name)) is not None:
            copies.append(ClipCopy(known, known.slots[0] if SLOTTED else None, title, float(count), new=False))
            continue
        action, slot = new_action(f"{title} of {rig.name}", rig)
        bag = channelbag_in(action, slot, ensure=True)
        for path, index in keyed:
            write_thinned_keys(bag.fcurves.new(path, index=index), next(thinned))
        # Strips run round their clip: on its last frame they would be on the first again.
        action.use_frame_range, action.frame_start, action.frame_end = True, 0.0, float(count)
        action[COPY] = {"made_of": name}
        actions[name] = action
        copies.append(ClipCopy(action, slot, title, float(count), new=True))
    return copies


def _hash(keys: Keyed) -> str:
    hashed = hashlib.blake2b(repr(sorted(keys)).encode(), digest_size=16)
    hashed.update(np.concatenate([*keys.values()]).astype(np.float32).tobytes())
    return hashed.hexdigest()


def without_scale(matrices: np.ndarray) -> np.ndarray:
    """Matrices (..., 3, 3) without their scale."""
    squares = matrices * matrices
    lengths = np.sqrt(squares[..., :1, :] + squares[..., 1:2, :] + squares[..., 2:, :])
    return matrices / np.maximum(lengths, 1e-12)
