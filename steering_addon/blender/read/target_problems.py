"""Targets that keep a behavior from doing anything: missing, outside the scene, or of the wrong kind."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from bpy.types import Object, PropertyGroup

from ...simulation.behavior import Behavior
from ...simulation.declaration import NEAREST, POINTERS, Kind, Parameter
from ...simulation.roles import DESCRIPTIONS, Role
from ..objects.tagged_objects import full_name
from ..properties import has_role, pointed_at
from ..property_groups import TYPES
from .sources import behaviors_of, pointers_of
from .target_groups import named

OPTIONAL = (Role.REGION,)
"""Roles that behaviors can do without: where nothing bounds them, vehicles may go anywhere."""


def awaited(behavior: type[Behavior], crowd: Object, roles: Mapping[Role, object]) -> tuple[str, Parameter] | None:
    """The parameter of a behavior that no object of the scene fits, with its name; None if the behavior can work.
    `roles`: what the scene has of each role, as a number or a list."""
    group = getattr(crowd.steering, behavior.name)
    for name, parameter in behavior.parameters().items():
        if parameter.kind in POINTERS and _is_awaited(group, name, parameter, roles):
            return name, parameter
    return None


def waits_unasked(behavior: type[Behavior], crowd: Object, roles: Mapping[Role, object]) -> bool:
    """Whether a behavior that waits for a target can do without, or came with a preset for which there never was one;
    `roles`: as for `awaited`."""
    awaiting = awaited(behavior, crowd, roles)
    return awaiting is not None and (awaiting[1].role in OPTIONAL or behavior.name in crowd.steering.unasked.split())


def _is_awaited(group: PropertyGroup, name: str, parameter: Parameter, roles: Mapping[Role, Any]) -> bool:
    """Whether a parameter stands for the nearest object of a role that no object of the scene has."""
    return parameter.default == NEAREST and not named(group, name) and not roles.get(parameter.role)


def target_problem(
    behavior: type[Behavior], crowd: Object, roles: Mapping[Role, Any], outside: Collection[str] = ()
) -> str:
    """Why the targets of a behavior let it do nothing, as a sentence without final stop; empty if they are in order.

    Args:
        roles: what the scene has of each role; nothing, zero or no entry if it has none.
        outside: the full names of targets that are not in the scene.
    """
    group = getattr(crowd.steering, behavior.name)
    for name, parameter in behavior.parameters().items():
        if parameter.kind not in POINTERS or not _matters(behavior, group, parameter.only_with):
            continue
        target, what = pointed_at(group, name), f"{'' if parameter.in_order else 'a '}{name.replace('_', ' ')}"
        if target is None:
            if _is_awaited(group, name, parameter, roles):
                return f"It waits for a {DESCRIPTIONS[parameter.role][0]}: tag one, or choose {what}"
            # A crowd that no choice asks for may be left out.
            if parameter.kind is Kind.CROWD and parameter.only_with is not None:
                return f"It waits for {what}: choose one"
        elif full_name(target) in outside:
            return f"{target.name} is not in the scene: choose another {name.replace('_', ' ')}"
        elif parameter.kind is Kind.CROWD and not has_role(target, Role.CROWD):
            return f"{target.name} is not a crowd: choose one"
        elif target.type != TYPES.get(parameter.kind, target.type):
            return f"{target.name} is not a {TYPES[parameter.kind].lower()}: choose one"
    return ""


def _matters(behavior: type[Behavior], group: PropertyGroup, only_with: tuple[str, tuple[int, ...]] | None) -> bool:
    """Whether a parameter has an effect with the current choices."""
    if only_with is None:
        return True
    name, numbers = only_with
    choices = behavior.parameters()[name].choices
    return any(choice.name == getattr(group, name) and choice.number in numbers for choice in choices)


def target_warnings(crowds: Iterable[Object], roles: Mapping[Role, Any]) -> Iterator[str]:
    """A warning for each behavior in use that waits for a target, and for each target that is not what it is used as;
    `roles`: as for `target_problem`."""
    for crowd in crowds:
        for behavior in behaviors_of(crowd):
            if waits_unasked(behavior, crowd, roles):
                continue
            if problem := target_problem(behavior, crowd, roles):
                yield f"{behavior.label} of {crowd.name} has no effect. {problem}."
        for pointer in pointers_of(crowd):
            role = pointer.behavior.parameters()[pointer.parameter].role
            if role is Role.RESOURCE and not has_role(pointer.ob, role):
                what = pointer.parameter.replace("_", " ").title()
                yield (
                    f"{pointer.ob.name}, the {what} of {pointer.behavior.label} in {crowd.name}, is not tagged as a "
                    f"resource, so it never runs out. Tag it as one."
                )


def outside_scene(crowds: Iterable[Object], objects: Collection[Object]) -> frozenset[str]:
    """The full names of the targets of crowds that are not among the objects of the scene.

    A crowd stands for its vehicles and is left out.
    """
    return frozenset(
        full_name(pointer.ob)
        for crowd in crowds
        for pointer in pointers_of(crowd)
        if pointer.ob not in objects and not (pointer.kind is Kind.CROWD and has_role(pointer.ob, Role.CROWD))
    )
