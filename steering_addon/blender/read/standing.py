"""Holding a vehicle still while a scene is read: it plays neither a bake nor animation of its own that moves it."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np
from bpy.types import Action, Object

from ..animation.animation_data import ActionSlot, action_of, assign_action, channelbag_in, copy_action, slot_of
from ..animation.bake_actions import without_bake
from ..animation.bake_record import TRANSFORM_CHANNELS
from ..animation.ownership import CurrentAnimation, own_drivers, own_strips
from ..animation.rotation_channels import data_path


@contextmanager
def still(ob: Object) -> Iterator[None]:
    """Let nothing but the object's own channels place it. All else that animates it continues; then all is restored.

    The channels and the custom properties that a bake has keyed may be set meanwhile.
    """
    played = CurrentAnimation(ob)
    path = data_path(ob.rotation_mode)
    location, rotation = tuple(ob.location), tuple(getattr(ob, path))
    record = played.record
    keyed = {name: ob[name] for name in (record.properties if record else ()) if name in ob}
    moving = (*own_drivers(ob), *own_strips(ob, -np.inf, np.inf), *ob.constraints)
    muted = [each for each in moving if not each.mute]
    action, slot = action_of(ob), slot_of(ob)
    calm, calm_slot, copied = _without_moves(played)
    try:
        for each in muted:
            each.mute = True
        if calm != action:
            assign_action(ob, calm, calm_slot)
        for name in keyed:
            ob[name] = record.kept_properties[name].value if name in record.kept_properties else 0.0
        yield
    finally:
        if calm != action:
            assign_action(ob, action, slot)
        if copied:
            bpy.data.actions.remove(calm)
        for each in muted:
            each.mute = False
        for name, value in keyed.items():
            ob[name] = value
        ob.location = location
        setattr(ob, path, rotation)


def _without_moves(played: CurrentAnimation) -> tuple[Action | None, ActionSlot | None, bool]:
    """The animation that an object plays, without bake and transform channels; and whether it was copied for that."""
    unbaked = without_bake(played)
    if unbaked.action is None:
        return None, None, False
    bag = channelbag_in(unbaked.action, unbaked.slot)
    if not any(curve.data_path in TRANSFORM_CHANNELS for curve in (bag.fcurves if bag else ())):
        return unbaked.action, unbaked.slot, unbaked.new
    action, slot = (
        (unbaked.action, unbaked.slot) if unbaked.new else copy_action(unbaked.action, unbaked.slot, whole=True)
    )
    bag = channelbag_in(action, slot)
    for curve in [curve for curve in bag.fcurves if curve.data_path in TRANSFORM_CHANNELS]:
        bag.fcurves.remove(curve)
    return action, slot, True
