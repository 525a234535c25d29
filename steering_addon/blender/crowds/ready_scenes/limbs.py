"""What moves on a model: parts that hang on their vehicle and are driven by its `steering_phase`.

The expressions are of the simple kind that Blender works out itself: no Python runs when they play, so they need
neither the extension nor the leave to run scripts.
"""

from __future__ import annotations

import bpy

from ...write.custom_properties import DESCRIPTIONS, path_of

PHASE = "steering_phase"
TURN = "6.283185"
"""Radians of a cycle."""


def vehicle(name: str, mesh: bpy.types.Mesh, phase: float, collection: bpy.types.Collection) -> bpy.types.Object:
    """The object that will steer, with the phase in which its limbs are until a bake says otherwise."""
    ob = bpy.data.objects.new(name, mesh)
    ob[PHASE] = phase
    ob.id_properties_ui(PHASE).update(description=DESCRIPTIONS[PHASE])
    collection.objects.link(ob)
    return ob


def hang(
    name: str,
    mesh: bpy.types.Mesh,
    parent: bpy.types.Object,
    place: tuple[float, float, float],
    collection: bpy.types.Collection,
) -> bpy.types.Object:
    """A part that hangs on its parent at a place in the parent's own space."""
    part = bpy.data.objects.new(name, mesh)
    part.parent, part.location = parent, place
    collection.objects.link(part)
    return part


def drive(part: bpy.types.Object, channel: str, index: int, expression: str, owner: bpy.types.Object) -> None:
    """Drive a channel of a part by the phase of its vehicle, which the expression calls `p`, in cycles."""
    driver = part.driver_add(channel, index).driver
    variable = driver.variables.new()
    variable.name = "p"
    variable.targets[0].id = owner
    variable.targets[0].data_path = path_of(PHASE)
    driver.expression = expression
