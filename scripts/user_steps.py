"""Steps that a user takes in Blender, for scripts: selecting objects, and setting what a crowd does."""

from collections.abc import Mapping, Sequence
from typing import Any

import bpy


def select(obs: Sequence[bpy.types.Object]) -> None:
    """Select only these objects; the first is active."""
    for ob in bpy.context.selected_objects:
        ob.select_set(False)
    for ob in obs:
        ob.select_set(True)
    bpy.context.view_layer.objects.active = obs[0]


def adjust(crowd: bpy.types.Object, **groups: Mapping[str, Any]) -> None:
    """Set the settings of a crowd, by the names of their groups, and let it use the behaviors among these."""
    for name, values in groups.items():
        group = getattr(crowd.steering, name)
        if hasattr(group, "use"):
            group.use = True
        for setting, value in values.items():
            setattr(group, setting, value)
