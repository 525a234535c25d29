"""The bones of an armature and the points that they carry, as arrays."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np
from bpy.types import Object
from bpy.utils import flip_name

from ...simulation.arrays.once import once
from ...simulation.arrays.scalars import Rows
from ..objects.body_parts import body_of, on_faces, points_at_rest, rest_points, within
from ..objects.doubles import doubles
from ..objects.hierarchy import Family

Part = tuple[np.ndarray, Rows, np.ndarray]
"""Points (m, 3) in the armature's space, the rows of the bones that move each and their weights, (m, INFLUENCES)."""
ALONG = np.array(((1.0, 0.0), (0.95, 0.05), (0.05, 0.95), (0.0, 1.0)))
"""Shares of the two ends of a bone in the points that stand for it where there is no mesh."""
EVEN = 0.02
"""The part of a scale by which it may differ between axes and still count as even."""
INFLUENCES = 4
"""Bones that move a point at most: of more, the strongest."""


@dataclass(frozen=True)
class Rig:
    """Bones, parents before their children, and points.

    Attributes:
        names: of the n bones.
        parents: (n,) rows, -1 for none.
        rest: (n, 4, 4) bones in the armature's space at rest.
        points: (m, 3) of what they carry, in the armature's space at rest.
        bones: (m, INFLUENCES) rows of the bones that move each point.
        weights: (m, INFLUENCES) their shares, which add up to 1, or 0 for what no bone moves.
        matrix: (4, 4) from the armature's space to the model's: metres, x to its left, y behind it and z up.
        has_mesh: whether the points are of one; else they are the ends of bones.
    """

    names: tuple[str, ...]
    parents: Rows
    rest: np.ndarray
    points: np.ndarray
    bones: Rows
    weights: np.ndarray
    matrix: np.ndarray
    has_mesh: bool = True

    @once
    def from_rest(self) -> np.ndarray:
        """The inverse of `rest`, (n, 4, 4): bones at rest are turned and moved, not scaled."""
        inverse = np.tile(np.eye(4), (len(self.rest), 1, 1))
        inverse[:, :3, :3] = self.rest[:, :3, :3].transpose(0, 2, 1)
        inverse[:, :3, 3] = -np.einsum("nji,nj->ni", self.rest[:, :3, :3], self.rest[:, :3, 3])
        return inverse

    @once
    def height(self) -> float:
        """The height of the model at rest, metres."""
        return float(np.ptp(self.points @ self.matrix[2, :3])) if len(self.points) else 0.0

    def at_rest(self) -> np.ndarray:
        """The points (m, 3) in the model's space at rest."""
        return self.points @ self.matrix[:3, :3].T + self.matrix[:3, 3]

    def above(self, bone: int) -> list[int]:
        """The bones above a bone, the nearest first."""
        parents = []
        while (bone := int(self.parents[bone])) >= 0:
            parents.append(bone)
        return parents

    def part(self, rows: Rows, also: Iterable[int] = ()) -> "Rig":
        """Only some points, in the order of their rows (r,), with the bones that move them, others, and all above."""
        needed = {*self.bones[rows][self.weights[rows] > 0.0].tolist(), *also}
        needed.update(bone for carried in list(needed) for bone in self.above(carried))
        bones = np.array(sorted(needed), dtype=np.int64)
        new_rows = np.full(len(self.names) + 1, -1, dtype=np.int64)
        new_rows[bones] = np.arange(len(bones))
        return Rig(
            names=tuple(self.names[bone] for bone in bones),
            parents=new_rows[self.parents[bones]],
            rest=self.rest[bones],
            points=self.points[rows],
            bones=np.maximum(new_rows[self.bones[rows]], 0),
            weights=self.weights[rows],
            matrix=self.matrix,
            has_mesh=self.has_mesh,
        )

    def places(self, poses: np.ndarray) -> np.ndarray:
        """The places of bones (f, n, 4, 4), (f, n, 3) metres from the armature's origin, in the axes of the model."""
        places: np.ndarray = poses[..., :3, 3] @ self.matrix[:3, :3].T
        return places

    def parts_of(self, rows: Rows) -> Rows:
        """The rows of the bones that move points most, (r,)."""
        bones: Rows = self.bones[rows, np.argmax(self.weights[rows], axis=1)]
        return bones

    def posed_points(self, poses: np.ndarray, rows: Rows) -> np.ndarray:
        """Points in the model's space, (f, r, 3), from the bones' poses (f, n, 4, 4); `rows` (r,) of the points."""
        return self.points_by_bones(compose(self.matrix, poses), rows)

    def points_by_bones(self, placed: np.ndarray, rows: Rows, part_of: Collection[int] | None = None) -> np.ndarray:
        """As `posed_points`, from bones in the model's space (f, n, 4, 4). `part_of`: bones whose shares alone
        count."""
        total = np.zeros((3, len(rows), len(placed)))
        points, bones, weights = self.points[rows], self.bones[rows], self.weights[rows]
        at_rest = np.concatenate((points, np.ones((len(rows), 1))), axis=1)
        moving = np.unique(bones[weights > 0.0]).tolist()
        for bone in moving if part_of is None else [bone for bone in moving if bone in part_of]:
            shares = np.einsum("rk,rk->r", weights, bones == bone)
            moved = np.flatnonzero(shares)
            # In the axes of the bone, where they stay.
            offsets = shares[moved] * np.einsum("ij,rj->ir", self.from_rest[bone], at_rest[moved])
            for row in range(3):
                terms = (offsets[k, :, None] * placed[:, bone, row, k] for k in range(4))
                total[row, moved] += next(terms) + next(terms) + next(terms) + next(terms)
        loose = np.flatnonzero(~weights.any(axis=1)) if part_of is None else np.zeros(0, np.int64)
        total[:, loose] = self.at_rest()[rows[loose]].T[..., None]
        return total.transpose(2, 1, 0)

    def heights(self, poses: np.ndarray) -> np.ndarray:
        """The heights of all points, (f, m) metres, from the bones' poses (f, n, 4, 4)."""
        deform = ((self.matrix[2:3] @ poses) @ self.from_rest)[..., 0, :]
        places = np.concatenate((self.points, np.ones((len(self.points), 1))), axis=1)
        total = np.zeros((len(poses), len(places)))
        for k in range(INFLUENCES):
            moved = np.flatnonzero(self.weights[:, k] > 0.0)
            heights = np.einsum("fma,ma->fm", deform[:, self.bones[moved, k]], places[moved])
            total[:, moved] += self.weights[moved, k] * heights
        loose = ~self.weights.any(axis=1)
        total[:, loose] = (places[loose] @ self.matrix[2])[None]
        return total


def unset_matrices(shape: tuple[int, ...]) -> np.ndarray:
    """Affine matrices (..., 4, 4) of a shape (...), of which only the last row is set; each element is contiguous."""
    memory = np.empty((4, 4, *shape))
    memory[3, :3], memory[3, 3] = 0.0, 1.0
    return memory.transpose((*range(2, memory.ndim), 0, 1))


def compose(a: np.ndarray, b: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """The products of affine matrices, (..., 4, 4) each; `out` has to be one of affine matrices."""
    if out is None:
        out = unset_matrices(np.broadcast_shapes(a.shape, b.shape)[:-2])
    product = np.empty_like(out[..., :3, :])
    np.multiply(a[..., :3, :1], b[..., :1, :], out=out[..., :3, :])
    for k in (1, 2):
        out[..., :3, :] += np.multiply(a[..., :3, k : k + 1], b[..., k : k + 1, :], out=product)
    out[..., :3, 3] += a[..., :3, 3]
    return out


def rig_of(armature: Object, model: Object, family: Family, axes: np.ndarray) -> Rig:
    """The rig of an armature. `model`: the object that carries it, maybe itself: what is a vehicle; `axes`: (3, 3)
    rows: the model's left, back and up in its own space."""
    # Parents first.
    bones = sorted(armature.data.bones, key=lambda bone: len(bone.parent_recursive))
    rows = {bone.name: row for row, bone in enumerate(bones)}
    skins, rigid = body_of(armature, family)
    # As for sizes: what is held in a hand may reach below the feet.
    parts = [_rigid_points(*mesh, rows) for mesh in rigid] + [_skin_points(armature, skin, rows) for skin in skins]
    parts = [part for part in parts if len(part[0])]
    points, influences, weights = (np.concatenate(column) for column in zip(*(parts or [_bone_ends(bones, rows)])))
    return Rig(
        names=tuple(bone.name for bone in bones),
        parents=np.array([rows[bone.parent.name] if bone.parent else -1 for bone in bones], dtype=np.int64),
        rest=doubles([bone.matrix_local for bone in bones]).reshape(-1, 4, 4),
        points=points,
        bones=influences,
        weights=weights,
        matrix=to_model(armature, model, axes),
        has_mesh=bool(parts),
    )


def to_model(armature: Object, model: Object, axes: np.ndarray) -> np.ndarray:
    """The matrix (4, 4) from the space of an armature to that of its model, in metres; arguments as for `rig_of`."""
    if model.parent is None and not model.constraints:
        world = np.diag(doubles(model.scale) * doubles(model.delta_scale))
    else:
        world = doubles(model.matrix_world)[:3, :3]
    turn = axes @ (world / np.maximum(np.linalg.norm(world, axis=0), 1e-12)).T
    if is_mirrored(world):
        # What its data has on the left is on its right.
        turn[0] = -turn[0]
    matrix = np.eye(4)
    matrix[:3] = turn @ world @ within(armature, model)[:3]
    return matrix


def is_mirrored(matrix: np.ndarray) -> bool:
    """Whether an affine matrix (4, 4) turns what is on the left to the right."""
    return bool(np.linalg.det(matrix[:3, :3]) < 0.0)


def unevenness(matrix: np.ndarray) -> tuple[float, ...]:
    """The scale along each axis of an affine matrix (4, 4) as a share of their mean; empty if they are about equal."""
    scale = np.linalg.norm(matrix[:3, :3], axis=0)
    if np.ptp(scale) <= EVEN * scale.mean():
        return ()
    return tuple((scale / scale.mean()).round(2).tolist())


def _skin_points(armature: Object, skin: Object, rows: dict[str, int]) -> Part:
    points, matrix = rest_points(skin), within(skin, armature)
    points = points @ matrix[:3, :3].T + matrix[:3, 3]
    bones, weights = _strongest_bones(skin, rows, len(points))
    envelopes = (modifier.type == "ARMATURE" and modifier.use_bone_envelopes for modifier in skin.modifiers)
    if not weights.any() and any(envelopes):
        bones, weights = _nearest_bones(armature, rows, points)
    visible = on_faces(skin.data, len(points))
    return points[visible], bones[visible], weights[visible]


def _rigid_points(part: Object, bone: str, offset: np.ndarray, rows: dict[str, int]) -> Part:
    """The points of a mesh that is a rigid part on a bone, placed by a matrix (4, 4)."""
    points = points_at_rest(part) @ offset[:3, :3].T + offset[:3, 3]
    return points, *_single_bones(np.full(len(points), rows[bone]))


def _single_bones(rows: Rows) -> tuple[Rows, np.ndarray]:
    """The bones and weights of points that one bone each moves, whose row (m,) it is."""
    bones, weights = np.zeros((len(rows), INFLUENCES), dtype=np.int64), np.zeros((len(rows), INFLUENCES))
    bones[:, 0], weights[:, 0] = rows, 1.0
    return bones, weights


def _strongest_bones(part: Object, rows: dict[str, int], count: int) -> tuple[Rows, np.ndarray]:
    """The strongest bones of each point of a mesh, mirror images among them, and their shares."""
    bone_of = {group.index: rows.get(group.name, -1) for group in part.vertex_groups}
    vertices = len(part.data.vertices)
    bones = np.zeros((vertices, INFLUENCES), dtype=np.int64)
    weights = np.zeros((vertices, INFLUENCES))
    for vertex in part.data.vertices:
        strongest = sorted(
            ((element.weight, bone_of.get(element.group, -1)) for element in vertex.groups), reverse=True
        )
        for k, (weight, bone) in enumerate([pair for pair in strongest if pair[1] >= 0][:INFLUENCES]):
            bones[vertex.index, k], weights[vertex.index, k] = bone, weight
    weights /= np.maximum(weights.sum(axis=1, keepdims=True), 1e-12)
    # Each mirrored axis doubles the points; what is mirrored twice is on its first side again.
    other_side = np.array([rows.get(flip_name(name), row) for name, row in rows.items()])
    while len(bones) < count:
        bones = np.concatenate((bones, other_side[bones]))
        weights = np.concatenate((weights, weights))
    return bones, weights


def _nearest_bones(armature: Object, rows: dict[str, int], points: np.ndarray) -> tuple[Rows, np.ndarray]:
    """The bone next to each point (m, 3), as `_strongest_bones`: about what envelopes make of them."""
    deforming = [bone for bone in armature.data.bones if bone.use_deform] or list(armature.data.bones)
    nearest, bones = np.full(len(points), np.inf), np.zeros(len(points), dtype=np.int64)
    for bone in deforming:
        head, bone_vector = doubles(bone.head_local), doubles(bone.tail_local) - doubles(bone.head_local)
        fractions = np.clip((points - head) @ bone_vector / max(float(bone_vector @ bone_vector), 1e-12), 0.0, 1.0)
        distance = np.linalg.norm(points - head - fractions[:, None] * bone_vector, axis=1)
        # Where bones meet, the one below: a heel moves with the foot, not with the shin.
        nearer = distance <= nearest + 1e-6
        nearest[nearer], bones[nearer] = distance[nearer], rows[bone.name]
    return _single_bones(bones)


def _bone_ends(bones: list, rows: dict[str, int]) -> Part:
    """The ends of the bones that would deform a mesh, or without such bones of all, for an armature without one."""
    bones = [bone for bone in bones if bone.use_deform] or bones
    ends = doubles([(bone.head_local, bone.tail_local) for bone in bones]).reshape(-1, 2, 3)
    # A foot has at least two points, so there are two at either end.
    points = np.einsum("sk,bki->bsi", ALONG, ends).reshape(-1, 3)
    return points, *_single_bones(np.repeat([rows[bone.name] for bone in bones], len(ALONG)))
