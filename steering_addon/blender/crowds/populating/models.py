"""Models that members are copies of: an object with all its descendants.

Copies share the data of the model, such as its mesh, and its animation. Pointers between parts of a model are changed
to point at the parts of the copy.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np
from bpy.types import Depsgraph, Object

from ....simulation.roles import Role
from ...animation.staging import clear_all
from ...clips.shapes import take_own_shapes
from ...objects.body_sizes import Body
from ...objects.characters import bone_shapes, carriers
from ...objects.doubles import doubles
from ...objects.drivers import Setting, copied, pointers
from ...objects.hierarchy import Bond, Family, ancestors
from ...properties import has_role, has_roles
from ...read.forward_axis import front_of
from ...read.role_assignment import current_front
from ...refusal import Refusal, sound_front

NUMBERED = re.compile(r"[ ._]\d{3,}$")
"""The number in the name of a copy, as written by Blender and the ready scenes."""
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
SAY_NOTHING = {
    *("root", "rig", "metarig", "armature", "skeleton", "scene", "empty", "node", "object", "group", "geo", "mesh"),
    *("model", "character", "animal", "human", "body", "sketchfab", "gltf", "fbx", "mixamo"),
    *("cube", "plane", "sphere", "icosphere", "cylinder", "circle", "cone", "torus", "collection"),
    *("glb", "obj", "usd", "dae", "blend", "cleaner", "materialmerger", "gles"),
    *("arm", "leg", "foot", "feet", "hand", "head", "torso", "hip", "hips", "chest", "neck", "tail", "wing", "eye"),
    *("eyes", "hair", "skin", "part", "joint", "joints", "bone", "surface"),
    *("left", "right", "upper", "lower", "default"),
}
"""Words in the names that importers, exporters and Blender give, which do not say what a model is; nor do its limbs."""
MOVING = (Role.VEHICLE, Role.LEADER)
"""Roles of models: what has another one stands about, is a place or holds settings."""
SHORTEST = 3
"""The least number of letters of a word that says something."""


@dataclass(frozen=True)
class MemberModel:
    """An object with all its descendants. `parts`: the object itself, then its descendants; `names`: of the copies of
    the parts, without number; `links`: for each pointer from one part to another, the rows of both parts and a function
    that sets the pointer."""

    parts: list[Object]
    names: list[str]
    links: list[tuple[int, int, Setting]]

    @classmethod
    def of(cls, ob: Object, family: Family) -> "MemberModel":
        """The model of an object."""
        parts = [ob, *family.descendants(ob)]
        model = cls.made_of(parts, [_telling_name(parts), *(NUMBERED.sub("", part.name) for part in parts[1:])])
        rows = {part: row for row, part in enumerate(parts)}
        bonds = [(row, family.bonds[part]) for part, row in rows.items() if part in family.bonds]
        # After all other pointers, as the constraints go.
        parents = [(row, rows[bond.carrier], _parent_setter(bond)) for row, bond in bonds if bond.carrier in rows]
        return replace(model, links=model.links + parents)

    @classmethod
    def made_of(cls, parts: list[Object], names: list[str]) -> "MemberModel":
        """The model of these parts; the root comes first."""
        rows = {part: row for row, part in enumerate(parts)}
        links = [
            (row, rows[target], setting)
            for row, part in enumerate(parts)
            for target, setting in pointers(part)
            if target in rows
        ]
        return cls(parts, names, links)

    def copied(self, number: int, collection: bpy.types.Collection) -> list[Object]:
        """Copies of all parts, named with the number."""
        return self.copied_as([f"{name} {number:04}" for name in self.names], collection)

    def copied_as(self, names: Sequence[str], collection: bpy.types.Collection) -> list[Object]:
        """Copies of all parts with these names."""
        copies = [copied(part) for part in self.parts]
        for copy, name in zip(copies, names):
            copy.name = name
        for row, target, setting in self.links:
            setting(copies[row], copies[target])
        for copy in copies:
            collection.objects.link(copy)
        return copies


def _telling_name(parts: Sequence[Object]) -> str:
    """The name of a model without number: that of its root if it says something.

    Else it is what the names of carriers of all of it say, of which one is often that of the file; or the first word
    of most meshes; or the name of a mesh itself or, unless the model is a single object, of its collection.
    """
    name = NUMBERED.sub("", parts[0].name)
    if not SAY_NOTHING.issuperset(word.lower() for word in WORD.findall(name)):
        return name
    meshes = [part for part in parts if part.type == "MESH"]
    if parts[0].type in ("EMPTY", "ARMATURE"):
        chains = [set(ancestors(mesh)) for mesh in meshes]
        carriers = [part for part in parts[1:] if part.type == "ARMATURE" or all(part in chain for chain in chains)]
        names_of_carriers = [" ".join(_telling(part.name)) for part in carriers if part.type in ("EMPTY", "ARMATURE")]
        words = [re.split(r"[ ._-]", part.name)[0] for part in meshes]
        # One of many parts does not say what the whole is.
        telling = [word for word in words if _telling(word) and (words.count(word) > 1 or len(words) == 1)]
        if best := next(filter(None, names_of_carriers), "") or max(telling, key=telling.count, default=""):
            return best
    holders = parts[0].users_collection if len(parts) > 1 else ()
    names = [*(mesh.data.name for mesh in meshes if len(meshes) == 1), *(collection.name for collection in holders)]
    return next((NUMBERED.sub("", candidate) for candidate in names if _telling(candidate)), name)


def _telling(name: str) -> list[str]:
    return [word for word in WORD.findall(name) if len(word) >= SHORTEST and word.lower() not in SAY_NOTHING]


@dataclass(frozen=True)
class Source:
    """A model in the list of Populate.

    Attributes:
        model: the objects to copy.
        weight: relative frequency among the sources.
        front: the names of its forward and up axis.
        scale: (3,) of the root.
        body: its shape, for measuring.
    """

    model: MemberModel
    weight: float
    front: tuple[str, str]
    scale: np.ndarray
    body: Body

    @classmethod
    def of(cls, ob: Object, weight: float, family: Family, depsgraph: Depsgraph, *, flies: bool) -> "Source":
        """The source of an object, measured with its current scale and rotation; `flies` as for `front_of`."""
        # The world matrix of an object that is in no view layer is not evaluated. Most models have no parent.
        is_free = ob.parent is None and not ob.constraints
        world = ob.matrix_basis if is_free else ob.matrix_world
        body = Body.of(ob, depsgraph, family, doubles(world))
        front = sound_front(ob) if current_front(ob) else front_of(ob, family, body, flies=flies)
        scale = doubles(ob.scale if is_free else world.to_scale())
        return cls(MemberModel.of(ob, family), weight, front, scale, body)

    def room(self, *, on_ground: bool) -> float:
        """The radius in metres to keep free for a member: horizontally on the ground, else in all directions. A
        standing figure may have its arms spread in the model; they need no room."""
        return self.body.room(self.front) if on_ground else self.body.radius()


def may_be_model(ob: Object) -> bool:
    """Whether an object that is selected may be meant as a model: one without a role, or one that moves by itself."""
    return not has_roles(ob) or any(has_role(ob, role) for role in MOVING)


def usable(
    objects: Sequence[Object], crowd: Object | None, excluded: Collection[Object | None], family: Family
) -> list[Object]:
    """The objects that can be models, without descendants of other models; the root of a character. `excluded`: objects
    to leave out. Refused if a model is linked."""
    models = candidates(objects, crowd, excluded, family)
    for ob in models:
        if ob.library is not None:
            raise Refusal(f"{ob.name} is linked and cannot be copied for each member. Make a library override of it.")
    return models


def candidates(
    objects: Sequence[Object], crowd: Object | None, excluded: Collection[Object | None], family: Family
) -> list[Object]:
    """As `usable`, with linked objects. Custom shapes of bones are no models."""
    skins = {part: bond.carrier for part, bond in family.bonds.items() if bond.is_skin}
    left_out = bone_shapes().union(excluded)
    wholes = carriers(skins.get(ob, ob) for ob in objects if ob not in left_out)
    chosen = set(wholes)
    return [
        ob
        for ob in wholes
        if not (ob == crowd or ob in excluded or has_role(ob, Role.CROWD)) and chosen.isdisjoint(family.ancestors(ob))
    ]


def detach(copies: list[Object]) -> None:
    """Remove from new copies what belongs to the original: its tags, its bake and its parent."""
    clear_all(copies)
    root = copies[0]
    root.parent = None
    in_viewport, in_renders = root.hide_viewport, root.hide_render
    for copy in copies:
        # A part that was hidden before its model was stays hidden.
        copy.hide_viewport &= not in_viewport
        if in_renders:
            copy.hide_render = copy.hide_viewport
    take_own_shapes(copies)
    for copy in copies:
        copy.property_unset("steering")


def _parent_setter(bond: Bond) -> Setting:
    def setting(ob: Object, other: Object) -> None:
        ob.constraints.clear()
        ob.parent = other
        if bond.bone:
            ob.parent_type, ob.parent_bone = "BONE", bond.bone
        ob.matrix_parent_inverse = bond.offset

    return setting
