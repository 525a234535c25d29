"""Property groups made from declarations: what is declared once becomes what Blender stores and shows."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np

from ..simulation.candidates import NEAREST_ONE, PICKS
from ..simulation.declaration import POINTERS, REACH, Declared, Kind, Parameter, Unit
from .setting_changes import noticed

OVERRIDABLE = {"LIBRARY_OVERRIDABLE"}
"""Every property can be overridden on a linked object, from the first version on."""


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
"""How Blender shows each unit. It knows none for newtons and for changes a second."""
SPOKEN = {Unit.RATE: "per second", Unit.FORCE: "newtons", Unit.TURN: "per second"}
"""Units that the tooltip has to say, as the field does not."""


def property_group(name: str, declaration: type[Declared], extra: dict[str, Any] | None = None) -> type:
    """A property group with a property for each declared parameter, behind the `extra` ones.

    Made once, at import: classes made anew at each registration would leave the old ones behind.
    """
    annotations = dict(extra or {})
    for parameter_name, parameter in declaration.parameters().items():
        annotations[parameter_name] = property_of(parameter_name, parameter)
        if parameter.kind is Kind.BODY:
            annotations[bone_of(parameter_name)] = _bone_property(parameter_name)
            annotations[collection_of(parameter_name)] = _collection_property(parameter_name)
            annotations[choice_of(parameter_name)] = _pick_property(parameter_name)
    doc = (declaration.__doc__ or "").strip().split("\n\n")[0]
    return type(name, (bpy.types.PropertyGroup,), {"__annotations__": annotations, "__doc__": doc})


def property_of(name: str, parameter: Parameter) -> Any:
    """The Blender property of one declared parameter."""
    options = {"ANIMATABLE"} if parameter.animatable else set()
    return _property(name, parameter, {"override": OVERRIDABLE, "update": noticed, "options": options})


def operator_property(name: str, parameter: Parameter) -> Any:
    """The property of an operator for one declared parameter; where it is not set, it is for the operator to say."""
    return _property(name, parameter, {"options": {"SKIP_SAVE"}})


def _property(name: str, parameter: Parameter, settings: dict[str, Any]) -> Any:
    shared = {"name": parameter.called(name), "description": _tooltip(parameter), **settings}
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
        update=noticed,
        poll=poll,
    )


def bone_of(name: str) -> str:
    """The name of the property that says which bone of an armature is meant by a body."""
    return f"{name}_bone"


def collection_of(name: str) -> str:
    """The name of the property that says of which collection's objects one is meant by a body."""
    return f"{name}_collection"


def choice_of(name: str) -> str:
    """The name of the property that says which one is meant by a body, where there are several."""
    return f"{name}_choice"


def _collection_property(name: str) -> Any:
    return bpy.props.PointerProperty(
        type=bpy.types.Collection,
        name=f"{name.replace('_', ' ').title()} Collection",
        description="One of the objects of this collection is meant, where no object is named above",
        override=OVERRIDABLE,
        update=noticed,
    )


def _pick_property(name: str) -> Any:
    shared = {
        "name": f"Which {name.replace('_', ' ').title()}",
        "description": "Which one is meant of several: of a collection, the vehicles of a crowd, or all of a role",
        "override": OVERRIDABLE,
        "update": noticed,
        "options": set(),
    }
    return choice_property(shared, PICKS, NEAREST_ONE)


def _bone_property(name: str) -> Any:
    title = name.replace("_", " ").title()
    return bpy.props.StringProperty(
        name=f"{title} Bone",
        description="The bone that is meant, where that is an armature; empty: the armature as a whole",
        override=OVERRIDABLE,
        update=noticed,
        options=set(),
    )


def choice_property(shared: dict[str, Any], choices: Any, default: int) -> Any:
    """An enum whose items keep their declared numbers, so that files read right when choices are added."""
    items = [(c.name, c.label, c.description, c.number) for c in choices]
    name = next(c.name for c in choices if c.number == default)
    return bpy.props.EnumProperty(**shared, items=items, default=name)


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
    """The values of a property group as the declaration has them, within its limits.

    What points at objects is left out. A number that is none stays so, for whoever asked to refuse it.
    """
    return {
        name: _value(parameter, getattr(group, name))
        for name, parameter in declaration.parameters().items()
        if parameter.kind not in POINTERS
    }


def stored(parameter: Parameter, value: Any) -> Any:
    """A value of a declaration as a property holds it: choices by name."""
    if parameter.kind is Kind.CHOICE:
        return next(choice.name for choice in parameter.choices if choice.number == value)
    return value


def _value(parameter: Parameter, value: Any) -> Any:
    if parameter.kind is Kind.CHOICE:
        return next(choice.number for choice in parameter.choices if choice.name == value)
    if parameter.kind is Kind.NUMBER:
        return value if np.isnan(value) else min(max(value, parameter.least), parameter.most)
    return value


POLLS = {Kind.PATH: _is_curve, Kind.CROWD: _is_crowd}
"""Which objects each kind of pointer may be set to, where not all of the scene."""
