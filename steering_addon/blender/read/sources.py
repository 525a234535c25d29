"""The crowds and bodies that a run reads, and those of their settings that do not change during the run.

Among these are when vehicles enter, and what a bake may hide: absent vehicles, eaten resources. The presence of a baked
vehicle is that of its bake; a vehicle animated by hand is present from its enter frame.
"""

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
from ..animation.ownership import bake_of, check_free
from ..animation.run_records import Outcomes
from ..animation.visibility import SWITCHES, parts
from ..moving import moves_by
from ..objects.hierarchy import Family, lineage
from ..objects.tagged_objects import crowd_of, full_name
from ..properties import has_role, has_roles, pointed_at, settings_of
from ..property_groups import bone_of
from ..refusal import choice_in
from .dependencies import animates

ALWAYS = (-np.inf, np.inf)


@dataclass(frozen=True)
class CrowdSource:
    """A crowd, and those of its settings that do not change during the run.

    Attributes:
        identity: the seed of the random key that the crowd shares; copies of a crowd have their own.
        rows: (m,) its vehicles.
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

    def told(self, holder: Object) -> str:
        """The object and what it is to a crowd or state, as in "Rock, the Target of Go To in Fleet"."""
        title = self.behavior.parameters()[self.parameter].called(self.parameter)
        return f"{self.ob.name}, the {title} of {self.behavior.label} in {holder.name}"


def _full_name_of(ob: Object, bone: str) -> str:
    return f"{full_name(ob)} > {bone}" if bone else full_name(ob)


def behaviors_of(crowd: Object) -> tuple[type[Behavior], ...]:
    """The behaviors a crowd uses, or may use because their switch is animated; untouched groups are left alone. Of a
    state only those that are its own."""
    stored, is_state = crowd.steering, has_role(crowd, Role.STATE)
    return tuple(
        behavior
        for behavior in CATALOGUE
        if stored.is_property_set(behavior.name)
        and (not is_state or getattr(stored, behavior.name).own)
        and (getattr(stored, behavior.name).use or animates(crowd, f"steering.{behavior.name}.use"))
    )


def may_be_active(ob: Object) -> bool:
    """Whether a tagged object takes part, or may on some frame because its switch is animated."""
    return bool(ob.steering.active) or animates(ob, "steering.active")


def pointers_of(crowd: Object) -> Iterator[Pointer]:
    """The pointers of a crowd's behaviors that are set. A body pointer that is set to a crowd stands for that crowd's
    vehicles and is left out."""
    for behavior in behaviors_of(crowd):
        group = getattr(crowd.steering, behavior.name)
        for name, parameter in behavior.parameters().items():
            if parameter.kind not in POINTERS or (ob := pointed_at(group, name)) is None:
                continue
            if parameter.kind is not Kind.BODY or not has_role(ob, Role.CROWD):
                has_bone = parameter.kind is Kind.BODY and ob.type == "ARMATURE"
                yield Pointer(behavior, name, parameter.kind, ob, getattr(group, bone_of(name)) if has_bone else "")


def carrier_of(ob: Object, rows: dict[str, int]) -> int:
    """The row of the vehicle that is an object or its ancestor; -1 for none. `rows`: of vehicles by full name."""
    return next((rows[name] for ancestor in lineage(ob) if (name := full_name(ancestor)) in rows), -1)


def portrays(crowd: Object) -> bool:
    """Whether a bake keys driver properties on the vehicles of a crowd; an untouched group is left alone."""
    return crowd.steering.is_property_set("portrayal") and crowd.steering.portrayal.use


def keys_looks(crowd: Object | None) -> bool:
    """Whether a bake keys how far the heads of a crowd turn as custom properties; of any object, as few are crowds."""
    keys: bool = crowd is not None and has_role(crowd, Role.CROWD) and portrays(crowd) and crowd.steering.portrayal.look
    return keys


def keyed_properties(vehicle: Object, crowd: Object, states: Iterable[Object]) -> tuple[str, ...]:
    """The custom properties that a bake keys on a vehicle of a crowd, but for those that tell its state; `states`: as
    for `lands`."""
    if not portrays(crowd):
        return ()
    ours = PROPERTIES if beats(crowd) else tuple(name for name in PROPERTIES if name != EFFORT)
    if beats(crowd) and lands(crowd, states):
        ours = (*ours, FOLDED)
    looks = LOOKS if keys_looks(crowd) else ()
    return (*ours, *looks, *(output.name for output in moves_by(vehicle, crowd).outputs))


def beats(crowd: Object) -> bool:
    """Whether time advances the phase of the vehicles of a crowd, as of wings and tails."""
    return choice_in(crowd.steering.portrayal, "phase_by") == "TIME"


def lands(crowd: Object, states: Iterable[Object]) -> bool:
    """Whether vehicles of a crowd may come down on something, by its own behaviors or in a state. `states`: of all
    crowds, those that may be active."""
    holders = (crowd, *(state for state in states if crowd_of(state) == crowd))
    behaviors = (behavior for holder in holders for behavior in behaviors_of(holder))
    return any(parameter.stood_on for behavior in behaviors for parameter in behavior.parameters().values())


def by_name(objects: Iterable[Object]) -> list[Object]:
    """The objects, each once, sorted by name."""
    named = {full_name(ob): ob for ob in objects}
    return [named[name] for name in sorted(named)]


def world_matrix_of(source: BodySource, depsgraph: Depsgraph) -> Matrix:
    """The world matrix of an object or bone; a bone is at its head, and at rest faces as its armature does."""
    ob = source.ob.evaluated_get(depsgraph)
    if not source.bone:
        return ob.matrix_world
    bone = ob.pose.bones[source.bone]
    matrix = ob.matrix_world @ bone.matrix @ bone.bone.matrix_local.inverted_safe()
    matrix.translation = ob.matrix_world @ bone.head
    return matrix


class HidingRule:
    """The rule that says which vehicles a bake may hide. The settings of each crowd are read once."""

    def __init__(self, states: Iterable[Object]) -> None:
        """`states`: of all crowds."""
        self._crowds: dict[Object, tuple[bool, bool]] = {}
        self._re_enter = {crowd_of(state) for state in states if _enters_again(state)}

    def concerns(self, ob: Object, crowd: Object) -> bool:
        """Whether the bake may hide a vehicle: its crowd hides absent vehicles, and it may be absent."""
        if crowd not in self._crowds:
            stored = crowd.steering
            hides = not stored.is_property_set("attendance") or stored.attendance.hide
            leaves = comes_and_goes(crowd) or crowd in self._re_enter or _enters_again(crowd)
            self._crowds[crowd] = hides, leaves
        hides, may_be_absent = self._crowds[crowd]
        return hides and (may_be_absent or ob.steering.use_enter_frame)


def comes_and_goes(crowd: Object) -> bool:
    """Whether vehicles enter later or leave by the settings of their crowd. Writes nothing."""
    if not crowd.steering.is_property_set("attendance"):
        return False
    attendance = crowd.steering.attendance
    return (
        attendance.use_enter_frame
        or attendance.on_arrival == "LEAVE"
        or animates(crowd, "steering.attendance.on_arrival")
    )


def _enters_again(ob: Object) -> bool:
    """Whether a behavior of a crowd or a state may let vehicles leave and enter again."""
    return any(
        getattr(getattr(ob.steering, behavior.name), name) == value or animates(ob, f"steering.{behavior.name}.{name}")
        for behavior in behaviors_of(ob)
        for name, value in (behavior.leaves_by,)
        if name
    )


def own_enter_frame(ob: Object) -> float:
    """The enter frame set on a vehicle itself; nan if the crowd decides."""
    return float(ob.steering.enter_frame) if ob.steering.use_enter_frame else np.nan


def parts_of(vehicle: Object, family: Family) -> list[Object]:
    """The visible parts of a vehicle besides itself, without other vehicles that are parented to it."""
    return [part for part in parts(vehicle, family) if not has_role(part, Role.VEHICLE)]


def frames_there(objects: Iterable[Object]) -> np.ndarray:
    """The first and the last frame on which objects that the simulation does not move are present, (k, 2)."""
    outcomes = Outcomes()
    return np.array([_frames_there(ob, outcomes) for ob in objects]).reshape(-1, 2)


def _frames_there(ob: Object, outcomes: Outcomes) -> tuple[float, float]:
    if settings_of(ob) is None or not has_role(ob, Role.VEHICLE):
        return ALWAYS
    bake = bake_of(ob)
    if bake is not None:
        return outcomes.of(ob, bake).present_frames or ALWAYS
    entering = own_enter_frame(ob)
    return ALWAYS if np.isnan(entering) else (entering, np.inf)


def feeds(behaviors: Iterable[type[Behavior]]) -> bool:
    """Whether a behavior takes something from resources."""
    return any(p.role is Role.RESOURCE for behavior in behaviors for p in behavior.parameters().values())


def may_be_hidden(ob: Object) -> bool:
    """Whether a bake may hide a resource; a linked one cannot be hidden."""
    return has_role(ob, Role.RESOURCE) and ob.steering.hide_eaten and _is_ours_to_hide(ob)


def check_hiding(resources: Iterable[Object], first: float, last: float, replace: bool) -> None:
    """Refuse resources that cannot be hidden with their parts, because they are animated by hand."""
    family = Family()
    for ob in resources:
        for part in with_parts(ob, family) if may_be_hidden(ob) else ():
            check_free(part, first, last, replace, SWITCHES)


def with_parts(ob: Object, family: Family) -> Iterator[Object]:
    """A resource and its visible parts; a child with a role of its own is not a part."""
    if _is_ours_to_hide(ob):
        yield ob
    for part in parts(ob, family):
        if _is_ours_to_hide(part) and not has_roles(part):
            yield part


def _is_ours_to_hide(ob: Object) -> bool:
    return ob.library is None and ob.is_editable
