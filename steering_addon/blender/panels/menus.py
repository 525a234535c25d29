"""The Object > Steering menu. Blender's search (F3) only finds what is in a menu, so the operators are listed here."""

from __future__ import annotations

import bpy

from ...behaviors import CATALOGUE
from ...simulation.behavior import OURS, Behavior, Intent
from ...simulation.roles import DESCRIPTIONS, Role
from .. import preview
from ..focus import crowd_in_focus
from .active_object import ICONS


class STEERING_MT_behavior_add(bpy.types.Menu):
    """Add a behavior to the crowd"""

    bl_idname = "STEERING_MT_behavior_add"
    bl_label = "Add Behavior"

    def draw(self, context) -> None:
        _behavior_columns(self.layout.row(), context, lambda behavior: behavior.label)


class STEERING_MT_behaviors(bpy.types.Menu):
    """Add a behavior to the crowd; the entries also show the names used in Reynolds' paper"""

    bl_idname = "STEERING_MT_behaviors"
    bl_label = "Add Behavior"

    def draw(self, context) -> None:
        _behavior_columns(self.layout.row(), context, _with_term)


def _behavior_columns(row, context, text) -> None:
    """A column of behaviors for each intent; those that the crowd already has are disabled."""
    crowd = crowd_in_focus(context)
    for intent in Intent:
        column = row.column()
        column.label(text=intent.value)
        column.separator()
        for behavior in CATALOGUE:
            if behavior.intent is intent:
                entry = column.row()
                entry.enabled = crowd is not None and not crowd.steering.is_property_set(behavior.name)
                entry.operator("steering.behavior_add", text=text(behavior)).behavior = behavior.name
        if intent is Intent.WITH:
            column.separator()
            column.operator("steering.flocking_add")


def _with_term(behavior: type[Behavior]) -> str:
    if behavior.term in (OURS, behavior.label.lower()):
        return behavior.label
    return f"{behavior.label} ({behavior.term})"


class STEERING_MT_object(bpy.types.Menu):
    """Steering operators for the selected objects and their crowd"""

    bl_idname = "STEERING_MT_object"
    bl_label = "Steering"

    def draw(self, context) -> None:
        layout = self.layout
        layout.menu("STEERING_MT_roles", icon="AUTO")
        layout.operator("steering.set_start", icon="PINNED")
        layout.operator("steering.flip_front", icon="ARROW_LEFTRIGHT")
        layout.separator()
        layout.operator("steering.crowd_add", icon="ADD")
        layout.operator("steering.populate", icon="COMMUNITY")
        layout.menu("STEERING_MT_crowds")
        layout.operator("steering.crowd_restore", icon="LOOP_BACK")
        layout.operator("steering.crowd_select", icon="RESTRICT_SELECT_OFF")
        layout.menu(STEERING_MT_behaviors.bl_idname, icon="ADD")
        layout.menu("STEERING_MT_presets", icon="PRESET")
        layout.operator("steering.preset_save")
        layout.operator("steering.preset_remove")
        layout.operator("steering.vary", icon="MOD_NOISE")
        layout.separator()
        layout.operator("steering.preview", icon="PLAY", depress=preview.is_on(context.scene))
        layout.operator("steering.bake", icon="REC").selected = False
        layout.operator("steering.bake", text="Bake Selected").selected = True
        layout.operator("steering.select_contacts", icon="RESTRICT_SELECT_OFF")
        layout.operator("steering.clear_bake", icon="TRASH").selected = False


class STEERING_MT_roles(bpy.types.Menu):
    """Tag or untag the selected objects"""

    bl_idname = "STEERING_MT_roles"
    bl_label = "Tag As"

    def draw(self, _context) -> None:
        layout = self.layout
        roles = [role for role in DESCRIPTIONS if role is not Role.CROWD]
        for role in roles:
            icon = ICONS.get(role, "OBJECT_DATA")
            layout.operator("steering.tag", text=DESCRIPTIONS[role][0], icon=icon).role = role.name
        layout.separator()
        for role in roles:
            layout.operator("steering.untag", text=f"Untag {DESCRIPTIONS[role][0]}").role = role.name


def show_menu(self, _context) -> None:
    self.layout.separator()
    self.layout.menu(STEERING_MT_object.bl_idname, icon="COMMUNITY")


CLASSES = (STEERING_MT_behavior_add, STEERING_MT_behaviors, STEERING_MT_roles, STEERING_MT_object)
