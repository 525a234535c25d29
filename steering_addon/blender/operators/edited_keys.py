"""The question what becomes of objects whose baked keys were edited by hand."""

from collections.abc import Sequence
from typing import Any

from bpy.types import Context, Object

from ..objects.tagged_objects import names_of


def ask_of_edited(
    context: Context, operator: str, edited: Sequence[Object], answers: Sequence[tuple[str, str, str]], **settings: Any
) -> None:
    """Ask what becomes of objects with edited keys; another click than on an answer leaves all as it is.

    Args:
        operator: the bl_idname of the one that each answer calls.
        answers: the values of its property `edited`, each with its text, in which {} stands for the objects, and icon.
        settings: its other properties.
    """

    def draw(popup, _context) -> None:
        # Each answer is a call of its own, which Esc may stop.
        popup.layout.operator_context = "INVOKE_DEFAULT"
        which = edited[0].name if len(edited) == 1 else f"These {len(edited)}"
        for answer, text, icon in answers:
            entry = popup.layout.operator(operator, text=text.format(which), icon=icon, translate=False)
            for name, value in {"edited": answer, **settings}.items():
                setattr(entry, name, value)

    names = names_of([ob.name for ob in edited])
    context.window_manager.popup_menu(draw, title=f"Keys of {names} were edited by hand", icon="ERROR")
