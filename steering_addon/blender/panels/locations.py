"""Where and when panels are shown: the Steering tab of the sidebar, popovers, and the Object tab of the Properties."""

from typing import Any

import bpy

from ...simulation.roles import Role
from ..objects.focus import crowd_in_focus
from ..properties import has_role

TAB = {"bl_space_type": "VIEW_3D", "bl_region_type": "UI", "bl_category": "Steering"}
POPOVER = {"bl_space_type": "VIEW_3D", "bl_region_type": "HEADER"}
"""Regions of this type list no panels, so a panel of theirs only appears as a popover."""
OBJECT_PROPERTIES = {"bl_space_type": "PROPERTIES", "bl_region_type": "WINDOW", "bl_context": "object"}
ROOT = "object"
"""The panel of the Properties editor that is the parent of all others in that editor."""


class OfCrowd:
    """Content that is shown while a crowd is in focus."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return crowd_in_focus(context) is not None


class OfActive:
    """Content that is shown while the active object has the role."""

    role: Role

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.object is not None and has_role(context.object, cls.role)


def in_tab(content: type, name: str, parent: str = "") -> type:
    """A panel class of the sidebar: STEERING_PT_name. `content`: defines the label, options, `poll` and `draw` of the
    panel; `parent`: the name of the parent panel."""
    return _panel(content, f"STEERING_PT_{name}", f"STEERING_PT_{parent}" if parent else "", TAB)


def as_popover(content: type, name: str) -> type:
    """A panel class that only a button opens: STEERING_PT_name."""
    return _panel(content, f"STEERING_PT_{name}", "", POPOVER)


def in_both(content: type, name: str, parent: str = "") -> tuple[type, type]:
    """A panel class of the sidebar, and the same for the Properties editor: OBJECT_PT_steering_name."""
    above = "" if name == ROOT else f"OBJECT_PT_steering_{parent or ROOT}"
    return in_tab(content, name, parent), _panel(content, f"OBJECT_PT_steering_{name}", above, OBJECT_PROPERTIES)


def _panel(content: type, name: str, parent: str, location: dict[str, Any]) -> type:
    settings = dict(location)
    if parent:
        settings["bl_parent_id"] = parent
    if location is OBJECT_PROPERTIES and not parent:
        settings |= {"bl_label": "Steering", "bl_options": {"DEFAULT_CLOSED"}}
    return type(name, (content, bpy.types.Panel), settings)
