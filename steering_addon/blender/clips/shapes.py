"""The shape keys of a mesh and the points that they move; meshes of their own for members that play them.

Shape keys belong to a mesh, and members share that of their model, so that all would have one pose. For the time of a
bake they get copies of it, which a custom property marks as ours. The mesh of the model is never changed.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Action, Armature, Key, Mesh, Object, ShapeKey
from bpy.utils import escape_identifier, unescape_identifier

from ...portrayal.feet.soles import GAP
from ...simulation.arrays.once import once
from ...simulation.arrays.scalars import Rows
from ..animation.animation_data import posed_block, remove_blocks
from ..objects.doubles import column_from
from ..objects.drivers import drivers_of
from ..refusal import Refusal
from .clip_copies import Channel, curves_for
from .clip_strips import Edited, clear_clips
from .poses import values_on

PLACES = 512
"""Points by which it is told how lively a mesh is, and how far its last pose is from the first."""
SOURCE = "steering_shapes_of"
"""The custom property of a copy of a mesh that a bake made: the mesh of the model. Stored in files: never changes."""


@dataclass(frozen=True)
class Shapes:
    """Shape keys, and points in the space of their mesh.

    Attributes:
        names: of the k keys that move points.
        values: (k,) of these, where no clip says otherwise.
        points: (m, 3) without any of them.
        moves: (k, m, 3) what each adds at a value of 1.
        matrix: (4, 4) from the mesh's space to the model's: metres, x to its left, y behind it and z up.
        has_mesh: always, as for a `Rig`.
    """

    names: tuple[str, ...]
    values: np.ndarray
    points: np.ndarray
    moves: np.ndarray
    matrix: np.ndarray
    has_mesh: bool = True

    @once
    def height(self) -> float:
        """The height of the model at rest, metres; of one that is flat, such as a butterfly, its longest side."""
        sides = np.ptp(self.points @ self.matrix[:3, :3].T, axis=0) if len(self.points) else np.zeros(3)
        return float(sides[2] or sides.max())

    def local_points(self, poses: np.ndarray, rows: Rows | slice = slice(None)) -> np.ndarray:
        """Points in the mesh's space, (f, r, 3), by the values of the keys (f, k)."""
        points: np.ndarray = self.points[rows] + np.einsum("fk,kri->fri", poses, self.moves[:, rows])
        return points

    def posed_points(self, poses: np.ndarray, rows: Rows) -> np.ndarray:
        """As `local_points`, in the model's space."""
        return self.local_points(poses, rows) @ self.matrix[:3, :3].T + self.matrix[:3, 3]

    def heights(self, poses: np.ndarray) -> np.ndarray:
        """The heights of all points, (f, m) metres."""
        up = self.matrix[2, :3]
        heights: np.ndarray = self.points @ up + self.matrix[2, 3] + poses @ (self.moves @ up)
        return heights

    def at_rest(self) -> np.ndarray:
        """The points (m, 3) in the model's space without any of the keys."""
        return self.points @ self.matrix[:3, :3].T + self.matrix[:3, 3]

    def places(self, poses: np.ndarray) -> np.ndarray:
        """The places of some points all over the mesh, (f, n, 3) metres from its origin, in the axes of the model."""
        rows = np.arange(0, len(self.points), max(len(self.points) // PLACES, 1))
        return self.local_points(poses, rows) @ self.matrix[:3, :3].T

    def parts_of(self, rows: Rows) -> Rows:
        """The numbers of the parts to which points belong, (r,): points near each other may be one foot."""
        cells = np.floor(self.points[rows] @ self.matrix[:2, :3].T / (GAP * self.height)).astype(np.int64)
        return np.unique(cells, axis=0, return_inverse=True)[1].reshape(-1)

    def poses_in(self, mesh: Object, action: Action, frames: np.ndarray) -> np.ndarray:
        """The values of the keys on some frames of an action, (f, k)."""
        curves = {path: curve for (path, _), curve in curves_for(action, mesh).items()}
        poses = np.tile(self.values, (len(frames), 1))
        for column, name in enumerate(self.names):
            if (curve := curves.get(path_of(name))) is not None:
                poses[:, column] = values_on(curve, frames)
        return poses

    def poses_of(self, channels: Sequence[Channel], values: np.ndarray) -> np.ndarray:
        """The values of the keys, (n, k), from those of channels of clips, (n, c)."""
        columns = {path: column for column, (path, _) in enumerate(channels)}
        poses = np.tile(self.values, (len(values), 1))
        for key, name in enumerate(self.names):
            if (column := columns.get(path_of(name))) is not None:
                poses[:, key] = values[:, column]
        return poses


def path_of(name: str) -> str:
    """The data path of the value of a shape key."""
    return f'key_blocks["{escape_identifier(name)}"].value'


def shapes_of(mesh: Object, matrix: np.ndarray) -> Shapes:
    """The shape keys of a mesh; `matrix` (4, 4) from its space to the model's."""
    keys = mesh.data.shape_keys
    basis = keys.reference_key
    blocks = [block for block in keys.key_blocks if block != basis and not block.mute]
    return Shapes(
        names=tuple(block.name for block in blocks),
        values=np.array([block.value for block in blocks]),
        points=_points(basis),
        moves=np.stack([np.zeros((len(basis.data), 3)), *(_moves(mesh, block) for block in blocks)])[1:],
        matrix=matrix,
    )


def _moves(mesh: Object, block: ShapeKey) -> np.ndarray:
    """The ways by which a shape key moves the points of its mesh, (m, 3)."""
    moves = _points(block) - _points(block.relative_key)
    group = mesh.vertex_groups.get(block.vertex_group) if block.vertex_group else None
    if group is not None:
        shares = [
            next((element.weight for element in vertex.groups if element.group == group.index), 0.0)
            for vertex in mesh.data.vertices
        ]
        moves *= np.array(shares)[:, None]
    return moves


def _points(block: ShapeKey) -> np.ndarray:
    return key_points(block).astype(np.float64)


def key_points(block: ShapeKey) -> np.ndarray:
    """The points of a shape key of a mesh, (m, 3), as they are stored."""
    # In Blender 5.2 a key of a mesh without vertices has a random number of them.
    return column_from(block.data, "co", 3) if len(block.id_data.user.vertices) else np.zeros((0, 3), np.float32)


def source_of(data: Armature | Mesh) -> Armature | Mesh:
    """The mesh that a mesh is a copy of, made by a bake; the data itself if it is not."""
    source = data.get(SOURCE)
    return source if isinstance(source, bpy.types.Mesh) else data


def has_own_shapes(ob: Object) -> bool:
    """Whether an object shows a copy of its mesh that a bake has made."""
    return ob.type == "MESH" and source_of(ob.data) != ob.data


def give_own_shapes(meshes: Sequence[Object], leaders: Sequence[int]) -> None:
    """Give the leaders among the objects of a model copies of their mesh, which others share; `leaders`: for each
    object, the row of its leader."""
    for row in sorted(set(leaders)):
        ob = meshes[row]
        # One with strips that were edited stays.
        if not has_own_shapes(ob):
            copy = ob.data.copy()
            copy.name, copy[SOURCE] = f"{ob.data.name} (crowd)", ob.data
            ob.data = copy
    for ob, row in zip(meshes, leaders):
        if ob.data != meshes[row].data:
            ob.data = meshes[row].data


def clear_players(objects: Iterable[Object], keep: Collection[Action] = ()) -> list[Edited]:
    """Remove the strips of clips from what plays these, and the copies of meshes that nothing else shows. Arguments and
    result as for `clear_clips`. Objects whose strips stay keep their copy."""
    objects = list(dict.fromkeys(objects))
    users = Counter(ob.data for ob in objects if has_own_shapes(ob))
    # Others, such as vehicles that are locked, may share the copy.
    edited = clear_clips([ob for ob in objects if ob.data not in users or ob.data.users == users[ob.data]], keep)
    take_own_shapes(objects, {track.rig for track in edited})
    return edited


def take_own_shapes(objects: Iterable[Object], stay: Collection[Object | Key] = ()) -> None:
    """Give objects the mesh of their model back, and remove the copies that nothing else shows. Those with shape keys
    that `stay` are left as they are."""
    copies = {}
    for ob in objects:
        if has_own_shapes(ob) and ob.data.shape_keys not in stay:
            copies[ob.data] = None
            ob.data = source_of(ob.data)
    remove_blocks([mesh for mesh in copies if not mesh.users])


def check_shapes_play(mesh: Object, channels: Sequence[Channel]) -> None:
    """Refuse a mesh whose shape keys do not show what strips play on these channels."""
    if mesh.show_only_shape_key:
        text = f"{mesh.name} shows its active shape key only, and none of its clips"
        raise Refusal(f"{text}. Turn off the pin of its shape keys.", about=[mesh])
    paths = {path for path, _ in channels}
    driven = (curve for curve in drivers_of(posed_block(mesh)) if not curve.mute)
    if (curve := next((curve for curve in driven if curve.data_path in paths), None)) is not None:
        name = unescape_identifier(curve.data_path.partition('["')[2].rpartition('"]')[0])
        text = f"{mesh.name} has a driver on the shape key {name}, which its clips play"
        raise Refusal(f"{text}. Remove the driver, or the clips.", about=[mesh])
