"""When operators can be used; where they cannot, their button says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bpy.types import Context


def in_object_mode(operator: type, context: Context) -> bool:
    if context.mode == "OBJECT":
        return True
    operator.poll_message_set("Only in Object Mode")
    return False


def something_selected(operator: type, context: Context) -> bool:
    if not in_object_mode(operator, context):
        return False
    if context.selected_objects:
        return True
    operator.poll_message_set("Select the objects first")
    return False
