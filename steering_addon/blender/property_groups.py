"""Property groups made from declarations: each parameter, declared once, becomes a property that Blender stores."""

from collections.abc import Callable, Mapping
from typing import Any

import bpy
import numpy as np

from ..settings.preset_values import Value, held
from ..settings.stored import StoredGroup
from ..settings.storing import choice, collection, text
from ..simulation.behavior import Behavior
from ..simulation.candidates import PICKS
from ..simulation.declaration import POINTERS, REACH, Choice, Declared, Kind, Parameter, Unit, name_of, number_of
from ..simulation.roles import Role
from .handlers import notify_listeners
from .refusal import choice_in

OVERRIDABLE = {"LIBRARY_OVERRIDABLE"}
"""Every property can be overridden on a linked object."""
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
COLUMNS = frozenset(Behavior.parameters())
"""Settings that a panel shows in one column for all behaviors: of "2.7 m/s²" there would be room for "2.7 m" only."""
SPOKEN = {Unit.RATE: "per second", Unit.FORCE: "newtons", Unit.TURN: "per second"}
"""Units that the tooltip states because the field cannot show them."""
SPOKEN_OF_COLUMNS = {Unit.ACCELERATION: "meters per second squared"}
"""The same for fields in these columns."""
LETTERS = {Unit.FORCE: "N", Unit.TURN: "/s"}
"""Units that the label states, where the number alone would be taken for something else."""
Hooks = Mapping[str, Mapping[str, Any]]
"""Functions that Blender calls for the properties of a group, such as "update" and "poll", by the property's name."""


def property_group(name: str, group: StoredGroup, hooks: Hooks, groups: Mapping[str, type]) -> type:
    """A property group with a property for each declared parameter.

    Made once, at import: a class made again at each registration would leave the old one behind. Without slots of its
    own, a script that misspells a property is refused; else Python would keep the value for a moment and lose it.
    `groups`: the groups that it may hold, by name.
    """
    annotations: dict[str, Any] = {}
    for identifier, parameter in group.parameters.items():
        annotations[identifier] = _stored_property(identifier, parameter, hooks.get(identifier, {}), groups)
        if parameter.kind is Kind.BODY:
            for key, field in _of_target(identifier, parameter).items():
                annotations[key] = _stored_property(key, field.metadata["parameter"], {}, {})
    content = {"__annotations__": annotations, "__doc__": group.description, "__slots__": ()}
    return type(f"STEERING_PG_{name}", (bpy.types.PropertyGroup,), content)


def _of_target(name: str, parameter: Parameter) -> dict[str, Any]:
    """The fields that go with a pointer to a target."""
    title = name.replace("_", " ").title()
    members = "one of the objects of this collection"
    if parameter.in_order:
        members = "all objects of this collection, in the order of their names,"
    fields = {
        bone_of(name): text(
            "Bone to use if the object is an armature; leave empty to use the whole armature", label=f"{title} Bone"
        ),
        collection_of(name): collection(
            description=f"Use {members} if no object is set above", label=f"{title} Collection"
        ),
    }
    if not parameter.in_order:
        sentence = "Which object of a collection, vehicle of a crowd or object of a role to use"
        fields[choice_of(name)] = choice("NEAREST", sentence, PICKS, label=f"Which {title}")
    return fields


def bone_of(name: str) -> str:
    """The name of the property that holds the bone if the target `name` is an armature."""
    return f"{name}_bone"


def collection_of(name: str) -> str:
    """The name of the property that holds a collection to choose the target `name` from."""
    return f"{name}_collection"


def choice_of(name: str) -> str:
    """The name of the property that holds how one of several candidates for the target `name` is chosen."""
    return f"{name}_choice"


def _stored_property(name: str, parameter: Parameter, hooks: Mapping[str, Any], groups: Mapping[str, type]) -> Any:
    if parameter.kind is Kind.GROUP:
        return bpy.props.PointerProperty(type=groups[parameter.group], override=OVERRIDABLE)
    settings: dict[str, Any] = {"override": OVERRIDABLE, "options": {"ANIMATABLE"} if parameter.animatable else set()}
    if parameter.hidden:
        settings["options"].add("HIDDEN")
    if parameter.restarts:
        settings["update"] = notify_listeners
    if parameter.kind is Kind.LIST:
        settings = {"override": {*OVERRIDABLE, "USE_INSERTION"}, "options": set(), "type": groups[parameter.group]}
    return _property(name, parameter, {**settings, **hooks})


def operator_property(name: str, parameter: Parameter) -> Any:
    """The operator property of a declared parameter; the operator chooses the value where it is not set."""
    return _property(name, parameter, {"options": {"SKIP_SAVE"}})


def _property(name: str, parameter: Parameter, settings: dict[str, Any]) -> Any:
    kind = parameter.kind
    settings = {"name": _label(name, parameter), "description": _tooltip(name, parameter), **settings}
    if kind in POINTED:
        poll = POLLS.get(kind) or (_tagged_as(parameter.roles) if parameter.roles else None)
        return bpy.props.PointerProperty(**{"type": POINTED[kind], "poll": poll, **settings})
    if kind in (Kind.CHOICE, Kind.FLAGS):
        settings["items"] = items_of(parameter.choices)
        settings["options"] = settings["options"] | ({"ENUM_FLAG"} if kind is Kind.FLAGS else set())
    if kind in (Kind.NUMBER, Kind.VECTOR, Kind.COLOR):
        settings["min"] = -REACH if parameter.least == -np.inf else parameter.least
        settings["max"] = REACH if parameter.most == np.inf else parameter.most
    if kind is Kind.NUMBER:
        settings |= UNITS[Unit.NONE if name in COLUMNS else parameter.unit]
    if kind is Kind.INTEGER:
        settings |= {"min": int(parameter.least), "max": int(parameter.most)}
    if kind is Kind.VECTOR:
        settings |= {"size": len(parameter.default), "subtype": VECTORS[parameter.unit]}
    if kind is Kind.COLOR:
        settings["subtype"] = "COLOR_GAMMA"
    if parameter.soft is not None:
        settings["soft_min"], settings["soft_max"] = parameter.soft
    if kind is not Kind.LIST:
        settings["default"] = stored_value(parameter, parameter.default)
    return MAKERS[kind](**settings)


def items_of(choices: tuple[Choice, ...]) -> list[tuple[str, str, str, str, int]]:
    """Choices as enum items, which keep their numbers, so that old files stay valid when choices are added."""
    return [(c.name, c.label, c.description, c.icon or "NONE", c.number) for c in choices]


def _label(name: str, parameter: Parameter) -> str:
    """The label of a parameter, with the unit if the field cannot show it."""
    letters = LETTERS.get(parameter.unit)
    return f"{parameter.called(name)} ({letters})" if letters else parameter.called(name)


def _tooltip(name: str, parameter: Parameter) -> str:
    spoken = (SPOKEN | SPOKEN_OF_COLUMNS if name in COLUMNS else SPOKEN).get(parameter.unit)
    if spoken and spoken not in parameter.description:
        return f"{parameter.description} ({spoken})"
    return parameter.description


def _tagged_as(roles: tuple[Role, ...]) -> Callable[[Any, bpy.types.Object], bool]:
    """A poll for objects with one of these roles; it writes nothing."""
    names = {role.name for role in roles}
    return lambda _group, ob: ob.is_property_set("steering") and not names.isdisjoint(ob.steering.roles)


TYPES = {Kind.PATH: "CURVE", Kind.SHAPE: "MESH"}
"""The type of object that a pointer of a kind needs, for the kinds that need one."""


def _is_a(kind: str) -> Callable[[Any, bpy.types.Object], bool]:
    return lambda _group, ob: ob.type == kind


def is_in_scene(_group: Any, ob: bpy.types.Object) -> bool:
    """Whether an object is in the scene."""
    return bpy.context.scene is None or is_listed(ob, bpy.context.scene.objects)


def is_listed(ob: bpy.types.Object, objects: Any) -> bool:
    """Whether an object is among those of a scene, layer or collection, also beside another one of its name, as from
    another file."""
    # To look through all takes long, and is needed only where the name is there.
    named = objects.get(ob.name)
    return named == ob or (named is not None and ob in objects[:])


def values_of(declaration: type[Declared], group: Any) -> dict[str, Any]:
    """The values of a property group in the form of the declaration, within its limits. Pointers are left out. A NaN
    stays NaN, so that the caller can refuse it. Refused if a choice is one that this version does not know."""
    return {
        name: number_of(parameter.choices, choice_in(group, name))
        if parameter.kind is Kind.CHOICE
        else _value(parameter, getattr(group, name))
        for name, parameter in declaration.parameters().items()
        if parameter.kind not in POINTERS
    }


def values_for_preset(declaration: type[Declared], group: Any) -> dict[str, Value]:
    """The values of a property group that presets hold. Without the spurious digits of 32-bit floats: 0.1 instead of
    0.10000000149."""
    values = {name: getattr(group, name) for name in held(declaration)}
    return {name: float(str(np.float32(v))) if isinstance(v, float) else v for name, v in values.items()}


def _value(parameter: Parameter, value: Any) -> Any:
    if parameter.kind is Kind.NUMBER:
        return value if np.isnan(value) else min(max(value, parameter.least), parameter.most)
    return value


def meaningful(declaration: type[Declared], group: Any) -> list[str]:
    """The names of the parameters that have an effect with the current choices of the group."""
    declared = declaration.parameters()

    def is_chosen(name: str, *numbers: int) -> bool:
        return any(c.name == getattr(group, name) and c.number in numbers for c in declared[name].choices)

    return [name for name, parameter in declared.items() if not parameter.only_with or is_chosen(*parameter.only_with)]


def stored_value(parameter: Parameter, value: Any) -> Any:
    """A declared value in the form of its property: a choice becomes its name, flags a set of names."""
    if parameter.kind is Kind.FLAGS:
        return set(value)
    return name_of(parameter.choices, value) if parameter.kind is Kind.CHOICE else value


VECTORS = {Unit.NONE: "NONE", Unit.LENGTH: "TRANSLATION"}
"""The subtype of a vector in each unit."""
MAKERS: dict[Kind, Callable[..., Any]] = {
    Kind.NUMBER: bpy.props.FloatProperty,
    Kind.INTEGER: bpy.props.IntProperty,
    Kind.SWITCH: bpy.props.BoolProperty,
    Kind.CHOICE: bpy.props.EnumProperty,
    Kind.FLAGS: bpy.props.EnumProperty,
    Kind.TEXT: bpy.props.StringProperty,
    Kind.VECTOR: bpy.props.FloatVectorProperty,
    Kind.COLOR: bpy.props.FloatVectorProperty,
    Kind.LIST: bpy.props.CollectionProperty,
}
"""The function that makes a property of each kind, apart from pointers."""
POINTED: dict[Kind, type] = {
    **dict.fromkeys((*POINTERS, Kind.OBJECT), bpy.types.Object),
    Kind.COLLECTION: bpy.types.Collection,
    Kind.ACTION: bpy.types.Action,
}
"""The type of the datablock that a pointer of each kind refers to."""
POLLS = {
    Kind.BODY: is_in_scene,
    Kind.REGION: is_in_scene,
    **{kind: _is_a(needed) for kind, needed in TYPES.items()},
    Kind.CROWD: _tagged_as((Role.CROWD,)),
}
"""The objects that a pointer may be set to, for the kinds that exclude some."""
