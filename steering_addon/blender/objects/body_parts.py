"""The parts of a model that are its body: all that is seen of it, except what it wears or holds."""

from collections.abc import Sequence

import numpy as np
from bpy.types import Object

from .doubles import doubles, placed
from .hierarchy import Family
from .rest_pose import is_rigged, on_faces, rest_offset, rest_points, within

RigidPart = tuple["Object", str, np.ndarray]
"""A mesh, the name of the bone that carries it, and the matrix (4, 4) that places it in the armature at rest."""
MOST = 0.6
"""The least share of the height of a rigged model that its body has: the trunk alone of a body whose legs are rigid
parts has about half."""
STRONG = 0.5
"""The least weight of a bone that carries skin: importers list all bones with each mesh, and faint weights stray."""


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
    skins, rigid = [part for part in skins if part in shown], [each for each in rigid if each[0] in shown]
    skins = [skin for skin in skins if not _is_pole(skin, skins, family)]
    if not (skins and rigid):
        return skins, rigid
    skinned = {bone for skin in skins for bone in _bones_of(skin, family)}
    occupied = {bone for _, bone, _ in rigid}
    body = [each for each in rigid if not _is_on_skin(rig, each[1], skinned, occupied)]
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
    others = [points for each in skins if each != skin and len(points := _placed_at_rest(each))]
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
    above = (each.name for each in bone.parent_recursive)
    return name in skinned or next((each in skinned for each in above if each in skinned or each in occupied), False)


def _bones_of(skin: Object, family: Family) -> set[str]:
    """The names of the bones that carry a skin, of all its users."""
    mesh = skin.data
    if mesh not in family.skinned:
        names = {group.index: group.name for group in skin.vertex_groups}
        strong = {each.group for vertex in mesh.vertices for each in vertex.groups if each.weight >= STRONG}
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
