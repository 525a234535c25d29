"""The parts of a model that are its body, all that is seen of it except what it wears or holds, and its rest pose.

That is its shape whatever its armature does on the current frame. Nothing is changed.
"""

from collections.abc import Sequence

import numpy as np
from bpy.types import Bone, Mesh, MirrorModifier, Object
from mathutils import Matrix

from .doubles import column_from, doubles, placed
from .hierarchy import Family

RigidPart = tuple["Object", str, np.ndarray]
"""A mesh, the name of the bone that carries it, and the matrix (4, 4) that places it in the armature at rest."""
MOST = 0.6
"""The least share of the height of a rigged model that its body has: the trunk alone of a body whose legs are rigid
parts has about half."""
STRONG = 0.5
"""The least weight of a bone that carries skin: importers list all bones with each mesh, and faint weights stray."""
MOST_POINTS = 0.9
"""The share of the vertices of a mesh that faces have at least if the others are stray."""


def seen(parts: Sequence[Object]) -> list[Object]:
    """The parts of a model that are not hidden; all of a model that is hidden as a whole, as one that is put away."""
    shown = [part for part in parts if not (part.hide_viewport or part.hide_render or part.hide_get())]
    return shown if any(part.type not in ("EMPTY", "ARMATURE") for part in shown) else list(parts)


def rigid_parts(rig: Object, family: Family) -> list[RigidPart]:
    """The meshes on the bones of an armature that it does not deform, those parented to such parts among them."""
    parts = []
    for top in family.children(rig):
        place = rest_offset(top)
        if place is None:
            continue
        for part in (top, *family.descendants(top)):
            if part.type == "MESH" and not is_rigged(part):
                parts.append((part, top.parent_bone, place @ within(part, top)))
    return parts


def body_of(rig: Object, family: Family) -> tuple[list[Object], list[RigidPart]]:
    """The meshes that an armature deforms, and the rigid parts of its body. What is hidden, worn or held is neither."""
    skins, rigid = _skins(rig, family), rigid_parts(rig, family)
    shown = set(seen([*skins, *(part for part, *_ in rigid)]))
    skins, rigid = [part for part in skins if part in shown], [entry for entry in rigid if entry[0] in shown]
    skins = [skin for skin in skins if not _is_pole(skin, skins, family)]
    if not (skins and rigid):
        return skins, rigid
    skinned = {bone for skin in skins for bone in _bones_of(skin, family)}
    occupied = {bone for _, bone, _ in rigid}
    body = [entry for entry in rigid if not _is_on_skin(rig, entry[1], skinned, occupied)]
    to_world = doubles(rig.matrix_world)
    spans = [_span(skin, doubles(skin.matrix_world)) for skin in skins]
    worn, own = (
        _height(spans + [_span(part, to_world @ offset) for part, _, offset in parts]) for parts in (rigid, body)
    )
    return skins, body if own >= MOST * worn else rigid


def worn_parts(rig: Object, family: Family) -> set[Object]:
    """The meshes on an armature that are hidden, worn or held."""
    skins, rigid = body_of(rig, family)
    return {*_skins(rig, family), *(part for part, *_ in rigid_parts(rig, family))} - {*skins, *(p for p, *_ in rigid)}


def _skins(rig: Object, family: Family) -> list[Object]:
    return [part for part in family.descendants(rig.parent or rig) if is_rigged(part) and part.find_armature() == rig]


def _is_pole(skin: Object, skins: Sequence[Object], family: Family) -> bool:
    """Whether a skin is held, as a spear is: a single bone carries it, and it is longer than all others together."""
    others = [points for other in skins if other != skin and len(points := _placed_at_rest(other))]
    if not others or len(_bones_of(skin, family)) != 1:
        return False
    sides, sides_of_body = (np.ptp(points, axis=0) for points in (_placed_at_rest(skin), np.concatenate(others)))
    return bool(sides.max() > sides_of_body.max())


def _placed_at_rest(part: Object) -> np.ndarray:
    """The points (m, 3) of the faces of a mesh at rest, in metres."""
    return placed(points_at_rest(part), doubles(part.matrix_world))


def _is_on_skin(rig: Object, name: str, skinned: set[str], occupied: set[str]) -> bool:
    """Whether a bone, or the first one above it that carries anything, carries skin: what is rigid there is worn or
    held, as a hat or a sword is. What is rigid on bones without skin is the body, as of a robot."""
    bone = rig.data.bones[name]
    above = (other.name for other in bone.parent_recursive)
    return name in skinned or next(
        (other in skinned for other in above if other in skinned or other in occupied), False
    )


def _bones_of(skin: Object, family: Family) -> set[str]:
    """The names of the bones that carry a skin, of all its users."""
    mesh = skin.data
    if mesh not in family.skinned:
        names = {vertex_group.index: vertex_group.name for vertex_group in skin.vertex_groups}
        strong = {weight.group for vertex in mesh.vertices for weight in vertex.groups if weight.weight >= STRONG}
        family.skinned[mesh] = {names[index] for index in strong if index in names}
    return family.skinned[mesh]


def points_at_rest(part: Object) -> np.ndarray:
    """The points (m, 3) of the faces of a mesh at rest, in the object's own space."""
    points = rest_points(part)
    return np.asarray(points[on_faces(part.data, len(points))])


def _span(part: Object, matrix: np.ndarray) -> tuple[float, float]:
    heights = points_at_rest(part) @ matrix[2, :3] + matrix[2, 3]
    return (float(heights.min()), float(heights.max())) if len(heights) else (np.inf, -np.inf)


def _height(spans: Sequence[tuple[float, float]]) -> float:
    return max(high for _, high in spans) - min(low for low, _ in spans)


def rest_offset(child: Object) -> np.ndarray | None:
    """The matrix (4, 4) that places the child of a bone in its armature at rest; None for other children."""
    if child.parent_type != "BONE" or child.parent.type != "ARMATURE":
        return None
    bone = child.parent.data.bones.get(child.parent_bone)
    if bone is None:
        return None
    carrying = Matrix() if bone.use_relative_parent else _tail(bone)
    return doubles(carrying @ child.matrix_parent_inverse @ child.matrix_basis)


def within(ob: Object, top: Object) -> np.ndarray:
    """The matrix (4, 4) from the space of an object to that of another, which is above it as a rule.

    Not from where both are in the world: the last digits of these matrices depend on where the model stands and how it
    is turned, and so would all that is measured of it.
    """
    matrix, above = np.eye(4), ob
    while above != top and above.parent is not None and above.parent_type == "OBJECT" and not above.constraints:
        matrix = doubles(above.matrix_parent_inverse) @ doubles(above.matrix_basis) @ matrix
        above = above.parent
    return matrix if above == top else doubles(top.matrix_world.inverted_safe()) @ doubles(ob.matrix_world)


def is_rigged(ob: Object) -> bool:
    """Whether an armature deforms a mesh."""
    return ob.type == "MESH" and ob.find_armature() is not None


def rest_points(ob: Object) -> np.ndarray:
    """The points (m, 3) of a mesh without its modifiers, except that it is mirrored, in the object's own space."""
    points = vertices_of(ob.data)
    for modifier in ob.modifiers:
        if modifier.type == "MIRROR" and modifier.show_viewport:
            points = _mirror(points, ob, modifier)
    return points


def vertices_of(mesh: Mesh) -> np.ndarray:
    """The vertices (m, 3) of a mesh."""
    return column_from(mesh.vertices, "co", 3).astype(np.float64)


def on_faces(mesh: Mesh, count: int) -> np.ndarray:
    """A mask of the points of a mesh, `count` with their mirror images, that are not stray: those of its faces. All
    count if more than a few are without, such as points and wires that nodes make something of."""
    mask = np.zeros(len(mesh.vertices), dtype=np.bool_)
    mask[column_from(mesh.loops, "vertex_index", kind=np.int32)] = True
    if np.count_nonzero(mask) < MOST_POINTS * len(mask):
        mask[:] = True
    return np.tile(mask, count // max(len(mask), 1))


def bone_points(ob: Object) -> np.ndarray:
    """The ends (m, 3) of an armature's bones at rest: of those that deform a mesh, or without such bones of all."""
    bones = ob.data.bones
    deforming = [bone for bone in bones if bone.use_deform]
    return doubles([end for bone in deforming or bones for end in (bone.head_local, bone.tail_local)]).reshape(-1, 3)


def _tail(bone: Bone) -> Matrix:
    """The matrix of the tail of a bone, at which its children are placed."""
    matrix = bone.matrix_local.copy()
    matrix.translation += matrix.col[1].xyz * bone.length
    return matrix


def _mirror(points: np.ndarray, ob: Object, modifier: MirrorModifier) -> np.ndarray:
    across = modifier.mirror_object
    into = np.eye(4) if across is None else within(ob, across)
    back = doubles(Matrix(into).inverted_safe())
    for axis in range(3):
        if modifier.use_axis[axis]:
            images = placed(points, into)
            images[:, axis] *= -1.0
            points = np.concatenate((points, placed(images, back)))
    return points
