"""Every refusal that a plan may give before anything is touched, and the warnings that go with a bake."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from ...portrayal.driver_properties import PROPERTIES
from ...simulation.declaration import Kind
from ...simulation.roles import DESCRIPTIONS, Role
from ..crowds.entry_settings import parts_of
from ..hierarchy import Family
from ..properties import has_role
from ..refusal import Refusal
from ..tagged_objects import full_name
from ..write.custom_properties import path_of
from ..write.ownership import Played, check_free, contested
from ..write.visibility import SWITCHES
from .dependencies import animates, reasons, with_all_behind
from .rotation_channels import data_path
from .sources import behaviors_of, carrier_of, keyed_properties, pointers_of

if TYPE_CHECKING:
    from bpy.types import Object, Scene


def check_range(scene: Scene, first: int, last: int) -> None:
    """Refuse a frame range without a frame."""
    if last < first:
        raise Refusal(f"The frame range of {scene.name} ends before it begins: set Start to {last} or less.")


def check_moving(vehicles: Sequence[Object], moving: Sequence[Object], *, selected: bool) -> None:
    """Refuse a run in which no vehicle moves.

    Args:
        vehicles: all vehicles of the scene.
        moving: those that the run would move.
        selected: whether only the selected vehicles are to move.
    """
    if not vehicles:
        raise Refusal("There is no vehicle in the scene: select the objects that shall move and tag them as vehicles.")
    if not moving:
        if not selected:
            raise Refusal("All vehicles of the scene are locked: unlock those that shall move.")
        raise Refusal("None of the selected objects is a vehicle that may move: select vehicles that are not locked.")


class FreeCheck:
    """Refuses vehicles with animation of their own on the channels that a bake writes.

    What the vehicles of a crowd have in common is looked up once.
    """

    def __init__(self, first: int, last: int, replace_own_keys: bool) -> None:
        """`first` and `last` frame of the bake; `replace_own_keys`: whether the vehicles' own keys may be set aside."""
        self._first, self._last, self._replace = first, last, replace_own_keys
        self._contested: dict[tuple[Object, str, bool], tuple[str, ...]] = {}
        self._family = Family()

    def __call__(self, ob: Object, crowd: Object, hidden: bool, played: Played) -> None:
        """Refuse a vehicle, or parts of it that the bake hides with it, that are animated by hand.

        Args:
            hidden: whether the bake may hide the vehicle.
            played: what it plays.
        """
        check_free(ob, self._first, self._last, self._replace, self._channels(ob, crowd, hidden), played)
        for part in parts_of(ob, self._family) if hidden else ():
            check_free(part, self._first, self._last, self._replace, SWITCHES)

    def _channels(self, ob: Object, crowd: Object, hidden: bool) -> tuple[str, ...]:
        """The channels of a vehicle that cannot be shared between the bake and the animator's own animation."""
        alike = crowd, ob.rotation_mode, hidden
        if alike not in self._contested:
            own = ("location", data_path(ob.rotation_mode), *map(path_of, keyed_properties(crowd)))
            self._contested[alike] = contested((*own, *(SWITCHES if hidden else ())))
        return self._contested[alike]


def check_vehicle(ob: Object, crowd: Object | None) -> None:
    """Refuse an object that cannot be a vehicle of this crowd."""
    if ob.library is not None or not ob.is_editable:
        raise Refusal(f"{ob.name} is linked and cannot be animated here: make a library override of it.")
    if crowd is None:
        raise Refusal(f"{ob.name} belongs to no crowd: tag it as a vehicle again.")
    stored = ob.steering
    if stored.forward_axis[-1] == stored.up_axis[-1]:
        raise Refusal(f"The front and the top of {ob.name} are the same axis: choose another Forward or Up.")
    roles = stored.roles
    for role in (Role.PATH, Role.FLOW):
        if role.name in roles:
            raise Refusal(f"{ob.name} is both a vehicle and a {_word(role)}: take one of the tags off.")
    above = ob.parent
    while above is not None:
        if has_role(above, Role.VEHICLE):
            raise Refusal(f"{ob.name} hangs on {above.name}, a vehicle too: unparent it or take its tag off.")
        above = above.parent


def check_start(ob: Object, location: np.ndarray, rotation: np.ndarray) -> None:
    """Refuse a start whose channels are not finite."""
    if not all(map(isfinite, (*location.tolist(), *rotation.tolist()))):
        raise Refusal(f"{ob.name} starts nowhere: give it a location and a rotation.")


def check_crowds(crowds: Iterable[Object], objects: Iterable[Object]) -> None:
    """Refuse crowds that are not among the objects of the scene, or whose vehicles can never move."""
    there = {full_name(ob) for ob in objects}
    for crowd in crowds:
        if full_name(crowd) not in there:
            raise Refusal(f"The crowd {crowd.name} is not in the scene any more: tag its vehicles again.")
        settings = crowd.steering
        stands = settings.is_property_set("vehicle") and settings.vehicle.max_speed <= 0.0
        if stands and not animates(crowd, "steering.vehicle.max_speed"):
            raise Refusal(f"The Max Speed of {crowd.name} is 0, so nothing can move: give it a speed.")


def check_curves(curves: Iterable[Object], role: Role) -> None:
    """Refuse objects that are tagged as a path or flow but are not a curve with points."""
    what = _word(role)
    for ob in curves:
        if ob.type != "CURVE":
            other = " or mesh" if role is Role.FLOW else ""
            raise Refusal(f"{ob.name} is tagged as a {what} but is no curve{other}: take the tag off, or tag a curve.")
        if not any(len(line.points) or len(line.bezier_points) for line in ob.data.splines):
            raise Refusal(f"The {what} {ob.name} has no points: draw it, or take the tag off.")


def check_targets(crowds: Iterable[Object], objects: Iterable[Object]) -> None:
    """Refuse pointers of behaviors that do not point at a fitting object of the scene."""
    there = {full_name(ob) for ob in objects}
    for crowd in crowds:
        for target in pointers_of(crowd):
            behavior, kind, ob = target.behavior, target.kind, target.ob
            what = target.parameter.replace("_", " ").title()
            if full_name(ob) not in there:
                raise Refusal(
                    f"{ob.name}, the {what} of {behavior.label} in {crowd.name}, is not in the scene any more: "
                    f"choose another."
                )
            if target.bone and target.bone not in ob.pose.bones:
                raise Refusal(
                    f"{ob.name}, the {what} of {behavior.label} in {crowd.name}, has no bone {target.bone}: "
                    f"choose another."
                )
            if kind is Kind.CROWD and not has_role(ob, Role.CROWD):
                raise Refusal(f"{ob.name}, the {what} of {behavior.label} in {crowd.name}, is no crowd: choose one.")
            if kind is Kind.PATH and ob.type != "CURVE":
                raise Refusal(
                    f"{ob.name}, the {what} of {behavior.label} in {crowd.name}, is no curve: choose a curve."
                )
            if kind is Kind.PATH:
                check_curves([ob], Role.PATH)


def check_independent(
    looked_at: list[Object],
    crowds: list[Object],
    vehicles: Sequence[Object],
    rows: dict[str, int],
    fixed: list[Object],
) -> None:
    """Refuse what hangs on a vehicle in another way than being carried by it: its motion is not known beforehand."""
    for ob in fixed:
        if (row := carrier_of(ob, rows)) >= 0:
            what = next((_word(role) for role in (Role.PATH, Role.FLOW) if has_role(ob, role)), "region")
            raise Refusal(f"The {what} {ob.name} hangs on the vehicle {vehicles[row].name}: unparent it.")
    parents = [ob.parent for ob in vehicles if ob.parent is not None]
    for ob in with_all_behind([*looked_at, *crowds, *parents]):
        if full_name(ob) in rows:
            continue
        for behind, why in reasons(ob):
            carried = why == "parent" and (ob in looked_at or carrier_of(ob, rows) >= 0 or ob in crowds)
            if full_name(behind) in rows and not carried:
                raise Refusal(
                    f"{ob.name} hangs on the vehicle {behind.name} by {why}, whose motion a bake has yet to find: "
                    f"remove that, or lock {behind.name}."
                )


def warnings_of(vehicles: Iterable[tuple[Object, Object]], crowds: Iterable[Object]) -> Iterator[str]:
    """What the animator should know although the bake goes ahead.

    Args:
        vehicles: each with its crowd.
        crowds: all crowds that are read.
    """
    vehicles = list(vehicles)
    held = [ob.name for ob, _ in vehicles if any(constraint.enabled for constraint in ob.constraints)]
    if held:
        yield f"Constraints still act on top of the bake: {', '.join(held)}."
    fleeting = [ob.name for ob, crowd in vehicles if ob.override_library and not _keeps(ob, keyed_properties(crowd))]
    if fleeting:
        yield (
            f"Blender forgets {', '.join(PROPERTIES)} of library overrides with the file, unless the linked object has "
            f"custom properties of these names that are set to Library Overridable: {', '.join(fleeting)}."
        )
    for crowd in crowds:
        if not behaviors_of(crowd):
            yield f"{crowd.name} has no behavior: its vehicles go straight on."


def check_number(value: float, ob: Object, path: str, frame: int) -> None:
    """Refuse a value of an object's settings that is not a finite number."""
    if not np.isfinite(value):
        raise Refusal(f"{path} of {ob.name} is no number on frame {frame}: look at what drives it.")


def check_numbers(matrices: np.ndarray, objects: Iterable[Object], frame: int) -> None:
    """Refuse objects whose matrices (k, 4, 4) hold a value that is not a finite number."""
    for ob, matrix in zip(objects, matrices):
        if not np.isfinite(matrix).all():
            raise Refusal(f"{ob.name} is nowhere on frame {frame}: look at its keys and drivers.")


def _keeps(override: Object, names: Iterable[str]) -> bool:
    """Whether a library override saves the values of these custom properties."""
    return all(name in override and override.is_property_overridable_library(path_of(name)) for name in names)


def _word(role: Role) -> str:
    """The name of a role within a sentence."""
    return DESCRIPTIONS[role][0].lower()
