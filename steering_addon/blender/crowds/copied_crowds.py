"""New crowds with the settings of another: its behaviors, vehicle, combining, portrayal, and their keys and drivers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..animation.animation_data import action_of, assign_action, copy_action, slot_of
from ..objects.identity import new_identity

if TYPE_CHECKING:
    from bpy.types import Context, Object


def copied_crowd(context: Context, model: Object) -> Object:
    """A new crowd at the 3D cursor with all settings of another, without its members and its list of models."""
    crowd = model.copy()
    if crowd.override_library is not None:
        crowd = crowd.make_local(clear_liboverride=True)
    crowd.parent = None
    crowd.location = context.scene.cursor.location
    crowd.steering.identity = new_identity({model.steering.identity})
    crowd.steering.property_unset("populate")
    crowd.steering.property_unset("states")
    if (action := action_of(model)) is not None:
        assign_action(crowd, *copy_action(action, slot_of(model), whole=True))
    for curve in crowd.animation_data.drivers if crowd.animation_data else ():
        for variable in curve.driver.variables:
            for target in variable.targets:
                if target.id == model:
                    target.id = crowd
    (context.collection or context.scene.collection).objects.link(crowd)
    crowd.select_set(False)
    return crowd
