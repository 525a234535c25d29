"""When operators can be used; where they cannot, their button says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..focus import crowd_in_focus

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


def has_crowd(cls: type, context: Context) -> bool:
    """Whether there is a crowd in focus; the button says why where there is none."""
    if crowd_in_focus(context) is not None:
        return True
    cls.poll_message_set("Make a crowd or one of its vehicles the active object")
    return False


def has_editable_crowd(cls: type, context: Context) -> bool:
    """Whether there is a crowd in focus that can be changed; the button says why where there is none."""
    if not has_crowd(cls, context):
        return False
    crowd = crowd_in_focus(context)
    if crowd.library is not None:
        cls.poll_message_set(f"{crowd.name} is linked: make a library override of it")
        return False
    return True
