"""Property groups made from declarations: each parameter, declared once, becomes a property that Blender stores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import bpy
import numpy as np

from ..simulation.candidates import NEAREST_ONE, PICKS
from ..simulation.declaration import POINTERS, REACH, Declared, Kind, Parameter, Unit
from .setting_changes import notify_listeners
from .stored_values import choice_in

OVERRIDABLE = {"LIBRARY_OVERRIDABLE"}
"""Every property can be overridden on a linked object."""
NOT_ANIMATABLE: set[str] = set()
"""The options of a property that cannot be keyframed or driven."""


UNITS: dict[Unit, dict[str, Any]] = {
    Unit.NONE: {},
    Unit.SHARE: {"subtype": "FACTOR"},
    Unit.LENGTH: {"unit": "LENGTH"},
    Unit.TIME: {"subtype": "TIME_ABSOLUTE", "unit": "TIME_ABSOLUTE"},
    Unit.FRAME: {},
    Unit.RATE: {},
    Unit.SPEED: {"unit": "VELOCITY"},
    Unit.ACCELERATION: {"unit": "ACCELERATION"},
    Unit.MASS: {"unit": "MASS"},
    Unit.FORCE: {},
    Unit.ANGLE: {"subtype": "ANGLE"},
    Unit.TURN: {"subtype": "ANGLE"},
}
"""The property options for each unit. Blender has none for newtons and for rates."""
SPOKEN = {Unit.RATE: "per second", Unit.FORCE: "newtons", Unit.TURN: "per second"}
"""Units that the tooltip states because the field cannot show them."""


LETTERS = {Unit.FORCE: "N", Unit.TURN: "/s"}
"""Units that the label states, where the number alone would be taken for something else."""


def property_group(
    name: str,
    declaration: type[Declared],
    extra: dict[str, Any] | None = None,
    update: Callable[[Any, Any], None] = notify_listeners,
) -> type:
    """A property group with the `extra` properties, then one for each declared parameter.

    Made once, at import: a class made again at each registration would leave the old one behind. Without slots of its
    own, a script that misspells a property is refused; else Python would keep the value for a moment and lose it.

    Args:
        update: called with the group and the context when a declared parameter is set; it calls `notify_listeners`.
    """
    annotations = dict(extra or {})
    for parameter_name, parameter in declaration.parameters().items():
        annotations[parameter_name] = property_of(parameter_name, parameter, update)
        if parameter.kind is Kind.BODY:
            annotations |= _target_properties(parameter_name, parameter)
    doc = (declaration.__doc__ or "").strip().split("\n\n")[0]
    return type(name, (bpy.types.PropertyGroup,), {"__annotations__": annotations, "__doc__": doc, "__slots__": ()})


def meaningful(declaration: type[Declared], group: Any) -> list[str]:
    """The names of the parameters that have an effect with the current choices of the group."""
    declared = declaration.parameters()

    def is_chosen(name: str, numbers: tuple[int, ...]) -> bool:
        return any(c.name == getattr(group, name) and c.number in numbers for c in declared[name].choices)

    return [name for name, parameter in declared.items() if not parameter.only_with or is_chosen(*parameter.only_with)]


def _target_properties(name: str, parameter: Parameter) -> dict[str, Any]:
    """The properties that go with a pointer to a target."""
    if parameter.in_order:
        members = "all objects of this collection, in the order of their names,"
        return {bone_of(name): _bone_property(name), collection_of(name): _collection_property(name, members)}
    return {
        bone_of(name): _bone_property(name),
        collection_of(name): _collection_property(name, "one of the objects of this collection"),
        choice_of(name): _pick_property(name),
    }


def property_of(name: str, parameter: Parameter, update: Callable[[Any, Any], None] = notify_listeners) -> Any:
    """The Blender property of a declared parameter; `update` is called when it is set."""
    options = {"ANIMATABLE"} if parameter.animatable else set()
    return _property(name, parameter, {"override": OVERRIDABLE, "update": update, "options": options})


def operator_property(name: str, parameter: Parameter) -> Any:
    """The operator property of a declared parameter; the operator chooses the value where it is not set."""
    return _property(name, parameter, {"options": {"SKIP_SAVE"}})


def _property(name: str, parameter: Parameter, settings: dict[str, Any]) -> Any:
    shared = {"name": _label(name, parameter), "description": _tooltip(parameter), **settings}
    if parameter.kind is Kind.NUMBER:
        return bpy.props.FloatProperty(
            **shared,
            **UNITS[parameter.unit],
            default=parameter.default,
            min=max(parameter.least, -REACH),
            max=min(parameter.most, REACH),
        )
    if parameter.kind is Kind.INTEGER:
        return bpy.props.IntProperty(
            **shared, default=parameter.default, min=int(parameter.least), max=int(parameter.most)
        )
    if parameter.kind is Kind.SWITCH:
        return bpy.props.BoolProperty(**shared, default=parameter.default)
    if parameter.kind is Kind.CHOICE:
        return choice_property(shared, parameter.choices, parameter.default)
    poll = POLLS.get(parameter.kind, _is_in_scene)
    return bpy.props.PointerProperty(
        type=bpy.types.Object,
        name=shared["name"],
        description=shared["description"],
        override=OVERRIDABLE,
        update=notify_listeners,
        poll=poll,
    )


def bone_of(name: str) -> str:
    """The name of the property that holds the bone if the target `name` is an armature."""
    return f"{name}_bone"


def collection_of(name: str) -> str:
    """The name of the property that holds a collection to choose the target `name` from."""
    return f"{name}_collection"


def choice_of(name: str) -> str:
    """The name of the property that holds how one of several candidates for the target `name` is chosen."""
    return f"{name}_choice"


def _collection_property(name: str, members: str) -> Any:
    return bpy.props.PointerProperty(
        type=bpy.types.Collection,
        name=f"{name.replace('_', ' ').title()} Collection",
        description=f"Use {members} if no object is set above",
        override=OVERRIDABLE,
        update=notify_listeners,
    )


def _pick_property(name: str) -> Any:
    shared = {
        "name": f"Which {name.replace('_', ' ').title()}",
        "description": "Which object of a collection, vehicle of a crowd or object of a role to use",
        "override": OVERRIDABLE,
        "update": notify_listeners,
        "options": set(),
    }
    return choice_property(shared, PICKS, NEAREST_ONE)


def _bone_property(name: str) -> Any:
    title = name.replace("_", " ").title()
    return bpy.props.StringProperty(
        name=f"{title} Bone",
        description="Bone to use if the object is an armature; leave empty to use the whole armature",
        override=OVERRIDABLE,
        update=notify_listeners,
        options=set(),
    )


def choice_property(shared: dict[str, Any], choices: Any, default: int) -> Any:
    """An enum whose items keep their declared numbers, so that old files stay valid when choices are added."""
    items = [(c.name, c.label, c.description, c.number) for c in choices]
    name = next(c.name for c in choices if c.number == default)
    return bpy.props.EnumProperty(**shared, items=items, default=name)


def _label(name: str, parameter: Parameter) -> str:
    """The label of a parameter, with the unit if the field cannot show it."""
    letters = LETTERS.get(parameter.unit)
    return f"{parameter.called(name)} ({letters})" if letters else parameter.called(name)


def _tooltip(parameter: Parameter) -> str:
    spoken = SPOKEN.get(parameter.unit)
    if spoken and spoken not in parameter.description:
        return f"{parameter.description} ({spoken})"
    return parameter.description


def _is_curve(_self: Any, ob: bpy.types.Object) -> bool:
    return ob.type == "CURVE"


def _is_in_scene(_self: Any, ob: bpy.types.Object) -> bool:
    return bpy.context.scene is None or bpy.context.scene.objects.get(ob.name) == ob


def _is_crowd(_self: Any, ob: bpy.types.Object) -> bool:
    return ob.is_property_set("steering") and "CROWD" in ob.steering.roles


def values_of(declaration: type[Declared], group: Any) -> dict[str, Any]:
    """The values of a property group in the form of the declaration, within its limits.

    Pointers are left out. A NaN stays NaN, so that the caller can refuse it.

    Raises:
        Refusal: a choice is one that this version does not know.
    """
    return {
        name: _number_of(parameter, choice_in(group, name))
        if parameter.kind is Kind.CHOICE
        else _value(parameter, getattr(group, name))
        for name, parameter in declaration.parameters().items()
        if parameter.kind not in POINTERS
    }


def stored_value(parameter: Parameter, value: Any) -> Any:
    """A declared value in the form of its property: a choice becomes its name."""
    if parameter.kind is Kind.CHOICE:
        return next(choice.name for choice in parameter.choices if choice.number == value)
    return value


def _number_of(parameter: Parameter, name: str) -> int:
    return next(choice.number for choice in parameter.choices if choice.name == name)


def _value(parameter: Parameter, value: Any) -> Any:
    if parameter.kind is Kind.NUMBER:
        return value if np.isnan(value) else min(max(value, parameter.least), parameter.most)
    return value


POLLS = {Kind.PATH: _is_curve, Kind.CROWD: _is_crowd}
"""Which objects a pointer may be set to, for the kinds that exclude some objects of the scene."""
