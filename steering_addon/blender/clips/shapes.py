"""The shape keys of a mesh and the points that they move, as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Action, Object, ShapeKey
from bpy.utils import escape_identifier

from ...portrayal.feet.soles import GAP
from ...simulation.arrays.once import once
from ...simulation.arrays.scalars import Rows
from ..objects.doubles import column_from
from .clip_copies import Channel, curves_for
from .poses import values_on

PLACES = 512
"""Points by which it is told how lively a mesh is, and how far its last pose is from the first."""


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

    def shaped(self, poses: np.ndarray, rows: Rows | slice = slice(None)) -> np.ndarray:
        """Points in the mesh's space, (f, r, 3), by the values of the keys (f, k)."""
        points: np.ndarray = self.points[rows] + np.einsum("fk,kri->fri", poses, self.moves[:, rows])
        return points

    def moved(self, poses: np.ndarray, rows: Rows) -> np.ndarray:
        """As `shaped`, in the model's space."""
        return self.shaped(poses, rows) @ self.matrix[:3, :3].T + self.matrix[:3, 3]

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
        return self.shaped(poses, rows) @ self.matrix[:3, :3].T

    def parts_of(self, rows: Rows) -> Rows:
        """The numbers of the parts to which points belong, (r,): what is near each other may be one foot."""
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
            next((each.weight for each in vertex.groups if each.group == group.index), 0.0)
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
