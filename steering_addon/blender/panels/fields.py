"""The common parts of panels: where and when they are shown, fields in columns or of declarations, wrapped notes."""

import re
import textwrap
from collections.abc import Iterable
from typing import Any

import bpy
from bpy.types import Context, UILayout

from ...simulation.declaration import Declared, Kind
from ...simulation.roles import Role
from ..objects.focus import crowd_in_focus
from ..properties import has_role, pointed_at
from ..property_groups import bone_of, choice_of, collection_of
from ..read.target_groups import is_several

TAB = {"bl_space_type": "VIEW_3D", "bl_region_type": "UI", "bl_category": "Steering"}
POPOVER = {"bl_space_type": "VIEW_3D", "bl_region_type": "HEADER"}
"""Regions of this type list no panels, so a panel of theirs only appears as a popover."""
OBJECT_PROPERTIES = {"bl_space_type": "PROPERTIES", "bl_region_type": "WINDOW", "bl_context": "object"}
ROOT = "object"
"""The panel of the Properties editor that is the parent of all others in that editor."""
LETTER = 6.6
"""Average width of a character in Blender's font at the default size, in pixels."""
MARGINS = 44
"""Width of a panel's margins and an icon, in pixels."""

NARROWEST, WIDEST = 16, 120
"""Limits of the line length, in characters."""
BUTTON = 5
"""Width of a button without text, in characters."""
ROOMY = 26
"""Line length, in characters, from which a panel has room for secondary fields."""
UNIT_WIDTH = 20
"""Width of a unit of Blender's layouts, in pixels."""
WIDE = 40
"""Line length from which it has room for more than two of them in a row."""
UNIT = re.compile(r"(?<=\d) (?=[a-z]{1,3}\b)")
"""The space between a number and its unit, at which no line breaks."""
NO_BREAK = "\u00a0"


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


def fields(layout: UILayout) -> UILayout:
    """A column of fields in the style of Blender's panels, with the names on the left."""
    column = layout.column()
    column.use_property_split = True
    return column


def draw_properties(layout: UILayout, group: Any, names: Iterable[str]) -> None:
    """Add a field for each of some properties."""
    for name in names:
        layout.prop(group, name)


def parameters(layout: UILayout, declaration: type[Declared], group: Any, names: list[str]) -> None:
    """Add fields for the named parameters of a declaration; below a target its bone, or the collection that may replace
    it, and how one of several candidates is chosen."""
    for name in names:
        layout.prop(group, name)
        parameter = declaration.parameters()[name]
        if parameter.kind is not Kind.BODY:
            continue
        body = pointed_at(group, name)
        if body is not None and body.type == "ARMATURE":
            layout.prop_search(group, bone_of(name), body.data, "bones", text="Bone")
        if body is None:
            layout.prop(group, collection_of(name), text="or Collection")
        if is_several(group, name, parameter) and not parameter.in_order:
            layout.prop(group, choice_of(name), text="Choose")


def note(layout: UILayout, context: Context, text: str, icon: str = "INFO") -> None:
    """Add a sentence, wrapped to the width of the region."""
    _draw_wrapped(layout, text, icon, _letters(context))


def note_in_popover(layout: UILayout, text: str, icon: str, units: int) -> None:
    """Add a sentence, wrapped to the width of a popover in Blender's units, with room for a button on its right."""
    _draw_wrapped(layout, text, icon, int((units * UNIT_WIDTH - MARGINS) / LETTER) - BUTTON)


def _draw_wrapped(layout: UILayout, text: str, icon: str, letters: int) -> None:
    column = layout.column(align=True)
    column.scale_y = 0.8
    unbroken = UNIT.sub(NO_BREAK, text)
    for k, line in enumerate(textwrap.wrap(unbroken, letters)):
        column.label(text=line.replace(NO_BREAK, " "), icon="BLANK1" if k else icon, translate=False)


def fits(context: Context, text: str) -> bool:
    """Whether a sentence fits into one line of the region."""
    return len(text) <= _letters(context)


def shorten(context: Context, text: str, end: str) -> str:
    """A sentence and its end, cut before the end where both do not fit into a button as wide as the region."""
    room = _letters(context) - BUTTON
    # Blender shows what follows a colon on the right, as it does with shortcuts.
    whole = text.replace(":", "")
    return whole + end if len(whole + end) <= room else f"{whole[: max(room - len(end) - 1, 1)].rstrip()}…{end}"


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def roomy(context: Context) -> bool:
    """Whether the region is wide enough for secondary fields in a row."""
    return _letters(context) >= ROOMY


def columns(context: Context, names: tuple[str, ...]) -> tuple[str, ...]:
    """The numbers that fit in the header of a subpanel: all, the last two, or none."""
    if not roomy(context):
        return ()
    return names if _letters(context) >= WIDE else names[-2:]


def _letters(context: Context) -> int:
    """The number of characters that fit into a line of the region."""
    if context.region is None:
        return WIDEST
    width = context.region.width / context.preferences.system.ui_scale
    return min(max(int((width - MARGINS) / LETTER), NARROWEST), WIDEST)
