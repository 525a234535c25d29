"""Moving parts of a model: objects parented to a vehicle and driven by its `steering_phase`, or by what its body gives.

The drivers are simple expressions, which Blender evaluates without Python. They play without the extension and without
permission to run scripts.
"""

from collections.abc import Mapping

import bpy

from steering_addon.blender.crowds.wheel_drivers import drive_by, give
from steering_addon.portrayal.driver_properties import EFFORT, FOLDED, PHASE, SHARE

TURN = "6.283185"
"""Radians per cycle."""


def add_vehicle(name: str, mesh: bpy.types.Mesh, *, beats: bool = False) -> bpy.types.Object:
    """Add the object that steers, whose parts are driven by its phase; with `beats`, by its effort too."""
    ob = bpy.data.objects.new(name, mesh)
    give(ob, PHASE)
    if beats:
        give(ob, EFFORT, 1.0)
    return ob


def add_part(
    title: str,
    mesh: bpy.types.Mesh,
    parent: bpy.types.Object,
    place: tuple[float, float, float],
    vehicle: bpy.types.Object,
) -> bpy.types.Object:
    """Add a part of a vehicle parented to an object, at a place in the local space of the parent."""
    part = bpy.data.objects.new(f"{vehicle.name} {title}", mesh)
    part.parent, part.location = parent, place
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

    Several properties are given by their letters in the expression. An owner with an effort gives it as `e`, and how
    far its wings are folded as `w`. Each of
    the states, by its letter in the expression, is the share by which the vehicle has taken up the state of that name:
    0 where there is none, or nothing is baked.
    """
    shares = {letter: SHARE + state for letter, state in (states or {}).items()}
    read = {"p": by} if isinstance(by, str) else dict(by)
    if EFFORT in owner:
        read["e"] = EFFORT
    if FOLDED in owner:
        read["w"] = FOLDED
    drive_by(part, channel, index, expression, owner, read | shares, fallback=shares)
