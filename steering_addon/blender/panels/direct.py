"""The panel by which an animator directs single vehicles: what leads them by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...simulation.roles import Role
from ..properties import has_role, pointed_at
from .fields import fields, note
from .locations import ROOT, in_both

if TYPE_CHECKING:
    from bpy.types import Context


class Direct:
    """What leads the active vehicle by hand."""

    bl_label = "Direct"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        return context.object is not None and has_role(context.object, Role.VEHICLE)

    def draw(self, context) -> None:
        layout, settings = self.layout, context.object.steering
        column = fields(layout)
        column.prop(settings, "by_hand")
        column.prop(settings, "guide")
        guide = pointed_at(settings, "guide")
        if guide is not None and guide.type == "ARMATURE":
            column.prop_search(settings, "guide_bone", guide.data, "bones", text="Bone")
        layout.operator("steering.animate_by_hand", icon="VIEW_PAN")
        if guide is None and settings.by_hand > 0.0:
            note(layout, context, "It has no guide: choose one", icon="ERROR")


CLASSES = in_both(Direct, "direct", ROOT)
