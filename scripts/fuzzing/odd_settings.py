"""Settings at and beyond their limits, keyed, driven, and pointing at what does not fit."""

import math
from random import Random

import bpy

from .odd_objects import NAMES

FLOATS = (0.0, 1e-9, 1e9, -1.0, -1e9, 0.5, 1e-3, 100.0)
INTEGERS = (0, 1, 2, 5, -1, -3, 10, 100)
NO_SETTINGS = ("rna_type", "name", "use", "roles", "identity", "start")
"""What other parts of the extension write, and what makes no scene odd."""


def settings_of(group: bpy.types.PropertyGroup) -> list[bpy.types.Property]:
    """The settings of a group that an animator can set."""
    return [
        declared
        for declared in group.bl_rna.properties
        if not declared.is_readonly
        and declared.identifier not in NO_SETTINGS
        and not (declared.type == "POINTER" and is_group(declared))
    ]


def is_group(declared: bpy.types.Property) -> bool:
    """Whether a pointer holds a group of settings, not a datablock."""
    base = declared.fixed_type.base
    return base is not None and base.identifier == "PropertyGroup"


def disturb(group: bpy.types.PropertyGroup, chance: Random, number: int, oddness: float) -> None:
    """Change a number of random settings of a group."""
    declared = settings_of(group)
    for each in chance.sample(declared, min(number, len(declared))):
        value = _value(each, chance, oddness)
        if value is None:
            continue
        setattr(group, each.identifier, value)
        if each.is_animatable and chance.random() < 0.06:
            group.id_data.keyframe_insert(group.path_from_id(each.identifier), frame=chance.choice((-5, 1, 3, 8)))


def _value(declared: bpy.types.Property, chance: Random, oddness: float) -> object:
    """A value that the property accepts; None to leave it."""
    if declared.type in ("FLOAT", "INT") and getattr(declared, "is_array", False):
        return None
    if declared.type == "FLOAT":
        return _number(declared, chance, oddness)
    if declared.type == "INT":
        return chance.choice(INTEGERS)
    if declared.type == "BOOLEAN":
        return chance.random() < 0.5
    if declared.type == "ENUM" and not declared.is_enum_flag:
        return chance.choice([item.identifier for item in declared.enum_items])
    if declared.type == "POINTER":
        return _target(declared, chance)
    if declared.type == "STRING" and chance.random() < 0.3 * oddness:
        return chance.choice(NAMES)
    return None


def _number(declared: bpy.types.Property, chance: Random, oddness: float) -> float:
    if chance.random() > oddness:
        return chance.uniform(max(declared.soft_min, -10.0), min(declared.soft_max, 100.0))
    if chance.random() < 0.03:
        return chance.choice((math.nan, math.inf, -math.inf))
    return chance.choice((*FLOATS, declared.hard_min, declared.hard_max))


def _target(declared: bpy.types.Property, chance: Random) -> bpy.types.ID | None:
    blocks = {"Object": bpy.context.scene.objects, "Collection": bpy.data.collections}
    choices = list(blocks.get(declared.fixed_type.identifier, ()))
    return chance.choice(choices) if choices and chance.random() < 0.5 else None
