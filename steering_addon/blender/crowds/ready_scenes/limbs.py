"""Moving parts of a model: objects parented to a vehicle and driven by its `steering_phase`, or by what its body gives.

The drivers are simple expressions, which Blender evaluates without Python. They play without the extension and without
permission to run scripts.
"""

from __future__ import annotations

from collections.abc import Mapping

import bpy

from ....portrayal.driver_properties import EFFORT, PHASE
from ....portrayal.state_properties import SHARE
from ...animation.custom_properties import DESCRIPTIONS, path_of

TURN = "6.283185"
"""Radians per cycle."""


def add_vehicle(
    name: str, mesh: bpy.types.Mesh, phase: float, collection: bpy.types.Collection, *, beats: bool = False
) -> bpy.types.Object:
    """Add the object that steers; its limbs keep the given phase until a bake keyframes it.

    With `beats` they are driven by its effort, too.
    """
    ob = bpy.data.objects.new(name, mesh)
    give(ob, PHASE, phase)
    if beats:
        give(ob, EFFORT, 1.0)
    collection.objects.link(ob)
    return ob


def give(ob: bpy.types.Object, name: str, value: float = 0.0) -> None:
    """Give an object a property that a bake keys; it has this value without one."""
    ob[name] = value
    ob.id_properties_ui(name).update(description=DESCRIPTIONS[name])


def add_part(
    name: str,
    mesh: bpy.types.Mesh,
    parent: bpy.types.Object,
    place: tuple[float, float, float],
    collection: bpy.types.Collection,
) -> bpy.types.Object:
    """Add a part parented to an object, at a place in the local space of the parent."""
    part = bpy.data.objects.new(name, mesh)
    part.parent, part.location = parent, place
    collection.objects.link(part)
    return part


def drive(
    part: bpy.types.Object,
    channel: str,
    index: int,
    expression: str,
    owner: bpy.types.Object,
    by: str | Mapping[str, str] = PHASE,
    states: Mapping[str, str] | None = None,
) -> None:
    """Drive a channel of a part by a property of its vehicle, `p` in the expression; the phase is in cycles.

    Several properties are given by their letters in the expression. An owner with an effort gives it as `e`. Each of
    the states, by its letter in the expression, is the share by which the vehicle has taken up the state of that name:
    0 where there is none, or nothing is baked.
    """
    driver = part.driver_add(channel, index).driver
    shares = {letter: SHARE + state for letter, state in (states or {}).items()}
    read = {"p": by} if isinstance(by, str) else by
    for name, prop in (*read.items(), *((("e", EFFORT),) if EFFORT in owner else ()), *shares.items()):
        variable = driver.variables.new()
        variable.name = name
        target = variable.targets[0]
        target.id = owner
        target.data_path = path_of(prop)
        target.use_fallback_value = name in shares
    driver.expression = expression
