"""The crowds and bodies that a run reads, and those of their settings that do not change during the run."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from bpy.types import Depsgraph, Object
from mathutils import Matrix

from ...behaviors import CATALOGUE
from ...portrayal.driver_properties import EFFORT, FOLDED, LOOKS, PROPERTIES, Portrayal
from ...simulation.behavior import Behavior
from ...simulation.declaration import POINTERS, Kind
from ...simulation.roles import Role
from ..moving import moves_by
from ..objects.hierarchy import lineage
from ..objects.tagged_objects import full_name
from ..properties import has_role, pointed_at
from ..property_groups import bone_of
from ..refusal import choice_in
from .dependencies import animates


@dataclass(frozen=True)
class CrowdSource:
    """A crowd, and those of its settings that do not change during the run.

    Attributes:
        ob: the object.
        identity: the seed of the random key that the crowd shares; copies of a crowd have their own.
        rows: (m,) its vehicles.
        behaviors: those it may use.
        pointed: the rows of the objects these point at, by behavior and parameter.
        portrayal: m rows; None if only the motion is keyed.
    """

    ob: Object
    identity: int
    rows: np.ndarray
    behaviors: tuple[type[Behavior], ...]
    pointed: dict[tuple[str, str], int]
    portrayal: Portrayal | None


@dataclass(frozen=True)
class BodySource:
    """A body or obstacle that is read.

    Attributes:
        ob: the object.
        carrier: the row of the vehicle that carries it, -1 for none.
        bone: the bone of an armature that is meant, by name; empty for the object itself.
    """

    ob: Object
    carrier: int
    bone: str = ""

    @property
    def name(self) -> str:
        """A name that no other source has."""
        return _full_name_of(self.ob, self.bone)


@dataclass(frozen=True)
class Pointer:
    """A pointer of a crowd's behavior that is set, and the object it points at."""

    behavior: type[Behavior]
    parameter: str
    kind: Kind
    ob: Object
    bone: str = ""

    @property
    def name(self) -> str:
        return _full_name_of(self.ob, self.bone)


def _full_name_of(ob: Object, bone: str) -> str:
    return f"{full_name(ob)} > {bone}" if bone else full_name(ob)


def behaviors_of(crowd: Object) -> tuple[type[Behavior], ...]:
    """The behaviors a crowd uses, or may use because their switch is animated; untouched groups are left alone.

    Of a state only those that are its own.
    """
    stored, is_state = crowd.steering, has_role(crowd, Role.STATE)
    return tuple(
        behavior
        for behavior in CATALOGUE
        if stored.is_property_set(behavior.name)
        and (not is_state or getattr(stored, behavior.name).own)
        and (getattr(stored, behavior.name).use or animates(crowd, f"steering.{behavior.name}.use"))
    )


def pointers_of(crowd: Object) -> Iterator[Pointer]:
    """The pointers of a crowd's behaviors that are set.

    A body pointer that is set to a crowd stands for that crowd's vehicles and is left out.
    """
    for behavior in behaviors_of(crowd):
        group = getattr(crowd.steering, behavior.name)
        for name, parameter in behavior.parameters().items():
            if parameter.kind not in POINTERS or (ob := pointed_at(group, name)) is None:
                continue
            if parameter.kind is not Kind.BODY or not has_role(ob, Role.CROWD):
                has_bone = parameter.kind is Kind.BODY and ob.type == "ARMATURE"
                yield Pointer(behavior, name, parameter.kind, ob, getattr(group, bone_of(name)) if has_bone else "")


def carrier_of(ob: Object, rows: dict[str, int]) -> int:
    """The row of the vehicle that an object is, or is parented to at any depth; -1 for none. `rows`: the rows of the
    vehicles by full name."""
    return next((rows[name] for above in lineage(ob) if (name := full_name(above)) in rows), -1)


def portrays(crowd: Object) -> bool:
    """Whether a bake keys driver properties on the vehicles of a crowd; an untouched group is left alone."""
    return crowd.steering.is_property_set("portrayal") and crowd.steering.portrayal.use


def keys_looks(crowd: Object | None) -> bool:
    """Whether a bake keys how far the heads of a crowd turn as custom properties; of any object, as few are crowds."""
    keys: bool = crowd is not None and has_role(crowd, Role.CROWD) and portrays(crowd) and crowd.steering.portrayal.look
    return keys


def keyed_properties(vehicle: Object, crowd: Object) -> tuple[str, ...]:
    """The custom properties that a bake keys on a vehicle of a crowd, but for those of its states."""
    if not portrays(crowd):
        return ()
    beats = choice_in(crowd.steering.portrayal, "phase_by") == "TIME"
    ours = PROPERTIES if beats else tuple(name for name in PROPERTIES if name != EFFORT)
    if beats and lands(crowd):
        ours = (*ours, FOLDED)
    looks = LOOKS if keys_looks(crowd) else ()
    return (*ours, *looks, *(output.name for output in moves_by(vehicle, crowd).outputs))


def lands(crowd: Object) -> bool:
    """Whether vehicles of a crowd may come down on something, by its own behaviors or in a state."""
    kept = pointed_at(crowd.steering, "states")
    states = [ob for ob in kept.all_objects if has_role(ob, Role.STATE)] if kept is not None else []
    behaviors = (behavior for holder in (crowd, *states) for behavior in behaviors_of(holder))
    return any(parameter.stood_on for behavior in behaviors for parameter in behavior.parameters().values())


def by_name(objects: Iterable[Object]) -> list[Object]:
    """The objects, each once, sorted by name."""
    named = {full_name(ob): ob for ob in objects}
    return [named[name] for name in sorted(named)]


def standing(source: BodySource, depsgraph: Depsgraph) -> Matrix:
    """The world matrix of an object or bone; a bone is at its head, and at rest it faces as its armature does."""
    ob = source.ob.evaluated_get(depsgraph)
    if not source.bone:
        return ob.matrix_world
    bone = ob.pose.bones[source.bone]
    matrix = ob.matrix_world @ bone.matrix @ bone.bone.matrix_local.inverted_safe()
    matrix.translation = ob.matrix_world @ bone.head
    return matrix
