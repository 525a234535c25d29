"""What the panels have in common: fields in a column, the parameters that mean something, and sentences."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from ...simulation.declaration import Declared, Kind, Parameter
from ..properties import pointed_at
from ..property_groups import bone_of, choice_of, collection_of
from ..read.target_groups import is_several

if TYPE_CHECKING:
    from bpy.types import Context, UILayout

LETTER = 6.6
"""Pixels that a letter takes on average in Blender's own font, at its usual size."""
BESIDE = 44
"""Pixels of a panel's width that its margins and an icon take."""

NARROWEST, WIDEST = 16, 120
"""Letters a line."""
ROOMY = 26
"""Letters a line from which on there is room for more than the most important."""


def fields(layout: UILayout) -> UILayout:
    """A column of fields as Blender's own panels have them, names on the left."""
    column = layout.column()
    column.use_property_split = True
    return column


def parameters(layout: UILayout, declaration: type[Declared], group: Any, names: list[str]) -> None:
    """Fields for parameters of a declaration."""
    for name in names:
        layout.prop(group, name)
        if declaration.parameters()[name].kind is Kind.BODY:
            _bone(layout, group, name)
            _several(layout, group, name, declaration.parameters()[name])


def meaningful(declaration: type[Declared], group: Any) -> list[str]:
    """The parameters that mean something beside the choices that the group holds now."""
    declared = declaration.parameters()

    def chosen(name: str, numbers: tuple[int, ...]) -> bool:
        return any(c.name == getattr(group, name) and c.number in numbers for c in declared[name].choices)

    return [name for name, parameter in declared.items() if not parameter.only_with or chosen(*parameter.only_with)]


def note(layout: UILayout, context: Context, text: str, icon: str = "INFO") -> None:
    """A sentence, in as many lines as the panel is narrow."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    for k, line in enumerate(textwrap.wrap(text, _letters(context))):
        column.label(text=line, icon="BLANK1" if k else icon, translate=False)


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def roomy(context: Context) -> bool:
    """Whether the region is wide enough for several things beside each other."""
    return _letters(context) >= ROOMY


def _letters(context: Context) -> int:
    """How many letters a line of the region holds."""
    if context.region is None:
        return WIDEST
    width = context.region.width / context.preferences.system.ui_scale
    return min(max(int((width - BESIDE) / LETTER), NARROWEST), WIDEST)


def _several(layout: UILayout, group: Any, name: str, parameter: Parameter) -> None:
    """The collection that may stand for it, and where several are meant, which one."""
    if pointed_at(group, name) is None:
        layout.prop(group, collection_of(name), text="or Collection")
    if is_several(group, name, parameter):
        layout.prop(group, choice_of(name), text="Which One")


def _bone(layout: UILayout, group: Any, name: str) -> None:
    """Which bone of it, where a body is an armature."""
    body = pointed_at(group, name)
    if body is not None and body.type == "ARMATURE":
        layout.prop_search(group, bone_of(name), body.data, "bones", text="Bone")
