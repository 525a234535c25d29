"""Where panels are at home: the Steering tab of the sidebar and, for what belongs to an object, its Properties tab."""

from __future__ import annotations

from typing import Any

import bpy

TAB = {"bl_space_type": "VIEW_3D", "bl_region_type": "UI", "bl_category": "Steering"}
OBJECT_PROPERTIES = {"bl_space_type": "PROPERTIES", "bl_region_type": "WINDOW", "bl_context": "object"}
ROOT = "object"
"""The panel of the Properties editor that holds all others there."""


def in_tab(content: type, name: str, parent: str = "") -> type:
    """A panel of the sidebar: STEERING_PT_name.

    Args:
        content: what it is called, when it is there and what it draws, as Blender has it of a panel.
        parent: the name of the panel it is a part of.
    """
    return _panel(content, f"STEERING_PT_{name}", f"STEERING_PT_{parent}" if parent else "", TAB)


def in_both(content: type, name: str, parent: str = "") -> tuple[type, type]:
    """A panel of the sidebar, and the same beside the other properties of an object: OBJECT_PT_steering_name."""
    above = "" if name == ROOT else f"OBJECT_PT_steering_{parent or ROOT}"
    return in_tab(content, name, parent), _panel(content, f"OBJECT_PT_steering_{name}", above, OBJECT_PROPERTIES)


def _panel(content: type, name: str, parent: str, home: dict[str, Any]) -> type:
    settings = dict(home)
    if parent:
        settings["bl_parent_id"] = parent
    if home is OBJECT_PROPERTIES and not parent:
        settings |= {"bl_label": "Steering", "bl_options": {"DEFAULT_CLOSED"}}
    return type(name, (content, bpy.types.Panel), settings)
