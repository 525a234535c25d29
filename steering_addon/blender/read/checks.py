"""Every refusal that a plan may raise before anything is touched, and the warnings that go with a bake."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np
from bpy.types import Object, Scene

from ...settings.stored import MOST_PREROLL
from ...simulation.declaration import Declared, Kind
from ...simulation.presence.attendance import FURTHEST
from ...simulation.roles import DESCRIPTIONS, Role
from ..animation.custom_properties import path_of
from ..animation.ownership import CurrentAnimation, check_free, contested
from ..animation.rotation_channels import data_path
from ..animation.visibility import SWITCHES
from ..moving import moves_by
from ..objects.body_sizes import SOLID
from ..objects.focus import POINTED
from ..objects.hierarchy import Family, ancestors, instances_of_vehicles
from ..objects.tagged_objects import full_name, list_names, members_in, why_outside
from ..properties import has_role
from ..property_groups import TYPES, values_of
from ..refusal import FARTHEST, Refusal, check_choices, sound_front
from .dependencies import animates, reasons, with_all_behind
from .mind_sources import state_properties
from .sources import Pointer, behaviors_of, carrier_of, keyed_properties, parts_of, pointers_of

PLACES = (Role.PATH, Role.FLOW, Role.SURFACE, Role.LINK)
"""Roles of places, which are no vehicles and are not carried by one."""


def check_range(scene: Scene, first: int, last: int) -> None:
    """Refuse a frame range without a frame, or with frames that Blender cannot go to."""
    if last < first:
        raise Refusal(f"The frame range of {scene.name} ends before it begins. Set Start to {last} or less.")
    if first < -FURTHEST or last > FURTHEST:
        text = f"The frame range of {scene.name} reaches beyond the frames of Blender"
        raise Refusal(f"{text}. Set Start and End between {-FURTHEST} and {FURTHEST}.")


def check_moving(
    scene: Scene,
    objects: Iterable[Object],
    vehicles: Sequence[Object],
    moving: Sequence[Object],
    *,
    selected: bool,
) -> None:
    """Refuse a run in which no vehicle moves. `objects`: of the scene, in use; `selected`: whether only the selected
    vehicles are to move."""
    if not vehicles:
        for ob, problem, remedy in instances_of_vehicles(objects):
            raise Refusal(f"{problem}. {remedy}.", about=[ob])
        if left_out := members_in(scene.objects):
            names = list_names([ob.name for ob in left_out])
            text = f"No view layer of the scene has its vehicles: {names}. Enable their collections in the Outliner."
            raise Refusal(text, about=left_out)
        raise Refusal("The scene has no vehicles. Select the objects that should move and tag them as vehicles.")
    if not moving:
        if not selected:
            raise Refusal("All vehicles of the scene are locked. Unlock the ones that should move.")
        raise Refusal("None of the selected objects is a vehicle that can move. Select vehicles that are not locked.")


class FreeCheck:
    """Refuses vehicles with animation of their own on the channels that a bake writes. What the vehicles of a crowd
    have in common is looked up once."""

    def __init__(self, first: int, last: int, replace_own_keys: bool, states: Sequence[Object]) -> None:
        """Look for animation on these frames. `first`, `last`: the frames of the bake; `replace_own_keys`: whether the
        vehicles' own keys may be set aside; `states`: of all crowds, those that may be active."""
        self._states, self._of_states = states, state_properties(states)
        self._first, self._last, self._replace = first, last, replace_own_keys
        self._contested: dict[tuple[Object, str, bool], tuple[str, ...]] = {}
        self._family = Family()

    def __call__(self, ob: Object, crowd: Object, hidden: bool, played: CurrentAnimation) -> None:
        """Refuse a vehicle, or parts of it that the bake hides with it, that are animated by hand. `hidden`: whether
        the bake may hide the vehicle; `played`: what it plays."""
        key = crowd, ob.rotation_mode, hidden, moves_by(ob, crowd)
        if key not in self._contested:
            properties = map(path_of, (*keyed_properties(ob, crowd, self._states), *self._of_states.get(crowd, ())))
            written = ("location", data_path(ob.rotation_mode), *properties)
            self._contested[key] = contested((*written, *(SWITCHES if hidden else ())))
        check_free(ob, self._first, self._last, self._replace, self._contested[key], played)
        for part in parts_of(ob, self._family) if hidden else ():
            check_free(part, self._first, self._last, self._replace, SWITCHES)


def check_vehicle(ob: Object) -> None:
    """Refuse an object that cannot be a vehicle."""
    if ob.library is not None or not ob.is_editable:
        text = f"{ob.name} is linked and cannot be animated in this file. Make a library override of it."
        raise Refusal(text, about=[ob])
    sound_front(ob)
    roles = ob.steering.roles
    for role in PLACES:
        if role.name in roles:
            raise Refusal(f"{ob.name} is both a vehicle and a {_word(role)}. Remove one of the tags.", about=[ob])
    for ancestor in ancestors(ob):
        if has_role(ancestor, Role.VEHICLE):
            raise Refusal(
                f"{ob.name} is parented to {ancestor.name}, which is also a vehicle. "
                f"Clear the parent or remove the Vehicle tag.",
                about=[ob],
            )


def check_points(objects: Iterable[Object]) -> None:
    """Refuse objects that are tagged as points but cannot have any, or are a vehicle themselves."""
    for ob in objects:
        if ob.type not in POINTED:
            text = f"{ob.name} is tagged as vehicle points but is no mesh. Remove the tag, or tag a mesh."
            raise Refusal(text, about=[ob])
        other = next((role for role in (Role.VEHICLE, *PLACES) if has_role(ob, role)), None)
        if other is not None:
            text = f"{ob.name} is tagged both as vehicle points and as a {_word(other)}. Remove one of the tags."
            raise Refusal(text, about=[ob])


def check_start(ob: Object, location: np.ndarray, rotation: np.ndarray) -> None:
    """Refuse a start whose channels are not finite."""
    if not all(map(isfinite, (*location.tolist(), *rotation.tolist()))):
        raise Refusal(f"{ob.name} has an invalid transform at the start. Check its location and rotation.", about=[ob])


def check_crowds(crowds: Iterable[Object]) -> None:
    """Refuse crowds whose vehicles can never move, or with a choice that this version does not know."""
    crowds = list(crowds)
    check_choices(crowds)
    for crowd in crowds:
        settings = crowd.steering
        immobile = settings.is_property_set("vehicle") and settings.vehicle.max_speed <= 0.0
        if immobile and not animates(crowd, "steering.vehicle.max_speed"):
            text = f"The Max Speed of {crowd.name} is 0, so its vehicles cannot move. Set a speed."
            raise Refusal(text, about=[crowd])
        if not 0 <= settings.preroll <= MOST_PREROLL:
            text = f"The Pre-Roll of {crowd.name} is {settings.preroll} frames. Set one from 0 to {MOST_PREROLL}."
            raise Refusal(text, about=[crowd])


def check_curves(curves: Iterable[Object], role: Role) -> None:
    """Refuse objects that are tagged as a path or flow but are not a curve with points."""
    word = _word(role)
    for ob in curves:
        if ob.type != "CURVE":
            other = " or mesh" if role is Role.FLOW else ""
            text = f"{ob.name} is tagged as a {word} but is not a curve{other}. Remove the tag, or tag a curve."
            raise Refusal(text, about=[ob])
        if not any(len(line.points) or len(line.bezier_points) for line in ob.data.splines):
            raise Refusal(f"The {word} {ob.name} has no points. Draw it, or remove the tag.", about=[ob])


def check_surfaces(objects: Iterable[Object]) -> None:
    """Refuse objects that are tagged as a surface but cannot have faces."""
    for ob in objects:
        if ob.type not in SOLID:
            text = f"{ob.name} is tagged as a surface but cannot have faces. Remove the tag, or tag a mesh."
            raise Refusal(text, about=[ob])


def check_targets(crowds: Iterable[Object], scene: Scene, objects: Iterable[Object]) -> None:
    """Refuse pointers of behaviors that do not point at a fitting object in use of a scene."""
    names = {full_name(ob) for ob in objects}
    for crowd in crowds:
        for target in pointers_of(crowd):
            if problem := _why_unfit(target, scene, names):
                raise Refusal(f"{target.told(crowd)}, {problem}.", about=[crowd])
            if target.kind is Kind.PATH:
                check_curves([target.ob], Role.PATH)


def _why_unfit(target: Pointer, scene: Scene, names: Collection[str]) -> str:
    """The problem of the object that a behavior points at, by the names of those in use, and the remedy."""
    kind, ob = target.kind, target.ob
    # A crowd that is not in the scene stands for its vehicles, which may be.
    if full_name(ob) not in names and not (kind is Kind.CROWD and has_role(ob, Role.CROWD)):
        return why_outside(ob, scene)
    if target.bone and target.bone not in ob.pose.bones:
        return f"has no bone {target.bone}. Choose another bone"
    if kind is Kind.CROWD and not has_role(ob, Role.CROWD):
        return "is not a crowd. Choose one"
    needed = TYPES.get(kind, ob.type)
    return "" if ob.type == needed else f"is not a {needed.lower()}. Choose a {needed.lower()}"


def check_independent(
    looked_at: list[Object],
    crowds: list[Object],
    vehicles: Mapping[int, Object],
    rows: dict[str, int],
    fixed: list[Object],
    places: list[Object],
) -> None:
    """Refuse objects that depend on a vehicle other than by being parented to it: its motion is not known in advance.

    Args:
        looked_at: the objects that the run reads, except crowds.
        vehicles: those that move and are objects, by row.
        fixed: the objects looked at that cannot even be parented to a vehicle.
        places: those of which only the place counts.
    """
    for ob in fixed:
        if (row := carrier_of(ob, rows)) >= 0:
            word = next((_word(role) for role in PLACES if has_role(ob, role)), "region")
            text = f"The {word} {ob.name} is parented to the vehicle {vehicles[row].name}. Clear the parent."
            raise Refusal(text, about=[ob])
    parents = [ob.parent for ob in vehicles.values() if ob.parent is not None]
    for ob in with_all_behind([*looked_at, *crowds, *parents]):
        if full_name(ob) in rows:
            continue
        for behind, why in reasons(ob, only_place=ob in places):
            row = carrier_of(behind, rows)
            if row < 0 or why == "parent":
                # Children of a vehicle are read relative to it; what depends on them is refused here, for itself.
                continue
            if behind == vehicles[row] or carrier_of(ob, rows) != row:
                by_way = "" if behind == vehicles[row] else f" (by way of {behind.name})"
                raise Refusal(
                    f"{ob.name} depends on the vehicle {vehicles[row].name} through {why}{by_way}, but the bake has "
                    f"yet to move {vehicles[row].name}. Remove the dependency, or lock {vehicles[row].name}.",
                    about=[ob],
                )


def warnings_of(
    vehicles: Iterable[tuple[Object, Object]], crowds: Iterable[Object], states: Sequence[Object]
) -> Iterator[str]:
    """Warnings that do not prevent the bake. `crowds`, `states`: all of the run."""
    vehicles, of_states = list(vehicles), state_properties(states)
    constrained = [ob.name for ob, _ in vehicles if any(constraint.enabled for constraint in ob.constraints)]
    if constrained:
        yield f"Constraints still act on top of the bake: {list_names(constrained)}."
    bodies = [ob.name for ob, _ in vehicles if _is_moved_by_physics(ob)]
    if bodies:
        names = list_names(bodies)
        yield f"Rigid Body moves vehicles, not the bake: {names}. Turn on Animated in their Physics > Rigid Body."
    overrides = [
        (ob, (*keyed_properties(ob, crowd, states), *of_states.get(crowd, ())))
        for ob, crowd in vehicles
        if ob.override_library
    ]
    fleeting = [ob.name for ob, names in overrides if not _keeps(ob, names)]
    if fleeting:
        names = dict.fromkeys(name for _, keyed in overrides for name in keyed)
        yield (
            f"Blender does not save {', '.join(names)} of library overrides, unless the linked object has custom "
            f"properties of these names that are set to Library Overridable: {list_names(fleeting)}."
        )
    for crowd in crowds:
        if not behaviors_of(crowd):
            yield f"{crowd.name} has no behavior. Its vehicles go straight on."


def _is_moved_by_physics(ob: Object) -> bool:
    """Whether a rigid body falls and collides, whatever is keyed on its object."""
    body = ob.rigid_body
    return body is not None and body.enabled and body.type == "ACTIVE" and not body.kinematic


def check_number(value: float, ob: Object, path: str, frame: int) -> None:
    """Refuse a value of an object's settings that is not a finite number."""
    if not np.isfinite(value):
        raise Refusal(f"{path} of {ob.name} is not a number (NaN) on frame {frame}. Check its driver.", about=[ob])


def checked_values(declaration: type[Declared], group: Any, ob: Object, path: str, frame: int) -> dict[str, Any]:
    """The values of a property group as the declaration defines them, within its limits; `path`: of the group, after
    `steering.`. Refused if a value is not a number."""
    values = values_of(declaration, group)
    for name, value in values.items():
        check_number(value, ob, f"steering.{path}.{name}", frame)
    return values


def check_numbers(matrices: np.ndarray, objects: Iterable[Object], frame: int) -> None:
    """Refuse objects whose matrices (k, 4, 4) hold a value that is not a number, or too large for one."""
    for ob, matrix in zip(objects, matrices):
        if not (np.abs(matrix) < FARTHEST).all():
            text = f"{ob.name} has an invalid transform on frame {frame}. Check its keyframes and drivers."
            raise Refusal(text, about=[ob])


def _keeps(override: Object, names: Iterable[str]) -> bool:
    """Whether a library override saves the values of these custom properties."""
    return all(name in override and override.is_property_overridable_library(path_of(name)) for name in names)


def _word(role: Role) -> str:
    """The name of a role within a sentence."""
    return DESCRIPTIONS[role][0].lower()
